//! The API server's errors in rarely used fields: on either side of each bound, verbatim.

use serde_json::{Value, json};

use crate::validate::created;

/// Edits of the pod spec.
pub type Edits<'a> = Vec<(&'a str, Value)>;

/// Returns the errors of 1.36 for a set with these annotations and this pod spec. Paths begin at the pod spec.
fn refused(annotations: &Value, edits: &Edits<'_>) -> Vec<String> {
    let paths: Vec<String> = edits
        .iter()
        .map(|(path, _)| format!("spec/template/spec/{path}"))
        .collect();
    let values = edits.iter().map(|(_, value)| value.clone());
    let mut all: Vec<(&str, Value)> = paths.iter().map(String::as_str).zip(values).collect();
    if !annotations.is_null() {
        all.push(("spec/template/metadata/annotations", annotations.clone()));
    }
    let lines = created("1.36", &all).into_iter();
    lines
        .map(|line| line.replacen("spec.template.spec.", "", 1))
        .collect()
}

/// Asserts that the set is accepted if `message` is empty, and otherwise refused with that message.
#[track_caller]
pub fn assert_message(annotations: Value, edits: Edits<'_>, message: &str) {
    let expected: Vec<&str> = message.lines().collect();
    assert_eq!(
        refused(&annotations, &edits),
        expected,
        "{annotations} {edits:?}"
    );
}

/// Asserts the same of a field of the pod. The message begins after `at`.
#[track_caller]
pub fn assert_pod(edits: Edits<'_>, at: &str, message: &str) {
    let message = if message.is_empty() {
        String::new()
    } else {
        format!("{at}{message}")
    };
    assert_message(Value::Null, edits, &message);
}

/// Asserts the same of a volume source, without its name in the message.
#[track_caller]
pub fn assert_volume(kind: &str, source: Value, message: &str) {
    let volumes = json!([{"name": "v", kind: source}]);
    assert_pod(
        vec![("volumes", volumes)],
        &format!("volumes[1].{kind}"),
        message,
    );
}

#[test]
fn flocker_volumes_have_one_name() {
    let message = |source: Value, message: &str| assert_volume("flocker", source, message);
    message(json!({"datasetName": "a"}), "");
    message(json!({"datasetUUID": "u"}), "");
    message(
        json!({}),
        ": Required value: one of datasetName and datasetUUID is required",
    );
    message(
        json!({"datasetName": "a", "datasetUUID": "u"}),
        ": Invalid value: \"resource\": datasetName and datasetUUID can not be specified simultaneously",
    );
    message(
        json!({"datasetName": "a/b"}),
        ".datasetName: Invalid value: \"a/b\": must not contain '/'",
    );
}

#[test]
fn quobyte_volumes_name_hosts_with_ports() {
    let volume = |registry: &str, tenant: usize| json!({"registry": registry, "volume": "v", "tenant": "t".repeat(tenant)});
    for registry in ["host:1", "host:1,[::1]:2"] {
        assert_volume("quobyte", volume(registry, 64), "");
    }
    for registry in [
        "host",
        "host:1,other",
        "::1:2",
        "[[::1]:2",
        "[::1]]:2",
        "host]:2",
        "host:2]",
        "[host:2",
    ] {
        assert_volume(
            "quobyte",
            volume(registry, 0),
            &format!(
                ".registry: Invalid value: \"{registry}\": must be a host:port pair or multiple pairs separated by commas"
            ),
        );
    }
    assert_volume(
        "quobyte",
        volume("host:1", 65),
        ".tenant: Required value: must be a UUID and may not exceed a length of 64 characters",
    );
    assert_volume(
        "quobyte",
        json!({"registry": "host:1"}),
        ".volume: Required value",
    );
}

#[test]
fn fibre_channel_volumes_have_targets_with_a_unit_or_ids() {
    let message = |source: Value, message: &str| assert_volume("fc", source, message);
    message(json!({"wwids": ["w"]}), "");
    message(json!({"targetWWNs": ["t"], "lun": 255}), "");
    message(
        json!({}),
        ".targetWWNs: Required value: must specify either targetWWNs or wwids, but not both",
    );
    message(
        json!({"targetWWNs": ["t"]}),
        ".lun: Required value: lun is required if targetWWNs is specified",
    );
    message(
        json!({"targetWWNs": ["t"], "lun": 256}),
        ".lun: Invalid value: 256: must be between 0 and 255, inclusive",
    );
    message(
        json!({"targetWWNs": ["t"], "wwids": ["w"], "lun": 1}),
        ".targetWWNs: Invalid value: [\"t\"]: targetWWNs and wwids can not be specified simultaneously",
    );
}

