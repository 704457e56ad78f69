//! Sets of fields, as in `fieldsV1` of managedFields.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::element::PathElement;
use super::types::Type;

pub(super) type FieldPath = Vec<PathElement>;

/// Formats a path as in messages: `.spec.template.spec.containers[name="app"].image`.
pub(super) fn spelled(path: &[PathElement]) -> String {
    path.iter().map(ToString::to_string).collect()
}

/// A set of fields: members at this level, and sets below fields, which may or may not be members themselves.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldSet {
    pub(super) members: BTreeSet<PathElement>,
    pub(super) children: BTreeMap<PathElement, FieldSet>,
}

impl FieldSet {
    pub(super) fn parse(fields: &Value) -> Result<Self, String> {
        let (set, _) = Self::parse_level(fields)?;
        Ok(set.unwrap_or_default())
    }

    /// Parses the set below a field, and whether the field itself is a member. A field with nothing below is one.
    fn parse_level(fields: &Value) -> Result<(Option<Self>, bool), String> {
        let Value::Object(fields) = fields else {
            return Err("error decoding set: expected an object".to_owned());
        };
        let (mut set, mut is_member) = (None::<Self>, false);
        for (name, below) in fields {
            if name == "." {
                is_member = true;
                continue;
            }
            let Some(element) = PathElement::parse(name)? else {
                continue;
            };
            let (children, child_is_member) = Self::parse_level(below)?;
            if child_is_member {
                let set = set.get_or_insert_default();
                set.members.insert(element.clone());
            }
            if let Some(children) = children {
                set.get_or_insert_default()
                    .children
                    .insert(element, children);
            }
        }
        let is_leaf = set.is_none();
        Ok((set, is_member || is_leaf))
    }

    /// Returns the `fieldsV1` of this set.
    pub(super) fn to_json(&self) -> Value {
        let mut out = Map::new();
        for element in &self.members {
            if !self.children.contains_key(element) {
                out.insert(element.spelled(), Value::Object(Map::new()));
            }
        }
        for (element, child) in &self.children {
            let mut below = child.to_json();
            if self.members.contains(element)
                && !(child.members.is_empty() && child.children.is_empty())
                && let Value::Object(below) = &mut below
            {
                below.insert(".".to_owned(), Value::Object(Map::new()));
            }
            out.insert(element.spelled(), below);
        }
        Value::Object(out)
    }

    pub(super) fn insert(&mut self, path: &[PathElement]) {
        let Some((last, above)) = path.split_last() else {
            return;
        };
        let mut set = self;
        for element in above {
            set = set.children.entry(element.clone()).or_default();
        }
        set.members.insert(last.clone());
    }

    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty() && self.children.values().all(Self::is_empty)
    }

    /// Reports whether a field is in the set.
    pub(super) fn has(&self, path: &[PathElement]) -> bool {
        let Some((last, above)) = path.split_last() else {
            return false;
        };
        let mut set = self;
        for element in above {
            match set.children.get(element) {
                Some(child) => set = child,
                None => return false,
            }
        }
        set.members.contains(last)
    }

    pub(super) fn union(&self, other: &Self) -> Self {
        let mut out = self.clone();
        out.members.extend(other.members.iter().cloned());
        for (element, child) in &other.children {
            let joined = match out.children.get(element) {
                Some(own) => own.union(child),
                None => child.clone(),
            };
            out.children.insert(element.clone(), joined);
        }
        out
    }

    pub(super) fn intersection(&self, other: &Self) -> Self {
        let mut out = Self {
            members: self.members.intersection(&other.members).cloned().collect(),
            children: BTreeMap::new(),
        };
        for (element, child) in &self.children {
            if let Some(theirs) = other.children.get(element) {
                let both = child.intersection(theirs);
                if !both.is_empty() {
                    out.children.insert(element.clone(), both);
                }
            }
        }
        out
    }

    /// Returns the fields that the other set lacks. Fields below a field of the other set stay.
    pub(super) fn difference(&self, other: &Self) -> Self {
        let mut out = Self {
            members: self.members.difference(&other.members).cloned().collect(),
            children: BTreeMap::new(),
        };
        for (element, child) in &self.children {
            let rest = match other.children.get(element) {
                Some(theirs) => child.difference(theirs),
                None => child.clone(),
            };
            if other.children.contains_key(element) && rest.is_empty() {
                continue;
            }
            out.children.insert(element.clone(), rest);
        }
        out
    }

    /// Returns the fields that the other set lacks, except those below a field of the other set.
    pub(super) fn recursive_difference(&self, other: &Self) -> Self {
        let mut out = Self {
            members: self.members.difference(&other.members).cloned().collect(),
            children: BTreeMap::new(),
        };
        for (element, child) in &self.children {
            if other.members.contains(element) {
                continue;
            }
            let rest = match other.children.get(element) {
                Some(theirs) => child.recursive_difference(theirs),
                None => child.clone(),
            };
            if other.children.contains_key(element) && rest.is_empty() {
                continue;
            }
            out.children.insert(element.clone(), rest);
        }
        out
    }

    /// Returns the set with every object field added that has a member below it.
    pub(super) fn with_named_fields(&self, kind: Option<Type>) -> Self {
        let mut out = Self {
            members: self.members.clone(),
            children: BTreeMap::new(),
        };
        for (element, child) in &self.children {
            if let (PathElement::Field(name), Some(kind)) = (element, kind)
                && kind.declares(name)
            {
                out.members.insert(element.clone());
            }
            let below = kind.and_then(|kind| kind.below(element));
            out.children
                .insert(element.clone(), child.with_named_fields(below));
        }
        out
    }

    /// Returns the set without a part of the object.
    pub(super) fn without(&self, part: &str) -> Self {
        let mut out = self.clone();
        let element = PathElement::Field(part.to_owned());
        out.members.remove(&element);
        out.children.remove(&element);
        out
    }

    /// Returns all fields, those of a level before those below.
    pub(super) fn paths(&self) -> Vec<FieldPath> {
        let mut paths = Vec::new();
        self.walk(&mut Vec::new(), &mut paths);
        paths
    }

    fn walk(&self, prefix: &mut FieldPath, paths: &mut Vec<FieldPath>) {
        for element in &self.members {
            let mut path = prefix.clone();
            path.push(element.clone());
            paths.push(path);
        }
        for (element, child) in &self.children {
            prefix.push(element.clone());
            child.walk(prefix, paths);
            prefix.pop();
        }
    }
}
