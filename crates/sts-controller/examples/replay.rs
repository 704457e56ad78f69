//! Compares recorded results of real controllers and API servers with ours: `cargo run --release --example replay --
//! sync < cases.jsonl`. Prints each difference, then the most frequent kinds of differences, then the counts.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::collections::BTreeMap;
use std::io::{BufRead, Write as _};
use std::process::ExitCode;
use std::sync::mpsc;
use std::sync::{Arc, Mutex};

use test_kit::replay::{Kind, compare};

/// Number of kinds of differences in the summary.
const SHOWN: usize = 60;

fn main() -> ExitCode {
    let Some(kind) = std::env::args().nth(1).and_then(|name| Kind::named(&name)) else {
        eprintln!("usage: replay sync|faults|trace|defaults|validate|apply|ssa < cases.jsonl");
        return ExitCode::from(2);
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let (lines, feed) = mpsc::sync_channel::<Vec<String>>(4 * workers);
    let feed = Arc::new(Mutex::new(feed));
    let (died, compared, kinds) = std::thread::scope(|scope| {
        let worker = || {
            let (mut compared, mut kinds) = (0u64, BTreeMap::<String, u64>::new());
            loop {
                let batch = match feed.lock() {
                    Ok(feed) => feed.recv(),
                    Err(_) => break,
                };
                let Ok(batch) = batch else { break };
                for line in batch {
                    compared += 1;
                    if let Err(difference) = compare(kind, &line) {
                        *kinds.entry(kind_of_difference(&difference)).or_default() += 1;
                        let _ = writeln!(std::io::stdout().lock(), "{difference}");
                    }
                }
            }
            (compared, kinds)
        };
        let handles: Vec<_> = (0..workers).map(|_| scope.spawn(worker)).collect();
        let mut batch = Vec::new();
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if !line.trim().is_empty() {
                batch.push(line);
            }
            if batch.len() == 32 {
                let _ = lines.send(std::mem::take(&mut batch));
            }
        }
        let _ = lines.send(batch);
        drop(lines);
        let (mut died, mut count, mut all) = (false, 0, BTreeMap::new());
        for result in handles.into_iter().map(|handle| handle.join()) {
            let Ok((compared, kinds)) = result else {
                died = true;
                continue;
            };
            count += compared;
            for (name, times) in kinds {
                *all.entry(name).or_default() += times;
            }
        }
        (died, count, all)
    });
    let differing: u64 = kinds.values().sum();
    let mut frequent: Vec<(String, u64)> = kinds.into_iter().collect();
    frequent.sort_by(|(a, few), (b, many)| many.cmp(few).then_with(|| a.cmp(b)));
    for (name, times) in frequent.iter().take(SHOWN) {
        println!("{times:6} {name}");
    }
    println!("{compared} compared, {differing} differ");
    // The comparisons of a worker that panicked are not counted.
    if differing == 0 && !died {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Returns a difference without details of the case, so that similar ones can be counted. Numbers, quoted strings and
/// all but the first item of a list become `#`.
fn kind_of_difference(difference: &str) -> String {
    let mut out = String::new();
    let text = difference
        .split_once(": ")
        .map_or(difference, |(_, rest)| rest);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character == '"' {
            while let Some(inner) = characters.next() {
                match inner {
                    '\\' => drop(characters.next()),
                    '"' => break,
                    _ => {}
                }
            }
            out.push('#');
        } else if character.is_ascii_digit() {
            while characters.next_if(char::is_ascii_digit).is_some() {}
            out.push('#');
        } else {
            out.push(character);
        }
    }
    out.chars().take(200).collect()
}
