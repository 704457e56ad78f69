//! Advice that depends on what is known of the nodes of a pod, and on who manages its set.

use serde_json::{Value, json};
use test_kit::kv::{
    DAY, LONG_AGO, crashes, event, leaving, marked, node, of, plan, pod, put, rejected, serving,
    set, status, told, unplaced,
};

/// Returns the first obstacle.
fn obstacle(report: &Value) -> &Value {
    &report["outcome"]["blockedBy"][0]
}

fn commands(report: &Value) -> String {
    obstacle(report)["remedies"].to_string()
}

/// kv-2 is being deleted, with or without its node in the input.
fn leaves(has_nodes: bool) -> Vec<Value> {
    let mut objects = leaving(|_| {});
    objects.retain(|it| has_nodes || it["kind"] != "Node");
    objects
}

#[test]
fn nothing_is_removed_by_force_while_nothing_is_known_of_its_node() {
    let report = plan(&leaves(false));
    let text = commands(&report);
    assert!(!text.contains("--force"), "{text}");
    let cautions = obstacle(&report)["cautions"].to_string();
    for said in [
        "the input does not have node n-1: look whether it exists and is Ready",
        "unknown whether another node can attach the volume of data-kv-2",
    ] {
        assert!(cautions.contains(said), "{cautions}");
    }
    let seen = plan(&leaves(true));
    let cautions = obstacle(&seen)["cautions"].to_string();
    assert!(
        !cautions.contains("the input does not have node"),
        "{cautions}"
    );
    // A node that is gone runs nothing: the input has the others.
    let mut gone = leaves(true);
    of(&mut gone, "Pod", "kv-2")["spec"]["nodeName"] = json!("n-9");
    let text = commands(&plan(&gone));
    for said in ["--force", "two pods of that name write to one volume"] {
        assert!(text.contains(said), "{text}");
    }
}

/// kv-2 has no node, for this reason; its volume is in zone b, or local to this node.
fn without_place(message: &str, host: &str, nodes: &[Value]) -> Value {
    plan(&unplaced_among(message, host, nodes))
}

/// The objects of that case.
fn unplaced_among(message: &str, host: &str, nodes: &[Value]) -> Vec<Value> {
    let mut objects = status(unplaced("Unschedulable", message));
    objects.retain(|it| it["kind"] != "Node");
    let pod = of(&mut objects, "Pod", "kv-2");
    pod["spec"].as_object_mut().unwrap().remove("nodeName");
    pod["metadata"]["creationTimestamp"] = json!(LONG_AGO);
    let (key, value) = match host {
        "" => ("topology.kubernetes.io/zone", "b"),
        host => ("kubernetes.io/hostname", host),
    };
    let expression = json!({"key": key, "operator": "In", "values": [value]});
    objects.push(
        json!({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "pv-2"},
        "spec": {"capacity": {"storage": "10Gi"}, "storageClassName": "gp3",
            "claimRef": {"namespace": "prod", "name": "data-kv-2", "uid": "x"},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}}}),
    );
    objects.extend(nodes.iter().cloned());
    objects
}

#[test]
fn a_node_that_is_being_deleted_is_not_uncordoned() {
    let message = "0/2 nodes are available: 1 node(s) were unschedulable, 1 node(s) didn't match PersistentVolume's node affinity.";
    let cordoned = |deleted: bool| {
        let mut it = node("n-2", "b", true);
        it["spec"] = json!({"unschedulable": true});
        if deleted {
            it["metadata"]["deletionTimestamp"] = json!(LONG_AGO);
            it["metadata"]["finalizers"] = json!(["karpenter.sh/termination"]);
        }
        [node("n-1", "a", true), it]
    };
    let stays = without_place(message, "", &cordoned(false));
    assert_eq!(obstacle(&stays)["cause"], "cordoned");
    assert!(commands(&stays).contains("uncordon n-2"));
    let goes = without_place(message, "", &cordoned(true));
    assert_eq!(obstacle(&goes)["cause"], "node-leaving");
    assert!(!commands(&goes).contains("uncordon"), "{goes:#}");
    let headline = goes["analysis"]["headline"].to_string();
    assert!(headline.contains("being removed: n-2"), "{headline}");
}

