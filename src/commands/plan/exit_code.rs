//! Exit code of the plans of a run, without gates: docs/contract.md, "Exit codes".

use crate::cli::exit::Exit;
use sts_plan::fleet::{Fleet, PlanEnd, violation};
use sts_plan::report::Report;

/// Exit code of a run, with the reasons.
pub(super) struct PlansExit {
    /// Worst exit code of any plan.
    pub(super) worst: Exit,
    /// Reason of each exit code, by set.
    reasons: Vec<(Exit, String)>,
}

impl PlansExit {
    /// Returns the exit code of a run. `is_detailed` if it shows the outcome.
    pub(super) fn of(fleet: &Fleet, is_detailed: bool) -> Self {
        let mut exit = PlansExit {
            worst: match fleet.errors.is_empty() {
                true => Exit::Done,
                false => Exit::Error,
            },
            reasons: Vec::new(),
        };
        for (report, end) in fleet.reports.iter().zip(&fleet.ends) {
            let (of_set, reason) = of_set(report, *end, is_detailed);
            exit.worst = exit.worst.worse(of_set);
            let set = &report.metadata;
            let reason = reason.map(|reason| format!("{}/{} {reason}", set.namespace, set.name));
            exit.reasons.extend(reason.map(|reason| (of_set, reason)));
            if is_detailed && report.failure().is_some() {
                exit.worst = exit.worst.worse(Exit::Blocked);
            }
        }
        exit
    }

    /// Returns the reason of an exit code: the first set that has it, and the number of others.
    pub(super) fn reason(&self, exit: Exit) -> Option<String> {
        let mut reasons = self.reasons.iter().filter(|(of, _)| *of == exit);
        let (_, first) = reasons.next()?;
        Some(match reasons.count() {
            0 => first.clone(),
            more => format!("{first}, and {more} more"),
        })
    }
}

/// Returns the exit code of one plan, with its reason.
fn of_set(report: &Report, end: PlanEnd, is_detailed: bool) -> (Exit, Option<String>) {
    let mut exit = match end {
        PlanEnd::Rejected => Exit::Rejected,
        end if is_detailed => Exit::from(end),
        _ => Exit::Done,
    };
    let violation = violation(report);
    if violation.is_some() {
        exit = exit.worse(Exit::Finding);
    }
    let reason = match exit {
        Exit::Work => Some("has work to do and completes".to_owned()),
        Exit::Blocked | Exit::Rejected => Some(result(report)),
        Exit::Finding => violation,
        Exit::Done | Exit::Error | Exit::Interrupted => None,
    };
    (exit, reason)
}

/// Describes the result of a plan, with the last stage that it reaches.
fn result(report: &Report) -> String {
    let result = report.outcome.result;
    let reached = report.stages.iter().filter(|stage| stage.course.is_some());
    match reached.count() {
        0 => format!("is {result}"),
        stage => format!("is {result} in stage {stage}"),
    }
}
