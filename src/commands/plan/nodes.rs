//! Plans of sets with actions on nodes. All sets are planned once to find their common course, and then each with its
//! part of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Result, anyhow};

use super::set_rules::SetRules;
use crate::cores::on_all_cores;
use crate::input::read::Input;
use crate::input::resolve::{self, Target};
use crate::request::PlanRequest;
use sts_plan::nodes::{self, Course};
use sts_plan::plan::{Outage, Plan};

/// Course of the actions on nodes, over the sets of an input.
pub(super) struct NodeCourse {
    course: Course,
    /// Index of each set in the course, by namespace and name; none for sets that cannot be planned.
    places: BTreeMap<(String, String), usize>,
    sentences: Vec<String>,
}

/// Applies the requested state to the nodes.
///
/// # Errors
/// When a named node is not in the input.
pub(super) fn change(input: &mut Input, request: &PlanRequest) -> Result<()> {
    if request.nodes.is_empty() {
        return Ok(());
    }
    let inventory = &input.loaded.inventory;
    let (related, outage) = nodes::after(&inventory.related(), &request.nodes, inventory.pods())
        .map_err(|error| anyhow!("{error}"))?;
    input.loaded.inventory.set_related(related);
    input.conditions.outage = Arc::new(outage);
    Ok(())
}

impl NodeCourse {
    /// Returns the course over these sets; `None` without actions on nodes.
    pub(super) fn of(targets: &[Target<'_>], input: &Input, request: &PlanRequest) -> Option<Self> {
        if request.nodes.is_empty() {
            return None;
        }
        let planned = on_all_cores(targets.iter(), 1, |target| {
            let rules = SetRules::of(request, target);
            let conditions = rules.conditions(&input.conditions);
            // The error of a set is reported when it is planned with the others.
            resolve::plan(
                target,
                &request.change,
                &input.loaded,
                &conditions,
                &mut Vec::new(),
            )
            .ok()
        });
        let mut places = BTreeMap::new();
        let mut plans: Vec<Plan> = Vec::new();
        for (target, plan) in targets.iter().zip(planned) {
            let Some(plan) = plan else { continue };
            let key = (target.namespace().to_owned(), target.name().to_owned());
            places.insert(key, plans.len());
            plans.push(plan);
        }
        let related = input.loaded.inventory.related();
        Some(NodeCourse {
            course: Course::of(&plans, &request.nodes, &related),
            places,
            sentences: nodes::assumed(&request.nodes, &input.conditions),
        })
    }

    /// Returns the outage that affects a set.
    pub(super) fn outage(&self, target: &Target<'_>) -> Option<Arc<Outage>> {
        let at = self.place(target)?;
        self.course.outages.get(at).map(Arc::clone)
    }

    /// Returns the index of a set in the course.
    pub(super) fn place(&self, target: &Target<'_>) -> Option<usize> {
        let key = (target.namespace().to_owned(), target.name().to_owned());
        self.places.get(&key).copied()
    }

    pub(super) fn course(&self) -> &Course {
        &self.course
    }

    /// Returns the assumptions about nodes, as sentences.
    pub(super) fn sentences(&self) -> Vec<String> {
        self.sentences.clone()
    }
}
