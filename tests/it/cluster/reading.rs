//! Reading a cluster, and the plan when the server misbehaves.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::server::{Answer, Asked, Server};
use super::{assert_error, plan, run};
use crate::program;

/// Makes an answer.
type Make = fn() -> Answer;

pub const NOW: &str = "--now 2026-01-01T00:00:00Z -o json";

/// A plan without the parts that distinguish a cluster from a file.
fn alike(mut plan: Value) -> Value {
    // A manifest has a file, an object of a cluster has none.
    plan["set"]["source"].take();
    let obstacles = plan["outcome"]["blockedBy"].as_array_mut().unwrap();
    obstacles.iter_mut().for_each(|obstacle| {
        obstacle["source"].take();
    });
    let findings = plan["findings"].as_array_mut().unwrap();
    // A cluster reports that it has no budgets, a file without them does not.
    findings.retain(|finding| finding["id"] != "STS043");
    findings.iter_mut().for_each(|finding| {
        finding["source"].take();
    });
    plan.as_object_mut().unwrap().remove("assumed");
    plan["metadata"].as_object_mut().unwrap().remove("observed");
    plan["kubernetes"]["source"].take();
    plan["nowSource"].take();
    plan["assumptions"].take();
    // A cluster is complete, a file need not be.
    plan["input"].take();
    plan
}

#[test]
fn a_cluster_and_a_dump_of_it_give_the_same_plan() {
    for (fixture, name) in [
        ("rollout.yaml", "web"),
        ("partition.yaml", "web"),
        ("crashloop.yaml", "web"),
        ("scale-down.yaml", "web"),
        ("on-delete.yaml", "web"),
        ("parallel.yaml", "web"),
    ] {
        let server = Server::of_fixture(fixture);
        let objects = server.state.lock().unwrap().objects.clone();
        let set = objects
            .iter()
            .find(|object| object["kind"] == "StatefulSet")
            .unwrap();
        let namespace = set["metadata"]["namespace"].as_str().unwrap();
        let name = set["metadata"]["name"].as_str().unwrap_or(name);
        let config = server.kubeconfig(&format!("alike-{fixture}"), namespace);
        let live = plan(&run(&config, &format!("{name} {NOW}")));
        let file = format!("{}/tests/fixtures/{fixture}", env!("CARGO_MANIFEST_DIR"));
        let dumped = run(
            &config,
            &format!("{name} {NOW} -f {file} --kubernetes-version 1.33.4"),
        );
        assert_eq!(alike(live.clone()), alike(plan(&dumped)), "{fixture}");
        assert_eq!(live["kubernetes"]["source"], "server");
        assert_eq!(live["kubernetes"]["version"], "1.33.4");
        assert_eq!(live["metadata"]["observed"]["pods"], "4711");
        assert!(server.asked().iter().all(|asked| asked.method == "GET"));
    }
}

#[test]
fn a_file_opens_no_connection() {
    let server = Server::of_fixture("rollout.yaml");
    let config = server.kubeconfig("file", "default");
    let file = format!("{}/tests/fixtures/rollout.yaml", env!("CARGO_MANIFEST_DIR"));
    plan(&run(&config, &format!("{NOW} -f {file}")));
    assert_eq!(server.paths(), Vec::<String>::new());
    // No kubeconfig is read either.
    plan(&run(
        nonexistent!("/config").as_ref(),
        &format!("{NOW} -f {file}"),
    ));
}

