//! Other objects of the input that explain a failure: what makes a missing object, what lacks a key, what uses a claim, and
//! what a process needs.

use serde_json::{Value, json};
use sts_plan::fleet::ReportList;
use sts_plan::report::Report;
use test_kit::input::Input;
use test_kit::kv::{
    DAY, LONG_AGO, NOW, claim, crashes, event, node, of, plan, pod, put, running, serving, set,
    starting, status, told, unplaced,
};

/// An object of another kind, with one condition that is not true.
fn other(version: &str, kind: &str, name: &str, spec: &Value, trouble: &str) -> Value {
    json!({"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": "prod",
        "creationTimestamp": "2026-10-01T00:10:00Z"}, "spec": spec,
        "status": {"conditions": [{"type": "Ready", "status": "False", "reason": "Error", "message": trouble}]}})
}

/// kv-2 waits for an object that does not exist.
fn without(object: &str) -> Vec<Value> {
    let mut objects = status(starting());
    let words = format!("MountVolume.SetUp failed for volume \"tls\" : {object} not found");
    objects.push(event("Pod", "kv-2", "FailedMount", &words));
    objects
}

fn first(report: &Value) -> &Value {
    &report["outcome"]["blockedBy"][0]
}

#[test]
fn the_maker_of_a_missing_object_is_repaired_and_the_object_is_not_made_by_hand() {
    let named = json!({"secretName": "kv-tls"});
    let target = json!({"target": {"name": "kv-tls"}});
    let makers = [
        (
            "secret",
            other(
                "cert-manager.io/v1",
                "Certificate",
                "kv",
                &named,
                "order is invalid",
            ),
        ),
        (
            "secret",
            other(
                "external-secrets.io/v1",
                "ExternalSecret",
                "kv",
                &target,
                "access denied",
            ),
        ),
        // Without a name of its own, what it makes has that of the maker.
        (
            "secret",
            other(
                "external-secrets.io/v1",
                "ExternalSecret",
                "kv-tls",
                &json!({}),
                "no store",
            ),
        ),
        (
            "secret",
            other(
                "bitnami.com/v1alpha1",
                "SealedSecret",
                "kv-tls",
                &json!({}),
                "no key could decrypt",
            ),
        ),
        (
            "configmap",
            other(
                "trust.cert-manager.io/v1alpha1",
                "Bundle",
                "kv-tls",
                &json!({}),
                "no source",
            ),
        ),
    ];
    for (kind, maker) in makers {
        let mut objects = without(&format!("{kind} \"kv-tls\""));
        let alone = told(&objects);
        assert!(alone.contains("kubectl apply -f FILE"), "{alone}");
        let name = format!(
            "{} {}",
            maker["kind"].as_str().unwrap(),
            maker["metadata"]["name"].as_str().unwrap()
        );
        let trouble = maker["status"]["conditions"][0]["message"]
            .as_str()
            .unwrap()
            .to_owned();
        objects.push(maker);
        let report = plan(&objects);
        let fix = first(&report)["fix"].as_str().unwrap();
        assert!(
            fix.starts_with(&format!("repair {name}, which makes ")) && fix.ends_with(&trouble),
            "{fix}"
        );
        let screen = told(&objects);
        assert!(!screen.contains("kubectl apply -f FILE"), "{screen}");
    }
}

#[test]
fn an_object_that_makes_another_one_explains_nothing() {
    let named = json!({"secretName": "web-tls"});
    let mut objects = without("secret \"kv-tls\"");
    objects.push(other(
        "cert-manager.io/v1",
        "Certificate",
        "kv-tls",
        &named,
        "order is invalid",
    ));
    let mut elsewhere = other(
        "external-secrets.io/v1",
        "ExternalSecret",
        "kv-tls",
        &json!({}),
        "no store",
    );
    elsewhere["metadata"]["namespace"] = json!("test");
    objects.push(elsewhere);
    let screen = told(&objects);
    assert!(screen.contains("kubectl apply -f FILE"), "{screen}");
}

