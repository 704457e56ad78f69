//! The commands of the README and of every page. Those of this program are run as written, in a folder and against a
//! cluster with the objects that they name. Other programs are listed here with the reason why they are not run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::json;

use crate::cluster::server::{Server, objects_of};
use crate::docs::{spans, texts};
use crate::program::{PROGRAM, feed_to, program};
use crate::readme::{blocks, changed_set};

/// Pages without commands of their own: two are generated from rules and catalogue, one is about past versions.
const WITHOUT: [&str; 3] = ["docs/findings.md", "docs/causes.md", "RELEASE-NOTES.md"];

/// Languages of blocks that a shell or a CI system reads.
const SHELLS: [&str; 5] = ["sh", "bash", "powershell", "yaml", ""];

/// Programs in shell blocks that no test runs, and the reason.
const NOT_RUN: [(&str, &str); 18] = [
    (
        ".ci/control-plane",
        "installs packages as root; .ci/run runs it",
    ),
    (".ci/start-up", "measures a release build"),
    (
        "/usr/bin/time",
        "measures; of this program, what it measures is run",
    ),
    (
        "argocd",
        "asks a server of Argo CD; recipes runs what follows it",
    ),
    (
        "cargo",
        "its targets, profiles and filters are looked up instead",
    ),
    ("curl", "needs the network and a release"),
    ("docker", "needs the network and a daemon"),
    (
        "flux",
        "reads a repository of Flux; recipes runs what follows it",
    ),
    ("gh", "needs the network and a release"),
    ("git", "changes the repository that it runs in"),
    (
        "helm",
        "is no part of the tests; what follows it gets a manifest",
    ),
    (
        "kubectl",
        "is no part of the tests; kubectl compares where it is there",
    ),
    ("New-Item", "is of PowerShell"),
    (
        "playground/build",
        "compiles for minutes; .ci/run runs it, and browser opens the page",
    ),
    ("rustup", "installs; .ci/run runs it"),
    (
        "sha256sum",
        "needs a release; release checks the sums of one",
    ),
    ("tar", "needs a release; release unpacks one"),
    ("zcat", "needs all recordings; .ci/run compares them"),
];

/// Shell builtins and commands that need no test.
const SHELL_WORDS: [&str; 9] = [
    "break", "cd", "done", "eval", "export", "for", "mkdir", "next", "while",
];

/// The blocks of a page, each with its language.
fn all_blocks(text: &str) -> Vec<(&str, String)> {
    let mut found: Vec<(&str, String)> = Vec::new();
    let mut is_open = false;
    for line in text.lines() {
        match line.strip_prefix("```") {
            Some(language) if !is_open => {
                is_open = true;
                found.push((language, String::new()));
            }
            Some(_) => is_open = false,
            None if is_open => {
                let (_, block) = found.last_mut().unwrap();
                block.push_str(line);
                block.push('\n');
            }
            None => {}
        }
    }
    found
}

/// A line without its comment.
fn without_comment(line: &str) -> &str {
    line.split(" # ").next().unwrap_or_default().trim_end()
}

/// The arguments of each call of the program in a text, up to a shell operator.
fn calls(text: &str) -> Vec<Vec<String>> {
    let text = text.replace("\\\n", " ");
    let mut calls = Vec::new();
    for line in text.lines().map(without_comment) {
        for name in ["kubectl sts-plan ", "kubectl-sts_plan "] {
            let Some((_, rest)) = line.split_once(name) else {
                continue;
            };
            // Comparisons in requirements are quoted.
            let rest = match line.contains('\'') {
                true => rest,
                false => rest.split([';', '|', '>']).next().unwrap(),
            };
            let words = rest.split_whitespace();
            let words = words.map(|word| filled_in(word.trim_matches(['\'', '"', '`', ')'])));
            calls.push(words.map(str::to_owned).collect());
        }
    }
    calls
}

/// The argument to run: k9s variables and placeholders of the page are replaced.
fn filled_in(word: &str) -> &str {
    match word {
        "$NAME" | "NAME" => "web",
        "$NAMESPACE" => "prod",
        "$CONTEXT" => "here",
        "EXAMPLE" => "many",
        "FILE" | "PLAN" => "plan.json",
        "ID" => "STS003",
        "SHELL" => "bash",
        "COMMAND" => "verify",
        word => word,
    }
}

/// The pages with commands, the README first.
fn pages() -> Vec<(String, String)> {
    let mut pages: Vec<(String, String)> = texts().into_iter().collect();
    pages.retain(|(page, _)| !WITHOUT.contains(&&**page));
    pages.sort_by_key(|(page, _)| page != "README.md");
    pages
}

