//! Nodes that fail: what the answers say of pods on nodes that are lost, tainted, missing or out of service, and of the
//! pods of other owners on them.

use serde_json::{Value, json};
use sts_controller::apiserver::apply::Edit;
use sts_controller::simulate::{Assumption, Start};
use test_kit::input::Input;
use test_kit::nodes::{budget, cluster, crash_looping, node, set, three_nodes};
use test_kit::told::told;

use super::on;

/// A ready pod of a ReplicaSet, or of nobody.
fn other(name: &str, owned: bool, node: &str) -> Value {
    let owner = json!([{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "api", "uid": "uid-api", "controller": true}]);
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": "prod", "uid": format!("uid-{name}"), "labels": {"app": "api"},
            "ownerReferences": if owned { owner } else { json!([]) }},
        "spec": {"nodeName": node, "containers": [{"name": "app", "image": "app:1"}], "tolerations": [
            {"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}]},
        "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]},
    })
}

/// The node does not respond since this time.
fn silent(mut node: Value, since: &str, taints: Value) -> Value {
    node["status"]["conditions"] =
        json!([{"type": "Ready", "status": "Unknown", "lastTransitionTime": since}]);
    node["spec"] = json!({"taints": taints});
    node
}

/// The cluster of three nodes, with another `node-7` and another pod on it.
fn with(change: impl Fn(&mut Value, &mut Value)) -> Vec<Value> {
    let mut objects = cluster(&[]);
    let (mut first, mut pod) = (node("node-7", "a"), objects[1].clone());
    change(&mut first, &mut pod);
    objects[1] = pod;
    for object in &mut objects {
        if object["kind"] == "Node" && object["metadata"]["name"] == "node-7" {
            *object = first.clone();
        }
    }
    objects
}

/// The deletions and removals of a pod by others than the controller: time, actor and event.
fn events(input: &Input, pod: &str) -> Vec<(i64, String, String)> {
    let report = input.json();
    let steps = report["steps"].as_array().unwrap().iter();
    let of_pod = steps.filter(|step| step["name"] == pod && step["event"].is_string());
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    of_pod
        .map(|step| {
            (
                step["at"].as_i64().unwrap(),
                text(&step["actor"]),
                text(&step["event"]),
            )
        })
        .collect()
}

#[test]
fn a_pod_of_a_lost_node_is_down_from_the_moment_of_the_loss() {
    let objects = cluster(&[]);
    let asked = on(&objects).lose("node-7").drain("node-8");
    let own = asked.json()["nodes"]["sets"][0].clone();
    assert_eq!(
        (&own["lowestReady"], &own["losesQuorum"]),
        (&json!(1), &json!(true))
    );
    let required = asked.require("quorum").json()["requirements"][0].clone();
    assert_eq!(required["holds"], false, "{required}");
    // The loss alone breaks a requirement of all at once, and leaves a quorum.
    let alone = |requirement: &str| on(&objects).lose("node-7").require(requirement).json();
    let broken = alone("ready>=3")["requirements"][0]["brokenAt"].clone();
    assert_eq!(broken["at"], 0, "{broken}");
    assert_eq!(broken["event"], "at the start, with the loss of node-7");
    assert_eq!(alone("quorum")["requirements"][0]["holds"], true);
    // Nothing is lost in a drain alone.
    let drained = on(&objects).drain("node-8").json();
    assert_eq!(drained["nodes"]["sets"][0]["lowestReady"], 2);
}

#[test]
fn a_drain_after_a_loss_sees_the_budget_once_the_loss_is_noticed() {
    let mut objects = cluster(&[budget(json!({"maxUnavailable": 1}))]);
    objects.extend(set("far", &["node-8"], json!({})));
    let found = on(&objects).lose("node-7").drain("node-8,node-9").json()["nodes"].clone();
    assert_eq!(found["verdict"], "hangs", "{found:#}");
}

#[test]
fn a_loss_takes_down_pods_of_other_owners_too() {
    let mut objects = cluster(&[]);
    objects.extend([
        other("api-0", true, "node-7"),
        other("debug", false, "node-7"),
        other("api-1", true, "node-8"),
    ]);
    let mut daemon = other("agent", true, "node-7");
    daemon["metadata"]["ownerReferences"][0]["kind"] = json!("DaemonSet");
    objects.push(daemon);
    let found = on(&objects).lose("node-7").json()["nodes"].clone();
    let rows = found["lostPods"].as_array().unwrap();
    let rows: Vec<_> = rows
        .iter()
        .map(|row| (&row["pod"], &row["deletedAt"], &row["comesBack"]))
        .collect();
    assert_eq!(
        rows,
        [
            (&json!("api-0"), &json!(350), &json!(true)),
            (&json!("debug"), &json!(350), &json!(false)),
        ]
    );
    let summary = found["summary"].as_str().unwrap();
    assert!(
        summary.starts_with("Loss of node-7: at most 3 pods down (2 of other owners)"),
        "{summary}"
    );
    assert!(
        summary.contains("2 pods do not come back (prod/web-0, prod/debug)"),
        "{summary}"
    );
}

