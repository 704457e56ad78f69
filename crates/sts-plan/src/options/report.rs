//! Options during a rollout.

use serde::{Deserialize, Serialize};

use super::{OptionKind, OptionsSkipped};
use crate::plan::PlanResult;

/// Options during a rollout.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportOptions {
    /// Options: continuing first, then remedies for obstacles.
    pub items: Vec<ReportOption>,
    /// Number of kinds of options that were not tried within the budget; absent for none.
    #[serde(default, skip_serializing_if = "crate::absent::is_default")]
    pub left_out: usize,
    /// Owner of the set, or the tool that deploys it, which may revert manual changes; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub managed_by: Option<String>,
    /// Reason why there are no options.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<OptionsSkipped>,
}

/// Possible action and its effect from now on.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportOption {
    /// `go-on`, `fix`, `replace-each`, `pause`, `advance`, `resume`, `max-unavailable`, `parallel`, `roll-back` or
    /// `roll-back-moved`.
    #[serde(rename = "option")]
    pub kind: OptionKind,
    /// Commands, in order; empty for `go-on`.
    pub commands: Vec<String>,
    /// Condition for the option; absent when it always applies.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub precondition: String,
    /// Risks and cautions; absent without any.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub risk: String,
    /// `complete`, `blocked` or `livelock`.
    pub result: PlanResult,
    /// Result and cost in one sentence.
    pub effect: String,
    /// Whole seconds until nothing is left to happen.
    pub after_seconds: i64,
    /// Number of pod replacements.
    pub restarts: usize,
    /// Number of pods that are not on the template's revision at the end.
    pub outdated: usize,
    /// `spec.replicas`.
    pub replicas: i32,
    /// Maximum number of desired pods that are not ready at once.
    pub most_down: usize,
    /// Minimum number of ready pods.
    pub lowest_ready: usize,
    /// True if `lowestReady` is below the majority of three or more replicas.
    pub loses_quorum: bool,
    /// Claims that are deleted together with their data; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost_claims: Vec<String>,
}
