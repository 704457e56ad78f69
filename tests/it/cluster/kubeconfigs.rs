//! Kubeconfigs: their paths, how several are merged, and their errors.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::authority::Authority;
use super::server::{Server, folder};
use super::{FIXTURE, assert_error, assert_reads, finish, program, run};

fn open() -> Server {
    Server::of_fixture(FIXTURE)
}

#[test]
fn kubeconfigs_are_merged_as_by_kubectl() {
    let authority = Authority::new();
    let server = Server::secure(FIXTURE, authority.server(&["127.0.0.1"]));
    let folder = folder("merge");
    // Paths are relative to the file.
    fs::create_dir_all(folder.join("below")).unwrap();
    fs::write(folder.join("below/ca.crt"), &authority.certificate).unwrap();
    let cluster = json!({"clusters": [{"name": "c", "cluster": {"server": server.url, "certificate-authority": "ca.crt"}}],
        "users": [{"name": "u", "user": {"token": "first"}}]});
    // The second file repeats values of the first, and adds others.
    let context = json!({"current-context": "here", "users": [{"name": "u", "user": {"token": "second"}}],
        "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u", "namespace": "prod"}}]});
    fs::write(folder.join("below/a"), cluster.to_string()).unwrap();
    fs::write(folder.join("b"), context.to_string()).unwrap();
    let mut command = program(Path::new(""));
    let list = format!("{0}/missing:{0}/below/a::{0}/b", folder.display());
    command.env("KUBECONFIG", list);
    let ran = finish(command);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(server.asked()[0].header("authorization"), ["Bearer first"]);

    // The file in the home directory, if no other is named.
    let home = folder.join("home");
    fs::create_dir_all(home.join(".kube")).unwrap();
    fs::write(
        home.join(".kube/config"),
        fs::read(open().kubeconfig("merge-home", "prod")).unwrap(),
    )
    .unwrap();
    let mut command = program(Path::new(""));
    command.env_remove("KUBECONFIG").env("HOME", &home);
    assert_eq!(finish(command).code, Some(0));
}

#[test]
fn yaml_of_a_kubeconfig_is_read_as_by_kubectl() {
    let server = open();
    let file = folder("yaml").join("config");
    // The last of repeated keys wins, `yes` is a boolean, and text after `...` is ignored.
    let text = format!(
        "# mine\ncurrent-context: nowhere\ncurrent-context: here\nclusters:\n- name: c\n  cluster: {{server: '{}', insecure-skip-tls-verify: yes}}\nusers: null\ncontexts:\n- name: here\n  context: {{cluster: c, namespace: prod}}\n",
        server.url
    );
    fs::write(&file, text).unwrap();
    assert_reads(&file, "");
}

#[test]
fn a_broken_kubeconfig_is_named_and_not_quoted() {
    let folder = folder("broken");
    for (text, says) in [
        (
            "users:\n- user: {token: hunter2\n",
            "line 3 is invalid for kubectl",
        ),
        (
            "users:\n- name: u\n  user: {token: [hunter2]}\n",
            "user \"u\": token must be a string",
        ),
        (
            "users:\n- name: u\n  user: {token: 4711}\n",
            "user \"u\": token must be a string: correct it, or put it in quotes",
        ),
        ("users: {token: hunter2}\n", "users must be a list"),
        ("users: [hunter2]\n", "users must be a mapping"),
        (
            "users:\n- name: \"u\\e[31m\"\n  user: hunter2\n",
            "user \"u\\u{1b}[31m\" must be a mapping",
        ),
        (
            "clusters:\n- name: c\n  cluster: {insecure-skip-tls-verify: hunter2}\n",
            "cluster \"c\": insecure-skip-tls-verify must be true or false",
        ),
        (
            "users:\n- name: u\n  user: {exec: {args: [1]}}\n",
            "user \"u\": exec: args must be a list of strings",
        ),
        (
            "users:\n- name: u\n- name: u\n  user: {token: hunter2}\n",
            "duplicate user \"u\": remove one of them",
        ),
        (
            "kind: Pod\nhunter2: x\n",
            "not a kubeconfig: kind is not Config of v1",
        ),
        (
            "apiVersion: v2\n",
            "not a kubeconfig: kind is not Config of v1",
        ),
        ("hunter2\n", "not a kubeconfig: it has no fields"),
    ] {
        let file = folder.join("config");
        fs::write(&file, text).unwrap();
        let ran = run(&file, "");
        assert_error(&ran, &[file.to_str().unwrap(), says]);
        assert!(!ran.err.contains("hunter2"), "{}", ran.err);
    }
    let ran = run(
        "/x".as_ref(),
        concat!("--kubeconfig ", nonexistent!("/config")),
    );
    assert_error(&ran, &[nonexistent!("/config"), "cannot be read"]);
    assert_error(
        &run(nonexistent!().as_ref(), ""),
        &[
            concat!(
                "no cluster configured: the kubeconfig (",
                nonexistent!(),
                ") names none, and this is not a pod"
            ),
            "--context",
            "--server",
            "localhost:8080",
            "-f",
        ],
    );
}

#[test]
fn unknown_names_list_those_in_the_kubeconfig() {
    let server = open();
    let config = server.kubeconfig("names", "default");
    for (args, says) in [
        (
            "--context there",
            "context \"there\" does not exist in the kubeconfig; did you mean here?",
        ),
        (
            "--cluster there",
            "cluster \"there\" does not exist in the kubeconfig; it has c",
        ),
        (
            "--user there",
            "user \"there\" does not exist in the kubeconfig; it has u",
        ),
    ] {
        assert_error(&run(&config, args), &[says]);
    }
    assert_eq!(server.paths(), Vec::<String>::new());
}

/// `kubectl proxy` needs no user, and an address needs no cluster entry.
#[test]
fn unused_names_may_be_missing() {
    let server = open();
    let file = folder("dangling").join("config");
    let config = json!({"current-context": "here",
        "clusters": [{"name": "c", "cluster": {"server": server.url}}, {"name": "tls", "cluster": {"server": "https://127.0.0.1:1"}}],
        "contexts": [{"name": "here", "context": {"cluster": "c", "user": "gone", "namespace": "prod"}}]});
    fs::write(&file, config.to_string()).unwrap();
    assert_reads(&file, "--as jane");
    assert_eq!(server.asked()[0].header("impersonate-user"), ["jane"]);
    assert_reads(&file, &format!("-s {}", server.url));
    for args in ["--cluster tls", "--user gone"] {
        assert_error(
            &run(&file, args),
            &["user \"gone\" does not exist in the kubeconfig; it has none"],
        );
    }
}
