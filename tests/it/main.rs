//! The integration tests, one binary.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on fails"
)]

mod conformance;
mod defaults;
mod fixtures;
mod golden;
mod manifest;
mod manifests;
mod quantity;
mod render;
mod replay;
mod schema;
mod vectors;
