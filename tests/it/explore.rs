//! `--explore` on the command line: its flags replay what it found.

use serde_json::json;

use crate::program;

/// On the command line: the flags that exploration prints reproduce the violation in a plan.
#[test]
fn the_flags_of_a_counterexample_work() {
    let run = |args: &[&str]| -> serde_json::Value {
        let usual = ["-f", "tests/fixtures/rollout.yaml", "-o", "json"];
        serde_json::from_str(&program::run(&[&usual[..], args].concat()).1).unwrap()
    };
    // A pod that never becomes ready stops the rollout, which needs no search. The search shows whether the rollout
    // continues once it becomes ready, and how low availability gets.
    let asked = run(&["--explore", "--faults", "1"]);
    let exploration = &asked["exploration"];
    assert_eq!(exploration["verdict"], "holds");
    let summary = exploration["summary"].as_str().unwrap();
    assert!(
        summary.contains("continues once the pod is ready; minimum availability: 1 of 3 pods"),
        "{summary}"
    );
    assert_eq!(exploration["lowestAvailable"], 1);
    let found = run(&["--explore", "--require", "updated<=1"]);
    let exploration = &found["exploration"];
    assert_eq!(exploration["verdict"], "broken");
    let flags: Vec<&str> = exploration["counterexample"]["assume"]
        .as_array()
        .unwrap()
        .iter()
        .map(|flag| flag.as_str().unwrap())
        .collect();
    let again = run(&[&["--require", "updated<=1"], &flags[..]].concat());
    assert_eq!(again["requirements"][0]["holds"], false);
    assert_eq!(run(&[])["outcome"]["result"], "complete");
}

/// A pod that keeps failing is recreated forever, whatever else happens.
#[test]
fn an_endless_run_is_found() {
    let file = ["-f", "tests/fixtures/rollout.yaml", "-o", "json"];
    let fails = ["--explore", "--assume", "web-2=fails"];
    let (_, out, _) = program::run(&[&file[..], &fails].concat());
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report["outcome"]["result"], json!("livelock"));
    let reason = &report["exploration"]["counterexample"]["reason"];
    assert_eq!(reason, "never settles (livelock)");
}
