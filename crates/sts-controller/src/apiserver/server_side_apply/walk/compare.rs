//! Field-by-field comparison of two objects.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::super::element::PathElement;
use super::super::field_set::{FieldPath, FieldSet};
use super::super::types::{Form, Type};
use super::{elements, is_leaf, members};
use crate::apiserver::schema::ListOwnership;

/// Differences between two objects.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct Comparison {
    pub(in super::super) removed: FieldSet,
    pub(in super::super) modified: FieldSet,
    pub(in super::super) added: FieldSet,
}

impl Comparison {
    /// Returns the comparison without a part of the object.
    pub(in super::super) fn without(&self, part: &str) -> Self {
        Self {
            removed: self.removed.without(part),
            modified: self.modified.without(part),
            added: self.added.without(part),
        }
    }
}

/// Compares two objects, field by field.
pub(in super::super) fn compare(left: &Value, right: &Value, kind: Type) -> Comparison {
    let mut comparison = Comparison::default();
    compare_value(
        Some(left),
        Some(right),
        kind,
        &mut Vec::new(),
        &mut comparison,
    );
    comparison
}

fn compare_value(
    left: Option<&Value>,
    right: Option<&Value>,
    kind: Type,
    path: &mut FieldPath,
    out: &mut Comparison,
) {
    let leaf = is_leaf(kind, left, right);
    if !leaf {
        match kind.form() {
            Form::List(ownership, element) => {
                compare_lists(
                    elements(left),
                    elements(right),
                    ownership,
                    element,
                    path,
                    out,
                );
            }
            _ => {
                let (left, right) = (members(left), members(right));
                let names: BTreeSet<&String> =
                    left.into_iter().chain(right).flat_map(Map::keys).collect();
                for name in names {
                    let Some(kind) = kind.member(name) else {
                        continue;
                    };
                    path.push(PathElement::Field(name.clone()));
                    let one = left.and_then(|left| left.get(name));
                    let two = right.and_then(|right| right.get(name));
                    compare_value(one, two, kind, path, out);
                    path.pop();
                }
            }
        }
    }
    match (left, right) {
        (None, _) => out.added.insert(path),
        (_, None) => out.removed.insert(path),
        (Some(left), Some(right)) if leaf && !equal(left, right) => out.modified.insert(path),
        _ => {}
    }
}

fn compare_lists(
    left: &[Value],
    right: &[Value],
    ownership: ListOwnership,
    kind: Type,
    path: &mut FieldPath,
    out: &mut Comparison,
) {
    let mut steps: BTreeMap<PathElement, (Vec<&Value>, Vec<&Value>)> = BTreeMap::new();
    for value in left {
        if let Ok(step) = kind.element_of(ownership, value) {
            steps.entry(step).or_default().0.push(value);
        }
    }
    for value in right {
        if let Ok(step) = kind.element_of(ownership, value) {
            steps.entry(step).or_default().1.push(value);
        }
    }
    for (step, (left, right)) in steps {
        path.push(step);
        match (left.as_slice(), right.as_slice()) {
            ([_, _, ..], [_, _, ..]) => {
                let same = left.len() == right.len()
                    && left.iter().zip(&right).all(|(one, two)| equal(one, two));
                if !same {
                    out.modified.insert(path);
                }
            }
            ([_, _, ..], right) => {
                if let Some(right) = right.first() {
                    compare_value(None, Some(right), kind, path, out);
                }
                out.removed.insert(path);
            }
            (left, [_, _, ..]) => {
                if let Some(left) = left.first() {
                    compare_value(Some(left), None, kind, path, out);
                }
                out.added.insert(path);
            }
            (left, right) => {
                compare_value(
                    left.first().copied(),
                    right.first().copied(),
                    kind,
                    path,
                    out,
                );
            }
        }
        path.pop();
    }
}

/// Reports whether two values are equal. Integers and floats are compared as numbers.
pub(in super::super) fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(one), Value::Number(two)) => one == two || one.as_f64() == two.as_f64(),
        (Value::Array(one), Value::Array(two)) => {
            one.len() == two.len() && one.iter().zip(two).all(|(one, two)| equal(one, two))
        }
        (Value::Object(one), Value::Object(two)) => {
            one.len() == two.len()
                && one
                    .iter()
                    .all(|(name, one)| two.get(name).is_some_and(|two| equal(one, two)))
        }
        (one, two) => one == two,
    }
}
