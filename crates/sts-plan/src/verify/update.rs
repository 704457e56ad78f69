//! Update of a watch: the current plan and the verification of the previous one.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{Verification, VerifiedStage};
use crate::report::Report;

/// Update of a watch.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Update<'r> {
    /// Current plan, in the same form as without a watch.
    #[serde(flatten)]
    pub plan: Cow<'r, Report>,
    /// Verification of the previous plan; absent in the first update.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Cow<'r, Verification>>,
    /// Stage in progress, and whether the next one may begin; absent for a change in one step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<Cow<'r, VerifiedStage>>,
}
