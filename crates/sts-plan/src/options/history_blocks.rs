//! Recorded revisions of a set, and the last writer of its template.

use super::{ReportHistory, ReportRevision};
use crate::answer::{
    AnswerBlock, AnswerRow, AnswerTable, Column, Look, Role, ShrinkPriority, Tone, short_revision,
};

const COLUMNS: [Column; 5] = [
    Column::new("REVISION", ShrinkPriority::Never, Look::Name),
    Column::new("NUMBER", ShrinkPriority::Second, Look::Number),
    Column::new("AGE", ShrinkPriority::Never, Look::Number),
    Column::new("PODS", ShrinkPriority::Never, Look::Number),
    Column::new("CHANGE CAUSE", ShrinkPriority::First, Look::Text),
];

/// Returns the blocks about the history of a set.
pub(super) fn blocks(history: &ReportHistory, set: &str) -> Vec<AnswerBlock> {
    let mut blocks = Vec::new();
    if !history.revisions.is_empty() {
        let rows = history.revisions.iter().map(|it| row(it, set)).collect();
        let table = AnswerTable {
            may_omit_middle: true,
            ..AnswerTable::new("Revisions", "revision", &COLUMNS, rows)
        };
        blocks.push(AnswerBlock::Table(table));
    }
    if let Some(writer) = &history.writer {
        let text = format!(
            "template last written {} ago by {} ({})",
            writer.age, writer.manager, writer.operation
        );
        let changed = AnswerBlock::say(Role::Note, Tone::Plain, "Changed", text);
        blocks.push(changed);
    }
    blocks
}

fn row(revision: &ReportRevision, set: &str) -> AnswerRow {
    let mark = match (revision.update, revision.current) {
        (true, true) => " (current, update)",
        (true, false) => " (update)",
        (false, true) => " (current)",
        (false, false) => "",
    };
    let cells = [
        format!("{}{mark}", short_revision(&revision.name, set)),
        revision.number.to_string(),
        revision.age.clone().unwrap_or_else(|| "-".to_owned()),
        revision.pods.to_string(),
        revision.change_cause.to_string(),
    ];
    AnswerRow::Cells(Tone::Plain, cells.map(Into::into).into())
}
