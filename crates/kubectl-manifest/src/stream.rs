//! A file to objects: tells JSON from YAML and goes through the documents.

use std::sync::Arc;

use serde_json::Value;

use super::error::{Fault, Mark};
use super::object;
use super::object::Objects;
use super::split::{Chunks, lines};
use super::tree::{Content, Tree};
use super::{Document, List, Manifest, ReadError, Reading, Source, Warning};
use super::{json, locate, recognize, text, value, yaml};

/// How far into a file kubectl looks for the `{` that makes it JSON.
const SNIFFED: usize = 4096;
/// More warnings than this are counted only.
const MAX_WARNINGS: usize = 100;

/// Reads all objects of a file. The name is for messages.
///
/// # Errors
///
/// The first thing that kubectl would refuse, or that is no object with a kind and an apiVersion.
pub fn read(file: &str, bytes: &[u8]) -> Result<Reading, ReadError> {
    let mut text = text::decode(bytes);
    if text.contains("\r\n") {
        text = text.replace("\r\n", "\n");
    }
    let unfinished = !text.is_empty() && !text.ends_with('\n');
    if unfinished {
        text.push('\n');
    }
    let source = Arc::new(Source {
        file: file.into(),
        text,
    });
    let mut stream = Stream {
        source: &source,
        reading: Reading::default(),
        document: 1,
        untold: 0,
    };
    let start = source
        .text
        .find(|character: char| !character.is_whitespace())
        .unwrap_or_default();
    let read = if start < SNIFFED && source.text[start..].starts_with('{') {
        stream.json(unfinished)
    } else {
        stream.yaml(0, 0, None)
    };
    read.map_err(|error| stream.explained(bytes, error))?;
    stream.close();
    Ok(stream.reading)
}

struct Stream<'s> {
    source: &'s Arc<Source>,
    reading: Reading,
    /// The number of the document at hand, from 1.
    document: usize,
    /// Warnings above the limit.
    untold: usize,
}

