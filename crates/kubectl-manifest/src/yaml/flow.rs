//! Collections in brackets: `[a, b: c]` and `{a: b, c}`.

use super::Fault;
use super::grammar::{Composer, State};
use super::token::Token;
use crate::tree::Content;

impl<'a> Composer<'a, '_> {
    pub(super) fn flow_sequence(&mut self, first: bool) -> Result<(), Fault> {
        if first {
            self.scanner.take();
        }
        if !self.flow_entry(first, &Token::FlowSequenceEnd)? {
            return self.end_collection();
        }
        if let (Token::Key, at) = self.scanner.peek()? {
            self.scanner.take();
            let index = self.tree.push(Content::Mapping, None, at);
            self.open.push(index);
            self.state = State::PairKey;
            return Ok(());
        }
        self.after.push(State::FlowSequence { first: false });
        self.node(false, false)
    }

    pub(super) fn pair_key(&mut self) -> Result<(), Fault> {
        let (token, at) = self.scanner.peek()?;
        if matches!(
            token,
            Token::Value | Token::FlowEntry | Token::FlowSequenceEnd
        ) {
            // go-yaml mistakenly skips the token here, which only leads to another error.
            self.scanner.take();
            self.empty(at);
            self.state = State::PairValue;
            return Ok(());
        }
        self.after.push(State::PairValue);
        self.node(false, false)
    }

    pub(super) fn flow_key(&mut self, first: bool) -> Result<(), Fault> {
        if first {
            self.scanner.take();
        }
        if !self.flow_entry(first, &Token::FlowMappingEnd)? {
            return self.end_collection();
        }
        if let (Token::Key, at) = self.scanner.peek()? {
            self.scanner.take();
            let next = self.scanner.peek()?.0;
            if matches!(
                next,
                Token::Value | Token::FlowEntry | Token::FlowMappingEnd
            ) {
                self.empty(at);
                self.state = State::FlowValue;
                return Ok(());
            }
            self.after.push(State::FlowValue);
        } else {
            self.after.push(State::FlowNoValue);
        }
        self.node(false, false)
    }

    /// Skips the comma before an entry. Returns true if there is an entry.
    pub(super) fn flow_entry(&mut self, first: bool, end: &Token<'a>) -> Result<bool, Fault> {
        let (token, at) = self.scanner.peek()?;
        if token == end {
            return Ok(false);
        }
        if !first {
            if *token != Token::FlowEntry {
                let bracket = if *end == Token::FlowMappingEnd {
                    '}'
                } else {
                    ']'
                };
                let problem = format!("missing ',' or '{bracket}' before this");
                return Err(Fault {
                    at,
                    problem: problem.into(),
                });
            }
            self.scanner.take();
        }
        Ok(self.scanner.peek()?.0 != end)
    }

    /// Reads the value of a key in brackets, if any.
    pub(super) fn flow_pair_value(&mut self, after: State, end: &Token<'a>) -> Result<(), Fault> {
        let (token, at) = self.scanner.peek()?;
        if *token == Token::Value {
            self.scanner.take();
            let (token, _) = self.scanner.peek()?;
            if *token != Token::FlowEntry && token != end {
                self.after.push(after);
                return self.node(false, false);
            }
        }
        self.empty(at);
        self.state = after;
        Ok(())
    }
}
