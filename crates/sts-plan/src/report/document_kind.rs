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

/// Value of `kind`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum DocumentKind {
    /// A [`Report`](super::Report).
    Plan,
    /// A [`ReportList`](super::ReportList).
    PlanList,
    /// A [`Verification`](super::Verification).
    Verification,
    /// A [`VerificationList`](super::VerificationList).
    VerificationList,
    /// A [`PlanDiff`](super::PlanDiff).
    PlanDiff,
    /// A [`PlanDiffList`](super::PlanDiffList).
    PlanDiffList,
    /// A [`VersionDiff`](super::VersionDiff).
    VersionDiff,
}
