//! The pages of the repository: their links work, and the paths and flags that they name exist.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every page, by its path.
pub fn texts() -> BTreeMap<String, String> {
    let mut texts = BTreeMap::new();
    for folder in ["", "docs/", "packaging/"] {
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if name.ends_with(".md") {
                let text = fs::read_to_string(root().join(folder).join(&name)).unwrap();
                texts.insert(format!("{folder}{name}"), text);
            }
        }
    }
    assert!(texts.len() > 12, "only {} texts", texts.len());
    texts
}

/// GitHub's anchor of a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase();
    let kept = kept
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| anchor(line.trim_start_matches('#').trim()))
        .collect()
}

/// Returns the code spans of a text, without its code blocks.
pub fn spans(text: &str) -> Vec<&str> {
    let mut in_block = false;
    let mut spans = Vec::new();
    for line in text.lines() {
        if line.starts_with("```") {
            in_block = !in_block;
        } else if !in_block {
            spans.extend(line.split('`').skip(1).step_by(2));
        }
    }
    spans
}

/// The texts between a mark and an end.
fn between<'t>(text: &'t str, begin: &'static str, end: char) -> impl Iterator<Item = &'t str> {
    let rests = text.split(begin).skip(1);
    rests.filter_map(move |rest| rest.split_once(end).map(|(inside, _)| inside))
}

#[test]
fn links_work() {
    let texts = texts();
    let mut wrong = Vec::new();
    for (page, text) in &texts {
        let here = Path::new(page).parent().unwrap();
        for link in between(text, "](", ')').filter(|link| !link.starts_with("http")) {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match path {
                "" => page.clone(),
                path => here.join(path).to_str().unwrap().to_owned(),
            };
            let there = root().join(&target).exists();
            let found = anchor.is_empty()
                || texts
                    .get(&target)
                    .is_some_and(|it| anchors(it).contains(anchor));
            if !there || !found {
                wrong.push(format!("{page}: {link}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Paths in code spans.
#[test]
fn named_paths_exist() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for (page, text) in texts() {
        // Release notes are about past versions.
        if page == "RELEASE-NOTES.md" {
            continue;
        }
        for word in spans(&text) {
            let beginnings = [
                "crates/",
                "src/",
                "tests/",
                "docs/",
                "packaging/",
                ".ci/",
                ".github/",
            ];
            let is_path =
                beginnings.iter().any(|it| word.starts_with(it)) && !word.contains([' ', '*', '{']);
            if is_path {
                count += 1;
                if !root().join(word).exists() {
                    wrong.push(format!("{page}: {word}"));
                }
            }
        }
    }
    assert!(count > 50, "only {count} paths");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Flags on users' pages are flags of the program, or of other programs in their commands.
#[test]
fn named_flags_exist() {
    let mut known: BTreeSet<String> = ["help", "version"].map(str::to_owned).into();
    let mut commands = vec![kubectl_sts_plan::internals::command()];
    while let Some(command) = commands.pop() {
        for argument in command.get_arguments() {
            known.extend(argument.get_long().map(str::to_owned));
            let aliases = argument.get_all_aliases().unwrap_or_default();
            known.extend(aliases.into_iter().map(str::to_owned));
        }
        commands.extend(command.get_subcommands().cloned());
    }
    let mut wrong = Vec::new();
    for (page, text) in texts() {
        let for_users = [
            "docs/usage.md",
            "docs/contract.md",
            "docs/limits.md",
            "docs/formats.md",
            "docs/questions.md",
        ];
        if !for_users.contains(&&*page) {
            continue;
        }
        for word in spans(&text)
            .iter()
            .filter_map(|span| span.strip_prefix("--"))
        {
            let flag = word.split([' ', '=', '[']).next().unwrap();
            if !known.contains(flag) {
                wrong.push(format!("{page}: --{flag}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The usage page has every command.
#[test]
fn commands_are_on_the_page_on_usage() {
    let usage = &texts()["docs/usage.md"];
    let command = kubectl_sts_plan::internals::command();
    let mut count = 0;
    for command in command.get_subcommands().filter(|it| !it.is_hide_set()) {
        let name = command.get_name();
        assert!(
            usage.contains(&format!("| `kubectl sts-plan {name}")),
            "{name}"
        );
        count += 1;
    }
    assert!(count > 5, "only {count} commands");
}

/// Sources cite only pages of the repository.
#[test]
fn sources_cite_existing_pages() {
    let mut wrong = Vec::new();
    let mut left = ["src", "crates", "tests/it", "benches", "examples"]
        .map(|it| root().join(it))
        .to_vec();
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(
                fs::read_dir(path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        } else if path.extension().is_some_and(|it| it == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            for (number, line) in text
                .lines()
                .enumerate()
                .filter(|(_, line)| line.contains("//"))
            {
                for name in between(line, "docs/", ' ').filter_map(|it| it.split_once(".md")) {
                    let page = format!("docs/{}.md", name.0);
                    if !root().join(&page).exists() {
                        wrong.push(format!("{}:{}: {page}", path.display(), number + 1));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
