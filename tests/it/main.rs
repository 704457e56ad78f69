//! The integration tests, one binary.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test that cannot go on fails, and one that compares says how much"
)]

mod cli;
mod conformance;
mod defaults;
mod fixtures;
mod golden;
mod invariants;
mod manifest;
mod manifests;
mod quantity;
mod readme;
mod render;
mod replay;
mod schema;
mod tidy;
mod vectors;
mod worlds;
