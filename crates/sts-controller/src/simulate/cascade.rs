//! The garbage collector's work on a deleted set.
//!
//! A dependent is any object that has an owner reference with the set's uid. A dependent with another owner only loses
//! the reference. All others are deleted: pods with their grace period, claims as soon as no pod uses them (finalizer
//! `kubernetes.io/pvc-protection`), revisions at once. A foreground deletion waits for the dependents whose reference
//! has `blockOwnerDeletion`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::action::Cascade;
use super::object_event::{Actor, ObjectEvent};
use super::world::World;
use super::{Step, StepAction};
use crate::controller::ordinal_of;
use crate::object::{OwnerReference, Set};

/// Finalizer of a set whose dependents are deleted first.
const FOREGROUND: &str = "foregroundDeletion";
/// Finalizer of a set whose dependents are orphaned.
const ORPHAN: &str = "orphan";

/// The progress of a set's deletion.
#[derive(Debug, Clone, Default)]
pub(super) struct DeletionState {
    /// True if the set no longer exists.
    gone: bool,
    /// Finalizers that must be removed before a terminating set is gone.
    finalizers: BTreeSet<String>,
    /// Uids of sets that are gone.
    uids: BTreeSet<Arc<str>>,
    /// Dependents that a foreground deletion waits for: kind and name.
    awaited: BTreeSet<(&'static str, Arc<str>)>,
    /// Terminating claims in use, with the number of pods that use each.
    leaving: BTreeMap<Arc<str>, usize>,
    /// True if the garbage collector has work to do.
    pending: bool,
}

impl DeletionState {
    /// Returns the progress of a stored set.
    pub(super) fn of(set: &Set) -> Self {
        DeletionState {
            finalizers: set.finalizers().into_iter().collect(),
            pending: set.is_terminating(),
            ..DeletionState::default()
        }
    }

    /// Reports whether a set was removed, even if a set of its name exists again.
    pub(super) fn has_gone(&self) -> bool {
        !self.uids.is_empty()
    }

    fn ours(&self) -> bool {
        self.finalizers.contains(FOREGROUND) || self.finalizers.contains(ORPHAN)
    }
}

fn by_collector(world: &World, event: ObjectEvent, name: &Arc<str>) -> Step {
    Step {
        at: world.now(),
        action: StepAction::Object(Actor::GarbageCollector, event, Arc::clone(name)),
    }
}

impl World {
    /// Reports whether the set is gone, so that the controller has nothing to sync.
    #[must_use]
    pub fn set_is_gone(&self) -> bool {
        self.deletion.gone
    }

    /// Returns the finalizers that keep a terminating set; empty for any other set.
    pub fn finalizers(&self) -> impl Iterator<Item = &str> {
        let being_deleted = !self.deletion.gone && self.snapshot.set.is_terminating();
        let finalizers = self
            .deletion
            .finalizers
            .iter()
            .filter(move |_| being_deleted);
        finalizers.map(String::as_str)
    }

    /// Handles a delete request for the set.
    pub(super) fn mark_set_deleted(&mut self, cascade: Cascade, steps: &mut Vec<Step>) {
        let finalizers = &mut self.deletion.finalizers;
        finalizers.remove(FOREGROUND);
        finalizers.remove(ORPHAN);
        match cascade {
            Cascade::Background => false,
            Cascade::Foreground => finalizers.insert(FOREGROUND.to_owned()),
            Cascade::Orphan => finalizers.insert(ORPHAN.to_owned()),
        };
        self.deletion.pending = true;
        if self.deletion.finalizers.is_empty() {
            self.end_set(Actor::ApiServer, steps);
        } else if !self.snapshot.set.is_terminating() {
            let set = Arc::make_mut(&mut self.snapshot.set);
            set.meta.deleted = Some(self.now);
            // A deletion that waits for finalizers increments the generation.
            if set.generation > 0 {
                set.generation = set.generation.saturating_add(1);
            }
            self.cache.forget();
        }
    }

    /// Removes the set, unless a foreign finalizer keeps it.
    fn end_set(&mut self, by: Actor, steps: &mut Vec<Step>) {
        if !self.deletion.finalizers.is_empty() {
            return;
        }
        let set = &self.snapshot.set.meta;
        steps.push(Step {
            at: self.now,
            action: StepAction::Object(by, ObjectEvent::SetRemoved, Arc::clone(&set.name)),
        });
        self.deletion.uids.insert(Arc::clone(&set.uid));
        self.deletion.gone = true;
        self.deletion.pending = true;
    }

