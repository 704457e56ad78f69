//! The plans of any number of sets, in one document.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{ApiVersion, DocumentKind, Report, ReportNodes, ReportUpgrade, Unplanned};

/// The plans of any number of sets.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportList<'r> {
    /// `sts-plan/v1`.
    #[cfg_attr(test, schemars(with = "String"))]
    pub api_version: ApiVersion,
    /// `PlanList`.
    #[cfg_attr(test, schemars(with = "String", extend("const" = "PlanList")))]
    pub kind: DocumentKind,
    /// The plans, by namespace and name.
    pub items: Cow<'r, [Report]>,
    /// The sets that could not be planned, in the same order; absent when there is none.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub errors: Cow<'r, [Unplanned]>,
    /// The course of a drain, or of nodes that are cordoned or lost, over all sets; absent unless it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<Cow<'r, ReportNodes>>,
    /// An upgrade of the control plane, over all sets; absent unless it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upgrade: Option<Cow<'r, ReportUpgrade>>,
}

fn is_empty(errors: &[Unplanned]) -> bool {
    errors.is_empty()
}

impl<'r> ReportList<'r> {
    /// A list of plans.
    #[must_use]
    pub fn new(items: &'r [Report]) -> Self {
        ReportList {
            api_version: ApiVersion::V1,
            kind: DocumentKind::PlanList,
            items: Cow::Borrowed(items),
            errors: Cow::Borrowed(&[]),
            nodes: None,
            upgrade: None,
        }
    }

    /// The same list, with what becomes of nodes.
    #[must_use]
    pub fn with_nodes(self, nodes: Option<&'r ReportNodes>) -> Self {
        ReportList {
            nodes: nodes.map(Cow::Borrowed),
            ..self
        }
    }

    /// The same list, with what an upgrade does.
    #[must_use]
    pub fn with_upgrade(self, upgrade: Option<&'r ReportUpgrade>) -> Self {
        ReportList {
            upgrade: upgrade.map(Cow::Borrowed),
            ..self
        }
    }

    /// The same list, with the sets that could not be planned.
    #[must_use]
    pub fn with_errors(self, errors: &'r [Unplanned]) -> Self {
        ReportList {
            errors: Cow::Borrowed(errors),
            ..self
        }
    }

    /// The one plan that there is, where no other set was to be planned: it is shown as a plan, not as a list.
    #[must_use]
    pub fn alone(&self) -> Option<&Report> {
        match (&*self.items, &*self.errors) {
            ([report], []) => Some(report),
            _ => None,
        }
    }
}
