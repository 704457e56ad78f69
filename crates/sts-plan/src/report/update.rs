//! One update of a watch: the plan as it is now, with what became of the one before.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{Report, Verification, VerifiedStage};

/// A plan of a watch.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Update<'r> {
    /// The plan, as it is without a watch.
    #[serde(flatten)]
    pub plan: Cow<'r, Report>,
    /// The verification of the plan before; absent in the first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Cow<'r, Verification>>,
    /// The stage that reality is in, and whether the next may begin; absent for a change in one step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<Cow<'r, VerifiedStage>>,
}
