//! The integration tests, one binary.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test that cannot go on fails, and one that compares says how much"
)]

mod browser;
mod change;
mod change_flags;
mod cli;
mod cluster;
mod complete;
mod conformance;
mod defaults;
mod deletions;
mod deltas;
mod diagnosis;
mod explore;
mod findings;
mod fixtures;
mod follow;
mod formats;
mod gates;
mod golden;
mod html;
mod invariants;
mod kubectl;
mod live;
mod manifest;
mod manifests;
mod markdown;
mod neighbours;
mod outlook;
mod plainly;
mod plans_of_change;
mod quantity;
mod quirks;
mod readme;
mod release;
mod remedies;
mod render;
mod replay;
mod reports;
mod require;
mod scenario;
mod schema;
mod surroundings;
mod svg;
mod tidy;
mod timeline;
mod unplanned;
mod upgrade;
mod user_reports;
mod validate;
mod vectors;
mod verify;
mod watching;
mod worlds;
