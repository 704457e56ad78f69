//! `-o sarif`: results of static analysis, 2.1.0, as code hosts show them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use serde_json::{Value, json};

use super::problem::{Problem, RULES, problems, set_of};
use crate::report::{Report, ReportSource};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Writes one run with a result for each problem.
pub(super) fn render(reports: &[Report], out: &mut dyn Write) -> io::Result<()> {
    let found: Vec<(&Report, Vec<Problem>)> = reports
        .iter()
        .map(|report| (report, problems(report)))
        .collect();
    let mut rules: BTreeMap<&str, Value> = BTreeMap::new();
    for problem in found.iter().flat_map(|(_, problems)| problems) {
        rules.entry(problem.rule).or_insert_with(|| rule(problem));
    }
    let results = found.iter().flat_map(|(report, problems)| {
        let rules = &rules;
        problems
            .iter()
            .map(move |problem| result(report, problem, rules.keys()))
    });
    let results: Vec<Value> = results.collect();
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "kubectl-sts-plan",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules.values().collect::<Vec<_>>(),
            }},
            "results": results,
        }],
    });
    let text = serde_json::to_string_pretty(&log)?;
    writeln!(out, "{text}")
}

fn rule(problem: &Problem) -> Value {
    let known = RULES.iter().find(|(id, _)| *id == problem.rule);
    let mut rule = json!({
        "id": problem.rule,
        "defaultConfiguration": {"level": level(problem)},
    });
    if let Some((_, text)) = known {
        rule["shortDescription"] = json!({"text": text});
    }
    if problem.docs.starts_with("https://") {
        rule["helpUri"] = json!(uri(&problem.docs, ":/?#&=%"));
    }
    rule
}

fn result<'k>(
    report: &Report,
    problem: &Problem,
    mut rules: impl Iterator<Item = &'k &'k str>,
) -> Value {
    let set = set_of(report);
    let mut location = json!({
        "logicalLocations": [{
            "fullyQualifiedName": format!("{set}: statefulset"),
            "kind": "resource",
        }],
    });
    if let Some(source) = &report.set.source {
        location["physicalLocation"] = place(source);
    }
    let mut lines = vec![format!("{set}: {}", problem.message)];
    lines.extend(problem.remedy.iter().map(|remedy| format!("Try: {remedy}")));
    json!({
        "ruleId": problem.rule,
        "ruleIndex": rules.position(|rule| *rule == problem.rule),
        "level": level(problem),
        "message": {"text": lines.join("\n")},
        "locations": [location],
    })
}

fn level(problem: &Problem) -> &'static str {
    match problem.severity {
        "error" => "error",
        "warning" => "warning",
        _ => "note",
    }
}

/// Where the set's manifest stands.
fn place(source: &ReportSource) -> Value {
    let path = uri(&source.file, "/");
    let path = match path.strip_prefix('/') {
        Some(_) => format!("file://{path}"),
        None => path.strip_prefix("./").unwrap_or(&path).to_owned(),
    };
    json!({
        "artifactLocation": {"uri": path},
        "region": {"startLine": source.line},
    })
}

/// Text as a part of a URI: everything but letters, digits, a few signs and those in `kept` in percent.
fn uri(text: &str, kept: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        let plain = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        if plain || kept.as_bytes().contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}
