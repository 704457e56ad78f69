//! Splits text into tokens: indentation, flow brackets, and the look-ahead that distinguishes keys from values.
//!
//! A key has no mark before it (`a: 1`) and is only recognized at its `:`. Until then, its possible start is a
//! [`SimpleKey`]. Tokens after it wait in a queue, into which the `Key` is inserted. Rules and limits on depth and
//! length are those of go-yaml 2.4, the parser of kubectl.

use std::borrow::Cow;
use std::collections::VecDeque;

use super::cursor::Cursor;
use super::simple_key::SimpleKey;
use super::token::Token;
use super::{Fault, block, plain, quoted, tag};
use crate::error::Mark;

/// Maximum depth of flow brackets and of indentation.
const MAX_DEPTH: usize = 10_000;

/// Token scanner; see the module.
pub(super) struct Scanner<'a> {
    pub(super) cursor: Cursor<'a>,
    pub(super) tokens: VecDeque<(Token<'a>, Mark)>,
    pub(super) taken: usize,
    ended: bool,
    /// Column of the block collection around the cursor; -1 outside all.
    pub(super) indent: i64,
    indents: Vec<i64>,
    pub(super) flow_level: usize,
    pub(super) key_allowed: bool,
    /// One per flow level, outermost first; their token numbers increase.
    pub(super) keys: Vec<SimpleKey>,
}

impl<'a> Scanner<'a> {
    /// Creates a scanner of a whole document, or of text that starts in that column of a line.
    pub(super) fn new(text: &'a str, column: Option<u32>) -> Self {
        let mut cursor = Cursor::new(text);
        match column {
            Some(column) => cursor.column = column,
            None if text.starts_with('\u{FEFF}') => {
                cursor.skip();
                cursor.column = 0;
            }
            None => {}
        }
        Scanner {
            cursor,
            tokens: VecDeque::new(),
            taken: 0,
            ended: false,
            indent: -1,
            indents: Vec::new(),
            flow_level: 0,
            key_allowed: true,
            keys: vec![SimpleKey {
                possible: false,
                required: false,
                token: 0,
                at: Mark::default(),
            }],
        }
    }

    /// Returns the next token and its start, without taking it.
    pub(super) fn peek(&mut self) -> Result<(&mut Token<'a>, Mark), Fault> {
        while !self.ended {
            if !self.tokens.is_empty() {
                // The first token may be a key: then its `Key` comes before it.
                let head = self.keys.partition_point(|key| key.token < self.taken);
                let is_head = self
                    .keys
                    .get(head)
                    .is_some_and(|key| key.token == self.taken);
                if !(is_head && self.is_valid(head)?) {
                    break;
                }
            }
            self.fetch()?;
        }
        if self.tokens.is_empty() {
            self.tokens
                .push_back((Token::StreamEnd, self.cursor.mark()));
        }
        let (token, at) = &mut self.tokens[0];
        Ok((token, *at))
    }

    /// Skips the item after a dash with another parser, which gets the column of the dash and the start of the item.
    /// It returns the end of the item and the number of lines, or `None` if it cannot.
    pub(super) fn pass_over(
        &mut self,
        pass: impl FnOnce(usize, &Cursor<'a>) -> Option<(usize, u32)>,
    ) -> bool {
        if self.flow_level > 0 || !self.tokens.is_empty() {
            return false;
        }
        let mut item = self.cursor;
        while item.byte(0) == b' ' {
            item.skip();
        }
        let dash = self.cursor.column as usize - 1;
        let Some((offset, lines)) = pass(dash, &item) else {
            return false;
        };
        self.cursor.offset = offset;
        self.cursor.line += lines;
        self.cursor.column = 0;
        self.key_allowed = true;
        true
    }

    /// Takes the token that `peek` returned.
    pub(super) fn take(&mut self) -> Option<Token<'a>> {
        self.taken += 1;
        self.tokens.pop_front().map(|(token, _)| token)
    }

    /// Returns an error at the cursor.
    pub(super) fn fault(&self, problem: impl Into<Cow<'static, str>>) -> Fault {
        Fault {
            at: self.cursor.mark(),
            problem: problem.into(),
        }
    }

