//! Comparison of defaulting with API servers, byte by byte for everything in a revision.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use sts_controller::apiserver::defaults::{default_spec_template, stored};
use sts_controller::version::{Behaviour, Defaulting, Gates, Version};

use crate::manifests::manifest;
use crate::vectors;

fn under(minor: u32, patch: u32, gates: &str) -> Defaulting {
    let version = Version {
        minor,
        patch: Some(patch),
    };
    // A gate that the version does not have is ignored.
    let gates = Gates::new(version, &Gates::parse(gates).unwrap())
        .unwrap_or_else(|_| Gates::defaults(version));
    Behaviour::new(version, &gates).defaulting
}

fn rules(minor: u32, patch: u32) -> Defaulting {
    under(minor, patch, "")
}

#[test]
fn gates_affect_defaults() {
    let on = |minor, gate: &str| under(minor, 0, &format!("{gate}=true"));
    let gate = "DefaultHostNetworkHostPortsInPodTemplates";
    assert!(rules(27, 0).host_ports_defaulted);
    assert!(!rules(28, 0).host_ports_defaulted && on(28, gate).host_ports_defaulted);
    assert!(!on(31, gate).host_ports_defaulted);
    let gate = "StatefulSetAutoDeletePVC";
    assert!(!on(22, gate).retention_policy_defaulted && on(23, gate).retention_policy_defaulted);
    assert!(!rules(26, 0).retention_policy_defaulted && rules(27, 0).retention_policy_defaulted);
    let gate = "MaxUnavailableStatefulSet";
    assert!(!on(23, gate).max_unavailable_defaulted && on(24, gate).max_unavailable_defaulted);
    let gate = "ImageVolume";
    assert!(!rules(34, 0).image_volumes_defaulted && rules(35, 0).image_volumes_defaulted);
    assert!(on(31, gate).image_volumes_defaulted);
}

#[test]
fn defaults_of_volume_sources() {
    let volume = |source: Value, minor| {
        let manifest = json!({"spec": {"template": {"spec": {"volumes": [source]}}}});
        stored(&manifest, &rules(minor, 0)).unwrap().set["spec"]["template"]["spec"]["volumes"][0]
            .clone()
    };
    for (source, expected) in [
        (json!({"name": "v"}), json!({"name": "v", "emptyDir": {}})),
        (
            json!({"hostPath": {"path": "/"}}),
            json!({"name": "", "hostPath": {"path": "/", "type": ""}}),
        ),
        (
            json!({"image": {"reference": "a:latest"}}),
            json!({"name": "", "image": {"reference": "a:latest", "pullPolicy": "Always"}}),
        ),
        (
            json!({"azureDisk": {"diskName": "d", "diskURI": "u", "kind": "Managed"}}),
            json!({"name": "", "azureDisk": {"diskName": "d", "diskURI": "u", "kind": "Managed",
                "cachingMode": "ReadWrite", "fsType": "ext4", "readOnly": false}}),
        ),
        (
            json!({"projected": {"sources": [{"serviceAccountToken": {"path": "t"}},
                {"downwardAPI": {"items": [{"path": "p", "fieldRef": {"fieldPath": "f"}}]}}]}}),
            json!({"name": "", "projected": {"defaultMode": 420, "sources": [
                {"serviceAccountToken": {"path": "t", "expirationSeconds": 3600}},
                {"downwardAPI": {"items": [{"path": "p", "fieldRef": {"apiVersion": "v1", "fieldPath": "f"}}]}}]}}),
        ),
        (
            json!({"ephemeral": {"volumeClaimTemplate": {"spec": {"resources": {"requests": {"storage": "0.0001"}}}}}}),
            json!({"name": "", "ephemeral": {"volumeClaimTemplate": {"metadata": {}, "spec": {
                "volumeMode": "Filesystem", "resources": {"requests": {"storage": "1m"}}}}}}),
        ),
    ] {
        assert_eq!(volume(source, 36), expected);
    }
    // A source that this minor does not know is dropped, and none is left.
    assert_eq!(
        volume(json!({"name": "v", "image": {}}), 30),
        json!({"name": "v", "emptyDir": {}})
    );
}

