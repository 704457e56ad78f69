//! The head of a page on many sets: a row for each, the most urgent first, to search and to filter.

use maud::{Markup, html};

use super::name;
use crate::output::Format;
use crate::output::fleet::groups::{MANY, groups};
use crate::output::fleet::state::{age_of, cause_of};
use crate::output::fleet::{State, tally};
use crate::output::limits::Limits;
use crate::output::overview::{findings, ready};
use crate::output::style::{Style, Tone};
use crate::output::svg::shown;
use crate::output::words::{count, cut, spaced};
use sts_plan::report::{Report, ReportList};

/// The head of the page. `sorted` has the most urgent first, and `sections` of them have a section.
pub(super) fn head(plans: ReportList<'_>, sorted: &[&Report], sections: usize) -> Markup {
    let limits = Limits::of(Format::Html, &Style::default());
    let all = plans.errors.len() + sorted.len();
    let room = limits.sets.saturating_sub(plans.errors.len());
    html! {
        header .fleet {
            h1 { (count(all, "StatefulSet")) }
            @if all > 0 {
                p .summary { (tally(plans)) }
                (causes(sorted, &limits))
                (controls(sorted))
                div .scroll.tall tabindex="0" role="region" aria-label="All sets" {
                    table .overview.stacked {
                        thead { tr {
                            th scope="col" { "Set" } th scope="col" { "Ready" } th scope="col" { "State" }
                            th scope="col" { "Age" } th scope="col" { "Cause" } th scope="col" { "Findings" }
                        } }
                        tbody {
                            @for error in plans.errors.iter().take(limits.sets) {
                                tr data-state="not planned" {
                                    th scope="row" { (shown(&cut(&error.set(), 80))) }
                                    td {} td .bad { "not planned" } td {}
                                    td colspan="2" { (shown(&cut(&error.outcome.message, 600))) }
                                }
                            }
                            @for (index, report) in sorted.iter().take(room).enumerate() {
                                (row(index, report, index < sections))
                            }
                        }
                    }
                }
                p .note.matches hidden aria-live="polite" {}
                @if all > limits.sets {
                    p .note { "… and " (count(all - limits.sets, "more set")) "." }
                }
            }
        }
    }
}

fn row(index: usize, report: &Report, has_section: bool) -> Markup {
    let state = State::of(report);
    html! {
        tr data-state=(state.words()) {
            th scope="row" {
                @if has_section {
                    a href=(format!("#set-{index}")) { (shown(&name(&report.metadata))) }
                } @else { (shown(&name(&report.metadata))) }
            }
            td { (ready(report)) }
            td .(tone(state)) { (state.words()) }
            td { (unless_none(&age_of(report))) }
            td { (unless_none(&shown(&cut(&cause_of(report), 300)))) }
            td { (unless_none(&findings(report))) }
        }
    }
}

/// Nothing where the table on a terminal has a dash: an empty cell takes no room on a telephone.
fn unless_none(text: &str) -> &str {
    match text {
        "-" => "",
        text => text,
    }
}

/// Returns the urgency of a state, as a class.
fn tone(state: State) -> &'static str {
    match state.tone() {
        Tone::Bad => "bad",
        Tone::Busy => "busy",
        _ => "good",
    }
}

/// Causes that many sets have in common.
fn causes(sorted: &[&Report], limits: &Limits) -> Markup {
    let groups = groups(sorted);
    let many: Vec<_> = groups
        .iter()
        .filter(|group| group.sets.len() >= MANY)
        .filter_map(|group| Some((group.cause?, group.sets.len())))
        .take(limits.obstacles)
        .collect();
    html! {
        @if !many.is_empty() {
            ul .causes {
                @for (cause, number) in many {
                    li { strong { (count(number, "set")) ":" } " " (shown(&cut(cause, limits.sentence))) }
                }
            }
        }
    }
}

/// Renders the controls for search and filters: nothing without the script.
fn controls(sorted: &[&Report]) -> Markup {
    let states = State::ALL.into_iter().filter_map(|state| {
        let sets = sorted.iter().filter(|report| State::of(report) == state);
        match sets.count() {
            0 => None,
            number => Some((state, number)),
        }
    });
    html! {
        div .filter hidden {
            input type="search" placeholder="Search sets and causes" aria-label="Search sets and causes";
            div .states role="group" aria-label="States" {
                @for (state, number) in states {
                    button type="button" data-state=(state.words()) aria-pressed="false" {
                        (state.words()) " " span .number { (spaced(number)) }
                    }
                }
            }
        }
    }
}
