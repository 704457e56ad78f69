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

mod cli;
mod closing;
mod commands;
mod cores;
mod input;
mod output;
mod request;
mod run;

pub use cli::exit::Exit;
pub use run::run;

/// Parts of the program that its own tests and examples use. They have no stable interface.
#[doc(hidden)]
#[cfg(not(target_family = "wasm"))]
pub mod internals {
    pub use crate::cli::policy::Policy;
    pub use crate::cli::{Topic, command, commands, manual, read};
    pub use crate::commands::interactive::Planner;
    pub use crate::commands::{Context, Terminal};
    pub use crate::input::cluster::{Cluster, Progress, is_read_only};
    pub use crate::input::files::read_paths;
    pub use crate::input::read::{Input, read_parts};
    pub use crate::input::{LoadError, Loaded, Reader, load};
    pub use crate::output::keys::KeyScreen;
    pub use crate::output::screens::{
        AllSetsScreen, Key, Planned, SetFields, WatchReply, WatchScreen, WhatIfReply, WhatIfScreen,
    };
    pub use crate::output::{
        Columns, Format, OutputSpec, Printer, Style, Template, print, print_verifications, render,
        render_table, write_yaml,
    };
    pub use crate::request::{DEMOS, Demo, InteractiveRequest, Request};
    pub use crate::run::run_at;
}
