//! YAML text to a [`Tree`], with the rules of go-yaml 2.4: the YAML 1.1 that kubectl reads.
//!
//! No Rust crate reads all that go-yaml reads and refuses all that it refuses, and each is slow or fails on some
//! hostile text (`libyaml-safer`, the nearest, ends the process on `[!!str, a]` and takes quadratic time for nested
//! brackets), so the scanner is here. Nothing in it is recursive: depth costs memory, never stack.

mod block;
mod cursor;
mod flow;
mod grammar;
mod lines;
mod list;
mod plain;
mod quoted;
mod scanner;
mod simple_key;
mod tag;
mod token;

pub(super) use lines::{document, part};

use super::error::{Fault, Mark};
use super::tree::{Items, Tree};

/// The first document of a text.
pub(super) struct Composed<'a> {
    /// Empty if the text holds no document; else its root comes first.
    pub(super) tree: Tree<'a>,
    /// The line, from 0, on which text follows that is not read.
    pub(super) ignored: Option<u32>,
}

/// Reads the first document of `text`, which ends with a line break. What follows it is not looked at. Where it is a
/// list, its items go to `items`, if that is there, and not into the tree.
pub(super) fn compose<'a>(
    text: &'a str,
    items: Option<&mut dyn Items>,
) -> Result<Composed<'a>, Fault> {
    let forbidden = forbidden(text);
    let Some((offset, character)) = forbidden else {
        return grammar::compose(text, None, items).0;
    };
    let (composed, reached) = grammar::compose(&text[..offset], None, items);
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

/// Reads an item of a list again that was read before, and starts in that column of its line.
pub(super) fn compose_item(text: &str, column: u32) -> Result<Composed<'_>, Fault> {
    grammar::compose(text, Some(column), None).0
}

/// The first character that YAML does not allow, and where it is.
fn forbidden(text: &str) -> Option<(usize, char)> {
    let is_ordinary = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n');
    let mut offset = 0;
    while offset < text.len() {
        let rest = &text.as_bytes()[offset..];
        // Whole blocks at a time, where nothing in them asks for a closer look.
        let block = &rest[..rest.len().min(64)];
        if block.iter().fold(true, |all, byte| all & is_ordinary(byte)) {
            offset += block.len();
            continue;
        }
        let ordinary = block.iter().take_while(|byte| is_ordinary(byte)).count();
        offset += ordinary;
        let character = text.get(offset..)?.chars().next()?;
        if !is_allowed(character) {
            return Some((offset, character));
        }
        offset += character.len_utf8();
    }
    None
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
