//! The formats in which each string of an object may appear. A marker goes into every string that the program reads,
//! and tests/golden/canaries.txt lists its formats. A new field, or a field shown in another place, changes that file.
//! Decide there whether everyone who reads a pull request may read it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::{Map, Value, json};
use sts_controller::apiserver::quantity::Quantity;
use sts_controller::apiserver::schema::{Kind, Shape, pod_template};
use sts_plan::redact::redacted;

use crate::golden;
use crate::program::{self, program};
use test_kit::kv::NOW;

const FORMATS: [&str; 13] = [
    "table",
    "wide",
    "summary",
    "name",
    "json",
    "junit",
    "sarif",
    "github",
    "markdown",
    "svg",
    "html",
    "gitlab",
    "prometheus",
];
/// Formats for publication.
const POSTED: [&str; 7] = [
    "junit",
    "sarif",
    "github",
    "gitlab",
    "prometheus",
    "markdown",
    "html",
];
/// Number of fields that differ at once. No format cuts a list of this length.
const AT_ONCE: usize = 10;

fn marker(index: usize, side: &str) -> String {
    format!("c4n4ry{index:04}{side}")
}

/// Every string below a type, each in a tree that contains it.
fn leaves(
    shape: &'static Shape,
    path: &str,
    out: &mut Vec<(String, Vec<Step>)>,
    way: &mut Vec<Step>,
) {
    for field in shape.fields.iter().filter(|field| field.exists_in(37)) {
        let path = format!("{path}.{}", field.name);
        way.push(Step::Member(field.name));
        match field.kind {
            Kind::Text | Kind::IntOrString => out.push((path, way.clone())),
            Kind::Texts => {
                way.push(Step::Item);
                out.push((format!("{path}[0]"), way.clone()));
                way.pop();
            }
            Kind::TextMap => {
                way.push(Step::Member("key"));
                out.push((format!("{path}.key"), way.clone()));
                way.pop();
            }
            Kind::Object(inner) => leaves(inner, &path, out, way),
            Kind::Objects(inner) => {
                way.push(Step::Item);
                leaves(inner, &format!("{path}[0]"), out, way);
                way.pop();
            }
            _ => {}
        }
        way.pop();
    }
}

#[derive(Clone, Copy)]
enum Step {
    Member(&'static str),
    Item,
}

fn tree(way: &[Step], value: &str) -> Value {
    match way.split_first() {
        None => json!(value),
        Some((Step::Item, rest)) => json!([tree(rest, value)]),
        Some((Step::Member(name), rest)) => {
            Value::Object(Map::from_iter([((*name).to_owned(), tree(rest, value))]))
        }
    }
}

fn merge(into: &mut Value, from: Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (name, value) in from {
                merge(into.entry(name).or_insert(Value::Null), value);
            }
        }
        (Value::Array(into), Value::Array(from)) if !into.is_empty() => {
            for (item, value) in into.iter_mut().zip(from) {
                merge(item, value);
            }
        }
        (into, from) => *into = from,
    }
}

/// A set whose only pod has another template.
fn world(old: &Value, new: &Value) -> Value {
    let labels = json!({"app": "web"});
    let meta = |name: &str, uid: &str| {
        json!({"name": name, "namespace": "prod", "uid": uid, "labels": labels, "resourceVersion": "1",
               "creationTimestamp": "2026-11-01T00:00:00Z"})
    };
    let owned = |mut meta: Value| {
        meta["ownerReferences"] = json!([{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "web",
            "uid": "set", "controller": true, "blockOwnerDeletion": true}]);
        meta
    };
    let mut pod_meta = owned(meta("web-0", "pod"));
    pod_meta["labels"] = json!({"app": "web", "controller-revision-hash": "web-old",
        "statefulset.kubernetes.io/pod-name": "web-0", "apps.kubernetes.io/pod-index": "0"});
    let mut recorded = old.clone();
    recorded["$patch"] = json!("replace");
    let mut set_meta = meta("web", "set");
    set_meta["generation"] = json!(2);
    json!({"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": set_meta,
         "spec": {"replicas": 1, "serviceName": "web", "selector": {"matchLabels": labels}, "template": new},
         "status": {"replicas": 1, "readyReplicas": 1, "availableReplicas": 1, "currentReplicas": 1,
                    "updatedReplicas": 1, "currentRevision": "web-old", "updateRevision": "web-old",
                    "observedGeneration": 1, "collisionCount": 0}},
        {"apiVersion": "apps/v1", "kind": "ControllerRevision", "metadata": owned(meta("web-old", "revision")),
         "revision": 1, "data": {"spec": {"template": recorded}}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": pod_meta,
         "spec": {"containers": [{"name": "app", "image": "app"}]},
         "status": {"phase": "Running", "conditions": [
            {"type": "Ready", "status": "True", "lastTransitionTime": "2026-11-01T00:01:00Z"}]}}
    ]})
}

