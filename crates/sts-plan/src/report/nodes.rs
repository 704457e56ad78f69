//! The answer to what is done to nodes.

use serde::{Deserialize, Serialize};

use super::name;
use crate::nodes::Verdict;

/// The course of a drain, or of nodes that are cordoned or lost.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportNodes {
    /// Nodes that are cordoned and not drained; absent when there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cordon: Vec<String>,
    /// Nodes to drain, one after the other; absent when there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drain: Vec<DrainedNode>,
    /// Nodes that stop answering, or `zone=ZONE`; absent when there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lose: Vec<String>,
    /// Of a drain: `ends`, `hangs` (it waits for ever), `fails` (an eviction is refused for good) or `unknown` (pods come
    /// and go for ever); `no-drain` where none is drained.
    #[serde(with = "name")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub verdict: Verdict,
    /// When the drain comes to that: whole seconds since the beginning.
    pub at: i64,
    /// The answer in one sentence.
    pub summary: String,
    /// The advice, the first thing to do first; absent when nothing is needed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub advice: Vec<ReportAdvice>,
    /// Each set that is concerned; of the plan of one set that set.
    pub sets: Vec<NodesOfSet>,
}

/// A node to drain.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct DrainedNode {
    /// Its name.
    pub node: String,
    /// When it is drained: whole seconds since the beginning; absent when it never is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<i64>,
}

/// One thing that helps.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportAdvice {
    /// The condition under which it is right; where there is no command, what to do.
    pub when: String,
    /// The commands; absent where there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
    /// The risk that it takes; absent when there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub risk: String,
    /// The effect, by the simulation; absent where none was simulated.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub effect: String,
}

/// The course of one set.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NodesOfSet {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// `spec.replicas`.
    pub replicas: i32,
    /// The evictions, in order.
    pub evictions: Vec<ReportEviction>,
    /// The pods that the drain does not get rid of; absent when there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stranded: Vec<ReportStranded>,
    /// The pods that are not ready at the end; absent when there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub homeless: Vec<ReportHomeless>,
    /// The ways to release pods that stay on nodes that do not answer; the answer has those of all sets.
    #[serde(skip)]
    pub advice: Vec<ReportAdvice>,
    /// The most wanted pods that are not ready at one moment.
    pub most_down: usize,
    /// Lowest number of ready pods.
    pub lowest_ready: usize,
    /// True if that is less than a majority of three replicas or more.
    pub loses_quorum: bool,
}

/// A pod that is evicted.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportEviction {
    /// The pod.
    pub pod: String,
    /// Its node.
    pub node: String,
    /// When: whole seconds since the beginning.
    pub at: i64,
    /// Number of times that a budget refused it before.
    pub refused: usize,
}

/// A pod that a drain does not get rid of.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportStranded {
    /// The pod.
    pub pod: String,
    /// Its node.
    pub node: String,
    /// `budget`, `several-budgets` or `termination`.
    #[cfg_attr(test, schemars(with = "String"))]
    pub reason: StrandedReason,
    /// The budgets; absent where none keeps it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub budgets: Vec<String>,
    /// `desiredHealthy` of the budget at that moment; absent where it is not one budget that keeps it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub desired_healthy: Option<i64>,
    /// `currentHealthy` of the budget at that moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_healthy: Option<i64>,
    /// The reason in a clause.
    pub message: String,
}

/// The reason that a drain does not get rid of a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StrandedReason {
    /// A budget keeps it.
    Budget,
    /// Several budgets select it, and then the API server refuses every eviction.
    SeveralBudgets,
    /// It is terminating, and does not end.
    Termination,
}

/// A pod that is not ready at the end.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportHomeless {
    /// The pod.
    pub pod: String,
    /// The reason.
    pub message: String,
}

impl ReportNodes {
    /// The same answer with the set at that place alone.
    #[must_use]
    pub fn with_set(&self, at: usize) -> Self {
        ReportNodes {
            sets: self.sets.get(at).cloned().into_iter().collect(),
            ..self.clone()
        }
    }

    /// The same with the answer for other sets: the worse of both.
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
        worse
    }

    /// Reports whether a drain does not get rid of a pod of these sets.
    #[must_use]
    pub fn strands(&self) -> bool {
        self.sets.iter().any(|set| !set.stranded.is_empty())
    }
}
