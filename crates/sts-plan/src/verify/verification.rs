//! Verification of a saved plan.

use std::borrow::Cow;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::stale_report::{StaleReason, stale_reason};
use super::verified_pod::{VerifiedPod, verified_pods};
use super::verified_stage::VerifiedStage;
use super::{
    Comparison, Kind, Now, ObjectChange, Overdue, PodTimes, Prediction, StepState, Verdict,
    times_since,
};
use crate::duration::spell;
use crate::plan::{NowSource, PlanResult};
use crate::report::{ApiVersion, DocumentKind, Metadata};
use sts_controller::object::Snapshot;

/// Verification of a saved plan.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Verification {
    /// `sts-plan/v1`.
    pub api_version: ApiVersion,
    /// `Verification`.
    #[cfg_attr(test, schemars(extend("const" = "Verification")))]
    pub kind: DocumentKind,
    /// Current identity of the set, or the planned one if the set does not exist.
    pub metadata: Metadata,
    /// Verified plan.
    pub plan: VerifiedPlan,
    /// Time of the verification, RFC 3339.
    pub now: String,
    /// Source of that time: `flag`, `cluster` (read directly or by a dump), `input` (the newest time in files) or `clock`.
    #[serde(default)]
    pub now_source: NowSource,
    /// Whole seconds since the start of the plan.
    pub elapsed_seconds: i64,
    /// `pending`, `onTrack`, `ahead`, `finished`, `diverged` or `stale`.
    pub verdict: Verdict,
    /// Stage in progress, and whether the next one may begin; absent for a change in one step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<Box<VerifiedStage>>,
    /// Number of steps that have happened.
    pub done: usize,
    /// Steps and their states.
    pub steps: Vec<VerifiedStep>,
    /// Overdue step; absent when nothing is overdue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub late: Option<Late>,
    /// Reason why the plan is stale; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale: Option<StaleReason>,
    /// Differences from the prediction, the most significant first; empty unless diverged.
    pub differences: Vec<Difference>,
    /// Objects that changed since they were read.
    pub changed: Vec<ChangedObject>,
    /// Pods of the plan and additional pods; absent in events of a watch.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pods: Vec<VerifiedPod>,
    /// Measured times of pods created since the start of the plan; absent when empty and in events of a watch.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub times: Vec<PodTimes>,
    /// One-line summary.
    pub summary: String,
}

/// Verifications of several plans.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct VerificationList<'r> {
    /// `sts-plan/v1`.
    pub api_version: ApiVersion,
    /// `VerificationList`.
    #[cfg_attr(test, schemars(extend("const" = "VerificationList")))]
    pub kind: DocumentKind,
    /// Verifications, in the order of the plans.
    pub items: Cow<'r, [Verification]>,
}

impl<'r> VerificationList<'r> {
    /// Creates a list of verifications.
    #[must_use]
    pub fn new(items: &'r [Verification]) -> Self {
        VerificationList {
            api_version: ApiVersion::V1,
            kind: DocumentKind::VerificationList,
            items: Cow::Borrowed(items),
        }
    }
}

/// Verified plan.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct VerifiedPlan {
    /// Start of the plan, RFC 3339.
    pub now: String,
    /// Planned resourceVersion of the set; absent when the set was never stored.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub resource_version: String,
    /// `complete`, `blocked` or `livelock`.
    pub result: PlanResult,
    /// Revision of the template; absent when unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub update_revision: String,
    /// One-line summary of the plan.
    pub summary: String,
    /// Command line of the plan; absent when unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command_line: Vec<String>,
}

/// Step of a verified plan.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct VerifiedStep {
    /// Predicted time: whole seconds since the start of the plan.
    pub at: i64,
    /// Description in a few words.
    pub what: String,
    /// True if the step writes only the status, for formats that describe steps.
    #[serde(skip)]
    pub is_status_alone: bool,
    /// `done`, `begun` or `open`.
    pub state: StepState,
}

/// Overdue step.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Late {
    /// Index of the step, from 0.
    pub step: usize,
    /// Description in a few words.
    pub what: String,
    /// Delay in seconds.
    pub by_seconds: i64,
    /// True if the delay is the controller's: all of its preconditions are met.
    pub is_controllers: bool,
    /// True if only a status write remains, which is not worth describing.
    #[serde(skip)]
    pub is_status_alone: bool,
    /// Step, delay and reason in one sentence.
    pub message: String,
}

impl Late {
    fn new(overdue: Overdue, prediction: &Prediction) -> Self {
        let step = &prediction.steps[overdue.step];
        let mut late = Late {
            step: overdue.step,
            what: step.words(&prediction.plan.metadata.name),
            by_seconds: overdue.by,
            is_controllers: overdue.is_controllers,
            is_status_alone: step.is_status_alone(),
            message: String::new(),
        };
        late.message = late.describe(late.by_seconds);
        late
    }

    /// Describes the step with a delay of `by` seconds.
    #[must_use]
    pub fn describe(&self, by: i64) -> String {
        let (what, by) = (&self.what, spell(SignedDuration::from_secs(by)));
        let idle = format!("the controller has not acted for {by}: check kube-controller-manager");
        match (self.is_controllers, self.is_status_alone) {
            (true, true) => idle,
            (true, false) => format!("{what}: {idle}"),
            (false, _) => format!("{what} ({by} overdue)"),
        }
    }
}

