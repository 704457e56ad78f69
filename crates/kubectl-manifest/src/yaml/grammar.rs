//! Builds a tree from tokens.
//!
//! The grammar of YAML 1.1 as a state machine: a state determines the next token, and a stack has the state after
//! each open collection.

use std::borrow::Cow;

use super::scanner::Scanner;
use super::token::Token;
use super::{Composed, Fault};
use crate::error::Mark;
use crate::tree::{Content, Items, Tree};

#[derive(Clone, Copy)]
pub(super) enum State {
    BlockNode,
    BlockSequence {
        first: bool,
    },
    /// Items `- ` in the column of their key.
    IndentlessSequence,
    BlockKey {
        first: bool,
    },
    BlockValue,
    FlowSequence {
        first: bool,
    },
    /// The only pair of `[a: b]`.
    PairKey,
    PairValue,
    PairEnd,
    FlowKey {
        first: bool,
    },
    FlowValue,
    /// The missing value of `a` in `{a, b: c}`.
    FlowNoValue,
    End,
}

/// Builder of the tree.
pub(super) struct Composer<'a, 'i> {
    pub(super) scanner: Scanner<'a>,
    pub(super) tree: Tree<'a>,
    pub(super) state: State,
    /// State after each open collection.
    pub(super) after: Vec<State>,
    /// Open collections.
    pub(super) open: Vec<usize>,
    /// Visitor of the items of a list.
    pub(super) items: Option<&'i mut dyn Items>,
    /// Node of the list whose items are visited.
    pub(super) list: Option<usize>,
}

/// Parses the first document. Also returns the number of bytes that were scanned.
pub(super) fn compose<'a>(
    text: &'a str,
    column: Option<u32>,
    items: Option<&mut dyn Items>,
) -> (Result<Composed<'a>, Fault>, usize) {
    let mut composer = Composer {
        scanner: Scanner::new(text, column),
        tree: Tree::default(),
        state: State::BlockNode,
        after: vec![State::End],
        open: Vec::new(),
        items,
        list: None,
    };
    let result = composer.document();
    // The scanner looks up to four characters ahead, for `--- ` and similar.
    let reached = composer.scanner.cursor.offset + 4;
    (
        result.map(|ignored| Composed {
            tree: composer.tree,
            ignored,
        }),
        reached,
    )
}

