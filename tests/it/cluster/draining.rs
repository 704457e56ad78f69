//! `--drain` on a live cluster: the pods of all namespaces, and evictions as dry runs.

use serde_json::{Value, json};

use super::server::{Answer, Asked, Server};
use super::{plan, run};
use test_kit::nodes::{budget, cluster};

const DRAIN: &str = "web --now 2026-11-20T03:00:00Z --drain node-7";

/// A pod of another namespace on node-7, and its budget.
fn elsewhere(allowed: i64) -> [Value; 2] {
    let labels = json!({"app": "cache"});
    let pod = json!({"apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": "cache-0", "namespace": "elsewhere", "uid": "uid-cache", "labels": labels,
            "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "cache", "uid": "u",
                "controller": true}]},
        "spec": {"nodeName": "node-7", "containers": [{"name": "app", "image": "app:1"}]},
        "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}});
    let budget = json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
        "metadata": {"name": "cache", "namespace": "elsewhere"},
        "spec": {"maxUnavailable": allowed, "selector": {"matchLabels": labels}}});
    [pod, budget]
}

fn server(more: impl IntoIterator<Item = Value>) -> Server {
    let mut objects = cluster(&[budget(json!({"maxUnavailable": 1}))]);
    objects.extend(more);
    Server::new(objects)
}

fn forbids(path: &'static str) -> impl FnMut(&Asked, usize) -> Option<Answer> + Send {
    move |asked, _| (asked.path == path).then(|| Answer::error(403, "Forbidden", "not for you"))
}

#[test]
fn a_drain_reads_the_pods_and_budgets_of_all_namespaces() {
    let free = server(elsewhere(1));
    let ran = run(&free.kubeconfig("drain-all", "prod"), DRAIN);
    assert!(
        ran.out
            .contains("Drain of node-7 completes after 5s: evicts 2 pods"),
        "{}{}",
        ran.out,
        ran.err
    );
    assert!(!ran.out.contains("for the pods that were read"));
    assert!(
        free.paths()
            .contains(&"/apis/storage.k8s.io/v1/csinodes".to_owned())
    );
    let held = server(elsewhere(0));
    let nodes = plan(&run(
        &held.kubeconfig("drain-held", "prod"),
        &format!("{DRAIN} -o json"),
    ))["nodes"]
        .clone();
    assert_eq!(
        (&nodes["verdict"], &nodes["allPodsRead"]),
        (&json!("hangs"), &json!(true)),
        "{nodes:#}"
    );
    assert_eq!(
        nodes["otherPods"][0]["stranded"]["budgets"],
        json!(["cache"])
    );
    // With all namespaces too.
    let all = format!("-A {} -o json", DRAIN.trim_start_matches("web "));
    let nodes = plan(&run(&held.kubeconfig("drain-held-all", "prod"), &all))["nodes"].clone();
    assert_eq!(nodes["verdict"], "hangs", "{nodes:#}");
}

#[test]
fn a_drain_says_which_pods_it_could_not_read() {
    for path in ["/api/v1/pods", "/apis/policy/v1/poddisruptionbudgets"] {
        let server = server(elsewhere(0)).with_whim(forbids(path));
        let ran = run(&server.kubeconfig("drain-barred", "prod"), DRAIN);
        assert!(
            ran.out.contains("for the pods that were read")
                && ran.out.contains("of other namespaces"),
            "{path}: {}{}",
            ran.out,
            ran.err
        );
    }
}

/// The server's answers by pod; other requests go to the objects.
fn answering(answer: fn(&str) -> Answer) -> impl FnMut(&Asked, usize) -> Option<Answer> + Send {
    move |asked, _| {
        let pod = asked.path.strip_suffix("/eviction")?.rsplit('/').next()?;
        Some(answer(pod))
    }
}

fn granted(_: &str) -> Answer {
    Answer::json(&json!({"kind": "Status", "apiVersion": "v1", "status": "Success"}))
}

