//! `-o github`: annotations of a GitHub workflow, which GitHub shows on the lines of a pull request.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::format::Format;
use super::limits::Limits;
use super::problem::{Problem, of_unplanned, problems};
use super::style::{Style, escape};
use super::words::{set_name, spaced};
use sts_plan::fleet::ReportList;
use sts_plan::report::{PlanResult, ReportSource, Severity};

struct Annotation {
    severity: Severity,
    source: Option<ReportSource>,
    title: String,
    message: String,
}

impl Annotation {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let (source, command) = (self.source.as_ref(), command(self.severity));
        annotate(source, command, &self.title, &self.message, out)
    }
}

/// Writes an annotation for each failed set, each problem and each completing plan. The most urgent set comes first, and
/// each severity has as many annotations as GitHub shows. Informational findings require `-v`; ignored ones have none.
pub(super) fn render(plans: &ReportList<'_>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut all = Vec::new();
    for error in &*plans.errors {
        let problem = of_unplanned(error);
        all.push(Annotation {
            severity: Severity::Error,
            source: None,
            title: format!("{}: {}", escape(&error.set()), problem.title),
            message: problem.message,
        });
    }
    for report in plans.most_urgent_first() {
        let set = set_name(&report.metadata);
        if report.outcome.result == PlanResult::Complete {
            all.push(Annotation {
                severity: Severity::Info,
                source: report.set.source.clone(),
                title: set.clone(),
                message: escape(&report.summary).into_owned(),
            });
        }
        let is_shown = |problem: &Problem| {
            problem.ignored.is_none() && (problem.severity != Severity::Info || style.verbose)
        };
        let problems = problems(report).into_iter().filter(is_shown);
        all.extend(problems.map(|problem| annotation(&set, problem)));
    }
    let mut numbers: BTreeMap<Severity, usize> = BTreeMap::new();
    for one in &all {
        *numbers.entry(one.severity).or_default() += 1;
    }
    let most = Limits::of(Format::Github, style).items;
    let mut written: BTreeMap<Severity, usize> = BTreeMap::new();
    for one in &all {
        let place = written.entry(one.severity).or_default();
        *place += 1;
        match numbers.get(&one.severity) {
            _ if *place < most => one.write(out)?,
            Some(&number) if *place == most && number > most => {
                let more = format!("and {} more", spaced(number - most + 1));
                let command = command(one.severity);
                annotate(None, command, &more, "use -o json for all of them", out)?;
            }
            _ if *place == most => one.write(out)?,
            _ => {}
        }
    }
    Ok(())
}

fn command(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "notice",
    }
}

fn annotation(set: &str, problem: Problem) -> Annotation {
    let mut lines = vec![problem.with_state()];
    lines.extend(problem.instructions);
    Annotation {
        severity: problem.severity,
        source: problem.source,
        title: format!("{set}: {}", problem.title),
        message: lines.join("\n"),
    }
}

/// Writes an annotation for each problem of a set.
pub(super) fn write(set: &str, problems: Vec<Problem>, out: &mut dyn Write) -> io::Result<()> {
    for problem in problems {
        annotation(set, problem).write(out)?;
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

/// Escapes a message.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// Escapes the value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
