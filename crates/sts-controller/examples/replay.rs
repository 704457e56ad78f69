//! Compares recorded answers of real controllers with ours: `cargo run --release --example replay -- sync < cases.jsonl`.

#![allow(clippy::print_stdout, clippy::print_stderr)]

#[path = "../tests/it/replay/mod.rs"]
mod replay;

use std::io::{BufRead, Write as _};
use std::process::ExitCode;
use std::sync::mpsc;
use std::sync::{Arc, Mutex};

use replay::{Kind, compare};

fn main() -> ExitCode {
    let Some(kind) = std::env::args().nth(1).and_then(|name| Kind::named(&name)) else {
        eprintln!("usage: replay sync|trace|defaults < cases.jsonl");
        return ExitCode::from(2);
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let (lines, feed) = mpsc::sync_channel::<Vec<String>>(4 * workers);
    let feed = Arc::new(Mutex::new(feed));
    let (compared, differing) = std::thread::scope(|scope| {
        let worker = || {
            let (mut compared, mut differing) = (0u64, 0u64);
            loop {
                let batch = match feed.lock() {
                    Ok(feed) => feed.recv(),
                    Err(_) => break,
                };
                let Ok(batch) = batch else { break };
                for line in batch {
                    compared += 1;
                    if let Err(difference) = compare(kind, &line) {
                        differing += 1;
                        let _ = writeln!(std::io::stdout().lock(), "{difference}");
                    }
                }
            }
            (compared, differing)
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
        handles
            .into_iter()
            .filter_map(|handle| handle.join().ok())
            .fold((0, 0), |sum, (a, b)| (sum.0 + a, sum.1 + b))
    });
    println!("{compared} compared, {differing} differ");
    if differing == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
