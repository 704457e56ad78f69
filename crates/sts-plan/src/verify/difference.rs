//! Differences from the prediction, in words, and their likely causes.

use std::sync::Arc;

use super::lifecycle::{Lifecycle, State};
use super::matcher::{Matcher, Tracked};
use super::observe::{Instance, Observed, Stage};
use super::prediction::{Kind, PredictedStep};
use crate::report::Difference;
use sts_controller::controller::ordinal_of;
use sts_controller::object::{Pod, Trouble};

const DELETED_FROM_OUTSIDE: &str =
    "deleted from outside: kubectl delete, an eviction or node drain, preemption, or a lost node";
const OTHER_CONTROLLER: &str = "the controller is of another version or has other feature gates than the plan assumes \
     (--kubernetes-version, --feature-gates), or the template changed in between";

impl Difference {
    /// The key that puts the first and most telling difference first.
    pub(super) fn rank(&self) -> (Kind, i64, i64, String) {
        let since = self.since.unwrap_or(i64::MAX);
        (
            self.resource,
            since,
            ordinal_of(&self.name),
            self.name.clone(),
        )
    }

    /// A pod that waits in a state that does not pass by itself.
    pub(super) fn trouble(name: &Arc<str>, at: i64, trouble: &Trouble, pod: &Pod) -> Self {
        Difference {
            resource: Kind::Pod,
            name: name.to_string(),
            predicted: format!("ready after {at}s"),
            found: in_trouble(trouble),
            cause: "it does not become ready by itself: mend what its container or node says, then plan again"
                .to_owned(),
            since: since(pod),
        }
    }

    /// A pod that went before the step that has to come first.
    pub(super) fn before_its_turn(
        matcher: &Matcher<'_>,
        name: &Arc<str>,
        first: &PredictedStep,
        its: &PredictedStep,
    ) -> Self {
        let pod = matcher.now.pods.get(name);
        let found = match pod {
            Some(pod) if pod.is_terminating() => "it is terminating already",
            Some(_) => "it was replaced by another pod already",
            None => "it is gone already",
        };
        Difference {
            resource: Kind::Pod,
            name: name.to_string(),
            predicted: format!(
                "deleted after {}s, when this has happened: {}",
                its.at,
                first.words()
            ),
            found: found.to_owned(),
            cause: DELETED_FROM_OUTSIDE.to_owned(),
            since: pod.and_then(|pod| since(pod)),
        }
    }

    /// A pod that is not ready though the controller has gone on past it.
    pub(super) fn not_ready(
        matcher: &Matcher<'_>,
        name: &Arc<str>,
        its: &PredictedStep,
        later: &PredictedStep,
    ) -> Self {
        let pod = matcher.now.pods.get(name);
        Difference {
            resource: Kind::Pod,
            name: name.to_string(),
            predicted: format!("ready after {}s, before this: {}", its.at, later.words()),
            found: "it is not ready".to_owned(),
            cause: "it was ready in between and has lost it".to_owned(),
            since: pod.and_then(|pod| since(pod)),
        }
    }
}

/// A pod that is nowhere on its lifecycle.
pub(super) fn pod_difference(
    matcher: &Matcher<'_>,
    name: &Arc<str>,
    object: &Tracked,
) -> Difference {
    let blank = Difference {
        resource: Kind::Pod,
        name: name.to_string(),
        predicted: expectation(&object.lifecycle),
        found: String::new(),
        cause: DELETED_FROM_OUTSIDE.to_owned(),
        since: None,
    };
    let Observed::Pod { instance, pod } = &object.observed else {
        return Difference {
            found: "it is gone".to_owned(),
            ..blank
        };
    };
    let blank = Difference {
        since: since(pod),
        ..blank
    };
    let stage = Stage::of(pod);
    let states = || object.lifecycle.spans.iter().map(|span| &span.state);
    if states().all(|state| *state == State::Absent) {
        return Difference {
            found: format!("there is one, on revision {}", revision_of(pod)),
            cause: match pod.meta.controller() {
                Some(owner) if owner.uid == matcher.now.set.meta.uid => OTHER_CONTROLLER.to_owned(),
                Some(owner) => format!("{} {} made it", owner.kind, owner.name),
                None => "created by hand".to_owned(),
            },
            ..blank
        };
    }
    let same = |state: &&State| match state {
        State::Pod { instance: here, .. } => instance.is_none_or(|instance| instance == *here),
        _ => false,
    };
    let mut alike = states().filter(same).peekable();
    if alike.peek().is_none() {
        return match instance {
            Some(Instance::Made) => Difference {
                found: format!(
                    "it was replaced by another pod, on revision {}",
                    revision_of(pod)
                ),
                ..blank
            },
            _ => Difference {
                found: "the one that was there when the plan was made is still there".to_owned(),
                cause: "it was not deleted, or came back".to_owned(),
                ..blank
            },
        };
    }
    let on_revision = |state: &&State| match state {
        State::Pod {
            revision: Some(revision),
            ..
        } => *revision == pod.revision,
        _ => true,
    };
    if *instance != Some(Instance::Read) && !alike.any(|state| on_revision(&state)) {
        let start = matcher.prediction.pods.get(name);
        if start.is_some_and(|start| *start.revision == *pod.revision) {
            // The controller made it again as it was, before the rollout came to it.
            return Difference {
                found: format!(
                    "it was replaced by another pod, still on revision {}",
                    pod.revision
                ),
                ..blank
            };
        }
        return Difference {
            found: format!("created on revision {}", revision_of(pod)),
            cause: OTHER_CONTROLLER.to_owned(),
            ..blank
        };
    }
    let (found, cause) = match stage {
        Stage::Terminating => (
            "it is terminating".to_owned(),
            DELETED_FROM_OUTSIDE.to_owned(),
        ),
        Stage::Ended => (
            format!("it has ended in phase {}", pod.phase.name()),
            "its containers ended, or its node evicted it; the controller recreates it".to_owned(),
        ),
        Stage::Ready => (
            "it is ready".to_owned(),
            "it has recovered: what the plan says from here on is too dark, plan again".to_owned(),
        ),
        Stage::Waiting => match &pod.trouble {
            Some(trouble) => (
                in_trouble(trouble),
                "it was ready, and something broke it since".to_owned(),
            ),
            None => (
                "it is not ready".to_owned(),
                format!("its readiness was lost: kubectl describe pod {name} tells why"),
            ),
        },
    };
    Difference {
        found,
        cause,
        ..blank
    }
}

