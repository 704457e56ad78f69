//! The invariants of the crate's design that can be read off its sources: who may know what.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The code of every source file by its path below `src`: without comments, and without tests of its own.
fn sources() -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut sources = BTreeMap::new();
    let mut left = vec![root.clone()];
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(
                fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("\n#[cfg(test)]\nmod ").next().unwrap();
            let code: Vec<&str> = code
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"))
                .collect();
            let name = path.strip_prefix(&root).unwrap().to_str().unwrap();
            sources.insert(name.replace('\\', "/"), code.join("\n"));
        }
    }
    assert!(sources.len() > 50, "only {} files", sources.len());
    sources
}

/// Whether a file is one of these, or in one of these folders, which are written with a slash.
fn is_in(file: &str, places: &[&str]) -> bool {
    places
        .iter()
        .any(|place| file == *place || (place.ends_with('/') && file.starts_with(place)))
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Whether the code has this as a word, or as words.
fn mentions(code: &str, word: &str) -> bool {
    code.match_indices(word).any(|(at, _)| {
        !code[..at].ends_with(is_word) && !code[at + word.len()..].starts_with(is_word)
    })
}

/// Whether the code has this, not as the end of a longer word.
fn starts_word(code: &str, text: &str) -> bool {
    code.match_indices(text)
        .any(|(at, _)| !code[..at].ends_with(is_word))
}

/// Fails with everything that is wrong at once.
fn assert_none(wrong: &BTreeSet<String>) {
    let wrong: Vec<&str> = wrong.iter().map(String::as_str).collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Invariant 1: what decides reads neither a clock nor the environment nor the world outside, and gives one
/// answer.
#[test]
fn the_decision_is_a_pure_function() {
    let pure = [
        "controller/",
        "simulate/",
        "snapshot/",
        "plan/",
        "explain/",
        "follow/",
        "report/",
        "render/",
    ];
    let impure = [
        "async",
        "await",
        "SystemTime",
        "Instant",
        "Timestamp::now",
        "Zoned::now",
        "std::env",
        "std::fs",
        "std::net",
        "std::process",
        "std::thread",
        "HashMap",
        "HashSet",
        "RandomState",
        "static mut",
        "thread_local",
        "stdin",
        "stdout",
        "stderr",
        "println",
        "eprintln",
    ];
    let mut wrong = BTreeSet::new();
    for (file, code) in sources().iter().filter(|(file, _)| is_in(file, &pure)) {
        for word in impure.iter().filter(|word| mentions(code, word)) {
            wrong.insert(format!("src/{file} has {word}"));
        }
    }
    assert_none(&wrong);
}

/// The rooms of the design, and whom each knows nothing of.
#[test]
fn data_flows_one_way() {
    let rooms: [(&[&str], &[&str]); 7] = [
        (
            &["snapshot/", "quantity/"],
            &[
                "controller",
                "simulate",
                "load",
                "plan",
                "explain",
                "report",
                "render",
                "run",
                "args",
            ],
        ),
        (
            &["controller/"],
            &[
                "simulate", "plan", "explain", "report", "render", "run", "args",
            ],
        ),
        (
            &["simulate/"],
            &["load", "plan", "explain", "report", "render", "run", "args"],
        ),
        (
            &["follow/"],
            &["load", "explain", "report", "render", "run", "args"],
        ),
        (
            &["load/"],
            &[
                "simulate", "plan", "explain", "report", "render", "run", "args",
            ],
        ),
        (
            &["plan/"],
            &[
                "outlook", "explain", "check", "report", "render", "run", "args",
            ],
        ),
        (
            &["render/"],
            &[
                "controller",
                "simulate",
                "load",
                "snapshot",
                "plan",
                "explain",
                "run",
                "args",
            ],
        ),
    ];
    let mut wrong = BTreeSet::new();
    for (file, code) in &sources() {
        for (room, strangers) in rooms {
            if !is_in(file, room) {
                continue;
            }
            for stranger in strangers {
                if mentions(code, &format!("crate::{stranger}")) {
                    wrong.insert(format!("src/{file} knows of {stranger}"));
                }
            }
        }
    }
    assert_none(&wrong);
}

/// Invariant 6: what is written for machines is told by the structs of the report, and by nothing else.
#[test]
fn only_the_report_is_serialized() {
    let mut wrong = BTreeSet::new();
    for (file, code) in &sources() {
        let derives = code
            .split("derive(")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
            .any(|derived| mentions(derived, "Serialize"));
        if derives && !is_in(file, &["report/"]) {
            wrong.insert(format!("src/{file} has output of its own"));
        }
    }
    assert_none(&wrong);
}

/// Invariant 7: each outside crate has one home. A new one gets its home here.
#[test]
fn each_outside_crate_has_one_home() {
    let homes: [(&str, &[&str]); 25] = [
        ("anstream", &["run.rs"]),
        (
            "anyhow",
            &[
                "complete/",
                "gather/",
                "outputs.rs",
                "plans.rs",
                "run.rs",
                "run/",
                "targets.rs",
                "targets/",
                "verify.rs",
                "watch/",
            ],
        ),
        ("clap", &["args/", "complete/", "run.rs", "run/"]),
        ("clap_complete", &["complete/"]),
        ("comfy_table", &["render/table.rs"]),
        ("futures", &["load/cluster/", "watch/"]),
        ("http", &["load/cluster/", "watch/"]),
        ("http_body_util", &["load/cluster/"]),
        ("indicatif", &["load/cluster/"]),
        ("k8s_openapi", &["load/cluster/"]),
        ("kube", &["load/cluster/", "watch/"]),
        ("maud", &["render/html/", "render/svg/"]),
        ("owo_colors", &["render/style.rs"]),
        (
            "serde",
            &[
                "load/cluster/page.rs",
                "policy/",
                "report/",
                "render/json.rs",
                "render/yaml.rs",
                "watch/sent.rs",
            ],
        ),
        ("quick_xml", &["render/junit.rs"]),
        ("rustls", &["load/cluster/"]),
        ("schemars", &["report/", "policy/"]),
        ("serde_saphyr", &["render/yaml.rs"]),
        ("serde_yaml", &["policy/"]),
        ("terminal_size", &["run.rs"]),
        ("tokio", &["load/cluster/", "watch/"]),
        ("tower", &["load/cluster/", "watch/"]),
        // Moments, JSON and errors are everywhere.
        ("jiff", &[]),
        ("serde_json", &[]),
        ("thiserror", &[]),
    ];
    let manifest = include_str!("../../Cargo.toml");
    let dependencies = manifest.split("\n[dependencies]\n").nth(1).unwrap();
    let dependencies = dependencies.split("\n[").next().unwrap();
    let names: BTreeSet<String> = dependencies
        .lines()
        .filter_map(|line| line.split_once('='))
        .map(|(name, _)| name.trim().replace('-', "_"))
        .filter(|name| !name.starts_with('#'))
        .collect();
    let known: BTreeSet<String> = homes.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(names, known);

    let mut wrong = BTreeSet::new();
    for (file, code) in &sources() {
        for (name, home) in homes.iter().filter(|(_, home)| !home.is_empty()) {
            let used = [
                format!("{name}::"),
                format!("use {name};"),
                format!("use {name} "),
            ];
            if used.iter().any(|used| starts_word(code, used)) && !is_in(file, home) {
                wrong.insert(format!("src/{file} uses {name}"));
            }
        }
    }
    assert_none(&wrong);
}

/// Invariant 4: versions are compared where behaviours get their names, and nowhere else.
#[test]
fn versions_are_compared_where_behaviours_are_named() {
    let places = [
        "check/page.rs",
        "controller/rules.rs",
        "controller/gates.rs",
        "controller/mod.rs",
        "load/defaults/rules.rs",
        "load/schema/",
        "validate/rules.rs",
        "validate/rules/",
        "versions.rs",
    ];
    let mut wrong = BTreeSet::new();
    for (file, code) in sources().iter().filter(|(file, _)| !is_in(file, &places)) {
        if mentions(code, "is_at_least") || mentions(code, "OLDEST_MINOR") {
            wrong.insert(format!("src/{file} asks for a version"));
        }
        for line in code.lines() {
            if compares(line, ".minor") || compares(line, ".patch") {
                wrong.insert(format!("src/{file} compares versions: {}", line.trim()));
            }
        }
    }
    assert_none(&wrong);
}

/// Whether the line compares this field with anything, on either side.
fn compares(line: &str, field: &str) -> bool {
    line.match_indices(field).any(|(at, _)| {
        let after = &line[at + field.len()..];
        let value = line[..at].trim_end_matches(|c: char| is_word(c) || c == '.');
        let before = value.trim_end();
        let arrow = before.ends_with("=>") || before.ends_with("->");
        let right = ["==", "!=", "<", ">"]
            .iter()
            .any(|op| after.trim_start().starts_with(op));
        let left = ["==", "!=", "<", ">", "<=", ">="]
            .iter()
            .any(|op| before.ends_with(op));
        !after.starts_with(is_word) && !after.starts_with('(') && (right || (left && !arrow))
    })
}

#[test]
fn the_checks_see_what_they_look_for() {
    assert!(mentions("use std::env;", "env") && !mentions("environment", "env"));
    assert!(mentions("a.await?", "await") && !mentions("no_await", "await"));
    for line in [
        "if version.minor > 3 {",
        "3 <= self.version.minor",
        "version.minor == 22",
        "a.patch != b",
    ] {
        assert!(
            compares(line, ".minor") || compares(line, ".patch"),
            "{line}"
        );
    }
    for line in [
        "minor: version.minor,",
        "x => rules.minor,",
        "f(version.minor)",
        "version.minority > 3",
    ] {
        assert!(!compares(line, ".minor"), "{line}");
    }
}