#[test]
fn the_pod_of_a_deployment_on_a_dead_node_is_replaced_and_a_drain_waits_for_it() {
    let mut objects = set("web", &["node-8", "node-9"], json!({}));
    objects.extend([silent(
        node("node-7", "a"),
        "2026-11-20T02:58:20Z",
        json!([]),
    )]);
    objects.extend([node("node-8", "b"), node("node-9", "c")]);
    let mut dead = other("api-0", true, "node-7");
    dead["status"]["conditions"][0]["status"] = json!("False");
    let mut guard = budget(json!({"maxUnavailable": 1}));
    guard["spec"]["selector"] = json!({"matchLabels": {"app": "api"}});
    objects.extend([dead, other("api-1", true, "node-8"), guard]);
    let found = on(&objects).drain("node-8").json()["nodes"].clone();
    // 100s of the 300s are over; the replacement needs ten more.
    assert_eq!(found["verdict"], "ends", "{found:#}");
    assert_eq!(found["otherPods"][0]["at"], 210);
    // Its kubelet stops nothing: a drain of the dead node itself hangs.
    let dead = on(&objects).drain("node-7").json()["nodes"].clone();
    assert_eq!(dead["verdict"], "hangs", "{dead:#}");
}

#[test]
fn the_timer_of_a_pod_ends_with_it() {
    let taint = json!([{"key": "node.kubernetes.io/out-of-service", "value": "nodeshutdown", "effect": "NoExecute"}]);
    let objects = with(|node, pod| {
        *node = silent(node.clone(), "2026-11-20T02:58:20Z", taint.clone());
        pod["status"]["conditions"][0]["status"] = json!("False");
    });
    let deleted = events(&on(&objects), "web-0");
    let deleted: Vec<_> = deleted
        .iter()
        .filter(|(_, _, event)| event == "PodDeleted")
        .collect();
    assert_eq!(deleted.len(), 1, "{deleted:?}");
}

#[test]
fn an_out_of_service_taint_deletes_only_with_its_effect_and_always_collects() {
    let events_with = |effect: &str| {
        let taint = json!([{"key": "node.kubernetes.io/out-of-service", "effect": effect}]);
        let objects = with(|node, pod| {
            *node = silent(node.clone(), "2026-11-20T02:58:20Z", taint.clone());
            pod["status"]["conditions"][0]["status"] = json!("False");
        });
        let found = events(&on(&objects), "web-0");
        let times = found
            .into_iter()
            .filter(|(_, _, event)| event != "PodReady");
        times.map(|(at, _, event)| (at, event)).collect::<Vec<_>>()
    };
    let at = |deleted: i64| {
        vec![
            (deleted, "PodDeleted".to_owned()),
            (deleted + 20, "PodRemoved".to_owned()),
        ]
    };
    assert_eq!(events_with("NoExecute"), at(0));
    assert_eq!(events_with("NoSchedule"), at(200));
}

#[test]
fn a_pod_whose_node_is_gone_is_down_and_collected() {
    let mut objects = cluster(&[]);
    objects.retain(|object| object["kind"] != "Node" || object["metadata"]["name"] != "node-7");
    // A file with only the nodes of the other pods may lack one.
    assert!(events(&on(&objects), "web-0").is_empty());
    objects.push(node("node-1", "a"));
    let removed = events(&on(&objects), "web-0");
    assert_eq!(removed[0].0, 40, "{removed:?}");
    assert_eq!(removed[0].2, "PodRemoved");
    // Its status says ready for so long, which is what an eviction asks about.
    let own = on(&objects).drain("node-8").json()["nodes"]["sets"][0].clone();
    assert_eq!(
        (&own["lowestReady"], &own["losesQuorum"]),
        (&json!(1), &json!(true)),
        "{own:#}"
    );
    // Garbage collection would have removed one that has been down for an hour.
    let mut old = objects.clone();
    old[1]["status"]["conditions"][0] =
        json!({"type": "Ready", "status": "False", "lastTransitionTime": "2026-11-20T02:00:20Z"});
    assert!(events(&on(&old), "web-0").is_empty());
    // A file with no node of the set's pods may lack nodes.
    let mut few = set("web", &["node-7", "node-8"], json!({}));
    few.push(node("node-1", "a"));
    assert!(events(&on(&few), "web-0").is_empty());
}

