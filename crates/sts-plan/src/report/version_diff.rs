//! The differences between two Kubernetes versions, as a program reads them.

use serde::Serialize;

use super::API_VERSION;
use sts_controller::version::{GateChange, RowChange, Stage, Version, changed_gates, changed_rows};

/// The differences between two Kubernetes versions for StatefulSets, with the defaults of their gates.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct VersionDiff {
    /// `sts-plan/v1`.
    pub api_version: &'static str,
    /// `VersionDiff`.
    #[cfg_attr(test, schemars(extend("const" = "VersionDiff")))]
    pub kind: &'static str,
    /// The first version.
    pub from: String,
    /// The second version.
    pub to: String,
    /// The changes, by area.
    pub changes: Vec<VersionChange>,
    /// The gates that change, by name.
    pub gates: Vec<ChangedGate>,
}

/// One change between two versions.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct VersionChange {
    /// `controller`, `defaults`, `refusals` or `words`.
    pub area: &'static str,
    /// `begins` or `ends`.
    pub change: &'static str,
    /// The statement that begins or ceases to hold.
    pub what: &'static str,
    /// The later version of the two between which it changed.
    pub version: String,
    /// The file of the Kubernetes sources, or of Go's, that decides it.
    pub source: &'static str,
}

/// A feature gate that changes.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ChangedGate {
    /// The gate's name.
    pub name: &'static str,
    /// The gate in the first version; absent where it does not exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<GateState>,
    /// The gate in the second version; absent where it does not exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<GateState>,
}

/// A feature gate in one version.
#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct GateState {
    /// `alpha`, `beta`, `GA` or `deprecated`.
    pub stage: &'static str,
    /// True if it is on by default.
    pub default: bool,
}

impl VersionDiff {
    /// The differences between two versions.
    #[must_use]
    pub fn new(from: Version, to: Version) -> Self {
        VersionDiff {
            api_version: API_VERSION,
            kind: "VersionDiff",
            from: from.to_string(),
            to: to.to_string(),
            changes: changed_rows(from, to).into_iter().map(change).collect(),
            gates: changed_gates(from, to).into_iter().map(gate).collect(),
        }
    }
}

fn change(change: RowChange) -> VersionChange {
    VersionChange {
        area: change.row.area.name(),
        change: if change.begins { "begins" } else { "ends" },
        what: change.row.what,
        version: change.version.to_string(),
        source: change.row.source,
    }
}

fn gate(change: GateChange) -> ChangedGate {
    let state = |(stage, default): (Stage, bool)| GateState {
        stage: stage.name(),
        default,
    };
    ChangedGate {
        name: change.gate.name(),
        from: change.from.map(state),
        to: change.to.map(state),
    }
}
