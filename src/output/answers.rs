//! Alarms that follow the verdict, and ignored findings.

use super::style::escape;
use sts_plan::report::{Finding, Report, Severity};

/// Lists the problems beyond the outcome of the plan, the worst first: violated checks, errors and losses.
pub(super) fn alarms(report: &Report) -> Vec<String> {
    broken(report)
        .into_iter()
        .chain(harms(report).map(harm))
        .collect()
}

/// The violated checks of answers.
pub(super) fn broken(report: &Report) -> Vec<String> {
    let broken = report.broken_checks();
    let alarms = broken.map(|check| format!("{}: {}", check.rule.label, escape(&check.message)));
    alarms.collect()
}

/// The errors that are not in the headline.
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

/// The ignored findings, each with the reason.
pub(super) fn ignored(report: &Report) -> Vec<String> {
    let ignored = report.ignored.iter().map(|it| {
        let id = it.finding.id;
        format!("{id} {} ({})", id.rule().name, it.why())
    });
    let mut ignored: Vec<String> = ignored.collect();
    ignored.dedup();
    ignored
}
