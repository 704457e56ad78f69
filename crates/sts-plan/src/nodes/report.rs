//! Effect of draining, cordoning or losing nodes.

use serde::{Deserialize, Serialize};

use super::{ReportMaintenance, ReportServerAnswer, Verdict};

/// Effect of draining, cordoning or losing nodes.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportNodes {
    /// Nodes that are cordoned but not drained; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cordon: Vec<String>,
    /// Nodes to drain, one after another; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drain: Vec<DrainedNode>,
    /// Nodes that stop responding, or `zone=ZONE`; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lose: Vec<String>,
    /// Outcome of the drain: `ends`, `hangs` (waits forever), `fails` (an eviction is permanently refused),
    /// `unknown` (pods come and go forever) or `no-drain`.
    pub verdict: Verdict,
    /// Time of that outcome: whole seconds since the start.
    pub at: i64,
    /// Result in one sentence.
    pub summary: String,
    /// Advice, the most urgent first; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub advice: Vec<ReportAdvice>,
    /// Affected sets; in the plan of one set, that set alone.
    pub sets: Vec<NodesOfSet>,
    /// Every node, drained alone; absent unless requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub each: Vec<ReportEachNode>,
    /// Assumptions, in sentences; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumed: Vec<String>,
    /// kubectl command of the drain; absent without a drain.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// Flags of that command, each with the pods that need it; absent without a drain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<DrainFlag>,
    /// Evicted pods that no planned set owns, and those that stay; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_pods: Vec<ReportOtherPod>,
    /// Pods of other owners on lost nodes, which are down until they are replaced; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost_pods: Vec<ReportLostPod>,
    /// Longest grace period of the evicted pods in seconds, which a pod may use up; absent if short.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longest_grace: Option<i64>,
    /// Pods that are not ready now, and without which a drain that ends would not; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rests_on: Vec<String>,
    /// Maintenance, if the nodes come back; absent otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maintenance: Option<ReportMaintenance>,
    /// Answers of the server to evictions in a dry run, beside the foretold ones; absent unless requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub server: Vec<ReportServerAnswer>,
    /// True if the pods and budgets of all namespaces were read; absent if not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all_pods_read: bool,
    /// Number of pods that the rollout removes before their eviction is granted; absent if zero.
    #[serde(default, skip_serializing_if = "crate::absent::is_default")]
    pub removed_otherwise: usize,
}

/// Flag that `kubectl drain` needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DrainFlag {
    /// The flag.
    pub flag: String,
    /// Reason in a clause.
    pub why: String,
    /// Pods that need it, `namespace/name`; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pods: Vec<String>,
}

impl DrainFlag {
    /// Reports whether a pod needs the flag, other than the one that every drain needs.
    pub(super) fn is_needed(&self) -> bool {
        !self.pods.is_empty() && self.flag != "--ignore-daemonsets"
    }
}

/// A node that is drained alone.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportEachNode {
    /// Node name.
    pub node: String,
    /// Outcome of its drain.
    pub verdict: Verdict,
    /// Time of that outcome: whole seconds since the start.
    pub at: i64,
    /// Number of evicted pods.
    pub evicted: usize,
    /// First pod that holds the drain, with the reason, in a clause; absent if the drain completes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_by: Option<String>,
    /// Pods that do not come back, `namespace/name`; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub homeless: Vec<String>,
    /// Pods that are not ready now, and without which a drain that ends would not; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rests_on: Vec<String>,
    /// Sets that lose their quorum, `namespace/name`; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loses_quorum: Vec<String>,
    /// Sets that have no ready pod for some time, `namespace/name`; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub down: Vec<String>,
    /// Flags without which kubectl evicts no pod of the node, each with the pods that need it; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<DrainFlag>,
    /// Other effects, in sentences; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<String>,
    /// kubectl command of the drain.
    pub command: String,
}

/// Node to drain.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DrainedNode {
    /// Node name.
    pub node: String,
    /// Time of completion: whole seconds since the start; absent when the drain never completes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<i64>,
}

