//! `-o markdown`: a comment on a pull request. The verdict first, then what happens, the rest to unfold.

mod obstacles;
mod page;
mod text;

use std::io::{self, Write};

use serde_json::Value;

use super::answers::{Answer, alarms, answers};
use super::fleet::state::{age_of, cause_of};
use super::fleet::{State, most_urgent_first, tally};
use super::operation::{ClaimFate, Operation};
use super::operations::{operations, repeats_verdict};
use super::overview::{findings, ready};
use super::steps::{numbers, revisions, waits};
use super::style::{Style, Tone, escape};
use super::verdict::verdict;
use super::words::{count, cut, elapsed, short_revision, spaced};
use obstacles::obstacles;
use page::{Page, more};
use sts_plan::report::{Change, Effect, Finding, Rejection, Report, ReportList};
use text::{code, text};

/// Maximum number of rows of a table of operations: a comment is read, not searched.
const ROWS: usize = 100;
/// Maximum width of a name, of a sentence and of a value.
const NAME: usize = 120;
const SENTENCE: usize = 600;
const VALUE: usize = 300;
/// Maximum width of a cause in the row of its set.
const CAUSE: usize = 200;
/// Under how many bytes a further set is not begun.
const TOO_LITTLE: usize = 12_000;

/// Foreign text within a line.
pub(super) fn inline(foreign: &str) -> String {
    text(&cut(foreign, SENTENCE))
}

/// Writes one plan as a comment, or several as one.
pub(super) fn render(plans: ReportList<'_>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new();
    match plans.alone() {
        Some(report) => {
            let title = format!("### {}: {}\n\n", set(report), verdict(report).text());
            page.push(&title);
            plan(report, style, &mut page);
        }
        None => list(plans, style, &mut page),
    }
    if page.cut {
        page.push(&format!(
            "\nWhat was left out would not have fitted, or would not have been read: `-o json` has all of it \
             (a comment takes {} characters).\n",
            spaced(page::MOST)
        ));
    }
    out.write_all(page.finish().as_bytes())
}

