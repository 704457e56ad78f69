//! What a row on a set says: how it is doing, what comes next, what was found.

use super::operation::Kind;
use super::operations::operations;
use super::style::escape;
use super::words::{count, spaced};
use sts_plan::report::{Actor, PlanResult, Report, ReportList, Severity};

/// How a set is doing, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Progress {
    /// It does not get where it should.
    Stuck,
    /// There is something to do.
    Busy,
    /// There is nothing to do.
    Done,
}

/// How the set of a report is doing.
pub(super) fn progress(report: &Report) -> Progress {
    let writes = report
        .steps
        .iter()
        .flat_map(|step| step.writes.iter().flatten());
    match report.outcome.result {
        PlanResult::Complete if writes.clone().any(|write| write.error.is_none()) => Progress::Busy,
        PlanResult::Complete if report.steps.iter().any(|step| step.actor == Actor::User) => {
            Progress::Busy
        }
        PlanResult::Complete => Progress::Done,
        PlanResult::Blocked | PlanResult::Livelock | PlanResult::Rejected => Progress::Stuck,
    }
}

/// How many sets are doing how: `3 sets: 1 stuck, 1 with work to do, 1 with nothing to do`.
pub(super) fn tally(plans: ReportList<'_>) -> String {
    let of = |wanted: Progress| {
        let standings = plans.items.iter().map(progress);
        standings.filter(|progress| *progress == wanted).count()
    };
    let unplanned = match plans.errors.len() {
        0 => String::new(),
        number => format!("{} not planned, ", spaced(number)),
    };
    format!(
        "{}: {unplanned}{} stuck, {} with work to do, {} with nothing to do",
        count(plans.items.len() + plans.errors.len(), "set"),
        of(Progress::Stuck),
        of(Progress::Busy),
        of(Progress::Done)
    )
}

/// The plans with how they are doing: those that are stuck first, then by name.
pub(super) fn worst_first(reports: &[Report]) -> Vec<(Progress, &Report)> {
    let mut sorted: Vec<(Progress, &Report)> = reports
        .iter()
        .map(|report| (progress(report), report))
        .collect();
    sorted.sort_by_key(|(progress, report)| {
        let metadata = &report.metadata;
        (*progress, &metadata.namespace, &metadata.name)
    });
    sorted
}

/// What a stuck set is stuck at.
pub(super) fn blocked_by(progress: Progress, report: &Report) -> String {
    match (progress, report.outcome.blocked_by.first()) {
        (Progress::Stuck, Some(first)) => {
            let pod = first.pod.as_deref().unwrap_or_default();
            format!("{} {}", first.reason, escape(pod))
                .trim_end()
                .to_owned()
        }
        (Progress::Stuck, None) => report.outcome.result.to_string(),
        _ => "-".to_owned(),
    }
}

/// How many of the wanted pods are ready, such as `2/3`.
pub(super) fn ready(report: &Report) -> String {
    let pods = &report.set.pods;
    let ready = pods.iter().filter(|pod| pod.owned && pod.ready).count();
    format!("{ready}/{}", report.set.replicas)
}

/// The first thing that is done to a pod, and how many others follow.
pub(super) fn next(progress: Progress, report: &Report) -> String {
    let operations = operations(report, false);
    let mut done = operations
        .iter()
        .filter(|operation| operation.kind != Kind::Wait);
    match (done.next(), progress) {
        (Some(first), _) => {
            let what = match first.pod {
                "" => "claims".into(),
                pod => escape(pod),
            };
            match done.count() {
                0 => format!("{} {what}", first.word()),
                more => format!("{} {what} (+{})", first.word(), spaced(more)),
            }
        }
        (None, Progress::Busy) => "update status".to_owned(),
        (None, _) => "-".to_owned(),
    }
}

pub(super) fn findings(report: &Report) -> String {
    let all = [Severity::Error, Severity::Warning, Severity::Info];
    let parts = of_severity(std::slice::from_ref(report), &all);
    if parts.is_empty() {
        "-".to_owned()
    } else {
        parts.join(", ")
    }
}

/// How many findings of these severities there are, of each that there is.
fn of_severity(reports: &[Report], severities: &[Severity]) -> Vec<String> {
    let parts = severities.iter().filter_map(|severity| {
        let found = reports.iter().flat_map(|report| &report.findings);
        let number = found.filter(|found| found.severity == *severity).count();
        match (number, *severity) {
            (0, _) => None,
            (number, Severity::Info) => Some(format!("{} info", spaced(number))),
            (number, severity) => Some(count(number, severity.name())),
        }
    });
    parts.collect()
}
