//! Passing over an object that is what it looks like: its text is checked as if it were read, and nothing is made of it.
//! What is not plain in the sense of [`crate::plain::shape`] is for the reader that makes a tree.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::Reader;
use crate::plain;
use crate::value::DEEP;

/// A collection that is being passed over.
enum Open {
    List,
    /// The keys so far are those from there on, and may be in order.
    Mapping {
        keys: usize,
        rises: bool,
    },
}

impl<'a> Reader<'a, '_> {
    /// Passes over a plain object that is no list, and says what it is: that alone. Where it is anything else, the reader
    /// is left on the way.
    pub(super) fn skim(&mut self) -> Option<Value> {
        let (mut kind, mut api_version) = (None, None);
        let mut open = Vec::new();
        let mut keys: Vec<&str> = Vec::new();
        loop {
            let mut first = false;
            match self.byte() {
                b'{' => {
                    first = true;
                    open.push(Open::Mapping {
                        keys: keys.len(),
                        rises: true,
                    });
                }
                b'[' => {
                    first = true;
                    open.push(Open::List);
                }
                b'"' => {
                    let text = self.string().ok()?;
                    if let (1, Some(key), Cow::Borrowed(text)) = (open.len(), keys.last(), text) {
                        match *key {
                            "kind" => kind = Some(text),
                            "apiVersion" => api_version = Some(text),
                            _ => {}
                        }
                    }
                }
                b'-' | b'0'..=b'9' => {
                    let number = self.number().ok()?;
                    plain::is_plain_number(number).then_some(())?;
                }
                _ => drop(self.scalar().ok()?),
            }
            if first {
                self.offset += 1;
                (open.len() <= DEEP).then_some(())?;
            }
            // To the next value, past the brackets that close here.
            loop {
                self.skip_blanks();
                let end = match open.last() {
                    Some(Open::Mapping { .. }) => b'}',
                    _ => b']',
                };
                if self.byte() == end {
                    self.offset += 1;
                    if let Some(Open::Mapping { keys: own, rises }) = open.pop() {
                        (rises || plain::are_unique(keys.get_mut(own..)?)).then_some(())?;
                        keys.truncate(own);
                    }
                    if open.is_empty() {
                        return Some(json!({"kind": kind?, "apiVersion": api_version?}));
                    }
                    first = false;
                    continue;
                }
                if !first {
                    self.pass(b',')?;
                    self.skip_blanks();
                }
                if let Some(Open::Mapping { keys: own, rises }) = open.last_mut() {
                    let key = self.plain_key()?;
                    *rises &= keys.get(*own..)?.last().is_none_or(|last| *last < key);
                    keys.push(key);
                    // A list within a list is for the other reader to refuse.
                    (open.len() > 1 || key != "items").then_some(())?;
                }
                break;
            }
        }
    }

    /// Reads a key without escapes, and goes to its value.
    fn plain_key(&mut self) -> Option<&'a str> {
        (self.byte() == b'"').then_some(())?;
        let Cow::Borrowed(key) = self.string().ok()? else {
            return None;
        };
        self.skip_blanks();
        self.pass(b':')?;
        self.skip_blanks();
        Some(key)
    }
}
