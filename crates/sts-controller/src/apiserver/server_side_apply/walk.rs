//! What is done with values along the schema: checked, turned into sets of fields, merged, compared, pruned.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::element::PathElement;
use super::field_set::{FieldPath, FieldSet};
use super::types::{Form, Scalar, Type};
use crate::apiserver::schema::ListOwnership;

/// Errors of a manifest against the schema, each with its path.
pub(super) fn check(value: &Value, kind: Type) -> Vec<String> {
    let mut errors = Vec::new();
    check_value(value, kind, &mut String::new(), &mut errors);
    errors
}

fn check_value(value: &Value, kind: Type, path: &mut String, errors: &mut Vec<String>) {
    let mut refuse = |message: String| {
        errors.push(match path.is_empty() {
            true => message,
            false => format!("{path}: {message}"),
        });
    };
    match (kind.form(), value) {
        (Form::Untyped, _) | (_, Value::Null) => {}
        (Form::Scalar(scalar), value) => {
            if let Some(message) = wrong_scalar(scalar, value) {
                refuse(message);
            }
        }
        (Form::List(ownership, element), Value::Array(values)) => {
            let mut seen = BTreeSet::new();
            for (index, value) in values.iter().enumerate() {
                let step = match ownership {
                    ListOwnership::Atomic => {
                        PathElement::Index(i64::try_from(index).unwrap_or(i64::MAX))
                    }
                    _ => match element.element_of(ownership, value) {
                        Ok(step) => step,
                        Err(message) => {
                            errors.push(format!("{path}: element {index}: {message}"));
                            return;
                        }
                    },
                };
                if !seen.insert(step.clone()) {
                    errors.push(format!("{path}: duplicate entries for key {step}"));
                }
                below(path, &step, |path| {
                    check_value(value, element, path, errors);
                });
            }
        }
        (Form::List(..), value) => refuse(format!("expected list, got &{{{}}}", go_value(value))),
        (Form::Map { .. }, Value::Object(members)) => {
            for (name, value) in members {
                let step = PathElement::Field(name.clone());
                match kind.member(name) {
                    Some(kind) => {
                        below(path, &step, |path| check_value(value, kind, path, errors));
                    }
                    // The server looks no further in this object.
                    None => {
                        errors.push(format!("{path}{step}: field not declared in schema"));
                        return;
                    }
                }
            }
        }
        (Form::Map { .. }, value) => refuse(format!("expected map, got &{{{}}}", go_value(value))),
    }
}

fn below(path: &mut String, step: &PathElement, walk: impl FnOnce(&mut String)) {
    let length = path.len();
    path.push_str(&step.to_string());
    walk(path);
    path.truncate(length);
}

fn wrong_scalar(scalar: Scalar, value: &Value) -> Option<String> {
    match (scalar, value) {
        (Scalar::Text, Value::String(_))
        | (Scalar::Number, Value::Number(_))
        | (Scalar::Bool, Value::Bool(_))
        | (Scalar::Any, Value::String(_) | Value::Number(_) | Value::Bool(_)) => None,
        (Scalar::Text, _) => Some(format!(
            "expected string, got &value.valueUnstructured{{Value:{}}}",
            go_literal(value)
        )),
        (Scalar::Number, _) => Some(format!(
            "expected numeric (int or float), got {}",
            go_type(value)
        )),
        (Scalar::Bool, _) => Some(format!("expected boolean, got &{{{}}}", go_value(value))),
        (Scalar::Any, _) => Some(format!("expected any scalar, got &{{{}}}", go_value(value))),
    }
}

/// A value as Go's `%v` prints it.
fn go_value(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(values) => {
            let values: Vec<String> = values.iter().map(go_value).collect();
            format!("[{}]", values.join(" "))
        }
        Value::Object(members) => {
            let members: Vec<String> = members
                .iter()
                .map(|(name, value)| format!("{name}:{}", go_value(value)))
                .collect();
            format!("map[{}]", members.join(" "))
        }
        other => other.to_string(),
    }
}

/// A value as Go's `%#v` prints it.
fn go_literal(value: &Value) -> String {
    match value {
        Value::Null => "interface {}(nil)".to_owned(),
        Value::String(text) => crate::apiserver::validation::go_quoted(text),
        Value::Array(values) => {
            let values: Vec<String> = values.iter().map(go_literal).collect();
            format!("[]interface {{}}{{{}}}", values.join(", "))
        }
        Value::Object(members) => {
            let members: Vec<String> = members
                .iter()
                .map(|(name, value)| format!("{name:?}:{}", go_literal(value)))
                .collect();
            format!("map[string]interface {{}}{{{}}}", members.join(", "))
        }
        other => other.to_string(),
    }
}

fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

/// The fields that a value sets.
pub(super) fn fields(value: &Value, kind: Type) -> FieldSet {
    let mut set = FieldSet::default();
    collect(value, kind, &mut Vec::new(), &mut set);
    set
}

fn collect(value: &Value, kind: Type, path: &mut FieldPath, set: &mut FieldSet) {
    match (kind.form(), value) {
        (
            Form::Scalar(_)
            | Form::Untyped
            | Form::Map { atomic: true }
            | Form::List(ListOwnership::Atomic, _),
            _,
        ) => set.insert(path),
        (Form::List(ownership, element), Value::Array(values)) => {
            let steps = values
                .iter()
                .filter_map(|value| Some((element.element_of(ownership, value).ok()?, value)));
            let steps: Vec<(PathElement, &Value)> = steps.collect();
            for (index, (step, value)) in steps.iter().enumerate() {
                let mut others = steps.iter().enumerate();
                let twice = others.any(|(other, (same, _))| other != index && same == step);
                path.push(step.clone());
                if !twice {
                    collect(value, element, path, set);
                }
                set.insert(path);
                path.pop();
            }
        }
        (Form::Map { .. }, Value::Object(members)) => {
            for (name, value) in members {
                path.push(PathElement::Field(name.clone()));
                if let Some(below) = kind.member(name) {
                    collect(value, below, path, set);
                }
                let is_empty = match value {
                    Value::Null => true,
                    Value::Object(members) => members.is_empty(),
                    _ => false,
                };
                if is_empty || !kind.declares(name) {
                    set.insert(path);
                }
                path.pop();
            }
        }
        _ => {}
    }
}

