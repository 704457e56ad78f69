//! Removal of fields from an object.

use serde_json::{Map, Value};

use super::super::element::PathElement;
use super::super::field_set::FieldSet;
use super::super::types::{Form, Type};
use crate::apiserver::schema::ListOwnership;

/// Returns the value without the given fields; null if nothing is left.
pub(in super::super) fn remove(value: &Value, fields: &FieldSet, kind: Type) -> Value {
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
