//! Where the world comes from: docs/contract.md, "Inputs".

use clap::{Args, ValueHint};

/// Where the objects come from.
#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub struct Input {
    /// Read objects from a file, a directory, or standard input (-); may be repeated
    #[arg(short, long, value_name = "FILE|DIR|-", value_hint = ValueHint::AnyPath)]
    pub filename: Vec<String>,

    /// Read directories with everything below them
    #[arg(short = 'R', long)]
    pub recursive: bool,
}
