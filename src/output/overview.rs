//! The cells of a set's row: settings, next operation, findings.

use super::operation::word;
use super::style::escape;
use super::words::{count, elapsed, spaced};
use sts_plan::report::{Actor, NowSource, OperationKind, Report, Severity};
use sts_plan::verify::Verification;

/// Source of a time that files show.
const NEWEST: &str = "newest in the input";

/// Reports whether the controller writes anything or the user acts.
pub(super) fn has_work(report: &Report) -> bool {
    report.steps.iter().any(|step| {
        let mut writes = step.writes.iter().flatten();
        step.actor == Actor::User || writes.any(|write| write.error.is_none())
    })
}

/// Returns the number of wanted pods that are ready, such as `2/3`.
pub(super) fn ready(report: &Report) -> String {
    let pods = &report.set.pods;
    let ready = pods.iter().filter(|pod| pod.owned && pod.ready).count();
    format!("{ready}/{}", report.set.replicas)
}

/// Returns the next operation, and the number of further ones.
pub(super) fn next(report: &Report) -> String {
    let operations = report.operations.iter();
    let mut done = operations.filter(|it| it.operation != OperationKind::Wait);
    let Some(first) = done.next() else {
        return "update status".to_owned();
    };
    let what = first.pod.as_deref().map_or("claims".into(), escape);
    let word = word(first.operation);
    match done.count() {
        0 => format!("{word} {what}"),
        more => format!("{word} {what} (+{})", spaced(more)),
    }
}

/// Counts the findings by severity: `1 error, 2 warnings, 3 info`.
pub(super) fn findings(report: &Report) -> String {
    let severities = [Severity::Error, Severity::Warning, Severity::Info].into_iter();
    let parts = severities.filter_map(|severity| {
        let found = report.findings.iter();
        match (found.filter(|it| it.severity == severity).count(), severity) {
            (0, _) => None,
            (number, Severity::Info) => Some(format!("{} info", spaced(number))),
            (number, severity) => Some(count(number, severity.name())),
        }
    });
    let parts: Vec<String> = parts.collect();
    match parts.is_empty() {
        true => "-".to_owned(),
        false => parts.join(", "),
    }
}

/// Lists the settings that determine the rollout: replicas, strategy, and the delay between pods.
pub(super) fn facts(report: &Report) -> Vec<String> {
    let set = &report.set;
    if set.unread {
        return vec!["not in the input: planned from its pods".to_owned()];
    }
    let mut strategy = escape(&set.update_strategy).into_owned();
    if let Some(partition) = set.partition.filter(|partition| *partition != 0) {
        strategy.push_str(&format!(" partition={partition}"));
    }
    // 1 is the default.
    if let Some(bound) = set.max_unavailable.as_ref().filter(|bound| *bound != "1") {
        strategy.push_str(&format!(" maxUnavailable={}", escape(bound)));
    }
    let replicas = count(usize::try_from(set.replicas).unwrap_or(0), "replica");
    let mut facts = vec![replicas, strategy, set.pod_management_policy.to_string()];
    if set.start_ordinal != 0 {
        facts.push(format!("start={}", set.start_ordinal));
    }
    if set.min_ready_seconds != 0 {
        facts.push(format!("minReady={}s", set.min_ready_seconds));
    }
    facts
}

/// Names the time of a plan that is as old as its input: `as of 2026-01-31T12:00:00Z (newest in the input)`.
pub(super) fn as_of(report: &Report) -> Option<String> {
    (report.now_source == NowSource::Input)
        .then(|| format!("as of {} ({NEWEST})", escape(&report.now)))
}

/// Says when a verified plan was made: `plan of 2026-01-31T12:00:00Z, 5m ago`.
pub(super) fn plan_age(found: &Verification) -> String {
    let age = elapsed(found.elapsed_seconds);
    let age = match found.now_source {
        NowSource::Input => format!("{age} before {} ({NEWEST})", found.now),
        NowSource::Flag | NowSource::Cluster | NowSource::Clock => format!("{age} ago"),
    };
    format!("plan of {}, {age}", found.plan.now)
}

/// Describes a livelock.
pub(super) fn livelock(report: &Report) -> String {
    // The last operation is part of the cycle; earlier ones may lead up to it.
    match report
        .operations
        .last()
        .and_then(|last| last.pod.as_deref())
    {
        Some(pod) => format!("{} is deleted and recreated indefinitely", escape(pod)),
        None => "the same writes repeat indefinitely".to_owned(),
    }
}
