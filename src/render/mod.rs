//! Turning reports into text: one format a file.
//!
//! A renderer takes reports, a style and a writer. It decides nothing, and reads neither a clock nor the
//! environment nor the terminal: whatever it should know of those is in the [`Style`].

mod advice;
mod branches;
mod columns;
mod format;
mod github;
mod html;
mod json;
mod jsonpath;
mod junit;
mod markdown;
mod name;
mod operations;
mod outlook;
mod overview;
mod partitions;
mod pods;
mod problem;
mod remedies;
mod sarif;
mod screen;
mod steps;
mod style;
mod summary;
mod svg;
mod table;
mod telling;
mod tree;
mod update;
mod verdict;
mod verification;
mod words;
mod yaml;

use std::io::{self, Write};

use serde_json::Value;

use crate::report::{Report, ReportList, Verification};

pub use columns::{Columns, ColumnsError};
pub use format::{Asked, Format, Needs, Printer, UnknownFormat};
pub use jsonpath::{Template, TemplateError};
pub use style::{Style, escape};
pub use update::render_update;

/// Writes reports in a format that may have a template. Templates see one plan, or a list of none or several.
///
/// # Errors
/// When the writer fails, or a template does not fit the plan: then the error within is a [`TemplateError`].
pub fn print(
    printer: &Printer,
    reports: &[Report],
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    match printer {
        Printer::Plain(format) => render(*format, reports, style, out),
        Printer::JsonPath(template) => {
            let value = match reports {
                [report] => serde_json::to_value(report)?,
                reports => serde_json::to_value(ReportList::new(reports))?,
            };
            let text = template.text(&value, style.verbatim);
            out.write_all(text.map_err(io::Error::other)?.as_bytes())
        }
        Printer::Columns(columns) => {
            let values: Result<Vec<Value>, _> = reports.iter().map(serde_json::to_value).collect();
            columns.write(&values?, style, out)
        }
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
        (Format::Wide, [report]) => screen::render_wide(report, style, out),
        (Format::Wide, reports) => overview::render_wide(reports, style, out),
        (Format::Name, reports) => name::render(reports, out),
        (Format::Summary, reports) => summary::render(reports, out),
        (Format::Json, reports) => json::render(reports, style, out),
        (Format::Yaml, reports) => yaml::render(reports, style, out),
        (Format::Junit, reports) => junit::render(reports, out),
        (Format::Sarif, reports) => sarif::render(reports, out),
        (Format::Github, reports) => github::render(reports, out),
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
