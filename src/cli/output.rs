//! The flags for the format and the exit code: docs/contract.md.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{ArgAction, Args, ValueEnum, ValueHint};

use crate::output::{Format, OutputSpec, UnknownFormat};
use crate::request;

/// The format of the answer, and the exit code that it sets.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct Output {
    /// Format: table, json, markdown, html, ...
    ///
    /// table, wide, json, yaml, name, summary, junit, tap, sarif, github, gitlab, prometheus, markdown, svg or html;
    /// jsonpath=TEMPLATE, jsonpath-file=FILE, custom-columns=SPEC and custom-columns-file=FILE. With -w: table, json
    /// or yaml.
    ///
    /// A template sees the plan, or a list of several (.items). Templates and columns are those of kubectl, but for
    /// this: {.*} takes the members of an object by name, which kubectl takes in any order; characters that steer a
    /// terminal are written out there; columns are as wide as a terminal shows them; --no-headers counts for a file
    /// of columns too.
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = parse_format)]
    pub output: OutputSpec,

    /// Write a file in another format as well: html=plan.html; repeatable
    #[arg(long, alias = "out", value_name = "FORMAT=PATH", value_parser = parse_out)]
    pub report: Vec<(OutputSpec, PathBuf)>,

    /// Rows of the table of many sets: idle, all
    ///
    /// Without it, sets with nothing to do are counted, and sets that are stuck for one cause share a row.
    #[arg(long, value_name = "ROWS", value_enum)]
    pub show: Option<Show>,

    /// Save the plan, for verify
    ///
    /// kubectl sts-plan verify PATH says later what has become of it.
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath, value_parser = parse_save)]
    pub save: Option<PathBuf>,

    /// Show values of env, args and annotations in markdown and html
    ///
    /// Without it, these formats and findings show the size and a digest of values that may be secrets: of env, args,
    /// command, headers of probes, volume attributes and annotations. The table shows them, as kubectl diff does.
    #[arg(long)]
    pub show_values: bool,

    /// Link html to a page that plans, with the input and the settings
    ///
    /// URL is where the page is kept: kubectl-sts_plan.html of a release. The link holds all objects of the plan with
    /// their values, hence --show-values. They stand after its #, which browsers do not send.
    #[arg(long, value_name = "URL", requires = "show_values", value_parser = parse_page)]
    pub link_page: Option<String>,

    /// Let the exit code say how the plan ends (2, 3, 4)
    #[arg(long)]
    pub detailed_exitcode: bool,
}

/// `--show`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Show {
    /// Sets with nothing to do as well.
    Idle,
    /// A row for each set.
    All,
}

impl Output {
    /// Returns the look of the text, with the rows that the flags name.
    ///
    /// # Errors
    /// When there is no table to have them.
    pub(super) fn display(&self, display: Display) -> Result<request::Display> {
        let is_table = matches!(self.output.plain(), Some(Format::Table | Format::Wide));
        if self.show.is_some() && !is_table {
            bail!(
                "--show chooses rows of -o table and wide: -o {} has all sets",
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

/// The look of text for people.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct Display {
    /// Leave headers of tables out
    #[arg(long)]
    pub no_headers: bool,

    /// Colours: auto, always or never; NO_COLOR counts
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Color::Auto)]
    pub color: Color,

    /// Say more: full names, every step, what was skipped
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
    /// On a terminal that wants them.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

pub(super) fn parse_format(text: &str) -> Result<OutputSpec, String> {
    text.parse()
        .map_err(|error: UnknownFormat| error.to_string())
}

/// An address that a browser opens, to which a fragment can be added.
fn parse_page(text: &str) -> Result<String, String> {
    let is_address = ["https://", "http://", "file:///"]
        .iter()
        .any(|scheme| text.starts_with(scheme));
    let has_more = text.contains(|it: char| it == '#' || it.is_whitespace() || it.is_control());
    match is_address && !has_more {
        true => Ok(text.to_owned()),
        false => {
            Err("write the address of the page, such as https://example.com/plan.html".to_owned())
        }
    }
}

fn parse_save(text: &str) -> Result<PathBuf, String> {
    match text {
        "-" => Err("standard output is what -o is for: write -o json".to_owned()),
        path => Ok(path.into()),
    }
}

/// A format and a path. What is a template may have signs of equality of its own; then the last one parts the two.
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
        return Err(format!("write {form}"));
    };
    let format = parse_format(format)?;
    match path {
        "" => Err("there is no path: write FORMAT=PATH, such as json=plan.json".to_owned()),
        "-" => Err(format!(
            "standard output is what -o is for: write -o {format}"
        )),
        path => Ok((format, path.into())),
    }
}
