//! The verification of a plan, as a program reads it.

use std::borrow::Cow;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::PodTimes;
use super::verified_pod::{VerifiedPod, verified_pods};
use super::verified_stage::VerifiedStage;
use super::{ApiVersion, DocumentKind, Metadata, name};
use crate::duration::spell;
use crate::lessons::times_since;
use crate::plan::PlanResult;
use crate::verify::{
    Comparison, Kind, Now, ObjectChange, Prediction, Stale, StaleKind, StepState, Verdict,
};
use crate::verify::{Overdue, PredictedStep};
use sts_controller::object::Snapshot;

/// The verification of one plan: what has become of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Verification {
    /// `sts-plan/v1`.
    #[cfg_attr(test, schemars(with = "String"))]
    pub api_version: ApiVersion,
    /// `Verification`.
    #[cfg_attr(test, schemars(with = "String", extend("const" = "Verification")))]
    pub kind: DocumentKind,
    /// The set as it is now, or as the plan has it where there is none.
    pub metadata: Metadata,
    /// The plan that is verified.
    pub plan: VerifiedPlan,
    /// The moment of the verification, RFC 3339.
    pub now: String,
    /// Whole seconds since the plan began.
    pub elapsed_seconds: i64,
    /// `pending`, `onTrack`, `ahead`, `finished`, `diverged` or `stale`.
    #[serde(with = "name")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub verdict: Verdict,
    /// The stage that this is about, and whether the next may begin; absent for a change in one step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<Box<VerifiedStage>>,
    /// Number of the plan's steps that have happened.
    pub done: usize,
    /// The steps, and whether each has happened.
    pub steps: Vec<VerifiedStep>,
    /// The step that should have happened and has not; absent when nothing is late.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub late: Option<Late>,
    /// The reason that the plan is stale; absent when it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale: Option<StaleReason>,
    /// The differences from the prediction, the first and most telling one first; empty unless diverged.
    pub differences: Vec<Difference>,
    /// The objects that are not as they were read.
    pub changed: Vec<ChangedObject>,
    /// The pods of the plan, and those that are there besides; absent in events of a watch.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pods: Vec<VerifiedPod>,
    /// The times that the pods took that were made since the plan began, for `--learn`; absent when there are none, and in
    /// events of a watch.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub times: Vec<PodTimes>,
    /// The whole in one line.
    pub summary: String,
}

/// Several verifications.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct VerificationList<'r> {
    /// `sts-plan/v1`.
    #[cfg_attr(test, schemars(with = "String"))]
    pub api_version: ApiVersion,
    /// `VerificationList`.
    #[cfg_attr(test, schemars(with = "String", extend("const" = "VerificationList")))]
    pub kind: DocumentKind,
    /// The verifications, in the order of the plans.
    pub items: Cow<'r, [Verification]>,
}

impl<'r> VerificationList<'r> {
    /// A list of verifications.
    #[must_use]
    pub fn new(items: &'r [Verification]) -> Self {
        VerificationList {
            api_version: ApiVersion::V1,
            kind: DocumentKind::VerificationList,
            items: Cow::Borrowed(items),
        }
    }
}

/// The plan that is verified.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct VerifiedPlan {
    /// When it began, RFC 3339.
    pub now: String,
    /// The set's resourceVersion that it was made from; absent when the set was never stored.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub resource_version: String,
    /// `complete`, `blocked` or `livelock`.
    #[serde(with = "name")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub result: PlanResult,
    /// The revision that the template asks for; absent when nothing told it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub update_revision: String,
    /// The plan in one line.
    pub summary: String,
    /// The command line that made it; absent where that is not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command_line: Vec<String>,
}

/// A step of the plan.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct VerifiedStep {
    /// When it was predicted, in whole seconds since the plan began.
    pub at: i64,
    /// Description of the step, in a few words.
    pub what: String,
    /// True if nothing but the status is written, for formats that tell what happened.
    #[serde(skip)]
    pub is_status_alone: bool,
    /// `done`, `begun` or `open`.
    #[serde(with = "name")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub state: StepState,
}

/// A step that should have happened by now.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Late {
    /// Index of the step, counted from 0.
    pub step: usize,
    /// Description of the step, in a few words.
    pub what: String,
    /// For how many seconds.
    pub by_seconds: i64,
    /// True if the controller is what is late: everything that it waits for has happened.
    pub is_controllers: bool,
    /// True if nothing but the status is left to write, which says nothing to a reader.
    #[serde(skip)]
    pub is_status_alone: bool,
    /// The sentence that tells the step, the delay and the reason.
    pub message: String,
}

impl Late {
    fn new(overdue: Overdue, step: &PredictedStep) -> Self {
        let mut late = Late {
            step: overdue.step,
            what: step.words(),
            by_seconds: overdue.by,
            is_controllers: overdue.is_controllers,
            is_status_alone: step.is_status_alone(),
            message: String::new(),
        };
        late.message = late.told(late.by_seconds);
        late
    }

    /// Describes it when it is late by so many seconds.
    #[must_use]
    pub fn told(&self, by: i64) -> String {
        let (what, by) = (&self.what, spell(SignedDuration::from_secs(by)));
        let idle = format!("the controller has not acted for {by}: check kube-controller-manager");
        match (self.is_controllers, self.is_status_alone) {
            (true, true) => idle,
            (true, false) => format!("{what}: {idle}"),
            (false, _) => format!("{what}, by {by}"),
        }
    }
}

