//! Many sets in one table: urgent sets first, one row per cause, never wider than the terminal.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use kubectl_sts_plan::internals::{Format, Style};
use serde_json::{Value, json};

use crate::golden;
use crate::program::{self, PROGRAM};
use crate::render;
use test_kit::kv::NOW;

fn items(name: &str) -> Vec<Value> {
    let path = golden::root().join(format!("fixtures/{name}.yaml"));
    let list: Value = serde_yaml::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    list["items"].as_array().unwrap().clone()
}

/// A set with a lost node in each of this many namespaces, and one of each other kind.
pub fn many(lost: usize) -> PathBuf {
    let mut all: Vec<Value> = Vec::new();
    let mut add = |name: &str, namespace: &str| {
        for mut item in items(name) {
            if name != "trial/pg-nodelost" {
                // The lost node has no pods of other sets.
                let elsewhere = item.to_string().replace("ip-10-0-", "ip-10-9-");
                item = serde_json::from_str(&elsewhere).unwrap();
            }
            let is_cluster_wide = item["metadata"]["namespace"].is_null();
            if !is_cluster_wide {
                item["metadata"]["namespace"] = namespace.into();
            }
            let same = |other: &Value| {
                other["kind"] == item["kind"]
                    && other["metadata"]["name"] == item["metadata"]["name"]
                    && other["metadata"]["namespace"] == item["metadata"]["namespace"]
            };
            if !all.iter().any(same) {
                all.push(item);
            }
        }
    };
    for number in 1..=lost {
        add("trial/pg-nodelost", &format!("team-{number:02}"));
    }
    add("trial/kafka-par-crash", "pay");
    add("trial/pg-half", "shop");
    add("trial/pg-done", "quiet");
    add("trial/pg-ondelete", "by-hand");
    add("scale-down", "shrink");
    let folder = program::folder("fleet");
    let path = folder.join(format!("many-{lost}.json"));
    let list = json!({"apiVersion": "v1", "kind": "List", "items": all});
    fs::write(&path, list.to_string()).unwrap();
    path
}

fn run(file: &Path, args: &[&str]) -> String {
    run_to(0, file, args)
}

/// Runs the program and asserts its exit code.
fn run_to(code: i32, file: &Path, args: &[&str]) -> String {
    let usual = ["--now", NOW, "-f", file.to_str().unwrap()];
    let (found, out, said) = program::run(&[&usual[..], args].concat());
    assert_eq!(found, code, "{said}");
    out
}

#[test]
fn urgent_sets_come_first_and_sets_of_one_cause_share_a_row() {
    let screen = run(&many(12), &[]);
    let rows: Vec<&str> = screen.lines().collect();
    assert!(rows[0].starts_with("NAMESPACE/NAME"), "{screen}");
    for (row, parts) in [
        (
            1,
            &[
                "12 sets",
                "stuck",
                "node ip-10-0-1-17.ec2.internal is not responding",
            ][..],
        ),
        (2, &["  team-01/pg, team-02/pg"]),
        (3, &["pay/kafka", "stuck", "kafka-5 "]),
        (
            4,
            &[
                "shrink/web",
                "loses data",
                "3 claims are deleted with their data",
            ],
        ),
        (5, &["shop/pg", "progressing", "replace pg-1"]),
        (
            6,
            &["by-hand/pg", "waiting for you", "delete 2 outdated pods"],
        ),
        (7, &["1 set up to date (--show idle)"]),
    ] {
        for part in parts {
            assert!(
                rows[row].contains(part),
                "{part:?} is not in {}\n{screen}",
                rows[row]
            );
        }
    }
    assert!(
        screen.contains("\nerror STS003 data-loss: shrink/web\n"),
        "{screen}"
    );
    assert!(
        screen.ends_with(
            "\n17 sets: 13 stuck, 1 loses data, 1 progressing, 1 waiting for you, 1 up to date\n"
        ),
        "{screen}"
    );
    assert!(!screen.contains("quiet/pg"), "{screen}");
}

