//! Differences between the servers of 1.33 to 1.36, and the result of `kubectl apply` for malformed manifests.

use serde_json::{Value, json};
use sts_controller::apiserver::apply::{LAST_APPLIED, Outcome, apply_manifest, create, replace};
use sts_controller::apiserver::defaults::stored;
use sts_controller::apiserver::validation::{RefusedKind, pod_refusal};
use sts_controller::version::{Behaviour, Gates, Version};

fn at(version: &str) -> Behaviour {
    let version: Version = version.parse().unwrap();
    Behaviour::new(version, &Gates::defaults(version))
}

fn set(pod: Value) -> Value {
    json!({
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {
            "serviceName": "web",
            "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web"}}, "spec": pod},
        },
    })
}

fn of_container(container: Value) -> Value {
    let mut container = container;
    container["name"] = "app".into();
    container["image"] = "nginx:1".into();
    json!({"containers": [container]})
}

fn with_volume(volume: Value) -> Value {
    let mut pod = of_container(json!({}));
    pod["volumes"] = json!([volume]);
    set(pod)
}

fn created(manifest: &Value, version: &str) -> Outcome {
    create(manifest, &[], &at(version)).unwrap()
}

fn refusals(manifest: &Value, version: &str) -> Vec<String> {
    let refused = created(manifest, version).refused;
    let shown = refused
        .iter()
        .map(|one| format!("{}: {}", one.field, one.message));
    shown.collect()
}

#[track_caller]
fn refused_by(manifest: &Value, versions: &[&str], expected: &[&str]) {
    for version in versions {
        assert_eq!(refusals(manifest, version), expected, "{version}");
    }
}

/// Returns a set as stored after its manifest was applied.
fn applied(manifest: &Value, version: &str) -> Value {
    let mut set = apply_manifest(None, manifest, &at(version)).unwrap().set;
    set["metadata"]["uid"] = "0a".into();
    set["metadata"]["resourceVersion"] = "7".into();
    set
}

#[test]
fn reapplying_duplicate_merge_keys_changes_nothing() {
    let variables = json!([
        {"name": "A", "value": "1"}, {"name": "B", "value": "2"},
        {"name": "A", "value": "3"}, {"name": "C", "value": "4"},
    ]);
    let ports = json!([
        {"name": "dns", "containerPort": 53, "protocol": "UDP"},
        {"name": "http", "containerPort": 80},
        {"name": "dns-tcp", "containerPort": 53, "protocol": "TCP"},
    ]);
    for container in [json!({"env": variables}), json!({"ports": ports})] {
        let manifest = set(of_container(container));
        let stored = applied(&manifest, "1.36");
        let outcome = apply_manifest(Some(&stored), &manifest, &at("1.36")).unwrap();
        assert_eq!(outcome.changes, []);
        assert_eq!(outcome.set["metadata"]["generation"], 1);
        assert_eq!(outcome.set["spec"], stored["spec"]);
    }
}

#[test]
fn max_unavailable_is_defaulted_if_the_gate_is_on() {
    for (version, expected) in [
        ("1.34.2", json!(null)),
        ("1.35.0", json!(1)),
        ("1.35.3", json!(1)),
        ("1.35.4", json!(null)),
        ("1.36.2", json!(null)),
        ("1.37.0", json!(1)),
    ] {
        let set = created(&set(of_container(json!({}))), version).set;
        let update = &set["spec"]["updateStrategy"]["rollingUpdate"];
        assert_eq!(update["maxUnavailable"], expected, "{version}");
    }
}

#[test]
fn restart_policies_of_init_containers_are_dropped_by_one_minor() {
    let mut pod = of_container(json!({}));
    pod["initContainers"] = json!([{"name": "init", "image": "a", "restartPolicy": "Never"}]);
    let manifest = set(pod);
    let outcome = created(&manifest, "1.34");
    assert_eq!(outcome.refused, []);
    let init = &outcome.set["spec"]["template"]["spec"]["initContainers"][0];
    assert_eq!(init["restartPolicy"], json!(null));
    assert_eq!(
        outcome.dropped[0].path,
        "spec.template.spec.initContainers[].restartPolicy"
    );
    let mut sidecar = manifest.clone();
    sidecar["spec"]["template"]["spec"]["initContainers"][0]["restartPolicy"] = "Always".into();
    let outcome = created(&sidecar, "1.34");
    let init = &outcome.set["spec"]["template"]["spec"]["initContainers"][0];
    assert_eq!(init["restartPolicy"], "Always");
    let later = created(&manifest, "1.35");
    assert_eq!(later.refused, []);
    let init = &later.set["spec"]["template"]["spec"]["initContainers"][0];
    assert_eq!(init["restartPolicy"], "Never");
}

