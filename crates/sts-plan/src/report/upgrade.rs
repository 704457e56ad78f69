//! The answer to an upgrade of the control plane.

use serde::{Deserialize, Serialize};

use super::name;
use super::version_diff::{ChangedGate, VersionChange};
use super::{PlanResult, VersionDiff};
use crate::explain;
use crate::upgrade::{FieldFate, GateProblem, RefusedRequest, UpgradePath};

/// An upgrade of the control plane, one minor after the other.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReportUpgrade {
    /// The version that it begins with.
    pub from: String,
    /// The version that it ends with.
    pub to: String,
    /// The worst of its effects: `restarts` (pods restart though no template has changed), `breaks` (a set no longer gets
    /// where its specification wants it), `refuses` (a manifest is refused afterwards), `changes` or `nothing`.
    #[serde(with = "name")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub verdict: UpgradeVerdict,
    /// The answer in one sentence.
    pub summary: String,
    /// Advice, and what to see to before the upgrade; absent where there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub advice: Vec<String>,
    /// Every version that it passes through, in order; in a list of plans, what concerns all sets alike stands in the list.
    pub versions: Vec<UpgradeVersion>,
    /// The sets; of the plan of one set that set.
    pub sets: Vec<UpgradeOfSet>,
}

/// The worst effect of an upgrade.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::EnumIter)]
pub enum UpgradeVerdict {
    /// Nothing changes for these sets.
    Nothing,
    /// Something behaves in another way.
    Changes,
    /// A manifest is refused afterwards.
    Refuses,
    /// A set no longer gets where its specification wants it.
    Breaks,
    /// Pods restart.
    Restarts,
}

impl UpgradeVerdict {
    /// The verdict's name in the output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            UpgradeVerdict::Nothing => "nothing",
            UpgradeVerdict::Changes => "changes",
            UpgradeVerdict::Refuses => "refuses",
            UpgradeVerdict::Breaks => "breaks",
            UpgradeVerdict::Restarts => "restarts",
        }
    }
}

/// A version that an upgrade passes through.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct UpgradeVersion {
    /// The version; without a patch it is the last one of its minor.
    pub version: String,
    /// Changes that concern all sets alike; absent where there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<VersionChange>,
    /// Gates whose stage or default changes; absent where there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gates: Vec<ChangedGate>,
}

/// The way of one set through an upgrade.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct UpgradeOfSet {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// `spec.replicas`.
    pub replicas: i32,
    /// True where the plan leaves no set to upgrade, since it is refused or deletes it; absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub not_planned: bool,
    /// The versions at which something happens to the set, in order.
    pub versions: Vec<UpgradeStop>,
}

/// The effects of one version on a set.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct UpgradeStop {
    /// The version.
    pub version: String,
    /// The restart of pods that it leads to; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restart: Option<UpgradeRestart>,
    /// Other patches of the minor under which pods restart; absent where there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub patches: Vec<PatchRestart>,
    /// Changes that concern the set; absent where there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<VersionChange>,
    /// Fields that the API server treats in another way; absent where there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<UpgradeField>,
    /// The next rollout before and after; absent where they do not differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_rollout: Option<NextRollout>,
    /// Fields that are refused from then on; absent where there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<UpgradeRefusal>,
    /// True if the set no longer gets where its specification wants it; absent where it does.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub breaks: bool,
}

/// A restart of pods.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct UpgradeRestart {
    /// Its course.
    #[serde(flatten)]
    pub course: UpgradeCourse,
    /// True if only the encoding or the defaults of the template differ (finding STS017).
    pub spurious: bool,
}

/// The course of a rollout.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct UpgradeCourse {
    /// The result, as in `outcome.result`.
    #[serde(with = "name")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub result: PlanResult,
    /// Number of pods that are replaced.
    pub replaced: usize,
    /// Whole seconds that it takes.
    pub duration_seconds: i64,
    /// Lowest number of ready pods.
    pub lowest_ready: usize,
}

/// The next rollout, before a version and with it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NextRollout {
    /// Its course before.
    pub before: UpgradeCourse,
    /// Its course afterwards.
    pub after: UpgradeCourse,
}

/// Patches under which pods restart.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PatchRestart {
    /// The first of them.
    pub first: String,
    /// The last of them; absent where it goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
    /// Number of pods that restart.
    pub replaced: usize,
}

/// A field that the API server treats in another way.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct UpgradeField {
    /// Its path.
    pub field: String,
    /// `filled-in` or `left-out` by default; `kept` when the manifest is applied, `dropped` when the set is created from it.
    #[serde(with = "name")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub change: FieldFate,
}

/// A field that is refused.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct UpgradeRefusal {
    /// `update` (a change of the stored template) or `create` (of the set from its manifest).
    #[serde(with = "name")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub request: RefusedRequest,
    /// The path of the field.
    pub field: String,
    /// The text that the server prints after it.
    pub message: String,
}

impl ReportUpgrade {
    /// The answer for these sets, with these versions of the path.
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
        upgrade.summary = explain::upgrade_summary(&upgrade);
        upgrade.advice = explain::upgrade_advice(&upgrade, gates);
        upgrade
    }
}

impl UpgradeVersion {
    /// The versions of a path, with what concerns all sets alike.
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

    /// The versions of a path by their names.
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
    /// The patches in words: `1.34.0 to 1.34.1`, `1.35.4 and later`.
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
    /// Reports whether anything happens to the set at this version.
    pub(crate) fn is_idle(&self) -> bool {
        self.verdict() == UpgradeVerdict::Nothing && self.patches.is_empty()
    }

    /// The worst that it does.
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
