//! User actions, and the faults that exploration injects. Flags, remedies and the search share one type and one
//! implementation, which refuses what the API server would refuse.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::event_queue::{PodEvent, ScheduledEvent};
use super::expansion::ClaimGrowth;
use super::kubelet::{Forbidden, Foreseen};
use super::object_event::{Actor, ObjectEvent};
use super::pvc_protection::Released;
use super::world::World;
use super::{Step, StepAction};
use crate::apiserver::apply::{Edit, edited, recreated};
use crate::controller::{Refusal, Resource};
use crate::object::{Meta, Set, Status};
use crate::version::Behaviour;

/// A manual change to the world, or a fault in it.
#[derive(Debug, Clone)]
pub enum Action {
    /// Delete a pod like `kubectl delete pod`: with its own grace period.
    DeletePod(Arc<str>),
    /// Force-delete a pod: remove it from the API at once, whether or not its containers have stopped.
    ForceDeletePod(Arc<str>),
    /// Evict a pod: delete it with its own grace period. The caller has already asked the eviction API
    /// ([`evict`](super::evict)), since budgets count pods of several worlds.
    EvictPod(Arc<str>),
    /// Lose a pod's node: the pod becomes not ready, and no further event happens to it.
    LosePod(Arc<str>),
    /// Delete a pod that does not tolerate its node's taint, or no longer does.
    TaintEvictPod(Arc<str>),
    /// Perform an action only if the pod of this name still has this uid: a timer of a pod ends with it.
    OfPod {
        /// Name of the pod.
        name: Arc<str>,
        /// Its uid.
        uid: Arc<str>,
        /// The action.
        action: Box<Action>,
    },
    /// Remove the finalizers that keep a pod.
    DropPodFinalizers(Arc<str>),
    /// Add labels to a pod.
    LabelPod(Arc<str>, Vec<(Arc<str>, Arc<str>)>),
    /// Change a field of the set.
    EditSet(Edit),
    /// Delete the set, orphan its pods, and create it again with a change that an update would refuse. Stands for both
    /// requests. The new set owns the pods and claims of the old one, but under another name it starts without a
    /// history.
    RecreateSet(Edit),
    /// Delete the set.
    DeleteSet(Cascade),
    /// Create a set of the same name, after the old one is gone.
    CreateSet(Arc<Set>),
    /// Remove the finalizers that keep the set.
    DropFinalizers,
    /// Delete a claim whatever its finalizers.
    DeleteClaim(Arc<str>),
    /// Delete a claim like `kubectl delete pvc`: it is removed once no pod uses it and no foreign
    /// finalizer keeps it.
    ReleaseClaim(Arc<str>),
    /// Raise a claim's storage request.
    GrowClaim(ClaimGrowth),
    /// Finish the expansion of a claim's volume by the storage.
    ExpandVolume(Arc<str>),
    /// Remove a claim's owner reference at this index.
    DropClaimOwner(Arc<str>, usize),
    /// Delete a revision.
    DeleteRevision(Arc<str>),
    /// Inject a fault into a pod.
    Fault(Fault, Arc<str>),
    /// Cordon or uncordon nodes: pods find a place where they did not, or the other way round.
    ChangeNodes(Arc<NodeChange>),
}

impl Action {
    /// Returns the pod that the action deletes.
    #[must_use]
    pub fn deleted_pod(&self) -> Option<&Arc<str>> {
        match self {
            Action::DeletePod(pod) | Action::ForceDeletePod(pod) => Some(pod),
            _ => None,
        }
    }
}

/// Pods of a set that find no place from a time on, and those that do again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NodeChange {
    /// Foreseen outcomes of pods that are created, by name and revision. They replace the earlier ones.
    pub foreseen: BTreeMap<Arc<str>, BTreeMap<Arc<str>, Foreseen>>,
    /// Pods and claims whose creation the API server refuses. They replace the earlier ones.
    pub forbidden: Forbidden,
}

/// A fault of a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumIter, strum::IntoStaticStr)]
pub enum Fault {
    /// The pod ends in phase `Failed`.
    #[strum(serialize = "PodFailed")]
    Fails,
    /// The pod never becomes ready.
    #[strum(serialize = "PodNeverReady")]
    NeverReady,
    /// The pod is gone at once, as after the deletion of its node.
    #[strum(serialize = "PodVanished")]
    Vanishes,
}

/// Propagation policy of a request to delete a set: the effect on its dependents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cascade {
    /// The set is removed at once, and the garbage collector deletes the dependents afterwards.
    Background,
    /// The set terminates until the dependents that block its deletion are gone.
    Foreground,
    /// The dependents lose their reference to the set and stay.
    Orphan,
}

impl Cascade {
    /// Returns the policy's name in a delete request.
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
    /// Performs the action and returns its steps; none if it changes nothing that steps show.
    ///
    /// # Errors
    /// Returns the error of this version's API server if it refuses. Nothing has changed then.
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
            Action::OfPod { name, uid, action } => {
                let pod = self.snapshot().pods.get(name);
                pod.filter(|pod| pod.meta.uid == *uid)
                    .ok_or_else(|| not_found(Resource::Pods, name))?;
                return self.perform(action, behaviour);
            }
            Action::ForceDeletePod(name) => {
                self.check_pod(name)?;
                steps.push(by_user(ObjectEvent::PodDeleted, name));
                // Finalizers keep a pod even with a grace period of zero.
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
                self.replace_set(Arc::new(replacement(&set, new)));
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
            Action::ChangeNodes(change) => self.change_nodes(change),
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

/// Returns the set that replaces another one, after it has adopted that one's dependents.
fn replacement(old: &Set, mut new: Set) -> Set {
    new.meta = Meta {
        name: Arc::clone(&new.meta.name),
        ..old.meta.clone()
    };
    new.generation = old.generation.saturating_add(1);
    new
}
