//! Terminating claims of the input that only their pods keep: docs/contract.md, "Garbage collector".

use std::collections::BTreeSet;
use std::sync::Arc;

use super::world::World;
use crate::object::{Claim, Snapshot};

/// Finalizer of a claim that a pod may use.
pub const PVC_PROTECTION: &str = "kubernetes.io/pvc-protection";

/// Claims that are gone as soon as no pod uses them: those terminating with no other finalizer.
#[derive(Debug, Clone, Default)]
pub(super) struct ProtectedClaims {
    names: BTreeSet<Arc<str>>,
    /// True once claims that are unused from the start have been removed.
    started: bool,
}

impl ProtectedClaims {
    /// Returns the protected claims of a snapshot.
    pub(super) fn of(snapshot: &Snapshot) -> Self {
        let claims = snapshot.claims.values();
        let names = claims
            .filter(|claim| is_protected_alone(claim))
            .map(|claim| Arc::clone(&claim.meta.name));
        ProtectedClaims {
            names: names.collect(),
            started: false,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Drops a claim that is gone: a later claim of that name is another object.
    pub(super) fn forget(&mut self, name: &str) {
        self.names.remove(name);
    }
}

/// Effect of the deletion of a claim.
pub(super) enum Released {
    /// The claim is gone.
    Gone,
    /// The claim terminates until no pod uses it, and no foreign finalizer keeps it.
    Terminating,
    /// The claim was terminating already.
    Already,
}

fn is_protected_alone(claim: &Claim) -> bool {
    claim.meta.is_terminating() && claim.finalizers() == [PVC_PROTECTION]
}

impl World {
    /// Deletes a claim. Every claim has the protection finalizer, even if a file does not show it: admission adds it
    /// (`StorageObjectInUseProtection`, upstream
    /// `plugin/pkg/admission/storage/storageobjectinuseprotection/admission.go`).
    pub(super) fn release_claim(&mut self, name: &Arc<str>) -> Released {
        let Some(claim) = self.snapshot().claims.get(name) else {
            return Released::Already;
        };
        if claim.meta.is_terminating() {
            return Released::Already;
        }
        let mut claim = Claim::clone(claim);
        let is_kept = claim.finalizers().iter().any(|it| it != PVC_PROTECTION);
        if !is_kept && !self.is_used(name) {
            self.set_claim(name, None);
            return Released::Gone;
        }
        claim.meta.deleted = Some(self.now());
        self.set_claim(name, Some(claim));
        if !is_kept {
            self.protected.names.insert(Arc::clone(name));
        }
        Released::Terminating
    }

    /// Removes the protected claims among these that no pod uses any more. Returns their names, in order.
    pub(super) fn remove_unused_claims(&mut self, released: &[Arc<str>]) -> Vec<Arc<str>> {
        let mut removed = Vec::new();
        for name in released {
            if self.protected.names.contains(name) && !self.is_used(name) {
                self.protected.names.remove(name);
                if self.snapshot().claims.contains_key(name) {
                    self.set_claim(name, None);
                    removed.push(Arc::clone(name));
                }
            }
        }
        removed
    }

    /// Removes all unused protected claims, the first time it is called.
    pub(super) fn remove_claims_unused_from_the_start(&mut self) -> Vec<Arc<str>> {
        if std::mem::replace(&mut self.protected.started, true) || self.protected.names.is_empty() {
            return Vec::new();
        }
        let names: Vec<Arc<str>> = self.protected.names.iter().map(Arc::clone).collect();
        self.remove_unused_claims(&names)
    }

    /// Reports whether a pod uses the claim. A pod without a node does not: no node starts it with a terminating claim.
    pub(super) fn is_used(&self, claim: &str) -> bool {
        let mut pods = self.snapshot().pods.values();
        pods.any(|pod| {
            let mut volumes = pod.volumes.iter();
            pod.scheduled && volumes.any(|volume| volume.claim.as_deref() == Some(claim))
        })
    }
}
