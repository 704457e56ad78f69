//! Assumptions of a plan.

use serde::{Deserialize, Serialize};

use crate::plan::{Bearing, Plan, PlanAssumption};

/// Assumption of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportAssumption {
    /// The object that it is about, such as `pod/web-2`; empty for a note.
    pub subject: String,
    /// Assumption in a clause.
    pub what: String,
    /// The reason, or what was read; empty without one.
    pub why: String,
    /// The flag that changes it; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flag: Option<String>,
    /// True if the outcome rests on it.
    pub essential: bool,
    /// True if the outcome rests on it, and what was read speaks against it; absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub against_evidence: bool,
    /// True if the input does not tell; absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unknown: bool,
}

pub(super) fn assumed(plan: &Plan) -> Vec<ReportAssumption> {
    let result = plan.outcome.result();
    let items = plan.assumptions.items.iter();
    let items = items.map(|item| {
        let bearing = item.bearing(result);
        ReportAssumption {
            subject: item.subject(),
            what: item.what(),
            why: item.why(),
            flag: item.flag(),
            essential: bearing > Bearing::None,
            against_evidence: bearing == Bearing::AgainstEvidence,
            unknown: matches!(item, PlanAssumption::Unknown(_)),
        }
    });
    items.collect()
}
