//! The examples of the crates, with the objects of the demos.

use std::fs;
use std::path::Path;

use kubectl_sts_plan::internals::Demo;
use serde_json::{Value, json};

use crate::fixtures::now;

#[allow(dead_code, reason = "its main reads standard input")]
#[path = "../../crates/sts-plan/examples/ci_check.rs"]
mod ci_check;
#[allow(dead_code, reason = "its main reads standard input")]
#[path = "../../crates/sts-plan/examples/may_i_roll.rs"]
mod may_i_roll;

fn objects(demo: &str) -> Value {
    serde_yaml::from_str(Demo::by_name(demo).unwrap().dump).unwrap()
}

/// Manifest of a demo's set, with these members of its spec.
fn manifest(demo: &str, spec: &Value) -> Value {
    let objects = objects(demo);
    let mut set = objects["items"][0].clone();
    set.as_object_mut().unwrap().remove("status");
    for member in ["uid", "resourceVersion", "generation", "creationTimestamp"] {
        set["metadata"].as_object_mut().unwrap().remove(member);
    }
    for (key, value) in spec.as_object().unwrap() {
        set["spec"][key] = value.clone();
    }
    set
}

#[test]
fn an_operator_asks_whether_it_may_roll() {
    let answer = |demo| may_i_roll::ask(objects(demo), "app:2", now()).unwrap();
    let healthy = answer("healthy");
    assert!(healthy.starts_with("yes. Plan: 3 to replace"), "{healthy}");
    let blocked = answer("blocked");
    assert!(blocked.starts_with("no. BLOCKED"), "{blocked}");
}

#[test]
fn a_check_fails_on_rejections_and_data_loss() {
    let problems = |demo, spec| {
        let checked = ci_check::check(objects(demo), &manifest(demo, &spec), now());
        checked.err().map(|error| error.to_string())
    };
    assert_eq!(problems("healthy", json!({})), None);
    let refused = problems("healthy", json!({"serviceName": "other"})).unwrap();
    assert!(refused.starts_with("REJECTED"), "{refused}");
    let lost = problems("data-loss", json!({})).unwrap();
    assert!(lost.contains("STS"), "{lost}");
}

/// Each can be read in a minute.
#[test]
fn examples_are_short() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates");
    for example in [
        "sts-plan/examples/ci_check.rs",
        "sts-plan/examples/may_i_roll.rs",
        "sts-controller/examples/pinned_order.rs",
    ] {
        let lines = fs::read_to_string(crates.join(example))
            .unwrap()
            .lines()
            .count();
        assert!(lines <= 40, "{example}: {lines} lines");
    }
}
