//! The kubectl commands of a change and of its rollback.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::change::{Change, ManifestRequest};
use crate::command::{apply, kubectl, named, pair, quoted};
use crate::plan::Plan;
use sts_controller::apiserver::apply::{Edit, only_container};
use sts_controller::object::Snapshot;
use sts_controller::simulate::{Action, Cascade};

/// Returns the commands that make a change. Fields that change together share one request.
#[must_use]
pub fn change_commands(change: &Change<'_>, plan: &Plan, stored: Option<&Snapshot>) -> Vec<String> {
    let snapshot = &plan.snapshot;
    let set = named(&snapshot.set.meta.name);
    let mut out = Vec::new();
    if let Some(cascade) = change.delete {
        let cascade = match cascade {
            Cascade::Background => "",
            Cascade::Foreground => " --cascade=foreground",
            Cascade::Orphan => " --cascade=orphan",
        };
        out.push(kubectl(snapshot, &format!("delete sts {set}{cascade}")));
    }
    if let Some(manifest) = change.manifest {
        let mut command = apply(&plan.conditions);
        if let ManifestRequest::ApplyServerSide(options) = manifest.request {
            command += " --server-side";
            if options.manager != sts_controller::apiserver::server_side_apply::KUBECTL {
                command += &format!(" --field-manager {}", quoted(options.manager));
            }
            if options.force {
                command += " --force-conflicts";
            }
        }
        out.push(kubectl(snapshot, &command));
    }
    out.extend(edit_commands(&change.edits, plan, stored));
    out.extend(change.actions.iter().filter_map(|action| {
        let command = match action {
            Action::DeletePod(name) => format!("delete pod {}", named(name)),
            Action::DeleteClaim(name) => format!("delete pvc {}", named(name)),
            Action::GrowClaim(growth) => {
                return Some(grow_claim(snapshot, &growth.claim, &growth.size));
            }
            Action::DeleteRevision(name) => format!("delete controllerrevision {}", named(name)),
            _ => return None,
        };
        Some(kubectl(snapshot, &command))
    }));
    let claims = change.deleted_claims.iter();
    let claims = claims.filter(|name| snapshot.claims.contains_key(name.as_str()));
    out.extend(claims.map(|name| {
        let command = format!("delete pvc {} --wait=false", named(name));
        kubectl(snapshot, &command)
    }));
    let exists = |name: &&String| snapshot.pods.contains_key(name.as_str());
    let deleted: Vec<String> = change.deleted_pods.iter().filter(exists).cloned().collect();
    out.extend(delete_pods(&deleted, snapshot));
    out
}

/// Returns the command that deletes these pods, if any.
#[must_use]
pub fn delete_pods(pods: &[String], snapshot: &Snapshot) -> Option<String> {
    let names: Vec<_> = pods.iter().map(|pod| named(pod)).collect();
    (!names.is_empty()).then(|| kubectl(snapshot, &format!("delete pod {}", names.join(" "))))
}

/// Returns the command that saves a copy of a set from which it can be recreated.
#[must_use]
pub fn copy_command(snapshot: &Snapshot, copy: &str) -> String {
    let set = named(&snapshot.set.meta.name);
    let get = kubectl(snapshot, &format!("get sts {set} -o yaml"));
    save_creatable(&get, copy)
}

/// Returns the command that sets the storage request of a claim.
pub(super) fn grow_claim(snapshot: &Snapshot, claim: &str, size: &str) -> String {
    let fields = json!({"spec": {"resources": {"requests": {"storage": size}}}});
    let fields = fields.to_string();
    let patch = kubectl(snapshot, &format!("patch pvc {}", named(claim)));
    format!("{patch} --type merge -p {}", quoted(&fields))
}

/// Returns the commands that delete a set without its pods, and those that recreate it with these sizes. Each size has the
/// index of its claim template.
#[must_use]
pub fn grown_set_commands(
    snapshot: &Snapshot,
    templates: &[(usize, Arc<str>)],
) -> (Vec<String>, Vec<String>) {
    let set = named(&snapshot.set.meta.name);
    let file = format!("{set}-grown.yaml");
    let replace = templates.iter().map(|(place, size)| {
        let path = format!("/spec/volumeClaimTemplates/{place}/spec/resources/requests/storage");
        json!({"op": "replace", "path": path, "value": size})
    });
    let replace = Value::Array(replace.collect()).to_string();
    // kubectl only prints it: the API server would refuse the patch.
    let print = format!(
        "patch sts {set} --dry-run=client -o yaml --type json -p {}",
        quoted(&replace)
    );
    let delete = vec![
        save_creatable(&kubectl(snapshot, &print), &file),
        kubectl(snapshot, &format!("delete sts {set} --cascade=orphan")),
    ];
    let create = kubectl(snapshot, &format!("apply -f {}", quoted(&file)));
    (delete, vec![create])
}

/// Returns the command that saves the printed set without the fields that prevent its creation.
fn save_creatable(print: &str, file: &str) -> String {
    format!(
        "{print} | grep -vE '^  (creationTimestamp|generation|resourceVersion|uid):' > {}",
        quoted(file)
    )
}

