//! Evictions as foretold, and the server's answers to them.

use serde::{Deserialize, Serialize};

/// Eviction of a pod now: foretold, and the server's answer to a dry run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportServerAnswer {
    /// Namespace of the pod.
    pub namespace: String,
    /// Pod name.
    pub pod: String,
    /// Node of the pod.
    pub node: String,
    /// True if the eviction is foretold to be granted.
    pub foretold: bool,
    /// Reason that it is foretold to be refused, in a clause; absent if granted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foretold_reason: Option<String>,
    /// Answer of the server.
    pub answer: ServerAnswer,
    /// Message of the server; absent if granted or not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// Answer of a server to an eviction in a dry run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ServerAnswer {
    /// The eviction would be granted.
    Granted,
    /// A budget refuses it for now (429).
    Refused,
    /// It fails (any other error), such as with several budgets.
    Fails,
    /// The pod no longer exists.
    Gone,
    /// The account may not evict pods, or the server was not asked.
    NotAsked,
}

impl ReportServerAnswer {
    /// Reports whether the server was asked and answers otherwise than foretold.
    #[must_use]
    pub fn differs(&self) -> bool {
        match self.answer {
            ServerAnswer::Granted => !self.foretold,
            ServerAnswer::Refused | ServerAnswer::Fails => self.foretold,
            ServerAnswer::Gone => true,
            ServerAnswer::NotAsked => false,
        }
    }
}
