//! Invariants of the design that the sources show: which code may use which.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The published packages, each with the folder of its sources.
const PACKAGES: [(&str, &str); 5] = [
    ("program", "src"),
    ("kubectl-config", "crates/kubectl-config/src"),
    ("kubectl-manifest", "crates/kubectl-manifest/src"),
    ("sts-controller", "crates/sts-controller/src"),
    ("sts-plan", "crates/sts-plan/src"),
];

/// The code of every source file, by package and path, without comments and unit tests.
fn sources() -> BTreeMap<String, String> {
    let mut sources = BTreeMap::new();
    for (package, folder) in PACKAGES {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let mut left = vec![root.clone()];
        while let Some(path) = left.pop() {
            if path.is_dir() {
                let entries = fs::read_dir(&path).unwrap();
                left.extend(entries.map(|entry| entry.unwrap().path()));
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                let code = text.split("\n#[cfg(test)]\nmod ").next().unwrap();
                let code: Vec<&str> = code
                    .lines()
                    .filter(|line| !line.trim_start().starts_with("//"))
                    .collect();
                let name = path.strip_prefix(&root).unwrap().to_str().unwrap();
                let name = format!("{package}/{}", name.replace('\\', "/"));
                sources.insert(name, code.join("\n"));
            }
        }
    }
    assert!(sources.len() > 50, "only {} files", sources.len());
    sources
}

