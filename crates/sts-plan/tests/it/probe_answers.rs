//! A process that answers its own probe says itself that it is not ready: the advice says what was asked, and how to ask it.

use serde_json::{Value, json};
use test_kit::kv::{event, of, plan, running, status};

/// kv-2 is not ready, with this probe and this report of the kubelet.
fn not_ready(probe: Value, message: &str) -> Value {
    let mut objects = status(running());
    let container = &mut of(&mut objects, "Pod", "kv-2")["spec"]["containers"][0];
    container["ports"] = json!([{"name": "admin", "containerPort": 8081}]);
    container["readinessProbe"] = probe;
    objects.push(event("Pod", "kv-2", "Unhealthy", message));
    plan(&objects)["outcome"]["blockedBy"][0].clone()
}

#[test]
fn an_answer_over_http_has_a_command_that_asks_again() {
    let message = "Readiness probe failed: HTTP probe failed with statuscode: 503";
    let told = not_ready(
        json!({"httpGet": {"path": "/ready", "port": "admin"}}),
        message,
    );
    let fix = told["fix"].to_string();
    assert!(
        fix.contains("readiness probe, GET :8081/ready, with 503"),
        "{fix}"
    );
    let raw = "kubectl get --raw /api/v1/namespaces/prod/pods/kv-2:8081/proxy/ready";
    assert!(told["remedy"].to_string().contains(raw), "{told}");
    let tls = json!({"httpGet": {"path": "/ready", "port": 8081, "scheme": "HTTPS"}});
    let told = not_ready(tls, message);
    assert!(
        told["remedy"]
            .to_string()
            .contains("/pods/https:kv-2:8081/proxy/ready"),
        "{told}"
    );
}

#[test]
fn an_answer_over_grpc_has_no_command() {
    let message = "Readiness probe failed: service unhealthy (responded with \"NOT_SERVING\")";
    let told = not_ready(json!({"grpc": {"port": 8081}}), message);
    let fix = told["fix"].to_string();
    assert!(
        fix.contains("gRPC health check at port 8081, with NOT_SERVING"),
        "{fix}"
    );
    assert!(!told["remedy"].to_string().contains("--raw"), "{told}");
}

#[test]
fn a_probe_that_is_not_in_the_input_is_not_described() {
    let message = "Readiness probe failed: HTTP probe failed with statuscode: 503";
    let told = not_ready(Value::Null, message);
    assert!(told["fix"].to_string().contains("not recognized"), "{told}");
}
