//! The verification of plans as a page: verdict, differences, predicted and observed state of each pod, steps.

use std::io::{self, Write};

use maud::{Markup, html};

use super::blocks::Context;
use super::{class, document, name};
use crate::output::document::Block;
use crate::output::document::verification::{tone, verdict_of, verification as blocks};
use crate::output::limits::Limits;
use crate::output::overview::plan_age;
use crate::output::style::Style;
use crate::output::svg::shown;
use crate::output::verification::most_urgent_first;
use crate::output::words::{count, cut};
use crate::output::{Format, svg};
use sts_plan::verify::Verification;

/// Writes one page about all verifications, the most urgent first.
pub(in crate::output) fn render(
    found: &[Verification],
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let sorted = most_urgent_first(found);
    let limits = Limits::of(Format::Html, style);
    let title = match found {
        [only] => format!("{}: {}", name(&only.metadata), verdict_of(only)),
        several => count(several.len(), "verified plan"),
    };
    let body = html! {
        main {
            @if sorted.len() != 1 { (all(&sorted, &limits)) }
            @for (index, verification) in sorted.iter().take(limits.rows).enumerate() {
                (section(verification, &limits, index))
            }
        }
        footer {
            "Saved plans compared with the current objects by "
            code { "kubectl sts-plan verify" }
            ". Events that the objects do not record are not shown."
        }
    };
    document::write(&title, &body, None, out)
}

/// Renders a row for each plan.
fn all(sorted: &[&Verification], limits: &Limits) -> Markup {
    html! {
        header .fleet {
            h1 { (count(sorted.len(), "verified plan")) }
            div .scroll.tall tabindex="0" role="region" aria-label="All plans" {
                table .plans.stacked {
                    thead { tr {
                        th scope="col" { "Set" } th scope="col" { "Verdict" } th scope="col" { "Summary" }
                    } }
                    tbody {
                        @for (index, verification) in sorted.iter().take(limits.rows).enumerate() {
                            tr {
                                th scope="row" { a href=(format!("#set-{index}")) { (shown(&name(&verification.metadata))) } }
                                td .(class(tone(verification))) { (verdict_of(verification)) }
                                td { (shown(&cut(&verification.summary, 600))) }
                            }
                        }
                    }
                }
            }
            @if sorted.len() > limits.rows {
                p .note { "… and " (count(sorted.len() - limits.rows, "more plan")) "." }
            }
        }
    }
}

/// Renders the `index`-th plan of the page.
fn section(verification: &Verification, limits: &Limits, index: usize) -> Markup {
    let context = Context {
        set: &verification.metadata.name,
        full_name: name(&verification.metadata),
        stops: None,
        limits: *limits,
    };
    let plan = &verification.plan;
    let blocks = blocks(verification, limits);
    let is_long = |block: &Block<'_>| matches!(block, Block::Terms(_));
    let head = blocks.iter().position(is_long).unwrap_or(blocks.len());
    html! {
        section .plan id=(format!("set-{index}")) aria-labelledby=(format!("name-{index}")) {
            header .head {
                p .set {
                    strong id=(format!("name-{index}")) { (shown(&name(&verification.metadata))) }
                    " "
                    span .facts {
                        (shown(&plan_age(verification)))
                    }
                }
                p .verdict.(class(tone(verification))) { (verdict_of(verification)) }
                @for block in &blocks[..head] { (context.block(block)) }
            }
            (lanes(verification, &context, index))
            @for block in &blocks[head..] { (context.block(block)) }
            p .summary { (shown(&cut(&plan.summary, limits.sentence))) }
        }
    }
}

/// Renders the predicted and observed lanes.
fn lanes(verification: &Verification, context: &Context<'_>, index: usize) -> Markup {
    let chart = svg::verification_chart(verification, index, svg::chart::PAGE_WIDTH);
    let size = format!(
        "{} 0 {} {}",
        svg::px(svg::chart::MARGIN - 6.0),
        svg::px(svg::chart::PAGE_WIDTH - 2.0 * svg::chart::MARGIN + 12.0),
        svg::px(chart.height)
    );
    let id = format!("chart-{index}");
    html! {
        @if !verification.pods.is_empty() {
            div .stage {
                div .scroll tabindex="0" role="region" aria-label=(context.region("Predicted and observed")) {
                    svg .sts role="img" aria-labelledby=(id) viewBox=(size) {
                        title id=(id) { "Predicted and observed state of each pod" }
                        (chart.markup)
                    }
                }
            }
        }
    }
}
