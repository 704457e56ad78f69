//! Enums that are shown by the names of their values.

use std::fmt;

use crate::cause::CauseKind;
use crate::diff;
use crate::lint::{RuleId, Severity};
use crate::plan::{ObstacleReason, PlanResult, VersionSource};
use crate::what_if::{PartitionsSkipped, Recovery, Verdict};

/// Shows the values of these types by what their `name` says.
macro_rules! display_by_name {
    ($($named:ty),+ $(,)?) => {
        $(
            impl fmt::Display for $named {
                fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                    out.write_str(self.name())
                }
            }
        )+
    };
}

display_by_name!(
    CauseKind,
    ObstacleReason,
    PartitionsSkipped,
    PlanResult,
    Recovery,
    RuleId,
    Severity,
    Verdict,
    VersionSource,
    diff::Kind,
    diff::ObjectChange,
    diff::StaleKind,
    diff::StepState,
    diff::Verdict,
);
