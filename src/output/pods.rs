//! The pods of a set by revision, with their state and fate.

use std::collections::{BTreeMap, BTreeSet};

use super::alike::runs;
use super::limits::Limits;
use super::style::{Style, Tone, escape};
use super::table::{Column, Look, Row, ShrinkPriority, Table};
use super::words::spaced;
use sts_plan::report::{
    ObstacleReason, OperationKind, Phase, PodFate, Report, ReportReason, SetPod,
};

const COLUMNS: [Column; 3] = [
    Column::new("REVISION", ShrinkPriority::Never, Look::Name),
    Column::new("PODS", ShrinkPriority::Wraps, Look::Name),
    Column::new("STATE", ShrinkPriority::Wraps, Look::Text),
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
    let mut rows = Vec::new();
    for Revision { label, pods } in by_revision(report) {
        let mut states: Vec<(String, Tone, Vec<&str>)> = Vec::new();
        for pod in pods {
            match states.iter_mut().find(|(state, ..)| *state == pod.state) {
                Some((.., names)) => names.push(pod.name),
                None => states.push((pod.state, pod.tone, vec![pod.name])),
            }
        }
        rows.extend(states.into_iter().map(|(state, tone, names)| {
            let names = compact(&names, limits.listed);
            Row::Cells(tone, vec![label.clone(), names, state])
        }));
    }
    if rows.is_empty() {
        return None;
    }
    let table = Table {
        thing: "group of pods",
        // As many as the names need.
        lines: usize::MAX,
        ..Table::new(COLUMNS.to_vec(), rows)
    };
    let set = report.metadata.name.as_str();
    Some(table.within(style, std::iter::repeat(set), 0))
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

/// Lists names, with runs of consecutive ordinals as ranges. Names beyond `most` entries are counted.
pub(super) fn compact(pods: &[&str], most: usize) -> String {
    let neighbors = |a: &str, b: &str| {
        let parent = |pod: &str| pod.rsplit_once('-').map(|(parent, _)| parent.to_owned());
        match (ordinal(a), ordinal(b)) {
            (Some(a_at), Some(b_at)) => a_at.checked_sub(1) == Some(b_at) && parent(a) == parent(b),
            _ => false,
        }
    };
    let runs = runs(pods, RUN, |a, b| neighbors(a, b));
    let mut entries: Vec<String> = Vec::new();
    for run in runs.iter().take(most) {
        entries.push(match &pods[run.clone()] {
            [highest, .., lowest] => format!("{}..{}", escape(lowest), escape(highest)),
            run => run.iter().map(|pod| escape(pod)).collect(),
        });
    }
    let more: usize = runs.iter().skip(most).map(ExactSizeIterator::len).sum();
    if more > 0 {
        entries.push(format!("… {} more", spaced(more)));
    }
    entries.join(" ")
}

#[cfg(test)]
mod tests {
    use super::compact;

    #[test]
    fn names_are_put_together_but_never_cut() {
        let pods: Vec<String> = (0..9998).rev().map(|at| format!("web-{at}")).collect();
        let pods: Vec<&str> = pods.iter().map(String::as_str).collect();
        assert_eq!(compact(&pods, 4), "web-0..web-9997");
        assert_eq!(compact(&pods[..2], 4), "web-9997 web-9996");
        let apart = ["web-8", "web-6", "web-4"];
        assert_eq!(compact(&apart, 4), "web-8 web-6 web-4");
        assert_eq!(compact(&apart, 2), "web-8 web-6 … 1 more");
        let some = [&apart[..], &pods[..9000]].concat();
        assert_eq!(compact(&some, 3), "web-8 web-6 web-4 … 9 000 more");
    }
}
