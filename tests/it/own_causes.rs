//! `--causes`: the causes that a team adds.

use std::fs;

use serde_json::{Value, json};

use crate::golden;
use crate::night::run;
use crate::program;
use test_kit::kv::{crashes, status};

/// The directory of the documentation's example.
fn example() -> String {
    let folder = golden::root().join("../examples/causes");
    folder.to_str().unwrap().to_owned()
}

/// A directory with one file of causes.
fn folder(name: &str, text: &str) -> String {
    let folder =
        std::env::temp_dir().join(format!("sts-plan-causes-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("own.yaml"), text).unwrap();
    folder.to_str().unwrap().to_owned()
}

/// kv-2 has crash-looped with this message for a while.
fn crashing(message: &str) -> Vec<Value> {
    status(crashes(message))
}

#[test]
fn an_own_cause_comes_before_those_of_the_program() {
    let words = "PANIC: lock service has no leader: connection refused";
    let objects = crashing(words);
    let plain = run(&objects, &["-o", "json"]);
    let plain: Value = serde_json::from_str(&plain).unwrap();
    assert_ne!(plain["analysis"]["cause"]["id"], "ledger-no-leader");
    let own = run(&objects, &["-o", "json", "--causes", &example()]);
    let own: Value = serde_json::from_str(&own).unwrap();
    let cause = &own["analysis"]["cause"];
    assert_eq!(cause["id"], "ledger-no-leader");
    assert_eq!(cause["blames"], "dependency");
    assert_eq!(cause["owner"], "team Ledger, #ledger-oncall");
    assert_eq!(
        cause["runbook"],
        "https://runbooks.example/ledger/no-leader"
    );
    let screen = run(&objects, &["--causes", &example()]);
    for part in [
        "look at the lock service first: without a leader no ledger starts",
        "do not delete the claims of the lock service",
        "ask team Ledger, #ledger-oncall",
        "https://runbooks.example/ledger/no-leader",
    ] {
        assert!(screen.contains(part), "{part}: {screen}");
    }
    // No other template helps if a service that all revisions need is down.
    assert!(!screen.contains("rollout undo"), "{screen}");
}

#[test]
fn an_own_cause_is_recognized_in_the_answer_of_a_webhook() {
    let mut objects = crashing("");
    objects.retain(|it| !(it["kind"] == "Pod" && it["metadata"]["name"] == "kv-2"));
    objects.push(json!({"apiVersion": "v1", "kind": "Event", "type": "Warning", "reason": "FailedCreate", "count": 30,
        "message": "create Pod kv-2 in StatefulSet kv failed error: admission webhook \"billing.example.com\" denied the request: label cost-center is missing",
        "metadata": {"name": "e", "namespace": "prod"},
        "involvedObject": {"kind": "StatefulSet", "namespace": "prod", "name": "kv"},
        "firstTimestamp": "2026-11-21T11:20:00Z", "lastTimestamp": "2026-11-21T11:58:00Z"}));
    let own = run(&objects, &["-o", "json", "--causes", &example()]);
    let own: Value = serde_json::from_str(&own).unwrap();
    assert_eq!(own["analysis"]["cause"]["id"], "cost-center-missing");
}

#[test]
fn a_policy_names_the_causes_relative_to_itself() {
    let folder = folder(
        "policy",
        "- {id: own-one, title: It is ours, place: container, words: [[ours]], helps: Ask us}\n",
    );
    let policy = format!("{folder}/policy.yml");
    fs::write(&policy, "causes: .\n").unwrap();
    fs::rename(
        format!("{folder}/own.yaml"),
        format!("{folder}/causes.yaml"),
    )
    .unwrap();
    fs::rename(&policy, format!("{folder}/policy")).unwrap();
    let policy = format!("{folder}/policy");
    let out = run(
        &crashing("this is OURS"),
        &["-o", "json", "--policy", &policy],
    );
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report["analysis"]["cause"]["id"], "own-one");
}

#[test]
fn explain_lists_and_shows_own_causes() {
    let (code, out, err) = program::run(&["explain", "--causes", &example()]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("ledger-no-leader"), "{out}");
    let (_, out, _) = program::run(&["explain", "--causes", &example(), "ledger-no-leader"]);
    for part in ["Whom to ask", "Runbook", "Added by", "ledger.yaml"] {
        assert!(out.contains(part), "{part}: {out}");
    }
}

#[test]
fn explain_lists_the_causes_that_a_reason_announces() {
    let (code, out, err) = program::run(&["explain", "crashloopbackoff"]);
    assert_eq!(code, 0, "{err}");
    for id in ["exec-format", "data-corrupted", "name-unresolved"] {
        assert!(out.contains(id), "{id}: {out}");
    }
    assert!(!out.contains("image-not-found"), "{out}");
    let (_, out, _) = program::run(&["explain", "FailedAttachVolume"]);
    assert!(out.contains("multi-attach"), "{out}");
}

#[test]
fn a_wrong_cause_is_refused_with_its_place() {
    let cases = [
        ("not-a-list", "id: x\n", "line 1, column 1: "),
        (
            "unknown-key",
            "- id: x\n  title: y\n  place: container\n  help: z\n",
            "line 4, column 3: .[0]: unknown field `help`",
        ),
        (
            "unknown-place",
            "- {id: x, title: y, place: moon, helps: z}\n",
            "unknown variant `moon`",
        ),
        (
            "no-words",
            "- {id: x, title: y, place: container, helps: z}\n",
            "cause \"x\": it has no reasons, words or exitCodes",
        ),
        (
            "empty-words",
            "- {id: x, title: y, place: container, helps: z, words: [[]]}\n",
            "an item of words is empty",
        ),
        (
            "upper-case",
            "- {id: x, title: y, place: container, helps: z, words: [[Ours]]}\n",
            "write \"ours\"",
        ),
        (
            "known",
            "- {id: io-error, title: y, place: container, helps: z, words: [[ours]]}\n",
            "this program has a cause with this id",
        ),
        (
            "twice",
            "- {id: x, title: y, place: container, helps: z, words: [[ours]]}\n- {id: x, title: y, place: image, helps: z, words: [[ours]]}\n",
            "another cause has this id",
        ),
        (
            "hidden",
            "- {id: x, title: y, place: container, helps: z, words: [[ours]]}\n- {id: w, title: y, place: container, helps: z, words: [[ours, too]]}\n",
            "put w before it",
        ),
        (
            "escape-in-words",
            "- {id: x, title: y, place: container, helps: z, words: [[\"y\\u001b[31m\"]]}\n",
            "is not printed",
        ),
        (
            "state",
            "- {id: x, title: y, place: container, helps: z, words: [[ours]], state: ours}\n",
            "a report identifies it: omit state",
        ),
        (
            "escape",
            "- {id: x, title: \"y\\u001b[31m\", place: container, helps: z, words: [[ours]]}\n",
            "is not printed",
        ),
        (
            "runbook",
            "- {id: x, title: y, place: container, helps: z, words: [[ours]], runbook: 'javascript:alert(1)'}\n",
            "begin it with https://",
        ),
        ("nothing", "# nothing yet\n", "no causes: add a file"),
    ];
    for (name, text, fault) in cases {
        let folder = folder(name, text);
        let (code, _, err) = program::run(&["explain", "--causes", &folder]);
        assert_eq!(code, 1, "{name}: {err}");
        assert!(err.contains(fault), "{name}: {err}");
        assert!(err.contains(&folder), "{name}: {err}");
    }
}
