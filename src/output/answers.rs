//! Alarms that a reader has to see right after the verdict, and the answers to further questions, for every format.

use super::problem::{of_exploration, of_requirement};
use super::style::escape;
use super::words::spaced;
use super::{branches, partitions};
use sts_plan::report::{Finding, PlanResult, Report, RuleId, Severity};

/// An answer: a table, or a sentence.
pub(super) struct Answer {
    /// The question, as a title.
    pub(super) title: &'static str,
    /// The answer in one sentence, or what is to be said besides the table; empty when nothing is.
    pub(super) text: String,
    /// The headers of the table; empty where there is none.
    pub(super) headers: Vec<&'static str>,
    /// Its rows.
    pub(super) rows: Vec<Vec<String>>,
}

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
    findings.filter(|finding| finding.severity == Severity::Error && !is_told(report, finding))
}

fn harm(finding: &Finding) -> String {
    let mut text = format!("{} {}", finding.severity, finding.id);
    if !finding.object.is_empty() {
        text.push_str(&format!(" {}", escape(&finding.object)));
    }
    format!("{text}: {}", escape(&finding.message))
}

/// Reports whether the verdict and its remedies have told of a finding already, in more detail.
pub(super) fn is_told(report: &Report, finding: &Finding) -> bool {
    match finding.id {
        RuleId::Blocked | RuleId::Rejected | RuleId::IncompleteInput => true,
        RuleId::ForcedRollback => report.outcome.result == PlanResult::Blocked,
        // Of what is foreseen the verdict tells the pod and the reason; the other pods it does not tell.
        RuleId::StorageClass
        | RuleId::ClaimPending
        | RuleId::NoNode
        | RuleId::TooFewNodes
        | RuleId::MissingConfig => {
            let clause = finding.message.split("; ").next().unwrap_or_default();
            report.outcome.result == PlanResult::Blocked
                && report.next.summary.contains(clause)
                && !finding.message.contains("the same holds for")
        }
        _ => false,
    }
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

/// The answers to what was asked besides what happens; empty when nothing was.
pub(super) fn answers(report: &Report) -> Vec<Answer> {
    let mut answers = Vec::new();
    if !report.requirements.is_empty() {
        let rows = report.requirements.iter().map(|requirement| {
            let answer = match of_requirement(report, requirement) {
                Some(problem) => problem.message,
                None => "holds all the way".to_owned(),
            };
            vec![escape(&requirement.text).into_owned(), answer]
        });
        answers.push(Answer {
            title: "Required",
            text: String::new(),
            headers: vec!["Requirement", "Answer"],
            rows: rows.collect(),
        });
    }
    if let Some(exploration) = &report.exploration {
        let steps = exploration.counterexample.iter();
        let steps = steps.flat_map(|found| &found.steps);
        let rows: Vec<Vec<String>> = (1..)
            .zip(steps)
            .map(|(number, step)| vec![format!("{number}"), escape(step).into_owned()])
            .collect();
        answers.push(Answer {
            title: "Every order of events",
            text: escape(&exploration.summary).into_owned(),
            headers: match rows.is_empty() {
                true => Vec::new(),
                false => vec!["Step", "What happens"],
            },
            rows,
        });
    }
    if let Some(found) = &report.branches
        && !report.branches_beside_steps
    {
        let rows = found
            .items
            .iter()
            .map(|branch| branches::cells(report, branch));
        answers.push(Answer {
            title: "If a pod never gets ready",
            text: match (found.items.len(), found.left_out) {
                (0, _) => "No pod has to become ready.".to_owned(),
                (_, 0) => String::new(),
                (_, more) => format!("{} more pods in between were not looked at.", spaced(more)),
            },
            headers: vec![
                "Pod",
                "On revision",
                "If it never gets ready",
                "Then ready",
                "Recovery",
            ],
            rows: rows.collect(),
        });
    }
    if let Some(found) = &report.partitions {
        let rows = found
            .items
            .iter()
            .flat_map(|it| partitions::plain(report, it));
        answers.push(Answer {
            title: "Partitions",
            text: match (found.skipped, found.left_out) {
                (Some(why), _) => format!("No partitions: {why}."),
                (None, 0) => String::new(),
                (None, more) => format!(
                    "{} more partitions in between were not tried.",
                    spaced(more)
                ),
            },
            headers: vec![
                "Partition",
                "At rest",
                "Revision",
                "Restarted then, comes back on",
            ],
            rows: rows.collect(),
        });
    }
    for answer in &mut answers {
        if answer.rows.is_empty() {
            answer.headers.clear();
        }
    }
    answers
}