#[test]
fn a_missing_key_is_told_with_the_object_of_its_volume() {
    let words =
        "MountVolume.SetUp failed for volume \"tls\" : references non-existent secret key: ca.crt";
    let plain = json!({"name": "tls", "secret": {"secretName": "kv-tls",
        "items": [{"key": "ca.crt", "path": "ca.crt"}]}});
    let projected = json!({"name": "tls", "projected": {"sources": [
        {"secret": {"name": "other", "items": [{"key": "a", "path": "a"}]}},
        {"secret": {"name": "kv-tls", "items": [{"key": "ca.crt", "path": "ca.crt"}]}}]}});
    for volume in [plain, projected] {
        let mut objects = status(starting());
        let volumes = &mut of(&mut objects, "Pod", "kv-2")["spec"]["volumes"];
        volumes.as_array_mut().unwrap().push(volume);
        objects.push(event("Pod", "kv-2", "FailedMount", words));
        let report = plan(&objects);
        let obstacle = first(&report);
        let look = obstacle["look"].as_str().unwrap();
        assert!(
            look.contains("kubectl describe secret/kv-tls -n prod"),
            "{look}"
        );
        let message = obstacle["message"].as_str().unwrap();
        assert!(
            message.contains("Secret kv-tls, has no key ca.crt"),
            "{message}"
        );
        assert!(!obstacle["fix"].as_str().unwrap().contains("it has only"));
        objects.push(json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "kv-tls", "namespace": "prod"},
            "data": {"tls.crt": "c2VjcmV0", "tls.key": "c2VjcmV0"}}));
        let report = plan(&objects);
        let fix = first(&report)["fix"].as_str().unwrap();
        assert!(fix.ends_with("it has only tls.crt, tls.key"), "{fix}");
        assert!(!report.to_string().contains("c2VjcmV0"));
    }
}

/// Three new pods that run and are not ready, with a Job.
fn new_set(job: Value) -> Vec<Value> {
    let mut objects = set(3, "Parallel", "kv-old");
    for ordinal in 0..3 {
        objects.extend(pod(ordinal, "kv-old", "2026-11-21T11:19:30Z", DAY, "n-1"));
        put(&mut objects, ordinal, running());
    }
    objects.push(node("n-1", "a", true));
    objects.push(job);
    objects
}

fn job(name: &str, args: &str, condition: &str) -> Value {
    json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name, "namespace": "prod",
        "creationTimestamp": "2026-10-01T00:05:00Z"},
        "spec": {"template": {"spec": {"containers": [{"name": "init", "args": [args]}]}}},
        "status": {"conditions": [{"type": condition, "status": "True", "reason": "BackoffLimitExceeded",
            "message": "Job has reached the specified backoff limit"}]}})
}

#[test]
fn a_job_that_was_to_initialize_a_new_set_is_told() {
    for job in [
        job("kv-init", "", "Failed"),
        job("bootstrap", "--host=kv-0.kv:26257", "Failed"),
    ] {
        let name = job["metadata"]["name"].as_str().unwrap().to_owned();
        let report = plan(&new_set(job));
        let fix = first(&report)["fix"].as_str().unwrap();
        let start = format!("Job {name} was created with the set and failed (Job has reached");
        assert!(fix.starts_with(&start), "{fix}");
        assert!(
            fix.ends_with(&format!("kubectl logs job/{name} -n prod")),
            "{fix}"
        );
    }
    let mut later = job("kv-init", "", "Failed");
    later["metadata"]["creationTimestamp"] = json!(DAY);
    let mut of_schedule = job("kv-init", "", "Failed");
    of_schedule["metadata"]["ownerReferences"] = json!([{"apiVersion": "batch/v1", "kind": "CronJob", "name": "c", "uid": "c", "controller": true}]);
    let unrelated = [
        job("kv-init", "", "Complete"),
        job("web-init", "--host=kvstore", "Failed"),
        later,
        of_schedule,
    ];
    for job in unrelated {
        let report = plan(&new_set(job));
        assert!(
            !first(&report)["fix"].to_string().contains("Job "),
            "{report:#}"
        );
    }
    // Once a pod is ready, the cluster is initialized.
    let mut objects = new_set(job("kv-init", "", "Failed"));
    objects.retain(|it| !(it["kind"] == "Pod" && it["metadata"]["name"] == "kv-0"));
    objects.extend(pod(0, "kv-old", DAY, DAY, "n-1").into_iter().take(1));
    assert!(!told(&objects).contains("Job kv-init"));
}

