//! The patch between two objects: upstream's `diffMaps` and what it calls.

use serde_json::Value;

use super::elements::{check_keys, check_types, in_order, inner, shown, sorted};
use super::{DELETE, DELETE_FROM_LIST, DIRECTIVE, ELEMENT_ORDER, Members, RETAIN_KEYS};
use crate::apiserver::apply::ChangeError;
use crate::apiserver::schema::{ListMerge, list_merge};

/// Upstream's `DiffOptions`.
#[derive(Clone, Copy)]
pub(super) struct Diff {
    /// True if the patch has changed and new members.
    pub(super) additions: bool,
    /// True if the patch has removed members.
    pub(super) deletions: bool,
    /// True if the patch lists the members of an object that stay.
    pub(super) retain_keys: bool,
}

impl Diff {
    pub(super) fn maps(
        self,
        original: &Members,
        modified: &Members,
        path: &str,
    ) -> Result<Members, ChangeError> {
        let mut patch = Members::new();
        for (name, wanted) in modified {
            let Some(before) = original.get(name) else {
                if self.additions {
                    patch.insert(name.clone(), wanted.clone());
                }
                continue;
            };
            let path = inner(path, name);
            if name == DIRECTIVE {
                if !before.is_string() || !wanted.is_string() {
                    return Err(ChangeError::Directive { path });
                }
                if before != wanted {
                    patch.insert(name.clone(), wanted.clone());
                }
                continue;
            }
            match (before, wanted) {
                (Value::Object(before), Value::Object(wanted)) => {
                    let inside = Diff {
                        retain_keys: false,
                        ..self
                    };
                    let inside = inside.maps(before, wanted, &path)?;
                    if !inside.is_empty() {
                        patch.insert(name.clone(), Value::Object(inside));
                    }
                }
                (Value::Array(before), Value::Array(wanted)) => {
                    self.lists(name, before, wanted, &mut patch, &path)?;
                }
                _ => self.replace(name, before, wanted, &mut patch),
            }
        }
        if self.deletions {
            for name in original.keys().filter(|name| !modified.contains_key(*name)) {
                patch.insert(name.clone(), Value::Null);
            }
        }
        if self.retain_keys {
            let kept = modified.iter().filter(|(_, value)| !value.is_null());
            let mut kept: Vec<Value> = kept.map(|(name, _)| name.as_str().into()).collect();
            let has_new = modified.keys().any(|name| !original.contains_key(name));
            if !kept.is_empty() && (!patch.is_empty() || has_new) {
                kept.sort_by_key(shown);
                patch.insert(RETAIN_KEYS.to_owned(), Value::Array(kept));
            }
        }
        Ok(patch)
    }

    fn replace(self, name: &str, before: &Value, wanted: &Value, patch: &mut Members) {
        if self.additions && before != wanted {
            patch.insert(name.to_owned(), wanted.clone());
        }
    }

    fn lists(
        self,
        name: &str,
        before: &[Value],
        wanted: &[Value],
        patch: &mut Members,
        path: &str,
    ) -> Result<(), ChangeError> {
        let strategy = list_merge(name);
        if strategy == ListMerge::Replaced {
            if self.additions && before != wanted {
                patch.insert(name.to_owned(), wanted.to_vec().into());
            }
            return Ok(());
        }
        if before.is_empty() {
            if self.additions && !wanted.is_empty() {
                patch.insert(name.to_owned(), wanted.to_vec().into());
            }
            return Ok(());
        }
        check_types(&[before, wanted], path)?;
        let (added, deleted, order) = match strategy {
            ListMerge::ByKey { key, retain_keys } => {
                let inside = Diff {
                    retain_keys,
                    ..self
                };
                let (added, order) = inside.keyed_lists(before, wanted, key, path)?;
                (added, Vec::new(), order)
            }
            _ => self.scalar_lists(before, wanted),
        };
        for (prefix, list) in [
            ("", added),
            (DELETE_FROM_LIST, deleted),
            (ELEMENT_ORDER, order),
        ] {
            if !list.is_empty() {
                patch.insert(format!("{prefix}{name}"), list.into());
            }
        }
        Ok(())
    }

