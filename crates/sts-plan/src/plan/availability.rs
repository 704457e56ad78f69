//! Number of ready pods over the course of a plan.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::{Plan, owns, pods_of};
use crate::down_nodes::is_cut_off;
use crate::members::adopts;
use sts_controller::controller::{Resource, Verb, ordinal_of};
use sts_controller::object::{Pod, Set, Snapshot, Status};
use sts_controller::simulate::{ObjectEvent, PodEvent, Step, StepAction};
use sts_controller::version::Behaviour;

#[derive(Debug, Clone, Default)]
pub(crate) struct Availability {
    pub(crate) ready_at_first: usize,
    /// Minimum number of ready pods at any time, including pods that are no longer desired.
    pub(crate) least_ready: usize,
    /// Maximum number of desired pods that are not ready at once.
    pub(crate) most_down: usize,
    /// Start of that maximum.
    pub(crate) most_down_at: SignedDuration,
    /// Start of the outage, when the last ready pod is lost, and its end if there is one.
    pub(crate) dark: Option<(SignedDuration, Option<SignedDuration>)>,
}

impl Availability {
    /// Returns the minimum number of ready desired pods. Pods yet to be created do not count as missing.
    pub(crate) fn lowest_ready(&self, replicas: i32) -> usize {
        usize::try_from(replicas)
            .unwrap_or(0)
            .saturating_sub(self.most_down)
    }

    pub(crate) fn of(plan: &Plan) -> Self {
        let conditions = &plan.conditions;
        Availability::beside(
            &plan.stored(),
            (&plan.snapshot.set, &conditions.behaviour),
            conditions.now,
            &|pod| is_cut_off(pod, conditions),
            &plan.progression.steps,
        )
    }

    /// Returns the effect of steps that begin with these objects at this time, on the pods that a set desires.
    pub(crate) fn over<'s>(
        snapshot: &Snapshot,
        set: &Set,
        behaviour: &Behaviour,
        start: Timestamp,
        steps: impl IntoIterator<Item = &'s Step>,
    ) -> Self {
        Availability::beside(snapshot, (set, behaviour), start, &|_| false, steps)
    }

    /// Returns the same if some pods stop serving at the start, although the API server learns of it later.
    fn beside<'s>(
        snapshot: &Snapshot,
        (set, behaviour): (&Set, &Behaviour),
        start: Timestamp,
        is_lost: &dyn Fn(&Pod) -> bool,
        steps: impl IntoIterator<Item = &'s Step>,
    ) -> Self {
        let wanted = behaviour.ordinals(set);
        let is_wanted = |name: &str| wanted.contains(&ordinal_of(name));
        let (mut ready, mut down) = (BTreeSet::<Arc<str>>::new(), BTreeSet::<Arc<str>>::new());
        // A pod without a controller will be adopted.
        let counts = |pod: &&Arc<Pod>| owns(snapshot, pod) || adopts(snapshot, pod);
        let mut ready_at_first = 0;
        for pod in pods_of(snapshot).filter(counts) {
            let name = &pod.meta.name;
            let was_ready = pod.is_running_and_ready() && !pod.is_terminating();
            ready_at_first += usize::from(was_ready);
            if was_ready && !is_lost(pod) {
                ready.insert(Arc::clone(name));
            } else if is_wanted(name) {
                down.insert(Arc::clone(name));
            }
        }
        let mut course = Availability {
            ready_at_first,
            least_ready: ready.len(),
            most_down: down.len(),
            dark: (ready.is_empty() && ready_at_first > 0).then_some((SignedDuration::ZERO, None)),
            ..Availability::default()
        };
        let since = |at: Timestamp| at.duration_since(start);
        for step in steps {
            let mut stop = |name: &Arc<str>| {
                if ready.remove(name) && is_wanted(name) {
                    down.insert(Arc::clone(name));
                }
            };
            match &step.action {
                StepAction::Controller(writes) => {
                    let deleted = writes.iter().filter(|write| {
                        write.refused.is_none()
                            && write.resource == Resource::Pods
                            && write.verb == Verb::Delete
                    });
                    deleted.for_each(|write| stop(&write.name));
                }
                StepAction::Object(_, ObjectEvent::PodDeleted | ObjectEvent::PodNotReady, name)
                | StepAction::Pod(PodEvent::Removed | PodEvent::Failed, name) => stop(name),
                StepAction::Pod(PodEvent::Ready, name) => {
                    down.remove(name);
                    ready.insert(Arc::clone(name));
                }
                _ => {}
            }
            course.least_ready = course.least_ready.min(ready.len());
            if down.len() > course.most_down {
                course.most_down = down.len();
                course.most_down_at = since(step.at);
            }
            match &mut course.dark {
                None if ready.is_empty() && course.ready_at_first > 0 => {
                    course.dark = Some((since(step.at), None));
                }
                Some((_, until @ None)) if !ready.is_empty() => *until = Some(since(step.at)),
                _ => {}
            }
        }
        course
    }
}

/// Counts the pods that are not on the template's revision at the end.
pub(crate) fn outdated(end: &Snapshot, status: &Status) -> usize {
    let pods = pods_of(end).filter(|pod| owns(end, pod) && !pod.is_terminating());
    pods.filter(|pod| pod.revision != status.update_revision)
        .count()
}
