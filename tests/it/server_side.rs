//! `--server-side`: field ownership decides what an apply changes, and what it may not change.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::golden;
use crate::program;

const NOW: [&str; 2] = ["--now", "2026-11-23T08:00:00Z"];
/// The manager that applied the stored set.
const FLUX: [&str; 3] = ["--server-side", "--field-manager", "kustomize-controller"];

fn fixture(name: &str) -> String {
    let path = golden::root().join(format!("fixtures/server-side/{name}.json"));
    path.to_str().unwrap().to_owned()
}

fn read(name: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(fixture(name)).unwrap()).unwrap()
}

/// A file with the manifest of the set after `change`.
fn manifest(test: &str, change: impl FnOnce(&mut Value)) -> String {
    let mut manifest = read("manifest");
    change(&mut manifest);
    written(test, &manifest)
}

fn written(test: &str, object: &Value) -> String {
    let folder = program::folder("server-side");
    let file: PathBuf = folder.join(format!("{test}.json"));
    fs::write(&file, object.to_string()).unwrap();
    file.to_str().unwrap().to_owned()
}

fn replicas(count: i64) -> impl FnOnce(&mut Value) {
    move |manifest| manifest["spec"]["replicas"] = count.into()
}

/// The stored set, scaled by another manager.
fn scaled() -> Value {
    let mut cluster = read("cluster");
    let set = &mut cluster["items"][0];
    let managers = set["metadata"]["managedFields"].as_array_mut().unwrap();
    managers[0]["fieldsV1"]["f:spec"]
        .as_object_mut()
        .unwrap()
        .remove("f:replicas");
    managers.push(json!({
        "manager": "kube-controller-manager", "operation": "Update", "apiVersion": "apps/v1",
        "time": "2026-11-20T10:00:00Z", "fieldsType": "FieldsV1", "subresource": "scale",
        "fieldsV1": {"f:spec": {"f:replicas": {}}},
    }));
    cluster
}

fn run(cluster: &str, args: &[&str]) -> (i32, String, String) {
    let args = [&["-f", cluster][..], &NOW, args].concat();
    program::run(&args)
}

fn plan(cluster: &str, args: &[&str]) -> (i32, Value) {
    let (code, out, err) = run(cluster, &[args, &["-o", "json"]].concat());
    let plan = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{args:?}: {err}"));
    (code, plan)
}

/// The change of a field that left the manifest.
const PROBE: (&str, &str) = ("spec.template.spec.containers[0].readinessProbe", "rollout");

/// The changed paths with their effects; the parts of the probe as one.
fn changes(plan: &Value) -> Vec<(&str, &str)> {
    let changes = plan["change"].as_array().unwrap().iter();
    let mut changes: Vec<(&str, &str)> = changes
        .map(|change| {
            let path = change["path"].as_str().unwrap();
            let part = path.starts_with(PROBE.0);
            let path = if part { PROBE.0 } else { path };
            (path, change["effect"].as_str().unwrap())
        })
        .collect();
    changes.dedup();
    changes
}

#[test]
fn a_field_that_left_the_manifest_is_removed_with_its_only_owner() {
    let (cluster, file) = (fixture("cluster"), fixture("manifest"));
    let apply = ["--apply", &*file];
    let (code, plan_of_owner) = plan(&cluster, &[&apply[..], &FLUX].concat());
    assert_eq!(code, 0);
    assert_eq!(changes(&plan_of_owner), [PROBE]);
    // Another manager has never owned it, and shares equal values.
    let (code, plan_of_other) = plan(&cluster, &[&apply[..], &["--server-side"]].concat());
    assert_eq!((code, changes(&plan_of_other)), (0, Vec::new()));
}

