//! Reads JSON to a tree.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::lexical::{end_of_number, wide, word};
use super::skim::Skim;
use crate::error::{Fault, Mark};
use crate::tree::{Content, Items, Tree, stopped};
use crate::value::MAX_DEPTH;
use crate::words;

/// Reads the first value of `text`, and returns the tree and the end of the value; `None` if only blanks are left. If
/// the value is a list and `items` is set, its items go there and not into the tree.
pub(crate) fn next<'a>(
    text: &'a str,
    items: Option<&mut dyn Items>,
) -> Result<Option<(Tree<'a>, Mark)>, Fault> {
    let mut reader = Reader::new(text);
    reader.items = items;
    reader.skip_blanks();
    if reader.offset == text.len() {
        return Ok(None);
    }
    reader.read()?;
    let end = reader.mark();
    Ok(Some((reader.tree, end)))
}

pub(super) struct Reader<'a, 'i> {
    pub(super) text: &'a str,
    pub(super) offset: usize,
    line: u32,
    /// Offset of the start of the line.
    line_start: usize,
    /// Number of continuation bytes in the line so far.
    pub(super) wide: usize,
    tree: Tree<'a>,
    /// Open collections; true for mappings.
    open: Vec<(usize, bool)>,
    /// Visitor of the items of a list.
    items: Option<&'i mut dyn Items>,
    /// Node of the list whose items are visited.
    list: Option<usize>,
    /// Node and start of the current item.
    item: Option<(usize, usize)>,
    /// Skimmer for plain items.
    skim: Skim<'a>,
    /// Type of the last skimmed item.
    head: Value,
}

