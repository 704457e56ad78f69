//! What makes a run fail: docs/contract.md, "Exit codes". The exit code is read off the reports that are printed.

use std::fmt;
use std::str::FromStr;

use crate::cli::exit::Exit;
use crate::request::PlanRequest;
use sts_plan::analysis::{NotChecked, Verdict};
use sts_plan::lint;
use sts_plan::lint::{RuleId, Severity};
use sts_plan::report::{Finding, PlanResult, Report};

/// One word of `--fail-on`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailOn {
    /// A set never gets where it should be.
    Blocked,
    /// The API server would refuse the change.
    Rejected,
    /// A finding of this severity or above.
    Severity(Severity),
    /// A finding of the rule with this id.
    Rule(RuleId),
    /// Claims go with what they hold: STS003, at warning or above.
    DataLoss,
    /// For some time no pod is ready: STS023.
    Downtime,
    /// More pods are down than a PodDisruptionBudget allows: STS015 and STS016.
    Pdb,
}

/// The words that are no ids.
const WORDS: [(&str, FailOn); 8] = [
    ("blocked", FailOn::Blocked),
    ("rejected", FailOn::Rejected),
    ("data-loss", FailOn::DataLoss),
    ("downtime", FailOn::Downtime),
    ("pdb", FailOn::Pdb),
    ("error", FailOn::Severity(Severity::Error)),
    ("warning", FailOn::Severity(Severity::Warning)),
    ("info", FailOn::Severity(Severity::Info)),
];

/// All that there is to fail on, each with what it means where that is not the word itself: the words, and the ids
/// of rules.
pub fn words() -> impl Iterator<Item = (&'static str, &'static str)> {
    let ids = lint::RULES.iter().map(|rule| (rule.id.name(), rule.title));
    WORDS.iter().map(|(word, _)| (*word, "")).chain(ids)
}

impl FromStr for FailOn {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let word = WORDS.iter().find(|(word, _)| *word == text);
        if let Some((_, found)) = word {
            return Ok(*found);
        }
        let rules = lint::rules_called(text).into_iter();
        let rule = rules.map(|rule| FailOn::Rule(rule.id)).next();
        rule.ok_or_else(|| {
            let words: Vec<&str> = WORDS.iter().map(|(word, _)| *word).collect();
            format!(
                "{text:?} is nothing to fail on: there are {}, and the ids of rules ({} to {}) and their names",
                words.join(", "),
                lint::RULES[0].id,
                lint::RULES[lint::RULES.len() - 1].id,
            )
        })
    }
}

impl fmt::Display for FailOn {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let FailOn::Rule(id) = self {
            return id.fmt(out);
        }
        let word = WORDS.iter().find(|(_, word)| word == self);
        out.write_str(word.map_or("", |(word, _)| word))
    }
}

impl FailOn {
    /// Why nothing can be said under this word, since the input does not show what it is about.
    fn not_checked(self, report: &Report) -> Option<&'static str> {
        let lacks = |what| report.input.not_checked.contains(&what);
        match self {
            FailOn::Pdb if lacks(NotChecked::Budgets) => Some(
                "not checked: there is no PodDisruptionBudget in the input, which does not say that it is complete",
            ),
            FailOn::DataLoss if lacks(NotChecked::Claims) => {
                Some("not checked: the claims of the set are not in the input")
            }
            _ => None,
        }
    }

    /// What a report comes to under this word, and why; `None` when it does not concern it.
    fn judge(self, report: &Report) -> Option<(Exit, String)> {
        if let Some(why) = self.not_checked(report) {
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
        match self {
            FailOn::Blocked => matches!(result, PlanResult::Blocked | PlanResult::Livelock)
                .then(|| (Exit::Blocked, result.to_string())),
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
            FailOn::Pdb => found(&|finding| {
                matches!(finding.id, RuleId::BudgetPassedBy | RuleId::BudgetShared)
            }),
        }
    }
}

/// What the reports come to under all gates of a request: the worst exit code, and a line for each reason. `words` has
/// what each report fails on.
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

/// A line for each report whose input contradicts itself, unless that is ignored by its id: no gate is green on it.
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
            "incomplete input on {}/{}: {missing}",
            set.namespace, set.name
        )
    })
}

/// What the reports come to under these words: the worst exit code, and a line for each reason:
/// `pdb: warning STS015 on prod/web`.
#[must_use]
fn judge(words: &[Vec<FailOn>], reports: &[Report]) -> (Exit, Vec<String>) {
    let mut worst = Exit::Done;
    let mut reasons = Vec::new();
    for (report, words) in reports.iter().zip(words) {
        let set = &report.metadata;
        for word in words {
            if let Some((exit, why)) = word.judge(report) {
                worst = worst.worse(exit);
                reasons.push(format!("{word}: {why} on {}/{}", set.namespace, set.name));
            }
        }
    }
    (worst, reasons)
}
