//! Tokens, passwords and accounts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use kubectl_config::{Access, ServiceAccount};
use kubectl_sts_plan::internals::{Cluster, Progress};
use serde_json::{Value, json};

use super::authority::Authority;
use super::server::{Answer, Server, folder};
use super::{FIXTURE, assert_error, base64, finish, kubeconfig, program, run};

/// A server behind TLS, its cluster entry, and a folder.
fn login(test: &str) -> (Server, Value, PathBuf) {
    let authority = Authority::new();
    let server = Server::secure(FIXTURE, authority.server(&["127.0.0.1"]));
    let cluster = json!({"server": server.url,
        "certificate-authority-data": base64(authority.certificate.as_bytes())});
    (server, cluster, folder(test))
}

/// A token with an expiry.
fn token(end: i64) -> String {
    let claims = base64(
        json!({"exp": end, "sub": "jane??>>"})
            .to_string()
            .as_bytes(),
    );
    let claims = claims.replace('+', "-").replace('/', "_");
    format!("e30.{}.c2ln", claims.trim_end_matches('='))
}

const PAST: i64 = 1_600_000_000;
const FAR: i64 = 32_000_000_000;

#[test]
fn credentials_are_sent_as_by_kubectl() {
    let (server, cluster, folder) = login("shown");
    let kubectl = has_kubectl();
    fs::write(folder.join("token"), " of-the-file\n").unwrap();
    fs::write(folder.join("empty"), "\n").unwrap();
    let basic = format!("Basic {}", base64("jané:pa:ss".as_bytes()));
    let valid = token(FAR);
    let id_token = format!("Bearer {valid}");
    let oidc = json!({"auth-provider": {"name": "oidc",
        "config": {"id-token": valid, "client-id": "c", "idp-issuer-url": "https://127.0.0.1:1"}}});
    let mut both = oidc.clone();
    both["token"] = "t".into();
    for (user, args, shown) in [
        (json!({"token": "t"}), "", vec!["Bearer t"]),
        (json!({"token": "t"}), "--token other", vec!["Bearer other"]),
        (
            json!({"tokenFile": "token"}),
            "",
            vec!["Bearer of-the-file"],
        ),
        (
            json!({"tokenFile": "token", "token": "t"}),
            "",
            vec!["Bearer of-the-file"],
        ),
        (
            json!({"tokenFile": "missing", "token": "t"}),
            "",
            vec!["Bearer t"],
        ),
        (json!({"tokenFile": "", "token": "t"}), "", vec!["Bearer t"]),
        (
            json!({"tokenFile": "token"}),
            "--token other",
            vec!["Bearer of-the-file"],
        ),
        (
            json!({"tokenFile": "missing"}),
            "--token other",
            vec!["Bearer other"],
        ),
        (
            json!({"username": "jané", "password": "pa:ss"}),
            "",
            vec![&basic],
        ),
        (oidc, "", vec![&id_token]),
        (both.clone(), "", vec!["Bearer t"]),
        (both, "--token other", vec!["Bearer other"]),
        (
            json!({"token": "", "username": "", "password": "", "tokenFile": null, "exec": null}),
            "",
            vec![],
        ),
        (Value::Null, "", vec![]),
    ] {
        server.state.lock().unwrap().asked.clear();
        let ran = run(&kubeconfig(&folder, &cluster, &user), args);
        assert_eq!(ran.code, Some(0), "{user}: {}", ran.err);
        for asked in server.asked() {
            assert_eq!(asked.header("authorization"), shown, "{user} {args}");
        }
        // kubectl prompts for a user name if there are no credentials.
        if kubectl && !shown.is_empty() {
            assert!(ask_kubectl(&folder, args), "{user} {args}");
            let asked = server.asked().pop().unwrap();
            assert_eq!(
                asked.header("authorization"),
                shown,
                "{user} {args}: kubectl"
            );
        }
    }
    for (user, says) in [
        (
            json!({"token": "hunter2", "username": "u", "password": "hunter2"}),
            "it has both a token and a password, but kubectl accepts only one",
        ),
        (
            json!({"tokenFile": "missing"}),
            "cannot read the token file",
        ),
        (
            json!({"tokenFile": "empty"}),
            "empty is empty: log in again",
        ),
        (
            json!({"token": "hunter2\n"}),
            "its token has invalid characters: check it for line breaks",
        ),
        (
            json!({"exec": {"command": "x"}, "auth-provider": {"name": "oidc"}}),
            "it has both a plugin (exec) and an auth-provider",
        ),
        (
            json!({"as-groups": ["g"]}),
            "the user has as-groups, as-uid or as-user-extra, but not as",
        ),
    ] {
        let ran = run(&kubeconfig(&folder, &cluster, &user), "");
        assert_error(&ran, &[says]);
        assert!(!ran.err.contains("hunter2"), "{}", ran.err);
        assert!(
            !kubectl || !ask_kubectl(&folder, ""),
            "{user}: kubectl takes it"
        );
    }
    if !kubectl {
        println!("credentials not compared: no kubectl");
    }
}

