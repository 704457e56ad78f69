//! What somebody does to the world by hand.

use std::sync::Arc;

use super::object_event::{Actor, ObjectEvent};
use super::world::World;
use super::{Action, Step};
use crate::object::{Set, Status};

/// Something that somebody does.
#[derive(Debug, Clone)]
pub enum Deed {
    /// A pod is deleted, as `kubectl delete pod` does it: with its own grace period.
    DeletePod(Arc<str>),
    /// A pod is taken out of the API at once, whatever becomes of its containers.
    ForceDeletePod(Arc<str>),
    /// The set is deleted.
    DeleteSet(Cascade),
    /// A set of the same name is created, after the old one is gone.
    CreateSet(Arc<Set>),
    /// The set loses the finalizers that keep it.
    DropFinalizers,
    /// A pod loses the finalizers that keep it.
    DropPodFinalizers(Arc<str>),
}

/// What becomes of the dependents of a set that is deleted: the propagation policy of the request.
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
    /// Does what somebody does, and tells it in steps; none when it changes nothing.
    pub fn perform(&mut self, deed: &Deed) -> Vec<Step> {
        let at = self.now();
        let mut steps = Vec::new();
        let by_user = |event, name: &Arc<str>| Step {
            at,
            action: Action::Object(Actor::User, event, Arc::clone(name)),
        };
        match deed {
            Deed::DeletePod(name) => {
                let (deleted, claims) = self.delete_by_hand(name);
                if deleted {
                    steps.push(by_user(ObjectEvent::PodDeleted, name));
                }
                steps.extend(claims.into_iter().map(|claim| Step {
                    at,
                    action: Action::ClaimRemoved(claim),
                }));
            }
            Deed::ForceDeletePod(name) => {
                steps.push(by_user(ObjectEvent::PodDeleted, name));
                // No grace period is too short for finalizers.
                let pod = self.snapshot().pods.get(name);
                let claims = if pod.is_some_and(|pod| pod.has_finalizers) {
                    self.delete_by_hand(name).1
                } else {
                    self.remove_pod(name)
                };
                steps.extend(claims.into_iter().map(|claim| Step {
                    at,
                    action: Action::ClaimRemoved(claim),
                }));
            }
            Deed::DropPodFinalizers(name) => {
                let claims = self.drop_pod_finalizers(name).into_iter();
                steps.extend(claims.map(|claim| Step {
                    at,
                    action: Action::ClaimRemoved(claim),
                }));
            }
            Deed::DropFinalizers => self.drop_finalizers(&mut steps),
            Deed::DeleteSet(cascade) => {
                let name = Arc::clone(&self.snapshot().set.meta.name);
                steps.push(by_user(ObjectEvent::SetDeleted, &name));
                self.mark_set_deleted(*cascade, &mut steps);
                if *cascade != Cascade::Foreground {
                    steps.extend(self.collect());
                }
            }
            Deed::CreateSet(set) => {
                // Whoever creates a set under a name that is still taken is refused.
                if self.set_is_gone() {
                    steps.push(by_user(ObjectEvent::SetCreated, &set.meta.name));
                    self.create_set(Arc::clone(set), Arc::new(Status::default()));
                }
            }
        }
        steps
    }
}
