//! `-w` on a real cluster: it sees and predicts the controllers' actions, and ends with them.

use std::io::{BufRead as _, BufReader, Lines};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use super::acts::{Act, Place};
use super::control_plane::control_plane;
use super::program;
use super::reality::{crash_loop, web};
use super::scenario::come_to_rest;

/// A watch of the set `web`, by the user who has exactly the rights that `rbac` prints.
struct Watch {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    plans: Vec<Value>,
}

impl Watch {
    /// Starts, and waits for the first plan. From then on, no event is missed.
    fn new(place: &Place) -> Self {
        program::grant(place, "sts-plan", &["-n", &place.namespace], false);
        let mut child = Command::new(env!("CARGO_BIN_EXE_kubectl-sts_plan"))
            .env_clear()
            .env("HOME", nonexistent!())
            .env("KUBECONFIG", place.plane.kubeconfig("sts-plan"))
            .args(["web", "-n", &place.namespace, "-w", "-o", "json"])
            .args(["--timeout", "2m"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut watch = Watch {
            child,
            lines,
            plans: Vec::new(),
        };
        assert!(watch.update(), "no plan");
        watch
    }

    /// Reads the next plan; returns false if there is none.
    fn update(&mut self) -> bool {
        let Some(line) = self.lines.next() else {
            return false;
        };
        self.plans
            .push(serde_json::from_str(&line.unwrap()).unwrap());
        true
    }

    /// All its plans, and its exit code.
    fn end(mut self) -> (Vec<Value>, Option<i32>) {
        while self.update() {}
        (self.plans, self.child.wait().unwrap().code())
    }
}

/// Asserts that every event was predicted.
#[track_caller]
fn assert_no_miss(plans: &[Value]) {
    for plan in plans {
        let since = &plan["since"];
        let missed = since["differences"]
            .as_array()
            .is_some_and(|all| !all.is_empty());
        assert!(!missed && since["stale"].is_null(), "{since:#}");
    }
}

#[test]
fn a_watch_ends_when_the_rollout_does() {
    let Some(plane) = control_plane() else { return };
    let place = Place::new(plane, "watched-rollout");
    place
        .rest
        .create(&place.path("statefulsets"), &web(3))
        .unwrap();
    let watch = Watch::new(&place);
    come_to_rest(&place, &[]);
    let (plans, code) = watch.end();
    assert_eq!(code, Some(0));
    assert_no_miss(&plans);
    // Each of three pods is created and becomes ready.
    assert!(plans.len() >= 4, "{} updates", plans.len());
    let done: usize = plans
        .iter()
        .filter_map(|plan| plan["since"]["steps"].as_array())
        .map(Vec::len)
        .sum();
    assert!(done >= 5, "{done} steps were seen");
    let last = plans.last().unwrap();
    assert_eq!(last["outcome"]["result"], "complete");
    assert_eq!(last["steps"], json!([]));
}

#[test]
fn a_watch_ends_when_nothing_progresses() {
    let Some(plane) = control_plane() else { return };
    let place = Place::new(plane, "watched-crash");
    place
        .rest
        .create(&place.path("statefulsets"), &web(2))
        .unwrap();
    let never = ["web-0=never-ready".to_owned()];
    program::grant(&place, "sts-plan", &["-n", &place.namespace], false);
    come_to_rest(&place, &never);
    let watch = Watch::new(&place);
    place.act(&Act::Status("web-0", crash_loop()), &Value::Null);
    let (plans, code) = watch.end();
    assert_eq!(code, Some(3));
    let last = plans.last().unwrap();
    assert_eq!(last["outcome"]["result"], "blocked");
    let blocked = &last["outcome"]["blockedBy"][0];
    assert_eq!(blocked["pod"], "web-0");
    assert!(
        blocked.to_string().contains("CrashLoopBackOff"),
        "{blocked}"
    );
}
