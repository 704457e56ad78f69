//! The states of all objects at every step, for the script: as spans of steps, so that the size grows with the number of
//! changes.

use std::collections::BTreeMap;

use maud::{Markup, PreEscaped};
use serde_json::{Value, json};

use super::super::alike::runs;
use super::super::lanes::state_of;
use super::super::limits::Limits;
use super::super::pods::fate;
use super::super::step_text;
use super::super::svg::{Palette, shown};
use super::super::words::{elapsed, short_revision, spaced};
use super::object_states::{claims, status};
use super::stops::Stops;
use sts_plan::report::timeline::{Lane, Span, State, Timeline};
use sts_plan::report::{Actor, PodFate, Report, ReportStep};

/// Minimum number of unchanged neighboring pods that share a row.
const FEW_PODS: usize = 4;

/// A row of the table of states.
#[derive(Debug, Clone, Default)]
pub(super) struct Row {
    /// The name of the object or field.
    pub(super) name: String,
    /// The pod, for a row about a pod.
    pub(super) pod: Option<String>,
    /// A note for all steps; empty for none.
    pub(super) note: String,
    /// The states, each with its first step.
    pub(super) cells: Vec<(usize, StateCell)>,
}

/// The state of an object or a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StateCell {
    /// The classes of the swatch before the text; empty for none.
    pub(super) swatch: String,
    pub(super) text: String,
}

/// The data of a plan to step through.
pub(super) struct SteppedPlan {
    pub(super) stops: Stops,
    /// Number of stops.
    pub(super) steps: usize,
    pub(super) pods: Vec<Row>,
    /// Number of pods without a row.
    pub(super) more_pods: usize,
    pub(super) claims: Vec<Row>,
    /// Number of claims without a row.
    pub(super) more_claims: usize,
    pub(super) status: Vec<Row>,
    /// The waits of the controller at each stop.
    pub(super) waits: Vec<(usize, Vec<String>)>,
}

impl SteppedPlan {
    /// Returns the data of a report, whose first `most` stops are single.
    pub(super) fn new(
        report: &Report,
        timeline: &Timeline<'_>,
        palette: &Palette<'_>,
        limits: &Limits,
        most: usize,
    ) -> Self {
        let stops = Stops::new(report, most);
        let mut counts = (0..=report.steps.len()).rev();
        let single = counts.find(|steps| stops.after(*steps) <= stops.single());
        let single = single.unwrap_or(0);
        let touched = |lane: &&Lane<'_>| {
            timeline.lanes.len() <= limits.pods
                || lane
                    .spans
                    .iter()
                    .any(|span| (1..=single).contains(&span.from.step))
                || lane.spans.is_empty()
        };
        // The reasons for pods that stay unchanged though they are not up to date.
        let stays = report.set.pods.iter().filter(|pod| {
            use PodFate::{Foreign, HeldByPartition, OnDelete, Outdated, Surplus};
            matches!(
                pod.fate,
                HeldByPartition | OnDelete | Outdated | Surplus | Foreign
            )
        });
        let stays: BTreeMap<&str, String> = stays
            .filter_map(|pod| Some((&*pod.name, fate(report, pod).1?)))
            .collect::<BTreeMap<_, _>>();
        let goes_down = timeline.goes_down() == Some(true);
        let mut lanes: Vec<&Lane<'_>> = timeline.lanes.iter().filter(touched).collect();
        let omitted = lanes.len().saturating_sub(limits.pods);
        match goes_down {
            true => drop(lanes.drain(..omitted)),
            false => lanes.truncate(limits.pods),
        }
        let pods: Vec<Row> = lanes
            .into_iter()
            .map(|lane| Row {
                note: stays.get(lane.pod.as_str()).cloned().unwrap_or_default(),
                ..pod(report, palette, lane)
            })
            .collect();
        let (claims, more_claims) = claims(report, limits.pods);
        let at_stops = |rows: Vec<Row>| -> Vec<Row> {
            let rows = rows.into_iter();
            rows.map(|row| row.at_stops(&stops)).collect()
        };
        let more_pods = timeline.lanes.len() - pods.len();
        let mut merged = merge_alike(at_stops(pods), FEW_PODS);
        // The order of the chart: the pod that changes first is at the top.
        if goes_down {
            merged.reverse();
        }
        SteppedPlan {
            steps: stops.len(),
            more_pods,
            pods: merged,
            // Claims have no history to show, so that two may share a row.
            claims: merge_alike(at_stops(claims), 2),
            more_claims,
            status: at_stops(status(report)),
            waits: waits(report, single)
                .into_iter()
                .filter_map(|(steps, texts)| Some((stops.ending_at(steps)?, texts)))
                .collect(),
            stops,
        }
    }

    /// Returns the data for the script.
    pub(super) fn data(&self, report: &Report) -> Markup {
        let rows = |rows: &[Row]| -> Vec<Value> {
            let cells = |row: &Row| -> Vec<Value> {
                let cells = row.cells.iter();
                cells
                    .map(|(from, cell)| json!([from, cell.swatch, cell.text]))
                    .collect()
            };
            rows.iter().map(|row| json!(cells(row))).collect()
        };
        let steps = (1..=self.stops.single()).filter_map(|stop| {
            let steps = self.stops.steps(report, stop);
            let first = steps.first()?;
            Some(json!([
                first.at,
                elapsed(first.at),
                step_text::actor(first),
                description(report, steps)
            ]))
        });
        let rest = self.stops.has_rest.then(|| {
            let steps = self.stops.steps(report, self.stops.len()).len();
            let (at, end) = (report.outcome.at, elapsed(report.outcome.at));
            json!([at, end, "end", format!("{} more events", spaced(steps))])
        });
        let steps: Vec<Value> = steps.chain(rest).collect();
        let data = json!({
            "steps": steps,
            "count": spaced(self.steps),
            "names": self.pods.iter().map(|row| &row.name).collect::<Vec<_>>(),
            "rows": [rows(&self.pods), rows(&self.claims), rows(&self.status)],
            "waits": self.waits,
        });
        // A script element has no character references, so characters that could end it are JSON escapes.
        let mut text = String::new();
        for character in data.to_string().chars() {
            match character {
                '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                    text.push_str(&format!("\\u{:04x}", u32::from(character)));
                }
                other => text.push(other),
            }
        }
        PreEscaped(text)
    }
}

