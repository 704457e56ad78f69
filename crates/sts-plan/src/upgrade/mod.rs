//! Upgrades of the control plane, one minor after the other: which sets restart, what changes for them, and which
//! manifests are refused afterwards.
//!
//! Each set is taken through every version in turn: the objects as the version before left them are read as the next one
//! reads them, and its controller goes on from there until nothing is left to happen.

mod gates;
mod hop;
mod manifest;
mod rollout;

use serde_json::Value;

use crate::conditions::Conditions;
use crate::plan::{Outcome, Plan};
use crate::report::{Finding, UpgradeOfSet};
use sts_controller::object::Snapshot;

pub use gates::{GateProblem, gate_problems};
pub use manifest::{FieldFate, RefusedRequest};
pub use sts_controller::version::{PatchRange, UpgradeError, UpgradePath};

/// The way of one set through an upgrade.
#[derive(Debug, Clone)]
pub struct SetUpgrade {
    /// The versions at which something happens to it.
    pub set: UpgradeOfSet,
    /// The findings on rollouts that the upgrade starts without need.
    pub findings: Vec<Finding>,
}

impl SetUpgrade {
    /// Takes the set of a plan through the versions of a path, from where the plan ends. The manifest is the one that people
    /// apply; without it, the one that `kubectl apply` has last applied, or the stored set.
    #[must_use]
    pub fn of(plan: &Plan, path: &UpgradePath, manifest: Option<&Value>) -> Self {
        let set = &plan.snapshot.set;
        // A set that is refused or deleted has no state to go on from.
        let not_planned = matches!(plan.outcome, Outcome::Rejected(_)) || plan.deletion().is_some();
        let mut upgrade = SetUpgrade {
            set: UpgradeOfSet {
                namespace: set.meta.namespace.to_string(),
                name: set.meta.name.to_string(),
                replicas: set.replicas,
                not_planned,
                versions: Vec::new(),
            },
            findings: Vec::new(),
        };
        if not_planned {
            return upgrade;
        }
        let mut here = Stand {
            snapshot: plan.progression.world.snapshot().clone(),
            conditions: Conditions {
                as_recorded: false,
                ..plan.conditions.at(plan.progression.world.now())
            },
        };
        let manifest = manifest.cloned();
        let manifest = manifest.unwrap_or_else(|| manifest::of_stored(&plan.snapshot.set));
        for stop in &path.stops {
            let passage = hop::pass(&here, stop, &manifest);
            upgrade
                .findings
                .extend(passage.finding.map(|found| Finding {
                    message: format!("upgrade to {}: {}", passage.stop.version, found.message),
                    ..found
                }));
            if !passage.stop.is_idle() {
                upgrade.set.versions.push(passage.stop);
            }
            here = passage.there;
        }
        upgrade
    }
}

/// A set at rest under one version.
struct Stand {
    snapshot: Snapshot,
    conditions: Conditions,
}
