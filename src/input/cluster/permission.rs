//! Permissions: every request to a cluster has an entry here.

use super::resource::Resource;

/// A permission that the program uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Permission {
    /// Resource or path.
    pub target: Target,
    /// Verbs of an ordinary run; `watch` is for `-w`.
    pub verbs: &'static [&'static str],
    /// Purpose, after "to".
    pub why: &'static str,
    /// True if no plan is possible without it.
    pub needed: bool,
    /// The resulting uncertainty, as a clause.
    pub uncertain: &'static str,
}

/// Resource or path of a permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// Objects of a kind.
    Objects(Resource),
    /// A non-resource path.
    Path(&'static str),
}

/// All permissions, required ones first. `/version` is omitted: every account can read it by default.
pub const PERMISSIONS: [Permission; 12] = [
    Permission {
        target: Target::Objects(Resource::SETS),
        verbs: &["get", "list", "watch"],
        why: "read the sets to plan, and find sets with similar names or selectors",
        needed: true,
        uncertain: "whether other sets select the same pods",
    },
    Permission {
        target: Target::Objects(Resource::PODS),
        verbs: &["list", "watch"],
        why: "know the state of every pod, and find name conflicts",
        needed: true,
        uncertain: "",
    },
    Permission {
        target: Target::Objects(Resource::REVISIONS),
        verbs: &["list", "watch"],
        why: "know the template of each pod, and the target of a rollback",
        needed: true,
        uncertain: "",
    },
    Permission {
        target: Target::Objects(Resource::CLAIMS),
        verbs: &["list", "watch"],
        why: "know which claims exist, and their owners",
        needed: false,
        uncertain: "which claims exist: each claim of a pod is planned as if it had to be created",
    },
    Permission {
        target: Target::Objects(Resource::BUDGETS),
        verbs: &["list"],
        why: "find disruption budgets that a rollout ignores",
        needed: false,
        uncertain: "which disruption budgets a rollout ignores",
    },
    Permission {
        target: Target::Objects(Resource::SERVICES),
        verbs: &["list"],
        why: "check that the governing service exists and is headless",
        needed: false,
        uncertain: "whether the governing service exists and is headless",
    },
    Permission {
        target: Target::Objects(Resource::AUTOSCALERS),
        verbs: &["list"],
        why: "find autoscalers that set the replicas",
        needed: false,
        uncertain: "whether an autoscaler sets the replicas",
    },
    Permission {
        target: Target::Objects(Resource::EVENTS),
        verbs: &["list"],
        why: "quote messages of quota, admission, scheduler and kubelet about stuck pods",
        needed: false,
        uncertain: "why pods are stuck",
    },
    Permission {
        target: Target::Objects(Resource::NODES),
        verbs: &["list"],
        why: "find pods on lost nodes",
        needed: false,
        uncertain: "whether the nodes of the pods are healthy",
    },
    Permission {
        target: Target::Objects(Resource::VOLUMES),
        verbs: &["list"],
        why: "find volumes that bind a pod to a node or zone, or outlive their claim",
        needed: false,
        uncertain: "whether volumes are kept, and where they bind pods to",
    },
    Permission {
        target: Target::Objects(Resource::STORAGE_CLASSES),
        verbs: &["list"],
        why: "know whether volumes can be expanded",
        needed: false,
        uncertain: "whether volumes can be expanded",
    },
    Permission {
        target: Target::Path("/metrics"),
        verbs: &["get"],
        why: "read which feature gates are on",
        needed: false,
        uncertain: "which feature gates are on: defaults are assumed",
    },
];

/// Permissions for objects that only some causes need. A plan reads these only for a problem that needs them; `dump`
/// reads all.
pub const ON_DEMAND: [Permission; 9] = [
    Permission {
        target: Target::Objects(Resource::QUOTAS),
        verbs: &["list"],
        why: "see the usage of a quota that refuses a pod",
        needed: false,
        uncertain: "how much of the quota is used",
    },
    Permission {
        target: Target::Objects(Resource::LIMIT_RANGES),
        verbs: &["list"],
        why: "quote the limits that refuse a pod",
        needed: false,
        uncertain: "which limits refuse the pod",
    },
    Permission {
        target: Target::Objects(Resource::CSI_NODES),
        verbs: &["list"],
        why: "know how many volumes a node takes, for --drain and --lose",
        needed: false,
        uncertain: "how many volumes a node takes",
    },
    Permission {
        target: Target::Objects(Resource::ATTACHMENTS),
        verbs: &["list"],
        why: "see which node holds a volume that does not attach",
        needed: false,
        uncertain: "which node holds the volume",
    },
    Permission {
        target: Target::Objects(Resource::LEASES),
        verbs: &["list"],
        why: "know when a lost node last sent a heartbeat",
        needed: false,
        uncertain: "when the lost node last sent a heartbeat",
    },
    Permission {
        target: Target::Objects(Resource::VALIDATING_WEBHOOKS),
        verbs: &["list"],
        why: "name the service of a webhook that refuses a pod",
        needed: false,
        uncertain: "which service the refusing webhook has",
    },
    Permission {
        target: Target::Objects(Resource::MUTATING_WEBHOOKS),
        verbs: &["list"],
        why: "name the service of a webhook that refuses a pod",
        needed: false,
        uncertain: "which service the refusing webhook has",
    },
    Permission {
        target: Target::Objects(Resource::POLICIES),
        verbs: &["list"],
        why: "name the policy that refuses a pod",
        needed: false,
        uncertain: "what the refusing policy does",
    },
    Permission {
        target: Target::Objects(Resource::POLICY_BINDINGS),
        verbs: &["list"],
        why: "name the policy that refuses a pod",
        needed: false,
        uncertain: "what the refusing policy does",
    },
];

/// Permissions in all namespaces, which actions on nodes use beyond those of the planned namespaces.
pub const OF_NODES: [Permission; 2] = [
    Permission {
        target: Target::Objects(Resource::PODS),
        verbs: &["list"],
        why: "know the pods of all namespaces on the nodes",
        needed: false,
        uncertain: "which pods of other namespaces are on the nodes",
    },
    Permission {
        target: Target::Objects(Resource::BUDGETS),
        verbs: &["list"],
        why: "know the budgets of those pods",
        needed: false,
        uncertain: "which budgets of other namespaces hold a drain",
    },
];
