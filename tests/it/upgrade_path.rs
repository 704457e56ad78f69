//! `--upgrade-to` on the command line and in the formats.

use serde_json::{Value, json};

use crate::program;

/// A set of three replicas with these fields of its spec.
fn set(name: &str, spec: Value) -> Value {
    let mut set = json!({
        "apiVersion": "apps/v1", "kind": "StatefulSet",
        "metadata": {"name": name, "namespace": "prod"},
        "spec": {
            "replicas": 3, "serviceName": name,
            "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name}},
                "spec": {"containers": [{"name": "app", "image": "app:1"}]},
            },
        },
    });
    for (field, value) in spec.as_object().unwrap() {
        set["spec"][field] = value.clone();
    }
    set
}

fn run(sets: &[Value], from: &str, args: &[&str]) -> (i32, String, String) {
    let usual = [
        "--now",
        "2026-11-20T03:00:00Z",
        "--kubernetes-version",
        from,
    ];
    program::run_on(sets, &[&usual[..], args].concat())
}

#[test]
fn a_gate_fails_on_unnecessary_restarts() {
    let gate = ["--fail-on", "spurious-rollout"];
    let sets = [set("web", json!({}))];
    let (code, _, error) = run(
        &sets,
        "1.33",
        &[&["--upgrade-to", "1.34.1"][..], &gate].concat(),
    );
    assert_eq!(code, 5, "{error}");
    assert!(
        error.contains("failed on STS017: prod/web: warning STS017"),
        "{error}"
    );
    let (code, _, error) = run(
        &sets,
        "1.33",
        &[&["--upgrade-to", "1.37"][..], &gate].concat(),
    );
    assert_eq!((code, &*error), (0, ""));
}

#[test]
fn many_sets_are_one_table_for_a_change_board() {
    let sets = [
        set("db", json!({"minReadySeconds": 10})),
        set("idle", json!({"replicas": 0})),
        set("web", json!({})),
    ];
    let (code, page, _) = run(&sets, "1.33", &["--upgrade-to", "1.34.1", "-o", "markdown"]);
    assert_eq!(code, 0);
    assert!(
        page.contains("**Upgrade from 1.33 to 1.34.1: RESTARTS 6 pods of 2 sets**"),
        "{page}"
    );
    assert!(
        page.contains("| To | Set | Restarts | Next rollout |"),
        "{page}"
    );
    assert!(
        page.contains("| 1.34.1 | `prod/web` | **3 of 3 pods in "),
        "{page}"
    );
    assert!(!page.contains("| 1.34.1 | `prod/idle`"), "{page}");
    assert!(
        page.contains("a rolling update waits until a pod is available, not only ready (prod/db)"),
        "{page}"
    );
    let (_, screen, _) = run(&sets, "1.33", &["--upgrade-to", "1.34.1"]);
    assert!(
        screen.starts_with("Upgrade from 1.33 to 1.34.1: RESTARTS 6 pods of 2 sets"),
        "{screen}"
    );
    let (_, html, _) = run(&sets, "1.33", &["--upgrade-to", "1.34.1", "-o", "html"]);
    assert!(
        html.contains("Upgrade from 1.33 to 1.34.1: RESTARTS 6 pods of 2 sets"),
        "{html}"
    );
}

#[test]
fn gates_that_a_version_removed_must_be_dropped_first() {
    let args = [
        "--feature-gates",
        "StatefulSetAutoDeletePVC=false",
        "--upgrade-to",
        "1.32",
    ];
    let (code, out, error) = run(&[set("web", json!({}))], "1.31", &args);
    assert_eq!((code, &*error), (0, ""));
    let line =
        "Note: remove --feature-gates StatefulSetAutoDeletePVC=false first: 1.32 locks it to true";
    let words = out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(line), "{out}");
}

#[test]
fn an_invalid_upgrade_is_rejected() {
    let sets = [set("web", json!({}))];
    for (to, says) in [
        (
            "1.33",
            "cannot upgrade Kubernetes 1.33 to 1.33: not a later version",
        ),
        ("1.35,1.34", "cannot upgrade Kubernetes 1.35 to 1.34"),
        ("1.99", "Kubernetes 1.99 is not supported"),
        ("soon", "is not a Kubernetes version"),
    ] {
        let (code, out, error) = run(&sets, "1.33", &["--upgrade-to", to]);
        assert_eq!((code, &*out), (1, ""), "{to}");
        assert!(error.contains(says), "{to}: {error}");
    }
    let list = json!({"apiVersion": "v1", "kind": "List", "items": sets}).to_string();
    let (code, _, error) = program::feed(&["-f", "-", "--upgrade-to", "1.36"], &list);
    assert_eq!(code, 1);
    assert!(
        error.contains("set it with --kubernetes-version"),
        "{error}"
    );
}
