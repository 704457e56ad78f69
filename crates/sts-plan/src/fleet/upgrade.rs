//! Upgrade of the control plane over the sets of a run.

use thiserror::Error;

use crate::plan::Conditions;
use crate::report::{ReportUpgrade, UpgradeOfSet, UpgradeVersion};
use crate::upgrade::{GateProblem, UpgradeError, UpgradePath, gate_problems};
use sts_controller::version::Version;

/// Upgrade that cannot be planned.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum UpgradeRunError {
    /// The current version is not known.
    #[error("the current version is not in the input: set it with --kubernetes-version 1.NN")]
    NoVersion,
    /// The versions form no upgrade.
    #[error(transparent)]
    Path(#[from] UpgradeError),
}

/// Upgrade, with the effects on the sets so far.
pub(super) struct UpgradeRun {
    /// Versions on the path.
    pub(super) path: UpgradePath,
    gates: Vec<GateProblem>,
    sets: Vec<UpgradeOfSet>,
}

impl UpgradeRun {
    /// Returns the upgrade from the version of the conditions; `None` without later versions.
    ///
    /// # Errors
    /// When the version of the conditions is unknown, or not an earlier one.
    pub(super) fn of(
        to: &[Version],
        conditions: &Conditions,
    ) -> Result<Option<Self>, UpgradeRunError> {
        if to.is_empty() {
            return Ok(None);
        }
        if !conditions.version_source.is_certain() {
            return Err(UpgradeRunError::NoVersion);
        }
        let path = UpgradePath::new(conditions.behaviour.version, to)?;
        Ok(Some(UpgradeRun {
            gates: gate_problems(&conditions.gates, &path),
            path,
            sets: Vec::new(),
        }))
    }

    /// Returns the effect on one set.
    pub(super) fn of_set(&self, set: UpgradeOfSet) -> ReportUpgrade {
        let names = UpgradeVersion::names(&self.path);
        ReportUpgrade::new(&self.path, names, &self.gates, vec![set])
    }

    /// Adds a set, in the order of the plans.
    pub(super) fn add(&mut self, set: UpgradeOfSet) {
        self.sets.push(set);
    }

    /// Returns the effect on all sets.
    pub(super) fn answer(self) -> ReportUpgrade {
        let all = UpgradeVersion::all(&self.path);
        ReportUpgrade::new(&self.path, all, &self.gates, self.sets)
    }
}
