//! `-o prometheus`: the text format, the values, and that the alerts and panels in `packaging/prometheus` use existing
//! gauges.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use kubectl_sts_plan::internals::DEMOS;
use kubectl_sts_plan::internals::{Format, Style, render};
use serde_json::{Value, json};
use sts_plan::analysis::Verdict;
use sts_plan::fleet::ReportList;
use sts_plan::report::Unplanned;

use crate::golden;
use crate::program;
use crate::render::{fleet, hostile, text};

/// A sample: the gauge, its labels, and its value.
type Sample = (String, BTreeMap<String, String>, f64);

/// Reads the text format as Prometheus does, and fails on invalid text.
fn parse(text: &str) -> (BTreeSet<String>, Vec<Sample>) {
    assert!(text.ends_with('\n'), "the last line has no end");
    let (mut helped, mut typed) = (BTreeSet::new(), Vec::<String>::new());
    let mut samples: Vec<Sample> = Vec::new();
    for line in text.lines() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            let (name, words) = help.split_once(' ').unwrap();
            assert!(
                helped.insert(name.to_owned()) && !words.is_empty(),
                "{line}"
            );
            continue;
        }
        if let Some(of) = line.strip_prefix("# TYPE ") {
            let (name, kind) = of.split_once(' ').unwrap();
            assert!(helped.contains(name) && kind == "gauge", "{line}");
            assert!(!typed.contains(&name.to_owned()), "{line}");
            typed.push(name.to_owned());
            continue;
        }
        let (name, labels, value) = sample(line);
        // All samples of a gauge are together, below its header lines.
        assert_eq!(typed.last(), Some(&name), "{line}");
        assert!(
            !samples
                .iter()
                .any(|(other, of, _)| (other, of) == (&name, &labels)),
            "twice: {line}"
        );
        samples.push((name, labels, value));
    }
    (typed.into_iter().collect(), samples)
}

fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    letters
        .next()
        .is_some_and(|first| first.is_ascii_lowercase())
        && letters.all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '_')
}

fn sample(line: &str) -> Sample {
    let end = line.find(['{', ' ']).unwrap();
    let (name, mut rest) = line.split_at(end);
    assert!(is_name(name), "{line}");
    let mut labels = BTreeMap::new();
    if let Some(mut inside) = rest.strip_prefix('{') {
        loop {
            let (label, quoted) = inside.split_once("=\"").unwrap();
            assert!(is_name(label), "{line}");
            let mut value = String::new();
            let mut letters = quoted.char_indices();
            let end = loop {
                match letters.next().unwrap() {
                    (at, '"') => break at + 1,
                    (_, '\\') => value.push(match letters.next().unwrap().1 {
                        'n' => '\n',
                        escaped @ ('"' | '\\') => escaped,
                        other => panic!("{line}: \\{other}"),
                    }),
                    (_, letter) => value.push(letter),
                }
            };
            assert!(labels.insert(label.to_owned(), value).is_none(), "{line}");
            inside = &quoted[end..];
            if let Some(after) = inside.strip_prefix('}') {
                rest = after;
                break;
            }
            inside = inside.strip_prefix(',').unwrap();
        }
    }
    let value = rest.strip_prefix(' ').unwrap().parse().unwrap();
    (name.to_owned(), labels, value)
}

fn demo(name: &str, format: &str) -> String {
    let (code, text, error) = program::run(&["demo", name, "-o", format]);
    assert_eq!((code, error.as_str()), (0, ""), "{name}");
    text
}

/// The value of a gauge for a set, if any.
fn number(samples: &[Sample], gauge: &str, set: (&str, &str)) -> Option<f64> {
    let found = samples.iter().find(|(name, labels, _)| {
        name == gauge && labels["namespace"] == set.0 && labels["statefulset"] == set.1
    });
    found.map(|(.., value)| *value)
}

