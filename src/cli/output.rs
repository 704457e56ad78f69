//! Flags for the output format and the exit code: docs/contract.md.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{ArgAction, Args, ValueEnum, ValueHint};

use crate::output::{Format, OutputSpec, UnknownFormat};
use crate::request;

/// Output format, and exit code.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct Output {
    /// Format: table, json, markdown, ...
    ///
    /// table, wide, json, yaml, name, summary, junit, sarif, github, gitlab, prometheus, markdown, svg or html;
    /// jsonpath=TEMPLATE and custom-columns=SPEC. With -w: table, summary, json or yaml.
    ///
    /// A template receives the plan, or a list of plans (.items). Templates and columns work as in kubectl, with these
    /// differences: {.*} visits the members of an object by name; control characters are escaped; column widths count
    /// terminal cells.
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = parse_format)]
    pub output: OutputSpec,

    /// Also write a file in this format: html=plan.html; repeatable
    #[arg(long, alias = "out", value_name = "FORMAT=PATH", value_parser = parse_out)]
    pub report: Vec<(OutputSpec, PathBuf)>,

    /// Show more rows in the table of several sets: idle, all
    ///
    /// By default, idle sets are only counted, and sets stuck for the same cause share a row.
    #[arg(long, value_name = "ROWS", value_enum)]
    pub show: Option<Show>,

    /// Save the plan, for verify
    ///
    /// kubectl sts-plan verify PATH compares it later with what happened.
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath, value_parser = parse_save)]
    pub save: Option<PathBuf>,

    /// Show values of env, args and annotations in markdown and html
    ///
    /// By default, these formats and findings replace values that may be secrets with their size and a digest: env,
    /// args, command, probe headers, volume attributes and annotations. The table shows them, as kubectl diff does.
    #[arg(long)]
    pub show_values: bool,

    /// Return the outcome of the plan as exit code (2, 3, 4)
    #[arg(long)]
    pub detailed_exitcode: bool,
}

/// `--show`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Show {
    /// Include idle sets.
    Idle,
    /// Show one row per set.
    All,
}

impl Output {
    /// Returns the display options, with the rows that `--show` selects.
    ///
    /// # Errors
    /// When the format has no table.
    pub(super) fn display(&self, display: Display) -> Result<request::Display> {
        let is_table = matches!(self.output.plain(), Some(Format::Table | Format::Wide));
        if self.show.is_some() && !is_table {
            bail!(
                "--show is only for -o table and wide: -o {} has all sets",
                self.output
            );
        }
        Ok(request::Display {
            idle_sets: self.show.is_some(),
            each_set: self.show == Some(Show::All),
            ..display.into()
        })
    }
}

/// Display options for text.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct Display {
    /// Omit table headers
    #[arg(long)]
    pub no_headers: bool,

    /// When to use color: auto, always or never (honors NO_COLOR)
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Color::Auto)]
    pub color: Color,

    /// Show more detail: full names, every step, skipped objects
    #[arg(short, long, action = ArgAction::SetTrue)]
    pub verbose: bool,
}

impl From<Display> for request::Display {
    fn from(flags: Display) -> Self {
        request::Display {
            color: match flags.color {
                Color::Auto => request::Color::Auto,
                Color::Always => request::Color::Always,
                Color::Never => request::Color::Never,
            },
            headers: !flags.no_headers,
            verbose: flags.verbose,
            idle_sets: false,
            each_set: false,
        }
    }
}

/// `--color`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On terminals that support color.
    Auto,
    /// Even if the output is not a terminal.
    Always,
    /// No color.
    Never,
}

pub(super) fn parse_format(text: &str) -> Result<OutputSpec, UnknownFormat> {
    text.parse()
}

fn parse_save(text: &str) -> Result<PathBuf, String> {
    match text {
        "-" => Err("cannot save to standard output: use -o json".to_owned()),
        path => Ok(path.into()),
    }
}

/// Parses `FORMAT=PATH`. A template may contain `=`, so the path follows the last one.
fn parse_out(text: &str) -> Result<(OutputSpec, PathBuf), String> {
    let name = text.split('=').next().unwrap_or_default();
    let parts = match OutputSpec::takes_template(name) {
        true => text
            .rsplit_once('=')
            .filter(|(format, _)| format.contains('=')),
        false => text.split_once('='),
    };
    let Some((format, path)) = parts else {
        let form = if OutputSpec::takes_template(name) {
            format!("{name}=...=PATH, such as {name}=...=plan.txt")
        } else {
            "FORMAT=PATH, such as json=plan.json".to_owned()
        };
        return Err(format!("expected {form}"));
    };
    let format: OutputSpec = format.parse().map_err(|it: UnknownFormat| it.to_string())?;
    match path {
        "" => Err("missing path: write FORMAT=PATH, such as json=plan.json".to_owned()),
        "-" => Err(format!(
            "cannot write a report to standard output: use -o {format}"
        )),
        path => Ok((format, path.into())),
    }
}
