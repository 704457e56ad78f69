//! Plans of several sets in one document.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::groups::{self, FleetGroup, FleetRow};
use super::{FleetFinding, FleetIgnored, Tally, rules, urgency};
use crate::answer::{Answer, asked};
use crate::report::{ApiVersion, DocumentKind, Report, ReportNodes, ReportUpgrade, Unplanned};

/// Plans of several sets.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportList<'r> {
    /// `sts-plan/v1`.
    pub api_version: ApiVersion,
    /// `PlanList`.
    #[cfg_attr(test, schemars(extend("const" = "PlanList")))]
    pub kind: DocumentKind,
    /// Number of sets in each state.
    pub tally: Tally,
    /// Sets that are stuck for the same cause, the largest group first; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<FleetGroup>,
    /// Indices of `items`, the most urgent set first.
    pub by_urgency: Vec<usize>,
    /// Findings by severity, the worst first, then by rule; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<FleetFinding>,
    /// Ignored findings by rule; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<FleetIgnored>,
    /// Plans, by namespace and name.
    pub items: Cow<'r, [Report]>,
    /// Sets that could not be planned, in the same order; absent when empty.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub errors: Cow<'r, [Unplanned]>,
    /// Effect of draining, cordoning or losing nodes, across all sets; absent unless requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<Cow<'r, ReportNodes>>,
    /// Effect of a control plane upgrade, across all sets; absent unless requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upgrade: Option<Cow<'r, ReportUpgrade>>,
}

fn is_empty(errors: &[Unplanned]) -> bool {
    errors.is_empty()
}

impl<'r> ReportList<'r> {
    /// Creates a list of plans.
    #[must_use]
    pub fn new(items: &'r [Report]) -> Self {
        let by_urgency = urgency::order(items);
        let sorted = by_urgency.iter().filter_map(|at| items.get(*at));
        ReportList {
            api_version: ApiVersion::V1,
            kind: DocumentKind::PlanList,
            tally: Tally::of(items.iter().map(|report| report.state)),
            groups: groups::groups(sorted),
            by_urgency,
            findings: rules::findings(items),
            ignored: rules::ignored(items),
            items: Cow::Borrowed(items),
            errors: Cow::Borrowed(&[]),
            nodes: None,
            upgrade: None,
        }
    }

    /// Adds the effect of node changes.
    #[must_use]
    pub fn with_nodes(self, nodes: Option<&'r ReportNodes>) -> Self {
        ReportList {
            nodes: nodes.map(Cow::Borrowed),
            ..self
        }
    }

    /// Adds the effect of an upgrade.
    #[must_use]
    pub fn with_upgrade(self, upgrade: Option<&'r ReportUpgrade>) -> Self {
        ReportList {
            upgrade: upgrade.map(Cow::Borrowed),
            ..self
        }
    }

    /// Adds the sets that could not be planned.
    #[must_use]
    pub fn with_errors(self, errors: &'r [Unplanned]) -> Self {
        ReportList {
            tally: self.tally.with_unplanned(errors.len()),
            errors: Cow::Borrowed(errors),
            ..self
        }
    }

    /// Returns the only plan, which is printed as a plan instead of a list; `None` if other sets were
    /// requested.
    #[must_use]
    pub fn alone(&self) -> Option<&Report> {
        match (&*self.items, &*self.errors) {
            ([report], []) => Some(report),
            _ => None,
        }
    }

    /// Returns the answers about all sets together.
    #[must_use]
    pub fn answers(&self) -> Vec<Box<dyn Answer + '_>> {
        let all = [asked(self.nodes.as_deref()), asked(self.upgrade.as_deref())];
        all.into_iter().flatten().collect()
    }

    /// Returns the plans, the most urgent first.
    #[must_use]
    pub fn most_urgent_first(&self) -> Vec<&Report> {
        let order = self.by_urgency.iter();
        order.filter_map(|at| self.items.get(*at)).collect()
    }

    /// Returns a row for each group, the largest first, then one for each other plan, the most urgent first.
    #[must_use]
    pub fn rows(&self) -> Vec<FleetRow<'_>> {
        groups::rows(&self.groups, &self.most_urgent_first())
    }
}