#[test]
fn taints_delete_pods_that_do_not_tolerate_them() {
    let deleted = |toleration: Value, added: Option<&str>| {
        let objects = with(|node, pod| {
            let mut taint = json!({"key": "maintenance", "value": "soon", "effect": "NoExecute"});
            if let Some(added) = added {
                taint["timeAdded"] = json!(added);
            }
            node["spec"] = json!({"taints": [taint]});
            let tolerations = pod["spec"]["tolerations"].as_array_mut().unwrap();
            tolerations.extend(toleration.as_array().unwrap().iter().cloned());
        });
        let found = events(&on(&objects), "web-0");
        found.first().map(|(at, actor, _)| (*at, actor.clone()))
    };
    let by_taint = |at: i64| Some((at, "node-lifecycle".to_owned()));
    let tolerates = |seconds: Value| json!([{"key": "maintenance", "operator": "Exists", "tolerationSeconds": seconds}]);
    assert_eq!(
        deleted(json!([]), Some("2026-11-20T02:59:59Z")),
        by_taint(0)
    );
    assert_eq!(
        deleted(tolerates(json!(600)), Some("2026-11-20T02:55:00Z")),
        by_taint(300)
    );
    assert_eq!(deleted(tolerates(json!(600)), None), by_taint(600));
    assert_eq!(
        deleted(tolerates(Value::Null), Some("2026-11-20T02:55:00Z")),
        None
    );
    let other_value = json!([{"key": "maintenance", "value": "now"}]);
    assert_eq!(
        deleted(other_value, Some("2026-11-20T02:59:59Z")),
        by_taint(0)
    );
    // Something else keeps a pod that has outlived the taint.
    assert_eq!(deleted(json!([]), Some("2026-11-20T01:00:00Z")), None);
    // The first toleration that matches decides.
    let both = json!([{"key": "maintenance", "operator": "Exists"}, {"key": "maintenance", "operator": "Exists", "tolerationSeconds": 600}]);
    assert_eq!(deleted(both, Some("2026-11-20T02:55:00Z")), None);
}

#[test]
fn a_stored_pod_without_tolerations_has_none() {
    let lost = |fields: Value| {
        let objects = with(|_, pod| {
            pod["spec"].as_object_mut().unwrap().remove("tolerations");
            for (name, value) in fields.as_object().unwrap() {
                pod["spec"][name] = value.clone();
            }
        });
        let found = events(&on(&objects).lose("node-7"), "web-0");
        let deleted = found.iter().find(|(_, _, event)| event == "PodDeleted");
        deleted.map(|(at, ..)| *at)
    };
    let defaults = json!({"dnsPolicy": "ClusterFirst", "schedulerName": "default-scheduler", "restartPolicy": "Always"});
    assert_eq!(lost(defaults), Some(50));
    // A manifest lacks what admission adds.
    assert_eq!(lost(json!({})), Some(350));
}

#[test]
fn a_pod_that_tolerates_the_loss_forever_does_not_come_back() {
    let objects = with(|_, pod| pod["spec"]["tolerations"] = json!([{"operator": "Exists"}]));
    let found = on(&objects).lose("node-7").json()["nodes"].clone();
    assert_eq!(
        found["summary"],
        "Loss of node-7: at most 1 pod down; prod/web-0 does not come back"
    );
    assert_eq!(
        found["sets"][0]["homeless"][0]["message"],
        "web-0 stays on node-7, which does not respond: it tolerates node.kubernetes.io/unreachable forever, so nothing deletes it"
    );
}

#[test]
fn assumed_nodes_are_spare_room_and_not_part_of_a_zone() {
    let mut objects = cluster(&[]);
    objects.push(node("node-1", "a"));
    let asked = on(&objects).drain("zone=a").more_nodes(1, "node-7");
    let found = asked.json()["nodes"].clone();
    let drained = found["drain"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["node"].as_str().unwrap());
    assert_eq!(drained.collect::<Vec<_>>(), ["node-1", "node-7"]);
    assert!(
        !found["command"].as_str().unwrap().contains("like"),
        "{found:#}"
    );
    assert!(found["sets"][0]["homeless"].is_null());
    let lost = on(&objects).lose("zone=a").more_nodes(1, "node-7").json()["nodes"].clone();
    assert_eq!(lost["sets"][0]["mostDown"], 1, "{lost:#}");
}

