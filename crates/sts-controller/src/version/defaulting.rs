//! Differences in defaulting between versions.

use super::{Gate, Gates, NEWEST_MINOR, Version};

/// Defaulting behavior of an API server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Defaulting {
    /// The minor, which determines the existing fields.
    pub minor: u32,
    /// `creationTimestamp: null` is written into metadata (up to 1.33).
    pub creation_timestamp_null: bool,
    /// With `hostNetwork`, ports in templates get their `containerPort` as `hostPort` (up to 1.27, and up to 1.30 with
    /// `DefaultHostNetworkHostPortsInPodTemplates`).
    pub host_ports_defaulted: bool,
    /// `persistentVolumeClaimRetentionPolicy` is defaulted (from 1.27; from 1.23 with `StatefulSetAutoDeletePVC`).
    pub retention_policy_defaulted: bool,
    /// `maxUnavailable: 1` is defaulted: from 1.24 with `MaxUnavailableStatefulSet`, which is on by default in 1.35.0
    /// to 1.35.3 and from 1.37.
    pub max_unavailable_defaulted: bool,
    /// Image volumes get a `pullPolicy` (from 1.35; from 1.31 with `ImageVolume`).
    pub image_volumes_defaulted: bool,
    /// An image registry may be an IPv6 address, and a first part with a capital letter is a registry (from 1.29).
    pub wide_registries: bool,
}

impl Defaulting {
    /// Reports whether the defaults and fields of a server of this minor are known.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.minor <= NEWEST_MINOR
    }

    /// Returns the behavior of a version with these gates.
    pub(super) fn new(version: Version, gates: &Gates) -> Self {
        let from = |minor| version.is_at_least(minor, 0);
        Self {
            minor: version.minor,
            creation_timestamp_null: !from(34),
            host_ports_defaulted: !from(28)
                || gates.is_on(Gate::DefaultHostNetworkHostPortsInPodTemplates),
            retention_policy_defaulted: gates.is_on(Gate::StatefulSetAutoDeletePVC),
            max_unavailable_defaulted: gates.is_on(Gate::MaxUnavailableStatefulSet),
            image_volumes_defaulted: gates.is_on(Gate::ImageVolume),
            wide_registries: from(29),
        }
    }
}
