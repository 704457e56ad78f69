//! The pods of a set by revision, with their state and fate.

use std::collections::{BTreeMap, BTreeSet};

use super::alike::runs;
use super::limits::Limits;
use super::style::{Style, Tone, escape};
use super::table::{Column, Look, Row, ShrinkPriority, Table, columns_of};
use super::words::{spaced, without_set, wrap};
use sts_plan::report::{
    ObstacleReason, OperationKind, Phase, PodFate, Report, ReportReason, SetPod,
};

/// Maximum width of a list of pods if the width of the terminal is unknown.
const LONG: usize = 100;
/// Minimum width of states before names shrink.
const NARROW: usize = 16;

const COLUMNS: [Column; 3] = [
    Column::new("REVISION", ShrinkPriority::Never, Look::Name),
    Column::new("PODS", ShrinkPriority::Never, Look::Name),
    Column::new("STATE", ShrinkPriority::Never, Look::Text),
];

/// An existing or future pod.
pub(super) struct Pod<'r> {
    pub(super) name: &'r str,
    /// The existing pod; `None` for a future one.
    pub(super) there: Option<&'r SetPod>,
    pub(super) tone: Tone,
    pub(super) state: String,
}

/// The pods of a revision, from the highest ordinal down, in the order of updates.
pub(super) struct Revision<'r> {
    pub(super) label: String,
    pub(super) pods: Vec<Pod<'r>>,
}

/// The rank of a revision: the update revision comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Update,
    Current,
    Other,
}

/// The pods by revision, and last the missing pods that are not created.
pub(super) fn by_revision(report: &Report) -> Vec<Revision<'_>> {
    let mut groups: BTreeMap<(Place, &str), Vec<Pod<'_>>> = BTreeMap::new();
    let mut put = |revision, pod| groups.entry(group(report, revision)).or_default().push(pod);
    for pod in report.set.pods.iter().rev() {
        let (tone, state) = state(report, pod);
        let there = Some(pod);
        let name = &*pod.name;
        put(
            &pod.revision,
            Pod {
                name,
                there,
                tone,
                state,
            },
        );
    }
    let not_there = |name, tone, state: &str| Pod {
        name,
        there: None,
        tone,
        state: state.to_owned(),
    };
    let created = created(report);
    for (pod, revision) in created.iter().rev() {
        let name = *pod;
        put(revision, not_there(name, Tone::Busy, "will be created"));
    }
    let refused = ReportReason::Obstacle(ObstacleReason::CreationRefused);
    let is_refused = |pod: &str| {
        let mut obstacles = report.outcome.blocked_by.iter();
        obstacles.any(|it| it.reason == refused && it.pod.as_deref() == Some(pod))
    };
    let missing = report.outcome.missing.iter().map(|pod| {
        let state = match is_refused(pod) {
            true => "missing (creation refused)",
            false => "missing, not created",
        };
        not_there(pod, Tone::Bad, state)
    });
    let none = Revision {
        label: "(none)".to_owned(),
        pods: missing.collect(),
    };
    let groups = groups.into_iter().map(|(group, pods)| Revision {
        label: label(report, group),
        pods,
    });
    let all = groups.chain([none]);
    all.filter(|revision| !revision.pods.is_empty()).collect()
}

/// The table of pods; `None` without pods.
pub(super) fn table(report: &Report, limits: &Limits, style: &Style) -> Option<Table> {
    let revisions = by_revision(report);
    let mut rows: Vec<(Tone, [String; 2], Vec<&str>)> = Vec::new();
    for Revision { label, pods } in &revisions {
        let first = rows.len();
        for pod in pods {
            let mut known = rows[first..].iter_mut();
            match known.find(|(_, [_, state], _)| *state == pod.state) {
                Some((.., names)) => names.push(pod.name),
                None => rows.push((pod.tone, [label.clone(), pod.state.clone()], vec![pod.name])),
            }
        }
    }
    if rows.is_empty() {
        return None;
    }
    let lines = limits.lines;
    let mut room = ColumnBudget::new(&rows, lines, style);
    let shortened: Vec<Vec<String>>;
    if room.is_crowded && !style.verbose {
        let short = |name: &str| without_set(name, &report.metadata.name);
        let names = rows
            .iter()
            .map(|(.., pods)| pods.iter().map(|pod| short(pod)));
        shortened = names.map(Iterator::collect).collect();
        for ((_, [revision, _], pods), short_pods) in rows.iter_mut().zip(&shortened) {
            *revision = short(revision);
            *pods = short_pods.iter().map(String::as_str).collect();
        }
        room = ColumnBudget::new(&rows, lines, style);
    }
    let mut table = Vec::new();
    for (tone, [revision, state], pods) in rows {
        let mut revision = Some(revision);
        let mut pods = compact(&pods, room.pods, lines).into_iter();
        let mut states = wrap(&state, room.states, 0).into_iter();
        loop {
            let beside = (pods.next(), states.next());
            if beside == (None, None) {
                break;
            }
            let cells = [revision.take(), beside.0, beside.1];
            table.push(Row::Cells(
                tone,
                cells.map(Option::unwrap_or_default).to_vec(),
            ));
        }
    }
    Some(Table::new(COLUMNS.to_vec(), table))
}