#[test]
fn a_claim_that_is_pinned_to_a_node_that_is_gone_is_released() {
    let pinned = |node: &str| {
        let mut objects = claim(|claim| {
            claim["metadata"]["annotations"] = json!({"volume.kubernetes.io/selected-node": node});
        });
        let words = "failed to get target node: node \"n-9\" not found";
        objects.push(event(
            "PersistentVolumeClaim",
            "data-kv-2",
            "ProvisioningFailed",
            words,
        ));
        objects
    };
    let report = plan(&pinned("n-9"));
    let fix = first(&report)["fix"].as_str().unwrap();
    assert!(
        fix.contains("kubectl annotate pvc data-kv-2 volume.kubernetes.io/selected-node- -n prod"),
        "{fix}"
    );
    let mut without_nodes = pinned("n-9");
    without_nodes.retain(|it| it["kind"] != "Node");
    for objects in [pinned("n-1"), without_nodes] {
        assert!(!told(&objects).contains("kubectl annotate pvc"));
    }
}

/// kv-2 waits for its claim, which is being deleted.
fn deleted_claim() -> Vec<Value> {
    claim(|claim| {
        claim["status"] = json!({"phase": "Bound"});
        claim["spec"]["volumeName"] = json!("pv-2");
        claim["metadata"]["deletionTimestamp"] = json!(LONG_AGO);
        claim["metadata"]["finalizers"] = json!(["kubernetes.io/pvc-protection"]);
    })
}

fn user(name: &str, node: &str, phase: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "prod", "uid": name,
        "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "j", "controller": true}]},
        "spec": {"nodeName": node, "containers": [{"name": "c", "image": "c"}],
            "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data-kv-2"}}]},
        "status": {"phase": phase}})
}

#[test]
fn a_deleted_claim_is_kept_by_the_pods_on_nodes_that_use_it() {
    let mut objects = deleted_claim();
    objects.push(user("backup", "n-1", "Running"));
    objects.push(user("done", "n-1", "Succeeded"));
    let report = plan(&objects);
    let obstacle = first(&report);
    let message = obstacle["message"].as_str().unwrap();
    assert!(
        message.ends_with("which is being deleted, in use by backup"),
        "{message}"
    );
    let fix = obstacle["fix"].as_str().unwrap();
    assert!(fix.contains("kubectl delete pod backup -n prod"), "{fix}");
    let findings = report["findings"].to_string();
    assert!(
        findings.contains("its data is lost as soon as backup is gone"),
        "{findings}"
    );
    // The controller waits for the claim before it creates the pod.
    objects.retain(|it| !(it["kind"] == "Pod" && it["metadata"]["name"] == "kv-2"));
    of(&mut objects, "StatefulSet", "kv")["status"]["replicas"] = json!(2);
    let evidence = first(&plan(&objects))["evidence"].to_string();
    assert!(evidence.contains("used by backup\""), "{evidence}");
    // A pod that is not scheduled keeps nothing, and what has ended neither.
    let report = plan(&deleted_claim());
    assert!(
        !report["findings"].to_string().contains("as soon as"),
        "{report:#}"
    );
    assert!(
        !first(&report)["fix"]
            .to_string()
            .contains("kubectl delete pod")
    );
}

#[test]
fn a_lost_claim_under_a_pod_that_is_ready_is_a_warning() {
    let mut objects = serving();
    assert!(!plan(&objects)["findings"].to_string().contains("STS036"));
    of(&mut objects, "PersistentVolumeClaim", "data-kv-1")["status"]["phase"] = json!("Lost");
    let findings = plan(&objects)["findings"].to_string();
    assert!(
        findings.contains("volume pv-1 of data-kv-1 is gone (phase Lost): kv-1 runs on"),
        "{findings}"
    );
}

