//! List merging in strategic merge patches: facts of the published API (extensions `x-kubernetes-patch-strategy` and
//! `x-kubernetes-patch-merge-key`).
//!
//! Within the types of a StatefulSet, the name of a list determines its strategy, so one table is enough.

/// Effect of a strategic merge patch on a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListMerge {
    /// The new list replaces the old one.
    Replaced,
    /// Values are added to and removed from the old list.
    AsSet,
    /// Elements with the same key are merged.
    ByKey {
        /// The key.
        key: &'static str,
        /// True if members missing from the new element are removed when anything else in it changes, so that a volume
        /// does not end up with two sources.
        retain_keys: bool,
    },
}

/// Returns the merge strategy of the list of that name.
#[must_use]
pub fn list_merge(name: &str) -> ListMerge {
    let (key, retain_keys) = match name {
        "containers"
        | "initContainers"
        | "ephemeralContainers"
        | "env"
        | "imagePullSecrets"
        | "schedulingGates" => ("name", false),
        "volumes" | "resourceClaims" => ("name", true),
        "ports" => ("containerPort", false),
        "volumeMounts" => ("mountPath", false),
        "volumeDevices" => ("devicePath", false),
        "hostAliases" => ("ip", false),
        "topologySpreadConstraints" => ("topologyKey", false),
        "ownerReferences" => ("uid", false),
        "conditions" => ("type", false),
        "finalizers" => return ListMerge::AsSet,
        _ => return ListMerge::Replaced,
    };
    ListMerge::ByKey { key, retain_keys }
}
