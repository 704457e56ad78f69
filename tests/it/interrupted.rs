//! Ctrl-C during a question that takes long: the progress line on a terminal, and the answer so far.

use std::fs::{self, File};
use std::io::Read;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::Value;

use crate::budget::{many, rolling};
use crate::program;

/// Number of pods of which each question takes seconds.
const PODS: usize = 20_000;

/// Runs the program with standard error on a terminal, and sends it Ctrl-C when the progress line is there. Returns the
/// line, the exit code, and the plan.
fn interrupted(policy: &str, args: &[&str]) -> (String, i32, Value) {
    interrupted_on(&many(policy, PODS), policy, args)
}

/// Does the same with this input, in a file of that name.
fn interrupted_on(input: &str, name: &str, args: &[&str]) -> (String, i32, Value) {
    let folder = program::folder("interrupted");
    let file = folder.join(format!("{name}.json"));
    fs::write(&file, input).unwrap();
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let terminal_name = ptsname(&terminal, Vec::new()).unwrap();
    let options = File::options().write(true).clone();
    let other_end = options.open(terminal_name.to_str().unwrap()).unwrap();
    let answer = folder.join(format!("{name}-{}.json", args[0]));
    let mut child = program::program()
        .env("TERM", "xterm")
        .args([
            "-f",
            file.to_str().unwrap(),
            "--now",
            "2026-11-21T12:00:00Z",
            "-o",
            "json",
        ])
        .args(["--budget", "4000000000"])
        .args(args)
        .stdin(Stdio::null())
        .stdout(File::create(&answer).unwrap())
        .stderr(other_end)
        .spawn()
        .unwrap();
    let mut terminal = File::from(terminal);
    let mut line = Vec::new();
    let mut buffer = [0; 4096];
    while !line.ends_with(b"\x1b[K") {
        let read = terminal
            .read(&mut buffer)
            .expect("a progress line before the program ends");
        line.extend(&buffer[..read]);
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let code = child.wait().unwrap().code().unwrap();
    let out = fs::read_to_string(answer).unwrap();
    let plan = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{code}: {out}"));
    (String::from_utf8(line).unwrap(), code, plan)
}

const SO_FAR: &str = " (Ctrl-C for the result so far)";

#[test]
fn failing_pods_that_were_tried_are_in_the_answer() {
    let (line, code, plan) = interrupted("Parallel", &["--what-if-fails"]);
    assert!(
        line.starts_with("\rsimulating: ") && line.contains(SO_FAR),
        "{line:?}"
    );
    assert_eq!(code, 0);
    assert!(plan["branches"]["leftOut"].as_u64().unwrap() > 0);
}

#[test]
fn an_interrupted_search_is_not_verified() {
    let args = ["--explore", "--faults", "1", "--require", "ready>=0"];
    let (line, code, plan) = interrupted("Parallel", &args);
    assert!(
        line.starts_with("\rexploring: ") && line.contains(SO_FAR),
        "{line:?}"
    );
    assert_eq!(code, 5);
    let text = plan.to_string();
    assert!(text.contains("interrupted"), "{text}");
}

#[test]
fn an_interrupted_upgrade_says_how_far_it_got() {
    let args = ["--kubernetes-version", "1.19", "--upgrade-to", "1.37"];
    let (_, _, plan) = interrupted("Parallel", &args);
    let summary = plan["upgrade"]["summary"].as_str().unwrap();
    assert!(
        summary.contains("1 set is not tried to the end (interrupted)"),
        "{summary}"
    );
    assert!(!summary.contains("nothing changes"), "{summary}");
}

#[test]
fn a_requirement_of_an_interrupted_stage_does_not_hold() {
    let mut args = vec!["--require", "ready>=0", "--image", "x:3"];
    for _ in 0..40 {
        args.extend(["--then", "--restart"]);
    }
    let (_, code, plan) = interrupted("OrderedReady", &args);
    assert_eq!(code, 5);
    let text = plan.to_string();
    assert!(
        text.contains("not tried to the end: interrupted (Ctrl-C)"),
        "{text}"
    );
}

#[test]
fn an_interrupted_maintenance_has_the_turns_so_far() {
    let args = ["--drain", "each", "--return-after", "1m"];
    let (line, code, plan) = interrupted_on(&rolling(1_500), "rolling", &args);
    assert!(line.contains(SO_FAR), "{line:?}");
    assert_eq!(code, 0);
    let nodes = &plan["nodes"];
    assert_eq!(nodes["verdict"], "unknown");
    assert_eq!(nodes["maintenance"]["interrupted"], true);
    let summary = nodes["summary"].as_str().unwrap();
    assert!(summary.contains("(interrupted)"), "{summary}");
}
