//! `-w` for a change in several stages.

use std::fs;

use serde_json::{Value, json};

use super::server::Server;
use super::{Watch, drive, now, server_of, until_watched};
use crate::program;

const STAGES: &str = "--partition 3 --then --partition 0 -o json";

fn set_partition(server: &Server, partition: u8, generation: u8) {
    server.change("statefulsets", "web", |set| {
        set["spec"]["updateStrategy"]["rollingUpdate"]["partition"] = partition.into();
        set["metadata"]["generation"] = generation.into();
    });
}

#[test]
fn the_watch_names_the_stage_and_ends_with_the_last() {
    let server = server_of("rollout.yaml");
    let watch = Watch::new(&server, STAGES);
    let first = watch.update();
    until_watched(&server);
    let stage = &first["stage"];
    assert_eq!(
        (&stage["number"], &stage["of"], &stage["next"]["mayBegin"]),
        (&json!(1), &json!(2), &json!(false)),
        "{stage:#}"
    );
    set_partition(&server, 3, 4);
    let (rest, _) = drive(&server, &watch, watch.update());
    // The set is at rest, and the watch continues: the user must begin the next stage.
    let stage = &rest["stage"];
    assert_eq!(stage["next"]["mayBegin"], true, "{stage:#}");
    assert_eq!(
        stage["message"],
        "stage 1 of 2 is finished; stage 2 may begin"
    );
    let command = stage["next"]["commands"][0].as_str().unwrap();
    assert!(command.contains(r#""partition":0"#), "{command}");
    set_partition(&server, 0, 5);
    let update = watch.update();
    assert_eq!(update["stage"]["number"], 2, "{:#}", update["stage"]);
    let (last, happened) = drive(&server, &watch, update);
    let (_, code, said) = watch.end();
    assert_eq!((code, said.as_str()), (0, ""));
    assert_eq!(
        last["stage"]["message"],
        "stage 2 of 2 is finished (last stage)"
    );
    assert!(happened.iter().any(|what| what.contains("delete web-0")));
}

#[test]
fn a_set_that_a_stage_recreates_is_still_watched() {
    let server = server_of("rollout.yaml");
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/rollout.yaml");
    let flags = format!("--delete=orphan --then --apply {manifest} -o json");
    let watch = Watch::new(&server, &flags);
    let first = watch.update();
    until_watched(&server);
    assert_eq!(first["stage"]["number"], 1, "{:#}", first["stage"]);
    let mut set = server.get("statefulsets", "web").unwrap();
    for pod in server.names("pods") {
        server.change("pods", &pod, |pod| {
            pod["metadata"]["ownerReferences"] = json!([]);
        });
    }
    server.remove("statefulsets", "web");
    set["metadata"]["uid"] = "another".into();
    set["metadata"]["creationTimestamp"] = now().into();
    set["metadata"]["generation"] = 1.into();
    set["status"] = json!({"replicas": 0});
    server.put(set);
    let mut update = watch.update();
    while update["metadata"]["uid"] != "another" {
        update = watch.update();
    }
    assert_eq!(update["stage"]["number"], 2, "{:#}", update["stage"]);
}

#[test]
fn people_read_the_stage_above_the_plan() {
    let server = server_of("rollout.yaml");
    let watch = Watch::new(
        &server,
        "--partition 3 --then --partition 0 --timeout 2s -v",
    );
    let (lines, code, said) = watch.end();
    assert_eq!(code, 1);
    let says = "stage 1 of 2 is pending; stage 2 may not begin yet";
    let at = |text: &str| lines.iter().position(|line| line.contains(text));
    assert!(at(says) < at("prod/web  StatefulSet"), "{lines:#?}");
    assert!(at(says).is_some(), "{lines:#?}");
    assert!(said.contains(says), "{said}");
}

#[test]
fn a_later_stage_may_wait_only_for_time() {
    let server = server_of("rollout.yaml");
    let stages = program::folder("watching-staged").join("after.yaml");
    let text = "stages: [{change: {partition: 3}}, {after: 2s, change: {partition: 0}}]\n";
    fs::write(&stages, text).unwrap();
    let watch = Watch::new(&server, &format!("--stages {} -o json", stages.display()));
    watch.update();
    until_watched(&server);
    set_partition(&server, 3, 4);
    let begins = |update: &Value| update["stage"]["next"]["mayBegin"] == true;
    let mut update = watch.update();
    assert!(update["stage"]["next"]["waitSeconds"].is_i64(), "{update}");
    // Nothing happens in the cluster until the stage may begin.
    while !begins(&update) {
        update = watch.update();
    }
    assert!(update["stage"]["next"]["waitSeconds"].is_null());
}

#[test]
fn stages_are_of_one_set_and_not_of_a_drain() {
    let server = server_of("rollout.yaml");
    for (flags, expected) in [
        (
            "--partition 3",
            "-w watches the live cluster, and --partition is a planned change",
        ),
        (
            "--then --partition 3 --drain node-1",
            "--drain cannot be used with stages",
        ),
        (
            "--then --partition 3 --explore",
            "--explore cannot be used with stages",
        ),
        ("--then --to-revision 77", "stage 2: "),
    ] {
        let (lines, code, said) = Watch::new(&server, flags).end();
        assert_eq!((lines.len(), code), (0, 1), "{flags}");
        assert!(said.contains(expected), "{flags}: {said}");
    }
}