fn has_kubectl() -> bool {
    let version = Command::new("kubectl")
        .args(["version", "--client"])
        .output();
    version.is_ok_and(|output| output.status.success())
}

/// Returns true if kubectl gets an answer with the kubeconfig in a folder.
fn ask_kubectl(folder: &Path, args: &str) -> bool {
    let output = Command::new("kubectl")
        .args(["get", "--raw", "/api/v1/pods"])
        .args(args.split_whitespace())
        .env("KUBECONFIG", folder.join("config"))
        .env("HOME", folder)
        .stdin(Stdio::null())
        .output();
    output.unwrap().status.success()
}

/// A flag overrides its own field and no other.
#[test]
fn impersonation_of_flags_and_kubeconfig_is_merged_field_by_field() {
    let (server, cluster, folder) = login("acting");
    let kubectl = has_kubectl();
    let full = json!({"token": "t", "as": "jane", "as-uid": "7", "as-groups": ["dev"],
        "as-user-extra": {"scopes": ["a"], "team": ["x"]}});
    let acts = |user: &str, uid: &str, groups: &[&str], scopes: &[&str]| {
        let list = |values: &[&str]| values.iter().map(|it| it.to_string()).collect::<Vec<_>>();
        [list(&[user]), list(&[uid]), list(groups), list(scopes)]
    };
    for (user, args, wanted) in [
        (&full, "", acts("jane", "7", &["dev"], &["a"])),
        (&full, "--as joe", acts("joe", "7", &["dev"], &["a"])),
        (
            &full,
            "--as-group ops --as-group adm",
            acts("jane", "7", &["ops", "adm"], &["a"]),
        ),
        (&full, "--as-uid 8", acts("jane", "8", &["dev"], &["a"])),
        (
            &full,
            "--as-user-extra scopes=b",
            acts("jane", "7", &["dev"], &["b"]),
        ),
    ] {
        let config = kubeconfig(&folder, &cluster, user);
        let shown = |asked: &super::server::Asked| {
            ["user", "uid", "group", "extra-scopes"].map(|name| {
                let values = asked.header(&format!("impersonate-{name}"));
                values.iter().map(|it| it.to_string()).collect::<Vec<_>>()
            })
        };
        server.state.lock().unwrap().asked.clear();
        let ran = run(&config, args);
        assert_eq!(ran.code, Some(0), "{args}: {}", ran.err);
        let asked = server.asked().pop().unwrap();
        assert_eq!(shown(&asked), wanted, "{args}");
        assert_eq!(asked.header("impersonate-extra-team"), ["x"], "{args}");
        // kubectl has no flag for extra fields before 1.34.
        if kubectl && !args.contains("extra") {
            assert!(ask_kubectl(&folder, args), "{args}");
            let asked = server.asked().pop().unwrap();
            assert_eq!(shown(&asked), wanted, "{args}: kubectl");
        }
    }
}

#[test]
fn a_token_and_a_password_are_rejected() {
    let (_server, cluster, folder) = login("two");
    let user = json!({"username": "u", "password": "hunter2"});
    let ran = run(&kubeconfig(&folder, &cluster, &user), "--token other");
    assert_error(&ran, &["it has both a token and a password"]);
    assert!(!has_kubectl() || !ask_kubectl(&folder, "--token other"));
}

