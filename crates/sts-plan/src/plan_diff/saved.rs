//! Compared facts of a saved plan.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use super::availability::Availability;
use crate::lint::{RuleId, Severity};
use crate::plan::PlanResult;
use crate::report::{ReportStep, SavedPlan, StepEvent};
use sts_controller::controller::{Resource, Verb};
use sts_controller::simulate::ObjectEvent;
use sts_controller::version::Gate;

/// Saved plan reduced to the compared facts.
#[derive(Debug, Clone)]
pub struct ComparedPlan {
    /// Namespace of the set.
    pub namespace: String,
    /// Name of the set.
    pub name: String,
    /// One-line summary of the plan.
    pub summary: String,
    pub(super) result: PlanResult,
    /// Message of the first obstacle; empty without one.
    pub(super) why: String,
    pub(super) at: i64,
    pub(super) replicas: i64,
    pub(super) availability: Availability,
    pub(super) pods: BTreeMap<Arc<str>, PodOperation>,
    pub(super) lost: BTreeSet<Arc<str>>,
    /// Results of the requirements, by text.
    pub(super) requirements: BTreeMap<String, bool>,
    /// Severity and message of each finding, by rule and object.
    pub(super) findings: BTreeMap<(RuleId, String), (Severity, String)>,
    /// Old and new value of each changed field.
    pub(super) changes: BTreeMap<String, (Value, Value)>,
    pub(super) version: String,
    pub(super) gates: BTreeMap<Gate, bool>,
    pub(super) assumptions: BTreeSet<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub(super) enum PodOperation {
    Replace,
    Delete,
    Create,
}

sts_controller::named!(PodOperation);

impl From<SavedPlan> for ComparedPlan {
    fn from(plan: SavedPlan) -> Self {
        let obstacle = plan.outcome.blocked_by.first();
        ComparedPlan {
            why: obstacle.map_or_else(String::new, |first| first.message.clone()),
            availability: Availability::new(&plan),
            pods: pods(&plan),
            lost: lost(&plan.steps),
            result: plan.outcome.result,
            at: plan.outcome.at,
            replicas: i64::from(plan.set.replicas),
            namespace: plan.metadata.namespace,
            name: plan.metadata.name,
            summary: plan.summary,
            requirements: plan
                .requirements
                .into_iter()
                .map(|requirement| (requirement.text, requirement.holds))
                .collect(),
            findings: plan
                .findings
                .into_iter()
                .map(|it| ((it.id, it.object), (it.severity, it.message)))
                .collect(),
            changes: plan
                .change
                .into_iter()
                .map(|it| {
                    let values = (it.old.unwrap_or_default(), it.new.unwrap_or_default());
                    (it.path, values)
                })
                .collect(),
            version: plan.kubernetes.version,
            gates: plan.kubernetes.feature_gates,
            assumptions: plan.assumptions.into_iter().collect(),
        }
    }
}

fn pods(plan: &SavedPlan) -> BTreeMap<Arc<str>, PodOperation> {
    let before: BTreeSet<&str> = plan.set.pods.iter().map(|pod| &*pod.name).collect();
    let after: BTreeSet<&str> = plan.outcome.pods.iter().map(|pod| &*pod.name).collect();
    let operation = |pod: &Arc<str>| {
        let operation = match (before.contains(&**pod), after.contains(&**pod)) {
            (true, true) => PodOperation::Replace,
            (true, false) => PodOperation::Delete,
            (false, _) => PodOperation::Create,
        };
        (Arc::clone(pod), operation)
    };
    let mut pods = BTreeMap::new();
    for step in &plan.steps {
        let writes = step.writes.iter().flatten().filter(|write| {
            write.resource == Resource::Pods
                && !write.is_refused()
                && matches!(write.verb, Verb::Create | Verb::Delete)
        });
        pods.extend(writes.map(|write| operation(&write.name)));
        if step.event == Some(StepEvent::Object(ObjectEvent::PodDeleted)) {
            pods.extend(step.name.iter().map(operation));
        }
    }
    pods
}

fn lost(steps: &[ReportStep]) -> BTreeSet<Arc<str>> {
    let removed = steps
        .iter()
        .filter(|step| step.event == Some(StepEvent::ClaimRemoved));
    removed.filter_map(|step| step.name.clone()).collect()
}
