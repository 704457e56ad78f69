//! Printed commands with hostile names: whoever types one into a shell runs kubectl with the intended arguments.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use serde_json::{Value, json};
use sts_controller::object::{RelatedKind, RelatedObjects};
use sts_plan::analysis::analyze;
use sts_plan::explain::{copy_command, delete_pods, grown_set_commands, restore_commands};
use sts_plan::plan::{Conditions, Plan};
use sts_plan::report::Report;
use sts_plan::stages::{check_claims_command, check_commands, set_gone_commands};
use sts_plan::what_if::Questions;

use crate::fixtures::snapshot_of;
use crate::program;
use crate::render::conditions;
use test_kit::cause_worlds::worlds;

/// Names that a shell or kubectl may take for something else.
const HOSTILE: [&str; 8] = [
    "--all",
    "--kubeconfig=evil",
    "-A",
    "$(touch touched)",
    "'; touch touched; '",
    "a b",
    "`touch touched`",
    "x\ntouch touched\n",
];

/// Flags that the printed commands have, with those that take the next word as their value last.
const FLAGS: [&str; 9] = [
    "--cascade=orphan",
    "--dry-run=client",
    "--for=delete",
    "--force",
    "--grace-period=0",
    "--overwrite",
    "--previous",
    "--show-labels",
    "--wait=false",
];
const VALUED: [&str; 7] = ["-n", "-c", "-f", "-o", "-p", "--type", "--field-manager"];
const NUMBERED: [&str; 2] = ["--replicas=", "--to-revision="];

/// Plans these objects, past the reader, which refuses such names.
fn plan(objects: &[Value]) -> Plan {
    let mut related = RelatedObjects::default();
    let mut of_set = Vec::new();
    for object in objects {
        let text = |key: &str| object[key].as_str().unwrap();
        match RelatedKind::of(text("kind"), text("apiVersion")) {
            Some(kind) => related.insert(kind.read(object).unwrap()),
            None => of_set.push(object.clone()),
        }
    }
    of_set.sort_by_key(|object| object["kind"] != "StatefulSet");
    let conditions = Conditions {
        related: Arc::new(related),
        ..conditions()
    };
    Plan::new(snapshot_of(of_set), conditions)
}

/// Returns the commands of the report, and those of stages and of growing volumes.
fn printed(plan: &Plan) -> BTreeSet<String> {
    let report = Report::from(&analyze(plan, &Questions::default()));
    let mut found = BTreeSet::new();
    commands(&serde_json::to_value(report).unwrap(), false, &mut found);
    let snapshot = &plan.snapshot;
    let pods: Vec<String> = snapshot.pods.keys().map(|name| name.to_string()).collect();
    let claims = snapshot.claims.keys().cloned().collect();
    let (grow, create) = grown_set_commands(snapshot, &[(0, "20Gi".into())]);
    found.extend(grow.into_iter().chain(create));
    found.extend(delete_pods(&pods, snapshot));
    found.extend(check_claims_command(&claims, snapshot));
    found.extend(check_commands(snapshot));
    found.extend(set_gone_commands(plan));
    found.insert(copy_command(snapshot, "copy.yaml"));
    let mut spec = snapshot.set.object.open()["spec"].clone();
    spec["template"]["spec"]["containers"][0]["image"] = "--all:$(touch touched)".into();
    found.extend(restore_commands(&spec, &["template"], snapshot, None));
    found
}

/// Collects the commands that a report lists.
fn commands(report: &Value, is_command: bool, found: &mut BTreeSet<String>) {
    match report {
        Value::String(text) if is_command => {
            found.insert(text.clone());
        }
        Value::Array(items) => items
            .iter()
            .for_each(|item| commands(item, is_command, found)),
        Value::Object(members) => members
            .iter()
            .for_each(|(key, value)| commands(value, key == "commands", found)),
        _ => {}
    }
}

/// Types a command into a shell with a stub of kubectl, and returns the arguments of each call.
fn typed(command: &str, folder: &Path) -> Vec<Vec<String>> {
    let calls = folder.join("calls");
    let _ = fs::remove_file(&calls);
    let shell = Command::new("/bin/sh")
        .args(["-c", command])
        .current_dir(folder)
        .env_clear()
        .env("PATH", folder)
        .output()
        .unwrap();
    let text = fs::read_to_string(&calls)
        .unwrap_or_else(|_| panic!("no call of kubectl: {command}: {shell:?}"));
    let calls = text.split_terminator("\u{2}");
    calls
        .map(|call| call.split_terminator('\u{1}').map(str::to_owned).collect())
        .collect()
}

