//! `-o svg`: a timeline. A lane a pod, what the controller waits for above, how many pods are unavailable below.

mod aggregate_lane;
pub(super) mod chart;
mod legend;
mod palette;
mod rows;
mod scale;
mod text;
mod verification;

use std::io::{self, Write};

use maud::{Markup, PreEscaped, html};

use super::answers::{alarms, ignored};
use super::document::{self, Block, Part, Scope};
use super::fleet::most_urgent_first;
use super::format::Format;
use super::limits::Limits;
use super::overview::facts;
use super::screen::item;
use super::style::{Style, Tone};
use super::table::Row;
use super::verdict::verdict;
use super::words::{count, cut, wrap};
pub(super) use chart::waited_for;
pub(super) use legend::word;
pub(super) use palette::Palette;
pub(super) use scale::STEPS as AXIS_STEPS;
use sts_plan::report::{Report, ReportList, Unplanned};
pub(super) use text::{middle_cut, px, shown};
pub(super) use verification::{chart as verification_chart, render as render_verifications};

use chart::{Chart, MARGIN, WIDTH};

/// The colours and letters of a chart, in light and in dark.
pub(super) const CSS: &str = include_str!("chart.css");
/// Maximum width of a line of words, in columns.
const COLUMNS: usize = 138;
/// Distance between two lines of words.
const LINE: f64 = 17.0;

/// Draws one plan, or several below one another, those that are stuck first.
pub(super) fn render(plans: ReportList<'_>, out: &mut dyn Write) -> io::Result<()> {
    let sorted = most_urgent_first(plans.items);
    let most = limits().sets;
    let (drawn, named) = (most.min(sorted.len()), most.min(plans.errors.len()));
    let mut y = 0.0;
    let mut panels = Vec::new();
    for error in &plans.errors[..named] {
        let panel = unplanned(error);
        panels.push(html! {
            g transform=(format!("translate(0 {})", px(y))) { (panel.markup) }
        });
        y += panel.height;
    }
    for (index, report) in sorted.iter().take(most).enumerate() {
        let panel = panel(report, index);
        panels.push(html! {
            g transform=(format!("translate(0 {})", px(y))) { (panel.markup) }
        });
        y += panel.height;
    }
    let more = sorted.len() - drawn + plans.errors.len() - named;
    if more > 0 || panels.is_empty() {
        let text = match more {
            0 => "no set".to_owned(),
            more => format!("… and {} that are not drawn", count(more, "more set")),
        };
        panels.push(html! {
            text .faint x=(px(MARGIN)) y=(px(y + 20.0)) { (text) }
        });
        y += 36.0;
    }
    let title = match plans.alone() {
        Some(report) => format!("{}: {}", name(report), verdict(report).text()),
        None => count(plans.items.len(), "plan"),
    };
    let named = plans.errors[..named].iter();
    let unplanned =
        named.map(|error| format!("{}: not planned: {}", error.set(), error.outcome.message));
    let drawn = sorted.iter().take(most).map(|report| description(report));
    let about: Vec<String> = unplanned
        .map(|text| shown(&cut(&text, 600)))
        .chain(drawn)
        .collect();
    document(&title, &about, &panels, y, out)
}

/// Writes a picture of its own: its title, what it is about for screen readers, its parts and how high they are.
fn document(
    title: &str,
    about: &[String],
    panels: &[Markup],
    height: f64,
    out: &mut dyn Write,
) -> io::Result<()> {
    let document = html! {
        svg .sts xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title desc"
            width=(px(WIDTH)) height=(px(height)) viewBox=(format!("0 0 {} {}", px(WIDTH), px(height))) {
            title #title { (shown(title)) }
            desc #desc { @for text in about { (text) ". " } }
            style { (PreEscaped(CSS)) }
            rect .paper width="100%" height="100%" {}
            @for panel in panels { (panel) }
        }
    };
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "{}", document.into_string())
}

