//! Known minors, and the patches at which their controller changed.

use super::{Behaviour, Gates, NEWEST_MINOR, OLDEST_MINOR, Version};

/// The highest patch that is checked for a change of behavior. No minor has that many.
const MAX_PATCH: u32 = 40;

/// Returns the known minors, newest first.
pub fn minors() -> impl Iterator<Item = u32> {
    (OLDEST_MINOR..=NEWEST_MINOR).rev()
}

/// Returns the patches of a minor whose controller behaves differently from the previous patch.
#[must_use]
pub fn turning_points(minor: u32) -> Vec<u32> {
    let behaviour = |patch| {
        let version = Version {
            minor,
            patch: Some(patch),
        };
        let gates = Gates::defaults(version);
        Behaviour::new(version, &gates)
    };
    (1..MAX_PATCH)
        .filter(|patch| !behaviour(*patch).behaves_as(&behaviour(patch - 1)))
        .collect()
}
