//! Validation of a value against the types: all reasons that the server cannot merge it.

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::element::PathElement;
use super::super::types::{Form, Scalar, Type};
use crate::apiserver::schema::ListOwnership;

/// Returns the errors of a manifest against the schema, each with its path.
pub(in super::super) fn check(value: &Value, kind: Type) -> Vec<String> {
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
                    // The server checks nothing else in this object.
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

/// Formats a value like Go's `%v`.
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

/// Formats a value like Go's `%#v`.
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
