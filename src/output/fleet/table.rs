//! The rows of many sets. An urgent cause wraps within its column. On a terminal without room for that column, the cause is
//! below the row.

use super::state;
use super::state::{age_of, age_of_group, cause_of};
use crate::output::document::Scope;
use crate::output::overview::{facts, findings, ready};
use crate::output::style::{Style, Tone, escape};
use crate::output::table::{Column, Look, Row, ShrinkPriority, Table, columns_of};
use crate::output::words::{count, cut, set_name, spaced, wrap};
use sts_plan::fleet::{FleetRow, ReportList};
use sts_plan::report::{Report, Unplanned};

/// All columns. A table has a prefix of them.
const COLUMNS: [Column; 8] = [
    Column::new("NAMESPACE/NAME", ShrinkPriority::Never, Look::Name),
    Column::new("READY", ShrinkPriority::Never, Look::Number),
    Column::new("STATE", ShrinkPriority::Never, Look::State),
    Column::new("AGE", ShrinkPriority::Never, Look::Number),
    Column::new("CAUSE", ShrinkPriority::Second, Look::Text),
    Column::new("FINDINGS", ShrinkPriority::First, Look::Text),
    Column::new("STRATEGY", ShrinkPriority::First, Look::Text),
    Column::new("UPDATE REVISION", ShrinkPriority::First, Look::Name),
];
/// The lengths of the prefixes: up to the cause, up to the findings, all.
pub(in crate::output) const BRIEF: usize = 5;
pub(in crate::output) const WITH_FINDINGS: usize = 6;
pub(in crate::output) const WIDE: usize = COLUMNS.len();

/// Minimum width of the column of causes.
const LEAST: usize = 24;

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
    let Scope { limits, style } = scope;
    let room = room(rows, style);
    let mut lines = Vec::new();
    for row in rows {
        let is_beside = room.is_none_or(|room| has_room(&row.cause, room));
        let causes = match room {
            Some(room) if is_beside => wrapped(row, room, limits.lines),
            Some(_) => vec![String::new()],
            None => vec![row.cause.clone()],
        };
        let mut causes = causes.into_iter();
        let mut cells = vec![
            row.name.clone(),
            row.ready.clone(),
            row.state.to_owned(),
            row.age.clone(),
            causes.next().unwrap_or_default(),
        ];
        cells.extend(more(row));
        cells.truncate(columns);
        lines.push(Row::Cells(row.tone, cells));
        for line in causes {
            let mut cells = vec![String::new(); columns];
            cells[BRIEF - 1] = line;
            lines.push(Row::Cells(row.tone, cells));
        }
        if let Some(width) = style.table_width().filter(|_| !is_beside) {
            let below = wrap(&row.cause, Some(width.saturating_sub(2)), 0).into_iter();
            let below = below.take(limits.lines);
            lines.extend(below.map(|line| Row::Below(row.tone, format!("  {line}"))));
        }
        if row.sets.len() > 1 {
            lines.push(Row::Note(names(&row.sets, style)));
        }
    }
    Table {
        thing: "set",
        ..Table::new(COLUMNS[..columns].to_vec(), lines)
    }
}

/// Returns the width of the column of causes; `None` if it is unlimited.
fn room(rows: &[SetRow<'_>], style: &Style) -> Option<usize> {
    let width = style.table_width()?;
    let heads: [fn(&SetRow<'_>) -> usize; BRIEF - 1] = [
        |row| columns_of(&row.name),
        |row| columns_of(&row.ready),
        |row| columns_of(row.state),
        |row| columns_of(&row.age),
    ];
    let taken = heads.iter().zip(COLUMNS).map(|(head, column)| {
        let header = match style.headers {
            true => columns_of(column.header),
            false => 0,
        };
        rows.iter().map(head).max().unwrap_or(0).max(header) + 2
    });
    Some(width.saturating_sub(taken.sum()))
}

/// Reports whether a column of this width can hold the cause without breaking words.
fn has_room(cause: &str, room: usize) -> bool {
    room >= LEAST && cause.split(' ').all(|word| columns_of(word) <= room)
}

/// Wraps an urgent cause, and truncates others to one line.
fn wrapped(row: &SetRow<'_>, room: usize, most: usize) -> Vec<String> {
    if row.tone != Tone::Bad {
        return vec![cut(&row.cause, room)];
    }
    let mut lines = wrap(&row.cause, Some(room), 0);
    if lines.len() > most {
        let rest = lines.split_off(most - 1).join(" ");
        lines.push(cut(&rest, room));
    }
    lines.iter().map(|line| cut(line, room)).collect()
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
