//! Strategic merge patches: `CreateThreeWayMergePatch`, with which kubectl computes one, and `StrategicMergeMapPatch`,
//! with which the server applies it.
//!
//! Both follow upstream function by function, since what they make of doubled keys and of patch directives is nobody's
//! intention and everybody's result.

use serde_json::{Map, Value};

use super::ChangeError;
use crate::apiserver::schema::{ListMerge, list_merge};

type Members = Map<String, Value>;

const DIRECTIVE: &str = "$patch";
const DELETE: &str = "delete";
const REPLACE: &str = "replace";
const RETAIN_KEYS: &str = "$retainKeys";
const DELETE_FROM_LIST: &str = "$deleteFromPrimitiveList/";
const ELEMENT_ORDER: &str = "$setElementOrder/";

/// The patch that kubectl sends: what the manifest has other than the stored object, and what it no longer has of the
/// manifest applied last. Empty where nothing is to be sent.
pub(super) fn create(
    original: &Members,
    modified: &Members,
    current: &Members,
) -> Result<Members, ChangeError> {
    let delta = Diff {
        additions: true,
        deletions: false,
        retain_keys: false,
    };
    let delta = delta.maps(current, modified, "")?;
    let deletions = Diff {
        additions: false,
        deletions: true,
        retain_keys: false,
    };
    let deletions = deletions.maps(original, modified, "")?;
    Merge { applies: false }.maps(deletions, delta, "")
}

/// The object that the server makes of a stored one and a patch.
pub(super) fn apply(stored: Members, patch: Members) -> Result<Members, ChangeError> {
    Merge { applies: true }.maps(stored, patch, "")
}

/// Upstream's `DiffOptions`.
#[derive(Clone, Copy)]
struct Diff {
    /// Changed and new members are part of the patch.
    additions: bool,
    /// Members that are gone are part of the patch.
    deletions: bool,
    /// The members of an object that stay are listed.
    retain_keys: bool,
}

impl Diff {
    fn maps(
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

    /// `diffListsOfMaps`: what is added to a list, deletions included, and its order.
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

    /// `diffListsOfScalars`: what is added to a list, what goes from it, and its order.
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
        // Upstream compares with the old list as it has just sorted it.
        let ordered =
            (self.deletions && !deleted.is_empty()) || (self.additions && befores != wanted);
        let order = if ordered { wanted.to_vec() } else { Vec::new() };
        (added, deleted, order)
    }
}

/// Upstream's `MergeOptions`.
#[derive(Clone, Copy)]
struct Merge {
    /// A patch is applied to an object, in which its directives are followed. Otherwise two patches become one.
    applies: bool,
}

