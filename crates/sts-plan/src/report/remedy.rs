//! Obstacles that block a set, and their remedies.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use jiff::SignedDuration;
use serde::{Deserialize, Serialize};

use super::ReportSource;
use super::conflict::{ReportConflict, conflict};
use crate::analysis::Analysis;
use crate::analysis::headline;
use crate::analysis::headline::HeadlineTopic;
use crate::cause::{Cause, with_names};
use crate::duration;
use crate::explain::{self, CauseClause};
use crate::plan::{Obstacle, ObstacleReason, Plan, Retry};
use crate::remedy::{Diagnosis, Remedy, ReportRemedy};
use crate::words::uncapitalized;
use sts_controller::apiserver::validation::{Refused, RefusedKind};
use sts_controller::name::UnknownName;
use sts_controller::object::Snapshot;

/// Obstacle that blocks a set.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportObstacle {
    /// Hold reason as listed in the contract, or `Error`; for a refusal its kind.
    pub reason: ReportReason,
    /// Pod concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod: Option<String>,
    /// Catalogue id of the cause, or else its kind; absent when no object shows one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cause: String,
    /// Object of the cause other than the pod, such as `node/ip-10-0-1-17`; absent without one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// First pod in this list with the same cause, and so the same remedies; absent for that pod itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub like: Option<String>,
    /// Pods that this one needs and that are not ready, such as `orders/pg-0`; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    /// Next attempt of the controller; absent unless the API server keeps refusing a request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<ReportRetry>,
    /// Position of the pod or the rejected field; absent when it is in no file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<ReportSource>,
    /// Obstacle in one sentence.
    pub message: String,
    /// Obstacle in a few words, without details and the component's words.
    #[serde(skip)]
    pub brief: String,
    /// Words of the component that reports it, such as a line of a log or the end of an event's message; absent when there
    /// are none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub says: String,
    /// Node and claims of the pod that are new or of another kind than those of its revision that are ready; absent when
    /// empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only_here: Vec<String>,
    /// True if the headline already states it; absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_headline: bool,
    /// Age, such as `38m`; absent when unknown or still to come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age: Option<String>,
    /// Field owner and choices; absent unless the refusal is a conflict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conflict: Option<ReportConflict>,
    /// Evidence from the objects, one fact per item; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// True if the obstacle resolves automatically, which is never so at the end of a blocked plan; absent for
    /// a refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ends_by_itself: Option<bool>,
    /// Required change, in the words of the catalogue; absent when the cause is unknown, or a remedy's commands do
    /// it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub fix: String,
    /// Place that shows more about the cause, in the words of the catalogue; absent when the cause is unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub look: String,
    /// Cautions to read before acting, including actions that do not help; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cautions: Vec<String>,
    /// Commands, the least invasive first: diagnosis, then the first remedy that helps.
    pub remedy: Vec<String>,
    /// Remedies, the least invasive first, each simulated, including those that do not help; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remedies: Vec<ReportRemedy>,
}

/// Reason of an obstacle or a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportReason {
    /// Reason of an obstacle.
    Obstacle(ObstacleReason),
    /// Kind of refusal.
    Refused(RefusedKind),
}

serialized!(serde_by_text: ReportReason);

impl fmt::Display for ReportReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReportReason::Obstacle(reason) => reason.fmt(out),
            ReportReason::Refused(kind) => kind.fmt(out),
        }
    }
}

impl FromStr for ReportReason {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let of_obstacle = name.parse().map(ReportReason::Obstacle);
        of_obstacle.or_else(|_| name.parse().map(ReportReason::Refused))
    }
}

/// Next attempt of the controller after a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportRetry {
    /// Expected delay in seconds; absent when unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_in_seconds: Option<i64>,
    /// Maximum delay in seconds.
    pub at_latest_in_seconds: i64,
}

impl From<Retry> for ReportRetry {
    fn from(retry: Retry) -> Self {
        ReportRetry {
            expected_in_seconds: retry.expected.map(|expected| expected.as_secs()),
            at_latest_in_seconds: retry.latest.as_secs(),
        }
    }
}

