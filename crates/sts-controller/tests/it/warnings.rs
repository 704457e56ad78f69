//! Warnings of the API server: on either side of each bound, verbatim.

use serde_json::{Value, json};
use sts_controller::apiserver::validation::warnings;

use crate::validate::{read, rules, with};

/// Returns the warnings of 1.36. Paths begin at the pod spec.
fn warned(edits: &[(&str, Value)]) -> Vec<String> {
    let paths: Vec<String> = edits
        .iter()
        .map(|(path, _)| format!("spec/template/{path}"))
        .collect();
    let values = edits.iter().map(|(_, value)| value.clone());
    let edits: Vec<(&str, Value)> = paths.iter().map(String::as_str).zip(values).collect();
    let lines = warnings(&read(&with(&edits), "1.36"), None, &rules("1.36").0);
    let lines = lines.into_iter();
    lines
        .map(|line| line.replace("spec.template.spec.", ""))
        .collect()
}

#[test]
fn deprecated_node_labels_cause_warnings() {
    for (key, warning) in [
        (
            "beta.kubernetes.io/arch",
            "deprecated since v1.14; use \"kubernetes.io/arch\" instead",
        ),
        (
            "beta.kubernetes.io/os",
            "deprecated since v1.14; use \"kubernetes.io/os\" instead",
        ),
        (
            "failure-domain.beta.kubernetes.io/region",
            "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead",
        ),
        (
            "failure-domain.beta.kubernetes.io/zone",
            "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead",
        ),
        (
            "beta.kubernetes.io/instance-type",
            "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead",
        ),
        ("app.kubernetes.io/created-by", "deprecated since v1.9"),
        (
            "scheduler.alpha.kubernetes.io/preferAvoidPods",
            "deprecated since v1.22; use Taints and Tolerations instead",
        ),
        (
            "node-role.kubernetes.io/master",
            "use \"node-role.kubernetes.io/control-plane\" instead",
        ),
    ] {
        let selector = [("spec/nodeSelector", json!({key: "x"}))];
        assert_eq!(
            warned(&selector),
            [format!("nodeSelector[{key}]: {warning}")]
        );
    }
    let current =
        json!({"node-role.kubernetes.io/control-plane": "", "kubernetes.io/arch": "amd64"});
    assert!(warned(&[("spec/nodeSelector", current)]).is_empty());
}

#[test]
fn an_app_armor_annotation_is_deprecated_unless_a_field_matches() {
    let key = "container.apparmor.security.beta.kubernetes.io/app";
    let local = |path: &str| json!({"type": "Localhost", "localhostProfile": path});
    for (annotation, profile, is_old) in [
        ("unconfined", json!({"type": "Unconfined"}), false),
        ("unconfined", json!({"type": "RuntimeDefault"}), true),
        ("runtime/default", json!({"type": "RuntimeDefault"}), false),
        ("runtime/default", json!({"type": "Unconfined"}), true),
        ("runtime/default", json!(null), true),
        // With a path, the annotation cannot express the profile.
        (
            "unconfined",
            json!({"type": "Unconfined", "localhostProfile": "a"}),
            true,
        ),
        (
            "runtime/default",
            json!({"type": "RuntimeDefault", "localhostProfile": "a"}),
            true,
        ),
        ("localhost/a", local("a"), false),
        ("localhost/a", local("b"), true),
        ("localhost/", local(""), true),
    ] {
        let warning = warned(&[
            ("metadata/annotations", json!({key: annotation})),
            ("spec/securityContext", json!({"appArmorProfile": profile})),
        ]);
        let old = format!(
            "spec.template.metadata.annotations[{key}]: deprecated since v1.30; use the \"appArmorProfile\" field instead"
        );
        let expected = if is_old { vec![old] } else { vec![] };
        assert_eq!(warning, expected, "{annotation} {profile}");
    }
    // The annotation corresponds to the container's own field.
    let own = json!({"appArmorProfile": {"type": "RuntimeDefault"}});
    let edits = [
        ("metadata/annotations", json!({key: "unconfined"})),
        ("spec/containers/0/securityContext", own),
    ];
    assert!(warned(&edits).is_empty());
}

