//! Removal of credentials from messages of conditions, containers and events.
//!
//! A message shows why a pod does not start, so every output format shows it, including those that are posted publicly.
//! Runtimes, webhooks and containers write these messages, and quote URLs, command lines and output. Anything that
//! looks like a credential is hidden when the object is read, so that no format has to do it.

//! The rules are kept as data: names in `names.rs`, shapes of tokens in `token_shape.rs`.

mod address;
mod names;
mod quote;
mod token_shape;
mod value;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use token_shape::{end_of_token, may_begin};

/// Replacement for a credential.
const HIDDEN: &str = "(hidden)";
/// Minimum length of a token with a digit, and of one with letters only: `Bearer realm` introduces none.
const MIN_TOKEN_LENGTH: usize = 8;
const MIN_LETTERS: usize = 16;

/// Returns the message without credentials: passwords in addresses, values after names such as `--db-password`, tokens.
#[must_use]
pub fn without_credentials(text: &str) -> Cow<'_, str> {
    let mut hidden = Vec::new();
    address::of_urls(text, &mut hidden);
    address::before_hosts(text, &mut hidden);
    address::fragments(text, &mut hidden);
    private_keys(text, &mut hidden);
    tokens(text, &mut hidden);
    let passwords: BTreeSet<usize> = hidden.iter().map(|range| range.start).collect();
    let mut from = 0;
    for word in words(text) {
        // A name within a credential is part of it.
        if word.start < from {
            continue;
        }
        let found = value::of_word(text, &word).or_else(|| token(text, &word));
        // In an address, the user may have the name of a credential.
        if let Some(range) = found.filter(|range| {
            !passwords.contains(&range.start) && !text[range.clone()].starts_with("(hidden")
        }) {
            from = range.end.max(from);
            hidden.push(range);
        }
    }
    if hidden.is_empty() {
        return Cow::Borrowed(text);
    }
    hidden.sort_by_key(|range| range.start);
    let mut out = String::with_capacity(text.len());
    let mut shown = 0;
    for range in hidden {
        if range.start >= shown {
            out.push_str(&text[shown..range.start]);
            out.push_str(HIDDEN);
        }
        shown = shown.max(range.end);
    }
    out.push_str(&text[shown..]);
    Cow::Owned(out)
}

/// Returns the start of the text before a position that is searched, so that no message takes long.
fn near(text: &str, at: usize) -> usize {
    const NEAR: usize = 1024;
    let mut start = at.saturating_sub(NEAR);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    start
}

/// Returns the end of the text after a position that is searched.
fn far(text: &str, at: usize) -> usize {
    const FAR: usize = 2048;
    let mut end = text.len().min(at + FAR);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    end
}

/// Finds the text between the first and last line of a PEM private key. Without a last line, finds the rest of the
/// text.
fn private_keys(text: &str, hidden: &mut Vec<Range<usize>>) {
    const DASHES: &str = "-----";
    let mut from = 0;
    for (at, begin) in text.match_indices("-----BEGIN ") {
        let label = at + begin.len();
        if at < from {
            continue;
        }
        let Some(length) = text[label..].find(DASHES) else {
            continue;
        };
        if !text[label..label + length].contains("PRIVATE KEY") {
            continue;
        }
        let start = label + length + DASHES.len();
        let end = text[start..].find("-----END ");
        from = end.map_or(text.len(), |length| start + length);
        hidden.push(start..from);
    }
}

/// Finds tokens by their shape, at any position.
fn tokens(text: &str, hidden: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let mut from = 0;
    for (start, byte) in bytes.iter().enumerate() {
        let is_within_word = start > 0 && bytes[start - 1].is_ascii_alphanumeric();
        if start < from || is_within_word || !may_begin(*byte) {
            continue;
        }
        if let Some(end) = end_of_token(text, start) {
            hidden.push(start..end);
            from = end;
        }
    }
}

/// Returns words, including inner dashes, underscores and dots.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let mut from = 0;
    std::iter::from_fn(move || {
        let start = from + text[from..].find(is_part)?;
        let length = text[start..].find(|c| !is_part(c));
        from = length.map_or(text.len(), |length| start + length);
        Some(start..from)
    })
}

/// Finds the token after `Bearer` and `Basic`, and JSON web tokens at any position.
fn token(text: &str, word: &Range<usize>) -> Option<Range<usize>> {
    let name = &text[word.clone()];
    if name.starts_with("eyJ") && name.contains('.') {
        return Some(word.clone());
    }
    if !name.eq_ignore_ascii_case("bearer") && !name.eq_ignore_ascii_case("basic") {
        return None;
    }
    let value = text[word.end..].strip_prefix(' ')?;
    let ends = |c: char| c.is_whitespace() || ",;\"'\\".contains(c);
    let length = value.find(ends).unwrap_or(value.len());
    let start = word.end + 1;
    let has_digit = value[..length].bytes().any(|byte| byte.is_ascii_digit());
    let is_one = length >= MIN_TOKEN_LENGTH && has_digit
        || length >= MIN_LETTERS && !value[..length].contains('=');
    is_one.then_some(start..start + length)
}
