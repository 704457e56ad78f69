//! The filters of the scheduler, and how far a plan checks them when nodes are changed.

/// A filter plugin of kube-scheduler's default profile.
#[derive(Debug, Clone, Copy)]
pub struct SchedulerFilter {
    /// Name of the plugin.
    pub name: &'static str,
    /// Part that is checked.
    pub checked: &'static str,
}

const fn filter(name: &'static str, checked: &'static str) -> SchedulerFilter {
    SchedulerFilter { name, checked }
}

/// The filter plugins of Kubernetes 1.36, by name (`pkg/scheduler/framework/plugins/registry.go`).
pub const SCHEDULER_FILTERS: [SchedulerFilter; 14] = [
    filter("DynamicResources", "not checked"),
    filter(
        "InterPodAffinity",
        "required terms of both sides, for pods that stay",
    ),
    filter("NodeAffinity", "nodeSelector and required terms"),
    filter("NodeDeclaredFeatures", "not checked"),
    filter("NodeName", "checked"),
    filter("NodePorts", "host ports of pods that stay"),
    filter(
        "NodeResourcesFit",
        "requests of the pods read, with preemption",
    ),
    filter("NodeUnschedulable", "checked"),
    filter("NodeVolumeLimits", "CSI volumes, by the limits of CSINodes"),
    filter("PodTopologySpread", "pods of the same set only"),
    filter("TaintToleration", "checked"),
    filter(
        "VolumeBinding",
        "bound volumes and classes, not free capacity",
    ),
    filter("VolumeRestrictions", "not checked"),
    filter("VolumeZone", "checked"),
];
