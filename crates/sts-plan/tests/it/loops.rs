//! Pods that are up now, and that something ends again and again.

use serde_json::{Value, json};
use sts_plan::cause::Place;
use test_kit::kv::{UID, event, plan, pod, serving};

use crate::catalogue::declared;

/// An event of an earlier kv-1, at this time.
fn ended(reason: &str, message: &str, at: &str) -> Value {
    let mut event = event("Pod", "kv-1", reason, message);
    event["type"] = json!("Normal");
    event["count"] = json!(1);
    event["metadata"]["name"] = json!(format!("kv-1.{reason}.{at}"));
    event["involvedObject"]["uid"] = json!(format!("uid at {at}"));
    event["firstTimestamp"] = json!(at);
    event["lastTimestamp"] = json!(at);
    event
}

/// A report of the controller about kv-1.
fn of_controller(reason: &str, message: &str, count: i64) -> Value {
    let mut event = event("StatefulSet", "kv", reason, message);
    event["type"] = json!("Normal");
    event["involvedObject"]["uid"] = json!(UID);
    event["count"] = json!(count);
    event["firstTimestamp"] = json!("2026-11-21T08:00:00Z");
    event["lastTimestamp"] = json!("2026-11-21T11:59:20Z");
    event
}

/// Three pods that serve, the second since 20 s.
fn just_back() -> Vec<Value> {
    let mut objects = serving();
    objects.retain(|it| it["metadata"]["name"] != "kv-1" && it["metadata"]["name"] != "data-kv-1");
    objects.extend(pod(
        1,
        "kv-old",
        "2026-11-21T11:59:20Z",
        "2026-11-21T11:59:40Z",
        "n-1",
    ));
    objects
}

/// The three pods, the second of which was ended at these minutes before noon.
fn evicted(reason: &str, message: &str, minutes: &[u32]) -> Vec<Value> {
    let mut objects = just_back();
    let at = |minute: &u32| format!("2026-11-21T11:{minute:02}:00Z");
    objects.extend(minutes.iter().map(|it| ended(reason, message, &at(it))));
    objects
}

/// What speaks against the outcome.
fn against(report: &Value) -> Vec<&str> {
    let assumed = report["assumed"].as_array().unwrap().iter();
    let against = assumed.filter(|it| it["againstEvidence"] == true);
    against.map(|it| it["why"].as_str().unwrap()).collect()
}

#[test]
fn the_component_that_evicts_a_pod_again_and_again_is_named() {
    let declared = declared();
    let evictors = declared.iter().filter(|it| it.place == Place::Loop);
    let mut tried = 0;
    for entry in evictors {
        for example in &entry.examples {
            let (reason, message) = (&*example.reason, &*example.message);
            let report = plan(&evicted(reason, message, &[40, 45, 50, 55]));
            let expected = format!("{} has evicted it 4 times", entry.component);
            assert_eq!(against(&report), [expected], "{}", entry.id);
            tried += 1;
        }
    }
    assert!(tried > 5, "{tried}");
    // One eviction is part of operations, and evictions end.
    let vpa = "Pod was evicted by VPA Updater to apply resource recommendation.";
    for minutes in [&[59][..], &[10, 11, 12]] {
        let report = plan(&evicted("EvictedByVPA", vpa, minutes));
        assert_eq!(against(&report), Vec::<&str>::new(), "{minutes:?}");
    }
}

#[test]
fn a_pod_that_something_deletes_has_not_failed() {
    let created = of_controller(
        "SuccessfulCreate",
        "create Pod kv-1 in StatefulSet kv successful",
        44,
    );
    let deleted = of_controller(
        "SuccessfulDelete",
        "delete Pod kv-1 in StatefulSet kv successful",
        44,
    );
    let failed = of_controller(
        "RecreatingFailedPod",
        "StatefulSet prod/kv is recreating failed Pod kv-1",
        44,
    );
    let evicted = ended(
        "Descheduled",
        "pod eviction from n-1 node by sigs.k8s.io/descheduler (LowNodeUtilization)",
        "2026-11-21T11:59:00Z",
    );
    for (others, expected) in [
        (&[][..], "it has been deleted and created again 44 times"),
        (
            &[deleted][..],
            "the set has deleted and created it 44 times",
        ),
        (&[evicted][..], "descheduler has evicted it 44 times"),
        (
            &[failed][..],
            "it has failed and been created again 44 times",
        ),
    ] {
        let mut objects = just_back();
        objects.push(created.clone());
        objects.extend(others.iter().cloned());
        assert_eq!(against(&plan(&objects)), [expected]);
    }
}
