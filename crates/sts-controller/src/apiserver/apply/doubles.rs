//! Lists with several elements of one key, merged as kubectl and the server do it: which is not what was meant.
//!
//! kubectl sorts both lists by key to compare them, and its sort turns equal elements round. What is in its patch
//! the server puts into the first stored element with that key, whichever it was meant for.

use serde_json::Value;

use super::ChangeError;
use super::merge::{interleave, merge_members};

/// An element of the manifest in the patch.
#[derive(Clone, Copy)]
enum Patch {
    /// What it has other than this stored element.
    Changed(usize, usize),
    /// All of it.
    Added(usize),
}

impl Patch {
    fn modified(self) -> usize {
        match self {
            Self::Changed(_, modified) | Self::Added(modified) => modified,
        }
    }
}

/// Three lists, and the keys of their elements.
pub(super) struct Lists<'v> {
    pub(super) original: (&'v [Value], Vec<String>),
    pub(super) modified: (&'v [Value], Vec<String>),
    pub(super) current: (&'v [Value], Vec<String>),
    pub(super) retain_keys: bool,
}

/// The merged list.
///
/// # Errors
/// When an element of a list inside lacks its merge key.
pub(super) fn merge(lists: &Lists<'_>, path: &str) -> Result<Vec<Value>, ChangeError> {
    let (modified, names) = (lists.modified.0, &lists.modified.1);
    let mut patches = Vec::new();
    walk(&lists.current.1, names, |pair| match pair {
        (Some(current), Some(modified)) => patches.push(Patch::Changed(current, modified)),
        (None, Some(modified)) => patches.push(Patch::Added(modified)),
        _ => {}
    });
    let mut deleted: Vec<&str> = Vec::new();
    let mut befores: Vec<Option<usize>> = vec![None; modified.len()];
    walk(&lists.original.1, names, |pair| match pair {
        (Some(original), Some(modified)) => befores[modified] = Some(original),
        (Some(original), None) => deleted.push(&lists.original.1[original]),
        _ => {}
    });
    let first = |name: &String| names.iter().position(|other| other == name);
    patches.sort_by_key(|patch| first(&names[patch.modified()]));

    let stored = lists.current.0.iter().zip(&lists.current.1);
    let mut merged: Vec<(String, Value)> = stored
        .filter(|(_, name)| !deleted.contains(&name.as_str()))
        .map(|(value, name)| (name.clone(), value.clone()))
        .collect();
    for patch in patches {
        let index = patch.modified();
        let name = &names[index];
        let path = format!("{path}[{index}]");
        let Some(wanted) = modified[index].as_object() else {
            continue;
        };
        let before = befores[index].and_then(|before| lists.original.0[before].as_object());
        let mut wanted = wanted.clone();
        if let Patch::Changed(current, _) = patch
            && let Some(stored) = lists.current.0[current].as_object()
        {
            let result = merge_members(before, &wanted, stored, &path)?;
            if result == *stored {
                continue;
            }
            wanted.retain(|member, _| result.get(member) != stored.get(member));
        }
        match merged.iter_mut().find(|(other, _)| other == name) {
            None => merged.push((name.clone(), modified[index].clone())),
            Some((_, value)) => {
                let Some(target) = value.as_object() else {
                    continue;
                };
                let mut result = merge_members(None, &wanted, target, &path)?;
                let gone = |member: &String| {
                    before.is_some_and(|before| before.contains_key(member))
                        && modified[index].get(member).is_none()
                };
                result.retain(|member, _| !gone(member));
                if lists.retain_keys {
                    result.retain(|member, _| modified[index].get(member).is_some());
                }
                *value = Value::Object(result);
            }
        }
    }
    let place = |name: &String| lists.current.1.iter().position(|other| other == name);
    let (mut ours, others): (Vec<_>, Vec<_>) = merged
        .into_iter()
        .partition(|(name, _)| names.contains(name));
    ours.sort_by_key(|(name, _)| first(name));
    let others = others
        .into_iter()
        .filter_map(|(name, value)| Some((place(&name)?, value)))
        .collect();
    let ours = ours
        .into_iter()
        .map(|(name, value)| (place(&name), value))
        .collect();
    Ok(interleave(others, ours))
}

/// Both lists by key, elements of the same key next to each other: `diffListsOfMaps`.
fn walk(left: &[String], right: &[String], mut visit: impl FnMut((Option<usize>, Option<usize>))) {
    let (lefts, rights) = (sorted(left), sorted(right));
    let (mut i, mut j) = (0, 0);
    while i < lefts.len() || j < rights.len() {
        let (l, r) = (lefts.get(i).copied(), rights.get(j).copied());
        let pair = match (l, r) {
            (Some(l), Some(r)) if left[l] == right[r] => (Some(l), Some(r)),
            (Some(l), Some(r)) if left[l] > right[r] => (None, Some(r)),
            (Some(l), _) => (Some(l), None),
            (None, r) => (None, r),
        };
        i += usize::from(pair.0.is_some());
        j += usize::from(pair.1.is_some());
        visit(pair);
    }
}

/// By key, and equal ones the other way round, since the comparison takes them for out of order.
fn sorted(names: &[String]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..names.len()).rev().collect();
    order.sort_by(|a, b| names[*a].cmp(&names[*b]));
    order
}
