//! Live clusters: the executable against a server that behaves, and that does not.

mod applying;
mod completing;
mod connection;
mod many;
mod reading;
mod rights;
pub mod server;

use std::path::Path;
use std::process::Command;

use serde_json::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_kubectl-sts_plan");

/// What a run left behind.
struct Ran {
    code: Option<i32>,
    out: String,
    err: String,
}

/// The program with one kubeconfig and nothing else in its environment.
fn program(kubeconfig: &Path) -> Command {
    let mut command = Command::new(PROGRAM);
    command
        .env_clear()
        .env("HOME", "/nonexistent")
        .env("KUBECONFIG", kubeconfig);
    command
}

fn finish(mut command: Command) -> Ran {
    let output = command.output().unwrap();
    Ran {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs the program with these arguments, separated by blanks.
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

/// The run ends in one sentence on stderr that says this, and in nothing else.
fn assert_error(ran: &Ran, says: &[&str]) {
    assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
    assert_eq!(ran.out, "");
    assert!(ran.err.starts_with("error: "), "{}", ran.err);
    assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
    for text in says {
        assert!(ran.err.contains(text), "{text:?} is not in {}", ran.err);
    }
}
