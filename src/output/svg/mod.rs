//! `-o svg`: a timeline with a lane for each pod, the waits of the controller above, and the unavailable pods below.

mod aggregate_lane;
pub(super) mod chart;
mod legend;
mod palette;
mod scale;
mod text;
mod verification;

use std::io::{self, Write};

use maud::{Markup, PreEscaped, html};

use super::answers::{alarms, ignored};
use super::document::{self, Block, Part, Scope};
use super::format::Format;
use super::limits::Limits;
use super::overview::{as_of, facts};
use super::screen::item;
use super::style::{Style, Tone, write_visible};
use super::table::Row;
use super::verdict::verdict;
use super::words::{capitalized, count, cut, set_name, wrap};
pub(super) use palette::Palette;
use sts_plan::fleet::ReportList;
use sts_plan::report::{Metadata, Report, Unplanned};
pub(super) use text::{px, shown};
pub(super) use verification::{chart as verification_chart, render as render_verifications};

use chart::{Chart, MARGIN, WIDTH};

/// The styles of a chart, in light and dark mode.
pub(super) const CSS: &str = include_str!("chart.css");
/// Maximum width of a line of text, in columns.
const COLUMNS: usize = 138;
/// Distance between two lines of text.
const LINE: f64 = 17.0;

/// Draws one plan, or several in a column, the most urgent first.
pub(super) fn render(plans: &ReportList<'_>, out: &mut dyn Write) -> io::Result<()> {
    let sorted = plans.most_urgent_first();
    let most = limits().sets;
    let (drawn, named) = (most.min(sorted.len()), most.min(plans.errors.len()));
    let unplanned = plans.errors[..named].iter().map(unplanned);
    let planned = sorted.iter().take(most).enumerate();
    let planned = planned.map(|(index, report)| panel(report, index));
    let mut picture = Picture::default();
    unplanned
        .chain(planned)
        .for_each(|panel| picture.add(&panel));
    let more = sorted.len() - drawn + plans.errors.len() - named;
    if more > 0 {
        picture.note(&format!("… and {} not shown", count(more, "more set")));
    } else if picture.parts.is_empty() {
        picture.note("No StatefulSets.");
    }
    let title = match plans.alone() {
        Some(report) => format!("{}: {}", name(&report.metadata), verdict(report).text),
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
    picture.write(&title, &about, out)
}

/// A standalone picture, built from top to bottom.
#[derive(Default)]
struct Picture {
    parts: Vec<Markup>,
    height: f64,
}

impl Picture {
    fn add(&mut self, panel: &Chart) {
        self.parts.push(html! {
            g transform=(format!("translate(0 {})", px(self.height))) { (panel.markup) }
        });
        self.height += panel.height;
    }

    fn note(&mut self, text: &str) {
        self.parts.push(html! {
            text .faint x=(px(MARGIN)) y=(px(self.height + 20.0)) { (text) }
        });
        self.height += 36.0;
    }

    /// Writes the picture with its title, and a description for screen readers.
    fn write(&self, title: &str, about: &[String], out: &mut dyn Write) -> io::Result<()> {
        let height = px(self.height);
        let document = html! {
            svg .sts xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title desc"
                width=(px(WIDTH)) height=(height) viewBox=(format!("0 0 {} {height}", px(WIDTH))) {
                title #title { (shown(title)) }
                desc #desc { @for text in about { (text) ". " } }
                style { (PreEscaped(CSS)) }
                rect .paper width="100%" height="100%" {}
                @for part in &self.parts { (part) }
            }
        };
        writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
        write_visible(&document.into_string(), out)?;
        writeln!(out)
    }
}

fn limits() -> Limits {
    Limits::of(Format::Svg, &Style::default())
}

/// Returns the name of the set, truncated.
fn name(set: &Metadata) -> String {
    cut(&set_name(set), limits().name)
}

/// Joins the settings of the set and the Kubernetes version.
fn all_facts(report: &Report) -> String {
    let version = format!("Kubernetes {}", report.kubernetes.version);
    let mut facts = facts(report);
    facts.push(version);
    facts.join(" · ")
}

/// Describes the picture, for screen readers.
pub(super) fn description(report: &Report) -> String {
    let mut sentences = vec![name(&report.metadata), report.next.summary.clone()];
    let obstacles = report.outcome.blocked_by.iter().take(3);
    sentences.extend(obstacles.map(|obstacle| obstacle.message.clone()));
    sentences.push(report.summary.clone());
    shown(&cut(&sentences.join(". "), 1_000))
}

/// Draws a set that could not be planned: its name and the error.
fn unplanned(error: &Unplanned) -> Chart {
    let panel = Panel {
        name: cut(&error.set(), limits().name),
        verdict: "Not planned".to_owned(),
        tone: Tone::Bad,
        headline: lines(&error.outcome.message),
        ..Panel::default()
    };
    panel.draw()
}

/// Wraps a sentence into a limited number of lines.
fn lines(sentence: &str) -> Vec<String> {
    let most = limits().lines;
    let mut lines = wrap(&shown(sentence), Some(COLUMNS), 0);
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            last.push_str(" …");
        }
    }
    lines.iter().map(|line| cut(line, COLUMNS + 2)).collect()
}

