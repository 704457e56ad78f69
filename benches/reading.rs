//! The cost of reading a dump: JSON and YAML, skimmed and read whole, and a whole cluster read and
//! planned, at two sizes.
//!
//! The rows say bytes a second: with ten times the sets they should stay as they are.

#![allow(clippy::unwrap_used)]

use std::ffi::OsString;
use std::time::Duration;

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use test_kit::fleet::{Fleet, Syntax};

fn main() {
    divan::main();
}

/// Sets of five pods.
const SIZES: [usize; 2] = [30, 300];

fn dump(sets: usize, syntax: Syntax) -> Vec<u8> {
    let mut text = Vec::new();
    let fleet = Fleet::new(1, sets, 5, Duration::ZERO);
    fleet.dump(syntax, &mut text).unwrap();
    text
}

fn scan(bencher: Bencher<'_, '_>, text: Vec<u8>) {
    bencher
        .counter(BytesCount::new(text.len()))
        .with_inputs(|| text.clone())
        .bench_local_values(|text| kubectl_manifest::scan("dump", text).unwrap());
}

#[divan::bench(args = SIZES, sample_count = 20)]
fn scan_json(bencher: Bencher<'_, '_>, sets: usize) {
    scan(bencher, dump(sets, Syntax::Json));
}

#[divan::bench(args = SIZES, sample_count = 20)]
fn scan_yaml(bencher: Bencher<'_, '_>, sets: usize) {
    scan(bencher, dump(sets, Syntax::Yaml));
}

fn read(bencher: Bencher<'_, '_>, text: &[u8]) {
    bencher
        .counter(BytesCount::new(text.len()))
        .bench_local(|| kubectl_manifest::read("dump", black_box(text)).unwrap());
}

#[divan::bench(args = SIZES, sample_count = 20)]
fn read_json(bencher: Bencher<'_, '_>, sets: usize) {
    read(bencher, &dump(sets, Syntax::Json));
}

#[divan::bench(args = SIZES, sample_count = 20)]
fn read_yaml(bencher: Bencher<'_, '_>, sets: usize) {
    read(bencher, &dump(sets, Syntax::Yaml));
}

/// From the text on standard input to the table.
fn whole_cluster(bencher: Bencher<'_, '_>, text: &[u8]) {
    let args = [
        "kubectl-sts_plan",
        "-f",
        "-",
        "-A",
        "--now",
        "2026-11-01T00:00:00Z",
    ];
    bencher
        .counter(BytesCount::new(text.len()))
        .bench_local(|| {
            let (mut out, mut told) = (Vec::new(), Vec::new());
            let args = args.iter().map(OsString::from);
            kubectl_sts_plan::run(args, &mut black_box(text), &mut out, &mut told)
        });
}

#[divan::bench(args = SIZES, sample_count = 10)]
fn cluster_of_json(bencher: Bencher<'_, '_>, sets: usize) {
    whole_cluster(bencher, &dump(sets, Syntax::Json));
}

#[divan::bench(args = SIZES, sample_count = 10)]
fn cluster_of_yaml(bencher: Bencher<'_, '_>, sets: usize) {
    whole_cluster(bencher, &dump(sets, Syntax::Yaml));
}
