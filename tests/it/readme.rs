//! The README and the users' pages in docs/: their screens are compared, and their lists match the program.
//! `doc_commands` runs their commands.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::cluster::server::objects_of;
use crate::program::{self, PROGRAM};

const README: &str = include_str!("../../README.md");

/// The README and the users' pages.
const PAGES: [&str; 7] = [
    README,
    include_str!("../../docs/usage.md"),
    include_str!("../../docs/formats.md"),
    include_str!("../../docs/ci.md"),
    include_str!("../../docs/install.md"),
    include_str!("../../docs/limits.md"),
    include_str!("../../docs/questions.md"),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The code blocks in a language, from all pages.
pub fn blocks(language: &str) -> Vec<&'static str> {
    let fence = format!("```{language}\n");
    PAGES
        .iter()
        .flat_map(|page| page.split(fence.as_str()).skip(1))
        .map(|rest| rest.split("```").next().unwrap())
        .collect()
}

/// The set of `rollout.yaml` as a manifest, with this many replicas.
pub fn changed_set(replicas: i64) -> String {
    let fixture = fs::read(root().join("tests/fixtures/rollout.yaml")).unwrap();
    let mut objects = objects_of(&fixture).into_iter();
    let set = objects
        .find(|object| object["kind"] == "StatefulSet")
        .unwrap();
    let mut spec = set["spec"].clone();
    spec["replicas"] = replicas.into();
    json!({
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "web", "namespace": "prod"},
        "spec": spec,
    })
    .to_string()
}

#[test]
fn the_screens_match_the_output() {
    let screens = blocks("console");
    assert!(screens.len() >= 2);
    for block in screens {
        let (command, screen) = block.split_once('\n').unwrap();
        let args = command
            .strip_prefix("$ kubectl sts-plan ")
            .unwrap()
            .split(' ');
        let output = Command::new(PROGRAM)
            .args(args)
            .current_dir(root())
            .output()
            .unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), screen);
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    }
}

/// Three screens of forty lines.
#[test]
fn the_readme_is_short() {
    let lines = README.lines().count();
    assert!(lines <= 120, "{lines} lines");
}

#[test]
fn it_names_the_two_commands() {
    for command in ["cargo run --release -- demo blocked", "cargo test"] {
        assert!(README.lines().any(|line| line == command), "{command}");
    }
}

/// The table of versions matches the program.
#[test]
fn the_table_of_versions_matches_the_program() {
    let output = Command::new(PROGRAM)
        .args(["versions", "--no-headers"])
        .output()
        .unwrap();
    let known: BTreeMap<String, String> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| {
            let mut cells = line.split("  ").filter(|cell| !cell.is_empty());
            let mut cell = || cells.next().unwrap().trim().to_owned();
            (cell(), cell())
        })
        .collect();
    let table = include_str!("../../docs/limits.md")
        .split("<!-- versions -->")
        .nth(1)
        .unwrap()
        .split("<!-- /versions -->")
        .next()
        .unwrap();
    let told: BTreeMap<String, String> = table
        .trim()
        .lines()
        .skip(2)
        .map(|row| {
            let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
            (cells[0].to_owned(), cells[1].to_owned())
        })
        .collect();
    assert_eq!(told, known);
}

/// The filters of the scheduler in the limits are those of the program, which `help nodes` prints.
#[test]
fn the_table_of_filters_matches_the_program() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/limits.md");
    let page = std::fs::read_to_string(path).unwrap();
    let (before, rest) = page.split_once("<!-- filters -->\n").unwrap();
    let (_, after) = rest.split_once("<!-- /filters -->").unwrap();
    let rows = sts_plan::foresight::SCHEDULER_FILTERS
        .iter()
        .map(|filter| format!("| {} | {} |\n", filter.name, filter.checked));
    let table = format!(
        "| plugin | checked |\n|---|---|\n{}",
        rows.collect::<String>()
    );
    let wanted = format!("{before}<!-- filters -->\n{table}<!-- /filters -->{after}");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path, &wanted).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap(), wanted);
    let help = Command::new(PROGRAM)
        .args(["help", "nodes"])
        .output()
        .unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    for filter in sts_plan::foresight::SCHEDULER_FILTERS {
        let mut rows = help.lines().map(str::trim);
        let is_told = rows.any(|row| row.starts_with(filter.name) && row.ends_with(filter.checked));
        assert!(is_told, "{}: {help}", filter.name);
    }
}