/// Returns true if a file is one of these, or in one of these folders (with a trailing slash).
fn is_in(file: &str, places: &[&str]) -> bool {
    places
        .iter()
        .any(|place| file == *place || (place.ends_with('/') && file.starts_with(place)))
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Returns true if the code contains this as a whole word or words.
fn mentions(code: &str, word: &str) -> bool {
    code.match_indices(word).any(|(at, _)| {
        !code[..at].ends_with(is_word) && !code[at + word.len()..].starts_with(is_word)
    })
}

/// Returns true if the code contains this at the beginning of a word.
fn starts_word(code: &str, text: &str) -> bool {
    code.match_indices(text)
        .any(|(at, _)| !code[..at].ends_with(is_word))
}

/// Fails with all violations at once.
fn assert_none(wrong: &BTreeSet<String>) {
    let wrong: Vec<&str> = wrong.iter().map(String::as_str).collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Invariant 1: the deciding code reads no clock, no environment and no outside world, and gives one answer.
#[test]
fn the_decision_is_a_pure_function() {
    let pure = [
        "sts-controller/",
        "kubectl-manifest/",
        "sts-plan/",
        "program/output/",
    ];
    // They write what they are given, at once, to the given place.
    let writers = ["program/output/atomic.rs", "program/output/files.rs"];
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
        "io::stdin",
        "io::stdout",
        "io::stderr",
        "println",
        "eprintln",
    ];
    let mut wrong = BTreeSet::new();
    let decides = |file: &str| is_in(file, &pure) && !is_in(file, &writers);
    for (file, code) in sources().iter().filter(|(file, _)| decides(file)) {
        // Digests are only looked up; the lint is disabled there for that reason.
        let allowed = |word: &str| {
            matches!(word, "HashSet" | "HashMap") && file == "sts-controller/simulate/digest.rs"
        };
        for word in impure
            .iter()
            .filter(|word| mentions(code, word) && !allowed(word))
        {
            wrong.insert(format!("{file} has {word}"));
        }
    }
    assert_none(&wrong);
}

/// The parts of the design, and the parts that each must not use. Cargo enforces the rules between crates.
#[test]
fn data_flows_one_way() {
    let rooms: [(&[&str], &[&str]); 9] = [
        (
            &[
                "sts-controller/object/",
                "sts-controller/apiserver/quantity/",
            ],
            &["controller", "simulate", "version", "apiserver::validation"],
        ),
        (
            &["sts-controller/version/"],
            &["controller", "simulate", "apiserver"],
        ),
        (&["sts-controller/apiserver/"], &["simulate"]),
        (&["sts-controller/controller/"], &["simulate"]),
        (&["sts-plan/verify/"], &["explain", "lint"]),
        // Requests are the result of the command line.
        (&["program/request/"], &["input", "run"]),
        (&["program/input/"], &["cli", "commands", "output", "run"]),
        (
            &["program/output/"],
            &["cli", "commands", "input", "request", "run"],
        ),
        (&["program/commands/"], &["run"]),
    ];
    let mut wrong = BTreeSet::new();
    for (file, code) in &sources() {
        for (room, strangers) in rooms {
            if !is_in(file, room) {
                continue;
            }
            for stranger in strangers {
                if mentions(code, &format!("crate::{stranger}")) {
                    wrong.insert(format!("{file} knows of {stranger}"));
                }
            }
        }
    }
    assert_none(&wrong);
}

/// The room of a file: its folder in the package, or the file at the top.
fn room(file: &str) -> Option<(&str, &str)> {
    let (package, path) = file.split_once('/')?;
    let name = path.split_once('/').map_or(path, |(folder, _)| folder);
    let name = name.strip_suffix(".rs").unwrap_or(name);
    // The root of a package declares its rooms.
    (!matches!(name, "lib" | "main")).then_some((package, name))
}

/// The rooms of a package stand in floors: none uses a room that uses it, directly or by way of others.
#[test]
fn the_rooms_of_a_package_form_no_circle() {
    let sources = sources();
    let rooms: BTreeSet<(&str, &str)> = sources.keys().filter_map(|file| room(file)).collect();
    let mut uses: BTreeMap<(&str, &str), BTreeSet<(&str, &str)>> = BTreeMap::new();
    for (file, code) in &sources {
        let Some(from) = room(file) else {
            continue;
        };
        let of_package = rooms.iter().filter(|(package, _)| *package == from.0);
        let used =
            of_package.filter(|to| **to != from && mentions(code, &format!("crate::{}", to.1)));
        uses.entry(from).or_default().extend(used.copied());
    }
    assert!(
        uses.values().map(BTreeSet::len).sum::<usize>() > 100,
        "{uses:?}"
    );
    let of_analysis = uses.clone().into_iter();
    let of_analysis = of_analysis.filter(|((package, _), _)| *package == "sts-plan");
    let floors = floors(of_analysis.collect());
    assert!(floors <= 13, "sts-plan has {floors} floors");
    assert_floors(uses);
}

/// Folders with parts in floors, with their path in the code.
const FOLDERS_IN_FLOORS: [(&str, &str); 9] = [
    ("kubectl-config/", "crate::"),
    ("kubectl-config/cluster/", "crate::cluster::"),
    ("kubectl-manifest/", "crate::"),
    ("kubectl-manifest/json/", "crate::json::"),
    (
        "sts-controller/apiserver/schema/",
        "crate::apiserver::schema::",
    ),
    (
        "sts-controller/apiserver/validation/",
        "crate::apiserver::validation::",
    ),
    ("sts-controller/controller/", "crate::controller::"),
    ("sts-controller/object/", "crate::object::"),
    ("sts-controller/version/", "crate::version::"),
];

/// The files and folders of these folders stand in floors as well. In validation, shared checks are at the bottom and
/// requests at the top.
#[test]
fn the_parts_of_a_folder_form_no_circle() {
    let sources = sources();
    let mut count = 0;
    for (folder, path_of_folder) in FOLDERS_IN_FLOORS {
        let mut uses: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (file, code) in &sources {
            let Some(path) = file.strip_prefix(folder) else {
                continue;
            };
            let (part, is_file) = match path.split_once('/') {
                Some((part, _)) => (part, false),
                None => (path.strip_suffix(".rs").unwrap(), true),
            };
            let above = [path_of_folder, "super::"];
            let above = above.iter().filter(|above| is_file || **above != "super::");
            let paths = above.flat_map(|above| code.split(above).skip(1));
            let used = paths.flat_map(first_names).filter(|used| *used != part);
            uses.entry(part).or_default().extend(used);
        }
        // They declare all parts and use them from above.
        uses.retain(|part, _| !matches!(*part, "lib" | "mod"));
        let parts: BTreeSet<&str> = uses.keys().copied().collect();
        for used in uses.values_mut() {
            used.retain(|used| parts.contains(used));
            count += used.len();
        }
        assert_floors(uses);
    }
    assert!(count > 200, "only {count} uses");
}

/// Returns the first name of each path after `use super::`: `a` and `b` of `{a::c, b}`.
fn first_names(paths: &str) -> Vec<&str> {
    let paths = paths.split(';').next().unwrap();
    let Some(group) = paths.strip_prefix('{') else {
        return paths.split(|it| !is_word(it)).take(1).collect();
    };
    let mut depth = 0;
    group
        .split(|it| {
            depth += i32::from(it == '{') - i32::from(it == '}');
            depth == 0 && it == ','
        })
        .map(|path| path.trim().split(|it| !is_word(it)).next().unwrap())
        .collect()
}

/// Fails with what stands on no floor, because it uses itself by way of others.
fn assert_floors<N: Copy + Ord + std::fmt::Debug>(mut uses: BTreeMap<N, BTreeSet<N>>) {
    while take_floor(&mut uses) {}
    let circle = uses
        .iter()
        .map(|(name, used)| format!("{name:?} uses {used:?}"));
    assert_none(&circle.collect());
}

/// Returns the number of floors.
fn floors<N: Copy + Ord>(mut uses: BTreeMap<N, BTreeSet<N>>) -> usize {
    let mut floors = 0;
    while take_floor(&mut uses) {
        floors += 1;
    }
    floors
}

/// Takes away what uses nothing else. Returns false if nothing is left, or a circle.
fn take_floor<N: Copy + Ord>(uses: &mut BTreeMap<N, BTreeSet<N>>) -> bool {
    let free = uses.iter().filter(|(_, used)| used.is_empty());
    let lowest: BTreeSet<N> = free.map(|(name, _)| *name).collect();
    uses.retain(|name, _| !lowest.contains(name));
    for used in uses.values_mut() {
        used.retain(|name| !lowest.contains(name));
    }
    !lowest.is_empty()
}

/// The formats use only the report, not its sources.
#[test]
fn formats_use_only_the_report() {
    let mut wrong = BTreeSet::new();
    for (file, code) in &sources() {
        if is_in(file, &["program/output/"]) && mentions(code, "sts_controller") {
            wrong.insert(format!("{file} knows of the engine"));
        }
    }
    assert_none(&wrong);
}

/// Parts of the report that have a file of their own in the room that makes them. Other rooms have them in `report.rs`
/// or a file that ends in `_report.rs`.
const PARTS_OF_THE_REPORT: [&str; 21] = [
    "sts-plan/analysis/template_diff.rs",
    "sts-plan/analysis/verdict.rs",
    "sts-plan/catalogue/entry.rs",
    "sts-plan/catalogue/terms.rs",
    "sts-plan/cause/blame.rs",
    "sts-plan/document_kind.rs",
    "sts-plan/fleet/groups.rs",
    "sts-plan/fleet/list.rs",
    "sts-plan/fleet/rules.rs",
    "sts-plan/fleet/tally.rs",
    "sts-plan/input_check.rs",
    "sts-plan/lint/finding.rs",
    "sts-plan/plan/fate.rs",
    "sts-plan/report/",
    "sts-plan/source.rs",
    "sts-plan/verify/pod_times.rs",
    "sts-plan/verify/update.rs",
    "sts-plan/verify/verification.rs",
    "sts-plan/verify/verified_pod.rs",
    "sts-plan/verify/verified_stage.rs",
    "sts-plan/version_diff.rs",
];

fn is_part_of_the_report(file: &str) -> bool {
    let is_of_room = file.ends_with("/report.rs") || file.ends_with("_report.rs");
    file.starts_with("sts-plan/") && is_of_room || is_in(file, &PARTS_OF_THE_REPORT)
}

/// Invariant 6: only the parts of the report are serialized.
#[test]
fn only_the_report_is_serialized() {
    let mut wrong = BTreeSet::new();
    for (file, code) in &sources() {
        let derives = code
            .split("derive(")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
            .any(|derived| mentions(derived, "Serialize"));
        if derives && !is_part_of_the_report(file) {
            wrong.insert(format!("{file} has output of its own"));
        }
    }
    assert_none(&wrong);
}

/// Invariant 7: each external crate has one home. Add a home for a new one here.
#[test]
fn each_outside_crate_has_one_home() {
    let homes: [(&str, &[&str]); 41] = [
        ("anstream", &["program/run.rs"]),
        (
            "anyhow",
            &[
                "program/commands/",
                "program/input/applied.rs",
                "program/input/read.rs",
                "program/input/live.rs",
                "program/input/no_cluster.rs",
                "program/input/live/",
                "program/input/resolve/",
                "program/output/files.rs",
                "program/cli/",
                "program/run.rs",
            ],
        ),
        (
            "base64",
            &[
                "kubectl-manifest/go_base64.rs",
                "program/output/html/csp_hash.rs",
                "program/output/html/packed.rs",
            ],
        ),
        (
            "clap",
            &[
                "program/cli/",
                "program/commands/completion/",
                "kubectl-config/flags.rs",
            ],
        ),
        ("clap_complete", &["program/commands/completion/"]),
        ("comfy_table", &["program/output/grid.rs"]),
        (
            "flate2",
            &[
                "program/input/cluster/body.rs",
                "program/output/html/packed.rs",
            ],
        ),
        (
            "futures",
            &["program/input/cluster/", "program/commands/watch/"],
        ),
        (
            "http",
            &["program/input/cluster/", "kubectl-config/cluster/"],
        ),
        ("http_body_util", &["program/input/cluster/"]),
        ("indicatif", &["program/input/cluster/"]),
        ("k8s_openapi", &["program/input/cluster/resource.rs"]),
        (
            "kube",
            &["program/input/cluster/", "kubectl-config/cluster/"],
        ),
        ("kubectl_manifest", &["program/", "kubectl-config/cluster/"]),
        ("lz4_flex", &["sts-controller/object/packed.rs"]),
        ("maud", &["program/output/html/", "program/output/svg/"]),
        (
            "memchr",
            &[
                "kubectl-manifest/words.rs",
                "kubectl-manifest/yaml/lines.rs",
                "kubectl-manifest/yaml/lines/",
            ],
        ),
        ("mimalloc", &["program/main.rs"]),
        ("owo_colors", &["program/output/sink.rs"]),
        (
            "serde",
            &[
                "program/input/cluster/page.rs",
                "program/cli/policy/",
                "sts-controller/serialize.rs",
                "sts-plan/catalogue/bystander_entry.rs",
                "sts-plan/catalogue/component_entry.rs",
                "sts-plan/catalogue/injected_entry.rs",
                "sts-plan/catalogue/renamed_entry.rs",
                "sts-plan/catalogue/fact.rs",
                "sts-plan/catalogue/symptom.rs",
                "program/cli/stages/file.rs",
                "program/output/json.rs",
                "program/output/layout.rs",
                "program/output/yaml.rs",
            ],
        ),
        (
            "percent_encoding",
            &[
                "kubectl-config/cluster/credentials.rs",
                "program/input/cluster/resource.rs",
                "program/output/sarif.rs",
            ],
        ),
        ("quick_xml", &["program/output/junit.rs"]),
        (
            "ratatui_core",
            &["program/output/screens/", "program/commands/terminal/"],
        ),
        ("ratatui_crossterm", &["program/commands/terminal/"]),
        (
            "rustix",
            &[
                "program/cli/policy/find.rs",
                "program/commands/watch/on_change.rs",
                "program/output/atomic.rs",
                "kubectl-config/cluster/plugin.rs",
                "kubectl-config/cluster/plugin_children.rs",
            ],
        ),
        (
            "rustls",
            &["program/input/cluster/", "kubectl-config/cluster/"],
        ),
        (
            "sha2",
            &[
                "program/output/gitlab.rs",
                "program/output/html/csp_hash.rs",
                "program/output/digest.rs",
                "sts-plan/redact.rs",
            ],
        ),
        (
            "serde_path_to_error",
            &["sts-plan/report/", "sts-plan/verify/verified_stage.rs"],
        ),
        (
            "serde_yaml",
            &["program/cli/policy/", "program/cli/stages/file.rs"],
        ),
        (
            "strsim",
            &[
                "program/cli/",
                "program/input/suggest.rs",
                "sts-controller/apiserver/schema/",
                "sts-plan/cause/neighbors/placement.rs",
            ],
        ),
        ("terminal_size", &["program/run.rs"]),
        (
            "tokio",
            &[
                "kubectl-config/cluster/",
                "program/input/cluster/",
                "program/commands/interactive.rs",
                // Ctrl-C during a search.
                "program/commands/plan/interrupt.rs",
                "program/commands/terminal/",
                "program/commands/watch/",
            ],
        ),
        (
            "tower",
            &["program/input/cluster/", "kubectl-config/cluster/"],
        ),
        ("unicode_width", &["program/output/style.rs"]),
        // The workspace's own crates, whose use Cargo enforces; and time, JSON, errors and enums, which are used
        // everywhere.
        ("kubectl_config", &["program/"]),
        ("sts_controller", &[]),
        ("sts_plan", &[]),
        ("jiff", &[]),
        ("serde_json", &[]),
        ("strum", &[]),
        ("thiserror", &[]),
    ];
    let mut names: BTreeSet<String> = BTreeSet::new();
    for manifest in [
        include_str!("../../Cargo.toml"),
        include_str!("../../crates/kubectl-config/Cargo.toml"),
        include_str!("../../crates/kubectl-manifest/Cargo.toml"),
        include_str!("../../crates/sts-controller/Cargo.toml"),
        include_str!("../../crates/sts-plan/Cargo.toml"),
    ] {
        // Dependencies for all systems, and for some.
        let sections = manifest.split("\n[").filter_map(|section| {
            let (name, lines) = section.split_once("]\n")?;
            let is_here = name == "dependencies"
                || (name.starts_with("target.") && name.ends_with(".dependencies"));
            is_here.then_some(lines)
        });
        names.extend(
            sections
                .flat_map(str::lines)
                .filter_map(|line| line.split_once('='))
                .map(|(name, _)| name.trim().trim_end_matches(".workspace").replace('-', "_"))
                .filter(|name| !name.starts_with('#')),
        );
    }
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
            let is_home = is_in(file, home) || *name == "serde" && is_part_of_the_report(file);
            if used.iter().any(|used| starts_word(code, used)) && !is_home {
                wrong.insert(format!("{file} uses {name}"));
            }
        }
    }
    assert_none(&wrong);
}