fn evictions(server: &Server) -> Vec<Asked> {
    let asked = server.asked().into_iter();
    asked.filter(|asked| asked.method != "GET").collect()
}

#[test]
fn the_server_is_asked_for_each_eviction_in_a_dry_run() {
    let server = server(elsewhere(1)).with_whim(answering(|pod| match pod {
        "cache-0" => {
            let refused = "Cannot evict pod as it would violate the pod's disruption budget.";
            Answer::error(429, "TooManyRequests", refused).with_header("Retry-After", "10")
        }
        pod => granted(pod),
    }));
    let config = server.kubeconfig("asked", "prod");
    let ran = run(&config, &format!("{DRAIN} --dry-run=server"));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(
        ran.out.contains("1 of 2 evictions answered as foretold"),
        "{}",
        ran.out
    );
    assert!(
        ran.out
            .contains("differs for elsewhere/cache-0: the server refuses it for now: Cannot evict"),
        "{}",
        ran.out
    );
    // A refusal is an answer: it is not asked again. Each request is a dry run.
    let asked = evictions(&server);
    assert_eq!(asked.len(), 2);
    for asked in &asked {
        assert_eq!(asked.method, "POST");
        assert_eq!(asked.query.get("dryRun").map(String::as_str), Some("All"));
        let body = asked.json();
        assert_eq!(body["apiVersion"], "policy/v1");
        assert_eq!(body["deleteOptions"]["dryRun"], json!(["All"]));
    }
    let nodes = plan(&run(&config, &format!("{DRAIN} --dry-run=server -o json")))["nodes"].clone();
    let answers: Vec<(&Value, &Value, &Value)> = nodes["server"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (&it["pod"], &it["foretold"], &it["answer"]))
        .collect();
    assert_eq!(
        answers,
        [
            (&json!("cache-0"), &json!(true), &json!("refused")),
            (&json!("web-0"), &json!(true), &json!("granted"))
        ]
    );
}

#[test]
fn an_old_server_is_asked_in_its_version() {
    let mut objects = cluster(&[]);
    objects.retain(|object| object["kind"] != "PodDisruptionBudget");
    let server = Server::new(objects)
        .with_version("v1.20.2")
        .with_whim(answering(granted));
    let ran = run(
        &server.kubeconfig("asked-old", "prod"),
        &format!("{DRAIN} --dry-run=server"),
    );
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(evictions(&server)[0].json()["apiVersion"], "policy/v1beta1");
}

#[test]
fn without_the_right_to_evict_the_plan_says_so() {
    let server = server(elsewhere(1)).with_whim(answering(|_| {
        Answer::error(403, "Forbidden", "pods \"web-0\" is forbidden")
    }));
    let ran = run(
        &server.kubeconfig("asked-barred", "prod"),
        &format!("{DRAIN} --dry-run=server"),
    );
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    for namespace in ["prod", "elsewhere"] {
        let words = format!("not asked about the pods of {namespace}: not allowed to evict them");
        assert!(ran.out.contains(&words), "{}", ran.out);
    }
    assert!(ran.out.contains("kubectl sts-plan rbac"));
    let role = run(&server.kubeconfig("asked-role", "prod"), "rbac").out;
    assert!(role.contains("#   resources: [pods/eviction]"), "{role}");
}

#[test]
fn a_dry_run_without_a_drain_or_a_server_is_refused() {
    let config = server([]).kubeconfig("asked-nothing", "prod");
    for words in [
        "web --dry-run",
        "web --dry-run=server",
        "web --drain node-7 --dry-run=client",
    ] {
        let ran = run(&config, words);
        assert_eq!(ran.code, Some(1), "{words}");
        assert!(
            ran.err.contains("every plan is a dry run"),
            "{words}: {}",
            ran.err
        );
    }
    let (code, _, error) =
        crate::nodes::run(&cluster(&[]), &["--drain", "node-7", "--dry-run=server"]);
    assert_eq!(code, 1);
    assert!(error.contains("asks a live cluster"), "{error}");
}