    fn push(&mut self, token: Token<'a>, at: Mark) {
        self.tokens.push_back((token, at));
    }

    fn fetch(&mut self) -> Result<(), Fault> {
        self.skip_to_token();
        self.unroll(i64::from(self.cursor.column));
        let start = self.cursor.mark();
        if self.cursor.at_end() {
            self.unroll(-1);
            self.remove_key()?;
            self.ended = true;
            self.push(Token::StreamEnd, start);
            return Ok(());
        }
        let first = self.cursor.byte(0);
        if self.cursor.column == 0 && first == b'%' {
            self.unroll(-1);
            self.remove_key()?;
            self.key_allowed = false;
            tag::directive(self)?;
            self.push(Token::Directive, start);
            return Ok(());
        }
        if self.cursor.is_document_indicator() {
            self.unroll(-1);
            self.remove_key()?;
            self.key_allowed = false;
            self.cursor.skip_many(3);
            self.push(
                if first == b'-' {
                    Token::DocumentStart
                } else {
                    Token::DocumentEnd
                },
                start,
            );
            return Ok(());
        }
        let flow = self.flow_level > 0;
        let gap_next = self.cursor.is_gap(1);
        match first {
            b'[' => self.fetch_flow_start(Token::FlowSequenceStart),
            b'{' => self.fetch_flow_start(Token::FlowMappingStart),
            b']' => self.fetch_flow_end(Token::FlowSequenceEnd),
            b'}' => self.fetch_flow_end(Token::FlowMappingEnd),
            b',' => {
                self.remove_key()?;
                self.key_allowed = true;
                self.indicator(Token::FlowEntry);
                Ok(())
            }
            b'-' if gap_next => self.fetch_block_entry(),
            b'?' if flow || gap_next => self.fetch_explicit_key(),
            b':' if flow || gap_next => self.fetch_value(),
            b'*' | b'&' => {
                self.save_key()?;
                self.key_allowed = false;
                let name = tag::anchor(self)?;
                self.push(
                    if first == b'*' {
                        Token::Alias(name)
                    } else {
                        Token::Anchor(name)
                    },
                    start,
                );
                Ok(())
            }
            b'!' => {
                self.save_key()?;
                self.key_allowed = false;
                let token = tag::tag(self)?;
                self.push(token, start);
                Ok(())
            }
            b'|' | b'>' if !flow => {
                self.remove_key()?;
                self.key_allowed = true;
                let text = block::scan(self, first == b'|')?;
                self.push(
                    Token::Scalar {
                        text: Cow::Owned(text),
                        plain: false,
                    },
                    start,
                );
                Ok(())
            }
            b'\'' | b'"' => {
                self.save_key()?;
                self.key_allowed = false;
                let text = quoted::scan(self, first)?;
                self.push(Token::Scalar { text, plain: false }, start);
                Ok(())
            }
            b'\t' => Err(self.fault("tab in the indentation: replace it with spaces")),
            b'|' | b'>' | b'%' | b'@' | b'`' => Err(self.cannot_start(first)),
            _ => {
                self.save_key()?;
                self.key_allowed = false;
                let text = plain::scan(self)?;
                self.push(Token::Scalar { text, plain: true }, start);
                Ok(())
            }
        }
    }

    fn cannot_start(&self, first: u8) -> Fault {
        self.fault(format!(
            "a value cannot start with '{}': put it in quotes",
            char::from(first)
        ))
    }

    /// Skips spaces, comments and line breaks. Tabs count as spaces, except where they would indent a key.
    fn skip_to_token(&mut self) {
        loop {
            let tabs = self.flow_level > 0 || !self.key_allowed;
            while self.cursor.byte(0) == b' ' || tabs && self.cursor.byte(0) == b'\t' {
                self.cursor.skip();
            }
            self.cursor.skip_comment();
            if self.cursor.read_break().is_empty() {
                return;
            }
            if self.flow_level == 0 {
                self.key_allowed = true;
            }
        }
    }

