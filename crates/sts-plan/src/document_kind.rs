//! Version and kind of a document.

use serde::{Deserialize, Serialize};

/// Version of the output.
pub const API_VERSION: &str = "sts-plan/v1";

/// Value of `apiVersion`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ApiVersion {
    /// [`API_VERSION`].
    #[default]
    #[serde(rename = "sts-plan/v1")]
    V1,
}

string_schema!(ApiVersion);

/// Value of `kind`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum DocumentKind {
    /// A [`Report`](crate::report::Report).
    Plan,
    /// A [`ReportList`](crate::fleet::ReportList).
    PlanList,
    /// A [`Verification`](crate::verify::Verification).
    Verification,
    /// A [`VerificationList`](crate::verify::VerificationList).
    VerificationList,
    /// A [`PlanDiff`](crate::plan_diff::PlanDiff).
    PlanDiff,
    /// A [`PlanDiffList`](crate::plan_diff::PlanDiffList).
    PlanDiffList,
    /// A [`VersionDiff`](crate::version_diff::VersionDiff).
    VersionDiff,
}

string_schema!(DocumentKind);
