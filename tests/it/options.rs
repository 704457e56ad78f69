//! `--options` in the formats.

use serde_json::{Value, json};

use crate::program;

fn run(args: &[&str]) -> String {
    let file = "tests/fixtures/partition.yaml";
    let usual = ["-f", file, "--now", "2026-11-20T03:00:00Z", "--options"];
    let (code, out, error) = program::run(&[&usual[..], args].concat());
    assert_eq!(code, 0, "{error}");
    out
}

#[test]
fn every_format_for_people_shows_the_options_with_their_commands() {
    for format in ["table", "wide", "markdown", "html"] {
        let out = run(&["-o", format]);
        assert!(out.contains("--to-revision=1"), "{format}: {out}");
        let lower = out.to_lowercase();
        assert!(lower.contains("max down"), "{format}: {out}");
        assert!(lower.contains("resume"), "{format}: {out}");
    }
    let json: Value = serde_json::from_str(&run(&["-o", "json"])).unwrap();
    let yaml: Value = serde_yaml::from_str(&run(&["-o", "yaml"])).unwrap();
    assert_eq!(json["options"], yaml["options"]);
    assert_eq!(json["options"]["items"][0]["option"], "go-on");
}

/// Of many sets, those with options, the most urgent first.
#[test]
fn many_sets_show_the_options_of_each_that_has_any() {
    let many = |format: &str| {
        let (code, out, err) = program::run(&["demo", "many", "--options", "-o", format]);
        assert_eq!(code, 0, "{err}");
        out
    };
    let list: Value = serde_json::from_str(&many("json")).unwrap();
    let items = list["items"].as_array().unwrap();
    let name = |item: &Value| {
        let text = |field: &str| item["metadata"][field].as_str().unwrap().to_owned();
        format!("{}/{}", text("namespace"), text("name"))
    };
    let has_any = |item: &&Value| item["options"]["items"] != json!([]);
    let (decide, rest): (Vec<&Value>, Vec<&Value>) = items.iter().partition(has_any);
    assert!(decide.len() > 1 && !rest.is_empty(), "{}", decide.len());
    for format in ["table", "wide", "markdown", "html"] {
        let out = many(format);
        let tables = out.to_lowercase().matches("max down").count();
        assert!(tables >= decide.len(), "{format}: {tables}");
    }
    let table = many("table");
    let heading = |item: &&Value| {
        let mut lines = table.lines();
        lines.position(|line| line == name(item))
    };
    assert!(decide.iter().all(|item| heading(item).is_some()), "{table}");
    assert!(rest.iter().all(|item| heading(item).is_none()), "{table}");
    let blocked = |item: &&Value| item["outcome"]["result"] == "blocked";
    let (stuck, moving): (Vec<&Value>, Vec<&Value>) = decide.into_iter().partition(blocked);
    let last = stuck.iter().map(heading).max().unwrap();
    assert!(moving.iter().all(|item| heading(item) > last), "{table}");
}
