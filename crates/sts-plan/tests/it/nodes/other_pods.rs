//! Drains and losses with all pods of the nodes: other owners, their budgets and flags, places, zones and quotas.

use serde_json::{Value, json};
use test_kit::nodes::{
    REPLICA_SET, budget, budget_of_others, cluster, node, other, set, three_nodes,
};

use super::on;

fn with(mut object: Value, at: &str, value: Value) -> Value {
    *object.pointer_mut(at).unwrap() = value;
    object
}

/// The cluster of three nodes with a pod of `web` each, and more objects.
fn beside(more: impl IntoIterator<Item = Value>) -> Vec<Value> {
    let mut objects = cluster(&[]);
    objects.extend(more);
    objects
}

fn drain(objects: &[Value]) -> Value {
    on(objects).drain("node-7").json()["nodes"].clone()
}

#[test]
fn a_deployment_under_a_budget_of_zero_hangs_the_drain() {
    let objects = beside([
        other("api-0", REPLICA_SET, "node-7"),
        other("api-1", REPLICA_SET, "node-8"),
        budget_of_others(json!({"maxUnavailable": 0})),
    ]);
    let found = drain(&objects);
    assert_eq!(found["verdict"], "hangs", "{found:#}");
    let row = &found["otherPods"][0];
    assert_eq!(
        (&row["pod"], &row["owner"], &row["stranded"]["budgets"]),
        (
            &json!("api-0"),
            &json!("ReplicaSet pool"),
            &json!(["guard"])
        )
    );
    assert!(row["at"].is_null());
    let summary = found["summary"].as_str().unwrap();
    assert!(
        summary.contains("HANGS") && summary.contains("prod/api-0 (ReplicaSet pool)"),
        "{summary}"
    );
    let advice = found["advice"].to_string();
    assert!(
        advice.contains("kubectl patch pdb guard -n prod"),
        "{advice}"
    );
    // A budget that allows one gets out of the way.
    let objects = beside([
        other("api-0", REPLICA_SET, "node-7"),
        other("api-1", REPLICA_SET, "node-8"),
        budget_of_others(json!({"maxUnavailable": 1})),
    ]);
    assert_eq!(drain(&objects)["verdict"], "ends");
}

#[test]
fn the_command_has_the_flags_that_the_pods_need() {
    let empty = json!([{"name": "cache", "emptyDir": {}}]);
    let cached = |mut pod: Value| {
        pod["spec"]["volumes"] = empty.clone();
        pod
    };
    let flags = |more: Vec<Value>| {
        let found = drain(&beside(more));
        let flags = found["flags"].as_array().unwrap().iter();
        let needed = flags.filter(|flag| flag["pods"].is_array());
        let needed: Vec<String> = needed
            .map(|flag| {
                format!(
                    "{} {}",
                    flag["flag"].as_str().unwrap(),
                    flag["pods"][0].as_str().unwrap()
                )
            })
            .collect();
        (needed, found["command"].as_str().unwrap().to_owned())
    };
    let usual = "kubectl drain node-7 --ignore-daemonsets".to_owned();
    assert_eq!(flags(vec![]), (vec![], usual.clone()));
    let (needed, command) = flags(vec![
        other("bare", None, "node-7"),
        cached(other("api-0", REPLICA_SET, "node-7")),
        cached(other("agent", Some(("apps/v1", "DaemonSet")), "node-7")),
        // A pod of another node needs nothing.
        other("elsewhere", None, "node-8"),
    ]);
    assert_eq!(
        needed,
        [
            "--ignore-daemonsets prod/agent",
            "--delete-emptydir-data prod/api-0",
            "--force prod/bare"
        ]
    );
    assert_eq!(command, format!("{usual} --delete-emptydir-data --force"));
    // Pods that have ended, and those of the kubelet, need no flag.
    let ended = with(
        other("done", None, "node-7"),
        "/status/phase",
        json!("Succeeded"),
    );
    let mut mirror = cached(other("proxy", None, "node-7"));
    mirror["metadata"]["annotations"] = json!({"kubernetes.io/config.mirror": "hash"});
    assert_eq!(flags(vec![ended, mirror]), (vec![], usual));
}

#[test]
fn a_bare_pod_does_not_come_back_and_a_daemon_stays() {
    let found = drain(&beside([
        other("bare", None, "node-7"),
        other("agent", Some(("apps/v1", "DaemonSet")), "node-7"),
    ]));
    let rows = found["otherPods"].as_array().unwrap();
    assert_eq!(rows.len(), 1, "{found:#}");
    assert_eq!(
        (&rows[0]["pod"], &rows[0]["owner"], &rows[0]["comesBack"]),
        (&json!("bare"), &json!("no controller"), &json!(false))
    );
}

