//! Which minors are known, and at which of their patches the controller changed.

use super::{Gates, NEWEST_MINOR, OLDEST_MINOR, Rules, Version};

/// The highest patch that is looked at for a change of behaviour: no minor got that far.
const MAX_PATCH: u32 = 40;

/// The minors that are known, the newest first.
pub fn minors() -> impl Iterator<Item = u32> {
    (OLDEST_MINOR..=NEWEST_MINOR).rev()
}

/// The patches of a minor whose controller behaves otherwise than the patch before.
#[must_use]
pub fn turning_points(minor: u32) -> Vec<u32> {
    let rules = |patch| {
        let version = Version {
            minor,
            patch: Some(patch),
        };
        let gates = Gates::defaults(version);
        Rules::new(version, &gates)
    };
    (1..MAX_PATCH)
        .filter(|patch| !rules(*patch).behave_as(&rules(patch - 1)))
        .collect()
}
