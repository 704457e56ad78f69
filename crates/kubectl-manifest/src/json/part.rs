//! Reads a part of plain JSON that was read before. It builds no tree, and skips everything that is not requested.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::cursor::{Cursor, Quoted};
use super::lexical::word;
use super::reader::Reader;
use crate::Part;
use crate::plain;
use crate::tree::Content;

/// Returns the requested part of the value that a text starts with; `None` if the text is no longer the JSON that was
/// read first.
pub(crate) fn part(text: &str, wanted: Part) -> Option<Value> {
    let mut cursor = Cursor { text, offset: 0 };
    cursor.blanks();
    cursor.part(wanted)
}

impl<'a> Cursor<'a> {
    /// Reads the requested part of a value. Its depth is limited, so recursion is safe.
    fn part(&mut self, wanted: Part) -> Option<Value> {
        match self.byte() {
            b'{' => self.members(wanted),
            b'[' => self.elements(wanted),
            b'"' => {
                let text = self.quoted()?;
                Some(Value::String(self.text(text)?.into_owned()))
            }
            _ => {
                let start = self.offset;
                self.offset = self.end_of_bare()?;
                let text = self.text.get(start..self.offset)?;
                let word = word(text.as_bytes()).map(|(_, content)| content);
                Some(plain::leaf(&word.unwrap_or(Content::Number(text))))
            }
        }
    }

    fn members(&mut self, wanted: Part) -> Option<Value> {
        let mut members = Map::new();
        self.each(b'}', |cursor| {
            let key = cursor.quoted()?;
            let key = cursor.text(key)?;
            cursor.go_to_value()?;
            match plain::member(wanted, &key) {
                Some(wanted) => {
                    let member = cursor.part(wanted)?;
                    members.insert(key.into_owned(), member);
                    Some(())
                }
                None => {
                    cursor.offset = cursor.end_of_value()?;
                    Some(())
                }
            }
        })?;
        Some(Value::Object(members))
    }

    fn elements(&mut self, wanted: Part) -> Option<Value> {
        let wanted = plain::element(wanted);
        let mut elements = Vec::new();
        self.each(b']', |cursor| {
            elements.push(cursor.part(wanted)?);
            Some(())
        })?;
        Some(Value::Array(elements))
    }

    /// Visits the members of a collection, starting at its bracket.
    #[inline(always)]
    fn each(&mut self, end: u8, mut read: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.offset += 1;
        self.blanks();
        if self.byte() == end {
            self.offset += 1;
            return Some(());
        }
        loop {
            read(self)?;
            if self.byte() <= b' ' {
                self.offset = self.after_blanks();
            }
            let byte = self.byte();
            self.offset += 1;
            if byte != b',' {
                return (byte == end).then_some(());
            }
            self.blanks();
        }
    }

    /// Returns the content of a string.
    #[inline(always)]
    fn text(&self, quoted: Quoted) -> Option<Cow<'a, str>> {
        match quoted.has_escapes {
            false => self.raw(quoted).map(Cow::Borrowed),
            true => self.unescaped(quoted),
        }
    }

    #[inline(never)]
    fn unescaped(&self, quoted: Quoted) -> Option<Cow<'a, str>> {
        let mut reader = Reader::new(self.text);
        reader.offset = quoted.start - 1;
        reader.string().ok()
    }

    /// Returns the end of the value that starts here.
    #[inline(never)]
    fn end_of_value(mut self) -> Option<usize> {
        let mut depth = 0_usize;
        loop {
            match self.byte() {
                b'"' => drop(self.quoted()?),
                b'{' | b'[' => {
                    self.offset += 1;
                    depth += 1;
                    continue;
                }
                b'}' | b']' => {
                    self.offset += 1;
                    depth = depth.checked_sub(1)?;
                }
                b',' | b':' => {
                    self.offset += 1;
                    self.blanks();
                    continue;
                }
                b' ' | b'\t' | b'\r' | b'\n' => {
                    self.offset = self.after_blanks();
                    continue;
                }
                _ => self.offset = self.end_of_bare()?,
            }
            if depth == 0 {
                return Some(self.offset);
            }
        }
    }
}
