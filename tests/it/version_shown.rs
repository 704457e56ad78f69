//! The version of the controller if nobody tells it: what the objects of files show of the control plane.

use serde_json::{Value, json};
use test_kit::kv::{node, pod, set};

use crate::program::run_on;

/// A set that is up to date, on nodes with these kubelets.
fn on_kubelets(kubelets: &[&str]) -> Vec<Value> {
    let mut objects = set(2, "OrderedReady", "kv-old");
    let day = "2026-11-20T00:00:00Z";
    for ordinal in 0..2 {
        objects.extend(pod(ordinal, "kv-old", day, "2026-11-20T00:00:20Z", "n0"));
    }
    for (at, kubelet) in kubelets.iter().enumerate() {
        let mut node = node(&format!("n{at}"), "a", true);
        node["status"]["nodeInfo"] = json!({"kubeletVersion": kubelet});
        objects.push(node);
    }
    objects
}

fn kubernetes(objects: &[Value], args: &[&str]) -> (Value, Value) {
    let (_, out, _) = run_on(objects, &[&["-o", "json"], args].concat());
    let report: Value = serde_json::from_str(&out).unwrap();
    let kubernetes = &report["kubernetes"];
    (kubernetes["version"].clone(), kubernetes["source"].clone())
}

#[test]
fn files_with_nodes_are_planned_with_the_minor_of_their_newest_kubelet() {
    let objects = on_kubelets(&["v1.33.9", "v1.35.1-gke.100"]);
    assert_eq!(
        kubernetes(&objects, &[]),
        (json!("1.35"), json!("kubelets"))
    );
    let (_, screen, _) = run_on(&objects, &[]);
    assert!(screen.contains("Kubernetes 1.35 (kubelets)"), "{screen}");
    let assumed = "Kubernetes 1.35 or newer (kubelets)";
    assert!(screen.contains(assumed), "{screen}");
}

#[test]
fn a_version_that_is_told_counts_before_the_kubelets() {
    let objects = on_kubelets(&["v1.34.2"]);
    let told = kubernetes(&objects, &["--kubernetes-version", "1.30"]);
    assert_eq!(told, (json!("1.30"), json!("flag")));
}

#[test]
fn revisions_that_old_controllers_do_not_write_show_a_newer_one() {
    let mut objects = on_kubelets(&["v1.31.4"]);
    assert_eq!(
        kubernetes(&objects, &[]),
        (json!("1.34"), json!("revisions"))
    );
    for object in &mut objects {
        if object["kind"] == "ControllerRevision" {
            object["data"]["spec"]["template"]["metadata"]["creationTimestamp"] = Value::Null;
        }
    }
    assert_eq!(
        kubernetes(&objects, &[]),
        (json!("1.31"), json!("kubelets"))
    );
}

#[test]
fn without_a_kubelet_the_newest_version_is_the_default() {
    let (_, source) = kubernetes(&on_kubelets(&[]), &[]);
    assert_eq!(source, "default");
    let (_, source) = kubernetes(&on_kubelets(&["unknown"]), &[]);
    assert_eq!(source, "default");
}

#[test]
fn an_upgrade_does_not_begin_at_a_version_that_only_kubelets_show() {
    let (code, _, error) = run_on(&on_kubelets(&["v1.34.2"]), &["--upgrade-to", "1.36"]);
    assert!(
        code != 0 && error.contains("--kubernetes-version"),
        "{error}"
    );
}
