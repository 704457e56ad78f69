//! The claims of a world, by owner pod.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::World;
use crate::object::Claim;
use crate::simulate::digest;

impl World {
    /// Removes and returns the names of the claims that the pod with that uid owns.
    pub(in crate::simulate) fn take_dependents(&mut self, uid: &str) -> BTreeSet<Arc<str>> {
        self.dependents.remove(uid).unwrap_or_default()
    }

    /// Stores a claim with other owners, or removes it.
    pub(in crate::simulate) fn set_claim(&mut self, name: &Arc<str>, claim: Option<Claim>) {
        let claim = claim.map(Arc::new);
        let old = match &claim {
            Some(claim) => self
                .snapshot
                .claims
                .insert(Arc::clone(name), Arc::clone(claim)),
            None => self.snapshot.claims.remove(name),
        };
        self.replaced_claim(old.as_ref(), claim.as_ref());
    }

    pub(super) fn replaced_claim(&mut self, old: Option<&Arc<Claim>>, new: Option<&Arc<Claim>>) {
        if let Some(old) = old {
            self.digest ^= digest::of_claim(old);
            self.index_owners(old, false);
        }
        if let Some(new) = new {
            self.digest ^= digest::of_claim(new);
            self.index_owners(new, true);
        }
        let Some(name) = old.or(new).map(|claim| &claim.meta.name) else {
            return;
        };
        if let Some(changed) = &mut self.changed {
            changed.push(Arc::clone(name));
        }
        // A claim is named after its template and its pod: the pod's name follows a dash, whatever the template. A pod
        // that does not exist yet is looked at anyway.
        for (dash, _) in name.match_indices('-') {
            if let Some((pod, _)) = self.snapshot.pods.get_key_value(&name[dash + 1..]) {
                self.cache.touch(pod);
            }
        }
    }

    pub(super) fn index_owners(&mut self, claim: &Claim, present: bool) {
        for owner in claim
            .meta
            .owner_references
            .iter()
            .filter(|owner| &*owner.kind == "Pod")
        {
            let owned = self.dependents.entry(Arc::clone(&owner.uid)).or_default();
            if present {
                owned.insert(Arc::clone(&claim.meta.name));
            } else {
                owned.remove(&claim.meta.name);
            }
        }
    }
}
