//! Applied manifests and edited fields, with their effects.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};
use sts_controller::apiserver::apply::{
    ChangeError, Edit, Effect, LAST_APPLIED, Outcome, PLANNED_UID, Path, Request, apply,
    apply_manifest, change, revision_to_restore, three_way,
};
use sts_controller::apiserver::validation::{RefusedKind, Rejection};
use sts_controller::object::Revision;
use sts_controller::version::{Behaviour, Gates, Version};

use crate::manifests::manifest;
use crate::vectors;

fn at(version: &str) -> Behaviour {
    let version: Version = version.parse().unwrap();
    Behaviour::new(version, &Gates::defaults(version))
}

fn web() -> Value {
    json!({
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "web", "namespace": "prod", "labels": {"app": "web"}},
        "spec": {
            "replicas": 3,
            "serviceName": "web",
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [
                    {"name": "app", "image": "nginx:1", "env": [{"name": "A", "value": "1"}]},
                    {"name": "log", "image": "log:1"}
                ]}
            },
            "volumeClaimTemplates": [{
                "metadata": {"name": "data"},
                "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
            }]
        }
    })
}

fn applied(stored: Option<&Value>, manifest: &Value) -> Outcome {
    let behaviour = at("1.36");
    apply_manifest(stored, manifest, &behaviour).unwrap()
}

/// The stored set: its manifest was applied, and another manager changed it.
fn stored() -> Value {
    let mut set = applied(None, &web()).set;
    set["metadata"]["resourceVersion"] = json!("7");
    set["metadata"]["creationTimestamp"] = json!("2026-01-01T00:00:00Z");
    set["status"] = json!({"replicas": 3, "currentRevision": "web-1"});
    set
}

fn edited(edits: Vec<Edit>) -> Outcome {
    let behaviour = at("1.36");
    let request = Request {
        manifest: None,
        edits,
    };
    change(Some(&stored()), &request, &behaviour).unwrap()
}

fn refused_edit(edit: Edit) -> String {
    let behaviour = at("1.36");
    let request = Request {
        manifest: None,
        edits: vec![edit],
    };
    let error = change(Some(&stored()), &request, &behaviour).unwrap_err();
    error.to_string()
}

/// Returns the changes as `path: old -> new (effect)`.
fn lines(outcome: &Outcome) -> Vec<String> {
    let text = |value: &Option<Value>| value.as_ref().map_or("-".to_owned(), Value::to_string);
    outcome
        .changes
        .iter()
        .map(|change| {
            format!(
                "{}: {} -> {} ({})",
                change.path,
                text(&change.old),
                text(&change.new),
                change.effect.name()
            )
        })
        .collect()
}

#[test]
fn creation() {
    let outcome = applied(None, &web());
    assert_eq!(outcome.refused, []);
    assert_eq!(outcome.changes, []);
    let metadata = &outcome.set["metadata"];
    assert_eq!(metadata["uid"], PLANNED_UID);
    assert_eq!(metadata["generation"], 1);
    let text = metadata["annotations"][LAST_APPLIED].as_str().unwrap();
    assert!(text.starts_with(
        r#"{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"annotations":{},"labels":{"app":"web"},"name":"web","namespace":"prod"},"spec":{"#
    ));
    assert!(text.ends_with("}\n"));
    let mut given = web();
    given["metadata"]["annotations"] = json!({});
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), given);
    // Fields that only a server may set are ignored in a manifest.
    let mut exported = web();
    exported["metadata"]["uid"] = json!("abc");
    exported["metadata"]["resourceVersion"] = json!("5");
    exported["status"] = json!({"replicas": 9});
    let set = applied(None, &exported).set;
    assert_eq!(set["metadata"]["uid"], PLANNED_UID);
    assert_eq!(set["metadata"]["resourceVersion"], Value::Null);
    assert_eq!(set["status"]["replicas"], 0);
}

