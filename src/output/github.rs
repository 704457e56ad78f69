//! `-o github`: annotations of a GitHub workflow, which show on the lines of a pull request.

use std::io::{self, Write};

use super::problem::{Problem, of_unplanned, problems, set_of};
use super::style::escape;
use sts_plan::report::{PlanResult, ReportList, ReportSource, Severity};

/// Writes an annotation for each set that could not be planned and for each problem, and one for how each plan ends.
pub(super) fn render(plans: ReportList<'_>, out: &mut dyn Write) -> io::Result<()> {
    for error in plans.errors {
        let problem = of_unplanned(error);
        let title = format!("{}: {}", escape(&error.set()), problem.title);
        annotate(None, "error", &title, &problem.message, out)?;
    }
    for report in plans.items {
        let set = set_of(report);
        if report.outcome.result == PlanResult::Complete {
            let source = report.set.source.as_ref();
            annotate(source, "notice", &set, &escape(&report.summary), out)?;
        }
        write(&set, problems(report), out)?;
    }
    Ok(())
}

/// Writes an annotation for each problem of a set.
pub(super) fn write(set: &str, problems: Vec<Problem>, out: &mut dyn Write) -> io::Result<()> {
    for problem in problems {
        let command = match problem.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        };
        let mut lines = vec![problem.message];
        lines.extend(problem.instructions.iter().cloned());
        let title = format!("{set}: {}", problem.title);
        let source = problem.source.as_ref();
        annotate(source, command, &title, &lines.join("\n"), out)?;
    }
    Ok(())
}

pub(super) fn annotate(
    source: Option<&ReportSource>,
    command: &str,
    title: &str,
    message: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    let place = match source {
        Some(source) => {
            let file = escape(&source.file);
            let column = source.column.map(|column| format!("col={column},"));
            let column = column.unwrap_or_default();
            format!("file={},line={},{column}", property(&file), source.line)
        }
        None => String::new(),
    };
    let (title, message) = (property(title), data(message));
    writeln!(out, "::{command} {place}title={title}::{message}")
}

/// What stands after the colons.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// What stands between the commas.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
