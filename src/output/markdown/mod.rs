//! `-o markdown`: a comment on a pull request. Verdict and timeline come first; the rest is collapsed.

mod at_a_glance;
mod page;
mod runbook;
mod text;

use std::io::{self, Write};

use super::advice::{Advice, Kind};
use super::document::verification::verdict_of;
use super::document::{self, Block, Field, Fields, Item, List, Part, Role, Scope, Sentence, say};
use super::fleet::{singles, table, tally};
use super::format::Format;
use super::lanes;
use super::limits::Limits;
use super::overview::{as_of, plan_age};
use super::style::{Style, Tone, write_visible};
use super::table::{Look, Row, Table};
use super::verdict::verdict;
use super::words::{capitalized, count, cut, set_name};
use page::Page;
use sts_plan::fleet::ReportList;
use sts_plan::report::{Metadata, Report, SetState};
use sts_plan::verify::Verification;
use text::Markdown;

/// Bytes reserved for the last line of a set.
const SUMMARY: usize = 4_500;
/// Minimum number of bytes left for a further set.
const TOO_LITTLE: usize = 12_000;

/// Writes one plan as a comment, or several as one.
pub(super) fn render(plans: &ReportList<'_>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let limits = Limits::of(Format::Markdown, style);
    let mut page = Page::new();
    match plans.alone() {
        Some(report) => {
            page.push(&title(
                &set(&report.metadata, &limits),
                &verdict(report).text,
            ));
            if let Some(as_of) = as_of(report) {
                page.push(
                    &Markdown::default()
                        .raw("\n")
                        .text(&capitalized(&as_of))
                        .raw(".\n"),
                );
            }
            plan(report, style, &mut page);
        }
        None => sets(plans, style, &mut page),
    }
    if page.cut {
        let note = Markdown::default().raw(
            "\nSome details are omitted: use `-o json` for all of them (comments are limited to ",
        );
        page.push(&note.number(page::MOST).raw(" characters).\n"));
    }
    write_visible(&page.finish(), out)
}

/// Writes a row for each set, then each set collapsed.
fn sets(plans: &ReportList<'_>, style: &Style, page: &mut Page) {
    let limits = Limits::of(Format::Markdown, style);
    let sorted = plans.most_urgent_first();
    let scope = Scope { limits, style };
    page.push(
        &Markdown::default()
            .raw("### ")
            .text(&tally(&plans.tally))
            .raw("\n"),
    );
    for block in document::together(plans, &scope) {
        self::block(&block, &limits, page);
    }
    if sorted.is_empty() && plans.errors.is_empty() {
        return;
    }
    let rows = table::rows(plans, &singles(plans));
    let table = table::table(&rows, table::WITH_FINDINGS, &scope);
    self::table(&table, &limits, page);
    let mut folded = 0;
    for report in sorted
        .into_iter()
        .filter(|it| it.state != SetState::UpToDate)
    {
        if page.left() < TOO_LITTLE {
            folded += 1;
            page.cut = true;
            continue;
        }
        let name = set(&report.metadata, &limits);
        let summary = format!("{name}: {}", verdict(report).text);
        page.push(&details(&summary));
        let whole = page.allow(page.left() / 2);
        plan(report, style, page);
        page.restore(whole);
        page.push(&Markdown::default().raw("\n</details>\n"));
    }
    if folded > 0 {
        let more = count(folded, "more set");
        let note = Markdown::default().raw("\n… and ");
        page.push(&note.text(&more).raw(".\n"));
    }
}

fn title(set: &str, verdict: &str) -> Markdown {
    let title = Markdown::default().raw("### ").code(set);
    title.raw(": ").text(verdict).raw("\n")
}

fn details(summary: &str) -> Markdown {
    let details = Markdown::default().raw("\n<details><summary>");
    details.text(summary).raw("</summary>\n")
}

/// Writes verifications, one after the other.
pub(super) fn render_verifications(
    found: &[Verification],
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let limits = Limits::of(Format::Markdown, style);
    let all = found.iter().map(|verification| {
        let mut blocks = document::verification::verification(verification, &limits);
        let plan = &verification.plan;
        let made = capitalized(&plan_age(verification));
        blocks.push(say(Role::Summary, Tone::Plain, &made, &plan.summary));
        (
            set(&verification.metadata, &limits),
            verdict_of(verification).to_lowercase(),
            blocks,
        )
    });
    render_blocks(all, style, out)
}

/// Writes documents one after the other, each below the name of its set and its verdict.
pub(super) fn render_blocks<'b>(
    all: impl Iterator<Item = (String, String, Vec<Block<'b>>)>,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let limits = Limits::of(Format::Markdown, style);
    let mut page = Page::new();
    for (at, (set, verdict, blocks)) in all.enumerate() {
        let gap = Markdown::default().raw(if at == 0 { "" } else { "\n" });
        page.offer(&gap.with(&title(&set, &verdict)));
        for block in blocks {
            self::block(&block, &limits, &mut page);
        }
    }
    write_visible(&page.finish(), out)
}

/// Writes the parts of one set.
fn plan(report: &Report, style: &Style, page: &mut Page) {
    let limits = Limits::of(Format::Markdown, style);
    let scope = Scope { limits, style };
    // Space for the summary is reserved.
    let whole = page.allow(page.left().saturating_sub(SUMMARY));
    if let Some(line) = at_a_glance::at_a_glance(report, &limits) {
        page.push(&line);
    }
    for &part in Part::ALL {
        if part == Part::Summary {
            page.restore(whole);
        }
        let blocks = document::part(report, part, &scope);
        if part == Part::Operations {
            operations(report, blocks, &limits, page);
            continue;
        }
        for block in blocks {
            self::block(&block, &limits, page);
        }
    }
}

/// Writes the lanes, and the operations collapsed.
fn operations(report: &Report, mut blocks: Vec<Block<'_>>, limits: &Limits, page: &mut Page) {
    if let Some(lines) = lanes::picture(report) {
        page.offer(&start().picture(&lines));
    }
    let mut is_open = false;
    for block in &mut blocks {
        if let Block::Table(table) = block {
            let rows = table.rows.iter();
            let rows = rows.filter(|row| matches!(row, Row::Cells(..))).count();
            let rows = rows + table.left_out.map_or(0, |(_, number)| number);
            let title = format!("{}: {}", table.title, count(rows, table.thing));
            is_open = page.offer(&details(&title));
            table.title = "";
        }
        self::block(block, limits, page);
    }
    if is_open {
        page.push(&start().raw("</details>\n"));
    }
}

fn block(block: &Block<'_>, limits: &Limits, page: &mut Page) {
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
fn start() -> Markdown {
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

fn table(table: &Table, limits: &Limits, page: &mut Page) {
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

fn set(metadata: &Metadata, limits: &Limits) -> String {
    cut(&set_name(metadata), 2 * limits.name)
}
