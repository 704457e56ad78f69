//! The fields that a value sets, and those that a manager owns, by the schema.

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::element::PathElement;
use super::super::field_set::{FieldPath, FieldSet};
use super::super::types::{Form, Type};
use crate::apiserver::schema::ListOwnership;

/// Returns the fields that a value sets.
pub(in super::super) fn fields(value: &Value, kind: Type) -> FieldSet {
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

/// Converts a set of owned fields to the current schema. If a type has become atomic, the whole is owned.
pub(in super::super) fn reconcile(set: &FieldSet, kind: Type) -> FieldSet {
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