fn stub(name: &str) -> std::path::PathBuf {
    let folder = program::new_folder(name);
    let kubectl = folder.join("kubectl");
    let script = "#!/bin/sh\nfor it in \"$@\"; do printf '%s\\001' \"$it\" >> calls; done\nprintf '\\002' >> calls\n";
    fs::write(&kubectl, script).unwrap();
    fs::set_permissions(&kubectl, fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

/// Checks the arguments of a call: no flag but those that the program means, and no name but one that a server accepts.
fn check(call: &[String], command: &str) {
    let mut rest = call.iter();
    while let Some(word) = rest.next() {
        if VALUED.contains(&&**word) {
            assert!(rest.next().is_some(), "{command}");
            continue;
        }
        let is_known = FLAGS.contains(&&**word)
            || NUMBERED.iter().any(|flag| {
                word.strip_prefix(flag)
                    .is_some_and(|number| number.parse::<u64>().is_ok())
            });
        assert!(
            is_known || !word.starts_with('-'),
            "{word:?} is a flag: {command}"
        );
    }
}

#[test]
fn a_hostile_name_is_no_flag_and_no_command() {
    let folder = stub("printed-commands");
    let mut kinds = BTreeSet::new();
    let mut tried = BTreeSet::new();
    for (id, objects) in worlds() {
        let text = Value::Array(objects).to_string();
        // A name that is not hostile shows which commands there are.
        for name in HOSTILE.iter().chain(&["web"]) {
            let name = Value::from(*name).to_string();
            let name = &name[1..name.len() - 1];
            let hostile = text
                .replace("\"n-1\"", &format!("\"{name}\""))
                .replace("\"gp3\"", &format!("\"{name}\""))
                .replace("data-kv", &format!("{name}-kv"))
                .replace("\"kv\"", &format!("\"{name}\""))
                .replace("kv-", &format!("{name}-"));
            let objects: Vec<Value> = serde_json::from_str(&hostile).unwrap();
            for command in printed(&plan(&objects)) {
                if !command.starts_with("kubectl") || !tried.insert(command.clone()) {
                    continue;
                }
                for call in typed(&command, &folder) {
                    check(&call, &command);
                    kinds.insert(call.iter().take(2).cloned().collect::<Vec<_>>().join(" "));
                }
                assert!(!folder.join("touched").exists(), "{id}: {command}");
            }
        }
    }
    for kind in [
        "apply -f",
        "delete node",
        "delete pod",
        "delete sts",
        "describe node",
        "describe pod",
        "describe pvc",
        "get pvc",
        "get secret",
        "get storageclass",
        "logs NAME",
        "patch pod",
        "patch sts",
        "rollout status",
        "set image",
        "taint nodes",
        "wait --for=delete",
    ] {
        assert!(kinds.contains(kind), "{kind}: {kinds:?}");
    }
}

/// Every kind of object that is read, with the fields that name something.
#[test]
fn a_name_that_no_server_accepts_is_refused_where_it_is_read() {
    let kinds = [
        ("v1", "Pod"),
        ("v1", "PersistentVolumeClaim"),
        ("apps/v1", "ControllerRevision"),
        ("apps/v1", "StatefulSet"),
        ("v1", "Node"),
        ("v1", "Service"),
        ("v1", "PersistentVolume"),
        ("v1", "ResourceQuota"),
        ("policy/v1", "PodDisruptionBudget"),
        ("storage.k8s.io/v1", "StorageClass"),
        ("autoscaling/v2", "HorizontalPodAutoscaler"),
    ];
    for (version, kind) in kinds {
        for name in HOSTILE {
            let object = json!({"apiVersion": version, "kind": kind, "metadata": {"uid": "u", "name": name}});
            let (code, out, error) = program::run_on(&[object], &[]);
            assert_eq!((code, &*out), (1, ""), "{kind} {name}: {error}");
            let expected = "is no name that an API server accepts";
            assert!(
                error.contains("line 1, column ") && error.contains(expected),
                "{error}"
            );
            assert!(error.contains("is invalid at metadata.name: "), "{error}");
        }
    }
    let pod = |metadata: Value, node: &str| json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"nodeName": node}});
    for (object, field) in [
        (
            pod(json!({"uid": "u", "name": "a"}), "--all"),
            "spec.nodeName",
        ),
        (
            pod(json!({"uid": "u", "name": "a", "namespace": "-A"}), "n"),
            "metadata.namespace",
        ),
    ] {
        let (code, _, error) = program::run_on(&[object], &[]);
        assert_eq!(code, 1, "{error}");
        assert!(
            error.contains(&format!("is invalid at {field}: ")),
            "{error}"
        );
    }
}

/// The API server refuses the manifest of a new set, in its own words, and no command names the set.
#[test]
fn a_new_set_with_a_hostile_name_is_rejected() {
    for name in HOSTILE {
        let set = json!({"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": name},
            "spec": {"serviceName": "a", "selector": {"matchLabels": {"a": "b"}},
                "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}});
        let (code, out, error) = program::run_on(&[set], &["-o", "json"]);
        assert_eq!(code, 4, "{error}");
        let mut found = BTreeSet::new();
        commands(&serde_json::from_str(&out).unwrap(), false, &mut found);
        let command = found.iter().find(|command| command.contains(name));
        assert!(command.is_none(), "{command:?}");
    }
}