/// The set of three with requests, and one more node that pods of lower priority fill.
fn crowded(policy: Option<&str>) -> Vec<Value> {
    let mut objects = set("web", &["node-7", "node-8", "node-9"], json!({}));
    for object in &mut objects {
        if object["kind"] == "Pod" {
            object["spec"]["containers"][0]["resources"] = json!({"requests": {"cpu": "3"}});
            object["spec"]["priority"] = json!(1000);
            if let Some(policy) = policy {
                object["spec"]["preemptionPolicy"] = json!(policy);
            }
        }
    }
    objects[0]["spec"]["template"]["spec"]["containers"][0]["resources"] =
        json!({"requests": {"cpu": "3"}});
    objects[0]["spec"]["template"]["spec"]["priorityClassName"] = json!("high");
    objects.extend(three_nodes());
    objects.push(node("node-1", "a"));
    let mut batch = other("batch", true, "node-1");
    batch["spec"]["containers"][0]["resources"] = json!({"requests": {"cpu": "3"}});
    objects.push(batch);
    objects
}

#[test]
fn preempted_pods_are_named() {
    let found = on(&crowded(None)).drain("node-7").json()["nodes"].clone();
    let own = &found["sets"][0];
    assert_eq!(
        own["preempting"][0]["message"],
        "web-0 comes back only if it preempts prod/batch on node-1 (lower priority)"
    );
    assert!(
        found["summary"]
            .as_str()
            .unwrap()
            .ends_with("prod/web-0: back only by preempting other pods")
    );
    // A pod that preempts none finds no node.
    let never = on(&crowded(Some("Never"))).drain("node-7").json()["nodes"]["sets"][0].clone();
    assert_eq!(never["homeless"][0]["pod"], "web-0");
    // With room for it, nothing is preempted.
    let mut roomy = crowded(None);
    roomy.push(node("node-2", "a"));
    let own = on(&roomy).drain("node-7").json()["nodes"]["sets"][0].clone();
    assert!(
        own["preempting"].is_null() && own["homeless"].is_null(),
        "{own:#}"
    );
}

#[test]
fn data_in_directories_of_the_node_stays_behind() {
    let left = |path: &str, kind: &str, mounts: Value| {
        let objects = with(|_, pod| {
            pod["spec"]["volumes"] =
                json!([{"name": "data", "hostPath": {"path": path, "type": kind}}]);
            pod["spec"]["containers"][0]["volumeMounts"] = mounts.clone();
        });
        on(&objects).drain("node-7").json()["nodes"]["sets"][0]["leavingData"].clone()
    };
    let written = || json!([{"name": "data", "mountPath": "/data"}]);
    let found = left("/var/lib/db", "DirectoryOrCreate", written());
    assert_eq!(
        found[0]["message"],
        "web-0 keeps data in hostPath /var/lib/db, which stays on node-7: on another node it starts with what is there, maybe nothing"
    );
    assert!(
        left(
            "/var/lib/db",
            "",
            json!([{"name": "data", "mountPath": "/data", "readOnly": true}])
        )
        .is_null()
    );
    assert!(left("/etc/localtime", "File", written()).is_null());
    assert!(left("/run/containerd.sock", "Socket", written()).is_null());
    assert!(!left("/etcd", "Directory", written()).is_null());
}

/// A copy of the data that is healthy is not deleted while another one is missing.
#[test]
fn a_volume_is_not_given_up_while_a_pod_is_not_ready() {
    let local = |ready: &str| {
        let mut objects = cluster(&[]);
        objects[0]["spec"]["volumeClaimTemplates"] = json!([{"metadata": {"name": "data"},
            "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "local",
                "resources": {"requests": {"storage": "1Gi"}}}}]);
        for (ordinal, name) in ["node-7", "node-8", "node-9"].iter().enumerate() {
            let claim = format!("data-web-{ordinal}");
            objects[1 + ordinal]["spec"]["volumes"] =
                json!([{"name": "data", "persistentVolumeClaim": {"claimName": claim}}]);
            objects.push(json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim",
                "metadata": {"name": claim, "namespace": "prod", "labels": {"app": "web", "set": "web"}},
                "spec": {"volumeName": format!("pv-{ordinal}"), "storageClassName": "local", "accessModes": ["ReadWriteOnce"],
                    "resources": {"requests": {"storage": "1Gi"}}},
                "status": {"phase": "Bound"}}));
            objects.push(json!({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": format!("pv-{ordinal}")},
                "spec": {"storageClassName": "local", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"},
                    "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
                        {"key": "kubernetes.io/hostname", "operator": "In", "values": [name]}]}]}}}}));
        }
        objects[2]["status"]["conditions"][0]["status"] = json!(ready);
        on(&objects).drain("node-7").json()["nodes"]["sets"][0]["forGood"].clone()
    };
    assert!(local("True").is_array());
    assert!(local("False").is_null());
}

