//! The verification of a plan as a picture: for each pod a predicted lane, and an observed one up to now.

use std::collections::BTreeSet;
use std::io::{self, Write};

use maud::{Markup, html};

use super::chart::{CHARACTER, Chart, LABEL, MARGIN, WIDTH, bar, grid};
use super::legend;
use super::palette::Palette;
use super::scale::Scale;
use super::text::{px, shown};
use super::{Panel, Picture, limits, lines, name};
use crate::output::document::verification::{tone, verdict_of};
use crate::output::lanes;
use crate::output::overview::plan_age;
use crate::output::verification::most_urgent_first;
use crate::output::words::{count, cut, elapsed, middle_cut, set_name};
use sts_plan::report::PodPeriod;
use sts_plan::report::timeline::State;
use sts_plan::verify::{Kind, Verification, VerifiedPod};

/// Height of the two lanes of a pod together, and of each of their bars.
const PITCH: f64 = 32.0;
const BAR: f64 = 11.0;

/// Draws one verification, or several in a column, the most urgent first.
pub(in crate::output) fn render(found: &[Verification], out: &mut dyn Write) -> io::Result<()> {
    let sorted = most_urgent_first(found);
    let most = limits().sets;
    let mut picture = Picture::default();
    for (index, verification) in sorted.iter().take(most).enumerate() {
        picture.add(&panel(verification, index));
    }
    if let Some(more @ 1..) = sorted.len().checked_sub(most) {
        picture.note(&format!("… and {} not shown", count(more, "more plan")));
    }
    let about: Vec<String> = sorted.iter().take(most).map(|it| description(it)).collect();
    let title = match found {
        [only] => description(only),
        several => count(several.len(), "verified plan"),
    };
    picture.write(&cut(&title, 200), &about, out)
}

/// Describes the verification, for screen readers.
fn description(verification: &Verification) -> String {
    let set = set_name(&verification.metadata);
    shown(&cut(&format!("{set}: {}", verification.summary), 1_000))
}

/// Draws one plan: its set, the verdict, the differences, and the chart.
fn panel(verification: &Verification, index: usize) -> Chart {
    let differences = verification.differences.iter().take(limits().lines);
    let differences = differences.map(|it| {
        let (kind, name) = (it.resource.word(), &it.name);
        let (predicted, cause) = (&it.predicted, &it.cause);
        format!("{kind} {name}: predicted {predicted}; likely {cause}")
    });
    let late = verification.late.iter();
    let late = late.map(|late| format!("Late: {}", late.message));
    let notes = differences.chain(late).flat_map(|text| lines(&text));
    let panel = Panel {
        name: name(&verification.metadata),
        facts: plan_age(verification),
        verdict: verdict_of(verification).to_owned(),
        tone: tone(verification),
        headline: lines(&verification.summary),
        notes: notes.map(|line| (false, line)).collect(),
        chart: Some(chart(verification, index, WIDTH)),
        below: Vec::new(),
    };
    let panel = panel.draw();
    Chart {
        height: panel.height + 8.0,
        ..panel
    }
}

/// Draws the lanes of a verification, the `index`-th of its document.
pub(in crate::output) fn chart(verification: &Verification, index: usize, width: f64) -> Chart {
    let off: BTreeSet<&str> = verification
        .differences
        .iter()
        .filter(|it| it.resource == Kind::Pod)
        .map(|it| it.name.as_str())
        .collect();
    let pods = drawn(verification, &off);
    let all = || {
        let pods = pods.iter();
        pods.flat_map(|pod| pod.predicted.iter().chain(&pod.found))
    };
    let update = verification.plan.update_revision.clone();
    let revisions = lanes::revisions(vec![update], all());
    let palette = Palette::new(&revisions, index);
    let labels: Vec<String> = pods
        .iter()
        .map(|pod| middle_cut(&shown(&pod.name), LABEL))
        .collect();
    let longest = labels.iter().map(|label| label.chars().count()).max();
    let gutter = longest.unwrap_or(0).max(8) as f64 * CHARACTER + 74.0;
    let axis = Axis::new(verification, MARGIN + gutter, width - MARGIN);
    let top = 22.0;
    let bottom = top + PITCH * pods.len() as f64;
    let has_ready = all().any(|period| period.state == State::Ready);
    let set = &verification.metadata.name;
    let entries = lanes::legend(set, &revisions, all(), has_ready, legend::REVISION);
    let (legend, legend_height) = legend::draw(&entries, &palette, bottom + 38.0, width);
    let mut notes = vec![
        "Objects do not show the time before a pod's creation or after its deletion.".to_owned(),
    ];
    if let Some(more @ 1..) = verification.pods.len().checked_sub(pods.len()) {
        notes.push(format!("… and {}.", count(more, "more pod")));
    }
    let notes_top = bottom + 38.0 + legend_height + 12.0;
    let markup = html! {
        (palette.patterns())
        (grid(&axis.scale, top, bottom + 4.0))
        @for (at, pod) in pods.iter().enumerate() {
            @let y = top + PITCH * at as f64;
            @let is_off = off.contains(pod.name.as_str());
            g .row {
                title { (shown(&pod.name)) @if is_off { ": differs from the prediction" } }
                @if is_off {
                    rect .off x=(px(MARGIN - 6.0)) y=(px(y + 1.0)) width=(px(width - 2.0 * MARGIN + 12.0))
                        height=(px(PITCH - 2.0)) rx="3" {}
                }
                text .mono.bad[is_off] x=(px(MARGIN)) y=(px(y + PITCH / 2.0 + 4.0)) { (labels[at]) }
                (lane("predicted", &pod.predicted, None, &axis, &palette, y + 4.0, has_ready))
                (lane(if is_off { "≠ found" } else { "found" }, &pod.found, Some(axis.now), &axis, &palette,
                    y + 6.0 + BAR, has_ready))
            }
        }
        (axis.present(verification, bottom + 4.0))
        (legend)
        @for (at, note) in notes.iter().enumerate() {
            text .faint x=(px(MARGIN)) y=(px(notes_top + 16.0 * at as f64)) { (note) }
        }
    };
    Chart {
        markup,
        height: notes_top + 16.0 * notes.len() as f64,
    }
}

