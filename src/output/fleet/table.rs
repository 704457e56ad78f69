//! The rows of many sets. On a terminal without room for the column of causes, a cause is below its row.

use super::state;
use super::state::{age_of, age_of_group, cause_of};
use crate::output::document::Scope;
use crate::output::overview::{facts, findings, ready};
use crate::output::style::{Style, Tone, columns_of, escape};
use crate::output::table::{Column, Look, Row, ShrinkPriority, Table};
use crate::output::words::{count, set_name, spaced};
use sts_plan::fleet::{FleetRow, ReportList};
use sts_plan::report::{Report, Unplanned};

/// All columns. A table has a prefix of them.
const COLUMNS: [Column; 8] = [
    Column::new("NAMESPACE/NAME", ShrinkPriority::Never, Look::Name),
    Column::new("READY", ShrinkPriority::Never, Look::Number),
    Column::new("STATE", ShrinkPriority::Never, Look::State),
    Column::new("AGE/ETA", ShrinkPriority::Never, Look::Number),
    Column::new("CAUSE", ShrinkPriority::Below, Look::Text),
    Column::new("FINDINGS", ShrinkPriority::First, Look::Text),
    Column::new("STRATEGY", ShrinkPriority::First, Look::Text),
    Column::new("UPDATE REVISION", ShrinkPriority::First, Look::Name),
];
/// The lengths of the prefixes: up to the cause, up to the findings, all.
pub(in crate::output) const BRIEF: usize = 5;
pub(in crate::output) const WITH_FINDINGS: usize = 6;
pub(in crate::output) const WIDE: usize = COLUMNS.len();

/// A set, planned or not, or several sets with the same cause.
pub(in crate::output) struct SetRow<'r> {
    pub(in crate::output) name: String,
    pub(in crate::output) ready: String,
    pub(in crate::output) state: &'static str,
    pub(in crate::output) tone: Tone,
    pub(in crate::output) age: String,
    pub(in crate::output) cause: String,
    /// The planned sets; empty for a set that could not be planned.
    pub(in crate::output) sets: Vec<&'r Report>,
}

/// Returns the rows, those of sets without a plan first.
pub(in crate::output) fn rows<'r>(
    plans: &'r ReportList<'_>,
    rows: &[FleetRow<'r>],
) -> Vec<SetRow<'r>> {
    let unplanned = plans.errors.iter().map(of_unplanned);
    unplanned.chain(rows.iter().map(of_row)).collect()
}

fn of_unplanned<'r>(error: &Unplanned) -> SetRow<'r> {
    SetRow {
        name: escape(&error.set()).into_owned(),
        ready: "-".to_owned(),
        state: "not planned",
        tone: Tone::Bad,
        age: "-".to_owned(),
        cause: escape(&error.outcome.message).into_owned(),
        sets: Vec::new(),
    }
}

fn of_row<'r>(from: &FleetRow<'r>) -> SetRow<'r> {
    let first = from.first();
    let state = from.state();
    let row = SetRow {
        name: set_name(&first.metadata),
        ready: ready(first),
        state: state::words(state),
        tone: state::tone(state),
        age: age_of(first),
        cause: String::new(),
        sets: from.sets().collect(),
    };
    let Some(group) = from.group else {
        return SetRow {
            cause: cause_of(first),
            ..row
        };
    };
    SetRow {
        name: count(group.sets.len(), "set"),
        ready: String::new(),
        age: age_of_group(group, first),
        cause: escape(&group.cause).into_owned(),
        ..row
    }
}

/// Returns the table of rows with so many columns.
pub(in crate::output) fn table(rows: &[SetRow<'_>], columns: usize, scope: &Scope<'_>) -> Table {
    let mut lines = Vec::new();
    for row in rows {
        let state = row.state.to_owned();
        let mut cells = vec![row.name.clone(), row.ready.clone(), state, row.age.clone()];
        cells.push(row.cause.clone());
        cells.extend(more(row));
        cells.truncate(columns);
        lines.push(Row::Cells(row.tone, cells));
        if row.sets.len() > 1 {
            lines.push(Row::Note(names(&row.sets, scope.style)));
        }
    }
    Table {
        thing: "set",
        lines: scope.limits.lines,
        ..Table::new(COLUMNS[..columns].to_vec(), lines)
    }
}

/// Lists the sets of a group, as many as fit in a line.
fn names(sets: &[&Report], style: &Style) -> String {
    let room = style.table_width().unwrap_or(usize::MAX);
    let mut text = String::from("  ");
    for (at, report) in sets.iter().enumerate() {
        let name = set_name(&report.metadata);
        let rest = sets.len() - at;
        let more = format!(" and {} more (--show all)", spaced(rest));
        let gap = if at == 0 { "" } else { ", " };
        let mut needed = columns_of(&text) + gap.len() + columns_of(&name);
        if rest > 1 {
            needed += columns_of(&more);
        }
        if needed > room && at > 0 {
            return text + &more;
        }
        text += gap;
        text += &name;
    }
    text
}

/// The cells after the cause, which are empty for several sets.
fn more(row: &SetRow<'_>) -> [String; WIDE - BRIEF] {
    let [report] = row.sets.as_slice() else {
        return Default::default();
    };
    [
        findings(report),
        facts(report).get(1..).unwrap_or_default().join(" "),
        escape(&report.set.update_revision).into_owned(),
    ]
}
