//! The version of a control plane, as far as its objects show it.

use super::{Behaviour, Gates, NEWEST_MINOR, OLDEST_MINOR, Version, VersionError, minors};

/// Objects that show the version of a control plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownBy {
    /// The newest kubelet.
    Kubelets,
    /// A revision that older controllers do not write.
    Revisions,
}

/// Returns the oldest version that a control plane with these kubelets can have: it is never older than the newest of them,
/// whose patch says nothing about it. `omits_null_timestamps` reports whether a revision lacks `creationTimestamp: null`.
/// `None` without a kubelet.
pub fn oldest_shown<'v>(
    kubelets: impl Iterator<Item = &'v str>,
    omits_null_timestamps: impl FnOnce() -> bool,
) -> Option<(Version, ShownBy)> {
    let kubelet = kubelets.filter_map(minor_of).max()?;
    let omitting = first_omitting_null_timestamps();
    let (minor, by) = match kubelet < omitting && omits_null_timestamps() {
        true => (omitting, ShownBy::Revisions),
        false => (kubelet, ShownBy::Kubelets),
    };
    Some((Version { minor, patch: None }, by))
}

/// Returns the minor of a kubelet: 34 of `v1.34.2-eks-3025e55`. A kubelet older than all known versions may belong to the
/// oldest of them.
fn minor_of(kubelet: &str) -> Option<u32> {
    match kubelet.parse::<Version>() {
        Ok(version) => Some(version.minor),
        Err(VersionError::TooOld(_)) => Some(OLDEST_MINOR),
        Err(_) => None,
    }
}

/// Returns the first minor whose controller omits `"creationTimestamp": null` from the revisions that it writes.
fn first_omitting_null_timestamps() -> u32 {
    let omits = |minor: &u32| {
        let version = Version {
            minor: *minor,
            patch: None,
        };
        !Behaviour::new(version, &Gates::defaults(version)).null_creation_timestamp
    };
    minors().filter(omits).min().unwrap_or(NEWEST_MINOR)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown_by(kubelets: &[&str], omits: bool) -> Option<(String, ShownBy)> {
        let shown = oldest_shown(kubelets.iter().copied(), || omits);
        shown.map(|(version, by)| (version.to_string(), by))
    }

    fn by_kubelets(version: &str) -> Option<(String, ShownBy)> {
        Some((version.to_owned(), ShownBy::Kubelets))
    }

    #[test]
    fn the_newest_kubelet_counts_with_its_minor_alone() {
        let kubelets = ["v1.33.5", "v1.34.2-eks-3025e55", "v1.34.0+k3s1"];
        assert_eq!(shown_by(&kubelets, false), by_kubelets("1.34"));
    }

    #[test]
    fn a_kubelet_beyond_the_known_versions_still_counts() {
        assert_eq!(shown_by(&["v1.99.1"], false), by_kubelets("1.99"));
        assert_eq!(shown_by(&["v1.16.15"], false), by_kubelets("1.19"));
    }

    #[test]
    fn other_words_are_no_version() {
        for kubelet in ["", "v0.0.0-master+$Format", "none", "v2.1.0"] {
            assert_eq!(shown_by(&[kubelet], false), None, "{kubelet}");
        }
        assert_eq!(shown_by(&[], true), None);
    }

    #[test]
    fn a_revision_that_only_newer_controllers_write_counts_too() {
        let shown = Some(("1.34".to_owned(), ShownBy::Revisions));
        assert_eq!(shown_by(&["v1.31.4"], true), shown);
        assert_eq!(shown_by(&["v1.31.4"], false), by_kubelets("1.31"));
        assert_eq!(shown_by(&["v1.35.0"], true), by_kubelets("1.35"));
    }
}
