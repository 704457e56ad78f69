//! Findings on a plan.

use serde::{Deserialize, Serialize};

use crate::analysis::Analysis;
use crate::cause::Cause;
use crate::lint;
use crate::lint::{Excuse, Finding, IgnoredBy, RuleId};
use crate::plan::PlanResult;

/// Ignored finding.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct IgnoredFinding {
    /// The finding.
    #[serde(flatten)]
    pub finding: Finding,
    /// Source of the suppression: `flag`, `policy` or `annotation`.
    #[cfg_attr(test, schemars(extend("enum" = ["flag", "policy", "annotation"])))]
    pub by: IgnoredBy,
    /// Reason given; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Last day of the suppression, such as `2026-12-31`; absent when it does not expire.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
}

impl IgnoredFinding {
    pub(super) fn new(finding: Finding, excuse: &Excuse) -> Self {
        IgnoredFinding {
            finding,
            by: excuse.by,
            reason: excuse.reason.clone(),
            until: excuse.until.map(|until| until.to_string()),
        }
    }

    /// Returns the reason for ignoring it: `scratch data, until 2026-12-31`, `--ignore`.
    #[must_use]
    pub fn why(&self) -> String {
        let reason = match (&self.reason, self.by) {
            (Some(reason), _) => reason.clone(),
            (None, IgnoredBy::Flag) => "--ignore".to_owned(),
            (None, IgnoredBy::Policy) => "by the policy".to_owned(),
            (None, IgnoredBy::Annotation) => format!("annotation {}", lint::ANNOTATION),
        };
        match &self.until {
            Some(until) => format!("{reason}, until {until}"),
            None => reason,
        }
    }
}

pub(super) fn findings(analysis: &Analysis<'_>) -> Vec<Finding> {
    let findings = analysis.findings.iter();
    findings
        .map(|found| Finding {
            in_headline: is_in_headline(analysis, found),
            ..found.clone()
        })
        .collect()
}

fn is_in_headline(analysis: &Analysis<'_>, found: &Finding) -> bool {
    let is_blocked = analysis.plan.outcome.result() == PlanResult::Blocked;
    match found.id {
        RuleId::Blocked | RuleId::Rejected => true,
        RuleId::IncompleteInput => analysis.input.decisive,
        RuleId::ForcedRollback => is_blocked,
        // The headline names only one pod; if the finding covers others, only the finding names them.
        RuleId::StorageClass
        | RuleId::ClaimPending
        | RuleId::NoNode
        | RuleId::TooFewNodes
        | RuleId::MissingConfig => {
            let is_stated = |cause: &Cause| {
                cause.facts.foreseen.is_some() && found.object == format!("pod/{}", cause.pod)
            };
            is_blocked && found.others == 0 && analysis.cause().is_some_and(is_stated)
        }
        _ => false,
    }
}
