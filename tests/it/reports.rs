//! Formats for programs that collect results: junit, sarif and github; and the schema of all that is JSON.

use std::io::Read as _;
use std::process::Command;

use jsonschema::Validator;
use proptest::prelude::*;
use serde_json::{Value, json};
use sts_plan::plan::Plan;
use sts_plan::render::{Format, Style};
use sts_plan::report::{Finding, Report, ReportSource, plan_schema};

use crate::fixtures::snapshot;
use crate::formats::FIXTURES;
use crate::golden;
use crate::render::{HOSTILE, fleet, hostile, report, scenarios, text};
use crate::svg::parse;
use crate::worlds::scenario;

const KINDS: [(Format, &str); 3] = [
    (Format::Junit, "junit.xml"),
    (Format::Sarif, "sarif.json"),
    (Format::Github, "github.txt"),
];

/// A plan with a place and findings, as a file of a repository has them.
fn placed(name: &str) -> Report {
    let mut report = report(snapshot(name)).with_source(Some(ReportSource {
        file: format!("deploy/{name}.yaml"),
        line: 3,
    }));
    if name == "scale-down" {
        for severity in ["error", "warning", "info"] {
            report.findings.push(Finding {
                id: "STS999",
                severity,
                message: format!("100% of it, all: {severity}"),
                object: "statefulset/web".to_owned(),
                docs: "https://example.com/STS999".to_owned(),
            });
        }
    }
    report
}

#[test]
fn results_of_the_fixtures() {
    for name in FIXTURES {
        for (format, ending) in KINDS {
            let actual = text(format, &[placed(name)], &Style::default());
            let version = format!("\"{}\"", env!("CARGO_PKG_VERSION"));
            let actual = actual.replace(&version, "\"VERSION\"");
            golden::check(
                &golden::root().join(format!("golden/{name}.{ending}")),
                &actual,
            );
        }
    }
}

/// The OASIS schema of SARIF 2.1.0 as it was published.
fn sarif_schema() -> Validator {
    let packed = include_bytes!("../schemas/sarif-2.1.0.json.gz");
    let mut text = String::new();
    flate2::read::GzDecoder::new(&packed[..])
        .read_to_string(&mut text)
        .unwrap();
    let mut schema: Value = serde_json::from_str(&text).unwrap();
    // Its pattern of languages is no pattern to a strict reader: it has a bracket too many.
    for part in ["run", "toolComponent"] {
        let language = &mut schema["definitions"][part]["properties"]["language"];
        let pattern = language.as_object_mut().unwrap().remove("pattern");
        assert!(pattern.is_some(), "{part}");
    }
    jsonschema::validator_for(&schema).unwrap()
}

