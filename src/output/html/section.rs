//! The section of a page about one set.

use maud::{Markup, html};

use super::blocks::{Context, left_out};
use super::step_states;
use super::step_states::{Row, StateCell, SteppedPlan};
use super::{class, name};
use crate::output::Format;
use crate::output::document::{self, Part, Scope};
use crate::output::lanes::Lanes;
use crate::output::limits::Limits;
use crate::output::overview::{as_of, facts};
use crate::output::step_text;
use crate::output::style::Style;
use crate::output::svg;
use crate::output::svg::{Palette, shown};
use crate::output::verdict::verdict;
use crate::output::words::{count, cut, elapsed, spaced};
use sts_plan::report::Report;
use sts_plan::report::timeline::Timeline;

/// Returns the accessible label of a part of the section, which includes the set to be unique.
fn region(report: &Report, part: &str) -> String {
    shown(&format!("{part}: {}", name(&report.metadata)))
}

/// Renders the `index`-th set of the page.
pub(super) fn section(report: &Report, style: &Style, index: usize, most: usize) -> Markup {
    let limits = Limits::of(Format::Html, style);
    let timeline = Timeline::new(report);
    let lanes = Lanes::of(report);
    let palette = Palette::new(&lanes.revisions, index);
    let stepped = &SteppedPlan::new(report, &timeline, &palette, &limits, most);
    let scope = Scope { limits, style };
    let context = Context {
        set: &report.metadata.name,
        full_name: name(&report.metadata),
        stops: Some(&stepped.stops),
        limits,
    };
    let id = |part: &str| format!("{part}-{index}");
    let part = |part: Part| {
        let blocks = document::part(report, part, &scope);
        html! { @for block in &blocks { (context.block(block)) } }
    };
    html! {
        section .plan id=(id("set")) aria-labelledby=(id("name")) {
            header .head { (title(report, index)) (part(Part::Answer)) }
            (timeline_of(report, stepped, index))
            @for each in &Part::ALL[1..] {
                @match each {
                    Part::Assumptions => { (states(report, stepped)) (steps(report, stepped, &limits)) }
                    Part::Summary => (basis(report)),
                    _ => {}
                }
                (part(*each))
            }
            script type="application/json" .story { (stepped.data(report)) }
        }
    }
}

/// Renders the name, the settings and the verdict.
fn title(report: &Report, index: usize) -> Markup {
    let verdict = verdict(report);
    html! {
        p .set {
            strong id=(format!("name-{index}")) { (shown(&name(&report.metadata))) }
            " "
            span .facts {
                "StatefulSet · " (shown(&facts(report).join(" · ")))
                " · Kubernetes " (shown(&report.kubernetes.version)) " (" (report.kubernetes.source) ")"
                @if let Some(as_of) = as_of(report) { " · " (shown(&as_of)) }
            }
        }
        p .verdict.(class(verdict.tone)) { (verdict.capitalized()) }
    }
}

/// Renders the timeline and its controls.
fn timeline_of(report: &Report, stepped: &SteppedPlan, index: usize) -> Markup {
    let chart = svg::chart::draw(report, index, svg::chart::PAGE_WIDTH);
    // The page has its own margins.
    let size = format!(
        "{} 0 {} {}",
        svg::px(svg::chart::MARGIN - 2.0),
        svg::px(svg::chart::PAGE_WIDTH - 2.0 * svg::chart::MARGIN + 4.0),
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
            @if stepped.steps > 0 {
                div .controls hidden {
                    div .buttons {
                        button type="button" data-go="first" { "Start" }
                        button type="button" data-go="back" { "Back" }
                        button type="button" data-go="on" { "Next" }
                        button type="button" data-go="last" { "End" }
                        button type="button" data-go="play" aria-pressed="false" { "Play" }
                        select aria-label="Events a second" {
                            option value="1" { "1/s" } option value="2" selected { "2/s" }
                            option value="5" { "5/s" } option value="20" { "20/s" }
                        }
                    }
                    input type="range" min="0" max=(stepped.stops.len()) value="0" step="1" aria-label="Event";
                    p .keys { kbd { "←" } " " kbd { "→" } " " kbd { "Home" } " " kbd { "End" } " " kbd { "Space" } }
                }
                div .now hidden {
                    p .told aria-live="polite" {}
                    ul .waits {}
                    p .next data-end=(verdict(report).capitalized()) {}
                }
                div .pod-story hidden aria-live="polite" {}
                @if stepped.stops.has_rest {
                    p .note {
                        "The first " (spaced(stepped.stops.single()))
                        " events have a stop each; the last stop is the end of the plan."
                    }
                }
            }
        }
    }
}

