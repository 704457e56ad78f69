//! `--save` and `verify` for users and scripts.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use serde_json::Value;

use crate::program;
use test_kit::kv::NOW;

const ROLLOUT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/rollout.yaml");

struct Ran {
    code: i32,
    out: String,
    err: String,
}

fn run(args: &[&str], stdin: &str) -> Ran {
    let (code, out, err) = program::feed(args, stdin);
    Ran { code, out, err }
}

fn folder(test: &str) -> PathBuf {
    program::new_folder(&format!("verify-{test}"))
}

/// The path of a saved plan of the fixture, with these flags.
fn saved(test: &str, flags: &[&str]) -> String {
    let (path, ran) = save(test, flags);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    path
}

fn save(test: &str, flags: &[&str]) -> (String, Ran) {
    let path = folder(test).join("plan.json");
    let path = path.to_str().unwrap().to_owned();
    let args = ["-f", ROLLOUT, "--now", NOW, "--save", &path];
    let ran = run(&[&args, flags].concat(), "");
    (path, ran)
}

/// Verifies a plan against the fixture with replacements.
fn verify(plan: &str, replace: &[(&str, &str)], flags: &[&str]) -> Ran {
    let mut dump = fs::read_to_string(ROLLOUT).unwrap();
    for (old, new) in replace {
        assert!(dump.contains(old), "{old}");
        dump = dump.replace(old, new);
    }
    run(&[&["verify", plan, "-f", "-"], flags].concat(), &dump)
}

#[test]
fn a_complete_plan_is_saved_next_to_the_output() {
    let folder = folder("saved");
    let path = folder.join("plan.json");
    let path = path.to_str().unwrap();
    let plain = run(&["-f", ROLLOUT, "--now", NOW], "");
    let ran = run(&["-f", ROLLOUT, "--now", NOW, "--save", path, "-v"], "");
    assert_eq!(ran.code, 0);
    assert_eq!(ran.err, format!("saved: {path}\n"));
    let json = run(&["-f", ROLLOUT, "--now", NOW, "-o", "json"], "");
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let mut sealed = read(&fs::read_to_string(path).unwrap());
    let metadata = sealed["metadata"].as_object_mut().unwrap();
    let digest = metadata.remove("digest").unwrap();
    assert!(digest.as_str().unwrap().starts_with("sha256:"), "{digest}");
    let metadata = sealed["metadata"].as_object_mut().unwrap();
    assert!(metadata.remove("madeBy").is_some());
    assert_eq!(sealed, read(&json.out));
    let quiet = run(&["-f", ROLLOUT, "--now", NOW, "--save", path], "");
    assert_eq!((quiet.out, quiet.err), (plain.out, String::new()));
    let names: Vec<_> = fs::read_dir(&folder).unwrap().collect();
    assert_eq!(names.len(), 1, "something was left beside it");
    // The printed format does not affect the saved plan, not even one-line formats that need no range of times.
    let whole = fs::read_to_string(path).unwrap();
    assert!(read(&whole)["analysis"]["eta"].is_object(), "{whole}");
    for format in ["name", "summary", "svg"] {
        let args = ["-f", ROLLOUT, "--now", NOW, "--save", path, "-o", format];
        assert_eq!(run(&args, "").code, 0);
        let (mut brief, mut whole) = (read(&fs::read_to_string(path).unwrap()), read(&whole));
        for plan in [&mut brief, &mut whole] {
            for field in ["digest", "madeBy"] {
                plan["metadata"].as_object_mut().unwrap().remove(field);
            }
        }
        assert_eq!(brief, whole, "{format}");
    }
}

#[test]
fn a_saved_plan_is_private_and_a_link_stays_a_link() {
    let folder = folder("over");
    let (path, link) = (folder.join("plan.json"), folder.join("link.json"));
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let ran = run(&["-f", ROLLOUT, "--save", link.to_str().unwrap()], "");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o600
    );
    assert!(fs::read_to_string(&path).unwrap().starts_with('{'));
}

#[test]
fn a_dangling_link_is_not_replaced() {
    let folder = folder("nowhere");
    let (target, link) = (folder.join("gone.json"), folder.join("link.json"));
    std::os::unix::fs::symlink(&target, &link).unwrap();
    let path = link.to_str().unwrap();
    for flags in [["--save", path], ["--out", &format!("json={path}")]] {
        let ran = run(&[&["-f", ROLLOUT], &flags[..]].concat(), "");
        assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{flags:?}");
        assert!(ran.err.contains("broken symlink"), "{}", ran.err);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert!(!target.exists());
    }
}

