//! `times` of a verification: how long the pods of a rollout took.

use std::fs;
use std::path::Path;

use serde::Deserialize as _;
use serde_json::{Value, json};

use crate::program::{self, run};

const ROLLOUT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/rollout.yaml");
/// Time of the plan.
const BEGINS: &str = "2026-11-21T12:00:00Z";

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The objects of the fixture after a rollout. Each pod was ready `ready` seconds after its creation, and was created
/// `gone` seconds after the previous pod was ready.
fn after_a_rollout(ready: i64, gone: i64, rollout: &str) -> String {
    let objects = fs::read_to_string(ROLLOUT).unwrap();
    let mut items: Vec<Value> = serde_yaml::Deserializer::from_str(&objects)
        .map(|document| Value::deserialize(document).unwrap())
        .filter(|object| !object.is_null())
        .collect();
    if let Some(list) = items[0]["items"].as_array() {
        items = list.clone();
    }
    let begins: jiff::Timestamp = BEGINS.parse().unwrap();
    let moment = |seconds: i64| {
        let at = begins + jiff::SignedDuration::from_secs(seconds);
        json!(at.to_string())
    };
    for pod in items.iter_mut().filter(|object| object["kind"] == "Pod") {
        let name = pod["metadata"]["name"].as_str().unwrap().to_owned();
        let ordinal: i64 = name.rsplit('-').next().unwrap().parse().unwrap();
        let created = gone + (2 - ordinal) * (ready + gone);
        pod["metadata"]["uid"] = json!(format!("{rollout}-{name}"));
        pod["metadata"]["creationTimestamp"] = moment(created);
        let conditions = pod["status"]["conditions"].as_array_mut().unwrap();
        for condition in conditions.iter_mut().filter(|it| it["type"] == "Ready") {
            condition["lastTransitionTime"] = moment(created + ready);
        }
    }
    json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string()
}

/// The times are what later plans can be given with `--ready-after` and `--gone-after`.
#[test]
fn a_verification_has_the_times_of_the_pods() {
    let folder = program::new_folder("pod-times");
    let plan = folder.join("plan.json");
    let (code, _, error) = run(&["-f", ROLLOUT, "--now", BEGINS, "--save", text(&plan)]);
    assert_eq!(code, 0, "{error}");
    let later = folder.join("later.json");
    fs::write(&later, after_a_rollout(40, 7, "first")).unwrap();
    let now = ["--now", "2026-11-21T13:00:00Z", "-o", "json"];
    let args = ["verify", text(&plan), "-f", text(&later)];
    let (_, out, error) = run(&[&args[..], &now[..]].concat());
    let found: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{error}"));
    let times = |key: &str| -> Vec<Value> {
        let times = found["times"].as_array().unwrap();
        times.iter().map(|it| it[key].clone()).collect()
    };
    assert_eq!(times("readySeconds"), [40, 40, 40]);
    assert_eq!(
        times("goneSeconds").iter().filter(|it| **it == 7).count(),
        2
    );
}
