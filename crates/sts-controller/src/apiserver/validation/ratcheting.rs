//! Rules that a changed pod template is exempt from, since the stored one already violates them.

/// Rules that do not apply, since the stored template already violates them.
#[derive(Debug, Clone, Copy, Default)]
#[allow(clippy::struct_excessive_bools)]
pub(super) struct Ratcheting {
    /// Values of selectors in pod affinity.
    pub(super) selector_values: bool,
    /// Values of required node affinity.
    pub(super) node_values: bool,
    pub(super) spread_selectors: bool,
    pub(super) spread_keys: bool,
    pub(super) token_paths: bool,
    pub(super) host_sysctls: bool,
    pub(super) selinux_policies: bool,
    pub(super) deletion_cost: bool,
    pub(super) huge_pages: bool,
    /// Block devices in a pod with its own user namespace.
    pub(super) user_devices: bool,
    /// The host network in a pod with its own user namespace.
    pub(super) host_network_users: bool,
    /// Init containers that restart on resize.
    pub(super) init_resize_policies: bool,
}
