//! Differences in defaulting between versions.

use super::difference::differences;
use super::{Gate, Gates, NEWEST_MINOR, Version};

const DEFAULTS: &str = "pkg/apis/apps/v1/defaults.go";
const CORE_DEFAULTS: &str = "pkg/apis/core/v1/defaults.go";
const META_TYPES: &str = "staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/types.go";
const IMAGES: &str = "pkg/util/parsers/parsers.go";

differences! {
    /// Defaulting behavior of an API server.
    #[derive(Copy)]
    Defaulting(version: Version, gates: &Gates) in |it| &it.defaulting;

    /// The minor, which determines the existing fields.
    minor: u32 = version.minor;
    creation_timestamp_null: bool = !version.is_from(34)
        => Defaults in META_TYPES: "template metadata has creationTimestamp: null";
    host_ports_defaulted: bool = !version.is_from(28) || gates.is_on(Gate::DefaultHostNetworkHostPortsInPodTemplates)
        => Defaults in CORE_DEFAULTS: "container ports in templates with hostNetwork get a hostPort";
    retention_policy_defaulted: bool = gates.is_on(Gate::StatefulSetAutoDeletePVC)
        => Defaults in DEFAULTS: "persistentVolumeClaimRetentionPolicy is defaulted";
    max_unavailable_defaulted: bool = gates.is_on(Gate::MaxUnavailableStatefulSet)
        => Defaults in DEFAULTS: "maxUnavailable is defaulted to 1";
    image_volumes_defaulted: bool = gates.is_on(Gate::ImageVolume)
        => Defaults in CORE_DEFAULTS: "image volumes get a pullPolicy";
    wide_registries: bool = version.is_from(29)
        => Defaults in IMAGES: "a registry with a capital letter or an IPv6 address is recognized when \
           imagePullPolicy is defaulted";
}

impl Defaulting {
    /// Returns the behavior of a version with these gates.
    pub(super) fn new(version: Version, gates: &Gates) -> Self {
        Defaulting::with(version, gates)
    }

    /// Reports whether the defaults and fields of a server of this minor are known.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.minor <= NEWEST_MINOR
    }
}