#[test]
fn a_drain_never_completes_without_a_word_about_pods_that_were_not_read() {
    let found = drain(&cluster(&[]));
    let summary = found["summary"].as_str().unwrap();
    assert!(
        summary.contains("completes after 5s for the pods that were read"),
        "{summary}"
    );
    let assumed = found["assumed"].to_string();
    assert!(assumed.contains("are known (prod)"), "{assumed}");
}

#[test]
fn a_race_for_an_eviction_is_told() {
    let both = json!({"maxUnavailable": 1, "selector": {"matchExpressions": [
        {"key": "app", "operator": "In", "values": ["web", "other"]}]}});
    let guard = with(budget(json!({})), "/spec", both);
    let objects = beside([
        other("pool-0", REPLICA_SET, "node-7"),
        other("pool-1", REPLICA_SET, "node-8"),
        guard,
    ]);
    let found = drain(&objects);
    let assumed = found["assumed"].to_string();
    assert!(assumed.contains("either may come first"), "{assumed}");
    assert!(assumed.contains("guard has no status"), "{assumed}");
}

/// The pods of `web` that do not come back when node-7 is drained.
fn homeless(objects: &[Value]) -> Vec<String> {
    names(&drain(objects)["sets"][0]["homeless"])
}

pub(super) fn names(list: &Value) -> Vec<String> {
    let list = list.as_array().into_iter().flatten();
    list.map(|one| one["pod"].as_str().unwrap().to_owned())
        .collect()
}

/// The cluster whose pods of `web` have these fields of the spec, and more objects.
fn asking(fields: Value, more: impl IntoIterator<Item = Value>) -> Vec<Value> {
    let mut objects = beside(more);
    for object in &mut objects {
        let spec = match object["kind"].as_str() {
            Some("StatefulSet") => &mut object["spec"]["template"]["spec"],
            Some("Pod") if object["metadata"]["labels"]["app"] == "web" => &mut object["spec"],
            _ => continue,
        };
        spec.as_object_mut()
            .unwrap()
            .extend(fields.as_object().unwrap().clone());
    }
    objects
}

