//! The API server's errors about unusual pods: annotations older than their fields, Windows, restart rules, and other
//! rare fields.

use serde_json::{Value, json};
use sts_controller::apiserver::validation::{pod_refusal, server_message};

use crate::rare_fields::{Edits, assert_message, assert_pod};
use crate::validate::{created, rules};

const SECCOMP: &str = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_OF_APP: &str = "container.seccomp.security.alpha.kubernetes.io/app";
const APP_ARMOR_OF_APP: &str = "container.apparmor.security.beta.kubernetes.io/app";
const COST: &str = "controller.kubernetes.io/pod-deletion-cost";

/// Asserts the error about one annotation; `message` begins after its path in brackets.
#[track_caller]
fn assert_annotation(key: &str, value: &str, message: &str) {
    let message = match message {
        "" => String::new(),
        message => format!("spec.template.annotations[{key}]: Invalid value: \"{message}"),
    };
    assert_message(json!({key: value}), vec![], &message);
}

#[test]
fn special_annotations_are_validated() {
    for cost in ["0", "-1", "12"] {
        assert_annotation(COST, cost, "");
    }
    for cost in ["00", "+1", "-", "2147483648"] {
        assert_annotation(COST, cost, &format!("{cost}\": must be a 32bit integer"));
    }
    let mirror = "kubernetes.io/config.mirror";
    assert_annotation(
        mirror,
        "x",
        "x\": must set spec.nodeName if mirror pod annotation is set",
    );
    assert_message(json!({mirror: "x"}), vec![("nodeName", json!("node"))], "");
    let tolerations = "scheduler.alpha.kubernetes.io/tolerations";
    assert_annotation(tolerations, "", "");
    assert_message(
        json!({tolerations: "[{\"operator\": \"Exists\", \"value\": \"v\"}]"}),
        vec![],
        "spec.template.annotations.scheduler.alpha.kubernetes.io/tolerations[0].operator: Invalid value: \"v\": value must be empty when `operator` is 'Exists'",
    );
}

#[test]
fn profiles_in_annotations_must_be_known() {
    for key in [SECCOMP, SECCOMP_OF_APP] {
        for profile in [
            "runtime/default",
            "docker/default",
            "unconfined",
            "localhost/a",
        ] {
            assert_annotation(key, profile, "");
        }
        for (profile, message) in [
            ("mine", "\"mine\": must be a valid seccomp profile"),
            ("localhost/../a", "\"../a\": must not contain '..'"),
        ] {
            let message = format!("spec.template.annotations.{key}: Invalid value: {message}");
            assert_message(json!({key: profile}), vec![], &message);
        }
    }
    for profile in ["", "runtime/default", "unconfined", "localhost/a"] {
        assert_annotation(APP_ARMOR_OF_APP, profile, "");
    }
    assert_annotation(
        APP_ARMOR_OF_APP,
        "mine",
        "mine\": invalid AppArmor profile name: \"mine\"",
    );
    assert_annotation(
        "container.apparmor.security.beta.kubernetes.io/other",
        "unconfined",
        "other\": container not found",
    );
}

