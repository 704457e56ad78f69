//! What came of the mutants, folder by folder, and the survivors.

use crate::hunt::{Fate, Results};
use crate::list::{FOLDERS, Mutant};

pub fn print(mutants: &[Mutant], results: &Results) {
    println!(
        "| folder | mutants | unviable | constant | tried | caught | timed out | missed | rate |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for folder in FOLDERS {
        row(
            &format!("`{folder}`"),
            mutants.iter().filter(|mutant| mutant.folder() == folder),
            results,
        );
    }
    row("all", mutants.iter(), results);
    println!();
    for mutant in mutants
        .iter()
        .filter(|mutant| results.fates.get(&mutant.name) == Some(&Fate::Missed))
    {
        println!("{}", mutant.name);
    }
}

fn row<'m>(title: &str, mutants: impl Iterator<Item = &'m Mutant>, results: &Results) {
    let fates: Vec<Option<Fate>> = mutants
        .map(|mutant| results.fates.get(&mutant.name).copied())
        .collect();
    let count = |fate: Fate| fates.iter().filter(|of| **of == Some(fate)).count();
    let (caught, timed_out, missed) = (
        count(Fate::Caught),
        count(Fate::TimedOut),
        count(Fate::Missed),
    );
    let tried = caught + timed_out + missed;
    let rate = match tried {
        0 => String::new(),
        _ => format!(
            "{:.1} %",
            100.0 * (caught + timed_out) as f64 / tried as f64
        ),
    };
    println!(
        "| {title} | {} | {} | {} | {tried} | {caught} | {timed_out} | {missed} | {rate} |",
        fates.len(),
        count(Fate::Unviable),
        count(Fate::Constant),
    );
}
