//! Credential plugins.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::{Value, json};

use super::authority::{Authority, End};
use super::server::{Answer, Server, folder};
use super::{FIXTURE, Ran, assert_error, base64, finish, kubeconfig, program, run};

const V1: &str = "client.authentication.k8s.io/v1";

/// A server, and a plugin that provides access to it.
pub struct Login {
    pub folder: PathBuf,
    authority: Authority,
    server: Server,
}

impl Login {
    pub fn new(test: &str) -> Self {
        let authority = Authority::new();
        let server = Server::secure(FIXTURE, authority.server(&["127.0.0.1"]));
        Login {
            folder: folder(&format!("plugin-{test}")),
            authority,
            server,
        }
    }

    fn cluster(&self) -> Value {
        json!({"server": self.server.url,
            "certificate-authority-data": base64(self.authority.certificate.as_bytes())})
    }

    /// A kubeconfig and a `plugin.sh` next to it, which runs this script.
    pub fn config(&self, script: &str, exec: &Value) -> PathBuf {
        write(&self.folder.join("plugin.sh"), script);
        let mut user = json!({"exec": {"apiVersion": V1, "command": "./plugin.sh",
            "interactiveMode": "Never"}});
        for (name, value) in exec.as_object().unwrap() {
            user["exec"][name] = value.clone();
        }
        kubeconfig(&self.folder, &self.cluster(), &user)
    }

    fn run(&self, script: &str, exec: &Value) -> Ran {
        run(&self.config(script, exec), "")
    }
}

