//! The flags that say where the objects come from: docs/contract.md, "Inputs".

use clap::{Args, ValueHint};

use crate::request::Demo;

/// The sources of the objects.
#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub struct Input {
    /// Read files or - (stdin), not a cluster
    ///
    /// Files and directories of manifests or dumps; repeatable, or several with commas between them. No kubeconfig is
    /// read and no connection opened.
    #[arg(short, long, value_name = "FILE|DIR|-", value_delimiter = ',', value_hint = ValueHint::AnyPath)]
    pub filename: Vec<String>,

    /// Read directories recursively
    #[arg(short = 'R', long)]
    pub recursive: bool,

    /// The demo that is planned.
    #[arg(skip)]
    pub demo: Option<&'static Demo>,
}
