//! Decoding: dropped, written and refused values, with their messages.

use proptest::prelude::*;
use serde_json::{Value, json};
use sts_controller::apiserver::schema::{
    Kind, ListMerge, Shape, Zero, list_merge, normalize, pod_template, stateful_set,
};
use sts_controller::version::{OLDEST_MINOR, Version};

use crate::manifests::manifest;

fn read(spec: Value, minor: u32) -> Value {
    normalize(&json!({"spec": spec}), stateful_set(), minor)
        .unwrap()
        .value["spec"]
        .take()
}

fn container(container: Value) -> Value {
    json!({"template": {"spec": {"containers": [container]}}})
}

#[track_caller]
fn refused(manifest: Value, expected: &[&str]) {
    let errors = normalize(&manifest, stateful_set(), 36).unwrap_err();
    let messages: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(messages, expected);
}

#[test]
fn empty_values_are_dropped_kept_or_written() {
    let spec = read(
        json!({
            "replicas": 0, "podManagementPolicy": "", "minReadySeconds": 0, "updateStrategy": {"rollingUpdate": {}},
            "template": {
                "metadata": {"labels": {"a": null}, "annotations": {}},
                "spec": {
                    "containers": [
                        {"name": "a", "env": [{"name": "E", "value": ""}], "command": ["x", null],
                         "resources": {"limits": {"cpu": null}}, "securityContext": {}},
                        null
                    ],
                    "hostNetwork": false, "shareProcessNamespace": false, "volumes": []
                }
            }
        }),
        36,
    );
    assert_eq!(
        spec,
        json!({
            "replicas": 0, "selector": null, "serviceName": "", "updateStrategy": {"rollingUpdate": {}},
            "template": {
                "metadata": {"labels": {"a": ""}},
                "spec": {
                    "containers": [
                        {"name": "a", "env": [{"name": "E"}], "command": ["x", ""],
                         "resources": {"limits": {"cpu": "0"}}, "securityContext": {}},
                        {"name": "", "resources": {}}
                    ],
                    "shareProcessNamespace": false
                }
            }
        })
    );
}

#[test]
fn empty_timestamps_are_written_up_to_1_33() {
    let metadata =
        |minor| normalize(&json!({}), pod_template(), minor).unwrap().value["metadata"].clone();
    assert_eq!(metadata(33), json!({"creationTimestamp": null}));
    assert_eq!(metadata(34), json!({}));
}

#[test]
fn a_responder_of_1_37_without_a_priority_has_null() {
    let spec = json!({"spec": {"evictionResponders": [{"name": "example.com/a"}]}});
    let read = normalize(&spec, pod_template(), 37).unwrap().value;
    assert_eq!(
        read["spec"]["evictionResponders"],
        json!([{"name": "example.com/a", "priority": null}])
    );
}

#[test]
fn the_health_of_a_volume_in_1_37_has_a_transition_time() {
    let claim = json!({"status": {"healthStatus": {}}});
    let spec = read(json!({"volumeClaimTemplates": [claim]}), 37);
    assert_eq!(
        spec["volumeClaimTemplates"][0]["status"]["healthStatus"],
        json!({"lastTransitionTime": null})
    );
}

#[test]
fn numbers_and_quantities() {
    for (given, expected) in [
        (json!(0.5), "500m"),
        (json!(1000.0), "1k"),
        (json!(1500.0), "1500"),
        (json!(1), "1"),
        (json!(1e21), "1e+21"),
        (json!(" 1Gi "), "1Gi"),
        (json!(null), "0"),
    ] {
        let spec = read(
            container(json!({"resources": {"limits": {"cpu": given}}})),
            30,
        );
        assert_eq!(
            spec["template"]["spec"]["containers"][0]["resources"]["limits"]["cpu"], expected,
            "{given}"
        );
    }
    assert!(normalize(&json!({"spec": {"replicas": 3.0}}), stateful_set(), 30).is_err());
}

#[test]
fn times_are_in_utc_and_whole_seconds() {
    for (given, expected) in [
        ("2020-01-02T03:04:05Z", json!("2020-01-02T03:04:05Z")),
        ("2020-01-02T03:04:05.999999Z", json!("2020-01-02T03:04:05Z")),
        ("2020-01-01T00:30:00+01:00", json!("2019-12-31T23:30:00Z")),
        ("0001-01-01T00:00:00Z", json!(null)),
    ] {
        let manifest = json!({"metadata": {"deletionTimestamp": given}});
        let read = normalize(&manifest, stateful_set(), 36).unwrap().value;
        assert_eq!(read["metadata"]["deletionTimestamp"], expected, "{given}");
    }
    for wrong in [
        "",
        "2020-01-02",
        "2020-02-30T00:00:00Z",
        "2020-01-02t03:04:05z",
        "2020-01-02T03:04:60Z",
        "２０２０",
    ] {
        let manifest = json!({"metadata": {"deletionTimestamp": wrong}});
        assert!(normalize(&manifest, stateful_set(), 36).is_err(), "{wrong}");
    }
}

