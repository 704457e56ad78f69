//! Stage in progress, and whether the next one may begin.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Comparison, Now, Prediction, Verdict, compare};
use crate::duration::spell;
use crate::grow::{PendingGrowth, quantity};
use crate::report::{ReportClaimGrowth, SavedPlanError, StageBegins};
use sts_controller::object::{FieldError, Set};
use sts_controller::simulate::ObjectEvent;

/// Stage in progress.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct VerifiedStage {
    /// Stage number, from 1.
    pub number: usize,
    /// Number of stages.
    pub of: usize,
    /// Stage name; absent without one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Next stage; absent after the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<NextStage>,
    /// Summary in one sentence.
    pub message: String,
}

/// Next stage.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NextStage {
    /// True if it may begin now, subject to approval.
    pub may_begin: bool,
    /// Remaining wait in whole seconds; absent when the stage may begin now or requires more than waiting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_seconds: Option<i64>,
    /// Stage name; absent without one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Required approvers; absent when no approval is required.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub approval: String,
    /// Commands that start the stage.
    pub commands: Vec<String>,
}

/// Stages of a saved plan.
#[derive(Debug, Clone)]
pub struct SavedStages(Vec<SavedStage>);

#[derive(Debug, Clone)]
struct SavedStage {
    terms: Terms,
    /// Plan of the stage; `None` if it is not reached.
    prediction: Option<Prediction>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Terms {
    #[serde(default)]
    name: String,
    begins: StageBegins,
    after_seconds: Option<i64>,
    #[serde(default)]
    approval: String,
    course: Option<Course>,
}

#[derive(Debug, Clone, Deserialize)]
struct Course {
    #[serde(default)]
    commands: Vec<String>,
    seconds: i64,
    /// Plan of the stage; null in a plan that was printed and not saved.
    #[serde(default)]
    plan: Value,
    #[serde(default)]
    check: Check,
}

#[derive(Debug, Clone, Default, Deserialize)]
struct Check {
    #[serde(default)]
    claims: Vec<ReportClaimGrowth>,
}

impl Check {
    /// Returns the claims that have not reached their size at the end of the stage.
    fn behind(&self, now: &Now<'_>) -> Vec<&str> {
        let there = &now.objects().claims;
        let is_behind = |wanted: &&ReportClaimGrowth| {
            let Some(claim) = there.get(wanted.name.as_str()) else {
                return false;
            };
            let asks = quantity(claim.storage.as_deref());
            let wants = quantity(Some(&wanted.storage));
            // A claim whose request was not raised yet is not pending.
            let is_raised = asks.zip(wants).is_none_or(|(asks, wants)| asks >= wants);
            match (PendingGrowth::of(claim), wanted.pending) {
                _ if !is_raised => true,
                (None, _) | (Some(PendingGrowth::FileSystem), Some(_)) => false,
                (Some(PendingGrowth::Volume), wanted) => wanted != Some(PendingGrowth::Volume),
                (Some(PendingGrowth::FileSystem), None) => true,
            }
        };
        let claims = self.claims.iter().filter(is_behind);
        claims.map(|claim| claim.name.as_str()).collect()
    }
}

/// Saved stage compared with the current world.
pub struct StageComparison {
    /// Plan of the stage.
    pub prediction: Prediction,
    /// Comparison with the plan.
    pub comparison: Comparison,
    /// Stage, and whether the next one may begin.
    pub stage: VerifiedStage,
    /// True if a claim has not reached its planned size.
    pub is_behind: bool,
}

impl SavedStages {
    /// Reads the stages of a saved plan; `None` if it has none.
    ///
    /// # Errors
    /// If the stages are not in the format of this program.
    pub fn from_json(plan: &Value) -> Result<Option<Self>, SavedPlanError> {
        let Some(stages) = plan.get("stages") else {
            return Ok(None);
        };
        let terms: Vec<Terms> = serde_path_to_error::deserialize(stages).map_err(|error| {
            let path = format!("stages{}", error.path());
            let problem = format!("invalid plan at {path}: {}", error.inner());
            SavedPlanError::new(&path, problem)
        })?;
        let stages = terms.into_iter().enumerate().map(SavedStage::new);
        let stages = stages.collect::<Result<Vec<_>, _>>()?;
        Ok((!stages.is_empty()).then_some(SavedStages(stages)))
    }

    /// Finds the stage in progress: the last one whose change was made.
    #[must_use]
    pub fn compare(&self, now: &Now<'_>, then: Timestamp) -> Option<StageComparison> {
        let first = self.0.first()?.prediction.as_ref()?.begins;
        let mut found = None;
        for (at, stage) in self.0.iter().enumerate().rev() {
            let Some(mut prediction) = stage.prediction.clone() else {
                continue;
            };
            if self.is_yet_to_come(at, now) {
                continue;
            }
            prediction.begins = began(&prediction, now, first, then);
            let comparison = compare(&prediction, now, then);
            let is_begun = !matches!(comparison.verdict, Verdict::Stale | Verdict::Pending);
            if is_begun || at == 0 {
                found = Some((at, prediction, comparison));
                break;
            }
        }
        let (at, prediction, comparison) = found?;
        let behind = self.0[at].behind(now);
        let stage = self.stage(at, &prediction, &comparison, &behind, then);
        Some(StageComparison {
            is_behind: !behind.is_empty(),
            prediction,
            comparison,
            stage,
        })
    }

    /// Returns the planned set before the first stage, as a substitute for a deleted set.
    ///
    /// # Errors
    /// If the plan's name of the set is invalid.
    pub fn stand_in(&self) -> Result<Option<Set>, FieldError> {
        let first = self.0.iter().find_map(|stage| stage.prediction.as_ref());
        first.map(Prediction::stand_in).transpose()
    }

