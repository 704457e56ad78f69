//! `--drain` and `--lose` with all pods of the nodes: other owners, their budgets and flags, places, zones and quotas.

use serde_json::{Value, json};

use crate::nodes::{plan, run};
use test_kit::nodes::{budget, cluster, node, set, three_nodes};

const REPLICA_SET: Option<(&str, &str)> = Some(("apps/v1", "ReplicaSet"));

/// A ready pod of `prod` with the label `app: other`.
fn other(name: &str, owner: Option<(&str, &str)>, node: &str) -> Value {
    let mut pod = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": "prod", "uid": format!("uid-{name}"), "labels": {"app": "other"}},
        "spec": {"nodeName": node, "containers": [{"name": "app", "image": "app:1"}]},
        "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]},
    });
    if let Some((version, kind)) = owner {
        pod["metadata"]["ownerReferences"] = json!([
            {"apiVersion": version, "kind": kind, "name": "pool", "uid": "uid-pool", "controller": true}]);
    }
    pod
}

fn with(mut object: Value, at: &str, value: Value) -> Value {
    *object.pointer_mut(at).unwrap() = value;
    object
}

/// A budget over the other pods.
fn budget_of_others(spec: Value) -> Value {
    let selector = json!({"matchLabels": {"app": "other"}});
    with(budget(spec), "/spec/selector", selector)
}

/// The cluster of three nodes with a pod of `web` each, and more objects.
fn beside(more: impl IntoIterator<Item = Value>) -> Vec<Value> {
    let mut objects = cluster(&[]);
    objects.extend(more);
    objects
}

fn nodes_of(objects: &[Value], args: &[&str]) -> Value {
    plan(objects, args)["nodes"].clone()
}

