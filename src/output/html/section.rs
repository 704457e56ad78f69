//! The part of the page on one set.

use maud::{Markup, html};

use super::diff::changes;
use super::obstacles::obstacles;
use super::step_states;
use super::step_states::{Cell, Row, Story};
use crate::output::answers::{alarms, answers};
use crate::output::operation::ClaimFate;
use crate::output::operations::{operations, repeats_verdict};
use crate::output::screen::{circles, facts};
use crate::output::step_text;
use crate::output::steps::{revisions, waits};
use crate::output::style::{Style, Tone};
use crate::output::svg;
use crate::output::svg::{Palette, shown};
use crate::output::verdict::{headline, verdict};
use crate::output::words::{count, cut, elapsed, short_revision, spaced};
use sts_plan::report::timeline::Timeline;
use sts_plan::report::{Finding, PlanResult, Report};

/// Maximum number of rows of a table.
pub(super) const ROWS: usize = 200;
/// Maximum number of characters of a value, and of a sentence.
pub(super) const VALUE: usize = 4_000;

/// `prod/web`.
pub(super) fn name(report: &Report) -> String {
    let metadata = &report.metadata;
    let name = match metadata.namespace.as_str() {
        "" => metadata.name.clone(),
        namespace => format!("{namespace}/{}", metadata.name),
    };
    cut(&name, 160)
}

/// The label of a part of a set's section: those of a page on many sets are told apart by the set.
fn region(report: &Report, part: &str) -> String {
    shown(&format!("{part}: {}", name(report)))
}

/// Returns the urgency of a plan, as a class.
pub(super) fn tone(report: &Report) -> &'static str {
    match verdict(report).tone {
        Tone::Bad => "bad",
        Tone::Good => "good",
        _ => "busy",
    }
}

/// Everything about one set, the `index`-th of the page.
pub(super) fn section(report: &Report, style: &Style, index: usize, most: usize) -> Markup {
    let timeline = Timeline::new(report);
    let palette = Palette::new(report, &timeline, index);
    let story = Story::new(report, &timeline, &palette, most);
    let id = |part: &str| format!("{part}-{index}");
    html! {
        section .plan id=(id("set")) aria-labelledby=(id("name")) {
            (head(report, style, index))
            (timeline_of(report, &story, index))
            (happens(report, &story))
            (asked(report))
            (states(report, &story))
            (findings(&report.findings))
            (ignored(report))
            (steps(report, &story))
            (grounds(report))
            p .summary { (shown(&cut(&report.summary, VALUE))) }
            script type="application/json" .story { (story.data(report)) }
        }
    }
}

/// Renders the set, the outcome, what happens next and why, and what to do.
fn head(report: &Report, style: &Style, index: usize) -> Markup {
    let verdict = verdict(report);
    html! {
        header .head {
            p .set {
                strong id=(format!("name-{index}")) { (shown(&name(report))) }
                " "
                span .facts {
                    "StatefulSet · " (shown(&facts(report).join(" · ")))
                    " · Kubernetes " (shown(&report.kubernetes.version)) " (" (report.kubernetes.source) ")"
                }
            }
            p .verdict.(tone(report)) { (verdict.capitalised()) }
            h1 { (shown(&cut(&headline(report), VALUE))) }
            @for alarm in alarms(report).iter().take(ROWS) {
                p .obstacle { strong .bad { (shown(&cut(alarm, VALUE))) } }
            }
            (changes(report, style))
            @if report.outcome.result == PlanResult::Livelock {
                p { (shown(&circles(report))) }
            }
            (obstacles(report))
        }
    }
}

/// The timeline, and what one goes through it with.
fn timeline_of(report: &Report, story: &Story, index: usize) -> Markup {
    let chart = svg::chart::draw(report, index);
    // The page has margins of its own.
    let size = format!(
        "{} 0 {} {}",
        svg::px(svg::chart::MARGIN - 2.0),
        svg::px(svg::chart::WIDTH - 2.0 * svg::chart::MARGIN + 4.0),
        svg::px(chart.height)
    );
    let id = format!("chart-{index}");
    html! {
        div .stage {
            div .scroll tabindex="0" role="region" aria-label=(region(report, "Timeline")) {
                svg .sts role="img" aria-labelledby=(id) viewBox=(size) {
                    title id=(id) { (svg::description(report)) }
                    (chart.markup)
                }
            }
            @if story.steps > 0 {
                div .controls hidden {
                    div .buttons {
                        button type="button" data-go="first" { "Start" }
                        button type="button" data-go="back" { "Back" }
                        button type="button" data-go="on" { "Next" }
                        button type="button" data-go="last" { "End" }
                        button type="button" data-go="play" aria-pressed="false" { "Play" }
                        select aria-label="Steps a second" {
                            option value="1" { "1/s" } option value="2" selected { "2/s" }
                            option value="5" { "5/s" } option value="20" { "20/s" }
                        }
                    }
                    input type="range" min="0" max=(story.stops.len()) value="0" step="1" aria-label="Step";
                    p .keys { kbd { "←" } " " kbd { "→" } " " kbd { "Home" } " " kbd { "End" } " " kbd { "Space" } }
                }
                div .now hidden {
                    p .told aria-live="polite" {}
                    ul .waits {}
                    p .next data-end=(verdict(report).capitalised()) {}
                }
                div .pod-story hidden aria-live="polite" {}
                @if story.stops.has_rest {
                    p .note {
                        "The first " (spaced(story.stops.told()))
                        " steps can be gone through one by one; the last stop is the end of the plan."
                    }
                }
            }
        }
    }
}

