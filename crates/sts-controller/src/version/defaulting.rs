//! In which respects defaulting differs from version to version.

/// Named behaviours of an API server's defaulting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ApiRules {
    /// The minor, which decides the fields that exist.
    pub minor: u32,
    /// The patch.
    pub patch: u32,
    /// `creationTimestamp: null` is written into metadata (up to 1.33).
    pub creation_timestamp_null: bool,
    /// With `hostNetwork`, ports of templates get their `containerPort` as `hostPort`
    /// (up to 1.27, and up to 1.30 with `DefaultHostNetworkHostPortsInPodTemplates`).
    pub host_ports_defaulted: bool,
    /// `persistentVolumeClaimRetentionPolicy` is filled in
    /// (from 1.27; from 1.23 with `StatefulSetAutoDeletePVC`).
    pub retention_policy_defaulted: bool,
    /// `maxUnavailable: 1` is filled in (from 1.24 with `MaxUnavailableStatefulSet` switched on by hand).
    ///
    /// That gate is on by default in 1.35.0 to 1.35.3, but what was recorded of 1.35.3 shows no such default;
    /// the controller takes a missing value for 1 anyway.
    pub max_unavailable_defaulted: bool,
    /// Image volumes get a `pullPolicy` (from 1.35; from 1.31 with `ImageVolume`).
    pub image_volumes_defaulted: bool,
    /// Registries of images may be IPv6 addresses, and a first part with a capital letter is one (from 1.29).
    pub wide_registries: bool,
}

impl ApiRules {
    /// The behaviours of a version. `gates` says whether a feature gate was switched on or off by hand;
    /// none leaves it at the default of the version.
    #[must_use]
    pub fn for_version(minor: u32, patch: u32, gates: &dyn Fn(&str) -> Option<bool>) -> Self {
        let gate = |name, default| gates(name).unwrap_or(default);
        Self {
            minor,
            patch,
            creation_timestamp_null: minor <= 33,
            host_ports_defaulted: match minor {
                ..=27 => true,
                28..=30 => gate("DefaultHostNetworkHostPortsInPodTemplates", false),
                _ => false,
            },
            retention_policy_defaulted: match minor {
                ..=22 => false,
                23..=31 => gate("StatefulSetAutoDeletePVC", minor >= 27),
                _ => true,
            },
            max_unavailable_defaulted: minor >= 24 && gate("MaxUnavailableStatefulSet", false),
            image_volumes_defaulted: match minor {
                ..=30 => false,
                31..=35 => gate("ImageVolume", minor >= 35),
                _ => true,
            },
            wide_registries: minor >= 29,
        }
    }
}