/// Selects the pods to draw. If there are too many, those that differ come first, then those with predicted changes.
fn drawn<'v>(verification: &'v Verification, off: &BTreeSet<&str>) -> Vec<&'v VerifiedPod> {
    let mut pods: Vec<(usize, &VerifiedPod)> = verification.pods.iter().enumerate().collect();
    pods.sort_by_key(|(_, pod)| (!off.contains(pod.name.as_str()), pod.predicted.len() < 2));
    pods.truncate(limits().pods);
    pods.sort_by_key(|(at, _)| *at);
    pods.into_iter().map(|(_, pod)| pod).collect()
}

/// The time axis with the current time. It ends with the plan, or now if that is not much later.
struct Axis {
    scale: Scale,
    /// Seconds since the start of the plan.
    elapsed: i64,
    /// The position of the current time.
    now: f64,
}

impl Axis {
    fn new(verification: &Verification, left: f64, edge: f64) -> Self {
        let elapsed = verification.elapsed_seconds;
        let planned = verification.steps.last().map_or(0, |step| step.at);
        let end = match elapsed <= planned.saturating_mul(2).max(60) {
            true => planned.max(elapsed),
            false => planned,
        };
        let scale = Scale::new(left, edge, end);
        let now = match elapsed <= end && end > 0 {
            true => scale.x(elapsed),
            false => f64::midpoint(scale.right, scale.edge),
        };
        Axis {
            scale,
            elapsed,
            now,
        }
    }

    /// Returns the position of a second. The time from the end of the plan to now is compressed.
    fn x(&self, at: i64) -> f64 {
        let beyond = self.elapsed - self.scale.end;
        if at <= self.scale.end || beyond <= 0 {
            return self.scale.x(at);
        }
        let part = (at - self.scale.end) as f64 / beyond as f64;
        self.scale.right + (self.now - self.scale.right) * part.min(1.0)
    }

    /// Draws the line at the current time.
    fn present(&self, verification: &Verification, bottom: f64) -> Markup {
        let text = format!("now, {} in", elapsed(verification.elapsed_seconds));
        let half = 3.2 * text.chars().count() as f64;
        let x = self
            .now
            .clamp(self.scale.left + half, self.scale.edge - half);
        html! {
            line .present x1=(px(self.now)) x2=(px(self.now)) y1="16" y2=(px(bottom)) {}
            text .middle x=(px(x)) y="12" { (text) }
        }
    }
}

/// Draws one lane: its name, and the states of the pod.
fn lane(
    name: &str,
    periods: &[PodPeriod],
    until: Option<f64>,
    axis: &Axis,
    palette: &Palette<'_>,
    y: f64,
    has_ready: bool,
) -> Markup {
    let edge = until.unwrap_or(axis.scale.edge);
    html! {
        text .faint.last x=(px(axis.scale.left - 6.0)) y=(px(y + BAR - 2.0)) { (name) }
        line .lane x1=(px(axis.scale.left)) x2=(px(edge)) y1=(px(y + BAR / 2.0)) y2=(px(y + BAR / 2.0)) {}
        @if periods.is_empty() && until.is_some() {
            text .faint.last x=(px(edge - 4.0)) y=(px(y + BAR - 2.0)) { "absent" }
        }
        @for period in periods {
            @let from = axis.x(period.from);
            @let to = period.to.map_or(edge, |to| axis.x(to));
            @let place = palette.place(&period.revision);
            g {
                title {
                    (name) " " (lanes::state_name(period.state, has_ready))
                    @if !period.revision.is_empty() { ", " (shown(&cut(&period.revision, 80))) }
                    ", from " (elapsed(period.from))
                    @if let Some(to) = period.to { " to " (elapsed(to)) }
                }
                (bar(period.state, &palette.fill_at(place), place, from, to.max(from + 1.0), y, BAR))
            }
        }
    }
}
