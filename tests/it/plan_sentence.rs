//! The `Plan:` sentence, the same in every format.

use serde_json::Value;

use crate::program;

fn plan(extra: &[&str]) -> String {
    let file = "tests/fixtures/scale-down.yaml";
    let usual = ["-f", file, "--now", "2026-11-21T12:00:00Z"];
    program::run(&[&usual[..], extra].concat()).1
}

/// The sentence in a format, without the surrounding markup.
fn sentence(format: &str, extra: &[&str]) -> String {
    let text = plan(&[&["-o", format], extra].concat());
    if format == "json" {
        let report: Value = serde_json::from_str(&text).unwrap();
        return report["summary"].as_str().unwrap().to_owned();
    }
    let line = text.lines().find(|line| line.contains("Plan: ")).unwrap();
    let sentence = &line[line.find("Plan: ").unwrap()..];
    sentence.replace("&gt;", ">").replace("\\>", ">")
}

const FORMATS: [&str; 7] = [
    "table", "wide", "markdown", "summary", "github", "json", "html",
];

#[test]
fn the_plan_sentence_has_data_loss_and_broken_requirements_in_every_format() {
    let expected = "Plan: 0 to replace, 0 to create, 3 to delete; complete after 15s; \
                    BREAKS ready>=4; LOSES DATA";
    for format in FORMATS {
        let said = sentence(format, &["--require", "ready>=4"]);
        assert!(said.starts_with(expected), "{format}: {said}");
    }
}

#[test]
fn the_plan_sentence_omits_an_ignored_loss() {
    for format in FORMATS {
        let said = sentence(format, &["--ignore", "STS003"]);
        assert!(!said.contains("LOSES DATA"), "{format}: {said}");
    }
}