#[test]
fn a_manifest_names_the_way_to_the_cluster_that_is_at_hand() {
    let server = Server::of_fixture("rollout.yaml");
    let config = server.kubeconfig("at-hand", "default");
    let manifest = program::folder("at-hand").join("new.yaml");
    let mut new = set("new", 3);
    new["metadata"].as_object_mut().unwrap().remove("uid");
    std::fs::write(&manifest, new.to_string()).unwrap();
    let manifest = manifest.to_str().unwrap();
    let stored = format!("{}/tests/fixtures/rollout.yaml", env!("CARGO_MANIFEST_DIR"));
    let note = |config: &Path, args: &str| {
        let said = run(config, args).err;
        said.lines()
            .filter(|line| line.starts_with("note: "))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let found = note(&config, &format!("-f {manifest}"));
    assert_eq!(found.len(), 1);
    let way = format!(
        "the cluster was not asked, so this is the first rollout of the manifest; to compare it with the \
        cluster, use --apply {manifest} instead of -f"
    );
    assert_eq!(found[0], format!("note: {way}"));
    // Neither scripts, nor dumps, nor machines without a cluster get it.
    for args in [
        format!("-f {manifest} -o json"),
        format!("-f {manifest} --fail-on blocked"),
        format!("-f {manifest} --detailed-exitcode"),
        format!("-f {stored}"),
        format!("-f {stored} --apply {manifest}"),
    ] {
        assert_eq!(note(&config, &args), Vec::<String>::new(), "{args}");
    }
    let none = note(nonexistent!("/config").as_ref(), &format!("-f {manifest}"));
    assert_eq!(none, Vec::<String>::new());
    assert_eq!(server.paths(), Vec::<String>::new());
}

pub fn set(name: &str, replicas: usize) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "StatefulSet",
        "metadata": {"name": name, "namespace": "prod", "uid": format!("uid-{name}"),
            "resourceVersion": "7", "generation": 1, "labels": {"app": name}},
        "spec": {"replicas": replicas, "serviceName": name, "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}},
                "spec": {"containers": [{"name": "c", "image": "nginx:1"}]}}},
    })
}

pub fn pod(set: &str, ordinal: usize) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": format!("{set}-{ordinal}"), "namespace": "prod", "uid": format!("uid-{set}-{ordinal}"),
            "labels": {"app": set}, "ownerReferences": [{"apiVersion": "apps/v1", "kind": "StatefulSet",
                "name": set, "uid": format!("uid-{set}"), "controller": true}]},
        "spec": {"nodeName": "n", "containers": [{"name": "c", "image": "nginx:1"}]},
        "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]},
    })
}

/// A set with 1 200 pods, which take three pages.
fn large() -> Vec<Value> {
    let mut objects = vec![set("web", 1200)];
    objects.extend((0..1200).map(|ordinal| pod("web", ordinal)));
    objects
}

fn is_pods_page(asked: &Asked, after: &str) -> bool {
    asked.path == "/api/v1/namespaces/prod/pods"
        && asked
            .query
            .get("continue")
            .is_some_and(|given| given == after)
}

/// Returns the number of pods that the program has read.
fn pods_seen(plan: &Value) -> usize {
    plan["set"]["pods"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|pod| pod["ready"] == true)
        .count()
}

#[test]
fn lists_are_read_page_by_page() {
    let server = Server::new(large());
    let config = server.kubeconfig("pages", "prod");
    assert_eq!(pods_seen(&plan(&run(&config, &format!("web {NOW}")))), 1200);
    let pages: Vec<Option<String>> = server
        .asked()
        .into_iter()
        .filter(|asked| asked.path.ends_with("/pods"))
        .map(|asked| {
            assert_eq!(asked.query["limit"], "500");
            asked.query.get("continue").cloned()
        })
        .collect();
    assert_eq!(
        pages,
        [None, Some("500".to_owned()), Some("1000".to_owned())]
    );
}

#[test]
fn a_list_that_expires_is_restarted() {
    let server = Server::new(large()).with_whim(|asked, before| {
        (is_pods_page(asked, "500") && before == 0)
            .then(|| Answer::error(410, "Expired", "the provided continue parameter is too old"))
    });
    let config = server.kubeconfig("expires", "prod");
    assert_eq!(pods_seen(&plan(&run(&config, &format!("web {NOW}")))), 1200);

    let server = Server::new(large()).with_whim(|asked, _| {
        is_pods_page(asked, "500").then(|| Answer::error(410, "Expired", "too old"))
    });
    let config = server.kubeconfig("expires-always", "prod");
    // The last attempt reads the list in one piece.
    assert_eq!(pods_seen(&plan(&run(&config, &format!("web {NOW}")))), 1200);

    let server = Server::new(large()).with_whim(|asked, _| {
        asked
            .path
            .ends_with("/pods")
            .then(|| Answer::error(410, "Expired", "too old"))
    });
    let config = server.kubeconfig("expires-all", "prod");
    assert_error(
        &run(&config, &format!("web {NOW}")),
        &["list pods in namespace \"prod\"", "expired"],
    );
}

