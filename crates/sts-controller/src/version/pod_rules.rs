//! Differences in pod validation between API server versions.

use super::difference::differences;

const CORE: &str = "pkg/apis/core/validation/validation.go";
const ADDRESSES: &str = "staging/src/k8s.io/apimachinery/pkg/util/validation/ip.go";

differences! {
    /// Validation behavior of an API server for pods and pod templates. Most entries have a feature gate, and these are
    /// its defaults.
    #[derive(Copy)]
    PodRules(minor: u32) in |it| &it.validation.pod;

    /// Gate RelaxedEnvironmentVariableValidation.
    relaxed_variable_names: bool = minor >= 32
        => Refusals in CORE: "variable names may contain any printable character except =";
    /// Gate RelaxedDNSSearchValidation.
    relaxed_search_domains: bool = minor >= 33
        => Refusals in CORE: "DNS search domains may contain underscores";
    /// Gate PodLifecycleSleepActionAllowZero.
    zero_sleep: bool = minor >= 33
        => Refusals in CORE: "a lifecycle hook may sleep for 0 seconds";
    /// Gate PodLevelResources.
    pod_resources: bool = minor >= 34
        => Refusals in CORE: "a pod may have pod-level resources";
    /// Gate EnvFiles.
    variable_files: bool = minor >= 35
        => Refusals in CORE: "variables may come from files";
    /// Gate ContainerRestartRules.
    container_restart_policies: bool = minor >= 35
        => Refusals in CORE: "every container may have a restartPolicy and restart rules";
    /// Gate RestartAllContainersOnContainerExits.
    restart_all_containers: bool = minor >= 36
        => Refusals in CORE: "a restart rule may restart all containers";
    /// Gate MatchLabelKeysInPodTopologySpreadSelectorMerge.
    spread_keys_merged: bool = minor >= 34
        => Refusals in CORE: "matchLabelKeys of a spread constraint are merged into its selector";
    /// Gate StrictIPCIDRValidation.
    strict_addresses: bool = minor >= 36
        => Refusals in ADDRESSES: "IP addresses must not have leading zeros";
    /// Gate VolumeAttributesClass.
    volume_attributes_class: bool = minor >= 34
        => Refusals in CORE: "volumeAttributesClassName is validated";
    node_affinity_values: bool = minor >= 32
        => Refusals in CORE: "values of required node affinity must be label values";
    host_sysctls: bool = minor >= 29
        => Refusals in CORE: "sysctls of a namespace shared with the node are rejected";
    no_devices_in_user_namespaces: bool = minor >= 34
        => Refusals in CORE: "volumeDevices are rejected with hostUsers: false";
    token_paths: bool = minor >= 30
        => Refusals in CORE: "paths of projected tokens must stay inside their volume";
    spread_selectors: bool = minor >= 27
        => Refusals in CORE: "selectors of spread constraints are validated";
    whole_huge_pages: bool = minor >= 21
        => Refusals in CORE: "huge page amounts must be multiples of the page size";
    /// Gate PodDeletionCost.
    deletion_costs: bool = minor >= 22
        => Refusals in CORE: "the annotation controller.kubernetes.io/pod-deletion-cost must be a number";
    app_armor_fields: bool = minor >= 30
        => Refusals in CORE: "appArmorProfile is a field, and the annotation must match it";
    unmasked_needs_own_users: bool = minor >= 30
        => Refusals in CORE: "procMount: Unmasked requires hostUsers: false";
    /// Their gate is off.
    comparing_tolerations: bool = minor >= 35
        => Refusals in CORE: "tolerations may compare numbers if their gate is on";
    /// Maximum number and length of search domains: gate ExpandedDNSConfig.
    search_limits: SearchLimits = if minor >= 26 { EXPANDED_SEARCH } else { SEARCH }
        => Refusals in CORE: "up to 32 DNS search domains with 2048 characters are allowed; before, 6 with 256"
            if |it| it.search_limits.domains > 6;
    init_resize_policies: bool = minor >= 36
        => Refusals in CORE: "init containers that are not sidecars must not be restarted on resize";
    empty_csi_drivers_named: bool = minor < 35
        => Words in CORE: "a CSI driver without a name causes two errors";
    pod_restart_policy_named: bool = minor >= 36
        => Words in CORE: "errors about resizePolicy name the pod's restartPolicy";
    /// Before, they report too many bytes.
    restart_rules_counted: bool = minor >= 36
        => Words in CORE: "errors about restart rules count items";
    zero_sleep_gate_named: bool = minor >= 32
        => Words in CORE: "errors about a sleep of 0 seconds name the gate";
    limits_shown: bool = minor >= 27
        => Words in CORE: "errors about requests show the limit";
}

/// Limits of a pod's list of search domains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchLimits {
    /// Number of domains.
    pub domains: usize,
    /// Total number of characters, including separators.
    pub characters: usize,
}

const SEARCH: SearchLimits = SearchLimits {
    domains: 6,
    characters: 256,
};
const EXPANDED_SEARCH: SearchLimits = SearchLimits {
    domains: 32,
    characters: 2048,
};

impl PodRules {
    pub(super) fn for_minor(minor: u32) -> Self {
        PodRules::with(minor)
    }
}
