//! Other objects of the input that explain a failure: what makes a missing object, what lacks a key, what uses a claim, and
//! what a process needs.

use serde_json::json;
use test_kit::kv::{of, plan, serving, status};

#[test]
fn a_lost_claim_under_a_pod_that_is_ready_is_a_warning() {
    let mut objects = serving();
    assert!(!plan(&objects)["findings"].to_string().contains("STS036"));
    of(&mut objects, "PersistentVolumeClaim", "data-kv-1")["status"]["phase"] = json!("Lost");
    let findings = plan(&objects)["findings"].to_string();
    assert!(
        findings.contains("volume pv-1 of data-kv-1 is gone (phase Lost): kv-1 runs on"),
        "{findings}"
    );
}
