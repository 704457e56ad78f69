//! Fast conversion of a tree to a value, for plain objects: no alias, merge or tag, no repeated key, and no number or
//! word that is read as something else. Most objects are plain, and only the requested members are converted. All
//! others use the exact conversion, [`super::value`].

use serde_json::{Map, Value};

use super::Part;
use super::leaf::of_scalar;
use super::mapping::is_merge;
use super::number;
use super::scalar::{self, Scalar};
use super::tree::{Content, Tree};
use super::value::DEEP;

/// JSON numbers up to this length are never infinite.
const LONGEST: usize = 300;

/// Ways to convert a part of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Plain conversion.
    Plain,
    /// Exact conversion.
    Odd,
    /// Exact conversion with the whole document.
    Aliased,
}

/// Returns the conversion for a node and all its contents.
pub(super) fn shape(tree: &Tree<'_>, root: usize) -> Shape {
    let mut shape = Shape::Plain;
    let mut ends: Vec<usize> = Vec::new();
    for index in root..tree.end(root) {
        while ends.last().is_some_and(|end| *end <= index) {
            ends.pop();
        }
        let node = &tree.nodes[index];
        let is_plain = match &node.content {
            Content::Alias { .. } => return Shape::Aliased,
            Content::Scalar { text, implicit } => !implicit || is_plain(text),
            Content::Number(text) => is_plain_number(text),
            Content::Null | Content::Bool(_) => true,
            Content::Sequence => {
                ends.push(tree.end(index));
                ends.len() <= DEEP
            }
            Content::Mapping => {
                ends.push(tree.end(index));
                ends.len() <= DEEP && has_plain_keys(tree, index)
            }
        };
        if !is_plain || node.tag.is_some() {
            shape = Shape::Odd;
        }
    }
    shape
}

/// Reports whether a JSON number is written in full and supported by JSON.
pub(super) fn is_plain_number(text: &str) -> bool {
    text.len() < LONGEST && !text.bytes().any(|byte| matches!(byte, b'e' | b'E'))
}

/// Reports whether an unquoted scalar is read as written.
pub(super) fn is_plain(text: &str) -> bool {
    match scalar::guess(text) {
        Scalar::Text(_) | Scalar::Null | Scalar::Unsigned(_) => true,
        Scalar::Float(number) => number::float(number).is_some(),
        read @ (Scalar::Bool(_) | Scalar::Int(_)) => scalar::surprise(text, &read).is_none(),
    }
}

/// Reports whether the keys of a mapping are unique strings.
fn has_plain_keys(tree: &Tree<'_>, mapping: usize) -> bool {
    let (mut last, mut rises) = ("", true);
    for key in tree.children(mapping).step_by(2) {
        let Some(text) = plain_key(tree, key) else {
            return false;
        };
        // Most keys are sorted.
        rises &= last < text;
        last = text;
    }
    if rises {
        return true;
    }
    let mut keys: Vec<&str> = tree
        .children(mapping)
        .step_by(2)
        .filter_map(|key| plain_key(tree, key))
        .collect();
    are_unique(&mut keys)
}

/// Sorts keys, and reports whether they are unique.
pub(super) fn are_unique<K: Ord>(keys: &mut [K]) -> bool {
    keys.sort_unstable();
    keys.is_sorted_by(|a, b| a < b)
}

fn plain_key<'t>(tree: &'t Tree<'_>, key: usize) -> Option<&'t str> {
    let node = &tree.nodes[key];
    match &node.content {
        Content::Scalar { text, implicit } if node.tag.is_none() => {
            let is_text =
                !implicit || !is_merge(tree, key) && matches!(scalar::guess(text), Scalar::Text(_));
            is_text.then_some(&**text)
        }
        _ => None,
    }
}

/// Returns the node of a member of the root, which may still be open.
pub(super) fn open_member(tree: &Tree<'_>, name: &str) -> Option<usize> {
    let mut key = 1;
    while key < tree.nodes.len() {
        let value = tree.end(key);
        if value >= tree.nodes.len() {
            return None;
        }
        if plain_key(tree, key) == Some(name) {
            return Some(value);
        }
        key = tree.end(value);
    }
    None
}

/// Returns the requested part of a plain node. Its depth is limited, so recursion is safe.
pub(super) fn value(tree: &Tree<'_>, node: usize, wanted: Part) -> Value {
    match &tree.nodes[node].content {
        Content::Sequence => {
            let wanted = element(wanted);
            let items = tree.children(node);
            Value::Array(items.map(|item| value(tree, item, wanted)).collect())
        }
        Content::Mapping => {
            let mut entries = Map::new();
            for key in tree.children(node).step_by(2) {
                let Content::Scalar { text, .. } = &tree.nodes[key].content else {
                    continue;
                };
                if let Some(wanted) = member(wanted, text) {
                    entries.insert(text.to_string(), value(tree, tree.end(key), wanted));
                }
            }
            Value::Object(entries)
        }
        other => leaf(other),
    }
}

/// Returns the value of a plain leaf.
pub(super) fn leaf(content: &Content<'_>) -> Value {
    match content {
        Content::Scalar {
            text,
            implicit: false,
        } => Value::from(&**text),
        Content::Scalar { text, .. } => of_scalar(scalar::guess(text)).unwrap_or_default(),
        Content::Number(text) => number::literal(text).unwrap_or_default(),
        Content::Bool(value) => Value::Bool(*value),
        _ => Value::Null,
    }
}

/// Returns the requested part of a member, if any.
pub(super) fn member(of: Part, name: &str) -> Option<Part> {
    match of {
        Part::Members(members) => {
            let (_, wanted) = members.iter().find(|(wanted, _)| *wanted == name)?;
            Some(*wanted)
        }
        _ => Some(Part::Whole),
    }
}

/// Returns the requested part of each item of a list.
pub(super) fn element(of: Part) -> Part {
    match of {
        Part::Items(wanted) => *wanted,
        _ => Part::Whole,
    }
}