#[test]
fn a_taint_that_has_outlived_its_condition_is_told_from_a_node_that_is_down() {
    for (key, faults, is_ready, id) in [
        ("node.kubernetes.io/unreachable", "", true, "taint-left"),
        ("node.kubernetes.io/not-ready", "", true, "taint-left"),
        ("node.kubernetes.io/disk-pressure", "", true, "taint-left"),
        (
            "node.kubernetes.io/unreachable",
            "",
            false,
            "node-unreachable-taint",
        ),
        (
            "node.kubernetes.io/disk-pressure",
            "DiskPressure",
            true,
            "disk-pressure",
        ),
    ] {
        let mut tainted = node("n-2", "b", is_ready);
        tainted["spec"] =
            json!({"taints": [{"key": key, "effect": "NoSchedule", "timeAdded": LONG_AGO}]});
        let conditions = tainted["status"]["conditions"].as_array_mut().unwrap();
        let status = if faults.is_empty() { "False" } else { "True" };
        conditions.push(json!({"type": "DiskPressure", "status": status}));
        let message = format!(
            "0/2 nodes are available: 1 node(s) had untolerated taint {{{key}: }}, 1 node(s) didn't match PersistentVolume's node affinity."
        );
        let report = without_place(&message, "", &[node("n-1", "a", true), tainted]);
        let found = obstacle(&report);
        assert_eq!(found["cause"], id, "{key} {is_ready}");
        let look = found["look"].to_string() + &found["fix"].to_string();
        assert!(!look.contains("NODE"), "{look}");
        if id == "taint-left" {
            assert!(look.contains("kubectl taint nodes n-2"), "{look}");
        }
    }
}

#[test]
fn a_taint_that_was_set_on_a_fitting_node_comes_before_the_rules_that_always_held() {
    let marked = |seconds: &str| {
        (
            "ToBeDeletedByClusterAutoscaler",
            seconds.to_owned(),
            "NoSchedule",
        )
    };
    // 2026-11-21T10:00:00Z, and a time that is still to come.
    let (old, new) = (marked("1795255200"), marked("1895255200"));
    let maintenance = ("maintenance", "planned".to_owned(), "NoExecute");
    let dedicated = ("dedicated", "db".to_owned(), "NoSchedule");
    for ((key, value, effect), reason, evicted, id) in [
        (&old, "Insufficient memory", false, "scale-down-left"),
        (&new, "Insufficient memory", false, "insufficient-resources"),
        (
            &maintenance,
            "node(s) didn't match pod anti-affinity rules",
            true,
            "taint-set",
        ),
        (
            &maintenance,
            "node(s) didn't match pod anti-affinity rules",
            false,
            "anti-affinity",
        ),
        (
            &dedicated,
            "node(s) didn't match pod anti-affinity rules",
            true,
            "anti-affinity",
        ),
    ] {
        let mut tainted = node("n-2", "b", true);
        tainted["spec"] = json!({"taints": [{"key": key, "value": value, "effect": effect}]});
        let mut objects = vec![node("n-1", "a", true), tainted];
        if evicted {
            let words = "Marking for deletion Pod prod/kv-2";
            objects.push(event("Pod", "kv-2", "TaintManagerEviction", words));
        }
        let message = format!(
            "0/2 nodes are available: 1 node(s) had untolerated taint {{{key}: {value}}}, 1 {reason}."
        );
        let report = without_place(&message, "", &objects);
        let found = obstacle(&report);
        assert_eq!(found["cause"], id, "{key} {value} {reason}");
        let fix = found["fix"].to_string();
        let is_removed = fix.contains("kubectl taint nodes n-2");
        let is_of_taint = matches!(id, "taint-set" | "scale-down-left");
        assert_eq!(is_removed, is_of_taint, "{fix}");
    }
}