    /// Removes all finalizers of the set.
    pub(super) fn drop_finalizers(&mut self, steps: &mut Vec<Step>) {
        self.deletion.finalizers.clear();
        if self.snapshot.set.is_terminating() && !self.deletion.gone {
            self.end_set(Actor::User, steps);
            steps.extend(self.collect());
        }
    }

    /// Resets the deletion once another set replaces the removed one.
    pub(super) fn reset_deletion(&mut self) {
        self.deletion.gone = false;
        self.deletion.finalizers = DeletionState::of(&self.snapshot.set).finalizers;
    }

    /// Runs the garbage collector for a set that is terminating or gone.
    pub fn collect(&mut self) -> Vec<Step> {
        let mut steps: Vec<Step> = self
            .remove_claims_unused_from_the_start()
            .into_iter()
            .map(|claim| Step {
                at: self.now,
                action: StepAction::ClaimRemoved(claim),
            })
            .collect();
        while std::mem::take(&mut self.deletion.pending) {
            if self.deletion.gone {
                for uid in self.deletion.uids.clone() {
                    self.delete_dependents(&uid, false, &mut steps);
                }
                break;
            }
            if !self.snapshot.set.is_terminating() || !self.deletion.ours() {
                break;
            }
            let uid = Arc::clone(&self.snapshot.set.meta.uid);
            if self.deletion.finalizers.contains(ORPHAN) {
                self.orphan_dependents(&uid, &mut steps);
            } else {
                self.delete_dependents(&uid, true, &mut steps);
                if !self.deletion.awaited.is_empty() {
                    break;
                }
            }
            self.deletion.finalizers.remove(FOREGROUND);
            self.deletion.finalizers.remove(ORPHAN);
            self.end_set(Actor::GarbageCollector, &mut steps);
        }
        steps
    }

    /// Notes that a pod is gone: a foreground deletion may have waited for it, and the claims that it used may be gone
    /// as well. Returns those claims.
    pub(super) fn note_removal(&mut self, pod: &Arc<str>, used: &[Arc<str>]) -> Vec<Arc<str>> {
        if self.deletion.leaving.is_empty() && self.deletion.awaited.is_empty() {
            return Vec::new();
        }
        let mut removed = Vec::new();
        for claim in used {
            let Some(users) = self.deletion.leaving.get_mut(claim) else {
                continue;
            };
            *users = users.saturating_sub(1);
            if *users == 0 {
                self.deletion.leaving.remove(claim);
                self.set_claim(claim, None);
                removed.push(Arc::clone(claim));
            }
        }
        let over = std::iter::once(("Pod", Arc::clone(pod)))
            .chain(removed.iter().map(|claim| ("Claim", Arc::clone(claim))));
        // The collector looks at the set again after each dependent that is gone, and finds the revision that the
        // controller has created in the meantime.
        for dependent in over {
            self.deletion.pending |= self.deletion.awaited.remove(&dependent);
        }
        removed
    }

    /// Counts the pods that use each claim, for the claims that any pod uses.
    fn users(&self) -> BTreeMap<Arc<str>, usize> {
        let mut users = BTreeMap::new();
        for claim in self.snapshot.pods.values().flat_map(|pod| pod.claims()) {
            *users.entry(Arc::clone(claim)).or_default() += 1;
        }
        users
    }

