//! Blocks of a document in Markdown.

use super::details;
use super::page::Page;
use super::runbook;
use super::text::Markdown;
use crate::output::advice::{Advice, Kind};
use crate::output::document::{Block, Field, Fields, Item, List, Role, Sentence};
use crate::output::limits::Limits;
use crate::output::style::Tone;
use crate::output::table::{Look, Row, Table};
use crate::output::words::{count, cut};

/// Writes a block.
pub(super) fn block(block: &Block<'_>, limits: &Limits, page: &mut Page) {
    match block {
        Block::Sentence(sentence) => {
            page.offer(&self::sentence(sentence, limits));
        }
        Block::Advice(advice) => {
            page.offer(&self::advice(advice, limits));
        }
        Block::Evidence(facts) => {
            let lines = facts.iter().fold(start(), |lines, fact| {
                lines.raw("- ").text(&cut(fact, limits.value)).raw("\n")
            });
            page.offer(&lines);
        }
        Block::Fields(fields) => self::fields(fields, limits, page),
        Block::List(list) => self::list(list, limits, page),
        Block::Terms(terms) => {
            let rows = terms.iter().map(|term| {
                let margin = if term.is_part { "  - **" } else { "- **" };
                let row = Markdown::default().raw(margin).raw(term.label);
                let words = cut(&term.text, limits.sentence);
                row.raw("** ").text(&words).raw("\n")
            });
            page.push(&start());
            let left_out = page.rows(rows);
            if left_out > 0 {
                page.leave_out(left_out, "line");
            }
        }
        Block::Table(table) => self::table(table, limits, page),
        Block::Runbook(stages) => runbook::runbook(stages, limits, page),
        Block::More(left_out, thing) => page.leave_out(*left_out, thing),
    }
}

/// Returns the start of a block.
pub(super) fn start() -> Markdown {
    Markdown::default().raw("\n")
}

fn sentence(sentence: &Sentence, limits: &Limits) -> Markdown {
    let words = cut(&sentence.text, limits.sentence);
    let out = match (sentence.role, sentence.label.as_str()) {
        (Role::Headline | Role::Alarm, "") => start().raw("**").text(&words).raw("**"),
        (Role::Headline | Role::Alarm, label) => {
            let label = start().raw("**").text(label);
            label.raw(": ").text(&words).raw("**")
        }
        (Role::Further, _) => start().raw("and ").text(&words),
        (_, "") => start().text(&words),
        (_, label) => start().raw("**").text(label).raw(":** ").text(&words),
    };
    out.raw("\n")
}

fn advice(advice: &Advice, limits: &Limits) -> Markdown {
    let label = advice.kind.label();
    let terms = advice.terms();
    let words = cut(&terms, limits.value);
    let mut out = match advice.kind {
        _ if terms.is_empty() => start().raw("**").text(&label).raw("**"),
        Kind::Words | Kind::Look => start().raw("**").text(&label).raw(":** ").text(&words),
        _ => start()
            .raw("**")
            .text(&label)
            .raw("** (")
            .text(&words)
            .raw(")"),
    };
    if !advice.risk.is_empty() {
        out = out
            .raw(" **Risk:** ")
            .text(&cut(&advice.risk, limits.value));
    }
    out = out.raw("\n");
    if !advice.commands.is_empty() {
        out = out.raw("\n").commands(&advice.commands);
    }
    if advice.left_out > 0 {
        let more = out.raw("\n… and ").number(advice.left_out);
        out = more.raw(" more commands.\n");
    }
    out
}

/// Writes collapsed fields, each with its values as a diff.
fn fields(fields: &Fields, limits: &Limits, page: &mut Page) {
    let number = fields.fields.len() + fields.left_out;
    let title = match &fields.revisions {
        Some([from, to]) => {
            let [from, to] = [from, to].map(|name| cut(name, limits.name));
            format!("Template: {from} to {to} ({})", count(number, fields.thing))
        }
        None => count(number, fields.thing),
    };
    let rows = fields.fields.iter().map(|field| self::field(field, limits));
    folded(&title, fields.thing, rows, fields.left_out, page);
}

