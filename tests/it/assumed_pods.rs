//! `--assume` for a ready pod, for a pod that is replaced, and for a pod that never exists.

use serde_json::Value;

use crate::golden;
use crate::program;

fn run(args: &[&str]) -> (i32, String, String) {
    let now = ["--now", "2026-11-20T03:00:00Z"];
    program::run_in(&golden::root().join("fixtures"), &[&now, args].concat())
}

fn plan(args: &[&str]) -> Value {
    let (_, out, error) = run(&[args, &["-o", "json"]].concat());
    serde_json::from_str(&out).unwrap_or_else(|_| panic!("{args:?}: {error}"))
}

fn assumptions(plan: &Value) -> String {
    plan["assumptions"].to_string()
}

#[test]
fn an_assumption_about_a_pod_that_never_exists_is_an_error() {
    for what in ["fails", "never-ready", "recovers", "gone-after:5s"] {
        let assumption = format!("web-9={what}");
        let (code, _, error) = run(&["-f", "rollout.yaml", "--assume", &assumption]);
        assert_eq!(code, 1, "{error}");
        assert!(
            error.contains(
                "--assume web-9: no planned set has this pod; there are web-0, web-1, web-2"
            ),
            "{error}"
        );
    }
    // The pod exists if a change creates it.
    let grown = plan(&[
        "-f",
        "rollout.yaml",
        "--replicas",
        "10",
        "--assume",
        "web-9=never-ready",
    ]);
    assert_eq!(grown["outcome"]["result"], "blocked");
}

#[test]
fn a_ready_pod_that_nothing_replaces_fails_now() {
    // Partition 3 of `partition.yaml` keeps the pods below it unchanged.
    let kept = ["-f", "partition.yaml", "--assume"];
    let failed = plan(&[&kept[..], &["web-0=fails"]].concat());
    assert_eq!(failed["steps"][0]["writes"][0]["name"], "web-0");
    assert_eq!(failed["steps"][0]["writes"][0]["verb"], "delete");
    assert!(
        assumptions(&failed).contains("pod web-0 is ready, and is assumed to fail now (--assume)")
    );
    assert_ne!(failed["outcome"]["result"], "complete");
    // With fails-once, its replacement becomes ready.
    let once = plan(&[&kept[..], &["web-0=fails-once"]].concat());
    assert_eq!(once["steps"][0]["writes"][0]["name"], "web-0");
    assert_eq!(once["outcome"]["result"], "complete");

    let unready = plan(&[&kept[..], &["web-0=never-ready"]].concat());
    assert_eq!(unready["outcome"]["result"], "blocked");
    assert!(
        assumptions(&unready)
            .contains("pod web-0 is ready, and is assumed to become unready now (--assume)")
    );
    let recovers = plan(&[&kept[..], &["web-0=recovers"]].concat());
    assert_eq!(recovers["outcome"]["result"], "complete");
}

#[test]
fn an_assumption_about_a_replaced_pod_means_its_replacement() {
    let plan = plan(&["-f", "rollout.yaml", "--assume", "web-1=never-ready"]);
    assert_eq!(plan["outcome"]["result"], "blocked");
    assert!(!assumptions(&plan).contains("taken to"));
    let replaced = |pod: &str| {
        let steps = plan["steps"].as_array().unwrap().iter();
        let mut writes = steps.flat_map(|step| step["writes"].as_array().into_iter().flatten());
        writes.any(|write| write["verb"] == "create" && write["name"] == pod)
    };
    assert!(replaced("web-2") && replaced("web-1") && !replaced("web-0"));
}

/// The input pod fails, ready or not, replaced or not. Several pods can fail.
#[test]
fn several_pods_fail_now() {
    let plan = plan(&[
        "-f",
        "rollout.yaml",
        "--assume",
        "web-0=fails-once",
        "--assume",
        "web-1=fails-once",
        "--require",
        "quorum",
    ]);
    let told = assumptions(&plan);
    for pod in ["web-0", "web-1"] {
        let sentence = format!("pod {pod} is ready, and is assumed to fail now (--assume)");
        assert!(told.contains(&sentence), "{told}");
    }
    assert_eq!(plan["outcome"]["result"], "complete");
    assert_eq!(plan["requirements"][0]["holds"], false);
    assert_eq!(plan["requirements"][0]["brokenAt"]["at"], 0);
    assert!(plan["requirements"][0]["brokenAt"]["step"].is_null());
}

#[test]
fn a_pod_that_is_not_ready_fails_now_too() {
    let failed = plan(&["-f", "crashloop.yaml", "--assume", "web-2=fails-once"]);
    assert!(
        assumptions(&failed)
            .contains("pod web-2 is not ready, and is assumed to fail now (--assume)")
    );
    let deleted = &failed["steps"][0]["writes"][0];
    assert_eq!(
        (&deleted["name"], &deleted["verb"]),
        (&"web-2".into(), &"delete".into())
    );
}

/// A failing start does not affect the input pod.
#[test]
fn a_start_fails_when_a_pod_starts() {
    let plan = plan(&["-f", "rollout.yaml", "--assume", "web-1=start-fails"]);
    assert!(!assumptions(&plan).contains("assumed to fail now"));
    let steps = plan["steps"].as_array().unwrap().iter();
    let mut writes = steps.flat_map(|step| step["writes"].as_array().into_iter().flatten());
    let first = writes.find(|write| write["verb"] == "delete").unwrap();
    assert_eq!(first["name"], "web-2");
    assert_eq!(plan["outcome"]["result"], "livelock");
}

/// The evidence concerns the pod that is replaced. An assumption says that its replacement recovers.
#[test]
fn a_pod_that_is_replaced_on_the_revision_that_it_fails_on_fails_again() {
    let said = "pods that move to web-5bd58868ff do not become ready: web-2 fails on it, and no pod is ready on it";
    let run = |more: &[&str]| program::run(&[&["demo", "blocked"], more].concat());
    assert!(!run(&[]).1.contains(said));
    let (_, deleted, _) = run(&["--delete-pod", "web-2"]);
    assert!(deleted.contains(said), "{deleted}");
    assert!(deleted.contains("BLOCKED"), "{deleted}");
    // Both flags say that it works this time.
    for works in ["web-2=recovers", "web-5bd58868ff=works", "5bd58868ff=works"] {
        let (_, told, _) = run(&["--delete-pod", "web-2", "--assume", works]);
        assert!(!told.contains("BLOCKED"), "{works}: {told}");
        assert!(told.contains(" if "), "{works}: {told}");
    }
    let (code, _, error) = run(&["--assume", "web-1234=works"]);
    assert_eq!(code, 1);
    assert!(
        error.contains("no planned set has this revision"),
        "{error}"
    );
}
