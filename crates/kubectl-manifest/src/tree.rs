//! Tree of a document before its scalars have a type.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::Value;

use super::error::Mark;

/// The nodes of one document, each before what it contains: a collection's children follow it, up to its `end`.
///
/// The children of a mapping are its keys and values in turn.
#[derive(Default)]
pub(super) struct Tree<'a> {
    pub(super) nodes: Vec<Node<'a>>,
    /// Last definition of each anchor.
    pub(super) anchors: BTreeMap<&'a str, usize>,
}

/// One node.
pub(super) struct Node<'a> {
    pub(super) content: Content<'a>,
    /// The full name of its tag: `tag:yaml.org,2002:int` for `!!int`.
    pub(super) tag: Option<Box<str>>,
    /// Start of the node.
    pub(super) at: Mark,
    /// The index of the first node that is not in this one.
    end: u32,
}

/// Content of a node.
pub(super) enum Content<'a> {
    /// A scalar; `implicit` if its type follows from its text.
    Scalar {
        text: Cow<'a, str>,
        implicit: bool,
    },
    /// A number of a JSON text.
    Number(&'a str),
    /// `null`, `true` or `false` of a JSON text.
    Null,
    Bool(bool),
    Sequence,
    Mapping,
    /// Stands for the node that had the anchor when this was read.
    Alias {
        name: &'a str,
        target: usize,
    },
}

impl<'a> Tree<'a> {
    /// Adds a node without children, or the start of a collection; gives its index.
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

    /// Ends a collection: all nodes since are its children.
    pub(super) fn close(&mut self, index: usize) {
        let end = small(self.nodes.len());
        if let Some(node) = self.nodes.get_mut(index) {
            node.end = end;
        }
    }

    /// Forgets a node and all after it.
    pub(super) fn truncate(&mut self, index: usize) {
        self.nodes.truncate(index);
    }

    /// The index of the node after this one and all it contains.
    pub(super) fn end(&self, index: usize) -> usize {
        self.nodes[index].end as usize
    }

    /// The indices of the children of a collection.
    pub(super) fn children(&self, index: usize) -> impl Iterator<Item = usize> {
        let end = self.end(index);
        let within = move |child: &usize| *child < end;
        std::iter::successors(Some(index + 1).filter(within), move |&child| {
            Some(self.end(child)).filter(within)
        })
    }

    /// The node an alias stands for, or the node itself.
    pub(super) fn target(&self, index: usize) -> usize {
        match self.nodes[index].content {
            Content::Alias { target, .. } => target,
            _ => index,
        }
    }
}

/// Texts are capped well below 4 GiB, so indices fit.
fn small(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// Looks at the items of a list one by one as they are read; each is forgotten after that.
pub(super) trait Items {
    /// Looks at an item: its node, and the bytes that it takes. Once it gives `false`, reading goes no further.
    fn item(&mut self, tree: &Tree<'_>, node: usize, bytes: Range<usize>) -> bool;

    /// Returns true if only the type and the position of a plain item are needed.
    fn wants_places(&self) -> bool;

    /// Takes such an item by what it says that it is; `false` for one that does not say it.
    fn place(&mut self, head: &Value, at: Mark, bytes: Range<usize>) -> bool;
}

/// Error that ends a reader which is told to go no further. It is never shown.
pub(super) fn stopped() -> super::error::Fault {
    super::error::Fault {
        at: Mark::default(),
        problem: "an item is read with its whole document".into(),
    }
}