#[test]
fn the_user_of_an_address_comes_before_a_token() {
    let (server, mut cluster, folder) = login("address");
    cluster["server"] = server.url.replace("://", "://jan%C3%A9:pa%3Ass@").into();
    let basic = format!("Basic {}", base64("jané:pa:ss".as_bytes()));
    let config = kubeconfig(&folder, &cluster, &json!({"token": "t"}));
    let ran = run(&config, "");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(server.asked()[0].header("authorization"), [&*basic]);
    if has_kubectl() {
        assert!(ask_kubectl(&folder, ""));
        let asked = server.asked().pop().unwrap();
        assert_eq!(asked.header("authorization"), [&*basic], "kubectl");
    }
}

/// With any certificate settings in the kubeconfig's cluster.
#[test]
fn an_address_without_a_scheme_is_http_without_credentials() {
    let (_secure, cluster, folder) = login("scheme");
    let open = Server::of_fixture(FIXTURE);
    let config = kubeconfig(&folder, &cluster, &json!({"token": "t"}));
    let args = format!("-s {}", open.url.strip_prefix("http://").unwrap());
    let ran = run(&config, &args);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(open.asked()[0].header("authorization"), Vec::<&str>::new());
    if has_kubectl() {
        assert!(ask_kubectl(&folder, &args));
        let asked = open.asked().pop().unwrap();
        assert_eq!(asked.header("authorization"), Vec::<&str>::new(), "kubectl");
    }
}

#[test]
fn removed_auth_providers_name_their_successors() {
    let (server, cluster, folder) = login("providers");
    let (expired, valid) = (token(PAST), token(FAR));
    let oidc = |config: Value| json!({"auth-provider": {"name": "oidc", "config": config}});
    for (user, says) in [
        (oidc(json!({"id-token": expired})), "the id-token of its OpenID Connect auth-provider expired on 2020-09-13T12:26:40Z: log in again".to_owned()),
        (oidc(Value::Null), "its OpenID Connect auth-provider has no id-token: log in again".to_owned()),
        (oidc(json!({"id-token": "hunter2"})), "auth-provider is not a JWT with an expiration: log in again".to_owned()),
        (oidc(json!({"id-token": "a.hunter2.c"})), "auth-provider is not a JWT".to_owned()),
        (json!({"auth-provider": {"name": "gcp", "config": {"access-token": valid}}}), "kubectl no longer supports the auth-provider \"gcp\": regenerate your kubeconfig for the plugin gke-gcloud-auth-plugin".to_owned()),
        (json!({"auth-provider": {"name": "azure"}}), "the plugin kubelogin".to_owned()),
        (json!({"auth-provider": {"name": "open\u{1b}stack"}}), "a plugin (exec)".to_owned()),
    ] {
        let ran = run(&kubeconfig(&folder, &cluster, &user), "");
        assert_error(&ran, &["cannot get credentials: user \"u\": ", &says]);
        assert!(!ran.err.contains("hunter2") && !ran.err.contains('\u{1b}'), "{}", ran.err);
    }
    assert_eq!(server.paths(), Vec::<String>::new());
}

/// A kubeconfig with an expired OpenID token; the server itself is the provider.
fn outdated(server: &Server, cluster: &Value, folder: &Path) -> PathBuf {
    let config = json!({"id-token": token(PAST), "refresh-token": "first", "client-id": "c", "client-secret": "s",
        "idp-issuer-url": server.url, "idp-certificate-authority-data": cluster["certificate-authority-data"]});
    let user = json!({"auth-provider": {"name": "oidc", "config": config}});
    kubeconfig(folder, cluster, &user)
}