/// Describes the steps of a stop in one line, without updates of the status after the first step.
pub(super) fn description(report: &Report, steps: &[ReportStep]) -> String {
    let first = steps.first();
    first.map_or_else(String::new, |step| step_text::step(report, step))
}

/// Returns the states of a pod, step by step.
fn pod(report: &Report, palette: &Palette<'_>, lane: &Lane<'_>) -> Row {
    let absent = || plain("absent");
    let mut cells: Vec<(usize, StateCell)> = Vec::new();
    if lane.spans.first().is_none_or(|span| span.from.step > 0) {
        cells.push((0, absent()));
    }
    for (index, span) in lane.spans.iter().enumerate() {
        cells.push((span.from.step, pod_cell(report, palette, span)));
        let next = lane.spans.get(index + 1).map(|next| next.from.step);
        if let Some(to) = span.to
            && next != Some(to.step)
        {
            cells.push((to.step, absent()));
        }
    }
    Row {
        name: shown(&lane.pod),
        pod: Some(shown(&lane.pod)),
        note: String::new(),
        cells,
    }
}

fn pod_cell(report: &Report, palette: &Palette<'_>, span: &Span<'_>) -> StateCell {
    let state = match span.state {
        State::Available => "available",
        State::Ready => "young",
        State::Unready => "unready",
        State::Failed => "failed",
        State::Terminating => "going",
    };
    let mut text = state_of(report, span.state).to_owned();
    if let Some(why) = span.why.filter(|_| span.state == State::Unready) {
        text = format!("{text} ({})", shown(why));
    }
    let revision = short_revision(span.revision, &report.metadata.name);
    if !revision.is_empty() {
        text = format!("{text} · {}", shown(revision));
    }
    StateCell {
        swatch: format!("{state} v{}", palette.place(span.revision)),
        text,
    }
}

/// Returns a cell without a swatch.
pub(super) fn plain(text: &str) -> StateCell {
    StateCell {
        swatch: String::new(),
        text: text.to_owned(),
    }
}

/// Returns the waits of the controller after each step that is not directly followed by one of its own.
fn waits(report: &Report, most: usize) -> Vec<(usize, Vec<String>)> {
    let mut waits: Vec<(usize, Vec<String>)> = Vec::new();
    for look in report
        .sync_findings
        .iter()
        .filter(|look| look.steps <= most)
    {
        let next = report.steps.get(look.steps);
        if next.is_some_and(|next| next.actor == Actor::Controller) {
            continue;
        }
        let holds = look
            .holds
            .iter()
            .map(|hold| format!("{}: {}", hold.reason, hold.message));
        let errors = look.error.iter().map(|error| format!("Error: {error}"));
        let texts: Vec<String> = holds.chain(errors).map(|text| shown(&text)).collect();
        match waits.last_mut() {
            Some((step, last)) if *step == look.steps => *last = texts,
            _ => waits.push((look.steps, texts)),
        }
    }
    waits.retain(|(_, texts)| !texts.is_empty());
    waits
}

impl Row {
    /// Converts a row from steps to stops. The last state within a stop remains.
    fn at_stops(mut self, stops: &Stops) -> Self {
        let mut cells: Vec<(usize, StateCell)> = Vec::new();
        for (step, cell) in self.cells {
            let stop = stops.after(step);
            match cells.last_mut() {
                Some((last, before)) if *last == stop => *before = cell,
                _ => cells.push((stop, cell)),
            }
        }
        cells.dedup_by(|after, before| after.1 == before.1);
        self.cells = cells;
        self
    }

    /// Returns the state at a step.
    pub(super) fn at(&self, step: usize) -> Option<&StateCell> {
        let until = self.cells.partition_point(|(from, _)| *from <= step);
        self.cells.get(until.checked_sub(1)?).map(|(_, cell)| cell)
    }
}

/// Merges at least `many` neighboring rows with the same unchanging state.
fn merge_alike(rows: Vec<Row>, many: usize) -> Vec<Row> {
    let is_alike = |a: &Row, b: &Row| a.cells.len() == 1 && a.cells == b.cells && a.note == b.note;
    let ranges = runs(&rows, many, is_alike).into_iter();
    let merged = ranges.map(|range| match &rows[range.clone()] {
        [first, .., last] => Row {
            name: format!("{} … {} ({})", first.name, last.name, spaced(range.len())),
            pod: None,
            note: first.note.clone(),
            cells: first.cells.clone(),
        },
        [only] => only.clone(),
        [] => Row::default(),
    });
    merged.collect()
}
