//! `kubectl sts-plan versions`: what is known of which Kubernetes version.

use std::collections::BTreeSet;
use std::io::{self, Write};

use crate::controller::{GATES, Gates, NEWEST_MINOR, OLDEST_MINOR, Rules, Version};

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

/// Prints the table: minor, patches where behaviour moved, gates with stage and default.
///
/// # Errors
/// When `out` takes no more.
pub fn print(headers: bool, out: &mut dyn Write) -> io::Result<()> {
    if headers {
        writeln!(
            out,
            "{:<9}{:<22}FEATURE GATES",
            "VERSION", "CHANGED IN PATCHES"
        )?;
    }
    for minor in minors() {
        let patches: Vec<String> = turning_points(minor)
            .iter()
            .map(|patch| format!(".{patch}"))
            .collect();
        let patches = if patches.is_empty() {
            "-".to_owned()
        } else {
            patches.join(" ")
        };
        let gates = gates_of(minor);
        let gates = if gates.is_empty() {
            "-".to_owned()
        } else {
            gates.join(", ")
        };
        writeln!(out, "{:<9}{patches:<22}{gates}", format!("1.{minor}"))?;
    }
    Ok(())
}

/// The gates of a minor's last patch: name, value, stage.
fn gates_of(minor: u32) -> Vec<String> {
    let last = Version { minor, patch: None };
    let names: BTreeSet<&str> = GATES.iter().map(|gate| gate.name).collect();
    names
        .into_iter()
        .filter_map(|name| GATES.iter().find(|gate| gate.name == name))
        .filter_map(|gate| {
            gate.at(last)
                .map(|(stage, on)| format!("{}={on} ({})", gate.name, stage.name()))
        })
        .collect()
}
