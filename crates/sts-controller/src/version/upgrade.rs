//! Upgrade paths, and the patches of a minor that behave differently.

use thiserror::Error;

use super::{Version, turning_points};

/// The versions of an upgrade, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpgradePath {
    /// The first version.
    pub from: Version,
    /// All versions on the path: one for each minor, and the named ones.
    pub stops: Vec<UpgradeStop>,
}

/// A version on an upgrade path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpgradeStop {
    /// The version.
    pub version: Version,
    /// Patches of its minor that behave differently, and could be used instead.
    pub other_patches: Vec<PatchRange>,
}

/// The reason that an upgrade path is invalid.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum UpgradeError {
    /// A version is not later than its predecessor.
    #[error("cannot upgrade Kubernetes {0} to {1}: not a later version")]
    NotLater(Version, Version),
}

impl UpgradePath {
    /// Returns the path through these versions. It includes the minors between them, since a control plane is upgraded
    /// one minor at a time. A minor without a named patch stands for its last one.
    ///
    /// # Errors
    /// When a version is not later than its predecessor.
    pub fn new(from: Version, through: &[Version]) -> Result<Self, UpgradeError> {
        let mut stops: Vec<Version> = Vec::new();
        for to in through {
            let last = stops.last().copied().unwrap_or(from);
            if place(*to) <= place(last) {
                return Err(UpgradeError::NotLater(last, *to));
            }
            let between = last.minor.saturating_add(1)..to.minor;
            stops.extend(between.map(|minor| Version { minor, patch: None }));
            stops.push(*to);
        }
        let before = [from].into_iter().chain(stops.iter().copied());
        let stops = before.zip(&stops).map(|(before, version)| UpgradeStop {
            version: *version,
            other_patches: PatchRange::others(before, *version),
        });
        Ok(UpgradePath {
            from,
            stops: stops.collect(),
        })
    }

    /// Returns the last version.
    #[must_use]
    pub fn to(&self) -> Version {
        self.stops.last().map_or(self.from, |stop| stop.version)
    }
}

fn place(version: Version) -> (u32, u32) {
    (version.minor, version.patch.unwrap_or(u32::MAX))
}

/// Patches of one minor with the same behavior.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PatchRange {
    /// The minor.
    pub minor: u32,
    /// The first patch.
    pub first: u32,
    /// The last patch; `None` if the range is open.
    pub last: Option<u32>,
}

impl PatchRange {
    /// Returns the patches of a version's minor that behave differently from the version, and are not older than the
    /// version before the upgrade.
    fn others(from: Version, version: Version) -> Vec<PatchRange> {
        let chosen = version.patch.unwrap_or(u32::MAX);
        let starts: Vec<u32> = [0]
            .into_iter()
            .chain(turning_points(version.minor))
            .collect();
        let ends = starts.iter().skip(1).map(|next| Some(next - 1));
        let ends = ends.chain([None]);
        let ranges = starts.iter().zip(ends).map(|(first, last)| PatchRange {
            minor: version.minor,
            first: *first,
            last,
        });
        let is_ahead = |range: &PatchRange| place(range.version()) > place(from);
        let is_chosen =
            |range: &PatchRange| (range.first..=range.last.unwrap_or(u32::MAX)).contains(&chosen);
        ranges
            .filter(|range| is_ahead(range) && !is_chosen(range))
            .collect()
    }

    /// Returns a version in the range.
    #[must_use]
    pub fn version(self) -> Version {
        Version {
            minor: self.minor,
            patch: Some(self.first),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stops(from: &str, through: &[&str]) -> Result<Vec<String>, String> {
        let through: Vec<Version> = through.iter().map(|text| text.parse().unwrap()).collect();
        UpgradePath::new(from.parse().unwrap(), &through)
            .map(|path| {
                path.stops
                    .iter()
                    .map(|stop| stop.version.to_string())
                    .collect()
            })
            .map_err(|error| error.to_string())
    }

    #[test]
    fn upgrades_include_every_minor() {
        for (from, through, expected) in [
            ("1.33", &["1.34"][..], &["1.34"][..]),
            ("1.33.4", &["1.36"], &["1.34", "1.35", "1.36"]),
            ("1.33", &["1.34.1", "1.36"], &["1.34.1", "1.35", "1.36"]),
            ("1.34.1", &["1.34.2"], &["1.34.2"]),
        ] {
            assert_eq!(stops(from, through).unwrap(), expected);
        }
    }

    #[test]
    fn a_downgrade_is_an_error() {
        for (from, through) in [
            ("1.36", &["1.36"][..]),
            ("1.36", &["1.35"]),
            ("1.33", &["1.35", "1.34"]),
            ("1.34", &["1.34.2"]),
        ] {
            assert!(
                stops(from, through)
                    .unwrap_err()
                    .contains("not a later version")
            );
        }
    }
}
