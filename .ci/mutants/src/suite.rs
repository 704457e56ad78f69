//! The engine's tests: what each reaches, how long it takes, and whether one of several fails.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::{Fail, Result};

/// A mutant that asks for more than this has gone astray; in kilobytes.
const MEMORY: u32 = 6_000_000;

#[derive(Debug)]
pub struct Test {
    pub program: PathBuf,
    pub name: String,
    pub time: Duration,
    pub reaches: BTreeSet<u32>,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    Passed,
    /// The test that failed, or the last that had begun when the process died.
    Failed(String),
    TimedOut,
}

fn command(folder: &Path, program: &Path, tests: &[&str]) -> Command {
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("ulimit -v {MEMORY} && exec \"$@\""), "sh"])
        .arg(program);
    command
        .args(["--exact", "--test-threads=1"])
        .args(tests)
        .current_dir(folder);
    command
        .env("CARGO_MANIFEST_DIR", folder)
        .env("PROPTEST_RNG_SEED", "1")
        .env("RUST_BACKTRACE", "0");
    // That a random case fails is enough; which is the smallest is of no interest.
    command
        .env("PROPTEST_MAX_SHRINK_ITERS", "0")
        .env_remove("MUTANT")
        .env_remove("MUTANTS_REACHED");
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command
}

/// Runs every test alone, with all mutants off.
pub fn record(folder: &Path, programs: &[PathBuf], scratch: &Path) -> Result<Vec<Test>> {
    let mut tests = Vec::new();
    for program in programs {
        let list = Command::new(program)
            .arg("--list")
            .current_dir(folder)
            .output()?;
        let list = String::from_utf8(list.stdout)?;
        for name in list.lines().filter_map(|line| line.strip_suffix(": test")) {
            tests.push(record_one(folder, program, name, &scratch.join("reached"))?);
        }
    }
    tests.sort_by_key(|test| test.time);
    Ok(tests)
}

fn record_one(folder: &Path, program: &Path, name: &str, file: &Path) -> Result<Test> {
    if file.exists() {
        fs::remove_file(file)?;
    }
    let begun = Instant::now();
    let status = command(folder, program, &[name])
        .env("MUTANTS_REACHED", file)
        .stdout(Stdio::null())
        .status()?;
    if !status.success() {
        return Err(Fail::from(format!("{name} fails with all mutants off")));
    }
    let reached = if file.exists() {
        fs::read_to_string(file)?
    } else {
        String::new()
    };
    Ok(Test {
        program: program.to_owned(),
        name: name.to_owned(),
        time: begun.elapsed(),
        reaches: reached
            .lines()
            .map(str::parse)
            .collect::<std::result::Result<_, _>>()?,
    })
}

/// Runs tests of one program, one after the other, until one fails.
pub fn run(folder: &Path, mutant: u32, tests: &[&Test], most: Duration) -> Result<Outcome> {
    let Some(first) = tests.first() else {
        return Ok(Outcome::Passed);
    };
    let names: Vec<&str> = tests.iter().map(|test| test.name.as_str()).collect();
    let mut child = command(folder, &first.program, &names)
        .env("MUTANT", mutant.to_string())
        .spawn()?;
    let stdout = child.stdout.take().ok_or("no output")?;
    let outcome = watch(&mut child, stdout, most);
    // It has ended by itself, or there is no use in going on.
    child.kill().ok();
    child.wait()?;
    outcome
}

fn watch(child: &mut Child, stdout: ChildStdout, most: Duration) -> Result<Outcome> {
    let end = Instant::now() + most;
    let (sender, lines) = channel();
    thread::spawn(move || {
        for line in BufReader::new(stdout).lines() {
            if line.is_err() || sender.send(line.unwrap_or_default()).is_err() {
                return;
            }
        }
    });
    let mut last = String::new();
    loop {
        match lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(line) => {
                if let Some((name, result)) = line
                    .strip_prefix("test ")
                    .and_then(|test| test.split_once(" ... "))
                {
                    last = name.to_owned();
                    if result == "FAILED" {
                        return Ok(Outcome::Failed(last));
                    }
                }
            }
            Err(RecvTimeoutError::Timeout) => return Ok(Outcome::TimedOut),
            Err(RecvTimeoutError::Disconnected) => {
                let status = child.wait()?;
                return match (status.success(), status.signal()) {
                    (true, _) => Ok(Outcome::Passed),
                    (false, signal) => Ok(Outcome::Failed(format!(
                        "a test after {last}: signal {signal:?}"
                    ))),
                };
            }
        }
    }
}
