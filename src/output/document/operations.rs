//! The operations of a plan, a row each, and what becomes of the revisions.

use std::collections::BTreeSet;

use super::{Block, Role, Scope, say};
use crate::output::branches;
use crate::output::limits::Limits;
use crate::output::operation::{ClaimFate, Kind, Operation};
use crate::output::operations::{operations, repeats_verdict};
use crate::output::style::{Style, Tone, escape};
use crate::output::table::{About, Column, Give, Look, Row, Table};
use crate::output::words::{elapsed, short_revision, spaced};
use sts_plan::report::{ObjectEvent, PlanResult, Report, Resource, StepEvent, Verb};

/// The columns of the table. Where claims go, all else gives way before what is lost.
fn columns(loses_data: bool, has_reasons: bool, has_branches: bool) -> Vec<Column> {
    let (revision, waits, claims) = match loses_data {
        true => (Give::Second, Give::First, Give::Last),
        false => (Give::Never, Give::Second, Give::First),
    };
    let mut columns = vec![
        Column::new("STEP", Give::Never, Look::Number),
        Column::new("WHEN", Give::Never, Look::Number),
        Column::new("POD", Give::Never, Look::Name),
        Column::new("OPERATION", Give::Never, Look::Text),
        Column::new("REVISION", revision, Look::Name),
        Column::new("WAIT FOR", waits, Look::Text),
    ];
    if has_reasons {
        columns.push(Column::new("WHY", Give::First, Look::Text));
    }
    columns.push(Column::new("CLAIMS", claims, Look::Text));
    if has_branches {
        columns.push(Column::new(
            "IF IT NEVER GETS READY",
            Give::Never,
            Look::Text,
        ));
    }
    columns
}

/// The table of operations, and what to say of it.
pub(super) fn blocks<'r>(report: &'r Report, scope: &Scope<'_>) -> Vec<Block<'r>> {
    let operations = operations(report, scope.limits.everything);
    let numbers = numbers(&operations);
    let mut blocks = Vec::new();
    if !operations.is_empty() && !repeats_verdict(report, &operations) {
        let table = table(report, &operations, &numbers, scope);
        blocks.push(Block::Table(table));
    }
    if numbers.windows(2).any(|pair| pair[0] == pair[1]) {
        let text = "Rows of one step happen at the same time.";
        blocks.push(say(Role::Remark, Tone::Faint, "", text));
    }
    let revisions = revisions_line(report, &scope.limits);
    if !revisions.is_empty() {
        blocks.push(say(Role::Remark, Tone::Faint, "Revisions", revisions));
    }
    blocks
}

fn table(
    report: &Report,
    operations: &[Operation<'_>],
    numbers: &[usize],
    scope: &Scope<'_>,
) -> Table {
    let Scope { limits, style } = scope;
    let branch =
        |operation: &Operation<'_>| branches::in_short(report, operation.pod, operation.new);
    let asked = report.branches.is_some() && report.branches_beside_steps;
    // A column that says nothing of any pod is left out.
    let has_branches = asked && operations.iter().any(|it| branch(it).is_some());
    let rows = |short: &dyn Fn(&str) -> String| -> Vec<Row> {
        let rows = operations.iter().zip(numbers).map(|(operation, number)| {
            let mut cells = cells(operation, *number, short);
            if limits.reasons {
                cells.insert(cells.len() - 1, operation.why(report));
            }
            if has_branches {
                cells.push(branch(operation).unwrap_or_else(|| "-".to_owned()));
            }
            Row::Cells(tone(operation), cells)
        });
        rows.collect()
    };
    let loses_data = operations.iter().any(Operation::loses_data);
    let set = report.metadata.name.as_str();
    let hash = |revision: &str| short_revision(revision, set).to_owned();
    let full_names = style.verbose || style.full_names;
    let about = operations.iter().map(|operation| About {
        step: operation.step,
        pod: operation.pod.to_owned(),
    });
    let mut table = Table {
        title: "What happens",
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
        // The pods above have the names in full.
        let hashes: BTreeSet<String> = known_revisions(report, operations).map(hash).collect();
        table.rows = rows(&|revision| abbreviation(&hash(revision), &hashes));
    }
    let mut table = table.within(style, std::iter::repeat(set), 1);
    table.leave_out_middle(limits.rows);
    if report.outcome.result == PlanResult::Livelock {
        let note = Row::Note("… and so on without end".to_owned());
        table.rows.push(note);
    }
    table
}

fn is_too_wide(table: &Table, style: &Style) -> bool {
    let room = style.table_width();
    room.is_some_and(|room| table.natural_width(style) > room)
}

/// The step that each operation is; several that happen at once are one step.
fn numbers(operations: &[Operation<'_>]) -> Vec<usize> {
    let mut number = 0;
    let mut last: Option<&Operation<'_>> = None;
    operations
        .iter()
        .map(|operation| {
            let together = last.is_some_and(|last| {
                let at_once = last.concurrent && operation.concurrent;
                at_once && (last.step == operation.step || last.at == operation.at)
            });
            if !together {
                number += 1;
            }
            last = Some(operation);
            number
        })
        .collect()
}

/// All revisions that an abbreviation could be of.
fn known_revisions<'r>(
    report: &'r Report,
    operations: &'r [Operation<'r>],
) -> impl Iterator<Item = &'r str> {
    let set = &report.set;
    let pods = set.pods.iter().map(|pod| &*pod.revision);
    let named = [set.current_revision.as_str(), &set.update_revision];
    let changed = operations
        .iter()
        .flat_map(|operation| [operation.old, operation.new]);
    pods.chain(named).chain(changed.flatten())
}