/// The first stuck sets have their cure below the table; a set that needs another one recovers with it.
#[test]
fn the_first_stuck_sets_have_a_cure() {
    let screen = run(&many(12), &[]);
    let lost = screen.split("\nteam-01/pg\n").nth(1).unwrap();
    assert!(
        lost.starts_with("  Do: ") || lost.starts_with("  Fix: "),
        "{screen}"
    );
    let crashing = screen.split("\npay/kafka\n").nth(1).unwrap();
    assert!(crashing.starts_with("  Do: "), "{screen}");
    assert!(!screen.contains("\nshop/pg\n"), "it is not stuck: {screen}");

    let mut all = items("trial/pg-crash");
    let (namespace, labels) = (
        all[0]["metadata"]["namespace"].clone(),
        json!({"statefulset.kubernetes.io/pod-name": "pg-2"}),
    );
    all.push(json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "pg-rw", "namespace": namespace},
        "spec": {"selector": labels}}));
    for mut item in items("trial/kafka-par-crash") {
        item["metadata"]["namespace"] = namespace.clone();
        if let Some(ended) = item.pointer_mut("/status/containerStatuses/0/lastState/terminated") {
            ended["message"] = "dial tcp pg-rw:5432: connect: connection refused".into();
        }
        all.push(item);
    }
    let path = program::folder("fleet").join("chain.json");
    let list = json!({"apiVersion": "v1", "kind": "List", "items": all});
    fs::write(&path, list.to_string()).unwrap();
    let screen = run(&path, &[]);
    assert!(
        screen.contains("it needs pg-2, which is not ready"),
        "{screen}"
    );
    assert!(screen.contains("\ndb/pg\n  Do: "), "{screen}");
    assert!(!screen.contains("\ndb/kafka\n"), "{screen}");
}

/// The JSON has every fact of the table: states, order, groups and numbers.
#[test]
fn json_has_the_states_the_order_the_groups_and_the_numbers_of_the_table() {
    let file = many(12);
    let of_file = ["--now", NOW, "-f", file.to_str().unwrap()];
    for input in [&of_file[..], &["demo", "many"]] {
        let out = |args: &[&str]| program::run(&[input, args].concat()).1;
        let list: Value = serde_json::from_str(&out(&["-o", "json"])).unwrap();
        let name = |set: &Value| format!("{}/{}", set["namespace"], set["name"]).replace('"', "");
        let order = list["byUrgency"].as_array().unwrap().iter();
        let sorted: Vec<&Value> = order
            .map(|at| &list["items"][usize::try_from(at.as_u64().unwrap()).unwrap()])
            .collect();
        assert_eq!(sorted.len(), list["items"].as_array().unwrap().len());

        let table = out(&["--show", "all"]);
        let header = table.lines().next().unwrap();
        let columns = ["STATE", "AGE/ETA"].map(|column| header.find(column).unwrap());
        let rows = table.lines().skip(1).zip(&sorted);
        for (row, item) in rows {
            assert!(row.starts_with(&name(&item["metadata"])), "{row}: {item}");
            let state = row[columns[0]..columns[1]].trim().replace(' ', "-");
            assert_eq!(json!(state), item["state"], "{row}");
        }

        let grouped = out(&[]);
        let first = grouped.lines().nth(1).unwrap();
        for group in list["groups"].as_array().into_iter().flatten() {
            let sets = group["sets"].as_array().unwrap();
            assert!(
                first.starts_with(&format!("{} sets", sets.len())),
                "{first}"
            );
            assert!(first.ends_with(group["cause"].as_str().unwrap()), "{first}");
            for set in sets {
                let mut items = sorted.iter();
                let item = items.find(|it| name(&it["metadata"]) == name(set)).unwrap();
                assert_eq!(item["state"], "stuck");
                assert!(item["analysis"]["since"].as_str() >= group["since"].as_str());
            }
        }
        let tally = &list["tally"];
        let last = table.lines().last().unwrap();
        let (sets, states) = last.split_once(" sets: ").unwrap();
        assert_eq!(sets, tally["sets"].to_string());
        let mut numbers = json!({});
        for part in states.split(", ") {
            let (number, state) = part.split_once(' ').unwrap();
            let state = state.replace("lose data", "loses data").replace(' ', "-");
            numbers[state] = number.parse::<usize>().unwrap().into();
        }
        assert_eq!(numbers, tally["states"]);
    }
    let list: Value = serde_json::from_str(&run(&file, &["-o", "json"])).unwrap();
    assert_eq!(list["groups"][0]["sets"].as_array().unwrap().len(), 12);
    assert_eq!(list["tally"]["states"]["stuck"], 13);
    let loss = &list["findings"].as_array().unwrap()[1];
    assert_eq!(
        (&loss["id"], &loss["severity"]),
        (&json!("STS003"), &json!("error"))
    );
    assert_eq!(
        loss["sets"],
        json!([{"namespace": "shrink", "name": "web"}])
    );
}

