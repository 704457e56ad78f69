//! Effect of a control plane upgrade.

use serde::{Deserialize, Serialize};

use super::sentence::{upgrade_advice, upgrade_summary};
use super::{FieldFate, GateProblem, RefusedRequest, UpgradePath};
use crate::plan::PlanResult;
use crate::version_diff::{ChangedGate, VersionChange, VersionDiff};

/// Effect of a control plane upgrade, one minor version at a time.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportUpgrade {
    /// Version before the upgrade.
    pub from: String,
    /// Version after the upgrade.
    pub to: String,
    /// Worst effect: `restarts` (pods restart without a template change), `breaks` (a set no longer reaches its
    /// specification), `refuses` (a manifest is rejected afterwards), `changes` or `nothing`.
    pub verdict: UpgradeVerdict,
    /// Result in one sentence.
    pub summary: String,
    /// Advice, including preparations before the upgrade; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub advice: Vec<String>,
    /// Versions on the path, in order. In a list of plans, changes common to all sets appear only in the list.
    pub versions: Vec<UpgradeVersion>,
    /// Affected sets; in the plan of one set, that set alone.
    pub sets: Vec<UpgradeOfSet>,
}

/// Worst effect of an upgrade.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::EnumIter, strum::IntoStaticStr,
)]
#[strum(serialize_all = "kebab-case")]
pub enum UpgradeVerdict {
    /// Nothing changes for these sets.
    Nothing,
    /// Some behavior changes.
    Changes,
    /// A manifest is rejected afterwards.
    Refuses,
    /// A set no longer reaches its specification.
    Breaks,
    /// Pods restart.
    Restarts,
}

serialized!(by_name: UpgradeVerdict);

/// Version on an upgrade path.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct UpgradeVersion {
    /// Version; without a patch, the last patch of the minor.
    pub version: String,
    /// Changes common to all sets; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<VersionChange>,
    /// Feature gates with a changed stage or default; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gates: Vec<ChangedGate>,
}

/// Effect of an upgrade on one set.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct UpgradeOfSet {
    /// Namespace of the set.
    pub namespace: String,
    /// Name of the set.
    pub name: String,
    /// `spec.replicas`.
    pub replicas: i32,
    /// True if the change is rejected or deletes the set, so that there is nothing to upgrade; absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub not_planned: bool,
    /// Version before which the simulation stopped, because its budget was spent or the user interrupted it; absent
    /// otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped_before: Option<String>,
    /// True if the user interrupted the simulation; absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// Versions that affect the set, in order.
    pub versions: Vec<UpgradeStop>,
}

/// Effects of one version on a set.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct UpgradeStop {
    /// Version.
    pub version: String,
    /// Pod restarts; absent without any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restart: Option<UpgradeRestart>,
    /// Other patches of the minor that restart pods; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub patches: Vec<PatchRestart>,
    /// Changes that concern the set; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<VersionChange>,
    /// Fields that the API server treats differently; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<UpgradeField>,
    /// Next rollout before and after; absent when they are equal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_rollout: Option<NextRollout>,
    /// Fields rejected from this version on; absent when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<UpgradeRefusal>,
    /// True if the set no longer reaches its specification; absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub breaks: bool,
}

/// Restart of pods.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct UpgradeRestart {
    /// Course of the restart.
    #[serde(flatten)]
    pub course: UpgradeCourse,
    /// True if the template differs only in its encoding or defaults (finding STS017).
    pub spurious: bool,
}

/// Course of a rollout.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct UpgradeCourse {
    /// Result, as in `outcome.result`.
    pub result: PlanResult,
    /// Number of replaced pods.
    pub replaced: usize,
    /// Duration in whole seconds.
    pub duration_seconds: i64,
    /// Minimum number of ready pods.
    pub lowest_ready: usize,
}

/// Next rollout before and after a version change.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NextRollout {
    /// Course before.
    pub before: UpgradeCourse,
    /// Course after.
    pub after: UpgradeCourse,
}

/// Patches that restart pods.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PatchRestart {
    /// First patch.
    pub first: String,
    /// Last patch; absent for an open range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
    /// Number of restarted pods.
    pub replaced: usize,
}

/// Field that the API server treats differently.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct UpgradeField {
    /// Field path.
    pub field: String,
    /// `filled-in` or `left-out` (defaulting); `kept` (applying the manifest) or `dropped` (creating the set
    /// from it).
    pub change: FieldFate,
}

/// Rejected field.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct UpgradeRefusal {
    /// `update` (of the stored template) or `create` (from the manifest).
    pub request: RefusedRequest,
    /// Field path.
    pub field: String,
    /// Server's message after the path.
    pub message: String,
}

impl ReportUpgrade {
    /// Creates the report for these sets and versions.
    #[must_use]
    pub fn new(
        path: &UpgradePath,
        versions: Vec<UpgradeVersion>,
        gates: &[GateProblem],
        sets: Vec<UpgradeOfSet>,
    ) -> Self {
        let verdict = sets
            .iter()
            .flat_map(|set| &set.versions)
            .map(UpgradeStop::verdict);
        let mut upgrade = ReportUpgrade {
            from: path.from.to_string(),
            to: path.to().to_string(),
            verdict: verdict.max().unwrap_or(UpgradeVerdict::Nothing),
            summary: String::new(),
            advice: Vec::new(),
            versions,
            sets,
        };
        upgrade.summary = upgrade_summary(&upgrade);
        upgrade.advice = upgrade_advice(&upgrade, gates);
        upgrade
    }
}

impl UpgradeVersion {
    /// Returns the versions of a path, with the changes common to all sets.
    #[must_use]
    pub fn all(path: &UpgradePath) -> Vec<Self> {
        let mut before = path.from;
        let versions = path.stops.iter().map(|stop| {
            let (changes, gates) = VersionDiff::general(before, stop.version);
            before = stop.version;
            UpgradeVersion {
                version: stop.version.to_string(),
                changes,
                gates,
            }
        });
        versions.collect()
    }

    /// Returns the versions of a path without their changes.
    #[must_use]
    pub fn names(path: &UpgradePath) -> Vec<Self> {
        let versions = path.stops.iter().map(|stop| UpgradeVersion {
            version: stop.version.to_string(),
            changes: Vec::new(),
            gates: Vec::new(),
        });
        versions.collect()
    }
}

impl PatchRestart {
    /// Describes the patches: `1.34.0 to 1.34.1`, `1.35.4 and later`.
    #[must_use]
    pub fn range(&self) -> String {
        match &self.last {
            Some(last) if *last == self.first => self.first.clone(),
            Some(last) => format!("{} to {last}", self.first),
            None => format!("{} and later", self.first),
        }
    }
}

impl UpgradeStop {
    /// Reports whether the version has no effect on the set.
    pub(crate) fn is_idle(&self) -> bool {
        self.verdict() == UpgradeVerdict::Nothing && self.patches.is_empty()
    }

    /// Returns the worst effect of the version.
    #[must_use]
    pub fn verdict(&self) -> UpgradeVerdict {
        match self {
            stop if stop.restart.is_some() => UpgradeVerdict::Restarts,
            stop if stop.breaks => UpgradeVerdict::Breaks,
            stop if !stop.refused.is_empty() => UpgradeVerdict::Refuses,
            stop if stop.changes.is_empty()
                && stop.fields.is_empty()
                && stop.next_rollout.is_none() =>
            {
                UpgradeVerdict::Nothing
            }
            _ => UpgradeVerdict::Changes,
        }
    }
}
