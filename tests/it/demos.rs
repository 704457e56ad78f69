//! `demo`: the bundled examples. Their dumps in `demos/` are generated here, like the fixtures: run `UPDATE_GOLDEN=1
//! cargo test --test it demos` twice, because the program contains them.

use kubectl_sts_plan::internals::DEMOS;
use kubectl_sts_plan::internals::Format;
use serde_json::{Value, json};

use crate::fixtures::{Scene, now, rolling};
use crate::{golden, program};

/// The name of each demo, and the beginning of the second line of its output.
const VERDICTS: [(&str, &str); 6] = [
    (
        "healthy",
        "Next: record revision web-5bd58868ff, delete web-2",
    ),
    (
        "blocked",
        "BLOCKED 1h0m: web-2 crash-loops on the new revision",
    ),
    ("canary", "Next: delete web-3 (outdated, highest first)"),
    ("on-delete", "WAITING FOR YOU: 2 pods are outdated"),
    (
        "data-loss",
        "Next: delete web-4 (scale down to 2); DATA LOSS",
    ),
    ("many", ""),
];

/// The objects of a demo.
fn objects(name: &str) -> Vec<Value> {
    let old_and_new = |new: usize, old: usize, ready: bool| {
        let mut pods = vec![(0, true); old];
        pods.extend(vec![(1, ready); new]);
        pods
    };
    let scene = match name {
        "healthy" => Scene {
            template: 1,
            seen: false,
            pods: old_and_new(0, 3, true),
            ..Scene::default()
        },
        "blocked" => Scene {
            template: 1,
            update: 1,
            pods: old_and_new(1, 2, false),
            ..Scene::default()
        },
        "canary" => Scene {
            replicas: 5,
            spec: rolling(json!({"partition": 3})),
            template: 1,
            update: 1,
            pods: old_and_new(1, 4, true),
            ..Scene::default()
        },
        "on-delete" => Scene {
            spec: json!({"updateStrategy": {"type": "OnDelete"}}),
            template: 1,
            update: 1,
            pods: old_and_new(1, 2, true),
            ..Scene::default()
        },
        "data-loss" => Scene {
            replicas: 2,
            spec: deleting_claims(),
            images: &["registry.example.com/shop/web:1.4.2"],
            seen: false,
            pods: old_and_new(0, 5, true),
            ..Scene::default()
        },
        "many" => return many(),
        other => panic!("no scene for {other}"),
    };
    let mut objects = with_exit_codes(scene.objects());
    objects.extend(nodes());
    objects
}

/// The nodes of the scenes, each in its own zone, with spare room.
fn nodes() -> impl Iterator<Item = Value> {
    ["a", "b", "c"].iter().enumerate().map(|(at, zone)| {
        let name = format!("node-{at}");
        json!({
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name, "labels": {
                "kubernetes.io/hostname": name,
                "topology.kubernetes.io/zone": format!("zone-{zone}"),
            }},
            "status": {
                "allocatable": {"cpu": "4", "memory": "16Gi", "pods": "110"},
                "conditions": [{"type": "Ready", "status": "True"}],
            },
        })
    })
}

fn deleting_claims() -> Value {
    let mut spec = rolling(json!({"partition": 0}));
    spec["persistentVolumeClaimRetentionPolicy"] =
        json!({"whenDeleted": "Retain", "whenScaled": "Delete"});
    spec
}

/// Sets of four namespaces: two stuck, one that loses data, one that waits, two in progress, two at rest.
fn many() -> Vec<Value> {
    let scenes = [
        Scene {
            namespace: "shop",
            name: "cart",
            images: &[
                "registry.example.com/shop/cart:2.3.0",
                "registry.example.com/shop/cart:2.4.0",
            ],
            template: 1,
            seen: false,
            pods: vec![(0, true); 3],
            ..Scene::default()
        },
        Scene {
            namespace: "shop",
            name: "search",
            images: &[
                "registry.example.com/shop/search:8.1",
                "registry.example.com/shop/search:8.2",
            ],
            template: 1,
            update: 1,
            pods: vec![(0, true), (0, true), (1, false)],
            ..Scene::default()
        },
        Scene {
            namespace: "shop",
            name: "sessions",
            images: &[
                "registry.example.com/shop/sessions:5",
                "registry.example.com/shop/sessions:6",
            ],
            spec: rolling(json!({"partition": 1})),
            template: 1,
            update: 1,
            pods: vec![(0, true), (0, true), (1, true)],
            ..Scene::default()
        },
        Scene {
            namespace: "db",
            name: "orders",
            images: &[
                "registry.example.com/db/orders:16.4",
                "registry.example.com/db/orders:16.6",
            ],
            spec: json!({"updateStrategy": {"type": "OnDelete"}}),
            replicas: 2,
            template: 1,
            update: 1,
            pods: vec![(0, true), (1, true)],
            ..Scene::default()
        },
        Scene {
            namespace: "db",
            name: "users",
            images: &["registry.example.com/db/users:16.4"],
            spec: deleting_claims(),
            replicas: 2,
            seen: false,
            pods: vec![(0, true); 3],
            ..Scene::default()
        },
        Scene {
            namespace: "streaming",
            name: "kafka",
            images: &[
                "registry.example.com/streaming/kafka:3.8",
                "registry.example.com/streaming/kafka:3.9",
            ],
            template: 1,
            update: 1,
            pods: vec![(0, true), (0, true), (1, false)],
            ..Scene::default()
        },
        Scene {
            namespace: "monitoring",
            name: "loki",
            images: &["registry.example.com/monitoring/loki:3.1"],
            replicas: 2,
            pods: vec![(0, true); 2],
            ..Scene::default()
        },
        Scene {
            namespace: "monitoring",
            name: "tempo",
            images: &["registry.example.com/monitoring/tempo:2.6"],
            replicas: 2,
            pods: vec![(0, true); 2],
            ..Scene::default()
        },
    ];
    let placed = scenes.into_iter().enumerate();
    let objects = placed.flat_map(|(place, scene)| Scene { place, ..scene }.objects());
    let mut objects = with_exit_codes(objects.collect());
    objects.extend(nodes());
    for pod in objects
        .iter_mut()
        .filter(|object| object["metadata"]["name"] == "kafka-2")
    {
        if pod["kind"] == "Pod" {
            does_not_pull(pod);
        }
    }
    objects
}