/// The widths for pods and states: states get what revisions and single names leave, names get the rest.
struct ColumnBudget {
    pods: usize,
    states: Option<usize>,
    /// True if states would wrap to too many lines.
    is_crowded: bool,
}

impl ColumnBudget {
    fn new(rows: &[(Tone, [String; 2], Vec<&str>)], lines: usize, style: &Style) -> Self {
        let revisions = rows
            .iter()
            .map(|(_, [revision, _], _)| columns_of(revision));
        let names = rows.iter().flat_map(|(.., pods)| compact(pods, 0, lines));
        let longest_name = names.map(|name| columns_of(&name)).max().unwrap_or(0);
        let states = rows.iter().map(|(_, [_, state], _)| columns_of(state));
        let longest_state = states.max().unwrap_or(0);
        let room = style
            .width
            .map(|width| width.saturating_sub(revisions.max().unwrap_or(0) + 4));
        let states = room.map(|room| room.saturating_sub(longest_name));
        let taken = states.map_or(longest_state, |room| longest_state.min(room));
        ColumnBudget {
            pods: room.map_or(LONG, |room| room.saturating_sub(taken)),
            states,
            is_crowded: taken < longest_state.min(NARROW),
        }
    }
}

fn group<'r>(report: &Report, revision: &'r str) -> (Place, &'r str) {
    let place = if revision == report.set.update_revision {
        Place::Update
    } else if revision == report.set.current_revision {
        Place::Current
    } else {
        Place::Other
    };
    (place, revision)
}

fn label(report: &Report, (place, revision): (Place, &str)) -> String {
    let revision = escape(revision);
    match place {
        _ if revision.is_empty() => "(no revision)".to_owned(),
        Place::Update if report.set.update_revision == report.set.current_revision => {
            format!("{revision} (current)")
        }
        Place::Update => format!("{revision} (update)"),
        Place::Current => format!("{revision} (current)"),
        Place::Other => format!("{revision} (other)"),
    }
}

/// Describes the fate of a pod; `None` if it stays unchanged.
pub(super) fn fate(report: &Report, pod: &SetPod) -> (Tone, Option<String>) {
    let fine = pod.ready && !pod.terminating;
    // Red for a pod that does not serve, yellow for one that serves but is outdated.
    let unless_serving = if fine { Tone::Busy } else { Tone::Bad };
    match pod.fate {
        PodFate::Kept if fine => (Tone::Good, None),
        PodFate::Kept => (Tone::Busy, None),
        PodFate::Replaced if pod.terminating => (Tone::Busy, Some("will be recreated".to_owned())),
        PodFate::Replaced => (Tone::Busy, Some("will be replaced".to_owned())),
        PodFate::Removed if pod.terminating => (Tone::Busy, None),
        PodFate::Removed => (Tone::Busy, Some("will be deleted".to_owned())),
        PodFate::Adopted => (Tone::Busy, Some("will be adopted".to_owned())),
        PodFate::Released => (Tone::Busy, Some("will be released".to_owned())),
        PodFate::HeldByPartition => {
            let partition = report.set.partition.unwrap_or(0);
            (Tone::Plain, Some(format!("held by partition {partition}")))
        }
        PodFate::OnDelete => (Tone::Plain, Some("waiting for a manual delete".to_owned())),
        PodFate::Outdated => (unless_serving, Some("stays outdated".to_owned())),
        PodFate::Surplus => (unless_serving, Some("surplus, not deleted".to_owned())),
        PodFate::Foreign => (unless_serving, Some("not owned by this set".to_owned())),
    }
}

