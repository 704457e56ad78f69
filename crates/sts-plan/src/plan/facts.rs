//! Facts derived from a plan.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::SignedDuration;

use super::{Observed, Outcome, Plan, Predicted, foreseen_stops, pods_of};
use crate::foresight::Foreseen;
use sts_controller::controller::{Hold, HoldKey, Resource};
use sts_controller::object::{Pod, Revision, Snapshot};
use sts_controller::simulate::{Action, Cascade, End, ObjectEvent, Step, StepAction, StepWrite};

impl Plan {
    /// Returns the objects before the user's actions.
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

    /// Returns the objects as they were read: the evidence.
    #[must_use]
    pub fn observed(&self) -> &Observed {
        &self.observed
    }

    /// Returns the objects at the end of the plan, which are foretold.
    #[must_use]
    pub fn predicted(&self) -> Predicted<'_> {
        Predicted::new(&self.progression.world)
    }

    /// Returns the terminating claim of a pod, if any.
    pub(crate) fn terminating_claim(&self, pod: &Pod) -> Option<&Arc<str>> {
        let mut claims = (pod.claims()).filter_map(|name| self.snapshot.claims.get(name));
        let claim = claims.find(|claim| claim.meta.is_terminating())?;
        Some(&claim.meta.name)
    }

    /// Returns the revision to roll back to from the end of the plan.
    pub(crate) fn fallback(&self) -> Option<&Arc<Revision>> {
        let end = self.predicted().objects();
        self.observed.fallback(end, &self.conditions.behaviour)
    }

    /// Returns the pods, by name, that are unready at the end for a reason foreseen from surrounding objects.
    pub(crate) fn foreseen_stops(&self) -> Vec<(Arc<Pod>, Foreseen)> {
        foreseen_stops(&self.progression.world, &self.foresight)
    }

    /// Reports whether there is work to do: the next sync writes something, or an upcoming event triggers a
    /// later write.
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

    /// Returns the conditions on which a complete outcome rests, in clauses.
    #[must_use]
    pub fn rests_on(&self) -> Vec<String> {
        self.assumptions.conditions(self.outcome.result())
    }

    /// Reports whether the user acts on pods or nodes in this plan.
    pub(crate) fn is_about_actions(&self) -> bool {
        let outage = &self.conditions.outage;
        !self.actions.is_empty()
            || !outage.leaving.is_empty()
            || !outage.lost.is_empty()
            || !outage.agenda.is_empty()
    }

    /// Reports whether the set reaches its specified state.
    pub(crate) fn completes(&self) -> bool {
        matches!(self.outcome, Outcome::Complete)
    }

    /// Reports whether nothing triggers the next sync. The controller watches the set and its pods, but not
    /// ControllerRevisions. If the revision in the status is deleted, the controller only notices when the set
    /// or a pod changes, or at the informer resync hours later.
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

    /// Reports whether no node reports to the API server. Then the nodes are not at fault.
    pub(crate) fn all_nodes_are_silent(&self) -> bool {
        let nodes = || self.related.nodes();
        nodes().nth(1).is_some() && nodes().all(|node| node.is_lost())
    }

    /// Returns the holds that remain at the end and never resolve; `None` for a livelock.
    #[must_use]
    pub fn lasting(&self) -> Option<BTreeSet<HoldKey>> {
        let lasting = || self.last.holds.iter().map(Hold::key).collect();
        (self.progression.end == End::Rest).then(lasting)
    }

    /// Returns the pods deleted by an actor other than the controller.
    pub(crate) fn deleted_by_others(&self) -> impl Iterator<Item = &Arc<str>> {
        let steps = self.progression.steps.iter();
        steps.filter_map(|step| match &step.action {
            StepAction::Object(_, ObjectEvent::PodDeleted, name) => Some(name),
            _ => None,
        })
    }

    /// Returns the cascade of the set's deletion, if the plan deletes the set.
    #[must_use]
    pub fn deletion(&self) -> Option<Cascade> {
        match self.actions.last() {
            Some(Action::DeleteSet(cascade)) => Some(*cascade),
            _ => None,
        }
    }

    /// Returns the time from start to end.
    #[must_use]
    pub fn duration(&self) -> SignedDuration {
        self.progression
            .world
            .now()
            .duration_since(self.conditions.now)
    }

    /// Returns the pods at the end that the set owns or that match its naming pattern.
    pub fn final_pods(&self) -> impl Iterator<Item = &Arc<Pod>> {
        pods_of(self.progression.world.snapshot())
    }

    /// Returns the accepted writes of all steps.
    pub(crate) fn writes(&self) -> impl Iterator<Item = &StepWrite> {
        let writes = self.progression.steps.iter().flat_map(Step::writes);
        writes.filter(|write| write.refused.is_none())
    }
}
