//! One stuck pod with one cause after another: its verdict, the advice, and what the advice never contains.

use serde_json::{Value, json};

use test_kit::input::{Input, fixture, objects};
use test_kit::kv::{NOW, of};
use test_kit::told::told;

/// The set whose pod pg-2 crash-loops on the new revision, with one change.
fn changed(change: impl FnOnce(&mut Vec<Value>)) -> Vec<Value> {
    let mut items = objects(&fixture("trial/pg-crash.yaml"));
    change(&mut items);
    items
}

/// The sentences of the answer.
fn answer(items: &[Value]) -> String {
    told(&Input::of(items, NOW).report())
}

/// The first container of pg-2 waits for this reason, after it terminated for that one.
fn waits(items: &mut [Value], reason: &str, ended: Option<Value>) {
    let status = &mut of(items, "Pod", "pg-2")["status"]["containerStatuses"][0];
    status["state"] = json!({"waiting": {"reason": reason, "message": "back-off"}});
    status["lastState"] = ended.map_or(json!({}), |ended| json!({"terminated": ended}));
}

fn out_of_memory(items: &mut [Value]) {
    let ended = json!({"exitCode": 137, "reason": "OOMKilled"});
    waits(items, "CrashLoopBackOff", Some(ended));
}

/// Asserts that the answer contains all of `said` in this order, and nothing of `never`.
fn check(answer: &str, said: &[&str], never: &[&str]) {
    let mut rest = answer;
    for words in said {
        let at = rest.find(words);
        let at =
            at.unwrap_or_else(|| panic!("{words:?} is missing, or out of order, in\n{answer}"));
        rest = &rest[at + words.len()..];
    }
    for words in never {
        assert!(!answer.contains(words), "{words:?} is in\n{answer}");
    }
}

#[test]
fn a_container_at_its_memory_limit_gets_a_patch_of_the_limit() {
    let items = changed(|items| {
        let limits = json!({"memory": "1536Mi"});
        of(items, "Pod", "pg-2")["spec"]["containers"][0]["resources"]["limits"] = limits;
        out_of_memory(items);
    });
    check(
        &answer(&items),
        &[
            "BLOCKED 38m: pg-2 is OOMKilled on the new revision (postgres, limit 1536Mi, 17 restarts)",
            "Do:   if postgres needs more memory than its limit of 1536Mi (3Gi is twice that)",
            r#"kubectl patch sts pg -p '{"spec":{"template":{"spec":{"containers":[{"name":"postgres","resources":{"limits":{"memory":"3Gi"}}}]}}}}' -n db"#,
            "kubectl delete pod pg-2 -n db",
            "the rollout completes",
            "Or:",
            "rollout undo",
        ],
        &[],
    );
}

#[test]
fn a_container_without_a_limit_exhausts_its_node() {
    let items = changed(|items| out_of_memory(items));
    check(
        &answer(&items),
        &["Note: postgres has no memory limit, so its node ran out of memory"],
        &["limits"],
    );
}

#[test]
fn a_rollback_is_offered_for_an_image_only_if_the_image_differs() {
    let pulls = |items: &mut Vec<Value>| waits(items, "ImagePullBackOff", None);
    let differs = changed(pulls);
    let undo = [
        "pg-2 cannot pull its image",
        "rollout undo",
        "delete pod pg-2",
    ];
    check(&answer(&differs), &undo, &[]);
    let same = changed(|items| {
        pulls(items);
        for item in items
            .iter_mut()
            .filter(|item| item["kind"] == "ControllerRevision")
        {
            let template = &mut item["data"]["spec"]["template"];
            template["spec"]["containers"][0]["image"] = json!("postgres:16.6");
        }
    });
    let registry = ["pg-2 cannot pull its image", "check the registry"];
    check(&answer(&same), &registry, &["rollout undo", "apply -f"]);
}

#[test]
fn a_crashing_init_container_is_named_as_such() {
    let items = changed(|items| {
        waits(items, "PodInitializing", None);
        of(items, "Pod", "pg-2")["status"]["initContainerStatuses"] = json!([{
            "name": "init-chown",
            "restartCount": 9,
            "state": {"waiting": {"reason": "CrashLoopBackOff"}},
            "lastState": {"terminated": {"exitCode": 1, "reason": "Error"}},
        }]);
    });
    let said = [
        "(init container init-chown, exit 1, 9 restarts)",
        "kubectl logs pg-2 -c init-chown --previous",
    ];
    check(&answer(&items), &said, &[]);
}

