//! Completion without a file: the candidates, the requests, and the time limit.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;

use super::server::{Answer, Server, folder};
use super::{finish, program};

/// The candidates without descriptions, then the directive.
fn offered(kubeconfig: &Path, words: &[&str]) -> Vec<String> {
    let mut command = program(kubeconfig);
    command.arg("__complete").args(words);
    let ran = finish(command);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{words:?}");
    let values = ran.out.lines().map(|line| line.split('\t').next().unwrap());
    values.map(str::to_owned).collect()
}

const NOTHING: [&str; 1] = [":4"];
const SETS: &str = "/apis/apps/v1/namespaces/prod/statefulsets";
const WEB: &str = "/apis/apps/v1/namespaces/prod/statefulsets/web";
const PODS: &str = "/api/v1/namespaces/prod/pods";
const NODES: &str = "/api/v1/nodes";
const REVISIONS: &str = "/apis/apps/v1/namespaces/prod/controllerrevisions";

#[test]
fn a_cluster_gets_only_the_requests_that_a_plan_needs() {
    let cases: [(&[&str], &[&str], &[&str]); 18] = [
        (&["w"], &["web", ":4"], &[SETS]),
        (&["sts/"], &["sts/web", ":4"], &[SETS]),
        (
            &["-n", "other", "w"],
            &NOTHING,
            &["/apis/apps/v1/namespaces/other/statefulsets"],
        ),
        (
            &["-n", ""],
            &["prod", "spare", ":4"],
            &["/api/v1/namespaces"],
        ),
        (
            &["sts/web", "--assume", ""],
            &[
                "web-0=",
                "web-1=",
                "web-2=",
                "nodes+",
                "quota/",
                "secret/",
                "configmap/",
                "serviceaccount/",
                "priorityclass/",
                "storageclass/",
                ":6",
            ],
            &[PODS, WEB],
        ),
        (
            &["sts/web", "--assume", "secret/db="],
            &["secret/db=exists", ":4"],
            &[],
        ),
        (
            &["-A", "--drain", "node-"],
            &["node-1", "node-2", ":4"],
            &[NODES],
        ),
        (
            &["--drain", "node-1,"],
            &["node-1,node-1", "node-1,node-2", "node-1,zone=", ":4"],
            &[NODES],
        ),
        (&["--cordon", "node-2"], &["node-2", ":4"], &[NODES]),
        (&["--lose", "z"], &["zone=", ":6"], &[NODES]),
        (&["--lose", "zone="], &["zone=a", ":4"], &[NODES]),
        (
            &["web", "--delete-pod", "web-2"],
            &["web-2", ":4"],
            &[PODS, WEB],
        ),
        (&["--delete-pod", "web-2"], &["web-2", ":4"], &[PODS, SETS]),
        (
            &["web", "--to-revision", ""],
            &["1", "0", ":4"],
            &[REVISIONS, WEB],
        ),
        (&["web", "--image", ""], &["app=", ":6"], &[WEB]),
        // Names that do not exist, cluster-scoped names, and names in a file.
        (
            &["gone", "--delete-pod", ""],
            &NOTHING,
            &["/apis/apps/v1/namespaces/prod/statefulsets/gone"],
        ),
        (&["-A", "--delete-pod", ""], &NOTHING, &[]),
        (
            &["-f", "tests/fixtures/rollout.yaml", "w"],
            &["web", ":4"],
            &[],
        ),
    ];
    for (number, (words, candidates, paths)) in cases.into_iter().enumerate() {
        let server = Server::of_fixture("rollout.yaml");
        for name in ["prod", "spare"] {
            let namespace =
                json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
            server.state.lock().unwrap().objects.push(namespace);
        }
        for name in ["node-1", "node-2"] {
            let labels = json!({"topology.kubernetes.io/zone": "a"});
            let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}});
            server.state.lock().unwrap().objects.push(node);
        }
        let config = server.kubeconfig(&format!("completing-{number}"), "prod");
        assert_eq!(offered(&config, words), candidates, "{words:?}");
        assert_eq!(server.paths(), paths, "{words:?}");
        assert!(server.asked().iter().all(|asked| asked.method == "GET"));
        // Only objects that the set selects.
        for asked in server.asked().iter().filter(|asked| asked.path != SETS) {
            let selector = asked.query.get("labelSelector").map(String::as_str);
            let is_around = [PODS, REVISIONS].contains(&asked.path.as_str());
            let wanted =
                (is_around && words.iter().any(|word| word.ends_with("web"))).then_some("app=web");
            assert_eq!(selector, wanted, "{words:?}: {}", asked.path);
        }
    }
}

