//! Known minors, and the patches of each at which the controller changed.

use super::{Behaviour, Gates, NEWEST_MINOR, OLDEST_MINOR, Version};

/// The highest patch that is looked at for a change of behaviour: no minor got that far.
const MAX_PATCH: u32 = 40;

/// The minors that are known, the newest first.
pub fn minors() -> impl Iterator<Item = u32> {
    (OLDEST_MINOR..=NEWEST_MINOR).rev()
}

/// The patches of a minor whose controller behaves otherwise than the patch before.
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
