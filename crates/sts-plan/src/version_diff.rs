//! Differences between two Kubernetes versions.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::document_kind::{ApiVersion, DocumentKind};
use sts_controller::version::{
    Area, Gate, GateChange, RowChange, Stage, Version, changed_gates, changed_rows,
};

/// Differences between two Kubernetes versions for StatefulSets, with default feature gates.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct VersionDiff {
    /// `sts-plan/v1`.
    pub api_version: ApiVersion,
    /// `VersionDiff`.
    #[cfg_attr(test, schemars(extend("const" = "VersionDiff")))]
    pub kind: DocumentKind,
    /// First version.
    pub from: String,
    /// Second version.
    pub to: String,
    /// Changes, by area.
    pub changes: Vec<VersionChange>,
    /// Changed feature gates, by name.
    pub gates: Vec<ChangedGate>,
}

/// Change between two versions.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct VersionChange {
    /// `controller`, `defaults`, `refusals` or `words`.
    #[cfg_attr(test, schemars(with = "String"))]
    pub area: Area,
    /// `begins` or `ends`.
    pub change: ChangeKind,
    /// Statement that begins or ceases to hold.
    pub what: Cow<'static, str>,
    /// First version with the change.
    pub version: String,
    /// Source file in Kubernetes or Go that decides it.
    pub source: Cow<'static, str>,
}

impl VersionChange {
    /// Names the area for people: a statement of `refusals` may be about values that are accepted.
    #[must_use]
    pub fn area_in_words(&self) -> &'static str {
        match self.area {
            Area::Refusals => "validation",
            area => area.name(),
        }
    }
}

/// Direction of a change between two versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    /// The statement begins to hold.
    Begins,
    /// The statement ceases to hold.
    Ends,
}

sts_controller::named!(ChangeKind);
string_schema!(ChangeKind);

impl ChangeKind {
    pub(crate) fn of(begins: bool) -> Self {
        match begins {
            true => ChangeKind::Begins,
            false => ChangeKind::Ends,
        }
    }
}

/// Changed feature gate.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ChangedGate {
    /// Gate name.
    #[cfg_attr(test, schemars(with = "String"))]
    pub name: Gate,
    /// Gate in the first version; absent when it does not exist there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<GateState>,
    /// Gate in the second version; absent when it does not exist there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<GateState>,
}

/// State of a feature gate in one version.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct GateState {
    /// `alpha`, `beta`, `GA` or `deprecated`.
    #[cfg_attr(test, schemars(with = "String"))]
    pub stage: Stage,
    /// True if the gate is enabled by default.
    pub default: bool,
}

impl VersionDiff {
    /// Compares two versions.
    #[must_use]
    pub fn new(from: Version, to: Version) -> Self {
        VersionDiff {
            api_version: ApiVersion::V1,
            kind: DocumentKind::VersionDiff,
            from: from.to_string(),
            to: to.to_string(),
            changes: changed_rows(from, to).into_iter().map(change).collect(),
            gates: changed_gates(from, to).into_iter().map(gate).collect(),
        }
    }

    /// Returns the changes common to all sets and the changed feature gates.
    pub(super) fn general(from: Version, to: Version) -> (Vec<VersionChange>, Vec<ChangedGate>) {
        let rows = changed_rows(from, to).into_iter();
        let general = rows.filter(|change| change.row.is_general());
        let gates = changed_gates(from, to).into_iter();
        (general.map(change).collect(), gates.map(gate).collect())
    }
}

fn change(change: RowChange) -> VersionChange {
    VersionChange {
        area: change.row.area,
        change: ChangeKind::of(change.begins),
        what: change.row.what.into(),
        version: change.version.to_string(),
        source: change.row.source.into(),
    }
}

fn gate(change: GateChange) -> ChangedGate {
    let state = |(stage, default): (Stage, bool)| GateState { stage, default };
    ChangedGate {
        name: change.gate,
        from: change.from.map(state),
        to: change.to.map(state),
    }
}
