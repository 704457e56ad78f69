//! `-o gitlab`: a GitLab code quality report, which a merge request shows beside its changed lines. The format has five
//! members only.

use std::io::{self, Write};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::problem::{Fingerprints, Problem, by_set};
use sts_plan::fleet::ReportList;
use sts_plan::report::Severity;

/// Writes an entry for each problem of each set that is not ignored: a merge request would list it as a new one.
pub(super) fn render(plans: &ReportList<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut found = by_set(plans);
    for (_, problems) in &mut found {
        problems.retain(|problem| problem.ignored.is_none());
    }
    write(&found, out)
}

/// Writes an entry for each problem.
pub(super) fn write(found: &[(String, Vec<Problem>)], out: &mut dyn Write) -> io::Result<()> {
    let mut prints = Fingerprints::default();
    let problems = found
        .iter()
        .flat_map(|(set, problems)| problems.iter().map(move |problem| (set, problem)));
    let entries: Vec<Value> = problems
        .map(|(set, problem)| entry(set, problem, &mut prints))
        .collect();
    let text = serde_json::to_string_pretty(&entries)?;
    writeln!(out, "{text}")
}

fn entry(set: &str, problem: &Problem, prints: &mut Fingerprints) -> Value {
    let (path, line) = match &problem.source {
        Some(source) => (path(&source.file).to_owned(), source.line),
        // The file does not exist, but GitLab drops entries without a path.
        None => (format!("{set}/{}", problem.object), 1),
    };
    json!({
        "description": format!("{set}: {}", problem.with_state()),
        "check_name": problem.rule.id(),
        "fingerprint": digest(&prints.of(set, problem)),
        "severity": severity(problem),
        "location": {"path": path, "lines": {"begin": line}},
    })
}

/// Returns the path as GitLab expects it: relative to the repository, without a leading dot.
fn path(file: &str) -> &str {
    file.strip_prefix("./").unwrap_or(file)
}

fn digest(text: &str) -> String {
    let hash = Sha256::digest(text.as_bytes());
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn severity(problem: &Problem) -> &'static str {
    match problem.severity {
        Severity::Error => "critical",
        Severity::Warning => "major",
        Severity::Info => "info",
    }
}
