//! Removal of claims together with their pod: docs/contract.md, "Garbage collector".

use std::sync::Arc;

use super::world::World;
use crate::object::OwnerReference;

/// Removes the claims whose owners are all gone, and the dangling reference from claims with another owner. Returns the
/// names of the removed claims, in order.
pub(super) fn collect(world: &mut World, gone: &str) -> Vec<Arc<str>> {
    let mut removed = Vec::new();
    for name in world.take_dependents(gone) {
        let Some(claim) = world.snapshot().claims.get(&name).map(Arc::clone) else {
            continue;
        };
        let owners = &claim.meta.owner_references;
        let left: Vec<OwnerReference> = owners
            .iter()
            .filter(|owner| &*owner.uid != gone)
            .cloned()
            .collect();
        if left.iter().any(|owner| exists(world, owner)) {
            world.set_claim(&name, Some(claim.with_owners(left)));
        } else {
            world.set_claim(&name, None);
            removed.push(name);
        }
    }
    removed
}

/// Reports whether an owner still exists. Only pods and the set are known; any other owner is assumed to exist.
fn exists(world: &World, owner: &OwnerReference) -> bool {
    match &*owner.kind {
        "Pod" => world
            .snapshot()
            .pods
            .get(&owner.name)
            .is_some_and(|pod| pod.meta.uid == owner.uid),
        "StatefulSet" => {
            let set = &world.snapshot().set.meta;
            owner.name != set.name || (owner.uid == set.uid && !world.set_is_gone())
        }
        _ => true,
    }
}
