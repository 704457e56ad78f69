//! `INPUT INCOMPLETE`: only if something that exists is missing from the input.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::golden;
use crate::program;

/// The plan of a file with these flags.
fn plan(file: &str, args: &[&str]) -> Value {
    let usual = ["-f", file, "-o", "json", "--now", "2026-11-20T03:00:00Z"];
    let folder = golden::root().join("fixtures");
    let (_, out, error) = program::run_in(&folder, &[&usual[..], args].concat());
    serde_json::from_str(&out).unwrap_or_else(|_| panic!("{args:?}: {error}"))
}

fn missing(plan: &Value) -> Vec<&str> {
    let missing = plan["input"]["missing"].as_array().unwrap().iter();
    missing.map(|sentence| sentence.as_str().unwrap()).collect()
}

fn assumed(plan: &Value) -> String {
    plan["assumptions"].to_string()
}

/// `rollout.yaml` after a change, in the test's own file.
fn changed(test: &str, change: impl Fn(String) -> String) -> String {
    let text = fs::read_to_string(golden::root().join("fixtures/rollout.yaml")).unwrap();
    let name = format!("input-alarms-{test}.yaml");
    let file: PathBuf = [env!("CARGO_TARGET_TMPDIR"), &name].iter().collect();
    fs::write(&file, change(text)).unwrap();
    file.into_os_string().into_string().unwrap()
}

/// Removes one object from the list.
fn without(text: &str, kind: &str, name: &str) -> String {
    let objects: Vec<&str> = text.split("\n- apiVersion:").collect();
    let name = format!("\n    name: {name}\n");
    let kind = format!("\n  kind: {kind}\n");
    let is_it = |object: &&str| object.contains(&kind) && object.contains(&name);
    assert_eq!(objects.iter().filter(|object| is_it(object)).count(), 1);
    let kept: Vec<&str> = objects
        .into_iter()
        .filter(|object| !is_it(object))
        .collect();
    kept.join("\n- apiVersion:")
}

#[test]
fn a_replaced_set_lacks_nothing() {
    for delete in ["--delete", "--delete=orphan"] {
        let plan = plan("rollout.yaml", &["--apply", "rollout.yaml", delete]);
        assert_eq!(missing(&plan), [""; 0], "{delete}");
    }
    // A pod that the old set's status counts as ready is orphaned with the others, although the input lacks it.
    let gap = changed("replaced", |text| without(&text, "Pod", "web-1"));
    let plan = plan(&gap, &["--apply", "rollout.yaml", "--delete=orphan"]);
    assert_eq!(missing(&plan), [""; 0]);
    assert!(assumed(&plan).contains("pod web-1, which the input lacks, is ready"));
}

#[test]
fn a_pod_replaced_between_two_lists_is_no_alarm() {
    let rolling = |text: String| {
        let text = without(&text, "Pod", "web-2");
        text.replace(
            "updateRevision: web-8495f84c76",
            "updateRevision: web-5bd58868ff",
        )
    };
    let names = |text: String| text.replace("web-5bd58868ff", "web-8495f84c76");
    let one = changed("one", rolling);
    let told = plan(&one, &[]);
    assert!(
        !missing(&told)
            .iter()
            .any(|it| it.starts_with("status says 3")),
        "{told}"
    );
    let two = changed("two", |text| without(&rolling(text), "Pod", "web-1"));
    let told = plan(&two, &[]);
    assert_eq!(missing(&told)[0], "status says 3 pods, the input has 1");
    // At rest, no pod is created or deleted: the status counts one that was not read.
    let at_rest = changed("at-rest", |text| names(without(&text, "Pod", "web-2")));
    let told = plan(&at_rest, &[]);
    assert_eq!(missing(&told), [""; 0]);
    assert!(assumed(&told).contains("pod web-2, which the input lacks, is ready"));
}

#[test]
fn a_pod_of_another_owner_is_in_the_input() {
    let uid = "6f1d3c52-8a0e-4f57-9b1e-0c4d2a7e5b10";
    let given_away = changed("given-away", |text| {
        let (set, pods) = text.split_once("\n  kind: Pod\n").unwrap();
        format!("{set}\n  kind: Pod\n{}", pods.replacen(uid, "another", 1))
    });
    assert_eq!(missing(&plan(&given_away, &[])), [""; 0]);
}

