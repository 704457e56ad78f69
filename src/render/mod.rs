//! Turning reports into text: one format a file.
//!
//! A renderer takes reports, a style and a writer. It decides nothing, and reads neither a clock nor the
//! environment nor the terminal: whatever it should know of those is in the [`Style`].

mod advice;
mod branches;
mod html;
mod json;
mod markdown;
mod operations;
mod outlook;
mod overview;
mod partitions;
mod pods;
mod remedies;
mod screen;
mod steps;
mod style;
mod svg;
mod table;
mod telling;
mod verdict;
mod verification;
mod words;
mod yaml;

use std::fmt;
use std::io::{self, Write};
use std::str::FromStr;

use thiserror::Error;

use crate::report::{Report, Verification};

pub use style::{Style, escape};

/// How plans are written. The one list of formats.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Format {
    /// For people: a screen for one plan, a row each for several.
    #[default]
    Table,
    /// The report as JSON.
    Json,
    /// The report as YAML.
    Yaml,
    /// A comment on a pull request.
    Markdown,
    /// A timeline as a picture.
    Svg,
    /// A page to look at.
    Html,
}

/// The name is that of no format.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{name:?} is no output format: there are {}", Format::names().join(", "))]
pub struct UnknownFormat {
    /// The name.
    pub name: String,
}

impl Format {
    /// All of them.
    pub const ALL: [Format; 6] = [
        Format::Table,
        Format::Json,
        Format::Yaml,
        Format::Markdown,
        Format::Svg,
        Format::Html,
    ];

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Format::Table => "table",
            Format::Json => "json",
            Format::Yaml => "yaml",
            Format::Markdown => "markdown",
            Format::Svg => "svg",
            Format::Html => "html",
        }
    }

    /// The names of all of them.
    #[must_use]
    pub fn names() -> Vec<&'static str> {
        Format::ALL.map(Format::name).to_vec()
    }
}

impl fmt::Display for Format {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        let found = Format::ALL.into_iter().find(|format| format.name() == name);
        found.ok_or_else(|| UnknownFormat {
            name: name.to_owned(),
        })
    }
}

/// Writes reports. One alone is a plan; none or several are a list.
///
/// # Errors
/// When the writer fails.
pub fn render(
    format: Format,
    reports: &[Report],
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    match (format, reports) {
        (Format::Table, [report]) => screen::render(report, style, out),
        (Format::Table, reports) => overview::render(reports, style, out),
        (Format::Json, reports) => json::render(reports, style, out),
        (Format::Yaml, reports) => yaml::render(reports, style, out),
        (Format::Markdown, reports) => markdown::render(reports, style, out),
        (Format::Svg, reports) => svg::render(reports, style, out),
        (Format::Html, reports) => html::render(reports, style, out),
    }
}

/// Writes what has become of plans, as JSON or YAML where that is the format, and for people in any other.
///
/// # Errors
/// When the writer fails.
pub fn render_verifications(
    format: Format,
    found: &[Verification],
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        Format::Json => json::verifications(found, out),
        Format::Yaml => yaml::verifications(found, out),
        _ => verification::render(found, style, out),
    }
}