    fn indicator(&mut self, token: Token<'a>) {
        let start = self.cursor.mark();
        self.cursor.skip();
        self.push(token, start);
    }

    fn fetch_flow_start(&mut self, token: Token<'a>) -> Result<(), Fault> {
        self.save_key()?;
        if self.flow_level == MAX_DEPTH {
            return Err(self.fault(format!("brackets nest deeper than {MAX_DEPTH} levels")));
        }
        self.flow_level += 1;
        self.keys.push(SimpleKey {
            possible: false,
            required: false,
            token: self.taken + self.tokens.len() + 1,
            at: self.cursor.mark(),
        });
        self.key_allowed = true;
        self.indicator(token);
        Ok(())
    }

    fn fetch_flow_end(&mut self, token: Token<'a>) -> Result<(), Fault> {
        self.remove_key()?;
        if self.flow_level > 0 {
            self.flow_level -= 1;
            self.keys.pop();
        }
        self.key_allowed = false;
        self.indicator(token);
        Ok(())
    }

    fn fetch_block_entry(&mut self) -> Result<(), Fault> {
        if self.flow_level == 0 {
            if !self.key_allowed {
                return Err(self.fault("unexpected list item ('- '): move it to a separate line"));
            }
            self.roll(
                i64::from(self.cursor.column),
                None,
                Token::BlockSequenceStart,
                self.cursor.mark(),
            )?;
        }
        self.remove_key()?;
        self.key_allowed = true;
        self.indicator(Token::BlockEntry);
        Ok(())
    }

    fn fetch_explicit_key(&mut self) -> Result<(), Fault> {
        if self.flow_level == 0 {
            if !self.key_allowed {
                return Err(self.fault("unexpected '? ' key: move it to a separate line"));
            }
            self.roll(
                i64::from(self.cursor.column),
                None,
                Token::BlockMappingStart,
                self.cursor.mark(),
            )?;
        }
        self.remove_key()?;
        self.key_allowed = self.flow_level == 0;
        self.indicator(Token::Key);
        Ok(())
    }

    fn fetch_value(&mut self) -> Result<(), Fault> {
        let innermost = self.keys.len() - 1;
        if self.is_valid(innermost)? {
            let key = self.keys[innermost];
            let at = key.token.saturating_sub(self.taken).min(self.tokens.len());
            self.tokens.insert(at, (Token::Key, key.at));
            self.roll(
                i64::from(key.at.column),
                Some(at),
                Token::BlockMappingStart,
                key.at,
            )?;
            self.keys[innermost].possible = false;
            self.key_allowed = false;
        } else {
            if self.flow_level == 0 {
                if !self.key_allowed {
                    return Err(self.fault(
                        "unexpected ': ' inside a value: put the value in quotes, or align the key with the one above",
                    ));
                }
                self.roll(
                    i64::from(self.cursor.column),
                    None,
                    Token::BlockMappingStart,
                    self.cursor.mark(),
                )?;
            }
            self.key_allowed = self.flow_level == 0;
        }
        self.indicator(Token::Value);
        Ok(())
    }

    /// Opens a block collection if the column is deeper than the one around it.
    fn roll(
        &mut self,
        column: i64,
        index: Option<usize>,
        token: Token<'a>,
        at: Mark,
    ) -> Result<(), Fault> {
        if self.flow_level > 0 || self.indent >= column {
            return Ok(());
        }
        self.indents.push(self.indent);
        self.indent = column;
        if self.indents.len() > MAX_DEPTH {
            return Err(self.fault(format!("lines are indented deeper than {MAX_DEPTH} levels")));
        }
        match index {
            Some(index) => self.tokens.insert(index, (token, at)),
            None => self.push(token, at),
        }
        Ok(())
    }

    /// Closes the block collections deeper than the column.
    fn unroll(&mut self, column: i64) {
        if self.flow_level > 0 {
            return;
        }
        while self.indent > column {
            self.push(Token::BlockEnd, self.cursor.mark());
            self.indent = self.indents.pop().unwrap_or(-1);
        }
    }
}