/// A claim or revision that is nowhere on its lifecycle.
pub(super) fn thing_difference(
    matcher: &Matcher<'_>,
    kind: Kind,
    name: &Arc<str>,
    object: &Tracked,
) -> Difference {
    let created = kind.find(matcher.now, name).and_then(|meta| meta.created);
    let known = object
        .lifecycle
        .spans
        .iter()
        .any(|span| span.state != State::Absent);
    let (found, cause) = match (&object.observed, kind) {
        (Observed::Absent, _) => ("it is gone", "deleted from outside"),
        (Observed::Leaving, _) => ("it is being deleted", "deleted from outside"),
        (_, _) if known => (
            "it was replaced by another pod",
            "deleted from outside and recreated",
        ),
        (_, Kind::Revision) => ("there is one", OTHER_CONTROLLER),
        _ => ("it exists", "created by hand"),
    };
    Difference {
        resource: kind,
        name: name.to_string(),
        predicted: expectation(&object.lifecycle),
        found: found.to_owned(),
        cause: cause.to_owned(),
        since: created.map(|created| created.as_second()),
    }
}

/// Describes in a few words what a lifecycle predicts for an object.
fn expectation(lifecycle: &Lifecycle) -> String {
    let mut words: Vec<String> = Vec::new();
    for (index, span) in lifecycle.spans.iter().enumerate() {
        let word = match &span.state {
            State::Absent if lifecycle.spans.len() == 1 => "there is none".to_owned(),
            State::Absent if index == 0 => continue,
            State::Absent => "gone".to_owned(),
            State::There(Instance::Read) => "it stays".to_owned(),
            State::Leaving => "being deleted".to_owned(),
            State::There(Instance::Made) => "made".to_owned(),
            State::Pod {
                instance: Instance::Made,
                revision: Some(revision),
                stage: Stage::Waiting,
            } => format!("created on revision {revision}"),
            State::Pod { stage, .. } => match stage {
                Stage::Waiting => "not ready".to_owned(),
                Stage::Ready => "ready".to_owned(),
                Stage::Terminating => "terminating".to_owned(),
                Stage::Ended => "ended".to_owned(),
            },
        };
        if words.last() != Some(&word) {
            words.push(word);
        }
    }
    match &words[..] {
        [only] if matches!(lifecycle.spans[0].state, State::Pod { .. }) => {
            format!("it stays, {only}")
        }
        [first, .., last] if words.len() > 5 => format!("{first}, ..., {last}"),
        words => words.join(", then "),
    }
}

fn in_trouble(trouble: &Trouble) -> String {
    let what = match &trouble.container {
        Some(container) => format!("its container {container} waits in {}", trouble.reason),
        None => "it cannot be scheduled".to_owned(),
    };
    if trouble.message.is_empty() {
        what
    } else {
        format!("{what} ({})", trouble.message)
    }
}

fn revision_of(pod: &Pod) -> &str {
    if pod.revision.is_empty() {
        "unknown"
    } else {
        &pod.revision
    }
}

/// When a pod came to be what it is, as far as it tells.
fn since(pod: &Pod) -> Option<i64> {
    let deleted = pod
        .meta
        .deleted
        .map(|at| at.as_second() - pod.grace_seconds);
    let turned = pod
        .ready
        .and_then(|ready| ready.since)
        .map(|at| at.as_second());
    let created = pod.meta.created.map(|at| at.as_second());
    deleted.or(turned).or(created)
}
