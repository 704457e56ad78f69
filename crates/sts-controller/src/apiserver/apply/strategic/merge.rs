//! Merging of a patch into an object or into another patch: upstream's `mergeMap` and its callees.

use serde_json::Value;

use super::elements::{
    check_keys, check_types, discard_nulls, first_of, follows, in_order, index_of, inner,
    interleaved, merge_key, type_of, without_directives,
};
use super::stored_list::StoredList;
use super::{DELETE, DELETE_FROM_LIST, DIRECTIVE, ELEMENT_ORDER, Members, REPLACE, RETAIN_KEYS};
use crate::apiserver::apply::ChangeError;
use crate::apiserver::schema::{ListMerge, list_merge};

/// Upstream's `MergeOptions`.
#[derive(Clone, Copy)]
pub(super) struct Merge {
    /// True if a patch is applied to an object, and its directives are executed. Otherwise two patches are combined.
    pub(super) applies: bool,
}

impl Merge {
    /// `mergeMap`.
    pub(super) fn maps(
        self,
        mut original: Members,
        mut patch: Members,
        path: &str,
    ) -> Result<Members, ChangeError> {
        if let Some(directive) = patch.remove(DIRECTIVE) {
            return if directive == REPLACE {
                Ok(patch)
            } else if directive == DELETE {
                Ok(Members::new())
            } else {
                let path = inner(path, DIRECTIVE);
                Err(ChangeError::Directive { path })
            };
        }
        self.retain_keys(&mut original, &mut patch, path)?;
        self.ordered_lists(&mut original, &mut patch, path)?;
        for (name, value) in patch {
            let path = inner(path, &name);
            let deleted_from = name.strip_prefix(DELETE_FROM_LIST);
            if deleted_from.is_some() && !self.applies {
                original.insert(name, value);
                continue;
            }
            let deletes = deleted_from.is_some();
            let name = deleted_from.unwrap_or(&name).to_owned();
            if value.is_null() {
                original.remove(&name);
                if self.applies {
                    continue;
                }
            }
            let strategy = list_merge(&name);
            let merged = match (original.remove(&name), value) {
                (Some(Value::Object(old)), Value::Object(new)) => {
                    Some(Value::Object(self.maps(old, new, &path)?))
                }
                (Some(Value::Array(old)), Value::Array(new)) => {
                    Some(if deletes || strategy != ListMerge::Replaced {
                        let merged = self.lists(old, new, strategy, deletes, &path)?.merged;
                        Value::Array(merged)
                    } else {
                        Value::Array(new)
                    })
                }
                (old, _) if deletes => old,
                (old, mut new) => {
                    let same_type = old.is_some_and(|old| type_of(&old) == type_of(&new));
                    if self.applies && !same_type {
                        discard_nulls(&mut new);
                    }
                    without_directives(new)
                }
            };
            if let Some(merged) = merged {
                original.insert(name, merged);
            }
        }
        Ok(original)
    }

    /// `applyRetainKeysDirective`.
    fn retain_keys(
        self,
        original: &mut Members,
        patch: &mut Members,
        path: &str,
    ) -> Result<(), ChangeError> {
        let Some(kept) = patch.remove(RETAIN_KEYS) else {
            return Ok(());
        };
        let wrong = || ChangeError::Directive {
            path: inner(path, RETAIN_KEYS),
        };
        if !self.applies {
            return match original.get(RETAIN_KEYS) {
                Some(other) if *other != kept => Err(wrong()),
                _ => {
                    original.insert(RETAIN_KEYS.to_owned(), kept);
                    Ok(())
                }
            };
        }
        let kept = kept.as_array().ok_or_else(wrong)?;
        let is_kept = |name: &str| kept.iter().any(|kept| kept == name);
        let counts = |name: &str, value: &Value| {
            !value.is_null()
                && !name.starts_with(DELETE_FROM_LIST)
                && !name.starts_with(ELEMENT_ORDER)
        };
        if patch
            .iter()
            .any(|(name, value)| counts(name, value) && !is_kept(name))
        {
            return Err(wrong());
        }
        original.retain(|name, _| is_kept(name));
        Ok(())
    }

