//! `-o markdown`: a comment on a pull request. Verdict and timeline come first; the rest is collapsed.

mod at_a_glance;
mod blocks;
mod page;
mod runbook;
mod text;

use std::io::{self, Write};

use super::document::verification::verdict_of;
use super::document::{self, Block, Part, Role, Scope, say};
use super::fleet::{singles, table, tally};
use super::format::Format;
use super::lanes;
use super::limits::Limits;
use super::overview::{as_of, plan_age};
use super::style::{Style, Tone, write_visible};
use super::table::Row;
use super::verdict::verdict;
use super::words::{capitalized, count, cut, set_name};
use blocks::{block, start};
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
    blocks::table(&table, &limits, page);
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

fn set(metadata: &Metadata, limits: &Limits) -> String {
    cut(&set_name(metadata), 2 * limits.name)
}
