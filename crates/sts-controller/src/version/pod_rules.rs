//! Differences in pod validation between API server versions.

/// Validation behavior of an API server for pods and pod templates. Most entries have a feature gate, and these are its
/// defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PodRules {
    /// Variables may have any printable name (RelaxedEnvironmentVariableValidation): from 1.32.
    pub relaxed_variable_names: bool,
    /// Search domains may have underscores (RelaxedDNSSearchValidation): from 1.33.
    pub relaxed_search_domains: bool,
    /// A hook may sleep for zero seconds (PodLifecycleSleepActionAllowZero): from 1.33.
    pub zero_sleep: bool,
    /// A pod has resources of its own (PodLevelResources): from 1.34.
    pub pod_resources: bool,
    /// Variables may come from files (EnvFiles): from 1.35.
    pub variable_files: bool,
    /// Containers may have a `restartPolicy` without being sidecars (ContainerRestartRules): from 1.35.
    pub container_restart_policies: bool,
    /// Such a rule may restart all containers (RestartAllContainersOnContainerExits): from 1.36.
    pub restart_all_containers: bool,
    /// `matchLabelKeys` of a spread constraint become part of its selector
    /// (MatchLabelKeysInPodTopologySpreadSelectorMerge): from 1.34.
    pub spread_keys_merged: bool,
    /// Addresses have to be spelled without leading zeros (StrictIPCIDRValidation): from 1.36.
    pub strict_addresses: bool,
    /// The name of a `VolumeAttributesClass` is validated (VolumeAttributesClass): from 1.34.
    pub volume_attributes_class: bool,
    /// Label values of required node affinity are validated: from 1.32.
    pub node_affinity_values: bool,
    /// A sysctl of a namespace that the pod shares with its node is rejected: from 1.29.
    pub host_sysctls: bool,
    /// Volume devices are rejected if the pod has its own user namespace: from 1.34.
    pub no_devices_in_user_namespaces: bool,
    /// Paths of projected tokens may not lead out of their volume: from 1.30.
    pub token_paths: bool,
    /// Selectors of spread constraints are validated: from 1.27.
    pub spread_selectors: bool,
    /// Huge page requests must be whole pages: from 1.21.
    pub whole_huge_pages: bool,
    /// A deletion cost must be a number (PodDeletionCost): from 1.22.
    pub deletion_costs: bool,
    /// An AppArmor profile is a field, and an annotation must match it: from 1.30.
    pub app_armor_fields: bool,
    /// An unmasked `/proc` requires a user namespace: from 1.30.
    pub unmasked_needs_own_users: bool,
    /// Messages about a sleep of zero seconds name the gate that allows it: from 1.32.
    pub zero_sleep_gate_named: bool,
    /// Tolerations that compare numbers are known, with their gate off: from 1.35.
    pub comparing_tolerations: bool,
    /// Messages about requests show the limit: from 1.27.
    pub limits_shown: bool,
    /// Maximum number and length of search domains: higher from 1.26 (ExpandedDNSConfig).
    pub search_limits: SearchLimits,
    /// Messages about a CSI driver without a name state the error twice: until 1.34.
    pub empty_csi_drivers_named: bool,
    /// Messages about resizing name the pod's `restartPolicy`: from 1.36.
    pub pod_restart_policy_named: bool,
    /// Messages about restart rules count items: from 1.36. Before, they report too many bytes.
    pub restart_rules_counted: bool,
    /// An init container that terminates must not require a restart on resize: from 1.36.
    pub init_resize_policies: bool,
}

/// Limits of a pod's list of search domains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchLimits {
    /// Number of domains.
    pub domains: usize,
    /// Total number of characters, including separators.
    pub characters: usize,
}

impl PodRules {
    pub(super) fn for_minor(minor: u32) -> Self {
        let from = |first| minor >= first;
        Self {
            relaxed_variable_names: from(32),
            relaxed_search_domains: from(33),
            zero_sleep: from(33),
            pod_resources: from(34),
            variable_files: from(35),
            container_restart_policies: from(35),
            restart_all_containers: from(36),
            spread_keys_merged: from(34),
            strict_addresses: from(36),
            volume_attributes_class: from(34),
            node_affinity_values: from(32),
            host_sysctls: from(29),
            no_devices_in_user_namespaces: from(34),
            token_paths: from(30),
            spread_selectors: from(27),
            whole_huge_pages: from(21),
            deletion_costs: from(22),
            app_armor_fields: from(30),
            unmasked_needs_own_users: from(30),
            zero_sleep_gate_named: from(32),
            comparing_tolerations: from(35),
            limits_shown: from(27),
            search_limits: if from(26) {
                SearchLimits {
                    domains: 32,
                    characters: 2048,
                }
            } else {
                SearchLimits {
                    domains: 6,
                    characters: 256,
                }
            },
            empty_csi_drivers_named: !from(35),
            pod_restart_policy_named: from(36),
            restart_rules_counted: from(36),
            init_resize_policies: from(36),
        }
    }
}
