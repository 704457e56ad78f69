//! The outcome of the rollout if pods fail: a row for each pod or pair, or a column of the operations.

use super::document::Scope;
use super::style::{Tone, escape};
use super::table::{Column, Look, Row, ShrinkPriority, Table};
use super::words::{count, elapsed, short_revision, spaced};
use sts_plan::report::{PlanResult, Recovery, Report, ReportBranch, ReportBranches};

const COLUMNS: [Column; 5] = [
    Column::new("POD", ShrinkPriority::Never, Look::Name),
    Column::new("REVISION", ShrinkPriority::Never, Look::Name),
    Column::new("IF IT FAILS", ShrinkPriority::Second, Look::Text),
    Column::new("STILL READY", ShrinkPriority::First, Look::Text),
    Column::new("RECOVERY", ShrinkPriority::Never, Look::Text),
];

/// The answer if no pod can fail.
pub(super) const NONE: &str = "No pod is ready or expected to become ready.";

/// A row for each checked pod or pair.
pub(super) fn table(report: &Report, found: &ReportBranches, scope: &Scope<'_>) -> Table {
    let rows = found.items.iter().map(|branch| row(report, branch));
    let mut rows: Vec<Row> = rows.collect();
    if found.left_out > 0 {
        let more = spaced(found.left_out);
        let note = Row::Note(format!("… {more} more in between not checked"));
        rows.insert(found.items.len().div_ceil(2), note);
    }
    let table = Table {
        title: "If pods fail",
        lines: scope.limits.lines,
        ..Table::new(COLUMNS.to_vec(), rows)
    };
    let set = report.metadata.name.as_str();
    table.within(scope.style, std::iter::repeat(set), 0)
}

fn row(report: &Report, branch: &ReportBranch) -> Row {
    let tone = match branch.result {
        PlanResult::Complete => Tone::Plain,
        _ if branch.recovery == Recovery::RevertAlone => Tone::Busy,
        PlanResult::Blocked | PlanResult::Livelock | PlanResult::Rejected => Tone::Bad,
    };
    Row::Cells(tone, cells(report, branch))
}

fn cells(report: &Report, branch: &ReportBranch) -> Vec<String> {
    let set = &report.metadata.name;
    let hash = |revision: &str| escape(short_revision(revision, set)).into_owned();
    let ready: Vec<String> = branch
        .ready
        .iter()
        .map(|(revision, pods)| format!("{pods} on {}", hash(revision)))
        .collect();
    let name = |pod: &str, was_ready: bool| match was_ready {
        true => format!("{} (ready now)", escape(pod)),
        false => escape(pod).into_owned(),
    };
    let first = name(&branch.pod, branch.was_ready);
    let (pods, revisions) = match &branch.with {
        None => (first, hash(&branch.revision)),
        Some(with) => {
            let second = name(&with.pod, with.was_ready);
            let revisions = match with.revision == branch.revision {
                true => hash(&branch.revision),
                false => format!("{}, {}", hash(&branch.revision), hash(&with.revision)),
            };
            (format!("{first}, {second}"), revisions)
        }
    };
    let ready = match ready.is_empty() {
        true => "none".to_owned(),
        false => ready.join(", "),
    };
    let ready = match branch.loses_quorum {
        true => format!("{ready}; quorum lost (lowest {})", branch.lowest_ready),
        false => ready,
    };
    vec![pods, revisions, stops(branch), ready, recovery(branch)]
}

/// Describes the point at which the rollout stops.
fn stops(branch: &ReportBranch) -> String {
    let at = elapsed(branch.ends_at);
    match branch.result {
        PlanResult::Complete if branch.was_ready => "completes anyway".to_owned(),
        PlanResult::Complete => "continues without it".to_owned(),
        PlanResult::Livelock => "never settles (livelock)".to_owned(),
        PlanResult::Blocked | PlanResult::Rejected => {
            let (outdated, missing) = (branch.outdated.len(), branch.missing.len());
            let left = match (outdated, missing) {
                (0, 0) => "all others updated".to_owned(),
                (0, missing) => format!("{} missing", count(missing, "pod")),
                (outdated, 0) => format!("{} not updated", count(outdated, "pod")),
                (outdated, missing) => {
                    format!("{} not updated, {missing} missing", count(outdated, "pod"))
                }
            };
            format!("stops at {at}, {left}")
        }
    }
}

fn recovery(branch: &ReportBranch) -> String {
    // Either pod of a pair may block the rollout.
    let pod = || match &branch.with {
        None => escape(&branch.pod).into_owned(),
        Some(with) if branch.was_ready && with.was_ready => {
            format!("{} and {}", escape(&branch.pod), escape(&with.pod))
        }
        Some(with) => format!("{} or {}", escape(&branch.pod), escape(&with.pod)),
    };
    match branch.recovery {
        Recovery::RevertAlone => "revert only".to_owned(),
        Recovery::RevertAndDelete => format!("revert, then delete {}", pod()),
        Recovery::DeleteAlone => format!("delete {}", pod()),
        Recovery::NotNeeded => "-".to_owned(),
        Recovery::Neither => "none: neither revert nor delete helps".to_owned(),
    }
}

/// Returns the short form for a column of the operations.
pub(super) fn in_short(report: &Report, pod: &str, revision: Option<&str>) -> Option<String> {
    let branches = report
        .step_branches
        .iter()
        .flat_map(|branches| &branches.items);
    let branch = branches
        .filter(|branch| branch.pod == pod && !branch.was_ready && branch.with.is_none())
        .find(|branch| revision.is_none_or(|revision| branch.revision == revision))?;
    if branch.result == PlanResult::Complete {
        return Some(stops(branch));
    }
    let mut left = match branch.outdated.len() {
        0 => "stops".to_owned(),
        1 => "stops, 1 outdated".to_owned(),
        left => format!("stops, {left} outdated"),
    };
    if !branch.missing.is_empty() {
        left.push_str(&format!(", {} missing", branch.missing.len()));
    }
    Some(format!("{left}; {}", recovery(branch)))
}