#[test]
fn gauges_match_the_plan() {
    for it in &DEMOS {
        let text = demo(it.name, "prometheus");
        let (_, samples) = parse(&text);
        let plans: Value = serde_json::from_str(&demo(it.name, "json")).unwrap();
        let plans = match plans["items"].as_array() {
            Some(items) => items.clone(),
            None => vec![plans],
        };
        for plan in plans {
            let metadata = &plan["metadata"];
            let set = (
                metadata["namespace"].as_str().unwrap(),
                metadata["name"].as_str().unwrap(),
            );
            let of = |gauge: &str| number(&samples, gauge, set);
            let analysis = &plan["analysis"];
            let verdicts: Vec<&str> = samples
                .iter()
                .filter(|(name, labels, _)| {
                    name == "sts_plan_verdict" && labels["statefulset"] == set.1
                })
                .map(|(_, labels, _)| labels["verdict"].as_str())
                .collect();
            assert_eq!(verdicts, [analysis["verdict"].as_str().unwrap()], "{set:?}");
            let eta = &analysis["eta"];
            assert_eq!(
                of("sts_plan_eta_min_seconds"),
                eta["minSeconds"].as_f64(),
                "{set:?}"
            );
            assert_eq!(
                of("sts_plan_eta_max_seconds"),
                eta["maxSeconds"].as_f64(),
                "{set:?}"
            );
            let completes = plan["outcome"]["result"] == "complete";
            let at = plan["outcome"]["at"].as_f64().filter(|_| completes);
            assert_eq!(of("sts_plan_eta_seconds"), at, "{set:?}");
            let wanted = &plan["next"]["status"]["updateRevision"];
            let pods = plan["set"]["pods"].as_array().unwrap();
            let outdated = pods.iter().filter(|pod| pod["revision"] != *wanted).count();
            assert_eq!(
                of("sts_plan_pods_outdated"),
                Some(outdated as f64),
                "{set:?}"
            );
            assert_eq!(
                of("sts_plan_stuck_seconds").is_some(),
                analysis["verdict"] == "stuck",
                "{set:?}"
            );
        }
    }
    let (_, samples) = parse(&demo("blocked", "prometheus"));
    let (.., labels, seconds) = {
        let found = samples
            .iter()
            .find(|(name, ..)| name == "sts_plan_stuck_seconds");
        let (name, labels, seconds) = found.unwrap();
        (name, labels, *seconds)
    };
    assert_eq!(
        (labels["cause"].as_str(), labels["pod"].as_str()),
        ("crash-loop", "web-2")
    );
    assert_eq!(seconds, 3576.0);
    let (_, samples) = parse(&demo("canary", "prometheus"));
    assert_eq!(
        number(&samples, "sts_plan_pods_outdated", ("prod", "web")),
        Some(4.0)
    );
    let moment = samples
        .iter()
        .find(|(name, ..)| name == "sts_plan_last_run_timestamp_seconds");
    assert_eq!(moment.unwrap().2, 1_795_143_600.0);
}

/// Nothing is predicted for a rejected change or for an input that contradicts itself.
#[test]
fn unpredicted_values_have_no_sample() {
    let rejected = [
        "demo",
        "healthy",
        "--set",
        "spec.serviceName=other",
        "-o",
        "prometheus",
    ];
    let fixture = golden::root().join("fixtures/trial/pg-stsonly.yaml");
    let incomplete = ["-f", fixture.to_str().unwrap(), "-o", "prometheus"];
    for (args, code, verdict) in [
        (&rejected[..], 4, "rejected"),
        (&incomplete, 0, "incomplete-input"),
    ] {
        let (ended, text, error) = program::run(args);
        assert_eq!(ended, code, "{error}");
        let (_, samples) = parse(&text);
        let written: Vec<&str> = samples.iter().map(|(name, ..)| name.as_str()).collect();
        assert_eq!(
            written,
            ["sts_plan_verdict", "sts_plan_last_run_timestamp_seconds"]
        );
        assert_eq!(samples[0].1["verdict"], verdict);
    }
}

/// Verdicts have the same names as in the JSON output.
#[test]
fn verdicts_have_one_name() {
    for verdict in [
        Verdict::IncompleteInput,
        Verdict::Rejected,
        Verdict::Stuck,
        Verdict::Livelock,
        Verdict::WaitingForUser,
        Verdict::Waiting,
        Verdict::Progressing,
        Verdict::NothingToDo,
    ] {
        assert_eq!(json!(verdict), verdict.name());
    }
}

#[test]
fn a_set_that_cannot_be_planned_has_a_gauge() {
    let errors = [Unplanned::new("prod", "broken", "no such template")];
    let plans = fleet();
    let mut out = Vec::new();
    let list = ReportList::new(&plans).with_errors(&errors);
    render(Format::Prometheus, &list, &Style::default(), &mut out).unwrap();
    let (_, samples) = parse(&String::from_utf8(out).unwrap());
    assert_eq!(
        number(&samples, "sts_plan_unplanned", ("prod", "broken")),
        Some(1.0)
    );
    let verdicts = samples
        .iter()
        .filter(|(name, ..)| name == "sts_plan_verdict");
    assert_eq!(verdicts.count(), plans.len());
}

#[test]
fn foreign_names_stay_in_their_label() {
    for foreign in [
        "a\"} 1\nb",
        "back\\slash",
        "new\nline",
        "\u{202e}right",
        "{x=\"1\"}",
    ] {
        let mut report = hostile(foreign);
        report.metadata.namespace = foreign.to_owned();
        report.metadata.name = foreign.to_owned();
        let (_, samples) = parse(&text(Format::Prometheus, &[report], &Style::default()));
        for (name, labels, _) in samples {
            let is_of_set = labels.contains_key("statefulset");
            assert!(
                is_of_set || name == "sts_plan_last_run_timestamp_seconds",
                "{name}"
            );
        }
    }
}

