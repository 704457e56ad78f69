//! The times that a pod took, which estimates of later rollouts can rest on.

use serde::{Deserialize, Serialize};

/// The times that a pod took that was made since the plan began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PodTimes {
    /// The pod's name.
    pub pod: String,
    /// Its uid, which tells it from others of its name.
    pub uid: String,
    /// Whole seconds from its creation until it was ready.
    pub ready_seconds: i64,
    /// Whole seconds that the pod before it took to go, where pods were replaced one after the other; absent elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gone_seconds: Option<i64>,
}
