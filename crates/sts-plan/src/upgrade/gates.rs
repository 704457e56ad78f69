//! Configured feature gates that a later version rejects.

use std::collections::BTreeMap;

use super::UpgradePath;
use sts_controller::version::{Gates, Stage, Version};

/// A configured gate with which a component of a later version refuses to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateProblem {
    /// Name of the gate.
    pub name: &'static str,
    /// Configured value.
    pub value: bool,
    /// First version of the path that rejects it.
    pub version: Version,
    /// True if the version locks the gate to the other value; false if it does not have the gate.
    pub is_locked: bool,
}

/// Returns the gates of a version with the configured values that it accepts.
pub(super) fn carried(gates: &Gates, version: Version) -> Gates {
    let taken = deliberate(gates)
        .filter(|(gate, value)| matches!(gate.at(version), Some((stage, default)) if stage != Stage::Ga || *value == default))
        .map(|(gate, value)| (gate.name().to_owned(), value));
    let taken: BTreeMap<String, bool> = taken.collect();
    Gates::new(version, &taken).unwrap_or_else(|_| Gates::defaults(version))
}

/// Returns the configured gates that a version of the path rejects, each at the first such version.
#[must_use]
pub fn gate_problems(gates: &Gates, path: &UpgradePath) -> Vec<GateProblem> {
    let problems = deliberate(gates).filter_map(|(gate, value)| {
        path.stops.iter().find_map(|stop| {
            let version = stop.version;
            let is_locked = match gate.at(version) {
                None => false,
                Some((Stage::Ga, default)) if default != value => true,
                Some(_) => return None,
            };
            Some(GateProblem {
                name: gate.name(),
                value,
                version,
                is_locked,
            })
        })
    });
    problems.collect()
}

/// Returns the gates without their default value. A server reports all gates, so defaults are assumed not to be configured.
fn deliberate(gates: &Gates) -> impl Iterator<Item = (sts_controller::version::Gate, bool)> {
    let defaults = Gates::defaults(gates.version());
    gates
        .overridden()
        .filter(move |(gate, value)| defaults.is_on(*gate) != *value)
}
