//! Kubernetes manifests, YAML and JSON, read exactly as kubectl 1.33 and later read them, with the position of every
//! field.
//!
//! kubectl reads a YAML of its own: it cuts documents at lines that start with `---`, reads each as YAML 1.1 with
//! go-yaml 2.4, and passes the result through Go's JSON. So `0644` is 420, `yes` is true, the last of repeated keys
//! wins, and what follows a `...` is dropped, all without a word. No other YAML library gives these values. This crate
//! reads the same values, refuses what kubectl refuses, and warns where a value is not what it looks like.
//!
//! # Example
//!
//! ```
//! use kubectl_manifest::{PathSegment, read};
//!
//! let text = b"apiVersion: v1
//! kind: ConfigMap
//! metadata: {name: settings}
//! data:
//!   mode: 0644
//! ---
//! apiVersion: v1
//! kind: Namespace
//! metadata: {name: prod}
//! ";
//! let reading = read("web.yaml", text)?;
//!
//! // Documents, and the items of lists, come as one object each.
//! let kinds: Vec<_> = reading.manifests.iter().map(|manifest| &manifest.value["kind"]).collect();
//! assert_eq!(kinds, ["ConfigMap", "Namespace"]);
//!
//! // A value that is not what it looks like comes with a warning.
//! assert_eq!(reading.manifests[0].value["data"]["mode"], 420);
//! assert_eq!(
//!     reading.warnings[0].to_string(),
//!     "web.yaml: document 1, line 5, column 9: \"mode: 0644\" is octal: read as 420",
//! );
//!
//! // Every field can be found in its file again.
//! let path = [PathSegment::Key("data"), PathSegment::Key("mode")];
//! let location = reading.manifests[0].location_of(&path);
//! assert_eq!((location.line, location.column), (5, 3));
//!
//! // What kubectl refuses is an error, which says where and why.
//! let error = read("values.yaml", b"replicas: {{ .Values.replicas }}").unwrap_err();
//! assert!(error.to_string().contains("a template that was not rendered"));
//! # Ok::<(), kubectl_manifest::ReadError>(())
//! ```
//!
//! # What there is
//!
//! | | |
//! |---|---|
//! | [`read`] | all objects of a file: its documents and the items of its lists |
//! | [`read_document`] | the first document of a file, whatever it is, such as a kubeconfig; errors quote nothing |
//! | [`read_value`] | one value on one line, such as that of a flag |
//! | [`Manifest::location_of`] | where a field stands: line and column |
//! | [`go_base64`] | base64 as Go's decoder takes it |
//!
//! # How it works
//!
//! ```text
//! bytes -> text -> split -> yaml | json -> tree -> value -> object
//! ```
//!
//! Time and memory grow with the length of the input, whatever it is: the depth of brackets and indentation and the
//! copies that aliases make are limited as in go-yaml, and nothing is recursive. The readings are compared with those
//! of kubectl itself, recorded case by case, in the tests.
//!
//! Only the shape of objects is checked (a `kind`, an `apiVersion`, lists of objects); what their fields may hold is not
//! this crate's to know. Files are not opened, and URLs are not fetched.

mod document;
mod error;
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
pub use locate::PathSegment;
pub use manifest::Manifest;
pub use passage::TextSlice;
pub use stream::{read, read_whole, scan};

/// Position in an input. Displays as `web.yaml: document 2, line 14, column 3`. An object of a server displays as its
/// name alone, since it has no lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The name of the file, or `standard input`.
    pub file: Arc<str>,
    /// Document of the file, from 1. Empty ones do not count.
    pub document: usize,
    /// Line of the file, from 1; 0 for an object of a server.
    pub line: usize,
    /// Character of the line, from 1; 0 for an object of a server.
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

/// Something that was read otherwise than it looks. Displays as its location and message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Position of the value.
    pub location: Location,
    /// The value as it was read, in lower case and without a full stop.
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
    /// The objects, in the order in which they stand in the files.
    pub manifests: Vec<Manifest>,
    /// The surprises, at most a hundred a file.
    pub warnings: Vec<Warning>,
    /// The lists whose items are among the objects, as far as they say something of their own.
    pub lists: Vec<List>,
}