#[test]
fn applying_again_changes_nothing() {
    let stored = stored();
    let outcome = applied(Some(&stored), &web());
    assert_eq!(outcome.changes, []);
    assert_eq!(outcome.set, applied(Some(&outcome.set), &web()).set);
    assert_eq!(outcome.set["metadata"]["generation"], 1);
    for member in ["uid", "resourceVersion", "creationTimestamp"] {
        assert_eq!(outcome.set["metadata"][member], stored["metadata"][member]);
    }
    assert_eq!(outcome.set["status"]["currentRevision"], "web-1");
    // A manifest without a namespace is applied in the current one.
    let mut elsewhere = web();
    elsewhere["metadata"]
        .as_object_mut()
        .unwrap()
        .remove("namespace");
    assert_eq!(
        applied(Some(&stored), &elsewhere).set["metadata"],
        outcome.set["metadata"]
    );
}

#[test]
fn removed_fields_are_deleted_and_foreign_fields_stay() {
    let mut stored = stored();
    stored["spec"]["replicas"] = json!(7);
    stored["metadata"]["labels"]["other"] = json!("x");
    let app = &mut stored["spec"]["template"]["spec"]["containers"][0];
    app["env"] = json!([{"name": "INJECTED", "value": "1"}, {"name": "A", "value": "2"}]);
    app["tty"] = json!(true);
    let sidecar = json!({"name": "proxy", "image": "proxy:1"});
    let containers = stored["spec"]["template"]["spec"]["containers"].as_array_mut();
    containers.unwrap().insert(0, sidecar);

    let mut new = web();
    // Replicas are removed: a deleted field returns to its default.
    new["spec"].as_object_mut().unwrap().remove("replicas");
    new["metadata"].as_object_mut().unwrap().remove("labels");
    let app = &mut new["spec"]["template"]["spec"]["containers"][0];
    app["image"] = json!("nginx:2");
    app["env"] = json!([{"name": "B", "value": "1"}]);
    new["spec"]["template"]["spec"]["containers"]
        .as_array_mut()
        .unwrap()
        .pop();
    let outcome = applied(Some(&stored), &new);
    assert_eq!(
        lines(&outcome),
        [
            // All labels came from the manifest, so the map is deleted as a whole, including labels of other managers.
            "metadata.labels.app: \"web\" -> - (none)",
            "metadata.labels.other: \"x\" -> - (none)",
            "spec.replicas: 7 -> 1 (scale)",
            "spec.template.spec.containers[1].env[name=A]: {\"name\":\"A\",\"value\":\"2\"} -> - (rollout)",
            "spec.template.spec.containers[1].env[name=B]: - -> {\"name\":\"B\",\"value\":\"1\"} (rollout)",
            "spec.template.spec.containers[1].image: \"nginx:1\" -> \"nginx:2\" (rollout)",
            "spec.template.spec.containers[2]: {\"image\":\"log:1\",\"imagePullPolicy\":\"IfNotPresent\",\"name\":\"log\",\"resources\":{},\"terminationMessagePath\":\"/dev/termination-log\",\"terminationMessagePolicy\":\"File\"} -> - (rollout)",
        ]
    );
    let containers = &outcome.set["spec"]["template"]["spec"]["containers"];
    assert_eq!(containers[0]["name"], "proxy");
    assert_eq!(containers[1]["tty"], true);
    assert_eq!(containers[1]["env"][0]["name"], "INJECTED");
}

