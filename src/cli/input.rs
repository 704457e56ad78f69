//! Flags for the sources of objects: docs/contract.md, "Inputs".

use clap::{Args, ValueHint};

use crate::request::Demo;

/// Sources of objects.
#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub struct Input {
    /// Read files or - (stdin), not a cluster
    ///
    /// Files and directories of manifests or dumps; repeatable or comma-separated. Reads no kubeconfig and opens no
    /// connection.
    #[arg(short, long, value_name = "FILE|DIR|-", value_delimiter = ',', value_hint = ValueHint::AnyPath)]
    pub filename: Vec<String>,

    /// Read directories recursively
    #[arg(short = 'R', long)]
    pub recursive: bool,

    /// Demo to plan.
    #[arg(skip)]
    pub demo: Option<&'static Demo>,
}
