//! `-o tap`: the tests of `-o junit` in the Test Anything Protocol, version 13: a line each, with problems in YAML below it.
//! Information and ignored findings are skipped tests.

use std::io::{self, Write};

use serde_json::json;

use super::junit::{Case, Suite, suites};
use super::words::place;
use sts_plan::fleet::ReportList;

/// Writes the plan line, and a line for each test.
pub(super) fn render(plans: &ReportList<'_>, out: &mut dyn Write) -> io::Result<()> {
    write(&suites(plans), out)
}

/// Writes tests.
pub(super) fn write(suites: &[Suite<'_>], out: &mut dyn Write) -> io::Result<()> {
    let number: usize = suites.iter().map(|suite| suite.cases.len()).sum();
    writeln!(out, "TAP version 13")?;
    writeln!(out, "1..{number}")?;
    let cases = suites
        .iter()
        .flat_map(|suite| suite.cases.iter().map(|case| (suite.set.as_str(), case)));
    for (at, (set, case)) in cases.enumerate() {
        write_case(at + 1, set, case, out)?;
    }
    Ok(())
}

fn write_case(number: usize, set: &str, case: &Case, out: &mut dyn Write) -> io::Result<()> {
    let fails = case.fails() || case.errs;
    let word = if fails { "not ok" } else { "ok" };
    let name = described(&format!("{set}: {}", case.name));
    let skipped = match case.problems.first().filter(|_| case.is_skipped()) {
        Some(problem) => format!(" # SKIP {}", problem.message),
        None => String::new(),
    };
    writeln!(out, "{word} {number} - {name}{skipped}")?;
    if !fails {
        return Ok(());
    }
    // A JSON string is a valid YAML string.
    writeln!(out, "  ---")?;
    for problem in &case.problems {
        writeln!(out, "  - rule: {}", json!(problem.rule.id()))?;
        writeln!(out, "    severity: {}", json!(problem.severity.name()))?;
        writeln!(out, "    message: {}", json!(problem.with_state()))?;
        writeln!(out, "    object: {}", json!(problem.object))?;
        if let Some(source) = &problem.source {
            writeln!(out, "    at: {}", json!(place(source)))?;
        }
        if !problem.instructions.is_empty() {
            writeln!(out, "    details: {}", json!(problem.instructions))?;
        }
    }
    writeln!(out, "  ...")
}

/// Escapes a description: a bare `#` would begin a directive.
fn described(text: &str) -> String {
    text.replace('\\', "\\\\").replace('#', "\\#")
}
