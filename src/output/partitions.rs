//! The effect of every partition: the final pods by revision, and their revision after a restart.

use super::document::Scope;
use super::pods::compact;
use super::style::{Tone, escape};
use super::table::{Column, Look, Row, ShrinkPriority, Table};
use super::words::{short_revision, spaced};
use sts_plan::report::{PlanResult, Report, ReportPartition, ReportPartitions, ReportRestingPod};

const COLUMNS: [Column; 4] = [
    Column::new("PARTITION", ShrinkPriority::Never, Look::Text),
    Column::new("PODS", ShrinkPriority::Wraps, Look::Name),
    Column::new("REVISION", ShrinkPriority::Never, Look::Name),
    Column::new("REVISION AFTER RESTART", ShrinkPriority::Never, Look::Name),
];

/// The final pods for each partition.
pub(super) fn table(report: &Report, found: &ReportPartitions, scope: &Scope<'_>) -> Table {
    let rows = found.items.iter();
    let rows = rows.flat_map(|partition| rows_of(report, partition, scope.limits.listed));
    let mut rows: Vec<Row> = rows.collect();
    if found.left_out > 0 {
        let more = spaced(found.left_out);
        rows.push(Row::Note(format!(
            "… {more} more partitions in between not checked"
        )));
    }
    let table = Table {
        title: "Partitions",
        lines: usize::MAX,
        ..Table::new(COLUMNS.to_vec(), rows)
    };
    let set = report.metadata.name.as_str();
    table.within(scope.style, std::iter::repeat(set), 1)
}

fn rows_of(report: &Report, partition: &ReportPartition, listed: usize) -> Vec<Row> {
    let set = &report.metadata.name;
    let hash = |revision: &str| escape(short_revision(revision, set)).into_owned();
    let planned = if partition.planned { " (planned)" } else { "" };
    let mut label = format!("{}{planned}", partition.partition);
    if partition.result != PlanResult::Complete {
        label.push_str(&format!(" {}", partition.result.name().to_uppercase()));
    }
    let tone = if partition.planned {
        Tone::Strong
    } else {
        Tone::Plain
    };
    let tone = if partition.result == PlanResult::Complete {
        tone
    } else {
        Tone::Bad
    };
    let alike = |a: &ReportRestingPod, b: &ReportRestingPod| a.revision == b.revision;
    let mut rows = Vec::new();
    for pods in partition.pods.chunk_by(alike) {
        let mut back: Vec<String> = pods
            .iter()
            .filter_map(|pod| pod.comes_back_on.as_deref())
            .map(hash)
            .collect();
        back.dedup();
        let back = match back.is_empty() {
            true => "not recreated".to_owned(),
            false => back.join(", then "),
        };
        let names: Vec<&str> = pods.iter().map(|pod| &*pod.name).collect();
        let label = std::mem::take(&mut label);
        let revision = hash(&pods[0].revision);
        let names = compact(&names, listed);
        rows.push(Row::Cells(tone, vec![label, names, revision, back]));
    }
    if rows.is_empty() {
        let nothing = ["no pods", "-", "-"].map(str::to_owned);
        rows.push(Row::Cells(
            tone,
            std::iter::once(label).chain(nothing).collect(),
        ));
    }
    rows
}
