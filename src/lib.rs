//! The program `kubectl sts-plan`: it reads objects, has them planned, and writes what comes of it.
//!
//! ```text
//! request -> input -> apiserver -> controller <-> simulate -> plan -> report -> output
//!  (cli)     (IO)     (pure)       (pure: one sync; a world that steps)         (text)
//! ```
//!
//! The stages in the middle are crates of their own: `sts-controller` is the engine, `sts-plan` the analysis, and
//! `kubectl-manifest` reads YAML and JSON as kubectl does. ARCHITECTURE.md has the rules that hold everywhere.

#![cfg_attr(
    target_family = "wasm",
    allow(
        dead_code,
        unused_imports,
        reason = "what only a cluster and a terminal need"
    )
)]

pub mod cli;
pub mod commands;
mod cores;
pub mod input;
pub mod output;
pub mod request;
pub mod run;
