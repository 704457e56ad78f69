//! The fields in which the pods' revision and the template differ, in one line.

use serde_json::Value;

use super::style::{Style, escape};
use super::table::columns_of;
use super::words::{cut, spaced};
use sts_plan::redact::redacted;
use sts_plan::report::{FieldDiff, Report};

/// Maximum number of fields that a line names.
const FIELDS: usize = 3;
/// Maximum width of a value.
const VALUE: usize = 40;
/// Maximum width of a difference in the row of a set.
const ROW: usize = 60;

/// `Differs: containers[app].image web:1 -> web:2`; empty where nothing does, or the change says so.
pub(super) fn line(report: &Report, style: &Style) -> String {
    let fields = report.untold_differences();
    let shown = if style.verbose { usize::MAX } else { FIELDS };
    let width = if style.verbose { usize::MAX } else { VALUE };
    let posted = |field: &FieldDiff, value: &Value| style.posted(&field.path, value).into_owned();
    let told = fields.iter().take(shown);
    let mut told: Vec<String> = told.map(|field| difference(field, width, posted)).collect();
    match fields.len().checked_sub(shown) {
        Some(1) => told.push("and 1 more field".to_owned()),
        Some(more @ 2..) => told.push(format!("and {} more fields", spaced(more))),
        _ if told.is_empty() => return String::new(),
        _ => {}
    }
    format!("Differs: {}", told.join("; "))
}

/// The one field that differs, where that is short and no secret.
pub(super) fn in_short(report: &Report) -> Option<String> {
    let fields = report.untold_differences();
    let [field] = fields.as_slice() else {
        return None;
    };
    let values = [&field.old, &field.new];
    let is_open = |value: &Value| redacted(&field.path, value) == *value;
    if !values.into_iter().flatten().all(is_open) {
        return None;
    }
    let text = difference(field, usize::MAX, |_, value| value.clone());
    (columns_of(&text) <= ROW).then_some(text)
}

fn difference(
    field: &FieldDiff,
    width: usize,
    posted: impl Fn(&FieldDiff, &Value) -> Value,
) -> String {
    let value = |value: &Option<Value>| {
        let text = match value.as_ref().map(|value| posted(field, value)) {
            None => "(none)".to_owned(),
            Some(Value::String(text)) => text,
            Some(value) => value.to_string(),
        };
        cut(&escape(&text), width)
    };
    format!(
        "{} {} -> {}",
        escape(&field.field),
        value(&field.old),
        value(&field.new)
    )
}
