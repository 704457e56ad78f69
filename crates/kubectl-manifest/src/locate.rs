//! Where in a text a field stands.

use std::collections::BTreeSet;

use super::mapping::{is_merge, read_key};
use super::tree::{Content, Tree};

/// A step from a value to one within it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathSegment<'a> {
    /// The member of an object.
    Key(&'a str),
    /// The item of a list, from 0.
    Index(usize),
}

/// The line of what a path leads to, from 0: that of the key, or of the item. Where the path leads nowhere, the line
/// of the last thing it met.
pub(super) fn line(tree: &Tree<'_>, path: &[PathSegment<'_>]) -> u32 {
    let mut line = tree.nodes.first().map_or(0, |root| root.line);
    let mut node = 0;
    for &segment in path {
        if tree.nodes.is_empty() {
            break;
        }
        node = tree.target(node);
        let found = match (&tree.nodes[node].content, segment) {
            (Content::Mapping, PathSegment::Key(key)) => entry(tree, node, key),
            (Content::Sequence, PathSegment::Index(index)) => {
                tree.children(node).nth(index).map(|item| (item, item))
            }
            _ => None,
        };
        let Some((at, next)) = found else { break };
        line = tree.nodes[at].line;
        node = next;
    }
    line
}

/// The entry of a mapping which is read for a key: the last one, merges included.
pub(super) fn entry(tree: &Tree<'_>, mapping: usize, key: &str) -> Option<(usize, usize)> {
    // What is left to look through, the next to look at last.
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
