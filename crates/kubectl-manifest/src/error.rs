//! What can be wrong with a manifest, and how it is said.

use std::borrow::Cow;

use super::Place;

/// Why manifests could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The text at this place is not what kubectl would read.
    #[error("{place}: {problem}")]
    Text {
        /// Where it went wrong.
        place: Place,
        /// What is wrong, and what to do, in lower case and without a full stop.
        problem: String,
    },
    /// The file or directory cannot be read.
    #[error("{path}: {problem}")]
    Path {
        /// As the user gave it.
        path: String,
        /// What is wrong, and what to do, in lower case and without a full stop.
        problem: String,
    },
}

/// What is wrong with one document.
#[derive(Debug)]
pub(super) struct Fault {
    /// Lines from the start of the document's text, from 0.
    pub(super) line: u32,
    pub(super) problem: Cow<'static, str>,
}

/// A text from the input, safe and short enough for a message: control characters are escaped, the end is cut.
pub fn excerpt(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut shown = String::new();
    for (count, character) in text.chars().enumerate() {
        if count == LONGEST {
            shown.push('…');
            break;
        }
        // `escape_debug` knows which characters do not print, but quotes are no danger here.
        if matches!(character, '"' | '\'' | '\\') {
            shown.push(character);
        } else {
            shown.extend(character.escape_debug());
        }
    }
    shown
}