/// The same file without its ControllerRevisions, as `kubectl get sts,pods,pvc -o yaml` prints it.
fn without_revisions(test: &str, file: &str) -> String {
    let text = fs::read_to_string(golden::root().join("fixtures").join(file)).unwrap();
    let mut list: Value = serde_yaml::from_str(&text).unwrap();
    let items = list["items"].as_array_mut().unwrap();
    items.retain(|item| item["kind"] != "ControllerRevision");
    let name = format!("input-alarms-{test}.json");
    let path: PathBuf = [env!("CARGO_TARGET_TMPDIR"), &name].iter().collect();
    fs::write(&path, list.to_string()).unwrap();
    path.into_os_string().into_string().unwrap()
}

#[test]
fn a_template_that_the_controller_has_observed_is_that_of_the_update_revision() {
    let whole = plan("partition.yaml", &[]);
    let told = plan(&without_revisions("partition", "partition.yaml"), &[]);
    assert_eq!(told["operations"], whole["operations"]);
    assert_eq!(told["revisions"]["update"], whole["revisions"]["update"]);
    let note =
        "ControllerRevision web-5bd58868ff, which the input lacks, has the template of the set";
    assert!(told["assumptions"].to_string().contains(note), "{told}");
    // The template of the other revision is unknown, and the plan creates no pod on it.
    let other = "the template of ControllerRevision web-8495f84c76, which the input lacks, differs";
    assert!(told["assumptions"].to_string().contains(other), "{told}");
    assert_eq!(missing(&told), [""; 0]);
    // A template that the controller has not observed may be a new one.
    let told = plan(&without_revisions("rollout", "rollout.yaml"), &[]);
    assert!(
        !told["assumptions"]
            .to_string()
            .contains("which the input lacks")
    );
}

#[test]
fn a_set_on_one_revision_needs_no_revisions_in_the_input() {
    let told = plan(&without_revisions("on-delete", "on-delete.yaml"), &[]);
    assert_eq!(missing(&told), [""; 0]);
    assert_eq!(told["analysis"]["verdict"], "waiting-for-user");
    let file = without_revisions("one-revision", "on-delete.yaml");
    let mut list: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let update = list["items"][0]["status"]["updateRevision"].clone();
    for item in list["items"].as_array_mut().unwrap() {
        match item["kind"].as_str() {
            Some("Pod") => item["metadata"]["labels"]["controller-revision-hash"] = update.clone(),
            Some("StatefulSet") => item["status"]["currentRevision"] = update.clone(),
            _ => {}
        }
    }
    fs::write(&file, list.to_string()).unwrap();
    let told = plan(&file, &[]);
    assert_eq!(missing(&told), [""; 0]);
    assert_eq!(told["operations"], serde_json::json!([]), "{told}");
}

#[test]
fn templates_are_not_called_equal_while_one_of_them_is_unknown() {
    let file = without_revisions("unknown-template", "crashloop.yaml");
    let mut list: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    // The failing pod is on the update revision.
    for item in list["items"].as_array_mut().unwrap() {
        if item["kind"] == "StatefulSet" {
            item["status"]["updateRevision"] = serde_json::json!("web-5bd58868ff");
        }
    }
    fs::write(&file, list.to_string()).unwrap();
    let told = plan(&file, &[])["outcome"]["blockedBy"][0].clone();
    assert_eq!(told["pod"], "web-2", "{told:#}");
    let said = told.to_string();
    assert!(!said.contains("is the same in both revisions"), "{told:#}");
    assert!(
        said.contains("the input lacks the template of the other one"),
        "{told:#}"
    );
}

/// The set as its manifest is in git, or as kubectl-neat prints it: it is the one that owns the pods beside it, and no pod is
/// called one of an earlier set, or offered for deletion.
#[test]
fn a_set_without_a_uid_is_the_one_that_owns_its_pods() {
    let with_revisions = plan("rollout.yaml", &[]);
    let file = changed("no-uid", |text| {
        let (before, set) = text.split_once("\n  kind: StatefulSet\n").unwrap();
        let mut lines: Vec<&str> = set.lines().collect();
        let uid = lines.iter().position(|line| line.starts_with("    uid: "));
        lines.remove(uid.unwrap());
        format!("{before}\n  kind: StatefulSet\n{}\n", lines.join("\n"))
    });
    let neat = plan(&file, &[]);
    assert!(
        assumed(&neat)
            .contains("the set, whose uid the input lacks, is the one that owns the pods"),
        "{neat}"
    );
    assert!(!neat.to_string().contains("earlier StatefulSet"), "{neat}");
    let pods = |plan: &Value| plan["steps"][0]["pod"].clone();
    assert_eq!(pods(&neat), pods(&with_revisions));
}
