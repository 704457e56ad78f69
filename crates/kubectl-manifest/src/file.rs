//! Converts a file to objects: detects JSON or YAML, and reads all documents.

use std::sync::Arc;

use super::error::{Fault, Mark};
use super::listing::{Listed, Listing};
use super::split::Chunks;
use super::stream::{ReadMode, Stream};
use super::yaml::Composed;
use super::{Document, ReadError, Reading, Source};
use super::{json, recognize, text, words, yaml};

/// Length of the start of a file in which kubectl looks for the `{` of JSON.
const SNIFFED: usize = 4096;
/// Number of bytes that identify a file type.
const HEAD: usize = 512;

/// Reads all objects of a file. The name is for messages.
///
/// # Errors
///
/// The first problem: kubectl refuses the text, or it is not an object with a kind and an apiVersion.
pub fn read(file: &str, bytes: &[u8]) -> Result<Reading, ReadError> {
    go_through(file, bytes.to_vec(), ReadMode::Read)
}

/// Scans all objects of a file, and keeps only their locations: each is parsed on demand, see
/// [`crate::Manifest::part`]. A large file takes little more memory than its text.
///
/// # Errors
///
/// As for [`read`].
pub fn scan(file: &str, bytes: Vec<u8>) -> Result<Reading, ReadError> {
    go_through(file, bytes, ReadMode::Scan)
}

/// Reads all objects of a file with the simple algorithm, one whole document at a time: a reference for [`read`].
///
/// # Errors
///
/// As for [`read`].
#[doc(hidden)]
pub fn read_whole(file: &str, bytes: &[u8]) -> Result<Reading, ReadError> {
    go_through(file, bytes.to_vec(), ReadMode::ReadWhole)
}

