//! The integration tests, one binary.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on fails"
)]

mod change;
mod defaults;
mod manifests;
mod quantity;
mod schema;
mod validate;
mod vectors;
