#![doc = include_str!("../README.md")]
//!
//! # Overview
//!
//! | | |
//! |---|---|
//! | [`read`] | all objects of a file: its documents and the items of its lists |
//! | [`read_document`] | the first document of a file of any kind, such as a kubeconfig; errors quote nothing |
//! | [`read_file`] | the same for a file that the user wrote, such as a policy; errors have the problem |
//! | [`read_value`] | a value on one line, such as that of a flag |
//! | [`Manifest::location_of`] | line and column of a field |
//! | [`go_base64`] | base64 as decoded by Go |
//!
//! # Design
//!
//! ```text
//! bytes -> text -> split -> yaml | json -> tree -> value -> object
//! ```
//!
//! Time and memory are linear in the length of any input. As in go-yaml, the depth of brackets and indentation and the
//! expansion of aliases are limited; nothing is recursive. The tests compare the results with recordings of kubectl.
//!
//! Only the shape of objects is checked (a `kind`, an `apiVersion`, lists of objects), not the values of their fields. The
//! crate opens no files and fetches no URLs.

mod document;
mod error;
mod file;
pub mod go_base64;
mod json;
mod leaf;
mod listing;
mod locate;
mod manifest;
mod mapping;
mod number;
mod object;
mod passage;
mod plain;
mod recognize;
mod scalar;
mod split;
mod stream;
mod text;
mod timestamp;
mod tree;
mod value;
mod words;
mod yaml;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

pub use error::{ReadError, excerpt, path_excerpt};
pub use file::{read, read_whole, scan};
pub use locate::PathSegment;
pub use manifest::Manifest;
pub use passage::TextSlice;

/// Position in an input. Displays as `web.yaml: document 2, line 14, column 3`. An object from a server has no lines, and
/// displays as its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// Name of the file, or `standard input`.
    pub file: Arc<str>,
    /// Number of the document, from 1. Empty documents are not counted.
    pub document: usize,
    /// Line of the file, from 1; 0 for an object from a server.
    pub line: usize,
    /// Character of the line, from 1; 0 for an object from a server.
    pub column: usize,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = error::path_excerpt(&self.file);
        match self.line {
            0 => write!(f, "{file}"),
            line => {
                let (document, column) = (self.document, self.column);
                write!(
                    f,
                    "{file}: document {document}, line {line}, column {column}"
                )
            }
        }
    }
}

/// A value that is not read as written. Displays as its location and message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Position of the value.
    pub location: Location,
    /// Description of the value that was read, in lower case and without a full stop.
    pub message: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.location, self.message)
    }
}

/// Objects and warnings of an input.
#[derive(Debug, Default)]
pub struct Reading {
    /// Objects, in the order of the files.
    pub manifests: Vec<Manifest>,
    /// Warnings, at most a hundred per file.
    pub warnings: Vec<Warning>,
    /// Lists that have metadata, and whose items are among the objects.
    pub lists: Vec<List>,
}

/// Parts of an object to read; see [`Manifest::part`] and [`TextSlice::part`].
#[derive(Clone, Copy, Debug)]
pub enum Part {
    /// The whole value.
    Whole,
    /// These members of a mapping, and the given part of each.
    Members(&'static [(&'static str, Part)]),
    /// The given part of each item of a list.
    Items(&'static Part),
}

/// Properties of a list, without its items.
#[derive(Debug)]
pub struct List {
    /// Name of the file.
    pub file: Arc<str>,
    /// `metadata`, a non-empty mapping.
    pub metadata: Value,
}

impl Reading {
    /// Appends another reading.
    pub fn extend(&mut self, other: Reading) {
        self.manifests.extend(other.manifests);
        self.warnings.extend(other.warnings);
        self.lists.extend(other.lists);
    }
}

/// Text of a file, kept for finding lines.
#[derive(Debug)]
struct Source {
    file: Arc<str>,
    /// Decoded text, with `\n` for `\r\n` and at the end.
    text: String,
}

/// A part of a text.
#[derive(Clone, Debug)]
struct Document {
    range: Range<usize>,
    /// Line of its start, from 0.
    line: u32,
    /// Column of its start: several JSON values may be on a line, and items follow a dash.
    column: u32,
    json: bool,
}

