//! Refusals by servers, version by version, verbatim.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};
use sts_controller::apiserver::defaults::stored;
use sts_controller::apiserver::validation::{
    Refused, RefusedKind, drop_disabled_fields, generation, longest_usable_name, server_message,
    validate_create, validate_update, warnings,
};
use sts_controller::version::{Behaviour, Gates, Validation, Version};

use crate::manifests::manifest;

/// Returns the rules of `1.27`, `1.26.2`, or of `1.22 StatefulSetMinReadySeconds=true`.
pub fn rules(version: &str) -> (Validation, Behaviour) {
    let (version, gates) = version.split_once(' ').unwrap_or((version, ""));
    let version: Version = version.parse().unwrap();
    let gates = Gates::new(version, &Gates::parse(gates).unwrap()).unwrap();
    let behaviour = Behaviour::new(version, &gates);
    (behaviour.validation, behaviour)
}

/// Returns a set that every version accepts.
fn web() -> Value {
    json!({
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "web", "namespace": "prod", "generation": 3},
        "spec": {
            "replicas": 3,
            "serviceName": "web",
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{
                    "name": "app", "image": "nginx:1",
                    "volumeMounts": [{"name": "data", "mountPath": "/data"}]
                }]}
            },
            "volumeClaimTemplates": [{
                "metadata": {"name": "data"},
                "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
            }]
        }
    })
}

