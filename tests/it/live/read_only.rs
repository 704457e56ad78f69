//! The program only reads, according to the API server's own log.

use std::fs;

use serde_json::json;

use super::acts::Place;
use super::control_plane::control_plane;
use super::program;
use super::reality::web;
use super::scenario::come_to_rest;

#[test]
fn no_flag_makes_it_write() {
    let Some(plane) = control_plane() else { return };
    let place = Place::new(plane, "read-only");
    let sets = place.path("statefulsets");
    let mut set = web(2);
    set["metadata"]["labels"] = json!({"app": "web"});
    place.rest.create(&sets, &set).unwrap();
    let mut applied = web(3);
    applied["metadata"]["namespace"] = json!(place.namespace);
    let file = plane.folder.join("read-only.json");
    fs::write(&file, applied.to_string()).unwrap();
    let file = file.to_str().unwrap();

    program::grant(&place, "sts-plan", &["-n", "read-only"], true);
    come_to_rest(&place, &[]);
    program::grant(&place, "sts-plan-everywhere", &["-A"], false);
    let before = program::assert_read_only(plane);
    let everywhere = plane.kubeconfig("sts-plan-everywhere");
    let lines: [&[&str]; 12] = [
        &["web"],
        &["web", "-o", "json"],
        &["web", "-w", "--timeout", "1m"],
        &["-l", "app=web"],
        &["-A", "--kubeconfig", everywhere.to_str().unwrap()],
        &["web", "--apply", file, "--apply-mode=local"],
        &["web", "--image", "app:2", "--replicas", "3"],
        &["web", "--restart"],
        &["web", "--to-revision", "1"],
        &["web", "--apply", file],
        &["web", "--delete-pod", "web-0"],
        &["web", "--delete"],
    ];
    for line in lines {
        let output = program::run(&place, "sts-plan", line);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{line:?}: {said}");
    }
    let asked = program::assert_read_only(plane) - before;
    assert!(asked > 3 * lines.len(), "only {asked} requests");
    println!(
        "{asked} requests of {} runs read and did not write",
        lines.len()
    );

    // The log does contain the writes of others, so it would contain these.
    let writes = |user: &str| {
        plane
            .audit
            .since(0, |entry| entry.user() == user && !program::reads(entry))
    };
    assert!(!writes("admin").is_empty() && !writes("controllers").is_empty());
}

#[test]
fn missing_rights_are_named() {
    let Some(plane) = control_plane() else { return };
    let place = Place::new(plane, "without-rights");
    let output = program::run(&place, "nobody", &["web"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(output.stdout.is_empty());
    assert_eq!(said.lines().count(), 1, "{said}");
    for word in ["error: ", "statefulsets", "without-rights", "rbac"] {
        assert!(said.contains(word), "{word:?} is not in {said}");
    }
}
