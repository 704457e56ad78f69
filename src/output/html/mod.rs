//! `-o html`: one page that needs nothing else. Without its script it is a report to read; with it, the steps
//! can be gone through one by one.

mod alike;
mod csp_hash;
mod diff;
mod fleet;
mod obstacles;
mod packed;
mod section;
mod step_states;
mod stops;

use std::io::{self, Write};

use maud::{DOCTYPE, PreEscaped, html};

use super::Style;
use super::fleet::most_urgent_first;
use super::svg;
use super::svg::shown;
use super::verdict::verdict;
use super::words::count;
use section::name;
pub(super) use stops::Stops;
use sts_plan::analysis::MOST_OBSERVED;
use sts_plan::report::ReportList;

const CSS: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// How many sets have a section that can be read without the script.
const SECTIONS: usize = 25;
/// How many have one that the script builds when it is looked at, and how large all of them may be.
const PACKED: usize = 10_000;
const PACKED_BYTES: usize = 96 << 20;
/// How many steps are told one by one, of all sets together and of each at least.
const LEAST_STEPS: usize = 60;

/// Writes one page about all the plans, those that are stuck first.
pub(super) fn render(plans: ReportList<'_>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let sorted = most_urgent_first(plans.items);
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
    let mut packed = Vec::new();
    let mut size = 0;
    for (index, report) in sorted.iter().enumerate().take(PACKED).skip(SECTIONS) {
        let section = section::section(report, style, index, steps).into_string();
        let Some(text) = packed::packed(&section).filter(|text| size + text.len() <= PACKED_BYTES)
        else {
            break;
        };
        size += text.len();
        packed.push(text);
    }
    let sections = SECTIONS.min(sorted.len()) + packed.len();
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
                    @if plans.alone().is_none() { (fleet::head(plans, &sorted, sections)) }
                    @for (index, report) in sorted.iter().take(SECTIONS).enumerate() {
                        (section::section(report, style, index, steps))
                    }
                    div #built {}
                    @if sorted.len() > SECTIONS {
                        p .note.unbuilt {
                            @if packed.is_empty() {
                                (count(sorted.len() - SECTIONS, "more set")) " have no section here: plan them by name."
                            } @else {
                                "The sections of " (count(sections - SECTIONS, "more set"))
                                " are built when their row is followed."
                                @if sections < sorted.len() {
                                    " " (count(sorted.len() - sections, "set")) " have none: plan them by name."
                                }
                            }
                        }
                    }
                }
                footer {
                    "A prediction by "
                    code { "kubectl sts-plan" }
                    ", which changes nothing. What the input does not show of scheduling, probes, admission and quotas is \
                     assumed to go well."
                }
                @for (at, section) in packed.iter().enumerate() {
                    script type="application/gzip" id=(format!("packed-{}", SECTIONS + at)) { (PreEscaped(section)) }
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    writeln!(out, "{}", page.into_string())
}
