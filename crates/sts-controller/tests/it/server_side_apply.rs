//! Server-side apply: managedFields, migration and conflicts, in addition to the recordings in `conformance`.

use serde_json::{Value, json};
use sts_controller::apiserver::server_side_apply::{
    ApplyError, Options, Persistence, apply, kubectl_apply,
};
use sts_controller::version::{Behaviour, Gates, Version};

use crate::vectors;

const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

fn newest() -> Behaviour {
    let version: Version = "1.36.2".parse().unwrap();
    Behaviour::new(version, &Gates::defaults(version))
}

fn by(manager: &str) -> Options<'_> {
    Options {
        manager,
        force: false,
        time: Some("2026-01-02T03:04:05Z"),
    }
}

fn forced(manager: &str) -> Options<'_> {
    Options {
        force: true,
        ..by(manager)
    }
}

fn web(replicas: Value, image: &str) -> Value {
    json!({
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "web", "namespace": "prod"},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{
                    "name": "app",
                    "image": image,
                    "ports": [{"containerPort": 80}],
                    "env": [{"name": "A", "value": "1"}]
                }]}
            }
        }
    })
}

/// Returns the variables of the container.
fn env(set: &Value) -> &Value {
    &set["spec"]["template"]["spec"]["containers"][0]["env"]
}

/// Returns the manifest without variables.
fn without_env(mut manifest: Value) -> Value {
    let container = &mut manifest["spec"]["template"]["spec"]["containers"][0];
    container.as_object_mut().unwrap().remove("env");
    manifest
}

fn applied(stored: Option<&Value>, manifest: &Value, options: &Options<'_>) -> Value {
    let outcome = apply(stored, manifest, options, &newest()).unwrap();
    assert!(outcome.refused.is_empty(), "{:?}", outcome.refused);
    outcome.set
}

/// Returns the fields of a manager.
fn fields<'s>(set: &'s Value, manager: &str) -> Option<&'s Value> {
    let entries = set["metadata"]["managedFields"].as_array()?;
    let entry = entries.iter().find(|entry| entry["manager"] == manager)?;
    Some(&entry["fieldsV1"])
}

