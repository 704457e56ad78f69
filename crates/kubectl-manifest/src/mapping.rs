//! The keys of mappings: which are merges, what they are in JSON, and what becomes of repeated ones.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::error::{Mark, excerpt};
use super::number;
use super::scalar;
use super::scalar::Scalar;
use super::tree::{Content, Tree};

/// Entries of one mapping that were read so far.
#[derive(Default)]
pub(super) struct Target {
    pub(super) entries: Map<String, Value>,
    /// Keys that were not strings; their text may collide with that of another.
    kinds: BTreeMap<String, Kind>,
    /// Entries that came from a merge.
    merged: BTreeSet<String>,
    /// Position of the current merge.
    pub(super) merge_at: Mark,
    /// True if this is read for an alias, so that its surprises were reported at its anchor.
    is_copy: bool,
}

/// Type of a key before it became text. Floats are told apart by their bits.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Text,
    Int,
    Bool,
    Float(u64),
}

/// Value that an entry replaced.
pub(super) struct Replaced {
    pub(super) value: Value,
    /// A position, and what to say about it.
    pub(super) surprise: Option<(Mark, String)>,
}

impl Target {
    pub(super) fn new(is_copy: bool) -> Self {
        Target {
            is_copy,
            ..Target::default()
        }
    }

    /// Adds an entry: a key, what it was, and its position. The last of equal keys is read, merges included.
    pub(super) fn insert(
        &mut self,
        (key, kind, at): (String, Kind, Mark),
        value: Value,
        merge: bool,
    ) -> Option<Replaced> {
        let Some(old) = self.entries.get_mut(&key) else {
            self.note(&key, kind, merge);
            self.entries.insert(key, value);
            return None;
        };
        let value = std::mem::replace(old, value);
        let old_kind = self.kinds.get(&key).copied().unwrap_or(Kind::Text);
        let was_merged = self.merged.contains(&key);
        let shown = excerpt(&key);
        let surprise = if self.is_copy {
            None
        } else if old_kind != kind {
            let message = "the last is read, but kubectl takes any of them";
            Some((at, format!("several keys read as \"{shown}\": {message}")))
        } else if was_merged {
            None
        } else if merge {
            let message =
                format!("the merge '<<' overwrites \"{shown}\" above it: merge first to keep that");
            Some((self.merge_at, message))
        } else {
            Some((at, again(&shown)))
        };
        self.kinds.remove(&key);
        self.merged.remove(&key);
        self.note(&key, kind, merge);
        Some(Replaced { value, surprise })
    }

    fn note(&mut self, key: &str, kind: Kind, merge: bool) {
        if kind != Kind::Text {
            self.kinds.insert(key.to_owned(), kind);
        }
        if merge {
            self.merged.insert(key.to_owned());
        }
    }
}

/// Message about a repeated key.
fn again(key: &str) -> String {
    let hint = match key {
        // It is at the top of every object, and nowhere else in most.
        "apiVersion" => "; if another object starts here, put '---' on the line before",
        _ => "",
    };
    format!("the key \"{key}\" is given again: this one is read{hint}")
}

/// Returns true if a key is the `<<` that merges.
pub(super) fn is_merge(tree: &Tree<'_>, key: usize) -> bool {
    let node = &tree.nodes[key];
    let named = node.tag.as_deref() == Some("tag:yaml.org,2002:merge");
    matches!(&node.content, Content::Scalar { text, implicit } if text == "<<" && (*implicit || named))
}

/// The text of the key at a node, if it is a key that can be.
pub(super) fn read_key(tree: &Tree<'_>, key: usize) -> Option<String> {
    let node = &tree.nodes[tree.target(key)];
    let Content::Scalar { text, implicit } = &node.content else {
        return None;
    };
    let scalar = scalar::resolve(text, node.tag.as_deref(), *implicit).ok()?;
    key_text(&scalar).map(|(text, _)| text)
}

/// Returns the text of a key in JSON, and its type before; nothing if JSON cannot have it.
pub(super) fn key_text(scalar: &Scalar<'_>) -> Option<(String, Kind)> {
    Some(match scalar {
        Scalar::Text(text) => (text.to_string(), Kind::Text),
        Scalar::Int(number) => (number.to_string(), Kind::Int),
        Scalar::Bool(value) => (value.to_string(), Kind::Bool),
        Scalar::Float(number) => (number::float_key(*number), Kind::Float(number.to_bits())),
        Scalar::Null | Scalar::Unsigned(_) => return None,
    })
}
