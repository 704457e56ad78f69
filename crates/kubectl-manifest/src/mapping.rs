//! Keys of mappings: merges, conversion to JSON keys, and repeated keys.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::error::{Mark, excerpt};
use super::number;
use super::scalar;
use super::scalar::Scalar;
use super::tree::{Content, Tree};

/// Entries of a mapping that were read so far.
#[derive(Default)]
pub(super) struct Target {
    pub(super) entries: Map<String, Value>,
    /// Keys that were not strings; their text may collide with that of another.
    kinds: BTreeMap<String, Kind>,
    /// Entries from a merge.
    merged: BTreeSet<String>,
    /// Position of the current merge.
    pub(super) merge_at: Mark,
    /// True if this is read for an alias: its warnings were reported at the anchor.
    is_copy: bool,
}

/// Type of a key before it became a string. Floats are compared by their bits.
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
    /// Position and message of a warning.
    pub(super) surprise: Option<(Mark, String)>,
}

impl Target {
    pub(super) fn new(is_copy: bool) -> Self {
        Target {
            is_copy,
            ..Target::default()
        }
    }

    /// Adds an entry: a key, its type and its position. The last of equal keys wins, including merges.
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
            let message = "the last is read, but kubectl picks any of them";
            Some((at, format!("several keys read as \"{shown}\": {message}")))
        } else if was_merged {
            None
        } else if merge {
            let message = format!(
                "the merge '<<' overwrites \"{shown}\" above it: put the merge first to keep it"
            );
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

/// Returns the message for a repeated key.
fn again(key: &str) -> String {
    let hint = match key {
        // It is at the top of every object, and rarely elsewhere.
        "apiVersion" => "; if another object starts here, put '---' on the line before",
        _ => "",
    };
    format!("duplicate key \"{key}\": this one is read{hint}")
}

/// Reports whether a key is the merge key `<<`.
pub(super) fn is_merge(tree: &Tree<'_>, key: usize) -> bool {
    let node = &tree.nodes[key];
    let named = node.tag.as_deref() == Some("tag:yaml.org,2002:merge");
    matches!(&node.content, Content::Scalar { text, implicit } if text == "<<" && (*implicit || named))
}

/// Returns the text of the key at a node, if it is a valid key.
pub(super) fn read_key(tree: &Tree<'_>, key: usize) -> Option<String> {
    let node = &tree.nodes[tree.target(key)];
    let Content::Scalar { text, implicit } = &node.content else {
        return None;
    };
    let scalar = scalar::resolve(text, node.tag.as_deref(), *implicit).ok()?;
    key_text(&scalar).map(|(text, _)| text)
}

/// Returns the text of a key in JSON, and its type before; `None` if JSON does not support it.
pub(super) fn key_text(scalar: &Scalar<'_>) -> Option<(String, Kind)> {
    Some(match scalar {
        Scalar::Text(text) => (text.to_string(), Kind::Text),
        Scalar::Int(number) => (number.to_string(), Kind::Int),
        Scalar::Bool(value) => (value.to_string(), Kind::Bool),
        Scalar::Float(number) => (number::float_key(*number), Kind::Float(number.to_bits())),
        Scalar::Null | Scalar::Unsigned(_) => return None,
    })
}