/// Merges of the member that determines the strategy: original, manifest, stored, expected.
#[test]
fn lists() {
    let cases = [
        // By key; elements of others stay, and keep their position relative to those that followed them.
        (
            "containers",
            json!([]),
            json!([{"name": "c"}, {"name": "a"}]),
            json!([{"name": "a", "x": 1}, {"name": "b"}]),
            json!([{"name": "c"}, {"name": "a", "x": 1}, {"name": "b"}]),
        ),
        (
            "env",
            json!([]),
            json!([{"name": "b"}]),
            json!([{"name": "a"}, {"name": "b"}]),
            json!([{"name": "a"}, {"name": "b"}]),
        ),
        (
            "env",
            json!([]),
            json!([{"name": "c"}]),
            json!([{"name": "a"}, {"name": "b"}]),
            json!([{"name": "c"}, {"name": "a"}, {"name": "b"}]),
        ),
        // An element that was applied before and is now missing is removed, if it still exists.
        (
            "env",
            json!([{"name": "a"}, {"name": "gone"}]),
            json!([{"name": "b"}]),
            json!([{"name": "a"}, {"name": "b"}]),
            json!([{"name": "b"}]),
        ),
        // A member of an element is removed in the same way.
        (
            "env",
            json!([{"name": "a", "value": "1"}]),
            json!([{"name": "a", "valueFrom": {}}]),
            json!([{"name": "a", "value": "1"}]),
            json!([{"name": "a", "valueFrom": {}}]),
        ),
        (
            "ports",
            json!([]),
            json!([{"containerPort": 80, "name": "x"}]),
            json!([{"containerPort": 80, "protocol": "TCP"}]),
            json!([{"containerPort": 80, "name": "x", "protocol": "TCP"}]),
        ),
        // One number, two protocols.
        (
            "ports",
            json!([]),
            json!([{"containerPort": 53, "protocol": "UDP"}, {"containerPort": 53, "protocol": "TCP"}]),
            json!([{"containerPort": 53, "protocol": "UDP"}, {"containerPort": 53, "protocol": "TCP"}]),
            json!([{"containerPort": 53, "protocol": "UDP"}, {"containerPort": 53, "protocol": "TCP"}]),
        ),
        (
            "volumeMounts",
            json!([]),
            json!([{"mountPath": "/a", "name": "n"}]),
            json!([{"mountPath": "/a", "name": "o", "readOnly": true}]),
            json!([{"mountPath": "/a", "name": "n", "readOnly": true}]),
        ),
        (
            "volumeDevices",
            json!([]),
            json!([{"devicePath": "/a"}]),
            json!([{"devicePath": "/b"}]),
            json!([{"devicePath": "/a"}, {"devicePath": "/b"}]),
        ),
        (
            "hostAliases",
            json!([]),
            json!([{"ip": "1"}]),
            json!([{"ip": "2"}]),
            json!([{"ip": "1"}, {"ip": "2"}]),
        ),
        (
            "imagePullSecrets",
            json!([{"name": "a"}]),
            json!([{"name": "b"}]),
            json!([{"name": "a"}]),
            json!([{"name": "b"}]),
        ),
        (
            "topologySpreadConstraints",
            json!([]),
            json!([{"topologyKey": "zone", "maxSkew": 2}]),
            json!([{"topologyKey": "zone", "maxSkew": 1}]),
            json!([{"topologyKey": "zone", "maxSkew": 2}]),
        ),
        // A volume has one source: another one replaces it.
        (
            "volumes",
            json!([]),
            json!([{"name": "v", "configMap": {"name": "c"}}]),
            json!([{"name": "v", "emptyDir": {}}]),
            json!([{"name": "v", "configMap": {"name": "c"}}]),
        ),
        (
            "volumes",
            json!([]),
            json!([{"name": "v", "configMap": {"name": "c"}}]),
            json!([{"name": "v", "configMap": {"name": "b", "defaultMode": 420}}]),
            json!([{"name": "v", "configMap": {"name": "c", "defaultMode": 420}}]),
        ),
        // Sets of values.
        (
            "finalizers",
            json!(["a/x"]),
            json!(["a/y"]),
            json!(["a/x", "b/z"]),
            json!(["a/y", "b/z"]),
        ),
        (
            "finalizers",
            json!([]),
            json!(["b", "b"]),
            json!(["a", "b"]),
            json!(["a", "b"]),
        ),
        // All other lists are replaced.
        (
            "tolerations",
            json!([]),
            json!([{"key": "a"}]),
            json!([{"key": "b"}]),
            json!([{"key": "a"}]),
        ),
        (
            "volumeClaimTemplates",
            json!([]),
            json!([{"metadata": {"name": "a"}}]),
            json!([{"metadata": {"name": "a"}, "status": {}}]),
            json!([{"metadata": {"name": "a"}}]),
        ),
        (
            "args",
            json!(["x"]),
            json!(["a"]),
            json!(["x", "b"]),
            json!(["a"]),
        ),
    ];
    for (name, original, modified, current, expected) in cases {
        let object = |list: &Value| json!({ name: list });
        assert_eq!(
            three_way(&object(&original), &object(&modified), &object(&current)),
            Ok(object(&expected)),
            "{name} {modified} into {current}"
        );
    }
    // Without a stored list, everything is taken unchanged.
    let nameless = json!({"containers": [{"image": "nameless"}]});
    let merged = three_way(&json!({}), &nameless, &json!({}));
    assert_eq!(merged, Ok(nameless));
    let error = three_way(
        &json!({}),
        &json!({"spec": {"containers": [{"image": "a"}]}}),
        &json!({"spec": {"containers": [{"name": "a"}]}}),
    );
    assert_eq!(
        error.unwrap_err().to_string(),
        "spec.containers[0] has no name, the merge key of this list: add it"
    );
}