/// The elements of a list, or none.
fn elements(value: Option<&Value>) -> &[Value] {
    match value {
        Some(Value::Array(values)) => values,
        _ => &[],
    }
}

fn members(value: Option<&Value>) -> Option<&Map<String, Value>> {
    match value {
        Some(Value::Object(members)) => Some(members),
        _ => None,
    }
}

/// Whether a pair of values is taken as a whole: their type says so, or both are empty.
fn is_leaf(kind: Type, left: Option<&Value>, right: Option<&Value>) -> bool {
    match kind.form() {
        Form::Scalar(_) | Form::Untyped | Form::Map { atomic: true } => true,
        Form::List(ListOwnership::Atomic, _) => true,
        Form::List(..) => elements(left).is_empty() && elements(right).is_empty(),
        Form::Map { .. } => {
            let empty = |value| members(value).is_none_or(Map::is_empty);
            empty(left) && empty(right)
        }
    }
}

/// The live value with the applied one merged into it; none where nothing is left of it.
pub(super) fn merge(left: Option<&Value>, right: Option<&Value>, kind: Type) -> Option<Value> {
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

/// Merges two lists: elements that only the live one has keep their places between those that both have, and the order
/// of the applied one prevails.
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
        // An element that occurs twice has no value to merge with.
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
                // The applied list has it elsewhere.
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

/// In what two objects differ.
#[derive(Debug, Clone, Default)]
pub(super) struct Comparison {
    pub(super) removed: FieldSet,
    pub(super) modified: FieldSet,
    pub(super) added: FieldSet,
}

impl Comparison {
    /// The same without a whole part of the object.
    pub(super) fn without(&self, part: &str) -> Self {
        Self {
            removed: self.removed.without(part),
            modified: self.modified.without(part),
            added: self.added.without(part),
        }
    }
}

/// Compares two objects, field by field.
pub(super) fn compare(left: &Value, right: &Value, kind: Type) -> Comparison {
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

/// Whether two values are equal; whole numbers and fractions are compared as numbers.
pub(super) fn equal(left: &Value, right: &Value) -> bool {
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

/// The value without some fields; null where nothing is left.
pub(super) fn remove(value: &Value, fields: &FieldSet, kind: Type) -> Value {
    match (kind.form(), value) {
        (Form::Scalar(_) | Form::Untyped, _) => value.clone(),
        (Form::List(ListOwnership::Atomic, _) | Form::Map { atomic: true }, _) => Value::Null,
        (Form::List(ownership, element), Value::Array(values)) => {
            let mut left = Vec::new();
            for value in values {
                let Ok(step) = element.element_of(ownership, value) else {
                    left.push(value.clone());
                    continue;
                };
                if fields.members.contains(&step) {
                    continue;
                }
                left.push(match fields.children.get(&step) {
                    Some(below) if !below.is_empty() => remove(value, below, element),
                    _ => value.clone(),
                });
            }
            match left.is_empty() {
                true => Value::Null,
                false => Value::Array(left),
            }
        }
        (Form::Map { .. }, Value::Object(members)) => {
            let mut left = Map::new();
            for (name, value) in members {
                let step = PathElement::Field(name.clone());
                if fields.members.contains(&step) {
                    continue;
                }
                let value = match (fields.children.get(&step), kind.member(name)) {
                    (Some(below), Some(kind)) if !below.is_empty() => remove(value, below, kind),
                    _ => value.clone(),
                };
                left.insert(name.clone(), value);
            }
            match left.is_empty() {
                true => Value::Null,
                false => Value::Object(left),
            }
        }
        _ => Value::Null,
    }
}

/// A set of owned fields as the schema has them now: of what became whole, the whole is owned.
pub(super) fn reconcile(set: &FieldSet, kind: Type) -> FieldSet {
    let (mut removed, mut added) = (FieldSet::default(), FieldSet::default());
    reconcile_level(
        Some(set),
        false,
        kind,
        &mut Vec::new(),
        &mut removed,
        &mut added,
    );
    set.recursive_difference(&removed).union(&added)
}

fn reconcile_level(
    set: Option<&FieldSet>,
    is_whole: bool,
    kind: Type,
    path: &mut FieldPath,
    removed: &mut FieldSet,
    added: &mut FieldSet,
) {
    let atomic = match kind.form() {
        Form::Scalar(_) | Form::Untyped => return,
        Form::List(ListOwnership::Atomic, _) => !is_whole,
        Form::Map { atomic: true } => !is_whole && set.is_some_and(|set| !set.is_empty()),
        _ => false,
    };
    if atomic {
        removed.insert(path);
        added.insert(path);
        return;
    }
    if matches!(
        kind.form(),
        Form::List(ListOwnership::Atomic, _) | Form::Map { atomic: true }
    ) {
        return;
    }
    let Some(set) = set else {
        return;
    };
    let steps: BTreeSet<&PathElement> = set.members.iter().chain(set.children.keys()).collect();
    for step in steps {
        let Some(below) = kind.below(step) else {
            continue;
        };
        let child = set.children.get(step);
        let is_whole = set.members.contains(step) && child.is_none();
        path.push(step.clone());
        reconcile_level(child, is_whole, below, path, removed, added);
        path.pop();
    }
}