    /// Deletes the dependents of an owner; with `blocking` only those that the owner waits for.
    fn delete_dependents(&mut self, uid: &str, blocking: bool, steps: &mut Vec<Step>) {
        for pod in self.dependent_pods(uid, blocking) {
            if self.has_other_owner(&self.snapshot.pods[&pod].meta.owner_references, uid) {
                self.release_pod(&pod, uid);
                steps.push(by_collector(self, ObjectEvent::PodOrphaned, &pod));
                continue;
            }
            let (deleted, claims) = self.delete_by_hand(&pod);
            if deleted {
                steps.push(by_collector(self, ObjectEvent::PodDeleted, &pod));
            }
            steps.extend(claims.into_iter().map(|claim| Step {
                at: self.now,
                action: StepAction::ClaimRemoved(claim),
            }));
            if blocking && self.snapshot.pods.contains_key(&pod) {
                self.deletion.awaited.insert(("Pod", pod));
            }
        }
        let users = self.users();
        for name in self.dependent_claims(uid, blocking) {
            let claim = Arc::clone(&self.snapshot.claims[&name]);
            if self.has_other_owner(&claim.meta.owner_references, uid) {
                let left = without(&claim.meta.owner_references, uid);
                self.set_claim(&name, Some(claim.with_owners(left)));
                steps.push(by_collector(self, ObjectEvent::ClaimOrphaned, &name));
            } else if let Some(users) = users.get(&name) {
                self.deletion.leaving.insert(Arc::clone(&name), *users);
                if !claim.meta.is_terminating() {
                    let mut claim = (*claim).clone();
                    claim.meta.deleted = Some(self.now);
                    self.set_claim(&name, Some(claim));
                    steps.push(by_collector(self, ObjectEvent::ClaimDeleted, &name));
                }
                if blocking {
                    self.deletion.awaited.insert(("Claim", name));
                }
            } else {
                self.set_claim(&name, None);
                steps.push(Step {
                    at: self.now,
                    action: StepAction::ClaimRemoved(name),
                });
            }
        }
        for revision in self.dependent_revisions(uid, blocking) {
            self.remove_revision(&revision);
            steps.push(by_collector(self, ObjectEvent::RevisionRemoved, &revision));
        }
    }

    /// Removes the owner's reference from all its dependents.
    fn orphan_dependents(&mut self, uid: &str, steps: &mut Vec<Step>) {
        for pod in self.dependent_pods(uid, false) {
            self.release_pod(&pod, uid);
            steps.push(by_collector(self, ObjectEvent::PodOrphaned, &pod));
        }
        for name in self.dependent_claims(uid, false) {
            let claim = Arc::clone(&self.snapshot.claims[&name]);
            let left = without(&claim.meta.owner_references, uid);
            self.set_claim(&name, Some(claim.with_owners(left)));
            steps.push(by_collector(self, ObjectEvent::ClaimOrphaned, &name));
        }
        for revision in self.dependent_revisions(uid, false) {
            self.release_revision(&revision, uid);
            steps.push(by_collector(self, ObjectEvent::RevisionOrphaned, &revision));
        }
    }

    /// Reports whether another object still owns this one. Other sets and pods that are gone are unknown here.
    fn has_other_owner(&self, owners: &[OwnerReference], uid: &str) -> bool {
        owners
            .iter()
            .any(|owner| &*owner.uid != uid && !self.deletion.uids.contains(&owner.uid))
    }

    fn dependent_pods(&self, uid: &str, blocking: bool) -> Vec<Arc<str>> {
        let pods = self.snapshot.pods.values();
        let mut names: Vec<Arc<str>> = pods
            .filter(|pod| is_dependent(&pod.meta.owner_references, uid, blocking))
            .map(|pod| Arc::clone(&pod.meta.name))
            .collect();
        names.sort_by_key(|name| ordinal_of(name));
        names
    }

    fn dependent_claims(&self, uid: &str, blocking: bool) -> Vec<Arc<str>> {
        let claims = self.snapshot.claims.values();
        claims
            .filter(|claim| is_dependent(&claim.meta.owner_references, uid, blocking))
            .map(|claim| Arc::clone(&claim.meta.name))
            .collect()
    }

    fn dependent_revisions(&self, uid: &str, blocking: bool) -> Vec<Arc<str>> {
        let revisions = self.snapshot.revisions.values();
        revisions
            .filter(|revision| is_dependent(&revision.meta.owner_references, uid, blocking))
            .map(|revision| Arc::clone(&revision.meta.name))
            .collect()
    }
}

fn is_dependent(owners: &[OwnerReference], uid: &str, blocking: bool) -> bool {
    owners
        .iter()
        .any(|owner| &*owner.uid == uid && (!blocking || owner.block_owner_deletion == Some(true)))
}

/// Returns the owners without the one with that uid.
pub(super) fn without(owners: &[OwnerReference], uid: &str) -> Vec<OwnerReference> {
    let left = owners.iter().filter(|owner| &*owner.uid != uid);
    left.cloned().collect()
}