#[test]
fn members() {
    for (original, modified, current, expected) in [
        (
            json!({}),
            json!({"a": 1}),
            json!({"b": 2}),
            json!({"a": 1, "b": 2}),
        ),
        (json!({"b": 1}), json!({}), json!({"b": 2}), json!({})),
        (
            json!({"m": {"a": 1, "b": 1}}),
            json!({"m": {"a": 2}}),
            json!({"m": {"a": 0, "b": 0, "c": 0}}),
            json!({"m": {"a": 2, "c": 0}}),
        ),
        (json!({}), json!({"a": null}), json!({"a": 1}), json!({})),
        (
            json!({}),
            json!({"a": {"b": 1}}),
            json!({"a": "text"}),
            json!({"a": {"b": 1}}),
        ),
    ] {
        assert_eq!(three_way(&original, &modified, &current), Ok(expected));
    }
}

#[test]
fn without_the_annotation_nothing_is_deleted() {
    let mut stored = stored();
    stored["metadata"]
        .as_object_mut()
        .unwrap()
        .remove("annotations");
    let mut new = web();
    new["spec"].as_object_mut().unwrap().remove("replicas");
    new["spec"]["template"]["spec"]["containers"]
        .as_array_mut()
        .unwrap()
        .pop();
    let outcome = applied(Some(&stored), &new);
    assert_eq!(outcome.changes, []);
    assert!(outcome.set["metadata"]["annotations"][LAST_APPLIED].is_string());
    stored["metadata"]["annotations"] = json!({LAST_APPLIED: "no JSON"});
    assert!(matches!(
        apply(Some(&stored), &new),
        Err(ChangeError::LastApplied(_))
    ));
    assert_eq!(apply(None, &json!([])), Err(ChangeError::NotAnObject));
    assert!(matches!(
        apply(None, &json!({"metadata": 5})),
        Err(ChangeError::WrongType(_))
    ));
}

