//! The verification of plans, as a page: the verdict, what went otherwise, prediction above reality for each pod, the
//! steps.

use std::io::{self, Write};

use maud::{Markup, html};

use super::document;
use super::section::{ROWS, VALUE};
use crate::output::style::Tone;
use crate::output::svg;
use crate::output::svg::shown;
use crate::output::verdict::capitalised;
use crate::output::verification::{has_failed, most_urgent_first, tone, verdict_and_rest};
use crate::output::words::{count, cut, elapsed};
use sts_plan::report::{StepState, Verification};

/// Maximum number of plans that have a section.
const SECTIONS: usize = 200;

/// Writes one page about what has become of all the plans, the most urgent first.
pub(in crate::output) fn render(found: &[Verification], out: &mut dyn Write) -> io::Result<()> {
    let sorted = most_urgent_first(found);
    let title = match found {
        [only] => format!("{}: {}", name(only), verdict_and_rest(only).0),
        several => count(several.len(), "verified plan"),
    };
    let body = html! {
        main {
            @if sorted.len() != 1 { (all(&sorted)) }
            @for (index, verification) in sorted.iter().take(SECTIONS).enumerate() {
                (section(verification, index))
            }
        }
        footer {
            "Saved plans against the objects as they are now, by "
            code { "kubectl sts-plan verify" }
            ". A snapshot has no memory: what objects do not record of the time between is not shown."
        }
    };
    document::write(&title, &body, None, out)
}

fn name(verification: &Verification) -> String {
    let metadata = &verification.metadata;
    cut(&format!("{}/{}", metadata.namespace, metadata.name), 160)
}

/// Returns the urgency of a verification, as a class.
fn class(verification: &Verification) -> &'static str {
    match tone(verification) {
        Tone::Bad => "bad",
        Tone::Good => "good",
        _ => "busy",
    }
}

/// The label of a part of a plan's section: those of a page on many plans are told apart by the set.
fn region(verification: &Verification, part: &str) -> String {
    shown(&format!("{part}: {}", name(verification)))
}

/// A row for each plan.
fn all(sorted: &[&Verification]) -> Markup {
    html! {
        header .fleet {
            h1 { (count(sorted.len(), "verified plan")) }
            div .scroll.tall tabindex="0" role="region" aria-label="All plans" {
                table .plans.stacked {
                    thead { tr {
                        th scope="col" { "Set" } th scope="col" { "Verdict" } th scope="col" { "What" }
                    } }
                    tbody {
                        @for (index, verification) in sorted.iter().take(SECTIONS).enumerate() {
                            @let (verdict, rest) = verdict_and_rest(verification);
                            tr {
                                th scope="row" { a href=(format!("#set-{index}")) { (shown(&name(verification))) } }
                                td .(class(verification)) { (shown(verdict)) }
                                td { (shown(&cut(rest, 600))) }
                            }
                        }
                    }
                }
            }
            @if sorted.len() > SECTIONS {
                p .note { "… and " (count(sorted.len() - SECTIONS, "more plan")) "." }
            }
        }
    }
}

/// Everything about one plan, the `index`-th of the page.
fn section(verification: &Verification, index: usize) -> Markup {
    let (verdict, rest) = verdict_and_rest(verification);
    let plan = &verification.plan;
    html! {
        section .plan id=(format!("set-{index}")) aria-labelledby=(format!("name-{index}")) {
            header .head {
                p .set {
                    strong id=(format!("name-{index}")) { (shown(&name(verification))) }
                    " "
                    span .facts {
                        "plan of " (shown(&plan.now)) ", " (elapsed(verification.elapsed_seconds)) " ago"
                    }
                }
                p .verdict.(class(verification)) { (shown(verdict)) }
                @if !rest.is_empty() { h1 { (shown(&cut(&capitalised(rest), VALUE))) } }
                @if let Some(late) = &verification.late {
                    p .obstacle {
                        strong { "Late by " (elapsed(late.by_seconds)) ":" } " " (shown(&cut(&late.what, VALUE)))
                    }
                }
                (fields(verification))
                (differences(verification))
                @if has_failed(verification) {
                    p { strong { "Then:" } " plan again from the current state." }
                }
            }
            (lanes(verification, index))
            (steps(verification))
            (changed(verification))
            p .summary { (shown(&cut(&plan.summary, VALUE))) }
        }
    }
}

