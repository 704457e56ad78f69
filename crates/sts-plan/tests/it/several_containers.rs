//! Pods of which several containers fail: each is named with what it needs, and no remedy of one promises that the pod
//! becomes ready.

use serde_json::{Value, json};
use test_kit::kv::{DAY, event, of, plan, status, waits};

const NOT_FOUND: &str = "Readiness probe failed: HTTP probe failed with statuscode: 404";

/// The pod's container is not ready with this report of its probe, beside an exporter in this state.
fn beside(report: Option<&str>, exporter: Value) -> Value {
    plan(&objects_beside(report, exporter))["outcome"]["blockedBy"][0].clone()
}

/// The objects of such a pod.
fn objects_beside(report: Option<&str>, exporter: Value) -> Vec<Value> {
    let mut objects = status(json!({"phase": "Running", "conditions": [
        {"type": "PodScheduled", "status": "True"},
        {"type": "Ready", "status": "False", "lastTransitionTime": "2026-11-21T11:20:00Z"}]}));
    let container = json!({"name": "exporter", "image": "exporter:1",
        "resources": {"limits": {"memory": "32Mi"}}});
    for it in &mut objects {
        let spec = match it["kind"].as_str() {
            Some("ControllerRevision") => &mut it["data"]["spec"]["template"]["spec"],
            Some("StatefulSet") => &mut it["spec"]["template"]["spec"],
            Some("Pod") => &mut it["spec"],
            _ => continue,
        };
        spec["containers"]
            .as_array_mut()
            .unwrap()
            .push(container.clone());
    }
    of(&mut objects, "Pod", "kv-2")["status"]["containerStatuses"] = json!([
        {"name": "kv", "ready": report.is_none(), "restartCount": 0,
            "state": {"running": {"startedAt": DAY}}},
        exporter]);
    objects.extend(report.map(|report| {
        let mut event = event("Pod", "kv-2", "Unhealthy", report);
        event["involvedObject"]["fieldPath"] = json!("spec.containers{kv}");
        event
    }));
    objects
}

fn out_of_memory() -> Value {
    let ended = json!({"terminated": {"exitCode": 137, "reason": "OOMKilled", "finishedAt": DAY}});
    json!({"name": "exporter", "ready": false, "restartCount": 9, "lastState": ended,
        "state": waits("CrashLoopBackOff", "back-off 5m0s")})
}

fn unpulled() -> Value {
    json!({"name": "exporter", "ready": false, "restartCount": 0,
        "state": waits("ImagePullBackOff", "Back-off pulling image \"exporter:1\": exporter:1: not found")})
}

#[test]
fn a_running_container_with_a_failing_probe_stands_beside_one_that_waits() {
    for (exporter, of_exporter) in [
        (
            out_of_memory(),
            "for exporter: raise resources.limits.memory",
        ),
        (unpulled(), "for exporter: push the image"),
    ] {
        let found = beside(Some(NOT_FOUND), exporter);
        let message = found["message"].as_str().unwrap();
        let said = "and kv is not ready: the service does not have the path of the readiness probe";
        assert!(message.contains(said), "{message}");
        let fix = found["fix"].as_str().unwrap();
        for said in [
            of_exporter,
            "; for kv: correct path and port of the readinessProbe",
        ] {
            assert!(fix.contains(said), "{fix}");
        }
        // More memory does not help the probe.
        let remedies = found["remedies"].to_string();
        assert!(!remedies.contains("kubectl patch"), "{remedies}");
    }
}

#[test]
fn a_probe_that_is_not_recognized_is_quoted() {
    let found = beside(
        Some("Readiness probe failed: no leader here yet"),
        out_of_memory(),
    );
    let message = found["message"].as_str().unwrap();
    assert!(message.contains("and kv is not ready: "), "{message}");
}

#[test]
fn one_failing_container_keeps_its_remedy() {
    let found = beside(None, out_of_memory());
    let remedies = found["remedies"].to_string();
    assert!(remedies.contains("kubectl patch"), "{remedies}");
    let fix = found["fix"].as_str().unwrap();
    assert!(!fix.contains("for exporter"), "{fix}");
}

/// The exporter crash-loops with this termination message, beside a container whose probe fails.
fn crashing(message: &str) -> String {
    let ended = json!({"terminated": {"exitCode": 1, "reason": "Error", "finishedAt": DAY, "message": message}});
    let exporter = json!({"name": "exporter", "ready": false, "restartCount": 9, "lastState": ended,
        "state": waits("CrashLoopBackOff", "back-off 5m0s")});
    let mut main = exporter.clone();
    main["name"] = json!("kv");
    main["lastState"]["terminated"]["message"] = json!("lookup db.prod.svc: no such host");
    let mut objects = status(json!({"phase": "Running", "conditions": [
        {"type": "PodScheduled", "status": "True"},
        {"type": "Ready", "status": "False", "lastTransitionTime": "2026-11-21T11:20:00Z"}],
        "containerStatuses": [main, exporter]}));
    let spec = &mut of(&mut objects, "Pod", "kv-2")["spec"]["containers"];
    let container = json!({"name": "exporter", "image": "exporter:1"});
    spec.as_array_mut().unwrap().push(container);
    let report = plan(&objects);
    report["outcome"]["blockedBy"][0]["message"].to_string()
}

#[test]
fn a_second_container_that_crashes_is_named_with_its_reason() {
    for (message, said) in [
        (
            "bind: address already in use",
            "and the port of the process is in use (exporter, exit 1, 9 restarts)",
        ),
        (
            "the moon is in the wrong house",
            "and CrashLoopBackOff (exporter, exit 1, 9 restarts): the moon is in the wrong house",
        ),
    ] {
        let told = crashing(message);
        assert!(told.contains(said), "{told}");
    }
}

#[test]
fn a_mesh_proxy_is_told_from_the_process_beside_it() {
    let cause = |container: &str, proxy: &str| {
        let running = json!({"name": "exporter", "ready": true, "restartCount": 0,
            "state": {"running": {"startedAt": DAY}}});
        let mut objects = objects_beside(None, running);
        for it in &mut objects {
            let renamed = it
                .to_string()
                .replace("\"exporter\"", &format!("\"{proxy}\""));
            *it = serde_json::from_str(&renamed).unwrap();
        }
        let pod = of(&mut objects, "Pod", "kv-2");
        pod["status"]["containerStatuses"][1]["ready"] = json!(false);
        let said = "Readiness probe failed: HTTP probe failed with statuscode: 503";
        let mut failed = event("Pod", "kv-2", "Unhealthy", said);
        failed["involvedObject"]["fieldPath"] = json!(format!("spec.containers{{{container}}}"));
        objects.push(failed);
        plan(&objects)["analysis"]["cause"]["id"].clone()
    };
    assert_eq!(cause("istio-proxy", "istio-proxy"), "mesh-proxy-not-ready");
    assert_eq!(
        cause("linkerd-proxy", "linkerd-proxy"),
        "mesh-proxy-not-ready"
    );
    assert_eq!(cause("kv", "istio-proxy"), "readiness-failing");
}
