//! A claim that grows, or is to: whether the API server lets it, and how far it has got.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;

use sts_controller::apiserver::quantity::Quantity;
use sts_controller::object::{Claim, ClaimTemplate, RelatedObjects, Set, Snapshot, time};

/// The reason that a claim cannot grow, as the API server's plugin `PersistentVolumeClaimResize` sees it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CannotGrow {
    /// It is not bound.
    Unbound,
    /// It has no StorageClass.
    NoClass,
    /// This class does not allow it.
    Class(String),
}

/// The condition for a claim to grow: met as far as the input shows, or unknown.
pub(crate) enum Condition {
    Met,
    /// This class is not in the input.
    Unknown(String),
}

/// Reports whether the API server lets a claim grow (1.36: `plugin/pkg/admission/storage/persistentvolume/resize`).
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

/// The StorageClass that a claim names. The annotation is older, and counts first.
pub(crate) fn class_of(claim: &Claim) -> Option<String> {
    let given = claim.given()?;
    let annotation = &given["metadata"]["annotations"]["volume.beta.kubernetes.io/storage-class"];
    let class = annotation
        .as_str()
        .or_else(|| given["spec"]["storageClassName"].as_str())?;
    (!class.is_empty()).then(|| class.to_owned())
}

/// The claims of a template that are there.
pub(crate) fn claims_of<'a>(
    template: &ClaimTemplate,
    set: &Set,
    snapshot: &'a Snapshot,
) -> impl Iterator<Item = &'a Arc<Claim>> {
    let prefix = format!("{}-{}-", template.name, set.meta.name);
    let claims = snapshot.claims.iter();
    claims.filter_map(move |(name, claim)| {
        let ordinal = name.strip_prefix(prefix.as_str())?;
        (!ordinal.is_empty() && ordinal.bytes().all(|byte| byte.is_ascii_digit())).then_some(claim)
    })
}

/// The storage that a claim or a template asks for, or that a claim has.
pub(crate) fn quantity(text: Option<&str>) -> Option<Quantity> {
    Quantity::parse(text?).ok()
}

/// The step of its growth that a claim is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Pending {
    /// The storage has not made the volume larger.
    Volume,
    /// The file system is still to grow.
    FileSystem,
    /// It failed, in the words of the one who tried.
    Failed(String),
}

impl Pending {
    /// Returns how far a claim has grown that is to grow, and since when that is so. Upstream:
    /// `PersistentVolumeClaimConditionType` and `ClaimResourceStatus` in `staging/src/k8s.io/api/core/v1/types.go`.
    pub(crate) fn of(claim: &Claim, status: &Value) -> Option<(Pending, Option<Timestamp>)> {
        let conditions = status["conditions"].as_array().into_iter().flatten();
        let on: Vec<&Value> = conditions
            .filter(|condition| condition["status"] == "True")
            .collect();
        let called = |kind: &str| on.iter().find(|condition| condition["type"] == kind);
        let since = |condition: &Value| time(condition["lastTransitionTime"].as_str()?);
        for kind in ["NodeResizeError", "ControllerResizeError"] {
            if let Some(condition) = called(kind) {
                let message = condition["message"].as_str().unwrap_or_default();
                return Some((Pending::Failed(message.to_owned()), since(condition)));
            }
        }
        let recorded = status["allocatedResourceStatuses"]["storage"].as_str();
        if let Some(infeasible @ ("ControllerResizeInfeasible" | "NodeResizeInfeasible")) = recorded
        {
            return Some((Pending::Failed(infeasible.to_owned()), None));
        }
        if let Some(condition) = called("FileSystemResizePending") {
            return Some((Pending::FileSystem, since(condition)));
        }
        let resizing = called("Resizing");
        let wanted = quantity(claim.storage.as_deref())?;
        let has = quantity(status["capacity"]["storage"].as_str())?;
        (wanted > has).then(|| {
            let since = resizing.and_then(|condition| since(condition));
            (Pending::Volume, since)
        })
    }
}

/// The part of a claim that is still to grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumIter)]
pub enum PendingGrowth {
    /// The volume, and its file system after that.
    Volume,
    /// The file system of a volume that has grown.
    FileSystem,
}

impl PendingGrowth {
    /// Returns the part of a claim that is still to grow; `None` where it has the storage that it asks for.
    #[must_use]
    pub fn of(claim: &Claim) -> Option<Self> {
        let status = claim.given()?["status"].clone();
        match Pending::of(claim, &status)?.0 {
            Pending::FileSystem => Some(PendingGrowth::FileSystem),
            Pending::Volume | Pending::Failed(_) => Some(PendingGrowth::Volume),
        }
    }

    /// The part's name in the output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            PendingGrowth::Volume => "volume",
            PendingGrowth::FileSystem => "file-system",
        }
    }
}