/// No call ends in an error. Watches and screens are only parsed here; `watching` and `screens` run them.
#[test]
fn commands_of_all_pages_work() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let fixture = fs::read(root.join("tests/fixtures/rollout.yaml")).unwrap();
    let mut objects = objects_of(&fixture);
    // The nodes that pages drain and lose.
    objects.extend(
        ["node-0", "node-1", "node-2", "node-7", "node-8"].map(|name| {
            json!({
                "apiVersion": "v1", "kind": "Node",
                "metadata": {
                    "name": name, "namespace": "", "uid": name,
                    "labels": {"topology.kubernetes.io/zone": "eu-west-1a"},
                },
            })
        }),
    );
    let server = Server::new(objects);
    let kubeconfig = server.kubeconfig("doc-commands", "prod");
    let folder = kubeconfig.parent().unwrap();
    let applied = changed_set(5);
    for dump in ["dump.yaml", "cluster.yaml", "cluster.json"] {
        fs::write(folder.join(dump), &fixture).unwrap();
    }
    for manifest in ["new.yaml", "manifest.yaml"] {
        fs::write(folder.join(manifest), &applied).unwrap();
    }
    fs::create_dir_all(folder.join("rollouts")).unwrap();
    let policy = blocks("yaml")
        .into_iter()
        .find(|block| block.contains("\nfail-on:"));
    fs::write(folder.join("sts-plan.yaml"), policy.unwrap()).unwrap();
    let stages = blocks("yaml")
        .into_iter()
        .find(|block| block.contains("stages:\n- name"));
    fs::write(folder.join("stages.yaml"), stages.unwrap()).unwrap();

    let pages = pages();
    let of_blocks = pages.iter().flat_map(|(page, text)| {
        let blocks = all_blocks(text).into_iter();
        let blocks = blocks.filter(|(language, _)| SHELLS.contains(language));
        let calls = blocks.flat_map(|(_, block)| calls(&block));
        calls.map(move |words| (page, words))
    });
    // Commands in sentences come after the blocks, which create the files that they name.
    let of_spans = pages.iter().flat_map(|(page, text)| {
        let calls = spans(text).into_iter().flat_map(calls);
        calls.map(move |words| (page, words))
    });
    let (mut ran, mut understood) = (0, BTreeSet::new());
    for (page, words) in of_blocks.chain(of_spans) {
        if words.iter().any(|word| word.starts_with("<TAB")) {
            continue;
        }
        let words: Vec<String> = words
            .into_iter()
            .map(|word| word.replace("http://127.0.0.1:PORT", &server.url))
            .collect();
        let waits = |word: &String| ["-w", "--watch", "--interactive"].contains(&&**word);
        if words.iter().any(waits) {
            understood.insert(words.join(" "));
            let words = std::iter::once(PROGRAM).chain(words.iter().map(String::as_str));
            let words: Vec<_> = words.map(Into::into).collect();
            kubectl_sts_plan::internals::read(&words)
                .unwrap_or_else(|error| panic!("{page}: {error:?}"));
            continue;
        }
        let mut program = program();
        program.args(&words).current_dir(folder);
        let output = feed_to(program.env("KUBECONFIG", &kubeconfig), &applied);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_ne!(output.status.code(), Some(1), "{page}: {words:?}: {said}");
        // While the controller is working, there is no next command.
        let may_wait = words.iter().any(|word| word == "--next");
        let waits = may_wait && output.status.code() == Some(2);
        assert!(!output.stdout.is_empty() || waits, "{page}: {words:?}");
        ran += 1;
    }
    for words in understood {
        println!("parsed here, run in watching and screens: kubectl sts-plan {words}");
    }
    assert!(ran >= 60, "only {ran} commands");
}

/// The other programs that the shell blocks of all pages call, with their lines.
fn programs() -> BTreeMap<String, Vec<String>> {
    let mut programs: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (_, text) in pages() {
        for (language, block) in all_blocks(&text) {
            if !["sh", "bash", "powershell"].contains(&language) {
                continue;
            }
            let block = block.replace("\\\n", " ");
            let lines = block.lines().map(without_comment);
            for command in lines.flat_map(|line| line.split(['|', ';', '&', '(', ')'])) {
                let words = command.split_whitespace();
                let mut words = words.filter(|word| !word.contains('='));
                let found = words.find(|word| !["do", "sudo"].contains(word));
                let is_program = |word: &&str| {
                    word.chars().any(char::is_alphabetic) && !SHELL_WORDS.contains(word)
                };
                let line = command.trim().to_owned();
                let is_ours =
                    line.contains("kubectl sts-plan") || line.contains("kubectl-sts_plan ");
                if let (Some(word), false) = (found.filter(is_program), is_ours) {
                    programs.entry(word.to_owned()).or_default().push(line);
                }
            }
        }
    }
    programs
}