/// The crates that the program is built on: where each does its work, and the call that does it.
const FOUNDATION: [(&str, &str, &str); 9] = [
    ("anyhow", "program/commands/", "bail!("),
    ("clap", "program/cli/", "from_arg_matches("),
    ("comfy_table", "program/output/grid.rs", "table.lines()"),
    (
        "k8s_openapi",
        "program/input/cluster/",
        "k8s_openapi::Resource",
    ),
    ("kube", "program/input/cluster/", "kube::Client"),
    ("owo_colors", "program/output/sink.rs", ".style(ansi)"),
    ("serde_json", "sts-plan/report/", "serde_json::"),
    ("serde_yaml", "program/cli/policy/", "serde_yaml::from_str"),
    ("tokio", "program/input/cluster/", "tokio::select!"),
];

#[test]
fn each_crate_of_the_foundation_does_its_work() {
    let sources = sources();
    let manifest = include_str!("../../Cargo.toml");
    let dependencies = manifest.split_once("\n[dependencies]\n").unwrap().1;
    let mut wrong = BTreeSet::new();
    for (name, home, call) in FOUNDATION {
        let is_listed = dependencies.lines().any(|line| {
            let listed = line.split([' ', '.', '=']).next().unwrap_or_default();
            listed.replace('-', "_") == name
        });
        let mut homes = sources.iter().filter(|(file, _)| is_in(file, &[home]));
        if !is_listed || !homes.any(|(_, code)| code.contains(call)) {
            wrong.insert(format!("{home} has no {call} of {name}"));
        }
        let is_used = |code: &str| starts_word(code, &format!("{name}::"));
        let used = sources.iter().filter(|(file, _)| is_in(file, &[home]));
        if !used.map(|(_, code)| code.as_str()).any(is_used) {
            wrong.insert(format!("{home} does not use {name}"));
        }
    }
    assert_none(&wrong);
}

