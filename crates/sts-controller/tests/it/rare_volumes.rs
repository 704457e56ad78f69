//! More of the API server's errors in rarely used fields: disks, keys, resource claims, pod-level resources, and
//! updates of a terminating set.

use serde_json::{Value, json};
use sts_controller::apiserver::validation::{
    Refused, RefusedKind, drop_disabled_fields, validate_update,
};

use crate::rare_fields::{assert_pod, assert_volume};
use crate::validate::{created, read, rules, with};

#[test]
fn iscsi_authentication() {
    let target = |chap: Value| {
        let mut target = json!({"targetPortal": "p:1", "iqn": "eui.0123456789abcdef", "lun": 0});
        let members = chap.as_object().unwrap().clone();
        target.as_object_mut().unwrap().extend(members);
        target
    };
    assert_volume("iscsi", target(json!({})), "");
    for member in ["chapAuthDiscovery", "chapAuthSession"] {
        let secret = json!({"name": "s"});
        assert_volume(
            "iscsi",
            target(json!({member: true, "secretRef": secret})),
            "",
        );
        assert_volume(
            "iscsi",
            target(json!({member: true})),
            ".secretRef: Required value",
        );
    }
}

#[test]
fn driver_options_need_their_own_domain() {
    let driver = |option: &str| json!({"driver": "d", "options": {option: "x"}});
    for option in [
        "example.com/x",
        "kubernetes.io.example.com",
        "mykubernetes.io/x",
    ] {
        assert_volume("flexVolume", driver(option), "");
    }
    for option in [
        "kubernetes.io/x",
        "a.kubernetes.io/x",
        "K8s.io",
        "a.k8s.io/x",
    ] {
        let message = format!(
            ".options[{option}]: Invalid value: \"{option}\": kubernetes.io and k8s.io namespaces are reserved"
        );
        assert_volume("flexVolume", driver(option), &message);
    }
}

#[test]
fn azure_disk_uris_depend_on_the_kind() {
    let managed = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
    let blob = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";
    for (kind, place, supported) in [
        ("Managed", "/subscriptions/x", ""),
        ("Shared", "https://x", ""),
        ("Dedicated", "https://x", ""),
        ("Managed", "https://x", managed),
        ("Shared", "/subscriptions/x", blob),
    ] {
        let message = match supported {
            "" => String::new(),
            supported => format!(
                ".diskURI: Unsupported value: \"{place}\": supported values: \"{supported}\""
            ),
        };
        let disk = json!({"diskName": "d", "diskURI": place, "kind": kind});
        assert_volume("azureDisk", disk, &message);
    }
}

#[test]
fn names_of_keys_and_annotations() {
    let variable = |key: &str| {
        let reference = json!({"configMapKeyRef": {"name": "c", "key": key}});
        let variable = json!([{"name": "A", "valueFrom": reference}]);
        vec![("containers/0/env", variable)]
    };
    assert_pod(variable(".a"), "", "");
    for (key, message) in [
        (".", "must not be '.'"),
        ("..", "must not be '..'"),
        ("..a", "must not start with '..'"),
    ] {
        assert_pod(
            variable(key),
            "containers[0].env[0].valueFrom.configMapKeyRef.key",
            &format!(": Invalid value: \"{key}\": {message}"),
        );
    }
    let field = |path: &str| json!({"items": [{"path": "p", "fieldRef": {"fieldPath": path}}]});
    // Annotations are looked up in lower case, labels unchanged.
    assert_volume("downwardAPI", field("metadata.annotations['a.B/C']"), "");
    let part = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
    assert_volume(
        "downwardAPI",
        field("metadata.labels['a.B/C']"),
        &format!(".fieldRef: Invalid value: \"a.B/C\": prefix part {part}"),
    );
    let storage = |divisor: &str| {
        let resource = "limits.ephemeral-storage";
        json!({"items": [{"path": "p", "resourceFieldRef": {
            "containerName": "app", "resource": resource, "divisor": divisor,
        }}]})
    };
    assert_volume("downwardAPI", storage("1Mi"), "");
    assert_volume(
        "downwardAPI",
        storage("3"),
        ".resourceFieldRef.divisor: Invalid value: \"limits.ephemeral-storage\": only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the local ephemeral storage resource",
    );
}

#[test]
fn both_data_sources_must_match() {
    let source = |name: &str, namespace: Value| {
        let spec = json!({
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}},
            "dataSource": {"kind": "PersistentVolumeClaim", "name": "a"},
            "dataSourceRef": {"kind": "PersistentVolumeClaim", "name": name, "namespace": namespace},
        });
        json!({"volumeClaimTemplate": {"spec": spec}})
    };
    let at = ".volumeClaimTemplate.spec: Invalid value: {}";
    assert_volume("ephemeral", source("a", Value::Null), "");
    assert_volume(
        "ephemeral",
        source("b", Value::Null),
        &format!("{at}: must match dataSourceRef"),
    );
    assert_volume(
        "ephemeral",
        source("a", json!("other")),
        &format!("{at}: may not be specified when dataSourceRef.namespace is specified"),
    );
}