    /// `diffListsOfMaps`: returns the patch of a list, including deletions, and its order.
    fn keyed_lists(
        self,
        before: &[Value],
        wanted: &[Value],
        key: &'static str,
        path: &str,
    ) -> Result<(Vec<Value>, Vec<Value>), ChangeError> {
        check_keys(before, key, path)?;
        check_keys(wanted, key, path)?;
        let (befores, wanteds) = (sorted(before, key), sorted(wanted, key));
        let (mut patch, mut deleted) = (Vec::new(), Vec::new());
        let (mut i, mut j) = (0, 0);
        while i < befores.len() || j < wanteds.len() {
            let pair = (
                befores.get(i).map(|at| (*at, shown(&before[*at][key]))),
                wanteds.get(j).map(|at| (*at, shown(&wanted[*at][key]))),
            );
            match pair {
                (Some((old, a)), Some((new, b))) if a == b => {
                    let (Some(old), Some(with)) =
                        (before[old].as_object(), wanted[new].as_object())
                    else {
                        break;
                    };
                    let path = format!("{path}[{new}]");
                    let mut inside = self.maps(old, with, &path)?;
                    if !inside.is_empty() {
                        inside.insert(key.to_owned(), with[key].clone());
                        patch.push(Value::Object(inside));
                    }
                    i += 1;
                    j += 1;
                }
                (old, Some((new, b))) if old.as_ref().is_none_or(|(_, a)| *a > b) => {
                    if self.additions {
                        patch.push(wanted[new].clone());
                    }
                    j += 1;
                }
                (Some((old, _)), _) => {
                    if self.deletions {
                        let mut deletion = Members::new();
                        deletion.insert(key.to_owned(), before[old][key].clone());
                        deletion.insert(DIRECTIVE.to_owned(), DELETE.into());
                        deleted.push(Value::Object(deletion));
                    }
                    i += 1;
                }
                (None, _) => break,
            }
        }
        let mut patch = in_order(patch, wanted, Some(key));
        let same_order = before.len() == wanted.len()
            && before.iter().zip(wanted).all(|(a, b)| a[key] == b[key]);
        patch.append(&mut deleted);
        let ordered = (self.additions && (!patch.is_empty() || !same_order))
            || (self.deletions && !patch.is_empty());
        let order = if ordered {
            let only_key = |element: &Value| {
                let mut members = Members::new();
                members.insert(key.to_owned(), element[key].clone());
                Value::Object(members)
            };
            wanted.iter().map(only_key).collect()
        } else {
            Vec::new()
        };
        Ok((patch, order))
    }

    /// `diffListsOfScalars`: returns the added values, the removed values, and the order.
    fn scalar_lists(
        self,
        before: &[Value],
        wanted: &[Value],
    ) -> (Vec<Value>, Vec<Value>, Vec<Value>) {
        let in_order_of_text = |list: &[Value]| {
            let mut list = list.to_vec();
            list.sort_by_key(shown);
            list
        };
        let (befores, wanteds) = (in_order_of_text(before), in_order_of_text(wanted));
        let (mut added, mut deleted) = (Vec::new(), Vec::new());
        let (mut i, mut j) = (0, 0);
        while i < befores.len() || j < wanteds.len() {
            match (befores.get(i), wanteds.get(j)) {
                (Some(a), Some(b)) if shown(a) == shown(b) => {
                    i += 1;
                    j += 1;
                }
                (a, Some(b)) if a.is_none_or(|a| shown(a) > shown(b)) => {
                    if self.additions {
                        added.push(b.clone());
                    }
                    j += 1;
                }
                (Some(a), _) => {
                    if self.deletions && !deleted.contains(a) {
                        deleted.push(a.clone());
                    }
                    i += 1;
                }
                (None, _) => break,
            }
        }
        let added = in_order(added, wanted, None);
        // Upstream compares with the old list, which it has sorted in place.
        let ordered =
            (self.deletions && !deleted.is_empty()) || (self.additions && befores != wanted);
        let order = if ordered { wanted.to_vec() } else { Vec::new() };
        (added, deleted, order)
    }
}
