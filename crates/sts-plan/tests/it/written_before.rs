//! Objects that somebody wrote before a failure, and ports that lead nowhere.

use serde_json::{Value, json};
use test_kit::kv::{event, not_ready, of, plan, serving, status, told, waits};

fn fix(objects: &[Value]) -> String {
    let report = plan(objects);
    let fix = report["outcome"]["blockedBy"][0]["fix"].as_str();
    fix.unwrap_or_default().to_owned()
}

#[test]
fn a_pull_secret_that_was_just_written_is_named_with_its_writer() {
    let with = |written: &str, words: &str| {
        let words = format!("Back-off pulling image \"kv:1\": ErrImagePull: {words}");
        let waiting = waits("ImagePullBackOff", &words);
        let mut objects = status(not_ready("Pending", waiting, 0, 0));
        of(&mut objects, "Pod", "kv-2")["spec"]["imagePullSecrets"] = json!([{"name": "pull"}]);
        objects.push(json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "pull", "namespace": "prod",
            "creationTimestamp": "2026-10-01T00:00:00Z", "managedFields": [{"manager": "external-secrets", "time": written}]}}));
        fix(&objects)
    };
    let refused = "failed to authorize: 403 Forbidden";
    let found = with("2026-11-21T10:50:00Z", refused);
    assert!(
        found.starts_with("Secret pull was written 1h10m ago by external-secrets: check"),
        "{found}"
    );
    for (written, words) in [
        ("2026-10-02T00:00:00Z", refused),
        ("2026-11-21T10:50:00Z", "kv:1: not found"),
    ] {
        let found = with(written, words);
        assert!(!found.contains("was written"), "{found}");
    }
}

#[test]
fn a_service_that_sends_to_no_port_of_the_pod_is_named() {
    let with = |target: Value| told(&behind_load_balancer(target, "Health checks failed"));
    let found = with(json!(8080));
    assert!(
        found.contains("Service lb sends to port 8080, not 3000"),
        "{found}"
    );
    for target in [json!(3000), json!("http")] {
        assert!(!with(target).contains("sends to port"));
    }
}

/// kv-2 waits for a load balancer, which reports this, and whose Service has this target.
fn behind_load_balancer(target: Value, message: &str) -> Vec<Value> {
    let mut objects = serving();
    for pod in objects.iter_mut().filter(|it| it["kind"] == "Pod") {
        pod["spec"]["containers"][0]["ports"] = json!([{"containerPort": 3000, "name": "http"}]);
    }
    let pod = of(&mut objects, "Pod", "kv-2");
    let gate = "target-health.elbv2.k8s.aws/k8s-kv";
    let labels = pod["metadata"]["labels"].clone();
    pod["spec"]["readinessGates"] = json!([{"conditionType": gate}]);
    pod["status"]["conditions"] = json!([
        {"type": "Ready", "status": "False", "reason": "ReadinessGatesNotReady",
            "lastTransitionTime": "2026-11-21T11:00:00Z"},
        {"type": "ContainersReady", "status": "True"},
        {"type": gate, "status": "False", "reason": "Target.FailedHealthChecks", "message": message},
    ]);
    objects.push(json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "lb", "namespace": "prod"},
            "spec": {"clusterIP": "10.96.0.9", "selector": {"app": labels["app"]}, "ports": [{"port": 80, "targetPort": target}]}}));
    objects
}

#[test]
fn the_path_that_the_load_balancer_asks_is_set_beside_that_of_the_probe() {
    let codes = "Health checks failed with these codes: [404]";
    let with = |message: &str, annotations: Value, service: &str| {
        let mut objects = behind_load_balancer(json!(3000), message);
        let pod = of(&mut objects, "Pod", "kv-2");
        pod["spec"]["containers"][0]["readinessProbe"] =
            json!({"httpGet": {"path": "/ready", "port": 3000}});
        objects.push(json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "other", "namespace": "prod"},
            "spec": {"clusterIP": "10.96.0.8", "selector": {"app": "other"}, "ports": [{"port": 80}]}}));
        objects.push(json!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress",
            "metadata": {"name": "web", "namespace": "prod", "annotations": annotations},
            "spec": {"rules": [{"http": {"paths": [{"backend": {"service": {"name": service}}}]}}]}}));
        fix(&objects)
    };
    let path = |path: &str| json!({"alb.ingress.kubernetes.io/healthcheck-path": path});
    let other = with(codes, path("/healthz"), "lb");
    let both = "ask /healthz (annotation alb.ingress.kubernetes.io/healthcheck-path), and the readiness probe asks /ready";
    assert!(other.contains(both), "{other}");
    let default = with(codes, json!({}), "lb");
    assert!(default.contains("ask / (without annotation"), "{default}");
    // The paths agree, nothing answers at all, or the Ingress leads to other pods.
    let others = [
        with(codes, path("/ready"), "lb"),
        with("Request timed out", path("/healthz"), "lb"),
        with(codes, path("/healthz"), "other"),
    ];
    for other in others {
        assert!(!other.contains("Ingress web"), "{other}");
    }
}

#[test]
fn a_policy_that_is_newer_than_the_ready_pods_is_named() {
    let with = |created: &str| {
        let mut objects = serving();
        objects.retain(|it| it["kind"] != "Pod" || it["metadata"]["name"] != "kv-2");
        let words = "create Pod kv-2 in StatefulSet kv failed error: admission webhook \"validate.kyverno.svc-fail\" denied the \
                     request: resource Pod/prod/kv-2 was blocked due to the following policies pin-images: require-digest: use \
                     a digest";
        objects.push(event("StatefulSet", "kv", "FailedCreate", words));
        objects.push(json!({"apiVersion": "kyverno.io/v1", "kind": "ClusterPolicy", "metadata": {"name": "pin-images",
            "creationTimestamp": created}, "spec": {}}));
        fix(&objects)
    };
    let found = with("2026-11-21T10:50:00Z");
    assert!(
        found.starts_with(
            "ClusterPolicy pin-images was written 1h10m ago, after the ready pods were created"
        ),
        "{found}"
    );
    assert!(!with("2026-01-01T00:00:00Z").contains("was written"));
}

#[test]
fn a_set_at_rest_tells_a_recent_end_for_memory_and_a_cordoned_node() {
    let with = |at: &str| {
        let mut objects = serving();
        let counts = &mut of(&mut objects, "StatefulSet", "kv")["status"];
        for name in [
            "replicas",
            "readyReplicas",
            "availableReplicas",
            "currentReplicas",
            "updatedReplicas",
        ] {
            counts[name] = json!(3);
        }
        for name in ["currentRevision", "updateRevision"] {
            counts[name] = json!("kv-old");
        }
        let status = &mut of(&mut objects, "Pod", "kv-1")["status"];
        status["containerStatuses"] = json!([{"name": "kv", "ready": true, "restartCount": 1, "state": {"running": {}},
            "lastState": {"terminated": {"exitCode": 137, "reason": "OOMKilled", "finishedAt": at}}}]);
        of(&mut objects, "Node", "n-1")["spec"]["unschedulable"] = json!(true);
        told(&objects)
    };
    let recent = with("2026-11-21T11:00:00Z");
    for said in [
        "; kv-1 was OOMKilled 1h0m ago (kv)",
        "; kv-0 is on node n-1, which is cordoned",
    ] {
        assert!(recent.contains(said), "{recent}");
    }
    assert!(!with("2026-11-20T11:00:00Z").contains("OOMKilled"));
}
