//! Mutation testing of the engine with one build for all mutants, each behind a switch that is read at run time.
//!
//! `docs/mutants.md` says what it is for and how to use it.

mod copy;
mod hunt;
mod list;
mod sites;
mod suite;
mod table;
mod text;
mod weave;
mod workers;

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::copy::Copy;
use crate::hunt::{Fate, Results};
use crate::list::{FOLDERS, Mutant};

type Fail = Box<dyn std::error::Error + Send + Sync>;
type Result<T> = std::result::Result<T, Fail>;

const USAGE: &str = "\
.ci/mutants/run [OPTIONS]

Tries the mutants that have no result yet, in a shuffled order, and prints the table.

  --only TEXT      only mutants whose name has this
  --sample N       only the first N mutants of each folder, in the shuffled order
  --seed S         another order [default: 1]
  --survivors      try those again that were missed
  --vectors PATH   with these recordings too, in small lots
  --tests TEXT     only tests whose name has this, and no recordings
  --scratch PATH   where the copy, its build and the results go [default: target/mutants]
  --table          print the table of what is known, and try nothing";

#[derive(Debug, Default)]
struct Options {
    only: String,
    sample: Option<usize>,
    seed: u64,
    survivors: bool,
    vectors: Option<PathBuf>,
    tests: Option<String>,
    scratch: PathBuf,
    table: bool,
}

fn options(mut arguments: impl Iterator<Item = String>) -> Result<Options> {
    let mut options = Options {
        seed: 1,
        scratch: "target/mutants".into(),
        ..Options::default()
    };
    while let Some(flag) = arguments.next() {
        let mut value = || {
            arguments
                .next()
                .ok_or_else(|| format!("{flag} needs a value\n\n{USAGE}"))
        };
        match flag.as_str() {
            "--only" => options.only = value()?,
            "--sample" => options.sample = Some(value()?.parse()?),
            "--seed" => options.seed = value()?.parse()?,
            "--survivors" => options.survivors = true,
            "--vectors" => options.vectors = Some(value()?.into()),
            "--tests" => options.tests = Some(value()?),
            "--scratch" => options.scratch = value()?.into(),
            "--table" => options.table = true,
            _ => return Err(format!("unknown: {flag}\n\n{USAGE}").into()),
        }
    }
    Ok(options)
}

fn main() {
    if std::env::args().any(|argument| argument == "--help") {
        println!("{USAGE}");
        return;
    }
    if let Err(fail) = options(std::env::args().skip(1)).and_then(|options| test_mutants(&options))
    {
        eprintln!("{fail}");
        std::process::exit(1);
    }
}

fn test_mutants(options: &Options) -> Result<()> {
    let repository = Path::new(".").canonicalize()?;
    std::fs::create_dir_all(&options.scratch)?;
    let scratch = options.scratch.canonicalize()?;
    let mutants = list::mutants(&repository)?;
    let mut results = Results::read(&scratch.join("results.jsonl"))?;
    if !options.table {
        let copy = Copy::new(&repository, &scratch, &mutants)?;
        let known = mutants
            .iter()
            .filter(|mutant| results.fates.get(&mutant.name) == Some(&Fate::Unviable));
        let without = copy.weave(&mutants, known.map(|mutant| mutant.id).collect())?;
        for (ids, fate) in [
            (&without.unviable, Fate::Unviable),
            (&without.constant, Fate::Constant),
        ] {
            for mutant in mutants.iter().filter(|mutant| ids.contains(&mutant.id)) {
                results.add(mutant, fate, "")?;
            }
        }
        let mut tests = suite::tests(
            &copy.engine(),
            &copy.test_programs()?,
            options.tests.as_deref().unwrap_or_default(),
        )?;
        if let (Some(vectors), None) = (&options.vectors, &options.tests) {
            tests.extend(suite::lots(vectors, &copy.replay()?, &scratch)?);
        }
        let tests = suite::record(&copy.engine(), tests, &scratch)?;
        let reached: BTreeSet<u32> = tests
            .iter()
            .flat_map(|test| &test.reaches)
            .copied()
            .collect();
        let time: Duration = tests.iter().map(|test| test.time).sum();
        let chosen = choose(&mutants, &results, options);
        println!(
            "{} tests and lots of {:.0} s reach {} mutants; {} to try",
            tests.len(),
            time.as_secs_f64(),
            reached.len(),
            chosen.len()
        );
        hunt::hunt(&copy.engine(), &chosen, &tests, &mut results)?;
    }
    table::print(&mutants, &results);
    Ok(())
}

/// The mutants to try, in an order that any beginning of is a fair lot.
fn choose<'m>(mutants: &'m [Mutant], results: &Results, options: &Options) -> Vec<&'m Mutant> {
    let order = |mutant: &&Mutant| {
        let mut hasher = DefaultHasher::new();
        (options.seed, &mutant.name).hash(&mut hasher);
        hasher.finish()
    };
    let mut chosen = Vec::new();
    for folder in FOLDERS {
        let mut here: Vec<&Mutant> = mutants
            .iter()
            .filter(|mutant| mutant.folder() == folder)
            .collect();
        here.sort_by_key(order);
        here.truncate(options.sample.unwrap_or(here.len()));
        chosen.extend(here);
    }
    chosen.retain(|mutant| match results.fates.get(&mutant.name) {
        None => true,
        Some(fate) => options.survivors && *fate == Fate::Missed,
    });
    chosen.retain(|mutant| mutant.name.contains(&options.only));
    chosen.sort_by_key(order);
    chosen
}