fn go_through(file: &str, bytes: Vec<u8>, way: ReadMode) -> Result<Reading, ReadError> {
    // The first bytes identify files that are not manifests.
    let head: Vec<u8> = bytes.iter().take(HEAD).copied().collect();
    let mut text = text::decode(bytes);
    if words::find(&text, "\r\n").is_some() {
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
    let mut stream = Stream::new(&source, way);
    let start = source
        .text
        .find(|character: char| !character.is_whitespace())
        .unwrap_or_default();
    let read = if start < SNIFFED && source.text[start..].starts_with('{') {
        stream.json(unfinished)
    } else {
        stream.yaml(0, 0, None)
    };
    read.map_err(|error| stream.explained(&head, error))?;
    stream.close();
    Ok(stream.reading)
}

impl Stream<'_> {
    /// Reads consecutive JSON values. A stream that is not JSON may still be YAML, if at most one value was read from
    /// it.
    fn json(&mut self, unfinished: bool) -> Result<(), ReadError> {
        let source = self.source;
        let text = &source.text;
        let (mut offset, mut line, mut column) = (0, 0, 0);
        let mut read = 0;
        loop {
            let rest = &text[offset..];
            let rest_of_it = Document {
                range: offset..text.len(),
                line,
                column,
                json: true,
            };
            let before = self.progress();
            match self.value(rest, &rest_of_it)? {
                Ok(None) => return Ok(()),
                Ok(Some(end)) => {
                    column = match end.line {
                        0 => column + end.column,
                        _ => end.column,
                    };
                    line += end.line;
                    offset += end.offset as usize;
                    read += 1;
                }
                Err(fault) => {
                    self.go_back(before);
                    let error = self.error(&rest_of_it, &fault);
                    let blanks = blanks(rest);
                    // kubectl looks four bytes ahead and gives up at the end.
                    let left = rest.len() - blanks - usize::from(unfinished);
                    if read > 1 || left + usize::from(rest[..blanks].ends_with('\n')) < 4 {
                        return Err(error);
                    }
                    return self.yaml(
                        offset + blanks,
                        line + words::line_breaks(&rest[..blanks]),
                        Some(error),
                    );
                }
            }
        }
    }

    /// Reads the objects of one JSON value. Returns its end, `None` if only blanks are left, or the error.
    fn value(
        &mut self,
        rest: &str,
        place: &Document,
    ) -> Result<Result<Option<Mark>, Fault>, ReadError> {
        if self.way != ReadMode::ReadWhole {
            let before = self.progress();
            let mut listing = Listing::new(self, place.clone());
            let read = json::next(rest, Some(&mut listing));
            match (listing.end(), read) {
                (_, Ok(None)) => return Ok(Ok(None)),
                (Listed::Not, Ok(Some((tree, end)))) => {
                    let range = place.range.start..place.range.start + end.offset as usize;
                    let document = Document {
                        range,
                        ..place.clone()
                    };
                    self.document(&tree, document)?;
                    return Ok(Ok(Some(end)));
                }
                (Listed::Items(problem), Ok(Some((tree, end)))) => {
                    if self.list(&tree, place, problem)? {
                        return Ok(Ok(Some(end)));
                    }
                }
                (Listed::Not | Listed::Items(_), Err(fault)) => return Ok(Err(fault)),
                (Listed::AsWhole, _) => {}
            }
            self.go_back(before);
        }
        match json::next(rest, None) {
            Ok(None) => Ok(Ok(None)),
            Ok(Some((tree, end))) => {
                let range = place.range.start..place.range.start + end.offset as usize;
                let document = Document {
                    range,
                    ..place.clone()
                };
                self.document(&tree, document)?;
                Ok(Ok(Some(end)))
            }
            Err(fault) => Ok(Err(fault)),
        }
    }

    /// Reads YAML from an offset. If it starts with an error, the error of an attempt to read JSON is returned
    /// instead.
    fn yaml(
        &mut self,
        offset: usize,
        line: u32,
        mut first_error: Option<ReadError>,
    ) -> Result<(), ReadError> {
        let source = self.source;
        for chunk in Chunks::new(&source.text, offset, line) {
            let read = chunk.and_then(|chunk| {
                let document = Document {
                    range: chunk.offset..chunk.offset + chunk.text.len(),
                    line: chunk.line,
                    column: 0,
                    json: false,
                };
                let at_line = |fault: Fault| Fault {
                    at: fault.at.below(chunk.line),
                    ..fault
                };
                self.chunk(chunk.text, document).map_err(at_line)
            });
            match read {
                Ok(read) => read?,
                Err(fault) => {
                    let whole = self.source.whole();
                    return Err(first_error.unwrap_or_else(|| self.error(&whole, &fault)));
                }
            }
            first_error = None;
        }
        Ok(())
    }

    /// Reads the objects between two separators; the fault is a YAML error.
    fn chunk(&mut self, text: &str, document: Document) -> Result<Result<(), ReadError>, Fault> {
        if self.way == ReadMode::Scan && self.pass_over(text, &document) {
            return Ok(Ok(()));
        }
        if self.way != ReadMode::ReadWhole {
            let before = self.progress();
            let mut listing = Listing::new(self, document.clone());
            let composed = yaml::compose(text, Some(&mut listing));
            match (listing.end(), composed) {
                (Listed::Not, composed) => return composed.map(|it| self.composed(&it, document)),
                (Listed::Items(_), Err(fault)) => return Err(fault),
                (Listed::Items(problem), Ok(composed)) if composed.ignored.is_none() => {
                    match self.list(&composed.tree, &document, problem) {
                        Ok(true) => return Ok(Ok(())),
                        Ok(false) => {}
                        Err(error) => return Ok(Err(error)),
                    }
                }
                (Listed::Items(_) | Listed::AsWhole, _) => {}
            }
            self.go_back(before);
        }
        yaml::compose(text, None).map(|composed| self.composed(&composed, document))
    }

    fn composed(&mut self, composed: &Composed<'_>, document: Document) -> Result<(), ReadError> {
        if let Some(ignored) = composed.ignored {
            let message =
                "everything from here to the next '---' is ignored: put '---' on a line before it";
            self.warn(&document, Mark::line(ignored), message.into());
        }
        self.document(&composed.tree, document)
    }

    /// Returns a better explanation of an error, if any.
    fn explained(&self, bytes: &[u8], error: ReadError) -> ReadError {
        let ReadError::Text { location, .. } = &error else {
            return error;
        };
        let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX).saturating_sub(1);
        let stopped = Mark {
            column: small(location.column),
            ..Mark::line(small(location.line))
        };
        match recognize::explain(bytes, &self.source.text, stopped) {
            Some(fault) => self.error(&self.source.whole(), &fault),
            None => error,
        }
    }
}

/// Returns the number of leading blanks, up to the end of the line.
fn blanks(text: &str) -> usize {
    let blanks = text.len() - text.trim_start().len();
    text[..blanks].find('\n').map_or(blanks, |end| end + 1)
}