/// Returns the number of the revision with this data.
fn revision_of(data: &Value, snapshot: &Snapshot) -> Option<i64> {
    let mut revisions = snapshot.revisions.values();
    let found = revisions.find(|revision| **revision.data() == *data);
    found.map(|revision| revision.number)
}

/// Normalizes a template: drops null members and the `$patch` directive of revisions.
pub(super) fn stored_template(template: &Value) -> Value {
    match template {
        Value::Object(members) => {
            let members = members.iter();
            let kept = members.filter(|(key, value)| *key != "$patch" && !value.is_null());
            let kept = kept.map(|(key, value)| (key.clone(), stored_template(value)));
            Value::Object(kept.collect())
        }
        Value::Array(elements) => Value::Array(elements.iter().map(stored_template).collect()),
        other => other.clone(),
    }
}

fn edit_commands(edits: &[Edit], plan: &Plan, stored: Option<&Snapshot>) -> Vec<String> {
    let snapshot = &plan.snapshot;
    let object = snapshot.set.object.open();
    let before = stored.map(|stored| stored.set.object.open());
    let before = before.as_deref().unwrap_or(&object);
    let set = named(&snapshot.set.meta.name);
    if let [edit] = edits
        && let Some(replicas) = edit.scales_to()
    {
        let scale = format!("scale sts {set} --replicas={replicas}");
        return vec![kubectl(snapshot, &scale)];
    }
    if let [Edit::Image { container, image }] = edits
        && let Some(container) = container.as_deref().or_else(|| only_container(&object))
    {
        let command = format!("set image sts/{set} {}", pair(container, image));
        return vec![kubectl(snapshot, &command)];
    }
    let mut fields = json!({});
    let mut after = Vec::new();
    for edit in edits {
        match edit {
            Edit::ToRevision(data) => {
                let number = stored.and_then(|stored| revision_of(data, stored));
                let undo = match number {
                    Some(number) => format!("rollout undo sts/{set} --to-revision={number}"),
                    None => format!("rollout undo sts/{set}"),
                };
                after.push(kubectl(snapshot, &undo));
            }
            _ if edit.restarts() => {
                after.push(kubectl(snapshot, &format!("rollout restart sts/{set}")));
            }
            _ => {
                // A share is one of the replicas after the change.
                let set = match edit {
                    Edit::PartitionShare(_) => &*object,
                    _ => before,
                };
                let Some(own) = edit.patch(set) else {
                    return whole_patch(plan, stored, after);
                };
                merge(&mut fields, own, matches!(edit, Edit::Image { .. }));
            }
        }
    }
    let mut commands = Vec::new();
    // The partition is set before the template that it holds back.
    if fields.as_object().is_some_and(|fields| !fields.is_empty()) {
        commands.push(patch(snapshot, "strategic", &fields));
    }
    commands.extend(after);
    commands
}

/// Merges a patch into another. `by_name` is true if the elements of its lists have names: each takes the place of the one
/// with its name, or comes last.
fn merge(into: &mut Value, from: Value, by_name: bool) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                merge(into.entry(key).or_insert(Value::Null), value, by_name);
            }
        }
        (Value::Array(into), Value::Array(from)) if by_name => {
            for new in from {
                match into.iter_mut().find(|old| old["name"] == new["name"]) {
                    Some(old) => *old = new,
                    None => into.push(new),
                }
            }
        }
        (into, from) => *into = from,
    }
}

/// Returns one merge patch with all changes of a plan, for edits that a smaller patch cannot express.
fn whole_patch(plan: &Plan, stored: Option<&Snapshot>, after: Vec<String>) -> Vec<String> {
    let new = plan.snapshot.set.object.open();
    let old = stored.map(|stored| stored.set.object.open());
    let old = old.as_deref().unwrap_or(&Value::Null);
    let mut commands = Vec::new();
    if let Some(spec) = difference(&old["spec"], &new["spec"]) {
        commands.push(patch(&plan.snapshot, "merge", &json!({"spec": spec})));
    }
    commands.extend(after);
    commands
}

/// Returns the merge patch that turns one value into another; `None` if they are equal.
pub(super) fn difference(old: &Value, new: &Value) -> Option<Value> {
    match (old, new) {
        (old, new) if old == new => None,
        (Value::Object(old), Value::Object(new)) => {
            let mut patch = Map::new();
            for (key, value) in new {
                let before = old.get(key).unwrap_or(&Value::Null);
                patch.extend(difference(before, value).map(|value| (key.clone(), value)));
            }
            let removed = old.keys().filter(|key| !new.contains_key(*key));
            patch.extend(removed.map(|key| (key.clone(), Value::Null)));
            Some(Value::Object(patch))
        }
        (_, new) => Some(new.clone()),
    }
}

pub(super) fn patch(snapshot: &Snapshot, kind: &str, fields: &Value) -> String {
    let set = named(&snapshot.set.meta.name);
    let fields = fields.to_string();
    let fields = quoted(&fields);
    kubectl(
        snapshot,
        &format!("patch sts {set} --type {kind} -p {fields}"),
    )
}
