//! Positions of fields in a text.

use std::collections::{BTreeMap, BTreeSet};

use super::error::Mark;
use super::mapping::{is_merge, read_key};
use super::tree::{Content, Tree};

/// A step from a value to a value within it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathSegment<'a> {
    /// Member of an object.
    Key(&'a str),
    /// Item of a list, from 0.
    Index(usize),
}

/// Items of the lists on paths, so that each list is walked once.
pub(super) type Lists = BTreeMap<usize, Vec<usize>>;

/// Returns the start of the field at a path: its key, or the list item. For a missing field, that of the innermost
/// existing parent.
pub(super) fn mark(tree: &Tree<'_>, path: &[PathSegment<'_>], lists: &mut Lists) -> Mark {
    let mut mark = tree.nodes.first().map_or(Mark::default(), |root| root.at);
    let mut node = 0;
    for &segment in path {
        if tree.nodes.is_empty() {
            break;
        }
        node = tree.target(node);
        let found = match (&tree.nodes[node].content, segment) {
            (Content::Mapping, PathSegment::Key(key)) => entry(tree, node, key),
            (Content::Sequence, PathSegment::Index(index)) => {
                let items = lists
                    .entry(node)
                    .or_insert_with(|| tree.children(node).collect());
                items.get(index).map(|item| (*item, *item))
            }
            _ => None,
        };
        let Some((at, next)) = found else { break };
        mark = tree.nodes[at].at;
        node = next;
    }
    mark
}

/// Returns the effective entry of a mapping for a key: the last one, including merges.
pub(super) fn entry(tree: &Tree<'_>, mapping: usize, key: &str) -> Option<(usize, usize)> {
    // Remaining nodes; the next one is last.
    let mut left = vec![(None, mapping)];
    let mut seen = BTreeSet::new();
    while let Some((at, node)) = left.pop() {
        if let Some(at) = at {
            if !is_merge(tree, at) {
                if read_key(tree, at).as_deref() == Some(key) {
                    return Some((at, node));
                }
                continue;
            }
            if let Content::Sequence = tree.nodes[node].content {
                let first = left.len();
                left.extend(tree.children(node).map(|child| (None, child)));
                left[first..].reverse();
                continue;
            }
        }
        let node = tree.target(node);
        if let Content::Mapping = tree.nodes[node].content
            && seen.insert(node)
        {
            let mut children = tree.children(node);
            while let (Some(at), Some(value)) = (children.next(), children.next()) {
                left.push((Some(at), value));
            }
        }
    }
    None
}
