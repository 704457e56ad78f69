//! Kubeconfigs, flags and credentials.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use http::{Method, Request, Response};
use kube::client::Body;
use serde_json::json;
use sts_plan::load::cluster::{Cluster, is_read_only};

use super::server::{Asked, Server, folder};
use super::{Ran, assert_error, finish, program, run};

fn server() -> Server {
    Server::of_fixture("rollout.yaml")
}

/// The first request of a run, which must have worked.
fn first(server: &Server, ran: &Ran) -> Asked {
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    server.asked()[0].clone()
}

/// The set of the fixture is in this namespace.
fn namespace(server: &Server) -> String {
    let state = server.state.lock().unwrap();
    state.objects[0]["metadata"]["namespace"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn the_context_says_where_and_who() {
    let server = server();
    let config = server.kubeconfig("context", &namespace(&server));
    let asked = first(&server, &run(&config, ""));
    assert_eq!(asked.header("authorization"), ["Bearer secret-of-the-file"]);
    assert!(asked.header("user-agent")[0].starts_with("kubectl-sts_plan/"));
}

#[test]
fn flags_win_over_the_kubeconfig() {
    let server = server();
    let namespace = namespace(&server);
    let config = server.kubeconfig("flags", "elsewhere");
    let args =
        format!("-n {namespace} --token other --as jane --as-group dev --as-group ops --as-uid 42");
    let asked = first(&server, &run(&config, &args));
    assert_eq!(asked.header("authorization"), ["Bearer other"]);
    assert_eq!(asked.header("impersonate-user"), ["jane"]);
    assert_eq!(asked.header("impersonate-group"), ["dev", "ops"]);
    assert_eq!(asked.header("impersonate-uid"), ["42"]);

    // An address alone needs no kubeconfig at all.
    let address = server.url.strip_prefix("http://").unwrap();
    for given in [&server.url, address] {
        let ran = run(
            "/nonexistent".as_ref(),
            &format!("-s {given} -n {namespace}"),
        );
        assert_eq!(ran.code, Some(0), "{}", ran.err);
    }
    assert_error(
        &run(&config, "--as-group dev"),
        &["need somebody to act as: give --as"],
    );
}

#[test]
fn kubeconfigs_are_merged_as_kubectl_merges_them() {
    let server = server();
    let folder = folder("merge");
    let cluster = json!({"clusters": [{"name": "c", "cluster": {"server": server.url}}],
        "users": [{"name": "u", "user": {"token": "first"}}]});
    // The second file says where the first has said already, and what it has not.
    let context = json!({"current-context": "here", "users": [{"name": "u", "user": {"token": "second"}}],
        "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u", "namespace": namespace(&server)}}]});
    fs::write(folder.join("a"), cluster.to_string()).unwrap();
    fs::write(folder.join("b"), context.to_string()).unwrap();
    let mut command = program(Path::new(""));
    let list = format!("{0}/missing:{0}/a::{0}/b", folder.display());
    command.env("KUBECONFIG", list);
    let asked = first(&server, &finish(command));
    assert_eq!(asked.header("authorization"), ["Bearer first"]);

    // The file of the home, where no other is named.
    let home = folder.join("home");
    fs::create_dir_all(home.join(".kube")).unwrap();
    fs::write(
        home.join(".kube/config"),
        fs::read(server.kubeconfig("merge-home", &namespace(&server))).unwrap(),
    )
    .unwrap();
    let mut command = program(Path::new(""));
    command.env_remove("KUBECONFIG").env("HOME", &home);
    assert_eq!(finish(command).code, Some(0));
}

