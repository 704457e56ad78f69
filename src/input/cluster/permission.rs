//! The rights that the program needs: every request that it makes of a cluster has its entry here.

use super::resource::Resource;

/// A right that the program makes use of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Permission {
    /// The object or path of the right.
    pub target: Target,
    /// The verbs of an ordinary run, and `watch` where `-w` asks for it.
    pub verbs: &'static [&'static str],
    /// The purpose, in words that complete "to ...".
    pub why: &'static str,
    /// True if there is no plan without it.
    pub needed: bool,
    /// The uncertainty without it, as a clause.
    pub uncertain: &'static str,
}

/// The object or path of a right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// Objects of a kind.
    Objects(Resource),
    /// A path that is not an object.
    Path(&'static str),
}

/// Every right, those that are needed first. `/version` is left out: every account may read it by default.
pub const PERMISSIONS: [Permission; 12] = [
    Permission {
        target: Target::Objects(Resource::SETS),
        verbs: &["get", "list", "watch"],
        why: "read the sets that are planned, and find those of similar name or selector",
        needed: true,
        uncertain: "whether other sets select the same pods",
    },
    Permission {
        target: Target::Objects(Resource::PODS),
        verbs: &["list", "watch"],
        why: "know the state of every pod, and who has taken a name",
        needed: true,
        uncertain: "",
    },
    Permission {
        target: Target::Objects(Resource::REVISIONS),
        verbs: &["list", "watch"],
        why: "know which template each pod was made of, and what a rollback leads to",
        needed: true,
        uncertain: "",
    },
    Permission {
        target: Target::Objects(Resource::CLAIMS),
        verbs: &["list", "watch"],
        why: "know which claims exist, and who owns them",
        needed: false,
        uncertain: "which claims exist: each claim of a pod is planned as if it had to be created",
    },
    Permission {
        target: Target::Objects(Resource::BUDGETS),
        verbs: &["list"],
        why: "find the disruption budgets that a rollout passes by",
        needed: false,
        uncertain: "which disruption budgets a rollout passes by",
    },
    Permission {
        target: Target::Objects(Resource::SERVICES),
        verbs: &["list"],
        why: "check that the governing service is there and headless",
        needed: false,
        uncertain: "whether the governing service is there and headless",
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
        why: "quote what quota, admission, scheduler and kubelet said of a pod that is stuck",
        needed: false,
        uncertain: "what was said of pods that are stuck",
    },
    Permission {
        target: Target::Objects(Resource::NODES),
        verbs: &["list"],
        why: "see pods that wait on nodes that are gone",
        needed: false,
        uncertain: "whether the nodes of the pods are well",
    },
    Permission {
        target: Target::Objects(Resource::VOLUMES),
        verbs: &["list"],
        why: "see volumes that tie a pod to a place, or are kept when their claim goes",
        needed: false,
        uncertain: "what becomes of volumes, and where they tie pods to",
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
        uncertain: "which feature gates are on: they are taken to have their defaults",
    },
];

/// Every right that only a cause asks for: a plan reads these where something that went wrong is told by them, and `dump`
/// reads all.
pub const ON_DEMAND: [Permission; 8] = [
    Permission {
        target: Target::Objects(Resource::QUOTAS),
        verbs: &["list"],
        why: "see how much of a quota is used that refuses a pod",
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
        target: Target::Objects(Resource::ATTACHMENTS),
        verbs: &["list"],
        why: "see which node holds a volume that does not attach",
        needed: false,
        uncertain: "which node holds the volume",
    },
    Permission {
        target: Target::Objects(Resource::LEASES),
        verbs: &["list"],
        why: "know when the kubelet of a lost node was heard last",
        needed: false,
        uncertain: "when the kubelet of the lost node was heard last",
    },
    Permission {
        target: Target::Objects(Resource::VALIDATING_WEBHOOKS),
        verbs: &["list"],
        why: "name the service of a webhook that refuses a pod",
        needed: false,
        uncertain: "which service the webhook has that refuses the pod",
    },
    Permission {
        target: Target::Objects(Resource::MUTATING_WEBHOOKS),
        verbs: &["list"],
        why: "name the service of a webhook that refuses a pod",
        needed: false,
        uncertain: "which service the webhook has that refuses the pod",
    },
    Permission {
        target: Target::Objects(Resource::POLICIES),
        verbs: &["list"],
        why: "name the policy that refuses a pod",
        needed: false,
        uncertain: "what the policy does that refuses the pod",
    },
    Permission {
        target: Target::Objects(Resource::POLICY_BINDINGS),
        verbs: &["list"],
        why: "name the policy that refuses a pod",
        needed: false,
        uncertain: "what the policy does that refuses the pod",
    },
];
