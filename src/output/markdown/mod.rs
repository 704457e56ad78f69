//! `-o markdown`: a comment on a pull request. The verdict first, then what happens, the rest to unfold.

mod page;
mod text;

use std::io::{self, Write};

use super::advice::Advice;
use super::document::verification::verdict_of;
use super::document::{self, Block, Field, Fields, Item, List, Part, Role, Scope, Sentence, say};
use super::fleet::groups::Group;
use super::fleet::{State, most_urgent_first, table, tally};
use super::format::Format;
use super::limits::Limits;
use super::style::{Style, Tone, write_visible};
use super::table::{Look, Row, Table};
use super::verdict::verdict;
use super::words::{count, cut, elapsed, set_name, spaced};
use page::{Page, more};
use sts_plan::report::{Metadata, Report, ReportList, Verification};
use text::{code, commands, diff, text};

/// Bytes that are kept free for the last line of a set.
const SUMMARY: usize = 4_500;
/// Under how many bytes a further set is not begun.
const TOO_LITTLE: usize = 12_000;

/// Writes one plan as a comment, or several as one.
pub(super) fn render(plans: ReportList<'_>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let limits = Limits::of(Format::Markdown, style);
    let mut page = Page::new();
    match plans.alone() {
        Some(report) => {
            let title = format!(
                "### {}: {}\n",
                code(&set(&report.metadata, &limits)),
                verdict(report).text
            );
            page.push(&title);
            plan(report, style, &mut page);
        }
        None => sets(plans, style, &mut page),
    }
    if page.cut {
        page.push(&format!(
            "\nWhat was left out would not have fitted, or would not have been read: `-o json` has all of it \
             (a comment takes {} characters).\n",
            spaced(page::MOST)
        ));
    }
    write_visible(&page.finish(), out)
}

/// A row for each set, then each set to unfold.
fn sets(plans: ReportList<'_>, style: &Style, page: &mut Page) {
    let limits = Limits::of(Format::Markdown, style);
    let sorted = most_urgent_first(plans.items);
    page.push(&format!("### {}\n", tally(plans)));
    if sorted.is_empty() && plans.errors.is_empty() {
        return;
    }
    let alone: Vec<Group<'_>> = sorted.iter().map(|report| Group::alone(report)).collect();
    let rows = table::rows(plans, &alone);
    let scope = Scope { limits, style };
    let table = table::table(&rows, table::WITH_FINDINGS, &scope);
    self::table(&table, &limits, page);
    let mut folded = 0;
    for report in sorted.into_iter().filter(|it| State::of(it) != State::Idle) {
        if page.left() < TOO_LITTLE {
            folded += 1;
            page.cut = true;
            continue;
        }
        page.push(&format!(
            "\n<details><summary>{}: {}</summary>\n",
            text(&set(&report.metadata, &limits)),
            verdict(report).text
        ));
        let whole = page.allow(page.left() / 2);
        plan(report, style, page);
        page.allow_again(whole);
        page.push("\n</details>\n");
    }
    if folded > 0 {
        page.push(&format!(
            "\n… and what happens to {}.\n",
            more(folded, "set")
        ));
    }
}