/// The Service db of a database, and its pods.
fn database(pods: &[(&str, bool)], cluster_ip: &str) -> Vec<Value> {
    let mut objects = vec![json!({"apiVersion": "v1", "kind": "Service",
        "metadata": {"name": "db", "namespace": "prod"},
        "spec": {"clusterIP": cluster_ip, "selector": {"app": "db"}}})];
    for (name, is_ready) in pods {
        let ready = if *is_ready { "True" } else { "False" };
        objects.push(json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "prod",
            "uid": name, "labels": {"app": "db"}, "ownerReferences": [{"apiVersion": "apps/v1", "kind": "StatefulSet",
                "name": "db", "uid": "db", "controller": true}]},
            "spec": {"nodeName": "n-1", "containers": [{"name": "db", "image": "db"}]},
            "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": ready}]}}));
    }
    objects
}

#[test]
fn a_service_without_a_ready_pod_is_repaired_before_the_process_that_needs_it() {
    let fix = |words: &str, around: Vec<Value>| {
        let mut objects = status(crashes(words));
        objects.extend(around);
        first(&plan(&objects))["fix"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    let refused = |host: &str| format!("dial tcp {host}:5432: connect: connection refused");
    let down = [("db-0", false)];
    let told = "Service db selects db-0, which is not ready: repair it first, and kv-2 follows";
    for host in [
        "10.96.14.3",
        "db.prod.svc.cluster.local",
        "db.prod.svc",
        "db.prod",
    ] {
        assert_eq!(
            fix(&refused(host), database(&down, "10.96.14.3")),
            told,
            "{host}"
        );
    }
    // Of a headless Service, the message names the pod.
    let several = [("db-0", true), ("db-1", false)];
    let one = "Service db selects db-1, which is not ready: repair it first, and kv-2 follows";
    assert_eq!(
        fix(&refused("db-1.db.prod.svc"), database(&several, "None")),
        one
    );
    let all = [("db-0", false), ("db-1", false)];
    assert!(
        fix(&refused("10.96.14.3"), database(&all, "10.96.14.3"))
            .contains("db-0, db-1, none of which is ready")
    );
    for (host, pods) in [
        ("10.96.14.9", &down[..]),
        ("10.96.14.3", &several),
        ("db.test.svc", &down),
    ] {
        let other = fix(&refused(host), database(pods, "10.96.14.3"));
        assert!(!other.contains("repair it first"), "{host}: {other}");
    }
    // The address of a pod, with or without a Service.
    let of_pod = "the address in the message is that of db-0, which is not ready: repair it first, and kv-2 follows";
    for (host_network, wanted) in [(false, of_pod), (true, "")] {
        let mut objects = database(&down, "10.96.14.3");
        let pod = objects.iter_mut().find(|it| it["kind"] == "Pod").unwrap();
        pod["status"]["podIP"] = json!("10.42.7.19");
        pod["spec"]["hostNetwork"] = json!(host_network);
        let told = fix(&refused("10.42.7.19"), objects);
        assert!(told.contains(wanted), "{told}");
        assert_eq!(told.contains("repair it first"), !host_network, "{told}");
    }
    // What the process says is its own fault.
    let own = fix(
        "panic: unknown flag --db.prod.svc",
        database(&down, "10.96.14.3"),
    );
    assert!(!own.contains("repair it first"), "{own}");
}

#[test]
fn a_set_stands_before_those_that_need_its_pods() {
    let mut all = status(crashes(
        "dial tcp 10.96.14.3:5432: connect: connection refused",
    ));
    let mut root = set(1, "OrderedReady", "kv-old");
    root.extend(pod(0, "kv-old", DAY, DAY, "n-1"));
    put(&mut root, 0, crashes("no space left on device"));
    // The same set under a name that sorts after kv.
    let text = serde_json::to_string(&root).unwrap();
    let text = text
        .replace("kv", "zk")
        .replace(test_kit::kv::UID, "zk-uid");
    let mut root: Vec<Value> = serde_json::from_str(&text).unwrap();
    of(&mut root, "Service", "zk")["spec"]["clusterIP"] = json!("10.96.14.3");
    all.extend(root);
    let fleet = Input::of(&all, NOW).fleet();
    let list = ReportList::new(&fleet.reports);
    let sorted = list.most_urgent_first();
    let names: Vec<&str> = sorted.iter().map(|it| &*it.metadata.name).collect();
    assert_eq!(names, ["zk", "kv"]);
    let report = serde_json::to_value(sorted[1]).unwrap();
    assert_eq!(first(&report)["needs"], json!(["prod/zk-0"]));
}

#[test]
fn a_set_stands_after_all_that_it_needs_also_if_one_of_them_needs_another() {
    let stuck = Input::of(&status(crashes("no space left on device")), NOW).report();
    let needs = |name: &str, others: &[&str]| {
        let mut report = stuck.clone();
        name.clone_into(&mut report.metadata.name);
        let pods = others.iter().map(|other| format!("prod/{other}-0"));
        report.outcome.blocked_by[0].needs = pods.collect();
        report
    };
    let order = |reports: &[Report]| {
        let list = ReportList::new(reports);
        let sorted = list.most_urgent_first().into_iter();
        let names: Vec<String> = sorted.map(|it| it.metadata.name.clone()).collect();
        names
    };
    let chain = [needs("a", &["b", "c"]), needs("b", &["c"]), needs("c", &[])];
    assert_eq!(order(&chain), ["c", "b", "a"]);
    // Sets that need each other stand by their names, after the one that both need.
    let circle = [needs("a", &["b"]), needs("b", &["a", "c"]), needs("c", &[])];
    assert_eq!(order(&circle), ["c", "a", "b"]);
}

#[test]
fn a_node_that_does_not_join_in_time_is_no_longer_waited_for() {
    let mut objects = status(unplaced(
        "Unschedulable",
        "0/1 nodes are available: 1 Insufficient memory.",
    ));
    of(&mut objects, "Pod", "kv-2")["spec"]
        .as_object_mut()
        .unwrap()
        .remove("nodeName");
    let mut nominated = event(
        "Pod",
        "kv-2",
        "Nominated",
        "Pod should schedule on: nodeclaim/gpu-1",
    );
    objects.push(nominated.clone());
    let mut node_claim = other(
        "karpenter.sh/v1",
        "NodeClaim",
        "gpu-1",
        &json!({}),
        "Node not registered with cluster",
    );
    node_claim["metadata"]
        .as_object_mut()
        .unwrap()
        .remove("namespace");
    objects.push(node_claim);
    let report = plan(&objects);
    assert_eq!(first(&report)["cause"], "node-not-joining");
    let cautions = first(&report)["cautions"].to_string();
    assert!(
        cautions.contains("NodeClaim gpu-1 reports: Node not registered with cluster"),
        "{cautions}"
    );
    // The first node has time.
    nominated["firstTimestamp"] = json!("2026-11-21T11:50:00Z");
    objects.retain(|it| it["reason"] != "Nominated");
    objects.push(nominated);
    assert_eq!(first(&plan(&objects))["cause"], "node-nominated");
}

#[test]
fn an_operator_in_trouble_is_repaired_before_what_it_makes() {
    let condition = |kind: &str, message: &str| json!({"type": kind, "status": "False", "reason": "Error", "message": message});
    let pods = condition("Available", "pod kv-2: containers not ready: [kv]");
    let config = condition("Reconciled", "line 14: did not find expected key");
    let fix = |object: &str, conditions: Value| {
        let mut objects = without(&format!("secret \"{object}\""));
        let set = of(&mut objects, "StatefulSet", "kv");
        set["metadata"]["ownerReferences"] = json!([{"apiVersion": "monitoring.coreos.com/v1", "kind": "Alertmanager",
            "name": "main", "uid": "am", "controller": true}]);
        objects.push(json!({"apiVersion": "monitoring.coreos.com/v1", "kind": "Alertmanager",
            "metadata": {"name": "main", "namespace": "prod", "uid": "am", "creationTimestamp": "2026-10-01T00:10:00Z"},
            "spec": {}, "status": {"conditions": conditions}}));
        first(&plan(&objects))["fix"].to_string()
    };
    // The first condition only says that the pods are not ready.
    let told = fix("kv-generated", json!([pods, config]));
    let repair = "repair Alertmanager main, which makes Secret kv-generated: line 14: did not find";
    assert!(told.contains(repair), "{told}");
    let of_pods = fix("kv-generated", json!([pods]));
    let of_user = fix("smtp", json!([pods, config]));
    for other in [of_pods, of_user] {
        assert!(!other.contains("which makes"), "{other}");
    }
}