/// Advice.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportAdvice {
    /// Condition; the action itself if there are no commands.
    pub when: String,
    /// Commands; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
    /// Risk; absent without one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub risk: String,
    /// Simulated effect; absent when not simulated.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub effect: String,
    /// Set that the advice is about, `namespace/name`; absent if it is about all.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub set: String,
}

/// Effect on one set.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NodesOfSet {
    /// Namespace of the set.
    pub namespace: String,
    /// Name of the set.
    pub name: String,
    /// `spec.replicas`.
    pub replicas: i32,
    /// Evictions, in order.
    pub evictions: Vec<ReportEviction>,
    /// Pods that the drain does not remove; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stranded: Vec<ReportStranded>,
    /// Pods that are not ready at the end; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub homeless: Vec<ReportHomeless>,
    /// Pods that come back once another pod has terminated; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub delayed: Vec<ReportHomeless>,
    /// Pods that may not come back, since other pods leave their nodes too; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uncertain: Vec<ReportHomeless>,
    /// Pods that come back on another revision only because they are evicted, each with it; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub updated: Vec<ReportMove>,
    /// Pods that tolerate the cordon and may come back on their drained node, each with it; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub returning: Vec<ReportMove>,
    /// Pods that come back only if they preempt pods of lower priority; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub preempting: Vec<ReportHomeless>,
    /// Pods whose data in `hostPath` volumes stays on the drained node; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leaving_data: Vec<ReportHomeless>,
    /// Steps that move pods off their local volumes if the nodes go for good, in order; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub for_good: Vec<ReportAdvice>,
    /// Advice to release pods on nodes that do not respond. A report over several sets merges it.
    #[serde(skip)]
    pub advice: Vec<ReportAdvice>,
    /// Maximum number of desired pods that are not ready at once.
    pub most_down: usize,
    /// Minimum number of ready pods.
    pub lowest_ready: usize,
    /// True if `lowestReady` is below the majority of three or more replicas.
    pub loses_quorum: bool,
}

/// Eviction of a pod.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportEviction {
    /// Pod name.
    pub pod: String,
    /// Node of the pod.
    pub node: String,
    /// Time of the eviction: whole seconds since the start.
    pub at: i64,
    /// Number of previous refusals by a PodDisruptionBudget.
    pub refused: usize,
    /// True if the pod is deleted although its eviction is refused; absent if not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forced: bool,
}

/// Pod of another owner on a drained node.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportOtherPod {
    /// Namespace of the pod.
    pub namespace: String,
    /// Pod name.
    pub pod: String,
    /// Owner, such as `ReplicaSet api-6c9f7d5b4`, or `no controller`.
    pub owner: String,
    /// Node of the pod.
    pub node: String,
    /// Time of the eviction: whole seconds since the start; absent when the eviction is never granted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<i64>,
    /// Number of previous refusals by a PodDisruptionBudget.
    pub refused: usize,
    /// True if the pod is deleted although its eviction is refused; absent if not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forced: bool,
    /// True if its owner creates another pod and a node accepts it, as far as the input shows.
    pub comes_back: bool,
    /// Reason why the drain does not remove it, in a clause; absent if the drain removes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stranded: Option<ReportStranded>,
}

/// Pod of another owner on a lost node.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportLostPod {
    /// Namespace of the pod.
    pub namespace: String,
    /// Pod name.
    pub pod: String,
    /// Owner, such as `ReplicaSet api-6c9f7d5b4`, or `no controller`.
    pub owner: String,
    /// Node of the pod.
    pub node: String,
    /// Time at which taint eviction deletes the pod: whole seconds since the start; absent if it never does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<i64>,
    /// True if its owner creates another pod then and a node accepts it, as far as the input shows.
    pub comes_back: bool,
}

