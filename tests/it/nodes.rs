//! `--drain`, `--cordon` and `--lose`: the effect on the pods, whether the drain completes, and what helps if it does
//! not.

use serde_json::{Value, json};

use crate::program;
use test_kit::nodes::{budget, cluster, set};

const NOW: &str = "2026-11-20T03:00:00Z";

/// Runs the program with these objects as its input.
pub(super) fn run(objects: &[Value], args: &[&str]) -> (i32, String, String) {
    let usual = ["--now", NOW, "--kubernetes-version", "1.33"];
    program::run_on(objects, &[&usual[..], args].concat())
}

pub(super) fn plan(objects: &[Value], args: &[&str]) -> Value {
    let (_, out, error) = run(objects, &[args, &["-o", "json"]].concat());
    serde_json::from_str(&out).unwrap_or_else(|_| panic!("{args:?}: {error}"))
}

/// The second line of the screen, and the exit codes.
#[test]
fn the_screen_begins_with_the_end_of_a_drain() {
    let objects = cluster(&[budget(json!({"maxUnavailable": 1}))]);
    let (code, screen, _) = run(&objects, &["--drain", "node-7"]);
    assert_eq!(code, 0);
    let second = screen.lines().nth(1).unwrap();
    assert!(
        second.starts_with("Drain of node-7 completes after"),
        "{screen}"
    );
    let objects = cluster(&[budget(json!({"minAvailable": "100%"}))]);
    let (code, screen, _) = run(&objects, &["--drain", "node-7"]);
    assert_eq!(code, 0);
    let lines: Vec<&str> = screen.lines().collect();
    assert!(
        lines[1].starts_with(
            "Drain of node-7 HANGS immediately, at prod/web-0: PodDisruptionBudget guard"
        ),
        "{screen}"
    );
    assert!(lines[2].contains("Do:"), "{screen}");
    assert!(
        screen.contains("kubectl patch pdb guard -n prod"),
        "{screen}"
    );
    // A gate on blocked sets is also a gate on the drain.
    assert_eq!(
        run(&objects, &["--drain", "node-7", "--fail-on", "blocked"]).0,
        3
    );
    assert_eq!(
        run(&objects, &["--drain", "node-7", "--detailed-exitcode"]).0,
        3
    );
}

#[test]
fn several_sets_are_one_table() {
    let mut objects = cluster(&[budget(json!({"maxUnavailable": 1}))]);
    objects.extend(set("api", &["node-7", "node-7"], json!({})));
    let (code, screen, _) = run(&objects, &["-A", "--drain", "node-7"]);
    assert_eq!(code, 0, "{screen}");
    assert!(
        screen.starts_with("Drain of node-7 completes after"),
        "{screen}"
    );
    assert!(
        screen.lines().any(|line| line.starts_with("SET ")),
        "{screen}"
    );
    let (_, page, _) = run(&objects, &["-A", "--drain", "node-7", "-o", "markdown"]);
    assert!(page.contains("**Drain of node-7 completes after"), "{page}");
    assert!(page.contains("| Set | Evictions | Min ready |"), "{page}");
    let (_, page, _) = run(&objects, &["-A", "--drain", "node-7", "-o", "html"]);
    let table = page.find("Min ready").unwrap();
    assert!(page.find("Drain of node-7 completes after").unwrap() < table);
    let list = plan(&objects, &["-A", "--drain", "node-7"]);
    let sets = list["nodes"]["sets"].as_array().unwrap();
    assert_eq!(sets.len(), 2);
    // The JSON has every fact of the table.
    let (_, screen, _) = run(&objects, &["-A", "--drain", "node-7", "-v"]);
    for set in sets {
        let text = |key: &str| set[key].as_str().unwrap().to_owned();
        let name = format!("{}/{} ", text("namespace"), text("name"));
        let mut rows = screen.lines().skip_while(|line| !line.starts_with("SET "));
        let row = rows.find(|line| line.starts_with(&name)).unwrap();
        let ready = format!("  {} of {}  ", set["lowestReady"], set["replicas"]);
        assert!(row.contains(&ready), "{row}: {set}");
        for eviction in set["evictions"].as_array().unwrap() {
            assert!(
                row.contains(eviction["pod"].as_str().unwrap()),
                "{row}: {set}"
            );
        }
    }
}

#[test]
fn missing_objects_are_an_error() {
    let objects = cluster(&[]);
    for (args, part) in [
        (
            ["--drain", "node-1"],
            "node node-1 not found (nodes: node-7, node-8, node-9)",
        ),
        (["--lose", "zone=z"], "zone z has no nodes (zones: a, b, c)"),
        (["--assume", "nodes+1=node-1"], "node node-1 not found"),
        (
            ["--assume", "nodes+0=node-7"],
            "expected a number, as in nodes+2=NODE",
        ),
    ] {
        let (code, _, error) = run(&objects, &args);
        assert_eq!(code, 1, "{args:?}");
        assert!(error.contains(part), "{error}");
    }
    let alone = set("web", &["node-7"], json!({}));
    let (code, _, error) = run(&alone, &["--drain", "node-7"]);
    assert_eq!(code, 1);
    assert!(error.contains("the input has no nodes"), "{error}");
}

/// A flag rejects flags that would have no effect with it.
#[test]
fn screens_and_watches_reject_node_flags() {
    for (args, part) in [
        (
            ["web", "-w", "--drain", "node-7"],
            "-w watches the live cluster, and --drain is a planned change",
        ),
        (
            ["web", "-w", "--assume", "nodes+1=node-7"],
            "omit --assume nodes+N=NODE",
        ),
        (
            ["web", "-w", "--assume", "secret/db=exists"],
            "omit --assume secret/db=exists",
        ),
        (
            ["web", "-w", "--upgrade-to", "1.36"],
            "--upgrade-to cannot be used with -w",
        ),
        (
            ["web", "--interactive", "--lose", "node-7"],
            "--lose cannot be used with --interactive",
        ),
        (
            ["web", "--interactive", "--assume", "nodes+1=node-7"],
            "cannot be used with --interactive",
        ),
    ] {
        let (code, _, error) = program::run(&args);
        assert_eq!(code, 1, "{error}");
        assert!(error.contains(part), "{error}");
    }
}
