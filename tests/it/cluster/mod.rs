//! Live clusters: the executable against servers that behave, and servers that do not.

mod applying;
pub mod authority;
mod completing;
mod connection;
mod credentials;
mod demanded;
mod draining;
mod dumping;
mod hostile;
mod kubeconfigs;
mod many;
mod plugins;
mod proxies;
mod reading;
mod rights;
pub mod server;
mod tls;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::program;

/// The objects on the servers of connection tests: a set in the namespace `prod`.
const FIXTURE: &str = "rollout.yaml";

/// The exit code and the output of a run.
struct Ran {
    code: Option<i32>,
    out: String,
    err: String,
}

/// The program with one kubeconfig and nothing else in its environment.
fn program(kubeconfig: &Path) -> Command {
    let mut command = program::program();
    command.env("KUBECONFIG", kubeconfig);
    command
}

fn finish(mut command: Command) -> Ran {
    let (code, out, err) = program::ended(command.output().unwrap());
    Ran {
        code: Some(code),
        out,
        err,
    }
}

/// Runs the program with these arguments, separated by spaces.
fn run(kubeconfig: &Path, args: &str) -> Ran {
    let mut command = program(kubeconfig);
    command.args(args.split_whitespace());
    finish(command)
}

/// The plan, or the list of plans, that a run printed.
fn plan(ran: &Ran) -> Value {
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    serde_json::from_str(&ran.out).unwrap()
}

/// Asserts that the run prints one sentence with these words to stderr, and nothing else.
fn assert_error(ran: &Ran, says: &[&str]) {
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    assert_eq!(ran.out, "");
    assert!(ran.err.starts_with("error: "), "{}", ran.err);
    assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
    for text in says {
        assert!(ran.err.contains(text), "{text:?} is not in {}", ran.err);
    }
}

/// Writes a kubeconfig with one context, in the namespace `prod`.
fn kubeconfig(folder: &Path, cluster: &Value, user: &Value) -> PathBuf {
    let file = folder.join("config");
    let config = json!({
        "current-context": "here",
        "clusters": [{"name": "c", "cluster": cluster}],
        "users": [{"name": "u", "user": user}],
        "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u", "namespace": "prod"}}],
    });
    fs::write(&file, config.to_string()).unwrap();
    file
}

/// Asserts that the cluster is read and planned without messages.
fn assert_reads(kubeconfig: &Path, args: &str) {
    let ran = run(kubeconfig, args);
    assert_eq!(ran.code, Some(0), "{args}: {}", ran.err);
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let at = |index: usize| u32::from(three.get(index).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for (index, shift) in [18, 12, 6, 0].into_iter().enumerate() {
            let digit = DIGITS[(bits >> shift & 63) as usize];
            text.push(if index > three.len() {
                '='
            } else {
                digit.into()
            });
        }
    }
    text
}