#[test]
fn iscsi_names_are_of_three_kinds() {
    let target = |iqn: &str| json!({"targetPortal": "portal:3260", "iqn": iqn, "lun": 0});
    let naa = |digits: usize| format!("naa.{}", "0".repeat(digits));
    // Any character except a line feed may replace the dot.
    for name in ["eui.0123456789abcdef", "eui-0123456789abcdef", &naa(32)] {
        assert_volume("iscsi", target(name), "");
    }
    for name in [
        "eui.0123456789abcde",
        "eui.0123456789abcde-",
        "eui\n0123456789abcdef",
        "eui",
        &naa(33),
    ] {
        let message = format!(".iqn: Invalid value: {name:?}: must be valid format");
        assert_volume("iscsi", target(name), &message);
    }
}

#[test]
fn secrets_of_volumes_have_names() {
    assert_volume(
        "storageos",
        json!({"volumeName": "v", "secretRef": {}}),
        ".secretRef.name: Required value",
    );
    assert_volume("storageos", json!({"volumeName": "v"}), "");
    assert_volume(
        "storageos",
        json!({"volumeName": "v", "secretRef": {"name": "s"}}),
        "",
    );
}

#[test]
fn paths_of_tokens_stay_in_the_volume() {
    let token = |path: &str| json!({"sources": [{"serviceAccountToken": {"path": path, "expirationSeconds": 600}}]});
    assert_volume("projected", token("a/..b"), "");
    assert_volume(
        "projected",
        token("..t"),
        ".path: Invalid value: \"..t\": must not start with '..'",
    );
    assert_volume(
        "projected",
        token("../t"),
        ".path: Invalid value: \"../t\": must not contain '..'",
    );
}

#[test]
fn huge_pages_have_their_own_divisors() {
    let item = |resource: &str, divisor: &str| {
        json!({"items": [{"path": "p", "resourceFieldRef": {
            "containerName": "app", "resource": resource, "divisor": divisor,
        }}]})
    };
    let pages = "requests.hugepages-2Mi";
    assert_volume("downwardAPI", item(pages, "1Mi"), "");
    assert_volume(
        "downwardAPI",
        item(pages, "3"),
        ".resourceFieldRef.divisor: Invalid value: \"requests.hugepages-2Mi\": only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the hugepages resource",
    );
    assert_volume(
        "downwardAPI",
        item("requests.other", "1Mi"),
        ".resourceFieldRef.resource: Unsupported value: \"requests.other\": supported values: \"limits.cpu\", \"limits.ephemeral-storage\", \"limits.memory\", \"requests.cpu\", \"requests.ephemeral-storage\", \"requests.memory\"",
    );
}

#[test]
fn the_old_node_field_is_an_alias() {
    let variable = json!([{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "spec.host"}}}]);
    assert_pod(vec![("containers/0/env", variable)], "", "");
    assert_volume(
        "downwardAPI",
        json!({"items": [{"path": "p", "fieldRef": {"fieldPath": "spec.host"}}]}),
        ".fieldRef.fieldPath: Unsupported value: \"spec.nodeName\": supported values: \"metadata.annotations\", \"metadata.labels\", \"metadata.name\", \"metadata.namespace\", \"metadata.uid\"",
    );
}

const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

#[track_caller]
fn assert_bundle(bundle: Value, message: &str) {
    let message = if message.is_empty() {
        String::new()
    } else {
        format!(".sources[0].clusterTrustBundle{message}")
    };
    assert_volume(
        "projected",
        json!({"sources": [{"clusterTrustBundle": bundle}]}),
        &message,
    );
}

#[test]
fn trust_bundles_are_named_after_their_signers() {
    for name in ["bundle", "example.com:foo:bundle"] {
        assert_bundle(json!({"name": name, "path": "p"}), "");
    }
    let complaint = |name: &str, why: &str| {
        let message =
            format!(".name: Invalid value: \"{name}\": not a valid clustertrustbundlename: {why}");
        assert_bundle(json!({"name": name, "path": "p"}), &message);
    };
    complaint("Bundle", SUBDOMAIN);
    complaint("example.com:foo:Bundle", SUBDOMAIN);
    complaint(
        ":bundle",
        "ClusterTrustBundle without signer name must not have \":\" in its name",
    );
}