/// Read from a real 1.20.2, whose types do not have the markers of 1.22 yet.
#[test]
fn references_and_node_selectors_are_owned_by_member_up_to_1_21() {
    let mut manifest = web(json!(1), "app:1");
    let spec = &mut manifest["spec"]["template"]["spec"];
    spec["imagePullSecrets"] = json!([{"name": "s"}]);
    spec["nodeSelector"] = json!({"a": "b"});
    spec["containers"][0]["env"] =
        json!([{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]);
    let owned = |version: &str| {
        let version: Version = version.parse().unwrap();
        let behaviour = Behaviour::new(version, &Gates::defaults(version));
        let set = apply(None, &manifest, &by("t"), &behaviour).unwrap().set;
        let all = fields(&set, "t").unwrap();
        let template = all["f:spec"]["f:template"]["f:spec"].clone();
        let container = &template["f:containers"]["k:{\"name\":\"app\"}"];
        let variable = &container["f:env"]["k:{\"name\":\"A\"}"];
        json!({
            "selector": all["f:spec"]["f:selector"],
            "secret": template["f:imagePullSecrets"]["k:{\"name\":\"s\"}"],
            "nodes": template["f:nodeSelector"],
            "variable": variable["f:valueFrom"],
        })
    };
    let by_member = json!({
        "selector": {},
        "secret": {".": {}, "f:name": {}},
        "nodes": {"f:a": {}},
        "variable": {"f:fieldRef": {"f:fieldPath": {}}},
    });
    let as_a_whole = json!({
        "selector": {}, "secret": {}, "nodes": {}, "variable": {"f:fieldRef": {}},
    });
    for version in ["1.20.2", "1.21.0"] {
        assert_eq!(owned(version), by_member, "{version}");
    }
    for version in ["1.22.0", "1.36.2"] {
        assert_eq!(owned(version), as_a_whole, "{version}");
    }
}

#[test]
fn an_applied_set_has_recorded_managed_fields() {
    let mut compared = 0;
    for file in vectors::files("ssa") {
        for case in vectors::cases(&file) {
            let created = case["created"].as_str().unwrap_or_default();
            let untouched = |name: &str| case[name].as_array().is_some_and(Vec::is_empty);
            let manager = case["fieldManager"].as_str().unwrap();
            let stored = &case["stored"];
            if !(created.starts_with("ssa-") && untouched("drift") && untouched("changes")) {
                continue;
            }
            let entries = stored["metadata"]["managedFields"].as_array().unwrap();
            if entries.len() != 1 || fields(stored, manager).is_none() {
                continue;
            }
            let ours = applied(None, &case["manifest"], &by(manager));
            assert_eq!(
                fields(&ours, manager),
                fields(stored, manager),
                "{}",
                case["id"]
            );
            compared += 1;
        }
    }
    assert!(compared > 0);
    test_kit::tell(&format!("ssa: {compared} owned field sets compared"));
}

#[test]
fn existing_fields_get_a_manager_at_the_first_apply() {
    let mut compared = 0;
    for file in vectors::files("ssa") {
        for case in vectors::cases(&file) {
            if case["created"] != "create" || !case["drift"].as_array().is_some_and(Vec::is_empty) {
                continue;
            }
            // kubectl create owns everything that it created, including defaults: the same as everything before any
            // apply.
            let mut stored = case["stored"].clone();
            let theirs = fields(&stored, "kubectl-create").unwrap().clone();
            stored["metadata"]
                .as_object_mut()
                .unwrap()
                .remove("managedFields");
            let nothing = json!({
                "apiVersion": "apps/v1",
                "kind": "StatefulSet",
                "metadata": {"name": stored["metadata"]["name"]}
            });
            let ours = applied(Some(&stored), &nothing, &by("someone"));
            assert_eq!(
                fields(&ours, "before-first-apply"),
                Some(&theirs),
                "{}",
                case["id"]
            );
            compared += 1;
        }
    }
    assert!(compared > 0);
    println!("{compared} compared");
}

#[test]
fn a_conflict_has_field_manager_and_time() {
    let stored = applied(None, &web(json!(3), "nginx:1"), &by("argocd-controller"));
    let answer = apply(
        Some(&stored),
        &web(json!(5), "nginx:1"),
        &by("kubectl"),
        &newest(),
    );
    let Err(ApplyError::Conflicts(conflicts)) = answer else {
        panic!("{answer:?}");
    };
    assert_eq!(
        conflicts.to_string(),
        "Apply failed with 1 conflict: conflict with \"argocd-controller\": .spec.replicas"
    );
    let [conflict] = conflicts.0.as_slice() else {
        panic!("{conflicts:?}");
    };
    assert_eq!(conflict.field(), ".spec.replicas");
    assert_eq!(conflict.owner.manager, "argocd-controller");
    assert_eq!(
        conflict.owner.since.as_deref(),
        Some("2026-01-02T03:04:05Z")
    );
}

#[test]
fn force_takes_over_the_field() {
    let stored = applied(None, &web(json!(3), "nginx:1"), &by("argocd-controller"));
    let taken = applied(Some(&stored), &web(json!(5), "nginx:1"), &forced("kubectl"));
    assert_eq!(taken["spec"]["replicas"], 5);
    let theirs = fields(&taken, "argocd-controller").unwrap();
    assert_eq!(theirs["f:spec"].get("f:replicas"), None);
    assert!(theirs["f:spec"].get("f:template").is_some());
    assert_eq!(
        fields(&taken, "kubectl").unwrap()["f:spec"]["f:replicas"],
        json!({})
    );
}

#[test]
fn equal_values_are_shared_until_the_last_owner_leaves() {
    let one = applied(None, &web(json!(3), "nginx:1"), &by("one"));
    let both = applied(Some(&one), &web(json!(3), "nginx:1"), &by("two"));
    let without = without_env(web(json!(3), "nginx:1"));
    let stays = applied(Some(&both), &without, &by("one"));
    assert_eq!(env(&stays), &json!([{"name": "A", "value": "1"}]));
    let gone = applied(Some(&stays), &without, &by("two"));
    assert_eq!(env(&gone), &Value::Null);
}

#[test]
fn a_port_without_a_protocol_is_tcp() {
    let set = applied(None, &web(json!(3), "nginx:1"), &by("kubectl"));
    let container = &fields(&set, "kubectl").unwrap()["f:spec"]["f:template"]["f:spec"]["f:containers"]
        ["k:{\"name\":\"app\"}"];
    assert_eq!(
        container["f:ports"]["k:{\"containerPort\":80,\"protocol\":\"TCP\"}"],
        json!({".": {}, "f:containerPort": {}})
    );
}

#[test]
fn a_migrated_set_loses_removed_fields() {
    let manifest = web(json!(3), "nginx:1");
    let mut sent = manifest.clone();
    sent["metadata"]["annotations"] = json!({LAST_APPLIED: manifest.to_string()});
    let mut stored = applied(None, &sent, &by("x"));
    for entry in stored["metadata"]["managedFields"].as_array_mut().unwrap() {
        entry["manager"] = json!("kubectl-client-side-apply");
        entry["operation"] = json!("Update");
    }
    let without = without_env(manifest);
    let options = by("kubectl");
    let run = |persistence| {
        kubectl_apply(Some(&stored), &without, &options, persistence, &newest())
            .unwrap()
            .set
    };
    // A dry run stores nothing that its migration could continue from.
    assert_ne!(env(&run(Persistence::DryRun)), &Value::Null);
    let migrated = run(Persistence::Stored);
    assert_eq!(env(&migrated), &Value::Null);
    assert_eq!(fields(&migrated, "kubectl-client-side-apply"), None);
    assert!(fields(&migrated, "kubectl-last-applied").is_some());
}

#[test]
fn an_apply_without_changes_keeps_the_time() {
    let stored = applied(None, &web(json!(3), "nginx:1"), &by("kubectl"));
    let later = Options {
        time: Some("2026-02-02T00:00:00Z"),
        ..by("kubectl")
    };
    let again = applied(Some(&stored), &web(json!(3), "nginx:1"), &later);
    assert_eq!(
        again["metadata"]["managedFields"],
        stored["metadata"]["managedFields"]
    );
}
