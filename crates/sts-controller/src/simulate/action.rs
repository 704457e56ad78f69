//! Actions of users, and the faults that exploration tries: one language for flags, remedies and the search, and one
//! way to perform them, which refuses what the API server would refuse.

use std::sync::Arc;

use super::event_queue::{PodEvent, ScheduledEvent};
use super::expansion::ClaimGrowth;
use super::object_event::{Actor, ObjectEvent};
use super::pvc_protection::Released;
use super::world::World;
use super::{Step, StepAction};
use crate::apiserver::apply::{Edit, edited, recreated};
use crate::controller::{Refusal, Resource};
use crate::object::{Meta, Set, Status};
use crate::version::Behaviour;

/// Something that is done to the world by hand, or goes wrong in it.
#[derive(Debug, Clone)]
pub enum Action {
    /// A pod is deleted, as `kubectl delete pod` does it: with its own grace period.
    DeletePod(Arc<str>),
    /// A pod is taken out of the API at once, whatever becomes of its containers.
    ForceDeletePod(Arc<str>),
    /// A pod is evicted: it is deleted with its own grace period. The eviction API was asked about it before
    /// ([`evict`](super::evict)), since budgets count pods of several worlds.
    EvictPod(Arc<str>),
    /// The node of a pod does not answer any more: the pod is marked as not ready, and nothing happens to it by itself.
    LosePod(Arc<str>),
    /// A pod is deleted since it does not tolerate its node's taint (any more).
    TaintEvictPod(Arc<str>),
    /// A pod loses the finalizers that keep it.
    DropPodFinalizers(Arc<str>),
    /// A pod gets these labels.
    LabelPod(Arc<str>, Vec<(Arc<str>, Arc<str>)>),
    /// A field of the set changes.
    EditSet(Edit),
    /// The set is deleted without its pods and created with this change, which an update would refuse. It stands for
    /// both requests: the new set owns what the old one did, but under another name it begins without a history.
    RecreateSet(Edit),
    /// The set is deleted.
    DeleteSet(Cascade),
    /// A set of the same name is created, after the old one is gone.
    CreateSet(Arc<Set>),
    /// The set loses the finalizers that keep it.
    DropFinalizers,
    /// A claim is deleted, and nothing keeps it.
    DeleteClaim(Arc<str>),
    /// A claim is deleted, as `kubectl delete pvc` does it: it goes once no pod uses it, and no finalizer of another
    /// keeps it.
    ReleaseClaim(Arc<str>),
    /// A claim asks for more storage.
    GrowClaim(ClaimGrowth),
    /// The storage has made the volume of a claim that asks for more larger.
    ExpandVolume(Arc<str>),
    /// A claim loses the owner reference at this place.
    DropClaimOwner(Arc<str>, usize),
    /// A revision is deleted.
    DeleteRevision(Arc<str>),
    /// Something goes wrong with a pod.
    Fault(Fault, Arc<str>),
}

/// A fault that a pod may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumIter)]
pub enum Fault {
    /// It ends in phase `Failed`.
    Fails,
    /// It never becomes ready.
    NeverReady,
    /// It is gone at once, as when its node is deleted.
    Vanishes,
}

impl Fault {
    /// The fault's name in the output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Fault::Fails => "PodFailed",
            Fault::NeverReady => "PodNeverReady",
            Fault::Vanishes => "PodVanished",
        }
    }
}

/// The propagation policy of a request to delete a set: the effect on the set's dependents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cascade {
    /// The set goes at once, and the garbage collector follows up.
    Background,
    /// The set waits, being deleted, until the dependents that it has to wait for are gone.
    Foreground,
    /// The dependents lose the reference to the set and stay.
    Orphan,
}

impl Cascade {
    /// Its name in a delete request.
    #[must_use]
    pub fn policy(self) -> &'static str {
        match self {
            Cascade::Background => "Background",
            Cascade::Foreground => "Foreground",
            Cascade::Orphan => "Orphan",
        }
    }
}