#[test]
fn profiles_in_annotations_and_fields_must_match() {
    let profile = |kind: &str| json!({"type": kind});
    let local = |path: &str| json!({"type": "Localhost", "localhostProfile": path});
    let of_pod = |member: &str, profile: Value| ("securityContext", json!({member: profile}));
    let of_app =
        |member: &str, profile: Value| ("containers/0/securityContext", json!({member: profile}));
    let (seccomp, app_armor) = ("seccompProfile", "appArmorProfile");
    for (key, annotation, fields, at) in [
        (
            SECCOMP,
            "unconfined",
            vec![of_pod(seccomp, profile("Unconfined"))],
            "",
        ),
        (
            SECCOMP,
            "unconfined",
            vec![of_pod(seccomp, profile("RuntimeDefault"))],
            "type",
        ),
        (
            SECCOMP,
            "unconfined",
            vec![of_pod(seccomp, local("b"))],
            "type",
        ),
        (
            SECCOMP,
            "runtime/default",
            vec![of_pod(seccomp, profile("RuntimeDefault"))],
            "",
        ),
        (
            SECCOMP,
            "docker/default",
            vec![of_pod(seccomp, profile("RuntimeDefault"))],
            "",
        ),
        (
            SECCOMP,
            "runtime/default",
            vec![of_pod(seccomp, profile("Unconfined"))],
            "type",
        ),
        (
            SECCOMP,
            "localhost/a",
            vec![of_pod(seccomp, local("a"))],
            "",
        ),
        (
            SECCOMP,
            "localhost/a",
            vec![of_pod(seccomp, local("b"))],
            "localhostProfile",
        ),
        (
            SECCOMP_OF_APP,
            "unconfined",
            vec![of_app(seccomp, profile("RuntimeDefault"))],
            "type",
        ),
        (
            APP_ARMOR_OF_APP,
            "runtime/default",
            vec![of_app(app_armor, profile("RuntimeDefault"))],
            "",
        ),
        (
            APP_ARMOR_OF_APP,
            "unconfined",
            vec![of_app(app_armor, profile("RuntimeDefault"))],
            "type",
        ),
        (
            APP_ARMOR_OF_APP,
            "localhost/a",
            vec![of_app(app_armor, local("b"))],
            "localhostProfile",
        ),
        // The pod's profile applies to every container without one.
        (
            APP_ARMOR_OF_APP,
            "unconfined",
            vec![of_pod(app_armor, profile("RuntimeDefault"))],
            "type",
        ),
        (
            APP_ARMOR_OF_APP,
            "unconfined",
            vec![
                of_pod(app_armor, profile("RuntimeDefault")),
                of_app(app_armor, profile("Unconfined")),
            ],
            "",
        ),
    ] {
        let (what, member, of) = match key {
            SECCOMP => ("seccomp", seccomp, ""),
            SECCOMP_OF_APP => ("seccomp", seccomp, "containers[0]."),
            _ => ("apparmor", app_armor, "containers[0]."),
        };
        let differs = match at {
            "type" => "type",
            _ => "profile",
        };
        let message = match at {
            "" => String::new(),
            at => format!(
                "{of}securityContext.{member}.{at}: Forbidden: {what} {differs} in annotation and field must match"
            ),
        };
        assert_message(json!({key: annotation}), fields, &message);
    }
    // Docker's name is not a valid AppArmor profile.
    assert_message(
        json!({APP_ARMOR_OF_APP: "docker/default"}),
        vec![of_app(app_armor, profile("RuntimeDefault"))],
        "spec.template.annotations[container.apparmor.security.beta.kubernetes.io/app]: Invalid value: \"docker/default\": invalid AppArmor profile name: \"docker/default\"\n\
         containers[0].securityContext.appArmorProfile.type: Forbidden: apparmor type in annotation and field must match",
    );
}

fn windows(options: Value) -> Edits<'static> {
    vec![("securityContext", json!({"windowsOptions": options}))]
}

