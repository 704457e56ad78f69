//! Merging of a manifest into the live object.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::super::element::PathElement;
use super::super::types::{Form, Type};
use super::{elements, is_leaf, members};
use crate::apiserver::schema::ListOwnership;

/// Returns the live value with the applied one merged into it; `None` if nothing is left.
pub(in super::super) fn merge(
    left: Option<&Value>,
    right: Option<&Value>,
    kind: Type,
) -> Option<Value> {
    if is_leaf(kind, left, right) {
        return right.or(left).cloned();
    }
    match kind.form() {
        Form::List(ownership, element) => {
            let merged = merge_lists(elements(left), elements(right), ownership, element);
            (!merged.is_empty()).then_some(Value::Array(merged))
        }
        _ => {
            let (left, right) = (members(left), members(right));
            let names: BTreeSet<&String> =
                left.into_iter().chain(right).flat_map(Map::keys).collect();
            let mut merged = Map::new();
            for name in names {
                let (one, two) = (
                    left.and_then(|left| left.get(name)),
                    right.and_then(|right| right.get(name)),
                );
                let value = match kind.member(name) {
                    Some(kind) => merge(one, two, kind),
                    None => two.or(one).cloned(),
                };
                if let Some(value) = value {
                    merged.insert(name.clone(), value);
                }
            }
            (!merged.is_empty()).then_some(Value::Object(merged))
        }
    }
}

/// Merges two lists in the order of the applied one. Elements that only the live list has keep their position relative
/// to the common ones.
fn merge_lists(
    left: &[Value],
    right: &[Value],
    ownership: ListOwnership,
    kind: Type,
) -> Vec<Value> {
    let index = |values: &[Value]| -> Vec<PathElement> {
        values
            .iter()
            .filter_map(|value| kind.element_of(ownership, value).ok())
            .collect()
    };
    let (left_steps, right_steps) = (index(left), index(right));
    let mut left_values: BTreeMap<&PathElement, &Value> = BTreeMap::new();
    for (step, value) in left_steps.iter().zip(left) {
        // A duplicate element has no value to merge with.
        let twice = left_values.contains_key(step);
        left_values.insert(step, if twice { &Value::Null } else { value });
    }
    let right_values: BTreeMap<&PathElement, &Value> = right_steps.iter().zip(right).collect();
    let mut shared = right_steps
        .iter()
        .filter(|step| left_values.contains_key(step));
    let mut next_shared = shared.next();
    let mut merged_right: BTreeSet<&PathElement> = BTreeSet::new();
    let mut out = Vec::new();
    let (mut l, mut r) = (0, 0);
    while l < left_steps.len() || r < right_steps.len() {
        if let (Some(step), Some(other)) = (left_steps.get(l), right_steps.get(r)) {
            if step == other {
                merged_right.insert(step);
                let (one, two) = (left_values.get(step), right_values.get(step));
                out.extend(merge(one.copied(), two.copied(), kind));
                l += 1;
                r += 1;
                next_shared = shared.next();
                continue;
            }
            if right_values.contains_key(step) && next_shared.is_some_and(|next| next != step) {
                // The applied list has the element at another position.
                l += 1;
                continue;
            }
        }
        if let Some(step) = left_steps.get(l) {
            if !right_values.contains_key(step) {
                out.extend(merge(left.get(l), None, kind));
                l += 1;
                continue;
            }
            if merged_right.contains(step) {
                l += 1;
            }
        }
        if let Some(step) = right_steps.get(r) {
            merged_right.insert(step);
            let (one, two) = (left_values.get(step), right_values.get(step));
            out.extend(merge(one.copied(), two.copied(), kind));
            r += 1;
            if next_shared == Some(step) {
                next_shared = shared.next();
            }
        }
    }
    out
}
