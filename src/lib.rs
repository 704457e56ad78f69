//! The program `kubectl sts-plan`: reads objects, plans them and prints the result.
//!
//! ```text
//! request -> input -> apiserver -> controller <-> simulate -> plan -> report -> output
//!  (cli)     (IO)     (pure)       (pure: one sync; a world that steps)         (text)
//! ```
//!
//! The middle stages are separate crates: `sts-controller` is the engine, `sts-plan` the analysis, and
//! `kubectl-manifest` reads YAML and JSON as kubectl does. ARCHITECTURE.md has the rules for all of them.

#![cfg_attr(
    target_family = "wasm",
    allow(
        dead_code,
        unused_imports,
        reason = "only needed for a cluster and a terminal"
    )
)]

pub mod cli;
mod closing;
pub mod commands;
mod cores;
pub mod input;
pub mod output;
pub mod request;
pub mod run;