#[test]
fn windows_users_have_a_name_and_an_optional_domain() {
    let long = |count: usize| "u".repeat(count);
    for user in [
        "admin",
        "a b",
        "DOM\\user",
        "a.b\\user",
        "averylongnetbi-\\user",
        "averylongnetbios.example\\user",
        &format!("{}.x\\u", "d".repeat(63)),
        &format!("{}d\\u", "d.".repeat(127)),
        &long(104),
    ] {
        assert_pod(windows(json!({"runAsUserName": user})), "", "");
    }
    let no_domain = "'s Domain doesn't match the NetBios nor the DNS format";
    let no_user = "'s User cannot contain the following characters: \"/\\:;|=,+*?<>@[]";
    for (user, message) in [
        ("", " cannot be an empty string"),
        ("a\u{1}b", " cannot contain control characters"),
        ("a\\b\\c", " cannot contain more than one backslash"),
        ("DOM\\", "'s User cannot be empty"),
        (".dom\\user", no_domain),
        ("a:b\\user", no_domain),
        ("\\user", no_domain),
        ("averylongnetbios_x\\user", no_domain),
        ("averylongnetbios-\\user", no_domain),
        (&*format!("{}.x\\u", "d".repeat(64)), no_domain),
        (
            &*format!("{}dd\\u", "d.".repeat(127)),
            "'s Domain length must be under 256 characters",
        ),
        (
            &*long(105),
            "'s User length must not be longer than 104 characters",
        ),
        ("..", "'s User cannot contain only periods or spaces"),
        ("a/b", no_user),
        ("a@b", no_user),
    ] {
        let message = format!(": Invalid value: {}: runAsUserName{message}", json!(user));
        assert_pod(
            windows(json!({"runAsUserName": user})),
            "securityContext.windowsOptions.runAsUserName",
            &message,
        );
    }
    let credentials = |length: usize| windows(json!({"gmsaCredentialSpec": "x".repeat(length)}));
    assert_pod(credentials(64 * 1024), "", "");
    assert_pod(
        credentials(64 * 1024 + 1),
        "securityContext.windowsOptions.gmsaCredentialSpec",
        &format!(
            ": Invalid value: \"{}\": gmsaCredentialSpec size must be under 64 KiB",
            "x".repeat(64 * 1024 + 1)
        ),
    );
}

#[test]
fn host_process_applies_to_the_whole_pod() {
    for (of_pod, of_app, network, message) in [
        (json!(true), json!(null), true, ""),
        (json!(true), json!(true), true, ""),
        (
            json!(true),
            json!(null),
            false,
            "hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess containers",
        ),
        (
            json!(true),
            json!(false),
            true,
            "containers[0].securityContext.windowsOptions.hostProcess: Invalid value: false: pod hostProcess value must be identical if both are specified, was true",
        ),
        (
            json!(false),
            json!(true),
            true,
            "containers[0].securityContext.windowsOptions.hostProcess: Invalid value: true: pod hostProcess value must be identical if both are specified, was false",
        ),
    ] {
        let mut edits = windows(json!({"hostProcess": of_pod}));
        edits.push((
            "containers/0/securityContext",
            json!({"windowsOptions": {"hostProcess": of_app}}),
        ));
        edits.push(("hostNetwork", json!(network)));
        assert_pod(edits, "", message);
    }
}

fn restart_rules(count: usize) -> Value {
    let rule = |code: usize| json!({"action": "Restart", "exitCodes": {"operator": "In", "values": [code]}});
    (1..=count).map(rule).collect()
}

#[test]
fn restart_rules_are_limited_and_need_a_policy() {
    let rules = |rules: Value| {
        vec![
            ("containers/0/restartPolicy", json!("Never")),
            ("containers/0/restartPolicyRules", rules),
        ]
    };
    let at = "containers[0].restartPolicyRules";
    assert_pod(rules(restart_rules(20)), at, "");
    assert_pod(
        rules(restart_rules(21)),
        at,
        ": Too many: 21: must have at most 20 items",
    );
    let codes = |operator: &str, count: usize| {
        let values: Vec<usize> = (1..=count).collect();
        rules(json!([{"action": "Restart", "exitCodes": {"operator": operator, "values": values}}]))
    };
    assert_pod(codes("In", 255), at, "");
    assert_pod(codes("NotIn", 1), at, "");
    assert_pod(
        codes("In", 256),
        at,
        "[0].exitCodes.values: Too many: 256: must have at most 255 items",
    );
    assert_pod(
        codes("Out", 1),
        at,
        "[0].exitCodes.operator: Unsupported value: \"Out\": supported values: \"In\", \"NotIn\"",
    );
    let no_policy =
        ".restartPolicy: Required value: must specify restartPolicy when restart rules are used";
    let alone = vec![("containers/0/restartPolicyRules", restart_rules(1))];
    assert_pod(alone, "containers[0]", no_policy);

    let init = |members: Value, message: &str| {
        let mut init = json!({"name": "i", "image": "x:1"});
        init.as_object_mut()
            .unwrap()
            .extend(members.as_object().unwrap().clone());
        assert_pod(
            vec![("initContainers", json!([init]))],
            "initContainers[0]",
            message,
        );
    };
    init(json!({"restartPolicyRules": restart_rules(1)}), no_policy);
    for policy in ["Always", "Never"] {
        let rules = restart_rules(1);
        init(
            json!({"restartPolicy": policy, "restartPolicyRules": rules}),
            "",
        );
    }
    init(
        json!({"restartPolicy": "Sometimes"}),
        ".restartPolicy: Unsupported value: \"Sometimes\": supported values: \"Always\", \"Never\", \"OnFailure\"",
    );
    let resized =
        |policy: &str| json!({"resizePolicy": [{"resourceName": "cpu", "restartPolicy": policy}]});
    init(resized("NotRequired"), "");
    init(
        resized("RestartContainer"),
        ".resizePolicy[0].restartPolicy: Invalid value: \"RestartContainer\": must not be set to 'RestartContainer' for non-sidecar initContainers",
    );
}

