//! Files that only this program reads, messages that it quotes, and commands that it prints.

use std::fs;
use std::path::Path;

use serde_json::Value;
use sts_controller::object::without_credentials;

use crate::drive::fuzz;
use crate::input::{seed, seeds, texts, values};
use crate::planning::{NOW, program};

/// A policy is found by itself, so that it must not stop a plan.
#[test]
fn policies() {
    let web = seed("set", "web.json");
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzzed-policy.yaml");
    fuzz("policies", 4, &texts(seeds("policy")), |input| {
        fs::write(&file, &input.0).unwrap();
        let path = file.to_str().unwrap();
        let (code, out, errors) = program(&["-f", "-", "--now", NOW, "--policy", path], &web);
        assert!(code != 1 || !errors.is_empty(), "{out}");
    });
}

#[test]
fn stages() {
    let web = seed("set", "web.json");
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzzed-stages.yaml");
    fuzz("stages", 4, &texts(seeds("stages")), |input| {
        fs::write(&file, &input.0).unwrap();
        let path = file.to_str().unwrap();
        program(
            &["-f", "-", "--now", NOW, "--stages", path, "-o", "summary"],
            &web,
        );
    });
}

#[test]
fn messages() {
    fuzz("messages", 1, &texts(seeds("message")), |input| {
        let Some(text) = input.text() else { return };
        let _ = without_credentials(text);
    });
}

/// Whatever is planned, a printed command has no flag but those of the program, and no open quote.
#[test]
fn printed_commands() {
    fuzz(
        "printed commands",
        4,
        &values(seeds("plan"), true),
        |input| {
            let args = [
                "-f",
                "-",
                "--now",
                NOW,
                "-o",
                "json",
                "--what-if-fails",
                "--options",
            ];
            let (_, out, _) = program(&args, &input.0);
            let Ok(plan) = serde_json::from_str::<Value>(&out) else {
                return;
            };
            let mut commands = Vec::new();
            collect(&plan, false, &mut commands);
            for command in commands.iter().filter(|it| it.starts_with("kubectl ")) {
                let words = words(command).unwrap_or_else(|| panic!("an open quote: {command}"));
                let mut words = words.iter().peekable();
                while let Some((word, is_quoted)) = words.next() {
                    assert!(!(*is_quoted && word.starts_with('-')), "{word}: {command}");
                    if ["-n", "-c", "-p", "-f", "-o"].contains(&&**word) {
                        words.next();
                    }
                }
            }
        },
    );
}

fn collect(report: &Value, is_command: bool, commands: &mut Vec<String>) {
    match report {
        Value::String(text) if is_command => commands.push(text.clone()),
        Value::Array(items) => items
            .iter()
            .for_each(|it| collect(it, is_command, commands)),
        Value::Object(members) => members
            .iter()
            .for_each(|(key, it)| collect(it, key == "commands", commands)),
        _ => {}
    }
}

/// Splits a command as a shell does, and tells whether each word is quoted; `None` for an open quote.
fn words(command: &str) -> Option<Vec<(String, bool)>> {
    let mut words = Vec::new();
    let mut rest = command;
    while !rest.is_empty() {
        let (mut word, mut is_quoted) = (String::new(), false);
        while let Some(next) = rest.chars().next().filter(|next| !next.is_whitespace()) {
            rest = &rest[next.len_utf8()..];
            match next {
                '\'' => {
                    let (inner, after) = rest.split_once('\'')?;
                    (is_quoted, rest) = (true, after);
                    word += inner;
                }
                '\\' => {
                    let escaped = rest.chars().next()?;
                    word.push(escaped);
                    rest = &rest[escaped.len_utf8()..];
                }
                other => word.push(other),
            }
        }
        if !word.is_empty() || is_quoted {
            words.push((word, is_quoted));
        }
        rest = rest.trim_start();
    }
    Some(words)
}
