//! Tries mutants against the tests that reach them, and keeps what came of it.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use serde_json::{Value, json};

use crate::Result;
use crate::list::Mutant;
use crate::suite::{Outcome, Program, Test, run};
use crate::workers::each;

/// How long the first tests of a mutant may take together; those after them, so many times as long.
const FIRST: Duration = Duration::from_millis(300);
const LATER: u32 = 5;
/// How much longer than usual tests may take: other work may be going on.
const PATIENCE: u32 = 10;
const START: Duration = Duration::from_secs(3);

/// What has been found out about mutants, by their names: the newest line of each holds.
pub struct Results {
    file: PathBuf,
    pub fates: BTreeMap<String, Fate>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    Caught,
    TimedOut,
    Missed,
    Unviable,
    /// Computed while compiling.
    Constant,
}

impl Fate {
    const ALL: [Fate; 5] = [
        Fate::Caught,
        Fate::TimedOut,
        Fate::Missed,
        Fate::Unviable,
        Fate::Constant,
    ];

    fn word(self) -> &'static str {
        match self {
            Fate::Caught => "caught",
            Fate::TimedOut => "timed out",
            Fate::Missed => "missed",
            Fate::Unviable => "unviable",
            Fate::Constant => "constant",
        }
    }
}

impl Results {
    pub fn read(file: &Path) -> Result<Self> {
        let text = if file.exists() {
            fs::read_to_string(file)?
        } else {
            String::new()
        };
        let mut fates = BTreeMap::new();
        for line in text.lines() {
            let line: Value = serde_json::from_str(line)?;
            let fate = Fate::ALL
                .into_iter()
                .find(|fate| line["fate"] == fate.word());
            if let Some((name, fate)) = line["mutant"].as_str().zip(fate) {
                fates.insert(name.to_owned(), fate);
            }
        }
        Ok(Results {
            file: file.to_owned(),
            fates,
        })
    }

    pub fn add(&mut self, mutant: &Mutant, fate: Fate, by: &str) -> Result<()> {
        if self.fates.insert(mutant.name.clone(), fate) == Some(fate) {
            return Ok(());
        }
        let line = json!({"mutant": mutant.name, "fate": fate.word(), "by": by});
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.file)?;
        Ok(writeln!(file, "{line}")?)
    }
}

/// Tries these mutants, in this order.
pub fn hunt(
    folder: &Path,
    mutants: &[&Mutant],
    tests: &[Test],
    results: &mut Results,
) -> Result<()> {
    let results = Mutex::new(results);
    each(mutants, |_, mutant| {
        let (fate, by) = try_one(folder, mutant.id, tests)?;
        results
            .lock()
            .map_err(|_| "the other worker panicked")?
            .add(mutant, fate, &by)
    })?;
    Ok(())
}

fn try_one(folder: &Path, mutant: u32, tests: &[Test]) -> Result<(Fate, String)> {
    let reaching: Vec<&Test> = tests
        .iter()
        .filter(|test| test.reaches.contains(&mutant))
        .collect();
    if reaching.is_empty() {
        return Ok((Fate::Missed, "no test reaches it".to_owned()));
    }
    for (program, batch) in batches(reaching) {
        let usual: Duration = batch.iter().map(|test| test.time).sum();
        let names: Vec<&str> = batch.iter().map(|test| test.name.as_str()).collect();
        match run(folder, mutant, program, &names, START + usual * PATIENCE)? {
            Outcome::Passed => {}
            Outcome::Failed(test) => return Ok((Fate::Caught, test)),
            Outcome::TimedOut => return Ok((Fate::TimedOut, String::new())),
        }
    }
    Ok((Fate::Missed, String::new()))
}

/// The tests in groups of one program, the quickest first: a few at once spare the start of a process.
fn batches(tests: Vec<&Test>) -> Vec<(&Program, Vec<&Test>)> {
    let mut batches = Vec::new();
    let mut most = FIRST;
    let mut left = tests.into_iter().peekable();
    while left.peek().is_some() {
        let mut by_program: BTreeMap<&Program, Vec<&Test>> = BTreeMap::new();
        let mut time = Duration::ZERO;
        // A test that takes longer than the whole group may is a group of its own.
        while let Some(test) = left.next_if(|test| time.is_zero() || time + test.time <= most) {
            time += test.time;
            by_program.entry(&test.program).or_default().push(test);
        }
        batches.extend(by_program);
        most *= LATER;
    }
    batches
}
