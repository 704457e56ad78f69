//! The tree of `-o wide`: the set's revisions, the pods of each, and their claims. On a terminal, where a tree of
//! thousands would push everything else away, pods that are alike are counted; other outputs have them all.

use std::collections::BTreeSet;
use std::ops::Range;

use super::limits::Limits;
use super::pods::{Group, created, group, label, state};
use super::style::{Style, Tone, escape};
use super::table::{Column, Give, Look, Row, Table};
use super::words::spaced;
use sts_plan::report::{Report, Resource, SetPod};

const COLUMNS: [Column; 4] = [
    Column::new("OBJECT", Give::Never, Look::Name),
    Column::new("READY", Give::Never, Look::Text),
    Column::new("NODE", Give::Never, Look::Name),
    Column::new("STATE", Give::Never, Look::Text),
];

/// The lines before an entry and before what is below it, if more entries follow and if none does.
const GOES_ON: [&str; 2] = ["├─ ", "│  "];
const ENDS: [&str; 2] = ["└─ ", "   "];

/// A pod of the tree, at the beginning or yet to come.
struct Leaf<'r> {
    name: &'r str,
    revision: &'r str,
    there: Option<&'r SetPod>,
    tone: Tone,
    state: String,
    claims: Vec<(String, Tone, &'static str)>,
}

impl Leaf<'_> {
    fn is_like(&self, other: &Leaf<'_>) -> bool {
        let claims = |leaf: &Leaf<'_>| -> Vec<&str> {
            leaf.claims.iter().map(|(_, _, state)| *state).collect()
        };
        self.state == other.state
            && is_ready(self) == is_ready(other)
            && claims(self) == claims(other)
    }
}

/// The tree, with a row for each object.
pub(super) fn table(report: &Report, limits: &Limits, style: &Style) -> Table {
    let claims = Claims::of(report);
    let created = created(report);
    let missing = &report.outcome.missing;
    // From the highest ordinal down, as updates go.
    let mut leaves: Vec<Leaf<'_>> = Vec::new();
    for pod in report.set.pods.iter().rev() {
        let (tone, state) = state(report, pod);
        leaves.push(Leaf {
            name: &pod.name,
            revision: &pod.revision,
            there: Some(pod),
            tone,
            state,
            claims: claims.of_pod(&pod.name),
        });
    }
    for (pod, revision) in created.iter().rev() {
        leaves.push(Leaf {
            name: pod,
            revision,
            there: None,
            tone: Tone::Busy,
            state: "will be created".to_owned(),
            claims: claims.of_pod(pod),
        });
    }
    let mut groups: Vec<(Group<'_>, Vec<Leaf<'_>>)> = Vec::new();
    for leaf in leaves {
        let of = group(report, leaf.revision);
        match groups.iter_mut().find(|(known, _)| *known == of) {
            Some((_, leaves)) => leaves.push(leaf),
            None => groups.push((of, vec![leaf])),
        }
    }
    groups.sort_by(|(a, _), (b, _)| a.cmp(b));

    let name = escape(&report.metadata.name);
    let mut rows = vec![row(
        Tone::Strong,
        [
            format!("statefulset/{name}"),
            super::overview::ready(report),
        ],
    )];
    let branches = groups.len() + usize::from(!missing.is_empty());
    for (at, (group, leaves)) in groups.iter().enumerate() {
        let [before, below] = branch(at, branches);
        let revision = format!("{before}{}", label(report, group));
        let ready = leaves.iter().filter(|leaf| is_ready(leaf)).count();
        rows.push(row(
            Tone::Plain,
            [revision, format!("{ready}/{}", leaves.len())],
        ));
        let mut at = 0;
        for run in leaves.chunk_by(|a, b| a.is_like(b)) {
            let cut = cut(run.len(), limits, style);
            for (within, leaf) in run.iter().enumerate() {
                if within == cut.start && !cut.is_empty() {
                    rows.push(more(&cut));
                }
                if !cut.contains(&within) {
                    pod_rows(leaf, below, branch(at + within, leaves.len()), &mut rows);
                }
            }
            at += run.len();
        }
    }
    if !missing.is_empty() {
        rows.push(row(
            Tone::Bad,
            [
                format!("{}(missing)", ENDS[0]),
                format!("0/{}", missing.len()),
            ],
        ));
        let cut = cut(missing.len(), limits, style);
        for (at, pod) in missing.iter().enumerate() {
            if at == cut.start && !cut.is_empty() {
                rows.push(more(&cut));
            }
            if cut.contains(&at) {
                continue;
            }
            let [before, _] = branch(at, missing.len());
            let object = format!("{}{before}pod/{}", ENDS[1], escape(pod));
            let state = "missing, not created".to_owned();
            rows.push(Row::Cells(
                Tone::Bad,
                vec![object, "no".to_owned(), "-".to_owned(), state],
            ));
        }
    }
    Table::new(COLUMNS.to_vec(), rows)
}

/// A pod, and below it its claims.
fn pod_rows(leaf: &Leaf<'_>, above: &str, [before, below]: [&str; 2], rows: &mut Vec<Row>) {
    let node = leaf.there.and_then(|pod| pod.node.as_deref());
    rows.push(Row::Cells(
        leaf.tone,
        vec![
            format!("{above}{before}pod/{}", escape(leaf.name)),
            if is_ready(leaf) { "yes" } else { "no" }.to_owned(),
            node.map_or_else(|| "-".to_owned(), |node| escape(node).into_owned()),
            leaf.state.clone(),
        ],
    ));
    for (at, (claim, tone, state)) in leaf.claims.iter().enumerate() {
        let [before, _] = branch(at, leaf.claims.len());
        let object = format!("{above}{below}{before}pvc/{}", escape(claim));
        let cells = vec![object, "-".to_owned(), "-".to_owned(), (*state).to_owned()];
        rows.push(Row::Cells(*tone, cells));
    }
}

/// Returns the range, among so many pods that are alike, that is counted and not shown.
fn cut(alike: usize, limits: &Limits, style: &Style) -> Range<usize> {
    let most = limits.rows;
    match style.width {
        Some(_) if alike > most => most / 2..alike - most / 2 + 1,
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
                    (true, true) => (Tone::Plain, "stays"),
                    (true, false) => (Tone::Bad, "will be removed"),
                    (false, true) => (Tone::Busy, "will be created"),
                    (false, false) => (Tone::Plain, "is not there"),
                };
                (claim, tone, state)
            })
            .collect()
    }
}

fn is_ready(leaf: &Leaf<'_>) -> bool {
    leaf.there.is_some_and(|pod| pod.ready && !pod.terminating)
}

fn branch(at: usize, of: usize) -> [&'static str; 2] {
    if at + 1 == of { ENDS } else { GOES_ON }
}

fn row(tone: Tone, [object, ready]: [String; 2]) -> Row {
    Row::Cells(tone, vec![object, ready, String::new(), String::new()])
}
