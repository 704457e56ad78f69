//! Merging of lists in strategic merge patches: facts of the published API, where they are the extensions
//! `x-kubernetes-patch-strategy` and `x-kubernetes-patch-merge-key`.
//!
//! In the types that a StatefulSet consists of, the name of a list decides it, so that one table does.

/// The effect of a strategic merge patch on a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListMerge {
    /// The new list takes the place of the old one.
    Replaced,
    /// Values are added to and removed from the old list.
    AsSet,
    /// Elements with the same value of a member are merged with each other.
    ByKey {
        /// The member.
        key: &'static str,
        /// Members that the new element lacks go, if anything else in it changes: so that a volume does not
        /// end up with two sources.
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
