//! Errors of a manifest, and their messages.

use std::borrow::Cow;

use super::Location;

/// Reason for which manifests could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The text at this place is not what kubectl would read.
    #[error("{location}: {problem}")]
    Text {
        /// Position of the error.
        location: Location,
        /// The problem and its remedy, in lower case and without a full stop.
        problem: String,
    },
    /// The file or directory cannot be read.
    #[error("{path}: {problem}")]
    Path {
        /// As the user gave it.
        path: String,
        /// The problem and its remedy, in lower case and without a full stop.
        problem: String,
    },
}

/// A position in the text of a document: lines and characters, both from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Mark {
    pub(super) line: u32,
    pub(super) column: u32,
    /// Bytes from the start of the text, where a reader stood there.
    pub(super) offset: u32,
}

impl Mark {
    /// The start of a line.
    pub(super) fn line(line: u32) -> Self {
        Mark {
            line,
            ..Mark::default()
        }
    }

    /// The position of an offset in a text.
    pub(super) fn of(text: &str, offset: usize) -> Self {
        let before = &text[..offset];
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let small = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Mark {
            line: small(before.matches('\n').count()),
            column: small(before[start..].chars().count()),
            offset: small(offset),
        }
    }

    /// The same position, in a text that starts so many lines earlier.
    pub(super) fn below(self, lines: u32) -> Self {
        Mark {
            line: self.line + lines,
            ..self
        }
    }
}

/// Problem of one document.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) at: Mark,
    pub(super) problem: Cow<'static, str>,
}

/// A text from the input, safe and short enough for a message: control characters are escaped, the end is cut.
pub fn excerpt(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut shown = escaped(text.chars().take(LONGEST));
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}

/// The name of a file, safe for a message. Its end tells which file it is: what is cut is the start, and only where the
/// name is longer than any directory makes it.
pub fn path_excerpt(path: &str) -> String {
    const LONGEST: usize = 1_000;
    let cut = path.chars().count().saturating_sub(LONGEST);
    let end = escaped(path.chars().skip(cut));
    match cut {
        0 => end,
        _ => format!("…{end}"),
    }
}

fn escaped(text: impl Iterator<Item = char>) -> String {
    let mut shown = String::new();
    for character in text {
        // `escape_debug` knows which characters do not print, but quotes are no danger here.
        if matches!(character, '"' | '\'' | '\\') {
            shown.push(character);
        } else {
            shown.extend(character.escape_debug());
        }
    }
    shown
}
