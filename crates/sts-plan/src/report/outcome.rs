//! Outcome of a plan.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::remedy::ReportObstacle;
use super::{ReportStatus, remedy};
use crate::analysis::Analysis;
use crate::analysis::headline::HeadlineTopic;
use crate::plan::{Outcome, Plan, PlanResult, pods_of};
use sts_controller::controller::{Resource, pod_name};

/// Outcome of a plan.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportOutcome {
    /// `complete`, `blocked`, `rejected` or `livelock`.
    #[cfg_attr(test, schemars(extend("enum" = ["complete", "blocked", "rejected", "livelock"])))]
    pub result: PlanResult,
    /// Whole seconds from the start to the end.
    pub at: i64,
    /// Conditions on which a complete outcome rests, in clauses; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rests_on: Vec<String>,
    /// Number of syncs, including those without changes.
    pub syncs: usize,
    /// Obstacles that block the set; empty unless blocked or rejected.
    pub blocked_by: Vec<ReportObstacle>,
    /// Status of the set at the end.
    #[cfg_attr(test, schemars(with = "serde_json::Value"))]
    pub status: ReportStatus,
    /// Pods of the set at the end, by name.
    pub pods: Vec<ReportPod>,
    /// Desired pods that are never created, highest ordinal first; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// Claims of the set at the end, by name.
    pub claims: Vec<Arc<str>>,
    /// Objects orphaned by the deletion of the set, such as `persistentvolumeclaims/data-web-0`; absent when
    /// empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub orphaned: Vec<String>,
}

/// Pod at the end.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ReportPod {
    /// Pod name.
    pub name: Arc<str>,
    /// Revision label; empty without one.
    pub revision: Arc<str>,
    /// True if the pod is running and ready.
    pub ready: bool,
}

pub(super) fn outcome(analysis: &Analysis<'_>, topic: &HeadlineTopic) -> ReportOutcome {
    let plan = analysis.plan;
    let end = plan.predicted().objects();
    let blocked_by = match &plan.outcome {
        Outcome::Rejected(refused) => remedy::refusals(analysis, refused),
        Outcome::Blocked(_) | Outcome::Complete | Outcome::Livelock => {
            remedy::obstacles(analysis, topic)
        }
    };
    ReportOutcome {
        result: plan.outcome.result(),
        at: plan.duration().as_secs(),
        rests_on: plan.rests_on(),
        syncs: plan.progression.syncs,
        blocked_by,
        status: ReportStatus::new(&end.status, &plan.conditions.behaviour),
        pods: plan
            .final_pods()
            .map(|pod| ReportPod {
                name: Arc::clone(&pod.meta.name),
                revision: Arc::clone(&pod.revision),
                ready: pod.is_running_and_ready(),
            })
            .collect(),
        missing: missing(plan),
        claims: end.claims.keys().cloned().collect(),
        orphaned: orphaned(plan),
    }
}

/// Returns the desired pods that are never created. Only a plan that does not complete has any.
fn missing(plan: &Plan) -> Vec<String> {
    if !matches!(plan.outcome, Outcome::Blocked(_) | Outcome::Livelock) {
        return Vec::new();
    }
    let there = pods_of(&plan.snapshot).map(|pod| &pod.meta.name);
    let mut known: BTreeSet<&str> = there.map(|name| &**name).collect();
    let created = plan.writes().filter(|write| write.creates_pod());
    known.extend(created.map(|write| &*write.name));
    let set = &plan.snapshot.set;
    let wanted = plan.conditions.behaviour.ordinals(set).rev();
    wanted
        .map(|ordinal| pod_name(set, ordinal))
        .filter(|pod| !known.contains(pod.as_str()))
        .collect()
}

fn orphaned(plan: &Plan) -> Vec<String> {
    let left = plan.left_behind();
    let of = |resource: Resource, names: Vec<Arc<str>>| {
        let names = names.into_iter();
        names.map(move |name| format!("{}/{name}", resource.name()))
    };
    of(Resource::Pods, left.pods)
        .chain(of(Resource::Claims, left.claims))
        .chain(of(Resource::Revisions, left.revisions))
        .collect()
}