#[test]
fn programs_that_are_not_run_have_a_reason() {
    let programs = programs();
    for (program, lines) in &programs {
        let reason = NOT_RUN.iter().find(|(name, _)| name == program);
        let (_, reason) = reason.unwrap_or_else(|| panic!("{program} is not named: {lines:#?}"));
        println!("not run: {program} ({} commands): {reason}", lines.len());
    }
    for (name, _) in NOT_RUN {
        assert!(programs.contains_key(name), "{name} is in no block");
    }
}

/// The cargo targets on pages exist: packages, profiles, and tests of these names.
#[test]
fn cargos_targets_and_filters_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = sources(root);
    let has = |kind: &str, name: &str| {
        let folders = [
            "",
            "crates/sts-controller",
            "crates/sts-plan",
            "crates/kubectl-config",
            "crates/kubectl-manifest",
        ];
        folders.iter().any(|folder| {
            let folder = root.join(folder).join(kind);
            [format!("{name}.rs"), format!("{name}/main.rs")]
                .iter()
                .any(|it| folder.join(it).exists())
        })
    };
    let of_spans = pages();
    let of_spans = of_spans.iter().flat_map(|(_, text)| spans(text));
    let of_spans = of_spans
        .flat_map(|span| span.split('|'))
        .map(|it| it.trim().to_owned());
    let of_blocks = programs().remove("cargo").unwrap();
    let lines = of_blocks
        .into_iter()
        .chain(of_spans.filter(|it| it.starts_with("cargo ")));
    let mut count = 0;
    for line in lines.map(|line| line.replace("--jobs", "")) {
        let words: Vec<&str> = line
            .split_whitespace()
            .skip_while(|word| *word != "cargo")
            .collect();
        let (cargos, own) = match words.iter().position(|word| *word == "--") {
            Some(at) => (&words[..at], &words[at + 1..]),
            None => (&words[..], &[][..]),
        };
        let value = |flag: &str| {
            let at = cargos.iter().position(|word| *word == flag)?;
            cargos.get(at + 1).copied()
        };
        for (flag, kind) in [
            ("--test", "tests"),
            ("--bench", "benches"),
            ("--example", "examples"),
        ] {
            if let Some(name) = value(flag) {
                let is_there =
                    has(kind, name) || (name == "fuzz" && root.join("fuzz/main.rs").exists());
                assert!(is_there, "{line}: no {kind}/{name}");
            }
        }
        if let Some(package) = value("-p").or(value("--package")) {
            assert!(root.join("crates").join(package).exists(), "{line}");
        }
        if let Some(profile) = value("--profile") {
            let manifest = include_str!("../../Cargo.toml");
            assert!(manifest.contains(&format!("[profile.{profile}]")), "{line}");
        }
        if cargos.get(1) == Some(&"test") {
            let mut filters = Vec::new();
            let mut rest = cargos.iter().skip(2);
            while let Some(word) = rest.next() {
                match *word {
                    "--test" | "-p" | "--package" => drop(rest.next()),
                    word if word.starts_with('-') => {}
                    word => filters.push(word),
                }
            }
            // Of the program's own arguments, only the flags are libtest's.
            let own = own.iter().take_while(|word| !word.starts_with('-'));
            for filter in filters.into_iter().chain(own.copied()) {
                assert!(sources.contains(filter), "{line}: no test has {filter}");
                count += 1;
            }
        }
    }
    assert!(count > 10, "only {count} filters");
}

/// The names of all modules and functions of tests.
fn sources(root: &Path) -> String {
    let mut names = String::new();
    let mut left = vec![
        root.join("tests"),
        root.join("fuzz"),
        root.join("crates"),
        root.join("src"),
    ];
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(
                fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        } else if path.extension().is_some_and(|it| it == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let items = text.lines().filter_map(|line| {
                let line = line.trim_start();
                line.strip_prefix("fn ")
                    .or_else(|| line.strip_prefix("mod "))
            });
            names.extend(items.map(|item| format!("{item}\n")));
        }
    }
    names
}
