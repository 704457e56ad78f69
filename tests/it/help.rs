//! Help: the short page, all flags by heading, a page per topic, a page per command; and hidden spellings.

use std::collections::BTreeSet;
use std::process::{Command, Output};

use kubectl_sts_plan::internals as cli;
use kubectl_sts_plan::internals::KeyScreen;

use crate::program::{self, program};

const ROLLOUT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/rollout.yaml");

fn run(args: &[&str]) -> Output {
    program().args(args).output().unwrap()
}

fn page(args: &[&str]) -> String {
    let output = run(args);
    assert_eq!(output.status.code(), Some(0), "{args:?}");
    assert!(output.stderr.is_empty(), "{args:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn assert_narrow(page: &str) {
    for line in page.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

/// The visible flags: the spelling of each, and its heading.
fn flags() -> Vec<(String, String)> {
    let mut command = cli::command();
    command.build();
    let shown = command.get_arguments().filter(|flag| !flag.is_hide_set());
    shown
        .filter_map(|flag| {
            let heading = flag.get_help_heading().unwrap_or_default();
            Some((format!("--{}", flag.get_long()?), heading.to_owned()))
        })
        .collect()
}

#[test]
fn the_short_help_is_one_screen() {
    let page = page(&["-h"]);
    assert_narrow(&page);
    let says = "Tells why a StatefulSet is stuck, prints commands that it simulated as the fix,\n\
                and foretells a rollout before it begins. ";
    assert!(page.starts_with(says), "{page}");
    assert!(
        page.lines().count() <= 48,
        "{} lines\n{page}",
        page.lines().count()
    );
    let examples = page.split("Examples:\n").nth(1).unwrap();
    let examples: Vec<&str> = examples.lines().take_while(|it| !it.is_empty()).collect();
    assert_eq!(examples.len(), 3);
    let flags = page.lines().map(str::trim_start);
    let flags = flags.filter(|line| line.starts_with('-'));
    assert_eq!(flags.count(), 12);
    for command in cli::commands().keys() {
        assert!(page.contains(&format!("\n  {command} ")), "{command}");
    }
    for topic in cli::Topic::ALL {
        assert!(page.contains(topic.name()), "{topic:?}");
    }
    assert!(page.contains("Exit codes: 0 planned, 1 error"), "{page}");
}

/// Returns the tasks that help lists.
fn tasks() -> Vec<String> {
    let page = page(&["--help"]);
    let tasks = page.split("help TASK):\n").nth(1).unwrap();
    let tasks = tasks.split_whitespace();
    tasks
        .map(|task| task.trim_end_matches(',').to_owned())
        .collect()
}

#[test]
fn the_page_of_a_task_names_the_topic_of_its_flags() {
    let is_topic = |name: &str| cli::Topic::ALL.iter().any(|it| it.name() == name);
    for task in tasks() {
        let page = page(&["help", &task]);
        let topic = page.split("sts-plan help ").nth(1).unwrap();
        assert!(is_topic(topic.trim_end()), "{task}: {topic}");
    }
}

/// Examples can at least be parsed.
#[test]
fn the_examples_are_commands() {
    let mut pages = vec![page(&["-h"]), page(&["--help"])];
    pages.extend(cli::Topic::ALL.map(|topic| page(&["help", topic.name()])));
    pages.extend(tasks().iter().map(|task| page(&["help", task])));
    for page in &pages {
        // A line that is too long is wrapped, and no longer a command.
        let examples = page.split("Examples:\n").nth(1).unwrap();
        let mut examples = examples.lines().take_while(|line| !line.is_empty());
        assert!(examples.all(|line| line.starts_with("  ")), "{page}");
    }
    let mut count = 0;
    for line in pages.iter().flat_map(|page| page.lines()) {
        let Some((_, rest)) = line.trim().split_once("kubectl sts-plan ") else {
            continue;
        };
        let is_example =
            line.starts_with("  ") && !line.starts_with("   ") && !line.contains("help ");
        if !is_example {
            continue;
        }
        let rest = rest.split([';', '|']).next().unwrap();
        // A later stage can repeat the flags of the first.
        let rest = rest.split(" --then").next().unwrap();
        let rest = rest.split("# ").next().unwrap();
        let rest = rest.split(')').next().unwrap();
        let rest = if rest.contains('\'') {
            rest
        } else {
            rest.split('>').next().unwrap()
        };
        let words = rest.split_whitespace().map(|word| word.trim_matches('\''));
        let all = std::iter::once("kubectl-sts_plan").chain(words);
        cli::command()
            .try_get_matches_from(all)
            .unwrap_or_else(|error| panic!("{line}: {error}"));
        count += 1;
    }
    assert!(count > 20, "only {count} examples");
}

#[test]
fn the_long_help_has_every_flag_under_its_heading_and_a_topic() {
    let long = page(&["--help"]);
    assert_narrow(&long);
    assert!(long.lines().count() <= 450, "{}", long.lines().count());
    let in_topics: BTreeSet<String> = cli::Topic::ALL
        .iter()
        .flat_map(|topic| {
            let page = page(&["help", topic.name()]);
            assert_narrow(&page);
            assert!(page.contains("\nExamples:\n"), "{page}");
            rows(&page)
        })
        .collect();
    for (flag, heading) in flags() {
        let heading_of_row = match &*heading {
            "" => "Options",
            heading => heading,
        };
        let whole = long.split(&format!("\n{heading_of_row}:\n")).nth(1);
        // The page of the topic has more about a flag with one line.
        let title = format!("\n{heading_of_row} (kubectl sts-plan help ");
        let brief = || long.split(&title).nth(1)?.split_once("):\n").map(|it| it.1);
        let section = whole.or_else(brief);
        let section = section.unwrap_or_else(|| panic!("no heading {heading_of_row}"));
        // A section ends where a line is not indented.
        let lines = section.lines();
        let lines = lines.take_while(|line| line.is_empty() || line.starts_with(' '));
        let section = lines.collect::<Vec<_>>().join("\n");
        assert!(rows(&section).contains(&flag), "{flag}");
        assert!(
            heading.is_empty() || in_topics.contains(&flag),
            "{flag} has no topic"
        );
    }
}

/// Returns the long names of the flags with a row.
fn rows(page: &str) -> BTreeSet<String> {
    let rows = page.lines().map(str::trim_start);
    let rows = rows.filter(|line| line.starts_with('-'));
    rows.filter_map(|row| {
        let mut words = row.split_whitespace();
        let long = words.find(|word| word.starts_with("--"))?;
        Some(long.split('[').next().unwrap_or(long).to_owned())
    })
    .collect()
}

#[test]
fn the_topics_of_screens_have_their_keys() {
    for (topic, screen) in [
        ("watching", KeyScreen::Watch),
        ("watching", KeyScreen::AllSets),
        ("questions", KeyScreen::Fields),
        ("questions", KeyScreen::Image),
    ] {
        let page = page(&["help", topic]);
        for row in screen.keys() {
            assert!(page.contains(row.does), "{}: {page}", row.key);
        }
    }
}

#[test]
fn help_has_the_name_of_the_executable() {
    use std::os::unix::process::CommandExt as _;
    let names = [
        ("/opt/sts-plan", "sts-plan"),
        ("/opt/kubectl-statefulset_plan", "kubectl statefulset-plan"),
    ];
    for (executable, name) in names {
        for args in [&["-h"][..], &["--help"], &["help", "gates"]] {
            let output = program().arg0(executable).args(args).output().unwrap();
            let page = String::from_utf8(output.stdout).unwrap();
            assert!(page.contains(&format!("  {name} ")), "{page}");
            assert!(!page.contains("kubectl sts-plan"), "{page}");
        }
    }
}

#[test]
fn an_unknown_topic_lists_the_topics() {
    let output = run(&["help", "nothing"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    for part in [
        "error: no help on \"nothing\"\n",
        "\ntopics: input, change, stages, nodes, assumptions",
        "\ntasks: grow,",
        "\ncommands: demo, verify",
    ] {
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn every_command_has_its_own_help() {
    for command in cli::commands().keys() {
        let own = page(&[command, "--help"]);
        assert!(
            own.contains(&format!("kubectl sts-plan {command}")),
            "{own}"
        );
        assert!(!own.contains("--replicas"), "{own}");
        assert_eq!(own, page(&["help", command]));
        assert!(own.contains("Examples:"), "{own}");
        assert_narrow(&own);
    }
}

/// Flags of a change repeat in later stages, which must not hide the help.
#[test]
fn help_is_printed_for_a_command_line_with_stages() {
    let line = "web --partition 2 --then --partition 0 -h";
    let args: Vec<&str> = line.split(' ').collect();
    assert_eq!(page(&args), page(&["-h"]));
}

/// Ambiguous names have new ones; the old names of scripts still work.
#[test]
fn old_spellings_work_and_are_hidden() {
    let now = ["--now", "2026-11-21T12:00:00Z"];
    let plan = |flags: &[&str]| {
        let output = run(&[&["-f", ROLLOUT], &now[..], flags].concat());
        assert_eq!(output.status.code(), Some(0), "{flags:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(plan(&["--partitions"]), plan(&["--every-partition"]));
    assert_eq!(
        plan(&["--kube-version", "1.30"]),
        plan(&["--kubernetes-version", "1.30"])
    );
    let folder = program::folder("help");
    let written = |flag: &str| {
        let file = folder.join("plan.json");
        plan(&[flag, &format!("json={}", file.display())]);
        std::fs::read_to_string(file).unwrap()
    };
    assert_eq!(written("--out"), written("--report"));
    let help = page(&["--help"]);
    for old in ["--partitions", "--out ", "--kube-version"] {
        assert!(!help.contains(old), "{old}");
    }
}

/// Every global flag of kubectl is accepted, or rejected by name with a reason.
#[test]
fn kubectls_flags_are_accepted_or_named() {
    for flag in [
        "--cache-dir=/tmp",
        "--cache-dir",
        "--username=x",
        "--match-server-version",
    ] {
        let output = run(&[flag]);
        let error = String::from_utf8(output.stderr).unwrap();
        let name = flag.split('=').next().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(
            error.starts_with(&format!("error: {name} is not supported: ")),
            "{error}"
        );
    }
    let Ok(output) = Command::new("kubectl").arg("options").output() else {
        println!("not compared: no kubectl on the PATH");
        return;
    };
    let options = String::from_utf8(output.stdout).unwrap();
    let mut count = 0;
    for line in options.lines().map(str::trim) {
        let Some(at) = line.find("--").filter(|at| *at < 5) else {
            continue;
        };
        let flag = line[at..].split(['=', ':']).next().unwrap();
        let known = flags().iter().any(|(known, _)| known == flag);
        if !known {
            let error = String::from_utf8(run(&[flag]).stderr).unwrap();
            assert!(error.contains("is not supported: "), "{flag}: {error}");
        }
        count += 1;
    }
    assert!(count > 20, "only {count} flags of kubectl");
}
