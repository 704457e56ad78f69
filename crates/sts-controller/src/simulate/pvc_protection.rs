//! Claims of the input that are being deleted and are kept for their pods alone: docs/contract.md, "Garbage
//! collector".

use std::collections::BTreeSet;
use std::sync::Arc;

use super::world::World;
use crate::object::{Claim, Snapshot};

/// The finalizer of a claim that a pod may use.
pub const PVC_PROTECTION: &str = "kubernetes.io/pvc-protection";

/// The claims that are gone as soon as no pod uses them: those being deleted with no other finalizer.
#[derive(Debug, Clone, Default)]
pub(super) struct ProtectedClaims {
    names: BTreeSet<Arc<str>>,
    /// True once the claims that no pod uses to begin with have been looked for.
    started: bool,
}

impl ProtectedClaims {
    /// Those of a snapshot.
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

    /// The claim of that name is gone: one that comes later is another claim.
    pub(super) fn forget(&mut self, name: &str) {
        self.names.remove(name);
    }
}

/// The effect of the deletion of a claim.
pub(super) enum Released {
    /// It is gone.
    Gone,
    /// It is terminating until no pod uses it, and no other finalizer keeps it.
    Terminating,
    /// It was terminating before.
    Already,
}

fn is_protected_alone(claim: &Claim) -> bool {
    claim.meta.is_terminating() && claim.finalizers() == [PVC_PROTECTION]
}

impl World {
    /// Deletes a claim. Every claim has the finalizer of protection, which admission gives it (`StorageObjectInUseProtection`,
    /// upstream `plugin/pkg/admission/storage/storageobjectinuseprotection/admission.go`), whether or not a file shows it.
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

    /// The same of all protected claims, the first time.
    pub(super) fn remove_claims_unused_from_the_start(&mut self) -> Vec<Arc<str>> {
        if std::mem::replace(&mut self.protected.started, true) || self.protected.names.is_empty() {
            return Vec::new();
        }
        let names: Vec<Arc<str>> = self.protected.names.iter().map(Arc::clone).collect();
        self.remove_unused_claims(&names)
    }

    /// Reports whether a pod uses the claim. One that has no node yet does not: no node starts it with such a claim.
    pub(super) fn is_used(&self, claim: &str) -> bool {
        let mut pods = self.snapshot().pods.values();
        pods.any(|pod| {
            let mut volumes = pod.volumes.iter();
            pod.scheduled && volumes.any(|volume| volume.claim.as_deref() == Some(claim))
        })
    }
}