impl<'a> Reader<'a, '_> {
    pub(super) fn new(text: &'a str) -> Self {
        Reader {
            text,
            offset: 0,
            line: 0,
            line_start: 0,
            wide: 0,
            tree: Tree::default(),
            open: Vec::new(),
            items: None,
            list: None,
            item: None,
            skim: Skim::default(),
            head: Value::Null,
        }
    }

    fn read(&mut self) -> Result<(), Fault> {
        loop {
            // A value starts here. `opened` is set for a collection, which may be empty.
            let opened = self.value()?;
            let mut first = opened;
            loop {
                let Some(&(index, mapping)) = self.open.last() else {
                    return Ok(());
                };
                if self.list == Some(index) {
                    self.look_at_item()?;
                }
                self.skip_blanks();
                let end = if mapping { b'}' } else { b']' };
                let byte = self.byte();
                if byte == end {
                    self.offset += 1;
                    self.tree.close(index);
                    self.open.pop();
                    first = false;
                    continue;
                }
                if !first {
                    if byte != b',' {
                        if matches!(byte, b'"' | b'{' | b'[' | b'0'..=b'9' | b'-') {
                            return Err(self.missing_comma());
                        }
                        return Err(self.unexpected(if mapping {
                            "a ',' or '}'"
                        } else {
                            "a ',' or ']'"
                        }));
                    }
                    self.offset += 1;
                    self.skip_blanks();
                }
                if mapping {
                    self.key()?;
                }
                break;
            }
            self.skip_blanks();
        }
    }

    /// Passes the last item to the visitor, if any.
    fn look_at_item(&mut self) -> Result<(), Fault> {
        let (Some((node, start)), Some(items)) = (self.item.take(), &mut self.items) else {
            return Ok(());
        };
        if !items.item(&self.tree, node, start..self.offset) {
            return Err(stopped());
        }
        self.tree.truncate(node);
        Ok(())
    }

    /// Skips an item of which only the location is needed. Returns true if it was skipped.
    fn pass_over_item(&mut self, at: Mark) -> bool {
        if self.byte() != b'{'
            || !self
                .items
                .as_ref()
                .is_some_and(|items| items.wants_places())
        {
            return false;
        }
        let Some(object) = self.skim.object(self.text, self.offset) else {
            return false;
        };
        let (bytes, end) = (self.offset..object.end, object.end);
        // Most items have the type of the previous one.
        if self.head["kind"] != object.kind || self.head["apiVersion"] != object.api_version {
            self.head = json!({"kind": object.kind, "apiVersion": object.api_version});
        }
        let is_placed = self
            .items
            .as_mut()
            .is_some_and(|items| items.place(&self.head, at, bytes));
        if is_placed {
            self.go_to(end);
        }
        is_placed
    }

    /// Moves to an offset, and counts the lines.
    fn go_to(&mut self, offset: usize) {
        let passed = &self.text[self.offset..offset];
        if let Some(last) = words::last_line_break(passed) {
            self.line += words::line_breaks(passed);
            self.line_start = self.offset + last + 1;
            self.wide = 0;
        }
        self.wide += wide(&self.text[self.offset.max(self.line_start)..offset]);
        self.offset = offset;
    }

    /// Reports whether a list starts here that is the only list of items.
    fn is_of_items(&self) -> bool {
        let key = self.tree.nodes.last().map(|node| &node.content);
        self.items.is_some()
            && self.list.is_none()
            && matches!(self.open[..], [(0, true)])
            && matches!(key, Some(Content::Scalar { text, .. }) if text == "items")
    }

    /// Reads a scalar, or the opening bracket of a collection. Returns true for a bracket.
    fn value(&mut self) -> Result<bool, Fault> {
        let at = self.mark();
        let within = self.open.last().map(|(index, _)| *index);
        if self.list.is_some() && self.list == within {
            if self.pass_over_item(at) {
                return Ok(false);
            }
            self.item = Some((self.tree.nodes.len(), self.offset));
        }
        let content = match self.byte() {
            b'{' => Content::Mapping,
            b'[' => Content::Sequence,
            _ => self.scalar()?,
        };
        let mapping = matches!(content, Content::Mapping);
        let opened = mapping || matches!(content, Content::Sequence);
        if opened && !mapping && self.is_of_items() {
            self.list = Some(self.tree.nodes.len());
        }
        let index = self.tree.push(content, None, at);
        if opened {
            self.offset += 1;
            self.open.push((index, mapping));
            if self.open.len() > MAX_DEPTH {
                return Err(self.fault(format!("values nest deeper than {MAX_DEPTH} levels")));
            }
        }
        Ok(opened)
    }

    /// Reads a string, a number or a literal.
    fn scalar(&mut self) -> Result<Content<'a>, Fault> {
        match self.byte() {
            b'"' => Ok(Content::Scalar {
                text: self.string()?,
                implicit: false,
            }),
            b'-' | b'0'..=b'9' => self.number().map(Content::Number),
            _ => {
                let Some((length, content)) = word(self.rest().as_bytes()) else {
                    return Err(self.unexpected("a value"));
                };
                self.offset += length;
                Ok(content)
            }
        }
    }

    fn key(&mut self) -> Result<(), Fault> {
        if self.byte() != b'"' {
            return Err(self.unexpected("a key in double quotes"));
        }
        let at = self.mark();
        let text = self.string()?;
        self.tree.push(
            Content::Scalar {
                text,
                implicit: false,
            },
            None,
            at,
        );
        self.skip_blanks();
        if self.byte() != b':' {
            return Err(self.unexpected("a ':' after the key"));
        }
        self.offset += 1;
        Ok(())
    }

    fn number(&mut self) -> Result<&'a str, Fault> {
        let start = self.offset;
        self.offset = end_of_number(self.text.as_bytes(), start).map_err(|at| {
            self.offset = at;
            self.unexpected("a digit")
        })?;
        Ok(&self.text[start..self.offset])
    }

    fn skip_blanks(&mut self) {
        loop {
            match self.byte() {
                b' ' | b'\t' | b'\r' => self.offset += 1,
                b'\n' => {
                    self.line += 1;
                    self.line_start = self.offset + 1;
                    self.wide = 0;
                    self.offset = words::after_spaces(self.text.as_bytes(), self.line_start);
                }
                _ => return,
            }
        }
    }

    fn byte(&self) -> u8 {
        self.text.as_bytes().get(self.offset).copied().unwrap_or(0)
    }

    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.offset..).unwrap_or_default()
    }

    /// Returns the error for a missing comma.
    fn missing_comma(&self) -> Fault {
        let before = self.text[..self.offset].trim_end().len();
        Fault {
            at: Mark::of(self.text, before),
            problem: "missing ',' after the value".into(),
        }
    }

    pub(super) fn unexpected(&self, wanted: &str) -> Fault {
        match self.rest().chars().next() {
            Some(found) => self.fault(format!(
                "expected {wanted}, found '{}'",
                found.escape_debug()
            )),
            None => self.fault(format!(
                "unexpected end of JSON, expected {wanted}: is the file complete?"
            )),
        }
    }

    /// Returns the position of the reader. Lines only end between values, so that they are counted there.
    fn mark(&self) -> Mark {
        let small = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Mark {
            line: self.line,
            column: small(self.offset - self.line_start - self.wide),
            offset: small(self.offset),
        }
    }

    fn fault(&self, problem: impl Into<Cow<'static, str>>) -> Fault {
        Fault {
            at: Mark::of(self.text, self.offset),
            problem: problem.into(),
        }
    }
}