/// A row for each set, then each set to unfold.
fn list(plans: ReportList<'_>, style: &Style, page: &mut Page) {
    let sorted = most_urgent_first(plans.items);
    page.push(&format!("### {}\n", tally(plans)));
    if sorted.is_empty() && plans.errors.is_empty() {
        return;
    }
    page.push("\n| Set | Ready | State | Age | Cause | Findings |\n|---|--:|---|--:|---|---|\n");
    let unplanned = plans.errors.iter().map(|error| {
        let set = code(&cut(&error.set(), 2 * NAME));
        let message = text(&cut(&error.outcome.message, SENTENCE));
        format!("| {set} | - | **not planned** | - | {message} | - |\n")
    });
    let planned = sorted.iter().map(|report| {
        let state = State::of(report);
        let words = match state.tone() {
            Tone::Bad => format!("**{}**", state.words()),
            _ => state.words().to_owned(),
        };
        format!(
            "| {} | {} | {words} | {} | {} | {} |\n",
            set(report),
            ready(report),
            age_of(report),
            text(&cut(&cause_of(report), CAUSE)),
            findings(report)
        )
    });
    // The other half is for what is behind the rows.
    let whole = page.allow(page.left() / 2);
    let left_out = page.rows(unplanned.chain(planned), usize::MAX);
    page.allow_again(whole);
    if left_out > 0 {
        page.push(&format!("\n… and {}.\n", more(left_out, "set")));
    }
    let mut folded = 0;
    for report in sorted.into_iter().filter(|it| State::of(it) != State::Idle) {
        if page.left() < TOO_LITTLE {
            folded += 1;
            page.cut = true;
            continue;
        }
        page.push(&format!(
            "\n<details><summary>{}: {}</summary>\n\n",
            html(&full_name(report)),
            verdict(report).text()
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

/// Everything about one set but its name and its end.
fn plan(report: &Report, style: &Style, page: &mut Page) {
    page.push(&format!(
        "**{}**\n",
        text(&cut(&report.next.summary, SENTENCE))
    ));
    for alarm in alarms(report) {
        page.push(&format!("\n**{}**\n", text(&cut(&alarm, SENTENCE))));
    }
    obstacles(report, page);
    happens(report, style, page);
    for answer in answers(report) {
        told(&answer, page);
    }
    page.push(&format!("\n{}\n", text(&cut(&report.summary, SENTENCE))));
    if let Some(eta) = &report.analysis.eta {
        page.push(&format!("\nETA: {}\n", text(&eta.message)));
    }
    findings_of(&report.findings, page);
    ignored_of(report, page);
    changes(&report.change, style, page);
    for diff in &report.template_diff {
        let title = format!(
            "Template: {} to {} ({})",
            html(&cut(&diff.from, NAME)),
            html(&cut(&diff.to, NAME)),
            count(diff.fields.len(), "field")
        );
        let rows = diff
            .fields
            .iter()
            .map(|field| lines(&field.path, "", &field.old, &field.new, style));
        folded(&title, "field", rows, page);
    }
    let assumptions = report
        .assumptions
        .iter()
        .map(|assumption| format!("- {}\n", text(&cut(assumption, SENTENCE))));
    let title = count(report.assumptions.len(), "assumption");
    folded(&title, "assumption", assumptions, page);
}

/// An answer to what was asked besides: a sentence, and a table to unfold.
fn told(answer: &Answer, page: &mut Page) {
    let cells = |row: &[String]| -> String {
        let cells = row.iter().map(|cell| text(&cut(cell, SENTENCE)));
        format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
    };
    if !answer.text.is_empty() {
        let sentence = text(&cut(&answer.text, SENTENCE));
        page.push(&format!("\n**{}:** {sentence}\n", answer.title));
    }
    if answer.rows.is_empty() {
        return;
    }
    let headers: Vec<String> = answer.headers.iter().map(ToString::to_string).collect();
    let title = format!("\n<details><summary>{}</summary>\n\n", answer.title);
    let rule = "|---".repeat(headers.len());
    if !page.offer(&format!("{title}{}{rule}|\n", cells(&headers))) {
        return;
    }
    match page.rows(answer.rows.iter().map(|row| cells(row)), ROWS) {
        0 => {}
        left_out => page.push(&format!("\n… and {}.\n", more(left_out, "row"))),
    }
    page.push("\n</details>\n");
}

fn full_name(report: &Report) -> String {
    let metadata = &report.metadata;
    match metadata.namespace.as_str() {
        "" => cut(&metadata.name, NAME),
        namespace => format!("{}/{}", cut(namespace, NAME), cut(&metadata.name, NAME)),
    }
}

fn set(report: &Report) -> String {
    code(&full_name(report))
}

/// Text within an element, where Markdown is not read.
fn html(foreign: &str) -> String {
    text(foreign)
}

/// The table of what happens to each pod, and why.
fn happens(report: &Report, style: &Style, page: &mut Page) {
    let operations = operations(report, false);
    if operations.is_empty() || repeats_verdict(report, &operations) {
        return;
    }
    page.push(
        "\n| Step | When | Pod | Operation | Revision | Waits | Why |\n|--:|--:|---|---|---|---|---|\n",
    );
    let numbers = numbers(&operations);
    let rows = operations
        .iter()
        .zip(&numbers)
        .map(|(operation, number)| row(operation, *number, report, style));
    let whole = page.allow(page.left() * 3 / 4);
    let left_out = page.rows(rows, ROWS);
    page.allow_again(whole);
    if left_out > 0 {
        page.push(&format!("\n… and {}.\n", more(left_out, "operation")));
    }
}

fn row(operation: &Operation<'_>, number: usize, report: &Report, style: &Style) -> String {
    let revision = |revision: &str| {
        code(&match style.verbose {
            true => cut(revision, NAME),
            false => cut(short_revision(revision, &report.metadata.name), NAME),
        })
    };
    let revisions: Vec<String> = revisions(operation)
        .into_iter()
        .flatten()
        .map(revision)
        .collect();
    let mut what = operation.word().to_owned();
    let lost: Vec<String> = operation
        .claims
        .iter()
        .filter(|(fate, _)| *fate == ClaimFate::Remove)
        .map(|(_, claim)| code(&cut(claim, NAME)))
        .collect();
    if !lost.is_empty() {
        what.push_str(&format!(", **loses** {}", lost.join(" ")));
    }
    format!(
        "| {number} | {} | {} | {what} | {} | {} | {} |\n",
        elapsed(operation.at),
        code(&cut(operation.pod, NAME)),
        revisions.join(" → "),
        waits(operation),
        text(&cut(&operation.why(report), NAME))
    )
}

/// A list to unfold.
fn folded(title: &str, thing: &str, rows: impl ExactSizeIterator<Item = String>, page: &mut Page) {
    if rows.len() == 0 {
        return;
    }
    if !page.offer(&format!("\n<details><summary>{title}</summary>\n\n")) {
        return;
    }
    match page.rows(rows, usize::MAX) {
        0 => {}
        left_out => page.push(&format!("\n… and {}.\n", more(left_out, thing))),
    }
    page.push("\n</details>\n");
}

fn findings_of(findings: &[Finding], page: &mut Page) {
    let rows = findings.iter().map(|finding| {
        let mut row = format!("- **{}** {}", finding.severity, finding.id);
        if !finding.object.is_empty() {
            row.push_str(&format!(" {}", code(&cut(&finding.object, NAME))));
        }
        row.push_str(&format!(": {}", text(&cut(&finding.message, SENTENCE))));
        if !finding.docs.is_empty() {
            row.push_str(&format!(" ({})", code(&cut(&finding.docs, VALUE))));
        }
        row.push('\n');
        row
    });
    folded(&count(findings.len(), "finding"), "finding", rows, page);
}

/// Writes what is ignored, with the reasons.
fn ignored_of(report: &Report, page: &mut Page) {
    let rows = report.ignored.iter().map(|ignored| {
        let finding = &ignored.finding;
        let why = text(&cut(&ignored.why(), SENTENCE));
        let message = text(&cut(&finding.message, SENTENCE));
        format!(
            "- {} {}: {message} (**{why}**)\n",
            finding.severity, finding.id
        )
    });
    let title = count(report.ignored.len(), "ignored finding");
    folded(&title, "ignored finding", rows, page);
}

fn changes(changes: &[Change], style: &Style, page: &mut Page) {
    let rows = changes.iter().map(|change| {
        if change.effect == Effect::Delete {
            return format!("- {} is deleted\n", code(&cut(&change.path, VALUE)));
        }
        let effect = match change.effect {
            Effect::Rollout => "makes a new revision",
            Effect::Scale => "scales",
            Effect::Rejected(Rejection::Immutable) => "**rejected: it may not be changed**",
            Effect::Rejected(Rejection::Conflict) => "**rejected: another manager owns it**",
            Effect::Rejected(Rejection::Invalid) => "**rejected: invalid value**",
            Effect::None | Effect::Delete => "makes no new revision",
        };
        lines(&change.path, effect, &change.old, &change.new, style)
    });
    folded(&count(changes.len(), "change"), "change", rows, page);
}

/// A field with its values as lines of a diff.
fn lines(
    path: &str,
    effect: &str,
    old: &Option<Value>,
    new: &Option<Value>,
    style: &Style,
) -> String {
    let effect = match effect {
        "" => String::new(),
        effect => format!(" {effect}"),
    };
    let value = |sign: char, value: &Option<Value>| {
        let Some(value) = value else {
            return String::new();
        };
        let value = match style.posted(path, value).into_owned() {
            Value::String(text) => text,
            value => value.to_string(),
        };
        // Whatever it holds, it stays on its line, behind its sign.
        format!("  {sign} {}\n", escape(&cut(&value, VALUE)))
    };
    let values = format!("{}{}", value('-', old), value('+', new));
    let longest = values
        .split(|character| character != '`')
        .map(str::len)
        .max();
    let fence = "`".repeat(longest.unwrap_or(0).max(2) + 1);
    format!(
        "- {}{effect}\n\n  {fence}diff\n{values}  {fence}\n",
        code(&cut(path, VALUE))
    )
}
