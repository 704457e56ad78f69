//! Printing of selected values.

use std::io::{self, Write};

use serde_json::Value;
use serde_json::ser::Formatter;

use super::number::{go_float, go_json_float};
use crate::output::layout::{serialize, write_escaped};
use crate::output::style::{is_unsafe, visible};

/// Formats a value as kubectl does: objects and arrays as JSON, scalars bare. Unless `verbatim`, it is escaped for
/// terminals.
pub(super) fn printed(value: &Value, verbatim: bool) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::String(text) if verbatim => text.clone(),
        Value::String(text) => visible(text).into_owned(),
        Value::Object(_) | Value::Array(_) => {
            let mut json = Vec::new();
            // Writing to memory does not fail.
            let _ = serialize(value, GoJson, &mut json);
            String::from_utf8(json).unwrap_or_default()
        }
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
            let members = members.iter();
            let members: Vec<String> = members
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

/// Compact JSON as Go prints it. HTML characters are escaped. Control characters are escaped, too, which does not change
/// the value.
struct GoJson;

impl Formatter for GoJson {
    fn write_f64<W: ?Sized + Write>(&mut self, out: &mut W, value: f64) -> io::Result<()> {
        out.write_all(go_json_float(value).as_bytes())
    }

    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let is_escaped = |it| is_unsafe(it) || matches!(it, '<' | '>' | '&');
        write_escaped(fragment, is_escaped, out)
    }
}
