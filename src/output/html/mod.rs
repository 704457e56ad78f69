//! `-o html`: one page that needs nothing else. Without its script it is a report to read; with it, the steps
//! can be gone through one by one.

mod csp_hash;
mod diff;
mod obstacles;
mod section;
mod story;

use std::io::{self, Write};

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::Style;
use super::overview::{blocked_by, findings, next, ready, worst_first};
use super::svg;
use super::svg::shown;
use super::verdict::verdict;
use super::words::{count, cut};
use section::name;
use sts_plan::analysis::MOST_OBSERVED;
use sts_plan::report::{Report, ReportList, Unplanned};

const CSS: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// How many sets have a section of their own, and a row in the table of sets.
const SECTIONS: usize = 25;
const ROWS: usize = 1_000;
/// How many steps are told one by one, of all sets together and of each at least.
const LEAST_STEPS: usize = 60;

/// Writes one page about all the plans, those that are stuck first.
pub(super) fn render(plans: ReportList<'_>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let sorted = worst_first(plans.items);
    let shared = MOST_OBSERVED / sorted.len().clamp(1, SECTIONS);
    let steps = shared.max(LEAST_STEPS);
    let title = match plans.alone() {
        Some(report) => format!("{}: {}", name(report), verdict(report).text()),
        None => format!("{} of StatefulSets", count(plans.items.len(), "plan")),
    };
    // Only this script and these styles are obeyed, and nothing is fetched from anywhere.
    let policy = format!(
        "default-src 'none'; script-src {}; style-src {} {}; img-src data:; base-uri 'none'; form-action 'none'",
        csp_hash::source(SCRIPT),
        csp_hash::source(svg::CSS),
        csp_hash::source(CSS)
    );
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (shown(&title)) }
                link rel="icon" href="data:,";
                style { (PreEscaped(svg::CSS)) }
                style { (PreEscaped(CSS)) }
            }
            body {
                main {
                    @if plans.alone().is_none() { (overview(plans.errors, &sorted)) }
                    @for (index, (_, report)) in sorted.iter().take(SECTIONS).enumerate() {
                        (section::section(report, style, index, steps))
                    }
                    @if sorted.len() > SECTIONS {
                        p .note {
                            "… and " (count(sorted.len() - SECTIONS, "more set"))
                            " without a section here: plan them by name."
                        }
                    }
                }
                footer {
                    "A prediction by "
                    code { "kubectl sts-plan" }
                    ", which changes nothing. Scheduling, probes, admission and quotas are assumed to go well."
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    writeln!(out, "{}", page.into_string())
}

/// A row for each set.
fn overview(unplanned: &[Unplanned], sorted: &[(super::overview::Standing, &Report)]) -> Markup {
    let all = unplanned.len() + sorted.len();
    let room = ROWS.saturating_sub(unplanned.len());
    html! {
        header {
            h1 { (count(all, "StatefulSet")) }
            @if all > 0 {
                div .scroll tabindex="0" role="region" aria-label="All sets" {
                    table .overview {
                        thead { tr {
                            th scope="col" { "Set" } th scope="col" { "Ready" } th scope="col" { "Ends" }
                            th scope="col" { "Next" } th scope="col" { "Blocked by" } th scope="col" { "Findings" }
                        } }
                        tbody {
                            @for error in unplanned.iter().take(ROWS) {
                                tr {
                                    th scope="row" { (shown(&cut(&error.set(), 80))) }
                                    td { "-" }
                                    td .bad { "not planned" }
                                    td colspan="3" { (shown(&cut(&error.outcome.message, 600))) }
                                }
                            }
                            @for (index, (standing, report)) in sorted.iter().take(room).enumerate() {
                                tr {
                                    th scope="row" {
                                        @if index < SECTIONS {
                                            a href=(format!("#set-{index}")) { (shown(&name(report))) }
                                        } @else { (shown(&name(report))) }
                                    }
                                    td { (ready(report)) }
                                    td .(section::tone(report)) { (verdict(report).text()) }
                                    td { (cut(&next(*standing, report), 80)) }
                                    td { (cut(&blocked_by(*standing, report), 80)) }
                                    td { (findings(report)) }
                                }
                            }
                        }
                    }
                }
                @if all > ROWS {
                    p .note { "… and " (count(all - ROWS, "more set")) "." }
                }
            }
        }
    }
}
