//! Version differences that affect nodes and evictions. No sync of the StatefulSet controller depends on them.

use jiff::SignedDuration;

use super::Version;

impl Version {
    /// Reports whether a PodDisruptionBudget can set how pods that are not ready are evicted
    /// (`spec.unhealthyPodEvictionPolicy`): gate PDBUnhealthyPodEvictionPolicy, off in 1.26, on from 1.27, always from
    /// 1.31. Upstream: `pkg/features/kube_features.go`.
    #[must_use]
    pub fn has_unhealthy_eviction_policy(self) -> bool {
        self.or_newest().is_at_least(27, 0)
    }

    /// Reports whether the API server accepts evictions of `policy/v1`.
    #[must_use]
    pub fn has_policy_v1_evictions(self) -> bool {
        self.or_newest().is_at_least(22, 0)
    }

    /// Returns how long a node may be silent until it counts as unreachable: 40s until 1.31, 50s from 1.32. Upstream:
    /// `RecommendedDefaultNodeLifecycleControllerConfiguration` in
    /// `pkg/controller/nodelifecycle/config/v1alpha1/defaults.go`.
    #[must_use]
    pub fn node_monitor_grace_period(self) -> SignedDuration {
        SignedDuration::from_secs(match self.or_newest().is_at_least(32, 0) {
            true => 50,
            false => 40,
        })
    }
}