#[test]
fn flags() {
    let template = "spec.template.spec.containers[0]";
    for (edit, expected, generation) in [
        (Edit::replicas(5), vec!["spec.replicas: 3 -> 5 (scale)".to_owned()], 2),
        (Edit::replicas(3), vec![], 1),
        (
            Edit::partition(2),
            vec!["spec.updateStrategy.rollingUpdate.partition: 0 -> 2 (none)".to_owned()],
            2,
        ),
        (
            Edit::min_ready_seconds(10),
            vec!["spec.minReadySeconds: - -> 10 (none)".to_owned()],
            2,
        ),
        (
            Edit::update_strategy("OnDelete"),
            vec![
                "spec.updateStrategy.rollingUpdate.partition: 0 -> - (none)".to_owned(),
                "spec.updateStrategy.type: \"RollingUpdate\" -> \"OnDelete\" (none)".to_owned(),
            ],
            2,
        ),
        (Edit::update_strategy("RollingUpdate"), vec![], 1),
        (
            Edit::Image {
                container: Some("app".to_owned()),
                image: "nginx:2".to_owned(),
            },
            vec![format!("{template}.image: \"nginx:1\" -> \"nginx:2\" (rollout)")],
            2,
        ),
        (
            Edit::restart("2026-01-01T00:00:00Z"),
            vec![
                "spec.template.metadata.annotations[\"kubectl.kubernetes.io/restartedAt\"]: - -> \"2026-01-01T00:00:00Z\" (rollout)"
                    .to_owned(),
            ],
            2,
        ),
        (
            Edit::Set {
                path: "spec.ordinals.start".parse().unwrap(),
                value: json!(3),
            },
            vec!["spec.ordinals.start: - -> 3 (scale)".to_owned()],
            2,
        ),
        (
            Edit::Set {
                path: "metadata.labels[\"a.b/c\"]".parse().unwrap(),
                value: json!("x"),
            },
            vec!["metadata.labels[\"a.b/c\"]: - -> \"x\" (none)".to_owned()],
            1,
        ),
        (
            Edit::Set {
                path: "spec.template.spec.containers[name=app].env[name=A]".parse().unwrap(),
                value: Value::Null,
            },
            vec![format!("{template}.env[0]: {{\"name\":\"A\",\"value\":\"1\"}} -> - (rollout)")],
            2,
        ),
    ] {
        let outcome = edited(vec![edit.clone()]);
        assert_eq!(lines(&outcome), expected, "{edit:?}");
        assert_eq!(outcome.refused, [], "{edit:?}");
        assert_eq!(
            outcome.set["metadata"]["generation"], generation,
            "{edit:?}"
        );
    }
}

#[test]
fn a_flag_of_a_disabled_feature_is_dropped_with_a_warning() {
    let outcome = edited(vec![Edit::max_unavailable("2")]);
    assert_eq!(outcome.changes, []);
    assert_eq!(
        outcome.warnings,
        [
            "spec.updateStrategy.rollingUpdate.maxUnavailable: silently dropped by Kubernetes 1.36, since feature gate MaxUnavailableStatefulSet is off"
        ]
    );
    let version: Version = "1.36".parse().unwrap();
    let on = Gates::parse("MaxUnavailableStatefulSet=true").unwrap();
    let behaviour = Behaviour::new(version, &Gates::new(version, &on).unwrap());
    for (text, value) in [("2", json!(2)), ("25%", json!("25%"))] {
        let request = Request {
            manifest: None,
            edits: vec![Edit::max_unavailable(text)],
        };
        let outcome = change(Some(&stored()), &request, &behaviour).unwrap();
        assert_eq!(outcome.changes[0].new, Some(value));
        assert_eq!(outcome.warnings, Vec::<String>::new());
    }
}

#[test]
fn a_strategy_without_its_block_stays_without() {
    let on_delete = edited(vec![Edit::update_strategy("OnDelete")]).set;
    assert_eq!(
        on_delete["spec"]["updateStrategy"],
        json!({"type": "OnDelete"})
    );
    let behaviour = at("1.36");
    let back = |edits| {
        let request = Request {
            manifest: None,
            edits,
        };
        change(Some(&on_delete), &request, &behaviour).unwrap()
    };
    let outcome = back(vec![Edit::update_strategy("RollingUpdate")]);
    assert_eq!(
        outcome.set["spec"]["updateStrategy"],
        json!({"type": "RollingUpdate"})
    );
    let outcome = back(vec![Edit::partition(1)]);
    assert_eq!(outcome.refused[0].path, "spec.updateStrategy.rollingUpdate");
    assert_eq!(
        outcome.changes[0].effect,
        Effect::Rejected(Rejection::Invalid)
    );
}

