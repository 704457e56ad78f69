//! The recorded revisions of a set, and the last writer of its template.

use super::{Block, Role, Scope, say};
use crate::output::style::{Tone, escape};
use crate::output::table::{Column, Look, Row, ShrinkPriority, Table};
use crate::output::words::short_revision;
use sts_plan::report::{Report, ReportRevision};

const COLUMNS: [Column; 5] = [
    Column::new("REVISION", ShrinkPriority::Never, Look::Name),
    Column::new("NUMBER", ShrinkPriority::Second, Look::Number),
    Column::new("AGE", ShrinkPriority::Never, Look::Number),
    Column::new("PODS", ShrinkPriority::Never, Look::Number),
    Column::new("CHANGE CAUSE", ShrinkPriority::First, Look::Text),
];

pub(super) fn blocks<'r>(report: &'r Report, scope: &Scope<'_>) -> Vec<Block<'r>> {
    let Some(history) = &report.history else {
        return Vec::new();
    };
    let mut blocks = Vec::new();
    if !history.revisions.is_empty() {
        let rows = history.revisions.iter().map(|it| row(report, it));
        let mut table = Table {
            title: "Revisions",
            lines: scope.limits.lines,
            thing: "revision",
            ..Table::new(COLUMNS.to_vec(), rows.collect())
        };
        table.leave_out_middle(scope.limits.answers);
        blocks.push(Block::Table(table));
    }
    if let Some(writer) = &history.writer {
        let text = format!(
            "template last written {} ago by {} ({})",
            writer.age, writer.manager, writer.operation
        );
        blocks.push(say(Role::Note, Tone::Plain, "Changed", text));
    }
    blocks
}

fn row(report: &Report, revision: &ReportRevision) -> Row {
    let name = short_revision(&revision.name, &report.metadata.name);
    let mark = match (revision.update, revision.current) {
        (true, true) => " (current, update)",
        (true, false) => " (update)",
        (false, true) => " (current)",
        (false, false) => "",
    };
    let cells = vec![
        format!("{}{mark}", escape(name)),
        revision.number.to_string(),
        revision.age.clone().unwrap_or_else(|| "-".to_owned()),
        revision.pods.to_string(),
        escape(&revision.change_cause).into_owned(),
    ];
    Row::Cells(Tone::Plain, cells)
}