/// Returns the obstacles of a blocked plan, each with its remedies.
pub(super) fn obstacles(analysis: &Analysis<'_>, topic: &HeadlineTopic) -> Vec<ReportObstacle> {
    let diagnoses = analysis.diagnoses.iter();
    let mut out: Vec<ReportObstacle> = diagnoses
        .map(|diagnosis| obstacle(analysis.plan, diagnosis))
        .collect();
    if *topic == HeadlineTopic::Stuck {
        // As in the headline: the first obstacle with a known cause.
        let mut causes = analysis.diagnoses.iter().map(|it| it.cause.is_some());
        let stated = causes.position(|is_known| is_known).unwrap_or(0);
        out.iter_mut()
            .skip(stated)
            .take(1)
            .for_each(|it| it.in_headline = true);
    }
    out
}

fn obstacle(plan: &Plan, diagnosis: &Diagnosis<'_>) -> ReportObstacle {
    let Diagnosis {
        obstacle,
        cause,
        of_set,
        like,
        remedies,
    } = diagnosis;
    let end = plan.predicted().objects();
    let message = explain::obstacle(obstacle, end, plan.conditions.now);
    let mut evidence = match obstacle {
        Obstacle::Hold(hold) | Obstacle::Unhealthy(hold) => {
            let mut facts = explain::evidence(hold, plan);
            facts.extend(explain::assumed(hold, plan));
            facts
        }
        Obstacle::CreationRefused { .. }
        | Obstacle::DeletionRefused { .. }
        | Obstacle::Rejected { .. }
        | Obstacle::Error(_)
        | Obstacle::Inactive(_) => Vec::new(),
    };
    if evidence.is_empty() || matches!(obstacle, Obstacle::Error(_)) {
        evidence.extend(explain::set_events(plan));
    }
    let around = cause
        .as_ref()
        .map(|cause| explain::cause_facts(plan, cause));
    evidence.extend(around.into_iter().flatten());
    // A refusal is evidence of a pod, and of its set.
    let mut told = BTreeSet::new();
    evidence.retain(|fact| told.insert(fact.clone()));
    let in_vain =
        |remedy: &&Remedy| !remedy.trial.verdict.helps() && remedy.changes_only_template();
    let undo_needs_deletion = remedies.iter().any(|remedy| in_vain(&remedy));
    let mut cautions = match cause {
        Some(cause) => explain::cautions(plan, cause, undo_needs_deletion),
        None => Vec::new(),
    };
    cautions.extend(explain::unknown_events(plan, cause.as_ref()));
    // An insufficient remedy is described, not offered as a command.
    let has_command = remedies.iter().any(Remedy::provides_object);
    let fix = cause
        .as_ref()
        .filter(|_| !has_command)
        .and_then(explain::fix);
    let namespace = || Some(plan.snapshot.set.meta.namespace.to_string());
    let fix = fix.or_else(|| of_set.map(|entry| explain::fix_of(entry, &entry.helps)));
    cautions.extend(of_set.map(|entry| uncapitalized(&entry.avoid)));
    let entry = cause.as_ref().filter(|cause| cause.is_specific());
    let look = entry.and_then(|cause| Some(cause.named(&cause.entry()?.look)));
    let look = look.or_else(|| of_set.map(|entry| with_names(&entry.look, &|_| namespace())));
    let is_enough = |remedy: &&Remedy| cause.is_none() || !in_vain(remedy);
    let remedies: Vec<ReportRemedy> = remedies
        .iter()
        .filter(is_enough)
        .map(|remedy| explain::remedy_text(plan, remedy))
        .collect();
    let looks = remedies.iter().find(|remedy| remedy.looks);
    let mut remedy = match looks {
        Some(look) => look.commands.clone(),
        None => explain::look_into(obstacle, end),
    };
    let helps = remedies.iter().find(|remedy| remedy.helps && !remedy.looks);
    remedy.extend(helps.into_iter().flat_map(|found| found.commands.clone()));
    let look = look.filter(|look| !remedy.iter().any(|command| command.contains(look)));
    let clause = cause.as_ref().map(explain::cause);
    // Those of a cause that many pods share are compared once.
    let first = cause.as_ref().filter(|_| like.is_none());
    let only_here = first.map(|cause| explain::contrast(plan, cause));
    ReportObstacle {
        reason: ReportReason::Obstacle(obstacle.reason()),
        pod: obstacle.pod().map(|pod| pod.meta.name.to_string()),
        cause: match (cause, of_set) {
            (Some(cause), _) => cause.name().to_owned(),
            (None, entry) => entry.map_or_else(String::new, |entry| entry.id.clone()),
        },
        about: cause.as_ref().map_or_else(String::new, Cause::about),
        like: like.as_ref().map(|pod| pod.to_string()),
        needs: (cause.as_ref()).map_or_else(Vec::new, |cause| cause.facts.neighbors.needed_pods()),
        retry: cause
            .as_ref()
            .and_then(|cause| cause.retry)
            .map(ReportRetry::from),
        source: None,
        brief: clause
            .as_ref()
            .map_or_else(|| message.clone(), CauseClause::in_brief),
        says: clause
            .as_ref()
            .map_or_else(String::new, |clause| clause.says.clone()),
        only_here: only_here.unwrap_or_default(),
        message: clause.map_or(message, |clause| clause.whole()),
        age: cause
            .as_ref()
            .and_then(|cause| cause.since)
            .map(|since| plan.conditions.now.duration_since(since))
            .filter(|age| *age > SignedDuration::ZERO)
            .map(duration::age),
        in_headline: false,
        conflict: None,
        evidence,
        fix: fix.unwrap_or_default(),
        look: look.unwrap_or_default(),
        cautions,
        ends_by_itself: Some(false),
        remedy,
        remedies,
    }
}

