//! The set of a plan as it is at the beginning, and what becomes of each of its pods.

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{ReportStatus, name};
use crate::analysis::Analysis;
use crate::plan::{Plan, PodFate, owns, pods_of};
use sts_controller::controller::ordinal_of;
use sts_controller::object::{IntOrPercent, Phase, Pod, PodManagement};

/// The set as it is at the beginning.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportSet {
    /// True if the set is being deleted; absent when it is not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub being_deleted: bool,
    /// Position of its manifest; absent where it comes from no file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<ReportSource>,
    /// `spec.replicas`.
    pub replicas: i32,
    /// `spec.ordinals.start`; absent when it is 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub start_ordinal: i32,
    /// The ordinals that the set wants in this version, which may ignore `spec.ordinals`.
    #[serde(skip)]
    pub ordinals: Range<i64>,
    /// `OrderedReady` or `Parallel`.
    #[serde(with = "name")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub pod_management_policy: PodManagement,
    /// `RollingUpdate`, `OnDelete`, or what else the manifest says.
    pub update_strategy: String,
    /// `spec.updateStrategy.rollingUpdate.partition`; absent when it is not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition: Option<i32>,
    /// `spec.updateStrategy.rollingUpdate.maxUnavailable` as text; absent when it is not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_unavailable: Option<String>,
    /// `spec.minReadySeconds`.
    pub min_ready_seconds: i32,
    /// The revision that `status.currentRevision` names after the next sync.
    pub current_revision: String,
    /// The revision that the template asks for: `status.updateRevision` after the next sync.
    pub update_revision: String,
    /// The set's status as it is stored.
    #[cfg_attr(test, schemars(with = "serde_json::Value"))]
    pub status: ReportStatus,
    /// The names of `spec.volumeClaimTemplates`; a pod's claim is TEMPLATE-POD.
    pub claim_templates: Vec<String>,
    /// The set's pods, and those that have a name of its, by ordinal.
    pub pods: Vec<SetPod>,
}

/// The position of a manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ReportSource {
    /// The file as it was named.
    pub file: String,
    /// The line where the object begins, or the field that is refused, from 1.
    pub line: usize,
    /// Column in that line at which a refused field begins, from 1; absent for objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
}

/// The position of a field that is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldPlace {
    /// Its file, for annotations; `None` for standard input.
    pub source: Option<ReportSource>,
    /// The place in words: `web.yaml: document 1, line 7, column 3`.
    pub words: String,
}

/// A pod at the beginning.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SetPod {
    /// Its name.
    pub name: Arc<str>,
    /// Its revision; empty when it carries none.
    pub revision: Arc<str>,
    /// `status.phase`; empty when it has none.
    #[serde(with = "name")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub phase: Phase,
    /// True if it is running and ready.
    pub ready: bool,
    /// True if it has been ready for `minReadySeconds`.
    pub available: bool,
    /// True if it is being deleted.
    pub terminating: bool,
    /// True if the set owns it.
    pub owned: bool,
    /// The node that it is on; absent when none was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// The reason that it is not going to become ready by itself, such as `CrashLoopBackOff`; absent when nothing says
    /// so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting: Option<String>,
    /// Its fate.
    pub fate: PodFate,
}

fn is_zero(number: &i32) -> bool {
    *number == 0
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
        // Trouble that may pass is shown, though it keeps nothing up yet.
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
            waiting: trouble.map(|trouble| trouble.reason.clone()),
            fate,
        }
    }
}
