//! Enums displayed, parsed and serialized by name. The answer to a question declares its own beside them.

use std::fmt;
use std::str::FromStr;

use crate::analysis;
use crate::change::FieldValidation;
use crate::explain::ConflictChoice;
use crate::grant::GrantedKind;
use crate::grow::PendingGrowth;
use crate::lint::{IgnoredBy, RuleId, Severity};
use crate::plan::{NowSource, ObstacleReason, PlanResult, VersionSource};
use crate::report::{ReportReason, SetState, StepEvent, timeline};
use crate::requirement::Quantity;
use crate::verify;
use crate::version_diff::ChangeKind;
use sts_controller::controller::HoldReason;
use sts_controller::name::UnknownName;
use sts_controller::named;

/// Describes types as strings in the schemas, which list no names.
macro_rules! string_schema {
    ($($named:ty),+ $(,)?) => {$(
        #[cfg(test)]
        impl schemars::JsonSchema for $named {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                String::schema_name()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                String::json_schema(generator)
            }
        }
    )+};
}

/// Serializes types as the engine's macros of the same names do, and describes them as strings in the schemas.
macro_rules! serialized {
    ($kind:ident: $($named:ty),+ $(,)?) => {
        sts_controller::$kind!($($named),+);
        string_schema!($($named),+);
    };
}

serialized!(by_name:
    ConflictChoice,
    IgnoredBy,
    NowSource,
    PendingGrowth,
    PlanResult,
    SetState,
    Severity,
    VersionSource,
    timeline::State,
    verify::ObjectChange,
    verify::StaleKind,
    verify::StepState,
    verify::Verdict,
);
named!(
    crate::catalogue::Blames,
    ChangeKind,
    FieldValidation,
    GrantedKind,
    Quantity,
    analysis::Verdict,
);
serialized!(text_by_name:
    RuleId,
    verify::Kind
);
serialized!(serde_by_text: ObstacleReason, ReportReason, StepEvent);
string_schema!(
    crate::catalogue::Blames,
    ChangeKind,
    crate::report::ApiVersion,
    crate::plan_diff::DiffTopic,
    crate::report::DocumentKind,
    crate::report::StageBegins,
    crate::report::StrandedReason,
    crate::report::UnplannedResult,
);

impl fmt::Display for ObstacleReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl FromStr for ObstacleReason {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let own = [
            ObstacleReason::CreationRefused,
            ObstacleReason::Error,
            ObstacleReason::Inactive,
        ];
        match own.into_iter().find(|reason| reason.name() == name) {
            Some(reason) => Ok(reason),
            None => name.parse::<HoldReason>().map(ObstacleReason::Hold),
        }
    }
}
