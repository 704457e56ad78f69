//! A staged rollout that is rolled back from its second stage: predicted as a whole before it begins, executed by the
//! commands of the runbook, and compared write by write.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::acts::{Act, Place};
use super::control_plane::control_plane;
use super::kubelet::{GONE_AFTER, READY_AFTER};
use super::program::{self, Question};
use super::reality::web;
use super::scenario::{Stage, come_to_rest, play};
use super::seen::PredictedWrites;

/// Plans with the times of the kubelet stand-in.
fn predict(place: &Place<'_>, flags: &[&'static str]) -> Value {
    let (ready, gone) = (format!("{READY_AFTER}s"), format!("{GONE_AFTER}s"));
    let mut all = vec!["--ready-after", &ready, "--gone-after", &gone];
    all.extend(flags);
    let question = Question {
        flags: all,
        ..Question::default()
    };
    program::plan(place, &question)
}

/// The steps of one stage, as in a plan of its own.
pub fn alone(staged: &Value, course: &Value) -> Value {
    let number = |key: &str| usize::try_from(course[key].as_i64().unwrap()).unwrap();
    let steps = staged["steps"].as_array().unwrap();
    let mut steps = steps[number("firstStep")..][..number("steps")].to_vec();
    for step in &mut steps {
        step["at"] = (step["at"].as_i64().unwrap() - course["at"].as_i64().unwrap()).into();
    }
    json!({"steps": steps})
}

/// The actions for the commands of a runbook. The only list in its patches is the one container, which a merge
/// replaces.
fn acts(commands: &Value) -> Vec<Act> {
    let commands = commands.as_array().unwrap().iter();
    let act = |command: &Value| {
        let command = command.as_str().unwrap();
        if command.starts_with("kubectl patch sts web ") {
            let patch = command.split('\'').nth(1).unwrap();
            return Act::Merge("statefulsets/web", serde_json::from_str(patch).unwrap());
        }
        let undo = command.strip_prefix("kubectl rollout undo sts/web --to-revision=");
        let undo = undo.unwrap_or_else(|| panic!("this runbook does not have {command:?}"));
        Act::Undo(undo.split(' ').next().unwrap().parse().unwrap())
    };
    commands.map(act).collect()
}

#[test]
fn a_rollback_from_the_second_stage_goes_as_predicted() {
    let Some(plane) = control_plane() else { return };
    let place = Place::new(plane, "back-from-the-second-stage");
    program::grant(&place, "sts-plan", &["-n", &place.namespace], false);
    place.act(&Act::Create(web(4)), &Value::Null);
    come_to_rest(&place, &[]);
    let flags = [
        "--image",
        "app:2",
        "--partition",
        "3",
        "--then",
        "--partition",
        "1",
        "--then",
        "--partition",
        "0",
    ];
    let staged = predict(&place, &flags);
    let courses: Vec<&Value> = staged["stages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|stage| &stage["course"])
        .collect();
    let restarts: Vec<&Value> = courses.iter().map(|course| &course["restarts"]).collect();
    assert_eq!(restarts, [1, 2, 1], "{staged:#}");

    let stages: [Vec<&'static str>; 2] = [
        vec!["--image", "app:2", "--partition", "3"],
        vec!["--partition", "1"],
    ];
    let mut retried = BTreeSet::new();
    for (course, flags) in courses.iter().zip(stages) {
        // This stage alone is now planned as the whole was at first.
        let now = PredictedWrites::new(&predict(&place, &flags)).segments;
        assert_eq!(PredictedWrites::new(&alone(&staged, course)).segments, now);
        let stage = Stage {
            change: acts(&course["commands"]),
            flags,
            ..Stage::default()
        };
        play(&place, "staged", &stage, &mut Vec::new(), &mut retried);
    }

    let back = &courses[1]["back"];
    assert_eq!(back["result"], "complete");
    assert_eq!(back["keepsStrategy"], true);
    let flags = vec!["--to-revision", "1"];
    let now = PredictedWrites::new(&predict(&place, &flags)).segments;
    let last = now.last().and_then(|segment| segment.event.as_ref());
    assert_eq!(back["seconds"], last.unwrap().at);
    let deletions = now.iter().flat_map(|segment| &segment.writes);
    let deletions = deletions.filter(|write| write.verb == "delete" && write.resource == "pods");
    assert_eq!(back["restarts"], deletions.count());
    let stage = Stage {
        change: acts(&back["commands"]),
        flags,
        ..Stage::default()
    };
    play(&place, "back", &stage, &mut Vec::new(), &mut retried);
    let images: BTreeSet<String> = place
        .list("pods")
        .iter()
        .map(|pod| pod["spec"]["containers"][0]["image"].to_string())
        .collect();
    assert_eq!(images, BTreeSet::from(["\"app:1\"".to_owned()]));
    program::assert_read_only(plane);
}
