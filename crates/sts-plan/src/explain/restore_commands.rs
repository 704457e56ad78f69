//! The kubectl commands of a rollback, limited to the fields that differ.

use serde_json::{Map, Value, json};

use super::change_commands::{difference, patch, stored_template};
use crate::command::{kubectl, named, pair};
use sts_controller::object::Snapshot;

/// The container lists of a pod spec.
const CONTAINERS: [&str; 2] = ["containers", "initContainers"];

/// Returns the commands that set these members of a set's spec to their values in `wanted`. `revision` is the number of
/// the revision with that template, if it exists.
#[must_use]
pub fn restore_commands(
    wanted: &Value,
    members: &[&str],
    end: &Snapshot,
    revision: Option<i64>,
) -> Vec<String> {
    let now = end.set.object.open();
    let now = &now["spec"];
    let mut commands = Vec::new();
    if members.contains(&"template") {
        commands.push(template_command(
            &now["template"],
            &wanted["template"],
            end,
            revision,
        ));
    }
    let others = members.iter().filter(|member| **member != "template");
    let fields: Map<String, Value> = others
        .filter_map(|member| {
            let value = difference(&now[*member], &wanted[*member])?;
            Some(((*member).to_owned(), value))
        })
        .collect();
    if !fields.is_empty() {
        commands.push(patch(end, "merge", &json!({"spec": fields})));
    }
    commands
}

/// Returns the command that changes the template: a rollback to its revision, or else the smallest patch.
fn template_command(now: &Value, wanted: &Value, end: &Snapshot, revision: Option<i64>) -> String {
    let set = named(&end.set.meta.name);
    if let Some(number) = revision {
        let undo = format!("rollout undo sts/{set} --to-revision={number}");
        return kubectl(end, &undo);
    }
    let (now, wanted) = (&stored_template(now), &stored_template(wanted));
    if let Some(images) = images(now, wanted) {
        return kubectl(end, &format!("set image sts/{set} {}", images.join(" ")));
    }
    let mut operations = Vec::new();
    json_patch("/spec/template", now, wanted, &mut operations);
    patch(end, "json", &Value::Array(operations))
}

/// Returns the containers and their images if nothing else differs.
fn images(now: &Value, wanted: &Value) -> Option<Vec<String>> {
    let mut reached = now.clone();
    let mut pairs = Vec::new();
    for list in CONTAINERS {
        let path = format!("/spec/{list}");
        let containers = reached.pointer_mut(&path).and_then(Value::as_array_mut);
        let wanted = wanted.pointer(&path).and_then(Value::as_array);
        let pairs_of = containers
            .into_iter()
            .flatten()
            .zip(wanted.into_iter().flatten());
        for (container, wanted) in pairs_of {
            if container["image"] != wanted["image"] {
                let (name, image) = (wanted["name"].as_str()?, wanted["image"].as_str()?);
                pairs.push(pair(name, image));
                container["image"] = image.into();
            }
        }
    }
    (reached == *wanted).then_some(pairs)
}

/// Appends the JSON patch operations that turn one value into another. Named list elements are patched in place after a
/// test of their name.
fn json_patch(path: &str, old: &Value, new: &Value, out: &mut Vec<Value>) {
    match (old, new) {
        (old, new) if old == new => {}
        (Value::Object(old), Value::Object(new)) => {
            let place = |key: &str| format!("{path}/{}", key.replace('~', "~0").replace('/', "~1"));
            let removed = old.keys().filter(|key| !new.contains_key(*key));
            out.extend(removed.map(|key| json!({"op": "remove", "path": place(key)})));
            for (key, value) in new {
                match old.get(key) {
                    Some(before) => json_patch(&place(key), before, value, out),
                    None => out.push(json!({"op": "add", "path": place(key), "value": value})),
                }
            }
        }
        (Value::Array(old), Value::Array(new)) if have_same_names(old, new) => {
            for (at, (old, new)) in old.iter().zip(new).enumerate() {
                if old != new {
                    let path = format!("{path}/{at}");
                    let name = format!("{path}/name");
                    out.push(json!({"op": "test", "path": name, "value": new["name"]}));
                    json_patch(&path, old, new, out);
                }
            }
        }
        (_, new) => out.push(json!({"op": "replace", "path": path, "value": new})),
    }
}

/// Reports whether two lists have elements with the same names in the same order.
fn have_same_names(old: &[Value], new: &[Value]) -> bool {
    let mut pairs = old.iter().zip(new);
    old.len() == new.len()
        && pairs.all(|(old, new)| new["name"].is_string() && old["name"] == new["name"])
}
