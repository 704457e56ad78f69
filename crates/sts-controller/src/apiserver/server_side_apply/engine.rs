//! One apply at the server: merge, prune, conflicts and the resulting ownership.

use serde_json::{Map, Value};

use super::element::PathElement;
use super::field_set::FieldSet;
use super::managers::{API_VERSION, Manager, Managers};
use super::types::Type;
use super::walk::{compare, equal, fields, merge, reconcile, remove};
use super::{Conflict, FieldPath, Options};
use crate::apiserver::apply::LAST_APPLIED;

/// The object after an apply, and its managers.
pub(super) struct Applied {
    /// `None` if nothing changes.
    pub(super) object: Option<Value>,
    pub(super) managers: Managers,
}

/// Manager of the fields that existed before the first apply to an object without managers.
const BEFORE_FIRST_APPLY: &str = "before-first-apply";

/// Metadata members without an owner.
const UNOWNED: [&str; 9] = [
    "name",
    "namespace",
    "creationTimestamp",
    "selfLink",
    "uid",
    "clusterName",
    "generation",
    "managedFields",
    "resourceVersion",
];

/// Applies a manifest to a live object. Conflicts are an error.
pub(super) fn apply(
    live: &Value,
    empty: &Value,
    manifest: &Value,
    mut managers: Managers,
    options: &Options<'_>,
    kind: Type,
) -> Result<Applied, Vec<Conflict>> {
    if managers.is_empty() {
        managers = before_first_apply(live, empty, options, kind);
    }
    match attempt(live, manifest, managers.clone(), options, kind) {
        Err(conflicts) if options.manager == super::KUBECTL => {
            let Some(allowed) = unchanged_since_last_applied(live, kind) else {
                return Err(conflicts);
            };
            let left: Vec<Conflict> = conflicts
                .into_iter()
                .filter(|conflict| !allowed.has(&conflict.path))
                .collect();
            if !left.is_empty() {
                return Err(left);
            }
            let forced = Options {
                force: true,
                ..*options
            };
            attempt(live, manifest, managers, &forced, kind)
        }
        answer => answer,
    }
}

fn attempt(
    live: &Value,
    manifest: &Value,
    managers: Managers,
    options: &Options<'_>,
    kind: Type,
) -> Result<Applied, Vec<Conflict>> {
    let mut managers: Managers = managers
        .into_iter()
        // Entries with API versions that no server has any more are dropped.
        .filter(|(_, manager)| manager.api_version == API_VERSION)
        .map(|(id, manager)| {
            let fields = reconcile(&manager.fields, kind);
            (id, Manager { fields, ..manager })
        })
        .collect();
    let mut own = Manager::new(options.manager, true, options.time);
    let id = own.id();
    let last = managers.get(&id).cloned();
    own.fields = fields(manifest, kind).without("status");
    own.time = last.as_ref().and_then(|last| last.time.clone());
    managers.insert(id.clone(), own);
    let merged = merge(Some(live), Some(manifest), kind).unwrap_or(Value::Null);
    let merged = match &last {
        Some(last) if !last.fields.is_empty() => prune(&merged, &managers, &last.fields, kind),
        _ => merged,
    };
    update_others(live, &merged, &mut managers, &id, options.force, kind)?;
    strip(&mut managers, &id);
    if equal(live, &merged) {
        return Ok(Applied {
            object: None,
            managers,
        });
    }
    if let Some(own) = managers.get_mut(&id) {
        own.time = options.time.map(str::to_owned);
    }
    Ok(Applied {
        object: Some(merged),
        managers,
    })
}

/// Returns the object without the fields that the manager applied last time, does not apply now, and no one else owns.
fn prune(merged: &Value, managers: &Managers, last: &FieldSet, kind: Type) -> Value {
    let named = |set: &FieldSet| set.with_named_fields(Some(kind));
    let last = named(last);
    let pruned = remove(merged, &last, kind);
    // Fields that others own are restored, and those that are applied now.
    let mut owned = FieldSet::default();
    for manager in managers.values() {
        owned = owned.union(&manager.fields);
    }
    let all = named(&fields(merged, kind));
    let kept = named(&fields(&pruned, kind)).union(&named(&owned));
    let pruned = remove(merged, &all.difference(&kept), kind);
    // Fields that this manager did not own before are restored too.
    let kept = named(&fields(&pruned, kind));
    remove(merged, &all.difference(&kept).intersection(&last), kind)
}