#[test]
fn a_conflict_rejects_the_plan_and_names_the_owner() {
    let cluster = written("scaled", &scaled());
    let file = manifest("conflict", replicas(5));
    let args = [&["--apply", &*file][..], &FLUX].concat();
    let (code, found) = plan(&cluster, &args);
    assert_eq!(code, 4);
    assert_eq!(found["outcome"]["result"], "rejected");
    let change = &found["change"][0];
    assert_eq!(change["path"], "spec.replicas");
    assert_eq!((&change["old"], &change["new"]), (&json!(3), &json!(5)));
    assert_eq!(change["effect"], "rejected");
    assert_eq!(change["rejection"], "conflict");
    let obstacle = &found["outcome"]["blockedBy"][0];
    assert_eq!(obstacle["reason"], "Conflict");
    let conflict = &obstacle["conflict"];
    assert_eq!(conflict["field"], ".spec.replicas");
    assert_eq!(conflict["manager"], "kube-controller-manager");
    assert_eq!(conflict["operation"], "Update");
    assert_eq!(conflict["subresource"], "scale");
    assert_eq!(conflict["since"], "2026-11-20T10:00:00Z");
    let choices = conflict["choices"].as_array().unwrap().iter();
    let choices: Vec<&str> = choices
        .map(|choice| choice["choice"].as_str().unwrap())
        .collect();
    assert_eq!(choices, ["omit", "share", "force"]);
    let words = "Apply failed with 1 conflict: conflict with \"kube-controller-manager\" with subresource \"scale\" \
                 using apps/v1: .spec.replicas";
    assert_eq!(found["analysis"]["headline"], format!("REJECTED: {words}"));

    // Without a gate, every format shows the owner, the time and the choices.
    for format in [
        "table", "wide", "markdown", "html", "github", "sarif", "junit", "yaml",
    ] {
        let (code, out, err) = run(&cluster, &[&args[..], &["-o", format]].concat());
        assert_eq!(code, 4, "{format}: {err}");
        for text in [
            "kube-controller-manager",
            "2026-11-20T10:00:00Z",
            "--force-conflicts",
        ] {
            assert!(out.contains(text), "{format} lacks {text}: {out}");
        }
    }
}

