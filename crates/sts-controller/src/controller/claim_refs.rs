//! Owner references of claims under the retention policy: docs/semantics.md 3.16.

use std::sync::Arc;

use super::identity::ordinal_of;
use crate::object::{Claim, OwnerReference, Pod, Retention, Set};
use crate::version::{Behaviour, ClaimOwners};

/// Owner references that a claim should have.
struct ExpectedOwners {
    set: bool,
    pod: bool,
}

/// Implements the policy matrix. An unknown value makes the whole policy count as `Retain`.
fn expected_owners(set: &Set, pod: &Pod, behaviour: &Behaviour) -> ExpectedOwners {
    let none = ExpectedOwners {
        set: false,
        pod: false,
    };
    let Some(policy) = set.retention else {
        return none;
    };
    if policy.when_deleted == Retention::Unknown || policy.when_scaled == Retention::Unknown {
        return none;
    }
    let scaled_away =
        policy.when_scaled == Retention::Delete && is_scaled_down(set, pod, behaviour);
    ExpectedOwners {
        set: policy.when_deleted == Retention::Delete && !scaled_away,
        pod: scaled_away,
    }
}

/// `podInOrdinalRange`, negated.
fn is_scaled_down(set: &Set, pod: &Pod, behaviour: &Behaviour) -> bool {
    let ordinal = ordinal_of(&pod.meta.name);
    let range = behaviour.ordinals(set);
    ordinal >= range.end || (behaviour.scaled_down_is_two_sided && ordinal < range.start)
}

fn retains_everything(set: &Set) -> bool {
    set.retention.is_none_or(|policy| {
        policy.when_deleted != Retention::Delete && policy.when_scaled != Retention::Delete
            || policy.when_deleted == Retention::Unknown
            || policy.when_scaled == Retention::Unknown
    })
}

fn names_set(owner: &OwnerReference, set: &Set) -> bool {
    owner.names("apps/v1", "StatefulSet", &set.meta.name)
}

fn names_pod(owner: &OwnerReference, pod: &Pod) -> bool {
    owner.names("v1", "Pod", &pod.meta.name)
}

fn has_uid(owners: &[OwnerReference], uid: &str) -> bool {
    owners.iter().any(|owner| &*owner.uid == uid)
}

/// `isClaimOwnerUpToDate` and, for plain references, `claimOwnerMatchesSetAndPod`.
pub(super) fn is_up_to_date(
    style: ClaimOwners,
    claim: &Claim,
    set: &Set,
    pod: &Pod,
    behaviour: &Behaviour,
) -> bool {
    let owners = &claim.meta.owner_references;
    if style == ClaimOwners::Controlling {
        // The garbage collector removes references to a predecessor of the same name.
        let stale = |names: &dyn Fn(&OwnerReference) -> bool, uid: &str| {
            owners
                .iter()
                .find(|owner| names(owner))
                .is_some_and(|owner| &*owner.uid != uid)
        };
        if stale(&|owner| names_set(owner, set), &set.meta.uid)
            || stale(&|owner| names_pod(owner, pod), &pod.meta.uid)
        {
            return true;
        }
        if has_unexpected_controller(claim, set, pod) {
            return !(has_uid(owners, &set.meta.uid) || has_uid(owners, &pod.meta.uid));
        }
        let is_plain = |owner: &OwnerReference| {
            (owner.uid == set.meta.uid || owner.uid == pod.meta.uid)
                && owner.controller != Some(true)
        };
        if owners.iter().any(is_plain) {
            return false;
        }
    }
    let wanted = expected_owners(set, pod, behaviour);
    has_uid(owners, &set.meta.uid) == wanted.set && has_uid(owners, &pod.meta.uid) == wanted.pod
}

/// `hasUnexpectedController`: another controller manages the claim, or an object with the name of the set or the pod
/// does.
pub(super) fn has_unexpected_controller(claim: &Claim, set: &Set, pod: &Pod) -> bool {
    !retains_everything(set)
        && claim.meta.owner_references.iter().any(|owner| {
            if names_set(owner, set) {
                owner.uid != set.meta.uid
            } else if names_pod(owner, pod) {
                owner.uid != pod.meta.uid
            } else {
                owner.controller == Some(true)
            }
        })
}

/// Returns the claim with the references that it should have.
pub(super) fn updated(
    style: ClaimOwners,
    claim: &Claim,
    set: &Set,
    pod: &Pod,
    behaviour: &Behaviour,
) -> Claim {
    let wanted = expected_owners(set, pod, behaviour);
    let owners = &claim.meta.owner_references;
    let new = match style {
        ClaimOwners::Controlling => {
            let mut kept: Vec<OwnerReference> = owners
                .iter()
                .filter(|owner| !names_set(owner, set) && !names_pod(owner, pod))
                .cloned()
                .collect();
            if !has_unexpected_controller(claim, set, pod) {
                append_missing(&mut kept, set, pod, &wanted, Some(true));
            }
            kept
        }
        ClaimOwners::Plain => {
            let mut kept = owners.to_vec();
            if !wanted.set {
                remove_plain(&mut kept, &set.meta.uid);
            }
            if !wanted.pod {
                remove_plain(&mut kept, &pod.meta.uid);
            }
            append_missing(&mut kept, set, pod, &wanted, None);
            kept
        }
    };
    claim.with_owners(new)
}

/// `removeOwnerRef`: allocates one reference less, so a second reference to the same owner leaves an empty one behind
/// (quirk Q22).
fn remove_plain(owners: &mut Vec<OwnerReference>, uid: &str) {
    let Some(first) = owners.iter().position(|owner| &*owner.uid == uid) else {
        return;
    };
    owners.remove(first);
    for owner in owners.iter_mut().filter(|owner| &*owner.uid == uid) {
        *owner = OwnerReference::default();
    }
}

fn append_missing(
    owners: &mut Vec<OwnerReference>,
    set: &Set,
    pod: &Pod,
    wanted: &ExpectedOwners,
    controller: Option<bool>,
) {
    let reference =
        |api_version: &str, kind: &str, name: &Arc<str>, uid: &Arc<str>| OwnerReference {
            api_version: Arc::from(api_version),
            kind: Arc::from(kind),
            name: Arc::clone(name),
            uid: Arc::clone(uid),
            controller,
            block_owner_deletion: controller,
        };
    if wanted.set && !has_uid(owners, &set.meta.uid) {
        owners.push(reference(
            "apps/v1",
            "StatefulSet",
            &set.meta.name,
            &set.meta.uid,
        ));
    }
    if wanted.pod && !has_uid(owners, &pod.meta.uid) {
        owners.push(reference("v1", "Pod", &pod.meta.name, &pod.meta.uid));
    }
}

/// `isClaimStale`: returns the reference to a predecessor of the pod that the garbage collector has yet to notice.
pub(super) fn stale_owner<'a>(
    style: ClaimOwners,
    claim: &'a Claim,
    pod: &Pod,
) -> Option<&'a OwnerReference> {
    let owners = &claim.meta.owner_references;
    match style {
        ClaimOwners::Controlling => owners
            .iter()
            .find(|owner| names_pod(owner, pod))
            .filter(|owner| owner.uid != pod.meta.uid),
        ClaimOwners::Plain => owners
            .iter()
            .find(|owner| owner.name == pod.meta.name && owner.uid != pod.meta.uid),
    }
}