/// Every gauge, with the labels of its samples.
fn gauges() -> BTreeMap<String, BTreeSet<String>> {
    let (names, samples) = parse(&demo("many", "prometheus"));
    let mut gauges: BTreeMap<String, BTreeSet<String>> = names
        .into_iter()
        .map(|name| (name, BTreeSet::new()))
        .collect();
    for (name, labels, _) in samples {
        gauges.get_mut(&name).unwrap().extend(labels.into_keys());
    }
    // None of the demos has a set that cannot be planned.
    let unplanned = gauges.get_mut("sts_plan_unplanned").unwrap();
    unplanned.extend(["namespace", "statefulset"].map(str::to_owned));
    gauges
}

/// Splits an expression into words.
fn words(expression: &str) -> impl Iterator<Item = &str> {
    expression.split(|it: char| !it.is_ascii_alphanumeric() && it != '_')
}

/// Fails if an expression names an unknown gauge. Returns the labels of the gauges in it.
fn labels_of(expression: &str) -> BTreeSet<String> {
    let gauges = gauges();
    let named: Vec<&str> = words(expression)
        .filter(|word| word.starts_with("sts_plan_"))
        .collect();
    assert!(!named.is_empty(), "{expression}");
    let mut labels = BTreeSet::new();
    for name in named {
        let of = gauges
            .get(name)
            .unwrap_or_else(|| panic!("{name} is not written: {expression}"));
        labels.extend(of.iter().cloned());
    }
    labels
}

fn packaged(name: &str) -> String {
    let path = golden::root()
        .parent()
        .unwrap()
        .join("packaging/prometheus")
        .join(name);
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn alerts_use_existing_gauges() {
    let rules: Value = serde_yaml::from_str(&packaged("rules.yaml")).unwrap();
    let rules = rules["groups"][0]["rules"].as_array().unwrap();
    for rule in rules {
        let expression = rule["expr"].as_str().unwrap();
        let labels = labels_of(expression);
        for annotation in ["summary", "description"] {
            let text = rule["annotations"][annotation].as_str().unwrap();
            for label in text.split("$labels.").skip(1) {
                let label = words(label).next().unwrap();
                assert!(labels.contains(label), "{text}: {label}");
            }
        }
    }
    // The states in alerts exist.
    let states = rules.iter().flat_map(|rule| {
        let expression = rule["expr"].as_str().unwrap();
        let states = expression.split("verdict").filter_map(|rest| {
            let quoted = rest.trim_start_matches(['=', '~']).strip_prefix('"')?;
            quoted.split('"').next()
        });
        states
            .flat_map(|states| states.split('|'))
            .collect::<Vec<_>>()
    });
    let states: Vec<&str> = states.collect();
    assert_eq!(states, ["stuck", "livelock", "waiting-for-user"]);
    for state in states {
        serde_json::from_value::<Value>(json!(state)).unwrap();
        let known = [Verdict::Stuck, Verdict::Livelock, Verdict::WaitingForUser];
        assert!(
            known.iter().any(|verdict| verdict.name() == state),
            "{state}"
        );
    }
    let checked = Command::new("promtool")
        .args(["check", "rules"])
        .arg(
            golden::root()
                .parent()
                .unwrap()
                .join("packaging/prometheus/rules.yaml"),
        )
        .output();
    match checked {
        Ok(checked) => assert!(checked.status.success(), "{checked:?}"),
        Err(_) => println!("not compared: no promtool on the PATH"),
    }
}

#[test]
fn panels_use_existing_gauges() {
    let dashboard: Value = serde_json::from_str(&packaged("dashboard.json")).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let mut shown = BTreeSet::new();
    for panel in panels {
        for target in panel["targets"].as_array().unwrap() {
            let expression = target["expr"].as_str().unwrap();
            let labels = labels_of(expression);
            shown.extend(
                words(expression)
                    .filter(|word| word.starts_with("sts_plan_"))
                    .map(str::to_owned),
            );
            for label in target["legendFormat"].as_str().unwrap().split("{{").skip(1) {
                let label = label.split("}}").next().unwrap();
                assert!(labels.contains(label), "{expression}: {label}");
            }
        }
    }
    assert_eq!(shown.len(), 6, "{shown:?}");
}

/// The page lists exactly the existing gauges and labels.
#[test]
fn the_contract_lists_every_gauge() {
    let contract = include_str!("../../docs/contract.md");
    for (gauge, labels) in gauges() {
        let row = format!("| `{gauge}` |");
        let row = contract.lines().find(|line| line.starts_with(&row));
        let row = row.unwrap_or_else(|| panic!("{gauge} is not in the contract"));
        for label in labels {
            assert!(row.contains(&format!("`{label}`")), "{row}: {label}");
        }
    }
}
