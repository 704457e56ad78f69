//! Ownership in server-side apply: the granularity at which fields are owned.
//!
//! These are facts of the published OpenAPI documents: `x-kubernetes-list-type`, `x-kubernetes-list-map-keys` and
//! `x-kubernetes-map-type`. Within the types of a StatefulSet, the name of a list determines its ownership.

use super::fields::{Field, Kind, Shape, Zero};
use super::types;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::apiserver) enum ListOwnership {
    /// The list is owned as a whole.
    Atomic,
    /// Each value is owned separately.
    Set,
    /// Each element is owned separately, identified by the values of these members.
    ByKeys(&'static [&'static str]),
}

/// Objects that are owned as a whole.
static ATOMIC: [&Shape; 12] = [
    &types::ConfigMapKeySelector,
    &types::EvictionResponder,
    &types::FileKeySelector,
    &types::LabelSelector,
    &types::LocalObjectReference,
    &types::NodeSelector,
    &types::NodeSelectorTerm,
    &types::ObjectFieldSelector,
    &types::OwnerReference,
    &types::ResourceFieldSelector,
    &types::SecretKeySelector,
    &types::TypedLocalObjectReference,
];

/// Reports whether objects of that type are owned as a whole.
pub(in crate::apiserver) fn is_atomic(shape: &'static Shape) -> bool {
    ATOMIC.iter().any(|atomic| std::ptr::eq(*atomic, shape))
}

/// Reports whether a map of that name from strings to values is owned as a whole.
pub(in crate::apiserver) fn is_atomic_map(name: &str) -> bool {
    name == "nodeSelector"
}

pub(in crate::apiserver) fn list_ownership(name: &str, kind: Kind) -> ListOwnership {
    // A list of strings or numbers that shares its name with a list of objects has no keys.
    if !matches!(kind, Kind::Objects(_)) {
        return match name {
            "finalizers" | "bindMountOptions" => ListOwnership::Set,
            "values" if matches!(kind, Kind::Int32s) => ListOwnership::Set,
            _ => ListOwnership::Atomic,
        };
    }
    ListOwnership::ByKeys(match name {
        "containers"
        | "initContainers"
        | "ephemeralContainers"
        | "env"
        | "volumes"
        | "imagePullSecrets"
        | "resourceClaims"
        | "claims"
        | "schedulingGates"
        | "evictionResponders" => &["name"],
        "ports" => &["containerPort", "protocol"],
        "volumeMounts" => &["mountPath"],
        "volumeDevices" => &["devicePath"],
        "hostAliases" => &["ip"],
        "topologySpreadConstraints" => &["topologyKey", "whenUnsatisfiable"],
        "ownerReferences" => &["uid"],
        "conditions" => &["type"],
        "healthConditions" => &["status", "reason"],
        _ => return ListOwnership::Atomic,
    })
}

/// Returns the value of a missing key member.
pub(in crate::apiserver) fn key_default(field: &Field) -> Option<&'static str> {
    match (field.name, field.kind) {
        ("protocol", Kind::Text) => Some("\"TCP\""),
        ("name", Kind::Text) => Some("\"\""),
        (_, Kind::Text) if field.zero == Zero::Written => Some("\"\""),
        (_, Kind::Int32 | Kind::Int64) if field.zero == Zero::Written => Some("0"),
        _ => None,
    }
}
