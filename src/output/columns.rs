//! `-o custom-columns`: a table of user-defined columns, as in kubectl.

use std::io::{self, Write};

use serde_json::Value;
use thiserror::Error;

use super::grid::{self, GridRow};
use super::jsonpath::{Template, TemplateError, spelled};
use super::style::{Style, columns_of, escape, visible};

/// Minimum column width and gap of kubectl.
const LEAST: usize = 3;
const GAP: u16 = 3;

/// User-defined columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Columns {
    columns: Vec<(String, Template)>,
}

/// An error in the specification of columns.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ColumnsError {
    /// No columns.
    #[error("no columns given: use custom-columns=NAME:.metadata.name,RESULT:.outcome.result")]
    None,
    /// A column without a path.
    #[error("invalid column {0:?}: use HEADER:PATH, such as NAME:.metadata.name")]
    NoPath(String),
    /// An invalid path.
    #[error(
        "invalid path {0:?}: use name1.name2, .name1.name2, {{name1.name2}} or {{.name1.name2}}"
    )]
    Path(String),
    /// A path that is not a valid template.
    #[error("column {header:?}: {error}")]
    Template {
        /// The column's header.
        header: String,
        /// The error in its path.
        error: TemplateError,
    },
}

impl Columns {
    /// Reads `HEADER:PATH,HEADER:PATH`.
    ///
    /// # Errors
    /// When there are no columns, or one of them has no valid path.
    pub fn new(spec: &str) -> Result<Self, ColumnsError> {
        if spec.is_empty() {
            return Err(ColumnsError::None);
        }
        let columns = spec.split(',').map(|part| {
            let (header, path) = part
                .split_once(':')
                .ok_or_else(|| ColumnsError::NoPath(part.to_owned()))?;
            column(header, path)
        });
        let columns = columns.collect::<Result<_, _>>()?;
        Ok(Columns { columns })
    }

    /// Writes a row for each value.
    ///
    /// # Errors
    /// When the writer fails, or a path does not match a value: then the inner error is a [`TemplateError`].
    pub fn write(&self, values: &[Value], style: &Style, out: &mut dyn Write) -> io::Result<()> {
        let mut rows: Vec<Vec<String>> = Vec::new();
        if style.headers {
            let headers = self.columns.iter().map(|(header, _)| header.clone());
            rows.push(headers.collect());
        }
        for value in values {
            let cells = self.columns.iter().map(|(_, path)| cell(path, value));
            rows.push(cells.collect::<io::Result<_>>()?);
        }
        // The last cell of a row is not padded.
        let end = self.columns.len().saturating_sub(1);
        let split = rows.iter().map(|row| row.split_at(end));
        let (padded, last): (Vec<&[String]>, Vec<&[String]>) = split.unzip();
        let widths = (0..end).map(|at| {
            let widths = padded.iter().map(|cells| columns_of(&cells[at]).max(LEAST));
            widths.max()
        });
        let widths: Vec<Option<usize>> = widths.collect();
        let padded = padded.iter().map(|cells| GridRow {
            cells: cells.iter().map(String::as_str).collect(),
            lines: 1,
        });
        let padded = grid::lines(&padded.collect::<Vec<_>>(), &widths, GAP);
        for (padded, last) in padded.iter().zip(last) {
            writeln!(out, "{}{}", padded.concat(), last.concat())?;
        }
        Ok(())
    }
}

fn column(header: &str, path: &str) -> Result<(String, Template), ColumnsError> {
    let invalid = |error| ColumnsError::Template {
        header: header.to_owned(),
        error,
    };
    let template = Template::new(&relaxed(path)?).map_err(invalid)?;
    Ok((escape(header).into_owned(), template))
}

/// Returns the full form of a path, which may be `x.y`, `.x.y`, `{x.y}` or `{.x.y}`.
fn relaxed(path: &str) -> Result<String, ColumnsError> {
    let bare = path
        .strip_prefix('{')
        .and_then(|path| path.strip_suffix('}'));
    let bare = bare.unwrap_or(path);
    let inner = match bare.strip_prefix('.') {
        Some("") | None => bare,
        Some(inner) => inner,
    };
    if inner.is_empty() || inner.contains(['{', '}']) {
        return Err(ColumnsError::Path(path.to_owned()));
    }
    Ok(format!("{{.{inner}}}"))
}

fn cell(path: &Template, value: &Value) -> io::Result<String> {
    let results = path.results(value).map_err(io::Error::other)?;
    let mut values: Vec<String> = Vec::new();
    if results.first().is_none_or(Vec::is_empty) {
        values.push("<none>".to_owned());
    }
    let found = results.iter().flatten();
    values.extend(found.map(|value| visible(&spelled(value)).into_owned()));
    Ok(values.join(","))
}
