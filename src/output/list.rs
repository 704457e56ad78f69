//! Objects as one v1 List, for `kubectl` and for `-f`.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::Value;

use super::{Format, json, yaml};

/// Writes objects as a List with these annotations, object by object: as JSON where that is the format, else as YAML.
///
/// # Errors
/// When the writer fails.
pub fn render_list<'o>(
    format: Format,
    annotations: &BTreeMap<&'static str, String>,
    objects: impl Iterator<Item = &'o Value>,
    out: &mut dyn Write,
) -> io::Result<()> {
    if format == Format::Json {
        return as_json(annotations, objects, out);
    }
    writeln!(out, "apiVersion: v1\nkind: List\nmetadata:\n  annotations:")?;
    for (name, value) in annotations {
        // A JSON string is a valid YAML string.
        write!(out, "    {name}: ")?;
        json::line(value, out)?;
    }
    let mut objects = objects.peekable();
    let none = objects.peek().is_none();
    writeln!(out, "items:{}", if none { " []" } else { "" })?;
    objects.try_for_each(|object| yaml::item(object, out))
}

fn as_json<'o>(
    annotations: &BTreeMap<&'static str, String>,
    objects: impl Iterator<Item = &'o Value>,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "{{\n\"apiVersion\": \"v1\",\n\"kind\": \"List\",")?;
    write!(out, "\"metadata\": {{\"annotations\": ")?;
    json::line(annotations, out)?;
    write!(out, "}},\n\"items\": [")?;
    for (at, object) in objects.enumerate() {
        out.write_all(if at == 0 { b"\n" } else { b"," })?;
        json::line(object, out)?;
    }
    writeln!(out, "]\n}}")
}
