//! Kubernetes versions, and the range of known ones.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// Oldest minor with a known controller.
pub const OLDEST_MINOR: u32 = 19;
/// Newest minor with a known controller.
pub const NEWEST_MINOR: u32 = 37;
/// The minor that is known from its changelog alone.
const RECONSTRUCTED_MINOR: u32 = 22;

/// Last patches of the minors without support, from 1.19 on.
const LAST_PATCHES: [u32; 12] = [16, 15, 14, 17, 17, 17, 16, 15, 16, 15, 15, 14];
/// Upper bound on the number of patches of a minor.
const PATCH_LIMIT: u32 = 25;

/// A Kubernetes version 1.NN, or one patch of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version {
    /// NN.
    pub minor: u32,
    /// The patch; absent means the last one of the minor.
    pub patch: Option<u32>,
}

impl Version {
    /// The newest known version.
    pub const NEWEST: Version = Version {
        minor: NEWEST_MINOR,
        patch: None,
    };

    /// Reports whether the version is that patch or later.
    #[must_use]
    pub fn is_at_least(self, minor: u32, patch: u32) -> bool {
        (self.minor, self.patch.unwrap_or(u32::MAX)) >= (minor, patch)
    }

    /// Reports whether the version is of that minor or later.
    pub(super) fn is_from(self, minor: u32) -> bool {
        self.is_at_least(minor, 0)
    }

    /// Reports whether the version has a change that was backported. `patches` lists the first patch with it for each
    /// minor, newest first. Every minor above the newest has it; every other minor below does not.
    pub(super) fn has_change(self, patches: &[(u32, u32)]) -> bool {
        let of_minor = patches.iter().find(|(minor, _)| *minor == self.minor);
        match (of_minor, patches.first()) {
            (Some(&(minor, patch)), _) => self.is_at_least(minor, patch),
            (None, newest) => newest.is_some_and(|(newest, _)| self.minor > *newest),
        }
    }

    /// Reports whether the taint `node.kubernetes.io/out-of-service` removes the pods of a node and detaches their
    /// volumes.
    #[must_use]
    pub fn honours_out_of_service(self) -> bool {
        self.minor >= 26
    }

    /// Parses a known version. A newer version is an error.
    ///
    /// # Errors
    /// When the text is not a version, or the version is not known.
    pub fn known(text: &str) -> Result<Version, VersionError> {
        let version: Version = text.parse()?;
        match version.is_beyond_known() {
            true => Err(VersionError::TooNew(version)),
            false => Ok(version),
        }
    }

    /// Reports whether its minor is newer than the newest known one.
    #[must_use]
    pub fn is_beyond_known(self) -> bool {
        self.minor > NEWEST_MINOR
    }

    /// Returns the version, or the newest known one if it is newer.
    #[must_use]
    pub fn or_newest(self) -> Version {
        if self.is_beyond_known() {
            Version::NEWEST
        } else {
            self
        }
    }

    /// Returns the known differences of a version beyond the newest known one.
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

    /// Returns the last patch of the minor, if the version names a later one, which was never released.
    #[must_use]
    pub fn beyond_last_patch(self) -> Option<u32> {
        let ended = self.minor.checked_sub(OLDEST_MINOR)?;
        let ended = usize::try_from(ended)
            .ok()
            .and_then(|at| LAST_PATCHES.get(at));
        let last = ended.copied().unwrap_or(PATCH_LIMIT);
        self.patch.is_some_and(|patch| patch > last).then_some(last)
    }

    /// Reports whether the version is reconstructed from the changelog, since the source of its controller was not
    /// available.
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
    /// The version is too old.
    #[error("Kubernetes {0} is not supported (supported: 1.{OLDEST_MINOR} to 1.{NEWEST_MINOR})")]
    TooOld(Version),
    /// The version is too new, and the caller requires a known one.
    #[error("Kubernetes {0} is not supported (supported: 1.{OLDEST_MINOR} to 1.{NEWEST_MINOR})")]
    TooNew(Version),
    /// The text is not a list of gates.
    #[error("invalid feature gate {0:?}: write NAME=true or NAME=false, separated by commas")]
    MalformedGate(String),
    /// No StatefulSet code uses that gate in that version.
    #[error("unknown feature gate {name} in Kubernetes {version} (one of: {known})")]
    UnknownGate {
        /// The gate's name, as given.
        name: String,
        /// The version.
        version: Version,
        /// The known names.
        known: String,
    },
    /// The gate cannot be set to that value.
    #[error("feature gate {name} is locked to {locked} in Kubernetes {version}")]
    LockedGate {
        /// The gate's name.
        name: String,
        /// The version.
        version: Version,
        /// The only possible value.
        locked: bool,
    },
}

impl FromStr for Version {
    type Err = VersionError;

    /// Parses `1.27`, `1.27.4` or `v1.27.4-vendor.7`. The minor may be newer than the newest known one.
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
