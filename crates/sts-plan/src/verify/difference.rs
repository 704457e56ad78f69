//! Differences from the prediction, with their likely causes.

use std::sync::Arc;

use super::Difference;
use super::lifecycle::{Lifecycle, State};
use super::matcher::{Matcher, Tracked};
use super::observe::{Instance, Observed, Stage};
use super::prediction::{Kind, PredictedStep};
use sts_controller::controller::ordinal_of;
use sts_controller::object::{Pod, Trouble};

const DELETED_EXTERNALLY: &str =
    "deleted externally: kubectl delete, eviction, node drain, preemption or a lost node";
const OTHER_CONTROLLER: &str = "the controller's version or feature gates differ from the plan (--kubernetes-version, \
     --feature-gates), or the template changed in the meantime";

impl Difference {
    /// Returns the sort key that puts the most significant difference first.
    pub(super) fn rank(&self) -> (Kind, i64, i64, String) {
        let since = self.since.unwrap_or(i64::MAX);
        (
            self.resource,
            since,
            ordinal_of(&self.name),
            self.name.clone(),
        )
    }

    /// Describes a pod in a waiting state that does not resolve on its own.
    pub(super) fn trouble(name: &Arc<str>, at: i64, trouble: &Trouble, pod: &Pod) -> Self {
        Difference {
            resource: Kind::Pod,
            name: name.to_string(),
            predicted: format!("ready after {at}s"),
            found: in_trouble(trouble),
            cause: "it does not become ready on its own: fix the container or the node, then plan again"
                .to_owned(),
            since: since(pod),
        }
    }

    /// Describes a pod that was deleted before a prerequisite step.
    pub(super) fn too_early(
        matcher: &Matcher<'_>,
        name: &Arc<str>,
        first: &PredictedStep,
        its: &PredictedStep,
    ) -> Self {
        let pod = matcher.now.pods.get(name);
        let found = match pod {
            Some(pod) if pod.is_terminating() => "already terminating",
            Some(_) => "already replaced by another pod",
            None => "already gone",
        };
        Difference {
            resource: Kind::Pod,
            name: name.to_string(),
            predicted: format!(
                "deleted after {}s, after this step: {}",
                its.at,
                first.words(&matcher.prediction.plan.metadata.name)
            ),
            found: found.to_owned(),
            cause: DELETED_EXTERNALLY.to_owned(),
            since: pod.and_then(|pod| since(pod)),
        }
    }

    /// Describes an unready pod that the controller has already moved past.
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
            predicted: format!(
                "ready after {}s, before this step: {}",
                its.at,
                later.words(&matcher.prediction.plan.metadata.name)
            ),
            found: "not ready".to_owned(),
            cause: "it was ready in the meantime and lost its readiness".to_owned(),
            since: pod.and_then(|pod| since(pod)),
        }
    }
}

/// Describes a pod whose state is not on its lifecycle.
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
        cause: DELETED_EXTERNALLY.to_owned(),
        since: None,
    };
    let Observed::Pod { instance, pod } = &object.observed else {
        return Difference {
            found: "gone".to_owned(),
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
            found: format!("exists, on revision {}", revision_of(pod)),
            cause: match pod.meta.controller() {
                Some(owner) if owner.uid == matcher.now.set.meta.uid => OTHER_CONTROLLER.to_owned(),
                Some(owner) => format!("created by {} {}", owner.kind, owner.name),
                None => "created manually".to_owned(),
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
                found: format!("replaced by another pod, on revision {}", revision_of(pod)),
                ..blank
            },
            _ => Difference {
                found: "the original pod still exists".to_owned(),
                cause: "it was not deleted, or it came back".to_owned(),
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
            // The controller recreated it unchanged before the rollout reached it.
            return Difference {
                found: format!(
                    "replaced by another pod, still on revision {}",
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
        Stage::Terminating => ("terminating".to_owned(), DELETED_EXTERNALLY.to_owned()),
        Stage::Ended => (
            format!("ended in phase {}", pod.phase.name()),
            "its containers ended, or its node evicted it; the controller recreates it".to_owned(),
        ),
        Stage::Ready => (
            "ready".to_owned(),
            "it has recovered, so the rest of the plan is too pessimistic: plan again".to_owned(),
        ),
        Stage::Waiting => match &pod.trouble {
            Some(trouble) => (
                in_trouble(trouble),
                "it was ready and has failed since".to_owned(),
            ),
            None => (
                "not ready".to_owned(),
                format!("it lost its readiness: see kubectl describe pod {name}"),
            ),
        },
    };
    Difference {
        found,
        cause,
        ..blank
    }
}

/// Describes a claim or revision whose state is not on its lifecycle.
pub(super) fn object_difference(
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
        (Observed::Absent, _) => ("gone", "deleted externally"),
        (Observed::Leaving, _) => ("being deleted", "deleted externally"),
        (_, _) if known => (
            "replaced by another object",
            "deleted externally and recreated",
        ),
        (_, Kind::Revision) => ("exists", OTHER_CONTROLLER),
        _ => ("exists", "created manually"),
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

/// Describes a lifecycle's predictions for an object in a few words.
fn expectation(lifecycle: &Lifecycle) -> String {
    let mut words: Vec<String> = Vec::new();
    for (index, span) in lifecycle.spans.iter().enumerate() {
        let word = match &span.state {
            State::Absent if lifecycle.spans.len() == 1 => "does not exist".to_owned(),
            State::Absent if index == 0 => continue,
            State::Absent => "gone".to_owned(),
            State::There(Instance::Read) => "kept".to_owned(),
            State::Leaving => "being deleted".to_owned(),
            State::There(Instance::Made) => "created".to_owned(),
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
            format!("kept, {only}")
        }
        [first, .., last] if words.len() > 5 => format!("{first}, ..., {last}"),
        words => words.join(", then "),
    }
}

fn in_trouble(trouble: &Trouble) -> String {
    let what = match &trouble.container {
        Some(container) => format!("container {container} waits in {}", trouble.reason),
        None => "cannot be scheduled".to_owned(),
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

/// Returns when a pod entered its current state, if its object shows it.
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
