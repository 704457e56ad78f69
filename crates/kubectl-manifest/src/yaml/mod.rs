//! Parses YAML to a [`Tree`], by the rules of go-yaml 2.4: the YAML 1.1 of kubectl.
//!
//! No Rust crate accepts and refuses the same input as go-yaml, and each is slow or fails on some hostile input. The
//! nearest, `libyaml-safer`, aborts the process on `[!!str, a]` and takes quadratic time for nested brackets. Nothing
//! in this parser is recursive: depth costs memory, not stack.

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

/// First document of a text.
pub(super) struct Composed<'a> {
    /// Empty if the text has no document; otherwise the root comes first.
    pub(super) tree: Tree<'a>,
    /// Line, from 0, where ignored text starts.
    pub(super) ignored: Option<u32>,
}

/// Parses the first document of `text`, which ends with a line break. Text after it is not parsed. If it is a list
/// and `items` is set, its items go there and not into the tree.
pub(super) fn compose<'a>(
    text: &'a str,
    items: Option<&mut dyn Items>,
) -> Result<Composed<'a>, Fault> {
    let forbidden = forbidden(text);
    let Some((offset, character)) = forbidden else {
        return grammar::compose(text, None, items).0;
    };
    let (composed, reached) = grammar::compose(&text[..offset], None, items);
    // go-yaml checks characters in blocks of 512 bytes, before it parses them.
    if composed.is_ok() && reached.next_multiple_of(512) <= offset {
        return composed;
    }
    Err(Fault {
        at: Mark::of(text, offset),
        problem: format!(
            "invalid control character '{}': remove it",
            character.escape_unicode()
        )
        .into(),
    })
}

/// Parses an item of a list again, which starts in that column of its line.
pub(super) fn compose_item(text: &str, column: u32) -> Result<Composed<'_>, Fault> {
    grammar::compose(text, Some(column), None).0
}

/// Returns the first character that YAML forbids, and its offset.
fn forbidden(text: &str) -> Option<(usize, char)> {
    let is_ordinary = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n');
    let mut offset = 0;
    while offset < text.len() {
        let rest = &text.as_bytes()[offset..];
        // Skip whole blocks of ordinary characters.
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

/// Appends the line breaks within a scalar: the first one folds, to a space if it is the only one.
fn fold(text: &mut String, first: &str, others: &str) {
    if !first.starts_with('\n') {
        text.push_str(first);
    } else if others.is_empty() {
        text.push(' ');
    }
    text.push_str(others);
}