/// The text around the chart of a set.
#[derive(Default)]
struct Panel {
    name: String,
    facts: String,
    verdict: String,
    tone: Tone,
    /// The lines below the verdict.
    headline: Vec<String>,
    /// The lines below those, and whether each is an alarm.
    notes: Vec<(bool, String)>,
    chart: Option<Chart>,
    /// The lines below the chart, and whether each is a title.
    below: Vec<(bool, String)>,
}

impl Panel {
    fn draw(&self) -> Chart {
        let class = match self.tone {
            Tone::Bad => "bad",
            Tone::Good => "good",
            _ => "",
        };
        let y = |line: usize| px(33.0 + LINE * line as f64);
        let headline = self.headline.iter().map(|line| (false, line));
        let notes = self.notes.iter().map(|(is_bad, line)| (*is_bad, line));
        let lines: Vec<(bool, &String)> = headline.chain(notes).collect();
        let top = 38.0 + LINE * (lines.len() + 1) as f64;
        let foot = top + self.chart.as_ref().map_or(0.0, |chart| chart.height);
        let markup = html! {
            text x=(px(MARGIN)) y="30" {
                tspan .mono.name { (shown(&self.name)) }
                @if !self.facts.is_empty() { tspan .faint dx="12" { (shown(&self.facts)) } }
            }
            text .verdict.(class) x=(px(MARGIN)) y=(y(1)) { (self.verdict) }
            @for (at, (is_bad, line)) in lines.iter().enumerate() {
                text .headline.bad[*is_bad] x=(px(MARGIN)) y=(y(at + 2)) { (line) }
            }
            @if let Some(chart) = &self.chart {
                g transform=(format!("translate(0 {})", px(top))) { (chart.markup) }
            }
            @for (at, (is_title, line)) in self.below.iter().enumerate() {
                text .headline.verdict[*is_title] x=(px(MARGIN)) y=(px(foot + LINE * (at + 1) as f64)) { (line) }
            }
        };
        let below = match self.below.len() {
            0 => 0.0,
            lines => LINE * (lines + 1) as f64,
        };
        Chart {
            markup,
            height: foot + below,
        }
    }
}

/// Draws one set: its name, its headline, and its chart.
fn panel(report: &Report, index: usize) -> Chart {
    let verdict = verdict(report);
    let alarms = alarms(report);
    let alarms = alarms.iter().take(limits().lines);
    let alarms = alarms.flat_map(|alarm| lines(alarm));
    let alarms = alarms.map(|line| (true, line));
    let as_of = as_of(report).map(|text| (false, capitalized(&text)));
    let panel = Panel {
        name: name(&report.metadata),
        facts: cut(&all_facts(report), 100),
        verdict: verdict.capitalized(),
        tone: verdict.tone,
        headline: lines(&report.next.summary),
        notes: alarms.chain(as_of).collect(),
        chart: Some(chart::draw(report, index, WIDTH)),
        below: answers(report),
    };
    panel.draw()
}

/// Returns the lines below the chart, each with a flag for titles: answers to questions, and ignored findings.
fn answers(report: &Report) -> Vec<(bool, String)> {
    let style = &Style::default();
    let limits = limits();
    let scope = Scope { limits, style };
    let parts = [Part::Course, Part::Answers].into_iter();
    let mut out = Vec::new();
    for block in parts.flat_map(|part| document::part(report, part, &scope)) {
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
                    Row::Note(text) => text.clone(),
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
            | Block::Evidence(_)
            | Block::Fields(_)
            | Block::Terms(_)
            | Block::Runbook(_)
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
