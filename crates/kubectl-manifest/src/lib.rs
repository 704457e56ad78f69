//! Reading manifests: YAML and JSON, exactly as kubectl 1.33 and later read them.
//!
//! ```text
//! bytes -> text -> split -> yaml | json -> tree -> value -> object
//! ```
//!
//! kubectl reads a YAML of its own: documents are cut by lines, then read as YAML 1.1 by go-yaml 2.4, then pass through
//! Go's JSON. So `0644` is 420, `yes` is true, the last of repeated keys wins, and what follows a `...` is dropped, all
//! without a word. This module reads the same values, refuses what kubectl refuses, and says where something was read
//! otherwise than it looks ([`Warning`]).
//!
//! Any input is answered in time that grows with its length: the depth of brackets and indentation, and the copies that
//! aliases make, are limited as in go-yaml, and nothing here is recursive.

mod error;
pub mod go_base64;
mod json;
mod locate;
mod mapping;
mod number;
mod object;
mod scalar;
mod split;
mod stream;
mod text;
mod timestamp;
mod tree;
mod value;
mod yaml;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

pub use error::{ReadError, excerpt};
pub use locate::PathSegment;
pub use stream::read;

/// Where something stands in what was read. Displays as `web.yaml: document 2, line 14`, and what a server sent as its
/// name alone, since nobody can look at a line of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The name of the file, or `standard input`.
    pub file: Arc<str>,
    /// Which document of the file, from 1. Empty ones do not count.
    pub document: usize,
    /// Which line of the file, from 1; 0 for what a server sent.
    pub line: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = error::excerpt(&self.file);
        match self.line {
            0 => write!(f, "{file}"),
            line => write!(f, "{file}: document {}, line {line}", self.document),
        }
    }
}

/// Something that was read otherwise than it looks. Displays as its place and message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Where.
    pub place: Place,
    /// What was read, in lower case and without a full stop.
    pub message: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// What was read.
#[derive(Debug, Default)]
pub struct Reading {
    /// The objects, in the order in which they stand in the files.
    pub manifests: Vec<Manifest>,
    /// The surprises, at most a hundred a file.
    pub warnings: Vec<Warning>,
    /// The lists whose items are among the objects, as far as they say something of their own.
    pub lists: Vec<List>,
}

/// What a list says of itself, beside its items.
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

/// One object: a document, or an item of a list.
#[derive(Debug)]
pub struct Manifest {
    /// The object. It has a `kind` and an `apiVersion`, both texts; nothing else is checked. Take it out with
    /// `std::mem::take`; it may be 10,000 levels deep, which is why a manifest has a way of its own to drop it.
    pub value: Value,
    /// Where it starts.
    pub place: Place,
    source: Arc<Source>,
    document: Document,
    /// Which item of its list it is.
    item: Option<usize>,
    deep: bool,
}

/// What was read of one file. It is kept to find lines in later.
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
    json: bool,
}

/// Reads a single value, such as `3`, `"3"` or `{a: [b]}`, as it would be read behind a key of a manifest.
///
/// # Errors
/// When it is no value on one line.
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
        read("value", document.as_bytes()).map_err(|_| wrong("this is no YAML value"))?;
    let mut manifest = reading
        .manifests
        .pop()
        .ok_or_else(|| wrong("this is no YAML value"))?;
    let value = manifest.value.get_mut("value").map(Value::take);
    value.ok_or_else(|| wrong("this is no YAML value"))
}

/// Reads the first document of a text, whatever it is: null where there is none.
///
/// # Errors
/// The line, from 1, on which it is not what kubectl would read. What is wrong there is left unsaid, for files whose
/// content is nobody's business.
pub fn read_document(bytes: &[u8]) -> Result<Value, usize> {
    let mut text = text::decode(bytes).replace("\r\n", "\n");
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
    let wrong = |line: u32, fault: &error::Fault| line_number(line, fault.line);
    let chunk = chunk.map_err(|fault| wrong(0, &fault))?;
    let composed = yaml::compose(chunk.text).map_err(|fault| wrong(chunk.line, &fault))?;
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

impl Manifest {
    /// An object that a server sent. The name is for messages.
    #[must_use]
    pub fn received(value: Value, name: &str) -> Self {
        let file: Arc<str> = name.into();
        Manifest {
            value,
            place: Place {
                file: Arc::clone(&file),
                document: 1,
                line: 0,
            },
            source: Arc::new(Source {
                file,
                text: String::new(),
            }),
            document: Document {
                range: 0..0,
                line: 0,
                json: true,
            },
            item: None,
            deep: false,
        }
    }

    /// The line of a field in its file, from 1: that of its key, or of the list item. Where there is no such field, the
    /// line of the innermost thing around it. Reads the document again, so it is for messages only.
    pub fn line_of(&self, path: &[PathSegment<'_>]) -> usize {
        let text = self.source.text.get(self.document.range.clone());
        let Some(text) = text.filter(|text| !text.is_empty()) else {
            return self.place.line;
        };
        let mut full = Vec::with_capacity(path.len() + 2);
        if let Some(item) = self.item {
            full.extend([PathSegment::Key("items"), PathSegment::Index(item)]);
        }
        full.extend(path);
        let tree = if self.document.json {
            json::next(text).ok().flatten().map(|(tree, _)| tree)
        } else {
            yaml::compose(text).ok().map(|composed| composed.tree)
        };
        tree.map_or(self.place.line, |tree| {
            line_number(self.document.line, locate::line(&tree, &full))
        })
    }
}

impl Drop for Manifest {
    fn drop(&mut self) {
        if self.deep {
            value::dismantle(self.value.take());
        }
    }
}

/// A line from 1, of the line from 0 a document starts on and a line from 0 within it.
fn line_number(document: u32, within: u32) -> usize {
    document as usize + within as usize + 1
}