/// Difference from the prediction.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Difference {
    /// `pods`, `persistentvolumeclaims` or `controllerrevisions`.
    pub resource: Kind,
    /// Object name.
    pub name: String,
    /// Predicted state.
    pub predicted: String,
    /// Current state.
    pub found: String,
    /// Likely cause.
    pub cause: String,
    /// Time of the difference in Unix seconds, if the object shows it; the earliest sorts first.
    #[serde(skip)]
    pub(crate) since: Option<i64>,
}

/// Object that changed since it was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ChangedObject {
    /// `pods`, `persistentvolumeclaims` or `controllerrevisions`.
    pub resource: Kind,
    /// Object name.
    pub name: String,
    /// `gone`, `replaced` (different UID) or `modified` (different resourceVersion).
    pub change: ObjectChange,
}

impl Verification {
    /// Adds the stage that this verification belongs to.
    #[must_use]
    pub fn of_stage(self, stage: VerifiedStage) -> Self {
        Verification {
            stage: Some(Box::new(stage)),
            ..self
        }
    }

    /// Removes pending steps and pod histories.
    #[must_use]
    pub fn since(mut self) -> Self {
        self.pods.clear();
        self.times.clear();
        self.steps.retain(|step| step.state != StepState::Open);
        self
    }

    /// Sets the source of the time; the default is the cluster.
    #[must_use]
    pub fn with_now_source(mut self, source: NowSource) -> Self {
        self.now_source = source;
        self
    }

    /// Creates the report of a comparison with the world at `then`.
    #[must_use]
    pub fn new(
        prediction: &Prediction,
        comparison: &Comparison,
        now: &Now<'_>,
        then: Timestamp,
    ) -> Self {
        let steps = prediction.steps.iter().zip(&comparison.steps);
        let stale = comparison
            .stale
            .as_ref()
            .map(|stale| stale_reason(prediction, stale));
        let late = comparison
            .overdue
            .map(|overdue| Late::new(overdue, prediction));
        Verification {
            api_version: ApiVersion::V1,
            kind: DocumentKind::Verification,
            metadata: metadata(prediction, now),
            plan: VerifiedPlan {
                now: prediction.begins.to_string(),
                resource_version: prediction.plan.metadata.resource_version.clone(),
                result: prediction.plan.outcome.result,
                update_revision: prediction.plan.set.update_revision.clone(),
                summary: prediction.plan.summary.clone(),
                command_line: prediction.command_line().to_vec(),
            },
            now: then.to_string(),
            now_source: NowSource::Cluster,
            elapsed_seconds: comparison.elapsed,
            verdict: comparison.verdict,
            stage: None,
            done: comparison.done(),
            summary: summary(prediction, comparison, stale.as_ref()),
            steps: steps
                .map(|(step, state)| VerifiedStep {
                    at: step.at,
                    what: step.words(&prediction.plan.metadata.name),
                    is_status_alone: step.is_status_alone(),
                    state: *state,
                })
                .collect(),
            changed: comparison.changed.clone(),
            pods: verified_pods(prediction, now, then),
            times: times_since(now.objects(), prediction.begins),
            late,
            stale,
            differences: comparison.differences.clone(),
        }
    }
}

fn metadata(prediction: &Prediction, now: &Now<'_>) -> Metadata {
    match now {
        Now::There(Snapshot { set, .. }) => Metadata::of(set),
        Now::Gone(_) => Metadata {
            namespace: prediction.plan.metadata.namespace.clone(),
            name: prediction.plan.metadata.name.clone(),
            ..Metadata::default()
        },
    }
}

fn summary(
    prediction: &Prediction,
    comparison: &Comparison,
    stale: Option<&StaleReason>,
) -> String {
    let (done, all) = (comparison.done(), comparison.steps.len());
    let steps = format!("{done} of {all} steps done");
    match comparison.verdict {
        Verdict::Pending if comparison.overdue.is_some() => {
            "Pending: no step has happened, although the rollout should have started".to_owned()
        }
        Verdict::Pending if prediction.plan.change.is_empty() => {
            "Pending: the StatefulSet does not exist yet".to_owned()
        }
        Verdict::Pending if done == 0 => {
            "Pending: the planned change has not been applied yet".to_owned()
        }
        Verdict::Pending => format!("Pending: {steps}; the next step requires your action"),
        Verdict::OnTrack if comparison.overdue.is_some() => format!("On track, but late: {steps}"),
        Verdict::OnTrack => format!("On track: {steps}"),
        Verdict::Ahead => format!("Ahead: {steps}, faster than predicted"),
        Verdict::Finished if all == 0 && prediction.plan.outcome.result == PlanResult::Complete => {
            "Finished: no steps planned, none happened".to_owned()
        }
        Verdict::Finished if all == 0 => {
            "Finished: no steps planned, none happened; the set is stuck as predicted".to_owned()
        }
        Verdict::Finished => format!(
            "Finished: all {all} steps done{}",
            match prediction.plan.outcome.result {
                PlanResult::Complete => "",
                _ => "; the set is stuck as predicted",
            }
        ),
        Verdict::Diverged => match comparison.differences.first() {
            Some(first) => format!(
                "Diverged after {done} of {all} steps: {} {}: {}",
                first.resource.word(),
                first.name,
                first.found
            ),
            None => format!("Diverged: {steps}"),
        },
        Verdict::Stale => match stale {
            Some(stale) => format!("Stale: {}", stale.message),
            None => "Stale".to_owned(),
        },
    }
}
