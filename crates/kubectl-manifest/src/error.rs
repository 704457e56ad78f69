//! Errors of a manifest, and their messages.

use std::borrow::Cow;

use super::Location;

/// Error of reading manifests.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// kubectl would refuse the text.
    #[error("{location}: {problem}")]
    Text {
        /// Position of the error.
        location: Location,
        /// Problem and remedy, in lower case and without a full stop.
        problem: String,
    },
    /// The file or directory cannot be read.
    #[error("{path}: {problem}")]
    Path {
        /// Path from the user.
        path: String,
        /// Problem and remedy, in lower case and without a full stop.
        problem: String,
    },
}

/// Position in the text of a document: line and character, both from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Mark {
    pub(super) line: u32,
    pub(super) column: u32,
    /// Byte offset in the text, if a reader was there.
    pub(super) offset: u32,
}

impl Mark {
    /// Returns the start of a line.
    pub(super) fn line(line: u32) -> Self {
        Mark {
            line,
            ..Mark::default()
        }
    }

    /// Returns the position of an offset in a text.
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

    /// Returns the same position in a text that starts `lines` lines earlier.
    pub(super) fn below(self, lines: u32) -> Self {
        Mark {
            line: self.line + lines,
            ..self
        }
    }
}

/// Error in one document.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) at: Mark,
    pub(super) problem: Cow<'static, str>,
}

/// Escapes and truncates input for a message.
pub fn excerpt(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut shown = escaped(text.chars().take(LONGEST));
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}

/// Escapes a file name for a message. The end identifies the file, so the start is truncated, and only if the name is
/// longer than any directory allows.
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
        // `escape_debug` finds unprintable characters, but also escapes quotes, which are safe here.
        if matches!(character, '"' | '\'' | '\\') {
            shown.push(character);
        } else {
            shown.extend(character.escape_debug());
        }
    }
    shown
}
