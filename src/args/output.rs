//! What is printed, and what the exit code tells: contract sections 2 and 7.

use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum};

use crate::render::{Format, UnknownFormat};

/// What is printed.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct Output {
    /// The output's format: table, json, yaml, markdown, svg or html
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = parse_format)]
    pub output: Format,

    /// Leave table headers out
    #[arg(long)]
    pub no_headers: bool,

    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Color::Auto)]
    pub color: Color,

    /// Say more: full names, every step, what of the input was skipped
    #[arg(short, long, action = ArgAction::SetTrue)]
    pub verbose: bool,

    /// Write the plan to this file as well, as JSON: `verify PATH` tells later what has become of it
    #[arg(long, value_name = "PATH")]
    pub save: Option<PathBuf>,

    /// Let the exit code tell how the plan ends
    #[arg(long)]
    pub detailed_exitcode: bool,
}

/// `--color`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal that wants them.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

fn parse_format(text: &str) -> Result<Format, String> {
    text.parse()
        .map_err(|error: UnknownFormat| error.to_string())
}