#[test]
fn variables_from_files_need_an_empty_dir() {
    let variable = |key: &str, volume: &str, source: Value| {
        let reference = json!({"volumeName": volume, "path": "f", "key": key});
        vec![
            (
                "containers/0/env",
                json!([{"name": "A", "valueFrom": {"fileKeyRef": reference}}]),
            ),
            ("volumes", json!([source])),
        ]
    };
    let own = json!({"name": "own", "emptyDir": {}});
    let at = "containers[0].env[0].valueFrom.fileKeyRef";
    let elsewhere = ": referenced volume must be of type emptyDir";
    assert_pod(variable("K", "own", own.clone()), at, "");
    assert_pod(variable("", "own", own.clone()), at, ".key: Required value");
    assert_pod(
        variable("a=b", "own", own.clone()),
        at,
        ".key: Invalid value: \"a=b\": a valid environment variable name must consist only of printable ASCII characters other than '='",
    );
    assert_pod(
        variable(
            "K",
            "node",
            json!({"name": "node", "hostPath": {"path": "/x"}}),
        ),
        at,
        &format!(".volumeName: Invalid value: \"node\"{elsewhere}"),
    );
    assert_pod(
        variable("K", "data", own.clone()),
        at,
        &format!(".volumeName: Invalid value: \"data\"{elsewhere}"),
    );
    assert_pod(
        variable("K", "none", own),
        at,
        ".volumeName: Not found: \"none\"",
    );
}

#[test]
fn other_rare_fields() {
    for (system, signal) in [
        ("windows", "SIGTERM"),
        ("windows", "SIGKILL"),
        ("linux", "SIGHUP"),
    ] {
        let lifecycle = json!({"stopSignal": signal});
        let edits = vec![
            ("os", json!({"name": system})),
            ("containers/0/lifecycle", lifecycle),
        ];
        assert_pod(edits, "", "");
    }
    assert_pod(
        vec![
            ("os", json!({"name": "windows"})),
            ("containers/0/lifecycle", json!({"stopSignal": "SIGHUP"})),
        ],
        "containers[0].lifecycle.stopSignal",
        ": Unsupported value: \"SIGHUP\": supported values: \"SIGKILL\", \"SIGTERM\"",
    );
    let named = |length: usize| vec![("hostnameOverride", json!("h".repeat(length)))];
    assert_pod(named(64), "", "");
    assert_pod(
        named(65),
        "hostnameOverride",
        ": Too long: may not be more than 64 bytes",
    );
    let device = |path: &str| {
        let claim = json!({"name": "raw", "persistentVolumeClaim": {"claimName": "raw"}});
        vec![
            ("volumes", json!([claim])),
            (
                "containers/0/volumeDevices",
                json!([{"name": "raw", "devicePath": path}]),
            ),
        ]
    };
    assert_pod(device("/dev/raw"), "", "");
    assert_pod(
        device("/data"),
        "containers[0]",
        ".volumeMounts[0].mountPath: Invalid value: \"/data\": must not already exist as a path in volumeDevices\n\
         containers[0].volumeDevices[0].devicePath: Invalid value: \"/data\": must not already exist as a path in volumeMounts",
    );
}

