//! Ownership of revisions and pods, with adoption and release: docs/semantics.md 3.2 and 3.3.

use std::sync::Arc;

use super::error::SyncError;
use super::identity::{controller_reference, is_member};
use super::recorder::Recorder;
use super::write::{Body, OwnerChange, Refusal, Resource, Verb};
use crate::object::{Pod, Revision, Set, Snapshot};
use crate::version::Behaviour;

/// Decision about a pod of the namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClaimDecision {
    /// Owned by the set.
    Ours,
    /// Owned by the set but no longer matching its selector; released.
    Release,
    /// An orphan that matches the selector; adopted.
    Adopt,
    /// Unrelated to the set.
    Ignore,
}

/// `CanAdopt`: checks a fresh read of the set before anything is adopted.
fn can_adopt(set: &Set) -> Result<(), SyncError> {
    match set.meta.deleted {
        None => Ok(()),
        Some(at) => Err(SyncError::new(format!(
            "{}/{} has just been deleted at {at}",
            set.meta.namespace, set.meta.name
        ))),
    }
}

/// `adoptOrphanRevisions`.
pub(super) fn adopt_orphan_revisions(
    snapshot: &Snapshot,
    listed: &[Arc<Revision>],
    out: &mut Recorder<'_>,
) -> Result<(), SyncError> {
    let set = &snapshot.set;
    let orphans = || {
        listed
            .iter()
            .filter(|revision| revision.meta.controller().is_none())
    };
    if orphans().next().is_none() {
        return Ok(());
    }
    can_adopt(set)
        .map_err(|error| SyncError::new(format!("can't adopt ControllerRevisions: {error}")))?;
    for orphan in orphans() {
        out.send(
            Verb::Patch,
            Resource::Revisions,
            &orphan.meta.name,
            Body::Owners {
                uid: Arc::clone(&orphan.meta.uid),
                change: OwnerChange::Adopt(controller_reference(set)),
            },
        )?;
    }
    Ok(())
}

/// Returns the decision of `ClaimPods` about a pod.
pub(super) fn claim_decision(set: &Set, pod: &Pod, behaviour: &Behaviour) -> ClaimDecision {
    let matches = || {
        set.selector
            .as_ref()
            .is_some_and(|selector| selector.matches(&pod.meta.labels))
            && is_member(set, &pod.meta.name)
    };
    match pod.meta.controller() {
        Some(owner) => {
            if !behaviour.owned_by.is_set(owner, set) {
                ClaimDecision::Ignore
            } else if matches() {
                ClaimDecision::Ours
            } else if set.is_terminating() {
                ClaimDecision::Ignore
            } else {
                ClaimDecision::Release
            }
        }
        None if set.is_terminating() || pod.is_terminating() || !matches() => ClaimDecision::Ignore,
        None => ClaimDecision::Adopt,
    }
}

/// `ClaimPods`: returns the pods of this sync. Tries all pods before an error ends the sync.
pub(super) fn claim_pods(
    snapshot: &Snapshot,
    behaviour: &Behaviour,
    out: &mut Recorder<'_>,
) -> Result<ClaimResult, SyncError> {
    let set = &snapshot.set;
    if set.meta.namespace.is_empty() || set.meta.name.is_empty() || set.meta.uid.is_empty() {
        return Err(SyncError::new("the set has no namespace, name or uid"));
    }
    let mut claimed = ClaimResult {
        pods: Vec::with_capacity(snapshot.pods.len()),
        changed: false,
    };
    let mut errors = Vec::new();
    for pod in snapshot.pods.values() {
        let change = match claim_decision(set, pod, behaviour) {
            ClaimDecision::Ignore => continue,
            ClaimDecision::Ours => {
                claimed.pods.push(Arc::clone(pod));
                continue;
            }
            ClaimDecision::Release => OwnerChange::Release(Arc::clone(&set.meta.uid)),
            ClaimDecision::Adopt => OwnerChange::Adopt(controller_reference(set)),
        };
        let adopted = matches!(change, OwnerChange::Adopt(_));
        let body = Body::Owners {
            uid: Arc::clone(&pod.meta.uid),
            change,
        };
        claimed.changed = true;
        match out.send(Verb::Patch, Resource::Pods, &pod.meta.name, body) {
            Ok(()) if adopted => claimed.pods.push(Arc::clone(pod)),
            Ok(()) | Err(Refusal::NotFound { .. }) => {}
            Err(Refusal::Invalid(_)) if !adopted => {}
            Err(refusal) => errors.push(SyncError::from(refusal)),
        }
    }
    SyncError::all(errors).map_or(Ok(claimed), Err)
}

/// Pods that the set owns in this sync.
#[derive(Default)]
pub(super) struct ClaimResult {
    /// The pods as cached: an adopted pod still lacks its owner reference.
    pub(super) pods: Vec<Arc<Pod>>,
    /// True if any pod was adopted or released.
    pub(super) changed: bool,
}
