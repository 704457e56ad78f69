//! `-o gitlab`: a code quality report, as GitLab documents it.

use std::collections::{BTreeMap, BTreeSet};

use kubectl_sts_plan::internals::{Format, Style};
use serde_json::Value;
use sts_plan::report::Report;

use crate::formats::FIXTURES;
use crate::program;
use crate::render::{HOSTILE, fleet, hostile, scenarios, text};
use crate::reports::placed;

fn entries(reports: &[Report]) -> Vec<Value> {
    let report = text(Format::Gitlab, reports, &Style::default());
    serde_json::from_str(&report).unwrap()
}

/// The members that the documentation names, and no others.
#[test]
fn entries_have_what_gitlab_reads() {
    let mut all: Vec<Vec<Report>> = scenarios().into_iter().map(|(_, it)| vec![it]).collect();
    all.extend([
        fleet(),
        FIXTURES.map(placed).to_vec(),
        Vec::new(),
        vec![hostile(HOSTILE)],
    ]);
    let mut count = 0;
    for reports in all {
        let entries = entries(&reports);
        let sarif = text(Format::Sarif, &reports, &Style::default());
        let sarif: Value = serde_json::from_str(&sarif).unwrap();
        let results = sarif["runs"][0]["results"].as_array().unwrap();
        assert_eq!(entries.len(), results.len());
        let mut fingerprints = BTreeSet::new();
        for (entry, result) in entries.iter().zip(results) {
            let members: Vec<&String> = entry.as_object().unwrap().keys().collect();
            let known = [
                "check_name",
                "description",
                "fingerprint",
                "location",
                "severity",
            ];
            assert_eq!(members, known);
            assert_eq!(entry["check_name"], result["ruleId"]);
            let severity = match result["level"].as_str().unwrap() {
                "error" => "critical",
                "warning" => "major",
                _ => "info",
            };
            assert_eq!(entry["severity"], severity);
            let location = &entry["location"];
            assert!(location["lines"]["begin"].as_u64().unwrap() >= 1, "{entry}");
            let path = location["path"].as_str().unwrap();
            assert!(!path.is_empty() && !path.starts_with("./"), "{entry}");
            assert!(
                !entry["description"].as_str().unwrap().is_empty(),
                "{entry}"
            );
            let fingerprint = entry["fingerprint"].as_str().unwrap();
            assert!(fingerprint.len() == 64, "{entry}");
            assert!(fingerprints.insert(fingerprint.to_owned()), "{entry}");
            count += 1;
        }
    }
    assert!(count > 20, "only {count} entries");
}

#[test]
fn a_file_and_a_line_are_those_of_the_object() {
    let entries = entries(&[placed("crashloop")]);
    let places: Vec<(&str, u64)> = entries
        .iter()
        .map(|entry| {
            let location = &entry["location"];
            let line = location["lines"]["begin"].as_u64().unwrap();
            (location["path"].as_str().unwrap(), line)
        })
        .collect();
    assert!(
        places.contains(&("deploy/crashloop.yaml", 120)),
        "{places:?}"
    );
    assert!(
        entries[0]["description"]
            .as_str()
            .unwrap()
            .starts_with("prod/web: BLOCKED ")
    );
}

/// A later run has the same problems with the same fingerprints, although they are older; also without a file.
#[test]
fn fingerprints_outlast_a_run() {
    let run = |now: &str| {
        let args = ["demo", "many", "--now", now, "-o", "gitlab"];
        let (code, report, error) = program::run(&args);
        assert_eq!((code, error.as_str()), (0, ""));
        let entries: Vec<Value> = serde_json::from_str(&report).unwrap();
        let entries = entries.into_iter().map(|entry| {
            let text = |member: &str| entry[member].as_str().unwrap().to_owned();
            (text("fingerprint"), text("description"))
        });
        entries.collect::<BTreeMap<String, String>>()
    };
    let (first, later) = (run("2026-11-20T03:00:00Z"), run("2026-11-20T09:00:00Z"));
    assert!(first.keys().eq(later.keys()), "{first:#?}\n{later:#?}");
    assert_ne!(first, later);
}