/// Renders the state of all objects now, at the selected step, and at the end.
fn states(report: &Report, stepped: &SteppedPlan) -> Markup {
    let groups = [
        ("Pods", &stepped.pods, stepped.more_pods, "more pod"),
        ("Claims", &stepped.claims, stepped.more_claims, "more claim"),
        ("Status", &stepped.status, 0, ""),
    ];
    html! {
        h2 { "State" }
        div .scroll.tall tabindex="0" role="region" aria-label=(region(report, "State")) {
            table .states {
                thead { tr {
                    td {} th scope="col" { "Now" }
                    @if stepped.steps > 0 {
                        th .then scope="col" hidden { "At this event" }
                        th scope="col" { "At the end" }
                    }
                } }
                @for (title, rows, more, thing) in groups {
                    @if !rows.is_empty() {
                        tbody {
                            tr .group { th colspan="4" scope="rowgroup" { (title) } }
                            @for row in rows { (state(row, stepped.steps)) }
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
    let cell = |cell: Option<&StateCell>| match cell {
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

/// Renders every step with the waits of the controller after it.
fn steps(report: &Report, stepped: &SteppedPlan, limits: &Limits) -> Markup {
    if report.steps.is_empty() {
        return html! {};
    }
    let waits_after = |stop: usize| {
        let found = stepped.waits.binary_search_by_key(&stop, |(stop, _)| *stop);
        found.ok().map(|at| &stepped.waits[at].1)
    };
    html! {
        details .steps {
            summary { h2 { "All events" } }
            div .scroll.tall tabindex="0" role="region" aria-label=(region(report, "All events")) {
                table .every.stacked {
                    thead { tr {
                        th .number scope="col" { "Event" } th .number scope="col" { "When" } th scope="col" { "Actor" }
                        th scope="col" { "Description" } th scope="col" { "Then waits for" }
                    } }
                    tbody {
                        @if let Some(waits) = waits_after(0) {
                            tr data-step="0" {
                                td .number { "0" } td .number { "0s" } td {} td {} td { (waits_of(waits, limits.sentence)) }
                            }
                        }
                        @for stop in 1..=stepped.stops.single() {
                            @let steps = stepped.stops.steps(report, stop);
                            @if let Some(first) = steps.first() {
                                tr data-step=(stop) {
                                    td .number { (stop) }
                                    td .number { (elapsed(first.at)) }
                                    td { (step_text::actor(first)) }
                                    td { (step_states::description(report, steps)) }
                                    td { @if let Some(waits) = waits_after(stop) { (waits_of(waits, limits.sentence)) } }
                                }
                            }
                        }
                    }
                }
            }
            @if stepped.stops.has_rest {
                @let rest = stepped.stops.steps(report, stepped.stops.len()).len();
                (left_out(rest, "event"))
            }
        }
    }
}

fn waits_of(waits: &[String], sentence: usize) -> Markup {
    html! {
        @for wait in waits.iter().take(3) { p { (cut(wait, sentence)) } }
        @if waits.len() > 3 { p .note { "… and " (count(waits.len() - 3, "more")) } }
    }
}

/// Renders the time of the plan and the feature gates.
fn basis(report: &Report) -> Markup {
    let gates = &report.kubernetes.feature_gates;
    html! {
        p .facts {
            "As of " (shown(&report.now)) "."
            @if !gates.is_empty() {
                " Feature gates: "
                @for (at, (gate, value)) in gates.iter().enumerate() {
                    @if at > 0 { ", " }
                    (gate) "=" (value)
                }
                "."
            }
        }
    }
}
