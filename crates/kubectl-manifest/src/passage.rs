//! Text of an object, from which it can be parsed again: all that is kept of an object of a large file.

use std::sync::Arc;

use serde_json::Value;

use super::tree::Tree;
use super::{Document, Part, Source};
use super::{json, plain, value, yaml};

/// Text of an object. Small, and cheap to clone.
#[derive(Clone, Debug)]
pub struct TextSlice {
    pub(super) source: Arc<Source>,
    pub(super) document: Document,
    pub(super) reread: ReparseMode,
    /// kind and apiVersion of an item that has them from its list.
    pub(super) inherited: Option<Arc<(Arc<str>, Arc<str>)>>,
}

/// Fastest way to parse a text again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReparseMode {
    /// Without a tree.
    Simple,
    /// With a tree of plain values.
    Plain,
    /// With all features of YAML.
    Exact,
}

impl ReparseMode {
    /// Returns the mode for plain text. Plain JSON is simple; plain YAML may not be.
    pub(super) fn of_plain(json: bool) -> Self {
        match json {
            true => ReparseMode::Simple,
            false => ReparseMode::Plain,
        }
    }
}

impl TextSlice {
    /// Returns the requested part of the object. An object that is not plain is parsed whole.
    #[must_use]
    pub fn part(&self, wanted: Part) -> Value {
        let object = self.text_part(wanted);
        match &self.inherited {
            Some(inherited) => of_type(object, &inherited.0, &inherited.1),
            None => object,
        }
    }

    fn text_part(&self, wanted: Part) -> Value {
        if self.reread == ReparseMode::Simple {
            let text = self.source.text.get(self.document.range.clone());
            let part = text.and_then(|text| match self.document.json {
                true => json::part(text, wanted),
                false => yaml::part(text, self.document.column, wanted),
            });
            if let Some(value) = part {
                return value;
            }
        }
        // It was parsed once, so parsing cannot fail.
        let Some(tree) = tree(&self.source, &self.document) else {
            return Value::Null;
        };
        match self.reread {
            ReparseMode::Simple | ReparseMode::Plain => plain::value(&tree, 0, wanted),
            ReparseMode::Exact => value::decode(&tree).map_or(Value::Null, |decoded| decoded.value),
        }
    }
}

/// Adds the type from the list to an object without one.
pub(super) fn of_type(mut object: Value, kind: &str, api_version: &str) -> Value {
    if let Value::Object(members) = &mut object {
        members.insert("kind".into(), kind.into());
        members.insert("apiVersion".into(), api_version.into());
    }
    object
}

/// Parses a text of a file to a tree again.
pub(super) fn tree<'s>(source: &'s Source, document: &Document) -> Option<Tree<'s>> {
    let text = source.text.get(document.range.clone())?;
    if text.is_empty() {
        return None;
    }
    if document.json {
        return json::next(text, None).ok().flatten().map(|(tree, _)| tree);
    }
    let composed = match document.column {
        0 => yaml::compose(text, None),
        column => yaml::compose_item(text, column),
    };
    composed.ok().map(|composed| composed.tree)
}
