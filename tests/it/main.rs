//! The integration tests, one binary.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on fails"
)]

mod defaults;
mod fixtures;
mod golden;
mod manifests;
mod quantity;
mod render;
mod schema;
mod vectors;
