//! The program with a text on standard input.

use std::io::Write as _;
use std::process::{Command, Stdio};

/// Runs the program in an empty environment: the exit code, standard output and standard error.
pub fn run(args: &[&str], stdin: &str) -> (i32, String, String) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_kubectl-sts_plan"))
        .args(args)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Wrong arguments are refused before any input is read.
    let _ = program.stdin.take().unwrap().write_all(stdin.as_bytes());
    let output = program.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}
