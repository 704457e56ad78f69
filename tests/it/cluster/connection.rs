//! Flags, addresses, and checks before a request.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use http::{Method, Request, Response};
use kube::client::Body;
use kubectl_sts_plan::internals::{Cluster, is_read_only};

use super::server::{Asked, Server};
use super::{FIXTURE, Ran, assert_error, run};

fn server() -> Server {
    Server::of_fixture(FIXTURE)
}

/// The first request of a successful run.
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
fn the_context_says_where() {
    let server = server();
    let config = server.kubeconfig("context", &namespace(&server));
    let asked = first(&server, &run(&config, ""));
    assert!(asked.header("user-agent")[0].starts_with("kubectl-sts_plan/"));
}

#[test]
fn flags_win_over_the_kubeconfig() {
    let server = server();
    let namespace = namespace(&server);
    let config = server.kubeconfig("flags", "elsewhere");
    let args = format!(
        "-n {namespace} --token other --as jane --as-group dev --as-group ops --as-uid 42 \
         --as-user-extra scopes=a=1 --as-user-extra scopes=b"
    );
    let asked = first(&server, &run(&config, &args));
    // As with kubectl, a token is only for servers behind TLS.
    assert_eq!(asked.header("authorization"), Vec::<&str>::new());
    assert_eq!(asked.header("impersonate-user"), ["jane"]);
    assert_eq!(asked.header("impersonate-group"), ["dev", "ops"]);
    assert_eq!(asked.header("impersonate-uid"), ["42"]);
    assert_eq!(asked.header("impersonate-extra-scopes"), ["a=1", "b"]);

    // An address alone needs no kubeconfig.
    let address = server.url.strip_prefix("http://").unwrap();
    for given in [&server.url, address] {
        let ran = run(
            nonexistent!().as_ref(),
            &format!("-s {given} -n {namespace}"),
        );
        assert_eq!(ran.code, Some(0), "{}", ran.err);
    }
    assert_error(&run(&config, "--as-group dev"), &["require --as"]);
}

#[test]
fn an_invalid_server_address_is_reported() {
    let server = server();
    let config = server.kubeconfig("addresses", "default");
    for given in [
        "ftp://there",
        "http://",
        "https://:6443",
        "http://a b",
        "https://[::1",
    ] {
        let mut command = super::program(&config);
        command.args(["-s", given]);
        assert_error(
            &super::finish(command),
            &[
                "invalid server address: ",
                given,
                "; use the form https://HOST:PORT",
            ],
        );
    }
    assert_eq!(server.paths(), Vec::<String>::new());
}

#[test]
fn empty_flags_count_as_unset() {
    let server = server();
    let config = server.kubeconfig("empty", &namespace(&server));
    let args = "--namespace= --context= --cluster= --user= --server= --token= --as= --as-uid= --kubeconfig= --certificate-authority= --client-certificate= --client-key= --tls-server-name= --request-timeout=0";
    first(&server, &run(&config, args));
}

#[test]
fn durations_are_read_as_by_kubectl() {
    let server = server();
    let config = server.kubeconfig("timeouts", &namespace(&server));
    for given in ["0", "5", "1m", "2h", "1h3m1.5s", "500ms", "0s"] {
        first(
            &server,
            &run(&config, &format!("--request-timeout={given}")),
        );
    }
    for given in [
        "abc",
        "-5",
        "-5s",
        "5x",
        "5 s",
        "1.5",
        "s",
        "99999999999999999999",
        "٣",
    ] {
        let ran = run(
            &config,
            &format!("--request-timeout={}", given.replace(' ', "_")),
        );
        assert_eq!(ran.code, Some(1), "{given}");
        assert!(
            ran.err.contains("--request-timeout") && ran.err.contains("1m30s"),
            "{}",
            ran.err
        );
    }
}

#[test]
fn an_unreachable_server_is_reported() {
    let config = server().kubeconfig("away", "default");
    assert_error(
        &run(&config, "-s http://127.0.0.1:1"),
        &["cannot reach the API server http://127.0.0.1:1: connection refused"],
    );
    assert_error(
        &run(&config, "-s http://no-such-host.invalid"),
        &["cannot resolve the host name"],
    );
}

#[test]
fn the_gate_blocks_every_writing_request() {
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
    // A set may have such a name.
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
    // A dry run applies to a set and nothing else.
    for path in [
        "/apis/apps/v1/namespaces/prod/statefulsets/web/scale",
        "/apis/apps/v1/namespaces/prod/statefulsets/",
        "/apis/apps/v1/namespaces/prod/deployments/web",
        "/api/v1/namespaces/prod/pods",
        "/api/v1/namespaces/prod/pods/web-0",
        "/api/v1/namespaces/prod/pods//eviction",
        "/api/v1/pods/web-0/eviction",
        "/api/v1/namespaces/prod/pods/web-0/eviction/more",
    ] {
        for method in [Method::POST, Method::PATCH] {
            assert!(
                !passes(&method, path, Some("dryRun=All")),
                "{method} {path}"
            );
        }
    }
    // An eviction is a dry run, or blocked.
    let eviction = "/api/v1/namespaces/prod/pods/web-0/eviction";
    assert!(passes(&Method::POST, eviction, Some("dryRun=All")));
    for query in [
        None,
        Some("dryRun="),
        Some("dryRun=All&dryRun="),
        Some("dryrun=All"),
    ] {
        assert!(!passes(&Method::POST, eviction, query), "{query:?}");
    }
    for method in [Method::PUT, Method::PATCH, Method::DELETE] {
        assert!(!passes(&method, eviction, Some("dryRun=All")), "{method}");
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
fn no_blocked_request_reaches_the_server() {
    let sent = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&sent);
    let send = tower::service_fn(move |_: Request<Body>| {
        counted.fetch_add(1, Ordering::SeqCst);
        async { Ok::<_, tower::BoxError>(Response::new(Body::from(b"{}".to_vec()))) }
    });
    let cluster = Cluster::over(|| kube::Client::new(send, "default"), "memory", None).unwrap();
    let client = cluster.api().client();
    let ask = |method: Method, uri: &str| {
        let request = Request::builder().method(method).uri(uri);
        let request = request.body(Vec::new()).unwrap();
        cluster.block_on(client.request_text(request))
    };
    let sets = "/apis/apps/v1/namespaces/prod/statefulsets";
    for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
        let error = ask(method, sets).unwrap_err().to_string();
        assert!(error.contains("blocked"), "{error}");
    }
    assert_eq!(sent.load(Ordering::SeqCst), 0);
    ask(Method::GET, sets).unwrap();
    ask(Method::POST, &format!("{sets}?dryRun=All")).unwrap();
    assert_eq!(sent.load(Ordering::SeqCst), 2);
}
