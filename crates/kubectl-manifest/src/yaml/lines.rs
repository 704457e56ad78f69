//! Line-by-line parser for YAML that programs write: block collections, and scalars that are plain, quoted, or
//! literal.
//!
//! It creates no tokens and no tree, so that a large dump is read at a fraction of the cost. The results equal those
//! of the scanner; anything less simple (comments, anchors, tags, brackets, folded scalars) is left to it: `None`.

mod scalar;

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::Part;
use crate::plain;
use crate::scalar::{Scalar, guess};
use crate::value::DEEP;
use crate::words;

/// A text that is read by lines. Positioned at the start of a node, or at the end.
#[derive(Clone, Copy)]
pub(super) struct Lines<'a> {
    text: &'a str,
    pub(super) offset: usize,
    /// Indentation of the node that starts here, in bytes; up to here, these are characters.
    column: usize,
    /// Number of line breaks before it.
    pub(super) line: u32,
    ended: bool,
    /// True if the text was parsed before, so that unrequested parts need no checks.
    known: bool,
}

/// Returns the requested part of an object that starts in that column of a line, and was parsed before.
pub(crate) fn part(text: &str, column: u32, wanted: Part) -> Option<Value> {
    let mut lines = Lines::new(text, 0, column as usize);
    lines.known = true;
    lines.mapping(Some(wanted), 1)
}

/// Returns the requested part of a document that is one simple object.
pub(crate) fn document(text: &str, wanted: Part) -> Option<Value> {
    let mut lines = Lines::new(text, 0, 0);
    let object = lines.mapping(Some(wanted), 1)?;
    (lines.ended && !is_document_mark(text)).then_some(object)
}

impl<'a> Lines<'a> {
    /// Starts at an offset in that column.
    pub(super) fn new(text: &'a str, offset: usize, column: usize) -> Self {
        Lines {
            text,
            offset,
            column,
            line: 0,
            ended: false,
            known: false,
        }
    }

    /// Skips the object after a dash in that column, up to the next such dash or unindented text. Returns the
    /// requested part.
    pub(super) fn item(&mut self, dash: usize, wanted: Part) -> Option<Value> {
        let object = self.mapping(Some(wanted), 1)?;
        // Any other continuation is often an error, which the scanner reports.
        let is_next = self.ended || self.column == 0 || self.column == dash && self.is_dash();
        is_next.then_some(())?;
        // Return to the start of the line.
        self.offset -= if self.ended { 0 } else { self.column };
        Some(object)
    }

    /// Moves to the first node on the next line.
    fn next_line(&mut self) -> Option<()> {
        self.pass(b'\n')?;
        self.line += 1;
        self.indentation();
        let is_simple = match self.byte() {
            b'#' => false,
            b'-' | b'.' if self.column == 0 => !is_document_mark(&self.text[self.offset..]),
            // Other characters may be line breaks.
            b'!'..=b'~' => true,
            _ => self.ended && self.column == 0,
        };
        is_simple.then_some(())
    }

    /// Skips the spaces at the start of a line.
    fn indentation(&mut self) {
        let start = self.offset;
        self.offset = words::after_spaces(self.text.as_bytes(), start);
        self.column = self.offset - start;
        self.ended = self.offset == self.text.len();
    }

    /// Reports whether a node with deeper indentation starts here.
    fn is_below(&self, column: usize) -> bool {
        !self.ended && self.column > column
    }

    fn is_dash(&self) -> bool {
        self.byte() == b'-'
            && matches!(
                self.text.as_bytes().get(self.offset + 1),
                Some(b' ' | b'\n')
            )
    }

    /// Reads a mapping whose first key starts here.
    fn mapping(&mut self, wanted: Option<Part>, depth: usize) -> Option<Value> {
        (depth <= DEEP).then_some(())?;
        let column = self.column;
        let mut members = Map::new();
        let mut keys: Vec<Cow<'a, str>> = Vec::new();
        let mut rises = true;
        loop {
            let key = self.key()?;
            // An object with items is a list, or an invalid item: both are left to the scanner.
            (self.known || depth > 1 || key != "items").then_some(())?;
            let wanted = wanted.and_then(|wanted| plain::member(wanted, &key));
            let value = self.value(column, wanted, depth)?;
            if wanted.is_some() {
                members.insert(key.to_string(), value);
            }
            if !self.known {
                rises &= keys.last().is_none_or(|last| *last < key);
                keys.push(key);
            }
            if self.ended || self.column < column {
                break;
            }
            (self.column == column).then_some(())?;
        }
        (rises || plain::are_unique(&mut keys)).then_some(())?;
        Some(Value::Object(members))
    }