#[test]
fn one_file_is_not_written_to_twice() {
    let folder = folder("twice");
    let path = folder.join("plan.json");
    let (path, way_round) = (
        path.to_str().unwrap(),
        format!("{}/./plan.json", folder.display()),
    );
    for other in [path, &way_round] {
        let out = format!("markdown={other}");
        let ran = run(&["-f", ROLLOUT, "--save", path, "--out", &out], "");
        assert_eq!((ran.code, ran.out.as_str()), (1, ""));
        assert!(
            ran.err.contains("another output has the same path"),
            "{}",
            ran.err
        );
        let json = format!("json={path}");
        let ran = run(&["-f", ROLLOUT, "--out", &json, "--out", &out], "");
        assert!(
            ran.err.contains("another output has the same path"),
            "{}",
            ran.err
        );
    }
    assert!(!std::path::Path::new(path).exists());
}

#[test]
fn a_manually_edited_plan_is_reported() {
    let path = saved("by-hand", &[]);
    let plan = fs::read_to_string(&path).unwrap();
    // Whitespace and the order of members do not matter.
    let value: Value = serde_json::from_str(&plan).unwrap();
    fs::write(&path, value.to_string()).unwrap();
    assert_eq!(verify(&path, &[], &[]).err, "");
    assert!(plan.contains("\"at\": 5,"));
    fs::write(&path, plan.replacen("\"at\": 5,", "\"at\": 6,", 1)).unwrap();
    let ran = verify(&path, &[], &[]);
    assert_eq!((ran.code, ran.out.as_str()), (1, ""));
    assert!(
        ran.err.contains("was edited after it was saved"),
        "{}",
        ran.err
    );
    // A deliberate edit removes the digest.
    let mut value: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    value["metadata"].as_object_mut().unwrap().remove("digest");
    fs::write(&path, value.to_string()).unwrap();
    assert_eq!(verify(&path, &[], &[]).err, "");
}

#[test]
fn an_unwritable_file_is_an_error_and_prints_nothing() {
    for path in [nonexistent!("/plan.json"), "/"] {
        let ran = run(&["-f", ROLLOUT, "--save", path], "");
        assert_eq!((ran.code, ran.out.as_str()), (1, ""));
        let says = format!("error: cannot save the plan to {path}: ");
        assert!(ran.err.starts_with(&says), "{}", ran.err);
    }
}

#[test]
fn the_plan_uses_what_was_read() {
    let plan: Value =
        serde_json::from_str(&fs::read_to_string(saved("read", &[])).unwrap()).unwrap();
    assert_eq!(plan["metadata"]["resourceVersion"], "9041");
    assert_eq!(plan["metadata"]["generation"], 3);
    let read = plan["read"].as_array().unwrap();
    let of = |resource: &str| {
        read.iter()
            .filter(|object| object["resource"] == resource)
            .count()
    };
    assert_eq!(of("pods"), 3);
    assert_eq!(of("persistentvolumeclaims"), 3);
    assert!(
        read.iter().all(|object| object["uid"].is_string()),
        "{read:#?}"
    );
}

