//! Objects of other kinds behind one another, and how they are named.

use std::sync::Arc;

use serde_json::Value;

use crate::catalogue::{Trouble, trouble_of};
use crate::plan::Plan;
use sts_controller::object::{Bystander, Meta};

/// Maximum number of steps from an object to the one that it depends on.
const DEEPEST: usize = 3;

/// Returns the object in trouble behind the trouble of an object: one that its specification refers to, or else one that
/// it has made.
pub(super) fn deepest<'p>(
    plan: &'p Plan,
    object: &'p Bystander,
    trouble: Trouble,
) -> (&'p Bystander, Trouble) {
    let (mut object, mut trouble) = (object, trouble);
    for _ in 0..DEEPEST {
        match below(plan, object) {
            Some((next, behind)) => (object, trouble) = (next, behind),
            None => break,
        }
    }
    (object, trouble)
}

/// Returns the first object in trouble that an object refers to, or that it has made.
fn below<'p>(plan: &'p Plan, object: &Bystander) -> Option<(&'p Bystander, Trouble)> {
    let mut names = Vec::new();
    references(&object.spec, &mut names);
    let related = plan.related.bystanders(&object.meta.namespace);
    let others: Vec<_> = related
        .filter(|it| it.meta.uid != object.meta.uid)
        .collect();
    let is_meant = |it: &&&Arc<Bystander>| {
        let mut named = names.iter();
        named.any(|(kind, name)| *it.kind == **kind && *it.meta.name == **name)
    };
    let is_made = |it: &&&Arc<Bystander>| {
        let mut owners = it.meta.owner_references.iter();
        // A label of its group with its name: `cluster.x-k8s.io/deployment-name`.
        let mut labels = it.meta.labels.iter();
        let is_labeled = labels.any(|(key, value)| {
            let group = key.split_once('/').map_or("", |(group, _)| group);
            !group.is_empty() && *group == *object.group && *value == object.meta.name
        });
        is_labeled
            || !object.meta.uid.is_empty() && owners.any(|owner| owner.uid == object.meta.uid)
    };
    let in_trouble = |it: &&'p Arc<Bystander>| Some((&***it, trouble_of(it)?));
    let mut meant = others.iter().filter(is_meant).filter_map(in_trouble);
    meant
        .next()
        .or_else(|| others.iter().filter(is_made).filter_map(in_trouble).next())
}

/// Collects the kinds and names of the objects that a specification refers to: `issuerRef: {kind: Issuer, name: ca}`.
fn references<'v>(value: &'v Value, found: &mut Vec<(&'v str, &'v str)>) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                let is_reference = key.ends_with("Ref");
                match (value["kind"].as_str(), value["name"].as_str()) {
                    (Some(kind), Some(name)) if is_reference => found.push((kind, name)),
                    _ => references(value, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}

/// Names an object, as [`named`] does.
pub(super) fn path(plan: &Plan, object: &Bystander) -> String {
    let meta = &object.meta;
    let is_elsewhere = is_elsewhere(plan, meta);
    named(&object.kind, &meta.namespace, &meta.name, is_elsewhere)
}

/// `Volume longhorn-system/pvc-1`, or `Certificate web` in the namespace of the set and of the whole cluster.
pub(super) fn named(kind: &str, namespace: &str, name: &str, is_elsewhere: bool) -> String {
    match is_elsewhere {
        true => format!("{kind} {namespace}/{name}"),
        false => format!("{kind} {name}"),
    }
}

/// Reports whether an object is in another namespace than the set.
pub(super) fn is_elsewhere(plan: &Plan, meta: &Meta) -> bool {
    !meta.namespace.is_empty() && meta.namespace != plan.snapshot.set.meta.namespace
}
