//! The program, as the user who has just the rights that it asks for.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::acts::Place;
use super::control_plane::ControlPlane;

const PROGRAM: &str = env!("CARGO_BIN_EXE_kubectl-sts_plan");

/// Plans the set `web` of a namespace with these flags, when this manifest is applied, and once the dump of the
/// namespace is edited like this.
pub fn plan(
    place: &Place,
    flags: &[&str],
    apply: Option<&Value>,
    edit: Option<fn(&mut Vec<Value>)>,
) -> Value {
    let resources = [
        "statefulsets",
        "pods",
        "persistentvolumeclaims",
        "controllerrevisions",
    ];
    let mut items: Vec<Value> = resources
        .iter()
        .flat_map(|resource| place.list(resource))
        .collect();
    if let Some(edit) = edit {
        edit(&mut items);
    }
    let dump = json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string();
    let manifest = place.plane.folder.join(format!("{}.json", place.namespace));
    let mut program = Command::new(PROGRAM);
    program
        .env_clear()
        .env("HOME", "/nonexistent")
        .args(["web", "-n", &place.namespace, "-f", "-", "-o", "json"])
        .args(["--kubernetes-version", &place.plane.version])
        .args(flags);
    if let Some(apply) = apply {
        fs::write(&manifest, apply.to_string()).unwrap();
        program.arg("--apply").arg(&manifest);
    }
    let mut program = program
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let stdin = program.stdin.take();
    stdin.unwrap().write_all(dump.as_bytes()).unwrap();
    let output = program.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{flags:?}: {said}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Nothing that the program ever asked of the server writes.
pub fn assert_read_only(plane: &ControlPlane) {
    let asked = plane.audit.since(0, |entry| entry.user() == "sts-plan");
    for entry in &asked {
        let reads = ["get", "list", "watch"].contains(&entry.verb());
        let tries = entry.uri().contains("dryRun=All");
        assert!(
            reads || tries,
            "the program writes: {} {}",
            entry.verb(),
            entry.uri()
        );
    }
}
