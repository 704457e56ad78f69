//! Extent of the findings, which a question about a plan asks for.

/// The extent of the checks. What no output shows is not simulated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Errors.
    Errors,
    /// Also what is or will be the case.
    Actual,
    /// Also the consequences of a pod failure, which apply to most rollouts.
    #[default]
    Hypothetical,
}