/// Tables are data, which only comfy-table lays out: nothing else pads a cell to the width of its column.
#[test]
fn no_table_is_padded_by_hand() {
    // The labels of advice, which is not a table; screens are drawn cell by cell.
    let others = [
        "program/output/runbook.rs",
        "program/output/screen.rs",
        "program/output/screens/",
    ];
    let places = ["program/commands/", "program/output/"];
    let mut wrong = BTreeSet::new();
    for (file, code) in &sources() {
        if !is_in(file, &places) || is_in(file, &others) {
            continue;
        }
        for line in code.lines() {
            let padded = line.match_indices(":<").any(|(at, _)| {
                let width = &line[at + 2..];
                width.starts_with(|it: char| it.is_ascii_digit()) || width.contains("$}")
            });
            if padded {
                wrong.insert(format!("{file}: {}", line.trim()));
            }
        }
    }
    assert_none(&wrong);
}

/// The catalogue names the causes: code asks for a situation, a trait or a symptom, and knows no cause by its id.
#[test]
fn no_cause_is_named_in_code() {
    let ids = sts_plan::cause::causes().map(|cause| cause.id.as_str());
    let ids: Vec<String> = ids
        .filter(|id| id.contains('-'))
        .map(|id| format!("\"{id}\""))
        .collect();
    let mut wrong = BTreeSet::new();
    // Findings have names of their own, and the words of the API have more.
    let sources = sources();
    let code = sources
        .iter()
        .filter(|(file, _)| file.starts_with("sts-plan/") && !file.starts_with("sts-plan/lint/"));
    for (file, code) in code {
        for id in ids.iter().filter(|id| code.contains(id.as_str())) {
            wrong.insert(format!("{file} names the cause {id}"));
        }
    }
    assert_none(&wrong);
}