/// Reads a single value, such as `3`, `"3"` or `{a: [b]}`, like the value of a key in a manifest.
///
/// # Errors
/// When the text is not a value on one line.
pub fn read_value(text: &str) -> Result<Value, ReadError> {
    let wrong = |problem: &str| ReadError::Path {
        path: error::excerpt(text),
        problem: problem.into(),
    };
    if text.contains(['\n', '\r']) {
        return Err(wrong(
            "a value must be on one line: write lists and mappings as [a, b] and {a: b}",
        ));
    }
    let document = format!("apiVersion: v1\nkind: Value\nvalue: {text}\n");
    let mut reading = read("value", document.as_bytes()).map_err(|_| wrong("not a YAML value"))?;
    let mut manifest = reading
        .manifests
        .pop()
        .ok_or_else(|| wrong("not a YAML value"))?;
    let value = manifest.value.get_mut("value").map(Value::take);
    value.ok_or_else(|| wrong("not a YAML value"))
}

/// Reads the first document of a text of any kind; null if there is none.
///
/// # Errors
/// The line, from 1, that kubectl would refuse. The problem is omitted, since the content may be secret.
pub fn read_document(bytes: &[u8]) -> Result<Value, usize> {
    first_document(bytes).map_err(|(line, fault)| line_number(line, fault.at.line))
}

/// Reads the first document of a file that the user wrote; null if there is none.
///
/// # Errors
/// When kubectl would refuse the text. The problem may quote it.
pub fn read_file(name: &str, bytes: &[u8]) -> Result<Value, ReadError> {
    first_document(bytes).map_err(|(line, fault)| ReadError::Text {
        location: Location {
            file: name.into(),
            document: 1,
            line: line_number(line, fault.at.line),
            column: fault.at.column as usize + 1,
        },
        problem: fault.problem.into_owned(),
    })
}

/// Reads the first document of a text. The line of an error is relative to that of the document, both from 0.
fn first_document(bytes: &[u8]) -> Result<Value, (u32, error::Fault)> {
    let mut text = text::decode(bytes.to_vec()).replace("\r\n", "\n");
    if !text.ends_with('\n') {
        text.push('\n');
    }
    let chunk = split::Chunks::new(&text, 0, 0).find(|chunk| {
        // Comments and blanks before the first separator are not a document.
        !chunk.as_ref().is_ok_and(|chunk| {
            chunk
                .text
                .lines()
                .all(|line| line.trim().is_empty() || line.starts_with('#'))
        })
    });
    let Some(chunk) = chunk else {
        return Ok(Value::Null);
    };
    let chunk = chunk.map_err(|fault| (0, fault))?;
    let within = |fault| (chunk.line, fault);
    let composed = yaml::compose(chunk.text, None).map_err(within)?;
    if composed.tree.nodes.is_empty() {
        return Ok(Value::Null);
    }
    let decoded = value::decode(&composed.tree).map_err(within)?;
    if decoded.deep {
        value::dismantle(decoded.value);
        let fault = error::Fault {
            at: error::Mark::default(),
            problem: format!("values nest deeper than {} levels", value::DEEP).into(),
        };
        return Err((chunk.line, fault));
    }
    Ok(decoded.value)
}

impl Source {
    /// Returns the whole text as one document.
    fn whole(&self) -> Document {
        Document {
            range: 0..self.text.len(),
            line: 0,
            column: 0,
            json: false,
        }
    }

    /// Returns the location of a position in a document.
    fn location(&self, number: usize, document: &Document, at: error::Mark) -> Location {
        // Columns of a YAML item are counted from the start of its line.
        let before = match at.line {
            0 if document.json => document.column,
            _ => 0,
        };
        Location {
            file: Arc::clone(&self.file),
            document: number,
            line: line_number(document.line, at.line),
            column: (before + at.column) as usize + 1,
        }
    }
}

/// Returns the line of the file, from 1, for the start line of a document and a line within it, both from 0.
fn line_number(document: u32, within: u32) -> usize {
    document as usize + within as usize + 1
}