/// Pod that a drain does not remove.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportStranded {
    /// Pod name.
    pub pod: String,
    /// Node of the pod.
    pub node: String,
    /// `budget`, `several-budgets` or `termination`.
    pub reason: StrandedReason,
    /// PodDisruptionBudgets that block the eviction; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub budgets: Vec<String>,
    /// `desiredHealthy` of the budget at that time; absent unless the counts of one budget block the eviction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub desired_healthy: Option<i64>,
    /// `currentHealthy` of the budget at that time; absent in the same cases.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_healthy: Option<i64>,
    /// Reason in a clause.
    pub message: String,
}

/// Reason why a drain does not remove a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StrandedReason {
    /// A PodDisruptionBudget blocks the eviction.
    Budget,
    /// Several PodDisruptionBudgets select the pod, so the API server refuses every eviction.
    SeveralBudgets,
    /// The pod is terminating and never ends.
    Termination,
}

string_schema!(StrandedReason);

/// Pod with the revision or the node that it comes back on.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportMove {
    /// Pod name.
    pub pod: String,
    /// Revision or node.
    pub to: String,
}

/// Pod that is not ready at the end, or comes back in another way.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportHomeless {
    /// Pod name.
    pub pod: String,
    /// Reason.
    pub message: String,
}

impl ReportNodes {
    /// Returns the report reduced to the set at an index.
    #[must_use]
    pub fn with_set(&self, at: usize) -> Self {
        ReportNodes {
            sets: self.sets.get(at).cloned().into_iter().collect(),
            ..self.clone()
        }
    }

    /// Merges the reports of different sets; the worse verdict wins.
    #[must_use]
    pub fn and(self, other: ReportNodes) -> Self {
        let rank = |verdict: Verdict| match verdict {
            Verdict::NoDrain => 0,
            Verdict::Ends => 1,
            Verdict::Unknown => 2,
            Verdict::Hangs => 3,
            Verdict::Fails => 4,
        };
        let (mut worse, better) = match rank(other.verdict) > rank(self.verdict) {
            true => (other, self),
            false => (self, other),
        };
        if worse.verdict == better.verdict && worse.summary != better.summary {
            worse.summary = format!("{}; {}", worse.summary, better.summary);
        }
        worse.at = worse.at.max(better.at);
        worse.advice.extend(better.advice);
        worse.sets.extend(better.sets);
        for pod in better.other_pods {
            let is_same = |other: &ReportOtherPod| {
                (&other.namespace, &other.pod) == (&pod.namespace, &pod.pod)
            };
            if !worse.other_pods.iter().any(is_same) {
                worse.other_pods.push(pod);
            }
        }
        for pod in better.lost_pods {
            let is_same = |other: &ReportLostPod| {
                (&other.namespace, &other.pod) == (&pod.namespace, &pod.pod)
            };
            if !worse.lost_pods.iter().any(is_same) {
                worse.lost_pods.push(pod);
            }
        }
        for flag in better.flags {
            match worse.flags.iter_mut().find(|it| it.flag == flag.flag) {
                Some(same) => same.pods.extend(flag.pods),
                None => worse.flags.push(flag),
            }
        }
        for sentence in better.assumed {
            if !worse.assumed.contains(&sentence) {
                worse.assumed.push(sentence);
            }
        }
        worse.rests_on.extend(better.rests_on);
        worse.all_pods_read &= better.all_pods_read;
        worse.server.extend(better.server);
        worse.removed_otherwise += better.removed_otherwise;
        worse
    }

    /// Reports whether the drain leaves a pod behind, or may do so: it was not tried to the end.
    #[must_use]
    pub fn strands(&self) -> bool {
        if self.verdict == Verdict::Unknown {
            return true;
        }
        let others = self.other_pods.iter().any(|pod| pod.stranded.is_some());
        let each = self.each.iter().any(ReportEachNode::is_held);
        let mut maintenance = self.maintenance.iter();
        maintenance.any(|it| it.waits_for.is_some())
            || each
            || others
            || self.sets.iter().any(|set| !set.stranded.is_empty())
    }
}