#[test]
fn an_expired_openid_login_is_renewed_by_kubectl() {
    let (server, cluster, folder) = login("renewed");
    let (url, valid) = (server.url.clone(), token(FAR));
    let fresh = valid.clone();
    let server = server.with_whim(move |asked, _| match asked.path.as_str() {
        "/.well-known/openid-configuration" => Some(Answer::json(&json!({
            "issuer": url, "token_endpoint": format!("{url}/token"),
            "authorization_endpoint": url, "jwks_uri": url}))),
        // Each refresh token is valid once.
        "/token" if String::from_utf8_lossy(&asked.body).contains("refresh_token=first") => Some(
            Answer::json(&json!({"id_token": fresh, "refresh_token": "second",
                "access_token": "a", "token_type": "Bearer", "expires_in": 3600})),
        ),
        "/token" => Some(Answer::error(400, "BadRequest", "used up")),
        _ => None,
    });
    let config = outdated(&server, &cluster, &folder);
    let ask = |path: &str| {
        let mut command = program(&config);
        command.env("PATH", path).env("HOME", &folder);
        finish(command)
    };
    let nobody = ask(nonexistent!());
    assert_error(
        &nobody,
        &[
            "user \"u\": the id-token of its OpenID Connect auth-provider has expired, and kubectl, which would renew it, cannot run (No such file",
            "; log in again",
        ],
    );
    assert_eq!(server.paths(), Vec::<String>::new());
    // The kubectl that runs the plugin is the one that renews the token.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let named = folder.join("other-kubectl");
        fs::write(&named, "#!/bin/sh\necho from the other one >&2\nexit 1\n").unwrap();
        fs::set_permissions(&named, fs::Permissions::from_mode(0o755)).unwrap();
        let mut command = program(&config);
        command
            .env("PATH", "/bin:/usr/bin")
            .env("KUBECTL_PATH", &named);
        assert_error(
            &finish(command),
            &["has expired, and kubectl could not renew it: from the other one"],
        );
    }
    if !has_kubectl() {
        println!("OpenID renewal not tested: no kubectl");
        return;
    }
    let ran = ask("/usr/local/bin:/usr/bin:/bin");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let last = server.asked().pop().unwrap();
    assert_eq!(last.header("authorization"), [format!("Bearer {valid}")]);
    // kubectl finds the next refresh token.
    assert!(fs::read_to_string(&config).unwrap().contains("second"));
    let count = |server: &Server| {
        server
            .paths()
            .iter()
            .filter(|path| *path == "/token")
            .count()
    };
    let before = count(&server);
    assert_eq!(ask(nonexistent!()).code, Some(0));
    assert_eq!(count(&server), before);
    // A login that cannot be renewed has ended.
    outdated(&server, &cluster, &folder);
    let text = fs::read_to_string(&config)
        .unwrap()
        .replace("first", "spent");
    fs::write(&config, text).unwrap();
    let over = ask("/usr/local/bin:/usr/bin:/bin");
    assert_error(
        &over,
        &[
            "has expired, and kubectl could not renew it: ",
            "; log in again",
        ],
    );
}

#[test]
fn rejected_credentials_are_explained() {
    let (server, cluster, folder) = login("refused");
    let server = server.with_whim(|_, _| Some(Answer::error(401, "Unauthorized", "Unauthorized")));
    let own =
        "they may have expired: log in again, or choose others with --context, --user or --token";
    fs::write(folder.join("token"), token(PAST)).unwrap();
    for (user, says) in [
        (json!({"token": "hunter2"}), own),
        (json!({"token": token(FAR)}), own),
        (
            json!({"token": token(PAST)}),
            "the token of user \"u\" expired on 2020-09-13T12:26:40Z: log in again, or pass another with --token",
        ),
        (
            json!({"tokenFile": "token"}),
            "the token of user \"u\" expired on 2020-09-13T12:26:40Z",
        ),
        (json!({"username": "u", "password": "hunter2"}), own),
        (
            json!({}),
            "none of user \"u\": log in, or choose a user with --context, --user or --token",
        ),
    ] {
        let ran = run(&kubeconfig(&folder, &cluster, &user), "");
        assert_error(
            &ran,
            &[&format!(
                "the API server {} does not accept the credentials (Unauthorized): {says}",
                server.url
            )],
        );
        assert!(!ran.err.contains("hunter2"), "{}", ran.err);
    }
    // No credentials go to a server without TLS.
    let open = Server::of_fixture(FIXTURE)
        .with_whim(|_, _| Some(Answer::error(401, "Unauthorized", "Unauthorized")));
    let user = json!({"token": "hunter2", "exec": {"command": nonexistent!()}});
    let ran = run(
        &kubeconfig(&folder, &json!({"server": open.url}), &user),
        "",
    );
    assert_error(
        &ran,
        &["none are sent to a server without TLS: use its https:// address"],
    );
    assert_eq!(open.asked()[0].header("authorization"), Vec::<&str>::new());
}

