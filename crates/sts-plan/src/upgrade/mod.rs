//! Control plane upgrades, one minor after the other: restarts, behavior changes and refused manifests.
//!
//! Each set goes through every version in turn: the next version reads the objects that the previous one left, and its
//! controller runs until the set settles.

mod blocks;
mod gates;
mod hop;
mod manifest;
mod report;
mod rollout;
mod sentence;

use serde_json::Value;

use crate::conditions::Conditions;
use crate::lint::Finding;
use crate::plan::{Outcome, Plan};
use sts_controller::object::Snapshot;
use sts_controller::simulate::Budget;

pub use gates::{GateProblem, gate_problems};
pub use manifest::{FieldFate, RefusedRequest};
pub use report::{
    NextRollout, PatchRestart, ReportUpgrade, UpgradeCourse, UpgradeField, UpgradeOfSet,
    UpgradeRefusal, UpgradeRestart, UpgradeStop, UpgradeVerdict, UpgradeVersion,
};
pub use sts_controller::version::{PatchRange, UpgradeError, UpgradePath};

/// The upgrade of one set.
#[derive(Debug, Clone)]
pub struct SetUpgrade {
    /// Versions that affect the set.
    pub set: UpgradeOfSet,
    /// Findings on needless rollouts.
    pub findings: Vec<Finding>,
}

impl SetUpgrade {
    /// Upgrades the set of a plan along a path, from the end of the plan. Without a manifest, it uses the last-applied
    /// configuration or the stored set.
    #[must_use]
    pub fn of(plan: &Plan, path: &UpgradePath, manifest: Option<&Value>) -> Self {
        let set = &plan.snapshot.set;
        // A refused or deleted set has no state to start from.
        let not_planned = matches!(plan.outcome, Outcome::Rejected(_)) || plan.deletion().is_some();
        let mut upgrade = SetUpgrade {
            set: UpgradeOfSet {
                namespace: set.meta.namespace.to_string(),
                name: set.meta.name.to_string(),
                replicas: set.replicas,
                not_planned,
                stopped_before: None,
                interrupted: false,
                versions: Vec::new(),
            },
            findings: Vec::new(),
        };
        if not_planned {
            return upgrade;
        }
        let mut here = SettledSet {
            snapshot: plan.predicted().objects().clone(),
            conditions: Conditions {
                as_recorded: false,
                ..plan.conditions.at(plan.predicted().at())
            },
        };
        let manifest = manifest.cloned();
        let manifest = manifest.unwrap_or_else(|| manifest::of_stored(&plan.snapshot.set));
        let question = plan.conditions.allowance.question();
        for stop in &path.stops {
            let hop = hop::pass(&here, stop, &manifest);
            // A version that was cut off has no result.
            if let Some(budget) = question.exhausted() {
                upgrade.set.stopped_before = Some(stop.version.to_string());
                upgrade.set.interrupted = budget == Budget::Interrupted;
                break;
            }
            upgrade.findings.extend(hop.finding.map(|found| Finding {
                message: format!("upgrade to {}: {}", hop.stop.version, found.message),
                ..found
            }));
            if !hop.stop.is_idle() {
                upgrade.set.versions.push(hop.stop);
            }
            here = hop.there;
        }
        upgrade
    }
}

/// A settled set under one version.
struct SettledSet {
    snapshot: Snapshot,
    conditions: Conditions,
}