impl World {
    /// Does this, and tells it in steps; none when it changes nothing that steps tell.
    ///
    /// # Errors
    /// The answer of the API server of this version when it refuses: then nothing has changed.
    pub fn perform(
        &mut self,
        action: &Action,
        behaviour: &Behaviour,
    ) -> Result<Vec<Step>, Refusal> {
        let at = self.now();
        let set = Arc::clone(&self.snapshot().set);
        let by_user = |event, name: &Arc<str>| Step {
            at,
            action: StepAction::Object(Actor::User, event, Arc::clone(name)),
        };
        let claims_removed = |claims: Vec<Arc<str>>| {
            claims.into_iter().map(move |claim| Step {
                at,
                action: StepAction::ClaimRemoved(claim),
            })
        };
        let mut steps = Vec::new();
        match action {
            Action::DeletePod(name) => {
                self.check_pod(name)?;
                let (deleted, claims) = self.delete_by_hand(name);
                if deleted {
                    steps.push(by_user(ObjectEvent::PodDeleted, name));
                }
                steps.extend(claims_removed(claims));
            }
            Action::EvictPod(name) | Action::TaintEvictPod(name) => {
                self.check_pod(name)?;
                let actor = match action {
                    Action::EvictPod(_) => Actor::Eviction,
                    _ => Actor::NodeLifecycle,
                };
                let (deleted, claims) = self.delete_by_hand(name);
                if deleted {
                    steps.push(Step {
                        at,
                        action: StepAction::Object(
                            actor,
                            ObjectEvent::PodDeleted,
                            Arc::clone(name),
                        ),
                    });
                }
                steps.extend(claims_removed(claims));
            }
            Action::LosePod(name) => {
                self.check_pod(name)?;
                if self.unready_pod(name) {
                    steps.push(Step {
                        at,
                        action: StepAction::Object(
                            Actor::NodeLifecycle,
                            ObjectEvent::PodNotReady,
                            Arc::clone(name),
                        ),
                    });
                }
            }
            Action::ForceDeletePod(name) => {
                self.check_pod(name)?;
                steps.push(by_user(ObjectEvent::PodDeleted, name));
                // No grace period is too short for finalizers.
                let pod = self.snapshot().pods.get(name);
                let claims = if pod.is_some_and(|pod| pod.has_finalizers) {
                    self.delete_by_hand(name).1
                } else {
                    self.remove_pod(name)
                };
                steps.extend(claims_removed(claims));
            }
            Action::DropPodFinalizers(name) => {
                self.check_pod(name)?;
                steps.extend(claims_removed(self.drop_pod_finalizers(name)));
            }
            Action::LabelPod(name, labels) => {
                self.check_pod(name)?;
                self.label_pod(name, labels);
            }
            Action::EditSet(edit) => {
                self.replace_set(Arc::new(
                    edited(&set, edit, behaviour).map_err(Refusal::Invalid)?,
                ));
            }
            Action::RecreateSet(edit) => {
                let new = recreated(&set, edit, behaviour).map_err(Refusal::Invalid)?;
                let is_renamed = new.meta.name != set.meta.name;
                self.replace_set(Arc::new(in_place_of(&set, new)));
                if is_renamed {
                    self.forget_history();
                }
            }
            Action::DropFinalizers => self.drop_finalizers(&mut steps),
            Action::DeleteSet(cascade) => {
                steps.push(by_user(ObjectEvent::SetDeleted, &set.meta.name));
                self.mark_set_deleted(*cascade, &mut steps);
                if *cascade != Cascade::Foreground {
                    steps.extend(self.collect());
                }
            }
            Action::CreateSet(new) => {
                if !self.set_is_gone() {
                    return Err(Refusal::AlreadyExists {
                        resource: "statefulsets.apps",
                        name: Arc::clone(&new.meta.name),
                    });
                }
                steps.push(by_user(ObjectEvent::SetCreated, &new.meta.name));
                self.create_set(Arc::clone(new), Arc::new(Status::default()));
            }
            Action::DeleteClaim(name) => {
                if !self.snapshot().claims.contains_key(name) {
                    return Err(not_found(Resource::Claims, name));
                }
                self.protected.forget(name);
                self.set_claim(name, None);
            }
            Action::ReleaseClaim(name) => {
                if !self.snapshot().claims.contains_key(name) {
                    return Err(not_found(Resource::Claims, name));
                }
                match self.release_claim(name) {
                    Released::Gone => steps.extend(claims_removed(vec![Arc::clone(name)])),
                    Released::Terminating => steps.push(by_user(ObjectEvent::ClaimDeleted, name)),
                    Released::Already => {}
                }
            }
            Action::GrowClaim(growth) => {
                self.grow_claim(growth)?;
                steps.push(by_user(ObjectEvent::ClaimResizing, &growth.claim));
            }
            Action::ExpandVolume(name) => {
                if self.expand_volume(name) {
                    steps.push(Step {
                        at,
                        action: StepAction::Object(
                            Actor::Kubelet,
                            ObjectEvent::ClaimResized,
                            Arc::clone(name),
                        ),
                    });
                }
            }
            Action::DropClaimOwner(name, at) => {
                let claim = self.snapshot().claims.get(name);
                let claim = claim.ok_or_else(|| not_found(Resource::Claims, name))?;
                let owners = claim.meta.owner_references.iter().enumerate();
                let kept = owners.filter(|(index, _)| index != at);
                let claim = claim.with_owners(kept.map(|(_, owner)| owner.clone()).collect());
                self.set_claim(name, Some(claim));
            }
            Action::DeleteRevision(name) => {
                self.remove_revision(name)
                    .ok_or_else(|| not_found(Resource::Revisions, name))?;
                self.cache.forget();
            }
            Action::Fault(fault, name) => {
                self.check_pod(name)?;
                let event = match fault {
                    Fault::Fails => PodEvent::Failed,
                    Fault::Vanishes => PodEvent::Removed,
                    Fault::NeverReady => {
                        self.stall(name);
                        return Ok(steps);
                    }
                };
                return Ok(self.fire(&ScheduledEvent {
                    at,
                    event,
                    pod: Arc::clone(name),
                }));
            }
        }
        Ok(steps)
    }

    fn check_pod(&self, name: &Arc<str>) -> Result<(), Refusal> {
        match self.snapshot().pods.contains_key(name) {
            true => Ok(()),
            false => Err(not_found(Resource::Pods, name)),
        }
    }
}

fn not_found(resource: Resource, name: &Arc<str>) -> Refusal {
    Refusal::NotFound {
        resource: resource.name(),
        name: Arc::clone(name),
    }
}

/// A set that was created in the place of another one, once it has adopted what that one owned.
fn in_place_of(old: &Set, mut new: Set) -> Set {
    new.meta = Meta {
        name: Arc::clone(&new.meta.name),
        ..old.meta.clone()
    };
    new.generation = old.generation.saturating_add(1);
    new
}