#[test]
fn pod_level_resources_cover_the_containers() {
    let resources = |kind: &str, pod: &str, container: &str| {
        vec![
            ("resources", json!({kind: {"cpu": pod}})),
            ("containers/0/resources", json!({kind: {"cpu": container}})),
        ]
    };
    for kind in ["requests", "limits"] {
        assert_pod(resources(kind, "1", "1"), "", "");
        assert_pod(resources(kind, "2", "1"), "", "");
    }
    assert_pod(
        resources("requests", "1", "2"),
        "resources.requests[cpu]",
        ": Invalid value: \"1\": must be greater than or equal to aggregate container requests of 2",
    );
    assert_pod(
        resources("limits", "1", "2"),
        "resources.containers[0][cpu].limits",
        ": Invalid value: \"2\": must be less than or equal to pod limits of 1",
    );
}

fn updated(edit: impl Fn(&mut Value, &mut Value)) -> Vec<Refused> {
    let (mut old, mut new) = (read(&with(&[]), "1.36"), read(&with(&[]), "1.36"));
    edit(&mut old, &mut new);
    validate_update(&old, &new, &rules("1.36").0)
}

#[test]
fn a_terminating_set_gets_no_new_finalizers() {
    let message = |deleted: Value, finalizers: &[&str]| {
        let refused = updated(|old, new| {
            old["metadata"]["finalizers"] = json!(["example.com/a"]);
            new["metadata"]["finalizers"] = json!(finalizers);
            for set in [old, new] {
                set["metadata"]["deletionTimestamp"] = deleted.clone();
            }
        });
        let lines = refused.iter();
        lines
            .map(|refused| format!("{}: {}", refused.field, refused.message))
            .collect::<Vec<_>>()
    };
    let deleted = json!("2026-01-01T00:00:00Z");
    let none: [&str; 0] = [];
    assert_eq!(
        message(Value::Null, &["example.com/a", "example.com/b"]),
        none
    );
    assert_eq!(message(deleted.clone(), &["example.com/a"]), none);
    assert_eq!(message(deleted.clone(), &[]), none);
    assert_eq!(
        message(deleted, &["example.com/a", "example.com/b"]),
        [
            "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{\"example.com/b\"}"
        ]
    );
}

#[test]
fn immutable_and_invalid_values_are_distinguished() {
    let unchangeable = |path: &str, value: Value| {
        let edits = [(path, value)];
        let refused = validate_update(
            &read(&with(&[]), "1.36"),
            &read(&with(&edits), "1.36"),
            &rules("1.36").0,
        );
        let one = refused.last().unwrap();
        (one.is_unchangeable(), one.kind.name())
    };
    assert_eq!(
        unchangeable("spec/serviceName", json!("db")),
        (true, "Forbidden")
    );
    assert_eq!(unchangeable("spec/replicas", json!(-1)), (false, "Invalid"));
    let names = [
        RefusedKind::Required,
        RefusedKind::Invalid,
        RefusedKind::Duplicate,
        RefusedKind::NotFound,
        RefusedKind::Forbidden,
        RefusedKind::NotSupported,
        RefusedKind::TooLong,
        RefusedKind::TooMany,
        RefusedKind::UnknownField,
        RefusedKind::Denied,
    ];
    // Machine-readable output has the name in the source.
    for kind in names {
        assert_eq!(kind.name(), format!("{kind:?}"));
    }
}

#[test]
fn image_volumes_are_dropped_with_their_mounts() {
    let volumes = json!([
        {"name": "i", "image": {"reference": "x:1"}}, {"name": "e", "emptyDir": {}},
    ]);
    let mounts = json!([
        {"name": "i", "mountPath": "/i"}, {"name": "e", "mountPath": "/e"},
    ]);
    let kept = |version: &str| {
        let edits = [
            ("spec/template/spec/volumes", volumes.clone()),
            (
                "spec/template/spec/containers/0/volumeMounts",
                mounts.clone(),
            ),
        ];
        let mut set = read(&with(&edits), version);
        drop_disabled_fields(&mut set, None, &rules(version).0);
        let pod = &set["spec"]["template"]["spec"];
        let names = |list: &Value| -> Vec<String> {
            let items = list.as_array().unwrap().iter();
            items
                .map(|item| item["name"].as_str().unwrap().to_owned())
                .collect()
        };
        (
            names(&pod["volumes"]),
            names(&pod["containers"][0]["volumeMounts"]),
        )
    };
    let both = || vec!["i".to_owned(), "e".to_owned()];
    let one = || vec!["e".to_owned()];
    assert_eq!(kept("1.32"), (one(), one()));
    assert_eq!(kept("1.36"), (both(), both()));
}

