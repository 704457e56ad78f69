//! Kubernetes versions, and which of them are known.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The oldest minor whose controller is known.
pub const OLDEST_MINOR: u32 = 19;
/// The newest minor whose controller is known.
pub const NEWEST_MINOR: u32 = 37;
/// The minor that is known from its change log alone.
const RECONSTRUCTED_MINOR: u32 = 22;

/// The last patch of each minor that gets no more, from 1.19 on.
const LAST_PATCHES: [u32; 12] = [16, 15, 14, 17, 17, 17, 16, 15, 16, 15, 15, 14];
/// No minor has had as many patches as this.
const MORE_THAN_ANY: u32 = 25;

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

    /// Reports whether this is that patch or a later version.
    #[must_use]
    pub fn is_at_least(self, minor: u32, patch: u32) -> bool {
        (self.minor, self.patch.unwrap_or(u32::MAX)) >= (minor, patch)
    }

    /// Reports whether the taint `node.kubernetes.io/out-of-service` removes the pods of a node and detaches their
    /// volumes.
    #[must_use]
    pub fn honours_out_of_service(self) -> bool {
        self.minor >= 26
    }

    /// Reads a version that is known itself: a newer one is not taken for the newest.
    ///
    /// # Errors
    /// When the text is not a version, or one that is not known.
    pub fn known(text: &str) -> Result<Version, VersionError> {
        let version: Version = text.parse()?;
        match version.is_beyond_known() {
            true => Err(VersionError::TooNew(version)),
            false => Ok(version),
        }
    }

    /// Reports whether its minor is newer than the newest known.
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

    /// Returns the known differences of a version that is newer than the newest known.
    #[must_use]
    pub fn known_to_differ(self) -> &'static [&'static str] {
        match self.minor {
            ..=NEWEST_MINOR => &[],
            _ => &[
                "under podManagementPolicy Parallel, 1.38 deletes the pods that are scaled away before it creates \
                 missing ones, so that a refused create no longer keeps them",
            ],
        }
    }

    /// The last patch that its minor can have, where it names a later one, which was never released.
    #[must_use]
    pub fn beyond_last_patch(self) -> Option<u32> {
        let ended = self.minor.checked_sub(OLDEST_MINOR)?;
        let ended = usize::try_from(ended)
            .ok()
            .and_then(|at| LAST_PATCHES.get(at));
        let last = ended.copied().unwrap_or(MORE_THAN_ANY);
        self.patch.is_some_and(|patch| patch > last).then_some(last)
    }

    /// Reports whether the version is reconstructed from the change log, since no source of its controller was read.
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

/// Error for an unusable version or gate.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum VersionError {
    /// The text is not a version.
    #[error(
        "{0:?} is not a Kubernetes version: write 1.NN or 1.NN.P, such as 1.{NEWEST_MINOR} or 1.27.4"
    )]
    Malformed(String),
    /// The version is older than what is known.
    #[error("Kubernetes {0} is not known: this program knows 1.{OLDEST_MINOR} to 1.{NEWEST_MINOR}")]
    TooOld(Version),
    /// The version is newer than what is known, where it may not be planned as the newest.
    #[error("Kubernetes {0} is not known: this program knows 1.{OLDEST_MINOR} to 1.{NEWEST_MINOR}")]
    TooNew(Version),
    /// The text is not a list of gates.
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