/// pg-2 is gone. Its claim is being deleted, has this finalizer, and its volume has that reclaim policy.
fn without_claim(finalizer: &str, policy: &str) -> String {
    let items = changed(|items| {
        items.retain(|item| item["kind"] != "Pod" || item["metadata"]["name"] != "pg-2");
        let status = &mut of(items, "StatefulSet", "pg")["status"];
        status["replicas"] = json!(2);
        status["updatedReplicas"] = json!(0);
        let claim = of(items, "PersistentVolumeClaim", "pgdata-pg-2");
        claim["metadata"]["deletionTimestamp"] = json!("2026-11-21T11:30:00Z");
        claim["metadata"]["finalizers"] = json!([finalizer]);
        claim["spec"]["volumeName"] = json!("pv-2");
        items.push(json!({
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": {"name": "pv-2", "uid": "pv-2"},
            "spec": {"persistentVolumeReclaimPolicy": policy},
        }));
    });
    answer(&items)
}

#[test]
fn a_terminating_claim_reports_its_volume_first() {
    check(
        &without_claim("example.com/backup", "Delete"),
        &[
            "BLOCKED 30m: pg-2 is waiting for its claim pgdata-pg-2, which is being deleted",
            "its data are deleted with it (reclaim policy Delete); to keep them: kubectl patch pv pv-2 -p",
            "pgdata-pg-2 is removed once the controllers behind example.com/backup finish",
        ],
        &["finalizers\":null", "do not remove the finalizers"],
    );
    check(
        &without_claim("example.com/backup", "Retain"),
        &["the volume of pgdata-pg-2 is kept (reclaim policy Retain)"],
        &["are deleted with it"],
    );
}

#[test]
fn the_risk_of_removing_finalizers_precedes_the_command() {
    let items = changed(|items| {
        let meta = &mut of(items, "Pod", "pg-2")["metadata"];
        meta["deletionTimestamp"] = json!("2026-11-21T11:30:00Z");
        meta["deletionGracePeriodSeconds"] = json!(120);
        meta["finalizers"] = json!(["example.com/drain"]);
    });
    check(
        &answer(&items),
        &[
            "STUCK for 30m: pg-2 is terminating, held by its finalizers (example.com/drain)",
            "risk: skips the cleanup behind the finalizers of pg-2",
            "finalizers\":null",
            "pg-2 is removed once the controllers behind example.com/drain finish",
        ],
        &["rollout undo", "--force"],
    );
}

/// The taint has no effect before 1.26. From 1.26 on, the version is not mentioned if it is known.
#[test]
fn a_node_is_tainted_only_if_the_version_supports_the_taint() {
    let objects = objects(&fixture("trial/pg-nodelost.yaml"));
    let run = |version: &str| told(&Input::of(&objects, NOW).version(version).report());
    let node = "node ip-10-0-1-17.ec2.internal";
    check(
        &run("1.36"),
        &["Do:", &format!("if {node} is shut down\n"), "taint"],
        &["1.26"],
    );
    check(
        &run("1.25"),
        &["Do:", &format!("if {node} is gone for good")],
        &["taint"],
    );
}

#[test]
fn a_refused_deletion_waits_for_the_api_server() {
    let items = changed(|items| {
        let status = of(items, "Pod", "pg-1")["status"].clone();
        let pod = of(items, "Pod", "pg-2");
        pod["status"] = status;
        pod["metadata"]["labels"]["controller-revision-hash"] = json!("pg-aaaa1111aa");
        items.push(json!({"apiVersion": "v1", "kind": "Event",
            "metadata": {"name": "refused", "namespace": "db"},
            "involvedObject": {"kind": "StatefulSet", "namespace": "db", "name": "pg"},
            "type": "Warning", "reason": "FailedDelete", "count": 31, "lastTimestamp": "2026-11-21T11:58:00Z",
            "message": "delete Pod pg-2 in StatefulSet pg failed error: admission webhook \"guard\" denied the request"}));
    });
    check(
        &answer(&items),
        &[
            "BLOCKED",
            "pg-2 cannot be deleted: admission webhook",
            "Look:",
            "once the API server allows the deletion of pg-2: ",
        ],
        &["once pg-2 is ready"],
    );
}
