//! The integration tests, in one binary.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test that cannot go on fails, and one that compares says how much"
)]

/// A path that exists on no machine.
macro_rules! nonexistent {
    ($($rest:literal)?) => {
        concat!(env!("CARGO_TARGET_TMPDIR"), "/nonexistent" $(, $rest)?)
    };
}

mod assumed_pods;
mod browser;
mod budget;
mod canaries;
mod cause_pages;
mod change_flags;
mod cli;
mod cluster;
mod complete;
mod counts;
mod crate_examples;
mod delete_claims;
mod demos;
mod determinism;
mod differs;
mod doc_commands;
mod docs;
mod drain_safety;
mod drains;
mod expected_time;
mod explore;
mod files;
mod first_lines;
mod fixtures;
mod fleet;
mod follow;
mod foreign_pods;
mod foreseen;
mod formats;
mod gates;
mod gitlab;
mod golden;
mod grants;
mod grow;
mod help;
mod html;
mod input_alarms;
#[cfg(unix)]
mod interrupted;
mod invariants;
mod kit;
mod kubectl;
mod kubectl_words;
mod live;
mod live_parts;
mod markdown;
mod messages;
mod metrics;
mod names;
mod narrow;
mod needs;
mod next;
mod night;
mod node_losses;
mod nodes;
mod not_found;
mod now;
mod options;
mod own_causes;
mod own_input;
mod plan_diff;
mod plan_sentence;
mod plans_of_change;
mod pod_times;
mod policy;
mod printed_commands;
mod program;
mod public_api;
mod readme;
mod recipes;
mod related_objects;
mod release;
mod render;
mod report_types;
mod reports;
mod require;
mod screens;
mod semantics;
mod server_answers;
mod server_side;
mod stages;
mod start_ordinal;
mod svg;
mod tidy;
mod timeline;
mod trial;
mod unplanned;
mod upgrade;
mod upgrade_path;
mod urgency;
mod user_reports;
mod verified;
mod verify;
mod version_diff;
mod version_shown;
mod watching;
mod what_if_fails;
mod worlds;

use test_kit::plans as scenario;