/// Invariant 4: versions are compared only where behaviors are named.
#[test]
fn versions_are_compared_where_behaviours_are_named() {
    let places = [
        "sts-controller/version/",
        "sts-controller/apiserver/schema/",
        "sts-plan/lint/page.rs",
    ];
    let mut wrong = BTreeSet::new();
    for (file, code) in sources().iter().filter(|(file, _)| !is_in(file, &places)) {
        if mentions(code, "is_at_least") || mentions(code, "OLDEST_MINOR") {
            wrong.insert(format!("{file} asks for a version"));
        }
        for line in code.lines() {
            if compares(line, ".minor") || compares(line, ".patch") {
                wrong.insert(format!("{file} compares versions: {}", line.trim()));
            }
        }
    }
    assert_none(&wrong);
}

/// Returns true if the line compares this field with anything, on either side.
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

/// The files that list the questions: the flags, the questions and answers about a set, the keys of the report, and the
/// order of reading. A new question about a set adds itself to these and to no other file.
const LISTS_OF_QUESTIONS: [&str; 4] = [
    "program/cli/questions.rs",
    "sts-plan/report/answers.rs",
    "sts-plan/report/mod.rs",
    "sts-plan/what_if/mod.rs",
];

/// The files that list the questions about all sets, in addition.
const LISTS_OF_FLEET_QUESTIONS: [&str; 4] = [
    "sts-plan/fleet/list.rs",
    "sts-plan/fleet/planned.rs",
    "sts-plan/fleet/questions.rs",
    "sts-plan/fleet/run.rs",
];

