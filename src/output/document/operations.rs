//! The operations of a plan, a row each, and the writes to revisions.

use std::collections::BTreeSet;

use super::{Block, Role, Scope, say};
use crate::output::limits::Limits;
use crate::output::operation::{repeats_verdict, waits, why, word};
use crate::output::operations::{Other, Row as StepRow, rows};
use crate::output::style::{Style, Tone, escape};
use crate::output::table::{About, Column, Look, Row, ShrinkPriority, Table};
use crate::output::words::{elapsed, listed, short_revision};
use sts_plan::report::{
    ClaimFate, ObjectEvent, Operation, PlanResult, Report, ReportStage, Resource, StepEvent, Verb,
};

/// The columns of the table. If data is lost, the column of claims shrinks last.
fn columns(loses_data: bool, has_reasons: bool, has_branches: bool) -> Vec<Column> {
    let (revision, waits, claims) = match loses_data {
        true => (
            ShrinkPriority::Second,
            ShrinkPriority::First,
            ShrinkPriority::Last,
        ),
        false => (
            ShrinkPriority::Never,
            ShrinkPriority::Second,
            ShrinkPriority::First,
        ),
    };
    let mut columns = vec![
        Column::new("STEP", ShrinkPriority::Never, Look::Number),
        Column::new("WHEN", ShrinkPriority::Never, Look::Number),
        Column::new("POD", ShrinkPriority::Never, Look::Name),
        Column::new("OPERATION", ShrinkPriority::Never, Look::Text),
        Column::new("REVISION", revision, Look::Name),
        Column::new("WAIT FOR", waits, Look::Text),
    ];
    if has_reasons {
        columns.push(Column::new("REASON", ShrinkPriority::First, Look::Text));
    }
    columns.push(Column::new("CLAIMS", claims, Look::Text));
    if has_branches {
        columns.push(Column::new(
            "IF NEVER READY",
            ShrinkPriority::Never,
            Look::Text,
        ));
    }
    columns
}

/// The table of operations, and remarks on it.
pub(super) fn blocks<'r>(report: &'r Report, scope: &Scope<'_>) -> Vec<Block<'r>> {
    let rows = rows(report, scope.limits.everything);
    let mut blocks = Vec::new();
    // The verdict already states a single wait without end.
    let is_new = rows.len() > 1 || !repeats_verdict(report);
    if !rows.is_empty() && is_new {
        let table = table(report, &rows, scope);
        blocks.push(Block::Table(table));
    }
    let shares_number = |pair: &[Operation]| pair[0].number == pair[1].number;
    if report.operations.windows(2).any(shares_number) {
        let text = "Rows with the same step number happen at the same time.";
        blocks.push(say(Role::Remark, Tone::Faint, "", text));
    }
    let revisions = revisions_line(report, &scope.limits);
    if !revisions.is_empty() {
        blocks.push(say(Role::Remark, Tone::Faint, "Revisions", revisions));
    }
    blocks
}

fn table(report: &Report, step_rows: &[StepRow<'_>], scope: &Scope<'_>) -> Table {
    let Scope { limits, style } = scope;
    let branch = |row: &StepRow<'_>| match row {
        StepRow::Operation(operation) => {
            let branches = report.step_branches.as_ref()?;
            let found = branches.in_short(operation.pod.as_deref()?, operation.to.as_deref());
            found.map(|text| escape(&text).into_owned())
        }
        StepRow::Other(_) | StepRow::Stage(..) => None,
    };
    // A column that is empty for all pods is omitted.
    let has_branches = limits.step_branches && step_rows.iter().any(|row| branch(row).is_some());
    let rows = |short: &dyn Fn(&str) -> String| -> Vec<Row> {
        let rows = step_rows.iter().map(|row| {
            let (tone, row_cells) = match row {
                StepRow::Operation(operation) => (tone(operation), cells(operation, short)),
                StepRow::Stage(stage, _) => (Tone::Strong, stage_cells(stage)),
                StepRow::Other(other) => (Tone::Plain, other_cells(other, short)),
            };
            let number = row.number().map(|number| number.to_string());
            let mut cells = vec![or_dash(number.as_deref()), elapsed(row.at())];
            cells.extend(row_cells);
            if limits.reasons {
                let why = match row {
                    StepRow::Operation(operation) => why(operation, report),
                    StepRow::Other(_) | StepRow::Stage(..) => String::new(),
                };
                cells.insert(cells.len() - 1, why);
            }
            if has_branches {
                cells.push(branch(row).unwrap_or_else(|| "-".to_owned()));
            }
            Row::Cells(tone, cells)
        });
        rows.collect()
    };
    let loses_data = report.operations.iter().any(Operation::loses_data);
    let set = report.metadata.name.as_str();
    let hash = |revision: &str| short_revision(revision, set).to_owned();
    let full_names = style.verbose || style.full_names;
    let about = step_rows.iter().map(|row| About {
        step: row.step().unwrap_or(0),
        pod: row.pod().unwrap_or_default().to_owned(),
    });
    let mut table = Table {
        title: "Operations",
        thing: "operation",
        about: about.collect(),
        ..Table::new(
            columns(loses_data, limits.reasons, has_branches),
            rows(&|revision| match full_names {
                true => revision.to_owned(),
                false => hash(revision),
            }),
        )
    };
    if is_too_wide(&table, style) && !full_names {
        // The table of pods has the full names.
        let hashes: BTreeSet<String> = known_revisions(report).map(hash).collect();
        table.rows = rows(&|revision| abbreviation(&hash(revision), &hashes));
    }
    let mut table = table.within(style, std::iter::repeat(set), 1);
    table.leave_out_middle(limits.rows);
    if report.outcome.result == PlanResult::Livelock {
        let note = Row::Note("… repeats indefinitely".to_owned());
        table.rows.push(note);
    }
    table
}