    /// Reads the value of a key in that column.
    fn value(&mut self, column: usize, wanted: Option<Part>, depth: usize) -> Option<Value> {
        if self.known && wanted.is_none() {
            return self.skip(column);
        }
        self.skip_spaces();
        if self.byte() != b'\n' {
            return self.scalar(column, wanted.is_some());
        }
        self.next_line()?;
        if self.is_below(column) {
            match self.is_dash() {
                true => self.sequence(wanted, depth + 1),
                false => self.mapping(wanted, depth + 1),
            }
        } else if !self.ended && self.column == column && self.is_dash() {
            self.sequence(wanted, depth + 1)
        } else {
            Some(Value::Null)
        }
    }

    /// Reads a list whose first dash is here.
    fn sequence(&mut self, wanted: Option<Part>, depth: usize) -> Option<Value> {
        (depth <= DEEP).then_some(())?;
        let column = self.column;
        let wanted = wanted.map(plain::element);
        let mut elements = Vec::new();
        while !self.ended && self.column == column && self.is_dash() {
            let dash = self.offset;
            self.offset += 1;
            self.skip_spaces();
            self.column = column + self.offset - dash;
            let element = if self.is_dash() {
                self.sequence(wanted, depth + 1)?
            } else if self.is_key(column)? {
                self.mapping(wanted, depth + 1)?
            } else {
                self.scalar(column, wanted.is_some())?
            };
            if wanted.is_some() {
                elements.push(element);
            }
            (!self.is_below(column)).then_some(())?;
        }
        Some(Value::Array(elements))
    }

    /// Skips the value of a key in that column.
    fn skip(&mut self, column: usize) -> Option<Value> {
        let bytes = self.text.as_bytes();
        loop {
            let rest = bytes.get(self.offset..)?;
            self.offset += memchr::memchr(b'\n', rest)? + 1;
            self.indentation();
            let goes_on = match self.byte() {
                b'\n' => true,
                b'-' if self.column == column => self.is_dash(),
                _ => self.column > column,
            };
            if self.ended || !goes_on {
                return Some(Value::Null);
            }
        }
    }

    /// Reads a key, and skips its colon.
    fn key(&mut self) -> Option<Cow<'a, str>> {
        if matches!(self.byte(), b'\'' | b'"') {
            let start = self.offset;
            let key = self.quoted(None)?;
            let is_key = self.is_colon(self.offset) && self.offset - start < LONGEST_KEY;
            self.offset += 1;
            return is_key.then_some(key);
        }
        let end = self.end_of_key()?;
        let key = &self.text[self.offset..end];
        self.offset = end + 1;
        let is_text = || matches!(guess(key), Scalar::Text(_));
        (key.len() < LONGEST_KEY && key != "<<" && (self.known || is_text())).then_some(key.into())
    }

    /// Reports whether a key starts here, and not a scalar below a column.
    fn is_key(&self, column: usize) -> Option<bool> {
        if !matches!(self.byte(), b'\'' | b'"') {
            return Some(self.end_of_key().is_some());
        }
        let mut ahead = *self;
        ahead.quoted(Some(column))?;
        Some(self.is_colon(ahead.offset))
    }

    /// Returns the end of a plain key, if one starts here.
    fn end_of_key(&self) -> Option<usize> {
        let rest = self.text.as_bytes().get(self.offset..)?;
        let end = scalar::end_of_plain(rest)?;
        self.is_colon(self.offset + end)
            .then_some(self.offset + end)
    }

    /// Reports whether a colon at this position ends a key.
    fn is_colon(&self, at: usize) -> bool {
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        matches!(rest, [b':', b' ' | b'\n', ..])
    }

    fn skip_spaces(&mut self) {
        while self.byte() == b' ' {
            self.offset += 1;
        }
    }

    fn pass(&mut self, byte: u8) -> Option<()> {
        (self.byte() == byte).then(|| self.offset += 1)
    }

    fn byte(&self) -> u8 {
        self.text.as_bytes().get(self.offset).copied().unwrap_or(0)
    }
}

/// Reports whether a line may begin or end a document.
fn is_document_mark(line: &str) -> bool {
    line.starts_with("---") || line.starts_with("...")
}

