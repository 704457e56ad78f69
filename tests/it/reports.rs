//! Formats for programs that collect results (junit, sarif and github), and the schema of all JSON output.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read as _;

use jsonschema::Validator;
use kubectl_sts_plan::internals::{Format, Style};
use proptest::prelude::*;
use serde_json::{Value, json};
use sts_controller::simulate::Start;
use sts_plan::lint::RULES;
use sts_plan::plan::Plan;
use sts_plan::report::{
    Finding, PLAN_SCHEMA, Report, ReportObstacle, ReportSource, RuleId, Severity,
};

use crate::fixtures::snapshot;
use crate::formats::FIXTURES;
use crate::golden;
use crate::program;
use crate::render::{HOSTILE, first_rollout, fleet, hostile, report, report_if, scenarios, text};
use crate::report_types::assert_value_reads_back;
use crate::svg::parse;
use crate::worlds::{conditions, scenario};

const KINDS: [(Format, &str); 4] = [
    (Format::Junit, "junit.xml"),
    (Format::Sarif, "sarif.json"),
    (Format::Github, "github.txt"),
    (Format::Gitlab, "gitlab.json"),
];

/// A plan with a position and findings, as for a file in a repository.
pub fn placed(name: &str) -> Report {
    let mut report = report(snapshot(name));
    if name == "scale-down" {
        for severity in [Severity::Error, Severity::Warning, Severity::Info] {
            report.findings.push(Finding {
                id: RuleId::UnknownField,
                severity,
                message: format!("100% of it, all: {severity}"),
                in_headline: false,
                object: "statefulset/web".to_owned(),
                docs: "https://example.com/STS034".to_owned(),
                source: None,
                others: 0,
            });
        }
    }
    let lines = [("statefulset/web", 3), ("pod/web-2", 120)];
    report.place(|object| {
        let (_, line) = lines.iter().find(|(placed, _)| *placed == object)?;
        Some(ReportSource {
            file: format!("deploy/{name}.yaml"),
            line: *line,
            column: None,
        })
    });
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

/// The published OASIS schema of SARIF 2.1.0.
fn sarif_schema() -> Validator {
    let packed = include_bytes!("../schemas/sarif-2.1.0.json.gz");
    let mut text = String::new();
    flate2::read::GzDecoder::new(&packed[..])
        .read_to_string(&mut text)
        .unwrap();
    let mut schema: Value = serde_json::from_str(&text).unwrap();
    // Its pattern for languages is invalid for a strict reader: it has an extra bracket.
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
fn sarif_matches_its_schema() {
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
        column: None,
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
        assert_github_takes(run);
    }
    assert!(results > 8, "{results}");
    // The check detects errors.
    assert!(!validator.is_valid(&json!({"version": "2.1.0", "runs": [{"tool": {}}]})));
}

/// Asserts GitHub's rules beyond the schema: it rejects a whole file for one result without a location.
fn assert_github_takes(run: &Value) {
    let text = |value: &Value, most: usize| {
        let text = value.as_str().unwrap_or_default();
        assert!(!text.is_empty() && text.len() <= most, "{value}");
    };
    for rule in run["tool"]["driver"]["rules"].as_array().unwrap() {
        text(&rule["name"], 255);
        text(&rule["shortDescription"]["text"], 1024);
        text(&rule["fullDescription"]["text"], 1024);
        text(&rule["help"]["text"], usize::MAX);
    }
    let mut prints = BTreeSet::new();
    for result in run["results"].as_array().unwrap() {
        text(&result["message"]["text"], usize::MAX);
        assert_eq!(result["locations"].as_array().unwrap().len(), 1);
        let place = &result["locations"][0]["physicalLocation"];
        text(&place["artifactLocation"]["uri"], usize::MAX);
        assert!(place["region"]["startLine"].as_u64() > Some(0), "{result}");
        let print = result["partialFingerprints"]["stsPlan/v1"].as_str();
        assert!(prints.insert(print.unwrap()), "{result}");
    }
}

#[test]
fn every_rule_is_described_as_github_requires() {
    let mut report = report(snapshot("rollout"));
    for rule in RULES {
        report.findings.push(Finding {
            id: rule.id,
            severity: Severity::Info,
            message: "found".to_owned(),
            in_headline: false,
            object: "statefulset/web".to_owned(),
            docs: rule.links[0].to_owned(),
            source: None,
            others: 0,
        });
    }
    let log = text(Format::Sarif, &[report], &Style::default());
    let log: Value = serde_json::from_str(&log).unwrap();
    assert_github_takes(&log["runs"][0]);
    let rules = log["runs"][0]["tool"]["driver"]["rules"]
        .as_array()
        .unwrap();
    assert_eq!(rules.len(), RULES.len());
    for rule in rules {
        let uri = rule["helpUri"].as_str().unwrap();
        assert!(uri.starts_with("https://"), "{rule}");
        let markdown = rule["help"]["markdown"].as_str().unwrap();
        assert_eq!(markdown.matches("```\n").count() % 2, 0, "{markdown}");
    }
}

/// The end of a plan is one problem, not a second one under the name of the corresponding rule.
#[test]
fn one_cause_is_one_problem() {
    let blocked = report(snapshot("crashloop"));
    let results = |report: &Report| -> Vec<String> {
        let log = text(
            Format::Sarif,
            std::slice::from_ref(report),
            &Style::default(),
        );
        let log: Value = serde_json::from_str(&log).unwrap();
        let results = log["runs"][0]["results"].as_array().unwrap().iter();
        let ids = results.map(|result| result["ruleId"].as_str().unwrap().to_owned());
        ids.collect()
    };
    assert_eq!(results(&blocked), ["STS001", "STS002", "STS047"]);
    let annotations = text(
        Format::Github,
        std::slice::from_ref(&blocked),
        &Style::default(),
    );
    assert_eq!(annotations.lines().count(), 3, "{annotations}");
    // It is always reported.
    let mut suppressed = blocked;
    suppressed.findings.clear();
    assert_eq!(results(&suppressed), ["blocked"]);
    let mut again = report_if(first_rollout(), "web-0", Start::Fails);
    assert_eq!(results(&again), ["STS001"]);
    again.findings.clear();
    assert_eq!(results(&again), ["livelock"]);
}

/// A reader may treat two tests with the same name as one.
#[test]
fn each_test_of_a_suite_has_its_own_name() {
    let xml = text(Format::Junit, &[placed("scale-down")], &Style::default());
    let (elements, _) = parse(&xml);
    let cases = elements.iter().filter(|(name, _)| name == "testcase");
    let names = cases.map(|(_, attributes)| attributes.iter().find(|(name, _)| name == "name"));
    let names: Vec<&str> = names.map(|name| name.unwrap().1.as_str()).collect();
    let different: BTreeSet<&&str> = names.iter().collect();
    assert_eq!(different.len(), names.len(), "{names:?}");
    assert!(names.contains(&"STS034 statefulset/web (3)"), "{names:?}");
}

/// GitLab shows the text of only one failure per test, and no message.
#[test]
fn a_failure_has_everything_in_its_text() {
    let mut blocked = placed("crashloop");
    let obstacle = blocked.outcome.blocked_by[0].clone();
    blocked.outcome.blocked_by.push(ReportObstacle {
        message: "another".to_owned(),
        ..obstacle
    });
    let xml = text(Format::Junit, &[blocked], &Style::default());
    assert_eq!(xml.matches("<failure ").count(), 1, "{xml}");
    let (_, failure) = xml.split_once("type=\"STS001\">").unwrap();
    let (failure, _) = failure.split_once("</failure>").unwrap();
    for told in [
        "web-2 crash-loops (app, 14 restarts)",
        "another",
        "  kubectl delete pod web-2",
    ] {
        assert!(failure.contains(told), "{failure}");
    }
}

#[test]
fn test_counts_match_the_suite() {
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
    assert!(told("failures") > 0 && told("failures") == of("failure"));
}

#[test]
fn an_annotation_stays_in_its_line() {
    let mut report = hostile("a::b,c%0A\r\n::error::x");
    report.set.source = Some(ReportSource {
        file: "a:b,c%\n.yaml".to_owned(),
        line: 7,
        column: Some(3),
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
        assert_eq!(names, ["file", "line", "col", "title"], "{line}");
        assert!(properties.contains("file=a%3Ab%2Cc%25\\n.yaml"), "{line}");
    }
    assert!(out.lines().count() > 1);
}

#[test]
fn every_plan_matches_the_schema() {
    let validator = jsonschema::validator_for(&serde_json::from_str(PLAN_SCHEMA).unwrap()).unwrap();
    for (_, report) in scenarios() {
        let out = text(Format::Json, &[report], &Style::default());
        let value = serde_json::from_str(&out).unwrap();
        assert_valid(&validator, &value);
        assert_value_reads_back(&value);
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
        let validator = SCHEMA.get_or_init(|| jsonschema::validator_for(&serde_json::from_str(PLAN_SCHEMA).unwrap()).unwrap());
        let plan = Plan::new(scenario.snapshot(), conditions(&scenario));
        let value = serde_json::to_value(Report::new(&plan)).unwrap();
        assert_valid(validator, &value);
        assert_value_reads_back(&value);
    }
}

#[test]
fn the_program_prints_its_schema_and_places_its_results() {
    let run = |args: &[&str]| {
        let (code, out, _) = program::run_in(&golden::root(), args);
        (Some(code), out)
    };
    let (code, schema) = run(&["schema"]);
    assert_eq!(code, Some(0));
    assert_eq!(schema, PLAN_SCHEMA);
    assert_eq!(run(&["schema", "plan"]), (code, schema));
    assert_eq!(run(&["schema", "nonsense"]).0, Some(1));
    let (_, annotations) = run(&["-f", "fixtures/crashloop.yaml", "-o", "github"]);
    // The pod is in the file, and the finding concerns it.
    let pod = "::error file=fixtures/crashloop.yaml,line=265,title=";
    assert!(annotations.starts_with(pod), "{annotations}");

    // The author looks at the applied manifest: the position is the rejected field.
    let folder = program::folder("reports-places");
    let manifest = folder.join("new.yaml");
    let dump = fs::read_to_string(golden::root().join("fixtures/crashloop.yaml")).unwrap();
    let (_, set) = dump.split_once("\n- ").unwrap();
    let (set, _) = set.split_once("\n- ").unwrap();
    let set = set.replace("\n  ", "\n");
    let run_applied = |text: &str, format: &str| {
        fs::write(&manifest, text).unwrap();
        let applied = manifest.to_str().unwrap();
        run(&[
            "-f",
            "fixtures/crashloop.yaml",
            "--apply",
            applied,
            "-o",
            format,
        ])
        .1
    };
    let line_of =
        |text: &str, part: &str| text.lines().position(|line| line.contains(part)).unwrap() + 1;
    let at = |line: usize| format!("::error file={},line={line},", manifest.display());
    let larger = set.replace("storage: 10Gi", "storage: 20Gi");
    let refused = run_applied(&larger, "github");
    let field = line_of(&larger, "storage: 20Gi");
    assert!(refused.starts_with(&at(field)), "{field} {refused}");
    let sarif: Value = serde_json::from_str(&run_applied(&larger, "sarif")).unwrap();
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "STS004");
    let region = &result["locations"][0]["physicalLocation"]["region"];
    assert_eq!(region["startLine"], field);
    // A problem of an object in the dump is shown at the applied set.
    let blocked = run_applied(&set, "github");
    assert!(blocked.starts_with(&at(1)), "{blocked}");
    let plan: Value = serde_json::from_str(&run_applied(&set, "json")).unwrap();
    assert_eq!(plan["outcome"]["blockedBy"][0]["pod"], "web-2");
    assert_eq!(plan["outcome"]["blockedBy"][0].get("source"), None);
}
