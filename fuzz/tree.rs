//! Changes of a value that leave it a value: what stands elsewhere, of another type, at an edge, twice or not at all.

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::Value;

/// Keys that objects have, and some that they do not.
const KEYS: &[&str] = &[
    "apiVersion",
    "kind",
    "metadata",
    "name",
    "namespace",
    "uid",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
    "deletionTimestamp",
    "creationTimestamp",
    "generation",
    "resourceVersion",
    "spec",
    "replicas",
    "replica",
    "selector",
    "matchLabels",
    "matchExpressions",
    "template",
    "serviceName",
    "podManagementPolicy",
    "updateStrategy",
    "type",
    "rollingUpdate",
    "partition",
    "maxUnavailable",
    "minReadySeconds",
    "revisionHistoryLimit",
    "volumeClaimTemplates",
    "persistentVolumeClaimRetentionPolicy",
    "whenScaled",
    "ordinals",
    "start",
    "containers",
    "initContainers",
    "image",
    "env",
    "resources",
    "limits",
    "requests",
    "status",
    "phase",
    "conditions",
    "items",
    "data",
    "digest",
    "steps",
    "",
    ".",
    "a/b",
    "\u{202e}",
];

/// The values that take the place of another, as JSON.
const LEAVES: &[&str] = &[
    "null",
    "true",
    "0",
    "-1",
    "1",
    "2",
    "2147483647",
    "2147483648",
    "-2147483648",
    "9223372036854775807",
    "18446744073709551615",
    "1e300",
    "0.5",
    "-0.0",
    "\"\"",
    "\"0\"",
    "\"-1\"",
    "\"50%\"",
    "\"101%\"",
    "\"1Gi\"",
    "\"1e400\"",
    "\"web\"",
    "\"web-0\"",
    "\"web-1\"",
    "\"StatefulSet\"",
    "\"Pod\"",
    "\"v1\"",
    "\"apps/v1\"",
    "\"OrderedReady\"",
    "\"Parallel\"",
    "\"OnDelete\"",
    "\"Recreate\"",
    "\"Delete\"",
    "\"Running\"",
    "\"Failed\"",
    "\"2026-01-01T00:00:00Z\"",
    "\"9999-12-31T23:59:59Z\"",
    "\"-0001-01-01T00:00:00Z\"",
    "\"\\u001b[31m\\u202e\\n\"",
    "\"<script>|`*\"",
    "{}",
    "[]",
    "[null]",
    "{\"\": null}",
    "[[[]]]",
    "[\"web\", {\"name\": \"web\"}]",
];
/// A value does not grow beyond.
const MOST_PLACES: usize = 2_000;

/// One change. Places are values, counted from the outside in.
#[derive(Debug, Clone)]
pub enum Graft {
    /// Another value in its place.
    Leaf(Index, usize),
    /// Its last member or item goes, or itself.
    Remove(Index),
    /// It stands at another place too.
    Copy(Index, Index),
    /// A member more: which key, and which leaf.
    Member(Index, usize, usize),
    /// An item comes twice.
    Repeat(Index),
}

/// The leaf of this number.
fn leaf(number: usize) -> Value {
    serde_json::from_str(LEAVES[number]).expect("it is JSON")
}

/// Any change.
pub fn graft() -> impl Strategy<Value = Graft> {
    let place = any::<Index>;
    prop_oneof![
        4 => (place(), 0..LEAVES.len()).prop_map(|(at, leaf)| Graft::Leaf(at, leaf)),
        2 => place().prop_map(Graft::Remove),
        2 => (place(), place()).prop_map(|(from, to)| Graft::Copy(from, to)),
        2 => (place(), 0..KEYS.len(), 0..LEAVES.len()).prop_map(|(at, key, leaf)| Graft::Member(at, key, leaf)),
        1 => place().prop_map(Graft::Repeat),
    ]
}

/// The value with these changes made, one after the other.
pub fn grafted(mut value: Value, grafts: &[Graft]) -> Value {
    for graft in grafts {
        let places = size(&value);
        match graft {
            Graft::Leaf(at, number) => change(&mut value, at.index(places), &mut |place| {
                *place = leaf(*number)
            }),
            Graft::Copy(from, to) => {
                let mut copied = Value::Null;
                change(&mut value, from.index(places), &mut |place| {
                    copied = place.clone()
                });
                change(&mut value, to.index(places), &mut |place| {
                    *place = copied.clone()
                });
            }
            Graft::Member(at, key, number) => change(&mut value, at.index(places), &mut |place| {
                if let Value::Object(members) = place {
                    members.insert(KEYS[*key].to_owned(), leaf(*number));
                }
            }),
            Graft::Remove(at) => change(&mut value, at.index(places), &mut |place| match place {
                Value::Object(members) => {
                    let last = members.keys().next_back().cloned();
                    last.and_then(|key| members.remove(&key));
                }
                Value::Array(items) => drop(items.pop()),
                other => *other = Value::Null,
            }),
            Graft::Repeat(at) => change(&mut value, at.index(places), &mut |place| {
                if let Value::Array(items) = place
                    && let Some(item) = items.first().cloned()
                {
                    items.push(item);
                }
            }),
        }
        // Copies of copies would grow without end.
        if size(&value) > MOST_PLACES {
            break;
        }
    }
    value
}

/// Returns the number of values that a value is made of, itself among them.
fn size(value: &Value) -> usize {
    1 + match value {
        Value::Object(members) => members.values().map(size).sum(),
        Value::Array(items) => items.iter().map(size).sum(),
        _ => 0,
    }
}

/// Changes the value at a place, counted in the order of the text.
fn change(value: &mut Value, place: usize, with: &mut dyn FnMut(&mut Value)) {
    let Some(mut left) = place.checked_sub(1) else {
        with(value);
        return;
    };
    let members: &mut dyn Iterator<Item = &mut Value> = match value {
        Value::Object(members) => &mut members.values_mut(),
        Value::Array(items) => &mut items.iter_mut(),
        _ => return,
    };
    for member in members {
        let within = size(member);
        if left < within {
            change(member, left, with);
            return;
        }
        left -= within;
    }
}
