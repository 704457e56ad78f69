//! Printing of selected values.

use std::fmt::Write as _;

use serde_json::Value;

use super::number::{go_float, go_json_float};
use crate::output::style::{is_unsafe, visible};

/// Formats a value as kubectl does: objects and arrays as JSON, scalars bare. Unless `verbatim`, it is escaped for
/// terminals.
pub(super) fn printed(value: &Value, verbatim: bool) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::String(text) if verbatim => text.clone(),
        Value::String(text) => visible(text).into_owned(),
        Value::Object(_) | Value::Array(_) => json(value),
        other => bare(other),
    }
}

/// Formats a value as kubectl does in custom columns: as Go prints maps and slices.
pub(in crate::output) fn spelled(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(spelled).collect();
            format!("[{}]", items.join(" "))
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(name, _)| *name);
            let members: Vec<String> = members
                .into_iter()
                .map(|(name, value)| format!("{name}:{}", spelled(value)))
                .collect();
            format!("map[{}]", members.join(" "))
        }
        other => bare(other),
    }
}

fn bare(value: &Value) -> String {
    match value {
        Value::Number(number) if number.is_f64() => go_float(number.as_f64().unwrap_or(0.0)),
        other => other.to_string(),
    }
}

/// Formats compact JSON with sorted members. HTML characters are escaped as Go does. Control characters are escaped, too,
/// which does not change the value.
fn json(value: &Value) -> String {
    let mut out = String::new();
    write_json(value, &mut out);
    out
}

fn write_json(value: &Value, out: &mut String) {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(name, _)| *name);
            out.push('{');
            for (at, (name, value)) in members.into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_text(name, out);
                out.push(':');
                write_json(value, out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_json(item, out);
            }
            out.push(']');
        }
        Value::String(text) => write_text(text, out),
        Value::Number(number) if number.is_f64() => {
            out.push_str(&go_json_float(number.as_f64().unwrap_or(0.0)));
        }
        other => out.push_str(&other.to_string()),
    }
}

fn write_text(text: &str, out: &mut String) {
    let quoted = Value::from(text).to_string();
    for character in quoted.chars() {
        if is_unsafe(character) || matches!(character, '<' | '>' | '&') {
            for unit in character.encode_utf16(&mut [0; 2]) {
                // Writing to a string does not fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(character);
        }
    }
}
