//! Exit code of reports under the gates of a request: docs/contract.md, "Exit codes". It is derived from the printed
//! reports.

use crate::cli::exit::Exit;
use crate::request::PlanRequest;
use sts_plan::analysis::{NotChecked, Verdict};
use sts_plan::fleet::FailOn;
use sts_plan::lint::{RuleId, Severity};
use sts_plan::report::{Finding, PlanResult, Report};

/// Evaluates all gates of a request: returns the worst exit code, and a line for each reason. `words` has the gates
/// of each report.
#[must_use]
pub fn judge_all(
    request: &PlanRequest,
    reports: &[Report],
    words: &[Vec<FailOn>],
) -> (Exit, Vec<String>) {
    let (mut worst, mut reasons) = judge(words, reports);
    let requires = |report: &Report| !report.requirements.is_empty();
    let is_gate = request.gates.detailed_exitcode
        || words.iter().any(|words| !words.is_empty())
        || !request.questions.requirements.is_empty()
        || reports.iter().any(requires);
    if is_gate {
        for reason in incomplete(reports) {
            worst = worst.worse(Exit::Error);
            reasons.push(reason);
        }
    }
    (worst, reasons)
}

/// Returns a line for each report with contradictory input, unless that is ignored by its id: no gate passes on it.
pub fn incomplete(reports: &[Report]) -> impl Iterator<Item = String> {
    let incomplete = reports.iter().filter(|report| {
        let mut findings = report.findings.iter();
        report.analysis.verdict == Verdict::IncompleteInput
            && findings.any(|finding| finding.id == RuleId::IncompleteInput)
    });
    incomplete.map(|report| {
        let set = &report.metadata;
        let missing = report.input.missing.join("; ");
        format!(
            "incomplete input: {}/{}: {missing}",
            set.namespace, set.name
        )
    })
}

/// Evaluates the reports under these words: returns the worst exit code, and a line for each reason: `pdb: prod/web:
/// warning STS015`.
#[must_use]
fn judge(words: &[Vec<FailOn>], reports: &[Report]) -> (Exit, Vec<String>) {
    let mut worst = Exit::Done;
    let mut reasons = Vec::new();
    for (report, words) in reports.iter().zip(words) {
        let set = &report.metadata;
        for word in words {
            if let Some((exit, why)) = judge_one(*word, report) {
                worst = worst.worse(exit);
                reasons.push(format!("{word}: {}/{}: {why}", set.namespace, set.name));
            }
        }
    }
    (worst, reasons)
}

/// Returns the reason why a word cannot be checked: the input lacks the objects.
fn not_checked(word: FailOn, report: &Report) -> Option<&'static str> {
    let lacks = |what| report.input.not_checked.contains(&what);
    match word {
        FailOn::Pdb if lacks(NotChecked::Budgets) => {
            Some("not checked: no PodDisruptionBudget in an input that may be incomplete")
        }
        FailOn::DataLoss if lacks(NotChecked::Claims) => {
            Some("not checked: the claims of the set are not in the input")
        }
        _ => None,
    }
}

/// Evaluates a report under a word: returns the exit code and the reason; `None` if the word does not match.
fn judge_one(word: FailOn, report: &Report) -> Option<(Exit, String)> {
    if let Some(why) = not_checked(word, report) {
        return Some((Exit::Error, why.to_owned()));
    }
    let result = report.outcome.result;
    let found = |wanted: &dyn Fn(&Finding) -> bool| {
        let finding = report.findings.iter().find(|finding| wanted(finding))?;
        Some((
            Exit::Finding,
            format!("{} {}", finding.severity, finding.id),
        ))
    };
    match word {
        FailOn::Blocked => {
            let nodes = report.nodes.as_ref().filter(|nodes| nodes.strands());
            let blocked = matches!(result, PlanResult::Blocked | PlanResult::Livelock);
            match (nodes, blocked) {
                (Some(nodes), _) => Some((Exit::Blocked, nodes.summary.clone())),
                (None, true) => Some((Exit::Blocked, result.to_string())),
                (None, false) => None,
            }
        }
        FailOn::Rejected => {
            (result == PlanResult::Rejected).then(|| (Exit::Rejected, result.to_string()))
        }
        FailOn::Severity(least) => found(&|finding| finding.severity >= least),
        FailOn::Rule(id) => found(&|finding| finding.id == id),
        FailOn::DataLoss => {
            let is_loss = |finding: &Finding| {
                finding.id == RuleId::DataLoss && finding.severity >= Severity::Warning
            };
            found(&is_loss)
        }
        FailOn::Downtime => found(&|finding| finding.id == RuleId::Downtime),
        FailOn::Pdb => {
            found(&|finding| matches!(finding.id, RuleId::PdbExceeded | RuleId::BudgetShared))
        }
        FailOn::Quorum => found(&|finding| matches!(finding.id, RuleId::Quorum | RuleId::Downtime)),
    }
}
