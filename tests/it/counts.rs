//! The documentation states the real number of recordings and live tests.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::Command;

/// Recordings of one kind: their folders in `../shared/vectors`, the beginning of their row in docs/verification.md,
/// and the phrases on other pages.
struct Kind {
    folders: &'static [&'static str],
    row: &'static str,
    pages: &'static [(&'static str, &'static str)],
}

const ENGINE: &str = "crates/sts-controller/README.md";
const READER: &str = "crates/kubectl-manifest/README.md";
const QUESTIONS: &str = "docs/questions.md";

const KINDS: [Kind; 8] = [
    Kind {
        folders: &["sync", "next/sync"],
        row: "| one sync: writes, events, error, status | ",
        pages: &[(ENGINE, "{} syncs"), (QUESTIONS, "{} syncs")],
    },
    Kind {
        folders: &["open/faults"],
        row: "| one sync with refused writes: every reason, every kind of write, retries after a conflict | ",
        pages: &[],
    },
    Kind {
        folders: &["trace"],
        row: "| a whole rollout: every step, and the status, pods and claims at the end | ",
        pages: &[(ENGINE, "{} rollouts"), (QUESTIONS, "{} whole rollouts")],
    },
    Kind {
        folders: &["validate", "open/validate"],
        row: "| the API server's answer to a create or an update: errors with field and message, warnings | ",
        pages: &[],
    },
    Kind {
        folders: &["apply", "open/apply"],
        row: "| `kubectl apply` of a manifest to a stored set: the result | ",
        pages: &[],
    },
    Kind {
        folders: &["open/ssa"],
        row: "| `kubectl apply --server-side` of a manifest to a stored set: the object, its managedFields, conflicts and other errors | ",
        pages: &[],
    },
    Kind {
        folders: &["defaults"],
        row: "| a manifest with defaults, and the name and bytes of its revision | ",
        pages: &[(ENGINE, "{} defaulted manifests")],
    },
    Kind {
        folders: &["yaml"],
        row: "| YAML reading | ",
        pages: &[(READER, "{} streams")],
    },
];

fn page(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let text = fs::read_to_string(path).unwrap();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The first number in a row of docs/verification.md.
fn stated(row: &str) -> String {
    let page = include_str!("../../docs/verification.md");
    let (_, rest) = page
        .split_once(row)
        .unwrap_or_else(|| panic!("no row {row}"));
    let end = rest
        .find(|it: char| !it.is_ascii_digit() && it != ',')
        .unwrap();
    rest[..end].trim_end_matches(',').to_owned()
}

/// Number of cases in the files of a folder, one per line, and the minors in the file names.
fn cases(folder: &Path) -> (usize, Vec<String>) {
    let (mut count, mut minors) = (0, Vec::new());
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let Some((minor, ending)) = name.split_once(".jsonl") else {
            continue;
        };
        let file = File::open(&path).unwrap();
        let text: Box<dyn Read> = match ending {
            ".gz" => Box::new(flate2::read::GzDecoder::new(file)),
            _ => Box::new(file),
        };
        count += BufReader::new(text).lines().count();
        minors.push(minor.to_owned());
    }
    (count, minors)
}

#[test]
fn pages_repeat_the_numbers_of_the_verification_page() {
    for kind in &KINDS {
        let count = stated(kind.row);
        for (path, words) in kind.pages {
            let words = words.replace("{}", &count);
            let page = page(path);
            let at = page
                .find(&words)
                .unwrap_or_else(|| panic!("{path} has no {words:?}"));
            assert!(
                !page[..at].ends_with(|it: char| it.is_ascii_digit() || it == ','),
                "{path}: {words}"
            );
        }
    }
}

#[test]
fn the_verification_page_counts_the_recordings() {
    let recordings = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/vectors");
    if !recordings.is_dir() {
        println!("not compared: no ../shared/vectors");
        return;
    }
    for kind in &KINDS {
        let folders = kind
            .folders
            .iter()
            .map(|folder| cases(&recordings.join(folder)));
        let (counts, minors): (Vec<usize>, Vec<Vec<String>>) = folders.unzip();
        let count: usize = counts.iter().sum();
        assert_eq!(
            stated(kind.row).replace(',', ""),
            count.to_string(),
            "{:?}",
            kind.folders
        );
        if kind.folders.contains(&"sync") {
            let mut minors: Vec<String> = minors.concat();
            minors.sort();
            minors.dedup();
            let words = format!("of {} minors", minors.len());
            for path in ["docs/verification.md", ENGINE] {
                assert!(page(path).contains(&words), "{path}: {words}");
            }
        }
        println!("compared: {count} cases of {:?}", kind.folders);
    }
}

#[test]
fn the_verification_page_counts_the_live_tests() {
    let this = std::env::current_exe().unwrap();
    let listed = Command::new(this).args(["--list", "live::"]).output();
    let listed = String::from_utf8(listed.unwrap().stdout).unwrap();
    let tests = listed
        .lines()
        .filter(|line| line.starts_with("live::") && line.ends_with(": test"));
    let count = tests.count().to_string();
    assert_eq!(stated("| 1.20.2 | "), count);
    let all = format!("| 1.20.2 | {count} of {count}, ");
    assert!(page("docs/verification.md").contains(&all), "{all}");
}