#[test]
fn pull_policy_follows_the_reference() {
    let digest = "a".repeat(64);
    for (image, expected) in [
        ("nginx", "Always"),
        ("nginx:latest", "Always"),
        ("nginx:1.25", "IfNotPresent"),
        (&format!("nginx@sha256:{digest}"), "IfNotPresent"),
        (&format!("nginx:latest@sha256:{digest}"), "Always"),
        (&format!("nginx:1@sha256:{digest}"), "IfNotPresent"),
        ("localhost:5000/a/b", "Always"),
        ("registry.example:5000/a:v1", "IfNotPresent"),
        ("[::1]:5000/a", "Always"),
        ("[::1]/a:v1", "IfNotPresent"),
        ("[::g]/a", "IfNotPresent"),
        ("registry.example:/a", "IfNotPresent"),
        ("UPPER", "IfNotPresent"),
        ("Upper/a", "Always"),
        ("", "IfNotPresent"),
        ("a:latest@sha256:abc", "IfNotPresent"),
        (&digest, "IfNotPresent"),
        ("a b", "IfNotPresent"),
        (&"a".repeat(300), "IfNotPresent"),
    ] {
        let manifest = json!({"spec": {"template": {"spec": {"containers": [{"image": image}]}}}});
        let set = stored(&manifest, &rules(36, 0)).unwrap().set;
        assert_eq!(
            set["spec"]["template"]["spec"]["containers"][0]["imagePullPolicy"], expected,
            "{image}"
        );
    }
    for image in ["[::1]/a", "Upper/a"] {
        let manifest = json!({"spec": {"template": {"spec": {"containers": [{"image": image}]}}}});
        let set = stored(&manifest, &rules(28, 0)).unwrap().set;
        assert_eq!(
            set["spec"]["template"]["spec"]["containers"][0]["imagePullPolicy"], "IfNotPresent",
            "{image}"
        );
    }
}

#[test]
fn old_field_names_follow_new_ones() {
    let manifest = json!({"spec": {
        "updateStrategy": {"type": "OnDelete", "rollingUpdate": {}},
        "volumeClaimTemplates": [{"kind": "Pod"}],
        "template": {
            "metadata": {"annotations": {"pod.beta.kubernetes.io/init-containers": "[]"}},
            "spec": {"serviceAccount": "old", "serviceAccountName": "new"}
        }
    }});
    let set = stored(&manifest, &rules(36, 0)).unwrap().set;
    let spec = &set["spec"];
    assert_eq!(
        spec["updateStrategy"],
        json!({"type": "OnDelete", "rollingUpdate": {"partition": 0}})
    );
    assert_eq!(
        spec["volumeClaimTemplates"][0]["kind"],
        "PersistentVolumeClaim"
    );
    assert_eq!(spec["volumeClaimTemplates"][0]["apiVersion"], "v1");
    assert_eq!(spec["template"]["metadata"], json!({}));
    assert_eq!(spec["template"]["spec"]["serviceAccount"], "new");
}

#[test]
fn templates_of_other_minors_are_decoded_by_this_one() {
    let template = json!({
        "metadata": {"creationTimestamp": null},
        "spec": {
            "fromTheFuture": {"a": null},
            "volumes": [{"name": "v", "sourceFromTheFuture": {}}],
            "containers": [{"image": "a", "alsoNew": 1}]
        }
    });
    let defaulted = default_spec_template(&template, &rules(36, 0));
    assert_eq!(defaulted["metadata"], json!({}));
    assert_eq!(defaulted["spec"]["fromTheFuture"], Value::Null);
    let volumes = &defaulted["spec"]["volumes"];
    assert_eq!(*volumes, json!([{"emptyDir": {}, "name": "v"}]));
    assert_eq!(defaulted["spec"]["containers"][0]["alsoNew"], Value::Null);
    assert_eq!(
        defaulted["spec"]["containers"][0]["imagePullPolicy"],
        "Always"
    );
    assert_eq!(
        default_spec_template(&template, &rules(33, 0))["metadata"],
        json!({"creationTimestamp": null})
    );
}

/// Arbitrary JSON, as deep as a reader accepts.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 6, |inner| {
        let name = prop_oneof![
            Just("spec".to_owned()),
            Just("template".to_owned()),
            Just("containers".to_owned()),
            Just("volumes".to_owned()),
            Just("ephemeral".to_owned()),
            Just("metadata".to_owned()),
            ".{0,4}"
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((name, inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

proptest! {
    #[test]
    fn stored_objects_do_not_change(seed: u64, minor in 19_u32..40) {
        let rules = rules(minor, 0);
        if let Ok(once) = stored(&manifest(seed, 0), &rules) {
            let template = &once.set["spec"]["template"];
            prop_assert_eq!(&default_spec_template(template, &rules), template);
            let twice = stored(&once.set, &rules).unwrap();
            prop_assert!(twice.unknown.is_empty());
            prop_assert_eq!(twice.set, once.set);
        }
    }

    #[test]
    fn recorded_sets_do_not_change(minor in 19_u32..38, case in 0_usize..160) {
        let files = vectors::files("defaults");
        let cases = vectors::cases(&files[case % files.len()]);
        let rules = rules(minor, 0);
        let once = stored(&cases[case % cases.len()]["input"], &rules).unwrap().set;
        prop_assert_eq!(&stored(&once, &rules).unwrap().set, &once);
    }

    #[test]
    fn nothing_panics(value in any_json(), seed: u64, minor in 0_u32..60) {
        let rules = rules(minor, 0);
        let _ = stored(&value, &rules);
        let _ = stored(&manifest(seed, 50), &rules);
        let _ = default_spec_template(&value, &rules);
        let _ = default_spec_template(&manifest(seed, 50)["spec"]["template"], &rules);
    }
}