#[test]
fn a_pod_whose_required_neighbor_is_gone_does_not_come_back() {
    let beside = |cache_is_bound: bool| {
        let affinity = json!({"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
            {"labelSelector": {"matchLabels": {"app": "api"}}, "topologyKey": "kubernetes.io/hostname"}]}});
        let mut objects = set("web", &["node-7"], json!({"affinity": affinity}));
        objects.extend(three_nodes());
        let mut cache = other("cache", true, "node-7");
        if cache_is_bound {
            cache["spec"]["nodeSelector"] = json!({"kubernetes.io/hostname": "node-7"});
        }
        objects.push(cache);
        on(&objects).drain("node-7").json()["nodes"].clone()
    };
    let bound = beside(true);
    assert_eq!(bound["sets"][0]["homeless"][0]["pod"], "web-0", "{bound:#}");
    assert!(
        bound["summary"]
            .as_str()
            .unwrap()
            .ends_with("2 pods do not come back (prod/web-0, prod/cache)")
    );
    assert!(beside(false)["sets"][0]["homeless"].is_null());
}

#[test]
fn volumes_of_pods_of_other_owners_are_checked() {
    let mut objects = cluster(&[]);
    let mut guard = budget(json!({"maxUnavailable": 1}));
    guard["spec"]["selector"] = json!({"matchLabels": {"app": "api"}});
    objects.push(guard);
    for name in ["files-0", "files-1"] {
        let mut pod = other(name, true, "node-7");
        pod["spec"]["volumes"] =
            json!([{"name": "data", "persistentVolumeClaim": {"claimName": name}}]);
        objects.push(pod);
        objects.push(json!({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": format!("pv-{name}")},
            "spec": {"accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"},
                "claimRef": {"namespace": "prod", "name": name, "uid": format!("uid-{name}")},
                "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
                    {"key": "kubernetes.io/hostname", "operator": "In", "values": ["node-7"]}]}]}}}}));
    }
    let found = on(&objects).drain("node-7").json()["nodes"].clone();
    assert_eq!(found["verdict"], "hangs", "{found:#}");
    assert_eq!(found["otherPods"][0]["comesBack"], false);
    for object in &mut objects {
        if object["kind"] == "PersistentVolume" {
            object["spec"]
                .as_object_mut()
                .unwrap()
                .remove("nodeAffinity");
        }
    }
    assert_eq!(
        on(&objects).drain("node-7").json()["nodes"]["verdict"],
        "ends"
    );
}

#[test]
fn a_drain_that_needs_a_crash_looping_pod_to_recover_says_if() {
    let found = on(&crash_looping()).drain("node-7").json()["nodes"].clone();
    assert_eq!(found["verdict"], "ends");
    assert_eq!(found["restsOn"], json!(["prod/web-0"]));
    let summary = found["summary"].as_str().unwrap();
    assert!(
        summary.contains(
            ", if prod/web-0, which is not ready now, becomes ready after its move: evicts 2 pods"
        ),
        "{summary}"
    );
    let command = found["command"].as_str().unwrap();
    assert!(command.starts_with("kubectl drain node-7"), "{command}");
    // Another node has no pod that waits for it.
    let other = on(&crash_looping()).drain("node-9").json()["nodes"].clone();
    assert!(other["restsOn"].is_null());
    // A healthy set rests on nothing.
    assert!(on(&cluster(&[])).drain("node-7").json()["nodes"]["restsOn"].is_null());
}

#[test]
fn no_order_of_a_maintenance_is_better_because_it_stops_earlier() {
    let mut objects = cluster(&[budget(json!({"maxUnavailable": 1}))]);
    let mut only = set("single", &["node-8"], json!({}));
    for object in &mut only {
        let labels = match object["kind"].as_str().unwrap() {
            "Pod" => &mut object["metadata"]["labels"],
            _ => &mut object["spec"]["template"]["metadata"]["labels"],
        };
        labels["app"] = json!("single");
    }
    only[0]["spec"]["selector"]["matchLabels"]["app"] = json!("single");
    objects.extend(only);
    let mut guard = budget(json!({"maxUnavailable": 0}));
    guard["metadata"]["name"] = json!("single");
    guard["spec"]["selector"]["matchLabels"]["app"] = json!("single");
    objects.push(guard);
    let found = on(&objects).drain("each").return_after(10, 1).json()["nodes"].clone();
    assert_eq!(found["verdict"], "hangs", "{found:#}");
    assert!(found["maintenance"]["betterOrder"].is_null(), "{found:#}");
    let advice = found["advice"].to_string();
    assert!(
        advice.contains("the maintenance completes after"),
        "{advice}"
    );
}

/// The input after `kubectl rollout restart`.
fn restarted(objects: &[Value]) -> Input {
    on(objects).edited([Edit::restart("2026-11-20T03:00:00Z")])
}

