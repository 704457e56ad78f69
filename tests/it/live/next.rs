//! An `OnDelete` rollout led by `--next`: predicted by `--options`, executed command by command, and compared write by
//! write.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::acts::{Act, Place};
use super::control_plane::control_plane;
use super::kubelet::{GONE_AFTER, Kubelet, READY_AFTER};
use super::program::{self, Question};
use super::reality::web;
use super::scenario::{Stage, come_to_rest, play};

/// Returns the answer of `--next`: its exit code and standard output.
fn next(place: &Place<'_>) -> (Option<i32>, String) {
    let output = program::run(place, "sts-plan", &["web", "--next", "--require", "quorum"]);
    let text = String::from_utf8(output.stdout).unwrap();
    (output.status.code(), text.trim_end().to_owned())
}

#[test]
fn an_on_delete_rollout_goes_as_predicted() {
    let Some(plane) = control_plane() else { return };
    let place = Place::new(plane, "led-by-next");
    program::grant(&place, "sts-plan", &["-n", &place.namespace], false);
    let mut set = web(3);
    set["spec"]["updateStrategy"] = json!({"type": "OnDelete"});
    place.act(&Act::Create(set), &Value::Null);
    come_to_rest(&place, &[]);
    assert_eq!(next(&place), (Some(0), String::new()));
    let image = json!({"spec": {"template": {"spec": {"containers": [{"name": "main", "image": "app:2"}]}}}});
    place.act(&Act::Merge("statefulsets/web", image), &Value::Null);
    come_to_rest(&place, &[]);

    let (ready, gone) = (format!("{READY_AFTER}s"), format!("{GONE_AFTER}s"));
    let question = Question {
        flags: vec!["--options", "--ready-after", &ready, "--gone-after", &gone],
        ..Question::default()
    };
    let options = program::plan(&place, &question)["options"].clone();
    let mut items = options["items"].as_array().unwrap().iter();
    let each = items.find(|it| it["option"] == "replace-each");
    let each = each.unwrap_or_else(|| panic!("{options:#}"));
    assert_eq!(each["afterSeconds"], 3 * (READY_AFTER + GONE_AFTER));
    let commands: Vec<String> = each["commands"]
        .as_array()
        .unwrap()
        .iter()
        .map(|command| command.as_str().unwrap().to_owned())
        .collect();
    assert_eq!(commands.len(), 3);

    // While the first pod is replaced, no command may be run.
    assert_eq!(next(&place), (Some(0), commands[0].clone()));
    place.act(&Act::Delete("pods/web-2", "Background"), &Value::Null);
    assert_eq!(next(&place), (Some(2), String::new()));
    Kubelet::new(&place, &[]).run(None, false);

    let others: [(&'static str, Vec<&'static str>); 2] = [
        ("pods/web-1", vec!["--delete-pod", "web-1"]),
        ("pods/web-0", vec!["--delete-pod", "web-0"]),
    ];
    for ((pod, flags), command) in others.into_iter().zip(&commands[1..]) {
        assert_eq!(next(&place), (Some(0), command.clone()));
        let stage = Stage {
            change: vec![Act::Delete(pod, "Background")],
            flags,
            ..Stage::default()
        };
        play(&place, pod, &stage, &mut Vec::new(), &mut BTreeSet::new());
    }
    assert_eq!(next(&place), (Some(0), String::new()));
    let images: BTreeSet<String> = place
        .list("pods")
        .iter()
        .map(|pod| pod["spec"]["containers"][0]["image"].to_string())
        .collect();
    assert_eq!(images, BTreeSet::from(["\"app:2\"".to_owned()]));
    program::assert_read_only(plane);
}
