//! Pods that fail on an old revision while the template already has the repair: they only have to take it.

use serde_json::{Value, json};
use test_kit::kv::{
    DAY, crashes, node, not_ready, of, out_of_memory, plan, pod, put, set, told, waits,
};

/// Three pods under `OnDelete`: kv-0 on this revision, the others on the old one, kv-1 in this status. The containers of the
/// old and the new revision have these members.
fn outdated(first: &str, status: Value, old: &Value, new: &Value) -> Vec<Value> {
    let mut objects = set(3, "OrderedReady", "kv-new");
    for ordinal in 0..3 {
        let revision = if ordinal == 0 { first } else { "kv-old" };
        objects.extend(pod(ordinal, revision, DAY, DAY, "n-1"));
    }
    objects.push(node("n-1", "a", true));
    of(&mut objects, "StatefulSet", "kv")["spec"]["updateStrategy"] = json!({"type": "OnDelete"});
    for it in &mut objects {
        let name = it["metadata"]["name"].as_str().unwrap_or_default();
        let revision = it["metadata"]["labels"]["controller-revision-hash"].as_str();
        let is_new = name == "kv-new" || revision == Some("kv-new") || it["kind"] == "StatefulSet";
        let spec = match it["kind"].as_str() {
            Some("ControllerRevision") => &mut it["data"]["spec"]["template"]["spec"],
            Some("StatefulSet") => &mut it["spec"]["template"]["spec"],
            Some("Pod") => &mut it["spec"],
            _ => continue,
        };
        let container = spec["containers"][0].as_object_mut().unwrap();
        container.insert("image".to_owned(), json!("kv:1"));
        let members = if is_new { new } else { old };
        container.extend(members.as_object().unwrap().clone());
    }
    put(&mut objects, 1, status);
    objects
}

fn limited(limit: &str) -> Value {
    json!({"resources": {"limits": {"memory": limit}}})
}

fn killed() -> Value {
    of(&mut out_of_memory(None), "Pod", "kv-2")["status"].clone()
}

/// The first remedy of kv-1 that changes something: its condition and its commands.
fn first_remedy(objects: &[Value]) -> (String, String) {
    let report = plan(objects);
    let obstacles = report["outcome"]["blockedBy"].as_array().unwrap();
    let of_pod = obstacles.iter().find(|it| it["pod"] == "kv-1").unwrap();
    let remedies = of_pod["remedies"].as_array().into_iter().flatten();
    let mut changing = remedies.filter(|it| {
        let commands = it["commands"].to_string();
        commands.contains("delete") || commands.contains("patch")
    });
    let found = changing.next().unwrap_or(&Value::Null);
    let condition = found["precondition"].as_str().unwrap_or_default();
    (condition.to_owned(), found["commands"].to_string())
}

#[test]
fn a_pod_takes_the_higher_limit_that_the_template_has() {
    for first in ["kv-new", "kv-old"] {
        let objects = outdated(first, killed(), &limited("1Gi"), &limited("2048Mi"));
        let (condition, commands) = first_remedy(&objects);
        assert_eq!(condition, "if kv-new fixes kv-1, which comes back on it");
        assert!(commands.contains("delete pod kv-1"), "{commands}");
        let told = told(&objects);
        let fix = "the template already has a higher memory limit, 2048Mi (kv-new): kv-1 only has to be deleted";
        assert!(told.contains(fix), "{told}");
        assert!(!told.contains("raise resources.limits.memory"), "{told}");
    }
}

#[test]
fn a_partition_keeps_a_pod_from_the_higher_limit() {
    let lowered = |new: &str| {
        let mut objects = outdated("kv-old", killed(), &limited("1Gi"), &limited(new));
        of(&mut objects, "StatefulSet", "kv")["spec"]["updateStrategy"] =
            json!({"type": "RollingUpdate", "rollingUpdate": {"partition": 3}});
        (first_remedy(&objects).1, told(&objects))
    };
    let (commands, told) = lowered("2Gi");
    assert!(
        commands.contains("partition") && commands.contains("delete pod kv-1"),
        "{commands}"
    );
    let fix = "lower the partition, which keeps kv-1 from it, and delete kv-1";
    assert!(told.contains(fix), "{told}");
    let (commands, told) = lowered("512Mi");
    assert!(!commands.contains("partition"), "{commands}");
    assert!(told.contains("raise resources.limits.memory"), "{told}");
}

#[test]
fn a_template_without_the_repair_is_none() {
    let labeled = json!({"resources": {"limits": {"memory": "1Gi"}}, "workingDir": "/"});
    for new in [limited("1Gi"), limited("512Mi"), json!({}), labeled] {
        let objects = outdated("kv-new", killed(), &limited("1Gi"), &new);
        let (_, commands) = first_remedy(&objects);
        assert!(!commands.contains("delete pod kv-1"), "{new}: {commands}");
        let told = told(&objects);
        assert!(told.contains("raise resources.limits.memory"), "{told}");
        assert!(!told.contains("the template already"), "{told}");
    }
    // A pod on the new revision is killed as well.
    let mut objects = outdated("kv-new", killed(), &limited("1Gi"), &limited("2Gi"));
    put(&mut objects, 0, killed());
    let (_, commands) = first_remedy(&objects);
    assert!(!commands.contains("delete pod kv-1"), "{commands}");
    assert!(!told(&objects).contains("the template already"));
}