#[test]
fn signers_are_a_domain_and_a_path() {
    let signer = |name: &str| json!({"signerName": name, "path": "p"});
    let long_domain = |labels: usize| format!("{}com/foo", "a.".repeat(labels));
    // A path may have any number of labels, as long as its total length is valid.
    let long_path = |labels: usize| format!("example.com/{}a", "a.".repeat(labels));
    for name in ["example.com/foo", &long_domain(125), &long_path(279)] {
        assert_bundle(signer(name), "");
    }
    assert_bundle(
        signer(&long_domain(126)),
        ".signerName: Too long: may not be more than 253 bytes",
    );
    assert_bundle(
        signer(&long_path(280)),
        ".signerName: Too long: may not be more than 571 bytes",
    );
    for name in ["example.com", "example.com/foo/bar"] {
        assert_bundle(
            signer(name),
            &format!(
                ".signerName: Invalid value: \"{name}\": must be a fully qualified domain and path of the form 'example.com/signer-name'"
            ),
        );
    }
    assert_bundle(
        signer("example/foo"),
        ".signerName: Invalid value: \"example\": should be a domain with at least two segments separated by dots",
    );
    assert_bundle(
        signer("Example.com/foo"),
        &format!(
            ".signerName: Invalid value: \"Example.com\": validating label \"Example\": {LABEL}"
        ),
    );
    assert_bundle(
        signer("example.com/Foo.Bar"),
        &format!(".signerName: Invalid value: \"Foo.Bar\": validating label \"Foo\": {SUBDOMAIN}"),
    );
}

#[test]
fn certificate_lifetimes_depend_on_the_signer() {
    let certificate = |edit: Value, message: &str| {
        let mut source =
            json!({"signerName": "example.com/foo", "keyType": "ED25519", "keyPath": "k"});
        let members = edit.as_object().unwrap().clone();
        source.as_object_mut().unwrap().extend(members);
        let message = match message {
            "" => String::new(),
            message => format!(".sources[0].podCertificate{message}"),
        };
        assert_volume(
            "projected",
            json!({"sources": [{"podCertificate": source}]}),
            &message,
        );
    };
    certificate(json!({}), "");
    certificate(json!({"signerName": ""}), ".signerName: Required value");
    certificate(
        json!({"keyType": "RSA"}),
        ".keyType: Unsupported value: \"RSA\": supported values: \"RSA3072\", \"RSA4096\", \"ECDSAP256\", \"ECDSAP384\", \"ECDSAP521\", \"ED25519\"",
    );
    certificate(
        json!({"keyPath": ""}),
        ": Required value: specify at least one of credentialBundlePath, keyPath, and certificateChainPath",
    );
    const DAY: i64 = 86_400;
    for (signer, seconds, bound) in [
        ("example.com/foo", 3_599, ">= 3600"),
        ("example.com/foo", 91 * DAY + 1, "<= 7862400"),
        ("kubernetes.io/foo", DAY + 1, "<= 86400"),
        ("x.kubernetes.io/foo", DAY + 1, "<= 86400"),
        ("example.com/foo", 3_600, ""),
        ("example.com/foo", 91 * DAY, ""),
        ("x.kubernetes.io/foo", DAY, ""),
    ] {
        let message = match bound {
            "" => String::new(),
            bound => format!(
                ".maxExpirationSeconds: Invalid value: {seconds}: if provided, maxExpirationSeconds must be {bound}"
            ),
        };
        certificate(
            json!({"signerName": signer, "maxExpirationSeconds": seconds}),
            &message,
        );
    }
    for (key, message) in [
        ("example.com/a", String::new()),
        ("Example.com/a", String::new()),
        ("", ": Required value".to_owned()),
        (
            "a",
            ": Invalid value: \"a\": must be a domain-prefixed key (such as \"acme.io/foo\")"
                .to_owned(),
        ),
        (
            "-/a",
            format!(": Invalid value: \"-/a\": prefix part {SUBDOMAIN}"),
        ),
    ] {
        let message = match message.as_str() {
            "" => String::new(),
            message => format!(".userAnnotations{message}"),
        };
        certificate(json!({"userAnnotations": {key: "x"}}), &message);
    }
}
