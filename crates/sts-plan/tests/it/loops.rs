//! Pods that are up now, and that something ends again and again.

use serde_json::{Value, json};
use sts_plan::cause::Place;
use test_kit::kv::{DAY, UID, event, of, plan, pod, serving};

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

/// The evidence against the outcome.
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
            let found = &report["analysis"]["loops"][0];
            assert_eq!(
                (&found["cause"], &found["count"]),
                (&json!(entry.id), &json!(4))
            );
            let headline = report["analysis"]["headline"].as_str().unwrap();
            let start = "UNSTABLE for 20m: kv-1 is removed again and again";
            assert!(headline.starts_with(start), "{headline}");
            let helps = entry.helps.split(['[', '{']).next().unwrap().to_lowercase();
            let fix = found["fix"].as_str().unwrap().to_lowercase();
            assert!(fix.starts_with(&helps), "{fix}");
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

/// The controller's reports of 44 creations and deletions of kv-1.
fn turns() -> [Value; 2] {
    [
        ("SuccessfulCreate", "create"),
        ("SuccessfulDelete", "delete"),
    ]
    .map(|(reason, verb)| {
        let message = format!("{verb} Pod kv-1 in StatefulSet kv successful");
        of_controller(reason, &message, 44)
    })
}

#[test]
fn a_pod_that_something_deletes_has_not_failed() {
    let [created, deleted] = turns();
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

/// The three pods, the second of which restarted this often, the last time between these times.
fn restarted(restarts: i64, created: &str, run: [&str; 2], reason: &str) -> Vec<Value> {
    let mut objects = serving();
    let pod = of(&mut objects, "Pod", "kv-1");
    pod["metadata"]["creationTimestamp"] = json!(created);
    let [started, ended] = run;
    pod["status"]["containerStatuses"] = json!([{"name": "kv", "ready": true, "restartCount": restarts,
        "state": {"running": {"startedAt": ended}},
        "lastState": {"terminated": {"exitCode": 143, "reason": reason, "message": "leader election lost",
            "startedAt": started, "finishedAt": ended}}}]);
    objects
}

#[test]
fn an_idle_set_says_why_its_pods_restart() {
    let run = ["2026-11-21T11:37:00Z", "2026-11-21T11:57:00Z"];
    let told = |objects: &[Value]| {
        let report = plan(objects);
        let found = report["analysis"]["loops"][0].clone();
        (report["analysis"]["headline"].to_string(), found)
    };
    let (headline, found) = told(&restarted(41, DAY, run, "Error"));
    assert!(
        headline
            .contains("UNSTABLE for 1d12h: kv-1 crash-loops: the process lost its leader lease"),
        "{headline}"
    );
    assert_eq!(found["cause"], "lease-lost");
    // The kubelet says more than the process.
    let mut killed = restarted(41, DAY, run, "Error");
    for (reason, message) in [
        (
            "Killing",
            "Container kv failed liveness probe, will be restarted",
        ),
        ("Unhealthy", "Liveness probe failed: timeout"),
    ] {
        let mut event = event("Pod", "kv-1", reason, message);
        event["lastTimestamp"] = json!("2026-11-21T11:56:58Z");
        killed.push(event);
    }
    let (headline, found) = told(&killed);
    assert!(
        headline.contains("kv-1 fails its liveness probe"),
        "{headline}"
    );
    assert_eq!(found["cause"], "liveness-kill");
    let (_, found) = told(&restarted(41, DAY, run, "OOMKilled"));
    assert_eq!(found["cause"], "oom-node");
    // It began long after the creation of the pod.
    let (_, found) = told(&restarted(41, "2026-09-01T00:00:00Z", run, "Error"));
    assert_eq!(found["count"], 41);
}

#[test]
fn restarts_that_are_over_are_no_loop() {
    let boot = ["2026-11-20T00:01:00Z", "2026-11-20T00:02:00Z"];
    let rare = ["2026-11-10T00:00:00Z", "2026-11-21T11:00:00Z"];
    let calm = ["2026-11-21T11:00:00Z", "2026-11-21T11:01:00Z"];
    for (restarts, created, run) in [
        (9, DAY, boot),
        (6, "2026-09-01T00:00:00Z", rare),
        (9, "2026-11-21T10:50:00Z", calm),
        (
            2,
            "2026-11-21T11:50:00Z",
            ["2026-11-21T11:58:00Z", "2026-11-21T11:59:00Z"],
        ),
    ] {
        let report = plan(&restarted(restarts, created, run, "Error"));
        let analysis = &report["analysis"];
        assert_eq!(analysis["loops"], Value::Null, "{}", analysis["headline"]);
    }
}

/// The three pods, with revisions of these times; the set belongs to an operator.
fn rewritten(times: &[&str]) -> Vec<Value> {
    let mut objects = just_back();
    let set = of(&mut objects, "StatefulSet", "kv");
    set["metadata"]["ownerReferences"] = json!([{"apiVersion": "example.com/v1", "kind": "Keeper", "name": "kv",
        "uid": "keeper", "controller": true}]);
    for (number, at) in times.iter().enumerate() {
        let mut revision = of(&mut objects, "ControllerRevision", "kv-old").clone();
        let name = format!("kv-{number}");
        revision["metadata"]["name"] = json!(name);
        revision["metadata"]["uid"] = json!(name);
        revision["metadata"]["creationTimestamp"] = json!(at);
        revision["revision"] = json!(number + 2);
        revision["data"]["spec"]["template"]["metadata"]["annotations"] =
            json!({"example.com/at": at});
        objects.push(revision);
    }
    objects
}

#[test]
fn a_template_that_changes_again_and_again_names_its_writer() {
    let times: Vec<String> = (54..60)
        .map(|minute| format!("2026-11-21T11:{minute}:00Z"))
        .collect();
    let times: Vec<&str> = times.iter().map(String::as_str).collect();
    let report = plan(&rewritten(&times));
    let found = &report["analysis"]["loops"][0];
    let message = found["message"].as_str().unwrap();
    assert!(
        message
            .starts_with("the template changes again and again, every 1m0s (6 revisions in 5m0s)"),
        "{message}"
    );
    assert!(message.contains("example.com/at"), "{message}");
    assert!(
        found["fix"].as_str().unwrap().contains("Keeper kv"),
        "{found}"
    );
    // Two deployments are work, and a loop of yesterday is over.
    let yesterday: Vec<String> = times.iter().map(|it| it.replace("-21T", "-20T")).collect();
    let yesterday: Vec<&str> = yesterday.iter().map(String::as_str).collect();
    for calm in [&times[..2], &yesterday] {
        assert_eq!(plan(&rewritten(calm))["analysis"]["loops"], Value::Null);
    }
}

#[test]
fn who_deletes_a_pod_is_asked_for_by_what_the_controller_did() {
    let [created, deleted] = turns();
    for (events, cause) in [
        (vec![created.clone()], "deleted-again"),
        (vec![created, deleted], "replaced-again"),
    ] {
        let mut objects = just_back();
        objects.extend(events);
        let report = plan(&objects);
        assert_eq!(report["analysis"]["loops"][0]["cause"], cause);
    }
}

#[test]
fn the_object_for_which_reloader_restarts_the_pods_is_named() {
    let mut objects = just_back();
    objects.extend(turns());
    let words = "Changes detected in 'kv-tls' of type 'SECRET' in namespace 'prod', Updated 'kv' of type 'StatefulSet' in namespace 'prod'";
    objects.push(of_controller("Reloaded", words, 211));
    let found = &plan(&objects)["analysis"]["loops"][0];
    assert_eq!(found["cause"], "replaced-again");
    let fix = found["fix"].as_str().unwrap();
    assert!(
        fix.starts_with("find who changes Secret kv-tls again and again"),
        "{fix}"
    );
}

#[test]
fn one_eviction_explains_creations_that_are_as_rare_as_rollouts() {
    let mut created = of_controller(
        "SuccessfulCreate",
        "create Pod kv-1 in StatefulSet kv successful",
        12,
    );
    created["firstTimestamp"] = json!("2026-11-21T04:00:00Z");
    let of = |events: Vec<Value>| {
        let mut objects = just_back();
        objects.push(created.clone());
        objects.extend(events);
        plan(&objects)
    };
    let evicted = ended(
        "Evicted",
        "Evicted pod: Underutilized",
        "2026-11-21T11:59:00Z",
    );
    let report = of(vec![evicted]);
    assert_eq!(
        report["analysis"]["loops"][0]["cause"],
        "karpenter-disrupts"
    );
    assert_eq!(of(Vec::new())["analysis"]["loops"], Value::Null);
}
