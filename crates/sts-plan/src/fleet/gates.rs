//! Gates of a run: the conditions that fail, for which sets and why. They are judged from the reports.

use std::fmt;

use super::{FailOn, SetName};
use crate::analysis::{NotChecked, Verdict};
use crate::lint::{RuleId, Severity};
use crate::report::{Finding, PlanResult, Report};

/// Gate that failed for a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedGate {
    /// Gate.
    pub gate: Gate,
    /// Set.
    pub set: SetName,
    /// Reason.
    pub failure: GateFailure,
}

/// Gate of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    /// Requested condition.
    Condition(FailOn),
    /// Input without contradictions, which every run with a gate requires.
    ConsistentInput,
}

/// Reason why a gate fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GateFailure {
    /// The plan has this result.
    Result(PlanResult),
    /// The answer to a question fails, such as a drain that leaves a pod behind, as this sentence says.
    Answer(String),
    /// The plan has this finding.
    Finding(Severity, RuleId),
    /// An answer over all sets says so much, in this sentence.
    Effect(String),
    /// The plan completes only on this condition, and the evidence speaks against it.
    AgainstEvidence(String),
    /// The input cannot tell, as this sentence says.
    Unknown(String),
    /// The input lacks the objects that the condition is about.
    NotChecked(NotChecked),
    /// The input contradicts itself, as these sentences say.
    Inconsistent(Vec<String>),
}

/// Returns why a condition fails for a report by an answer over all sets; `None` if it does not.
pub type JudgeOverSets<'j> = dyn Fn(FailOn, &Report) -> Option<GateFailure> + 'j;

/// Gates of a run that are not conditions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OtherGates {
    /// True if a blocked plan fails the run by its exit code.
    pub detailed_exitcode: bool,
    /// True if the run has requirements.
    pub requirements: bool,
}

/// Judges the reports of a run: the conditions of each report, then its input.
#[must_use]
pub fn judge(
    reports: &[Report],
    conditions: &[Vec<FailOn>],
    over_sets: &JudgeOverSets<'_>,
    others: OtherGates,
) -> Vec<FailedGate> {
    let of_conditions = reports.iter().zip(conditions).flat_map(|(report, words)| {
        words.iter().filter_map(move |word| {
            let failure = judge_one(*word, report).or_else(|| over_sets(*word, report))?;
            Some(failed(Gate::Condition(*word), report, failure))
        })
    });
    let mut all: Vec<FailedGate> = of_conditions.collect();
    let requires = |report: &Report| {
        let mut checks = report.checks().into_iter();
        checks.any(|check| check.reason_on_assumption.is_some())
    };
    let has_gate = others != OtherGates::default()
        || conditions.iter().any(|words| !words.is_empty())
        || reports.iter().any(requires);
    if has_gate {
        let inconsistent = reports.iter().zip(conditions).filter(|(report, words)| {
            let fails = others.detailed_exitcode || words.contains(&FailOn::Blocked);
            is_inconsistent(report) && !(fails && is_stuck_anyway(report))
        });
        all.extend(inconsistent.map(|(report, _)| {
            let failure = GateFailure::Inconsistent(report.input.missing.clone());
            failed(Gate::ConsistentInput, report, failure)
        }));
    }
    all
}

fn failed(gate: Gate, report: &Report, failure: GateFailure) -> FailedGate {
    FailedGate {
        gate,
        set: SetName::of(report),
        failure,
    }
}

/// Reports whether the input contradicts itself, unless that is ignored by its ID.
fn is_inconsistent(report: &Report) -> bool {
    let mut findings = report.findings.iter();
    !report.input.missing.is_empty()
        && findings.any(|finding| finding.id == RuleId::IncompleteInput)
}

/// Reports whether a set is stuck whatever the input lacks. The exit code of a blocked plan then says more.
fn is_stuck_anyway(report: &Report) -> bool {
    report.analysis.verdict != Verdict::IncompleteInput
        && report.outcome.result == PlanResult::Blocked
}

/// Returns the objects of a condition if the input lacks them.
fn not_checked(condition: FailOn, report: &Report) -> Option<NotChecked> {
    let about = match condition {
        FailOn::Pdb => NotChecked::Budgets,
        FailOn::DataLoss => NotChecked::Claims,
        _ => return None,
    };
    report.input.not_checked.contains(&about).then_some(about)
}

/// Returns the first assumption on which a good outcome rests, and that what was read speaks against.
pub(super) fn against_evidence(report: &Report) -> Option<String> {
    let found = report.assumed.iter().find(|it| it.against_evidence)?;
    Some(format!("{}, although {}", found.what, found.why))
}

/// Returns the first thing that the input cannot tell.
fn unknown(report: &Report) -> Option<GateFailure> {
    let input = &report.input;
    if !input.missing.is_empty() {
        return Some(GateFailure::Inconsistent(input.missing.clone()));
    }
    let unread = report.assumed.iter().find(|it| it.unknown);
    let unread = unread.map(|it| GateFailure::Unknown(it.what.clone()));
    unread.or_else(|| Some(GateFailure::NotChecked(*input.not_checked.first()?)))
}

/// Judges a report by a condition; `None` if it does not fail.
fn judge_one(condition: FailOn, report: &Report) -> Option<GateFailure> {
    if let Some(about) = not_checked(condition, report) {
        return Some(GateFailure::NotChecked(about));
    }
    let result = report.outcome.result;
    let found = |wanted: &dyn Fn(&Finding) -> bool| {
        let finding = report.findings.iter().find(|finding| wanted(finding))?;
        Some(GateFailure::Finding(finding.severity, finding.id))
    };
    match condition {
        FailOn::Blocked => {
            let failure = report.failure();
            let blocked = matches!(result, PlanResult::Blocked | PlanResult::Livelock);
            match (failure, blocked) {
                (Some(failure), _) => Some(GateFailure::Answer(failure)),
                (None, true) => Some(GateFailure::Result(result)),
                (None, false) => against_evidence(report).map(GateFailure::AgainstEvidence),
            }
        }
        FailOn::Unknown => unknown(report),
        FailOn::Rejected => (result == PlanResult::Rejected).then_some(GateFailure::Result(result)),
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

/// `pdb: prod/web: warning STS015`.
impl fmt::Display for FailedGate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FailedGate { gate, set, failure } = self;
        write!(out, "{gate}: {}/{}: {failure}", set.namespace, set.name)
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Gate::Condition(condition) => condition.fmt(out),
            Gate::ConsistentInput => out.write_str("incomplete input"),
        }
    }
}

impl fmt::Display for GateFailure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GateFailure::Result(result) => result.fmt(out),
            GateFailure::Answer(sentence) | GateFailure::Effect(sentence) => {
                out.write_str(sentence)
            }
            GateFailure::Finding(severity, id) => write!(out, "{severity} {id}"),
            GateFailure::AgainstEvidence(condition) => {
                write!(out, "completes only if {condition}")
            }
            GateFailure::Unknown(what) => write!(out, "not known: {what}"),
            GateFailure::NotChecked(about) => {
                let gap = match about {
                    NotChecked::Budgets => {
                        "no PodDisruptionBudget in an input that may be incomplete"
                    }
                    NotChecked::Claims => "the claims of the set are not in the input",
                    NotChecked::Nodes => "the nodes are not in the input",
                    NotChecked::Events => "the events are not in the input",
                };
                write!(out, "not checked: {gap}")
            }
            GateFailure::Inconsistent(missing) => out.write_str(&missing.join("; ")),
        }
    }
}