impl Stream<'_> {
    /// Reads one JSON value after another. A stream that turns out not to be JSON may still be YAML, as long as not
    /// more than one value was read from it.
    fn json(&mut self, unfinished: bool) -> Result<(), ReadError> {
        let text = &self.source.text;
        let (mut offset, mut line, mut column) = (0, 0, 0);
        let mut read = 0;
        loop {
            let rest = &text[offset..];
            match json::next(rest) {
                Ok(None) => return Ok(()),
                Ok(Some((tree, length))) => {
                    let document = Document {
                        range: offset..offset + length,
                        line,
                        column,
                        json: true,
                    };
                    self.document(&tree, document)?;
                    let passed = Mark::of(rest, length);
                    column = match passed.line {
                        0 => column + passed.column,
                        _ => passed.column,
                    };
                    line += passed.line;
                    offset += length;
                    read += 1;
                }
                Err(fault) => {
                    let rest_of_it = Document {
                        range: offset..text.len(),
                        line,
                        column,
                        json: true,
                    };
                    let error = self.error(&rest_of_it, &fault);
                    let blanks = blanks(rest);
                    // kubectl looks four bytes ahead and gives up at the end.
                    let left = rest.len() - blanks - usize::from(unfinished);
                    if read > 1 || left + usize::from(rest[..blanks].ends_with('\n')) < 4 {
                        return Err(error);
                    }
                    return self.yaml(offset + blanks, line + lines(&rest[..blanks]), Some(error));
                }
            }
        }
    }

    /// Reads YAML from an offset on. If it starts with an error, that of an attempt to read JSON is told instead.
    fn yaml(
        &mut self,
        offset: usize,
        line: u32,
        mut first_error: Option<ReadError>,
    ) -> Result<(), ReadError> {
        for chunk in Chunks::new(&self.source.text, offset, line) {
            let composed = chunk.and_then(|chunk| match yaml::compose(chunk.text) {
                Ok(composed) => Ok((composed, chunk)),
                Err(fault) => Err(Fault {
                    at: fault.at.below(chunk.line),
                    ..fault
                }),
            });
            let (composed, chunk) = match composed {
                Ok(composed) => composed,
                Err(fault) => {
                    let whole = self.source.whole();
                    return Err(first_error.unwrap_or_else(|| self.error(&whole, &fault)));
                }
            };
            let range = chunk.offset..chunk.offset + chunk.text.len();
            let document = Document {
                range,
                line: chunk.line,
                column: 0,
                json: false,
            };
            if let Some(ignored) = composed.ignored {
                let message = "what follows from here to the next '---' is not read: put '---' on a line before it";
                self.warn(&document, Mark::line(ignored), message.into());
            }
            first_error = None;
            self.document(&composed.tree, document)?;
        }
        Ok(())
    }

    /// Reads the objects of one document.
    fn document(&mut self, tree: &Tree<'_>, document: Document) -> Result<(), ReadError> {
        if tree.nodes.is_empty() {
            return Ok(());
        }
        let mut decoded = value::decode(tree).map_err(|fault| self.error(&document, &fault))?;
        for (at, message) in std::mem::take(&mut decoded.surprises) {
            self.warn(&document, at, message);
        }
        if decoded.value.is_null() {
            return Ok(());
        }
        let root = &tree.nodes[0];
        let objects = object::objects(&mut decoded.value);
        let manifest = |at, value, item| Manifest {
            value,
            location: self.source.location(self.document, &document, at),
            source: self.source.clone(),
            document: document.clone(),
            item,
            deep: decoded.deep,
        };
        match objects {
            Ok(Objects::None) => {}
            Ok(Objects::One) => {
                let value = decoded.value.take();
                self.reading.manifests.push(manifest(root.at, value, None));
            }
            Ok(Objects::Items(items)) => {
                let starts = item_starts(tree)
                    .into_iter()
                    .chain(std::iter::repeat(root.at));
                let items = items.into_iter().zip(starts).enumerate();
                let items: Vec<_> = items
                    .map(|(index, (value, at))| manifest(at, value, Some(index)))
                    .collect();
                self.reading.manifests.extend(items);
                // Nothing that is nested so deep is said of a list.
                let metadata = decoded.value.get_mut("metadata").filter(|_| !decoded.deep);
                let metadata = metadata.map(Value::take).unwrap_or_default();
                if metadata
                    .as_object()
                    .is_some_and(|members| !members.is_empty())
                {
                    let file = Arc::clone(&self.source.file);
                    self.reading.lists.push(List { file, metadata });
                }
            }
            Err(wrong) => {
                let at = wrong
                    .item
                    .and_then(|item| item_starts(tree).get(item).copied())
                    .unwrap_or(root.at);
                // Dropped as a manifest would be.
                drop(manifest(at, decoded.value.take(), None));
                let problem = wrong.problem.into();
                return Err(self.error(&document, &Fault { at, problem }));
            }
        }
        if decoded.deep {
            value::dismantle(decoded.value);
        }
        self.document += 1;
        Ok(())
    }

    fn warn(&mut self, document: &Document, at: Mark, message: String) {
        if self.reading.warnings.len() == MAX_WARNINGS {
            self.untold += 1;
            return;
        }
        let location = self.source.location(self.document, document, at);
        self.reading.warnings.push(Warning { location, message });
    }

    /// Says how many warnings were left out.
    fn close(&mut self) {
        if self.untold > 0
            && let Some(last) = self.reading.warnings.last_mut()
        {
            last.message = format!(
                "from here on {} places are read otherwise than they look",
                self.untold + 1
            );
        }
    }

    /// An error, or what explains it better.
    fn explained(&self, bytes: &[u8], error: ReadError) -> ReadError {
        let ReadError::Text { location, .. } = &error else {
            return error;
        };
        let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX).saturating_sub(1);
        let stopped = Mark {
            line: small(location.line),
            column: small(location.column),
        };
        match recognize::explain(bytes, &self.source.text, stopped) {
            Some(fault) => self.error(&self.source.whole(), &fault),
            None => error,
        }
    }

    fn error(&self, document: &Document, fault: &Fault) -> ReadError {
        ReadError::Text {
            location: self.source.location(self.document, document, fault.at),
            problem: fault.problem.to_string(),
        }
    }
}

/// Where the items of a list start.
fn item_starts(tree: &Tree<'_>) -> Vec<Mark> {
    match locate::entry(tree, tree.target(0), "items") {
        Some((_, items)) => match tree.target(items) {
            items if matches!(tree.nodes[items].content, Content::Sequence) => tree
                .children(items)
                .map(|item| tree.nodes[item].at)
                .collect(),
            _ => Vec::new(),
        },
        None => Vec::new(),
    }
}

/// Bytes of the blanks a text starts with, up to the end of the line.
fn blanks(text: &str) -> usize {
    let blanks = text.len() - text.trim_start().len();
    text[..blanks].find('\n').map_or(blanks, |end| end + 1)
}
