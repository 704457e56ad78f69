//! The rollout if pods fail: a row for each pod or pair, or a few words beside the step that makes a pod ready.

use super::{Recovery, ReportBranch, ReportBranches};
use crate::answer::{
    Answer, AnswerBlock, AnswerRow, AnswerTable, Column, Look, Role, ShrinkPriority, Subject, Tone,
    count, elapsed, short_revision, spaced,
};
use crate::plan::PlanResult;

const COLUMNS: [Column; 5] = [
    Column::new("POD", ShrinkPriority::Never, Look::Name),
    Column::new("REVISION", ShrinkPriority::Never, Look::Name),
    Column::new("IF IT FAILS", ShrinkPriority::Second, Look::Text),
    Column::new("STILL READY", ShrinkPriority::First, Look::Text),
    Column::new("RECOVERY", ShrinkPriority::Never, Look::Text),
];

impl Answer for &ReportBranches {
    fn parts(&self, about: &Subject<'_>) -> Vec<Vec<AnswerBlock>> {
        vec![vec![match self.items.is_empty() {
            true => {
                let text = "No pod is ready or expected to become ready.";
                AnswerBlock::say(Role::Remark, Tone::Plain, "", text)
            }
            false => AnswerBlock::Table(table(self, about.set)),
        }]]
    }
}

impl ReportBranches {
    /// Describes the course of the rollout if a pod never becomes ready on a revision, or on any without one, in a few
    /// words.
    #[must_use]
    pub fn in_short(&self, pod: &str, revision: Option<&str>) -> Option<String> {
        let branches = self.items.iter();
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
}

fn table(found: &ReportBranches, set: &str) -> AnswerTable {
    let shown = found.items.iter().filter(|branch| !branch.stops_before);
    let mut rows: Vec<AnswerRow> = shown.map(|branch| row(branch, set)).collect();
    let like_one = found.items.len() - rows.len();
    if found.left_out > 0 {
        let more = spaced(found.left_out);
        let note = AnswerRow::Note(format!("… {more} more in between not checked"));
        rows.insert(rows.len().div_ceil(2), note);
    }
    if like_one > 0 {
        let pairs = count(like_one, "more pair");
        let text =
            format!("{pairs} like one failure: the rollout stops before the second pod starts");
        rows.push(AnswerRow::Note(text));
    }
    AnswerTable {
        may_omit_middle: true,
        ..AnswerTable::new("If pods fail", "row", &COLUMNS, rows).within_set(set, 0)
    }
}

fn row(branch: &ReportBranch, set: &str) -> AnswerRow {
    let tone = match branch.result {
        PlanResult::Complete => Tone::Plain,
        _ if branch.recovery == Recovery::RevertAlone => Tone::Busy,
        PlanResult::Blocked | PlanResult::Livelock | PlanResult::Rejected => Tone::Bad,
    };
    let hash = |revision: &str| short_revision(revision, set).to_owned();
    let ready = branch.ready.iter();
    let ready = ready.map(|(revision, pods)| format!("{pods} on {}", hash(revision)));
    let ready = match ready.collect::<Vec<_>>() {
        none if none.is_empty() => "none".to_owned(),
        ready => ready.join(", "),
    };
    let name = |pod: &str, was_ready: bool| match was_ready {
        true => format!("{pod} (ready now)"),
        false => pod.to_owned(),
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
    let ready = match branch.loses_quorum {
        true => format!("{ready}; quorum lost (lowest {})", branch.lowest_ready),
        false => ready,
    };
    let cells = [pods, revisions, stops(branch), ready, recovery(branch)];
    AnswerRow::Cells(tone, cells.map(Into::into).into())
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
    let pod = || branch.deletes.join(" and ");
    match branch.recovery {
        Recovery::RevertAlone => "revert only".to_owned(),
        Recovery::RevertAndDelete => format!("revert, then delete {}", pod()),
        Recovery::DeleteAlone => format!("delete {}", pod()),
        Recovery::NotNeeded => "-".to_owned(),
        Recovery::Neither => "none: neither revert nor delete helps".to_owned(),
    }
}
