//! Facts of a plan that its parts tell.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::SignedDuration;

use super::{Outcome, Plan, foreseen_stops, pods_of};
use crate::foresight::Foreseen;
use sts_controller::controller::{Hold, HoldKey, Resource};
use sts_controller::object::{Pod, Snapshot};
use sts_controller::simulate::{Action, Cascade, End, ObjectEvent, Step, StepAction, StepWrite};

impl Plan {
    /// The objects as they are before the user's actions.
    pub(crate) fn stored(&self) -> Cow<'_, Snapshot> {
        let Some((set, status)) = &self.predecessor else {
            return Cow::Borrowed(&self.snapshot);
        };
        Cow::Owned(Snapshot {
            set: Arc::clone(set),
            status: Arc::clone(status),
            ..self.snapshot.clone()
        })
    }

    /// The pods that are not ready at the end for a reason that the objects around them show, each with it, in the
    /// order of their names.
    pub(crate) fn foreseen_stops(&self) -> Vec<(Arc<Pod>, Foreseen)> {
        foreseen_stops(&self.progression.world, &self.foresight)
    }

    /// Reports whether anything is to be done: the next sync writes something, or something is about to happen that
    /// makes a later one write.
    #[must_use]
    pub fn has_work(&self) -> bool {
        self.progression
            .steps
            .iter()
            .any(|step| match &step.action {
                StepAction::Controller(writes) => {
                    writes.iter().any(|write| write.refused.is_none())
                }
                StepAction::Object(..) => true,
                _ => false,
            })
    }

    /// Reports whether the set reaches the state its specification asks for: otherwise there is more to worry about
    /// than how.
    pub(crate) fn completes(&self) -> bool {
        matches!(self.outcome, Outcome::Complete)
    }

    /// Reports whether nothing makes the controller do what its next sync would do. It watches the set and the pods,
    /// but not ControllerRevisions: one that is gone, and is named by the status, is missed at the next sync, which
    /// comes with the next change of the set or a pod, or with the resync of the cache after some hours.
    pub(crate) fn next_sync_is_untriggered(&self) -> bool {
        let Snapshot {
            set,
            status,
            revisions,
            ..
        } = &self.snapshot;
        let is_lost = |name: &Arc<str>| !name.is_empty() && !revisions.contains_key(name);
        let has_seen_set = set.generation == status.observed_generation;
        let mut writes = self.next.writes.iter();
        let mut steps = self.progression.steps.iter();
        self.change.is_empty()
            && self.predecessor.is_none()
            && self.deletion().is_none()
            && has_seen_set
            && [&status.current_revision, &status.update_revision]
                .into_iter()
                .any(is_lost)
            && self.next.error.is_none()
            && self.next.requeue_after.is_none()
            && !self.next.writes.is_empty()
            && writes.all(|write| matches!(write.resource, Resource::Revisions | Resource::Status))
            && steps.all(|step| matches!(step.action, StepAction::Controller(_)))
    }

    /// Reports whether any pod is created, changed or deleted.
    #[must_use]
    pub fn touches_pods(&self) -> bool {
        self.writes().any(|write| write.resource == Resource::Pods)
            || self.deleted_by_others().next().is_some()
    }

    /// The waits that are left at the end and never end by themselves; `None` when the plan goes round in circles.
    #[must_use]
    pub fn lasting(&self) -> Option<BTreeSet<HoldKey>> {
        let lasting = || self.last.holds.iter().map(Hold::key).collect();
        (self.progression.end == End::Rest).then(lasting)
    }

    /// The pods that are deleted by an actor other than the controller.
    pub(crate) fn deleted_by_others(&self) -> impl Iterator<Item = &Arc<str>> {
        let steps = self.progression.steps.iter();
        steps.filter_map(|step| match &step.action {
            StepAction::Object(_, ObjectEvent::PodDeleted, name) => Some(name),
            _ => None,
        })
    }

    /// Returns the cascade that the set itself is deleted with, where that is how the plan ends.
    #[must_use]
    pub fn deletion(&self) -> Option<Cascade> {
        match self.actions.last() {
            Some(Action::DeleteSet(cascade)) => Some(*cascade),
            _ => None,
        }
    }

    /// Returns the time that it takes from the beginning to the end.
    #[must_use]
    pub fn duration(&self) -> SignedDuration {
        self.progression
            .world
            .now()
            .duration_since(self.conditions.now)
    }

    /// The set's pods at the end: those that it owns, and those that have a name of its.
    pub fn final_pods(&self) -> impl Iterator<Item = &Arc<Pod>> {
        pods_of(self.progression.world.snapshot())
    }

    /// The writes of all steps that the server took.
    pub(crate) fn writes(&self) -> impl Iterator<Item = &StepWrite> {
        let writes = self.progression.steps.iter().flat_map(Step::writes);
        writes.filter(|write| write.refused.is_none())
    }
}