#[test]
fn init_restart_policies_by_version() {
    let message = |version: &str, policy: &str, rules: usize| {
        let init = json!([{"name": "i", "image": "x:1", "restartPolicy": policy,
            "restartPolicyRules": restart_rules(rules)}]);
        created(version, &[("spec/template/spec/initContainers", init)])
    };
    let none: [&str; 0] = [];
    assert_eq!(message("1.34", "Always", 0), none);
    assert_eq!(
        message("1.34", "Never", 0),
        [
            "spec.template.spec.initContainers[0].restartPolicy: Unsupported value: \"Never\": supported values: \"Always\""
        ]
    );
    for (policy, rules) in [("Always", 0), ("Never", 0), ("Never", 1)] {
        assert_eq!(message("1.35", policy, rules), none);
    }
    assert_eq!(
        message("1.35", "Always", 1),
        [
            "spec.template.spec.initContainers[0].restartPolicyRules: Forbidden: restartPolicyRules are not allowed for init containers with restart policy Always"
        ]
    );
}

#[test]
fn an_ephemeral_container_targets_an_existing_one() {
    let not_found = |target: &str| {
        let ephemeral = json!([{"name": "e", "image": "x:1", "targetContainerName": target}]);
        let message = created(
            "1.36",
            &[("spec/template/spec/ephemeralContainers", ephemeral)],
        );
        message.iter().any(|line| {
            line.contains("ephemeralContainers[0].targetContainerName: Not found: \"none\"")
        })
    };
    assert!(not_found("none"));
    assert!(!not_found("app") && !not_found(""));
}

/// The server validates a pod itself in every version.
#[test]
fn pods_are_validated_on_creation() {
    let message = |version: &str, members: Value| {
        let mut spec = json!({"containers": [{"name": "app", "image": "x:1"}]});
        let members = members.as_object().unwrap().clone();
        spec.as_object_mut().unwrap().extend(members);
        let pod = json!({"apiVersion": "v1", "kind": "Pod", "spec": spec,
            "metadata": {"name": "web-0", "namespace": "prod", "labels": {"app": "web"}}});
        pod_refusal(&pod, &rules(version).1).unwrap_or_default()
    };
    let gates = json!([{"name": "example.com/wait"}]);
    assert_eq!(message("1.36", json!({"nodeName": "node"})), "");
    assert_eq!(message("1.36", json!({"schedulingGates": gates})), "");
    let both = message(
        "1.36",
        json!({"nodeName": "node", "schedulingGates": gates}),
    );
    assert!(
        both.contains(
            "spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared"
        ),
        "{both}"
    );
    let spread = |selector: Value| {
        json!({"topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone",
            "whenUnsatisfiable": "DoNotSchedule", "labelSelector": selector, "matchLabelKeys": ["app"]}]})
    };
    assert_eq!(
        message("1.30", spread(json!({"matchLabels": {"tier": "db"}}))),
        ""
    );
    let twice = message("1.30", spread(json!({"matchLabels": {"app": "web"}})));
    assert!(
        twice.contains("exists in both matchLabelKeys and labelSelector"),
        "{twice}"
    );
}

#[test]
fn a_percentage_is_digits_and_a_sign() {
    let message = |text: &str| {
        let strategy = json!({"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": text}});
        let gate = "1.36 MaxUnavailableStatefulSet=true";
        created(gate, &[("spec/updateStrategy", strategy)]).concat()
    };
    assert_eq!(message("50%"), "");
    for text in ["%", "a%", "5a%", "5"] {
        let message = message(text);
        assert!(
            message.contains("a valid percent string must be"),
            "{message}"
        );
        assert!(
            !message.contains("must not be greater than 100%"),
            "{message}"
        );
    }
}

#[test]
fn a_message_without_reasons_ends_with_the_object() {
    assert_eq!(
        server_message("web", &[]),
        "The StatefulSet \"web\" is invalid"
    );
}
