//! Actions on a claim.

use std::sync::Arc;

use super::entry::{RemedyEntry, Scene};
use crate::command::named;
use sts_controller::simulate::Action;

pub(super) fn delete(name: &Arc<str>, scene: Scene<'_>) -> RemedyEntry {
    RemedyEntry {
        request: Some(Action::DeleteClaim(Arc::clone(name))),
        commands: vec![scene.kubectl(&format!("delete pvc {}", named(name)))],
        condition: Some(format!("if the data of {name} is not needed")),
        risk: Some(format!("deletes the data of {name}")),
        ..RemedyEntry::default()
    }
}

/// Removing the owner reference at this index.
pub(super) fn release(name: &Arc<str>, at: usize, scene: Scene<'_>) -> RemedyEntry {
    let command = format!(
        "patch pvc {} --type json -p '[{{\"op\":\"remove\",\"path\":\"/metadata/ownerReferences/{at}\"}}]'",
        named(name)
    );
    RemedyEntry {
        request: Some(Action::DropClaimOwner(Arc::clone(name), at)),
        commands: vec![scene.kubectl(&command)],
        condition: Some(format!("if the data of {name} must be kept")),
        ..RemedyEntry::default()
    }
}

/// Keeping the volume of a claim that is being deleted, before the pod that protects the claim is removed.
pub(super) fn keep_volume(claim: &Arc<str>, scene: Scene<'_>) -> RemedyEntry {
    let claims = &scene.end().claims;
    let volume = claims.get(claim).and_then(|it| it.volume_name());
    let volume = volume.unwrap_or_default();
    let policy = r#"'{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}'"#;
    let known = scene.plan.related.volume(&volume);
    let is_kept = known.is_some_and(|it| !it.is_deleted_with_claim);
    let patch = format!("kubectl patch pv {} -p {policy}", named(&volume));
    RemedyEntry {
        commands: (!is_kept).then_some(patch).into_iter().collect(),
        condition: Some(format!(
            "keep the volume of claim {claim} first, which is being deleted and goes with the pod"
        )),
        risk: Some(format!(
            "the pod comes back with a new, empty claim {claim}; its data stays in volume {volume}"
        )),
        ..RemedyEntry::default()
    }
}