/// Maximum length of a key in bytes; longer ones are left to the scanner, which counts characters.
const LONGEST_KEY: usize = 1000;

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::document;
    use crate::{Part, read_whole};

    /// Returns the value of a whole document, without the required type.
    fn exactly(text: &str) -> Result<Value, String> {
        let typed = format!("apiVersion: v1\nkind: Any\n{text}");
        let mut reading = read_whole("f", typed.as_bytes()).map_err(|error| error.to_string())?;
        let mut value = reading.manifests.pop().ok_or("nothing")?.value.take();
        if let Some(members) = value.as_object_mut() {
            members.retain(|name, _| name != "apiVersion" && name != "kind");
        }
        Ok(value)
    }

    #[test]
    fn generated_yaml_is_simple() {
        for (text, value) in [
            ("a: b\n", json!({"a": "b"})),
            (
                "a:\n  b: 1\n  c:\nd: ~\n",
                json!({"a": {"b": 1, "c": null}, "d": null}),
            ),
            (
                "a:\n- b: 1\n  c: x y\n- d\n- - e\n  - -1\n",
                json!({"a": [{"b": 1, "c": "x y"}, "d", ["e", -1]]}),
            ),
            ("a:\n  - {}\n  - []\n", json!({"a": [{}, []]})),
            (
                "f:a: {}\nk:{\"name\":\"x\"}: {}\n.: {}\n",
                json!({"f:a": {}, "k:{\"name\":\"x\"}": {}, ".": {}}),
            ),
            (
                "a: 'it''s'\n'b c': \"x\\\"\\n\\ty\"\n",
                json!({"a": "it's", "b c": "x\"\n\ty"}),
            ),
            (
                "a: 'one\n  two'\nb: \"three\n  four\"\n",
                json!({"a": "one two", "b": "three four"}),
            ),
            ("- x\n", Value::Null),
            (
                "a: one\n  two\n  three\nb: 2\n",
                json!({"a": "one two three", "b": 2}),
            ),
            (
                "a: |\n  one\n    two\n\n  three: x # y\n\n\nb: |-\n  x\nc: |+\n  y\n\nd: 1\n",
                json!({"a": "one\n  two\n\nthree: x # y\n", "b": "x", "c": "y\n\n", "d": 1}),
            ),
            (
                "a: x:y#z\nb: http://h:80/?q=[1]\nc: --flag=1\n",
                json!({"a": "x:y#z", "b": "http://h:80/?q=[1]", "c": "--flag=1"}),
            ),
            (
                "b: 1.5\na: 2026-01-01T00:00:00Z\nc: 0.5e3\nd: true\n",
                json!({"b": 1.5, "a": "2026-01-01T00:00:00Z", "c": 500, "d": true}),
            ),
        ] {
            if value.is_null() {
                assert_eq!(document(text, Part::Whole), None, "{text}");
                continue;
            }
            assert_eq!(document(text, Part::Whole).as_ref(), Some(&value), "{text}");
            assert_eq!(exactly(text).as_ref(), Ok(&value), "{text}");
        }
    }

    #[test]
    fn anything_else_is_left_to_the_scanner() {
        for text in [
            "a: b # c\n",
            "# c\na: b\n",
            "a: b\n\nc: d\n",
            "a: &x b\n",
            "a: *x\n",
            "a: !!str 1\n",
            "a: {b: c}\n",
            "a: [b]\n",
            "a: >\n  b\n",
            "a: |2\n   b\n",
            "a:\tb\n",
            "a: b \n",
            "a : b\n",
            "? a\n: b\n",
            "a: b: c\n",
            "a: 1\na: 2\n",
            "b: 1\nc: 2\nb: 3\n",
            "<<: {}\n",
            "1: a\n",
            "y: a\n",
            "a: yes\n",
            "a: 0644\n",
            "a: b\n c: d\n",
            "a:\n - b\n c: d\n",
            "a:\n  b: 1\n c: 2\n",
            "a: 'b\nc'\n",
            "a: 'b' c\n",
            "a: \"\\x41\"\n",
            "a: \"\\/\"\n",
            "a: \"b\\\n  c\"\n",
            "a: -\n",
            "a: - b\n",
            "-\n",
            "a: ---\n...\n",
            "a: \u{e9}\n",
            "a: |\n  x\n   \n  y\n",
            "a: |\nb: c\n",
            "a: %b\n",
            "a: @b\n",
            "a: `b\n",
            "a: b:\n",
            "a:\n  'b'\n",
            "a: 'x'\n  y\n",
            "a: {}\n  b: 1\n",
        ] {
            let read = document(text, Part::Whole);
            assert!(
                read.is_none() || read == exactly(text).ok(),
                "{text}: {read:?}"
            );
            assert_eq!(read, None, "{text}");
        }
    }
}