/// The shortest beginning of a hash that no other one shares, but not too short to be recognised.
fn abbreviation(hash: &str, hashes: &BTreeSet<String>) -> String {
    const LEAST: usize = 4;
    let ends = hash.char_indices().map(|(at, _)| at).skip(LEAST);
    let mut beginnings = ends.map(|end| &hash[..end]);
    let unique = beginnings.find(|beginning| {
        let sharing = hashes.iter().filter(|other| other.starts_with(beginning));
        sharing.count() <= 1
    });
    unique.unwrap_or(hash).to_owned()
}

/// The revision that an operation leads from, where it leads to another one, and the one that matters.
fn revisions<'r>(operation: &Operation<'r>) -> [Option<&'r str>; 2] {
    match (operation.kind, operation.old, operation.new) {
        (Kind::Replace, Some(old), Some(new)) if old != new => [Some(old), Some(new)],
        (Kind::Replace | Kind::Create | Kind::Other, _, Some(new)) => [None, Some(new)],
        (_, old, _) => [None, old],
    }
}

fn tone(operation: &Operation<'_>) -> Tone {
    match operation.never {
        Some(_) => Tone::Bad,
        None if operation.loses_data() => Tone::Bad,
        None => Tone::Plain,
    }
}

fn cells(operation: &Operation<'_>, number: usize, short: &dyn Fn(&str) -> String) -> Vec<String> {
    let revision = |revision: &str| escape(&short(revision)).into_owned();
    let revisions = revisions(operation).map(|told| told.map(revision));
    let revisions: Vec<String> = revisions.into_iter().flatten().collect();
    let revisions = revisions.join(" -> ");
    let or_dash = |text: &str| match text {
        "" => "-".to_owned(),
        text => escape(text).into_owned(),
    };
    vec![
        number.to_string(),
        elapsed(operation.at),
        or_dash(operation.pod),
        operation.word().to_owned(),
        or_dash(&revisions),
        waits(operation),
        claims(operation),
    ]
}

/// Lists the waits, each with its duration: `gone 5s, ready 22s`.
fn waits(operation: &Operation<'_>) -> String {
    let mut waits: Vec<String> = operation
        .waits
        .iter()
        .map(|(what, seconds)| format!("{what} {}", elapsed(*seconds)))
        .collect();
    waits.extend(operation.never.map(|never| format!("never {never}")));
    waits.join(", ")
}

fn claims(operation: &Operation<'_>) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut claims = operation.claims.clone();
    // What is lost comes first, since a cell is cut at its end.
    claims.sort_by_key(|(fate, _)| *fate != ClaimFate::Remove);
    for claims in claims.chunk_by(|(a, _), (b, _)| a == b) {
        let word = match (operation.kind, claims.first()) {
            (Kind::Other, _) | (_, None) => "",
            (_, Some((ClaimFate::Keep, _))) => "keep ",
            (_, Some((ClaimFate::Remove, _))) => "LOST ",
            (_, Some((ClaimFate::Create, _))) => "create ",
        };
        let names: Vec<_> = claims.iter().map(|(_, name)| escape(name)).collect();
        parts.push(format!("{word}{}", names.join(" ")));
    }
    parts.join(", ")
}

/// The fate of the recorded revisions.
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
        let mut told = BTreeSet::new();
        let names = written.chain(collected).filter(|name| told.insert(*name));
        let names: Vec<_> = names.map(escape).collect();
        match names.len().checked_sub(limits.names) {
            Some(more @ 1..) => {
                format!(
                    "{} and {} more",
                    names[..limits.names].join(", "),
                    spaced(more)
                )
            }
            _ => names.join(", "),
        }
    };
    let parts: Vec<String> = [
        (Verb::Create, "recorded"),
        (Verb::Update, "renumbered as the newest"),
        (Verb::Delete, "dropped"),
    ]
    .iter()
    .map(|(verb, word)| (of(*verb), word))
    .filter(|(names, _)| !names.is_empty())
    .map(|(names, word)| format!("{word} {names}"))
    .collect();
    parts.join("; ")
}