    /// Reports whether a stage has not begun because it deletes or follows the recreation of a set that still
    /// exists.
    fn is_yet_to_come(&self, at: usize, now: &Now<'_>) -> bool {
        let Now::There(there) = now else {
            return false;
        };
        let so_far = self.0.iter().take(at + 1);
        let so_far = so_far.filter_map(|stage| stage.prediction.as_ref());
        let so_far: Vec<&Prediction> = so_far.collect();
        let (Some(first), Some(this)) = (so_far.first(), so_far.last()) else {
            return false;
        };
        let is_first =
            !first.plan.metadata.uid.is_empty() && *there.set.meta.uid == *first.plan.metadata.uid;
        let is_created = so_far
            .iter()
            .any(|stage| stage.plan.metadata.uid.is_empty());
        let is_deleted = at > 0 && this.predicts(ObjectEvent::SetDeleted);
        is_first && (is_created || (is_deleted && !there.set.is_terminating()))
    }

    fn stage(
        &self,
        at: usize,
        prediction: &Prediction,
        comparison: &Comparison,
        behind: &[&str],
        then: Timestamp,
    ) -> VerifiedStage {
        let of = self.0.len();
        let name = &self.0[at].terms.name;
        let takes = self.0[at].terms.course.as_ref();
        let takes = takes.map_or(0, |course| course.seconds);
        let next = self.0.get(at + 1).map(|next| {
            let waits = next.terms.after_seconds.unwrap_or(0);
            let is_finished = comparison.verdict == Verdict::Finished;
            let (is_ready, waits) = match next.terms.begins {
                StageBegins::After => {
                    let goes_well = matches!(comparison.verdict, Verdict::OnTrack | Verdict::Ahead);
                    (is_finished || goes_well, waits)
                }
                _ if waits > 0 => (is_finished, takes + waits),
                _ => (is_finished, 0),
            };
            let elapsed = then.duration_since(prediction.begins).as_secs();
            let is_ready = is_ready && behind.is_empty();
            let left = waits - elapsed;
            NextStage {
                may_begin: is_ready && left <= 0,
                wait_seconds: (is_ready && left > 0).then_some(left),
                name: next.terms.name.clone(),
                approval: next.terms.approval.clone(),
                commands: next
                    .terms
                    .course
                    .as_ref()
                    .map(|course| course.commands.clone())
                    .unwrap_or_default(),
            }
        });
        let called = |number: usize, name: &str| match name {
            "" => format!("stage {number}"),
            name => format!("stage {number} ({name})"),
        };
        let this = called(at + 1, name);
        let verdict = match comparison.verdict {
            Verdict::OnTrack => "on track",
            verdict => verdict.name(),
        };
        let mut message = format!("{this} of {of} is {verdict}");
        match &next {
            None if comparison.verdict == Verdict::Finished && behind.is_empty() => {
                message += " (last stage)";
            }
            None => {}
            Some(next) => {
                let called = called(at + 2, &next.name);
                let moment = match next.wait_seconds {
                    Some(left) => format!(" in {}", spell(SignedDuration::from_secs(left))),
                    None => String::new(),
                };
                message += &match (next.may_begin || !moment.is_empty(), &*next.approval) {
                    (true, "") => format!("; {called} may begin{moment}"),
                    (true, approval) => {
                        format!("; {called} may begin{moment} with approval from {approval}")
                    }
                    (false, _) => format!("; {called} may not begin yet"),
                };
            }
        }
        if let [first, rest @ ..] = behind {
            let (others, have) = match rest.len() {
                0 => (String::new(), "has"),
                others => (format!(" and {others} more"), "have"),
            };
            message += &format!(": {first}{others} {have} not reached the planned size");
        }
        VerifiedStage {
            number: at + 1,
            of,
            name: name.clone(),
            next,
            message,
        }
    }
}

impl SavedStage {
    /// Returns the claims that have not reached their size at the end of the stage.
    fn behind(&self, now: &Now<'_>) -> Vec<&str> {
        let course = self.terms.course.as_ref();
        course.map_or_else(Vec::new, |course| course.check.behind(now))
    }

    fn new((at, mut terms): (usize, Terms)) -> Result<Self, SavedPlanError> {
        let plan = terms.course.as_mut().map(|course| course.plan.take());
        let prediction = match plan {
            None => None,
            Some(Value::Null) => {
                return Err(SavedPlanError::new(
                    &format!("stages[{at}].course"),
                    "the stage has no plan: write the plan with --save to verify it".to_owned(),
                ));
            }
            Some(plan) => Some(Prediction::from_json(&plan).map_err(|wrong| {
                let path = format!("stages[{at}].course.plan.{}", wrong.path);
                SavedPlanError::new(path.trim_end_matches('.'), wrong.problem)
            })?),
        };
        Ok(SavedStage { terms, prediction })
    }
}

/// Returns the actual start of a stage: the last write to the set according to managedFields.
fn began(prediction: &Prediction, now: &Now<'_>, first: Timestamp, then: Timestamp) -> Timestamp {
    let foretold = prediction.begins.min(then);
    let Now::There(there) = now else {
        return foretold;
    };
    let object = there.set.object.open();
    let managers = object["metadata"]["managedFields"].as_array();
    let changes = managers.into_iter().flatten();
    let changes = changes.filter(|manager| manager["subresource"] != "status");
    let times = changes.filter_map(|manager| manager["time"].as_str()?.parse::<Timestamp>().ok());
    times
        .max()
        .filter(|time| (first..=then).contains(time))
        .unwrap_or(foretold)
}