#[test]
fn yaml_of_a_kubeconfig_reads_as_kubectl_reads_it() {
    let server = server();
    let file = folder("yaml").join("config");
    // A repeated key counts the last time; `yes` is a boolean; what follows `...` is nothing.
    let text = format!(
        "# mine\ncurrent-context: nowhere\ncurrent-context: here\nclusters:\n- name: c\n  cluster: {{server: '{}', insecure-skip-tls-verify: yes}}\nusers: null\ncontexts:\n- name: here\n  context: {{cluster: c, namespace: {}}}\n",
        server.url,
        namespace(&server)
    );
    fs::write(&file, text).unwrap();
    let asked = first(&server, &run(&file, ""));
    assert_eq!(asked.header("authorization"), Vec::<&str>::new());
}

#[test]
fn a_broken_kubeconfig_is_named_and_not_quoted() {
    let folder = folder("broken");
    for (text, says) in [
        (
            "users:\n- user: {token: hunter2\n",
            "line 3 is not what kubectl would read",
        ),
        (
            "users:\n- name: u\n  user: {token: [hunter2]}\n",
            "a field has a value of a wrong type",
        ),
        ("hunter2\n", "a field has a value of a wrong type"),
    ] {
        let file = folder.join("config");
        fs::write(&file, text).unwrap();
        let ran = run(&file, "");
        assert_error(&ran, &[file.to_str().unwrap(), says]);
        assert!(!ran.err.contains("hunter2"), "{}", ran.err);
    }
    let ran = run("/x".as_ref(), "--kubeconfig /nonexistent/config");
    assert_error(&ran, &["/nonexistent/config", "cannot be read"]);
    assert_error(
        &run("/nonexistent".as_ref(), ""),
        &["names none", "--context", "--server", "-f"],
    );
}

#[test]
fn names_that_are_not_in_the_kubeconfig_are_answered_with_those_that_are() {
    let server = server();
    let config = server.kubeconfig("names", "default");
    for (args, says) in [
        (
            "--context there",
            "context \"there\" does not exist in the kubeconfig; there is here",
        ),
        (
            "--cluster there",
            "cluster \"there\" does not exist in the kubeconfig; there is c",
        ),
        (
            "--user there",
            "user \"there\" does not exist in the kubeconfig; there is u",
        ),
        ("-s ftp://there", "is no address of a server"),
        ("-s http://", "is no address of a server"),
    ] {
        assert_error(&run(&config, args), &[says]);
    }
    assert_eq!(server.paths(), Vec::<String>::new());
}

#[test]
fn a_server_that_is_away_is_said_to_be_away() {
    let config = server().kubeconfig("away", "default");
    assert_error(
        &run(&config, "-s http://127.0.0.1:1"),
        &["cannot reach the API server http://127.0.0.1:1: the connection was refused"],
    );
    assert_error(
        &run(&config, "-s http://no-such-host.invalid"),
        &["its name cannot be looked up"],
    );
}

#[test]
fn expired_credentials_are_said_to_be_expired() {
    let server = server().with_whim(|_, _| {
        Some(super::server::Answer::error(
            401,
            "Unauthorized",
            "Unauthorized",
        ))
    });
    let config = server.kubeconfig("unauthorized", "default");
    let ran = run(&config, "--token hunter2");
    assert_error(
        &ran,
        &[
            "does not accept the credentials (Unauthorized)",
            "log in again",
        ],
    );
    assert!(!ran.err.contains("hunter2"));
}

#[test]
fn a_credential_plugin_is_run() {
    let server = server();
    let folder = folder("plugin");
    let plugin = folder.join("plugin.sh");
    let config = |script: &str| {
        fs::write(&plugin, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&plugin, fs::Permissions::from_mode(0o755)).unwrap();
        let config = json!({
            "current-context": "here",
            "clusters": [{"name": "c", "cluster": {"server": server.url}}],
            "users": [{"name": "u", "user": {"exec": {"apiVersion": "client.authentication.k8s.io/v1",
                // Relative to the kubeconfig.
                "command": "./plugin.sh", "interactiveMode": "Never",
                "env": [{"name": "SECRET", "value": "hunter2"}]}}}],
            "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u", "namespace": namespace(&server)}}],
        });
        let file = folder.join("config");
        fs::write(&file, config.to_string()).unwrap();
        file
    };
    let file = config(
        r#"echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"of-the-plugin"}}'"#,
    );
    let asked = first(&server, &run(&file, ""));
    assert_eq!(asked.header("authorization"), ["Bearer of-the-plugin"]);

    for (script, says) in [
        (
            "echo \"$SECRET\"; echo 'please log in' >&2; exit 3",
            "exit status: 3: please log in",
        ),
        ("echo \"token: $SECRET: {\"", "printed no ExecCredential"),
    ] {
        let ran = run(&config(script), "");
        assert_error(&ran, &["user \"u\"", "plugin.sh", says]);
        assert!(!ran.err.contains("hunter2"), "{}", ran.err);
    }
}

