//! Upgrades of the control plane, one minor after the other: which sets restart, what changes for them, and which
//! manifests are refused afterwards.
//!
//! Each set is taken through every version in turn: the objects as the version before left them are read as the next one
//! reads them, and its controller goes on from there until nothing is left to happen.

mod gates;
mod hop;
mod manifest;
mod rollout;

use std::sync::Arc;

use serde_json::Value;

use crate::conditions::Conditions;
use crate::lint::Finding;
use crate::plan::{Outcome, Plan};
use sts_controller::object::Snapshot;

pub use gates::{GateProblem, gate_problems};
pub use hop::{Hop, Restart};
pub use manifest::{FieldFate, ManifestChange, Refusal, RefusedRequest};
pub use rollout::RolloutCourse;
pub use sts_controller::version::{PatchRange, UpgradeError, UpgradePath};

/// The way of one set through an upgrade.
#[derive(Debug, Clone)]
pub struct SetUpgrade {
    /// The set's namespace.
    pub namespace: Arc<str>,
    /// The set's name.
    pub name: Arc<str>,
    /// `spec.replicas`.
    pub replicas: i32,
    /// One for each version; none where the plan leaves no set to upgrade, since it is refused or deletes it.
    pub hops: Vec<Hop>,
}

impl SetUpgrade {
    /// Takes the set of a plan through the versions of a path, from where the plan ends. The manifest is the one that people
    /// apply; without it, the one that `kubectl apply` has last applied, or the stored set.
    #[must_use]
    pub fn of(plan: &Plan, path: &UpgradePath, manifest: Option<&Value>) -> Self {
        let set = &plan.snapshot.set;
        let mut upgrade = SetUpgrade {
            namespace: Arc::clone(&set.meta.namespace),
            name: Arc::clone(&set.meta.name),
            replicas: set.replicas,
            hops: Vec::new(),
        };
        // What is refused or deleted has no state to go on from.
        if matches!(plan.outcome, Outcome::Rejected(_)) || plan.deletion().is_some() {
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
            let (hop, there) = hop::pass(&here, stop, &manifest);
            upgrade.hops.push(hop);
            here = there;
        }
        upgrade
    }

    /// The findings on rollouts that an upgrade starts without need.
    pub fn findings(&self) -> impl Iterator<Item = Finding> {
        self.hops.iter().filter_map(|hop| {
            let found = hop.restart.as_ref()?.finding.as_ref()?;
            Some(Finding {
                message: format!("upgrade to {}: {}", hop.to, found.message),
                ..found.clone()
            })
        })
    }
}

/// A set at rest under one version.
struct Stand {
    snapshot: Snapshot,
    conditions: Conditions,
}
