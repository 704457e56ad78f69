//! The options in the middle of a rollout.

use serde::{Deserialize, Serialize};

use super::name;
use crate::explain::report_option;
use crate::options::{OptionKind, OptionsSkipped, PlanOptions};
use crate::plan::{Plan, PlanResult};

/// The options in the middle of a rollout.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportOptions {
    /// The options, to go on first, then what helps against obstacles.
    pub items: Vec<ReportOption>,
    /// The owner of the set, or the tool that deploys it, which may revert what is changed by hand; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub managed_by: Option<String>,
    /// The reason that there is none.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "name::optional"
    )]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub skipped: Option<OptionsSkipped>,
}

/// Something that can be done now, and its effect from now on.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportOption {
    /// `go-on`, `fix`, `replace-each`, `pause`, `advance`, `resume`, `max-unavailable`, `parallel`, `roll-back` or
    /// `roll-back-moved`.
    #[serde(rename = "option", with = "name")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub kind: OptionKind,
    /// The commands, in order; empty to go on.
    pub commands: Vec<String>,
    /// When it is the right one; absent when always.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub precondition: String,
    /// The risk that it brings, and what to mind; absent when there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub risk: String,
    /// `complete`, `blocked` or `livelock`.
    #[serde(with = "name")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub result: PlanResult,
    /// The same with what it costs, in one sentence.
    pub effect: String,
    /// Whole seconds until nothing is left to happen.
    pub after_seconds: i64,
    /// Number of times that a pod is replaced.
    pub restarts: usize,
    /// Number of pods that are not of the template's revision then.
    pub outdated: usize,
    /// `spec.replicas`.
    pub replicas: i32,
    /// The most wanted pods that are not ready at one moment.
    pub most_down: usize,
    /// Lowest number of ready pods.
    pub lowest_ready: usize,
    /// True if that is less than a majority of three replicas or more.
    pub loses_quorum: bool,
    /// The claims that go on the way, with what they hold; absent when there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost_claims: Vec<String>,
}

pub(super) fn options(plan: &Plan, options: &PlanOptions) -> ReportOptions {
    match options {
        PlanOptions::Told(told, managed_by) => ReportOptions {
            items: told.iter().map(|it| report_option(plan, it)).collect(),
            managed_by: managed_by.as_ref().map(ToString::to_string),
            skipped: None,
        },
        PlanOptions::Skipped(why) => ReportOptions {
            items: Vec::new(),
            managed_by: None,
            skipped: Some(*why),
        },
    }
}
