//! Unrelated pods next to a set: no format mentions them.

use crate::golden;
use crate::program;

fn planned(input: &str, args: &[&str]) -> (i32, String) {
    let usual = ["-f", "-", "--now", "2026-11-20T03:00:00Z"];
    let (code, out, _) = program::feed(&[&usual[..], args].concat(), input);
    (code, out)
}

/// A pod that has not started, with these lines in its metadata.
fn waiting_pod(name: &str, metadata: &str) -> String {
    format!(
        "---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: {name}\n  namespace: prod\n  labels: {{app: web}}\n{metadata}\
         spec:\n  containers: [{{name: app, image: busybox}}]\nstatus: {{phase: Pending}}\n"
    )
}

const STORED: &str =
    "  uid: 0d1f7a4e-5b2c-4a77-9d6f-2f1f6a6f0c11\n  creationTimestamp: \"2026-11-20T02:59:00Z\"\n";

#[test]
fn a_pod_without_an_owner_changes_no_plan() {
    let rollout = std::fs::read_to_string(golden::root().join("fixtures/rollout.yaml")).unwrap();
    let stranger = waiting_pod("web-test", STORED);
    let finished = stranger
        .replace("Pending", "Succeeded")
        .replace("web-test", "web-job-x7k2p");
    for format in [
        "table", "wide", "json", "markdown", "html", "summary", "junit",
    ] {
        let alone = planned(&rollout, &["-o", format]);
        let among = planned(&format!("{rollout}{stranger}{finished}"), &["-o", format]);
        assert_eq!(alone, among, "{format}");
    }
}

#[test]
fn a_foreign_pod_with_a_claim_of_the_set_is_not_in_its_plan() {
    let rollout = std::fs::read_to_string(golden::root().join("fixtures/rollout.yaml")).unwrap();
    let claim =
        "spec:\n  volumes: [{name: data, persistentVolumeClaim: {claimName: data-web-0}}]\n";
    let debug = waiting_pod("debug", STORED).replace("spec:\n", claim);
    let among = planned(&format!("{rollout}{debug}"), &["-o", "json"]);
    let alone = planned(&rollout, &["-o", "json"]);
    assert_eq!(among, alone);
}

#[test]
fn a_helm_test_pod_does_not_belong_to_the_release() {
    let set = "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: web, namespace: prod}\nspec:\n  serviceName: web\n  \
               replicas: 3\n  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n    \
               spec: {containers: [{name: app, image: nginx:1.27}]}\n";
    // The set uses the same name, so nothing else distinguishes the pod from one that blocks the set.
    let hook = waiting_pod("web-1", "  annotations: {helm.sh/hook: test}\n");
    let other = waiting_pod("web-1", "");
    let plan = |input: &str| planned(input, &["-o", "json"]).1;
    let alone = plan(set);
    assert_eq!(plan(&format!("{set}{hook}")), alone);
    assert_ne!(plan(&format!("{set}{other}")), alone);
}