#[test]
fn wrong_types_have_a_path() {
    refused(
        json!({
            "metadata": {"labels": {"app": 1}},
            "spec": {
                "replicas": "3",
                "template": {"spec": {
                    "containers": [{"ports": [{"containerPort": "80"}], "resources": {"limits": {"cpu": "abc"}}}],
                    "nodeSelector": []
                }}
            }
        }),
        &[
            "metadata.labels[app]: expected a string, found the number 1: put it in quotes",
            "spec.replicas: expected a 32-bit integer, found the string \"3\": remove the quotes",
            "spec.template.spec.containers[0].ports[0].containerPort: expected a 32-bit integer, \
             found the string \"80\": remove the quotes",
            "spec.template.spec.containers[0].resources.limits[cpu]: the string \"abc\" is not a quantity: a \
             quantity is a number with an optional suffix, such as 500m, 2 or 1Gi",
            "spec.template.spec.nodeSelector: expected an object, found a list",
        ],
    );
    refused(json!([]), &["expected an object, found a list"]);
    refused(
        json!({"spec": {"replicas": 3_000_000_000_u64}}),
        &["spec.replicas: expected a 32-bit integer, found the number 3000000000"],
    );
    refused(
        json!({"spec": {"replicas": 3.5, "paused": 1, "revisionHistoryLimit": true}}),
        &[
            "spec.replicas: expected a 32-bit integer, found the number 3.5",
            "spec.revisionHistoryLimit: expected a 32-bit integer, found the boolean true",
        ],
    );
}

#[test]
fn unknown_members_have_the_minors_that_know_them() {
    let manifest = json!({
        "metadata": {"clusterName": "c"},
        "spec": {"Replicas": 1, "replica": 1, "ordinals": {"start": 1}, "template": {"spec": {"volumes": [{"name": "v", "image": {}}]}}}
    });
    let unknown = |minor| -> Vec<String> {
        let unknown = normalize(&manifest, stateful_set(), minor).unwrap().unknown;
        unknown.iter().map(ToString::to_string).collect()
    };
    assert_eq!(
        unknown(25),
        [
            "metadata.clusterName: known up to 1.24",
            "spec.template.spec.volumes[0].image: known from 1.31 on",
            "spec.Replicas: unknown, it is spelled replicas",
            "spec.ordinals: known from 1.26 on",
            "spec.replica: unknown, did you mean replicas?",
        ]
    );
    assert_eq!(unknown(36).len(), 3);
}

#[test]
fn lists_are_merged_by_the_key_of_their_type() {
    let by = |key, retain_keys| ListMerge::ByKey { key, retain_keys };
    for (name, expected) in [
        ("volumes", by("name", true)),
        ("ports", by("containerPort", false)),
        ("topologySpreadConstraints", by("topologyKey", false)),
        ("evictionResponders", by("name", false)),
        ("healthConditions", by("status", false)),
        ("finalizers", ListMerge::AsSet),
        ("tolerations", ListMerge::Replaced),
        ("args", ListMerge::Replaced),
        ("unknown", ListMerge::Replaced),
    ] {
        assert_eq!(list_merge(name), expected, "{name}");
    }
}

#[test]
fn the_file_of_types_covers_every_minor_in_order() {
    let mut paragraphs = include_str!("../../schema/types.txt").split("\n\n");
    let sources = paragraphs.next().unwrap();
    let newest = Version::NEWEST.minor;
    let minors = format!("Kubernetes 1.{OLDEST_MINOR} to 1.{newest}, ");
    assert!(sources.contains(&minors), "run schema/generate: {sources}");
    let names: Vec<&str> = paragraphs.map(|it| it.lines().next().unwrap()).collect();
    assert!(names.is_sorted(), "{names:?}");
}

#[test]
fn types_are_in_order() {
    let mut seen: Vec<&'static Shape> = Vec::new();
    let mut todo = vec![stateful_set()];
    let mut fields = 0;
    while let Some(shape) = todo.pop() {
        if seen.iter().any(|other| std::ptr::eq(*other, shape)) {
            continue;
        }
        seen.push(shape);
        fields += shape.fields.len();
        assert!(
            shape
                .fields
                .is_sorted_by_key(|field| (field.name, field.since)),
            "{shape:?}"
        );
        for pair in shape.fields.windows(2) {
            assert!(
                pair[0].name != pair[1].name || pair[0].until < pair[1].since,
                "{pair:?}"
            );
        }
        for field in shape.fields {
            assert!(field.since <= field.until, "{field:?}");
            match field.kind {
                Kind::Object(inner) => {
                    // Only a pointer can be omitted.
                    assert_ne!(field.zero, Zero::Dropped, "{field:?}");
                    todo.push(inner);
                }
                Kind::Objects(inner) => todo.push(inner),
                _ => {}
            }
        }
    }
    println!("{} types, {fields} fields", seen.len());
    assert!(seen.len() > 120);
}

proptest! {
    #[test]
    fn decoding_is_idempotent(seed: u64, minor in 19_u32..40) {
        if let Ok(once) = normalize(&manifest(seed, 1), stateful_set(), minor) {
            let twice = normalize(&once.value, stateful_set(), minor).unwrap();
            prop_assert!(twice.unknown.is_empty());
            prop_assert_eq!(twice.value, once.value);
        }
    }
}