#[test]
fn refused_fields_are_rejected() {
    let mut new = web();
    new["spec"]["volumeClaimTemplates"][0]["spec"]["resources"]["requests"]["storage"] =
        json!("2Gi");
    new["spec"]["replicas"] = json!(-1);
    new["spec"]["template"]["spec"]["containers"][0]["image"] = json!("nginx:2");
    let outcome = applied(Some(&stored()), &new);
    assert_eq!(
        lines(&outcome),
        [
            "spec.replicas: 3 -> -1 (rejected)",
            "spec.template.spec.containers[0].image: \"nginx:1\" -> \"nginx:2\" (rollout)",
            "spec.volumeClaimTemplates[0].spec.resources.requests.storage: \"1Gi\" -> \"2Gi\" (rejected)",
        ]
    );
    let kinds: Vec<RefusedKind> = outcome.refused.iter().map(|refused| refused.kind).collect();
    assert_eq!(kinds, [RefusedKind::Invalid, RefusedKind::Forbidden]);
    assert_eq!(outcome.refused[0].old, Some(json!(3)));
    // A claim template inserted before the others does not change those.
    let mut new = web();
    let claims = new["spec"]["volumeClaimTemplates"].as_array_mut().unwrap();
    let mut log = claims[0].clone();
    log["metadata"]["name"] = json!("log");
    claims.insert(0, log);
    let paths: Vec<String> = applied(Some(&stored()), &new)
        .changes
        .into_iter()
        .map(|change| change.path)
        .collect();
    assert_eq!(paths, ["spec.volumeClaimTemplates[metadata.name=log]"]);
}

#[test]
fn invalid_edits() {
    let set = |path: &str| Edit::Set {
        path: path.parse().unwrap(),
        value: json!(1),
    };
    let image = |container: Option<&str>| Edit::Image {
        container: container.map(str::to_owned),
        image: "a".to_owned(),
    };
    for (edit, message) in [
        (
            image(Some("db")),
            "unknown container \"db\" (available: app, log)",
        ),
        (
            image(None),
            "missing container name: write CONTAINER=IMAGE (available: app, log)",
        ),
        (
            set("spec.template.spec.containers[2].image"),
            "spec.template.spec.containers[2] does not exist; spec.template.spec.containers has 2 elements: app, log",
        ),
        (
            set("spec.template.spec.containers[name=db]"),
            "spec.template.spec.containers[name=db] does not exist; spec.template.spec.containers has 2 elements: app, log",
        ),
        (
            set("spec.template.spec.volumes[0]"),
            "spec.template.spec.volumes[0] does not exist; spec.template.spec.volumes has no elements",
        ),
        (
            set("spec.replicas.x"),
            "spec.replicas is a number, not an object",
        ),
        (
            set("spec.replicas[0]"),
            "spec.replicas is a number, not a list",
        ),
        (
            set("status.replicas"),
            "\"status.replicas\" cannot be set: only metadata and spec can",
        ),
        (
            set("spec.serviceName"),
            "the change has values of the wrong type: spec.serviceName: expected a string, found the number 1: put it in quotes",
        ),
    ] {
        assert_eq!(refused_edit(edit), message);
    }
    let behaviour = at("1.36");
    assert_eq!(
        change(None, &Request::default(), &behaviour).unwrap_err(),
        ChangeError::NothingToChange
    );
    let unknown = edited(vec![set("spec.replica")]).unknown;
    assert_eq!(unknown[0].path, "spec.replica");
}

