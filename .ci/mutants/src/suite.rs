//! What may notice a mutant: the engine's tests, and recordings of real controllers in small lots. What each reaches,
//! how long it takes, and whether one of several fails.

#![allow(
    clippy::disallowed_methods,
    reason = "how long a test takes is what is measured"
)]

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::workers::each;
use crate::{Fail, Result};

/// A mutant that asks for more than this has gone astray; in kilobytes.
const MEMORY: u32 = 6_000_000;

const KINDS: [&str; 5] = ["apply", "defaults", "sync", "trace", "validate"];
/// How many recorded cases are one lot.
const LOT: usize = 128;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Program {
    /// Tests of Rust's harness.
    Tests(PathBuf),
    /// The example that compares recordings of a kind.
    Replay(PathBuf, &'static str),
}

#[derive(Debug)]
pub struct Test {
    pub program: Program,
    /// The test's name, or the file of the lot.
    pub name: String,
    pub time: Duration,
    pub reaches: BTreeSet<u32>,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    Passed,
    /// The test or the recorded case that failed, or that the program died.
    Failed(String),
    TimedOut,
}

fn command(folder: &Path, program: &Program, names: &[&str]) -> Command {
    let mut command = Command::new("bash");
    let run = match program {
        Program::Tests(_) => r#"exec "$0" --exact --test-threads=1 "$@""#.to_owned(),
        Program::Replay(_, kind) => format!(r#"exec "$0" {kind} < <(cat "$@")"#),
    };
    let (Program::Tests(path) | Program::Replay(path, _)) = program;
    command
        .arg("-c")
        .arg(format!("ulimit -v {MEMORY} && {run}"))
        .arg(path)
        .args(names);
    command
        .current_dir(folder)
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

/// All tests with this in their names.
pub fn tests(folder: &Path, programs: &[PathBuf], only: &str) -> Result<Vec<(Program, String)>> {
    let mut tests = Vec::new();
    for program in programs {
        let list = Command::new(program)
            .arg("--list")
            .current_dir(folder)
            .output()?;
        let list = String::from_utf8(list.stdout)?;
        let names = list.lines().filter_map(|line| line.strip_suffix(": test"));
        let names = names.filter(|name| name.contains(only));
        tests.extend(names.map(|name| (Program::Tests(program.clone()), name.to_owned())));
    }
    Ok(tests)
}

/// The lots of all recordings in a folder.
pub fn lots(vectors: &Path, replay: &Path, scratch: &Path) -> Result<Vec<(Program, String)>> {
    let mut lots = Vec::new();
    let folder = scratch.join("lots");
    fs::create_dir_all(&folder)?;
    for kind in KINDS {
        let mut lines = Vec::new();
        // Recordings that came later stand in a folder of their own.
        for place in [vectors.join(kind), vectors.join("next").join(kind)]
            .iter()
            .filter(|place| place.is_dir())
        {
            let files = fs::read_dir(place)?.map(|entry| Ok(entry?.path()));
            let mut files: Vec<PathBuf> = files.collect::<Result<_>>()?;
            files.sort();
            let cases = Command::new("gzip")
                .args(["--decompress", "--force", "--stdout"])
                .args(files)
                .output()?;
            lines.extend(String::from_utf8(cases.stdout)?.lines().map(str::to_owned));
        }
        for (number, lot) in lines.chunks(LOT).enumerate() {
            let file = folder.join(format!("{kind}-{number}.jsonl"));
            fs::write(&file, lot.join("\n"))?;
            lots.push((
                Program::Replay(replay.to_owned(), kind),
                file.to_string_lossy().into_owned(),
            ));
        }
    }
    Ok(lots)
}

/// Runs each alone, with all mutants off. The quickest are the first.
pub fn record(folder: &Path, tests: Vec<(Program, String)>, scratch: &Path) -> Result<Vec<Test>> {
    let mut recorded = each(&tests, |number, (program, name)| {
        let file = scratch.join(format!("reached-{number}"));
        let begun = Instant::now();
        let status = command(folder, program, &[name])
            .env("MUTANTS_REACHED", &file)
            .stdout(Stdio::null())
            .status()?;
        let time = begun.elapsed();
        if !status.success() {
            return Err(Fail::from(format!("{name} fails with all mutants off")));
        }
        let reached = if file.exists() {
            fs::read_to_string(&file)?
        } else {
            String::new()
        };
        if file.exists() {
            fs::remove_file(&file)?;
        }
        let reaches = reached
            .lines()
            .map(str::parse)
            .collect::<std::result::Result<_, _>>()?;
        Ok(Test {
            program: program.clone(),
            name: name.clone(),
            time,
            reaches,
        })
    })?;
    recorded.sort_by_key(|test| test.time);
    Ok(recorded)
}

/// Runs tests of one program, one after the other, until one fails.
pub fn run(
    folder: &Path,
    mutant: u32,
    program: &Program,
    names: &[&str],
    most: Duration,
) -> Result<Outcome> {
    let mut child = command(folder, program, names)
        .env("MUTANT", mutant.to_string())
        .spawn()?;
    let stdout = child.stdout.take().ok_or("no output")?;
    let outcome = watch(&mut child, stdout, program, most);
    // It has ended by itself, or there is no use in going on.
    child.kill().ok();
    child.wait()?;
    outcome
}

fn watch(
    child: &mut Child,
    stdout: ChildStdout,
    program: &Program,
    most: Duration,
) -> Result<Outcome> {
    let end = Instant::now() + most;
    let (sender, lines) = channel();
    thread::spawn(move || {
        for line in BufReader::new(stdout)
            .lines()
            .map_while(std::result::Result::ok)
        {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    loop {
        match lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(line) => {
                if let Some(failed) = failed(&line, program) {
                    return Ok(Outcome::Failed(failed));
                }
            }
            Err(RecvTimeoutError::Timeout) => return Ok(Outcome::TimedOut),
            Err(RecvTimeoutError::Disconnected) if child.wait()?.success() => {
                return Ok(Outcome::Passed);
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Ok(Outcome::Failed("the program died".to_owned()));
            }
        }
    }
}

/// The test or the case that this line of output says has failed.
fn failed(line: &str, program: &Program) -> Option<String> {
    match program {
        Program::Tests(_) => {
            let (name, result) = line.strip_prefix("test ")?.split_once(" ... ")?;
            (result == "FAILED").then(|| name.to_owned())
        }
        Program::Replay(_, kind) => {
            let case = line.split(':').next().unwrap_or_default();
            (!line.ends_with(" compared, 0 differ")).then(|| format!("{kind}: {case}"))
        }
    }
}
