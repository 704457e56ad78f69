//! Findings across several sets.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::rule::Check;
use super::{Finding, RULES};
use crate::plan::{Availability, Plan};
use sts_controller::object::{Labels, RelatedObjects, Selector, labels_of};

/// The part of a plan that rules across sets read. It outlives the plan.
#[derive(Debug, Clone)]
pub struct SetSummary {
    /// Namespace of the set.
    pub namespace: Arc<str>,
    /// Name of the set.
    pub name: Arc<str>,
    /// `spec.selector`.
    pub selector: Option<Selector>,
    /// Labels of its pods.
    pub pod_labels: Labels,
    /// Maximum number of pods that its rollout takes down at once; `None` if it replaces none.
    pub most_down: Option<usize>,
    pub(super) related: Arc<RelatedObjects>,
}

impl SetSummary {
    /// Returns the summary of a plan.
    #[must_use]
    pub fn of(plan: &Plan) -> Self {
        let set = &plan.snapshot.set;
        let rolls = plan.tally().replaced > 0;
        SetSummary {
            namespace: Arc::clone(&set.meta.namespace),
            name: Arc::clone(&set.meta.name),
            selector: set.selector.clone(),
            pod_labels: labels_of(&set.template),
            most_down: rolls.then(|| Availability::of(plan).most_down),
            related: Arc::clone(&plan.related),
        }
    }
}

/// The sets of one namespace.
pub(super) struct NamespaceSets<'b> {
    /// The planned sets, each with its index in the run.
    pub(super) planned: Vec<(usize, &'b SetSummary)>,
    /// The objects around them.
    pub(super) related: &'b RelatedObjects,
    /// Name of the namespace.
    pub(super) namespace: &'b str,
}

/// Returns the findings across sets: for each summary, in order, those on its set.
#[must_use]
pub fn cross_set_findings(summaries: &[SetSummary]) -> Vec<Vec<Finding>> {
    let mut rooms: BTreeMap<&str, NamespaceSets<'_>> = BTreeMap::new();
    for (at, summary) in summaries.iter().enumerate() {
        let room = rooms
            .entry(&summary.namespace)
            .or_insert_with(|| NamespaceSets {
                planned: Vec::new(),
                related: &summary.related,
                namespace: &summary.namespace,
            });
        room.planned.push((at, summary));
    }
    let mut out: Vec<Vec<Finding>> = summaries.iter().map(|_| Vec::new()).collect();
    for room in rooms.values() {
        for rule in RULES {
            let Check::Across(check) = rule.check else {
                continue;
            };
            for (at, found) in check(room) {
                out[at].push(rule.finding(found));
            }
        }
    }
    out
}