struct Question {
    /// The folders and files of the question.
    places: &'static [&'static str],
    /// The names of its own.
    names: &'static [&'static str],
    /// True if it is about all sets.
    is_of_fleet: bool,
    /// The other files that know it, each for a reason of its own.
    known_to: &'static [&'static str],
}

const QUESTIONS: [Question; 8] = [
    Question {
        places: &["sts-plan/requirement/"],
        names: &["ReportRequirement", "BrokenAt"],
        is_of_fleet: false,
        // Each stage has requirements of its own, a saved plan keeps all, and they hold the next command back.
        known_to: &[
            "sts-plan/next/mod.rs",
            "sts-plan/report/saved.rs",
            "sts-plan/report/stages/merged.rs",
            "sts-plan/report/stages/mod.rs",
            "sts-plan/stages/mod.rs",
        ],
    },
    Question {
        // The report of a saved stage is a report.
        places: &["sts-plan/stages/", "sts-plan/report/stages/"],
        names: &["Staged", "ReportStage", "ReportTakes"],
        is_of_fleet: false,
        // Stages are a course of plans in place of one plan, with operations of their own.
        known_to: &[
            "program/commands/plan/input_set.rs",
            "program/input/resolve/stages.rs",
            "program/output/document/operations.rs",
            "program/output/operations.rs",
            "sts-plan/fleet/planned.rs",
            "sts-plan/fleet/set.rs",
        ],
    },
    Question {
        places: &["sts-plan/what_if/partitions/"],
        names: &["every_partition", "ReportPartitions", "PartitionsSkipped"],
        is_of_fleet: false,
        known_to: &[],
    },
    Question {
        places: &["sts-plan/what_if/failures/"],
        names: &["what_if_fails", "ReportBranches", "Failures"],
        is_of_fleet: false,
        known_to: &[],
    },
    Question {
        places: &["sts-plan/what_if/exploration/"],
        names: &["ReportExploration", "ExplorationVerdict"],
        is_of_fleet: false,
        known_to: &[],
    },
    Question {
        places: &["sts-plan/options/"],
        names: &["ReportOptions", "OptionsAnswer", "ReportHistory"],
        is_of_fleet: false,
        known_to: &[],
    },
    Question {
        places: &["sts-plan/upgrade/", "sts-plan/fleet/upgrade.rs"],
        names: &["upgrade_to", "ReportUpgrade", "UpgradeRun", "SetUpgrade"],
        is_of_fleet: true,
        // The values of a flag.
        known_to: &["program/commands/completion/mod.rs"],
    },
    Question {
        places: &[
            "sts-plan/nodes/",
            "sts-plan/fleet/nodes.rs",
            "program/cli/nodes.rs",
        ],
        names: &["NodeActions", "ReportNodes", "NodeCourse"],
        is_of_fleet: true,
        // The nodes of the input change before any set is planned, --drain each plans the input once a node, and a rule is
        // about drains.
        known_to: &[
            "program/commands/plan/each_node.rs",
            "program/commands/plan/plans.rs",
            "sts-plan/lint/drain_blocked.rs",
        ],
    },
];

