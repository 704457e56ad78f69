//! One remedy for several pods, and the memory of a set that has an owner.

use serde_json::{Value, json};
use test_kit::kv::{DAY, node, not_ready, of, out_of_memory, plan, pod, put, serving, set, waits};

#[test]
fn an_object_that_several_pods_lack_starts_all_of_them() {
    let mut objects = serving();
    of(&mut objects, "StatefulSet", "kv")["spec"]["podManagementPolicy"] = json!("Parallel");
    for ordinal in 0..3 {
        let pod = of(&mut objects, "Pod", &format!("kv-{ordinal}"));
        pod["spec"]["containers"][0]["envFrom"] = json!([{"secretRef": {"name": "login"}}]);
        let waiting = waits("CreateContainerConfigError", "secret \"login\" not found");
        put(&mut objects, ordinal, not_ready("Pending", waiting, 0, 0));
    }
    let report = plan(&objects);
    let remedies = report["outcome"]["blockedBy"][0]["remedies"]
        .as_array()
        .unwrap();
    let provides = remedies
        .iter()
        .find(|it| it["precondition"] == "if FILE has Secret login")
        .unwrap();
    assert_eq!(provides["helps"], true, "{provides}");
    assert!(
        provides["effect"]
            .to_string()
            .contains("the rollout completes"),
        "{provides}"
    );
}

/// kv-2 is killed on the new revision, which has lowered the memory limit.
fn killed() -> Vec<Value> {
    let mut objects = set(3, "OrderedReady", "kv-new");
    for ordinal in 0..3 {
        let revision = if ordinal == 2 { "kv-new" } else { "kv-old" };
        objects.extend(pod(ordinal, revision, DAY, DAY, "n-1"));
    }
    objects.push(node("n-1", "a", true));
    let mut killed = out_of_memory(None);
    let status = of(&mut killed, "Pod", "kv-2")["status"].clone();
    put(&mut objects, 2, status);
    let limits = |memory: &str| json!({"limits": {"memory": memory}});
    let pod = of(&mut objects, "Pod", "kv-2");
    pod["spec"]["containers"][0]["resources"] = limits("512Mi");
    let set = of(&mut objects, "StatefulSet", "kv");
    set["spec"]["template"]["spec"]["containers"][0]["resources"] = limits("512Mi");
    for (name, memory) in [("kv-old", "4Gi"), ("kv-new", "512Mi")] {
        let revision = of(&mut objects, "ControllerRevision", name);
        revision["data"]["spec"]["template"]["spec"]["containers"][0]["resources"] = limits(memory);
    }
    objects
}

#[test]
fn the_higher_limit_of_the_other_revision_is_named() {
    let fix = plan(&killed())["outcome"]["blockedBy"][0]["fix"].to_string();
    assert!(fix.contains("(the other revision has 4Gi)"), "{fix}");
}

#[test]
fn the_memory_of_a_set_with_an_owner_is_raised_in_the_owner() {
    let raises = |objects: &[Value]| plan(objects).to_string().contains("kubectl patch sts kv");
    let mut objects = killed();
    assert!(raises(&objects));
    of(&mut objects, "StatefulSet", "kv")["metadata"]["ownerReferences"] = json!([{
        "apiVersion": "rabbitmq.com/v1beta1", "kind": "RabbitmqCluster", "name": "mq", "uid": "1", "controller": true,
    }]);
    assert!(!raises(&objects));
}
