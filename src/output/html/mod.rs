//! `-o html`: a self-contained page. It is a report without its script; the script adds stepping through the plan.

mod blocks;
mod csp_hash;
mod document;
mod fleet;
mod object_states;
mod packed;
mod runbook;
mod section;
mod step_states;
mod stops;
mod verification;

use std::io::{self, Write};

use maud::html;

use super::Style;
use super::format::Format;
use super::limits::Limits;
use super::style::Tone;
use super::verdict::verdict;
use super::words::{count, cut, set_name};
pub(super) use stops::Stops;
use sts_plan::analysis::MOST_OBSERVED;
use sts_plan::fleet::ReportList;
use sts_plan::report::Metadata;
pub(super) use verification::render as render_verifications;

const SCRIPT: &str = include_str!("page.js");
/// Maximum packed size of the sections that the script builds on demand.
const PACKED_BYTES: usize = 96 << 20;
/// Minimum number of steps with a stop each.
const LEAST_STEPS: usize = 60;

/// Writes one page about all plans, the most urgent first.
pub(super) fn render(plans: &ReportList<'_>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let sorted = plans.most_urgent_first();
    let limits = Limits::of(Format::Html, style);
    let readable = limits.sections;
    let shared = MOST_OBSERVED / sorted.len().clamp(1, readable);
    let steps = shared.max(LEAST_STEPS);
    let title = match plans.alone() {
        Some(report) => format!("{}: {}", name(&report.metadata), verdict(report).text),
        None => format!("{} of StatefulSets", count(plans.items.len(), "plan")),
    };
    let rest = sorted.iter().enumerate().take(limits.sets).skip(readable);
    let rest = rest.map(|(index, report)| section::section(report, style, index, steps));
    let packed = packed::blocks(readable, rest.map(|it| it.into_string()), PACKED_BYTES);
    let built = readable.min(sorted.len());
    let sections = built + packed.iter().map(|block| block.count).sum::<usize>();
    let body = html! {
        main {
            @if plans.alone().is_none() { (fleet::head(plans, sections, style)) }
            @for (index, report) in sorted.iter().take(readable).enumerate() {
                (section::section(report, style, index, steps))
            }
            div #built {}
            @if sorted.len() > readable {
                p .note.unbuilt {
                    @if packed.is_empty() {
                        (count(sorted.len() - readable, "more set")) " have no section: plan them by name."
                    } @else {
                        (count(sections - readable, "more section")) " load when you open their row."
                        @if sections < sorted.len() {
                            " " (count(sorted.len() - sections, "set")) " have no section: plan them by name."
                        }
                    }
                }
            }
        }
        footer {
            "Predicted by "
            code { "kubectl sts-plan" }
            ", which never writes to the cluster. Scheduling, probes, admission and quotas are assumed to succeed \
             unless the input shows otherwise."
        }
        @for block in &packed {
            script type="application/gzip" data-first=(block.first) data-count=(block.count) { (block.packed) }
        }
    };
    document::write(&title, &body, Some(SCRIPT), out)
}

fn name(set: &Metadata) -> String {
    cut(&set_name(set), 160)
}

/// Returns the class of a tone.
fn class(tone: Tone) -> &'static str {
    match tone {
        Tone::Bad => "bad",
        Tone::Good | Tone::Plain => "good",
        _ => "busy",
    }
}