#[test]
fn a_repeated_variable_hides_the_previous_one() {
    let hides = [
        "containers[0].env[1]: hides previous definition of \"A\", which may be dropped when using apply",
    ];
    let again = |second: Value| {
        warned(&[(
            "spec/containers/0/env",
            json!([{"name": "A", "value": "1"}, second]),
        )])
    };
    assert_eq!(again(json!({"name": "A", "value": "2"})), hides);
    assert_eq!(again(json!({"name": "A", "value": "$(A)"})), hides);
    assert!(again(json!({"name": "A", "value": "$(A)x"})).is_empty());
    assert!(again(json!({"name": "B", "value": "2"})).is_empty());
}

#[test]
fn unusual_addresses_cause_warnings() {
    for (address, warning) in [
        ("10.0.0.1", ""),
        ("2001:db8::1", ""),
        (
            "010.0.0.1",
            "non-standard IP address \"010.0.0.1\" is invalid: use \"10.0.0.1\"",
        ),
        (
            "::ffff:1.2.3.4",
            "non-standard IP address \"::ffff:1.2.3.4\" is invalid: use \"1.2.3.4\"",
        ),
        (
            "2001:DB8::1",
            "IPv6 address \"2001:DB8::1\" should be in RFC 5952 canonical format (\"2001:db8::1\")",
        ),
    ] {
        let expected = match warning {
            "" => vec![],
            warning => vec![format!("hostAliases[0].ip: {warning}")],
        };
        assert_eq!(
            warned(&[("spec/hostAliases", json!([{"ip": address}]))]),
            expected
        );
    }
}

#[test]
fn duplicate_ports_cause_warnings() {
    for (ports, warning) in [
        (
            json!([{"containerPort": 1}, {"containerPort": 1}]),
            "duplicate",
        ),
        (
            json!([{"containerPort": 1, "hostPort": 2}, {"containerPort": 1}]),
            "overlapping",
        ),
        (
            json!([{"containerPort": 1}, {"containerPort": 1, "hostPort": 2}]),
            "overlapping",
        ),
        (
            json!([{"containerPort": 1, "hostPort": 2, "hostIP": "1.1.1.1"}, {"containerPort": 1, "hostPort": 2}]),
            "dangerously ambiguous",
        ),
        (
            json!([
                {"containerPort": 1, "hostPort": 2, "hostIP": "1.1.1.1"},
                {"containerPort": 1, "hostPort": 2, "hostIP": "1.1.1.2"},
            ]),
            "",
        ),
        (
            json!([{"containerPort": 1, "hostPort": 2}, {"containerPort": 1, "hostPort": 3}]),
            "",
        ),
        (
            json!([{"containerPort": 1}, {"containerPort": 1, "protocol": "UDP"}]),
            "",
        ),
    ] {
        let expected = match warning {
            "" => vec![],
            warning => vec![format!(
                "containers[0].ports[1]: {warning} port definition with containers[0].ports[0]"
            )],
        };
        assert_eq!(
            warned(&[("spec/containers/0/ports", ports.clone())]),
            expected,
            "{ports}"
        );
    }
}

#[test]
fn overlapping_files_cause_warnings() {
    let items = |paths: [&str; 2]| {
        let items = paths.iter().map(|path| json!({"key": "k", "path": path}));
        items.collect::<Vec<_>>()
    };
    let source =
        |paths: [&str; 2]| json!({"name": "v", "configMap": {"name": "c", "items": items(paths)}});
    for (paths, collide) in [
        (["f", "f"], true),
        (["d/f", "d"], true),
        (["d", "d/f"], true),
        (["f", "g"], false),
        (["f", "f2"], false),
    ] {
        let warning = format!(
            "volume \"v\" (ConfigMap \"c\"): overlapping paths: \"{}\" with \"{}\"",
            paths[1], paths[0]
        );
        let expected = if collide { vec![warning] } else { vec![] };
        assert_eq!(
            warned(&[("spec/volumes", json!([source(paths)]))]),
            expected
        );
    }
    let both = json!([{"name": "v", "projected": {"sources": [
        {"configMap": {"name": "c", "items": items(["a", "f"])}},
        {"secret": {"name": "s", "items": items(["b", "f"])}},
    ]}}]);
    assert_eq!(
        warned(&[("spec/volumes", both)]),
        [
            "volume \"v\" (Projected): overlapping paths: \"f\" (Secret \"s\") with \"f\" (ConfigMap \"c\")"
        ]
    );
}
