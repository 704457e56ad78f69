//! One operation on a pod, in words.

use super::style::escape;
use super::words;
use sts_plan::report::{Actor, DeleteReason, ObjectEvent, Report, ReportStep, StepEvent};

pub(super) const POD_DELETED: StepEvent = StepEvent::Object(ObjectEvent::PodDeleted);
pub(super) const POD_ORPHANED: StepEvent = StepEvent::Object(ObjectEvent::PodOrphaned);

/// A kind of operation on a pod, or on something else that is worth a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// It is made.
    Create,
    /// It goes.
    Delete,
    /// It goes, and another takes its place.
    Replace,
    /// Nothing is done to it, but something happens to it.
    Wait,
    /// Its identity, volumes or claims are brought in line.
    Update,
    /// It becomes the set's.
    Adopt,
    /// It is the set's no more.
    Release,
    /// A claim is made or goes, though no pod does.
    Claim,
    /// Another write, which only the verbose output shows.
    Other,
}

/// The fate of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ClaimFate {
    /// It stays.
    Keep,
    /// It goes.
    Remove,
    /// It is made.
    Create,
}

/// One operation.
#[derive(Debug, Clone)]
pub(super) struct Operation<'r> {
    /// Seconds since the beginning.
    pub(super) at: i64,
    /// The step that begins it.
    pub(super) step: usize,
    /// True if all that begins with that step happens at once.
    pub(super) concurrent: bool,
    /// The pod; empty when it is about none.
    pub(super) pod: &'r str,
    /// The kind of operation.
    pub(super) kind: Kind,
    /// Another write in words.
    pub(super) words: String,
    /// The revision before.
    pub(super) old: Option<&'r str>,
    /// The revision after.
    pub(super) new: Option<&'r str>,
    /// The waits, in order, with the duration of each.
    pub(super) waits: Vec<(&'static str, i64)>,
    /// The state that never comes, if it waits without end.
    pub(super) never: Option<&'static str>,
    /// The fates of its claims.
    pub(super) claims: Vec<(ClaimFate, String)>,
    /// The reason that the controller deletes the pod, if it does.
    pub(super) reason: Option<DeleteReason>,
    /// When the last thing happened.
    pub(super) since: i64,
    /// True if it is complete except that the pod is not ready yet.
    pub(super) created: bool,
}

impl Operation<'_> {
    /// Reports whether a claim goes.
    pub(super) fn loses_data(&self) -> bool {
        self.claims
            .iter()
            .any(|(fate, _)| *fate == ClaimFate::Remove)
    }

    /// Returns the operation in a word.
    pub(super) fn word(&self) -> &str {
        match self.kind {
            Kind::Create => "create",
            Kind::Delete => "delete",
            Kind::Replace => "replace",
            Kind::Wait => "wait",
            Kind::Update => "update",
            Kind::Adopt => "adopt",
            Kind::Release => "release",
            Kind::Claim => "claim",
            Kind::Other => &self.words,
        }
    }

    /// Returns the reason for it, in a few words.
    pub(super) fn why(&self, report: &Report) -> String {
        let set = &report.set;
        let before = set.pods.iter().find(|pod| *pod.name == *self.pod);
        let ordinal = self
            .pod
            .rsplit_once('-')
            .and_then(|(_, at)| at.parse().ok());
        let is_wanted = ordinal.is_none_or(|at: i64| set.ordinals.contains(&at));
        let by_others = report.steps.get(self.step).and_then(|step| {
            let is_it = step.name.as_deref() == Some(self.pod);
            step.event
                .filter(|_| is_it)
                .map(|event| (event, step.actor))
        });
        match by_others {
            Some((POD_DELETED, Actor::User)) => return "the user deletes it".to_owned(),
            Some((POD_DELETED, _)) => return "its set is deleted".to_owned(),
            Some((POD_ORPHANED, _)) => return "its set is deleted, and it stays".to_owned(),
            _ => {}
        }
        match self.kind {
            Kind::Replace | Kind::Delete if !is_wanted => {
                format!("scaled away: {} wanted", count_of(set.replicas))
            }
            Kind::Replace | Kind::Delete if before.is_some_and(|pod| pod.terminating) => {
                "it is being deleted".to_owned()
            }
            Kind::Replace | Kind::Delete => match self.reason {
                Some(DeleteReason::Failed) => "it has ended in phase Failed".to_owned(),
                Some(DeleteReason::Succeeded) => "it has ended in phase Succeeded".to_owned(),
                Some(DeleteReason::Outdated) => "its revision is outdated".to_owned(),
                Some(DeleteReason::ScaledDown | DeleteReason::HistoryLimit) | None => {
                    "it has to be recreated".to_owned()
                }
            },
            Kind::Create => "it is wanted and not there".to_owned(),
            Kind::Wait => match before.and_then(|pod| pod.waiting.as_deref()) {
                Some(reason) => escape(reason).into_owned(),
                None => "it is not ready".to_owned(),
            },
            Kind::Update => "identity, volumes or claims are brought in line".to_owned(),
            Kind::Adopt => "it has no owner, and the selector matches".to_owned(),
            Kind::Release => "the selector does not match it any more".to_owned(),
            Kind::Claim if self.loses_data() => "its last owner is gone".to_owned(),
            Kind::Claim => "a pod needs it".to_owned(),
            Kind::Other => String::new(),
        }
    }

    /// Notes the step that begins it.
    pub(super) fn begins(&mut self, index: usize, step: &ReportStep) {
        self.at = step.at;
        self.since = step.at;
        self.step = index;
        self.concurrent = step.concurrent;
    }
}

fn count_of(replicas: i32) -> String {
    words::count(usize::try_from(replicas).unwrap_or(0), "replica")
}
