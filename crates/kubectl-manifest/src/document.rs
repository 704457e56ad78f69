//! Converts a document to objects: a single one, or the items of a list, which may have been read already.

use super::error::{Fault, Mark};
use super::listing::Problem;
use super::manifest::Form;
use super::object::{self, HEADER, Objects};
use super::passage::ReparseMode;
use super::plain::{self, Shape};
use super::stream::{ReadMode, Stream};
use super::tree::{Content, Tree};
use super::{Document, Part, ReadError, locate, value, yaml};

impl Stream<'_> {
    /// Reads the properties of a list whose items were read already. Returns false if the list has to be read as a
    /// whole.
    pub(super) fn list(
        &mut self,
        tree: &Tree<'_>,
        document: &Document,
        problem: Option<Problem>,
    ) -> Result<bool, ReadError> {
        if plain::shape(tree, 0) != Shape::Plain {
            return Ok(false);
        }
        let fail = |at, problem: String| {
            let problem = problem.into();
            Err(self.error(document, &Fault { at, problem }))
        };
        if let Some(Problem { at, text, .. }) = problem {
            return fail(at, text);
        }
        let mut list = plain::value(tree, 0, Part::Whole);
        if let Err(wrong) = object::objects(&mut list) {
            return fail(tree.nodes[0].at, wrong.problem);
        }
        self.keep_metadata(&mut list);
        self.document += 1;
        Ok(true)
    }

    /// Reads the objects of a document.
    pub(super) fn document(
        &mut self,
        tree: &Tree<'_>,
        document: Document,
    ) -> Result<(), ReadError> {
        if tree.nodes.is_empty() {
            return Ok(());
        }
        if self.way != ReadMode::ReadWhole && self.object(tree, &document)? {
            return Ok(());
        }
        let mut decoded = value::decode(tree).map_err(|fault| self.error(&document, &fault))?;
        for (at, message) in std::mem::take(&mut decoded.surprises) {
            self.warn(&document, at, message);
        }
        if decoded.value.is_null() {
            return Ok(());
        }
        let root = &tree.nodes[0];
        let deep = decoded.deep;
        let objects = object::objects(&mut decoded.value);
        match objects {
            Ok(Objects::None) => {}
            Ok(Objects::One) => {
                let value = decoded.value.take();
                self.hold((root.at, value, None), &document, deep);
            }
            Ok(Objects::Items(items)) => {
                let starts = item_starts(tree)
                    .into_iter()
                    .chain(std::iter::repeat(root.at));
                for (index, (value, at)) in items.into_iter().zip(starts).enumerate() {
                    self.hold((at, value, Some(index)), &document, deep);
                }
                // No property of a list is nested so deep.
                if !deep {
                    self.keep_metadata(&mut decoded.value);
                }
            }
            Err(wrong) => {
                let at = wrong
                    .item
                    .and_then(|item| item_starts(tree).get(item).copied())
                    .unwrap_or(root.at);
                if deep {
                    value::dismantle(decoded.value);
                }
                let problem = wrong.problem.into();
                return Err(self.error(&document, &Fault { at, problem }));
            }
        }
        if decoded.deep {
            value::dismantle(decoded.value);
        }
        self.document += 1;
        Ok(())
    }

    /// Skips a document that is one simple object, and keeps its location. Returns false for anything else.
    pub(super) fn pass_over(&mut self, text: &str, document: &Document) -> bool {
        let Some(mut head) = yaml::document(text, HEADER) else {
            return false;
        };
        let is_object = matches!(object::objects(&mut head), Ok(Objects::One));
        if is_object {
            let form = Form::Text {
                reread: ReparseMode::Simple,
                typeless: false,
            };
            self.keep(&head, Mark::default(), document, document.clone(), form);
            self.document += 1;
        }
        is_object
    }

    /// Keeps the location and the shape of a document that is one object. Returns false for anything else.
    fn object(&mut self, tree: &Tree<'_>, document: &Document) -> Result<bool, ReadError> {
        let is_mapping = matches!(tree.nodes[0].content, Content::Mapping);
        if !is_mapping || plain::shape(tree, 0) != Shape::Plain {
            return Ok(false);
        }
        let mut head = plain::value(tree, 0, HEADER);
        let at = tree.nodes[0].at;
        match object::objects(&mut head) {
            Ok(Objects::One) => {}
            Ok(Objects::None | Objects::Items(_)) => return Ok(false),
            Err(wrong) if wrong.item.is_some() => return Ok(false),
            Err(wrong) => {
                let problem = wrong.problem.into();
                return Err(self.error(document, &Fault { at, problem }));
            }
        }
        let form = Form::Text {
            reread: ReparseMode::of_plain(document.json),
            typeless: false,
        };
        self.keep(&head, at, document, document.clone(), form);
        self.fill_in(|| plain::value(tree, 0, Part::Whole));
        self.document += 1;
        Ok(true)
    }
}

/// Returns the start of each item of a list.
fn item_starts(tree: &Tree<'_>) -> Vec<Mark> {
    match locate::entry(tree, tree.target(0), "items") {
        Some((_, items)) => match tree.target(items) {
            items if matches!(tree.nodes[items].content, Content::Sequence) => tree
                .children(items)
                .map(|item| tree.nodes[item].at)
                .collect(),
            _ => Vec::new(),
        },
        None => Vec::new(),
    }
}