#[test]
fn several_conflicts_are_counted() {
    let file = manifest("several", |manifest| {
        manifest["spec"]["replicas"] = 5.into();
        manifest["spec"]["template"]["spec"]["containers"][0]["image"] = "other:1".into();
    });
    let args = ["--apply", &*file, "--server-side"];
    let (code, found) = plan(&fixture("cluster"), &args);
    assert_eq!(code, 4);
    let headline = found["analysis"]["headline"].as_str().unwrap();
    assert!(
        headline.starts_with("REJECTED: Apply failed with 2 conflicts: ")
            && headline.ends_with(" (and 1 more)"),
        "{headline}"
    );
    assert_eq!(
        changes(&found),
        [
            ("spec.replicas", "rejected"),
            ("spec.template.spec.containers[0].image", "rejected"),
        ]
    );
    // The choices are printed once for all fields of a manager.
    let obstacles = found["outcome"]["blockedBy"].as_array().unwrap();
    assert_eq!(obstacles[0]["cautions"].as_array().unwrap().len(), 3);
    assert_eq!(obstacles[1].get("cautions"), None);
    assert_eq!(
        obstacles[1]["conflict"]["choices"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
}

#[test]
fn a_conflict_is_solved_by_omitting_sharing_or_forcing_the_field() {
    let cluster = written("ways-cluster", &scaled());
    let omitted = manifest("omitted", |manifest| {
        manifest["spec"].as_object_mut().unwrap().remove("replicas");
    });
    let shared = manifest("shared", replicas(3));
    let taken = manifest("taken", replicas(5));
    for (file, force, changed) in [
        (omitted, false, vec![PROBE]),
        (shared, false, vec![PROBE]),
        (taken, true, vec![("spec.replicas", "scale"), PROBE]),
    ] {
        let mut args = [&["--apply", &*file][..], &FLUX].concat();
        if force {
            args.push("--force-conflicts");
        }
        let (code, found) = plan(&cluster, &args);
        assert_eq!((code, changes(&found)), (0, changed), "{file}");
    }
}

#[test]
fn the_manifest_is_piped() {
    let text = fs::read_to_string(fixture("manifest")).unwrap();
    let cluster = fixture("cluster");
    let args = [&["-f", &*cluster][..], &NOW, &FLUX, &["-o", "json"]].concat();
    let (code, out, err) = program::feed(&args, &text);
    assert_eq!(code, 0, "{err}");
    let plan: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(changes(&plan), [PROBE]);
}

#[test]
fn a_set_without_managed_fields_is_an_error() {
    let mut cluster = read("cluster");
    cluster["items"][0]["metadata"]
        .as_object_mut()
        .unwrap()
        .remove("managedFields");
    let cluster = written("unmanaged", &cluster);
    let file = fixture("manifest");
    let (code, _, err) = run(&cluster, &["--apply", &file, "--server-side"]);
    assert_eq!(code, 1, "{err}");
    assert!(err.contains("no managedFields"), "{err}");
    assert!(err.contains("--show-managed-fields"), "{err}");
    // Without the flag, nothing requires managedFields, and a set that is not stored has none.
    assert_eq!(run(&cluster, &["--apply", &file]).0, 0);
    let other = manifest("new-set", |manifest| {
        manifest["metadata"]["name"] = "api".into()
    });
    let (code, out, err) = run(&cluster, &["--apply", &other, "--server-side"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("3 to create"), "{out}");
}

#[test]
fn a_manifest_of_the_wrong_type_is_rejected_with_the_servers_message() {
    let cluster = fixture("cluster");
    let twice = manifest("twice", |manifest| {
        let containers = &mut manifest["spec"]["template"]["spec"]["containers"];
        let again = containers[0].clone();
        containers.as_array_mut().unwrap().push(again);
    });
    let wrong = manifest("wrong", |manifest| {
        manifest["metadata"]["managedFields"] = json!([{"manager": "me", "operation": "Apply"}]);
    });
    for (file, says) in [
        (
            twice,
            "failed to create typed patch object (prod/web; apps/v1, Kind=StatefulSet)",
        ),
        (wrong, "metadata.managedFields must be nil"),
    ] {
        let (code, found) = plan(&cluster, &["--apply", &file, "--server-side"]);
        assert_eq!(code, 4, "{file}");
        let headline = found["analysis"]["headline"].as_str().unwrap();
        assert!(headline.contains(says), "{headline}");
    }
}

#[test]
fn a_set_that_is_deleted_first_has_no_owners() {
    let cluster = written("recreated", &scaled());
    let file = manifest("recreate", |manifest| {
        manifest["spec"]["replicas"] = 5.into();
        manifest["spec"]["podManagementPolicy"] = "Parallel".into();
    });
    let args = [
        &["--apply", &*file, "--delete=orphan"][..],
        &FLUX,
        &["--kubernetes-version", "1.36"],
    ]
    .concat();
    let (code, found) = plan(&cluster, &args);
    assert_eq!(code, 0, "{found}");
    let paths: Vec<&str> = changes(&found).into_iter().map(|(path, _)| path).collect();
    for path in ["spec.podManagementPolicy", "spec.replicas"] {
        assert!(paths.contains(&path), "{paths:?}");
    }
}

#[test]
fn flags_of_server_side_apply_need_it() {
    let (cluster, file) = (fixture("cluster"), fixture("manifest"));
    for flag in [&["--field-manager", "me"][..], &["--force-conflicts"]] {
        let args = [&["--apply", &*file][..], flag].concat();
        let (code, _, err) = run(&cluster, &args);
        assert_eq!(code, 1, "{err}");
        assert!(err.contains("requires --server-side"), "{err}");
    }
    for name in ["", "a\tb", &"m".repeat(129)] {
        let args = ["--apply", &*file, "--server-side", "--field-manager", name];
        let (code, _, err) = run(&cluster, &args);
        assert_eq!(code, 1, "{name:?}: {err}");
        assert!(err.contains("manager"), "{err}");
    }
}

#[test]
fn a_policy_says_how_manifests_are_applied() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("server-side-policy");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join(".git")).unwrap();
    let cluster = folder.join("cluster.json");
    fs::write(&cluster, scaled().to_string()).unwrap();
    let file = manifest("policy", replicas(5));
    let policy = |text: &str| fs::write(folder.join(".sts-plan.yaml"), text).unwrap();
    let cluster = cluster.to_str().unwrap();
    let apply = ["--apply", &*file];

    policy("server-side: true\nfield-manager: kustomize-controller\n");
    assert_eq!(run(cluster, &apply).0, 4);
    // A flag overrides its key, and no manifest is read from standard input.
    assert_eq!(
        run(cluster, &[&apply[..], &["--server-side=false"]].concat()).0,
        0
    );
    assert_eq!(
        run(cluster, &[&apply[..], &["--force-conflicts"]].concat()).0,
        0
    );
    assert_eq!(run(cluster, &[]).0, 0);
    policy("server-side: true\nfield-manager: kustomize-controller\nforce-conflicts: true\n");
    assert_eq!(run(cluster, &apply).0, 0);
    policy("field-manager: ''\n");
    let (code, _, err) = run(cluster, &apply);
    assert!(
        code == 1 && err.contains("requires a field manager"),
        "{err}"
    );
}

/// The findings of these rules, by id and message.
fn found(plan: &Value, ids: &[&str]) -> Vec<(String, String)> {
    let findings = plan["findings"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    findings
        .map(|finding| (text(&finding["id"]), text(&finding["message"])))
        .filter(|(id, _)| ids.contains(&&**id))
        .collect()
}

#[test]
fn a_client_side_apply_names_the_fields_of_a_server_side_apply_that_stay() {
    let (cluster, file) = (fixture("cluster"), fixture("manifest"));
    let says = |args: &[&str]| {
        let args = [&["--apply", &*file][..], args].concat();
        found(&plan(&cluster, &args).1, &["STS046"])
    };
    let [(_, message)] = &says(&[])[..] else {
        panic!("one finding is expected");
    };
    assert!(
        message.starts_with(&format!("{} is not in the manifest but stays", PROBE.0))
            && message.ends_with("--field-manager kustomize-controller"),
        "{message}"
    );
    assert_eq!(says(&FLUX), []);
    // Nothing has left this manifest.
    let mut whole = read("cluster")["items"][0].clone();
    for member in [
        "managedFields",
        "uid",
        "resourceVersion",
        "creationTimestamp",
        "generation",
    ] {
        whole["metadata"].as_object_mut().unwrap().remove(member);
    }
    let whole = written("whole", &whole);
    let (_, plan) = plan(&cluster, &["--apply", &whole]);
    assert_eq!(found(&plan, &["STS046"]), []);
}

#[test]
fn a_change_of_a_field_of_another_manager_says_so() {
    let cluster = written("owned", &scaled());
    let file = manifest("owned-manifest", replicas(5));
    let scale =
        "kube-controller-manager owns spec.replicas since 2026-11-20T10:00:00Z and may revert it";
    let image = "kustomize-controller owns spec.template.spec.containers[0].image since 2026-11-17T03:00:00Z and may \
                 revert it";
    for (args, says) in [
        (&["--replicas", "5"][..], vec![scale]),
        (&["--image", "app=other:1"], vec![image]),
        (&["--partition", "1"], vec![]),
        // The manager that created the set owns its manifest.
        (&["--apply", &file], vec![scale]),
        (
            &[
                "--apply",
                &file,
                "--server-side",
                "--field-manager",
                "kustomize-controller",
                "--force-conflicts",
            ],
            vec![scale],
        ),
    ] {
        let (code, plan) = plan(&cluster, args);
        assert_eq!(code, 0);
        let found = found(&plan, &["STS045"]);
        let messages: Vec<&str> = found.iter().map(|(_, message)| &**message).collect();
        assert_eq!(messages, says, "{args:?}");
    }
}
