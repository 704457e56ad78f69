//! Elements of lists: their keys, their types and their order.

use serde_json::Value;

use super::{DELETE, DIRECTIVE};
use crate::apiserver::apply::ChangeError;
use crate::apiserver::schema::ListMerge;

pub(super) fn merge_key(strategy: ListMerge) -> Option<&'static str> {
    match strategy {
        ListMerge::ByKey { key, .. } => Some(key),
        ListMerge::AsSet | ListMerge::Replaced => None,
    }
}

pub(super) fn inner(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

/// Formats a scalar like Go's `%v`.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "<nil>".to_owned(),
        other => other.to_string(),
    }
}

/// Returns the type that Go decodes a value into.
pub(super) fn type_of(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Number(number) if number.is_f64() => 2,
        Value::Number(_) => 3,
        Value::String(_) => 4,
        Value::Array(_) => 5,
        Value::Object(_) => 6,
    }
}

pub(super) fn first_of<'v>(lists: &[&'v [Value]]) -> Option<&'v Value> {
    lists.iter().copied().flatten().next()
}

/// `sliceElementType`: checks that all elements of a list have one type.
pub(super) fn check_types(lists: &[&[Value]], path: &str) -> Result<(), ChangeError> {
    let mixed = || ChangeError::MixedList {
        path: path.to_owned(),
    };
    let first = type_of(first_of(lists).ok_or_else(mixed)?);
    let elements = || lists.iter().copied().flatten();
    let refused = [type_of(&Value::Null), type_of(&Value::Array(Vec::new()))];
    if refused.contains(&first) || elements().any(|element| type_of(element) != first) {
        return Err(mixed());
    }
    Ok(())
}

pub(super) fn check_keys(list: &[Value], key: &'static str, path: &str) -> Result<(), ChangeError> {
    match list.iter().position(|element| element.get(key).is_none()) {
        None => Ok(()),
        Some(index) => Err(ChangeError::NoMergeKey {
            path: format!("{path}[{index}]"),
            key,
        }),
    }
}

/// Returns the indices of elements by key. Equal elements are reversed, since upstream's comparison treats them as out
/// of order.
pub(super) fn sorted(list: &[Value], key: &str) -> Vec<usize> {
    let mut order: Vec<usize> = (0..list.len()).rev().collect();
    order.sort_by(|a, b| shown(&list[*a][key]).cmp(&shown(&list[*b][key])));
    order
}

pub(super) fn index_of(list: &[Value], wanted: &Value, key: Option<&str>) -> Option<usize> {
    list.iter().position(|element| match key {
        Some(key) => {
            element.get(key).unwrap_or(&Value::Null) == wanted.get(key).unwrap_or(&Value::Null)
        }
        None => element == wanted,
    })
}

/// `normalizeSliceOrder`: returns the elements in the order of another list, followed by those to be deleted.
pub(super) fn in_order(list: Vec<Value>, order: &[Value], key: Option<&str>) -> Vec<Value> {
    let is_deletion = |element: &Value| {
        key.is_some()
            && element
                .get(DIRECTIVE)
                .is_some_and(|directive| directive == DELETE)
    };
    let (mut deletions, list): (Vec<Value>, Vec<Value>) = list.into_iter().partition(is_deletion);
    let mut out: Vec<(Option<usize>, Value)> = Vec::with_capacity(list.len());
    for element in list {
        let place = index_of(order, &element, key);
        // An element without an order goes before its predecessor, and later ones go before it.
        let mut at = out.len();
        while at > 0 && place.zip(out[at - 1].0).is_none_or(|(a, b)| a < b) {
            at -= 1;
        }
        out.insert(at, (place, element));
    }
    let mut out: Vec<Value> = out.into_iter().map(|(_, element)| element).collect();
    out.append(&mut deletions);
    out
}

/// `mergeSortedSlice`: merges the elements of the patch with others. An element outside of the patch precedes one of
/// the patch only if it did so in the stored list.
pub(super) fn interleaved(
    ours: Vec<Value>,
    others: Vec<Value>,
    server_order: &[Value],
    key: Option<&str>,
) -> Vec<Value> {
    let mut out = Vec::with_capacity(ours.len() + others.len());
    let mut others = others.into_iter().peekable();
    let place = |element: &Value| index_of(server_order, element, key);
    for element in ours {
        let at = place(&element);
        while let Some(other) =
            others.next_if(|other| place(other).zip(at).is_some_and(|(other, at)| other < at))
        {
            out.push(other);
        }
        out.push(element);
    }
    out.extend(others);
    out
}

/// `validatePatchWithSetOrderList`: reports whether the elements of a patch follow its order list.
pub(super) fn follows(patch: &[Value], order: &[Value], key: Option<&str>) -> bool {
    if patch.is_empty() || order.is_empty() {
        return true;
    }
    let mut patch = patch
        .iter()
        .filter(|element| element.get(DIRECTIVE).is_none())
        .peekable();
    for place in order {
        patch.next_if(|element| match key {
            Some(key) => element.get(key) == place.get(key),
            None => *element == place,
        });
    }
    patch.peek().is_none()
}

pub(super) fn discard_nulls(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, value| !value.is_null());
            members.values_mut().for_each(discard_nulls);
        }
        Value::Array(list) => list.iter_mut().for_each(discard_nulls),
        _ => {}
    }
}

/// `removeDirectives`: returns a value without the objects that have a directive, or `None` if the value is one.
pub(super) fn without_directives(value: Value) -> Option<Value> {
    match value {
        Value::Object(members) if members.contains_key(DIRECTIVE) => None,
        Value::Object(members) => {
            let members = members.into_iter();
            let kept = members.filter_map(|(name, value)| Some((name, without_directives(value)?)));
            Some(Value::Object(kept.collect()))
        }
        Value::Array(list) => Some(Value::Array(
            list.into_iter().filter_map(without_directives).collect(),
        )),
        other => Some(other),
    }
}
