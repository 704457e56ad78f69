//! Pods for every partition: their revision, and the one after a restart.

use super::{ReportPartition, ReportPartitions, ReportRestingPod};
use crate::answer::{
    Answer, AnswerBlock, AnswerRow, AnswerTable, Cell, Column, Look, Role, ShrinkPriority, Subject,
    Tone, short_revision, spaced,
};
use crate::plan::PlanResult;

const COLUMNS: [Column; 4] = [
    Column::new("PARTITION", ShrinkPriority::Never, Look::Text),
    Column::new("PODS", ShrinkPriority::Wraps, Look::Name),
    Column::new("REVISION", ShrinkPriority::Never, Look::Name),
    Column::new("REVISION AFTER RESTART", ShrinkPriority::Never, Look::Name),
];

impl Answer for &ReportPartitions {
    fn parts(&self, about: &Subject<'_>) -> Vec<Vec<AnswerBlock>> {
        vec![vec![match self.skipped {
            Some(why) => {
                let text = format!("{why}.");
                AnswerBlock::say(Role::Remark, Tone::Busy, "No partitions", text)
            }
            None => AnswerBlock::Table(table(self, about.set)),
        }]]
    }
}

fn table(found: &ReportPartitions, set: &str) -> AnswerTable {
    let items = found.items.iter();
    let mut rows: Vec<AnswerRow> = items
        .flat_map(|partition| rows_of(partition, set))
        .collect();
    if found.left_out > 0 {
        let more = spaced(found.left_out);
        let note = format!("… {more} more partitions in between not checked");
        rows.push(AnswerRow::Note(note));
    }
    AnswerTable {
        has_whole_rows: true,
        may_omit_middle: true,
        ..AnswerTable::new("Partitions", "row", &COLUMNS, rows).within_set(set, 1)
    }
}

/// Returns a row for each run of pods on the same revision.
fn rows_of(partition: &ReportPartition, set: &str) -> Vec<AnswerRow> {
    let planned = if partition.planned { " (planned)" } else { "" };
    let mut label = format!("{}{planned}", partition.partition);
    if partition.result != PlanResult::Complete {
        label.push_str(&format!(" {}", partition.result.name().to_uppercase()));
    }
    let tone = match (partition.result, partition.planned) {
        (PlanResult::Complete, true) => Tone::Strong,
        (PlanResult::Complete, false) => Tone::Plain,
        _ => Tone::Bad,
    };
    if partition.pods.is_empty() {
        let cells = [label.into(), "no pods".into(), "-".into(), "-".into()];
        return vec![AnswerRow::Cells(tone, cells.into())];
    }
    let alike = |a: &ReportRestingPod, b: &ReportRestingPod| a.revision == b.revision;
    let rows = partition.pods.chunk_by(alike).map(|pods| {
        let back = pods.iter().filter_map(|pod| pod.comes_back_on.as_deref());
        let mut back: Vec<&str> = back.map(|revision| short_revision(revision, set)).collect();
        back.dedup();
        let back = match back.is_empty() {
            true => "not recreated".to_owned(),
            false => back.join(", then "),
        };
        let names = pods.iter().map(|pod| pod.name.to_string()).collect();
        let cells: [Cell; 4] = [
            std::mem::take(&mut label).into(),
            Cell::Pods(names),
            short_revision(&pods[0].revision, set).into(),
            back.into(),
        ];
        AnswerRow::Cells(tone, cells.into())
    });
    rows.collect()
}
