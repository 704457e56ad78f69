//! Periods of pods.

use serde::{Deserialize, Serialize};

use super::timeline::State;

/// Period with a constant pod state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PodPeriod {
    /// `available`, `ready` (not yet available), `notReady`, `failed` or `terminating`.
    pub state: State,
    /// Revision of the pod; empty without one.
    pub revision: String,
    /// Start: whole seconds since the start of the plan.
    pub from: i64,
    /// End; absent when the period has no known end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<i64>,
}

impl PodPeriod {
    /// Reports whether `next` continues this period with the same state and revision.
    #[must_use]
    pub fn continues_in(&self, next: &PodPeriod) -> bool {
        self.to == Some(next.from) && (self.state, &self.revision) == (next.state, &next.revision)
    }
}