pub(super) fn term(kind: &str, app: &str) -> Value {
    json!({"affinity": {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": app}}}]}}})
}

#[test]
fn pods_that_stay_exclude_nodes_by_required_affinity() {
    let stay = || {
        [
            other("api-0", REPLICA_SET, "node-8"),
            other("api-1", REPLICA_SET, "node-9"),
        ]
    };
    let away = term("podAntiAffinity", "other");
    assert_eq!(homeless(&asking(away.clone(), stay())), ["web-0"]);
    // One node is left.
    let [one, _] = stay();
    assert!(homeless(&asking(away, [one])).is_empty());
    // In the other direction.
    let shy = stay().map(|mut pod| {
        let spec = pod["spec"].as_object_mut().unwrap();
        spec.extend(term("podAntiAffinity", "web").as_object().unwrap().clone());
        pod
    });
    assert_eq!(homeless(&beside(shy)), ["web-0"]);
    // A required affinity to pods that exist nowhere, on a node that stays, and on the drained node.
    let near = term("podAffinity", "other");
    assert_eq!(homeless(&asking(near.clone(), [])), ["web-0"]);
    assert!(homeless(&asking(near.clone(), stay())).is_empty());
    let moving = other("api-0", REPLICA_SET, "node-7");
    assert!(
        homeless(&asking(near, [moving])).is_empty(),
        "it may go anywhere"
    );
    // Not to a pod that leaves for good, nor to one of a DaemonSet, which stays on the cordoned node.
    let near = term("podAffinity", "other");
    for owner in [None, Some(("apps/v1", "DaemonSet"))] {
        let objects = asking(near.clone(), [other("api-0", owner, "node-7")]);
        assert_eq!(homeless(&objects), ["web-0"]);
    }
    // A pod that selects itself may be the first.
    assert!(homeless(&asking(term("podAffinity", "web"), [])).is_empty());
}

/// The pods of all sets that may not come back when node-7 is drained.
fn uncertain(objects: &[Value]) -> Vec<String> {
    let found = on(objects).drain("node-7").json()["nodes"].clone();
    let sets = found["sets"].as_array().unwrap().iter();
    sets.flat_map(|set| names(&set["uncertain"])).collect()
}

/// Namespaces are selected by labels that no input has.
#[test]
fn an_affinity_to_namespaces_by_label_leaves_the_answer_open() {
    let mut away = term("podAntiAffinity", "other");
    let terms = &mut away["affinity"]["podAntiAffinity"];
    terms["requiredDuringSchedulingIgnoredDuringExecution"][0]["namespaceSelector"] =
        json!({"matchLabels": {"team": "one"}});
    let stay = ["node-8", "node-9"].map(|node| {
        let pod = other(node, REPLICA_SET, node);
        with(pod, "/metadata/namespace", json!("elsewhere"))
    });
    let objects = asking(away.clone(), stay);
    assert!(homeless(&objects).is_empty());
    assert_eq!(uncertain(&objects), ["web-0"]);
    // One free node is enough.
    let one = with(
        other("one", REPLICA_SET, "node-8"),
        "/metadata/namespace",
        json!("elsewhere"),
    );
    assert!(uncertain(&asking(away, [one])).is_empty());
}

/// Two pods that exclude each other and leave one node find one node.
#[test]
fn pods_that_exclude_each_other_compete_for_a_place() {
    let port = json!({"containers": [{"name": "app", "image": "app:1",
        "ports": [{"hostPort": 80, "containerPort": 80}]}]});
    for rule in [term("podAntiAffinity", "web"), port] {
        let objects = |more: &[&str]| {
            let mut objects = set("web", &["node-7"], json!({}));
            objects.extend(set("db", &["node-7"], json!({})));
            for object in &mut objects {
                let spec = match object["kind"].as_str() {
                    Some("StatefulSet") => &mut object["spec"]["template"]["spec"],
                    _ => &mut object["spec"],
                };
                let spec = spec.as_object_mut().unwrap();
                spec.extend(rule.as_object().unwrap().clone());
            }
            objects.extend(
                ["node-7", "node-8"]
                    .iter()
                    .chain(more)
                    .map(|name| node(name, "a")),
            );
            objects
        };
        let mut found = uncertain(&objects(&[]));
        found.sort();
        assert_eq!(found, ["db-0", "web-0"], "{rule}");
        assert!(uncertain(&objects(&["node-9"])).is_empty(), "{rule}");
    }
}

/// A controller that cannot count leaves the observed generation as it is: often there is none.
#[test]
fn a_budget_that_was_never_counted_holds_the_drain() {
    let failed = |observed: Value| {
        let mut guard = budget(json!({"maxUnavailable": 1}));
        guard["metadata"]["generation"] = json!(2);
        guard["status"] = json!({"disruptionsAllowed": 0, "observedGeneration": observed, "conditions": [
            {"type": "DisruptionAllowed", "status": "False", "reason": "SyncFailed", "message": "no scale"}]});
        drain(&beside([guard]))
    };
    for observed in [Value::Null, json!(1), json!(2)] {
        let found = failed(observed);
        assert_eq!(found["verdict"], "hangs", "{found:#}");
        assert!(
            found["summary"]
                .as_str()
                .unwrap()
                .contains("SyncFailed: no scale")
        );
    }
}

#[test]
fn pods_that_stay_keep_their_host_ports() {
    let port = |number: u16| json!([{"name": "app", "image": "app:1", "ports": [{"hostPort": number, "containerPort": 80}]}]);
    let stay = || {
        ["node-8", "node-9"]
            .map(|node| with(other(node, REPLICA_SET, node), "/spec/containers", port(80)))
    };
    let asks = |number: u16| {
        // The other pods of a set count by another rule.
        let mut objects = set("web", &["node-7"], json!({}));
        for object in &mut objects {
            let at = match object["kind"].as_str() {
                Some("StatefulSet") => "/spec/template/spec/containers",
                _ => "/spec/containers",
            };
            *object.pointer_mut(at).unwrap() = port(number);
        }
        objects.extend(three_nodes());
        objects.extend(stay());
        objects
    };
    assert_eq!(homeless(&asks(80)), ["web-0"]);
    assert!(homeless(&asks(81)).is_empty());
}

#[test]
fn numbers_in_node_affinity_are_compared() {
    let least = |operator: &str, value: &str| {
        let wants = json!({"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [{"matchExpressions": [{"key": "gen", "operator": operator, "values": [value]}]}]}}}});
        let mut objects = asking(wants, []);
        for object in objects.iter_mut().filter(|object| object["kind"] == "Node") {
            object["metadata"]["labels"]["gen"] = json!("4");
        }
        homeless(&objects)
    };
    assert!(least("Gt", "3").is_empty());
    assert_eq!(least("Gt", "4"), ["web-0"]);
    assert!(least("Lt", "10").is_empty());
    assert_eq!(least("Lt", "4"), ["web-0"]);
}

/// The cluster whose pods of `web` ask for CPU.
fn asking_for_cpu(more: impl IntoIterator<Item = Value>) -> Vec<Value> {
    let containers =
        json!([{"name": "app", "image": "app:1", "resources": {"requests": {"cpu": "1"}}}]);
    asking(json!({"containers": containers}), more)
}

#[test]
fn a_quota_above_its_limit_refuses_the_pod() {
    let quota = |used: &str| {
        json!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "small", "namespace": "prod"},
            "spec": {"hard": {"pods": "2"}}, "status": {"hard": {"pods": "2"}, "used": {"pods": used}}})
    };
    let found = drain(&beside([quota("3")]));
    assert_eq!(names(&found["sets"][0]["homeless"]), ["web-0"], "{found:#}");
    assert!(
        found.to_string().contains("exceeded quota: small"),
        "{found:#}"
    );
    assert!(homeless(&beside([quota("2")])).is_empty());
    // A quota counts the pods of its scopes.
    let scoped = |scope: &str| {
        let mut quota = quota("3");
        quota["spec"]["scopes"] = json!([scope]);
        homeless(&asking_for_cpu([quota]))
    };
    assert_eq!(scoped("NotTerminating"), ["web-0"]);
    assert!(scoped("Terminating").is_empty());
    assert!(scoped("BestEffort").is_empty());
    let of_class = |operator: &str| {
        let mut quota = quota("3");
        quota["spec"]["scopeSelector"] = json!({"matchExpressions": [
            {"scopeName": "PriorityClass", "operator": operator, "values": ["high"]}]});
        homeless(&beside([quota]))
    };
    assert_eq!(of_class("NotIn"), ["web-0"]);
    assert!(of_class("In").is_empty());
    // Pods of other owners are refused as well.
    let mut objects = cluster(&[]);
    objects.push(other("api-0", REPLICA_SET, "node-7"));
    assert_eq!(drain(&objects)["otherPods"][0]["comesBack"], true);
    objects.push(quota("4"));
    assert_eq!(drain(&objects)["otherPods"][0]["comesBack"], false);
}

/// A pod created before its namespace got a quota of an amount that it does not ask for.
#[test]
fn a_quota_refuses_a_pod_that_lacks_its_amount() {
    let of = |resource: &str| {
        json!({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "small", "namespace": "prod"},
            "spec": {"hard": {resource: "10"}}, "status": {"hard": {resource: "10"}, "used": {resource: "0"}}})
    };
    let found = drain(&beside([of("limits.cpu")]));
    assert_eq!(names(&found["sets"][0]["homeless"]), ["web-0"]);
    assert!(
        found
            .to_string()
            .contains("must specify limits.cpu for: app")
    );
    assert!(homeless(&asking_for_cpu([of("requests.cpu")])).is_empty());
    assert_eq!(homeless(&beside([of("requests.cpu")])), ["web-0"]);
    let defaults = json!({"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "usual", "namespace": "prod"},
        "spec": {"limits": [{"type": "Container", "default": {"cpu": "1"}}]}});
    assert!(homeless(&beside([of("limits.cpu"), defaults])).is_empty());
}

#[test]
fn a_node_has_as_many_volumes_as_its_driver_allows() {
    let volume = |name: &str, claim: &str| {
        json!({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name},
            "spec": {"claimRef": {"namespace": "prod", "name": claim, "uid": "u"}, "csi": {"driver": "ebs", "volumeHandle": name}}})
    };
    let claim = |name: &str, volume: &str| {
        json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name, "namespace": "prod", "uid": name},
            "spec": {"volumeName": volume}, "status": {"phase": "Bound"}})
    };
    let limited = |count: u32| {
        let mut objects = cluster(&[]);
        objects[0]["spec"]["volumeClaimTemplates"] = json!([{"metadata": {"name": "data"},
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}]);
        for ordinal in 0..3 {
            let (name, claimed) = (format!("pv-{ordinal}"), format!("data-web-{ordinal}"));
            objects.push(volume(&name, &claimed));
            objects.push(claim(&claimed, &name));
            objects[ordinal + 1]["spec"]["volumes"] =
                json!([{"name": "data", "persistentVolumeClaim": {"claimName": claimed}}]);
        }
        for name in ["node-8", "node-9"] {
            objects.push(json!({"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": name},
                "spec": {"drivers": [{"name": "ebs", "nodeID": name, "allocatable": {"count": count}}]}}));
        }
        homeless(&objects)
    };
    assert_eq!(limited(1), ["web-0"]);
    assert!(limited(2).is_empty());
}

