//! The program, run by a user who has exactly the rights that it requires.

use std::fs;
use std::process::Output;

use serde::Deserialize as _;
use serde_json::{Value, json};

use crate::program::{feed_to, program};

use super::acts::Place;
use super::audit::Entry;
use super::control_plane::ControlPlane;

/// The resources in a dump of a namespace.
const DUMPED: [&str; 4] = [
    "statefulsets",
    "pods",
    "persistentvolumeclaims",
    "controllerrevisions",
];

/// A question for the program.
#[derive(Default)]
pub struct Question<'q> {
    pub flags: Vec<&'q str>,
    /// A manifest that is applied.
    pub apply: Option<&'q Value>,
    /// A change to a dump of the namespace, which is then planned instead of the cluster.
    pub edit: Option<fn(&mut Vec<Value>)>,
}

/// Plans the set `web` of a namespace.
pub fn plan(place: &Place, question: &Question) -> Value {
    let mut command = program();
    command.args(["web", "-n", &place.namespace, "-o", "json"]);
    let stdin = match question.edit {
        None => {
            let kubeconfig = place.plane.kubeconfig("sts-plan");
            command.arg("--kubeconfig").arg(kubeconfig);
            String::new()
        }
        Some(edit) => {
            let version = &place.plane.version;
            command.args(["-f", "-", "--kubernetes-version", version]);
            let mut items: Vec<Value> = DUMPED.iter().flat_map(|what| place.list(what)).collect();
            edit(&mut items);
            json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string()
        }
    };
    if let Some(manifest) = question.apply {
        let file = place.plane.folder.join(format!("{}.json", place.namespace));
        fs::write(&file, manifest.to_string()).unwrap();
        command.arg("--apply").arg(file);
    }
    command.args(&question.flags);
    let output = feed_to(&mut command, &stdin);
    let said = String::from_utf8_lossy(&output.stderr);
    let plan: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{said}"));
    let is_rejected = plan["outcome"]["result"] == "rejected";
    let expected = if is_rejected { 4 } else { 0 };
    let flags = &question.flags;
    assert_eq!(output.status.code(), Some(expected), "{flags:?}: {said}");
    if question.edit.is_none() {
        assert_eq!(plan["kubernetes"]["source"], "server", "{said}");
    }
    plan
}

/// Runs the program with these arguments in a namespace, as one of the users.
pub fn run(place: &Place, user: &str, args: &[&str]) -> Output {
    program()
        .env("KUBECONFIG", place.plane.kubeconfig(user))
        .args(["-n", &place.namespace])
        .args(args)
        .output()
        .unwrap()
}

/// Grants a user the rights that `rbac` prints with these arguments, and with `apply` also those for `--apply`.
pub fn grant(place: &Place, user: &str, scope: &[&str], apply: bool) {
    let output = program()
        .args(["rbac", "--as", user])
        .args(scope)
        .output()
        .unwrap();
    assert!(output.status.success());
    let mut text = String::from_utf8(output.stdout).unwrap();
    if apply {
        for line in ["- apiGroups:", "  resources:", "  verbs:"] {
            let granted = text.replace(&format!("\n# {line}"), &format!("\n{line}"));
            assert_ne!(granted, text, "no rights for --apply");
            text = granted;
        }
    }
    for document in serde_yaml::Deserializer::from_str(&text) {
        let mut object = Value::deserialize(document).unwrap();
        // Both users need their own role for cluster-scoped objects.
        object["metadata"]["name"] = user.into();
        if object["roleRef"].is_object() {
            object["roleRef"]["name"] = user.into();
        }
        let kind = object["kind"].as_str().unwrap().to_lowercase();
        let namespace = match object["metadata"]["namespace"].as_str() {
            Some(namespace) => format!("/namespaces/{namespace}"),
            None => String::new(),
        };
        let path = format!("/apis/rbac.authorization.k8s.io/v1{namespace}/{kind}s");
        match place.rest.create(&path, &object) {
            Err(refused) if refused.code != 409 => panic!("{path}: {}", refused.message),
            _ => {}
        }
    }
}

/// Returns true if a request changes nothing.
pub fn reads(entry: &Entry) -> bool {
    ["get", "list", "watch"].contains(&entry.verb()) || entry.uri().contains("dryRun=All")
}

/// Asserts by the server's audit log that the program has written nothing. Returns the number of its requests.
pub fn assert_read_only(plane: &ControlPlane) -> usize {
    let asked = plane
        .audit
        .since(0, |entry| entry.user().starts_with("sts-plan"));
    for entry in &asked {
        assert!(
            reads(entry),
            "the program writes: {} {}",
            entry.verb(),
            entry.uri()
        );
    }
    asked.len()
}
