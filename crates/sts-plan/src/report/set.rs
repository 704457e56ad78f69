//! Set in its initial state, and the fate of each pod.

use crate::source::ReportSource;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::ReportStatus;
use crate::analysis::Analysis;
use crate::plan::{Plan, PodFate, owns, pods_of, state_of};
use crate::set_of_pods::stands_in;
use sts_controller::controller::ordinal_of;
use sts_controller::object::{IntOrPercent, Phase, Pod, PodManagement};

/// Set in its initial state.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportSet {
    /// True if the set is being deleted; absent when it is not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub being_deleted: bool,
    /// True if the input lacks the set: its fields are what its pods show, and defaults. Absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unread: bool,
    /// Position of the manifest; absent when the set is in no file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<ReportSource>,
    /// `spec.replicas`.
    pub replicas: i32,
    /// `spec.ordinals.start`; absent when it is 0.
    #[serde(default, skip_serializing_if = "crate::absent::is_default")]
    pub start_ordinal: i32,
    /// Desired ordinals in this version, which may ignore `spec.ordinals`.
    #[serde(skip)]
    pub ordinals: Range<i64>,
    /// `OrderedReady` or `Parallel`.
    #[cfg_attr(test, schemars(with = "String"))]
    pub pod_management_policy: PodManagement,
    /// `RollingUpdate`, `OnDelete`, or another value from the manifest.
    pub update_strategy: String,
    /// `spec.updateStrategy.rollingUpdate.partition`; absent when unset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition: Option<i32>,
    /// `spec.updateStrategy.rollingUpdate.maxUnavailable` as a string; absent when unset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_unavailable: Option<String>,
    /// `spec.minReadySeconds`.
    pub min_ready_seconds: i32,
    /// `status.currentRevision` after the next sync.
    pub current_revision: String,
    /// Revision of the template: `status.updateRevision` after the next sync.
    pub update_revision: String,
    /// Stored status.
    #[cfg_attr(test, schemars(with = "serde_json::Value"))]
    pub status: ReportStatus,
    /// Names of `spec.volumeClaimTemplates`; a pod's claim is TEMPLATE-POD.
    pub claim_templates: Vec<String>,
    /// Pods that the set owns or that match its naming pattern, by ordinal.
    pub pods: Vec<SetPod>,
}

/// Pod in its initial state.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SetPod {
    /// Pod name.
    pub name: Arc<str>,
    /// Revision label; empty without one.
    pub revision: Arc<str>,
    /// `status.phase`; empty when unset.
    #[cfg_attr(test, schemars(with = "String"))]
    pub phase: Phase,
    /// True if the pod is running and ready.
    pub ready: bool,
    /// True if the pod has been ready for `minReadySeconds`.
    pub available: bool,
    /// True if the pod is being deleted.
    pub terminating: bool,
    /// True if the set owns the pod.
    pub owned: bool,
    /// Node of the pod; absent until it is scheduled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// Reason why the pod will not become ready on its own, such as `CrashLoopBackOff`, or `keeps restarting` while a container
    /// of a crash loop is up; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting: Option<String>,
    /// True if the pod has been starting for much longer than the plan takes as usual; absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub overdue: bool,
    /// Fate of the pod.
    pub fate: PodFate,
}

impl ReportSet {
    pub(super) fn new(analysis: &Analysis<'_>) -> Self {
        let plan = analysis.plan;
        let set = &plan.snapshot.set;
        let rolling = set.strategy.rolling_update();
        let status = &plan.next.status;
        let mut pods: Vec<SetPod> = pods_of(&plan.snapshot)
            .map(|pod| SetPod::new(plan, pod, analysis.fates.of(pod)))
            .collect();
        pods.sort_by_key(|pod| ordinal_of(&pod.name));
        ReportSet {
            being_deleted: set.is_terminating(),
            unread: stands_in(set),
            source: None,
            replicas: set.replicas,
            start_ordinal: set.stored_start_ordinal(),
            ordinals: plan.conditions.behaviour.ordinals(set),
            pod_management_policy: set.pod_management,
            update_strategy: set.strategy.name().to_owned(),
            partition: rolling.and_then(|rolling| rolling.partition),
            max_unavailable: rolling
                .and_then(|rolling| rolling.max_unavailable.as_ref())
                .map(|bound| match bound {
                    IntOrPercent::Int(count) => count.to_string(),
                    IntOrPercent::Text(text) => text.clone(),
                }),
            min_ready_seconds: set.min_ready_seconds,
            current_revision: status.current_revision.to_string(),
            update_revision: status.update_revision.to_string(),
            status: ReportStatus::new(&plan.snapshot.status, &plan.conditions.behaviour),
            claim_templates: set
                .claim_templates
                .iter()
                .map(|template| template.name.to_string())
                .collect(),
            pods,
        }
    }
}

impl SetPod {
    fn new(plan: &Plan, pod: &Pod, fate: PodFate) -> Self {
        // Possibly temporary trouble is shown even though it does not block the plan yet.
        let passing = plan.evidence.passing.get(&pod.meta.name);
        let trouble = pod.trouble.as_ref().or(passing.map(|it| &it.trouble));
        SetPod {
            name: Arc::clone(&pod.meta.name),
            revision: Arc::clone(&pod.revision),
            phase: pod.phase,
            ready: pod.is_running_and_ready(),
            available: pod.is_available(plan.snapshot.set.min_ready_seconds, plan.conditions.now),
            terminating: pod.is_terminating(),
            owned: owns(&plan.snapshot, pod),
            node: pod.node().map(str::to_owned),
            waiting: trouble.map(|trouble| state_of(trouble, pod)),
            overdue: plan.starts_late(pod),
            fate,
        }
    }
}
