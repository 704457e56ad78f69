//! `-o svg`: a timeline. A lane a pod, what the controller waits for above, how many pods are unavailable below.

pub(super) mod chart;
mod crowd;
mod legend;
mod palette;
mod rows;
mod scale;
mod text;

use std::io::{self, Write};

use maud::{PreEscaped, html};

use super::overview::worst_first;
use super::screen::facts;
use super::style::{Style, Tone};
use super::verdict::{headline, verdict};
use super::words::{count, cut, wrap};
use crate::report::Report;
pub(super) use legend::word;
pub(super) use palette::Palette;
pub(super) use text::{px, shown};

use chart::{Chart, MARGIN, WIDTH};

/// The colours and letters of a chart, in light and in dark.
pub(super) const CSS: &str = include_str!("chart.css");
/// How many sets are drawn below one another.
const SETS: usize = 40;
/// How many columns a line of words has.
const COLUMNS: usize = 138;
/// How many lines the headline of a set has.
const LINES: usize = 3;
/// How far apart they are.
const LINE: f64 = 17.0;

/// Draws one plan, or several below one another, those that are stuck first.
pub(super) fn render(reports: &[Report], _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let sorted = worst_first(reports);
    let mut y = 0.0;
    let mut panels = Vec::new();
    for (index, (_, report)) in sorted.iter().take(SETS).enumerate() {
        let panel = panel(report, index);
        panels.push(html! {
            g transform=(format!("translate(0 {})", px(y))) { (panel.markup) }
        });
        y += panel.height;
    }
    let more = sorted.len().saturating_sub(SETS);
    if more > 0 || sorted.is_empty() {
        let text = match more {
            0 => "no set".to_owned(),
            more => format!("… and {} that are not drawn", count(more, "more set")),
        };
        panels.push(html! {
            text .faint x=(px(MARGIN)) y=(px(y + 20.0)) { (text) }
        });
        y += 36.0;
    }
    let title = match reports {
        [report] => format!("{}: {}", name(report), verdict(report).text()),
        reports => count(reports.len(), "plan"),
    };
    let document = html! {
        svg .sts xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title desc"
            width=(px(WIDTH)) height=(px(y)) viewBox=(format!("0 0 {} {}", px(WIDTH), px(y))) {
            title #title { (shown(&title)) }
            desc #desc {
                @for (_, report) in sorted.iter().take(SETS) { (description(report)) ". " }
            }
            style { (PreEscaped(CSS)) }
            rect .paper width="100%" height="100%" {}
            @for panel in &panels { (panel) }
        }
    };
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "{}", document.into_string())
}

/// `prod/web`, as far as it fits.
fn name(report: &Report) -> String {
    let metadata = &report.metadata;
    let name = match metadata.namespace.as_str() {
        "" => metadata.name.clone(),
        namespace => format!("{namespace}/{}", metadata.name),
    };
    cut(&name, 80)
}

/// What decides the order of things, with the version that decides it.
fn all_facts(report: &Report) -> String {
    let version = format!("Kubernetes {}", report.kubernetes.version);
    let mut facts = facts(report);
    facts.push(version);
    facts.join(" · ")
}

/// What the picture shows, for whoever does not see it.
pub(super) fn description(report: &Report) -> String {
    let mut sentences = vec![name(report), report.next.summary.clone()];
    let obstacles = report.outcome.blocked_by.iter().take(3);
    sentences.extend(obstacles.map(|obstacle| obstacle.message.clone()));
    sentences.push(report.summary.clone());
    shown(&cut(&sentences.join(". "), 1_000))
}

/// One set: its name, what happens next, and its chart.
fn panel(report: &Report, index: usize) -> Chart {
    let verdict = verdict(report);
    let mut lines = wrap(&shown(&headline(report)), Some(COLUMNS), 0);
    if lines.len() > LINES {
        lines.truncate(LINES);
        if let Some(last) = lines.last_mut() {
            last.push_str(" …");
        }
    }
    let lines: Vec<String> = lines.iter().map(|line| cut(line, COLUMNS + 2)).collect();
    let tone = match verdict.tone {
        Tone::Bad => "bad",
        Tone::Good => "good",
        _ => "",
    };
    let top = 30.0 + LINE * (lines.len() + 1) as f64 + 8.0;
    let chart = chart::draw(report, index);
    let markup = html! {
        text x=(px(MARGIN)) y="30" {
            tspan .mono.name { (shown(&name(report))) }
            tspan .faint dx="12" { (shown(&cut(&all_facts(report), 100))) }
        }
        text .verdict.(tone) x=(px(MARGIN)) y=(px(30.0 + LINE + 3.0)) {
            (verdict.capitalised())
        }
        @for (at, line) in lines.iter().enumerate() {
            text .headline x=(px(MARGIN)) y=(px(30.0 + LINE * (at + 2) as f64 + 3.0)) { (line) }
        }
        g transform=(format!("translate(0 {})", px(top))) { (chart.markup) }
    };
    Chart {
        markup,
        height: top + chart.height,
    }
}
