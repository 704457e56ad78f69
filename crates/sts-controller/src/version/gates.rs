//! Kubernetes versions, and the feature gates that the StatefulSet code of each consults.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The oldest minor whose controller is known.
pub const OLDEST_MINOR: u32 = 19;
/// The newest minor whose controller is known.
pub const NEWEST_MINOR: u32 = 36;
/// The minor that is known from its change log alone.
const RECONSTRUCTED_MINOR: u32 = 22;

/// A Kubernetes version 1.NN, or one patch of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version {
    /// NN.
    pub minor: u32,
    /// The patch; absent means the minor's last.
    pub patch: Option<u32>,
}

impl Version {
    /// The newest version known.
    pub const NEWEST: Version = Version {
        minor: NEWEST_MINOR,
        patch: None,
    };

    /// Whether this is that patch or a later version.
    #[must_use]
    pub fn is_at_least(self, minor: u32, patch: u32) -> bool {
        (self.minor, self.patch.unwrap_or(u32::MAX)) >= (minor, patch)
    }

    /// Whether its minor is newer than the newest known.
    #[must_use]
    pub fn is_beyond_known(self) -> bool {
        self.minor > NEWEST_MINOR
    }

    /// The version that it is planned as: itself, or the newest known in the place of a newer one.
    #[must_use]
    pub fn or_newest(self) -> Version {
        if self.is_beyond_known() {
            Version::NEWEST
        } else {
            self
        }
    }

    /// Whether no source of its controller was read: it is put together from the change log.
    #[must_use]
    pub fn is_reconstructed(self) -> bool {
        self.minor == RECONSTRUCTED_MINOR
    }
}

impl fmt::Display for Version {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "1.{}", self.minor)?;
        match self.patch {
            Some(patch) => write!(out, ".{patch}"),
            None => Ok(()),
        }
    }
}

/// Why a version or a gate is not usable.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum VersionError {
    /// The text is no version.
    #[error(
        "{0:?} is not a Kubernetes version: write 1.NN or 1.NN.P, such as 1.{NEWEST_MINOR} or 1.27.4"
    )]
    Malformed(String),
    /// The version is older than what is known.
    #[error("Kubernetes {0} is not known: this program knows 1.{OLDEST_MINOR} to 1.{NEWEST_MINOR}")]
    TooOld(Version),
    /// The text is no list of gates.
    #[error(
        "{0:?} sets no feature gate: write NAME=true or NAME=false, several with commas between"
    )]
    MalformedGate(String),
    /// No StatefulSet code consults such a gate in that version.
    #[error("feature gate {name} does not exist in Kubernetes {version}; there are: {known}")]
    UnknownGate {
        /// The gate's name as it was given.
        name: String,
        /// The version that was asked.
        version: Version,
        /// The names that there are.
        known: String,
    },
    /// The gate cannot be set to that value.
    #[error("feature gate {name} is locked to {locked} in Kubernetes {version}")]
    LockedGate {
        /// The gate's name.
        name: String,
        /// The version that was asked.
        version: Version,
        /// The only value it has.
        locked: bool,
    },
}

impl FromStr for Version {
    type Err = VersionError;

    /// Reads `1.27`, `1.27.4` or `v1.27.4-vendor.7`; the minor may be newer than the newest known.
    fn from_str(text: &str) -> Result<Self, VersionError> {
        let malformed = || VersionError::Malformed(text.to_owned());
        let plain = text.strip_prefix('v').unwrap_or(text);
        let plain = plain.split(['-', '+']).next().unwrap_or_default();
        let mut parts = plain.split('.');
        let mut number = || -> Result<Option<u32>, VersionError> {
            match parts.next() {
                None => Ok(None),
                Some(part) if part.bytes().all(|byte| byte.is_ascii_digit()) => {
                    part.parse().map(Some).map_err(|_| malformed())
                }
                Some(_) => Err(malformed()),
            }
        };
        let (major, minor, patch) = (number()?, number()?, number()?);
        let (Some(1), Some(minor), None) = (major, minor, number()?) else {
            return Err(malformed());
        };
        let version = Version { minor, patch };
        if minor < OLDEST_MINOR {
            Err(VersionError::TooOld(version))
        } else {
            Ok(version)
        }
    }
}

/// How far a gate has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Off unless asked for.
    Alpha,
    /// May be switched either way.
    Beta,
    /// Done, and locked to its default.
    Ga,
    /// A way back to what was before, for a while.
    Deprecated,
}

impl Stage {
    /// The stage's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Stage::Alpha => "alpha",
            Stage::Beta => "beta",
            Stage::Ga => "GA",
            Stage::Deprecated => "deprecated",
        }
    }
}