#[test]
fn pod_level_huge_pages_cover_the_containers() {
    let limits = |pod: &str, container: &str| {
        let of = |amount: &str| json!({"limits": {"cpu": "1", "hugepages-2Mi": amount}});
        vec![
            ("resources", of(pod)),
            ("containers/0/resources", of(container)),
        ]
    };
    assert_pod(limits("4Mi", "4Mi"), "", "");
    assert_pod(limits("8Mi", "4Mi"), "", "");
}

#[test]
fn no_two_keys_are_projected_onto_one_file() {
    let items = |second: &str| {
        let items = json!([{"key": "a", "path": "f"}, {"key": "b", "path": second}]);
        json!({"sources": [{"configMap": {"name": "c", "items": items}}], "defaultMode": 420})
    };
    assert_volume("projected", items("g"), "");
    assert_volume(
        "projected",
        items("f"),
        ": Invalid value: \"c\": conflicting duplicate paths",
    );
}

/// A stored template may keep fields that no new one may have. Everything else is validated.
#[test]
fn newer_rules_accept_stored_templates() {
    let pod = |path: &str| format!("spec/template/spec/{path}");
    let app = |member: &str| pod(&format!("containers/0/{member}"));
    let requirement = json!({"key": "a", "operator": "In", "values": ["a b"]});
    let stored: [Vec<(String, Value)>; 5] = [
        vec![(
            "spec/template/metadata/annotations".to_owned(),
            json!({"controller.kubernetes.io/pod-deletion-cost": "x"}),
        )],
        vec![(
            app("resources"),
            json!({"limits": {"cpu": "1", "hugepages-2Mi": "3Mi"}}),
        )],
        vec![
            (pod("hostUsers"), json!(false)),
            (
                pod("volumes"),
                json!([{"name": "raw", "persistentVolumeClaim": {"claimName": "raw"}}]),
            ),
            (
                app("volumeDevices"),
                json!([{"name": "raw", "devicePath": "/dev/raw"}]),
            ),
        ],
        vec![(
            pod("initContainers"),
            json!([{"name": "i", "image": "x:1",
                "resizePolicy": [{"resourceName": "cpu", "restartPolicy": "RestartContainer"}]}]),
        )],
        vec![(
            pod("affinity"),
            json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
                {"nodeSelectorTerms": [{"matchExpressions": [requirement]}]}}}),
        )],
    ];
    for edits in stored {
        let old: Vec<(&str, Value)> = edits
            .iter()
            .map(|(path, value)| (path.as_str(), value.clone()))
            .collect();
        assert_eq!(created("1.36", &old).len(), 1, "{edits:?}");
        let image = app("image");
        let new = [old.clone(), vec![(image.as_str(), json!(""))]].concat();
        let refused = validate_update(
            &read(&with(&old), "1.36"),
            &read(&with(&new), "1.36"),
            &rules("1.36").0,
        );
        let message: Vec<String> = refused
            .iter()
            .map(|refused| format!("{}: {}", refused.field, refused.message))
            .collect();
        assert_eq!(
            message,
            ["spec.template.spec.containers[0].image: Required value"],
            "{edits:?}"
        );
    }
}

#[test]
fn a_gated_list_is_in_use_unless_empty() {
    let rules = rules("1.25").0;
    let spread = |keys: Value| {
        let constraint = json!({"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchLabels": {"app": "web"}}, "matchLabelKeys": keys});
        let path = "spec/template/spec/topologySpreadConstraints";
        read(&with(&[(path, json!([constraint]))]), "1.25")
    };
    let kept = |stored: Value| {
        let mut new = spread(json!(["pod-template-hash"]));
        drop_disabled_fields(&mut new, Some(&spread(stored)), &rules);
        let constraint = &new["spec"]["template"]["spec"]["topologySpreadConstraints"][0];
        constraint["matchLabelKeys"].is_array()
    };
    assert!(kept(json!(["app"])));
    assert!(!kept(json!([])));
}

#[test]
fn a_disabled_image_volume_leaves_no_volumes() {
    let edits = [
        (
            "spec/template/spec/volumes",
            json!([{"name": "i", "image": {"reference": "a:1"}}]),
        ),
        (
            "spec/template/spec/containers/0/volumeMounts",
            json!([{"name": "i", "mountPath": "/i"}]),
        ),
    ];
    let mut set = read(&with(&edits), "1.32");
    drop_disabled_fields(&mut set, None, &rules("1.32").0);
    // Neither an empty list nor a null is stored, since the revision's name would differ.
    let without = [("spec/template/spec/containers/0/volumeMounts", json!([]))];
    assert_eq!(set, read(&with(&without), "1.32"));
}