/// Writes what has become of plans, one after the other.
pub(super) fn render_verifications(
    found: &[Verification],
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let limits = Limits::of(Format::Markdown, style);
    let all = found.iter().map(|verification| {
        let mut blocks = document::verification::verification(verification, &limits);
        let plan = &verification.plan;
        let age = elapsed(verification.elapsed_seconds);
        let made = format!("Plan of {}, {age} ago", plan.now);
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
        let gap = if at == 0 { "" } else { "\n" };
        page.offer(&format!("{gap}### {}: {verdict}\n", code(&set)));
        for block in blocks {
            self::block(&block, &limits, &mut page);
        }
    }
    write_visible(&page.finish(), out)
}

/// Everything about one set but its name and its end.
fn plan(report: &Report, style: &Style, page: &mut Page) {
    let limits = Limits::of(Format::Markdown, style);
    let scope = Scope { limits, style };
    // The last line says it all, and is not to be left out for what stands before it.
    let whole = page.allow(page.left().saturating_sub(SUMMARY));
    for part in Part::ALL {
        if part == Part::Summary {
            page.allow_again(whole);
        }
        for block in document::part(report, part, &scope) {
            self::block(&block, &limits, page);
        }
    }
}

fn block(block: &Block<'_>, limits: &Limits, page: &mut Page) {
    match block {
        Block::Sentence(sentence) => {
            page.offer(&format!("\n{}\n", self::sentence(sentence, limits)));
        }
        Block::Advice(advice) => {
            page.offer(&self::advice(advice, limits));
        }
        Block::Facts(facts) => {
            let facts = facts.iter();
            let lines = facts.map(|fact| format!("- {}\n", text(&cut(fact, limits.value))));
            page.offer(&format!("\n{}", lines.collect::<String>()));
        }
        Block::Fields(fields) => self::fields(fields, limits, page),
        Block::List(list) => self::list(list, limits, page),
        Block::Terms(terms) => {
            let rows = terms.iter().map(|term| {
                let margin = if term.is_part { "  " } else { "" };
                let words = text(&cut(&term.text, limits.sentence));
                format!("{margin}- **{}** {words}\n", term.label)
            });
            page.push("\n");
            let left_out = page.rows(rows);
            if left_out > 0 {
                page.leave_out(left_out, "line");
            }
        }
        Block::Table(table) => self::table(table, limits, page),
        Block::More(left_out, thing) => page.leave_out(*left_out, thing),
    }
}

fn sentence(sentence: &Sentence, limits: &Limits) -> String {
    let words = text(&cut(&sentence.text, limits.sentence));
    match (sentence.role, sentence.label.as_str()) {
        (Role::Headline | Role::Alarm, "") => format!("**{words}**"),
        (Role::Headline | Role::Alarm, label) => format!("**{label}: {words}**"),
        (Role::Further, _) => format!("and {words}"),
        (_, "") => words,
        (_, label) => format!("**{label}:** {words}"),
    }
}

fn advice(advice: &Advice<'_>, limits: &Limits) -> String {
    let mut out = format!("\n**{}**", advice.kind.word());
    let terms = advice.terms();
    if !terms.is_empty() {
        out.push_str(&format!(" ({})", text(&cut(&terms, limits.value))));
    }
    if !advice.risk.is_empty() {
        let risk = text(&cut(advice.risk, limits.value));
        out.push_str(&format!(" **Risk:** {risk}"));
    }
    out.push_str(&format!("\n\n{}", commands(advice.commands)));
    if advice.left_out > 0 {
        let more = spaced(advice.left_out);
        out.push_str(&format!("\n… and {more} more commands.\n"));
    }
    out
}

/// Fields to unfold, each with its values as lines of a diff.
fn fields(fields: &Fields, limits: &Limits, page: &mut Page) {
    let number = fields.fields.len() + fields.left_out;
    let title = match &fields.revisions {
        Some([from, to]) => {
            let [from, to] = [from, to].map(|name| text(&cut(name, limits.name)));
            format!("Template: {from} to {to} ({})", count(number, fields.thing))
        }
        None => count(number, fields.thing),
    };
    let rows = fields.fields.iter().map(|field| self::field(field, limits));
    folded(&title, fields.thing, rows, fields.left_out, page);
}

fn field(field: &Field, limits: &Limits) -> String {
    let path = code(&cut(&field.path, limits.value));
    let effect = match (field.effect.as_str(), field.is_bad) {
        ("", _) => String::new(),
        (effect, true) => format!(" **{effect}**"),
        (effect, false) => format!(" {}", text(effect)),
    };
    let values = diff(field.old.as_deref(), field.new.as_deref());
    format!("- {path}{effect}\n{values}")
}

/// Entries: those without a title stand where they are, others are to unfold.
fn list(list: &List, limits: &Limits, page: &mut Page) {
    if list.title.is_empty() {
        for entry in &list.items {
            page.offer(&format!("\n{}\n", item(entry, limits)));
        }
        return;
    }
    let rows = (1..).zip(&list.items).map(|(number, entry)| {
        let entry = item(entry, limits);
        match list.numbered {
            true => format!("{number}. {entry}\n"),
            false => format!("- {entry}\n"),
        }
    });
    let title = count(list.items.len() + list.left_out, list.thing);
    let rows: Vec<String> = rows.collect();
    folded(&title, list.thing, rows.into_iter(), list.left_out, page);
}

fn item(item: &Item, limits: &Limits) -> String {
    let mut out = String::new();
    if let Some((severity, id)) = &item.finding {
        out = format!("**{severity}** {id}");
        if !item.object.is_empty() {
            out.push_str(&format!(" {}", code(&cut(&item.object, limits.name))));
        }
        out.push_str(": ");
    }
    out.push_str(&text(&cut(&item.text, limits.sentence)));
    if !item.more.is_empty() {
        out.push_str(&format!(" ({})", code(&cut(&item.more, limits.value))));
    }
    out
}

/// Rows to unfold.
fn folded(
    title: &str,
    thing: &str,
    rows: impl ExactSizeIterator<Item = String>,
    left_out: usize,
    page: &mut Page,
) {
    if rows.len() == 0 || !page.offer(&format!("\n<details><summary>{title}</summary>\n\n")) {
        return;
    }
    match page.rows(rows) + left_out {
        0 => {}
        left_out => page.leave_out(left_out, thing),
    }
    page.push("\n</details>\n");
}

fn table(table: &Table, limits: &Limits, page: &mut Page) {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let headers: Vec<String> = table.columns.iter().map(|column| column.title()).collect();
    let rules = table.columns.iter().map(|column| match column.look {
        Look::Number => "|--:",
        Look::Name | Look::Text | Look::State => "|---",
    });
    let rules: String = rules.collect();
    let title = match table.title {
        "" => String::new(),
        title => format!("**{title}**\n\n"),
    };
    let head = format!("\n{title}{}{rules}|\n", line(&headers));
    if !page.offer(&head) {
        return;
    }
    let cell = |tone: Tone, (cell, look): (&String, Look)| match (cell.as_str(), look) {
        ("-", _) => cell.clone(),
        (_, Look::Name) => code(&cut(cell, 2 * limits.name)),
        (_, Look::State) if tone == Tone::Bad => format!("**{cell}**"),
        _ => text(&cut(cell, limits.sentence)),
    };
    let looks = || table.columns.iter().map(|column| column.look);
    let rows = table.rows.iter().filter_map(|row| match row {
        Row::Cells(tone, cells) => {
            let cells = cells.iter().zip(looks()).map(|it| cell(*tone, it));
            Some(line(&cells.collect::<Vec<_>>()))
        }
        _ => None,
    });
    // The rest is for what stands behind it.
    let whole = page.allow(page.left() * 3 / 4);
    let left_out = page.rows(rows) + table.left_out.map_or(0, |(_, number)| number);
    page.allow_again(whole);
    if left_out > 0 {
        page.leave_out(left_out, table.thing);
    }
    for row in &table.rows {
        if let Row::Note(note) = row {
            page.push(&format!("\n{note}\n"));
        }
    }
}

fn set(metadata: &Metadata, limits: &Limits) -> String {
    cut(&set_name(metadata), 2 * limits.name)
}