#[test]
fn the_gate_lets_nothing_out_that_changes_a_cluster() {
    let set = "/apis/apps/v1/namespaces/prod/statefulsets/web";
    let passes =
        |method: &Method, path: &str, query: Option<&str>| is_read_only(method, path, query);
    assert!(passes(&Method::GET, set, None));
    assert!(passes(&Method::GET, "/metrics", None));
    assert!(passes(&Method::GET, "/api/v1/pods", Some("watch=true")));
    assert!(passes(
        &Method::PATCH,
        set,
        Some("fieldManager=kubectl&dryRun=All")
    ));
    assert!(passes(
        &Method::POST,
        "/apis/apps/v1/namespaces/prod/statefulsets",
        Some("dryRun=All")
    ));
    // Somebody may call a set so.
    assert!(passes(
        &Method::GET,
        "/apis/apps/v1/namespaces/prod/statefulsets/exec",
        None
    ));
    for query in [
        None,
        Some(""),
        Some("dryRun"),
        Some("dryRun="),
        Some("dryRun=all"),
        Some("dryrun=All"),
        Some("dryRun=All&dryRun="),
        Some("dryRun=All&dryRun=None"),
        Some("x=dryRun=All"),
        Some("fieldManager=dryRun%3DAll"),
    ] {
        assert!(!passes(&Method::PATCH, set, query), "{query:?}");
        assert!(!passes(&Method::POST, set, query), "{query:?}");
    }
    for method in [
        Method::PUT,
        Method::DELETE,
        Method::OPTIONS,
        Method::CONNECT,
    ] {
        assert!(!passes(&method, set, Some("dryRun=All")), "{method}");
    }
    for path in [
        "/api/v1/namespaces/prod/pods/web-0/exec",
        "/api/v1/namespaces/prod/pods/web-0/%65xec",
        "/api/v1/namespaces/prod/services/web/proxy/shutdown",
        "/api/v1/nodes/n/proxy/run",
    ] {
        assert!(!passes(&Method::GET, path, None), "{path}");
    }
}

#[test]
fn nothing_that_the_gate_holds_back_reaches_the_server() {
    let sent = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&sent);
    let send = tower::service_fn(move |_: Request<Body>| {
        counted.fetch_add(1, Ordering::SeqCst);
        async { Ok::<_, tower::BoxError>(Response::new(Body::from(b"{}".to_vec()))) }
    });
    let cluster = Cluster::over(|| kube::Client::new(send, "default"), "memory", None).unwrap();
    let client = cluster.link().client();
    let ask = |method: Method, uri: &str| {
        let request = Request::builder().method(method).uri(uri);
        let request = request.body(Vec::new()).unwrap();
        cluster.block_on(client.request_text(request))
    };
    let sets = "/apis/apps/v1/namespaces/prod/statefulsets";
    for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
        let error = ask(method, sets).unwrap_err().to_string();
        assert!(error.contains("held back"), "{error}");
    }
    assert_eq!(sent.load(Ordering::SeqCst), 0);
    ask(Method::GET, sets).unwrap();
    ask(Method::POST, &format!("{sets}?dryRun=All")).unwrap();
    assert_eq!(sent.load(Ordering::SeqCst), 2);
}