impl<'a> Composer<'a, '_> {
    fn document(&mut self) -> Result<Option<u32>, Fault> {
        match self.scanner.peek()? {
            (Token::StreamEnd, _) => return Ok(None),
            (Token::Directive, at) => {
                let problem = "kubectl does not support '%' directives, since it first splits documents at '---': remove the line";
                return Err(Fault {
                    at,
                    problem: problem.into(),
                });
            }
            (Token::DocumentStart, _) => {
                self.scanner.take();
                let (token, at) = self.scanner.peek()?;
                if matches!(
                    token,
                    Token::Directive | Token::DocumentStart | Token::DocumentEnd | Token::StreamEnd
                ) {
                    self.empty(at);
                    self.state = State::End;
                }
            }
            _ => {}
        }
        while !matches!(self.state, State::End) {
            self.step()?;
        }
        let (token, at) = self.scanner.peek()?;
        match token {
            Token::StreamEnd => Ok(None),
            Token::DocumentEnd => {
                self.scanner.take();
                Ok(self.ignored_line(at))
            }
            _ => Ok(Some(at.line)),
        }
    }

    /// Returns the first line after `...` that has content.
    fn ignored_line(&self, at: Mark) -> Option<u32> {
        let lines = (at.line..).zip(self.scanner.cursor.rest().lines());
        let mut speaking = lines.filter(|(_, text)| {
            let text = text.trim();
            !text.is_empty() && !text.starts_with('#') && text != "..."
        });
        speaking.next().map(|(line, _)| line)
    }

    fn step(&mut self) -> Result<(), Fault> {
        match self.state {
            State::BlockNode => self.node(true, false),
            State::BlockSequence { first } => self.block_sequence(first),
            State::IndentlessSequence => self.indentless_sequence(),
            State::BlockKey { first } => self.block_key(first),
            State::BlockValue => self.block_value(),
            State::FlowSequence { first } => self.flow_sequence(first),
            State::PairKey => self.pair_key(),
            State::PairValue => self.flow_pair_value(State::PairEnd, &Token::FlowSequenceEnd),
            State::PairEnd => {
                self.close();
                self.state = State::FlowSequence { first: false };
                Ok(())
            }
            State::FlowKey { first } => self.flow_key(first),
            State::FlowValue => {
                self.flow_pair_value(State::FlowKey { first: false }, &Token::FlowMappingEnd)
            }
            State::FlowNoValue => {
                let (_, at) = self.scanner.peek()?;
                self.empty(at);
                self.state = State::FlowKey { first: false };
                Ok(())
            }
            State::End => Ok(()),
        }
    }

    pub(super) fn node(&mut self, block: bool, indentless: bool) -> Result<(), Fault> {
        let (token, start) = self.scanner.peek()?;
        if let Token::Alias(name) = *token {
            let Some(&target) = self.tree.anchors.get(name) else {
                let problem = format!(
                    "undefined alias *{name}: add an anchor &{name} before it in the document"
                );
                return Err(Fault {
                    at: start,
                    problem: problem.into(),
                });
            };
            self.tree.push(Content::Alias { name, target }, None, start);
            self.scanner.take();
            self.pop();
            return Ok(());
        }
        let (anchor, tag) = self.properties()?;
        let (token, at) = self.scanner.peek()?;
        let implicit = tag.is_none() || tag.as_deref() == Some("!");
        let (content, next) = match token {
            Token::BlockEntry if indentless => (Content::Sequence, State::IndentlessSequence),
            Token::Scalar { text, plain } => {
                let text = std::mem::take(text);
                let implicit = implicit && (*plain || tag.is_some());
                let index = self
                    .tree
                    .push(Content::Scalar { text, implicit }, tag, start);
                self.scanner.take();
                self.anchor(anchor, index);
                self.pop();
                return Ok(());
            }
            Token::FlowSequenceStart => (Content::Sequence, State::FlowSequence { first: true }),
            Token::FlowMappingStart => (Content::Mapping, State::FlowKey { first: true }),
            Token::BlockSequenceStart if block => {
                (Content::Sequence, State::BlockSequence { first: true })
            }
            Token::BlockMappingStart if block => {
                (Content::Mapping, State::BlockKey { first: true })
            }
            _ if anchor.is_some() || tag.is_some() => {
                let implicit = tag.is_none();
                let text = Cow::Borrowed("");
                let index = self
                    .tree
                    .push(Content::Scalar { text, implicit }, tag, start);
                self.anchor(anchor, index);
                self.pop();
                return Ok(());
            }
            _ => {
                let problem = "missing value: add one, or remove the text around it";
                return Err(Fault {
                    at,
                    problem: problem.into(),
                });
            }
        };
        let is_bare = anchor.is_none() && tag.is_none();
        let index = self.tree.push(content, tag, start);
        if is_bare && self.is_of_items(index, next) {
            self.list = Some(index);
        }
        self.anchor(anchor, index);
        self.open.push(index);
        self.state = next;
        Ok(())
    }

    /// Parses an anchor and a tag, in any order.
    fn properties(&mut self) -> Result<(Option<&'a str>, Option<Box<str>>), Fault> {
        let (mut anchor, mut tag) = (None, None);
        for _ in 0..2 {
            match self.scanner.peek()? {
                (Token::Anchor(name), _) if anchor.is_none() => anchor = Some(*name),
                (Token::Tag { handle, suffix }, at) if tag.is_none() => {
                    let prefix = match *handle {
                        "" => "",
                        "!" => "!",
                        "!!" => "tag:yaml.org,2002:",
                        other => {
                            let problem = format!("undefined tag prefix {other}: remove the tag");
                            return Err(Fault {
                                at,
                                problem: problem.into(),
                            });
                        }
                    };
                    tag = Some(format!("{prefix}{suffix}").into_boxed_str());
                }
                _ => break,
            }
            self.scanner.take();
        }
        Ok((anchor, tag.filter(|tag| !tag.is_empty())))
    }

    fn block_sequence(&mut self, first: bool) -> Result<(), Fault> {
        if first {
            self.scanner.take();
        }
        self.look_at_item()?;
        match self.scanner.peek()? {
            (Token::BlockEntry, at) => {
                self.scanner.take();
                if self.pass_over_item() {
                    self.state = State::BlockSequence { first: false };
                    return Ok(());
                }
                let absent = matches!(self.scanner.peek()?.0, Token::BlockEntry | Token::BlockEnd);
                self.entry(State::BlockSequence { first: false }, absent, at, false)
            }
            (Token::BlockEnd, _) => self.end_collection(),
            (_, at) => {
                let problem = "expected a list item: start it with '- ', or fix its indentation";
                Err(Fault {
                    at,
                    problem: problem.into(),
                })
            }
        }
    }

    fn indentless_sequence(&mut self) -> Result<(), Fault> {
        self.look_at_item()?;
        if let (Token::BlockEntry, at) = self.scanner.peek()? {
            self.scanner.take();
            if self.pass_over_item() {
                self.state = State::IndentlessSequence;
                return Ok(());
            }
            let next = self.scanner.peek()?.0;
            let absent = matches!(
                next,
                Token::BlockEntry | Token::Key | Token::Value | Token::BlockEnd
            );
            return self.entry(State::IndentlessSequence, absent, at, false);
        }
        self.close();
        self.pop();
        Ok(())
    }

    fn block_key(&mut self, first: bool) -> Result<(), Fault> {
        if first {
            self.scanner.take();
        }
        match self.scanner.peek()? {
            (Token::Key, at) => {
                self.scanner.take();
                let absent = matches!(
                    self.scanner.peek()?.0,
                    Token::Key | Token::Value | Token::BlockEnd
                );
                self.entry(State::BlockValue, absent, at, true)
            }
            (Token::BlockEnd, _) => self.end_collection(),
            (_, at) => {
                let problem = "expected 'key: value' in a mapping: fix its indentation or quotes";
                Err(Fault {
                    at,
                    problem: problem.into(),
                })
            }
        }
    }

    fn block_value(&mut self) -> Result<(), Fault> {
        let after = State::BlockKey { first: false };
        let (token, at) = self.scanner.peek()?;
        if *token != Token::Value {
            return self.entry(after, true, at, true);
        }
        self.scanner.take();
        let absent = matches!(
            self.scanner.peek()?.0,
            Token::Key | Token::Value | Token::BlockEnd
        );
        self.entry(after, absent, at, true)
    }

    /// Parses a node of a block collection, which may be missing, and continues with `after`.
    fn entry(
        &mut self,
        after: State,
        absent: bool,
        at: Mark,
        indentless: bool,
    ) -> Result<(), Fault> {
        if absent {
            self.empty(at);
            self.state = after;
            return Ok(());
        }
        self.after.push(after);
        self.node(true, indentless)
    }

    /// Takes the token that ends the innermost collection, and continues with the state after it.
    pub(super) fn end_collection(&mut self) -> Result<(), Fault> {
        self.scanner.take();
        self.close();
        self.pop();
        Ok(())
    }

    pub(super) fn close(&mut self) {
        if let Some(index) = self.open.pop() {
            self.tree.close(index);
        }
    }

    pub(super) fn pop(&mut self) {
        self.state = self.after.pop().unwrap_or(State::End);
    }

    pub(super) fn empty(&mut self, at: Mark) {
        let text = Cow::Borrowed("");
        self.tree.push(
            Content::Scalar {
                text,
                implicit: true,
            },
            None,
            at,
        );
    }

    fn anchor(&mut self, name: Option<&'a str>, index: usize) {
        if let Some(name) = name {
            self.tree.anchors.insert(name, index);
        }
    }
}
