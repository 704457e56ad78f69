//! Feature gates on the way: those that were set and that a later version does not take.

use std::collections::BTreeMap;

use super::UpgradePath;
use sts_controller::version::{Gates, Stage, Version};

/// A gate that was set and that a component of a later version refuses to start with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateProblem {
    /// The gate's name.
    pub name: &'static str,
    /// The value that it is set to.
    pub value: bool,
    /// The first version of the path that does not take it.
    pub version: Version,
    /// True if the version has the gate and locks it to the other value; false if it has none of that name.
    pub is_locked: bool,
}

/// The gates of a version, as far as those that were set still are there and may be.
pub(super) fn carried(gates: &Gates, version: Version) -> Gates {
    let taken = deliberate(gates)
        .filter(|(gate, value)| matches!(gate.at(version), Some((stage, default)) if stage != Stage::Ga || *value == default))
        .map(|(gate, value)| (gate.name().to_owned(), value));
    let taken: BTreeMap<String, bool> = taken.collect();
    Gates::new(version, &taken).unwrap_or_else(|_| Gates::defaults(version))
}

/// Returns the gates that were set and that a version of the path does not take, each at the first such version.
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

/// The gates that do not have their default. A server tells the values of all; those with their defaults were hardly set.
fn deliberate(gates: &Gates) -> impl Iterator<Item = (sts_controller::version::Gate, bool)> {
    let defaults = Gates::defaults(gates.version());
    gates
        .overridden()
        .filter(move |(gate, value)| defaults.is_on(*gate) != *value)
}