#[test]
fn nothing_has_happened_yet() {
    let plan = saved("nothing", &[]);
    let ran = verify(&plan, &[], &["--now", "2026-11-21T12:00:05Z"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert_eq!(
        ran.out,
        "prod/web  plan of 2026-11-21T12:00:00Z, 5s ago\n\
         On track: 0 of 16 steps done\n\
         next        create revision web-5bd58868ff, delete web-2 (predicted at 0s)\n"
    );
    let ran = verify(
        &plan,
        &[],
        &["--now", "2026-11-21T12:00:05Z", "--detailed-exitcode"],
    );
    assert_eq!(ran.code, 2);
    let ran = verify(&plan, &[], &["--now", "2026-11-21T12:01:00Z"]);
    assert_eq!(ran.code, 0);
    assert!(ran.out.contains("On track, but late: "), "{}", ran.out);
    let late =
        "delete web-2: the controller has not acted for 1m0s: check kube-controller-manager\n";
    assert!(ran.out.contains(late), "{}", ran.out);
    // A picture shows the delay once.
    let drawn = verify(&plan, &[], &["--now", "2026-11-21T12:01:00Z", "-o", "svg"]);
    assert!(!drawn.out.contains("Late by"), "{}", drawn.out);
    assert!(drawn.out.contains(">Late: "), "{}", drawn.out);
    // An hour later, that is not on track.
    let ran = verify(&plan, &[], &["--now", "2026-11-21T13:00:00Z"]);
    assert_eq!(ran.code, 0);
    assert!(
        ran.out
            .contains("Pending: no step has happened, although the rollout should have started"),
        "{}",
        ran.out
    );
    assert!(!ran.out.contains("On track"), "{}", ran.out);
}

#[test]
fn the_controller_is_late_15_seconds_after_what_it_waits_for() {
    // At the beginning, it waits for nothing.
    let plan = saved("controller", &[]);
    for (now, is_late) in [
        ("2026-11-21T12:00:15Z", false),
        ("2026-11-21T12:00:16Z", true),
    ] {
        let ran = verify(&plan, &[], &["--now", now, "-o", "json"]);
        let found: Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(found["late"].is_object(), is_late, "{now}: {}", ran.out);
        if is_late {
            assert_eq!(found["late"]["isControllers"], true);
            assert_eq!(found["late"]["bySeconds"], 16);
        }
    }
}

#[test]
fn an_edited_set_is_stale() {
    let plan = saved("edited", &[]);
    let ran = verify(
        &plan,
        &[("  replicas: 3\n", "  replicas: 4\n")],
        &["--now", NOW],
    );
    assert_eq!(ran.code, 4);
    let says = "Stale: the specification was changed: spec.replicas is 4, planned 3";
    assert!(ran.out.contains(says), "{}", ran.out);
    let ran = verify(
        &plan,
        &[("web:1.5.0", "web:1.6.0")],
        &["--now", NOW, "-o", "json"],
    );
    assert_eq!(ran.code, 4);
    let found: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(found["apiVersion"], "sts-plan/v1");
    assert_eq!(found["kind"], "Verification");
    assert_eq!(found["verdict"], "stale");
    assert_eq!(found["stale"]["fields"][0]["path"], "spec.template");
}

#[test]
fn a_broken_pod_diverges_from_the_plan() {
    let plan = saved("trouble", &[]);
    let ran = verify(&plan, &[("000000000102", "000000000902")], &["--now", NOW]);
    assert_eq!(ran.code, 3, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("replaced by another pod"), "{}", ran.out);
    assert!(ran.out.contains("likely"), "{}", ran.out);
}

#[test]
fn a_planned_change_waits_for_the_user() {
    let plan = saved("change", &["--partition", "2"]);
    let ran = verify(&plan, &[], &["--now", "2026-11-21T15:00:00Z"]);
    assert_eq!(ran.code, 0);
    assert!(
        ran.out
            .contains("Pending: the planned change has not been applied yet"),
        "{}",
        ran.out
    );
    let made = [
        ("generation: 3", "generation: 4"),
        ("partition: 0", "partition: 2"),
    ];
    let ran = verify(&plan, &made, &["--now", "2026-11-21T15:00:00Z"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("On track: 0 of "), "{}", ran.out);
    let other = [
        ("generation: 3", "generation: 4"),
        ("partition: 0", "partition: 1"),
    ];
    assert_eq!(verify(&plan, &other, &["--now", NOW]).code, 4);
    let plan = saved("deleted", &["--delete-pod", "web-0"]);
    let ran = verify(&plan, &[], &["--now", NOW]);
    assert!(ran.out.contains("Pending: "), "{}", ran.out);
    assert!(
        ran.out.contains("next        you delete web-0 "),
        "{}",
        ran.out
    );
}

#[test]
fn a_set_planned_before_its_creation_is_awaited() {
    let manifest = "apiVersion: apps/v1\nkind: StatefulSet\nmetadata:\n  name: web\n  namespace: prod\nspec:\n  \
        serviceName: web\n  selector:\n    matchLabels: {app: web}\n  template:\n    metadata:\n      \
        labels: {app: web}\n    spec:\n      containers:\n      - name: app\n        image: nginx:1.27\n";
    let path = folder("created").join("plan.json");
    let path = path.to_str().unwrap();
    let ran = run(&["-f", "-", "--now", NOW, "--save", path], manifest);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let ran = run(&["verify", path, "-f", "-", "--now", NOW], manifest);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let says = "Pending: the StatefulSet does not exist yet";
    assert!(ran.out.contains(says), "{}", ran.out);
    let created = manifest.replace(
        "  namespace: prod\n",
        "  namespace: prod\n  uid: a1\n  generation: 1\n",
    );
    let ran = run(&["verify", path, "-f", "-", "--now", NOW], &created);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("On track: 0 of "), "{}", ran.out);
}

#[test]
fn a_planned_deletion_of_the_set_is_no_divergence() {
    let plan = saved("delete", &["--delete=orphan"]);
    let ran = verify(&plan, &[], &["--now", NOW]);
    assert!(ran.out.contains("Pending: "), "{}", ran.out);
    let gone = fs::read_to_string(ROLLOUT).unwrap();
    let gone = gone.replace(
        "kind: StatefulSet\n  metadata",
        "kind: FormerSet\n  metadata",
    );
    let ran = run(&["verify", &plan, "-f", "-", "--now", NOW], &gone);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    assert!(ran.out.contains("Finished: "), "{}", ran.out);
    let plan = saved("lost", &[]);
    let ran = run(&["verify", &plan, "-f", "-", "--now", NOW], &gone);
    assert_eq!(ran.code, 4);
    assert!(
        ran.out.contains("Stale: the StatefulSet is gone"),
        "{}",
        ran.out
    );
}

#[test]
fn several_plans_of_one_file_are_verified_together() {
    let two = fs::read_to_string(ROLLOUT).unwrap();
    let other = two.replace("prod", "test");
    let path = folder("several").join("plan.json");
    let path = path.to_str().unwrap();
    let both = format!("{two}---\n{other}");
    let ran = run(&["-f", "-", "--now", NOW, "--save", path], &both);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let ran = run(
        &["verify", path, "-f", "-", "--now", NOW, "-o", "yaml"],
        &both,
    );
    assert_eq!(ran.code, 0);
    assert!(ran.out.contains("kind: VerificationList\n"), "{}", ran.out);
    // The worst of them decides.
    let ran = run(&["verify", path, "-f", ROLLOUT, "--now", NOW], "");
    assert_eq!(ran.code, 4);
    assert_eq!(ran.out.matches("  plan of ").count(), 2, "{}", ran.out);
}

#[test]
fn an_invalid_plan_is_an_error_with_its_position() {
    let plan = fs::read_to_string(saved("wrong", &[])).unwrap();
    let cases = [
        (
            "\"at\": 5,",
            "\"at\": \"soon\",",
            "at steps[1].at: invalid type: string \"soon\", expected i64",
        ),
        (
            "sts-plan/v1",
            "sts-plan/v2",
            "unsupported plan version sts-plan/v2 (supported: sts-plan/v1)",
        ),
        (
            "\"kind\": \"Plan\"",
            "\"kind\": \"Verification\"",
            "not a plan, but a Verification",
        ),
        ("\"read\"", "\"reed\"", "was written by an older version"),
        (
            "\"PodReady\"",
            "\"PodReddy\"",
            ".event: \"PodReddy\" is not known",
        ),
        (
            "\"version\": \"1.37\"",
            "\"version\": \"1.12\"",
            "Kubernetes 1.12 is not supported",
        ),
        (
            "\"summary\":",
            "\"summary\"",
            "expected a ':' after the key",
        ),
    ];
    let path = folder("wrong-file").join("plan.json");
    for (old, new, says) in cases {
        assert!(plan.contains(old), "{old}");
        fs::write(&path, plan.replacen(old, new, 1)).unwrap();
        let ran = run(&["verify", path.to_str().unwrap(), "-f", ROLLOUT], "");
        assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{new}");
        assert!(
            ran.err.contains("plan.json: document 1, line "),
            "{}",
            ran.err
        );
        assert!(ran.err.contains(says), "{says}: {}", ran.err);
    }
    let (rejected, ran) = save("rejected", &["--set", "spec.serviceName=other"]);
    assert_eq!(ran.code, 4, "{}", ran.err);
    let more: [(&[&str], &str); 7] = [
        (
            &["verify", ROLLOUT, "-f", ROLLOUT],
            "not a plan, but StatefulSet of apps/v1",
        ),
        (
            &["verify", &rejected, "-f", ROLLOUT],
            "contains a change that the API server rejects",
        ),
        (&["verify"], "<FILE>"),
        (
            &["verify", "a", "b", "-f", ROLLOUT],
            "unexpected argument 'b'",
        ),
        (
            &["verify", "-", "-f", "-"],
            "standard input can be read only once",
        ),
        (
            &["verify", &rejected, "-f", ROLLOUT, "--replicas", "3"],
            "unexpected argument '--replicas'",
        ),
        (
            &["verify", nonexistent!(), "-f", ROLLOUT],
            nonexistent!(": "),
        ),
    ];
    for (args, says) in more {
        let ran = run(args, "");
        assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{args:?}");
        assert!(ran.err.contains(says), "{says}: {}", ran.err);
    }
    let early = verify(
        &saved("early", &[]),
        &[],
        &["--now", "2026-11-21T11:00:00Z"],
    );
    assert_eq!(early.code, 1);
    assert!(early.err.contains("--now"), "{}", early.err);
}
