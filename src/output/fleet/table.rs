//! The rows of many sets. A cause that is longer than its column goes on below it, where it is urgent; on a terminal that
//! has no room for the column it stands under the row.

use std::io;

use super::groups::Group;
use super::state::{State, age_of, cause_of};
use crate::output::Format;
use crate::output::limits::Limits;
use crate::output::overview::{facts, findings, ready};
use crate::output::sink::Terminal;
use crate::output::style::{Style, Tone, escape};
use crate::output::table::{Column, Give, Look, Row, Table, columns_of};
use crate::output::words::{count, cut, set_name, spaced, wrap};
use sts_plan::report::{Report, Unplanned};

const COLUMNS: [(&str, Give); 5] = [
    ("NAMESPACE/NAME", Give::Never),
    ("READY", Give::Never),
    ("STATE", Give::Never),
    ("AGE", Give::Never),
    ("CAUSE", Give::Second),
];

/// Additional columns of the wide output.
const WIDE: [(&str, Give); 3] = [
    ("FINDINGS", Give::First),
    ("STRATEGY", Give::First),
    ("UPDATE REVISION", Give::First),
];

/// A column of causes that is narrower is none.
const LEAST: usize = 24;

/// Writes a row for each group, below those of the sets that have no plan.
pub(super) fn write(
    unplanned: &[Unplanned],
    groups: &[Group<'_>],
    is_wide: bool,
    out: &mut Terminal<'_>,
) -> io::Result<()> {
    let style = out.style;
    let limits = Limits::of(Format::Table, style);
    let heads: Vec<[String; 4]> = groups.iter().map(head).collect();
    let room = room(&heads, unplanned, style);
    let mut rows: Vec<Row> = unplanned.iter().map(told).collect();
    for (group, head) in groups.iter().zip(heads) {
        let tone = State::of(group.sets[0]).tone();
        let cause = cause(group);
        let is_beside = room.is_none_or(|room| has_room(&cause, room));
        let lines = match room {
            // Beside: as far as the column goes.
            Some(room) if is_beside => lines(&cause, room, group, limits.lines),
            Some(_) => vec![String::new()],
            None => vec![cause.clone()],
        };
        let mut lines = lines.into_iter();
        let mut cells = Vec::from(head);
        cells.push(lines.next().unwrap_or_default());
        if is_wide {
            cells.extend(wide(group));
        }
        let columns = cells.len();
        rows.push(Row::Cells(tone, cells));
        for line in lines {
            let mut cells = vec![String::new(); columns];
            cells[4] = line;
            rows.push(Row::Cells(tone, cells));
        }
        if let Some(width) = style.table_width().filter(|_| !is_beside) {
            for line in lines_below(&cause, width, limits.lines) {
                rows.push(Row::Below(tone, line));
            }
        }
        if group.sets.len() > 1 {
            rows.push(Row::Note(names(group, style)));
        }
    }
    if rows.is_empty() {
        return Ok(());
    }
    let columns = COLUMNS.iter().chain(WIDE.iter().filter(|_| is_wide));
    let columns = columns.map(|(header, give)| Column::new(header, *give, Look::Text));
    Table::new(columns.collect(), rows).write(out)
}

/// Name, readiness, state and age of a group.
fn head(group: &Group<'_>) -> [String; 4] {
    let first = group.sets[0];
    let state = State::of(first).words().to_owned();
    match group.cause {
        None => [
            set_name(&first.metadata),
            ready(first),
            state,
            age_of(first),
        ],
        Some(_) => {
            let oldest = group.sets.iter().min_by_key(|report| {
                let since = report.analysis.since.clone();
                (since.is_none(), since)
            });
            let age = oldest.map_or("-".to_owned(), |report| age_of(report));
            [count(group.sets.len(), "set"), String::new(), state, age]
        }
    }
}

fn cause(group: &Group<'_>) -> String {
    match group.cause {
        Some(cause) => escape(cause).into_owned(),
        None => cause_of(group.sets[0]),
    }
}

/// Returns the width that is left for causes; `None` if lines are as long as they are.
fn room(heads: &[[String; 4]], unplanned: &[Unplanned], style: &Style) -> Option<usize> {
    let width = style.table_width()?;
    let taken: usize = (0..4)
        .map(|at| {
            let cells = heads.iter().map(|head| columns_of(&head[at]));
            let header = match style.headers {
                true => columns_of(COLUMNS[at].0),
                false => 0,
            };
            let widest = cells.max().unwrap_or(0).max(header);
            let errors = unplanned.iter().filter(|_| at == 0);
            let errors = errors.map(|error| columns_of(&escape(&error.set())));
            widest.max(errors.max().unwrap_or(0)) + 2
        })
        .sum();
    Some(width.saturating_sub(taken))
}

/// Reports whether a column of causes has room for this one with its names in full.
fn has_room(cause: &str, room: usize) -> bool {
    room >= LEAST && cause.split(' ').all(|word| columns_of(word) <= room)
}

/// A cause in lines of its column: whole where it is urgent, else in one line.
fn lines(cause: &str, room: usize, group: &Group<'_>, most: usize) -> Vec<String> {
    if State::of(group.sets[0]).tone() != Tone::Bad {
        return vec![cut(cause, room)];
    }
    let mut lines = wrap(cause, Some(room), 0);
    if lines.len() > most {
        let rest = lines.split_off(most - 1).join(" ");
        lines.push(cut(&rest, room));
    }
    lines.iter().map(|line| cut(line, room)).collect()
}

/// A cause under its row.
fn lines_below(cause: &str, width: usize, most: usize) -> Vec<String> {
    let lines = wrap(cause, Some(width.saturating_sub(2)), 0);
    let lines = lines.into_iter().take(most);
    lines.map(|line| format!("  {line}")).collect()
}

/// Names the sets of a group: as many as a line has room for.
fn names(group: &Group<'_>, style: &Style) -> String {
    let room = style.table_width().unwrap_or(usize::MAX);
    let all = group.sets.len();
    let mut text = String::from("  ");
    for (at, report) in group.sets.iter().enumerate() {
        let name = set_name(&report.metadata);
        let rest = all - at;
        let more = format!(" and {} more (--show all)", spaced(rest));
        let gap = if at == 0 { "" } else { ", " };
        let is_last = rest == 1;
        let needed = columns_of(&text) + gap.len() + columns_of(&name);
        let needed = if is_last {
            needed
        } else {
            needed + columns_of(&more)
        };
        if needed > room && at > 0 {
            return text + &more;
        }
        text += gap;
        text += &name;
    }
    text
}

fn wide(group: &Group<'_>) -> [String; 3] {
    let report: &Report = group.sets[0];
    if group.sets.len() > 1 {
        return Default::default();
    }
    [
        findings(report),
        facts(report).get(1..).unwrap_or_default().join(" "),
        escape(&report.set.update_revision).into_owned(),
    ]
}

/// The row of a set that could not be planned.
fn told(error: &Unplanned) -> Row {
    Row::Told(
        Tone::Bad,
        escape(&error.set()).into_owned(),
        format!("error: {}", escape(&error.outcome.message)),
    )
}
