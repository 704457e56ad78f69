//! Measured startup and termination times of a pod, for later estimates.

use serde::{Deserialize, Serialize};

/// Startup and termination times of a pod created since the start of the plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PodTimes {
    /// Pod name.
    pub pod: String,
    /// UID of the pod, which distinguishes it from others with the same name.
    pub uid: String,
    /// Whole seconds from creation to readiness.
    pub ready_seconds: i64,
    /// Whole seconds that its predecessor took to terminate; absent unless pods were replaced one after
    /// another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gone_seconds: Option<i64>,
}
