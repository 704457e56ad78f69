//! Access to members of a decoded object. A missing member counts as an empty one.

use serde_json::{Map, Value};

use crate::apiserver::schema::{CONTAINER_LISTS, Path};

pub(super) fn text<'v>(owner: &'v Value, member: &str) -> &'v str {
    owner[member].as_str().unwrap_or_default()
}

pub(super) fn number(owner: &Value, member: &str) -> i64 {
    owner[member].as_i64().unwrap_or(0)
}

pub(super) fn flag(owner: &Value, member: &str) -> bool {
    owner[member] == Value::Bool(true)
}

pub(super) fn list<'v>(owner: &'v Value, member: &str) -> &'v [Value] {
    owner[member].as_array().map_or(&[], Vec::as_slice)
}

/// Returns the elements of a list, each with its path.
pub(super) fn each<'a, 'v>(
    owner: &'v Value,
    member: &'a str,
    at: &'a Path<'a>,
) -> impl Iterator<Item = (Path<'a>, &'v Value)> {
    let items = list(owner, member).iter().enumerate();
    items.map(move |(index, item)| (Path::Element(at, member, index), item))
}

/// Returns the strings in a list.
pub(super) fn texts<'v>(owner: &'v Value, member: &str) -> impl Iterator<Item = &'v str> {
    list(owner, member)
        .iter()
        .map(|item| item.as_str().unwrap_or_default())
}

/// Returns the entries of a map, by key.
pub(super) fn entries<'v>(
    owner: &'v Value,
    member: &str,
) -> impl Iterator<Item = (&'v str, &'v Value)> {
    let members = owner[member].as_object();
    members
        .into_iter()
        .flatten()
        .map(|(key, value)| (&**key, value))
}

pub(super) fn is_given(owner: &Value, member: &str) -> bool {
    !owner[member].is_null()
}

pub(super) fn object<'v>(owner: &'v Value, member: &str) -> Option<&'v Map<String, Value>> {
    owner[member].as_object()
}

/// Visits each container of a pod.
pub(super) fn each_container(
    spec: &Value,
    at: &Path<'_>,
    mut visitor: impl FnMut(&Value, &Path<'_>),
) {
    for member in CONTAINER_LISTS {
        for (at, container) in each(spec, member, at) {
            visitor(container, &at);
        }
    }
}

/// Reports whether a pod uses the host network.
pub(super) fn uses_host_network(spec: &Value) -> bool {
    flag(spec, "hostNetwork")
}
