//! JSON text to a tree, with the rules of Go's `encoding/json`.
//!
//! serde_json would refuse what Go reads (lone surrogates, deep nesting) and says nothing of repeated keys.

mod part;
mod skim;
mod string;

use std::borrow::Cow;

pub(super) use part::part;

use super::error::{Fault, Mark};
use super::tree::{Content, Items, Tree, stopped};
use super::value::MAX_DEPTH;

/// Reads the first value of `text`: the tree, and where it ends. Nothing if only
/// blanks are left. Where the value is a list, its items go to `items`, if that is there, and not into the tree.
pub(super) fn next<'a>(
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

struct Reader<'a, 'i> {
    text: &'a str,
    offset: usize,
    line: u32,
    /// Where the line starts.
    line_start: usize,
    /// Bytes of the line so far that are not the first of their character.
    wide: usize,
    tree: Tree<'a>,
    /// The open collections, and whether each is a mapping.
    open: Vec<(usize, bool)>,
    /// Who looks at the items of a list.
    items: Option<&'i mut dyn Items>,
    /// The node of the list whose items are looked at.
    list: Option<usize>,
    /// The item that is being read: its node, and where it starts.
    item: Option<(usize, usize)>,
}

impl<'a> Reader<'a, '_> {
    fn new(text: &'a str) -> Self {
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
        }
    }

    fn read(&mut self) -> Result<(), Fault> {
        loop {
            // A value starts here; `opened` if it is a collection, which may end at once.
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

    /// Hands on the item that was just read, if one was.
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

    /// Passes over an item of which nothing but its place is wanted: whether that is done.
    fn pass_over_item(&mut self, at: Mark) -> bool {
        if self.byte() != b'{'
            || !self
                .items
                .as_ref()
                .is_some_and(|items| items.wants_places())
        {
            return false;
        }
        let before = (self.offset, self.line, self.line_start, self.wide);
        if let (Some(head), Some(items)) = (self.skim(), &mut self.items)
            && items.place(&head, at, before.0..self.offset)
        {
            return true;
        }
        (self.offset, self.line, self.line_start, self.wide) = before;
        false
    }

    /// Whether a list that starts here is that of the items, of which there is one.
    fn is_of_items(&self) -> bool {
        let key = self.tree.nodes.last().map(|node| &node.content);
        self.items.is_some()
            && self.list.is_none()
            && matches!(self.open[..], [(0, true)])
            && matches!(key, Some(Content::Scalar { text, .. }) if text == "items")
    }

    /// Reads a scalar, or the bracket that opens a collection: whether it was that.
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

    /// Reads a text, a number or a word.
    fn scalar(&mut self) -> Result<Content<'a>, Fault> {
        match self.byte() {
            b'"' => Ok(Content::Scalar {
                text: self.string()?,
                implicit: false,
            }),
            b'-' | b'0'..=b'9' => self.number().map(Content::Number),
            _ => {
                let words = [
                    ("null", Content::Null),
                    ("true", Content::Bool(true)),
                    ("false", Content::Bool(false)),
                ];
                let word = words
                    .into_iter()
                    .find(|(word, _)| self.rest().starts_with(word));
                let Some((word, content)) = word else {
                    return Err(self.unexpected("a value"));
                };
                self.offset += word.len();
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
        if self.byte() == b'-' {
            self.offset += 1;
        }
        if self.byte() == b'0' {
            self.offset += 1;
        } else {
            self.digits()?;
        }
        if self.byte() == b'.' {
            self.offset += 1;
            self.digits()?;
        }
        if matches!(self.byte(), b'e' | b'E') {
            self.offset += 1;
            if matches!(self.byte(), b'+' | b'-') {
                self.offset += 1;
            }
            self.digits()?;
        }
        Ok(&self.text[start..self.offset])
    }

    fn digits(&mut self) -> Result<(), Fault> {
        if !self.byte().is_ascii_digit() {
            return Err(self.unexpected("a digit"));
        }
        while self.byte().is_ascii_digit() {
            self.offset += 1;
        }
        Ok(())
    }

    fn skip_blanks(&mut self) {
        loop {
            match self.byte() {
                b' ' | b'\t' | b'\r' => {}
                b'\n' => {
                    self.line += 1;
                    self.line_start = self.offset + 1;
                    self.wide = 0;
                    self.offset += 1;
                    self.skip_indentation();
                    continue;
                }
                _ => return,
            }
            self.offset += 1;
        }
    }

    /// Skips most of the spaces that a line starts with.
    fn skip_indentation(&mut self) {
        let rest = self.text.as_bytes().get(self.offset..).unwrap_or_default();
        let (words, _) = rest.as_chunks::<8>();
        self.offset += 8 * words.iter().take_while(|word| *word == b"        ").count();
    }

    fn byte(&self) -> u8 {
        self.text.as_bytes().get(self.offset).copied().unwrap_or(0)
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.offset..).unwrap_or_default()
    }

    /// The fault at the end of a value that another one follows.
    fn missing_comma(&self) -> Fault {
        let before = self.text[..self.offset].trim_end().len();
        Fault {
            at: Mark::of(self.text, before),
            problem: "a ',' is missing here, after the value: add one".into(),
        }
    }

    fn unexpected(&self, wanted: &str) -> Fault {
        match self.rest().chars().next() {
            Some(found) => self.fault(format!(
                "JSON has {wanted} here, not '{}'",
                found.escape_debug()
            )),
            None => self.fault(format!(
                "the JSON text ends where {wanted} should be: is the file complete?"
            )),
        }
    }

    /// Where the reader is. Lines end between values alone, so that they are counted there.
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
