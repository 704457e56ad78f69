//! Splits a file into documents: kubectl splits YAML at lines that start with `---` before parsing it.

use super::error::{Fault, Mark, excerpt};
use super::words;

/// Text of one document, by kubectl's rules.
pub(super) struct Chunk<'a> {
    pub(super) text: &'a str,
    /// Byte offset in the file.
    pub(super) offset: usize,
    /// Line in the file, from 0.
    pub(super) line: u32,
}

/// Splits a text, each line of which ends with `\n`, from an offset.
pub(super) struct Chunks<'a> {
    text: &'a str,
    offset: usize,
    line: u32,
}

impl<'a> Chunks<'a> {
    pub(super) fn new(text: &'a str, offset: usize, line: u32) -> Self {
        Chunks { text, offset, line }
    }
}

impl<'a> Iterator for Chunks<'a> {
    type Item = Result<Chunk<'a>, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self
            .text
            .get(self.offset..)
            .filter(|rest| !rest.is_empty())?;
        let (offset, line) = (self.offset, self.line);
        // A separator at the start belongs to the document after it.
        if let Err(problem) = check_separator(rest) {
            self.offset = self.text.len();
            return Some(Err(Fault {
                at: Mark::line(line),
                problem: problem.into(),
            }));
        }
        let length = words::find(rest, "\n---").map_or(rest.len(), |at| at + 1);
        let (text, after) = rest.split_at(length);
        self.offset += length;
        self.line += words::line_breaks(text);
        if let Err(problem) = check_separator(after) {
            // kubectl finds the separator first, so the previous document is never parsed.
            let line = self.line;
            self.offset = self.text.len();
            return Some(Err(Fault {
                at: Mark::line(line),
                problem: problem.into(),
            }));
        }
        if let Some(separator) = after.find('\n') {
            self.offset += separator + 1;
            self.line += 1;
        }
        Some(Ok(Chunk { text, offset, line }))
    }
}

/// Checks that only blanks and a comment follow a `---` at the start of a text.
fn check_separator(text: &str) -> Result<(), String> {
    let Some(after) = text.strip_prefix("---") else {
        return Ok(());
    };
    let after = after.split('\n').next().unwrap_or_default().trim();
    if after.is_empty() || after.starts_with('#') {
        return Ok(());
    }
    Err(format!(
        "unexpected \"{}\" after '---': move it to the next line",
        excerpt(after)
    ))
}
