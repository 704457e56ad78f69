//! Access to members of JSON objects. All functions treat absent and `null` alike, and ignore values of the wrong type.

use serde_json::{Map, Value};

/// A JSON object.
pub(super) type Members = Map<String, Value>;

/// Returns the member, if it is an object.
pub(super) fn object<'a>(members: &'a mut Members, name: &str) -> Option<&'a mut Members> {
    members.get_mut(name)?.as_object_mut()
}

/// Returns the member, and creates it as an empty object if it is missing.
pub(super) fn object_or_new<'a>(members: &'a mut Members, name: &str) -> Option<&'a mut Members> {
    set_if_missing(members, name, Members::new);
    object(members, name)
}

pub(super) fn objects<'a>(
    members: &'a mut Members,
    name: &str,
) -> impl Iterator<Item = &'a mut Members> {
    members
        .get_mut(name)
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
        .filter_map(Value::as_object_mut)
}

/// Reports whether the member is present and not null.
pub(super) fn has(members: &Members, name: &str) -> bool {
    members.get(name).is_some_and(|value| !value.is_null())
}

/// Returns the string of a member; empty if it is missing.
pub(super) fn text<'a>(members: &'a Members, name: &str) -> &'a str {
    members
        .get(name)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

pub(super) fn set_if_missing<V: Into<Value>>(
    members: &mut Members,
    name: &str,
    value: impl FnOnce() -> V,
) {
    if !has(members, name) {
        members.insert(name.to_owned(), value().into());
    }
}

/// Sets a missing or empty string.
pub(super) fn set_if_empty(members: &mut Members, name: &str, value: &str) {
    match members.get_mut(name) {
        Some(Value::String(text)) if text.is_empty() => value.clone_into(text),
        Some(Value::Null) | None => {
            members.insert(name.to_owned(), value.into());
        }
        Some(_) => {}
    }
}

pub(super) fn set_if_zero(members: &mut Members, name: &str, value: i64) {
    let given = members.get(name).filter(|value| !value.is_null());
    if given.is_none_or(|value| value.as_i64() == Some(0)) {
        members.insert(name.to_owned(), value.into());
    }
}
