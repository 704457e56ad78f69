//! Counts of a plan: created, deleted, retained and orphaned objects.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Plan;
use crate::observed::claim_users;
use sts_controller::controller::{Hold, Resource, Verb, ordinal_of};
use sts_controller::object::{Claim, Meta};
use sts_controller::simulate::{ObjectEvent, StepAction};

/// Objects that remain after the set's deletion, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RetainedObjects {
    /// Pods without a controller.
    pub pods: Vec<Arc<str>>,
    /// Claims with their data.
    pub claims: Vec<Arc<str>>,
    /// ControllerRevisions.
    pub revisions: Vec<Arc<str>>,
}

/// Numbers of pods that a plan replaces, creates and deletes, and of pods left outdated on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    /// Deleted and recreated.
    pub replaced: usize,
    /// Created without a predecessor.
    pub created: usize,
    /// Deleted permanently.
    pub deleted: usize,
    /// Held back by the partition.
    pub held_by_partition: usize,
    /// Outdated until a user deletes them.
    pub on_delete: usize,
}

impl Plan {
    /// Returns the pods, claims and revisions that the deletion of the set orphans, by name.
    #[must_use]
    pub fn left_behind(&self) -> RetainedObjects {
        let end = self.progression.world.snapshot();
        let uid = &self.snapshot.set.meta.uid;
        let was_owned = |meta: &Meta| meta.controller().is_some_and(|owner| owner.uid == *uid);
        let mut left = RetainedObjects::default();
        if self.deletion().is_none() || !self.progression.world.set_is_gone() {
            return left;
        }
        let there = |name: &Arc<str>| Arc::clone(name);
        let pods = self.snapshot.pods.iter();
        let pods = pods.filter(|(name, pod)| was_owned(&pod.meta) && end.pods.contains_key(*name));
        left.pods.extend(pods.map(|(name, _)| there(name)));
        left.claims.extend(end.claims.keys().map(there));
        let revisions = self.snapshot.revisions.iter().filter(|(name, revision)| {
            was_owned(&revision.meta) && end.revisions.contains_key(*name)
        });
        left.revisions
            .extend(revisions.map(|(name, _)| there(name)));
        left
    }

    /// Returns the existing claims that are deleted with their data, unless their volumes are retained.
    #[must_use]
    pub fn lost_claims(&self) -> Vec<&Arc<Claim>> {
        let read = self.observed().objects();
        let is_going = |claim: &Arc<Claim>| {
            let before = read.claims.get(&claim.meta.name);
            before.is_some_and(|it| it.meta.is_terminating())
                && claim_users(read, &self.related, &claim.meta.name).is_empty()
        };
        let mut names = BTreeSet::new();
        for step in &self.progression.steps {
            match &step.action {
                StepAction::ClaimRemoved(name)
                | StepAction::Object(_, ObjectEvent::ClaimDeleted, name) => {
                    names.insert(name);
                }
                _ => {}
            }
        }
        let claims = names.into_iter();
        claims
            .filter_map(|name| self.snapshot.claims.get(name))
            .filter(|claim| !is_going(claim))
            .collect()
    }

    /// Counts the effects of the plan on pods.
    #[must_use]
    pub fn tally(&self) -> Tally {
        *self.tally.get_or_init(|| self.count())
    }

    fn count(&self) -> Tally {
        let of_pods = |verb| {
            let writes = self.writes();
            writes
                .filter(move |write| write.resource == Resource::Pods && write.verb == verb)
                .map(|write| &write.name)
        };
        let created = each_once(of_pods(Verb::Create));
        let deleted = each_once(of_pods(Verb::Delete).chain(self.deleted_by_others()));
        let is_deleted = |name: &&(i64, &Arc<str>)| deleted.binary_search(name).is_ok();
        let replaced = created.iter().filter(is_deleted).count();
        let held =
            |wanted: fn(&Hold) -> bool| self.last.holds.iter().filter(|hold| wanted(hold)).count();
        Tally {
            replaced,
            created: created.len() - replaced,
            deleted: deleted.len() - replaced,
            held_by_partition: held(|hold| matches!(hold, Hold::HeldByPartition { .. })),
            on_delete: held(|hold| matches!(hold, Hold::OnDelete { .. })),
        }
    }
}

/// Returns the distinct names of pods. They arrive nearly in order of their ordinals, so the ordinal comes first in
/// the sort key.
fn each_once<'n>(names: impl Iterator<Item = &'n Arc<str>>) -> Vec<(i64, &'n Arc<str>)> {
    let mut names: Vec<_> = names.map(|name| (ordinal_of(name), name)).collect();
    names.sort();
    names.dedup();
    names
}
