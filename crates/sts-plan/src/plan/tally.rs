//! The numbers and names of a plan: pods made and deleted, what stays as it is, what stays behind.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Plan;
use sts_controller::controller::{Hold, Resource, Verb, ordinal_of};
use sts_controller::object::{Claim, Meta};
use sts_controller::simulate::{ObjectEvent, StepAction};

/// Objects of a deleted set that stay behind, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RetainedObjects {
    /// Pods left without a controller.
    pub pods: Vec<Arc<str>>,
    /// Claims with their data.
    pub claims: Vec<Arc<str>>,
    /// Recorded templates.
    pub revisions: Vec<Arc<str>>,
}

/// Numbers of pods that a whole plan replaces, creates and deletes, and of those that stay as they are on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    /// Deleted and recreated.
    pub replaced: usize,
    /// Made, having not been there.
    pub created: usize,
    /// Deleted for good.
    pub deleted: usize,
    /// Outdated below the partition.
    pub held_by_partition: usize,
    /// Outdated until a user deletes them.
    pub on_delete: usize,
}

impl Plan {
    /// Returns the objects that stay behind without an owner when the set is deleted: pods, claims and revisions by
    /// name.
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

    /// The claims of the input that go on the way, with what they hold unless their volumes outlive them.
    #[must_use]
    pub fn lost_claims(&self) -> Vec<&Arc<Claim>> {
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
            .collect()
    }

    /// Counts what happens to pods over the whole plan.
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

/// Names of pods, each once. By ordinal first: they come nearly in that order, and most are told apart by it.
fn each_once<'n>(names: impl Iterator<Item = &'n Arc<str>>) -> Vec<(i64, &'n Arc<str>)> {
    let mut names: Vec<_> = names.map(|name| (ordinal_of(name), name)).collect();
    names.sort();
    names.dedup();
    names
}