fn template(leaves: &[(usize, &(String, Vec<Step>))], side: &str) -> Value {
    let mut template = json!({"metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "app", "image": "app"}]}});
    for (index, (_, way)) in leaves {
        merge(&mut template, tree(way, &marker(*index, side)));
    }
    template
}

/// Returns the output of each format, from one run of the program.
fn formats(test: &str, world: &Value, more: &[&str]) -> BTreeMap<&'static str, String> {
    let folder = program::folder(&format!("canaries-{test}"));
    let input = folder.join("world.json");
    fs::write(&input, world.to_string()).unwrap();
    let mut command = program();
    command
        .args(["--now", NOW, "-o", "table", "-v", "-f"])
        .arg(&input);
    for format in &FORMATS[1..] {
        let path = folder.join(format);
        command.args(["--report", &format!("{format}={}", path.display())]);
    }
    let ran = command.args(more).output().unwrap();
    let errors = String::from_utf8(ran.stderr).unwrap();
    let read = |format: &'static str| {
        let text = match format {
            "table" => String::from_utf8(ran.stdout.clone()).unwrap() + &errors,
            _ => fs::read_to_string(folder.join(format))
                .unwrap_or_else(|_| panic!("{format}: {errors}")),
        };
        (format, text)
    };
    FORMATS.into_iter().map(read).collect()
}

#[test]
fn fields_of_a_template_that_differ() {
    let mut all = Vec::new();
    leaves(pod_template(), "spec.template", &mut all, &mut Vec::new());
    assert!(all.len() > 300, "{} strings in a template", all.len());
    let numbered: Vec<_> = all.iter().enumerate().collect();
    let mut shown = String::new();
    for some in numbered.chunks(AT_ONCE) {
        let texts = formats(
            "template",
            &world(&template(some, "old"), &template(some, "new")),
            &[],
        );
        for (index, (path, _)) in some {
            let appears: Vec<&str> = FORMATS
                .into_iter()
                .filter(|format| texts[format].contains(&marker(*index, "")))
                .collect();
            let is_secret = redacted(path, &json!("x")) != json!("x");
            let posted = appears.iter().find(|format| POSTED.contains(format));
            assert!(!is_secret || posted.is_none(), "{path} is in {posted:?}");
            shown.push_str(&format!("{path}: {}\n", appears.join(" ")));
        }
    }
    golden::check(&golden::root().join("golden/canaries-template.txt"), &shown);
}

#[test]
fn values_are_shown_on_request() {
    let mut all = Vec::new();
    leaves(pod_template(), "spec.template", &mut all, &mut Vec::new());
    let value = all
        .iter()
        .find(|(path, _)| path == "spec.template.spec.containers[0].env[0].value")
        .unwrap();
    let some = [(7, value)];
    let world = world(&template(&some, "old"), &template(&some, "new"));
    for (more, there) in [(&[][..], false), (&["--show-values"], true)] {
        let texts = formats("values", &world, more);
        for format in ["markdown", "html"] {
            assert_eq!(texts[format].contains(&marker(7, "new")), there, "{format}");
            assert!(texts[format].contains(".env["), "{format} says which field");
        }
        assert!(texts["table"].contains(&marker(7, "")) || texts["json"].contains(&marker(7, "")));
    }
}

/// Strings that tie objects together, or that must be one of a few values.
const TIES: [&str; 23] = [
    "apiVersion",
    "kind",
    "name",
    "namespace",
    "uid",
    "nodeName",
    "claimName",
    "volumeName",
    "storageClassName",
    "phase",
    "status",
    "type",
    "reason",
    "resourceVersion",
    "controller-revision-hash",
    "currentRevision",
    "updateRevision",
    "operator",
    "effect",
    "policy",
    "restartPolicy",
    "minAvailable",
    "maxUnavailable",
];