#[test]
fn omitted_rows_are_shown_on_request() {
    let file = many(12);
    let idle = run(&file, &["--show", "idle"]);
    assert!(
        idle.contains("\nquiet/pg") && idle.contains("\n12 sets"),
        "{idle}"
    );
    assert!(!idle.contains("--show idle"), "{idle}");
    let all = run(&file, &["--show", "all"]);
    assert!(
        all.contains("\nquiet/pg") && all.contains("\nteam-12/pg"),
        "{all}"
    );
    assert!(!all.contains("\n12 sets"), "{all}");
    // Two are not many.
    let two = run(&many(2), &[]);
    assert!(
        two.contains("\nteam-01/pg") && two.contains("\nteam-02/pg"),
        "{two}"
    );
    let args = ["-o", "json", "--show", "idle", "-f", file.to_str().unwrap()];
    let (code, _, said) = program::run(&args);
    assert_eq!(code, 1);
    assert!(
        said.contains("--show is only for -o table and wide"),
        "{said}"
    );
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for width in [60, 80, 120, 200] {
        let style = Style {
            width: Some(width),
            idle_sets: true,
            ..Style::default()
        };
        for format in [Format::Table, Format::Wide] {
            let screen = render::text(format, &render::fleet(), &style);
            for line in screen.lines() {
                // A wide table is as wide as it needs to be.
                let fits = format == Format::Wide || line.chars().count() <= width;
                assert!(fits, "{width}: {line}");
                assert_eq!(line, line.trim_end());
            }
            // The reason why a set is not at its goal is shown at any width.
            let words: Vec<&str> = screen.split_whitespace().collect();
            let text = words.join(" ");
            assert!(text.contains("14 restarts)"), "{width}: {screen}");
        }
    }
}

/// A set that the API server would reject shows the path.
#[test]
fn a_rejected_set_has_a_position() {
    let set = |name: &str, replicas: i32| {
        json!({"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": name},
            "spec": {"serviceName": name, "replicas": replicas, "selector": {"matchLabels": {"app": name}},
                "template": {"metadata": {"labels": {"app": name}},
                    "spec": {"containers": [{"name": "app", "image": "app:1"}]}}}})
    };
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fleet-rejected.json");
    let text = format!("{}\n{}\n", set("good", 1), set("bad", -2));
    fs::write(&path, text).unwrap();
    for format in ["table", "markdown", "html"] {
        let page = run_to(4, &path, &["-o", format]).replace("&#58;", ":");
        assert!(page.contains("fleet-rejected.json:2:"), "{page}");
    }
}

/// The pod limit of a run is checked before the first set is planned, which would take a second each.
#[test]
fn too_many_pods_are_rejected_before_anything_is_planned() {
    let folder = program::folder("too-many-pods");
    let set = |number: usize, stored: bool| {
        let name = format!("web-{number}");
        let mut set = json!({
            "apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": name, "namespace": "prod"},
            "spec": {"replicas": 20_000, "podManagementPolicy": "Parallel", "serviceName": "web",
                "selector": {"matchLabels": {"app": name}},
                "template": {"metadata": {"labels": {"app": name}},
                    "spec": {"containers": [{"name": "app", "image": "app:1"}]}}},
        });
        if stored {
            set["metadata"]["uid"] = name.into();
            set["metadata"]["creationTimestamp"] = NOW.into();
        }
        set
    };
    for stored in [false, true] {
        let sets: Vec<Value> = (0..60).map(|number| set(number, stored)).collect();
        let file = folder.join(format!("{stored}.json"));
        let list = json!({"apiVersion": "v1", "kind": "List", "items": sets});
        fs::write(&file, list.to_string()).unwrap();
        let run = |flags: &[&str]| {
            // Planning all of them takes far more CPU time than this, whatever else the machine does.
            let limited = "ulimit -t 10; exec \"$0\" \"$@\"";
            let mut command = Command::new("/bin/sh");
            command.env_clear().args(["-c", limited, PROGRAM]);
            command.args(["--now", NOW, "-o", "summary", "-f"]);
            command.arg(&file).args(flags).output().unwrap()
        };
        let refused = run(&[]);
        let says = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(1), "{says}");
        assert!(says.contains("more than 200000 pods in total"), "{says}");
        // The value of the flag counts.
        let few = run(&["--replicas", "1"]);
        assert_eq!(few.status.code(), Some(0), "{few:?}");
    }
}