#[test]
fn a_pod_takes_the_image_that_the_template_has() {
    let words = "Back-off pulling image \"kv:9\": rpc error: code = NotFound desc = failed to pull and unpack image \"kv:9\": \
                 failed to resolve reference \"kv:9\": kv:9: not found";
    let unpulled = || not_ready("Pending", waits("ImagePullBackOff", words), 0, 0);
    let tagged = |tag: &str| json!({"image": format!("kv:{tag}")});
    let objects = outdated("kv-new", unpulled(), &tagged("9"), &tagged("1"));
    let (_, commands) = first_remedy(&objects);
    assert!(commands.contains("delete pod kv-1"), "{commands}");
    let screen = told(&objects);
    let fix = "the template already has another image, kv:1 (kv-new): kv-1 only has to be deleted";
    assert!(screen.contains(fix), "{screen}");
    let other = json!({"image": "kv:9", "args": ["--verbose"]});
    let objects = outdated("kv-new", unpulled(), &tagged("9"), &other);
    let (_, commands) = first_remedy(&objects);
    assert!(!commands.contains("delete pod kv-1"), "{commands}");
    assert!(!told(&objects).contains("the template already"));
}

#[test]
fn a_template_that_differs_in_what_a_crash_reads_may_be_the_repair() {
    let args = |args: &str| json!({"args": [args]});
    let status = || crashes("unknown flag: --bad");
    let objects = outdated("kv-new", status(), &args("--bad"), &args("--good"));
    let (condition, commands) = first_remedy(&objects);
    assert_eq!(condition, "if kv-new fixes kv-1, which comes back on it");
    assert!(commands.contains("delete pod kv-1"), "{commands}");
    let screen = told(&objects);
    let fix = "the template already differs in args (kv-new): if that is the repair, kv-1 only has to be deleted";
    assert!(screen.contains(fix), "{screen}");
    let mut objects = outdated("kv-new", status(), &args("--bad"), &args("--good"));
    put(&mut objects, 0, status());
    assert!(!told(&objects).contains("the template already"));
}

/// The scheduler placed the pod with its volume, so a label that the input lacks does not rule its node out.
#[test]
fn a_running_pod_shows_that_its_node_admits_its_volume() {
    let mut objects = outdated("kv-old", killed(), &limited("1Gi"), &limited("2Gi"));
    for ordinal in 0..3 {
        objects.push(json!({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": format!("pv-{ordinal}")},
            "spec": {"capacity": {"storage": "10Gi"}, "storageClassName": "gp3",
                "claimRef": {"namespace": "prod", "name": format!("data-kv-{ordinal}")},
                "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
                    {"key": "topology.ebs.csi.aws.com/zone", "operator": "In", "values": ["a"]}]}]}}}}));
    }
    let (condition, _) = first_remedy(&objects);
    assert_eq!(condition, "if kv-new fixes kv-1, which comes back on it");
}

#[test]
fn a_rollout_that_was_undone_has_the_repair_if_pods_are_ready_on_the_older_template() {
    let told_of = |first: &str, created: &str| {
        let status = crashes("Error: the database schema is out of date, run the migrations");
        let tagged = |tag: &str| json!({"image": format!("kv:{tag}")});
        let mut objects = outdated(first, status, &tagged("9"), &tagged("8"));
        let update = of(&mut objects, "ControllerRevision", "kv-new");
        update["metadata"]["creationTimestamp"] = json!(created);
        told(&objects)
    };
    let (older, newer) = ("2026-09-01T00:00:00Z", "2026-11-21T11:20:00Z");
    let fix = "the template already differs in image (kv-new): if that is the repair, kv-1 only has to be deleted";
    let screen = told_of("kv-new", older);
    assert!(screen.contains(fix), "{screen}");
    for (first, created) in [("kv-new", newer), ("kv-old", older)] {
        let screen = told_of(first, created);
        assert!(!screen.contains("the template already"), "{screen}");
    }
}

#[test]
fn a_setting_that_the_template_has_changed_is_not_to_be_corrected_there() {
    let options = |heap: &str| json!({"env": [{"name": "JVM_OPTS", "value": heap}]});
    let status = crashes("Invalid maximum heap size: -Xmx2gb");
    let told = told(&outdated(
        "kv-new",
        status.clone(),
        &options("-Xmx2gb"),
        &options("-Xmx2g"),
    ));
    assert!(
        told.contains("the template already differs in env (kv-new)"),
        "{told}"
    );
    assert!(!told.contains("remove or correct -Xmx2gb"), "{told}");
    let same = outdated("kv-old", status, &options("-Xmx2gb"), &options("-Xmx2gb"));
    let told = test_kit::kv::told(&same);
    assert!(told.contains("remove or correct -Xmx2gb"), "{told}");
}