#[test]
fn a_drain_that_a_livelock_holds_hangs_from_its_beginning() {
    let mut objects = cluster(&[budget(json!({"minAvailable": 2}))]);
    objects[0]["spec"]["updateStrategy"] = json!({"type": "RollingUpdate"});
    let fails = Assumption {
        fails_now: true,
        start: Start::Fails,
        ..Assumption::default()
    };
    let asked = restarted(&objects).drain("node-7").assuming("web-2", fails);
    let found = asked.json()["nodes"].clone();
    assert_eq!(
        (&found["verdict"], &found["at"]),
        (&json!("hangs"), &json!(0)),
        "{found:#}"
    );
}

#[test]
fn the_worse_order_of_a_rollout_and_a_drain_counts() {
    let with_policy = |policy: &str| {
        let mut objects = cluster(&[budget(json!({"maxUnavailable": 1}))]);
        objects[0]["spec"]["updateStrategy"] = json!({"type": "RollingUpdate"});
        objects[0]["spec"]["podManagementPolicy"] = json!(policy);
        let asked = restarted(&objects).drain("node-7").require("quorum");
        let report = asked.json();
        (
            report["nodes"]["sets"][0]["lowestReady"].as_i64().unwrap(),
            report["requirements"][0]["holds"].as_bool().unwrap(),
        )
    };
    assert_eq!(with_policy("Parallel"), (1, false));
    // This controller waits for the evicted pod.
    assert_eq!(with_policy("OrderedReady"), (2, true));
}

/// The first pod is terminating, or not ready, on a node that does not respond.
fn on_a_dead_node(change: impl Fn(&mut Value)) -> Vec<Value> {
    with(|node, pod| {
        *node = silent(node.clone(), "2026-11-20T02:45:00Z", json!([]));
        pod["status"]["conditions"][0] = json!({"type": "Ready", "status": "False", "lastTransitionTime": "2026-11-20T02:45:00Z"});
        change(pod);
    })
}

fn commands(objects: &[Value]) -> Vec<(Vec<String>, String)> {
    let report = on(objects).json();
    let remedies = report["analysis"]["remedies"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let of = |remedy: &Value| {
        remedy["commands"]
            .as_array()
            .unwrap()
            .iter()
            .map(text)
            .collect()
    };
    remedies
        .iter()
        .map(|remedy| (of(remedy), text(&remedy["effect"])))
        .collect()
}

#[test]
fn a_pod_that_tolerates_everything_is_deleted_beside_the_taint() {
    let all = json!([{"operator": "Exists"}]);
    let found = commands(&on_a_dead_node(|pod| {
        pod["spec"]["tolerations"] = all.clone()
    }));
    assert_eq!(
        found[0].0,
        [
            "kubectl taint nodes node-7 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute",
            "kubectl delete pod web-0 -n prod",
        ],
        "{found:#?}"
    );
    assert_eq!(commands(&on_a_dead_node(|_| {}))[0].0.len(), 1);
}

#[test]
fn finalizers_on_a_dead_node_are_not_its_only_hold() {
    let found = commands(&on_a_dead_node(|pod| {
        pod["metadata"]["deletionTimestamp"] = json!("2026-11-20T02:50:00Z");
        pod["metadata"]["deletionGracePeriodSeconds"] = json!(30);
        pod["metadata"]["finalizers"] = json!(["example.com/backup"]);
    }));
    let has = |words: &str| {
        found
            .iter()
            .all(|(commands, _)| commands.iter().any(|it| it.contains(words)))
    };
    assert!(!found.is_empty() && has("finalizers"), "{found:#?}");
    assert!(
        found.iter().all(|(commands, _)| commands.len() == 2),
        "{found:#?}"
    );
}

#[test]
fn an_attached_volume_waits_for_a_forced_detach_unless_the_node_is_out_of_service() {
    let with_mode = |mode: &str| {
        let mut objects = on_a_dead_node(|pod| {
            pod["spec"]["volumes"] =
                json!([{"name": "data", "persistentVolumeClaim": {"claimName": "data-web-0"}}]);
        });
        objects[0]["spec"]["volumeClaimTemplates"] = json!([{"metadata": {"name": "data"},
            "spec": {"accessModes": [mode], "resources": {"requests": {"storage": "1Gi"}}}}]);
        for ordinal in 1..=2 {
            let claim = format!("data-web-{ordinal}");
            objects[1 + ordinal]["spec"]["volumes"] =
                json!([{"name": "data", "persistentVolumeClaim": {"claimName": claim}}]);
        }
        objects.push(json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": {"name": "data-web-0", "namespace": "prod", "labels": {"app": "web", "set": "web"}},
            "spec": {"volumeName": "pv-0", "accessModes": [mode], "resources": {"requests": {"storage": "1Gi"}}},
            "status": {"phase": "Bound"}}));
        objects.push(json!({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "pv-0"},
            "spec": {"accessModes": [mode], "capacity": {"storage": "1Gi"}, "csi": {"driver": "ebs.csi.aws.com", "volumeHandle": "v"}}}));
        objects.push(json!({"apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment", "metadata": {"name": "at-0"},
            "spec": {"attacher": "ebs.csi.aws.com", "nodeName": "node-7", "source": {"persistentVolumeName": "pv-0"}},
            "status": {"attached": true}}));
        let report = on(&objects).json();
        let remedies = report["analysis"]["remedies"].as_array().unwrap().clone();
        let after = |words: &str| {
            let found = remedies
                .iter()
                .find(|remedy| remedy["commands"].to_string().contains(words));
            let found = found.unwrap_or_else(|| panic!("{words}: {report:#}"));
            found["effect"].as_str().unwrap().to_owned()
        };
        (after("taint"), after("delete node"))
    };
    let (tainted, deleted) = with_mode("ReadWriteOnce");
    assert!(
        tainted.starts_with("the rollout completes after 40s"),
        "{tainted}"
    );
    assert!(
        deleted.starts_with("the rollout completes after 7m0s"),
        "{deleted}"
    );
    let (_, shared) = with_mode("ReadWriteMany");
    assert!(
        shared.starts_with("the rollout completes after 1m0s"),
        "{shared}"
    );
}

