//! Enums that are written and read by the names of their values.

use std::fmt;
use std::str::FromStr;

use crate::cause::CauseKind;
use crate::lint::{RuleId, Severity};
use crate::nodes;
use crate::plan::{ObstacleReason, PlanResult, VersionSource};
use crate::verify;
use crate::what_if::{PartitionsSkipped, Recovery, Verdict};
use sts_controller::controller::HoldReason;
use sts_controller::name::{UnknownName, value_named};

/// Displays the values of these types by their `name`.
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
    nodes::Verdict,
    verify::Kind,
    verify::ObjectChange,
    verify::StaleKind,
    verify::StepState,
    verify::Verdict,
);

/// Parses the values of these types from what they display.
macro_rules! parse_by_name {
    ($($named:ty),+ $(,)?) => {
        $(
            impl FromStr for $named {
                type Err = UnknownName;

                fn from_str(name: &str) -> Result<Self, UnknownName> {
                    value_named(name)
                }
            }
        )+
    };
}

parse_by_name!(PlanResult, RuleId, Severity, VersionSource);

impl FromStr for ObstacleReason {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let own = [ObstacleReason::CreationRefused, ObstacleReason::Error];
        match own.into_iter().find(|reason| reason.name() == name) {
            Some(reason) => Ok(reason),
            None => name.parse::<HoldReason>().map(ObstacleReason::Hold),
        }
    }
}