/// The last exit of each container that restarts.
fn with_exit_codes(mut objects: Vec<Value>) -> Vec<Value> {
    for pod in objects.iter_mut().filter(|object| object["kind"] == "Pod") {
        let container = &mut pod["status"]["containerStatuses"][0];
        if container["ready"] == false {
            container["lastState"] = json!({"terminated": {
                "exitCode": 1,
                "finishedAt": "2026-11-20T02:58:00Z",
                "reason": "Error",
                "startedAt": "2026-11-20T02:57:58Z",
            }});
        }
    }
    objects
}

/// The image of the pod cannot be pulled.
fn does_not_pull(pod: &mut Value) {
    pod["status"]["phase"] = json!("Pending");
    let container = &mut pod["status"]["containerStatuses"][0];
    let image = container["image"].as_str().unwrap();
    let message = format!("Back-off pulling image \"{image}\": ErrImagePull: {image}: not found");
    container["state"] = json!({"waiting": {"reason": "ImagePullBackOff", "message": message}});
    container["restartCount"] = json!(0);
    container.as_object_mut().unwrap().remove("lastState");
}

fn file(name: &str) -> std::path::PathBuf {
    golden::root()
        .parent()
        .unwrap()
        .join(format!("demos/{name}.yaml"))
}

/// Runs the program in an empty folder, and in one where a policy would be found.
fn run(args: &[&str]) -> (i32, String, String) {
    // A folder per test, because a file that another test writes may be incomplete.
    let test = std::thread::current().name().unwrap().replace("::", "-");
    let folder = program::folder(&test);
    std::fs::write(folder.join(".sts-plan.yaml"), "fail-on: [blocked]\n").unwrap();
    program::run_in(&folder, args)
}

#[test]
fn the_dumps_are_up_to_date() {
    for demo in &DEMOS {
        let list = json!({"apiVersion": "v1", "kind": "List", "items": objects(demo.name)});
        let now = now().to_string();
        let args = ["dump", "-f", "-", "--now", &now];
        let (code, dump, error) = program::feed(&args, &list.to_string());
        assert_eq!((code, error.as_str()), (0, ""), "{}", demo.name);
        golden::check(&file(demo.name), &dump);
        if !golden::is_updating() {
            assert_eq!(demo.dump, dump, "{}", demo.name);
        }
    }
}

#[test]
fn each_has_its_verdict_and_the_bytes_of_its_dump() {
    assert_eq!(
        DEMOS.each_ref().map(|demo| demo.name),
        VERDICTS.map(|(name, _)| name)
    );
    for (name, verdict) in VERDICTS {
        let (code, screen, error) = run(&["demo", name]);
        assert_eq!((code, error.as_str()), (0, ""), "{name}");
        let second = screen.lines().nth(1).unwrap();
        assert!(second.starts_with(verdict), "{name}: {second}");
        let path = file(name);
        let (_, of_file, _) = run(&["-f", path.to_str().unwrap(), "--policy", "none"]);
        assert_eq!(screen, of_file, "{name}");
    }
}

/// Stuck sets first, then the one that loses data.
#[test]
fn many_sets_are_a_table_by_urgency() {
    let (_, table, _) = run(&["demo", "many"]);
    let at = |name: &str| {
        table
            .find(name)
            .unwrap_or_else(|| panic!("{name} is not in\n{table}"))
    };
    assert!(
        at("kafka") < at("users") && at("search") < at("users"),
        "{table}"
    );
    assert!(at("users") < at("cart"), "{table}");
    assert!(!table.contains("loki"), "{table}");
    let (_, one, _) = run(&["demo", "many", "sts/users", "-n", "db"]);
    assert!(
        one.starts_with("db/users  StatefulSet  2 replicas"),
        "{one}"
    );
    assert!(one.contains("LOST data-users-2"), "{one}");
}

