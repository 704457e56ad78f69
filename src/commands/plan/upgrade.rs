//! Upgrade of the control plane.

use anyhow::{Result, bail};

use crate::input::read::Input;
use crate::request::PlanRequest;
use sts_plan::plan::VersionSource;
use sts_plan::report::{ReportUpgrade, UpgradeOfSet, UpgradeVersion};
use sts_plan::upgrade::{GateProblem, UpgradePath, gate_problems};

/// The upgrade, with the results for all parts of the input so far.
pub(super) struct Upgrade {
    /// Versions on the path.
    pub(super) path: UpgradePath,
    gates: Vec<GateProblem>,
    sets: Vec<UpgradeOfSet>,
}

impl Upgrade {
    /// Returns the upgrade from the version of the input; `None` if none is requested.
    ///
    /// # Errors
    /// When the version of the input is unknown, or not an earlier one.
    pub(super) fn of(request: &PlanRequest, input: &Input) -> Result<Option<Self>> {
        if request.upgrade_to.is_empty() {
            return Ok(None);
        }
        let conditions = &input.conditions;
        if conditions.version_source == VersionSource::Default {
            bail!(
                "--upgrade-to: the current version is not in the input: set it with \
                 --kubernetes-version 1.NN"
            );
        }
        let path = UpgradePath::new(conditions.behaviour.version, &request.upgrade_to);
        let path = path.map_err(|error| anyhow::anyhow!("--upgrade-to: {error}"))?;
        Ok(Some(Upgrade {
            gates: gate_problems(&conditions.gates, &path),
            path,
            sets: Vec::new(),
        }))
    }

    /// Returns the answer for one set.
    pub(super) fn of_set(&self, set: UpgradeOfSet) -> ReportUpgrade {
        ReportUpgrade::new(
            &self.path,
            UpgradeVersion::names(&self.path),
            &self.gates,
            vec![set],
        )
    }

    /// Adds a set, in the order of the plans.
    pub(super) fn note(&mut self, set: UpgradeOfSet) {
        self.sets.push(set);
    }

    /// Returns the answer for all sets.
    pub(super) fn answer(self) -> ReportUpgrade {
        ReportUpgrade::new(
            &self.path,
            UpgradeVersion::all(&self.path),
            &self.gates,
            self.sets,
        )
    }
}
