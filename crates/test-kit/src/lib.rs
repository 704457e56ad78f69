//! Tools shared by the tests of several packages.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "it is for tests alone"
)]

pub mod cached;
pub mod fleet;
pub mod manifests;
pub mod replay;
pub mod scenario;
pub mod vectors;
pub mod worlds;
