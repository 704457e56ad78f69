//! YAML text to a [`Tree`], with the rules of go-yaml 2.4: the YAML 1.1 that kubectl reads.
//!
//! No Rust crate reads all that go-yaml reads and refuses all that it refuses, and each is slow or fails on some
//! hostile text (`libyaml-safer`, the nearest, ends the process on `[!!str, a]` and takes quadratic time for nested
//! brackets), so the scanner is here. Nothing in it is recursive: depth costs memory, never stack.

mod block;
mod cursor;
mod grammar;
mod plain;
mod quoted;
mod scanner;
mod tag;

use super::error::{Fault, Mark};
use super::tree::Tree;

/// The first document of a text.
pub(super) struct Composed<'a> {
    /// Empty if the text holds no document; else its root comes first.
    pub(super) tree: Tree<'a>,
    /// The line, from 0, on which text follows that is not read.
    pub(super) ignored: Option<u32>,
}

/// Reads the first document of `text`, which ends with a line break. What follows it is not looked at.
pub(super) fn compose(text: &str) -> Result<Composed<'_>, Fault> {
    let forbidden = text
        .char_indices()
        .find(|&(_, character)| !is_allowed(character));
    let Some((offset, character)) = forbidden else {
        return grammar::compose(text).0;
    };
    let (composed, reached) = grammar::compose(&text[..offset]);
    // go-yaml looks at characters in blocks of 512 bytes, some time before it reads them.
    if composed.is_ok() && reached.next_multiple_of(512) <= offset {
        return composed;
    }
    Err(Fault {
        at: Mark::of(text, offset),
        problem: format!(
            "the control character '{}' is not allowed: remove it",
            character.escape_unicode()
        )
        .into(),
    })
}

fn is_allowed(character: char) -> bool {
    matches!(character,
        '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{A0}'..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}'
        | '\u{10000}'..='\u{10FFFF}')
}

/// Adds to `text` what line breaks within a scalar read as: a first one folds, to a space if it is the only one.
fn fold(text: &mut String, first: &str, others: &str) {
    if !first.starts_with('\n') {
        text.push_str(first);
    } else if others.is_empty() {
        text.push(' ');
    }
    text.push_str(others);
}