/// Parts of an object to read; see [`Manifest::part`] and [`TextSlice::part`].
#[derive(Clone, Copy, Debug)]
pub enum Part {
    /// All of it.
    Whole,
    /// Of a mapping these members alone, and of each as much as stands with it.
    Members(&'static [(&'static str, Part)]),
    /// Of a list so much of each item.
    Items(&'static Part),
}

/// Properties of a list, without its items.
#[derive(Debug)]
pub struct List {
    /// The name of the file that it stands in.
    pub file: Arc<str>,
    /// Its `metadata`, a mapping that is not empty.
    pub metadata: Value,
}

impl Reading {
    /// Adds what was read after it.
    pub fn extend(&mut self, other: Reading) {
        self.manifests.extend(other.manifests);
        self.warnings.extend(other.warnings);
        self.lists.extend(other.lists);
    }
}

/// Text of one file, kept to find lines later.
#[derive(Debug)]
struct Source {
    file: Arc<str>,
    /// Decoded, with `\n` for `\r\n`, and one at the end.
    text: String,
}

/// A part of a text.
#[derive(Clone, Debug)]
struct Document {
    range: Range<usize>,
    /// The line it starts on, from 0.
    line: u32,
    /// Column in that line: JSON values may follow one another on a line, and items follow a dash.
    column: u32,
    json: bool,
}

/// Reads a single value, such as `3`, `"3"` or `{a: [b]}`, as it would be read behind a key of a manifest.
///
/// # Errors
/// When it is not a value on one line.
pub fn read_value(text: &str) -> Result<Value, ReadError> {
    let wrong = |problem: &str| ReadError::Path {
        path: error::excerpt(text),
        problem: problem.into(),
    };
    if text.contains(['\n', '\r']) {
        return Err(wrong(
            "a value is on one line: write lists and maps as [a, b] and {a: b}",
        ));
    }
    let document = format!("apiVersion: v1\nkind: Value\nvalue: {text}\n");
    let mut reading =
        read("value", document.as_bytes()).map_err(|_| wrong("this is not a YAML value"))?;
    let mut manifest = reading
        .manifests
        .pop()
        .ok_or_else(|| wrong("this is not a YAML value"))?;
    let value = manifest.value.get_mut("value").map(Value::take);
    value.ok_or_else(|| wrong("this is not a YAML value"))
}

/// Reads the first document of a text, whatever it is: null where there is none.
///
/// # Errors
/// The line, from 1, on which it is not what kubectl would read. What is wrong there is left unsaid, for files
/// whose content is secret.
pub fn read_document(bytes: &[u8]) -> Result<Value, usize> {
    let mut text = text::decode(bytes.to_vec()).replace("\r\n", "\n");
    if !text.ends_with('\n') {
        text.push('\n');
    }
    let chunk = split::Chunks::new(&text, 0, 0).find(|chunk| {
        // Comments and blanks before the first separator are no document.
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
    let wrong = |line: u32, fault: &error::Fault| line_number(line, fault.at.line);
    let chunk = chunk.map_err(|fault| wrong(0, &fault))?;
    let composed = yaml::compose(chunk.text, None).map_err(|fault| wrong(chunk.line, &fault))?;
    if composed.tree.nodes.is_empty() {
        return Ok(Value::Null);
    }
    let decoded = value::decode(&composed.tree).map_err(|fault| wrong(chunk.line, &fault))?;
    if decoded.deep {
        value::dismantle(decoded.value);
        return Err(line_number(chunk.line, 0));
    }
    Ok(decoded.value)
}

impl Source {
    /// All of it, as one document.
    fn whole(&self) -> Document {
        Document {
            range: 0..self.text.len(),
            line: 0,
            column: 0,
            json: false,
        }
    }

    /// The location of a position in one of the documents.
    fn location(&self, number: usize, document: &Document, at: error::Mark) -> Location {
        // Of an item in YAML the columns are counted from the start of its line.
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

/// A line from 1, of the line from 0 a document starts on and a line from 0 within it.
fn line_number(document: u32, within: u32) -> usize {
    document as usize + within as usize + 1
}