/// Values, and the paths to set them at.
pub type Edits<'a> = &'a [(&'a str, Value)];
/// Versions.
type Versions<'a> = &'a [&'a str];

/// Returns that set with some members set; `null` removes a member.
pub fn with(edits: Edits<'_>) -> Value {
    let mut set = web();
    for (pointer, value) in edits {
        let mut at = &mut set;
        for part in pointer.split('/') {
            at = match part.parse::<usize>() {
                Ok(index) => &mut at[index],
                Err(_) => &mut at[part],
            };
        }
        *at = value.clone();
    }
    set
}

pub fn read(set: &Value, version: &str) -> Value {
    stored(set, &rules(version).1.defaulting).unwrap().set
}

fn words(refused: &[Refused]) -> Vec<String> {
    refused
        .iter()
        .map(|refused| format!("{}: {}", refused.field, refused.message))
        .collect()
}

pub fn created(version: &str, edits: Edits<'_>) -> Vec<String> {
    words(&validate_create(
        &read(&with(edits), version),
        &rules(version).0,
    ))
}

fn updated(version: &str, edits: Edits<'_>) -> Vec<Refused> {
    let (old, new) = (read(&web(), version), read(&with(edits), version));
    validate_update(&old, &new, &rules(version).0)
}

#[test]
fn a_valid_set_is_accepted_by_every_version() {
    for minor in 19..=37 {
        let version = format!("1.{minor}");
        assert_eq!(created(&version, &[]), Vec::<String>::new(), "{version}");
        assert_eq!(updated(&version, &[]), [], "{version}");
    }
}

#[test]
fn creation_is_refused_since_a_version() {
    let path = "spec/updateStrategy";
    let cases: &[(Versions<'_>, Versions<'_>, Edits<'_>, &[&str])] = &[
        // Accepted in, refused in, edits, errors.
        (
            &["1.19", "1.26"],
            &["1.27", "1.36"],
            &[("metadata/name", json!("web.example"))],
            &["metadata.name: Invalid value: \"web.example\": must not contain dots"],
        ),
        (
            &["1.19", "1.32"],
            &["1.33", "1.36"],
            &[("spec/serviceName", json!("Web"))],
            &[
                "spec.serviceName: Invalid value: \"Web\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
            ],
        ),
        (
            &["1.19", "1.20"],
            &[
                "1.22 StatefulSetMinReadySeconds=true",
                "1.23",
                "1.25",
                "1.36",
            ],
            &[("spec/minReadySeconds", json!(-1))],
            &["spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0"],
        ),
        (
            &["1.22", "1.24 StatefulSetMinReadySeconds=false"],
            &[],
            &[("spec/minReadySeconds", json!(-1))],
            &[],
        ),
        (
            &["1.22"],
            &["1.23", "1.26", "1.36"],
            &[(
                "spec/persistentVolumeClaimRetentionPolicy",
                json!({"whenDeleted": "Keep", "whenScaled": "Delete"}),
            )],
            &[
                "spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: \"Keep\": supported values: \"Retain\", \"Delete\"",
            ],
        ),
        (
            &["1.25", "1.26.0", "1.26.2"],
            &[
                "1.26.2 StatefulSetStartOrdinal=true",
                "1.26.3",
                "1.26",
                "1.27",
                "1.36",
            ],
            &[("spec/ordinals", json!({"start": -1}))],
            &["spec.ordinals.start: Invalid value: -1: must be greater than or equal to 0"],
        ),
        (
            &["1.23"],
            &["1.24", "1.33"],
            &[(
                path,
                json!({"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": -1}}),
            )],
            &[
                "spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: -1: must be greater than or equal to 0",
            ],
        ),
        (
            &["1.23"],
            &["1.24", "1.33"],
            &[(
                path,
                json!({"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "0%"}}),
            )],
            &[
                "spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:\"0%\"}: cannot be 0",
            ],
        ),
        (
            &["1.23"],
            &["1.34", "1.36"],
            &[(
                path,
                json!({"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "101%"}}),
            )],
            &[
                "spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: \"101%\": must not be greater than 100%",
            ],
        ),
        (
            &[],
            &["1.34"],
            &[(
                path,
                json!({"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "some"}}),
            )],
            &[
                "spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: \"some\": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
                "spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: \"some\": cannot be 0",
            ],
        ),
        (
            &["1.33"],
            &["1.34", "1.36"],
            &[("spec/template/spec/containers", json!([]))],
            &["spec.template.spec.containers: Required value"],
        ),
        (
            &["1.33"],
            &["1.34", "1.36"],
            &[("spec/volumeClaimTemplates/0/spec", json!({}))],
            &[
                "spec.volumeClaimTemplates[0].spec.accessModes: Required value: at least 1 access mode is required",
                "spec.volumeClaimTemplates[0].spec.resources[storage]: Required value",
            ],
        ),
        (
            &["1.35"],
            &["1.34"],
            &[(
                "spec/template/spec/containers/0/restartPolicy",
                json!("Never"),
            )],
            &[
                "spec.template.spec.containers[0].restartPolicy: Forbidden: may not be set for non-init containers",
            ],
        ),
    ];
    for (accepted, refused, edits, expected) in cases {
        for version in *accepted {
            assert_eq!(
                created(version, edits),
                Vec::<String>::new(),
                "{version} {edits:?}"
            );
        }
        for version in *refused {
            assert_eq!(created(version, edits), *expected, "{version} {edits:?}");
        }
    }
}

#[test]
fn creation_is_refused_in_every_version() {
    let cases: &[(Edits<'_>, &[&str])] = &[
        (
            &[("metadata", json!({}))],
            &["metadata.name: Required value: name or generateName is required"],
        ),
        (
            &[("spec/podManagementPolicy", json!("Ordered"))],
            &[
                "spec.podManagementPolicy: Invalid value: \"Ordered\": must be 'OrderedReady' or 'Parallel'",
            ],
        ),
        (
            &[("spec/replicas", json!(-1))],
            &["spec.replicas: Invalid value: -1: must be greater than or equal to 0"],
        ),
        (
            &[(
                "spec/updateStrategy",
                json!({"rollingUpdate": {"partition": -1}}),
            )],
            &[
                "spec.updateStrategy.rollingUpdate.partition: Invalid value: -1: must be greater than or equal to 0",
            ],
        ),
        (
            &[("spec/template/spec/restartPolicy", json!("Never"))],
            &[
                "spec.template.spec.restartPolicy: Unsupported value: \"Never\": supported values: \"Always\"",
            ],
        ),
        (
            &[("spec/template/spec/activeDeadlineSeconds", json!(5))],
            &[
                "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in StatefulSet is not Supported",
            ],
        ),
        (
            &[(
                "spec/template/metadata/labels",
                json!({"app": "web", "a/b/c": "x"}),
            )],
            &[
                "spec.template.labels: Invalid value: \"a/b/c\": a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
            ],
        ),
        (
            &[("metadata/finalizers", json!(["mine"]))],
            &[
                "metadata.finalizers[0]: Invalid value: \"mine\": name is neither a standard finalizer name nor is it fully qualified",
            ],
        ),
    ];
    for (edits, expected) in cases {
        for minor in 19..=37 {
            let version = format!("1.{minor}");
            // The wording for keys in messages has its own rule.
            let messages: Vec<String> = created(&version, edits)
                .iter()
                .map(|words| words.replace("a valid label key", "a qualified name"))
                .collect();
            assert_eq!(messages, *expected, "{version}");
        }
    }
}

#[test]
fn objects_and_lengths_have_the_wording_of_the_version() {
    let strategy = [(
        "spec/updateStrategy",
        json!({"type": "OnDelete", "rollingUpdate": {"partition": 2}}),
    )];
    let path = "spec.updateStrategy.rollingUpdate: Invalid value:";
    let only = "only allowed for updateStrategy 'RollingUpdate'";
    let labels = [("spec/template/metadata/labels", json!({"app": "db"}))];
    let mismatch = "spec.template.metadata.labels: Invalid value:";
    let not_matched = "`selector` does not match template `labels`";
    let empty = [("spec/selector", json!({}))];
    let long = [("metadata/name", json!("a".repeat(64)))];
    let annotations = [("metadata/annotations", json!({"a": "x".repeat(300_000)}))];
    for (version, edits, expected) in [
        (
            "1.23",
            &strategy,
            format!("{path} apps.RollingUpdateStatefulSetStrategy{{Partition:2}}: {only}"),
        ),
        (
            "1.33",
            &strategy,
            format!(
                "{path} apps.RollingUpdateStatefulSetStrategy{{Partition:2, MaxUnavailable:(*intstr.IntOrString)(nil)}}: {only}"
            ),
        ),
        (
            "1.34",
            &strategy,
            format!("{path} {{\"Partition\":2,\"MaxUnavailable\":null}}: {only}"),
        ),
        (
            "1.33",
            &labels,
            format!("{mismatch} map[string]string{{\"app\":\"db\"}}: {not_matched}"),
        ),
        (
            "1.34",
            &labels,
            format!("{mismatch} {{\"app\":\"db\"}}: {not_matched}"),
        ),
        (
            "1.33",
            &empty,
            "spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string(nil), MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: empty selector is invalid for statefulset".to_owned(),
        ),
        (
            "1.34",
            &empty,
            "spec.selector: Invalid value: {}: empty selector is invalid for statefulset".to_owned(),
        ),
        (
            "1.31",
            &long,
            format!("metadata.name: Invalid value: \"{}\": must be no more than 63 characters", "a".repeat(64)),
        ),
        (
            "1.32",
            &long,
            format!("metadata.name: Invalid value: \"{}\": must be no more than 63 characters", "a".repeat(64)),
        ),
        (
            "1.31",
            &annotations,
            "metadata.annotations: Too long: must have at most 262144 bytes".to_owned(),
        ),
        (
            "1.32",
            &annotations,
            "metadata.annotations: Too long: may not be more than 262144 bytes".to_owned(),
        ),
    ] {
        assert_eq!(created(version, edits), [expected], "{version}");
    }
    assert_eq!(
        created("1.26", &[("metadata/name", json!("a".repeat(253)))]),
        Vec::<String>::new()
    );
}

#[test]
fn owners_have_the_format_of_the_version() {
    let owner = |name: &str| json!({"apiVersion": "v1", "kind": "Pod", "name": name, "uid": "1", "controller": true});
    let owners = json!([owner("a"), owner("b")]);
    let detail = |first: &str, second: &str| {
        format!(
            "Only one reference can have Controller set to true. Found \"true\" in references for {first} and {second}"
        )
    };
    let literal = |name: &str| {
        format!(
            "v1.OwnerReference{{APIVersion:\"v1\", Kind:\"Pod\", Name:\"{name}\", UID:\"1\", Controller:(*bool)(0xc000000000), BlockOwnerDeletion:(*bool)(nil)}}"
        )
    };
    let literals = format!("[]v1.OwnerReference{{{}, {}}}", literal("a"), literal("b"));
    for (version, shown, detail) in [
        ("1.20", &literals, detail("a", "b")),
        ("1.30", &literals, detail("Pod/a", "Pod/b")),
        (
            "1.36",
            &r#"[{"apiVersion":"v1","kind":"Pod","name":"a","uid":"1","controller":true},{"apiVersion":"v1","kind":"Pod","name":"b","uid":"1","controller":true}]"#.to_owned(),
            detail("Pod/a", "Pod/b"),
        ),
    ] {
        let refused = created(version, &[("metadata/ownerReferences", owners.clone())]);
        let expected = format!("metadata.ownerReferences: Invalid value: {shown}: {detail}");
        assert_eq!(refused, [expected], "{version}");
    }
}

#[test]
fn selectors() {
    let expressions = |operator: &str, values: Value| {
        [(
            "spec/selector",
            json!({"matchExpressions": [{"key": "app", "operator": operator, "values": values}]}),
        )]
    };
    assert!(created("1.36", &expressions("In", json!(["web"]))).is_empty());
    let missing = created("1.36", &[("spec/selector", Value::Null)]);
    assert_eq!(
        missing,
        [
            "spec.selector: Required value",
            "spec.template.metadata.labels: Invalid value: {\"app\":\"web\"}: `selector` does not match template `labels`",
        ]
    );
    let first = |operator, values| {
        created("1.36", &expressions(operator, values))
            .into_iter()
            .next()
            .unwrap()
    };
    assert_eq!(
        first("In", json!([])),
        "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'"
    );
    assert_eq!(
        first("Exists", json!(["a"])),
        "spec.selector.matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
    );
    assert_eq!(
        first("Like", json!([])),
        "spec.selector.matchExpressions[0].operator: Invalid value: \"Like\": not a valid selector operator"
    );
    // From 1.26 on each value has its own error; before, only the selector as a whole has one.
    let odd = expressions("NotIn", json!(["a b"]));
    assert_eq!(created("1.25", &odd).len(), 1);
    assert_eq!(created("1.26", &odd).len(), 2);
    assert!(created("1.26", &odd)[0].starts_with(
        "spec.selector.matchExpressions[0].values[0]: Invalid value: \"a b\": a valid label must be"
    ));
}

const OLDEST: &str = "updates to statefulset spec for fields other than 'replicas', 'template', and 'updateStrategy' are forbidden";
const RETENTION: &str = "updates to statefulset spec for fields other than 'replicas', 'template', 'updateStrategy' and 'persistentVolumeClaimRetentionPolicy' are forbidden";
const MIN_READY: &str = "updates to statefulset spec for fields other than 'replicas', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
const ORDINALS: &str = "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
const HISTORY: &str = "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

#[test]
fn mutable_fields() {
    for (version, message, minimum, ordinals, history, retention) in [
        ("1.19", OLDEST, None, None, false, None),
        ("1.21", OLDEST, None, None, false, None),
        ("1.22", OLDEST, Some(false), None, false, None),
        (
            "1.22 StatefulSetMinReadySeconds=true",
            "updates to statefulset spec for fields other than 'replicas', 'template', 'updateStrategy' and 'minReadySeconds' are forbidden",
            Some(true),
            None,
            false,
            None,
        ),
        ("1.23", MIN_READY, Some(true), None, false, Some(true)),
        (
            "1.23 StatefulSetMinReadySeconds=false",
            RETENTION,
            Some(false),
            None,
            false,
            Some(true),
        ),
        (
            "1.24 StatefulSetMinReadySeconds=false",
            RETENTION,
            Some(false),
            None,
            false,
            Some(true),
        ),
        ("1.25", MIN_READY, Some(true), None, false, Some(true)),
        (
            "1.26.0",
            MIN_READY,
            Some(true),
            Some(false),
            false,
            Some(true),
        ),
        (
            "1.26.2",
            MIN_READY,
            Some(true),
            Some(false),
            false,
            Some(true),
        ),
        (
            "1.26.2 StatefulSetStartOrdinal=true",
            ORDINALS,
            Some(true),
            Some(true),
            false,
            Some(true),
        ),
        (
            "1.26.3",
            ORDINALS,
            Some(true),
            Some(true),
            false,
            Some(true),
        ),
        ("1.32", ORDINALS, Some(true), Some(true), false, Some(true)),
        ("1.33", HISTORY, Some(true), Some(true), true, Some(true)),
        ("1.36", HISTORY, Some(true), Some(true), true, Some(true)),
    ] {
        let check = |pointer: &str, value: Value, allowed: Option<bool>| {
            let refused = updated(version, &[(pointer, value)]);
            match allowed {
                // The field does not exist, so nothing changes.
                None | Some(true) => assert_eq!(refused, [], "{version} {pointer}"),
                Some(false) => {
                    assert_eq!(refused.len(), 1, "{version} {pointer}");
                    assert_eq!(
                        refused[0].message,
                        format!("Forbidden: {message}"),
                        "{version}"
                    );
                    assert_eq!(refused[0].field, "spec");
                    assert_eq!(refused[0].kind, RefusedKind::Forbidden);
                }
            }
        };
        check("spec/replicas", json!(5), Some(true));
        check("spec/template/spec/hostNetwork", json!(true), Some(true));
        check(
            "spec/updateStrategy",
            json!({"type": "OnDelete"}),
            Some(true),
        );
        check("spec/serviceName", json!("other"), Some(false));
        check("spec/podManagementPolicy", json!("Parallel"), Some(false));
        check(
            "spec/volumeClaimTemplates/0/metadata/labels",
            json!({"a": "b"}),
            Some(false),
        );
        check("spec/minReadySeconds", json!(5), minimum);
        check("spec/ordinals", json!({"start": 5}), ordinals);
        check("spec/revisionHistoryLimit", json!(5), Some(history));
        check(
            "spec/persistentVolumeClaimRetentionPolicy",
            json!({"whenDeleted": "Retain", "whenScaled": "Delete"}),
            retention,
        );
    }
}

#[test]
fn each_immutable_field_is_named() {
    let refused = updated(
        "1.36",
        &[
            (
                "spec/volumeClaimTemplates/0/spec/resources/requests/storage",
                json!("2Gi"),
            ),
            ("spec/serviceName", json!("db")),
            ("spec/selector/matchLabels/a.b~c", json!("x")),
            ("spec/template/metadata/labels/a.b~c", json!("x")),
        ],
    );
    let named: Vec<_> = refused
        .iter()
        .filter(|refused| refused.kind == RefusedKind::Forbidden)
        .map(|refused| (refused.path.as_str(), &refused.old, &refused.new))
        .collect();
    assert_eq!(
        named,
        [
            (
                "spec.selector.matchLabels[\"a.b~c\"]",
                &None,
                &Some(json!("x"))
            ),
            ("spec.serviceName", &Some(json!("web")), &Some(json!("db"))),
            (
                "spec.volumeClaimTemplates[0].spec.resources.requests.storage",
                &Some(json!("1Gi")),
                &Some(json!("2Gi"))
            ),
        ]
    );
    let only = updated(
        "1.36",
        &[
            ("spec/serviceName", json!("db")),
            ("spec/volumeClaimTemplates", json!([])),
        ],
    );
    assert_eq!(only.len(), 3, "{only:?}");
    assert_eq!(
        server_message("web", &only),
        format!(
            "The StatefulSet \"web\" is invalid: \n* spec.template.spec.containers[0].volumeMounts[0].name: Not found: \"data\"\n* spec: Forbidden: {HISTORY}"
        )
    );
    assert_eq!(
        server_message(
            "web",
            &updated("1.33", &[("spec/serviceName", json!("db"))])
        ),
        format!("The StatefulSet \"web\" is invalid: spec: Forbidden: {HISTORY}")
    );
}

#[test]
fn another_spelling_is_no_change() {
    for edits in [
        (
            "spec/volumeClaimTemplates/0/spec/resources/requests/storage",
            json!("1024Mi"),
        ),
        ("spec/volumeClaimTemplates/0/metadata/labels", json!({})),
        ("spec/volumeClaimTemplates/0/spec/selector", Value::Null),
        ("spec/selector/matchExpressions", json!([])),
        ("spec/podManagementPolicy", json!("OrderedReady")),
    ] {
        assert_eq!(
            updated("1.36", std::slice::from_ref(&edits)),
            [],
            "{edits:?}"
        );
    }
}

#[test]
fn updates_accept_values_older_than_the_check() {
    let update = |version: &str, old: Edits<'_>, new: Edits<'_>| {
        words(&validate_update(
            &read(&with(old), version),
            &read(&with(new), version),
            &rules(version).0,
        ))
    };
    // Names are validated again until 1.26, service names never.
    let name = [("metadata/name", json!("Web"))];
    assert_eq!(update("1.26", &name, &name).len(), 1);
    assert!(update("1.27", &name, &name).is_empty());
    let service = [("spec/serviceName", json!("Web"))];
    assert!(update("1.33", &service, &service).is_empty());
    // A template is validated only if the stored one is valid.
    let image = [("spec/template/spec/containers/0/image", json!(""))];
    let other = ("spec/replicas", json!(4));
    let required = ["spec.template.spec.containers[0].image: Required value"];
    assert_eq!(update("1.34", &[], &image), required);
    assert!(update("1.33", &[], &image).is_empty());
    assert!(update("1.34", &image, &[image[0].clone(), other]).is_empty());
    // Claim templates are not validated again.
    let modes = [("spec/volumeClaimTemplates/0/spec/accessModes", json!([]))];
    assert!(update("1.34", &modes, &modes).is_empty());
    // Stored selectors may have values that are not label values, but such a selector is still invalid.
    let odd = [(
        "spec/selector",
        json!({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["a b"]}]}),
    )];
    assert_eq!(update("1.30", &odd, &odd).len(), 1);
    // The name identifies a set.
    assert_eq!(
        update("1.34", &[], &[("metadata/name", json!("db"))]),
        ["metadata.name: Invalid value: \"db\": field is immutable"]
    );
}

/// Everything that is validated in a template, from 1.34 on.
#[test]
fn templates() {
    let app = "spec/template/spec/containers/0";
    let at = "spec.template.spec.containers[0]";
    let label = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
    let cases: &[(&str, Value, &[String])] = &[
        (
            "name",
            json!("App"),
            &[format!("{at}.name: Invalid value: \"App\": {label}")],
        ),
        ("image", json!(""), &[format!("{at}.image: Required value")]),
        (
            "ports",
            json!([
                {"containerPort": 80, "name": "http"}, {"containerPort": 70000, "name": "http"},
                {"name": "a-much-too-long-name", "containerPort": 1, "protocol": "QUIC"}, {"containerPort": 0}
            ]),
            &[
                format!("{at}.ports[1].name: Duplicate value: \"http\""),
                format!(
                    "{at}.ports[1].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive"
                ),
                format!(
                    "{at}.ports[2].name: Invalid value: \"a-much-too-long-name\": must be no more than 15 characters"
                ),
                format!(
                    "{at}.ports[2].protocol: Unsupported value: \"QUIC\": supported values: \"SCTP\", \"TCP\", \"UDP\""
                ),
                format!("{at}.ports[3].containerPort: Required value"),
            ],
        ),
        (
            "ports",
            json!([{"containerPort": 80, "hostPort": 80}, {"containerPort": 81, "hostPort": 80}]),
            &[format!(
                "{at}.ports[1].hostPort: Duplicate value: \"TCP//80\""
            )],
        ),
        (
            "env",
            json!([
                {"name": ""}, {"name": "A=B"}, {"name": "1 is fine"},
                {"name": "A", "value": "x", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
                {"name": "B", "valueFrom": {}}, {"name": "C", "valueFrom": {"secretKeyRef": {"name": "s"}}}
            ]),
            &[
                format!("{at}.env[0].name: Required value"),
                format!(
                    "{at}.env[1].name: Invalid value: \"A=B\": a valid environment variable name must consist only of printable ASCII characters other than '='"
                ),
                format!(
                    "{at}.env[3].valueFrom: Invalid value: \"\": may not be specified when `value` is not empty"
                ),
                format!(
                    "{at}.env[4].valueFrom: Invalid value: \"\": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
                ),
                format!("{at}.env[5].valueFrom.secretKeyRef.key: Required value"),
            ],
        ),
        (
            "volumeMounts",
            json!([
                {"name": "data", "mountPath": "/a"}, {"name": "data", "mountPath": "/a"},
                {"name": "tmp", "mountPath": "/b"}, {"name": "data", "mountPath": ""}
            ]),
            &[
                format!("{at}.volumeMounts[1].mountPath: Invalid value: \"/a\": must be unique"),
                format!("{at}.volumeMounts[2].name: Not found: \"tmp\""),
                format!("{at}.volumeMounts[3].mountPath: Required value"),
            ],
        ),
        (
            "resources",
            json!({"requests": {"cpu": "2", "memory": "-1", "gpu": "1"}, "limits": {"cpu": "1500m", "example.com/gpu": "2"}}),
            &[
                format!(
                    "{at}.resources.requests: Invalid value: \"2\": must be less than or equal to cpu limit of 1500m"
                ),
                format!(
                    "{at}.resources.requests[gpu]: Invalid value: \"gpu\": must be a standard resource type or fully qualified"
                ),
                format!(
                    "{at}.resources.requests[gpu]: Invalid value: \"gpu\": must be a standard resource for containers"
                ),
                format!(
                    "{at}.resources.requests[memory]: Invalid value: \"-1\": must be greater than or equal to 0"
                ),
            ],
        ),
        (
            "livenessProbe",
            json!({"successThreshold": 2, "periodSeconds": -1}),
            &[
                format!("{at}.livenessProbe: Required value: must specify a handler type"),
                format!(
                    "{at}.livenessProbe.periodSeconds: Invalid value: -1: must be greater than or equal to 0"
                ),
                format!("{at}.livenessProbe.successThreshold: Invalid value: 2: must be 1"),
            ],
        ),
        (
            "readinessProbe",
            json!({"httpGet": {"port": 0}, "exec": {"command": ["a"]}, "terminationGracePeriodSeconds": 1}),
            &[
                format!(
                    "{at}.readinessProbe.httpGet: Forbidden: may not specify more than 1 handler type"
                ),
                format!(
                    "{at}.readinessProbe.terminationGracePeriodSeconds: Invalid value: 1: must not be set for readinessProbes"
                ),
            ],
        ),
        (
            "imagePullPolicy",
            json!("Sometimes"),
            &[format!(
                "{at}.imagePullPolicy: Unsupported value: \"Sometimes\": supported values: \"Always\", \"IfNotPresent\", \"Never\""
            )],
        ),
    ];
    for (member, value, expected) in cases {
        let pointer = format!("{app}/{member}");
        assert_eq!(created("1.36", &[(&pointer, value.clone())]), *expected);
        assert!(created("1.33", &[(&pointer, value.clone())]).is_empty());
    }
    let pod = "spec.template.spec";
    for (pointer, value, expected) in [
        (
            "spec/template/spec/volumes",
            json!([{"name": "a", "configMap": {}}, {"name": "a"}, {"name": "a"}, {"name": "data"}, {"name": "b", "emptyDir": {}, "secret": {"secretName": "s"}}]),
            vec![
                format!("{pod}.volumes[1].configMap.name: Required value"),
                format!("{pod}.volumes[3].name: Duplicate value: \"a\""),
                format!(
                    "{pod}.volumes[4].secret: Forbidden: may not specify more than 1 volume type"
                ),
            ],
        ),
        (
            "spec/template/spec/initContainers",
            json!([
                {"name": "app", "image": "a"}, {"name": "i", "image": "a", "restartPolicy": "Always", "livenessProbe": {"exec": {"command": ["a"]}}},
                {"name": "j", "image": "a", "lifecycle": {"preStop": {"exec": {"command": ["a"]}}}}
            ]),
            vec![
                format!("{pod}.initContainers[0].name: Duplicate value: \"app\""),
                format!(
                    "{pod}.initContainers[2].lifecycle: Forbidden: may not be set for init containers without restartPolicy=Always"
                ),
            ],
        ),
        (
            "spec/template/spec/dnsPolicy",
            json!("Host"),
            vec![format!(
                "{pod}.dnsPolicy: Unsupported value: \"Host\": supported values: \"ClusterFirstWithHostNet\", \"ClusterFirst\", \"Default\", \"None\""
            )],
        ),
        (
            "spec/template/spec/terminationGracePeriodSeconds",
            json!(-5),
            vec![],
        ),
        ("spec/template/spec/hostname", json!("Any Thing"), vec![]),
    ] {
        assert_eq!(created("1.36", &[(pointer, value)]), expected);
    }
    let refused = validate_create(
        &read(
            &with(&[("spec/volumeClaimTemplates/0/metadata/name", json!("Data"))]),
            "1.36",
        ),
        &rules("1.36").0,
    );
    assert_eq!(
        refused[0].path,
        "spec.volumeClaimTemplates[0].metadata.name"
    );
    assert_eq!(refused[0].field, "spec.template.spec.volumes[0].name");
}

#[test]
fn disabled_fields_are_dropped_unless_in_use() {
    let check = |version: &str, pointer: &str, value: Value, created: bool, kept_if_used: bool| {
        let rules = rules(version).0;
        let new = read(&with(&[(pointer, value)]), version);
        let json_pointer = format!("/{pointer}");
        let survives = |old: Option<&Value>| {
            let mut new = new.clone();
            let dropped = drop_disabled_fields(&mut new, old, &rules);
            let survived = new
                .pointer(&json_pointer)
                .is_some_and(|value| !value.is_null());
            assert_eq!(dropped.is_empty(), survived, "{version} {pointer}");
            survived
        };
        assert_eq!(survives(None), created, "{version} {pointer} created");
        assert_eq!(
            survives(Some(&new)),
            kept_if_used,
            "{version} {pointer} used"
        );
        survives(Some(&read(&web(), version)))
    };
    let minimum = ("spec/minReadySeconds", json!(5));
    let (pointer, value) = minimum;
    assert!(check("1.22", pointer, value.clone(), false, true));
    assert!(check(
        "1.24 StatefulSetMinReadySeconds=false",
        pointer,
        value.clone(),
        false,
        true
    ));
    assert!(check("1.23", pointer, value.clone(), true, true));
    assert!(check("1.25", pointer, value, true, true));
    let pointer = "spec/persistentVolumeClaimRetentionPolicy";
    let value = json!({"whenDeleted": "Delete", "whenScaled": "Retain"});
    assert!(!check("1.23", pointer, value.clone(), false, true));
    assert!(!check("1.26", pointer, value.clone(), false, true));
    assert!(check("1.27", pointer, value.clone(), true, true));
    assert!(check(
        "1.31 StatefulSetAutoDeletePVC=true",
        pointer,
        value.clone(),
        true,
        true
    ));
    assert!(check("1.36", pointer, value, true, true));
    let pointer = "spec/updateStrategy";
    let value = json!({"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 2}});
    for (version, kept) in [
        ("1.24", false),
        ("1.34", false),
        ("1.35.3", true),
        ("1.35.4", false),
        ("1.36", false),
        ("1.36 MaxUnavailableStatefulSet=true", true),
    ] {
        let rules = rules(version).0;
        let mut new = read(&with(&[(pointer, value.clone())]), version);
        let used = new.clone();
        drop_disabled_fields(&mut new, None, &rules);
        let most = "/spec/updateStrategy/rollingUpdate/maxUnavailable";
        assert_eq!(new.pointer(most).is_some(), kept, "{version}");
        let mut new = used.clone();
        drop_disabled_fields(&mut new, Some(&used), &rules);
        assert_eq!(new.pointer(most), Some(&json!(2)), "{version}");
    }
    let (pointer, value) = ("spec/ordinals", json!({"start": 3}));
    assert!(!check("1.26", pointer, value.clone(), false, true));
    assert!(check("1.27", pointer, value.clone(), true, true));
    assert!(!check(
        "1.30 StatefulSetStartOrdinal=false",
        pointer,
        value.clone(),
        false,
        true
    ));
    assert!(check("1.34", pointer, value, true, true));
}

#[test]
fn the_default_proc_mount_does_not_use_its_gate() {
    let rules = rules("1.19").0;
    let pointer = "spec/template/spec/containers/0/securityContext";
    let with_proc_mount =
        |text: &str| read(&with(&[(pointer, json!({"procMount": text}))]), "1.19");
    let after = |stored: &str, given: &str| {
        let mut new = with_proc_mount(given);
        drop_disabled_fields(&mut new, Some(&with_proc_mount(stored)), &rules);
        new.pointer(&format!("/{pointer}/procMount")).cloned()
    };
    assert_eq!(after("Default", ""), Some(json!("Default")));
    assert_eq!(after("Default", "Unmasked"), Some(json!("Default")));
    assert_eq!(after("Unmasked", ""), Some(json!("")));
}

#[test]
fn generation_counts_semantic_changes() {
    let count = |edits: Edits<'_>| {
        generation(
            Some(&read(&web(), "1.36")),
            &read(&with(edits), "1.36"),
            &rules("1.36").0,
        )
    };
    assert_eq!(generation(None, &read(&web(), "1.36"), &rules("1.36").0), 1);
    assert_eq!(count(&[]), 3);
    assert_eq!(count(&[("metadata/labels", json!({"a": "b"}))]), 3);
    assert_eq!(count(&[("spec/replicas", json!(4))]), 4);
    assert_eq!(
        count(&[(
            "spec/template/metadata/annotations",
            json!({"restarted": "now"})
        )]),
        4
    );
    let storage = "spec/volumeClaimTemplates/0/spec/resources/requests/storage";
    assert_eq!(count(&[(storage, json!("1024Mi"))]), 3);
}

#[test]
fn history_limit_warnings() {
    let of_version = |version: &str| {
        let set = read(&with(&[("spec/revisionHistoryLimit", json!(-1))]), version);
        warnings(&set, None, &rules(version).0)
    };
    assert!(of_version("1.32").is_empty());
    assert_eq!(
        of_version("1.33"),
        [
            "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"
        ]
    );
    assert!(warnings(&read(&web(), "1.33"), None, &rules("1.33").0).is_empty());
    assert_eq!(longest_usable_name(10), 52);
    assert_eq!(longest_usable_name(8), 54);
}

#[test]
fn order_of_errors() {
    let edits = [
        ("metadata/labels", json!({"-": "x"})),
        ("spec/replicas", json!(-1)),
        ("spec/serviceName", json!("db")),
    ];
    let paths = |version| -> Vec<String> {
        updated(version, &edits)
            .into_iter()
            .map(|refused| refused.field)
            .collect()
    };
    for version in ["1.20", "1.24", "1.26", "1.27", "1.36"] {
        assert_eq!(
            paths(version),
            ["metadata.labels", "spec.replicas", "spec"],
            "{version}"
        );
    }
    // The name is compared after the validation of the new spec until 1.26, before it from 1.27 on.
    let edits = [("metadata/name", json!("db")), ("spec/replicas", json!(-1))];
    let paths = |version| -> Vec<String> {
        updated(version, &edits)
            .into_iter()
            .map(|refused| refused.field)
            .collect()
    };
    assert_eq!(paths("1.26"), ["spec.replicas", "metadata.name"]);
    assert_eq!(paths("1.27"), ["metadata.name", "spec.replicas"]);
}

proptest! {
    #[test]
    fn nothing_panics(seed: u64, other: u64, minor in 19_u32..40) {
        let version = format!("1.{minor}");
        let (validation, controller) = rules(&version);
        let raw = manifest(seed, 50);
        let _ = validate_create(&raw, &validation);
        let _ = validate_update(&raw, &manifest(other, 50), &validation);
        if let (Ok(old), Ok(new)) =
            (stored(&manifest(seed, 0), &controller.defaulting), stored(&manifest(other, 0), &controller.defaulting))
        {
            let mut set = new.set.clone();
            drop_disabled_fields(&mut set, Some(&old.set), &validation);
            let _ = server_message("web", &validate_update(&old.set, &set, &validation));
            let _ = server_message("web", &validate_create(&set, &validation));
            let before = old.set["metadata"]["generation"].as_i64().unwrap_or(0);
            prop_assert_eq!(generation(Some(&old.set), &old.set, &validation), before);
        }
    }

    #[test]
    fn an_unchanged_set_has_no_new_errors(seed: u64, minor in 19_u32..40) {
        let version = format!("1.{minor}");
        let (validation, controller) = rules(&version);
        if let Ok(old) = stored(&manifest(seed, 0), &controller.defaulting) {
            let fields: BTreeMap<String, RefusedKind> =
                validate_update(&old.set, &old.set, &validation)
                    .into_iter()
                    .map(|refused| (refused.field, refused.kind))
                    .collect();
            prop_assert!(!fields.contains_key("spec"));
        }
    }
}
