//! Tools shared by the tests of several packages.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "it is for tests alone"
)]

use std::io::Write as _;

pub mod cached;
pub mod cause_worlds;
#[cfg(feature = "analysis")]
pub mod findings;
pub mod fleet;
pub mod growing;
#[cfg(feature = "analysis")]
pub mod input;
pub mod kv;
pub mod manifests;
pub mod nodes;
#[cfg(feature = "analysis")]
pub mod plans;
pub mod replay;
pub mod scenario;
#[cfg(feature = "analysis")]
pub mod situation;
#[cfg(feature = "analysis")]
pub mod stages;
#[cfg(feature = "analysis")]
pub mod told;
pub mod vectors;
pub mod worlds;

/// Writes a line that `cargo test` shows. It shows the output of the print macros only for tests that fail.
pub fn tell(line: &str) {
    let line = format!("{line}\n");
    std::io::stderr().write_all(line.as_bytes()).unwrap();
}
