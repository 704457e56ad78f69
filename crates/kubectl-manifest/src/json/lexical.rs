//! Lexical rules of JSON: strings, numbers and literals.

use crate::tree::Content;
use crate::words;

/// Returns the end of the literal characters of a string, and the byte there: a quote, a backslash, a control
/// character, or 0 at the end.
#[inline(always)]
pub(super) fn end_of_plain(text: &[u8], mut at: usize) -> (usize, u8) {
    loop {
        let word = words::at(text, at);
        let ends = words::end_quoted(word);
        if ends == 0 {
            at += 8;
            continue;
        }
        let run = words::first(ends);
        let ended_by = word.to_le_bytes()[run];
        if ended_by.is_ascii() {
            return (at + run, ended_by);
        }
        at += run + 1;
    }
}

/// Reads the escape at the start of a text, and returns its character and length; on error, the valid length and the
/// expected continuation. Half a surrogate pair becomes U+FFFD.
pub(super) fn escape(text: &str) -> Result<(char, usize), (usize, &'static str)> {
    let character = match text.as_bytes().get(1) {
        Some(letter @ (b'"' | b'\\' | b'/')) => char::from(*letter),
        Some(b'b') => '\x08',
        Some(b'f') => '\x0C',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => {
            let unit = hexadecimal(text, 2).ok_or((2, "four hexadecimal digits"))?;
            let pair = match text.get(6..8) {
                Some("\\u") => hexadecimal(text, 8),
                _ => None,
            };
            let units = [Some(unit), pair].into_iter().flatten();
            let first = char::decode_utf16(units).next().and_then(Result::ok);
            let is_pair = first.is_some_and(|character| character.len_utf16() == 2);
            let length = if is_pair { 12 } else { 6 };
            return Ok((first.unwrap_or(char::REPLACEMENT_CHARACTER), length));
        }
        _ => return Err((1, "a JSON escape")),
    };
    Ok((character, 2))
}

fn hexadecimal(text: &str, at: usize) -> Option<u16> {
    let code = text.get(at..at + 4)?;
    code.bytes()
        .all(|byte| byte.is_ascii_hexdigit())
        .then(|| u16::from_str_radix(code, 16).ok())?
}

/// Returns the end of the number that starts there, or the position of a missing digit.
pub(super) fn end_of_number(text: &[u8], mut at: usize) -> Result<usize, usize> {
    let byte = |at: usize| text.get(at).copied().unwrap_or(0);
    let digits = |start: usize| {
        let mut at = start;
        while byte(at).is_ascii_digit() {
            at += 1;
        }
        if at == start { Err(at) } else { Ok(at) }
    };
    at += usize::from(byte(at) == b'-');
    at = match byte(at) {
        b'0' => at + 1,
        _ => digits(at)?,
    };
    if byte(at) == b'.' {
        at = digits(at + 1)?;
    }
    if matches!(byte(at), b'e' | b'E') {
        at += 1;
        at = digits(at + usize::from(matches!(byte(at), b'+' | b'-')))?;
    }
    Ok(at)
}

/// Returns the JSON literal that a text starts with, if any, and its length.
pub(super) fn word<'a>(text: &[u8]) -> Option<(usize, Content<'a>)> {
    match text {
        [b'n', b'u', b'l', b'l', ..] => Some((4, Content::Null)),
        [b't', b'r', b'u', b'e', ..] => Some((4, Content::Bool(true))),
        [b'f', b'a', b'l', b's', b'e', ..] => Some((5, Content::Bool(false))),
        _ => None,
    }
}

/// Counts continuation bytes.
pub(super) fn wide(text: &str) -> usize {
    match text.is_ascii() {
        true => 0,
        false => text.len() - text.chars().count(),
    }
}