#[test]
fn without_the_right_to_list_namespaces_those_of_sets_are_offered() {
    let server = Server::of_fixture("rollout.yaml").with_whim(|asked, _| {
        let whole = asked.path == "/api/v1/namespaces";
        whole.then(|| Answer::error(403, "Forbidden", "not yours"))
    });
    let config = server.kubeconfig("completing-namespaces", "default");
    assert_eq!(offered(&config, &["--namespace", ""]), ["prod", ":4"]);
}

#[test]
fn kubeconfigs_are_read_without_prompting() {
    let server = Server::of_fixture("rollout.yaml");
    let config = server.kubeconfig("completing-entries", "prod");
    for (words, offer) in [
        (["--context", ""], "here"),
        (["--cluster", ""], "c"),
        (["--user", ""], "u"),
    ] {
        assert_eq!(offered(&config, &words), [offer, ":4"]);
        assert_eq!(offered(&config, &[words[0], "x"]), NOTHING);
    }
    let named = config.to_str().unwrap();
    let words = ["--kubeconfig", named, "--context", "h"];
    assert_eq!(offered(Path::new(nonexistent!()), &words), ["here", ":4"]);
    assert!(server.asked().is_empty());
}

#[expect(
    clippy::disallowed_methods,
    reason = "a test of how long something takes"
)]
fn clock() -> Instant {
    Instant::now()
}

#[test]
fn a_late_server_is_not_awaited() {
    for (test, whim) in [
        (
            "slow",
            Answer {
                delay: Duration::from_secs(30),
                ..Answer::json(&json!({}))
            },
        ),
        (
            "busy",
            Answer::error(429, "TooManyRequests", "later").with_header("Retry-After", "20"),
        ),
    ] {
        let server = Server::of_fixture("rollout.yaml").with_whim(move |_, _| Some(whim.clone()));
        let config = server.kubeconfig(&format!("completing-{test}"), "prod");
        let began = clock();
        assert_eq!(offered(&config, &["web", "--delete-pod", ""]), NOTHING);
        let took = began.elapsed();
        assert!(took < Duration::from_secs(10), "{test}: {took:?}");
        assert_eq!(server.asked().len(), 1, "{test}");
    }
}

/// A credential plugin may wait for a login.
#[test]
fn a_plugin_that_waits_is_not_waited_for() {
    let file = folder("completing-plugin").join("config");
    let exec = json!({"apiVersion": "client.authentication.k8s.io/v1", "command": "/bin/sleep",
        "args": ["30"], "interactiveMode": "Never"});
    let config = json!({"current-context": "here",
        "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:1"}}],
        "users": [{"name": "u", "user": {"exec": exec}}],
        "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u"}}]});
    std::fs::write(&file, config.to_string()).unwrap();
    let began = clock();
    assert_eq!(offered(&file, &["w"]), NOTHING);
    let waited = Duration::from_secs(1)..Duration::from_secs(10);
    assert!(waited.contains(&began.elapsed()), "{:?}", began.elapsed());
}

#[test]
fn completion_is_silent_about_errors() {
    let forbidden = Server::of_fixture("rollout.yaml")
        .with_whim(|_, _| Some(Answer::error(403, "Forbidden", "not yours")));
    let forbidden = forbidden.kubeconfig("completing-forbidden", "prod");
    let nonsense = folder("completing-nonsense").join("config");
    std::fs::write(&nonsense, "clusters: {no: list").unwrap();
    for config in [&forbidden, &nonsense, Path::new(nonexistent!())] {
        for words in [
            &["w"][..],
            &["-n", ""],
            &["web", "--assume", ""],
            &["-s", "http://127.0.0.1:1", "--image", ""],
            &["--context", "no such", "w"],
        ] {
            assert_eq!(offered(config, words), NOTHING, "{words:?}");
        }
    }
}

/// A name with control characters is not offered.
#[test]
fn invalid_names_are_omitted() {
    let file = folder("completing-names").join("config");
    let config = json!({"contexts": [
        {"name": "a\u{1b}[2J", "context": {"cluster": "c"}}, {"name": "b\nc", "context": {"cluster": "c"}}, {"name": "d", "context": {"cluster": "c"}}]});
    std::fs::write(&file, config.to_string()).unwrap();
    assert_eq!(offered(&file, &["--context", ""]), ["d", ":4"]);
}