impl Merge {
    /// `mergeMap`.
    fn maps(
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

    /// `mergePatchIntoOriginal`: the lists whose order the patch tells.
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
            let told = patch.remove(&directive).unwrap_or_default();
            if !self.applies {
                match original.get(&directive) {
                    Some(other) if *other != told => return Err(wrong()),
                    _ => drop(original.insert(directive.clone(), told.clone())),
                }
            }
            let Value::Array(order) = told else {
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

/// A merged list, and the order of the elements that were in it before, as the server remembers it.
struct MergedList {
    merged: Vec<Value>,
    order: Vec<Value>,
}

/// A list that is changed in the memory in which the server still reads its old order: what is removed makes the others
/// move up in it, and what is added then fills the room at its end.
struct StoredList {
    elements: Vec<Value>,
    order: Vec<Value>,
}

impl StoredList {
    fn new(elements: Vec<Value>) -> Self {
        Self {
            order: elements.clone(),
            elements,
        }
    }

    fn position(&self, key: &str, id: &Value) -> Option<usize> {
        let mut elements = self.elements.iter();
        elements.position(|element| element.get(key) == Some(id))
    }

    fn remove(&mut self, at: usize) {
        self.elements.remove(at);
        let end = self.elements.len();
        self.order[at..=end].rotate_left(1);
        if end > at {
            self.order[end] = self.order[end - 1].clone();
        }
    }

    fn set(&mut self, at: usize, element: Value) {
        if let Some(place) = self.order.get_mut(at) {
            *place = element.clone();
        }
        self.elements[at] = element;
    }

    fn push(&mut self, element: Value) {
        if let Some(place) = self.order.get_mut(self.elements.len()) {
            *place = element.clone();
        }
        self.elements.push(element);
    }

    /// `mergeSliceWithSpecialElements`: follows the directives in a patch, and returns its other elements.
    fn special(
        &mut self,
        patch: Vec<Value>,
        key: &'static str,
        path: &str,
    ) -> Result<Vec<Value>, ChangeError> {
        let mut plain = Vec::new();
        let mut replaces = false;
        for (index, element) in patch.into_iter().enumerate() {
            let path = format!("{path}[{index}]");
            match element.get(DIRECTIVE) {
                None => plain.push(element),
                Some(directive) if directive == DELETE => {
                    let Some(id) = element.get(key) else {
                        return Err(ChangeError::NoMergeKey { path, key });
                    };
                    while let Some(at) = self.position(key, id) {
                        self.remove(at);
                    }
                }
                Some(directive) if directive == REPLACE => replaces = true,
                Some(_) => {
                    let path = inner(&path, DIRECTIVE);
                    return Err(ChangeError::Directive { path });
                }
            }
        }
        if replaces {
            *self = Self::new(plain);
            return Ok(Vec::new());
        }
        Ok(plain)
    }
}

fn merge_key(strategy: ListMerge) -> Option<&'static str> {
    match strategy {
        ListMerge::ByKey { key, .. } => Some(key),
        ListMerge::AsSet | ListMerge::Replaced => None,
    }
}

fn inner(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

/// A scalar as Go prints it (`%v`).
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "<nil>".to_owned(),
        other => other.to_string(),
    }
}

/// The type that Go decodes a value into.
fn type_of(value: &Value) -> u8 {
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

fn first_of<'v>(lists: &[&'v [Value]]) -> Option<&'v Value> {
    lists.iter().copied().flatten().next()
}

/// `sliceElementType`: a list has elements of one type.
fn check_types(lists: &[&[Value]], path: &str) -> Result<(), ChangeError> {
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

fn check_keys(list: &[Value], key: &'static str, path: &str) -> Result<(), ChangeError> {
    match list.iter().position(|element| element.get(key).is_none()) {
        None => Ok(()),
        Some(index) => Err(ChangeError::NoMergeKey {
            path: format!("{path}[{index}]"),
            key,
        }),
    }
}

/// The places of elements by key. Equal ones come the other way round, since the comparison takes them for out of order.
fn sorted(list: &[Value], key: &str) -> Vec<usize> {
    let mut order: Vec<usize> = (0..list.len()).rev().collect();
    order.sort_by(|a, b| shown(&list[*a][key]).cmp(&shown(&list[*b][key])));
    order
}

fn index_of(list: &[Value], wanted: &Value, key: Option<&str>) -> Option<usize> {
    list.iter().position(|element| match key {
        Some(key) => {
            element.get(key).unwrap_or(&Value::Null) == wanted.get(key).unwrap_or(&Value::Null)
        }
        None => element == wanted,
    })
}

/// `normalizeSliceOrder`: the elements in the order of another list, and those that are to be deleted behind them.
fn in_order(list: Vec<Value>, order: &[Value], key: Option<&str>) -> Vec<Value> {
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
        // One that is in no order goes before whatever stands before it, and whatever comes after it before it.
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

/// `mergeSortedSlice`: the elements of the patch, and those of others among them. One of others comes before one of the
/// patch only where it did so in the stored list.
fn interleaved(
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

/// `validatePatchWithSetOrderList`: whether the elements of a patch come in the order that it tells.
fn follows(patch: &[Value], order: &[Value], key: Option<&str>) -> bool {
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

fn discard_nulls(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, value| !value.is_null());
            members.values_mut().for_each(discard_nulls);
        }
        Value::Array(list) => list.iter_mut().for_each(discard_nulls),
        _ => {}
    }
}

/// `removeDirectives`: a value without the objects that have a directive; none where it is one.
fn without_directives(value: Value) -> Option<Value> {
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