#[test]
fn each_is_planned_in_every_format() {
    let formats: Vec<&str> = Format::ALL.iter().map(|it| it.name()).collect();
    let templates = ["jsonpath={..name}", "custom-columns=NAME:.metadata.name"];
    for demo in &DEMOS {
        for format in formats.iter().copied().chain(templates) {
            let args = ["demo", demo.name, "-o", format];
            let (code, text, error) = run(&args);
            assert_eq!((code, error.as_str()), (0, ""), "{args:?}");
            assert!(!text.trim().is_empty() || format == "github", "{args:?}");
            assert_eq!(run(&args).1, text, "{args:?}");
            // No file exists that an editor or a review could open.
            assert!(!text.contains("the demo"), "{args:?}: {text}");
        }
    }
}

#[test]
fn the_flags_of_a_plan_apply() {
    for (line, code, part) in [
        ("demo canary --partition 0", 0, "Plan: 4 to replace"),
        ("--partition 0 demo canary", 0, "Plan: 4 to replace"),
        (
            "demo canary --partition 0 --what-if-fails",
            0,
            "IF IT FAILS",
        ),
        (
            "demo canary --kubernetes-version 1.24",
            0,
            "Kubernetes 1.24",
        ),
        (
            "demo blocked --assume web-2=recovers",
            0,
            "Plan: 2 to replace",
        ),
        ("demo blocked --fail-on blocked", 3, "BLOCKED"),
        ("demo blocked --policy .sts-plan.yaml", 3, "BLOCKED"),
        ("demo data-loss --fail-on data-loss", 5, "STS003"),
        ("demo healthy --detailed-exitcode -o summary", 2, "prod/web"),
        ("demo healthy --set spec.serviceName=other", 4, "REJECTED"),
        ("demo healthy --drain node-0", 0, "node-0"),
        ("demo blocked --drain node-2", 0, "node-2"),
        (
            "demo healthy --now 2026-11-20T04:00:00Z",
            0,
            "Plan: 3 to replace",
        ),
    ] {
        let args: Vec<&str> = line.split(' ').collect();
        let (ended, screen, error) = run(&args);
        assert_eq!(ended, code, "{line}: {error}");
        assert!(screen.contains(part), "{line}: {screen}");
    }
}

#[test]
fn inapplicable_flags_are_rejected_with_a_demo() {
    for (line, part) in [
        (
            "demo nothing",
            "possible values: healthy, blocked, canary, on-delete, data-loss, many",
        ),
        (
            "demo healthy -f x.yaml",
            "--filename cannot be used with a demo",
        ),
        (
            "demo healthy --context x",
            "--context cannot be used with a demo",
        ),
        ("demo healthy -w", "--watch cannot be used with a demo"),
        (
            "demo -o json",
            "flags require an example: name one of healthy, blocked",
        ),
        (
            "demo healthy api",
            "StatefulSet \"api\" not found in the input",
        ),
        (
            "demo healthy -n other",
            "StatefulSets exist in namespace prod",
        ),
        (
            "demo healthy --interactive",
            "--interactive requires a terminal",
        ),
        (
            "demo many --interactive -o json",
            "--output cannot be used with --interactive",
        ),
        (
            "demo healthy --apply new.yaml --apply-mode server",
            "cannot be combined with a demo",
        ),
    ] {
        let args: Vec<&str> = line.split(' ').collect();
        let (code, _, error) = run(&args);
        assert_eq!(code, 1, "{line}: {error}");
        assert!(error.contains(part), "{line}: {error}");
    }
}

/// One line per demo with its command; the commands of the list and below it work.
#[test]
fn without_a_name_all_are_listed() {
    let (code, list, error) = run(&["demo"]);
    assert_eq!((code, error.as_str()), (0, ""));
    for demo in &DEMOS {
        let line = format!("kubectl sts-plan demo {} ", demo.name);
        let found = list.lines().find(|it| it.starts_with(&line));
        assert!(
            found.is_some_and(|it| it.ends_with(demo.situation)),
            "{list}"
        );
    }
    for line in list.lines() {
        assert!(line.chars().count() <= 80, "{line}");
        if let Some((_, command)) = line.split_once("  kubectl sts-plan ")
            && !command.contains("--interactive")
        {
            let args: Vec<&str> = command.split(' ').collect();
            assert_eq!(run(&args).0, 0, "{line}");
        }
    }
}

#[test]
fn names_and_sets_are_completed() {
    let offered = |words: &[&str]| {
        let (_, answer, _) = run(&[&["__complete", "demo"], words].concat());
        answer
    };
    let names = offered(&[""]);
    for demo in &DEMOS {
        assert!(
            names.contains(&format!("{}\t{}\n", demo.name, demo.situation)),
            "{names}"
        );
    }
    assert!(offered(&["many", "lo"]).contains("loki\tmonitoring\n"));
    assert!(offered(&["canary", "--delete-pod", ""]).contains("web-4\n"));
    assert!(offered(&["canary", "--part"]).contains("--partition"));
}
