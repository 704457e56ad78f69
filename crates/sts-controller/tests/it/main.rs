//! The engine's tests in one binary: recorded results of real controllers, a second plain implementation of the
//! controller, and invariants of any world. They do not need the program.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test fails if it cannot continue, and prints the number of comparisons"
)]

mod actions;
mod apply;
mod cascades;
mod claim_templates;
mod conformance;
mod credentials;
mod cycles;
mod defaults;
mod ends;
mod evictions;
mod explore;
mod finalizers;
mod holds;
mod interned_searches;
mod invariants;
mod kubernetes_1_37;
mod library_use;
mod metamorphic;
mod ordinals;
mod partitions;
mod published_types;
mod quantity;
mod quirks;
mod random_drains;
mod rare_fields;
mod rare_pods;
mod rare_volumes;
mod reference_controller;
mod refusals;
mod retries;
mod schema;
mod search_replays;
mod search_work;
mod searches;
mod server_minors;
mod server_side_apply;
mod texts;
mod validate;
mod version_changes;
mod version_matrix;
mod warnings;

use test_kit::{cached, manifests, replay, scenario, vectors, worlds};
