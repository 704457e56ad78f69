//! Items of a list, read one by one while the document is being parsed: each is checked and dropped, and only its
//! location is kept.

use std::ops::Range;

use serde_json::{Map, Value};

use super::Document;
use super::Part;
use super::error::Mark;
use super::manifest::Form;
use super::object::{self, HEADER};
use super::passage::ReparseMode;
use super::plain::{self, Shape};
use super::stream::{ReadMode, Stream};
use super::tree::{Content, Items, Tree};
use super::value;

/// Result of reading the items of a document.
pub(super) enum Listed {
    /// Not a list, or not written as one.
    Not,
    /// All items were read; the first problem, if any.
    Items(Option<Problem>),
    /// Some items can only be read with the whole document.
    AsWhole,
}

/// Problem of an item.
pub(super) struct Problem {
    pub(super) at: Mark,
    pub(super) text: String,
    /// True if the item cannot be parsed, which takes precedence over a missing type.
    is_unreadable: bool,
}

/// Visitor of the items of a document.
pub(super) struct Listing<'l, 's> {
    stream: &'l mut Stream<'s>,
    document: Document,
    seen: bool,
    as_whole: bool,
    /// Type that the list gives to its items, once known.
    inherited: Option<Map<String, Value>>,
    problem: Option<Problem>,
}

impl<'l, 's> Listing<'l, 's> {
    pub(super) fn new(stream: &'l mut Stream<'s>, document: Document) -> Self {
        Listing {
            stream,
            document,
            seen: false,
            as_whole: false,
            inherited: None,
            problem: None,
        }
    }

    pub(super) fn end(self) -> Listed {
        match (self.as_whole, self.seen) {
            (true, _) => Listed::AsWhole,
            (false, false) => Listed::Not,
            (false, true) => Listed::Items(self.problem),
        }
    }

    /// Records the problem of an item. Only the first one is kept.
    fn fail(&mut self, at: Mark, text: String, is_unreadable: bool) {
        let counts = match &self.problem {
            None => true,
            Some(first) => is_unreadable && !first.is_unreadable,
        };
        if counts {
            self.problem = Some(Problem {
                at,
                text,
                is_unreadable,
            });
        }
    }

    /// Records the problem of an item, if any. Returns false after the first problem, when items are no longer kept.
    fn is_right(&mut self, at: Mark, problem: Result<(), String>) -> bool {
        if let Err(problem) = problem {
            self.fail(at, problem, false);
        }
        self.problem.is_none()
    }

    /// Returns the text of an item as a separate document.
    fn own(&self, at: Mark, bytes: Range<usize>) -> Document {
        let start = self.document.range.start;
        Document {
            range: start + bytes.start..start + bytes.end,
            line: self.document.line + at.line,
            column: match (at.line, self.document.json) {
                (0, true) => self.document.column + at.column,
                _ => at.column,
            },
            json: self.document.json,
        }
    }

    /// Returns the type that the list gives to its items; `None` until the list has its type.
    fn inherited(&mut self, tree: &Tree<'_>) -> Option<&Map<String, Value>> {
        if self.inherited.is_none() {
            let mut list = Map::new();
            for name in ["kind", "apiVersion"] {
                let member = plain::open_member(tree, name)?;
                list.insert(name.to_owned(), plain::value(tree, member, Part::Whole));
            }
            self.inherited = Some(object::inherited(&list));
        }
        self.inherited.as_ref()
    }
}

impl Items for Listing<'_, '_> {
    fn item(&mut self, tree: &Tree<'_>, node: usize, bytes: Range<usize>) -> bool {
        self.seen = true;
        let shape = plain::shape(tree, node);
        if shape == Shape::Aliased || !matches!(tree.nodes[node].content, Content::Mapping) {
            self.as_whole = true;
            return false;
        }
        let at = tree.nodes[node].at;
        let head = match shape {
            Shape::Plain => plain::value(tree, node, HEADER),
            _ => match value::decode_at(tree, node) {
                // A deeply nested value has to be dropped without recursion.
                Ok(decoded) if decoded.deep => {
                    value::dismantle(decoded.value);
                    self.as_whole = true;
                    return false;
                }
                Ok(decoded) => {
                    for (at, message) in decoded.surprises {
                        self.stream.warn(&self.document, at, message);
                    }
                    decoded.value
                }
                Err(fault) => {
                    self.fail(fault.at, fault.problem.into_owned(), true);
                    return true;
                }
            },
        };
        let typeless = head.as_object().is_some_and(object::has_no_type);
        let problem = match typeless {
            false => object::check_item(&head, &Map::new()),
            true => match self.inherited(tree) {
                Some(inherited) => object::check_item(&head, inherited),
                None => {
                    self.as_whole = true;
                    return false;
                }
            },
        };
        if !self.is_right(at, problem) {
            return true;
        }
        let own = self.own(at, bytes);
        let form = Form::Text {
            reread: match shape {
                Shape::Plain => ReparseMode::of_plain(self.document.json),
                Shape::Odd | Shape::Aliased => ReparseMode::Exact,
            },
            typeless,
        };
        match self.inherited.take_if(|_| typeless) {
            None => self.stream.keep(&head, at, &self.document, own, form),
            Some(inherited) => {
                let inherited = Value::Object(inherited);
                self.stream.keep(&inherited, at, &self.document, own, form);
                if let Value::Object(inherited) = inherited {
                    self.inherited = Some(inherited);
                }
            }
        }
        self.stream.fill_in(|| match shape {
            Shape::Plain => plain::value(tree, node, Part::Whole),
            // The item was read whole.
            _ => head,
        });
        true
    }

    fn wants_places(&self) -> bool {
        self.stream.way == ReadMode::Scan
    }

    fn place(&mut self, head: &Value, at: Mark, bytes: Range<usize>) -> bool {
        if head.as_object().is_none_or(object::has_no_type) {
            return false;
        }
        self.seen = true;
        if self.is_right(at, object::check_item(head, &Map::new())) {
            let own = self.own(at, bytes);
            let form = Form::Text {
                reread: ReparseMode::Simple,
                typeless: false,
            };
            self.stream.keep(head, at, &self.document, own, form);
        }
        true
    }
}