    /// `mergePatchIntoOriginal`: merges the lists for which the patch has an order.
    fn ordered_lists(
        self,
        original: &mut Members,
        patch: &mut Members,
        path: &str,
    ) -> Result<(), ChangeError> {
        let names: Vec<String> = patch
            .keys()
            .filter_map(|name| name.strip_prefix(ELEMENT_ORDER))
            .map(str::to_owned)
            .collect();
        for name in names {
            let directive = format!("{ELEMENT_ORDER}{name}");
            let wrong = || ChangeError::Directive {
                path: inner(path, &directive),
            };
            let directive_order = patch.remove(&directive).unwrap_or_default();
            if !self.applies {
                match original.get(&directive) {
                    Some(other) if *other != directive_order => return Err(wrong()),
                    _ => drop(original.insert(directive.clone(), directive_order.clone())),
                }
            }
            let Value::Array(order) = directive_order else {
                return Err(wrong());
            };
            let list = |members: &Members| match members.get(&name) {
                None => Ok(None),
                Some(Value::Array(list)) => Ok(Some(list.clone())),
                Some(_) => Err(wrong()),
            };
            let (old, new) = (list(original)?, list(patch)?);
            let strategy = list_merge(&name);
            let key = merge_key(strategy);
            let path = inner(path, &name);
            if let Some(new) = &new
                && !follows(new, &order, key)
            {
                return Err(wrong());
            }
            let lists = [
                old.as_deref().unwrap_or_default(),
                new.as_deref().unwrap_or_default(),
            ];
            let first = first_of(&lists).cloned();
            let lists = check_types(&lists, &path);
            let (merged, server_order) = match (old, new) {
                (None, None) => continue,
                (Some(old), None) => (old.clone(), old),
                (None, Some(new)) => {
                    let Some(Value::Array(new)) = without_directives(Value::Array(new)) else {
                        continue;
                    };
                    (new, Vec::new())
                }
                (Some(_), Some(new)) if strategy == ListMerge::Replaced => {
                    let old = original.get(&name).and_then(Value::as_array);
                    (new, old.cloned().unwrap_or_default())
                }
                (Some(old), Some(new)) => {
                    let result = self.lists(old, new, strategy, false, &path)?;
                    (result.merged, result.order)
                }
            };
            lists?;
            if let Some(key) = key {
                check_keys(&merged, key, &path)?;
            }
            let key = key.filter(|_| first.is_some_and(|first| first.is_object()));
            let (ours, others) = merged
                .into_iter()
                .partition(|element| index_of(&order, element, key).is_some());
            let both = interleaved(
                in_order(ours, &order, key),
                in_order(others, &server_order, key),
                &server_order,
                key,
            );
            original.insert(name.clone(), Value::Array(both));
            patch.remove(&name);
        }
        Ok(())
    }

    /// `mergeSlice`.
    fn lists(
        self,
        original: Vec<Value>,
        patch: Vec<Value>,
        strategy: ListMerge,
        deletes: bool,
        path: &str,
    ) -> Result<MergedList, ChangeError> {
        if original.is_empty() && patch.is_empty() {
            return Ok(MergedList {
                merged: original,
                order: Vec::new(),
            });
        }
        check_types(&[&original, &patch], path)?;
        let objects = first_of(&[&original, &patch]).is_some_and(Value::is_object);
        if !objects {
            if self.applies && deletes {
                let merged = original.iter().filter(|value| !patch.contains(value));
                return Ok(MergedList {
                    merged: merged.cloned().collect(),
                    order: original,
                });
            }
            let mut merged: Vec<Value> = Vec::new();
            for value in original.iter().chain(&patch) {
                if !merged.contains(value) {
                    merged.push(value.clone());
                }
            }
            let (ours, others) = merged.into_iter().partition(|value| patch.contains(value));
            let merged = interleaved(
                in_order(ours, &patch, None),
                in_order(others, &original, None),
                &original,
                None,
            );
            return Ok(MergedList {
                merged,
                order: original,
            });
        }
        let Some(key) = merge_key(strategy) else {
            return Err(ChangeError::Directive {
                path: path.to_owned(),
            });
        };
        let mut list = StoredList::new(original);
        let patch = list.special(patch, key, path)?;
        for (index, element) in patch.iter().enumerate() {
            let path = format!("{path}[{index}]");
            let Some(id) = element.get(key) else {
                return Err(ChangeError::NoMergeKey { path, key });
            };
            match list.position(key, id) {
                Some(at) => {
                    if let (Some(old), Some(new)) =
                        (list.elements[at].as_object(), element.as_object())
                    {
                        let merged = self.maps(old.clone(), new.clone(), &path)?;
                        list.set(at, Value::Object(merged));
                    }
                }
                None => list.push(element.clone()),
            }
        }
        check_keys(&list.elements, key, path)?;
        let StoredList { elements, order } = list;
        let (ours, others) = elements
            .into_iter()
            .partition(|element| index_of(&patch, element, Some(key)).is_some());
        let merged = interleaved(
            in_order(ours, &patch, Some(key)),
            in_order(others, &order, Some(key)),
            &order,
            Some(key),
        );
        Ok(MergedList { merged, order })
    }
}

/// A merged list, and the previous order of its elements as the server remembers it.
struct MergedList {
    merged: Vec<Value>,
    order: Vec<Value>,
}
