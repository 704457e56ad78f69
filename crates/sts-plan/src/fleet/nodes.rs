//! Actions on nodes over the sets of a run. All sets are planned once to find their common course, and then each with
//! its part of it.

use std::sync::Arc;

use super::driver::each;
use super::{FailOn, FleetDriver, FleetSet, GateFailure, SetCourse};
use crate::answer::full_name;
use crate::nodes::{self, Course, Extent, NodeActions, NodeError};
use crate::plan::{Conditions, Outage, Plan};
use crate::report::{NodesOfSet, Report, ReportNodes};
use sts_controller::controller::parent_and_ordinal;
use sts_controller::object::Pod;

/// Returns the conditions after actions on the nodes. `pods` are all pods of the input, of any owner.
///
/// # Errors
/// When a node or a zone does not exist.
pub fn after_nodes<'p>(
    conditions: &Conditions,
    actions: &NodeActions,
    pods: impl Iterator<Item = &'p Arc<Pod>>,
) -> Result<Conditions, NodeError> {
    let outage = match conditions.outage.pods.is_empty() {
        false => Outage::clone(&conditions.outage),
        true if actions.acts() => Outage::among(pods),
        true => Outage::default(),
    };
    let (related, outage) = nodes::after(&conditions.related, actions, outage)?;
    Ok(Conditions {
        related: Arc::new(related),
        outage: Arc::new(outage),
        ..conditions.clone()
    })
}

/// Returns the conditions with the pods of the input on their nodes, for several drains that begin alike.
pub fn with_pods<'p>(
    conditions: &Conditions,
    pods: impl Iterator<Item = &'p Arc<Pod>>,
) -> Conditions {
    Conditions {
        outage: Arc::new(Outage::among(pods)),
        ..conditions.clone()
    }
}

/// Course of the actions on nodes over several sets.
pub(super) struct NodeCourse {
    actions: NodeActions,
    course: Course,
    /// Index of each set in the course; `None` for a set that cannot be planned.
    places: Vec<Option<usize>>,
    sentences: Vec<String>,
}

impl NodeCourse {
    /// Returns the course over these sets; `None` without actions on nodes, or if each node is drained by itself.
    pub(super) fn of<S: FleetSet>(
        sets: &[S],
        actions: &NodeActions,
        conditions: &Conditions,
        extent: Extent,
        driver: &dyn FleetDriver,
    ) -> Option<Self> {
        if actions.is_empty() || actions.is_each() {
            return None;
        }
        // The error of a set is reported when it is planned with the others.
        let planned = each(driver, sets, |_, set| {
            match set.plan(&set.conditions(), &mut Vec::new()) {
                Ok(SetCourse::Plan(plan)) => Some(plan),
                Ok(SetCourse::Stages(_)) | Err(_) => None,
            }
        });
        let mut places = Vec::new();
        let mut plans: Vec<Plan> = Vec::new();
        for plan in planned {
            places.push(plan.is_some().then_some(plans.len()));
            plans.extend(plan.map(|plan| *plan));
        }
        // The nodes exist, since the conditions are those after the actions.
        let mut actions = actions.resolved(&conditions.related).unwrap_or_default();
        // A zone or a label selects nodes of the cluster; an assumed node is spare room.
        let added = &conditions.outage.added;
        actions.drain.retain(|node| !added.contains(node.as_str()));
        let course = Course::of(&plans, &actions, &conditions.related, extent);
        let mut sentences = match extent {
            Extent::Advice => nodes::assumed(&actions, conditions),
            // One of many nodes: the rows of a table name them.
            Extent::Outcome => nodes::assumed_of_any(&actions, conditions),
        };
        sentences.extend(course.assumed(conditions));
        Some(NodeCourse {
            actions,
            course,
            places,
            sentences,
        })
    }

    /// Returns the outage that affects the set at an index.
    pub(super) fn outage(&self, at: usize) -> Option<Arc<Outage>> {
        self.course.outages.get(self.place(at)?).map(Arc::clone)
    }

    /// Returns the effect on the set at an index, given its plan with the evictions.
    pub(super) fn of_set(&self, at: usize, plan: &Plan) -> Option<NodesOfSet> {
        Some(self.course.of_set(self.place(at)?, plan))
    }

    /// Returns the effect on all sets; `None` if nodes are only added.
    pub(super) fn answer(&self, sets: Vec<NodesOfSet>) -> Option<ReportNodes> {
        let acts = self.actions.acts();
        acts.then(|| ReportNodes {
            assumed: self.sentences(),
            ..self.course.answer(&self.actions, sets)
        })
    }

    /// Returns the assumptions about nodes, in sentences.
    pub(super) fn sentences(&self) -> Vec<String> {
        self.sentences.clone()
    }

    fn place(&self, at: usize) -> Option<usize> {
        *self.places.get(at)?
    }
}

/// Returns the effect of actions on nodes over these sets, without plans to show and without advice. `conditions` are those after the actions.
pub fn nodes_answer<S: FleetSet>(
    sets: &[S],
    actions: &NodeActions,
    conditions: &Conditions,
    driver: &dyn FleetDriver,
) -> Option<ReportNodes> {
    let course = NodeCourse::of(sets, actions, conditions, Extent::Outcome, driver)?;
    let answers = each(driver, sets, |at, set| {
        let conditions = Conditions {
            outage: course.outage(at)?,
            ..set.conditions()
        };
        match set.plan(&conditions, &mut Vec::new()) {
            Ok(SetCourse::Plan(plan)) => course.of_set(at, &plan),
            Ok(SetCourse::Stages(_)) | Err(_) => None,
        }
    });
    course.answer(answers.into_iter().flatten().collect())
}

/// Judges the drains of single nodes by a condition on the pods of a set; `None` if it does not fail.
pub(super) fn judge_each_node(
    condition: FailOn,
    report: &Report,
    nodes: &ReportNodes,
) -> Option<GateFailure> {
    let set = full_name(&report.metadata.namespace, &report.metadata.name);
    let is_of_set =
        |pod: &String| parent_and_ordinal(pod).is_some_and(|(parent, _)| *parent == *set);
    nodes.each.iter().find_map(|row| {
        let when = |effect: &str| format!("when {} is drained, {effect}", row.node);
        match condition {
            FailOn::Quorum if row.loses_quorum.contains(&set) => {
                Some(GateFailure::Effect(when("it loses its quorum")))
            }
            FailOn::Quorum | FailOn::Downtime if row.down.contains(&set) => {
                Some(GateFailure::Effect(when("it has no ready pod")))
            }
            FailOn::Blocked => {
                let pod = row.homeless.iter().find(|pod| is_of_set(pod))?;
                let effect = format!("{pod} does not come back");
                Some(GateFailure::Answer(when(&effect)))
            }
            _ => None,
        }
    })
}