#[test]
fn a_reason_is_told_of_the_nodes_of_which_it_is_true() {
    let with_pages = |name: &str, amount: &str| {
        let mut it = node(name, "b", true);
        it["status"]["allocatable"]["hugepages-2Mi"] = json!(amount);
        it
    };
    let rebooted = json!({"apiVersion": "v1", "kind": "Event", "type": "Warning", "reason": "Rebooted",
        "message": "Node n-2 has been rebooted", "metadata": {"name": "n-2.1", "namespace": "default"},
        "involvedObject": {"kind": "Node", "name": "n-2"}, "lastTimestamp": LONG_AGO});
    let objects = [with_pages("n-1", "8Gi"), with_pages("n-2", "0"), rebooted];
    let both = "0/2 nodes are available: 1 Insufficient hugepages-2Mi, 1 node(s) didn't match pod anti-affinity rules.";
    let report = without_place(both, "", &objects);
    let headline = report["analysis"]["headline"].to_string();
    assert!(
        headline.contains("no node has enough free huge pages among those that are left: n-2"),
        "{headline}"
    );
    let fix = obstacle(&report)["fix"].to_string();
    for said in ["n-2 (rebooted ", "while other nodes have"] {
        assert!(fix.contains(said), "{fix}");
    }
    let all = without_place(
        "0/2 nodes are available: 2 Insufficient hugepages-2Mi.",
        "",
        &objects,
    );
    let headline = all["analysis"]["headline"].to_string();
    assert!(!headline.contains("are left"), "{headline}");
    // More nodes than the input has: their number is known, and not their names.
    let more = "0/5 nodes are available: 2 Insufficient memory, 3 node(s) didn't match pod topology spread constraints.";
    let report = without_place(more, "", &objects);
    let headline = report["analysis"]["headline"].to_string();
    assert!(headline.contains("are left: 2 of 5 nodes"), "{headline}");
    // A taint that the pod tolerates leaves the node, and a required node affinity rules it out.
    let mut tainted = with_pages("n-1", "8Gi");
    tainted["spec"] = json!({"taints": [{"key": "dedicated", "effect": "NoSchedule"}]});
    let mut other = with_pages("n-2", "8Gi");
    other["metadata"]["labels"]["disk"] = json!("hdd");
    let mut repels = with_pages("n-3", "8Gi");
    repels["spec"] = json!({"taints": [{"key": "a", "effect": "NoSchedule"}]});
    let why = "0/3 nodes are available: 1 Insufficient hugepages-2Mi, 1 node(s) had untolerated taint {a: }, 1 node(s) didn't match Pod's node affinity/selector.";
    let mut objects = unplaced_among(why, "", &[tainted, other, repels]);
    let spec = &mut of(&mut objects, "Pod", "kv-2")["spec"];
    spec["tolerations"] = json!([{"key": "dedicated", "operator": "Exists"}]);
    let terms =
        json!([{"matchExpressions": [{"key": "disk", "operator": "NotIn", "values": ["hdd"]}]}]);
    spec["affinity"]["nodeAffinity"] =
        json!({"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}});
    let headline = plan(&objects)["analysis"]["headline"].to_string();
    assert!(headline.contains("are left: n-1"), "{headline}");
}

#[test]
fn a_node_that_is_out_of_use_says_why_when_the_others_are_full() {
    let mut fresh = node("n-2", "b", false);
    fresh["spec"] =
        json!({"taints": [{"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}]});
    fresh["status"]["conditions"] = json!([{"type": "Ready", "status": "False", "reason": "KubeletNotReady",
        "message": "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized"}]);
    let message = "0/3 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/not-ready: }, 2 Insufficient cpu.";
    let report = without_place(
        message,
        "",
        &[node("n-1", "a", true), fresh, node("n-3", "b", true)],
    );
    let fix = obstacle(&report)["fix"].to_string();
    for said in [
        "bring back node n-2 (",
        "cni plugin not initialized",
        "Repair the network plugin on the node",
    ] {
        assert!(fix.contains(said), "{fix}");
    }
}

#[test]
fn a_volume_that_is_local_to_a_node_that_is_gone_is_in_no_zone() {
    let message =
        "0/1 nodes are available: 1 node(s) didn't match PersistentVolume's node affinity.";
    let nodes = [node("n-1", "a", true)];
    let report = without_place(message, "n-7", &nodes);
    let found = obstacle(&report);
    assert_eq!(found["cause"], "volume-node-gone");
    let fix = found["fix"].to_string();
    assert!(fix.contains("bring the node n-7 back"), "{fix}");
    assert!(fix.contains("delete claim data-kv-2 and pod kv-2"), "{fix}");
    let all = report.to_string();
    assert!(!all.contains("a node in the zone"), "{all}");
    assert!(
        all.contains("kv-2 can only run in node n-7, which does not exist"),
        "{all}"
    );
    let zonal = without_place(message, "", &nodes);
    assert_eq!(obstacle(&zonal)["cause"], "volume-zone");
    // Without the volume, its claim tells the node and the provisioner.
    for (by, id) in [
        ("rancher.io/local-path", "volume-node-gone"),
        ("ebs.csi.aws.com", "volume-zone"),
    ] {
        let mut objects = status(unplaced("Unschedulable", message));
        let pod = of(&mut objects, "Pod", "kv-2");
        pod["spec"].as_object_mut().unwrap().remove("nodeName");
        pod["metadata"]["creationTimestamp"] = json!(LONG_AGO);
        of(&mut objects, "PersistentVolumeClaim", "data-kv-2")["metadata"]["annotations"] = json!({
            "volume.kubernetes.io/storage-provisioner": by, "volume.kubernetes.io/selected-node": "n-7"});
        assert_eq!(obstacle(&plan(&objects))["cause"], id, "{by}");
    }
}

/// A set with the strategy OnDelete and these labels, all of whose pods are outdated.
fn on_delete(labels: &Value) -> String {
    let mut objects = set(2, "OrderedReady", "kv-new");
    objects.extend(pod(0, "kv-old", DAY, DAY, "n-1"));
    objects.extend(pod(1, "kv-old", DAY, DAY, "n-1"));
    let set = of(&mut objects, "StatefulSet", "kv");
    set["spec"]["updateStrategy"] = json!({"type": "OnDelete"});
    set["status"] = json!({"replicas": 2, "readyReplicas": 2, "availableReplicas": 2, "currentReplicas": 2,
        "observedGeneration": 3, "currentRevision": "kv-old", "updateRevision": "kv-new"});
    set["metadata"]["labels"] = labels.clone();
    plan(&objects)["analysis"]["headline"].to_string()
}

#[test]
fn a_set_of_an_operator_without_an_owner_reference_waits_for_the_operator() {
    for (labels, waits_for) in [
        (
            json!({"application": "spilo", "cluster-name": "acid-main", "team": "acid"}),
            "WAITING FOR postgresql acid-main",
        ),
        (
            json!({"strimzi.io/cluster": "events"}),
            "WAITING FOR Kafka events",
        ),
        (
            json!({"app.kubernetes.io/managed-by": "tidb-operator"}),
            "WAITING FOR tidb-operator",
        ),
        (
            json!({"rollout-group": "ingester"}),
            "WAITING FOR rollout-operator (group ingester)",
        ),
        // Labels of a user.
        (json!({"cluster-name": "x"}), "WAITING FOR YOU"),
        (
            json!({"app.kubernetes.io/managed-by": "Helm"}),
            "WAITING FOR YOU",
        ),
        (
            json!({"application": "spilo-viewer", "cluster-name": "x"}),
            "WAITING FOR YOU",
        ),
    ] {
        let headline = on_delete(&labels);
        assert!(headline.contains(waits_for), "{headline}");
        assert_eq!(
            headline.contains("kubectl delete pod"),
            waits_for == "WAITING FOR YOU",
            "{headline}"
        );
    }
}

#[test]
fn the_template_of_a_set_of_an_operator_is_changed_there() {
    let mut objects = set(3, "OrderedReady", "kv-new");
    for ordinal in 0..2 {
        objects.extend(pod(ordinal, "kv-old", DAY, DAY, "n-1"));
    }
    objects.extend(pod(2, "kv-new", LONG_AGO, DAY, "n-1"));
    put(&mut objects, 2, crashes("panic: unknown flag --listen"));
    assert!(commands(&plan(&objects)).contains("rollout undo"));
    of(&mut objects, "StatefulSet", "kv")["metadata"]["labels"] =
        json!({"app.kubernetes.io/managed-by": "tidb-operator"});
    let report = plan(&objects);
    assert!(!commands(&report).contains("rollout undo"), "{report:#}");
    let cautions = obstacle(&report)["cautions"].to_string();
    assert!(
        cautions.contains("the set belongs to tidb-operator, which reverts template changes"),
        "{cautions}"
    );
}

#[test]
fn a_pod_that_ends_at_its_own_deadline_is_a_loop_however_slow() {
    let slowly = |reason: &str, count: i64| {
        let mut objects = rejected(reason);
        objects.retain(|it| it["kind"] != "Event");
        of(&mut objects, "Pod", "kv-2")["metadata"]["creationTimestamp"] =
            json!("2026-11-21T11:00:00Z");
        let words = "StatefulSet prod/kv is recreating failed Pod kv-2";
        let mut event = event("StatefulSet", "kv", "RecreatingFailedPod", words);
        event["count"] = json!(count);
        event["firstTimestamp"] = json!("2026-11-20T05:00:00Z");
        objects.push(event);
        plan(&objects)
    };
    let report = slowly("DeadlineExceeded", 31);
    assert_eq!(obstacle(&report)["cause"], "active-deadline", "{report:#}");
    let fix = obstacle(&report)["fix"].to_string();
    assert!(fix.contains("remove activeDeadlineSeconds"), "{fix}");
    assert_eq!(slowly("DeadlineExceeded", 2)["verdict"], report["verdict"]);
    // Once is no loop, and a pod that is evicted every few hours starts again.
    for (reason, count) in [("DeadlineExceeded", 1), ("Evicted", 10)] {
        let other = slowly(reason, count);
        assert!(obstacle(&other).is_null(), "{reason} {count}");
    }
}

#[test]
fn a_startup_probe_that_fails_each_time_is_a_loop_however_long_it_waits() {
    let with = |threshold: i64| {
        let running = json!({"running": {"startedAt": "2026-11-21T11:46:00Z"}});
        let mut objects = status(test_kit::kv::not_ready("Running", running, 3, 137));
        let pod = of(&mut objects, "Pod", "kv-2");
        pod["spec"]["containers"][0]["startupProbe"] =
            json!({"tcpSocket": {"port": 80}, "periodSeconds": 15, "failureThreshold": threshold});
        let container = &mut pod["status"]["containerStatuses"][0];
        container["started"] = json!(false);
        container["lastState"]["terminated"]["finishedAt"] = json!("2026-11-21T11:45:55Z");
        let mut killing = event(
            "Pod",
            "kv-2",
            "Killing",
            "Container kv failed startup probe, will be restarted",
        );
        killing["lastTimestamp"] = json!("2026-11-21T11:45:50Z");
        objects.push(killing);
        plan(&objects)
    };
    assert_eq!(obstacle(&with(60))["cause"], "startup-kill");
    // With a short probe, the loop is over: the process runs, and is not ready.
    assert_ne!(obstacle(&with(4))["cause"], "startup-kill");
}

#[test]
fn replicas_that_two_managers_set_in_turn_are_told_first() {
    let mut objects = marked(|set| set["spec"]["replicas"] = json!(3));
    objects.push(
        json!({"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "keda-hpa-kv", "namespace": "prod"},
        "spec": {"minReplicas": 5, "maxReplicas": 9, "scaleTargetRef": {"kind": "StatefulSet", "name": "kv"}}}),
    );
    let quiet = told(&objects);
    assert!(!quiet.contains("in turn"), "{quiet}");
    for (reason, verb) in [
        ("SuccessfulCreate", "create"),
        ("SuccessfulDelete", "delete"),
    ] {
        let words = format!("{verb} Pod kv-3 in StatefulSet kv successful");
        objects.push(event("StatefulSet", "kv", reason, &words));
    }
    let headline = plan(&objects)["analysis"]["headline"].to_string();
    assert!(
        headline.contains("CONTESTED: HorizontalPodAutoscaler keda-hpa-kv and another manager set the replicas in turn (kv-3 created and deleted 57 times"),
        "{headline}"
    );
    let steady = serving();
    assert!(!told(&steady).contains("CONTESTED"));
}

#[test]
fn a_key_that_a_volume_misses_is_named_with_its_object_and_undone_with_the_volume() {
    let with = |source: Value, is_new: bool| {
        let mut objects = set(3, "OrderedReady", "kv-new");
        for ordinal in 0..2 {
            objects.extend(pod(ordinal, "kv-old", DAY, DAY, "n-1"));
        }
        objects.extend(pod(2, "kv-new", LONG_AGO, DAY, "n-1"));
        objects.push(node("n-1", "a", true));
        put(&mut objects, 2, test_kit::kv::starting());
        let mut volume = source;
        volume["name"] = json!("conf");
        let spec = &mut of(&mut objects, "Pod", "kv-2")["spec"];
        spec["volumes"].as_array_mut().unwrap().push(volume.clone());
        for it in &mut objects {
            let template = match it["kind"].as_str() {
                Some("ControllerRevision") if it["metadata"]["name"] == "kv-new" || !is_new => {
                    &mut it["data"]["spec"]["template"]
                }
                Some("StatefulSet") => &mut it["spec"]["template"],
                _ => continue,
            };
            template["spec"]["volumes"] = json!([volume]);
        }
        let of = if volume["configMap"].is_object() {
            "config"
        } else {
            "secret"
        };
        let words = format!(
            "MountVolume.SetUp failed for volume \"conf\" : references non-existent {of} key: ca.crt"
        );
        objects.push(event("Pod", "kv-2", "FailedMount", &words));
        plan(&objects)
    };
    let secret = json!({"secret": {"secretName": "os-tls"}});
    let report = with(secret.clone(), true);
    let found = obstacle(&report);
    assert_eq!(found["cause"], "volume-key-missing");
    let look = found["look"].to_string();
    assert!(
        look.contains("kubectl describe secret/os-tls") && !look.contains("ca.crt -o"),
        "{look}"
    );
    assert!(
        found["message"].to_string().contains("Secret os-tls"),
        "{found:#}"
    );
    assert!(commands(&report).contains("rollout undo"), "{found:#}");
    let same = with(secret, false);
    assert!(!commands(&same).contains("rollout undo"), "{same:#}");
    let config = with(json!({"configMap": {"name": "app"}}), true);
    let look = obstacle(&config)["look"].to_string();
    assert!(look.contains("kubectl describe configmap/app"), "{look}");
}

#[test]
fn a_policy_that_wants_digests_is_met_only_by_a_template_that_has_them() {
    let undone = |old: &str| {
        let mut objects = set(3, "OrderedReady", "kv-new");
        for ordinal in 0..2 {
            objects.extend(pod(ordinal, "kv-old", DAY, DAY, "n-1"));
        }
        of(&mut objects, "ControllerRevision", "kv-old")["data"]["spec"]["template"]["spec"]["containers"]
            [0]["image"] = json!(old);
        let words = "create Pod kv-2 in StatefulSet kv failed error: pods \"kv-2\" is forbidden: ValidatingAdmissionPolicy 'digests' with binding 'b' denied request: image kv:2 has no digest";
        objects.push(event("StatefulSet", "kv", "FailedCreate", words));
        commands(&plan(&objects)).contains("rollout undo")
    };
    assert!(undone(
        "kv@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
    ));
    assert!(!undone("kv:1"));
}

#[test]
fn a_pod_that_is_evicted_every_twenty_minutes_is_a_loop() {
    let mut objects = rejected("Evicted");
    objects.retain(|it| it["kind"] != "Event");
    of(&mut objects, "Pod", "kv-2")["metadata"]["creationTimestamp"] =
        json!("2026-11-21T11:45:00Z");
    let words = "StatefulSet prod/kv is recreating failed Pod kv-2";
    let mut event = event("StatefulSet", "kv", "RecreatingFailedPod", words);
    event["count"] = json!(14);
    event["firstTimestamp"] = json!("2026-11-21T07:00:00Z");
    objects.push(event);
    let report = plan(&objects);
    assert_eq!(obstacle(&report)["cause"], "evicted-loop", "{report:#}");
}

#[test]
fn pods_of_an_earlier_set_of_that_name_are_left_to_the_garbage_collector() {
    let with = |created: &str, owner: &str| {
        let mut objects = serving();
        of(&mut objects, "StatefulSet", "kv")["metadata"]["creationTimestamp"] = json!(created);
        for name in ["kv-0", "kv-1", "kv-2"] {
            let owners = &mut of(&mut objects, "Pod", name)["metadata"]["ownerReferences"];
            owners[0]["uid"] = json!("of-an-earlier-one");
            owners[0]["name"] = json!(owner);
        }
        plan(&objects)
    };
    let report = with("2026-11-21T11:59:50Z", "kv");
    let message = obstacle(&report)["message"].to_string();
    assert!(
        message.contains("the garbage collector deletes it"),
        "{message}"
    );
    assert!(
        !commands(&report).contains("kubectl delete pod"),
        "{report:#}"
    );
    // It has had its time, or the pods are of another set.
    assert!(commands(&with("2026-11-21T11:00:00Z", "kv")).contains("kubectl delete pod kv-0"));
    assert!(commands(&with("2026-11-21T11:59:50Z", "vk")).contains("kubectl delete pod kv-0"));
}

#[test]
fn a_node_that_was_just_lost_is_looked_at_before_anything_is_forced() {
    let lost_since = |since: &str, deleted: bool| {
        let mut objects = serving();
        put(&mut objects, 2, test_kit::kv::running());
        of(&mut objects, "Pod", "kv-2")["spec"]["nodeName"] = json!("n-2");
        if deleted {
            of(&mut objects, "Pod", "kv-2")["metadata"]["deletionTimestamp"] = json!(since);
        }
        let mut lost = node("n-2", "a", false);
        lost["status"]["conditions"][0]["lastTransitionTime"] = json!(since);
        objects.push(lost);
        plan(&objects)
    };
    for deleted in [false, true] {
        let report = lost_since("2026-11-21T11:58:30Z", deleted);
        assert_eq!(obstacle(&report)["cause"], "node-lost");
        let text = commands(&report);
        for forced in ["taint", "delete node", "--force"] {
            assert!(!text.contains(forced), "{text}");
        }
        assert!(text.contains("kubectl describe node n-2"), "{text}");
        let later = lost_since("2026-11-21T11:50:00Z", deleted);
        assert!(commands(&later).contains("taint nodes n-2"), "{later:#}");
    }
}

#[test]
fn a_node_that_has_just_joined_is_waited_for_and_the_one_that_it_replaces_stays_cordoned() {
    let message = "0/2 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/not-ready: }, 1 node(s) were unschedulable.";
    let of = |created: &str| {
        let mut fresh = test_kit::kv::node_of(&json!("n-2"), "cni plugin not initialized");
        fresh["metadata"]["creationTimestamp"] = json!(created);
        fresh["metadata"]["labels"]["topology.kubernetes.io/zone"] = json!("b");
        fresh["spec"] =
            json!({"taints": [{"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}]});
        let mut old = node("n-1", "b", true);
        old["spec"] = json!({"unschedulable": true});
        without_place(message, "", &[old, fresh])
    };
    let joins = of("2026-11-21T11:58:30Z");
    assert_eq!(obstacle(&joins)["cause"], "node-joining");
    assert!(!commands(&joins).contains("uncordon"), "{joins:#}");
    assert_eq!(obstacle(&of(LONG_AGO))["cause"], "node-not-ready-taint");
}

#[test]
fn a_scale_up_without_a_new_node_is_told_by_what_the_provider_says() {
    let message = "0/1 nodes are available: 1 Insufficient cpu.";
    let of = |of_pod: (&str, &str), other: Option<Value>| {
        let mut announced = event("Pod", "kv-2", of_pod.0, of_pod.1);
        announced["type"] = json!("Normal");
        announced["lastTimestamp"] = announced["firstTimestamp"].clone();
        let mut old = node("n-1", "a", true);
        old["metadata"]["creationTimestamp"] = json!("2026-01-01T00:00:00Z");
        let mut objects = vec![old, announced];
        objects.extend(other);
        obstacle(&without_place(message, "", &objects))["cause"].clone()
    };
    let triggered = (
        "TriggeredScaleUp",
        "pod triggered scale-up: [{group 2->3 (max: 6)}]",
    );
    assert_eq!(of(triggered, None), "node-not-joining");
    let refused = |kind: &str, name: &str, namespace: &str, reason: &str, words: &str| {
        let mut event = event(kind, name, reason, words);
        event["metadata"]["namespace"] = json!(namespace);
        event["involvedObject"]["namespace"] = json!(namespace);
        Some(event)
    };
    let of_group = refused(
        "ConfigMap",
        "cluster-autoscaler-status",
        "kube-system",
        "FailedToScaleUpGroup",
        "Scale-up failed for group group: InsufficientInstanceCapacity",
    );
    assert_eq!(of(triggered, of_group.clone()), "scale-up-stockout");
    let backoff = (
        "NotTriggerScaleUp",
        "pod didn't trigger scale-up: 1 in backoff after failed scale-up",
    );
    assert_eq!(of(backoff, of_group), "scale-up-stockout");
    assert_eq!(of(backoff, None), "scale-up-backoff");
    let nominated = ("Nominated", "Pod should schedule on: nodeclaim/gpu-1");
    for (reason, cause) in [
        ("InsufficientCapacityError", "scale-up-failed"),
        ("NodeClassNotReady", "node-class-not-ready"),
    ] {
        let words = "NodeClaim gpu-1 event: refused";
        let of_claim = refused("NodeClaim", "gpu-1", "default", reason, words);
        assert_eq!(of(nominated, of_claim), cause);
    }
}
