//! Scalars of [`Lines`].

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::Lines;
use crate::leaf::of_scalar;
use crate::plain;
use crate::scalar::guess;
use crate::words;

/// Bytes that cannot start a plain scalar here: they start other nodes, or need the exact parser.
const RESERVED: [bool; 256] = {
    let bytes = b"-?:,[]{}#&*!|>'\"%@` \t";
    let mut reserved = [false; 256];
    let mut next = 0;
    while next < bytes.len() {
        reserved[bytes[next] as usize] = true;
        next += 1;
    }
    reserved
};

/// Returns the end of the plain scalar at the start of a text: the colon of a key, or the end of the line. `None` if
/// there is none, or it is not simple.
pub(super) fn end_of_plain(text: &[u8]) -> Option<usize> {
    match text {
        [b'-', after, ..] if !matches!(after, b' ' | b'\n') => {}
        [first, ..] if !RESERVED[usize::from(*first)] => {}
        _ => return None,
    }
    let mut end = 0;
    loop {
        let ends = words::end_plain(words::at(text, end));
        if ends == 0 {
            end += 8;
            continue;
        }
        end += words::first(ends);
        let before = text.get(end.checked_sub(1)?);
        match text.get(end..)? {
            // A space before the end does not belong to it.
            [b':', b' ' | b'\n', ..] | [b'\n', ..] => {
                return (before != Some(&b' ')).then_some(end);
            }
            [b':', ..] => {}
            [b'#', ..] if before != Some(&b' ') => {}
            _ => return None,
        }
        end += 1;
    }
}

impl<'a> Lines<'a> {
    /// Reads a scalar or an empty collection below a column, and moves to the next line.
    pub(super) fn scalar(&mut self, column: usize, is_wanted: bool) -> Option<Value> {
        let value = match self.byte() {
            b'{' => self.brackets(b'}').map(|()| Value::Object(Map::new()))?,
            b'[' => self.brackets(b']').map(|()| Value::Array(Vec::new()))?,
            b'|' => return self.literal(column, is_wanted),
            b'\'' | b'"' => {
                let text = self.quoted(Some(column))?;
                text_if(is_wanted, text)
            }
            _ => return self.plain(column, is_wanted),
        };
        self.next_line()?;
        Some(value)
    }

    fn brackets(&mut self, end: u8) -> Option<()> {
        self.offset += 1;
        self.pass(end)
    }

    /// Reads a plain scalar, which may continue on indented lines.
    fn plain(&mut self, column: usize, is_wanted: bool) -> Option<Value> {
        let mut text = Cow::Borrowed(self.plain_line()?);
        self.next_line()?;
        while self.is_below(column) {
            let line = self.plain_line()?;
            let joined = text.to_mut();
            joined.push(' ');
            joined.push_str(line);
            self.next_line()?;
        }
        (self.known || plain::is_plain(&text)).then_some(())?;
        Some(match is_wanted {
            true => of_scalar(guess(&text)).unwrap_or_default(),
            false => Value::Null,
        })
    }

    /// Reads the rest of a line as part of a plain scalar.
    fn plain_line(&mut self) -> Option<&'a str> {
        let start = self.offset;
        self.offset += end_of_plain(self.text.as_bytes().get(start..)?)?;
        (self.byte() == b'\n').then(|| &self.text[start..self.offset])
    }

    /// Reads a quoted scalar, up to the end of the line or a colon. With `below`, it may continue on indented lines.
    pub(super) fn quoted(&mut self, below: Option<usize>) -> Option<Cow<'a, str>> {
        let quote = self.byte();
        self.offset += 1;
        let mut text = Cow::Borrowed("");
        let mut start = self.offset;
        loop {
            let rest = self.text.as_bytes().get(self.offset..)?;
            let is_inner =
                |byte: &u8| (b' '..=b'~').contains(byte) && *byte != quote && *byte != b'\\';
            self.offset += rest.iter().take_while(|byte| is_inner(byte)).count();
            let read = &self.text[start..self.offset];
            match (self.byte(), self.text.as_bytes().get(self.offset + 1)?) {
                (b'\'', b'\'') => {
                    let text = text.to_mut();
                    text.push_str(read);
                    text.push('\'');
                    self.offset += 2;
                    start = self.offset;
                }
                (b'\\', escaped) if quote == b'"' => {
                    let character = match escaped {
                        b'"' | b'\\' => char::from(*escaped),
                        b'n' => '\n',
                        b't' => '\t',
                        _ => return None,
                    };
                    let text = text.to_mut();
                    text.push_str(read);
                    text.push(character);
                    self.offset += 2;
                    start = self.offset;
                }
                (b'\\', _) => self.offset += 1,
                (b'\n', _) if !read.ends_with(' ') => {
                    let text = text.to_mut();
                    text.push_str(read);
                    text.push(' ');
                    self.next_line()?;
                    self.is_below(below?).then_some(())?;
                    start = self.offset;
                }
                (end, b'\n' | b':') if end == quote => {
                    self.offset += 1;
                    if text.is_empty() {
                        return Some(Cow::Borrowed(read));
                    }
                    text.to_mut().push_str(read);
                    return Some(text);
                }
                _ => return None,
            }
        }
    }

    /// Reads a literal scalar after `|`, below a column.
    fn literal(&mut self, column: usize, is_wanted: bool) -> Option<Value> {
        self.offset += 1;
        let chomp = self.byte();
        if matches!(chomp, b'-' | b'+') {
            self.offset += 1;
        }
        self.next_line()?;
        self.is_below(column).then_some(())?;
        let indent = self.column;
        let mut text = String::new();
        // Number of empty lines after the last one with text.
        let mut empty = 0;
        loop {
            let rest = &self.text[self.offset..];
            let line = &rest[..memchr::memchr(b'\n', rest.as_bytes())?];
            let is_simple = |byte: u8| byte == b'\t' || (b' '..=b'~').contains(&byte);
            line.bytes().all(is_simple).then_some(())?;
            if is_wanted {
                text.push_str(line);
                text.push('\n');
            }
            self.offset += line.len();
            while self.text[self.offset..].starts_with("\n\n") {
                self.offset += 1;
                self.line += 1;
                empty += 1;
            }
            self.next_literal_line(indent)?;
            if self.ended || self.column < indent {
                break;
            }
            if is_wanted {
                text.extend(std::iter::repeat_n('\n', empty));
            }
            empty = 0;
        }
        match chomp {
            b'-' => drop(text.pop()),
            b'+' => text.extend(std::iter::repeat_n('\n', empty)),
            _ => {}
        }
        Some(text_if(is_wanted, Cow::Owned(text)))
    }

    /// Moves to the next line of a literal scalar, past its indentation, or to the text after the scalar.
    fn next_literal_line(&mut self, indent: usize) -> Option<()> {
        let rest = self.text.as_bytes().get(self.offset + 1..)?;
        let indentation = rest.get(..indent);
        if !indentation.is_some_and(|it| it.iter().all(|byte| *byte == b' ')) {
            return self.next_line();
        }
        self.offset += 1 + indent;
        self.line += 1;
        self.column = indent;
        // A line of only blanks is not simple.
        let line = rest.get(indent..)?.iter();
        let first = line.clone().find(|byte| **byte != b' ')?;
        (*first != b'\n').then_some(())
    }
}

fn text_if(is_wanted: bool, text: Cow<'_, str>) -> Value {
    match is_wanted {
        true => Value::String(text.into_owned()),
        false => Value::Null,
    }
}