/// Formats, exit codes and gates ask answers, and know no question by its name.
#[test]
fn a_question_stands_in_its_folder_and_in_the_lists() {
    let sources = sources();
    let mut wrong = BTreeSet::new();
    for Question {
        places,
        names,
        is_of_fleet,
        known_to,
    } in QUESTIONS
    {
        let knows = |file: &str| names.iter().any(|name| mentions(&sources[file], name));
        let of_fleet = LISTS_OF_FLEET_QUESTIONS.iter().filter(|_| is_of_fleet);
        let lists = LISTS_OF_QUESTIONS.iter().chain(of_fleet);
        let listed: Vec<&str> = lists.chain(known_to).copied().collect();
        let others = sources.keys().filter(|file| !is_in(file, places));
        for file in others.filter(|file| knows(file)) {
            if !listed.contains(&file.as_str()) {
                wrong.insert(format!("{file} knows the question of {}", places[0]));
            }
        }
        for file in known_to.iter().filter(|file| !knows(file)) {
            wrong.insert(format!("{file} no longer knows {}", places[0]));
        }
        assert!(
            sources
                .keys()
                .any(|file| is_in(file, places) && knows(file))
        );
        let is_used = |name: &str| sources.values().any(|source| mentions(source, name));
        for name in names.iter().filter(|name| !is_used(name)) {
            wrong.insert(format!("{} no longer has the name {name}", places[0]));
        }
    }
    assert_none(&wrong);
}

