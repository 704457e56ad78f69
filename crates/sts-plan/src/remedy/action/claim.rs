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
