//! The integration tests, one binary.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on fails"
)]

mod conformance;
mod defaults;
mod deltas;
mod manifest;
mod manifests;
mod quantity;
mod quirks;
mod replay;
mod scenario;
mod schema;
mod upgrade;
mod vectors;
