//! The strategic merge of three objects: the manifest applied last, the manifest, and what is stored.
//!
//! kubectl computes a patch and the server applies it. Here both happen in one step, with the same result:
//! the order of lists is the server's, and elements without their merge key are an error as they are there.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{ChangeError, doubles};
use crate::apiserver::schema::{ListMerge, list_merge};

type Members = Map<String, Value>;

/// What is stored, with all that the manifest has, and without what it no longer has.
///
/// # Errors
/// When an element of a list that is merged by a member lacks that member.
pub fn three_way(
    original: &Value,
    modified: &Value,
    current: &Value,
) -> Result<Value, ChangeError> {
    match (modified, current) {
        (Value::Object(modified), Value::Object(current)) => {
            merge_members(original.as_object(), modified, current, "").map(Value::Object)
        }
        _ => Ok(modified.clone()),
    }
}

pub(super) fn merge_members(
    original: Option<&Members>,
    modified: &Members,
    current: &Members,
    path: &str,
) -> Result<Members, ChangeError> {
    let mut out = current.clone();
    for (name, wanted) in modified {
        let path = if path.is_empty() {
            name.clone()
        } else {
            format!("{path}.{name}")
        };
        let before = original.and_then(|original| original.get(name));
        let merged = match (current.get(name), wanted) {
            (_, Value::Null) => {
                out.remove(name);
                continue;
            }
            (Some(Value::Object(current)), Value::Object(wanted)) => {
                let before = before.and_then(Value::as_object);
                Value::Object(merge_members(before, wanted, current, &path)?)
            }
            (Some(Value::Array(current)), Value::Array(wanted)) => {
                let before = before.and_then(Value::as_array);
                let before = before.map_or(&[][..], Vec::as_slice);
                Value::Array(merge_list(
                    list_merge(name),
                    before,
                    wanted,
                    current,
                    &path,
                )?)
            }
            _ => wanted.clone(),
        };
        out.insert(name.clone(), merged);
    }
    for name in original.into_iter().flatten().map(|(name, _)| name) {
        if !modified.contains_key(name) {
            out.remove(name);
        }
    }
    Ok(out)
}

fn merge_list(
    strategy: ListMerge,
    original: &[Value],
    modified: &[Value],
    current: &[Value],
    path: &str,
) -> Result<Vec<Value>, ChangeError> {
    // Into an empty list everything is put as it is, and no key is looked for; and where nothing differs,
    // there is no patch that would take doubles out.
    if current.is_empty() || (strategy == ListMerge::AsSet && current == modified) {
        return Ok(modified.to_vec());
    }
    match strategy {
        ListMerge::Replaced => Ok(modified.to_vec()),
        ListMerge::AsSet => {
            let kept = |value: &Value| !modified.contains(value) && !original.contains(value);
            let others = place(current, |value| kept(value));
            let mut ours: Vec<(Option<usize>, Value)> = Vec::new();
            for value in modified {
                if !ours.iter().any(|(_, known)| known == value) {
                    let at = current.iter().position(|other| other == value);
                    ours.push((at, value.clone()));
                }
            }
            Ok(interleave(others, ours))
        }
        ListMerge::ByKey { key, retain_keys } => {
            let merge = KeyedLists {
                original: keys(original, key, path)?,
                modified: keys(modified, key, path)?,
                current: keys(current, key, path)?,
            };
            if merge.has_doubles() {
                let lists = doubles::Lists {
                    original: (original, merge.original),
                    modified: (modified, merge.modified),
                    current: (current, merge.current),
                    retain_keys,
                };
                return doubles::merge(&lists, path);
            }
            let removed = |id: &String| merge.original.contains(id) && !merge.modified.contains(id);
            let mut vacant = merge.current.iter().filter(|id| removed(id)).count();
            let mut ours = Vec::with_capacity(modified.len());
            for (index, wanted) in modified.iter().enumerate() {
                let id = &merge.modified[index];
                let at = merge.current.iter().position(|other| other == id);
                let before = merge.original.iter().position(|other| other == id);
                let merged = match (at.and_then(|at| current[at].as_object()), wanted) {
                    (Some(current), Value::Object(wanted)) => {
                        let before = before.and_then(|before| original[before].as_object());
                        let path = format!("{path}[{index}]");
                        let mut merged = merge_members(before, wanted, current, &path)?;
                        if retain_keys {
                            merged.retain(|name, _| wanted.contains_key(name));
                        }
                        Value::Object(merged)
                    }
                    _ => wanted.clone(),
                };
                // The server appends new elements to the stored list in place, where those that it removed
                // have left room, and then takes them for elements that were always there, at the end.
                let at = match at {
                    None if vacant > 0 => {
                        vacant -= 1;
                        Some(current.len())
                    }
                    at => at,
                };
                ours.push((at, merged));
            }
            let mut index = 0;
            let others = place(current, |_| {
                let id = &merge.current[index];
                index += 1;
                !merge.modified.contains(id) && !merge.original.contains(id)
            });
            Ok(interleave(others, ours))
        }
    }
}

/// What elements of the three lists are known by: the value of the merge key. Keys should be unique, but `ports`
/// are merged by number alone, and one number may serve two protocols.
struct KeyedLists {
    original: Vec<String>,
    modified: Vec<String>,
    current: Vec<String>,
}

impl KeyedLists {
    fn has_doubles(&self) -> bool {
        [&self.original, &self.modified, &self.current]
            .into_iter()
            .any(|keys| keys.iter().collect::<BTreeSet<_>>().len() < keys.len())
    }
}

fn keys(list: &[Value], key: &'static str, path: &str) -> Result<Vec<String>, ChangeError> {
    let mut out = Vec::with_capacity(list.len());
    for (index, element) in list.iter().enumerate() {
        out.push(match element.get(key) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Null) | None => {
                let path = format!("{path}[{index}]");
                return Err(ChangeError::NoMergeKey { path, key });
            }
            Some(other) => other.to_string(),
        });
    }
    Ok(out)
}

/// The elements that are wanted, with their places.
fn place(list: &[Value], mut wanted: impl FnMut(&Value) -> bool) -> Vec<(usize, Value)> {
    let places = list.iter().enumerate();
    places
        .filter(|(_, value)| wanted(value))
        .map(|(at, value)| (at, value.clone()))
        .collect()
}

/// `mergeSortedSlice`: the manifest's elements in the manifest's order, and those of others among them. One
/// of others comes before one of the manifest only where it did so in the stored list.
pub(super) fn interleave(
    others: Vec<(usize, Value)>,
    ours: Vec<(Option<usize>, Value)>,
) -> Vec<Value> {
    let mut out = Vec::with_capacity(others.len() + ours.len());
    let mut others = others.into_iter().peekable();
    for (at, value) in ours {
        while let Some((_, other)) = others.next_if(|(other, _)| at.is_some_and(|at| *other < at)) {
            out.push(other);
        }
        out.push(value);
    }
    out.extend(others.map(|(_, value)| value));
    out
}