/// The fields that were changed since.
fn fields(verification: &Verification) -> Markup {
    let fields = verification.stale.iter().flat_map(|stale| &stale.fields);
    html! {
        div .diff {
            @for field in fields.take(ROWS) {
                p .path { code { (shown(&cut(&field.path, VALUE))) } }
                @if let Some(planned) = &field.planned {
                    p .old { span .sign { "planned " } code { (shown(&cut(planned, VALUE))) } }
                }
                @if let Some(found) = &field.found {
                    p .new { span .sign { "found " } code { (shown(&cut(found, VALUE))) } }
                }
            }
        }
    }
}

fn differences(verification: &Verification) -> Markup {
    let differences = &verification.differences;
    html! {
        @if !differences.is_empty() {
            div .scroll tabindex="0" role="region" aria-label=(region(verification, "What went otherwise")) {
                table .differences.stacked {
                    thead { tr {
                        th scope="col" { "Object" } th scope="col" { "Predicted" } th scope="col" { "Found" }
                        th scope="col" { "Likely cause" }
                    } }
                    tbody {
                        @for it in differences.iter().take(ROWS) {
                            tr {
                                th scope="row" { (it.resource.word()) " " (shown(&cut(&it.name, VALUE))) }
                                td { (shown(&cut(&it.predicted, VALUE))) }
                                td { strong .bad { (shown(&cut(&it.found, VALUE))) } }
                                td { (shown(&cut(&it.cause, VALUE))) }
                            }
                        }
                    }
                }
            }
            @if differences.len() > ROWS {
                p .note { "… and " (count(differences.len() - ROWS, "more difference")) "." }
            }
        }
    }
}

/// The picture: prediction above reality.
fn lanes(verification: &Verification, index: usize) -> Markup {
    let chart = svg::verification_chart(verification, index);
    let size = format!(
        "{} 0 {} {}",
        svg::px(svg::chart::MARGIN - 6.0),
        svg::px(svg::chart::WIDTH - 2.0 * svg::chart::MARGIN + 12.0),
        svg::px(chart.height)
    );
    let id = format!("chart-{index}");
    html! {
        @if !verification.pods.is_empty() {
            div .stage {
                div .scroll tabindex="0" role="region" aria-label=(region(verification, "Prediction and reality")) {
                    svg .sts role="img" aria-labelledby=(id) viewBox=(size) {
                        title id=(id) { "Each pod as it was predicted, and as its object shows it" }
                        (chart.markup)
                    }
                }
            }
        }
    }
}

/// The steps around the present: which have happened, which is late, which are to come.
fn steps(verification: &Verification) -> Markup {
    let steps = &verification.steps;
    let open = steps.iter().position(|step| step.state == StepState::Open);
    let first = match steps.len() > ROWS {
        true => open.unwrap_or(steps.len()).saturating_sub(ROWS / 2),
        false => 0,
    };
    let late = verification.late.as_ref().map(|late| late.step);
    html! {
        @if !steps.is_empty() {
            h2 { "Steps" }
            @if first > 0 { p .note { (count(first, "step")) " before these." } }
            div .scroll.tall tabindex="0" role="region" aria-label=(region(verification, "Steps")) {
                table .verified.stacked {
                    thead { tr {
                        th .number scope="col" { "Step" } th .number scope="col" { "Predicted" }
                        th scope="col" { "Reality" } th scope="col" { "What" }
                    } }
                    tbody {
                        @for (at, step) in steps.iter().enumerate().skip(first).take(ROWS) {
                            tr {
                                td .number { (at + 1) }
                                td .number { (elapsed(step.at)) }
                                td {
                                    @match step.state {
                                        StepState::Done => "✓ happened",
                                        StepState::Begun => "begun",
                                        StepState::Open if late == Some(at) => strong .bad { "late" },
                                        StepState::Open => span .facts { "to come" },
                                    }
                                }
                                td { (shown(&cut(&step.what, VALUE))) }
                            }
                        }
                    }
                }
            }
            @if let Some(more @ 1..) = steps.len().checked_sub(first + ROWS) {
                p .note { "… and " (count(more, "more step")) "." }
            }
        }
    }
}

/// The objects that are not as they were read.
fn changed(verification: &Verification) -> Markup {
    let changed = &verification.changed;
    html! {
        @if !changed.is_empty() {
            details {
                summary { h2 { (count(changed.len(), "object")) " changed since the plan" } }
                ul .grounds {
                    @for object in changed.iter().take(ROWS) {
                        li { code { (object.resource.word()) "/" (shown(&cut(&object.name, VALUE))) } " " (object.change.name()) }
                    }
                }
                @if changed.len() > ROWS {
                    p .note { "… and " (count(changed.len() - ROWS, "more object")) "." }
                }
            }
        }
    }
}
