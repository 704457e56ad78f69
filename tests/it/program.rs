//! Runs of the program: the exit code, standard output and standard error of each.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_kubectl-sts_plan");

/// The program without access to any cluster: no home, no kubeconfig, an empty environment.
pub fn program() -> Command {
    let mut command = Command::new(PROGRAM);
    command.env_clear().env("HOME", nonexistent!());
    command
}

/// Runs a command with a text on standard input.
pub fn feed_to(command: &mut Command, stdin: &str) -> Output {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = piped.stderr(Stdio::piped()).spawn().unwrap();
    // Invalid arguments are rejected before any input is read.
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    child.wait_with_output().unwrap()
}

pub fn ended(output: Output) -> (i32, String, String) {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let code = output.status.code().unwrap();
    (code, text(output.stdout), text(output.stderr))
}

pub fn run(args: &[&str]) -> (i32, String, String) {
    ended(program().args(args).output().unwrap())
}

pub fn run_in(folder: &Path, args: &[&str]) -> (i32, String, String) {
    ended(program().args(args).current_dir(folder).output().unwrap())
}

/// Runs the program with a text on standard input.
pub fn feed(args: &[&str], stdin: &str) -> (i32, String, String) {
    ended(feed_to(program().args(args), stdin))
}

/// Runs the program on these objects.
pub fn run_on(objects: &[Value], args: &[&str]) -> (i32, String, String) {
    let list = json!({"apiVersion": "v1", "kind": "List", "items": objects});
    feed(&[&["-f", "-"], args].concat(), &list.to_string())
}

/// A named folder for the files of tests.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// The same folder, emptied.
pub fn new_folder(name: &str) -> PathBuf {
    let _ = fs::remove_dir_all(Path::new(env!("CARGO_TARGET_TMPDIR")).join(name));
    folder(name)
}
