//! The legend: the meanings of colors, patterns and shapes.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::chart::{MARGIN, WIDTH, bar};
use super::palette::{KINDS, Palette};
use super::rows::Row;
use super::text::{middle_cut, px, shown};
use crate::output::words::short_revision;
use sts_plan::report::Report;
use sts_plan::report::timeline::{State, Timeline};

const SWATCH: f64 = 22.0;
const LINE: f64 = 20.0;
/// A neutral fill that is visible in light and dark mode.
const NEUTRAL: &str = "#7a8796";
/// Maximum width of a character.
const CHARACTER: f64 = 6.3;

/// Draws the legend from `top`, and returns it with its height.
pub(super) fn draw(
    report: &Report,
    timeline: &Timeline<'_>,
    palette: &Palette<'_>,
    rows: &[Row],
    top: f64,
) -> (Markup, f64) {
    let spans = timeline.lanes.iter().flat_map(|lane| &lane.spans);
    let used: BTreeSet<&str> = spans.map(|span| span.revision).collect();
    let mut entries = revisions(palette, &used, &report.metadata.name);
    // A row of several pods shows only the number of available ones.
    let states: BTreeSet<State> = rows
        .iter()
        .filter(|row| row.alike)
        .flat_map(|row| &timeline.lanes[row.lanes.clone()])
        .flat_map(|lane| &lane.spans)
        .map(|span| span.state)
        .collect();
    entries.extend(
        states
            .into_iter()
            .map(|state| shape(state, word(report, state))),
    );
    lay(&entries, top)
}

/// A swatch and its meaning.
pub(super) type Entry = (Markup, String);

/// The entries of the revisions in use.
pub(super) fn revisions(palette: &Palette<'_>, used: &BTreeSet<&str>, set: &str) -> Vec<Entry> {
    let known = palette.revisions.iter().enumerate();
    let known = known.filter(|(_, revision)| used.contains(*revision));
    let entries = known.map(|(place, revision)| {
        let swatch =
            html! { rect .bar fill=(palette.fill_at(place)) width="22" height="12" rx="2" {} };
        let hash = match short_revision(revision, set) {
            "" => "no revision".to_owned(),
            hash => shown(&middle_cut(hash, 40)),
        };
        let role = match place {
            0 => " (update)",
            KINDS => " and others",
            _ => "",
        };
        (swatch, format!("{hash}{role}"))
    });
    entries.collect()
}

/// The entry of a state.
pub(super) fn shape(state: State, word: &str) -> Entry {
    let swatch = bar(state, NEUTRAL, KINDS + 1, 0.0, SWATCH, 0.0, 12.0);
    (swatch, word.to_owned())
}

/// Lays out entries in lines from `top`, and returns them with their height.
pub(super) fn lay(entries: &[Entry], top: f64) -> (Markup, f64) {
    let (mut x, mut y) = (MARGIN, top);
    let mut drawn = Vec::new();
    for (swatch, text) in entries {
        let wide = SWATCH + 7.0 + CHARACTER * text.chars().count() as f64 + 20.0;
        if x + wide > WIDTH - MARGIN && x > MARGIN {
            x = MARGIN;
            y += LINE;
        }
        drawn.push(html! {
            g transform=(format!("translate({} {})", px(x), px(y))) {
                (swatch)
                text .faint x=(px(SWATCH + 7.0)) y="10" { (text) }
            }
        });
        x += wide;
    }
    let markup = html! { @for entry in &drawn { (entry) } };
    (markup, y - top + LINE)
}

/// Names a pod's state in a report.
pub(in crate::output) fn word(report: &Report, state: State) -> &'static str {
    state_word(state, report.set.min_ready_seconds > 0)
}

/// Names a pod's state. With `minReadySeconds`, ready and available differ.
pub(super) fn state_word(state: State, waits_for_available: bool) -> &'static str {
    match state {
        State::Available if !waits_for_available => "ready",
        State::Available => "available",
        State::Ready => "ready, not yet available",
        State::Unready => "not ready",
        State::Failed => "failed",
        State::Terminating => "terminating",
    }
}