/// The reason that a plan is stale.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StaleReason {
    /// `gone`, `replaced`, `beingDeleted` or `changed`.
    #[serde(with = "name")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub reason: StaleKind,
    /// One sentence.
    pub message: String,
    /// The fields that are not as planned.
    pub fields: Vec<StaleField>,
}

/// A field that is not as planned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StaleField {
    /// Path of the field: `spec.replicas`.
    pub path: String,
    /// The planned value; absent when there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub planned: Option<String>,
    /// The value found; absent when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
}

/// Something that happened otherwise than predicted.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Difference {
    /// `pods`, `persistentvolumeclaims` or `controllerrevisions`.
    #[serde(with = "name")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub resource: Kind,
    /// The object's name.
    pub name: String,
    /// The predicted state of the object.
    pub predicted: String,
    /// The state that was found.
    pub found: String,
    /// The likely cause.
    pub cause: String,
    /// When it came about, as far as the object tells, in seconds of the epoch: the first one stands first.
    #[serde(skip)]
    pub(crate) since: Option<i64>,
}

/// An object that is not as it was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ChangedObject {
    /// `pods`, `persistentvolumeclaims` or `controllerrevisions`.
    #[serde(with = "name")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub resource: Kind,
    /// The object's name.
    pub name: String,
    /// `gone`, `replaced` (another uid) or `modified` (another resourceVersion).
    #[serde(with = "name")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub change: ObjectChange,
}

impl Verification {
    /// The same, of a plan of one stage among others.
    #[must_use]
    pub fn of_stage(self, stage: VerifiedStage) -> Self {
        Verification {
            stage: Some(Box::new(stage)),
            ..self
        }
    }

    /// The same, without the steps that have not happened, and without what each pod was.
    #[must_use]
    pub fn since(mut self) -> Self {
        self.pods.clear();
        self.times.clear();
        self.steps.retain(|step| step.state != StepState::Open);
        self
    }

    /// The report of a comparison with the world as it was at `then`.
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
            .map(|overdue| Late::new(overdue, &prediction.steps[overdue.step]));
        Verification {
            api_version: ApiVersion::V1,
            kind: DocumentKind::Verification,
            metadata: metadata(prediction, now),
            plan: VerifiedPlan {
                now: prediction.begins.to_string(),
                resource_version: prediction.resource_version.clone(),
                result: prediction.result,
                update_revision: prediction.update_revision.clone(),
                summary: prediction.summary.clone(),
                command_line: prediction.command_line.clone(),
            },
            now: then.to_string(),
            elapsed_seconds: comparison.elapsed,
            verdict: comparison.verdict,
            stage: None,
            done: comparison.done(),
            summary: summary(prediction, comparison, stale.as_ref()),
            steps: steps
                .map(|(step, state)| VerifiedStep {
                    at: step.at,
                    what: step.words(),
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
            namespace: prediction.namespace.clone(),
            name: prediction.name.clone(),
            ..Metadata::default()
        },
    }
}

fn stale_reason(prediction: &Prediction, stale: &Stale) -> StaleReason {
    let (message, fields) = match stale {
        Stale::Gone => ("the StatefulSet is gone".to_owned(), &[][..]),
        Stale::Replaced => (
            "the StatefulSet was deleted and recreated: it has another uid".to_owned(),
            &[][..],
        ),
        Stale::BeingDeleted => ("the StatefulSet is being deleted".to_owned(), &[][..]),
        Stale::Changed(fields) => (changed_message(prediction, fields), &fields[..]),
    };
    StaleReason {
        reason: stale.kind(),
        message,
        fields: fields.to_vec(),
    }
}

fn changed_message(prediction: &Prediction, fields: &[StaleField]) -> String {
    let shown = |value: &Option<String>| value.clone().unwrap_or_else(|| "its default".to_owned());
    let one = |field: &StaleField| {
        format!(
            "{} is {}, and {} was planned",
            field.path,
            shown(&field.found),
            shown(&field.planned)
        )
    };
    let fields: Vec<String> = fields.iter().map(one).collect();
    let who = if prediction.changed.is_empty() {
        "the specification was changed"
    } else {
        "the specification is not the one that was planned"
    };
    format!("{who}: {}", fields.join("; "))
}

/// A verdict in one line.
fn summary(
    prediction: &Prediction,
    comparison: &Comparison,
    stale: Option<&StaleReason>,
) -> String {
    let (done, all) = (comparison.done(), comparison.steps.len());
    let steps = format!("{done} of {all} steps have happened");
    match comparison.verdict {
        Verdict::Pending if comparison.overdue.is_some() => {
            "Pending: nothing of the plan has happened, though it should have begun".to_owned()
        }
        Verdict::Pending if prediction.changed.is_empty() => {
            "Pending: the StatefulSet has not been created yet".to_owned()
        }
        Verdict::Pending if done == 0 => {
            "Pending: the planned change has not been made yet".to_owned()
        }
        Verdict::Pending => format!("Pending: {steps}, and the next one is up to you"),
        Verdict::OnTrack if comparison.overdue.is_some() => format!("On track, but late: {steps}"),
        Verdict::OnTrack => format!("On track: {steps}"),
        Verdict::Ahead => format!("Ahead: {steps}, faster than predicted"),
        Verdict::Finished if all == 0 && prediction.result == PlanResult::Complete => {
            "Finished: nothing was to happen, and nothing has".to_owned()
        }
        Verdict::Finished if all == 0 => {
            "Finished: nothing was to happen, nothing has, and the set is stuck as predicted"
                .to_owned()
        }
        Verdict::Finished => format!(
            "Finished: all {all} steps have happened{}",
            match prediction.result {
                PlanResult::Complete => "",
                _ => ", and the set is stuck as predicted",
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