#[test]
fn a_drain_of_a_dead_node_names_the_node_and_not_the_pod() {
    let objects = on_a_dead_node(|_| {});
    let found = on(&objects).drain("node-7").json();
    let nodes = &found["nodes"];
    assert_eq!(
        (&nodes["verdict"], &nodes["at"]),
        (&json!("hangs"), &json!(0))
    );
    let advice = nodes["advice"][0]["when"].as_str().unwrap();
    assert!(
        advice.starts_with("node node-7 does not respond"),
        "{advice}"
    );
    let screen = told(&on(&objects).drain("node-7").report());
    assert!(
        screen.contains("if node node-7 comes back, web-0 is removed and created again"),
        "{screen}"
    );
    let plain = told(&on(&objects).report());
    assert!(
        plain.contains("if node node-7 comes back, web-0 becomes ready again"),
        "{plain}"
    );
}

#[test]
fn a_lease_that_has_expired_is_a_warning_before_a_drain() {
    let with_leases = |renewed: [&str; 2]| {
        let mut objects = cluster(&[]);
        for (node, renewed) in ["node-7", "node-8"].iter().zip(renewed) {
            objects.push(json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
                "metadata": {"name": node, "namespace": "kube-node-lease"},
                "spec": {"holderIdentity": node, "leaseDurationSeconds": 40, "renewTime": renewed}}));
        }
        on(&objects).drain("node-8").json()["nodes"]["advice"].clone()
    };
    let (fresh, old) = ("2026-11-20T02:59:55.000000Z", "2026-11-20T02:59:15.000000Z");
    let found = with_leases([old, fresh]);
    assert_eq!(
        found[0]["when"],
        "node node-7 is ready by its status, but has not renewed its lease for 45s: prod/web-0 may be down already"
    );
    assert!(with_leases([fresh, fresh]).is_null());
    // An input whose leases are all old is old itself.
    assert!(with_leases([old, old]).is_null());
}

#[test]
fn a_long_grace_period_is_part_of_the_first_sentence() {
    let objects = with(|_, pod| pod["spec"]["terminationGracePeriodSeconds"] = json!(3600));
    let found = on(&objects).drain("node-7").json()["nodes"].clone();
    assert_eq!(found["longestGrace"], 3600);
    let summary = found["summary"].as_str().unwrap();
    assert!(
        summary.contains("(a pod may take up to 1h0m0s to terminate)"),
        "{summary}"
    );
    assert!(on(&cluster(&[])).drain("node-7").json()["nodes"]["longestGrace"].is_null());
}

#[test]
fn a_node_that_only_the_question_cordons_is_no_remedy_for_an_older_problem() {
    let mut objects = cluster(&[budget(json!({"maxUnavailable": 1}))]);
    objects[3]["spec"]
        .as_object_mut()
        .unwrap()
        .remove("nodeName");
    objects[3]["status"] = json!({"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False",
        "reason": "Unschedulable", "message": "0/3 nodes are available: 3 Insufficient memory.",
        "lastTransitionTime": "2026-11-17T03:00:00Z"}]});
    let screen = on(&objects).drain("node-7").json().to_string();
    assert!(!screen.contains("uncordon node-7"), "{screen}");
}

