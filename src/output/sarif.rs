//! `-o sarif`: results of static analysis in SARIF 2.1.0. The file also meets the requirements of GitHub, which rejects a
//! file if any result has no location, and shows the title and the help of each rule.

use std::collections::BTreeMap;
use std::io::{self, Write};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use super::problem::{Fingerprints, Problem, Rule, by_set};
use super::style::escape;
use super::words::set_name;
use sts_plan::fleet::ReportList;
use sts_plan::lint;
use sts_plan::report::Severity;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Writes one run with a result for each problem.
pub(super) fn render(plans: &ReportList<'_>, out: &mut dyn Write) -> io::Result<()> {
    let found = by_set(plans);
    // A plan without problems has no result, but a verdict.
    let verdicts = plans.items.iter().map(|report| {
        let headline = escape(&report.next.summary);
        json!({
            "level": "note",
            "message": {"text": format!("{}: {headline}", set_name(&report.metadata))},
        })
    });
    let invocation = json!({
        "executionSuccessful": plans.errors.is_empty(),
        "toolExecutionNotifications": verdicts.collect::<Vec<Value>>(),
    });
    write(&found, Some(invocation), out)
}

/// Writes one run with a result for each problem of each set.
pub(super) fn write(
    found: &[(String, Vec<Problem>)],
    invocation: Option<Value>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut rules: BTreeMap<&str, Value> = BTreeMap::new();
    for problem in found.iter().flat_map(|(_, problems)| problems) {
        rules
            .entry(problem.rule.id())
            .or_insert_with(|| rule(problem));
    }
    let mut results = Vec::new();
    let mut prints = Fingerprints::default();
    for (set, problems) in found {
        for problem in problems {
            let mut result = result(set, problem, &mut prints);
            result["ruleIndex"] = json!(rules.keys().position(|id| *id == problem.rule.id()));
            results.push(result);
        }
    }
    let mut log = json!({
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
    if let Some(invocation) = invocation {
        log["runs"][0]["invocations"] = json!([invocation]);
    }
    let text = serde_json::to_string_pretty(&log)?;
    writeln!(out, "{text}")
}

/// Returns a rule with its title and its help.
fn rule(problem: &Problem) -> Value {
    let Rule::Finding(id) = problem.rule else {
        let (id, title) = (problem.rule.id(), problem.rule.title());
        return json!({
            "id": id,
            "name": id,
            "shortDescription": {"text": title},
            "fullDescription": {"text": title},
            "help": {"text": format!("{title}.")},
            "defaultConfiguration": {"level": "error"},
            "properties": {"tags": ["statefulset"]},
        });
    };
    let found = id.rule();
    json!({
        "id": id.name(),
        "name": found.name,
        "shortDescription": {"text": found.title},
        "fullDescription": {"text": found.why},
        "help": {"text": lint::page(found), "markdown": markdown(found)},
        "helpUri": found.links.first().copied().unwrap_or_default(),
        "properties": {"tags": ["statefulset"]},
    })
}

/// Returns the page of a rule in Markdown.
fn markdown(rule: &lint::Rule) -> String {
    let mut text = format!("{}\n\n**What to do**\n\n", rule.why);
    let mut is_in_code = false;
    for line in rule.remedy.lines() {
        if line.starts_with(' ') != is_in_code {
            is_in_code = !is_in_code;
            text.push_str("```\n");
        }
        text.push_str(line.trim());
        text.push('\n');
    }
    if is_in_code {
        text.push_str("```\n");
    }
    text.push_str(&format!(
        "\n**Kubernetes versions**\n\n{}\n\n**See also**\n\n",
        lint::versions(rule)
    ));
    for link in rule.links {
        text.push_str(&format!("- <{link}>\n"));
    }
    text
}

fn result(set: &str, problem: &Problem, prints: &mut Fingerprints) -> Value {
    let mut lines = vec![format!("{set}: {}", problem.message)];
    lines.extend(problem.instructions.iter().cloned());
    let fingerprint = prints.of(set, problem);
    let place = match &problem.source {
        Some(source) => {
            let mut place = place(&address(&source.file), source.line);
            if let Some(column) = source.column {
                place["region"]["startColumn"] = json!(column);
            }
            place
        }
        // The file does not exist, but its name identifies the result.
        None => place(&uri(&format!("{set}/{}", problem.object)), 1),
    };
    let mut fingerprints = json!({"stsPlan/v1": fingerprint});
    if problem.source.is_none() {
        // The only fingerprint that GitHub reads. For an existing file its upload action computes the hash from the
        // line, and warns about any other value.
        fingerprints["primaryLocationLineHash"] = json!(fingerprint);
    }
    let mut result = json!({
        "ruleId": problem.rule.id(),
        "level": level(problem),
        "message": {"text": lines.join("\n")},
        "locations": [{
            "physicalLocation": place,
            "logicalLocations": [{
                "fullyQualifiedName": format!("{set}: {}", problem.object),
                "kind": "resource",
            }],
        }],
        "partialFingerprints": fingerprints,
    });
    if let Some(why) = &problem.ignored {
        result["suppressions"] = json!([{"kind": "external", "justification": why}]);
    }
    result
}

fn level(problem: &Problem) -> &'static str {
    match problem.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

fn place(uri: &str, line: usize) -> Value {
    json!({
        "artifactLocation": {"uri": uri},
        "region": {"startLine": line},
    })
}

/// Returns the URI of a file: relative to the working directory, which in CI is the top of the repository.
fn address(file: &str) -> String {
    let path = uri(file);
    match path.strip_prefix('/') {
        Some(_) => format!("file://{path}"),
        None => path.strip_prefix("./").unwrap_or(&path).to_owned(),
    }
}

/// The characters that are escaped in the path of a URI.
const IN_PATH: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/');

fn uri(path: &str) -> String {
    utf8_percent_encode(path, IN_PATH).to_string()
}
