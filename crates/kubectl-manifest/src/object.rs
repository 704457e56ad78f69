//! Objects of a document: a single one, or the items of a list.

use serde_json::{Map, Value};

use super::Part;

/// Members that determine the type of an object, and whether it is a list.
pub(super) const HEADER: Part = Part::Members(&[
    ("apiVersion", Part::Whole),
    ("kind", Part::Whole),
    ("items", Part::Items(&Part::Members(&[]))),
]);

/// Error for a document, or an item of its list, that is not an object.
pub(super) struct ObjectError {
    /// Index of the invalid item, from 0.
    pub(super) item: Option<usize>,
    pub(super) problem: String,
}

/// Takes a document apart. Anything with `items` is a list, whatever its kind.
///
/// On error, the value is unchanged.
pub(super) fn objects(document: &mut Value) -> Result<Objects, ObjectError> {
    check(document)?;
    let Value::Object(entries) = document else {
        return Ok(Objects::None);
    };
    let Some(items) = entries.get_mut("items").map(Value::take) else {
        let is_empty_list = text(entries, "kind") == "List" && text(entries, "apiVersion") == "v1";
        return Ok(if is_empty_list {
            Objects::None
        } else {
            Objects::One
        });
    };
    let inherited = inherited(entries);
    let Value::Array(mut items) = items else {
        return Ok(Objects::None);
    };
    for item in &mut items {
        if item.is_null() {
            *item = Value::Object(Map::new());
        }
        if let Value::Object(item) = item
            && has_no_type(item)
        {
            item.extend(inherited.clone());
        }
    }
    Ok(Objects::Items(items))
}

/// Objects of a document.
pub(super) enum Objects {
    None,
    /// The document itself.
    One,
    Items(Vec<Value>),
}

fn check(document: &Value) -> Result<(), ObjectError> {
    let wrong = |item, problem: String| Err(ObjectError { item, problem });
    let entries = match document {
        Value::Null => return Ok(()),
        Value::Object(entries) => entries,
        other => {
            return wrong(
                None,
                format!("expected an object with a kind, found {}", describe(other)),
            );
        }
    };
    let list = match entries.get("items") {
        None => return check_type(entries).or_else(|problem| wrong(None, problem)),
        Some(Value::Null) => &Vec::new(),
        Some(Value::Array(items)) => items,
        Some(other) => {
            return wrong(
                None,
                format!("items must be a list, found {}", describe(other)),
            );
        }
    };
    let inherited = inherited(entries);
    for (index, item) in list.iter().enumerate() {
        if let Err(problem) = check_item(item, &inherited) {
            return wrong(Some(index), problem);
        }
    }
    check_kind(entries).or_else(|problem| wrong(None, problem))
}

/// Checks the required fields of an item of a list, which may have its type from the list.
pub(super) fn check_item(item: &Value, inherited: &Map<String, Value>) -> Result<(), String> {
    match item {
        Value::Null => check_type(inherited),
        Value::Object(item) => {
            let typed = if has_no_type(item) { inherited } else { item };
            check_type(typed).and_then(|()| check_nesting(item))
        }
        other => Err(format!(
            "expected an object with a kind as item, found {}",
            describe(other)
        )),
    }
}

/// Returns the kind and apiVersion that a list gives to items without them.
pub(super) fn inherited(list: &Map<String, Value>) -> Map<String, Value> {
    let kind = text(list, "kind");
    let kind = kind.strip_suffix("List").unwrap_or(kind);
    let members = [("kind", kind), ("apiVersion", text(list, "apiVersion"))];
    members
        .into_iter()
        .map(|(key, value)| (key.into(), value.into()))
        .collect()
}

pub(super) fn has_no_type(item: &Map<String, Value>) -> bool {
    text(item, "kind").is_empty() && text(item, "apiVersion").is_empty()
}

fn check_nesting(item: &Map<String, Value>) -> Result<(), String> {
    match item.get("items") {
        Some(Value::Array(_)) => {
            Err("unsupported list within a list: move its items to the outer list".into())
        }
        _ => Ok(()),
    }
}

/// Checks the required fields of a list. Its apiVersion may be missing, but a malformed one hides the kind from
/// kubectl.
fn check_kind(object: &Map<String, Value>) -> Result<(), String> {
    if text(object, "apiVersion").matches('/').count() > 1 {
        return Err("the apiVersion has more than one '/': use the form apps/v1".into());
    }
    if !text(object, "kind").is_empty() {
        return Ok(());
    }
    Err(match object.get("kind") {
        // kubectl writes the kind of a list behind its items.
        None | Some(Value::Null) if object.get("items").is_some_and(Value::is_array) => {
            "the list has no kind: 'kind: List' follows its items, so the file may be cut off; save it again, or add the \
             kind at its end"
                .into()
        }
        None | Some(Value::Null) => {
            "the object has no kind: add one, such as 'kind: StatefulSet'".into()
        }
        Some(other) => format!("kind must be a name, found {}", describe(other)),
    })
}

/// Checks the required fields of any other object.
fn check_type(object: &Map<String, Value>) -> Result<(), String> {
    check_kind(object)?;
    let version = text(object, "apiVersion");
    let short = version.rsplit_once('/').map_or(version, |(_, short)| short);
    if !short.is_empty() {
        return Ok(());
    }
    Err(match object.get("apiVersion") {
        None | Some(Value::Null) => {
            "the object has no apiVersion: add one, such as 'apiVersion: apps/v1'".into()
        }
        _ => "invalid apiVersion: use the form v1 or apps/v1".into(),
    })
}

pub(super) fn text<'a>(object: &'a Map<String, Value>, key: &str) -> &'a str {
    object.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn describe(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(text) if text.is_empty() => "an empty string",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "a mapping",
    }
}
