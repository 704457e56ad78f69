//! `dump`: planned with `-f`, it gives the same bytes as the cluster.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::server::{Answer, Server, folder};
use super::{Ran, assert_error, run};

const NOW: &str = "--now 2026-11-21T12:00:00Z";
const FIXTURES: [&str; 6] = [
    "crashloop.yaml",
    "on-delete.yaml",
    "parallel.yaml",
    "partition.yaml",
    "rollout.yaml",
    "scale-down.yaml",
];

fn done(ran: Ran) -> String {
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", ran.out);
    ran.out
}

/// Dumps the selected objects, and returns the file.
fn dump(config: &Path, test: &str, args: &str) -> String {
    let dumped = done(run(config, &format!("dump {args} {NOW}")));
    let file = folder(&format!("{test}-file")).join("dump.yaml");
    fs::write(&file, dumped).unwrap();
    file.to_str().unwrap().to_owned()
}

/// The plan of the dump equals that of the cluster, in every detailed format.
fn assert_same(config: &Path, test: &str, args: &str) {
    let file = dump(config, test, args);
    for format in ["json", "table", "wide", "sarif", "html"] {
        let live = done(run(config, &format!("{args} {NOW} -o {format}")));
        let nowhere = Path::new(nonexistent!());
        // The dump contains the time. A dump of all namespaces is planned with all namespaces.
        let all = if args.contains("-A") { "-A" } else { "" };
        let again = done(run(nowhere, &format!("-f {file} {all} -o {format}")));
        assert_eq!(again, live, "{test} {args} {format}");
    }
    // A dump of a dump is the same dump.
    let again = done(run(Path::new(nonexistent!()), &format!("dump -f {file}")));
    assert_eq!(again, fs::read_to_string(&file).unwrap());
}

#[test]
fn a_dump_is_planned_as_the_cluster_was() {
    for fixture in FIXTURES {
        let server = Server::of_fixture(fixture);
        let namespace = server.state.lock().unwrap().objects[0]["metadata"]["namespace"]
            .as_str()
            .unwrap_or("prod")
            .to_owned();
        let config = server.kubeconfig(&format!("dump-{fixture}"), &namespace);
        assert_same(&config, &format!("dump-{fixture}"), "");
        assert_same(&config, &format!("dump-all-{fixture}"), "-A");
        // Only reads.
        assert!(server.asked().iter().all(|asked| asked.method == "GET"));
    }
}

/// A server of another version with gates, neighbors, events, nodes, and objects that may not be read.
fn rich() -> Server {
    let server = Server::of_fixture("rollout.yaml").with_version("v1.33.2");
    let more = [
        json!({"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "other", "namespace": "prod",
            "uid": "other"}, "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "other"}},
            "template": {"metadata": {"labels": {"app": "other"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}}),
        json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "b", "namespace": "prod",
            "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}", "note": "yes"}},
            "spec": {"minAvailable": 3, "selector": {"matchLabels": {"app": "web"}}}}),
        json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": {"images": [{"names": ["x"]}],
            "conditions": [{"type": "Ready", "status": "True"}]}}),
        json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "prod"},
            "data": {"password": "aHVudGVyMg=="}}),
    ];
    server.state.lock().unwrap().objects.extend(more);
    server
}

#[test]
fn a_dump_of_one_set_has_its_neighbours_and_is_of_that_set() {
    let server = rich();
    let config = server.kubeconfig("dump-rich", "prod");
    assert_same(&config, "dump-rich", "web");
    let file = dump(&config, "dump-rich-text", "web");
    let text = fs::read_to_string(&file).unwrap();
    let list: Value = serde_yaml::from_str(&text).unwrap();
    assert_eq!(list["kind"], "List");
    let said = &list["metadata"]["annotations"];
    assert_eq!(said["sts-plan/complete"], "true");
    assert_eq!(said["sts-plan/kubernetes-version"], "1.33.2");
    assert_eq!(said["sts-plan/sets"], "prod/web");
    let names: Vec<&str> = list["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|item| item["metadata"]["name"].as_str())
        .collect();
    assert!(
        names.contains(&"other") && names.contains(&"b"),
        "{names:?}"
    );
    for absent in ["hunter2", "aHVudGVyMg", "images:", "last-applied"] {
        let budget = text.split("kind: PodDisruptionBudget").nth(1).unwrap();
        let place = if absent == "last-applied" {
            budget
        } else {
            &text
        };
        assert!(!place.contains(absent), "{absent}");
    }
    // Field managers are kept for sets, because server-side apply depends on them.
    for item in list["items"].as_array().unwrap() {
        let has = item["metadata"].get("managedFields").is_some();
        assert_eq!(has, item["kind"] == "StatefulSet", "{item}");
    }
    // A neighbor is planned only if it is named.
    let nowhere = Path::new(nonexistent!());
    let named = done(run(nowhere, &format!("-f {file} other -o name")));
    assert!(named.contains("other"), "{named}");
    assert!(!done(run(nowhere, &format!("-f {file} -o name"))).contains("other"));
    // The JSON dump has the same content.
    let json = done(run(&config, &format!("dump web {NOW} -o json")));
    assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), list);
    // Flags override the dump.
    let flags = "--kubernetes-version 1.30 --now 2026-11-21T13:00:00Z -o json";
    let plan: Value =
        serde_json::from_str(&done(run(nowhere, &format!("-f {file} {flags}")))).unwrap();
    assert_eq!(plan["kubernetes"]["version"], "1.30");
    assert_eq!(plan["now"], "2026-11-21T13:00:00Z");
}

#[test]
fn the_dump_names_what_was_not_read() {
    let server = rich().with_whim(|asked, _| {
        let barred = asked.path.contains("/nodes") || asked.path.contains("/events");
        barred.then(|| Answer::error(403, "Forbidden", "not yours"))
    });
    let config = server.kubeconfig("dump-barred", "prod");
    assert_same(&config, "dump-barred", "web");
    let file = dump(&config, "dump-barred-text", "web");
    let text = fs::read_to_string(file).unwrap();
    assert!(
        text.contains("sts-plan/not-read: \"events,nodes\""),
        "{text}"
    );
}

#[test]
fn a_dump_that_cannot_be_made_or_read_is_an_error() {
    let server = rich();
    let config = server.kubeconfig("dump-errors", "prod");
    assert_error(&run(&config, "dump wbe"), &["wbe", "web"]);
    assert_error(&run(&config, "dump web -o html"), &["yaml or json"]);
    let file = dump(&config, "dump-errors-text", "web");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(
        &file,
        text.replace("complete: \"true\"", "complete: \"maybe\""),
    )
    .unwrap();
    let broken = run(Path::new(nonexistent!()), &format!("-f {file}"));
    assert_error(
        &broken,
        &["sts-plan/complete", "maybe", "create the dump again"],
    );
    // A dump that does not claim to be complete is planned as incomplete.
    let plain = run(
        Path::new(nonexistent!()),
        &format!("dump -f tests/fixtures/rollout.yaml web -n prod {NOW}"),
    );
    assert!(done(plain).contains("sts-plan/complete: \"false\""));
}