#[test]
fn the_drained_node_is_a_place_that_pods_which_exclude_each_other_miss() {
    let mut objects = cluster(&[]);
    let port = json!([{"containerPort": 443, "hostPort": 443}]);
    objects[0]["spec"]["template"]["spec"]["containers"][0]["ports"] = port.clone();
    for pod in objects.iter_mut().filter(|it| it["kind"] == "Pod") {
        pod["spec"]["containers"][0]["ports"] = port.clone();
    }
    let screen = told(&on(&objects).drain("node-7").report());
    assert!(screen.contains("kubectl uncordon node-7"), "{screen}");
}

#[test]
fn a_forgotten_out_of_service_taint_is_to_be_removed() {
    let objects = with(|node, pod| {
        node["spec"] = json!({"taints": [{"key": "node.kubernetes.io/out-of-service", "value": "nodeshutdown", "effect": "NoExecute"}]});
        pod["spec"].as_object_mut().unwrap().remove("nodeName");
    });
    let mut objects: Vec<Value> = objects
        .into_iter()
        .filter(|it| it["metadata"]["name"] != "web-0")
        .collect();
    objects[0]["spec"]["template"]["spec"]["nodeSelector"] =
        json!({"kubernetes.io/hostname": "node-7"});
    let screen = told(&on(&objects).report());
    assert!(
        screen.contains(
            "once node node-7 is in service again, remove its taint: kubectl taint nodes node-7 node.kubernetes.io/out-of-service-"
        ),
        "{screen}"
    );
}

/// The disruption controller forgets an eviction whose pod is still there after two minutes.
#[test]
fn an_eviction_under_way_closes_a_budget_for_two_minutes() {
    let with_status = |disrupted: Value| {
        let mut guard = budget(json!({"maxUnavailable": 1}));
        guard["metadata"]["generation"] = json!(1);
        guard["status"] = json!({"observedGeneration": 1, "expectedPods": 3, "currentHealthy": 3, "desiredHealthy": 2,
            "disruptionsAllowed": 0, "disruptedPods": disrupted});
        let found = on(&cluster(&[guard])).drain("node-7").json()["nodes"].clone();
        (
            found["verdict"].as_str().unwrap().to_owned(),
            found["sets"][0]["evictions"][0]["at"].as_i64(),
        )
    };
    let ends = |at: i64| ("ends".to_owned(), Some(at));
    assert_eq!(
        with_status(json!({"web-1": "2026-11-20T02:59:57Z"})),
        ends(120)
    );
    assert_eq!(
        with_status(json!({"web-1": "2026-11-20T02:00:00Z"})),
        ends(0)
    );
    // Without one, nobody knows why the status allows nothing.
    assert_eq!(with_status(json!({})), ("hangs".to_owned(), None));
}

/// A budget over pods of other owners gets the same advice as one over the pods of a set.
#[test]
fn a_budget_of_other_owners_that_holds_a_drain_has_advice() {
    let with_owner = |owned: bool, spec: Value| {
        let mut guard = budget(spec);
        guard["spec"]["selector"] = json!({"matchLabels": {"app": "api"}});
        let mut objects = cluster(&[guard]);
        objects.push(other("api-0", owned, "node-7"));
        let found = on(&objects).drain("node-7").json()["nodes"].clone();
        assert_eq!(found["verdict"], "hangs", "{found:#}");
        found["advice"].clone()
    };
    let patched = with_owner(true, json!({"minAvailable": 1}));
    assert!(
        patched[0]["effect"]
            .as_str()
            .unwrap()
            .starts_with("the drain completes after"),
        "{patched:#}"
    );
    let bare = with_owner(false, json!({"maxUnavailable": 1})).to_string();
    assert!(
        bare.contains("have no controller, so it expects none"),
        "{bare}"
    );
}

#[test]
fn remedies_of_several_sets_are_told_apart() {
    let mut objects = cluster(&[]);
    objects.extend(set("far", &["node-8"], json!({})));
    let found = on(&objects).lose("node-7,node-8").json()["nodes"].clone();
    let advice = found["advice"].as_array().unwrap();
    let sets: Vec<&str> = advice
        .iter()
        .map(|it| it["set"].as_str().unwrap())
        .collect();
    assert_eq!(sets, ["prod/far", "prod/web"], "{advice:#?}");
    assert!(
        advice[1]["when"]
            .as_str()
            .unwrap()
            .starts_with("prod/web: if node node-7")
    );
    // One set has alternatives.
    let one = on(&cluster(&[])).lose("node-7").json()["nodes"]["advice"].clone();
    assert_eq!(one.as_array().unwrap().len(), 3);
}