#[test]
fn a_pod_uses_its_own_account() {
    let authority = Authority::new();
    let server = Server::secure(FIXTURE, authority.server(&["127.0.0.1"]));
    let folder = folder("account");
    fs::write(folder.join("token"), "of-the-pod\n").unwrap();
    fs::write(folder.join("ca.crt"), &authority.certificate).unwrap();
    fs::write(folder.join("namespace"), "prod\n").unwrap();
    let (host, port) = server.url["https://".len()..].split_once(':').unwrap();
    let account = ServiceAccount {
        host: host.to_owned(),
        port: port.to_owned(),
        folder: folder.clone(),
        namespace: None,
    };
    let access = Access {
        service_account: Some(account.clone()),
        kubeconfigs: vec![nonexistent!().into()],
        ..Access::default()
    };
    let read = |access: &Access| {
        let cluster = Cluster::connect(access).unwrap();
        let reads = cluster.namespaces(None, &Progress::new(false)).is_ok();
        (cluster.namespace().to_owned(), reads)
    };
    assert_eq!(read(&access), ("prod".to_owned(), true));
    let shown = |server: &Server| {
        let asked = server.asked().pop().unwrap();
        asked.header("authorization").join(",")
    };
    assert_eq!(shown(&server), "Bearer of-the-pod");
    // The kubelet writes a new token before the old one expires.
    fs::write(folder.join("token"), "fresh").unwrap();
    assert!(read(&access).1);
    assert_eq!(shown(&server), "Bearer fresh");
    // Flags take precedence; a pod may set its namespace itself.
    let mut own = access.clone();
    own.flags.token = Some("of-the-flag".to_owned().into());
    own.service_account = Some(ServiceAccount {
        namespace: Some("mine".to_owned()),
        ..account.clone()
    });
    assert_eq!(read(&own), ("mine".to_owned(), true));
    assert_eq!(shown(&server), "Bearer of-the-flag");
    own.namespace = Some("theirs".to_owned());
    assert_eq!(read(&own).0, "theirs");
    // A kubeconfig takes precedence, and so does an address.
    let other = kubeconfig(
        &folder,
        &json!({"server": "http://127.0.0.1:1"}),
        &json!({}),
    );
    let mut chosen = access.clone();
    chosen.kubeconfigs = vec![other];
    let cluster = Cluster::connect(&chosen).unwrap();
    assert_eq!(cluster.api().server(), "http://127.0.0.1:1");
    let mut addressed = access.clone();
    addressed.flags.server = Some("http://127.0.0.1:1".to_owned());
    let cluster = Cluster::connect(&addressed).unwrap();
    assert_eq!(
        (cluster.api().server(), cluster.namespace()),
        ("http://127.0.0.1:1", "default")
    );
    // A pod without an account has no access.
    let mut without = access;
    without.service_account = Some(ServiceAccount {
        folder: Path::new(nonexistent!()).to_owned(),
        ..account
    });
    let error = Cluster::connect(&without).err().unwrap().to_string();
    let says = concat!(
        "no cluster configured: the kubeconfig (",
        nonexistent!(),
        ") names none, and this is not a pod"
    );
    assert!(error.starts_with(says), "{error}");
    assert!(error.contains("localhost:8080"), "{error}");
}

#[test]
fn the_environment_of_a_pod_names_its_api_server() {
    let account = |host: &str, port: &str| {
        ServiceAccount::of_environment(|name| match name {
            "KUBERNETES_SERVICE_HOST" => Some(host.to_owned()),
            "KUBERNETES_SERVICE_PORT" => Some(port.to_owned()),
            _ => None,
        })
    };
    assert!(account("", "443").is_none() && account("10.0.0.1", "").is_none());
    let account = account("fd00::1", "443").unwrap();
    assert_eq!(
        (account.host.as_str(), account.port.as_str()),
        ("fd00::1", "443")
    );
    assert_eq!(
        account.folder,
        Path::new("/var/run/secrets/kubernetes.io/serviceaccount")
    );
}