/// Pods that leave the same node may take the room of each other.
#[test]
fn pods_that_leave_together_compete_for_room() {
    let big = |name: &str, cpu: &str| {
        let asks =
            json!([{"name": "app", "image": "app:1", "resources": {"requests": {"cpu": cpu}}}]);
        with(other(name, REPLICA_SET, "node-7"), "/spec/containers", asks)
    };
    let uncertain = |cpu: &str| {
        let found = drain(&beside([big("api-0", cpu), big("api-1", cpu)]));
        names(&found["sets"][0]["uncertain"])
    };
    // Each of two nodes has 4 CPU, and web-0 needs one.
    assert_eq!(uncertain("3500m"), ["web-0"]);
    assert!(uncertain("1").is_empty());
}

/// A pod that tolerates the cordon may land on the drained node again.
#[test]
fn a_pod_that_tolerates_the_cordon_may_come_back_on_the_node() {
    let objects = asking(json!({"tolerations": [{"operator": "Exists"}]}), []);
    let found = drain(&objects);
    assert_eq!(
        found["sets"][0]["returning"],
        json!([{"pod": "web-0", "to": "node-7"}])
    );
    assert!(drain(&cluster(&[]))["sets"][0]["returning"].is_null());
}

/// The node controller's rules for zones, on nodes a1.. and b1.. with a pod of the set on each of the first.
#[test]
fn the_node_controller_stops_in_a_zone_that_is_mostly_down() {
    let times = |of_a: usize, lost: usize| {
        let names: Vec<String> = (1..=of_a).map(|number| format!("a{number:02}")).collect();
        let at: Vec<&str> = names.iter().take(lost).map(String::as_str).collect();
        let mut objects = set("web", &at, json!({}));
        objects[0]["spec"]["podManagementPolicy"] = json!("Parallel");
        objects.extend(names.iter().map(|name| node(name, "a")));
        objects.push(node("b1", "b"));
        let report = on(&objects).lose(&at.join(",")).json();
        let steps = report["steps"].as_array().unwrap().iter();
        let deleted =
            steps.filter(|step| step["actor"] == "node-lifecycle" && step["event"] == "PodDeleted");
        deleted
            .map(|step| step["at"].as_i64().unwrap())
            .collect::<Vec<i64>>()
    };
    // One node, and two of four: ten seconds apart.
    assert_eq!(times(4, 1), [350]);
    assert_eq!(times(4, 2), [350, 360]);
    // Three of four, and three of five: none.
    assert!(times(4, 3).is_empty());
    assert!(times(5, 3).is_empty());
    // Three of six are fewer than 55 %.
    assert_eq!(times(6, 3), [350, 360, 370]);
    // The whole zone: at the usual rate, since another zone is up.
    assert_eq!(times(3, 3), [350, 360, 370]);
    // A zone of more than 50 nodes: a hundred seconds apart.
    assert_eq!(times(51, 30)[..3], [350, 450, 550]);
}

#[test]
fn without_any_node_no_pod_is_deleted() {
    let objects = cluster(&[]);
    let report = on(&objects).lose("node-7,node-8,node-9").json();
    assert_eq!(report["nodes"]["sets"][0]["lowestReady"], 0);
    let left = report["nodes"]["sets"][0]["homeless"].as_array().unwrap();
    assert_eq!(left.len(), 3);
    assert_eq!(
        left[0]["message"],
        "web-0 stays on node-7, which does not respond: the node controller sets no taint, so nothing deletes it"
    );
    assert!(
        report["nodes"]["assumed"]
            .to_string()
            .contains("no node responds")
    );
}

/// Zones and labels name nodes, once each and in order.
#[test]
fn nodes_are_named_by_zone_and_label() {
    let drained = |words: &str| -> Vec<String> {
        let found = on(&cluster(&[])).drain(words).json()["nodes"].clone();
        let nodes = found["drain"].as_array().unwrap().iter();
        nodes
            .map(|it| it["node"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(drained("zone=b"), ["node-8"]);
    assert_eq!(
        drained("topology.kubernetes.io/zone=c,node-7"),
        ["node-9", "node-7"]
    );
    assert_eq!(drained("zone=a,node-7"), ["node-7"]);
}
