//! Looking at and filling in members of JSON objects. Absent and `null` are the same to all of these, and
//! a value of a wrong type is left alone.

use serde_json::{Map, Value};

/// A JSON object.
pub(super) type Members = Map<String, Value>;

/// The member, if it is an object.
pub(super) fn object<'a>(members: &'a mut Members, name: &str) -> Option<&'a mut Members> {
    members.get_mut(name)?.as_object_mut()
}

/// The member, which becomes an empty object if there is none.
pub(super) fn object_or_new<'a>(members: &'a mut Members, name: &str) -> Option<&'a mut Members> {
    set_if_missing(members, name, Members::new);
    object(members, name)
}

/// The objects in a list.
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

/// The text of a member, empty if there is none.
pub(super) fn text<'a>(members: &'a Members, name: &str) -> &'a str {
    members
        .get(name)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// Fills in a member where there is none.
pub(super) fn set_if_missing<V: Into<Value>>(
    members: &mut Members,
    name: &str,
    value: impl FnOnce() -> V,
) {
    if !has(members, name) {
        members.insert(name.to_owned(), value().into());
    }
}

/// Fills in a text where there is none, or an empty one.
pub(super) fn set_if_empty(members: &mut Members, name: &str, value: &str) {
    match members.get_mut(name) {
        Some(Value::String(text)) if text.is_empty() => value.clone_into(text),
        Some(Value::Null) | None => {
            members.insert(name.to_owned(), value.into());
        }
        Some(_) => {}
    }
}

/// Fills in a number where there is none, or zero.
pub(super) fn set_if_zero(members: &mut Members, name: &str, value: i64) {
    let given = members.get(name).filter(|value| !value.is_null());
    if given.is_none_or(|value| value.as_i64() == Some(0)) {
        members.insert(name.to_owned(), value.into());
    }
}