fn assert_valid(validator: &Validator, value: &Value) {
    let errors: Vec<String> = validator
        .iter_errors(value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

#[test]
fn sarif_is_as_its_schema_says() {
    let validator = sarif_schema();
    let mut all: Vec<Vec<Report>> = scenarios()
        .into_iter()
        .map(|(_, report)| vec![report])
        .collect();
    all.push(fleet());
    all.push(FIXTURES.map(placed).to_vec());
    all.push(Vec::new());
    let mut odd = hostile(HOSTILE);
    odd.set.source = Some(ReportSource {
        file: format!("/a b/{HOSTILE}%.yaml"),
        line: 1,
    });
    all.push(vec![odd]);
    let mut results = 0;
    for reports in all {
        let log: Value =
            serde_json::from_str(&text(Format::Sarif, &reports, &Style::default())).unwrap();
        assert_valid(&validator, &log);
        let run = &log["runs"][0];
        for result in run["results"].as_array().unwrap() {
            results += 1;
            let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
            assert_eq!(
                run["tool"]["driver"]["rules"][index]["id"],
                result["ruleId"]
            );
        }
    }
    assert!(results > 8, "{results}");
    // The check sees what it looks for.
    assert!(!validator.is_valid(&json!({"version": "2.1.0", "runs": [{"tool": {}}]})));
}

#[test]
fn tests_are_counted_as_they_stand_there() {
    let mut all = fleet();
    all.extend(FIXTURES.map(placed));
    all.push(hostile(HOSTILE));
    let (elements, _) = parse(&text(Format::Junit, &all, &Style::default()));
    let of = |name: &str| elements.iter().filter(|(found, _)| found == name).count();
    let (name, attributes) = &elements[0];
    assert_eq!(name, "testsuites");
    let told = |wanted: &str| {
        let found = attributes.iter().find(|(name, _)| name == wanted);
        found.unwrap().1.parse::<usize>().unwrap()
    };
    assert_eq!(of("testsuite"), all.len());
    assert_eq!(told("tests"), of("testcase"));
    assert_eq!(told("skipped"), of("skipped"));
    assert!(told("failures") > 0 && told("failures") <= of("failure"));
}

#[test]
fn an_annotation_stays_in_its_line() {
    let mut report = hostile("a::b,c%0A\r\n::error::x");
    report.set.source = Some(ReportSource {
        file: "a:b,c%\n.yaml".to_owned(),
        line: 7,
    });
    let out = text(Format::Github, &[report], &Style::default());
    for line in out.lines() {
        let (command, rest) = line[2..].split_once(' ').unwrap();
        assert!(["error", "warning", "notice"].contains(&command), "{line}");
        let (properties, _) = rest.split_once("::").unwrap();
        let names: Vec<&str> = properties
            .split(',')
            .map(|property| property.split_once('=').unwrap().0)
            .collect();
        assert_eq!(names, ["file", "line", "title"], "{line}");
        assert!(properties.contains("file=a%3Ab%2Cc%25\\n.yaml"), "{line}");
    }
    assert!(out.lines().count() > 1);
}

#[test]
fn every_plan_is_as_the_schema_says() {
    let schema = plan_schema();
    let printed = format!("{}\n", serde_json::to_string_pretty(&schema).unwrap());
    golden::check(&golden::root().join("golden/schema.json"), &printed);
    let validator = jsonschema::validator_for(&schema).unwrap();
    for (_, report) in scenarios() {
        let out = text(Format::Json, &[report], &Style::default());
        assert_valid(&validator, &serde_json::from_str(&out).unwrap());
    }
    for reports in [
        fleet(),
        Vec::new(),
        FIXTURES.map(placed).to_vec(),
        vec![hostile(HOSTILE)],
    ] {
        let out = text(Format::Json, &reports, &Style::default());
        assert_valid(&validator, &serde_json::from_str(&out).unwrap());
    }
    let golden = std::fs::read_to_string(golden::root().join("golden/plan.json")).unwrap();
    assert_valid(&validator, &serde_json::from_str(&golden).unwrap());
    let mut wrong: Value = serde_json::from_str(&golden).unwrap();
    wrong["outcome"]["at"] = json!("0s");
    assert!(!validator.is_valid(&wrong));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn the_plan_of_any_world_is_as_the_schema_says(scenario in scenario()) {
        static SCHEMA: std::sync::OnceLock<Validator> = std::sync::OnceLock::new();
        let validator = SCHEMA.get_or_init(|| jsonschema::validator_for(&plan_schema()).unwrap());
        let plan = Plan::new(scenario.snapshot(), scenario.conditions());
        let value = serde_json::to_value(Report::new(&plan)).unwrap();
        assert_valid(validator, &value);
    }
}

#[test]
fn the_program_prints_its_schema_and_places_its_results() {
    let run = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_kubectl-sts_plan"))
            .env_clear()
            .env("HOME", "/nonexistent")
            .current_dir(golden::root())
            .args(args)
            .output()
            .unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
        )
    };
    let (code, schema) = run(&["schema"]);
    assert_eq!(code, Some(0));
    assert_eq!(
        serde_json::from_str::<Value>(&schema).unwrap(),
        plan_schema()
    );
    assert_eq!(run(&["schema", "plan"]), (code, schema));
    assert_eq!(run(&["schema", "nonsense"]).0, Some(1));
    let (_, annotations) = run(&["-f", "fixtures/crashloop.yaml", "-o", "github"]);
    let start = "::error file=fixtures/crashloop.yaml,line=4,title=";
    assert!(annotations.starts_with(start), "{annotations}");
}
