//! Enums displayed and parsed by name.

use std::fmt;
use std::str::FromStr;

use crate::cause::{Blames, CauseKind};
use crate::grow::PendingGrowth;
use crate::lint::{IgnoredBy, RuleId, Severity};
use crate::nodes;
use crate::options::{OptionKind, OptionsSkipped};
use crate::plan::{ObstacleReason, PlanResult, VersionSource};
use crate::report::{UpgradeVerdict, timeline};
use crate::stages::NoWayBack;
use crate::upgrade::{FieldFate, RefusedRequest};
use crate::verify;
use crate::what_if::{PartitionsSkipped, Recovery, Verdict};
use sts_controller::controller::HoldReason;
use sts_controller::name::{UnknownName, value_named};

/// Implements `Display` through the method `name`.
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

/// Implements `Display` and `FromStr` through the method `name`.
macro_rules! by_name {
    ($($named:ty),+ $(,)?) => {
        display_by_name!($($named),+);
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

display_by_name!(CauseKind, ObstacleReason);

by_name!(
    Blames,
    FieldFate,
    IgnoredBy,
    NoWayBack,
    OptionKind,
    OptionsSkipped,
    PartitionsSkipped,
    PendingGrowth,
    PlanResult,
    Recovery,
    RefusedRequest,
    RuleId,
    Severity,
    UpgradeVerdict,
    Verdict,
    VersionSource,
    nodes::Verdict,
    timeline::State,
    verify::Kind,
    verify::ObjectChange,
    verify::StaleKind,
    verify::StepState,
    verify::Verdict,
);

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
