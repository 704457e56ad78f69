//! Checks of an answer: expectations whose violation fails a run.

/// Rule that a violated check breaks.
#[derive(Debug, PartialEq, Eq)]
pub struct CheckRule {
    /// ID in formats for programs.
    pub id: &'static str,
    /// Title of a violation.
    pub title: &'static str,
    /// Label of a violation for people.
    pub label: &'static str,
}

/// Result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckResult {
    /// The expectation holds.
    Holds,
    /// The expectation is violated.
    Broken,
    /// The check did not finish.
    Unknown,
}

/// Expectation of an answer, and its result.
#[derive(Debug, Clone)]
pub struct Check {
    /// Rule.
    pub rule: &'static CheckRule,
    /// Name of the check among tests.
    pub test: String,
    /// Name of a violation among problems.
    pub title: String,
    /// Result.
    pub result: CheckResult,
    /// Violation in a sentence; empty unless it is violated.
    pub message: String,
    /// Output of the check as a test; may be empty.
    pub output: String,
    /// Violation at the end of a summary: `BREAKS quorum`.
    pub alarm: String,
    /// Reason of the exit code of a check that does not hold, as the predicate of a sentence about the set.
    pub reason: String,
    /// Reason of the exit code of a check that holds only on an assumption against the evidence; `None` if it does not rest
    /// on the assumptions of the plan.
    pub reason_on_assumption: Option<String>,
}
