//! Facts behind a refusal: the pods that use a quota, the containers that a webhook adds, the constraints of OpenShift, and the
//! age of a token.

use serde_json::{Value, json};
use test_kit::kv::{DAY, event, not_ready, of, plan, serving, status, waits};

fn fix(objects: &[Value]) -> String {
    let report = plan(objects);
    let fix = report["outcome"]["blockedBy"][0]["fix"].as_str();
    fix.unwrap_or_default().to_owned()
}

/// kv-2 cannot be created.
fn refused(message: &str) -> Vec<Value> {
    let mut objects = serving();
    objects.retain(|it| it["kind"] != "Pod" || it["metadata"]["name"] != "kv-2");
    let words = format!(
        "create Pod kv-2 in StatefulSet kv failed error: pods \"kv-2\" is forbidden: {message}"
    );
    objects.push(event("StatefulSet", "kv", "FailedCreate", &words));
    objects
}

#[test]
fn the_pods_that_use_most_of_a_quota_are_named() {
    let with = |scopes: Value, phase: &str| {
        let mut objects = refused(
            "exceeded quota: q, requested: requests.memory=8Gi, used: requests.memory=58Gi, limited: requests.memory=64Gi",
        );
        objects.push(json!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q", "namespace": "prod"},
            "spec": {"hard": {"requests.memory": "64Gi"}, "scopes": scopes},
            "status": {"hard": {"requests.memory": "64Gi"}, "used": {"requests.memory": "58Gi"}}}));
        for (name, memory) in [("fill-1", "18Gi"), ("fill-2", "30Gi"), ("small-1", "1Gi")] {
            objects.push(json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "prod", "uid": name,
                "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "fill", "uid": "j", "controller": true}]},
                "spec": {"containers": [{"name": "c", "image": "c", "resources": {"requests": {"memory": memory}}}]},
                "status": {"phase": phase}}));
        }
        fix(&objects)
    };
    let told = with(json!([]), "Running");
    assert!(
        told.contains(
            "use most of it, if it may: fill-2 (30Gi, Job fill), fill-1 (18Gi, Job fill); or raise"
        ),
        "{told}"
    );
    for other in [
        with(json!([]), "Succeeded"),
        with(json!(["NotTerminating"]), "Running"),
    ] {
        assert!(!other.contains("fill"), "{other}");
    }
}

#[test]
fn a_container_that_a_webhook_adds_is_set_where_it_comes_from() {
    let by_quota = |name: &str| {
        fix(&refused(&format!(
            "failed quota: q: must specify limits.cpu for: {name}; limits.memory for: {name}"
        )))
    };
    let known = by_quota("vault-agent");
    assert!(
        known.contains("annotations vault.hashicorp.com/agent-limits-cpu"),
        "{known}"
    );
    let unknown = by_quota("shipper");
    assert!(
        unknown.starts_with("container shipper is not in the template: a webhook adds it"),
        "{unknown}"
    );
    let own = by_quota("kv");
    assert!(!own.contains("webhook"), "{own}");
    let policy = fix(&refused(
        "[limits] container <istio-proxy> has no resource limits",
    ));
    assert!(
        policy.contains("sidecar.istio.io/proxyCPULimit"),
        "{policy}"
    );
}

#[test]
fn the_constraints_of_an_account_are_told_with_the_command_that_widens_them() {
    let message = "unable to validate against any security context constraint: [provider restricted-v2: \
        .containers[0].runAsUser: Invalid value: 1001: must be in the ranges: [1, 2], provider \"nonroot-v2\": Forbidden: not \
        usable by user or serviceaccount]";
    let with = |account: Value| {
        let mut objects = refused(message);
        of(&mut objects, "StatefulSet", "kv")["spec"]["template"]["spec"]["serviceAccountName"] =
            account;
        fix(&objects)
    };
    let told = with(json!("kv"));
    assert!(
        told.starts_with("restricted-v2 does not allow containers[0].runAsUser 1001 (must be in the ranges: [1, 2])"),
        "{told}"
    );
    assert!(
        told.ends_with("oc adm policy add-scc-to-user nonroot-v2 -z kv -n prod"),
        "{told}"
    );
    let default = with(Value::Null);
    assert!(!default.contains("-z"), "{default}");
}

#[test]
fn a_pull_secret_that_is_older_than_its_token_is_told() {
    let with = |host: &str, written: &str| {
        let words = format!(
            "Back-off pulling image \"kv:1\": ErrImagePull: HEAD https://{host}/v2/kv/manifests/1: 403 Forbidden"
        );
        let mut objects = status(not_ready(
            "Pending",
            waits("ImagePullBackOff", &words),
            0,
            0,
        ));
        of(&mut objects, "Pod", "kv-2")["spec"]["imagePullSecrets"] = json!([{"name": "pull"}]);
        objects.push(json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "pull", "namespace": "prod",
            "creationTimestamp": DAY, "managedFields": [{"manager": "kubectl", "operation": "Update", "time": written}]}}));
        objects.push(
            json!({"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "ecr-refresh",
            "namespace": "prod"}, "spec": {"suspend": true}}),
        );
        fix(&objects)
    };
    let ecr = "1.dkr.ecr.eu-west-1.amazonaws.com";
    let told = with(ecr, "2026-11-20T10:00:00Z");
    assert!(
        told.starts_with("Secret pull was written 1d2h ago by kubectl (CronJob ecr-refresh is suspended), and a token"),
        "{told}"
    );
    for other in [
        with(ecr, "2026-11-21T08:00:00Z"),
        with("reg.example", "2026-11-20T10:00:00Z"),
    ] {
        assert!(!other.contains("12 hours: write"), "{other}");
    }
}
