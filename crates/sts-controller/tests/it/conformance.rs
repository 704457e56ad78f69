//! Comparison with every recorded result of real controllers and servers: docs/contract.md, "Vectors".

use std::sync::Mutex;

use crate::replay::{Kind, compare};
use crate::vectors;

/// Compares all cases of a kind, and prints their number.
fn conforms(kind: &str) {
    let files = Mutex::new(vectors::files(kind).into_iter());
    let counts = Mutex::new(Vec::new());
    let differences = Mutex::new(Vec::new());
    let folder = Kind::named(kind).unwrap();
    let worker = || {
        loop {
            let Some(file) = files.lock().unwrap().next() else {
                return;
            };
            let lines = vectors::lines(&file);
            let wrong = lines.iter().filter_map(|line| compare(folder, line).err());
            differences.lock().unwrap().extend(wrong);
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            counts.lock().unwrap().push((name, lines.len()));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(worker);
        }
    });
    let mut counts = counts.into_inner().unwrap();
    counts.sort();
    for (file, count) in &counts {
        println!("{kind}/{file}: {count} compared");
    }
    let total: usize = counts.iter().map(|(_, count)| count).sum();
    test_kit::tell(&format!("{kind}: {total} compared in all"));
    assert!(total > 0, "no {kind} vectors were found");
    let differences = differences.into_inner().unwrap();
    let shown: Vec<_> = differences.iter().take(5).collect();
    assert!(
        differences.is_empty(),
        "{} of {total} differ, such as {shown:#?}",
        differences.len()
    );
}

#[test]
fn syncs() {
    conforms("sync");
}

#[test]
fn faults() {
    conforms("faults");
}

#[test]
fn traces() {
    conforms("trace");
}

#[test]
fn defaults() {
    conforms("defaults");
}

#[test]
fn validations() {
    conforms("validate");
}

#[test]
fn applications() {
    conforms("apply");
}

#[test]
fn server_side_applies() {
    conforms("ssa");
}
