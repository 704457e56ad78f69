//! The head of a page about many sets: a table to search and filter, the most urgent set first.

use maud::{Markup, html};

use super::blocks::Context;
use super::class;
use crate::output::Format;
use crate::output::document::{self, Block, Role, Scope};
use crate::output::fleet::table::{SetRow, rows};
use crate::output::fleet::{singles, state, tally};
use crate::output::limits::Limits;
use crate::output::overview::findings;
use crate::output::style::Style;
use crate::output::svg::shown;
use crate::output::words::{count, cut, spaced};
use sts_plan::fleet::{ReportList, Tally};

/// Renders the head. The first `sections` of the most urgent sets have a section.
pub(super) fn head(plans: &ReportList<'_>, sections: usize, style: &Style) -> Markup {
    let limits = Limits::of(Format::Html, style);
    let all = plans.tally.sets;
    let rows = rows(plans, &singles(plans));
    html! {
        header .fleet {
            h1 { (count(all, "StatefulSet")) }
            @if all > 0 {
                p .summary { (tally(&plans.tally)) }
                (together(plans, &limits, style))
                (causes(plans, &limits))
                (controls(&plans.tally))
                div .scroll.tall tabindex="0" role="region" aria-label="All sets" {
                    table .overview.stacked {
                        thead { tr {
                            th scope="col" { "Set" } th scope="col" { "Ready" } th scope="col" { "State" }
                            th scope="col" { "Age" } th scope="col" { "Cause" } th scope="col" { "Findings" }
                        } }
                        tbody {
                            @for (at, set) in rows.iter().take(limits.sets).enumerate() {
                                // Sets without a plan come first, and have no section.
                                @let section = at.checked_sub(plans.errors.len());
                                (row(set, section.filter(|it| *it < sections), &limits))
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

fn row(set: &SetRow<'_>, section: Option<usize>, limits: &Limits) -> Markup {
    let name = cut(&set.name, limits.name);
    // Empty cells collapse on narrow screens.
    let unless_none = |text: &str| {
        if text == "-" {
            String::new()
        } else {
            cut(text, 600)
        }
    };
    html! {
        tr data-state=(set.state) {
            th scope="row" {
                @match section {
                    Some(index) => a href=(format!("#set-{index}")) { (name) },
                    None => span { (name) },
                }
            }
            td { (unless_none(&set.ready)) }
            td .(class(set.tone)) { (set.state) }
            td { (unless_none(&set.age)) }
            td { (unless_none(&set.cause)) }
            td { @for report in &set.sets { (unless_none(&findings(report))) } }
        }
    }
}

/// Renders the answers about all sets together. Their headlines are not headings, since the page has one.
fn together(plans: &ReportList<'_>, limits: &Limits, style: &Style) -> Markup {
    let scope = Scope {
        limits: *limits,
        style,
    };
    let context = Context {
        set: "",
        full_name: "all sets".to_owned(),
        stops: None,
        limits: *limits,
    };
    html! {
        @for block in document::together(plans, &scope) {
            @match &block {
                Block::Sentence(sentence) if sentence.role == Role::Headline => {
                    p .obstacle { strong .(class(sentence.tone)) { (shown(&cut(&sentence.text, limits.sentence))) } }
                },
                block => (context.block(block)),
            }
        }
    }
}

/// Renders the causes that many sets share.
fn causes(plans: &ReportList<'_>, limits: &Limits) -> Markup {
    html! {
        @if !plans.groups.is_empty() {
            ul .causes {
                @for group in plans.groups.iter().take(limits.obstacles) {
                    li {
                        strong { (count(group.sets.len(), "set")) ":" } " "
                        (shown(&cut(&group.cause, limits.sentence)))
                    }
                }
            }
        }
    }
}

/// Renders the controls for search and filters, which the script shows.
fn controls(tally: &Tally) -> Markup {
    let states = tally.states.iter();
    let states = states.map(|(state, number)| (state::words(*state), *number));
    html! {
        div .filter hidden {
            input type="search" placeholder="Search sets and causes" aria-label="Search sets and causes";
            div .states role="group" aria-label="States" {
                @for (state, number) in states {
                    button type="button" data-state=(state) aria-pressed="false" {
                        (state) " " span .number { (spaced(number)) }
                    }
                }
            }
        }
    }
}