#[test]
fn paths() {
    for path in [
        "spec.replicas",
        "spec.template.spec.containers[0].image",
        "spec.template.spec.containers[name=app].env[name=A].value",
        "metadata.labels[\"a.b/c\"]",
    ] {
        assert_eq!(path.parse::<Path>().unwrap().to_string(), path);
    }
    let same = |a: &str, b: &str| assert_eq!(a.parse::<Path>(), b.parse::<Path>());
    same("a['b.c']", "a[\"b.c\"]");
    same("a[b]", "a.b");
    same("a[name=\"x\"]", "a[name=x]");
    for (path, at, problem) in [
        ("", 1, "missing name"),
        ("a..b", 3, "missing name"),
        ("a.", 3, "missing name"),
        ("a[", 3, "empty brackets"),
        ("a[]", 3, "empty brackets"),
        ("a[0", 4, "unclosed bracket"),
        ("a[\"b]", 3, "unclosed quote"),
        ("a[0]b", 5, "expected a dot or a bracket"),
        ("a]", 2, "expected a dot or a bracket"),
        ("a[99999999999999999999]", 23, "index too large"),
    ] {
        assert_eq!(
            path.parse::<Path>().unwrap_err().to_string(),
            format!(
                "invalid path {path:?} at character {at}: {problem}; write a.b, a[0], a[name=x] or a[\"k.ey\"]"
            )
        );
    }
}