fn field(field: &Field, limits: &Limits) -> Markdown {
    let path = cut(&field.path, limits.value);
    let mut out = Markdown::default().raw("- ").code(&path);
    out = match (field.effect.as_str(), field.is_bad) {
        ("", _) => out,
        (effect, true) => out.raw(" **").text(effect).raw("**"),
        (effect, false) => out.raw(" ").text(effect),
    };
    out.raw("\n")
        .diff(field.old.as_deref(), field.new.as_deref())
}

/// Writes a list, which is collapsed if it has a title.
fn list(list: &List, limits: &Limits, page: &mut Page) {
    if list.title.is_empty() {
        for entry in &list.items {
            page.offer(&start().with(&item(entry, limits)).raw("\n"));
        }
        return;
    }
    let rows = (1..).zip(&list.items).map(|(number, entry)| {
        let row = match list.numbered {
            true => Markdown::default().number(number).raw(". "),
            false => Markdown::default().raw("- "),
        };
        row.with(&item(entry, limits)).raw("\n")
    });
    let title = count(list.items.len() + list.left_out, list.thing);
    folded(&title, list.thing, rows, list.left_out, page);
}

fn item(item: &Item, limits: &Limits) -> Markdown {
    let mut out = Markdown::default();
    if let Some((severity, id)) = &item.finding {
        out = out.raw("**").raw(severity.name()).raw("** ").text(id);
        if !item.object.is_empty() {
            out = out.raw(" ").code(&cut(&item.object, limits.name));
        }
        out = out.raw(": ");
    }
    out = out.text(&cut(&item.text, limits.sentence));
    if !item.more.is_empty() {
        out = out.raw(" (").code(&cut(&item.more, limits.value)).raw(")");
    }
    out
}

/// Writes collapsed rows, if there are any.
fn folded(
    title: &str,
    thing: &str,
    rows: impl Iterator<Item = Markdown>,
    left_out: usize,
    page: &mut Page,
) {
    let mut rows = rows.peekable();
    if rows.peek().is_none() || !page.offer(&details(title).raw("\n")) {
        return;
    }
    match page.rows(rows) + left_out {
        0 => {}
        left_out => page.leave_out(left_out, thing),
    }
    page.push(&start().raw("</details>\n"));
}

pub(super) fn table(table: &Table, limits: &Limits, page: &mut Page) {
    let mut head = start();
    if !table.title.is_empty() {
        head = head.raw("**").raw(table.title).raw("**\n\n");
    }
    for column in &table.columns {
        head = head.raw("| ").text(&column.title()).raw(" ");
    }
    head = head.raw("|\n");
    for column in &table.columns {
        head = head.raw(match column.look {
            Look::Number => "|--:",
            Look::Name | Look::Text | Look::State => "|---",
        });
    }
    if !page.offer(&head.raw("|\n")) {
        return;
    }
    let rows = table.rows.iter().filter_map(|row| match row {
        Row::Cells(tone, cells) => {
            let cells = cells.iter().zip(&table.columns);
            let row = cells.fold(Markdown::default(), |row, (cell, column)| {
                let row = row.raw("| ");
                let row = match (cell.as_str(), column.look) {
                    ("-", _) => row.raw("-"),
                    (name, Look::Name) => row.code(&cut(name, 2 * limits.name)),
                    (state, Look::State) if *tone == Tone::Bad => {
                        row.raw("**").text(state).raw("**")
                    }
                    (words, _) => row.text(&cut(words, limits.sentence)),
                };
                row.raw(" ")
            });
            Some(row.raw("|\n"))
        }
        _ => None,
    });
    // The rest is for later blocks.
    let whole = page.allow(page.left() * 3 / 4);
    let left_out = page.rows(rows) + table.left_out.map_or(0, |(_, number)| number);
    page.restore(whole);
    if left_out > 0 {
        page.leave_out(left_out, table.thing);
    }
    for row in &table.rows {
        if let Row::Note(note) = row {
            page.push(&start().text(note).raw("\n"));
        }
    }
}
