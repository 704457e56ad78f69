//! A part of a JSON text that was read before, and is what it looks like: no tree is made of it, and what is not wanted is
//! passed over without a look.

use memchr::{memchr2, memchr3};
use serde_json::{Map, Value};

use super::Reader;
use crate::Part;
use crate::plain;

/// What is wanted of the value that a text starts with; `None` where it is not the JSON that it was when it was read.
pub(crate) fn part(text: &str, wanted: Part) -> Option<Value> {
    let mut reader = Reader::new(text);
    reader.skip_blanks();
    reader.part(wanted)
}

impl Reader<'_, '_> {
    /// Reads what is wanted of a value. Its depth is bounded, so that this may recurse.
    fn part(&mut self, wanted: Part) -> Option<Value> {
        match self.byte() {
            b'{' => self.members(wanted),
            b'[' => self.elements(wanted),
            _ => Some(plain::leaf(&self.scalar().ok()?)),
        }
    }

    fn members(&mut self, wanted: Part) -> Option<Value> {
        let mut members = Map::new();
        self.each(b'}', |reader| {
            let key = reader.string().ok()?;
            reader.skip_blanks();
            reader.pass(b':')?;
            reader.skip_blanks();
            match plain::member(wanted, &key) {
                Some(wanted) => {
                    let member = reader.part(wanted)?;
                    members.insert(key.into_owned(), member);
                    Some(())
                }
                None => reader.skip(),
            }
        })?;
        Some(Value::Object(members))
    }

    fn elements(&mut self, wanted: Part) -> Option<Value> {
        let wanted = plain::element(wanted);
        let mut elements = Vec::new();
        self.each(b']', |reader| {
            elements.push(reader.part(wanted)?);
            Some(())
        })?;
        Some(Value::Array(elements))
    }

    /// Goes through a collection from its bracket on.
    fn each(&mut self, end: u8, mut read: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.offset += 1;
        self.skip_blanks();
        if self.byte() == end {
            self.offset += 1;
            return Some(());
        }
        loop {
            read(self)?;
            self.skip_blanks();
            if self.byte() == end {
                self.offset += 1;
                return Some(());
            }
            self.pass(b',')?;
            self.skip_blanks();
        }
    }

    pub(super) fn pass(&mut self, byte: u8) -> Option<()> {
        (self.byte() == byte).then(|| self.offset += 1)
    }

    /// Passes over a value.
    fn skip(&mut self) -> Option<()> {
        let (open, close) = match self.byte() {
            b'{' => (b'{', b'}'),
            b'[' => (b'[', b']'),
            b'"' => return self.skip_string(),
            _ => return self.scalar().ok().map(drop),
        };
        let mut depth = 0_usize;
        loop {
            let rest = self.text.as_bytes().get(self.offset..)?;
            let at = memchr3(b'"', open, close, rest)?;
            let found = *rest.get(at)?;
            self.offset += at;
            if found == b'"' {
                self.skip_string()?;
                continue;
            }
            self.offset += 1;
            match found == open {
                true => depth += 1,
                false if depth == 1 => return Some(()),
                false => depth = depth.checked_sub(1)?,
            }
        }
    }

    /// Passes over a text in quotes.
    fn skip_string(&mut self) -> Option<()> {
        self.offset += 1;
        loop {
            let rest = self.text.as_bytes().get(self.offset..)?;
            let at = memchr2(b'"', b'\\', rest)?;
            let is_end = *rest.get(at)? == b'"';
            // What follows a backslash is no end, whatever it is.
            self.offset += if is_end { at + 1 } else { at + 2 };
            if is_end {
                return Some(());
            }
        }
    }
}
