//! A controller that does not run: its pods and its lease show it, and nothing is foretold to happen meanwhile.

use serde_json::{Value, json};
use test_kit::kv::{of, plan, serving, set};

/// kv with a change that no controller has observed.
fn changed() -> Vec<Value> {
    let mut objects = serving();
    of(&mut objects, "StatefulSet", "kv")["metadata"]["generation"] = json!(4);
    of(&mut objects, "StatefulSet", "kv")["spec"]["template"]["spec"]["containers"][0]["image"] =
        json!("kv:2");
    objects
}

fn manager(name: &str, is_ready: bool) -> Value {
    let (ready, state) = match is_ready {
        true => (
            "True",
            json!({"running": {"startedAt": "2026-11-20T00:00:00Z"}}),
        ),
        false => ("False", json!({"waiting": {"reason": "CrashLoopBackOff"}})),
    };
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "kube-system", "uid": name},
        "spec": {"nodeName": "cp-0", "containers": [{"name": "kube-controller-manager", "image": "k"}]},
        "status": {"phase": "Running",
            "conditions": [{"type": "Ready", "status": ready, "lastTransitionTime": "2026-11-21T11:00:00Z"}],
            "containerStatuses": [{"name": "kube-controller-manager", "ready": is_ready, "restartCount": 31, "state": state,
                "lastState": {"terminated": {"exitCode": 1, "reason": "Error", "finishedAt": "2026-11-21T11:57:00Z",
                    "message": "unknown flag: --pod-eviction-timeout"}}}]}})
}

fn lease(renewed: &str) -> Value {
    json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
        "metadata": {"name": "kube-controller-manager", "namespace": "kube-system"}, "spec": {"renewTime": renewed}})
}

fn headline(mut objects: Vec<Value>, more: &[Value]) -> String {
    objects.extend(more.iter().cloned());
    let report = plan(&objects);
    report["analysis"]["headline"].as_str().unwrap().to_owned()
}

#[test]
fn a_manager_without_a_ready_pod_or_with_an_expired_lease_does_not_act() {
    let crashes = [manager("kube-controller-manager-cp-0", false)];
    let told = headline(changed(), &crashes);
    let stopped = "BLOCKED 1h0m: the StatefulSet controller does not act: kube-controller-manager-cp-0 crash-loops: unknown flag";
    assert!(told.starts_with(stopped), "{told}");
    let expired = [lease("2026-11-21T10:00:00.000000Z")];
    let told = headline(changed(), &expired);
    assert!(
        told.starts_with("BLOCKED 2h0m: the StatefulSet controller does not act: kube-controller-manager does not renew its lease"),
        "{told}"
    );
    // A pod is missing, and the controller that would create it does not run.
    let mut missing = set(1, "OrderedReady", "kv-old");
    of(&mut missing, "StatefulSet", "kv")["status"]["replicas"] = json!(0);
    let told = headline(missing, &crashes);
    assert!(told.contains("does not act"), "{told}");
}

#[test]
fn a_manager_that_runs_elsewhere_or_has_nothing_to_do_is_no_obstacle() {
    let fresh = lease("2026-11-21T11:59:58.000000Z");
    let crashes = manager("kube-controller-manager-cp-0", false);
    for around in [
        vec![crashes.clone(), fresh],
        vec![
            crashes.clone(),
            manager("kube-controller-manager-cp-1", true),
        ],
    ] {
        let told = headline(changed(), &around);
        assert!(!told.contains("does not act"), "{told}");
    }
    let told = headline(serving(), &[crashes]);
    assert!(!told.contains("does not act"), "{told}");
}

#[test]
fn a_restart_that_no_revision_has_shows_how_old_the_change_is() {
    let mut objects = changed();
    let set = of(&mut objects, "StatefulSet", "kv");
    set["spec"]["template"]["metadata"]["annotations"] =
        json!({"kubectl.kubernetes.io/restartedAt": "2026-11-21T11:30:00Z"});
    let told = headline(objects.clone(), &[]);
    assert!(
        told.starts_with("BLOCKED 30m: the StatefulSet controller does not act"),
        "{told}"
    );
    // The restart was observed: the change after it may be a second old.
    let revision = of(&mut objects, "ControllerRevision", "kv-old");
    revision["data"]["spec"]["template"]["metadata"]["annotations"] =
        json!({"kubectl.kubernetes.io/restartedAt": "2026-11-21T11:30:00Z"});
    let told = headline(objects, &[]);
    assert!(!told.contains("does not act"), "{told}");
}
