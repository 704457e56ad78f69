//! Tree of a document, with untyped scalars.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::Value;

use super::error::Mark;

/// Nodes of a document in preorder: the children of a collection follow it, up to its `end`.
///
/// The children of a mapping are alternating keys and values.
#[derive(Default)]
pub(super) struct Tree<'a> {
    pub(super) nodes: Vec<Node<'a>>,
    /// Last definition of each anchor.
    pub(super) anchors: BTreeMap<&'a str, usize>,
}

/// A node.
pub(super) struct Node<'a> {
    pub(super) content: Content<'a>,
    /// Full name of its tag: `tag:yaml.org,2002:int` for `!!int`.
    pub(super) tag: Option<Box<str>>,
    /// Start of the node.
    pub(super) at: Mark,
    /// Index of the first node after this one and its contents.
    end: u32,
}

/// Content of a node.
pub(super) enum Content<'a> {
    /// A scalar; `implicit` if its text determines its type.
    Scalar {
        text: Cow<'a, str>,
        implicit: bool,
    },
    /// Number in JSON.
    Number(&'a str),
    /// `null`, `true` or `false` in JSON.
    Null,
    Bool(bool),
    Sequence,
    Mapping,
    /// Alias of the node that had the anchor at that point.
    Alias {
        name: &'a str,
        target: usize,
    },
}

impl<'a> Tree<'a> {
    /// Adds a leaf, or the start of a collection, and returns its index.
    pub(super) fn push(&mut self, content: Content<'a>, tag: Option<Box<str>>, at: Mark) -> usize {
        let index = self.nodes.len();
        self.nodes.push(Node {
            content,
            tag,
            at,
            end: small(index + 1),
        });
        index
    }

    /// Ends a collection: all nodes since its start are its children.
    pub(super) fn close(&mut self, index: usize) {
        let end = small(self.nodes.len());
        if let Some(node) = self.nodes.get_mut(index) {
            node.end = end;
        }
    }

    /// Removes a node and all after it.
    pub(super) fn truncate(&mut self, index: usize) {
        self.nodes.truncate(index);
    }

    /// Returns the index of the node after this one and its contents.
    pub(super) fn end(&self, index: usize) -> usize {
        self.nodes[index].end as usize
    }

    /// Returns the indices of the children of a collection.
    pub(super) fn children(&self, index: usize) -> impl Iterator<Item = usize> {
        let end = self.end(index);
        let within = move |child: &usize| *child < end;
        std::iter::successors(Some(index + 1).filter(within), move |&child| {
            Some(self.end(child)).filter(within)
        })
    }

    /// Returns the target of an alias, or the node itself.
    pub(super) fn target(&self, index: usize) -> usize {
        match self.nodes[index].content {
            Content::Alias { target, .. } => target,
            _ => index,
        }
    }
}

/// Inputs are limited to well below 4 GiB, so indices fit.
fn small(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// Visitor of the items of a list, each of which is dropped after the visit.
pub(super) trait Items {
    /// Visits an item: its node and byte range. Returns false to stop reading.
    fn item(&mut self, tree: &Tree<'_>, node: usize, bytes: Range<usize>) -> bool;

    /// Reports whether only the type and the position of a plain item are needed.
    fn wants_places(&self) -> bool;

    /// Visits such an item by its type; returns false if the type is missing.
    fn place(&mut self, head: &Value, at: Mark, bytes: Range<usize>) -> bool;
}

/// Returns the error that stops a reader after a visitor returned false. It is never shown.
pub(super) fn stopped() -> super::error::Fault {
    super::error::Fault {
        at: Mark::default(),
        problem: "stopped by the visitor".into(),
    }
}