#[test]
fn rolling_back() {
    let revision = |number: i64, image: &str| {
        let object = json!({
            "metadata": {"name": format!("web-{number}")},
            "revision": number,
            "data": {"spec": {"template": {"$patch": "replace", "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "app", "image": image}]}}}}
        });
        Arc::new(Revision::from_json(&object).unwrap())
    };
    let revisions = [revision(4, "a:4"), revision(1, "a:1"), revision(2, "a:2")];
    let image = |number| {
        revision_to_restore(&revisions, number)
            .map(|found| found.template().unwrap()["spec"]["containers"][0]["image"].clone())
    };
    assert_eq!(image(0).unwrap(), "a:2");
    assert_eq!(image(1).unwrap(), "a:1");
    assert_eq!(
        image(3).unwrap_err().to_string(),
        "unknown revision 3 (available: 1, 2, 4)"
    );
    assert_eq!(
        revision_to_restore(&revisions[..1], 0)
            .unwrap_err()
            .to_string(),
        "no earlier revision to roll back to (revisions: 1)"
    );
    let earlier = revision_to_restore(&revisions, 0).unwrap();
    let outcome = edited(vec![Edit::to_revision(earlier)]);
    assert_eq!(outcome.refused, []);
    assert_eq!(
        outcome.set["spec"]["template"]["spec"]["containers"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert_eq!(outcome.set["spec"]["template"]["$patch"], Value::Null);
}

#[test]
fn rolling_back_to_a_revision_that_does_not_replace_the_template() {
    let object = json!({
        "metadata": {"name": "web-1"},
        "revision": 1,
        "data": {"spec": {"template": {"spec": {"containers": [{"name": "sidecar", "image": "b:1"}]}}}}
    });
    let revision = Revision::from_json(&object).unwrap();
    let outcome = edited(vec![Edit::to_revision(&revision)]);
    // As kubectl sends it, the container is added to those of the set.
    let containers = outcome.set["spec"]["template"]["spec"]["containers"].as_array();
    let names = containers
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap());
    assert_eq!(names.collect::<Vec<_>>(), ["sidecar", "app", "log"]);
}

#[test]
fn a_name_too_long_for_pods() {
    let warnings = |length: usize| {
        let mut manifest = web();
        manifest["metadata"]["name"] = json!("a".repeat(length));
        applied(None, &manifest).warnings
    };
    assert!(warnings(52).is_empty());
    let warning = warnings(63).remove(0);
    assert!(
        warning.starts_with("metadata.name: 63 bytes are too long for pods (maximum 52)"),
        "{warning}"
    );
}

/// Sets as stored by servers of several versions, applied once more.
#[test]
fn recorded_manifests_applied_again() {
    for file in vectors::files("defaults") {
        for case in vectors::cases(&file) {
            let kubernetes = case["kubernetes"].as_str().unwrap();
            let behaviour = at(kubernetes);
            let created = apply_manifest(None, &case["input"], &behaviour).unwrap();
            let again = apply_manifest(Some(&created.set), &case["input"], &behaviour).unwrap();
            assert_eq!(again.changes, [], "{kubernetes} {}", case["id"]);
            assert_eq!(again.set, created.set, "{kubernetes} {}", case["id"]);
        }
    }
}

fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let given = members.iter().filter(|(_, value)| !value.is_null());
            given
                .map(|(name, value)| (name.clone(), without_nulls(value)))
                .collect()
        }
        Value::Array(items) => {
            let given = items.iter().filter(|value| !value.is_null());
            given.map(without_nulls).collect()
        }
        other => other.clone(),
    }
}

proptest! {
    #[test]
    fn a_manifest_applied_to_its_own_set_changes_nothing(seed: u64, minor in 19_u32..40) {
        let behaviour = at(&format!("1.{minor}"));
        // In kubectl too, a null member deletes the stored value.
        let manifest = without_nulls(&manifest(seed, 0));
        if let Ok(created) = apply_manifest(None, &manifest, &behaviour) {
            match apply_manifest(Some(&created.set), &manifest, &behaviour) {
                // 1.22 drops minReadySeconds of a new set, and refuses it in an update.
                Ok(_) if minor == 22 => {}
                Ok(again) => {
                    prop_assert_eq!(lines(&again), Vec::<String>::new());
                    prop_assert_eq!(
                        &again.set["metadata"]["generation"],
                        &created.set["metadata"]["generation"]
                    );
                }
                Err(error) => {
                    let keyless = matches!(error, ChangeError::NoMergeKey { .. });
                    prop_assert!(keyless, "{}", error);
                }
            }
        }
    }

    #[test]
    fn nothing_panics(seed: u64, other: u64, wrong in 0_u64..50, minor in 19_u32..40, path in "[a-c.\\[\\]=\"0-2]{0,12}") {
        let behaviour = at(&format!("1.{minor}"));
        let (stored, manifest) = (manifest(seed, wrong), manifest(other, wrong));
        let _ = apply_manifest(Some(&stored), &manifest, &behaviour);
        let mut edits = vec![
            Edit::partition(1),
            Edit::max_unavailable("x"),
            Edit::update_strategy("OnDelete"),
            Edit::Image { container: None, image: String::new() },
            Edit::restart(""),
        ];
        if let Ok(path) = format!("spec.{path}").parse() {
            edits.push(Edit::Set { path, value: json!({"a": [1]}) });
        }
        for edit in edits {
            let request = Request { manifest: None, edits: vec![edit] };
            let _ = change(Some(&stored), &request, &behaviour);
            let _ = change(Some(&json!([1])), &request, &behaviour);
        }
    }
}

/// The order of elements, as with `kubectl patch --local`: original, manifest, stored, expected, with a letter for each
/// element. Space left by a removed element determines the order.
#[test]
fn order_of_merged_lists() {
    for (original, modified, current, expected) in [
        ("", "ca", "ab", "cab"),
        ("c", "def", "bc", "bdef"),
        ("cbh", "f", "dc", "df"),
        ("efa", "fg", "eb", "bfg"),
        ("ef", "ec", "efad", "eadc"),
        ("x", "c", "ab", "cab"),
    ] {
        let list = |names: &str| -> Value {
            let elements = names.chars().map(|name| json!({"name": name.to_string()}));
            json!({"env": elements.collect::<Vec<_>>()})
        };
        assert_eq!(
            three_way(&list(original), &list(modified), &list(current)),
            Ok(list(expected)),
            "{modified} into {current}"
        );
    }
}
