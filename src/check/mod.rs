//! What is worth knowing about a plan besides what it does: one rule a file.

mod spurious_rollout;

use crate::plan::Plan;

/// Something worth knowing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Its stable id, such as `STS017`.
    pub id: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// One line.
    pub message: String,
    /// The object that it is about, such as `statefulset/web`.
    pub object: String,
    /// Where to read on.
    pub docs: &'static str,
}

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Good to know.
    Info,
    /// Probably not what is wanted.
    Warning,
    /// Harm is done.
    Error,
}

impl Severity {
    /// The severity's name in the output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// All findings on a plan, by id.
#[must_use]
pub fn findings(plan: &Plan) -> Vec<Finding> {
    let rules: [fn(&Plan) -> Option<Finding>; 1] = [spurious_rollout::check];
    rules.iter().filter_map(|rule| rule(plan)).collect()
}