fn limits() -> Limits {
    Limits::of(Format::Svg, &Style::default())
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

/// Returns what decides the order of things, with the version that decides it.
fn all_facts(report: &Report) -> String {
    let version = format!("Kubernetes {}", report.kubernetes.version);
    let mut facts = facts(report);
    facts.push(version);
    facts.join(" · ")
}

/// Describes the picture, for screen readers.
pub(super) fn description(report: &Report) -> String {
    let mut sentences = vec![name(report), report.next.summary.clone()];
    let obstacles = report.outcome.blocked_by.iter().take(3);
    sentences.extend(obstacles.map(|obstacle| obstacle.message.clone()));
    sentences.push(report.summary.clone());
    shown(&cut(&sentences.join(". "), 1_000))
}

/// A set of which there is nothing to draw: its name, and why.
fn unplanned(error: &Unplanned) -> Chart {
    let lines = lines(&error.outcome.message);
    let markup = html! {
        text x=(px(MARGIN)) y="30" {
            tspan .mono.name { (shown(&cut(&error.set(), 80))) }
        }
        text .verdict.bad x=(px(MARGIN)) y=(px(30.0 + LINE + 3.0)) { "Not planned" }
        (headlines(&lines))
    };
    Chart {
        markup,
        height: top(&lines),
    }
}

/// A sentence in lines, as far as there is room for it.
fn lines(sentence: &str) -> Vec<String> {
    let mut lines = wrap(&shown(sentence), Some(COLUMNS), 0);
    if lines.len() > limits().lines {
        lines.truncate(limits().lines);
        if let Some(last) = lines.last_mut() {
            last.push_str(" …");
        }
    }
    lines.iter().map(|line| cut(line, COLUMNS + 2)).collect()
}

/// Lines below a set's name and how its plan ends.
fn headlines(lines: &[String]) -> Markup {
    html! {
        @for (at, line) in lines.iter().enumerate() {
            text .headline x=(px(MARGIN)) y=(px(30.0 + LINE * (at + 2) as f64 + 3.0)) { (line) }
        }
    }
}

/// Returns the height that the lines take.
fn top(lines: &[String]) -> f64 {
    30.0 + LINE * (lines.len() + 1) as f64 + 8.0
}

/// One set: its name, what happens next, and its chart.
fn panel(report: &Report, index: usize) -> Chart {
    let verdict = verdict(report);
    let lines = lines(&report.next.summary);
    let tone = match verdict.tone {
        Tone::Bad => "bad",
        Tone::Good => "good",
        _ => "",
    };
    let alarms = alarms(report);
    let alarms: Vec<String> = alarms
        .iter()
        .take(limits().lines)
        .flat_map(|alarm| self::lines(alarm))
        .collect();
    let below = 30.0 + LINE * (lines.len() + 2) as f64 + 3.0;
    let top = top(&lines) + LINE * alarms.len() as f64;
    let chart = chart::draw(report, index);
    let asked = asked(report);
    let foot = top + chart.height;
    let markup = html! {
        text x=(px(MARGIN)) y="30" {
            tspan .mono.name { (shown(&name(report))) }
            tspan .faint dx="12" { (shown(&cut(&all_facts(report), 100))) }
        }
        text .verdict.(tone) x=(px(MARGIN)) y=(px(30.0 + LINE + 3.0)) {
            (verdict.capitalised())
        }
        (headlines(&lines))
        @for (at, line) in alarms.iter().enumerate() {
            text .headline.bad x=(px(MARGIN)) y=(px(below + LINE * at as f64)) { (line) }
        }
        g transform=(format!("translate(0 {})", px(top))) { (chart.markup) }
        @for (at, (is_title, line)) in asked.iter().enumerate() {
            text .headline.verdict[*is_title] x=(px(MARGIN)) y=(px(foot + LINE * (at + 1) as f64)) { (line) }
        }
    };
    let asked = match asked.len() {
        0 => 0.0,
        lines => LINE * (lines + 1) as f64,
    };
    Chart {
        markup,
        height: foot + asked,
    }
}

/// The answers to what was asked besides, and what is ignored, in lines below the chart; each with whether it is a title.
fn asked(report: &Report) -> Vec<(bool, String)> {
    let style = &Style::default();
    let limits = limits();
    let scope = Scope { limits, style };
    let blocks = Part::ASKED.into_iter();
    let mut out = Vec::new();
    for block in blocks.flat_map(|part| document::part(report, part, &scope)) {
        let (title, texts, left_out, thing) = match block {
            Block::Sentence(sentence) => {
                let texts = lines(&sentence.text);
                (sentence.label, texts, 0, "")
            }
            Block::List(list) => {
                let texts = list.items.iter().map(item).collect();
                (list.title.to_owned(), texts, list.left_out, list.thing)
            }
            Block::Table(table) => {
                let rows = table.rows.iter().map(|row| match row {
                    Row::Cells(_, cells) => cells.join(" · "),
                    Row::Told(_, first, text) => format!("{first} · {text}"),
                    Row::Below(_, text) | Row::Note(text) => text.clone(),
                });
                let left_out = table.left_out.map_or(0, |(_, number)| number);
                (
                    table.title.to_owned(),
                    rows.collect(),
                    left_out,
                    table.thing,
                )
            }
            Block::Advice(_)
            | Block::Facts(_)
            | Block::Fields(_)
            | Block::Terms(_)
            | Block::More(..) => continue,
        };
        if !title.is_empty() {
            out.push((true, title));
        }
        let texts: Vec<String> = texts;
        out.extend(texts.iter().map(|text| (false, cut(&shown(text), COLUMNS))));
        if left_out > 0 {
            let text = count(left_out, &format!("more {thing}"));
            out.push((false, format!("… and {text}")));
        }
    }
    if !report.ignored.is_empty() {
        out.push((true, "Ignored".to_owned()));
        let ignored = ignored(report).into_iter().take(limits.items);
        out.extend(ignored.map(|it| (false, cut(&shown(&it), COLUMNS))));
    }
    out
}