/// A row for each thing that is done to a pod.
fn happens(report: &Report, story: &Story) -> Markup {
    let operations = operations(report, false);
    if operations.is_empty() || repeats_verdict(report, &operations) {
        return html! {};
    }
    let short = |revision: &str| shown(short_revision(revision, &report.metadata.name));
    html! {
        h2 { "What happens" }
        div .scroll.tall tabindex="0" role="region" aria-label=(region(report, "What happens")) {
            table .happens.stacked {
                thead { tr {
                    th .number scope="col" { "Step" } th .number scope="col" { "When" } th scope="col" { "Pod" }
                    th scope="col" { "Operation" } th scope="col" { "Revision" } th scope="col" { "Waits for" }
                    th scope="col" { "Why" } th scope="col" { "Claims" }
                } }
                tbody {
                    @for operation in operations.iter().take(ROWS) {
                        @let [old, new] = revisions(operation);
                        @let stop = story.stops.after(operation.step + 1);
                        tr .bad[operation.never.is_some()] data-step=(stop) data-pod=(format!("pod/{}", shown(operation.pod))) {
                            td .number { (spaced(stop)) }
                            td .number { (elapsed(operation.at)) }
                            td { code { (shown(operation.pod)) } }
                            td { (operation.word()) }
                            td {
                                @if let Some(old) = old { code { (short(old)) } " → " }
                                @if let Some(new) = new { code { (short(new)) } }
                            }
                            td { (waits(operation)) }
                            td { (operation.why(report)) }
                            td {
                                @for (fate, claim) in &operation.claims {
                                    @match fate {
                                        ClaimFate::Keep => span { "keeps " code { (shown(claim)) } " " },
                                        ClaimFate::Create => span { "creates " code { (shown(claim)) } " " },
                                        ClaimFate::Remove => strong .bad { "loses " code { (shown(claim)) } " " },
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
        @if operations.len() > ROWS {
            p .note { "… and " (count(operations.len() - ROWS, "more operation")) "." }
        }
    }
}

/// The answers to what was asked besides what happens.
fn asked(report: &Report) -> Markup {
    html! {
        @for answer in answers(report) {
            h2 { (answer.title) }
            @if !answer.text.is_empty() { p { (shown(&cut(&answer.text, VALUE))) } }
            @if !answer.rows.is_empty() {
                div .scroll.tall tabindex="0" role="region" aria-label=(region(report, answer.title)) {
                    table {
                        thead { tr { @for header in &answer.headers { th scope="col" { (header) } } } }
                        tbody {
                            @for row in answer.rows.iter().take(ROWS) {
                                tr { @for cell in row { td { (shown(&cut(cell, VALUE))) } } }
                            }
                        }
                    }
                }
                @if answer.rows.len() > ROWS {
                    p .note { "… and " (count(answer.rows.len() - ROWS, "more row")) "." }
                }
            }
        }
    }
}

/// Renders the state of everything now, at the selected step, and at the end.
fn states(report: &Report, story: &Story) -> Markup {
    let groups = [
        ("Pods", &story.pods, story.more_pods, "more pod"),
        ("Claims", &story.claims, story.more_claims, "more claim"),
        ("Status", &story.status, 0, ""),
    ];
    html! {
        h2 { "State" }
        div .scroll.tall tabindex="0" role="region" aria-label=(region(report, "State")) {
            table .states {
                thead { tr {
                    td {} th scope="col" { "Now" }
                    @if story.steps > 0 {
                        th .then scope="col" hidden { "At this step" }
                        th scope="col" { "In the end" }
                    }
                } }
                @for (title, rows, more, thing) in groups {
                    @if !rows.is_empty() {
                        tbody {
                            tr .group { th colspan="4" scope="rowgroup" { (title) } }
                            @for row in rows { (state(row, story.steps)) }
                            @if more > 0 {
                                tr { td .note colspan="4" { "… and " (count(more, thing)) "." } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn state(row: &Row, last: usize) -> Markup {
    let cell = |cell: Option<&Cell>| match cell {
        Some(cell) => html! {
            @if !cell.swatch.is_empty() { span .swatch.(cell.swatch) aria-hidden="true" {} }
            (cell.text)
        },
        None => html! {},
    };
    let changes = row.at(0) != row.at(last);
    html! {
        tr .changes[changes] data-pod=[row.pod.as_ref().map(|pod| format!("pod/{pod}"))] {
            th scope="row" {
                (row.name)
                @if !row.note.is_empty() { span .why { (row.note) } }
            }
            td { (cell(row.at(0))) }
            @if last > 0 {
                td .then hidden {}
                td { (cell(row.at(last))) }
            }
        }
    }
}

fn findings(findings: &[Finding]) -> Markup {
    html! {
        @if !findings.is_empty() {
            h2 { "Findings" }
            ul .findings {
                @for finding in findings.iter().take(ROWS) {
                    li {
                        span .severity.(finding.severity) { (finding.severity) } " "
                        code { (finding.id) } " "
                        @if !finding.object.is_empty() { code { (shown(&cut(&finding.object, VALUE))) } " " }
                        (shown(&cut(&finding.message, VALUE)))
                        @if !finding.docs.is_empty() { " " span .facts { (shown(&cut(&finding.docs, VALUE))) } }
                    }
                }
            }
            @if findings.len() > ROWS {
                p .note { "… and " (count(findings.len() - ROWS, "more finding")) "." }
            }
        }
    }
}

/// Renders what is ignored, with the reasons.
fn ignored(report: &Report) -> Markup {
    html! {
        @if !report.ignored.is_empty() {
            h2 { "Ignored" }
            ul .findings {
                @for it in report.ignored.iter().take(ROWS) {
                    li {
                        (it.finding.severity) " " code { (it.finding.id) } " "
                        (shown(&cut(&it.finding.message, VALUE)))
                        " " strong { (shown(&cut(&it.why(), VALUE))) }
                    }
                }
            }
        }
    }
}

/// Every step with what the controller waits for after it.
fn steps(report: &Report, story: &Story) -> Markup {
    if report.steps.is_empty() {
        return html! {};
    }
    let waits_after = |stop: usize| {
        let found = story.waits.binary_search_by_key(&stop, |(stop, _)| *stop);
        found.ok().map(|at| &story.waits[at].1)
    };
    html! {
        details .steps {
            summary { h2 { "Every step" } }
            div .scroll.tall tabindex="0" role="region" aria-label=(region(report, "Every step")) {
                table .every.stacked {
                    thead { tr {
                        th .number scope="col" { "Step" } th .number scope="col" { "When" } th scope="col" { "Who" }
                        th scope="col" { "What" } th scope="col" { "Then waits for" }
                    } }
                    tbody {
                        @if let Some(waits) = waits_after(0) {
                            tr data-step="0" {
                                td .number { "0" } td .number { "0s" } td {} td {} td { (told(waits)) }
                            }
                        }
                        @for stop in 1..=story.stops.told() {
                            @let steps = story.stops.steps(report, stop);
                            @if let Some(first) = steps.first() {
                                tr data-step=(stop) {
                                    td .number { (stop) }
                                    td .number { (elapsed(first.at)) }
                                    td { (step_text::actor(first)) }
                                    td { (step_states::words(report, steps)) }
                                    td { @if let Some(waits) = waits_after(stop) { (told(waits)) } }
                                }
                            }
                        }
                    }
                }
            }
            @if story.stops.has_rest {
                @let rest = story.stops.steps(report, story.stops.len()).len();
                p .note { "… and " (count(rest, "more step")) "." }
            }
        }
    }
}

fn told(waits: &[String]) -> Markup {
    html! {
        @for wait in waits.iter().take(3) { p { (cut(wait, VALUE)) } }
        @if waits.len() > 3 { p .note { "… and " (count(waits.len() - 3, "more")) } }
    }
}

/// Renders the grounds of the plan: assumptions, start, ETA and feature gates.
fn grounds(report: &Report) -> Markup {
    let kubernetes = &report.kubernetes;
    html! {
        @if !report.assumptions.is_empty() {
            h2 { "Assuming that" }
            ul .grounds { @for assumption in report.assumptions.iter().take(ROWS) {
                li { (shown(&cut(assumption, VALUE))) }
            } }
        }
        p .facts {
            "From " (shown(&report.now)) " on."
            @if let Some(eta) = &report.analysis.eta { " ETA: " (eta.message) "." }
            @if !kubernetes.feature_gates.is_empty() {
                " Feature gates: "
                @for (at, (gate, value)) in kubernetes.feature_gates.iter().enumerate() {
                    @if at > 0 { ", " }
                    (gate) "=" (value)
                }
                "."
            }
        }
    }
}
