//! The tree of `-o wide`: the set's revisions, their pods, and the claims of those. A terminal shows a count for long runs of
//! like pods; other outputs list them all.

use std::collections::BTreeSet;
use std::ops::Range;

use super::alike::runs;
use super::limits::Limits;
use super::pods::{Pod, Revision, by_revision};
use super::style::{Style, Tone, escape};
use super::table::{Column, Look, Row, ShrinkPriority, Table};
use super::words::spaced;
use sts_plan::report::{Report, Resource};

const COLUMNS: [Column; 4] = [
    Column::new("OBJECT", ShrinkPriority::Never, Look::Name),
    Column::new("READY", ShrinkPriority::Never, Look::Text),
    Column::new("NODE", ShrinkPriority::Never, Look::Name),
    Column::new("STATE", ShrinkPriority::Never, Look::Text),
];

/// The lines before an entry and before its children: of an entry that is not the last, and of the last.
const MIDDLE: [&str; 2] = ["├─ ", "│  "];
const LAST: [&str; 2] = ["└─ ", "   "];

/// A pod with the state of each of its claims.
struct Leaf<'r> {
    pod: Pod<'r>,
    claims: Vec<(String, Tone, &'static str)>,
}

impl Leaf<'_> {
    fn is_like(&self, other: &Leaf<'_>) -> bool {
        let claims = |leaf: &Leaf<'_>| -> Vec<&str> {
            leaf.claims.iter().map(|(_, _, state)| *state).collect()
        };
        self.pod.state == other.pod.state
            && self.is_ready() == other.is_ready()
            && claims(self) == claims(other)
    }

    fn is_ready(&self) -> bool {
        let there = self.pod.there;
        there.is_some_and(|pod| pod.ready && !pod.terminating)
    }
}

/// The tree, with a row for each object.
pub(super) fn table(report: &Report, limits: &Limits, style: &Style) -> Table {
    let claims = Claims::of(report);
    let revisions = by_revision(report);
    let branches = revisions.len();
    let set = format!("statefulset/{}", escape(&report.metadata.name));
    let mut rows = vec![row(Tone::Strong, [set, super::overview::ready(report)])];
    for (at, Revision { label, pods }) in revisions.into_iter().enumerate() {
        let [before, below] = branch(at, branches);
        let leaves = pods.into_iter().map(|pod| Leaf {
            claims: claims.of_pod(pod.name),
            pod,
        });
        let leaves: Vec<Leaf<'_>> = leaves.collect();
        let ready = leaves.iter().filter(|leaf| leaf.is_ready()).count();
        let count = format!("{ready}/{}", leaves.len());
        rows.push(row(Tone::Plain, [format!("{before}{label}"), count]));
        for run in runs(&leaves, 1, Leaf::is_like) {
            let cut = cut(&run, limits, style);
            for at in run {
                if at == cut.start && !cut.is_empty() {
                    rows.push(more(&cut));
                }
                if !cut.contains(&at) {
                    pod_rows(&leaves[at], below, branch(at, leaves.len()), &mut rows);
                }
            }
        }
    }
    Table::new(COLUMNS.to_vec(), rows)
}

/// A pod, and below it its claims.
fn pod_rows(leaf: &Leaf<'_>, above: &str, [before, below]: [&str; 2], rows: &mut Vec<Row>) {
    let pod = &leaf.pod;
    let node = pod.there.and_then(|pod| pod.node.as_deref());
    rows.push(Row::Cells(
        pod.tone,
        vec![
            format!("{above}{before}pod/{}", escape(pod.name)),
            if leaf.is_ready() { "yes" } else { "no" }.to_owned(),
            node.map_or_else(|| "-".to_owned(), |node| escape(node).into_owned()),
            pod.state.clone(),
        ],
    ));
    for (at, (claim, tone, state)) in leaf.claims.iter().enumerate() {
        let [before, _] = branch(at, leaf.claims.len());
        let object = format!("{above}{below}{before}pvc/{}", escape(claim));
        let cells = vec![object, "-".to_owned(), "-".to_owned(), (*state).to_owned()];
        rows.push(Row::Cells(*tone, cells));
    }
}

/// Returns the range within a run of like pods that is counted instead of listed.
fn cut(run: &Range<usize>, limits: &Limits, style: &Style) -> Range<usize> {
    let side = limits.rows / 2;
    match style.width {
        Some(_) if run.len() > limits.rows => run.start + side..run.end - side + 1,
        _ => 0..0,
    }
}

fn more(cut: &Range<usize>) -> Row {
    let number = spaced(cut.len());
    Row::Note(format!("… {number} more pods like these (-v shows all)"))
}

/// The claims of a set, before and after.
struct Claims<'r> {
    templates: &'r [String],
    there: BTreeSet<&'r str>,
    stay: BTreeSet<&'r str>,
}

impl<'r> Claims<'r> {
    fn of(report: &'r Report) -> Self {
        let read = report.read.iter();
        let claims = read.filter(|object| object.resource == Resource::Claims);
        Claims {
            templates: &report.set.claim_templates,
            there: claims.map(|claim| &*claim.name).collect(),
            stay: report.outcome.claims.iter().map(AsRef::as_ref).collect(),
        }
    }

    /// Lists the claims of a pod, with the fate of each.
    fn of_pod(&self, pod: &str) -> Vec<(String, Tone, &'static str)> {
        let names = self.templates.iter();
        names
            .map(|template| {
                let claim = format!("{template}-{pod}");
                let there = self.there.contains(claim.as_str());
                let (tone, state) = match (there, self.stay.contains(claim.as_str())) {
                    (true, true) => (Tone::Plain, "kept"),
                    (true, false) => (Tone::Bad, "will be deleted"),
                    (false, true) => (Tone::Busy, "will be created"),
                    (false, false) => (Tone::Plain, "absent"),
                };
                (claim, tone, state)
            })
            .collect()
    }
}

fn branch(at: usize, of: usize) -> [&'static str; 2] {
    if at + 1 == of { LAST } else { MIDDLE }
}

fn row(tone: Tone, [object, ready]: [String; 2]) -> Row {
    Row::Cells(tone, vec![object, ready, String::new(), String::new()])
}