fn drain(objects: &[Value]) -> Value {
    nodes_of(objects, &["--drain", "node-7"])
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
    let (code, screen, _) = run(&objects, &["--drain", "node-7", "--fail-on", "blocked"]);
    assert_eq!(code, 3);
    let first = screen.lines().nth(1).unwrap();
    assert!(
        first.contains("HANGS") && first.contains("prod/api-0 (ReplicaSet pool)"),
        "{first}"
    );
    assert!(
        screen.contains("kubectl patch pdb guard -n prod"),
        "{screen}"
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
    let (_, screen, _) = run(&cluster(&[]), &["--drain", "node-7"]);
    assert!(
        screen.contains("completes after 5s for the pods that were read"),
        "{screen}"
    );
    // With -A, the assumptions are printed too.
    let (_, screen, _) = run(&cluster(&[]), &["-A", "--drain", "node-7"]);
    assert!(screen.contains("are known (prod)"), "{screen}");
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

fn names(list: &Value) -> Vec<String> {
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

fn term(kind: &str, app: &str) -> Value {
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
    let found = nodes_of(objects, &["-A", "--drain", "node-7"]);
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
        let report = plan(&objects, &["--lose", &at.join(",")]);
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
    let report = plan(&objects, &["--lose", "node-7,node-8,node-9"]);
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
        let found = nodes_of(&cluster(&[]), &["--drain", words]);
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
    let error = |words: &str| run(&cluster(&[]), &["--drain", words]).2;
    assert!(error("zone=z").contains("zone z has no nodes (zones: a, b, c)"));
    assert!(error("pool=one").contains("no node has the label pool=one"));
}

/// The table of all nodes has the answer to the drain of each.
#[test]
fn each_node_is_drained_by_itself() {
    let objects = beside([
        other("api-0", REPLICA_SET, "node-8"),
        budget_of_others(json!({"maxUnavailable": 0})),
    ]);
    let list = plan(&objects, &["-A", "--drain", "each"]);
    let rows = list["nodes"]["each"].as_array().unwrap();
    assert_eq!(rows.len(), 3);
    for row in rows {
        let alone = plan(&objects, &["-A", "--drain", row["node"].as_str().unwrap()]);
        let alone = &alone["nodes"];
        assert_eq!(
            (&row["verdict"], &row["at"]),
            (&alone["verdict"], &alone["at"]),
            "{row}"
        );
        assert_eq!(row["command"], alone["command"]);
    }
    assert_eq!(list["nodes"]["verdict"], "hangs");
    assert!(
        rows[1]["heldBy"]
            .as_str()
            .unwrap()
            .starts_with("prod/api-0 (ReplicaSet pool): ")
    );
    let (code, screen, _) = run(&objects, &["--drain", "each", "--fail-on", "blocked"]);
    assert_eq!(code, 3, "{screen}");
    let first = screen.lines().nth(1).unwrap();
    assert_eq!(
        first,
        "2 of 3 nodes can be drained alone, for the pods that were read; not: node-8"
    );
    // The plan of the set is the one without a drain.
    let plain = plan(&objects, &[]);
    assert_eq!(list["steps"], plain["steps"]);
    let (code, _, error) = run(&objects, &["--drain", "each,node-7"]);
    assert_eq!(code, 1, "{error}");
}

/// The pods of `web` with local volumes on three nodes.
fn local() -> Vec<Value> {
    let mut objects = cluster(&[budget(json!({"maxUnavailable": 1}))]);
    objects[0]["spec"]["volumeClaimTemplates"] = json!([{"metadata": {"name": "data"},
        "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "local",
            "resources": {"requests": {"storage": "1Gi"}}}}]);
    for (ordinal, node) in ["node-7", "node-8", "node-9"].iter().enumerate() {
        let (volume, claim) = (format!("pv-{ordinal}"), format!("data-web-{ordinal}"));
        let on_node = json!({"nodeSelectorTerms": [{"matchExpressions": [
            {"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}]}]});
        objects.push(json!({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": volume},
            "spec": {"claimRef": {"namespace": "prod", "name": claim, "uid": claim}, "local": {"path": "/data"},
                "storageClassName": "local", "nodeAffinity": {"required": on_node}}}));
        objects.push(json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": {"name": claim, "namespace": "prod", "uid": claim},
            "spec": {"volumeName": volume, "storageClassName": "local"}, "status": {"phase": "Bound"}}));
        objects[ordinal + 1]["spec"]["volumes"] =
            json!([{"name": "data", "persistentVolumeClaim": {"claimName": claim}}]);
    }
    objects
}

fn numbers(rounds: &Value, key: &str) -> Vec<Option<i64>> {
    let rounds = rounds.as_array().unwrap().iter();
    rounds.map(|round| round[key].as_i64()).collect()
}

/// A pod with a local volume waits for its node, and the next node waits for the pod.
#[test]
fn a_rolling_maintenance_waits_for_each_node_and_its_pods() {
    let objects = local();
    // Without a return, the second drain hangs: web-0 does not come back.
    let gone = nodes_of(&objects, &["--drain", "node-7,node-8,node-9"]);
    assert_eq!(gone["verdict"], "hangs");
    let words = [
        "--drain",
        "each",
        "--return-after",
        "10m",
        "--ready-after",
        "30s",
    ];
    let report = plan(&objects, &words);
    let nodes = &report["nodes"];
    assert_eq!(
        (&nodes["verdict"], &nodes["at"]),
        (&json!("ends"), &json!(3 * 635)),
        "{nodes:#}"
    );
    let rounds = &nodes["maintenance"]["rounds"];
    assert_eq!(numbers(rounds, "at"), [Some(0), Some(635), Some(1270)]);
    assert_eq!(
        numbers(rounds, "drainedAt"),
        [Some(5), Some(640), Some(1275)]
    );
    assert_eq!(
        numbers(rounds, "returnedAt"),
        [Some(605), Some(1240), Some(1875)]
    );
    assert_eq!(
        numbers(rounds, "atRestAt"),
        [Some(635), Some(1270), Some(1905)]
    );
    assert_eq!(nodes["maintenance"]["moves"], 3);
    let stays = &nodes["maintenance"]["pods"][1]["moves"];
    assert_eq!(*stays, json!([{"from": "node-8", "to": "node-8"}]));
    assert!(nodes["maintenance"]["betterOrder"].is_null());
    assert_eq!(
        (
            &nodes["sets"][0]["lowestReady"],
            &nodes["sets"][0]["losesQuorum"]
        ),
        (&json!(2), &json!(false))
    );
    // The plan of the set has the same course.
    let deleted: Vec<(i64, String)> = evictions(&report);
    let expected = [(0, "web-0"), (635, "web-1"), (1270, "web-2")];
    assert_eq!(deleted, expected.map(|(at, pod)| (at, pod.to_owned())));
    assert_eq!(
        report["outcome"]["result"], "complete",
        "{:#}",
        report["outcome"]
    );
}

/// The evictions of a plan, each with its time.
fn evictions(report: &Value) -> Vec<(i64, String)> {
    let steps = report["steps"].as_array().unwrap().iter();
    let steps = steps.filter(|step| step["actor"] == "eviction-api");
    steps
        .map(|step| {
            (
                step["at"].as_i64().unwrap(),
                step["name"].as_str().unwrap().to_owned(),
            )
        })
        .collect()
}

#[test]
fn several_nodes_at_once_take_less_time_and_more_pods() {
    let mut objects = local();
    objects.retain(|object| object["kind"] != "PodDisruptionBudget");
    let run = |words: &str| nodes_of(&objects, &["--drain", "each", "--return-after", words]);
    let (one, two) = (run("10m"), run("10m,at-once=2"));
    assert_eq!(one["sets"][0]["losesQuorum"], false);
    assert_eq!(two["sets"][0]["losesQuorum"], true, "{two:#}");
    assert!(two["at"].as_i64() < one["at"].as_i64());
    let rounds = &two["maintenance"]["rounds"];
    assert_eq!(rounds[0]["nodes"], json!(["node-7", "node-8"]));
    assert_eq!(
        rounds[0]["commands"][0],
        "kubectl drain node-7 node-8 --ignore-daemonsets"
    );
    // With the budget, two at once hang: one at a time was tried, and nothing is to be repaired.
    let objects = local();
    let hangs = nodes_of(
        &objects,
        &["--drain", "each", "--return-after", "10m,at-once=2"],
    );
    assert_eq!(hangs["verdict"], "hangs", "{hangs:#}");
    assert_eq!(
        hangs["advice"][0]["when"],
        "one node at a time completes after 31m15s: --return-after 10m0s"
    );
    let one = nodes_of(&objects, &["--drain", "each", "--return-after", "10m0s"]);
    assert_eq!(
        (&one["verdict"], &one["at"]),
        (&json!("ends"), &json!(1875))
    );
    assert!(!hangs["advice"].to_string().contains("repair"), "{hangs:#}");
    for wrong in ["10m,2", "10m,at-once=0", "soon"] {
        let (code, _, error) = run_of(&objects, wrong);
        assert_eq!(code, 1, "{error}");
    }
}

fn run_of(objects: &[Value], after: &str) -> (i32, String, String) {
    run(objects, &["--drain", "each", "--return-after", after])
}

/// Claim, pod, volume, in this order, for each pod whose volume no other node can use.
#[test]
fn local_volumes_of_a_node_that_goes_for_good_are_replaced_in_order() {
    let mut objects = local();
    objects.push(json!({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "local"},
        "provisioner": "rancher.io/local-path", "volumeBindingMode": "WaitForFirstConsumer"}));
    let found = drain(&objects);
    let steps = &found["sets"][0]["forGood"];
    let commands = json!([
        "kubectl delete pvc data-web-0 --wait=false -n prod",
        "kubectl drain node-7 --pod-selector=statefulset.kubernetes.io/pod-name=web-0 --ignore-daemonsets",
        "kubectl delete pv pv-0",
        "kubectl wait --for=condition=Ready pod/web-0 --timeout=10m -n prod"
    ]);
    assert_eq!(steps[0]["commands"], commands, "{steps:#}");
    assert_eq!(steps.as_array().unwrap().len(), 1);
    let effect = steps[0]["effect"].as_str().unwrap();
    assert!(
        effect.starts_with("web-0 is ready on new volumes after "),
        "{effect}"
    );
    assert!(
        steps[0]["risk"]
            .as_str()
            .unwrap()
            .contains("data-web-0 is lost")
    );
    // It is never the first advice.
    let (_, screen, _) = run(&objects, &["--drain", "node-7"]);
    assert!(
        screen.contains("  Or:   if node node-7 goes for good"),
        "{screen}"
    );
    // A class that provisions nothing.
    objects.last_mut().unwrap()["provisioner"] = json!("kubernetes.io/no-provisioner");
    let effect = drain(&objects)["sets"][0]["forGood"][0]["effect"].clone();
    assert_eq!(
        effect,
        "web-0 finds no new volume: provide one on another node first"
    );
    // A node that comes back, and a volume that other nodes can use, need none.
    let back = nodes_of(&objects, &["--drain", "node-7", "--return-after", "10m"]);
    assert!(back["sets"][0]["forGood"].is_null());
    assert!(drain(&cluster(&[]))["sets"][0]["forGood"].is_null());
    // So does a volume of a zone, which a new node there can use, although none is there now.
    for item in &mut objects {
        if item["kind"] == "PersistentVolume" {
            item["spec"]["nodeAffinity"] = json!({"required": {"nodeSelectorTerms": [{"matchExpressions": [
                {"key": "example.com/zone", "operator": "In", "values": [item["metadata"]["name"]]}]}]}});
        }
        if item["kind"] == "Node" && item["metadata"]["name"] == "node-7" {
            item["metadata"]["labels"]["example.com/zone"] = json!("pv-0");
        }
    }
    let zonal = drain(&objects);
    assert_eq!(zonal["sets"][0]["homeless"][0]["pod"], "web-0", "{zonal:#}");
    assert!(zonal["sets"][0]["forGood"].is_null(), "{zonal:#}");
}

/// The next node does not begin while a pod is missing.
#[test]
fn a_maintenance_stops_at_a_pod_that_is_not_ready_again() {
    let words = [
        "--drain",
        "each",
        "--return-after",
        "10m",
        "--assume",
        "web-0=never-ready",
    ];
    let nodes = nodes_of(&local(), &words);
    assert_eq!(nodes["verdict"], "hangs");
    assert_eq!(
        nodes["maintenance"]["waitsFor"],
        "prod/web-0 is not ready again, so node-8, node-9 are not begun"
    );
    assert_eq!(nodes["maintenance"]["rounds"].as_array().unwrap().len(), 1);
    let words = [&words[..], &["--fail-on", "blocked"]].concat();
    assert_eq!(run(&local(), &words).0, 3);
}

/// Empty nodes first: the pods that move find them, and move once.
#[test]
fn the_better_order_moves_fewer_pods() {
    let mut objects = set("web", &["node-7", "node-7", "node-7"], json!({}));
    objects.extend(set("db", &["node-8", "node-8", "node-8"], json!({})));
    objects.extend(three_nodes());
    let moves = |order: &str| {
        let nodes = nodes_of(&objects, &["-A", "--drain", order, "--return-after", "10m"]);
        nodes["maintenance"].clone()
    };
    let asked = moves("node-7,node-8,node-9");
    let better = &asked["betterOrder"];
    let order: Vec<&str> = better["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it.as_str().unwrap())
        .collect();
    let found = moves(&order.join(","));
    assert_eq!(found["moves"], better["moves"], "{better}");
    assert!(found["moves"].as_u64() < asked["moves"].as_u64());
    assert!(found["betterOrder"].is_null(), "{found:#}");
}

#[test]
fn a_maintenance_counts_switchovers_of_named_primaries() {
    let mut objects = local();
    objects[1]["metadata"]["labels"]["role"] = json!("primary");
    let order = [
        "--return-after",
        "10m",
        "--order",
        "primary-last=role=primary",
    ];
    let found = nodes_of(&objects, &[&["--drain", "each"], &order[..]].concat());
    let maintenance = &found["maintenance"];
    // web-0 is first, and any later pod may be the primary then.
    assert_eq!(maintenance["switchovers"], json!({"least": 1, "most": 3}));
    let better = &maintenance["betterOrder"];
    assert_eq!(
        better["switchovers"],
        json!({"least": 1, "most": 1}),
        "{found:#}"
    );
    assert_eq!(better["nodes"][2], "node-7");
    let (code, _, error) = run(
        &objects,
        &["--drain", "each", "--order", "primary-last=role=primary"],
    );
    assert_eq!(code, 1);
    assert!(error.contains("--return-after"), "{error}");
}

/// A provider that ignores budgets after a time.
#[test]
fn a_drain_may_ignore_budgets_after_a_time() {
    let mut objects = set("web", &["node-7", "node-7", "node-8"], json!({}));
    objects.extend(three_nodes());
    objects.push(budget(json!({"maxUnavailable": 0})));
    let ignored = "budgets=ignored-after:1h";
    let found = nodes_of(&objects, &["--drain", "node-7", "--assume", ignored]);
    assert_eq!(
        (&found["verdict"], &found["at"]),
        (&json!("ends"), &json!(3605)),
        "{found:#}"
    );
    let steps = found["sets"][0]["evictions"].as_array().unwrap();
    assert_eq!(steps.len(), 2);
    for step in steps {
        assert_eq!((&step["at"], &step["forced"]), (&json!(3600), &json!(true)));
    }
    assert_eq!(found["sets"][0]["lowestReady"], 1);
    let summary = found["summary"].as_str().unwrap();
    assert!(
        summary.contains("2 pods deleted despite a budget (prod/web-0, prod/web-1)"),
        "{summary}"
    );
    // A drain that needs no force is the same.
    let easy = cluster(&[budget(json!({"maxUnavailable": 1}))]);
    let plain = nodes_of(&easy, &["--drain", "node-7"]);
    let mut assumed = nodes_of(&easy, &["--drain", "node-7", "--assume", ignored]);
    assert!(
        assumed["assumed"]
            .to_string()
            .contains("whatever their budgets")
    );
    assumed["assumed"] = plain["assumed"].clone();
    assert_eq!(plain, assumed);
    let (code, _, error) = run(&easy, &["--assume", ignored]);
    assert_eq!(code, 1);
    assert!(error.contains("--drain"), "{error}");
}

/// The runbook has the commands of each turn, the check before the next, and the way back.
#[test]
fn a_maintenance_is_a_runbook_in_markdown() {
    let (_, page, _) = run(
        &local(),
        &[
            "--drain",
            "each",
            "--return-after",
            "10m",
            "--ready-after",
            "10s",
            "-o",
            "markdown",
        ],
    );
    assert!(page.contains("| evicted |"), "{page}");
    for part in [
        "#### Nodes node-8",
        "when all sets are at rest, 10m15s from now",
        "kubectl drain node-8 --ignore-daemonsets",
        "# the work on node-8, about 10m",
        "kubectl wait --for=condition=Ready node/node-8",
        "kubectl uncordon node-8",
        "kubectl wait --for=jsonpath='{.status.readyReplicas}'=3 sts/web",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

/// The worse a drain ends, the higher.
fn badness(nodes: &Value) -> (usize, usize) {
    let verdicts = ["ends", "unknown", "fails", "hangs"];
    let verdict = verdicts
        .iter()
        .position(|it| nodes["verdict"] == *it)
        .unwrap();
    let sets = nodes["sets"].as_array().unwrap().iter();
    (verdict, sets.map(|set| names(&set["homeless"]).len()).sum())
}

/// Small clusters, numbered: nodes of some size, two sets and others with some budgets.
fn world(number: u64) -> Vec<Value> {
    let mut state = number
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1);
    let mut below = |most: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((state >> 33) % most).unwrap()
    };
    let names = ["node-7", "node-8", "node-9"];
    let affinity = match below(3) {
        0 => term("podAntiAffinity", "web"),
        _ => json!({}),
    };
    let mut objects = three_nodes();
    for object in &mut objects {
        object["status"]["allocatable"]["cpu"] = json!(["2", "4", "8"][below(3)]);
    }
    for name in ["web", "db"] {
        let at: Vec<&str> = (0..1 + below(3)).map(|_| names[below(3)]).collect();
        objects.extend(set(name, &at, affinity.clone()));
    }
    for number in 0..below(3) {
        let owner = [REPLICA_SET, None, Some(("apps/v1", "StatefulSet"))][below(3)];
        objects.push(other(&format!("other-{number}"), owner, names[below(3)]));
    }
    match below(4) {
        0 => objects.push(budget(json!({"maxUnavailable": below(3)}))),
        1 => objects.push(budget_of_others(json!({"minAvailable": below(3)}))),
        _ => {}
    }
    objects
}

const WORLDS: u64 = 24;

/// The answer without its assumptions, which count the pods.
fn answer(objects: &[Value], drain: &str) -> Value {
    let mut nodes = nodes_of(objects, &["-A", "--drain", drain]);
    nodes.as_object_mut().unwrap().remove("assumed");
    nodes
}

#[test]
fn what_has_nothing_to_do_with_the_drain_changes_nothing() {
    for number in 0..WORLDS {
        let objects = world(number);
        let mut more = objects.clone();
        let mut apart = node("apart", "z");
        apart["spec"] = json!({"taints": [{"key": "apart", "effect": "NoSchedule"}]});
        more.push(apart);
        let mut stranger = other("stranger", REPLICA_SET, "apart");
        stranger["metadata"]["namespace"] = json!("elsewhere");
        stranger["metadata"]["ownerReferences"][0]["uid"] = json!("uid-stranger");
        more.push(stranger);
        let (before, after) = (answer(&objects, "node-7"), answer(&more, "node-7"));
        let homeless = |nodes: &Value| badness(nodes);
        assert_eq!(homeless(&before), homeless(&after), "world {number}");
        assert_eq!(before["otherPods"], after["otherPods"], "world {number}");
        assert_eq!(
            before["sets"][0]["evictions"], after["sets"][0]["evictions"],
            "world {number}"
        );
    }
}

#[test]
fn more_nodes_are_never_worse() {
    for number in 0..WORLDS {
        let objects = world(number);
        let mut more = objects.clone();
        more.push(node("node-10", "c"));
        let (before, after) = (answer(&objects, "node-7"), answer(&more, "node-7"));
        assert!(
            badness(&after) <= badness(&before),
            "world {number}: {before:#} {after:#}"
        );
    }
}

/// A maintenance that completes leaves every set as it was, moves pods from where they are, and counts all moves.
#[test]
fn a_maintenance_that_completes_leaves_all_pods_ready() {
    let mut completed = 0;
    for number in 0..WORLDS {
        let objects = world(number);
        let words = ["-A", "--drain", "each", "--return-after", "10m"];
        let nodes = nodes_of(&objects, &words);
        let maintenance = &nodes["maintenance"];
        let sets = nodes["sets"].as_array().unwrap();
        let of_sets = sets
            .iter()
            .map(|set| set["evictions"].as_array().unwrap().len());
        let of_others = nodes["otherPods"].as_array().into_iter().flatten();
        let of_others = of_others.filter(|pod| pod["at"].is_i64()).count();
        let moves = usize::try_from(maintenance["moves"].as_u64().unwrap()).unwrap();
        assert_eq!(
            of_sets.sum::<usize>() + of_others,
            moves,
            "world {number}: {nodes:#}"
        );
        let place = |name: &Value| {
            let mut pods = objects.iter().filter(|it| it["kind"] == "Pod");
            let pod = pods.find(|it| it["metadata"]["name"] == *name).unwrap();
            pod["spec"]["nodeName"].clone()
        };
        for pod in maintenance["pods"].as_array().unwrap() {
            let mut at = place(&pod["pod"]);
            for step in pod["moves"].as_array().unwrap() {
                assert_eq!(step["from"], at, "world {number}: {pod}");
                at = step["to"].clone();
            }
        }
        if nodes["verdict"] == "ends" {
            completed += 1;
            for set in sets {
                assert!(set["homeless"].is_null(), "world {number}: {set:#}");
            }
            let ends = maintenance["rounds"][2]["atRestAt"].as_i64();
            assert_eq!(ends, nodes["at"].as_i64(), "world {number}");
        }
    }
    assert!(completed > 10, "{completed} completed");
}

/// Budgets and pods that wait for each other aside, the order of the nodes changes only the order of the evictions.
#[test]
fn two_orders_of_nodes_end_alike() {
    for number in 0..WORLDS {
        let mut objects = world(number);
        objects.retain(|object| object["kind"] != "PodDisruptionBudget");
        let sets = objects
            .iter_mut()
            .filter(|object| object["kind"] == "StatefulSet");
        for set in sets {
            set["spec"]["podManagementPolicy"] = json!("Parallel");
        }
        let (one, other) = (
            answer(&objects, "node-7,node-8"),
            answer(&objects, "node-8,node-7"),
        );
        assert_eq!(
            badness(&one),
            badness(&other),
            "world {number}: {one:#} {other:#}"
        );
    }
}

/// A pod of an unknown owner is never a reason for a better answer.
#[test]
fn a_pod_of_an_unknown_owner_makes_no_answer_better() {
    for number in 0..WORLDS {
        let objects = world(number);
        let mut more = objects.clone();
        let owner = Some(("example.com/v1", "Database"));
        let mut unknown = other("unknown", owner, "node-7");
        unknown["metadata"]["ownerReferences"][0]["uid"] = json!("uid-unknown");
        unknown["metadata"]["labels"] = json!({"app": "unknown"});
        unknown["spec"]["containers"][0]["resources"] = json!({"requests": {"cpu": "1"}});
        more.push(unknown);
        let (before, after) = (answer(&objects, "node-7"), answer(&more, "node-7"));
        assert!(
            badness(&after) >= badness(&before),
            "world {number}: {before:#} {after:#}"
        );
        let doubts = |nodes: &Value| {
            let sets = nodes["sets"].as_array().unwrap().iter();
            sets.map(|set| names(&set["uncertain"]).len() + names(&set["homeless"]).len())
                .sum::<usize>()
        };
        assert!(doubts(&after) >= doubts(&before), "world {number}");
    }
}

#[test]
fn a_set_that_cannot_be_planned_hides_no_pods_of_others() {
    // A set at rest, and a node without a pod of it.
    let mut objects = test_kit::kv::serving();
    objects[0]["status"] = json!({"observedGeneration": 3, "collisionCount": 0,
        "replicas": 3, "readyReplicas": 3, "availableReplicas": 3, "currentReplicas": 3, "updatedReplicas": 3,
        "currentRevision": "kv-old", "updateRevision": "kv-old"});
    objects.retain(|object| object["kind"] != "ControllerRevision");
    objects.push(test_kit::kv::node("n-2", "a", true));
    objects.push(other("api-0", REPLICA_SET, "n-2"));
    assert_eq!(plan(&objects, &[])["analysis"]["verdict"], "nothing-to-do");
    let whole = nodes_of(&objects, &["--drain", "each"]);
    let last = &whole["each"][1];
    assert_eq!(
        (&last["verdict"], &last["evicted"]),
        (&json!("ends"), &json!(1))
    );
    let mut sets = objects
        .iter()
        .filter(|object| object["kind"] == "StatefulSet");
    let mut too_large = sets.next().unwrap().clone();
    too_large["metadata"]["name"] = json!("a");
    too_large["metadata"]["uid"] = json!("uid-a");
    too_large["spec"]["replicas"] = json!(2_000_000);
    objects.insert(0, too_large);
    let (_, out, error) = run(&objects, &["-A", "--drain", "each", "-o", "json"]);
    let list: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{error}"));
    assert_eq!(list["nodes"]["each"], whole["each"], "{list:#}");
}