#[test]
fn transient_errors_within_a_list_are_retried() {
    let cases: [(&str, Make); 5] = [
        ("429", || {
            Answer::error(429, "TooManyRequests", "slow down").with_header("Retry-After", "1")
        }),
        ("500", || {
            Answer::error(500, "InternalError", "etcd is leaving")
        }),
        ("503", || {
            Answer::error(503, "ServiceUnavailable", "not now").with_header("Retry-After", "0")
        }),
        ("cut", || {
            let whole = Answer::json(&json!({"kind": "PodList", "items": [], "metadata": {}}));
            Answer {
                cut: Some(20),
                ..whole
            }
        }),
        // Headers and body promise everything, but the JSON ends early.
        ("half", || {
            Answer::text(r#"{"kind":"PodList","items":[{"metadata":"#)
        }),
    ];
    for (name, answer) in cases {
        let server = Server::new(large()).with_whim(move |asked, before| {
            (is_pods_page(asked, "500") && before == 0).then(answer)
        });
        let config = server.kubeconfig(&format!("passes-{name}"), "prod");
        assert_eq!(
            pods_seen(&plan(&run(&config, &format!("web {NOW}")))),
            1200,
            "{name}"
        );
    }
}

#[test]
fn no_plan_is_made_from_a_partial_list() {
    let cases: [(&str, Make, &[&str]); 5] = [
        (
            "500",
            || Answer::error(500, "InternalError", "etcd is \u{1b}[31mgone"),
            &[
                "list pods in namespace \"prod\"",
                "500",
                "etcd is \\x1b[31mgone",
                "(5 attempts)",
            ],
        ),
        (
            "429",
            || Answer::error(429, "TooManyRequests", "slow down").with_header("Retry-After", "0"),
            &["429", "slow down", "(10 attempts)"],
        ),
        (
            "cut",
            || Answer {
                cut: Some(20),
                ..Answer::json(&json!({"items": [1, 2, 3, 4, 5]}))
            },
            &[
                "were truncated",
                "end of file before message length reached",
            ],
        ),
        (
            "page",
            || Answer::text("<html>Log in</html>"),
            &["is not from a Kubernetes API server", "line 1"],
        ),
        (
            "object",
            || Answer::json(&json!({"kind": "Pod"})),
            &["expected PodList, found Pod"],
        ),
    ];
    for (name, answer, says) in cases {
        let server =
            Server::new(large()).with_whim(move |asked, _| is_pods_page(asked, "500").then(answer));
        let config = server.kubeconfig(&format!("half-{name}"), "prod");
        assert_error(&run(&config, &format!("web {NOW}")), says);
    }
}

#[test]
fn a_server_that_does_not_answer_times_out() {
    let server = Server::new(large()).with_whim(|asked, _| {
        let late = Answer {
            delay: Duration::from_secs(20),
            ..Answer::text("")
        };
        asked.path.ends_with("/pods").then_some(late)
    });
    let config = server.kubeconfig("slow", "prod");
    let ran = run(&config, &format!("web {NOW} --request-timeout 300ms"));
    assert_error(
        &ran,
        &[
            "did not answer within 300ms",
            "list pods",
            "--request-timeout",
        ],
    );
}

#[test]
fn an_endless_list_is_aborted() {
    let server = Server::new(large()).with_whim(|asked, _| {
        let page = json!({"kind": "PodList", "items": [], "metadata": {"continue": "again"}});
        asked.path.ends_with("/pods").then(|| Answer::json(&page))
    });
    let config = server.kubeconfig("endless", "prod");
    assert_error(
        &run(&config, &format!("web {NOW}")),
        &["repeats the same page"],
    );
}

pub fn forbidden(plural: &'static str) -> impl FnMut(&Asked, usize) -> Option<Answer> + Send {
    move |asked, _| {
        let message = format!("{plural} is forbidden: User \"u\" cannot list it");
        (asked.path.ends_with(plural) || asked.path.contains(&format!("/{plural}/")))
            .then(|| Answer::error(403, "Forbidden", &message))
    }
}

#[test]
fn required_and_forbidden_resources_are_named() {
    for (plural, says) in [
        (
            "statefulsets",
            "not allowed to get statefulsets.apps \"web\" in namespace \"prod\"",
        ),
        ("pods", "not allowed to list pods in namespace \"prod\""),
        (
            "controllerrevisions",
            "not allowed to list controllerrevisions.apps in namespace \"prod\"",
        ),
    ] {
        let server = Server::new(vec![set("web", 1), pod("web", 0)]).with_whim(forbidden(plural));
        let config = server.kubeconfig(&format!("needed-{plural}"), "prod");
        assert_error(&run(&config, "web"), &[says, "cannot list it"]);
    }
}

#[test]
fn a_refused_impersonation_is_not_a_missing_right_on_sets() {
    // The message of 1.36 (ConstrainedImpersonation), and that of all versions.
    for message in [
        "users \"jane\" is forbidden: User \"u\" cannot impersonate-on:user-info:get resource \"statefulsets\" in API \
         group \"apps\" in the namespace \"prod\"",
        "users \"jane\" is forbidden: User \"u\" cannot impersonate resource \"users\" in API group \"\" at the cluster \
         scope",
    ] {
        let server = Server::new(vec![set("web", 1), pod("web", 0)])
            .with_whim(move |_, _| Some(Answer::error(403, "Forbidden", message)));
        let config = server.kubeconfig("another", "prod");
        let ran = run(&config, &format!("web --as jane {NOW}"));
        assert_error(&ran, &["not allowed to impersonate", message]);
        assert!(!ran.err.contains("not allowed to get"), "{}", ran.err);
        assert!(!ran.err.contains("rbac"), "{}", ran.err);
    }
}

#[test]
fn a_plan_without_optional_objects_says_so() {
    for (plural, says) in [
        (
            "nodes",
            "not allowed to list nodes, so it is uncertain whether the nodes of the pods are healthy",
        ),
        (
            "poddisruptionbudgets",
            "not allowed to list poddisruptionbudgets.policy in namespace \"prod\", so it is uncertain which",
        ),
        (
            "persistentvolumeclaims",
            "not allowed to list persistentvolumeclaims in namespace \"prod\", so it is uncertain which claims exist",
        ),
        (
            "version",
            "not allowed to get /version, so the version of the cluster is unknown",
        ),
    ] {
        let server = Server::new(vec![set("web", 1), pod("web", 0)]).with_whim(forbidden(plural));
        let config = server.kubeconfig(&format!("wished-{plural}"), "prod");
        let plan = plan(&run(&config, &format!("web {NOW}")));
        let assumptions = plan["assumptions"].as_array().unwrap();
        assert!(
            assumptions
                .iter()
                .any(|text| text.as_str().unwrap().starts_with(says)),
            "{assumptions:?}"
        );
        let source = if plural == "version" {
            "default"
        } else {
            "server"
        };
        assert_eq!(plan["kubernetes"]["source"], source);
    }
}

#[test]
fn a_missing_set_is_reported() {
    let server = Server::new(vec![set("web", 1), set("database", 1), set("cache", 1)]);
    let config = server.kubeconfig("no-set", "prod");
    for (args, says) in [
        (
            "wbe",
            "StatefulSet \"wbe\" not found in namespace \"prod\"; did you mean web?",
        ),
        ("data", "did you mean database?"),
        (
            "queue",
            "StatefulSet \"queue\" not found in namespace \"prod\"; it has cache, database, web",
        ),
        (
            "web -n dev",
            "not found in namespace \"dev\": no StatefulSets exist here",
        ),
        (
            "web-0",
            "StatefulSet \"web-0\" not found in namespace \"prod\"; for the pod of web, use pod/web-0",
        ),
        (
            "dev/web",
            "not found in namespace \"dev\": no StatefulSets exist here",
        ),
        (
            "-l app=none",
            "none of the 3 StatefulSets here match -l app=none",
        ),
        (
            "-n dev",
            "no StatefulSet in namespace \"dev\", but in namespace prod: choose one with -n, or all with -A",
        ),
    ] {
        assert_error(&run(&config, args), &[says]);
        // A hook before the first installation.
        let ran = run(&config, &format!("{args} --ignore-not-found"));
        let ends = (ran.code, &*ran.out);
        assert_eq!(ends, (Some(0), "0 sets\n"), "{args}: {}", ran.err);
        assert!(ran.err.starts_with("nothing to plan: "), "{}", ran.err);
    }
    for args in ["web wbe", "web --replicas 2"] {
        let ran = run(&config, &format!("{args} {NOW} --ignore-not-found"));
        assert_eq!(plan(&ran)["metadata"]["name"], "web", "{args}");
    }
    for (args, count) in [("*a*", 2), ("prod/*", 3), ("dat*,web -n prod", 2)] {
        let plans = plan(&run(&config, &format!("{args} {NOW}")));
        let items = plans["items"].as_array().unwrap();
        assert_eq!(items.len(), count, "{args}");
    }
}

/// Pods left behind by a deleted set are adopted by its successor.
#[test]
fn a_new_set_meets_existing_objects() {
    let mut orphan = pod("web", 0);
    orphan["metadata"]["ownerReferences"] = json!([]);
    let server = Server::new(vec![orphan]);
    let config = server.kubeconfig("created", "prod");
    let file = config.with_file_name("web.json");
    std::fs::write(&file, set("web", 1).to_string()).unwrap();
    let applied = format!("web {NOW} --apply {}", file.display());
    let plan = plan(&run(&config, &applied));
    let first = &plan["next"]["writes"][0];
    assert_eq!(
        (&first["verb"], &first["name"]),
        (&json!("patch"), &json!("web-0"))
    );
}

#[test]
fn versions_of_vendors_are_read() {
    for (git, version) in [
        ("v1.33.4-gke.100", "1.33.4"),
        ("v1.30.2+k3s1", "1.30.2"),
        ("v1.20.15-eks-a64ea69", "1.20.15"),
        ("nightly", "1.33"),
        ("v1.99.0", "1.99.0"),
    ] {
        let server = Server::new(vec![set("web", 0)]).with_version(git);
        let config = server.kubeconfig(&format!("version-{version}"), "prod");
        let plan = plan(&run(&config, &format!("web {NOW}")));
        assert_eq!(plan["kubernetes"]["version"], version, "{git}");
    }
    let server = Server::new(vec![set("web", 0)]).with_version("v1.16.1");
    let config = server.kubeconfig("version-old", "prod");
    assert_error(
        &run(&config, "web"),
        &["1.16.1 is not supported", "--kubernetes-version"],
    );
    let plan = plan(&run(
        &config,
        &format!("web {NOW} --kubernetes-version 1.30"),
    ));
    assert_eq!(plan["kubernetes"]["source"], "flag");
}

#[test]
fn an_invalid_object_is_named_and_escaped() {
    let mut bad = pod("web", 0);
    bad["metadata"]["name"] = "web-0\u{1b}]0;owned\u{7}".into();
    bad["status"]["phase"] = 3.into();
    let server = Server::new(vec![set("web", 1), bad]);
    let config = server.kubeconfig("hostile", "prod");
    let ran = run(&config, "web");
    assert_error(&ran, &["the cluster's prod/web-0", "status.phase"]);
    assert!(!ran.err.contains(['\u{1b}', '\u{7}']), "{:?}", ran.err);
}

#[test]
fn feature_gates_are_those_of_the_server() {
    let metrics = "# TYPE kubernetes_feature_enabled gauge\n\
        kubernetes_feature_enabled{name=\"MaxUnavailableStatefulSet\",stage=\"ALPHA\"} 1\n\
        kubernetes_feature_enabled{name=\"NobodyKnows\",stage=\"\"} 1\n\
        kubernetes_feature_enabled{name=\"PodIndexLabel\",stage=\"\"} 0\n\
        kubernetes_feature_enabled{broken\n\
        process_start_time_seconds 1\n";
    let server = Server::new(vec![set("web", 0)])
        .with_version("v1.33.0")
        .with_whim(|asked, _| (asked.path == "/metrics").then(|| Answer::text(metrics)));
    let config = server.kubeconfig("gates", "prod");
    let gate =
        |plan: &Value| plan["kubernetes"]["featureGates"]["MaxUnavailableStatefulSet"].clone();
    let told = plan(&run(&config, &format!("web {NOW}")));
    assert_eq!(gate(&told), true);
    // That gate is locked by then, whatever the line says.
    assert_eq!(told["kubernetes"]["featureGates"]["PodIndexLabel"], true);
    let text = told["assumptions"].to_string();
    assert!(
        text.contains("the controller has the feature gates of the API server"),
        "{text}"
    );
    // The command line overrides the server, and another version has other gates.
    let off = plan(&run(
        &config,
        &format!("web {NOW} --feature-gates MaxUnavailableStatefulSet=false"),
    ));
    assert_eq!(gate(&off), false);
    let other = plan(&run(
        &config,
        &format!("web {NOW} --kubernetes-version 1.33"),
    ));
    assert_eq!(gate(&other), false);

    let server = Server::new(vec![set("web", 0)]);
    let untold = plan(&run(
        &server.kubeconfig("gates-untold", "prod"),
        &format!("web {NOW}"),
    ));
    assert_eq!(gate(&untold), false);
    let text = untold["assumptions"].to_string();
    assert!(
        text.contains("feature gates have their defaults: the API server does not expose"),
        "{text}"
    );
}

#[test]
fn budgets_of_old_servers_are_read_in_their_version() {
    let budget = |version: &str| {
        json!({"apiVersion": version, "kind": "PodDisruptionBudget",
            "metadata": {"name": "web", "namespace": "prod"}, "spec": {"minAvailable": 1}})
    };
    for (version, old) in [("policy/v1", false), ("policy/v1beta1", true)] {
        let server = Server::new(vec![set("web", 1), pod("web", 0), budget(version)]).with_whim(
            move |asked, _| {
                (old && asked.path.starts_with("/apis/policy/v1/"))
                    .then(|| Answer::error(404, "NotFound", "the server could not find it"))
            },
        );
        let config = server.kubeconfig(&format!("budgets-{old}"), "prod");
        let plan = plan(&run(&config, &format!("web {NOW}")));
        assert_eq!(
            plan["metadata"]["observed"]["poddisruptionbudgets.policy"], "4711",
            "{version}"
        );
    }
}

#[test]
fn others_of_the_namespace_are_not_planned() {
    let server = Server::new(vec![
        set("web", 1),
        pod("web", 0),
        set("other", 1),
        pod("other", 0),
    ]);
    let config = server.kubeconfig("others", "prod");
    let alone = plan(&run(&config, &format!("web {NOW}")));
    assert_eq!(alone["kind"], "Plan");
    assert_eq!(alone["metadata"]["name"], "web");
    assert_eq!(alone["set"]["pods"].as_array().unwrap().len(), 1);
    let labelled = plan(&run(&config, &format!("-l app=other {NOW}")));
    assert_eq!(labelled["metadata"]["name"], "other");
    let all = plan(&run(&config, &format!("-A {NOW}")));
    assert_eq!(all["kind"], "PlanList");
    assert_eq!(all["items"].as_array().unwrap().len(), 2);
    assert_error(
        &run(&config, "-A web"),
        &["-A cannot be combined with names"],
    );
}

#[test]
fn all_namespaces_are_read_a_few_at_a_time_and_planned_in_order() {
    let mut objects = Vec::new();
    for namespace in ["a", "b", "c"] {
        for number in 0..200 {
            let mut set = set(&format!("web-{number:03}"), 0);
            set["metadata"]["namespace"] = namespace.into();
            objects.push(set);
        }
    }
    let mut stray = pod("web", 0);
    stray["metadata"]["namespace"] = "without-sets".into();
    objects.push(stray);
    let server = Server::new(objects);
    let config = server.kubeconfig("all", "prod");
    let list = plan(&run(&config, &format!("-A {NOW}")));
    let names: Vec<String> = list["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|plan| {
            let text = |name: &str| plan["metadata"][name].as_str().unwrap().to_owned();
            format!("{}/{}", text("namespace"), text("name"))
        })
        .collect();
    assert_eq!(names.len(), 600);
    assert!(names.is_sorted(), "{names:?}");
    let paths = server.paths();
    assert!(
        !paths.iter().any(|path| path.contains("without-sets")),
        "{paths:?}"
    );
    let of_cluster = paths.iter().filter(|path| *path == "/api/v1/nodes");
    assert_eq!(of_cluster.count(), 1);
    assert!(
        !paths.iter().any(|path| path.ends_with("/events")),
        "{paths:?}"
    );
}

/// An answer in chunks, one every few milliseconds, without end.
fn endless() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                // A client ignores an answer that comes before its request.
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
                while lines
                    .next()
                    .is_some_and(|line| line.is_ok_and(|line| !line.is_empty()))
                {}
                let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
                let mut sent = stream.write_all(head);
                while sent.is_ok() {
                    sent = stream.write_all(b"1\r\n[\r\n");
                    std::thread::sleep(Duration::from_millis(5));
                }
            });
        }
    });
    url
}

#[test]
fn an_endless_answer_is_not_awaited() {
    let config = nonexistent!("/config").as_ref();
    let ran = run(
        config,
        &format!("web {NOW} --server {} --request-timeout 400ms", endless()),
    );
    assert_error(&ran, &["did not answer within 400ms", "--request-timeout"]);
}