/// The exit codes on the CI page match the help.
#[test]
fn the_exit_codes_match_the_help() {
    let help = Command::new(PROGRAM).arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let codes = help.split("Exit codes:\n").nth(1).unwrap();
    let codes = codes.split("Exit codes of verify").next().unwrap();
    for code in 0..=5 {
        assert!(
            include_str!("../../docs/ci.md").contains(&format!("\n| {code} | ")),
            "docs/ci.md lacks {code}"
        );
        assert!(
            codes.contains(&format!("\n  {code}  ")) || code == 0,
            "help lacks {code}"
        );
    }
}

/// The pictures match the current output.
#[test]
#[cfg(unix)]
fn the_pictures_are_up_to_date() {
    let folder = program::new_folder("pictures");
    let drawn = Command::new(root().join("docs/make-pictures"))
        .arg(PROGRAM)
        .arg(&folder)
        .output()
        .unwrap();
    assert!(drawn.status.success(), "{drawn:?}");
    for picture in ["blocked.svg", "lanes.svg", "timeline.svg"] {
        let now = fs::read_to_string(folder.join(picture)).unwrap();
        let there = root().join("docs").join(picture);
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&there, &now).unwrap();
        }
        let shown = format!("{picture})");
        assert!(PAGES.iter().any(|page| page.contains(&shown)), "{picture}");
        assert_eq!(fs::read_to_string(there).unwrap(), now, "{picture}");
    }
}

/// `docs/findings.md` is generated from the rules.
#[test]
fn the_findings_page_matches_the_rules() {
    let mut text = String::from(
        "# Findings\n\nWhat `kubectl sts-plan` finds, by id. Each page is also printed by \
         `kubectl sts-plan explain ID`.\nThis file is made from the rules: \
         `UPDATE_GOLDEN=1 cargo test --test it readme`.\n\n| id | name | severity | what is found |\n|---|---|---|---|\n",
    );
    for rule in sts_plan::lint::RULES {
        let anchor = rule.id.name().to_lowercase();
        text.push_str(&format!(
            "| [{}](#{anchor}) | {} | {} | {} |\n",
            rule.id,
            rule.name,
            sts_plan::lint::severities(rule),
            rule.title
        ));
    }
    for rule in sts_plan::lint::RULES {
        let page = sts_plan::lint::page(rule);
        let (_, page) = page.split_once("\n\n").unwrap();
        text.push_str(&format!(
            "\n## {}\n\n{}: {}.\n\n```text\n{}```\n",
            rule.id, rule.name, rule.title, page
        ));
    }
    let path = root().join("docs/findings.md");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, &text).unwrap();
    }
    assert_eq!(fs::read_to_string(path).unwrap(), text);
}

const OWN_CAUSES_BEGIN: &str = "## Causes of your team\n\n\
Your operators, webhooks and applications have messages that this program cannot know. Describe them in YAML files of a \
directory, and name it with\n`--causes DIR`, or with `causes: DIR` in `.sts-plan.yaml`, relative to that file. They come \
first, plans name them as the cause, and `explain` lists\nand shows them. Every remedy is still simulated before it is \
printed. This file is in the repository, as `examples/causes/ledger.yaml`:\n\n";

