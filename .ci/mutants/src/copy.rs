//! A copy of the repository beside its build, with the mutants in it, and the compiler's word on which of them compile.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::list::{Mutant, SOURCES};
use crate::weave::{Without, Woven, weave};
use crate::{Fail, Result};

pub struct Copy {
    repository: PathBuf,
    /// Everything that this program writes.
    pub scratch: PathBuf,
}

impl Copy {
    /// Copies what git knows of, and what it would, but for what [`Copy::weave`] writes.
    pub fn new(repository: &Path, scratch: &Path, mutants: &[Mutant]) -> Result<Self> {
        let copy = Copy {
            repository: repository.to_owned(),
            scratch: scratch.to_owned(),
        };
        let mut list = Command::new("git");
        list.current_dir(repository).args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ]);
        let listed = String::from_utf8(list.output()?.stdout)?;
        let files = mutants.iter().map(|mutant| mutant.file.as_str());
        let woven: BTreeSet<&str> = files.chain(["lib.rs"]).collect();
        for name in listed.split_terminator('\0') {
            let path = repository.join(name);
            let is_woven = name
                .strip_prefix(SOURCES)
                .is_some_and(|name| woven.contains(name));
            if path.is_file() && !is_woven {
                write(&copy.tree().join(name), &fs::read(path)?)?;
            }
        }
        Ok(copy)
    }

    fn tree(&self) -> PathBuf {
        self.scratch.join("tree")
    }

    /// The engine's folder, where its tests run.
    pub fn engine(&self) -> PathBuf {
        self.tree().join("crates/sts-controller")
    }

    /// Weaves the mutants in, and drops those that do not compile until the rest does. `dropped` is what an earlier run knows.
    pub fn weave(&self, mutants: &[Mutant], mut dropped: BTreeSet<u32>) -> Result<Without> {
        let mut by_file: BTreeMap<&str, Vec<&Mutant>> = BTreeMap::new();
        for mutant in mutants {
            by_file.entry(&mutant.file).or_default().push(mutant);
        }
        let sources = self.tree().join(SOURCES);
        let library = fs::read_to_string(self.repository.join(SOURCES).join("lib.rs"))?;
        write(
            &sources.join("lib.rs"),
            format!("{library}\nmod mutant;\n").as_bytes(),
        )?;
        let count = format!("const COUNT: usize = {};\n", mutants.len() + 1);
        write(
            &sources.join("mutant.rs"),
            (include_str!("switch.rs").to_owned() + &count).as_bytes(),
        )?;
        loop {
            let mut without = Without::default();
            let mut woven = BTreeMap::new();
            for (file, mutants) in &by_file {
                let source = fs::read_to_string(self.repository.join(SOURCES).join(file))?;
                let result = weave(&source, mutants, &dropped, &mut without)?;
                write(&sources.join(file), result.text.as_bytes())?;
                woven.insert(format!("{SOURCES}{file}"), result);
            }
            let errors = self.errors()?;
            if errors.is_empty() {
                without.unviable.extend(dropped);
                return Ok(without);
            }
            let found: BTreeSet<u32> = errors
                .iter()
                .flat_map(|error| blamed(error, &woven))
                .collect();
            println!(
                "{} errors: {} mutants do not compile",
                errors.len(),
                found.len()
            );
            if found.is_empty() {
                let text = errors.iter().filter_map(|error| error["rendered"].as_str());
                return Err(Fail::from(text.collect::<String>()));
            }
            dropped.extend(found);
        }
    }

    fn cargo(&self, arguments: &[&str]) -> Command {
        let mut cargo = Command::new("cargo");
        cargo.current_dir(self.tree()).args(arguments).args([
            "--locked",
            "--message-format=json",
            "-p",
            "sts-controller",
        ]);
        cargo
            .env("CARGO_TARGET_DIR", self.scratch.join("build"))
            .stderr(Stdio::inherit());
        // Tests run thousands of times; what they find out is not for a debugger. A changed expression may well be odd.
        cargo
            .env("CARGO_PROFILE_DEV_OPT_LEVEL", "1")
            .env("CARGO_PROFILE_DEV_DEBUG", "false");
        cargo.env("RUSTFLAGS", "--cap-lints=allow");
        cargo
    }

    fn messages(&self, arguments: &[&str]) -> Result<Vec<Value>> {
        let output = self.cargo(arguments).arg("--quiet").output()?;
        let lines = String::from_utf8(output.stdout)?;
        lines
            .lines()
            .map(|line| Ok(serde_json::from_str(line)?))
            .collect()
    }

    fn errors(&self) -> Result<Vec<Value>> {
        let messages = self.messages(&["check", "--lib"])?.into_iter();
        let errors = messages.map(|mut message| message["message"].take());
        let places = |error: &Value| {
            error["spans"]
                .as_array()
                .is_some_and(|spans| !spans.is_empty())
        };
        Ok(errors
            .filter(|error| error["level"] == "error" && places(error))
            .collect())
    }

    /// Builds the engine's tests, and names the programs.
    pub fn test_programs(&self) -> Result<Vec<PathBuf>> {
        self.programs(&["test", "--no-run", "--lib", "--test", "it"], 2)
    }

    /// Builds the program that compares recordings.
    pub fn replay(&self) -> Result<PathBuf> {
        let programs = self.programs(&["build", "--example", "replay"], 1)?;
        programs
            .into_iter()
            .next()
            .ok_or_else(|| "no replay".into())
    }

    fn programs(&self, arguments: &[&str], count: usize) -> Result<Vec<PathBuf>> {
        let messages = self.messages(arguments)?;
        let programs = messages
            .iter()
            .filter_map(|message| message["executable"].as_str());
        let programs: Vec<PathBuf> = programs.map(PathBuf::from).collect();
        if programs.len() == count {
            Ok(programs)
        } else {
            let what = arguments.join(" ");
            Err(Fail::from(format!(
                "`cargo {what}` fails in {}",
                self.tree().display()
            )))
        }
    }
}

/// Writes what is not there already, so that cargo builds no more than it has to.
fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    if fs::read(path).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    fs::create_dir_all(path.parent().ok_or("a file without a folder")?)?;
    Ok(fs::write(path, bytes)?)
}

/// The mutants that an error is about: where it is, or, if it is in none, what it also points at.
fn blamed(error: &Value, woven: &BTreeMap<String, Woven>) -> Vec<u32> {
    let spans = error["spans"].as_array().into_iter().flatten();
    let (primary, others): (Vec<&Value>, Vec<&Value>) =
        spans.partition(|span| span["is_primary"] == true);
    let blamed = |spans: Vec<&Value>| -> Vec<u32> {
        spans
            .into_iter()
            .flat_map(|span| mutants_at(span, woven))
            .collect()
    };
    let first = blamed(primary);
    if first.is_empty() {
        blamed(others)
    } else {
        first
    }
}

fn mutants_at(span: &Value, woven: &BTreeMap<String, Woven>) -> Vec<u32> {
    if let Some(woven) = span["file_name"].as_str().and_then(|file| woven.get(file)) {
        let byte = |name: &str| {
            span[name]
                .as_u64()
                .and_then(|byte| usize::try_from(byte).ok())
        };
        let range = byte("byte_start")
            .zip(byte("byte_end"))
            .map(|(start, end)| Range { start, end });
        return range.map_or_else(Vec::new, |range| woven.at(&range).to_vec());
    }
    // In a macro: where it is called.
    let caller = &span["expansion"]["span"];
    if caller.is_object() {
        mutants_at(caller, woven)
    } else {
        Vec::new()
    }
}