/// The folders of the questions, without the files beside them.
fn question_folders() -> impl Iterator<Item = &'static str> {
    QUESTIONS
        .iter()
        .map(|it| it.places[0].trim_end_matches('/'))
}

/// Each question has tests in the crate that answers it, under the name of its folder.
#[test]
fn each_question_is_tested_in_its_crate() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/sts-plan/tests/it");
    let main = fs::read_to_string(tests.join("main.rs")).unwrap();
    let mut wrong = BTreeSet::new();
    for folder in question_folders() {
        let (_, name) = folder.rsplit_once('/').unwrap();
        let folder_of_tests = fs::read_dir(tests.join(name)).into_iter().flatten();
        let mut files = vec![tests.join(format!("{name}.rs"))];
        files.extend(folder_of_tests.map(|entry| entry.unwrap().path()));
        let is_tested = files.iter().any(|file| {
            fs::read_to_string(file)
                .is_ok_and(|text| text.contains("#[test]") && text.contains("assert"))
        });
        if !main.contains(&format!("mod {name};")) || !is_tested {
            wrong.insert(format!("{folder} has no tests in {}", tests.display()));
        }
    }
    assert_none(&wrong);
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

/// Folders whose doc comments begin with a noun phrase or a verb.
const CODE: [&str; 6] = ["benches", "crates", "examples", "fuzz", "src", "tests"];

/// A clause as a doc comment ("What is wrong") names nothing that a reader could look for.
#[test]
fn doc_comments_begin_with_a_noun_or_a_verb() {
    const CLAUSES: [&str; 8] = [
        "What", "Which", "Whether", "How", "Who", "Whose", "Where", "Why",
    ];
    let mut left: Vec<_> = CODE
        .iter()
        .map(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).join(folder))
        .collect();
    let (mut wrong, mut count) = (BTreeSet::new(), 0);
    while let Some(path) = left.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).unwrap();
            left.extend(entries.map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let mut is_inside = false;
            for (at, line) in text.lines().enumerate() {
                let line = line.trim_start();
                let doc = line.strip_prefix("///").or(line.strip_prefix("//!"));
                let doc = doc.map(str::trim).filter(|doc| !doc.is_empty());
                let first = doc.and_then(|doc| doc.split([' ', '.', ',']).next());
                if let Some(first) = first.filter(|_| !is_inside) {
                    count += 1;
                    if CLAUSES.contains(&first) {
                        wrong.insert(format!("{}:{}: {line}", path.display(), at + 1));
                    }
                }
                is_inside = doc.is_some();
            }
        }
    }
    assert!(count > 100, "only {count} doc comments");
    assert_none(&wrong);
}