fn state(report: &Report, pod: &SetPod) -> (Tone, String) {
    let is = condition(pod);
    let (tone, becomes) = fate(report, pod);
    let tone = if pod.waiting.is_some() && !pod.ready {
        Tone::Bad
    } else {
        tone
    };
    (
        tone,
        becomes.map_or_else(|| is.clone(), |becomes| format!("{is}, {becomes}")),
    )
}

fn condition(pod: &SetPod) -> String {
    match (&pod.waiting, pod.phase) {
        _ if pod.terminating => "terminating".to_owned(),
        _ if pod.ready => "ready".to_owned(),
        (_, phase @ (Phase::Failed | Phase::Succeeded)) => phase.name().to_lowercase(),
        (Some(reason), _) => escape(reason).into_owned(),
        (None, Phase::Running | Phase::Unset) => "not ready".to_owned(),
        (None, phase @ (Phase::Pending | Phase::Unknown)) => {
            format!("not ready ({})", phase.name().to_lowercase())
        }
    }
}

/// The pods to be created, by ordinal, each with its revision.
fn created(report: &Report) -> Vec<(&str, &str)> {
    let mut known: BTreeSet<&str> = report.set.pods.iter().map(|pod| &*pod.name).collect();
    let operations = report.operations.iter();
    let creations = operations.filter(|it| it.operation == OperationKind::Create);
    let mut created: Vec<(&str, &str)> = creations
        .filter_map(|it| Some((it.pod.as_deref()?, it.to.as_deref().unwrap_or_default())))
        .filter(|(pod, _)| known.insert(pod))
        .collect();
    created.sort_by_key(|(pod, _)| ordinal(pod));
    created
}

fn ordinal(pod: &str) -> Option<i64> {
    pod.rsplit_once('-')?.1.parse().ok()
}

/// Minimum length of a run that is written as first..last.
const RUN: usize = 4;

/// Lists names, with runs of consecutive ordinals as ranges, in lines of `room` columns but at least one name. Names beyond
/// `lines` lines are counted.
pub(super) fn compact(pods: &[&str], room: usize, lines: usize) -> Vec<String> {
    let neighbors = |a: &str, b: &str| {
        let parent = |pod: &str| pod.rsplit_once('-').map(|(parent, _)| parent.to_owned());
        match (ordinal(a), ordinal(b)) {
            (Some(a_at), Some(b_at)) => a_at.checked_sub(1) == Some(b_at) && parent(a) == parent(b),
            _ => false,
        }
    };
    let mut out = vec![String::new()];
    let mut shown = 0;
    let mut put = |token: String, pods: usize| {
        let full = out.len() == lines;
        let Some(line) = out.last_mut() else { return };
        if line.is_empty() {
            line.push_str(&token);
        } else if columns_of(line) + 1 + columns_of(&token) <= room {
            line.push(' ');
            line.push_str(&token);
        } else if full {
            return;
        } else {
            out.push(token);
        }
        shown += pods;
    };
    for run in runs(pods, RUN, |a, b| neighbors(a, b)) {
        let run = &pods[run];
        match run {
            [highest, .., lowest] => {
                let names = format!("{}..{}", escape(lowest), escape(highest));
                put(names, run.len());
            }
            _ => run.iter().for_each(|pod| put(escape(pod).into_owned(), 1)),
        }
    }
    if let Some(more @ 1..) = pods.len().checked_sub(shown) {
        out.push(format!("… {} more", spaced(more)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::compact;

    #[test]
    fn names_are_put_together_but_never_cut() {
        let pods: Vec<String> = (0..9998).rev().map(|at| format!("web-{at}")).collect();
        let pods: Vec<&str> = pods.iter().map(String::as_str).collect();
        assert_eq!(compact(&pods, 80, 4), ["web-0..web-9997"]);
        assert_eq!(compact(&pods[..2], 80, 4), ["web-9997 web-9996"]);
        let apart = ["web-8", "web-6", "web-4"];
        assert_eq!(compact(&apart, 80, 4), ["web-8 web-6 web-4"]);
        assert_eq!(compact(&apart, 11, 4), ["web-8 web-6", "web-4"]);
        assert_eq!(compact(&apart, 1, 2), ["web-8", "web-6", "… 1 more"]);
    }
}
