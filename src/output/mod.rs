//! Output formats, one file each.
//!
//! A renderer takes reports, a style and a writer. It decides nothing, and reads no clock, environment or terminal: the
//! [`Style`] has what it needs of those.

mod advice;
mod alike;
mod answers;
pub mod atomic;
mod columns;
mod detail;
pub mod digest;
mod document;
pub mod files;
mod fleet;
mod format;
mod github;
mod gitlab;
mod grid;
mod html;
mod json;
mod jsonpath;
mod junit;
pub mod keys;
mod lanes;
mod layout;
mod limits;
mod list;
mod markdown;
mod name;
mod operation;
mod operations;
mod overview;
mod plan_diff;
mod pods;
mod problem;
mod prometheus;
mod runbook;
mod sarif;
mod screen;
#[cfg(not(target_family = "wasm"))]
pub mod screens;
mod sink;
mod step_text;
mod style;
mod summary;
mod svg;
mod table;
mod tree;
mod update;
mod verdict;
mod verification;
mod version_diff;
mod words;
mod yaml;

use std::io::{self, Write};

use serde_json::Value;

use layout::{Layout, OneOrList};
use sink::to_terminal;
use sts_plan::fleet::ReportList;
use sts_plan::report::Report;
use sts_plan::verify::Verification;

pub use columns::Columns;
pub use format::{Format, Needs, OutputSpec, Printer, UnknownFormat};
pub use json::tree as json_tree;
pub use jsonpath::{Template, TemplateError};
pub use list::render_list;
pub use plan_diff::render as render_differences;
pub use style::{Style, escape};
pub use table::render_table;
pub use update::{message, render_update};
pub use version_diff::render as render_version_diff;
pub use words::or_dash;
pub use yaml::write as write_yaml;

/// Writes plans in a format or by a template. A template sees one plan, or a list of none or several.
///
/// # Errors
/// When the writer fails, or a template does not match the plan: then the inner error is a `TemplateError`.
pub fn print(
    printer: &Printer,
    plans: &ReportList<'_>,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    match printer {
        Printer::Plain(format) => render(*format, plans, style, out),
        Printer::JsonPath(template) => {
            template.write(&json::tree(&alone_or_listed(plans))?, style, out)
        }
        Printer::Columns(columns) => {
            let planned = plans.items.iter().map(json::tree);
            let unplanned = plans.errors.iter().map(json::tree);
            let values: Result<Vec<Value>, _> = planned.chain(unplanned).collect();
            columns.write(&values?, style, out)
        }
    }
}

fn alone_or_listed<'p>(plans: &'p ReportList<'_>) -> OneOrList<'p, Report, &'p ReportList<'p>> {
    plans.alone().map_or(OneOrList::List(plans), OneOrList::One)
}

/// Writes plans. A single plan is written alone. None, several, or one beside a failed one are written as a list.
///
/// # Errors
/// When the writer fails.
pub fn render(
    format: Format,
    plans: &ReportList<'_>,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        Format::Json => layout::document(&alone_or_listed(plans), Layout::pretty(), out),
        Format::Html => html::render(plans, style, out),
        _ => render_beyond_page(format, plans, style, out),
    }
}

/// Writes plans in a format that the playground does not support.
#[cfg(not(target_family = "wasm"))]
fn render_beyond_page(
    format: Format,
    plans: &ReportList<'_>,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    match (format, plans.alone()) {
        (Format::Json | Format::Html, _) => Ok(()),
        (Format::Table | Format::Wide, Some(report)) => {
            to_terminal(style, out, |out| screen::render(report, format, out))
        }
        (Format::Table | Format::Wide, None) => {
            to_terminal(style, out, |out| fleet::render(plans, format, out))
        }
        (Format::Name, _) => name::render(&plans.items, out),
        (Format::Summary, _) => summary::render(plans, out),
        (Format::Yaml, _) => layout::document(&alone_or_listed(plans), Layout::yaml(), out),
        (Format::Junit, _) => junit::render(plans, out),
        (Format::Sarif, _) => sarif::render(plans, out),
        (Format::Github, _) => github::render(plans, style, out),
        (Format::Gitlab, _) => gitlab::render(plans, out),
        (Format::Prometheus, _) => prometheus::render(plans, out),
        (Format::Markdown, _) => markdown::render(plans, style, out),
        (Format::Svg, _) => svg::render(plans, out),
    }
}

/// Returns an error: the playground does not support the format.
#[cfg(target_family = "wasm")]
fn render_beyond_page(
    format: Format,
    _: &ReportList<'_>,
    _: &Style,
    _: &mut dyn Write,
) -> io::Result<()> {
    let text =
        format!("-o {format} is not available in the playground: run the command in a shell");
    Err(io::Error::new(io::ErrorKind::Unsupported, text))
}

/// Writes verifications.
///
/// # Errors
/// When the writer fails, or a template does not match.
pub fn print_verifications(
    printer: &Printer,
    found: &[Verification],
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    verification::print(printer, found, style, out)
}