const OWN_CAUSES_END: &str = "\
| key | |\n\
|---|---|\n\
| `id`, `title`, `helps` | required: the name in `analysis.cause.id`, the cause in one clause, and what to do |\n\
| `place` | required: where it is reported: `container`, `image`, `start`, `ready`, `gate`, `scheduler`, `volume`, `claim`, `sandbox`, `creation`, `deletion`, `rejected`, `stop` |\n\
| `reasons` | the reasons that identify it, such as `FailedMount`; one that ends in `*` stands for all that begin so |\n\
| `words` | the words that identify it: all of one list, in lower case |\n\
| `terms` | the families of terms that identify it where no cause has words for the message: of each list of lists, one term of every family close together in one line, in lower case; a term is whole words, or with `*` their beginning |\n\
| `exitCodes` | the exit codes that identify it without words |\n\
| `onlyExitCodes` | the exit codes that a report must have beside the words |\n\
| `blames` | who is at fault, such as `template`, `node` or `dependency`. A rollback is offered only for what the template can cause |\n\
| `patienceSeconds` | the time before the set counts as stuck; 0 without it |\n\
| `inOneLine`, `containers` | true if all words of a list stand in one line of the message; the containers that it applies to |\n\
| `namedAfter` | the texts after which a message names the object at fault, in lower case. `{name}` in the other texts stands for it, and `{pod}`, `{node}`, `{container}` and `{claim}` for those of the case; what is in brackets with a name is left out without it |\n\
| `except` | the words with which a message is of another cause |\n\
| `traits` | `[messageTells]`: the message says best what is wrong, such as the text of a policy, and the headline quotes it |\n\
| `fixedBy` | the part of the template whose change can help: `resources`, `initContainers`, `repository`, `nothing`, or a list of members such as `[image, securityContext]` |\n\
| `useless`, `avoid`, `look` | what does not help, what not to do, and where to look |\n\
| `owner`, `runbook` | whom to ask, and a link |\n\n\
`CauseEntry` in `crates/sts-plan/src/catalogue/entry.rs` has all keys, and the files in `crates/sts-plan/catalogue` are \
good models.\n\n";

/// `docs/causes.md` is generated from the catalogue.
#[test]
fn the_causes_page_matches_the_catalogue() {
    let mut text = String::from(
        "# Causes\n\nWhat goes wrong around a StatefulSet, by id: `analysis.cause.id` of the JSON output. Each page is also \
         printed by `kubectl sts-plan explain CAUSE`.\nThis file is made from the catalogue: \
         `UPDATE_GOLDEN=1 cargo test --test it readme`.\n\n",
    );
    text.push_str(OWN_CAUSES_BEGIN);
    let example = fs::read_to_string(root().join("examples/causes/ledger.yaml")).unwrap();
    text.push_str(&format!("```yaml\n{example}```\n\n{OWN_CAUSES_END}"));
    text.push_str("## All causes\n\n| id | blames | cause |\n|---|---|---|\n");
    for entry in sts_plan::cause::causes() {
        let (id, blames) = (&entry.id, entry.blames.name());
        text.push_str(&format!(
            "| [{id}](#{id}) | {blames} | {} |\n",
            sts_plan::cause::with_names(&entry.title, &|_| None)
        ));
    }
    for entry in sts_plan::cause::causes() {
        let page = sts_plan::cause::cause_page(entry);
        let (_, page) = page.split_once("\n\n").unwrap();
        text.push_str(&format!(
            "\n## {}\n\n{}.\n\n```text\n{page}```\n",
            entry.id,
            sts_plan::cause::with_names(&entry.title, &|_| None)
        ));
    }
    let path = root().join("docs/causes.md");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, &text).unwrap();
    }
    assert_eq!(fs::read_to_string(path).unwrap(), text);
    let notes = fs::read_to_string(root().join("RELEASE-NOTES.md")).unwrap();
    let count = format!("Recognizes {} causes", sts_plan::cause::causes().count());
    assert!(notes.contains(&count), "{count}");
}