/// A feature gate's life: what it is from which version on.
#[derive(Debug, Clone, Copy)]
pub struct Gate {
    /// The gate's name.
    pub name: &'static str,
    /// (minor, patch, stage, default) from oldest to newest. A gate at stage GA is locked.
    pub history: &'static [(u32, u32, Stage, bool)],
    /// The minor from which the gate is gone, and with it the choice.
    pub gone: Option<u32>,
}

/// Every gate that StatefulSet code consults, per version, and those that decide what a pod template is
/// defaulted to.
pub const GATES: &[Gate] = &[
    Gate {
        name: "StatefulSetMinReadySeconds",
        history: &[
            (22, 0, Stage::Alpha, false),
            (23, 0, Stage::Beta, true),
            (25, 0, Stage::Ga, true),
        ],
        gone: Some(27),
    },
    Gate {
        name: "StatefulSetAutoDeletePVC",
        history: &[
            (23, 0, Stage::Alpha, false),
            (27, 0, Stage::Beta, true),
            (32, 0, Stage::Ga, true),
        ],
        gone: Some(35),
    },
    Gate {
        name: "MaxUnavailableStatefulSet",
        history: &[
            (24, 0, Stage::Alpha, false),
            (35, 0, Stage::Beta, true),
            (35, 4, Stage::Beta, false),
        ],
        gone: None,
    },
    Gate {
        name: "StatefulSetStartOrdinal",
        history: &[
            (26, 0, Stage::Alpha, false),
            (27, 0, Stage::Beta, true),
            (31, 0, Stage::Ga, true),
        ],
        gone: Some(34),
    },
    Gate {
        name: "PodIndexLabel",
        history: &[(28, 0, Stage::Beta, true), (32, 0, Stage::Ga, true)],
        gone: Some(35),
    },
    Gate {
        name: "StatefulSetSemanticRevisionComparison",
        history: &[(34, 2, Stage::Beta, true)],
        gone: None,
    },
    Gate {
        name: "StaleControllerConsistencyStatefulSet",
        history: &[(36, 0, Stage::Beta, true)],
        gone: None,
    },
    Gate {
        name: "DefaultHostNetworkHostPortsInPodTemplates",
        history: &[(28, 0, Stage::Deprecated, false)],
        gone: Some(31),
    },
    Gate {
        name: "ImageVolume",
        history: &[
            (31, 0, Stage::Alpha, false),
            (33, 0, Stage::Beta, false),
            (35, 0, Stage::Beta, true),
            (36, 0, Stage::Ga, true),
        ],
        gone: None,
    },
];

impl Gate {
    /// The gate's stage and default in that version; `None` where it does not exist (yet, or any more).
    #[must_use]
    pub fn at(&self, version: Version) -> Option<(Stage, bool)> {
        if self.gone.is_some_and(|gone| version.is_at_least(gone, 0)) {
            return None;
        }
        let at = self
            .history
            .iter()
            .rev()
            .find(|at| version.is_at_least(at.0, at.1))?;
        Some((at.2, at.3))
    }
}

/// The gates of one version with their values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gates {
    values: BTreeMap<&'static str, bool>,
    overridden: BTreeMap<&'static str, bool>,
}

fn default_values(version: Version) -> BTreeMap<&'static str, bool> {
    let default = |gate: &Gate| gate.at(version).map(|(_, default)| (gate.name, default));
    GATES.iter().filter_map(default).collect()
}

impl Gates {
    /// The gates of a version, `overrides` put over their defaults.
    ///
    /// # Errors
    /// When an override names a gate that the version does not have, or sets a locked one to its other value.
    pub fn new(version: Version, overrides: &BTreeMap<String, bool>) -> Result<Self, VersionError> {
        let mut gates = default_values(version);
        let mut overridden = BTreeMap::new();
        for (name, value) in overrides {
            let known = GATES.iter().find(|gate| gate.name == name);
            let Some((gate, (stage, default))) =
                known.and_then(|gate| gate.at(version).map(|at| (gate, at)))
            else {
                let known: Vec<&str> = gates.keys().copied().collect();
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
            gates.insert(gate.name, *value);
            overridden.insert(gate.name, *value);
        }
        Ok(Gates {
            values: gates,
            overridden,
        })
    }

    /// The gates of a version with their defaults.
    #[must_use]
    pub fn defaults(version: Version) -> Self {
        Gates {
            values: default_values(version),
            overridden: BTreeMap::new(),
        }
    }

    /// Whether a gate exists and is on.
    #[must_use]
    pub fn is_on(&self, name: &str) -> bool {
        self.values.get(name).copied().unwrap_or(false)
    }

    /// All gates and their values, by name.
    #[must_use]
    pub fn values(&self) -> &BTreeMap<&'static str, bool> {
        &self.values
    }

    /// The value that a gate was set to by hand.
    #[must_use]
    pub fn overridden(&self, name: &str) -> Option<bool> {
        self.overridden.get(name).copied()
    }

    /// Reads `A=true,B=false`.
    ///
    /// # Errors
    /// When a part is not of that form.
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
