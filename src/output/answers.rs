//! Alarms that a reader has to see right after the verdict, and the findings that it has told already.

use super::problem::{of_exploration, of_requirement};
use super::style::escape;
use sts_plan::report::{Finding, Report, Severity};

/// Lists what is wrong apart from the outcome of the plan, the worst first: requirements that break, orders that go
/// wrong, errors and losses.
pub(super) fn alarms(report: &Report) -> Vec<String> {
    broken(report)
        .into_iter()
        .chain(harms(report).map(harm))
        .collect()
}

/// The requirements that break, and the order of events that goes wrong.
pub(super) fn broken(report: &Report) -> Vec<String> {
    let requirements = report.requirements.iter();
    let problems = requirements.filter_map(|requirement| of_requirement(report, requirement));
    let required = problems.map(|problem| format!("REQUIREMENT BROKEN: {}", problem.message));
    let explored = of_exploration(report);
    let explored = explored.map(|problem| format!("GOES WRONG IN SOME ORDER: {}", problem.message));
    required.chain(explored).collect()
}

/// The findings that are errors and that the verdict has not told.
pub(super) fn harms(report: &Report) -> impl Iterator<Item = &Finding> {
    let findings = report.findings.iter();
    findings.filter(|finding| finding.severity == Severity::Error && !finding.in_headline)
}

fn harm(finding: &Finding) -> String {
    let mut text = format!("{} {}", finding.severity, finding.id);
    if !finding.object.is_empty() {
        text.push_str(&format!(" {}", escape(&finding.object)));
    }
    format!("{text}: {}", escape(&finding.message))
}

/// The findings that are ignored, each with why.
pub(super) fn ignored(report: &Report) -> Vec<String> {
    let ignored = report.ignored.iter().map(|it| {
        let id = it.finding.id;
        format!("{id} {} ({})", id.rule().name, it.why())
    });
    let mut ignored: Vec<String> = ignored.collect();
    ignored.dedup();
    ignored
}
