//! What is wrong with a plan, one by one, for formats that list problems: how it ends, requirements that break, and
//! findings.

use super::screen::circles;
use super::style::escape;
use super::words::elapsed;
use crate::report::{Report, ReportRequirement};

/// Something that is wrong, or worth knowing.
pub(super) struct Problem {
    /// The rule that it breaks: one of [`RULES`], or the id of a finding.
    pub(super) rule: &'static str,
    /// `info`, `warning` or `error`.
    pub(super) severity: &'static str,
    /// What it is called, in a few words.
    pub(super) title: String,
    /// One sentence.
    pub(super) message: String,
    /// Commands that help.
    pub(super) remedy: Vec<String>,
    /// Where to read on; empty where there is nothing.
    pub(super) docs: String,
}

/// The rules that are no findings, with what breaks them.
pub(super) const RULES: [(&str, &str); 5] = [
    ("blocked", "The rollout stops and does not go on by itself"),
    ("livelock", "The rollout goes round in circles"),
    ("rejected", "The API server would refuse the change"),
    ("requirement", "A requirement does not hold all the way"),
    (
        "exploration",
        "Something goes wrong in some order of events",
    ),
];

/// How the plan ends, where that is not as it should be.
pub(super) fn of_outcome(report: &Report) -> Vec<Problem> {
    let outcome = &report.outcome;
    let problem = |rule, title: String, message: String, remedy| Problem {
        rule,
        severity: "error",
        title,
        message,
        remedy,
        docs: String::new(),
    };
    if outcome.result == "livelock" {
        let title = format!("never comes to rest after {}", elapsed(outcome.at));
        return vec![problem("livelock", title, circles(report), Vec::new())];
    }
    let rule = match outcome.result {
        "complete" => return Vec::new(),
        "rejected" => "rejected",
        _ => "blocked",
    };
    let obstacles = outcome.blocked_by.iter().map(|obstacle| {
        let pod = obstacle.pod.as_deref().unwrap_or_default();
        let title = format!("{rule}: {} {}", obstacle.reason, escape(pod));
        let remedy = obstacle.remedy.iter();
        problem(
            rule,
            title.trim_end().to_owned(),
            escape(&obstacle.message).into_owned(),
            remedy.map(|command| escape(command).into_owned()).collect(),
        )
    });
    obstacles.collect()
}

/// What is wrong with a requirement; `None` when it holds.
pub(super) fn of_requirement(requirement: &ReportRequirement) -> Option<Problem> {
    let broken = requirement.broken_at.as_ref()?;
    Some(Problem {
        rule: "requirement",
        severity: "error",
        title: format!("requirement {}", escape(&requirement.text)),
        message: format!(
            "{} does not hold: it is {} after {}, at: {}",
            escape(&requirement.text),
            broken.value,
            elapsed(broken.at),
            escape(&broken.event)
        ),
        remedy: Vec::new(),
        docs: String::new(),
    })
}

/// What searching every order came to, where something is wrong in one.
pub(super) fn of_exploration(report: &Report) -> Option<Problem> {
    let exploration = report.exploration.as_ref()?;
    (exploration.verdict == "broken").then(|| Problem {
        rule: "exploration",
        severity: "error",
        title: "exploration".to_owned(),
        message: escape(&exploration.summary).into_owned(),
        remedy: Vec::new(),
        docs: String::new(),
    })
}

/// What is worth knowing besides.
pub(super) fn of_findings(report: &Report) -> Vec<Problem> {
    let findings = report.findings.iter().map(|finding| Problem {
        rule: finding.id,
        severity: finding.severity,
        title: format!("{} {}", finding.id, escape(&finding.object))
            .trim_end()
            .to_owned(),
        message: escape(&finding.message).into_owned(),
        remedy: Vec::new(),
        docs: escape(&finding.docs).into_owned(),
    });
    findings.collect()
}

/// All of it, what is worst first.
pub(super) fn problems(report: &Report) -> Vec<Problem> {
    let mut problems = of_outcome(report);
    problems.extend(report.requirements.iter().filter_map(of_requirement));
    problems.extend(of_exploration(report));
    problems.extend(of_findings(report));
    problems.sort_by_key(|problem| match problem.severity {
        "error" => 0,
        "warning" => 1,
        _ => 2,
    });
    problems
}

/// The set, as `NAMESPACE/NAME`.
pub(super) fn set_of(report: &Report) -> String {
    let metadata = &report.metadata;
    format!("{}/{}", escape(&metadata.namespace), escape(&metadata.name))
}
