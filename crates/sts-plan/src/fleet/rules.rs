//! Findings in many sets, by rule.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::SetName;
use crate::lint::{RuleId, Severity};
use crate::report::Report;

/// Findings of one rule and severity in many sets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FleetFinding {
    /// ID of the rule.
    pub id: RuleId,
    /// `error`, `warning` or `info`.
    pub severity: Severity,
    /// Number of findings; a set may have several.
    pub findings: usize,
    /// Sets with the finding, in the order of the plans.
    pub sets: Vec<SetName>,
}

/// Ignored findings of one rule in many sets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FleetIgnored {
    /// ID of the rule.
    pub id: RuleId,
    /// Reason for ignoring it, with its end.
    pub why: String,
    /// Sets with the finding, in the order of the plans.
    pub sets: Vec<SetName>,
}

/// Returns the findings by severity, the worst first, then by rule.
pub(super) fn findings(reports: &[Report]) -> Vec<FleetFinding> {
    let mut by_rule: BTreeMap<(Reverse<Severity>, RuleId), FleetFinding> = BTreeMap::new();
    for report in reports {
        for finding in &report.findings {
            let (id, severity) = (finding.id, finding.severity);
            let of_rule = by_rule.entry((Reverse(severity), id));
            let of_rule = of_rule.or_insert_with(|| FleetFinding {
                id,
                severity,
                findings: 0,
                sets: Vec::new(),
            });
            of_rule.findings += 1;
            add(&mut of_rule.sets, report);
        }
    }
    by_rule.into_values().collect()
}

/// Returns the ignored findings by rule, then by reason.
pub(super) fn ignored(reports: &[Report]) -> Vec<FleetIgnored> {
    let mut by_rule: BTreeMap<(RuleId, String), Vec<SetName>> = BTreeMap::new();
    for report in reports {
        for ignored in &report.ignored {
            let key = (ignored.finding.id, ignored.why());
            add(by_rule.entry(key).or_default(), report);
        }
    }
    let all = by_rule.into_iter();
    all.map(|((id, why), sets)| FleetIgnored { id, why, sets })
        .collect()
}

/// Adds the set of a report once. Reports come one after the other.
fn add(sets: &mut Vec<SetName>, report: &Report) {
    let name = SetName::of(report);
    if sets.last() != Some(&name) {
        sets.push(name);
    }
}