/// Removes changed fields from the other managers. Conflicts are an error, unless forced.
fn update_others(
    live: &Value,
    merged: &Value,
    managers: &mut Managers,
    own: &str,
    force: bool,
    kind: Type,
) -> Result<(), Vec<Conflict>> {
    let comparison = compare(live, merged, kind).without("status");
    let changed = comparison.modified.union(&comparison.added);
    let mut conflicts = Vec::new();
    for (id, manager) in managers.iter_mut() {
        if id == own {
            continue;
        }
        let conflicting = manager.fields.intersection(&changed);
        conflicts.extend(conflicting.paths().into_iter().map(|path| Conflict {
            owner: manager.owner(),
            described: manager.described(),
            path,
        }));
        manager.fields = manager.fields.difference(&conflicting);
        if !comparison.removed.is_empty() {
            manager.fields = manager.fields.difference(&comparison.removed);
        }
    }
    if !force && !conflicts.is_empty() {
        return Err(conflicts);
    }
    managers.retain(|_, manager| !manager.fields.is_empty());
    Ok(())
}

/// Removes the fields of an object's identity from all managers.
fn strip(managers: &mut Managers, id: &str) {
    let Some(manager) = managers.get_mut(id) else {
        return;
    };
    let field = |name: &str| PathElement::Field(name.to_owned());
    let mut identity = FieldSet::default();
    for name in ["apiVersion", "kind", "metadata"] {
        identity.insert(&[field(name)]);
    }
    for name in UNOWNED {
        identity.insert(&[field("metadata"), field(name)]);
    }
    manager.fields = manager.fields.difference(&identity);
    if manager.fields.is_empty() {
        managers.remove(id);
    }
}

fn before_first_apply(live: &Value, empty: &Value, options: &Options<'_>, kind: Type) -> Managers {
    let comparison = compare(empty, live, kind).without("status");
    let mut manager = Manager::new(BEFORE_FIRST_APPLY, false, options.time);
    manager.fields = comparison.modified.union(&comparison.added);
    let id = manager.id();
    let mut managers = Managers::new();
    managers.insert(id.clone(), manager);
    strip(&mut managers, &id);
    managers
}

/// Returns the fields that kubectl applied on the client's side and that have not changed since: taking them over is no
/// conflict.
fn unchanged_since_last_applied(live: &Value, kind: Type) -> Option<FieldSet> {
    let text = live["metadata"]["annotations"][LAST_APPLIED].as_str()?;
    let last: Value = serde_json::from_str(text).ok()?;
    if last["apiVersion"].as_str() != Some(API_VERSION)
        || !super::walk::check(&last, kind).is_empty()
    {
        return None;
    }
    let comparison = compare(&last, live, kind);
    Some(
        fields(&last, kind)
            .difference(&comparison.modified)
            .difference(&comparison.added)
            .difference(&comparison.removed),
    )
}

/// Returns the path of the last-applied annotation.
pub(super) fn last_applied_path() -> FieldPath {
    ["metadata", "annotations", LAST_APPLIED]
        .iter()
        .map(|name| PathElement::Field((*name).to_owned()))
        .collect()
}

/// Updates the last-applied annotation, if the object has one.
pub(super) fn renew_last_applied(object: &mut Value, manifest: &Value) {
    let has = object["metadata"]["annotations"][LAST_APPLIED]
        .as_str()
        .is_some_and(|text| !text.is_empty());
    if !has {
        return;
    }
    let mut manifest = manifest.clone();
    if let Some(annotations) = annotations_of(&mut manifest) {
        annotations.remove(LAST_APPLIED);
    }
    let text = crate::encode::json(&manifest, true) + "\n";
    if let Some(annotations) = annotations_of(object) {
        annotations.insert(LAST_APPLIED.to_owned(), text.into());
        let size: usize = annotations
            .iter()
            .map(|(name, value)| name.len() + value.as_str().map_or(0, str::len))
            .sum();
        if size > MAX_ANNOTATIONS {
            annotations.remove(LAST_APPLIED);
        }
    }
}

/// Maximum size of all annotations of an object, in bytes.
const MAX_ANNOTATIONS: usize = 256 * 1024;

fn annotations_of(object: &mut Value) -> Option<&mut Map<String, Value>> {
    object
        .get_mut("metadata")?
        .get_mut("annotations")?
        .as_object_mut()
}