/// Appends a marker to every free-form string.
fn mark(value: &mut Value, path: &str, paths: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let path = format!("{path}.{name}");
                let tied = TIES.contains(&name.as_str())
                    || path.contains("abels")
                    || path.contains(".resources.");
                if !tied || member.is_object() || member.is_array() {
                    mark(member, &path, paths);
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                mark(item, &format!("{path}[]"), paths);
            }
        }
        Value::String(text) => {
            let is_time = text.parse::<jiff::Timestamp>().is_ok();
            let is_amount = Quantity::parse(text).is_ok();
            if !is_time && !is_amount {
                let index = paths.iter().position(|one| one == path).unwrap_or_else(|| {
                    paths.push(path.to_owned());
                    paths.len() - 1
                });
                text.push_str(&marker(index, ""));
            }
        }
        _ => {}
    }
}

/// Everything in the trial's situations besides the set and its revisions, with annotations, managed fields and an
/// environment for each object.
#[test]
fn strings_of_other_objects() {
    let mut appears: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for name in ["pg-crash", "p-zone", "p-quota", "p-attach", "pg-nodelost"] {
        let path = golden::root().join(format!("fixtures/trial/{name}.yaml"));
        let mut world: Value = serde_yaml::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        let mut paths = Vec::new();
        for item in world["items"].as_array_mut().unwrap() {
            let kind = item["kind"].as_str().unwrap().to_owned();
            if kind == "StatefulSet" || kind == "ControllerRevision" {
                continue;
            }
            item["metadata"]["annotations"] = json!({
                "example.com/note": "note",
                "kubectl.kubernetes.io/last-applied-configuration": "{}",
            });
            item["metadata"]["managedFields"] =
                json!([{"manager": "manager", "operation": "Update"}]);
            if kind == "Pod" {
                item["spec"]["containers"][0]["env"] =
                    json!([{"name": "TOKEN", "value": "hunter"}]);
                item["spec"]["containers"][0]["args"] = json!(["--token=hunter"]);
            }
            mark(item, &kind, &mut paths);
        }
        let texts = formats("objects", &world, &[]);
        for (index, path) in paths.iter().enumerate() {
            let found = FORMATS
                .into_iter()
                .filter(|format| texts[format].contains(&marker(index, "")));
            appears.entry(path.clone()).or_default().extend(found);
        }
    }
    let mut shown = String::new();
    for (path, formats) in &appears {
        let in_order: Vec<&str> = FORMATS
            .into_iter()
            .filter(|format| formats.contains(format))
            .collect();
        shown.push_str(&format!("{path}: {}\n", in_order.join(" ")));
        for never in [
            "managedFields",
            "last-applied",
            ".env[]",
            ".args[]",
            "example.com/note",
        ] {
            assert!(
                !path.contains(never) || in_order.is_empty(),
                "{path} is in {in_order:?}"
            );
        }
    }
    golden::check(&golden::root().join("golden/canaries-objects.txt"), &shown);
}

/// Messages of runtimes, probes, nodes and webhooks appear wherever they explain something, without credentials.
#[test]
fn credentials_in_messages_are_hidden() {
    const SECRET: &str = "c4n4ry-hunter2";
    let quoted = [
        format!("exec: \"/app --db-password {SECRET}\": permission denied"),
        format!("dial postgres://web:{SECRET}@db:5432/web: connection refused"),
        format!("body: {{\"token\": \"{SECRET}\"}}"),
    ];
    let mut messages = 0;
    for name in ["pg-crash", "p-zone", "p-quota", "p-attach", "pg-nodelost"] {
        let path = golden::root().join(format!("fixtures/trial/{name}.yaml"));
        let mut world: Value = serde_yaml::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        for item in world["items"].as_array_mut().unwrap() {
            quote(item, &quoted, &mut messages);
        }
        for (format, text) in formats("messages", &world, &["--show-values"]) {
            assert!(!text.contains(SECRET), "{name}, {format}");
        }
    }
    assert!(messages > 5, "{messages} messages");
}

/// Appends one of the texts to every message.
fn quote(value: &mut Value, texts: &[String], messages: &mut usize) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(text) if name == "message" => {
                        text.push_str(&format!(" {}", texts[*messages % texts.len()]));
                        *messages += 1;
                    }
                    member => quote(member, texts, messages),
                }
            }
        }
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| quote(item, texts, messages)),
        _ => {}
    }
}