fn is_too_wide(table: &Table, style: &Style) -> bool {
    let room = style.table_width();
    room.is_some_and(|room| table.natural_width(style) > room)
}

/// All revisions that an abbreviation must distinguish.
fn known_revisions(report: &Report) -> impl Iterator<Item = &str> {
    let set = &report.set;
    let pods = set.pods.iter().map(|pod| &*pod.revision);
    let named = [set.current_revision.as_str(), &set.update_revision];
    let operations = report.operations.iter();
    let changed = operations.flat_map(|it| [it.from.as_deref(), it.to.as_deref()]);
    pods.chain(named).chain(changed.flatten())
}

/// Returns the shortest unique prefix of a hash that is still recognizable.
fn abbreviation(hash: &str, hashes: &BTreeSet<String>) -> String {
    const LEAST: usize = 4;
    let ends = hash.char_indices().map(|(at, _)| at).skip(LEAST);
    let mut prefixes = ends.map(|end| &hash[..end]);
    let unique = prefixes.find(|prefix| {
        let sharing = hashes.iter().filter(|other| other.starts_with(prefix));
        sharing.count() <= 1
    });
    unique.unwrap_or(hash).to_owned()
}

fn tone(operation: &Operation) -> Tone {
    match operation.never {
        Some(_) => Tone::Bad,
        None if operation.loses_data() => Tone::Bad,
        None => Tone::Plain,
    }
}

/// The cells after the time: pod, operation, revision, waits and claims.
fn cells(operation: &Operation, short: &dyn Fn(&str) -> String) -> Vec<String> {
    let revisions = operation.revisions().into_iter().flatten();
    let revisions: Vec<String> = revisions
        .map(|revision| escape(&short(revision)).into_owned())
        .collect();
    vec![
        or_dash(operation.pod.as_deref()),
        word(operation.operation).to_owned(),
        match revisions.is_empty() {
            true => "-".to_owned(),
            false => revisions.join(" -> "),
        },
        waits(operation),
        claims(operation),
    ]
}

fn stage_cells(stage: &ReportStage) -> Vec<String> {
    let words = match stage.name.as_str() {
        "" => format!("stage {}", stage.number),
        name => format!("stage {}: {}", stage.number, escape(name)),
    };
    vec![
        "-".to_owned(),
        words,
        "-".to_owned(),
        String::new(),
        String::new(),
    ]
}

fn other_cells(other: &Other<'_>, short: &dyn Fn(&str) -> String) -> Vec<String> {
    let revision = other.name_of(Resource::Revisions).map(short);
    let claim = other.name_of(Resource::Claims);
    vec![
        or_dash(other.name_of(Resource::Pods)),
        other.text.clone(),
        or_dash(revision.as_deref()),
        String::new(),
        claim.map_or_else(String::new, |name| escape(name).into_owned()),
    ]
}

fn or_dash(text: Option<&str>) -> String {
    let text = text.filter(|text| !text.is_empty());
    text.map_or_else(|| "-".to_owned(), |text| escape(text).into_owned())
}

fn claims(operation: &Operation) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut claims: Vec<_> = operation.claims.iter().collect();
    // Lost claims come first, since a cell is cut at its end.
    claims.sort_by_key(|claim| claim.fate != ClaimFate::Lose);
    for claims in claims.chunk_by(|a, b| a.fate == b.fate) {
        let word = match claims[0].fate {
            ClaimFate::Keep => "keep",
            ClaimFate::Lose => "LOST",
            ClaimFate::Create => "create",
        };
        let names: Vec<_> = claims.iter().map(|claim| escape(&claim.name)).collect();
        parts.push(format!("{word} {}", names.join(" ")));
    }
    parts.join(", ")
}

/// Summarizes the writes to revisions: `created web-2; reused web-1`.
fn revisions_line(report: &Report, limits: &Limits) -> String {
    let of = |verb: Verb| {
        let writes = report
            .steps
            .iter()
            .flat_map(|step| step.writes.iter().flatten());
        let written = writes
            .filter(|write| write.resource == Resource::Revisions && write.verb == verb)
            .filter(|write| write.error.is_none())
            .map(|write| &*write.name);
        let collected = report
            .steps
            .iter()
            .filter(|step| {
                verb == Verb::Delete
                    && step.event == Some(StepEvent::Object(ObjectEvent::RevisionRemoved))
            })
            .filter_map(|step| step.name.as_deref());
        let mut seen = BTreeSet::new();
        let names = written.chain(collected).filter(|name| seen.insert(*name));
        let names: Vec<_> = names.map(escape).collect();
        listed(&names, limits.names)
    };
    let parts: Vec<String> = [
        (Verb::Create, "created"),
        (Verb::Update, "reused"),
        (Verb::Delete, "deleted"),
    ]
    .iter()
    .map(|(verb, word)| (of(*verb), word))
    .filter(|(names, _)| !names.is_empty())
    .map(|(names, word)| format!("{word} {names}"))
    .collect();
    parts.join("; ")
}
