//! JSON strings.

use std::borrow::Cow;

use super::{Reader, wide};
use crate::error::Fault;
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

impl<'a> Reader<'a, '_> {
    pub(super) fn string(&mut self) -> Result<Cow<'a, str>, Fault> {
        self.offset += 1;
        let mut start = self.offset;
        let mut text = Cow::Borrowed("");
        loop {
            let (end, ended_by) = end_of_plain(self.text.as_bytes(), self.offset);
            self.offset = end;
            let read = &self.text[start..self.offset];
            self.wide += wide(read);
            match ended_by {
                b'"' => {
                    self.offset += 1;
                    if text.is_empty() {
                        return Ok(Cow::Borrowed(read));
                    }
                    text.to_mut().push_str(read);
                    return Ok(text);
                }
                b'\\' => {
                    let (character, length) = escape(self.rest()).map_err(|(read, wanted)| {
                        self.offset += read;
                        self.unexpected(wanted)
                    })?;
                    let text = text.to_mut();
                    text.push_str(read);
                    text.push(character);
                    self.offset += length;
                    start = self.offset;
                }
                _ => return Err(self.unexpected("a closing double quote")),
            }
        }
    }
}
