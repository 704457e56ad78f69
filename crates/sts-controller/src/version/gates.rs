//! Feature gates of one control plane, and validation of requested values.

use std::collections::BTreeMap;

use super::gate::{Gate, Stage};
use super::{Version, VersionError};

/// Gates of one version with their values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gates {
    version: Version,
    values: BTreeMap<Gate, bool>,
    overridden: BTreeMap<Gate, bool>,
}

impl Gates {
    /// Returns the gates of a version: the defaults with `overrides` applied.
    ///
    /// # Errors
    /// When an override names an unknown gate, or tries to change a locked one.
    pub fn new(version: Version, overrides: &BTreeMap<String, bool>) -> Result<Self, VersionError> {
        let mut gates = Gates::defaults(version);
        for (name, value) in overrides {
            let known = Gate::named(name).and_then(|gate| Some((gate, gate.at(version)?)));
            let Some((gate, (stage, default))) = known else {
                let known: Vec<&str> = gates.values.keys().map(|gate| gate.name()).collect();
                let known = if known.is_empty() {
                    "none".to_owned()
                } else {
                    known.join(", ")
                };
                return Err(VersionError::UnknownGate {
                    name: name.clone(),
                    version,
                    known,
                });
            };
            if stage == Stage::Ga && *value != default {
                return Err(VersionError::LockedGate {
                    name: name.clone(),
                    version,
                    locked: default,
                });
            }
            gates.values.insert(gate, *value);
            gates.overridden.insert(gate, *value);
        }
        Ok(gates)
    }

    /// Returns the default gates of a version.
    #[must_use]
    pub fn defaults(version: Version) -> Self {
        let default = |gate: Gate| gate.at(version).map(|(_, default)| (gate, default));
        Gates {
            version,
            values: Gate::ALL.into_iter().filter_map(default).collect(),
            overridden: BTreeMap::new(),
        }
    }

    /// Returns their version.
    #[must_use]
    pub fn version(&self) -> Version {
        self.version
    }

    /// Reports whether the feature behind the gate is on: the gate is on, or has graduated.
    #[must_use]
    pub fn is_on(&self, gate: Gate) -> bool {
        let value = self.values.get(&gate).copied();
        value.unwrap_or_else(|| gate.has_graduated(self.version))
    }

    /// Reports whether the gate exists and is off.
    #[must_use]
    pub fn is_off(&self, gate: Gate) -> bool {
        self.values.get(&gate) == Some(&false)
    }

    /// Returns all gates with their values, by name.
    pub fn values(&self) -> impl Iterator<Item = (Gate, bool)> {
        self.values.iter().map(|(gate, value)| (*gate, *value))
    }

    /// Returns the overridden gates with their values, by name.
    pub fn overridden(&self) -> impl Iterator<Item = (Gate, bool)> {
        self.overridden.iter().map(|(gate, value)| (*gate, *value))
    }

    /// Parses `A=true,B=false`.
    ///
    /// # Errors
    /// When a part has another form.
    pub fn parse(text: &str) -> Result<BTreeMap<String, bool>, VersionError> {
        let parts = text
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty());
        parts
            .map(|part| {
                let malformed = || VersionError::MalformedGate(part.to_owned());
                let (name, value) = part.split_once('=').ok_or_else(malformed)?;
                let value = match value.trim().to_ascii_lowercase().as_str() {
                    "true" | "t" | "1" => true,
                    "false" | "f" | "0" => false,
                    _ => return Err(malformed()),
                };
                Ok((name.trim().to_owned(), value))
            })
            .collect()
    }
}
