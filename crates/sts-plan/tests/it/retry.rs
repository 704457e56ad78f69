//! The next retry of the controller after a refusal.

use serde_json::{Value, json};
use test_kit::kv::{DAY, UID, plan, pod, set, told};

/// The set with kv-2 refused by a quota; the first and last refusals are at these times.
fn refused(first: &str, last: &str, count: i64) -> Vec<Value> {
    let mut objects = set(3, "OrderedReady", "kv-old");
    for ordinal in 0..2 {
        objects.extend(pod(ordinal, "kv-old", DAY, DAY, "n-1"));
    }
    objects.push(json!({"apiVersion": "v1", "kind": "Event", "type": "Warning", "reason": "FailedCreate",
        "message": "create Pod kv-2 in StatefulSet kv failed error: pods \"kv-2\" is forbidden: exceeded quota: \
            compute, requested: memory=2Gi, used: memory=10Gi, limited: memory=10Gi",
        "metadata": {"name": "kv.1", "namespace": "prod"}, "count": count,
        "involvedObject": {"kind": "StatefulSet", "namespace": "prod", "name": "kv", "uid": UID},
        "firstTimestamp": first, "lastTimestamp": last}));
    objects
}

#[test]
fn the_next_retry_after_a_refusal_is_predicted() {
    // Refused for 5m28s until a minute ago: the next delay is as long.
    let objects = refused("2026-11-21T11:53:32Z", "2026-11-21T11:59:00Z", 17);
    let report = plan(&objects);
    let obstacle = &report["outcome"]["blockedBy"][0];
    assert_eq!(
        obstacle["retry"],
        json!({"expectedInSeconds": 268, "atLatestInSeconds": 940})
    );
    let cautions = obstacle["cautions"].to_string();
    assert!(
        cautions.contains(
            "the controller retries in about 4m28s, within 15m40s at the latest; any update of the set \
             triggers a retry now"
        ),
        "{cautions}"
    );
    let remedies = obstacle["remedies"].as_array().unwrap();
    let raised = remedies.iter().find(|it| it["looks"] == true).unwrap();
    let effect = raised["effect"].as_str().unwrap();
    assert!(
        effect.starts_with("the controller retries in about 4m28s; the rollout completes after "),
        "{effect}"
    );
    assert!(
        raised["completesAfterSeconds"].as_i64().unwrap() >= 268,
        "{raised}"
    );
    // If the next delay has passed, only the longest is known.
    let objects = refused("2026-11-21T11:49:50Z", "2026-11-21T11:50:00Z", 12);
    let report = plan(&objects);
    let obstacle = &report["outcome"]["blockedBy"][0];
    assert_eq!(obstacle["retry"], json!({"atLatestInSeconds": 400}));
    let text = told(&objects);
    assert!(text.contains("retries within 6m40s;"), "{text}");
    // A remedy that writes to the set does not wait: another template is tried at once.
    let remedies = report["outcome"]["blockedBy"][0]["remedies"].to_string();
    assert!(!remedies.contains("rollout undo"), "{remedies}");
}
