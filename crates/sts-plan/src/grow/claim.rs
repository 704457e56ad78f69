//! The resize of a claim: its preconditions and its progress.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;

use sts_controller::apiserver::quantity::Quantity;
use sts_controller::controller::{is_member, pod_of_claim};
use sts_controller::object::{Claim, ClaimTemplate, Event, RelatedObjects, Set, Snapshot, time};

/// The reason that a claim cannot grow, by the admission plugin `PersistentVolumeClaimResize`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CannotGrow {
    /// The claim is not bound.
    Unbound,
    /// The claim has no StorageClass.
    NoClass,
    /// This class does not allow expansion.
    Class(String),
}

/// The precondition for a claim to grow: met by the input, or unknown.
pub(crate) enum Condition {
    Met,
    /// This class is not in the input.
    Unknown(String),
}

/// Returns whether the API server allows a claim to grow (1.36: `plugin/pkg/admission/storage/persistentvolume/resize`).
pub(crate) fn can_grow(claim: &Claim, related: &RelatedObjects) -> Result<Condition, CannotGrow> {
    if !claim.can_be_resized() {
        return Err(CannotGrow::Unbound);
    }
    let class = class_of(claim).ok_or(match claim.given() {
        Some(_) => CannotGrow::NoClass,
        None => CannotGrow::Unbound,
    })?;
    match related.storage_class(&class) {
        Some(found) if found.allows_expansion => Ok(Condition::Met),
        Some(_) => Err(CannotGrow::Class(class)),
        None => Ok(Condition::Unknown(class)),
    }
}

/// Returns the StorageClass of a claim. The legacy annotation takes precedence.
pub(crate) fn class_of(claim: &Claim) -> Option<String> {
    let given = claim.given()?;
    let annotation = &given["metadata"]["annotations"]["volume.beta.kubernetes.io/storage-class"];
    let class = annotation
        .as_str()
        .or_else(|| given["spec"]["storageClassName"].as_str())?;
    (!class.is_empty()).then(|| class.to_owned())
}

/// Returns the existing claims of a template.
pub(crate) fn claims_of<'a>(
    template: &ClaimTemplate,
    set: &Set,
    snapshot: &'a Snapshot,
) -> impl Iterator<Item = &'a Arc<Claim>> {
    let claims = snapshot.claims.iter();
    claims.filter_map(move |(name, claim)| {
        let pod = pod_of_claim(&template.name, name)?;
        is_member(set, pod).then_some(claim)
    })
}

/// Parses the storage request of a claim or template, or the capacity of a claim.
pub(crate) fn quantity(text: Option<&str>) -> Option<Quantity> {
    Quantity::parse(text?).ok()
}

/// Returns the last event of a claim with this reason. Kubernetes 1.34 and later record failures in the claim, too.
fn last_event<'r>(
    claim: &Claim,
    related: &'r RelatedObjects,
    reason: &str,
) -> Option<&'r Arc<Event>> {
    let meta = &claim.meta;
    let events = related.events(&meta.namespace, "PersistentVolumeClaim", &meta.name);
    events
        .iter()
        .rfind(|event| *event.reason == *reason && event.is_about(&meta.uid))
}

/// Returns the message with which the resize of a claim fails; `None` if it does not.
pub(crate) fn resize_failure(claim: &Claim, related: &RelatedObjects) -> Option<String> {
    let status = claim.given()?["status"].clone();
    match Pending::reported(claim, &status, related)?.0 {
        Pending::Failed(message) => Some(message),
        Pending::Volume | Pending::NoResizer | Pending::FileSystem => None,
    }
}

/// The pending step of a claim's resize.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Pending {
    /// The storage has not expanded the volume.
    Volume,
    /// No resizer has answered.
    NoResizer,
    /// The file system has not been resized.
    FileSystem,
    /// The resize failed with this message.
    Failed(String),
}

impl Pending {
    /// Returns the pending step of a claim's resize with what its events report, and its start.
    pub(crate) fn reported(
        claim: &Claim,
        status: &Value,
        related: &RelatedObjects,
    ) -> Option<(Pending, Option<Timestamp>)> {
        let (pending, since) = Pending::of(claim, status)?;
        let last = |reason| last_event(claim, related, reason);
        let pending = match (pending, last("VolumeResizeFailed")) {
            (Pending::Volume, Some(event)) => Pending::Failed(event.message.to_string()),
            // The event has the whole message.
            (Pending::Failed(message), Some(event)) if event.message.len() > message.len() => {
                Pending::Failed(event.message.to_string())
            }
            // A resizer reports that it begins.
            (Pending::Volume, None) if last("Resizing").is_none() => {
                last("ExternalExpanding").map_or(Pending::Volume, |_| Pending::NoResizer)
            }
            (pending, _) => pending,
        };
        Some((pending, since))
    }

    /// Returns the pending step of a claim's resize, and its start. Upstream:
    /// `PersistentVolumeClaimConditionType` and `ClaimResourceStatus` in `staging/src/k8s.io/api/core/v1/types.go`.
    pub(crate) fn of(claim: &Claim, status: &Value) -> Option<(Pending, Option<Timestamp>)> {
        let conditions = status["conditions"].as_array().into_iter().flatten();
        let on: Vec<&Value> = conditions
            .filter(|condition| condition["status"] == "True")
            .collect();
        let by_type = |kind: &str| on.iter().find(|condition| condition["type"] == kind);
        let since = |condition: &Value| time(condition["lastTransitionTime"].as_str()?);
        for kind in ["NodeResizeError", "ControllerResizeError"] {
            if let Some(condition) = by_type(kind) {
                let message = condition["message"].as_str().unwrap_or_default();
                return Some((Pending::Failed(message.to_owned()), since(condition)));
            }
        }
        let recorded = status["allocatedResourceStatuses"]["storage"].as_str();
        if let Some(infeasible @ ("ControllerResizeInfeasible" | "NodeResizeInfeasible")) = recorded
        {
            return Some((Pending::Failed(infeasible.to_owned()), None));
        }
        if let Some(condition) = by_type("FileSystemResizePending") {
            return Some((Pending::FileSystem, since(condition)));
        }
        let resizing = by_type("Resizing");
        let wanted = quantity(claim.storage.as_deref())?;
        let has = quantity(status["capacity"]["storage"].as_str())?;
        (wanted > has).then(|| {
            let since = resizing.and_then(|condition| since(condition));
            (Pending::Volume, since)
        })
    }
}

/// The part of a claim that has yet to grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumIter, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum PendingGrowth {
    /// The volume, and its file system after that.
    Volume,
    /// The file system of a volume that has grown.
    FileSystem,
}

serialized!(by_name: PendingGrowth);

impl PendingGrowth {
    /// Returns the part of a claim that has yet to grow; `None` if it has the requested storage.
    #[must_use]
    pub fn of(claim: &Claim) -> Option<Self> {
        let status = claim.given()?["status"].clone();
        match Pending::of(claim, &status)?.0 {
            Pending::FileSystem => Some(PendingGrowth::FileSystem),
            Pending::Volume | Pending::NoResizer | Pending::Failed(_) => {
                Some(PendingGrowth::Volume)
            }
        }
    }
}