#[test]
fn a_saved_manifest_is_refused_for_its_identity() {
    let manifest = set(of_container(json!({})));
    let stored = applied(&manifest, "1.36");
    let with = |member: &str, value: Value| {
        let mut manifest = manifest.clone();
        manifest["metadata"][member] = value;
        let outcome = apply_manifest(Some(&stored), &manifest, &at("1.36")).unwrap();
        let refused = outcome.refused.into_iter();
        let shown: Vec<_> = refused
            .map(|one| (one.kind, one.field, one.message))
            .collect();
        shown
    };
    let invalid = |field: &str, message: &str| {
        vec![(RefusedKind::Invalid, field.to_owned(), message.to_owned())]
    };
    assert_eq!(with("uid", json!("0a")), []);
    assert_eq!(with("resourceVersion", json!("7")), []);
    assert_eq!(with("resourceVersion", json!("")), []);
    assert_eq!(
        with("uid", json!("0b")),
        invalid("metadata.uid", "Invalid value: \"0b\": field is immutable")
    );
    assert_eq!(
        with("deletionGracePeriodSeconds", json!(0)),
        invalid(
            "metadata.deletionGracePeriodSeconds",
            "Invalid value: 0: field is immutable"
        )
    );
    let conflict = with("resourceVersion", json!("6"));
    assert_eq!(conflict.len(), 1);
    assert_eq!(conflict[0].0, RefusedKind::Conflict);
    assert!(
        conflict[0].2.contains("the object has been modified"),
        "{conflict:?}"
    );
    let mut terminating = stored.clone();
    terminating["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z".into();
    terminating["metadata"]["deletionGracePeriodSeconds"] = 0.into();
    let outcome = replace(&terminating, &manifest, &at("1.36")).unwrap();
    assert_eq!(outcome.refused, []);
}

#[test]
fn duplicate_port_names_cause_a_warning() {
    let ports = json!([{"name": "a", "containerPort": 1}, {"name": "a", "containerPort": 2}]);
    let manifest = set(of_container(json!({"ports": ports})));
    for (version, expected) in [("1.30", 0), ("1.33", 1), ("1.34", 1)] {
        let warnings = created(&manifest, version).server_warnings;
        assert_eq!(warnings.len(), expected, "{version} {warnings:?}");
    }
}

#[test]
fn leading_zeros_of_addresses_become_invalid_in_a_later_minor() {
    let mut pod = of_container(json!({}));
    pod["dnsConfig"] = json!({"nameservers": ["010.1.1.1"]});
    pod["dnsPolicy"] = "None".into();
    let manifest = set(pod);
    let start =
        "spec.template.spec.dnsConfig.nameservers[0]: non-standard IP address \"010.1.1.1\"";
    for version in ["1.33", "1.34", "1.35"] {
        let warning = format!(
            "{start} will be considered invalid in a future Kubernetes release: use \"10.1.1.1\""
        );
        assert_eq!(created(&manifest, version).server_warnings, [warning]);
    }
    let warning = format!("{start} is invalid: use \"10.1.1.1\"");
    assert_eq!(created(&manifest, "1.36").server_warnings, [warning]);
}

#[test]
fn patch_directives_in_a_manifest_match_kubectl() {
    let manifest = set(of_container(json!({"env": [{"name": "A"}, {"name": "B"}]})));
    let stored = applied(&manifest, "1.36");
    // kubectl omits an object with a directive from its patch, unless something in it is to be deleted.
    let mut merging = manifest.clone();
    merging["spec"]["selector"]["matchLabels"]["$patch"] = "merge".into();
    let outcome = apply_manifest(Some(&stored), &merging, &at("1.36")).unwrap();
    assert_eq!((outcome.changes, outcome.unknown), (vec![], vec![]));
    // The server is told to delete members that the manifest itself no longer has.
    let mut without = manifest.clone();
    let variables = &mut without["spec"]["template"]["spec"]["containers"][0]["env"];
    *variables = json!([{"name": "A"}]);
    let outcome = apply_manifest(Some(&stored), &without, &at("1.36")).unwrap();
    let container = &outcome.set["spec"]["template"]["spec"]["containers"][0];
    assert_eq!(container["env"], json!([{"name": "A"}]));
}

#[test]
fn an_empty_annotation_counts_as_missing() {
    let manifest = set(of_container(json!({})));
    for text in ["", "null"] {
        let mut stored = applied(&manifest, "1.36");
        stored["metadata"]["annotations"][LAST_APPLIED] = text.into();
        stored["metadata"]["labels"] = json!({"kept": "x"});
        let outcome = apply_manifest(Some(&stored), &manifest, &at("1.36")).unwrap();
        assert_eq!(outcome.set["metadata"]["labels"], json!({"kept": "x"}));
    }
}

#[test]
fn empty_lists_in_the_metadata_of_an_ephemeral_claim_are_refused() {
    let manifest = with_volume(
        json!({"name": "data", "ephemeral": {"volumeClaimTemplate": {
            "metadata": {"finalizers": [], "ownerReferences": []},
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
        }}}),
    );
    let at = "spec.template.spec.volumes[0].ephemeral.volumeClaimTemplate.metadata";
    let expected = [
        format!("{at}.ownerReferences: Forbidden: cannot be set"),
        format!("{at}.finalizers: Forbidden: cannot be set"),
    ];
    let expected = expected.each_ref().map(String::as_str);
    refused_by(&manifest, &["1.34", "1.35", "1.36"], &expected);
    refused_by(&manifest, &["1.33"], &[]);
}

#[test]
fn wording_changes_between_minors() {
    let mut pod = of_container(json!({"resizePolicy": [
        {"resourceName": "cpu", "restartPolicy": "RestartContainer"}
    ]}));
    pod["restartPolicy"] = "Never".into();
    let words = |version| refusals(&set(pod.clone()), version).join("\n");
    assert!(words("1.35").contains("must be 'NotRequired' when `restartPolicy` is 'Never'"));
    assert!(words("1.36").contains("must be 'NotRequired' when pod `restartPolicy` is 'Never'"));

    let nameless = with_volume(json!({"name": "a", "csi": {"driver": ""}}));
    assert_eq!(refusals(&nameless, "1.34").len(), 2);
    let once = "spec.template.spec.volumes[0].csi.driver: Required value";
    refused_by(&nameless, &["1.35", "1.36"], &[once]);

    let mut pod = of_container(json!({}));
    pod["preemptionPolicy"] = "".into();
    let missing = "spec.template.spec.preemptionPolicy: Required value";
    refused_by(&set(pod), &["1.34", "1.35", "1.36"], &[missing]);

    let disk = json!({
        "targetPortal": format!("10.0.0.1:{}", "3".repeat(60)),
        "iqn": "iqn.2001-04.com.example:storage", "initiatorName": "iqn.1994-05.com.example:x",
        "lun": 0,
    });
    let long = "spec.template.spec.volumes[0].name: Invalid value: \"disk\": Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.";
    let manifest = with_volume(json!({"name": "disk", "iscsi": disk}));
    refused_by(&manifest, &["1.34", "1.36"], &[long]);

    let rule = json!({"action": "Restart", "exitCodes": {"operator": "In", "values": [1]}});
    let rules = vec![rule; 21];
    let container = json!({"restartPolicy": "Never", "restartPolicyRules": rules});
    let manifest = set(of_container(container));
    let field = "spec.template.spec.containers[0].restartPolicyRules";
    let long = format!("{field}: Too long: may not be more than 20 bytes");
    let many = format!("{field}: Too many: 21: must have at most 20 items");
    refused_by(&manifest, &["1.35"], &[&long]);
    refused_by(&manifest, &["1.36"], &[&many]);
}

#[test]
fn an_empty_projection_is_stored_as_null() {
    let manifest = with_volume(json!({"name": "all", "projected": {"sources": []}}));
    let set = stored(&manifest, &at("1.36").defaulting).unwrap().set;
    let projected = &set["spec"]["template"]["spec"]["volumes"][0]["projected"];
    assert_eq!(projected["sources"], json!(null));
    assert!(projected.as_object().unwrap().contains_key("sources"));
}

#[test]
fn escaped_white_space_is_invalid_in_a_quantity() {
    let limits = |memory: &str| {
        set(of_container(
            json!({"resources": {"limits": {"memory": memory}}}),
        ))
    };
    assert!(create(&limits("420Mi\n"), &[], &at("1.36")).is_err());
    assert!(create(&limits("\t420Mi"), &[], &at("1.36")).is_err());
    let read = created(&limits(" 420Mi "), "1.36").set;
    let container = &read["spec"]["template"]["spec"]["containers"][0];
    assert_eq!(container["resources"]["limits"]["memory"], "420Mi");
}

#[test]
fn old_minors_refuse_pods_of_accepted_sets() {
    let pod = |image: &str| {
        let mut pod = set(of_container(json!({})))["spec"]["template"].clone();
        pod["metadata"]["name"] = "web-0".into();
        pod["metadata"]["namespace"] = "default".into();
        pod["spec"]["containers"][0]["image"] = image.into();
        pod
    };
    for version in ["1.33", "1.34", "1.35", "1.36"] {
        let manifest = set(of_container(json!({})));
        assert_eq!(
            created(&manifest, version).not_checked,
            Vec::<String>::new()
        );
        assert_eq!(pod_refusal(&pod("nginx:1"), &at(version)), None);
        let words = pod_refusal(&pod(" nginx:1"), &at(version)).unwrap();
        assert!(
            words.contains("must not have leading or trailing whitespace"),
            "{words}"
        );
    }
}

#[test]
fn empty_lists_of_capabilities_are_shown() {
    let context = json!({
        "privileged": true, "allowPrivilegeEscalation": false, "capabilities": {"add": []},
    });
    let manifest = set(of_container(json!({"securityContext": context})));
    let words = refusals(&manifest, "1.36").join("\n");
    assert!(
        words.contains(r#""Capabilities":{"Add":[],"Drop":null}"#),
        "{words}"
    );
}
