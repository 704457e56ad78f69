//! The upgrade of a control plane that a request asks for.

use anyhow::{Result, bail};

use crate::input::read::Input;
use crate::request::PlanRequest;
use sts_plan::plan::VersionSource;
use sts_plan::report::{ReportUpgrade, UpgradeOfSet, UpgradeVersion};
use sts_plan::upgrade::{GateProblem, UpgradePath, gate_problems};

/// The upgrade, with what is known of it over all parts of the input so far.
pub(super) struct Upgrade {
    /// The versions that it passes through.
    pub(super) path: UpgradePath,
    gates: Vec<GateProblem>,
    sets: Vec<UpgradeOfSet>,
}

impl Upgrade {
    /// The upgrade from the version of the input; `None` where none is asked for.
    ///
    /// # Errors
    /// When the version of the input is not known, or is no earlier one.
    pub(super) fn of(request: &PlanRequest, input: &Input) -> Result<Option<Self>> {
        if request.upgrade_to.is_empty() {
            return Ok(None);
        }
        let conditions = &input.conditions;
        if conditions.version_source == VersionSource::Default {
            bail!(
                "--upgrade-to: the input does not tell which version it is upgraded from: give it with \
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

    /// The answer for one set.
    pub(super) fn of_set(&self, set: UpgradeOfSet) -> ReportUpgrade {
        ReportUpgrade::new(
            &self.path,
            UpgradeVersion::names(&self.path),
            &self.gates,
            vec![set],
        )
    }

    /// Takes note of a set, in the order of the plans.
    pub(super) fn note(&mut self, set: UpgradeOfSet) {
        self.sets.push(set);
    }

    /// The answer for all sets.
    pub(super) fn answer(self) -> ReportUpgrade {
        ReportUpgrade::new(
            &self.path,
            UpgradeVersion::all(&self.path),
            &self.gates,
            self.sets,
        )
    }
}
