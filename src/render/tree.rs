//! The tree of `-o wide`: the set's revisions, the pods of each, and their claims.

use std::collections::BTreeSet;

use super::pods::{Group, created, group, label, missing, state};
use super::style::{Tone, escape};
use super::table::{Column, Give, Row, Table};
use crate::report::{Report, SetPod};

const COLUMNS: [Column; 4] = [
    Column {
        header: "OBJECT",
        give: Give::Never,
    },
    Column {
        header: "READY",
        give: Give::Never,
    },
    Column {
        header: "NODE",
        give: Give::First,
    },
    Column {
        header: "STATE",
        give: Give::Second,
    },
];

/// What stands before a name: what goes on, what ends, and what is below either.
const GOES_ON: [&str; 2] = ["├─ ", "│  "];
const ENDS: [&str; 2] = ["└─ ", "   "];

/// A pod of the tree, at the beginning or yet to come.
struct Leaf<'r> {
    name: &'r str,
    revision: &'r str,
    there: Option<&'r SetPod>,
    tone: Tone,
    state: String,
}

/// The tree, with a row for each object.
pub(super) fn table(report: &Report) -> Table {
    let created = created(report);
    let missing = missing(report, &created);
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
        });
    }
    for (pod, revision) in created.iter().rev() {
        leaves.push(Leaf {
            name: pod,
            revision,
            there: None,
            tone: Tone::Busy,
            state: "will be created".to_owned(),
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
    let claims: BTreeSet<&str> = report
        .read
        .iter()
        .filter(|object| object.resource == "persistentvolumeclaims")
        .map(|object| object.name.as_str())
        .collect();
    let branches = groups.len() + usize::from(!missing.is_empty());
    for (at, (group, leaves)) in groups.iter().enumerate() {
        let [before, below] = branch(at, branches);
        let revision = format!("{before}{}", label(report, group));
        let ready = leaves.iter().filter(|leaf| is_ready(leaf)).count();
        rows.push(row(
            Tone::Plain,
            [revision, format!("{ready}/{}", leaves.len())],
        ));
        for (at, leaf) in leaves.iter().enumerate() {
            pod_rows(
                report,
                leaf,
                below,
                branch(at, leaves.len()),
                &claims,
                &mut rows,
            );
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
        for (at, pod) in missing.iter().enumerate() {
            let [before, _] = branch(at, missing.len());
            let object = format!("{}{before}pod/{}", ENDS[1], escape(pod));
            let state = "missing, never created".to_owned();
            rows.push(Row::Cells(
                Tone::Bad,
                vec![object, "no".to_owned(), "-".to_owned(), state],
            ));
        }
    }
    Table {
        columns: COLUMNS.to_vec(),
        rows,
    }
}

/// A pod, and below it its claims.
fn pod_rows(
    report: &Report,
    leaf: &Leaf<'_>,
    above: &str,
    [before, below]: [&str; 2],
    claims: &BTreeSet<&str>,
    rows: &mut Vec<Row>,
) {
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
    let templates = &report.set.claim_templates;
    for (at, template) in templates.iter().enumerate() {
        let claim = format!("{template}-{}", leaf.name);
        let [before, _] = branch(at, templates.len());
        let object = format!("{above}{below}{before}pvc/{}", escape(&claim));
        let state = claim_state(report, &claim, claims.contains(claim.as_str()));
        rows.push(Row::Cells(
            state.0,
            vec![object, "-".to_owned(), "-".to_owned(), state.1.to_owned()],
        ));
    }
}

/// What becomes of a claim.
fn claim_state(report: &Report, claim: &str, there: bool) -> (Tone, &'static str) {
    let stays = report.outcome.claims.iter().any(|left| left == claim);
    match (there, stays) {
        (true, true) => (Tone::Plain, "stays"),
        (true, false) => (Tone::Bad, "will be removed"),
        (false, true) => (Tone::Busy, "will be created"),
        (false, false) => (Tone::Plain, "is not there"),
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
