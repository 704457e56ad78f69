//! Several pods that fail for different reasons: what cures one of them promises nothing for the others.

use serde_json::{Value, json};
use test_kit::kv::{
    DAY, LONG_AGO, crashes, node, not_ready, of, plan, pod, put, running, set, waits,
};

/// Three pods on one revision.
fn three(policy: &str) -> Vec<Value> {
    let mut objects = set(3, policy, "kv-old");
    for ordinal in 0..3 {
        objects.extend(pod(ordinal, "kv-old", DAY, DAY, "n-1"));
    }
    objects.push(node("n-1", "a", true));
    objects
}

fn remedies<'r>(report: &'r Value, pod: &str) -> Vec<&'r Value> {
    let obstacles = report["outcome"]["blockedBy"].as_array().unwrap();
    let of_pod = obstacles.iter().find(|it| it["pod"] == *pod).unwrap();
    let remedies = of_pod["remedies"].as_array();
    remedies.into_iter().flatten().collect()
}

fn effects(report: &Value, pod: &str, command: &str) -> Vec<String> {
    let with = remedies(report, pod).into_iter().filter(|remedy| {
        let commands = remedy["commands"].to_string();
        commands.contains(command)
    });
    with.map(|it| it["effect"].as_str().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn more_memory_starts_no_pod_whose_image_the_registry_does_not_send() {
    let mut objects = three("Parallel");
    let mut killed = not_ready(
        "Running",
        waits("CrashLoopBackOff", "back-off 5m0s"),
        9,
        137,
    );
    killed["containerStatuses"][0]["lastState"]["terminated"]["reason"] = json!("OOMKilled");
    put(&mut objects, 2, killed);
    for (kind, name, path) in [
        ("StatefulSet", "kv", "/spec/template/spec"),
        ("Pod", "kv-2", "/spec"),
        ("ControllerRevision", "kv-old", "/data/spec/template/spec"),
    ] {
        let spec = of(&mut objects, kind, name).pointer_mut(path).unwrap();
        spec["containers"][0]["resources"] = json!({"limits": {"memory": "1Gi"}});
    }
    let words = "failed to do request: Get \"https://r.example.com/v2/kv/blobs/sha256:ab\": dial tcp 10.0.0.1:443: i/o timeout";
    put(
        &mut objects,
        0,
        not_ready("Pending", waits("ImagePullBackOff", words), 0, 0),
    );
    let report = plan(&objects);
    let told = effects(&report, "kv-2", "limits");
    assert!(!told.is_empty(), "{report}");
    for effect in told {
        assert!(
            effect.starts_with("the next obstacle") && effect.contains("kv-0"),
            "{effect}"
        );
    }
}

#[test]
fn a_lower_partition_is_the_cure_only_if_the_new_template_is() {
    let mut objects = three("OrderedReady");
    let set = of(&mut objects, "StatefulSet", "kv");
    set["spec"]["updateStrategy"]["rollingUpdate"] = json!({"partition": 3});
    set["spec"]["template"]["spec"]["containers"][0]["image"] = json!("kv:2");
    put(&mut objects, 1, crashes("SIGSEGV: segmentation violation"));
    let report = plan(&objects);
    let found = remedies(&report, "kv-1");
    let lower = found
        .iter()
        .find(|it| it["commands"].to_string().contains("partition"));
    let condition = lower.unwrap()["precondition"].as_str().unwrap();
    assert!(
        condition.starts_with("if kv-")
            && condition.contains("fixes kv-1, which the partition keeps"),
        "{condition}"
    );
}

#[test]
fn under_on_delete_the_controller_waits_for_no_pod() {
    let mut objects = set(2, "OrderedReady", "kv-new");
    objects.extend(pod(0, "kv-old", DAY, DAY, "n-1"));
    objects.extend(pod(1, "kv-new", LONG_AGO, LONG_AGO, "n-1"));
    put(&mut objects, 1, running());
    let report = plan(&objects);
    let waits = "the controller waits for kv-1 to become ready before it updates it";
    assert!(report.to_string().contains(waits), "{report}");
    of(&mut objects, "StatefulSet", "kv")["spec"]["updateStrategy"] = json!({"type": "OnDelete"});
    let report = plan(&objects);
    assert!(!report.to_string().contains(waits), "{report}");
}

#[test]
fn a_pod_that_another_one_does_not_reach_comes_first() {
    let full = "could not write to file \"pg_wal/xlogtemp.28\": No space left on device";
    let refused = "pg_basebackup: error: connection to server at \"kv-0.kv.db.svc\", port 5432 failed: Connection refused";
    let order = |of_0: &str, of_1: &str| {
        let mut objects = three("Parallel");
        put(&mut objects, 0, crashes(of_0));
        put(&mut objects, 1, crashes(of_1));
        let report = plan(&objects);
        let obstacles = report["outcome"]["blockedBy"].as_array().unwrap();
        let pods: Vec<String> = obstacles.iter().map(|it| it["pod"].to_string()).collect();
        let fix = obstacles[1]["fix"].as_str().unwrap_or_default().to_owned();
        (pods.join(" "), fix)
    };
    let (pods, fix) = order(full, refused);
    assert_eq!(pods, "\"kv-0\" \"kv-1\"");
    assert_eq!(
        fix,
        "repair kv-0 first: kv-1 reports that it does not reach it"
    );
    // Of two pods that miss each other, none leads.
    let back = refused.replace("kv-0", "kv-1");
    let (_, fix) = order(&back, refused);
    assert!(!fix.contains("first"), "{fix}");
    // A longer name is another pod.
    let (_, fix) = order(full, &refused.replace("kv-0", "kv-00"));
    assert!(!fix.contains("first"), "{fix}");
}