/// Returns the refusals of a change. Only the first refusal of an immutable field carries the workaround.
pub(super) fn refusals(analysis: &Analysis<'_>, refused: &[Refused]) -> Vec<ReportObstacle> {
    let plan = analysis.plan;
    let end = plan.predicted().objects();
    let mut listed = BTreeSet::new();
    let mut out: Vec<ReportObstacle> = refused
        .iter()
        .map(|refused| refusal(plan, refused, end, &mut listed))
        .collect();
    // The headline quotes the server's message for the first refusal.
    if let (Some(first), Some(obstacle)) = (refused.first(), out.first_mut()) {
        obstacle.in_headline = !explain::refusal_has_detail(first);
    }
    // One workaround covers all refusals of immutable fields.
    let commands = explain::workaround_commands(refused, plan);
    let immutable_at = refused.iter().position(Refused::is_unchangeable);
    if let Some(obstacle) = immutable_at.and_then(|at| out.get_mut(at)) {
        let text = headline::workaround(analysis, &commands);
        obstacle.remedies.extend(text);
        obstacle.remedy = commands;
    }
    out
}

fn refusal(
    plan: &Plan,
    refused: &Refused,
    end: &Snapshot,
    listed: &mut BTreeSet<String>,
) -> ReportObstacle {
    let conflict = conflict(refused);
    // Each choice appears once for all fields of a manager.
    let choices = conflict.iter().flat_map(|conflict| &conflict.choices);
    let choices = choices.map(|choice| choice.message.clone());
    let cautions = choices
        .filter(|choice| listed.insert(choice.clone()))
        .collect();
    ReportObstacle {
        reason: ReportReason::Refused(refused.kind),
        pod: None,
        cause: String::new(),
        about: String::new(),
        like: None,
        needs: Vec::new(),
        retry: None,
        source: None,
        message: explain::refusal(refused),
        brief: String::new(),
        says: String::new(),
        only_here: Vec::new(),
        in_headline: false,
        age: None,
        conflict,
        evidence: explain::refusal_facts(refused, end, &plan.related),
        fix: String::new(),
        look: String::new(),
        cautions,
        ends_by_itself: None,
        remedy: Vec::new(),
        remedies: Vec::new(),
    }
}