fn write(plugin: &Path, script: &str) {
    fs::write(plugin, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(plugin, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A script that prints this status.
pub fn prints(status: &Value) -> String {
    let credential = json!({"apiVersion": V1, "kind": "ExecCredential", "status": status});
    format!("cat <<'END'\n{credential}\nEND")
}

#[test]
fn a_token_of_a_plugin_is_sent() {
    let login = Login::new("token");
    let token = prints(&json!({"token": "of-the-plugin"}));
    for exec in [
        json!({}),
        json!({"interactiveMode": "IfAvailable"}),
        json!({"interactiveMode": null}),
        json!({"command": login.folder.join("plugin.sh")}),
        json!({"command": "plugin.sh", "env": [{"name": "UNUSED", "value": null}, {"name": "", "value": "x"}]}),
    ] {
        let mut command = program(&login.config(&token, &exec));
        command.env("PATH", format!("{}:/usr/bin:/bin", login.folder.display()));
        let ran = finish(command);
        assert_eq!(ran.code, Some(0), "{exec}: {}", ran.err);
        assert_eq!(ran.err, "");
        let asked = login.server.asked().pop().unwrap();
        assert_eq!(asked.header("authorization"), ["Bearer of-the-plugin"]);
    }
    // YAML is accepted, and so is the older protocol.
    let yaml = "echo 'kind: ExecCredential'; echo apiVersion: client.authentication.k8s.io/v1beta1; echo 'status: {token: in-yaml}'";
    let ran = login.run(
        yaml,
        &json!({"apiVersion": "client.authentication.k8s.io/v1beta1"}),
    );
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let asked = login.server.asked().pop().unwrap();
    assert_eq!(asked.header("authorization"), ["Bearer in-yaml"]);
}

#[test]
fn a_plugin_gets_what_kubectl_gives_it() {
    let login = Login::new("told");
    let script = format!(
        "printf '%s' \"$KUBERNETES_EXEC_INFO\" > {0}/told\nprintf '%s %s' \"$1\" \"$REGION\" > {0}/args\n{1}",
        login.folder.display(),
        prints(&json!({"token": "t"}))
    );
    let exec = json!({"args": ["get token"], "env": [{"name": "REGION", "value": "eu"}]});
    let told = |exec: &Value, args: &str| -> Value {
        let ran = run(&login.config(&script, exec), args);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let told = fs::read(login.folder.join("told")).unwrap();
        serde_json::from_slice(&told).unwrap()
    };
    assert_eq!(
        told(&exec, ""),
        json!({"apiVersion": V1, "kind": "ExecCredential", "spec": {"interactive": false}})
    );
    let args = fs::read_to_string(login.folder.join("args")).unwrap();
    assert_eq!(args, "get token eu");
    let told = told(
        &json!({"provideClusterInfo": true}),
        "--tls-server-name 127.0.0.1",
    );
    assert_eq!(
        told["spec"]["cluster"],
        json!({"server": login.server.url, "tls-server-name": "127.0.0.1", "config": null,
            "certificate-authority-data": base64(login.authority.certificate.as_bytes())})
    );
}

#[test]
fn a_client_certificate_of_a_plugin_is_sent() {
    let authority = Authority::new();
    let server = Server::secure(FIXTURE, authority.strict_server());
    let login = Login {
        folder: folder("plugin-certificate"),
        authority,
        server,
    };
    let pair = login.authority.client("jane", End::Far);
    let both = json!({"clientCertificateData": pair.certificate, "clientKeyData": pair.key,
        "expirationTimestamp": "2999-01-01T00:00:00Z"});
    let ran = login.run(&prints(&both), &json!({}));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let mut and_token = both.clone();
    and_token["token"] = "besides".into();
    let ran = login.run(&prints(&and_token), &json!({}));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let asked = login.server.asked().pop().unwrap();
    assert_eq!(asked.header("authorization"), ["Bearer besides"]);

    for (status, says) in [
        (
            json!({"clientCertificateData": pair.certificate}),
            "only one of client certificate and key: both are required",
        ),
        (
            json!({"clientCertificateData": "hunter2", "clientKeyData": pair.key}),
            "the client certificate from the plugin has no certificate",
        ),
        (
            json!({"clientCertificateData": pair.certificate, "clientKeyData": "hunter2"}),
            "the client key from the plugin has no private key",
        ),
    ] {
        let ran = login.run(&prints(&status), &json!({}));
        assert_error(&ran, &["user \"u\"", says]);
        assert!(!ran.err.contains("hunter2"), "{}", ran.err);
    }
}

#[test]
fn a_plugin_without_output_is_one_sentence() {
    let login = Login::new("nothing");
    let garbage = "no ExecCredential with a status in its output: run it manually";
    for (script, says) in [
        ("echo 'token: hunter2: {'".to_owned(), garbage),
        ("echo hunter2".to_owned(), garbage),
        (String::new(), garbage),
        (
            "echo '{\"kind\": \"Secret\", \"status\": {\"token\": \"hunter2\"}}'".to_owned(),
            garbage,
        ),
        ("head -c 200000 /dev/zero".to_owned(), garbage),
        (prints(&Value::Null), garbage),
        (
            prints(&json!({})),
            "no token and no client certificate in its output: log in again",
        ),
        (
            prints(&json!({"token": ""})),
            "no token and no client certificate",
        ),
        (
            prints(&json!({"token": 7})),
            "token in its output is not a string",
        ),
        (
            prints(&json!({"token": "hunter2", "expirationTimestamp": "soon"})),
            "expirationTimestamp in its output is not a time",
        ),
        (
            prints(&json!({"token": "hunter2\nX: y"})),
            "has invalid characters",
        ),
        (
            prints(&json!({"token": "hunter2"})).replace("k8s.io/v1", "k8s.io/v1beta1"),
            "its output does not have the apiVersion client.authentication.k8s.io/v1",
        ),
    ] {
        let ran = login.run(&script, &json!({}));
        assert_error(&ran, &["cannot get credentials: user \"u\": ", says]);
        assert!(!ran.err.contains("hunter2"), "{}", ran.err);
    }
    for (exec, says) in [
        (
            json!({"command": ""}),
            "exec has no command: set it to the plugin",
        ),
        (
            json!({"apiVersion": ""}),
            "kubectl does not support the apiVersion \"\" of exec",
        ),
        (
            json!({"apiVersion": "client.authentication.k8s.io/v1alpha1"}),
            "install a newer plugin",
        ),
        (
            json!({"interactiveMode": "Sometimes"}),
            "interactiveMode must be Never, IfAvailable or Always",
        ),
        (
            json!({"interactiveMode": "Always"}),
            "standard input is not a terminal: run this in a terminal",
        ),
        (
            json!({"command": "no-such-plugin"}),
            "plugin \"no-such-plugin\": not installed: install it, or use another user",
        ),
        (
            json!({"command": "no-such-plugin", "installHint": "get it with\n\tbrew install\u{1b}[31m it"}),
            "not installed: get it with brew install\\x1b[31m it",
        ),
        (
            json!({"command": "./config"}),
            "permission denied: make it executable",
        ),
    ] {
        assert_error(&login.run("exit 9", &exec), &["user \"u\": ", says]);
    }
    assert_eq!(login.server.paths(), Vec::<String>::new());
}

/// A plugin asks its user to open a page, or explains its failure: this must appear at once, before the error.
#[test]
fn the_messages_of_a_plugin_are_shown() {
    let login = Login::new("says");
    for mode in ["Never", "IfAvailable"] {
        let exec = json!({"interactiveMode": mode});
        let script = format!(
            "echo 'open https://login' >&2\n{}",
            prints(&json!({"token": "t"}))
        );
        let ran = login.run(&script, &exec);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert_eq!(ran.err, "open https://login\n");

        let ran = login.run("echo hunter2; echo 'session expired' >&2; exit 3", &exec);
        assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
        let (first, rest) = ran.err.split_once('\n').unwrap();
        assert_eq!(first, "session expired");
        assert!(
            rest.starts_with("error: cannot get credentials: user \"u\": plugin"),
            "{rest}"
        );
        assert!(rest.contains("failed (exit status: 3): see its output above, log in again"));
        assert_eq!(rest.lines().count(), 1, "{rest}");
        assert!(!rest.contains("hunter2"));
    }
    let killed = login.run("kill -9 $$", &json!({}));
    assert_error(&killed, &["failed (signal: 9"]);
}

/// Piped input is a manifest; a plugin must not read it.
#[test]
fn a_plugin_does_not_read_piped_input() {
    let login = Login::new("stdin");
    let script = format!(
        "cat > {}/read\n{}",
        login.folder.display(),
        prints(&json!({"token": "t"}))
    );
    let config = login.config(&script, &json!({"interactiveMode": "IfAvailable"}));
    let mut command = program(&config);
    command.args(["--apply", "-", "--apply-mode", "local", "-o", "name"]);
    let set = login.server.state.lock().unwrap().objects[0].clone();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(set.to_string().as_bytes()).unwrap();
    drop(pipe);
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert_eq!(fs::read(login.folder.join("read")).unwrap(), b"");
}

#[test]
fn a_rejected_token_is_requested_once_more() {
    let login = Login::new("again");
    let server =
        Server::secure(FIXTURE, login.authority.server(&["127.0.0.1"])).with_whim(|asked, _| {
            let shown = asked.header("authorization");
            (shown != ["Bearer 2"]).then(|| Answer::error(401, "Unauthorized", "Unauthorized"))
        });
    let login = Login { server, ..login };
    // The first token of each script is old.
    let script = |first: &Value| {
        let (first, later) = (prints(first), prints(&json!({"token": "2"})));
        let folder = login.folder.display();
        format!(
            "cd {folder}\necho >> runs\nif [ $(wc -l < runs) -eq 1 ]; then\n{first}\nelse\n{later}\nfi"
        )
    };
    let runs = || {
        let runs = login.folder.join("runs");
        let count = fs::read_to_string(&runs).unwrap().lines().count();
        fs::remove_file(runs).unwrap();
        count
    };
    let ran = login.run(&script(&json!({"token": "1"})), &json!({}));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(runs(), 2);
    // A token that is known to have expired is never sent.
    login.server.state.lock().unwrap().asked.clear();
    let over = json!({"token": "1", "expirationTimestamp": "2001-01-01T00:00:00Z"});
    let ran = login.run(&script(&over), &json!({}));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(runs(), 2);
    let shown = login.server.asked();
    assert!(
        shown
            .iter()
            .all(|asked| asked.header("authorization") == ["Bearer 2"])
    );
    // The same token is not sent again.
    login.server.state.lock().unwrap().asked.clear();
    let ran = login.run(&prints(&json!({"token": "old"})), &json!({}));
    assert_error(
        &ran,
        &["(Unauthorized): they may have expired: log in again"],
    );
    let paths = login.server.paths();
    let mut once = paths.clone();
    once.dedup();
    assert_eq!(paths, once);
}
