//! The chart of one set: waits of the controller, lanes, unavailable pods, and the time axis.

use maud::{Markup, html};

use super::palette::Palette;
use super::scale::Scale;
use super::text::{mark, px, shown};
use super::{aggregate_lane, legend};
use crate::output::lanes::{Lanes, Row, Symbol, condition, is_stuck, legend as entries, state_of};
use crate::output::words::{count, elapsed, spaced};
use sts_plan::report::timeline::{State, Wait, waits};
use sts_plan::report::{PlanResult, PodPeriod, Report};

/// Width of a picture.
pub(in crate::output) const WIDTH: f64 = 960.0;
/// Width of a chart on a page, which scales it up: small enough for readable text on a narrow screen.
pub(in crate::output) const PAGE_WIDTH: f64 = 716.0;
/// Distance between the contents and the edges of a picture.
pub(in crate::output) const MARGIN: f64 = 16.0;
/// Width of a character of a name.
pub(super) const CHARACTER: f64 = 6.7;
/// Maximum width of a label.
pub(super) const LABEL: usize = 26;
/// Height of the curve of unavailable pods.
const CURVE: f64 = 44.0;

/// Maximum number of waits for which short ones are drawn, too.
const WAITS: usize = 120;

/// A drawing with its height.
pub(in crate::output) struct Chart {
    pub(in crate::output) markup: Markup,
    pub(in crate::output) height: f64,
}

/// Draws the chart of a report, the `index`-th of its document.
pub(in crate::output) fn draw(report: &Report, index: usize, width: f64) -> Chart {
    let lanes = &Lanes::of(report);
    let palette = &Palette::new(&lanes.revisions, index);
    let rows = lanes.picture_rows();
    let labels: Vec<String> = rows.iter().map(|row| lanes.label(row, LABEL)).collect();
    let longest = labels.iter().map(|label| label.chars().count()).max();
    let gutter = (longest.unwrap_or(0).max(12) as f64 * CHARACTER + 12.0).min(220.0);
    let scale = Scale::new(MARGIN + gutter, width - MARGIN, lanes.end);
    let pitch = match rows.len() {
        0..=24 => 22.0,
        _ => 16.0,
    };
    let mut waits = waits(report);
    let all_waits = waits.len();
    if all_waits > WAITS {
        waits.retain(|wait| scale.x_or_edge(wait.to) - scale.x(wait.from) >= 6.0);
    }
    let top = if waits.is_empty() { 6.0 } else { 30.0 };
    let bottom = top + pitch * rows.len() as f64;
    let curve = bottom + 18.0;
    let axis = curve + CURVE + 4.0;
    let mut entries = entries(
        &report.metadata.name,
        &lanes.revisions,
        lanes.periods(),
        report.set.min_ready_seconds > 0,
        legend::REVISION,
    );
    // A row of several pods shows only the number of available ones.
    let shows_states = rows.iter().all(|row| row.is_alike);
    entries.retain(|entry| shows_states || matches!(entry.symbol, Symbol::Revision(_)));
    let (legend, legend_height) = legend::draw(&entries, palette, axis + 34.0, width);
    let mut notes = notes(report, lanes, &rows, waits.is_empty());
    if waits.len() < all_waits {
        notes.push(format!(
            "{} not shown.",
            count(all_waits - waits.len(), "short wait")
        ));
    }
    let notes_top = axis + 34.0 + legend_height + 12.0;
    let markup = html! {
        (palette.patterns())
        (grid(&scale, if waits.is_empty() { top } else { 6.0 }, axis))
        @if !waits.is_empty() {
            text .faint x=(px(MARGIN)) y="19" { "waiting for" }
            @for wait in &waits { (wait_line(wait, report, &scale)) }
        }
        @for (at, row) in rows.iter().enumerate() {
            @let y = top + pitch * at as f64;
            g .row data-pod=[lanes.of_row(row).first().map(|lane| format!("pod/{}", shown(&lane.pod)))] {
                title { (lanes.title(row)) }
                text .mono x=(px(MARGIN)) y=(px(y + pitch / 2.0 + 4.0)) { (labels[at]) }
                line .lane x1=(px(scale.left)) x2=(px(scale.edge)) y1=(px(y + pitch / 2.0)) y2=(px(y + pitch / 2.0)) {}
                (row_of(row, report, lanes, palette, &scale, y + 3.0, pitch - 6.0))
            }
        }
        (unavailable(lanes, &scale, curve))
        line .cursor x1=(px(scale.left)) x2=(px(scale.left)) y1="0" y2=(px(axis))
            data-left=(px(scale.left)) data-right=(px(scale.right)) data-end=(scale.end) {}
        (legend)
        @for (at, note) in notes.iter().enumerate() {
            text .faint x=(px(MARGIN)) y=(px(notes_top + 16.0 * at as f64)) { (note) }
        }
    };
    Chart {
        markup,
        height: notes_top + 16.0 * notes.len() as f64 + 4.0,
    }
}

/// Draws the time axis with its marks, and the end of the plan.
pub(super) fn grid(scale: &Scale, top: f64, axis: f64) -> Markup {
    html! {
        rect .tail x=(px(scale.right)) y=(px(top)) width=(px(scale.edge - scale.right)) height=(px(axis - top)) {}
        @if scale.end > 0 {
            @for at in scale.marks() {
                line .grid x1=(px(scale.x(at))) x2=(px(scale.x(at))) y1=(px(top)) y2=(px(axis)) {}
                text .faint.middle x=(px(scale.x(at))) y=(px(axis + 14.0)) { (mark(at)) }
            }
            text .middle x=(px(scale.right)) y=(px(axis + 14.0)) { (mark(scale.end)) }
            text .faint.last x=(px(scale.edge)) y=(px(axis + 14.0)) { "then" }
        } @else {
            text .faint x=(px(scale.left)) y=(px(axis + 14.0)) { "from now on" }
        }
        line .axis x1=(px(scale.left)) x2=(px(scale.edge)) y1=(px(axis)) y2=(px(axis)) {}
        line .end x1=(px(scale.right)) x2=(px(scale.right)) y1=(px(top)) y2=(px(axis)) {}
    }
}

/// Draws a wait of the controller: a line with the reason if that fits.
fn wait_line(wait: &Wait<'_>, report: &Report, scale: &Scale) -> Markup {
    let (from, to) = (scale.x(wait.from), scale.x_or_edge(wait.to));
    let stuck = is_stuck(wait, report);
    let class = if stuck { "wait stuck" } else { "wait" };
    let message = wait.hold().map(|hold| &hold.message);
    let message = message.or(wait.look.error.as_ref());
    let (Some(short), Some(whole)) = (condition(wait, report), message) else {
        return html! {};
    };
    let wide = 5.8 * short.chars().count() as f64 + 4.0;
    let title = match wait.to {
        Some(to) => format!("{} to {}: {whole}", elapsed(wait.from), elapsed(to)),
        None => format!("from {}: {whole}", elapsed(wait.from)),
    };
    // If the text is too long for the tail, it ends at the end of the line.
    let inside = wide <= to - from - 2.0;
    let before = stuck && !inside && wide <= to - scale.left;
    html! {
        g class=(class) {
            title { (shown(&title)) }
            path d=(format!("M{} 22V26H{}V22", px(from + 0.5), px((to - 0.5).max(from + 1.0)))) {}
            @if inside {
                text x=(px(from + 3.0)) y="19" { (shown(&short)) }
            } @else if before {
                text .last x=(px(to)) y="19" { (shown(&short)) }
            }
        }
    }
}

fn row_of(
    row: &Row,
    report: &Report,
    lanes: &Lanes,
    palette: &Palette<'_>,
    scale: &Scale,
    top: f64,
    height: f64,
) -> Markup {
    let pods = lanes.of_row(row);
    match pods {
        [first, ..] if row.is_alike => html! {
            @for period in &first.periods {
                (period_of(period, report, palette, scale, top, height))
            }
        },
        _ => aggregate_lane::draw(pods, palette, scale, top - 2.0, height + 4.0),
    }
}

fn period_of(
    period: &PodPeriod,
    report: &Report,
    palette: &Palette<'_>,
    scale: &Scale,
    top: f64,
    height: f64,
) -> Markup {
    let (from, to) = (scale.x(period.from), scale.x_or_edge(period.to));
    let until = match period.to {
        Some(to) => format!("to {}", elapsed(to)),
        None => "to the end".to_owned(),
    };
    let revision = match period.revision.as_str() {
        "" => String::new(),
        revision => format!(", {revision}"),
    };
    let title = format!(
        "{}{revision}, from {} {until}",
        state_of(report, period.state),
        elapsed(period.from)
    );
    let place = palette.place(&period.revision);
    html! {
        g {
            title { (shown(&title)) }
            (bar(period.state, &palette.fill_at(place), place, from, to, top, height))
        }
    }
}

/// Draws a span of a pod: tall and solid while it is available, low and hollow otherwise.
pub(super) fn bar(
    state: State,
    fill: &str,
    place: usize,
    from: f64,
    to: f64,
    top: f64,
    height: f64,
) -> Markup {
    // Neighbors do not touch, and short spans stay visible.
    let (x, width) = (from + 0.5, (to - from - 1.0).max(1.0));
    let (low, lower) = (top + height * 0.25, height * 0.5);
    match state {
        State::Available => html! {
            rect .bar fill=(fill) x=(px(x)) y=(px(top)) width=(px(width)) height=(px(height)) rx="2" {}
        },
        State::Ready => html! {
            rect .bar.young fill=(fill) x=(px(x)) y=(px(top)) width=(px(width)) height=(px(height)) rx="2" {}
        },
        State::Unready | State::Terminating | State::Failed => {
            let class = match state {
                State::Terminating => format!("hollow k{place} going"),
                State::Failed => "hollow failed".to_owned(),
                _ => format!("hollow k{place}"),
            };
            html! {
                rect class=(class) fill=(fill) x=(px(x + 0.75)) y=(px(low)) width=(px((width - 1.5).max(0.5)))
                    height=(px(lower)) rx="2" {}
                @if state == State::Failed && width >= 9.0 {
                    @let (cx, cy) = (x + width / 2.0, low + lower / 2.0);
                    path .failed d=(format!("M{} {}L{} {}M{} {}L{} {}",
                        px(cx - 2.0), px(cy - 2.0), px(cx + 2.0), px(cy + 2.0),
                        px(cx - 2.0), px(cy + 2.0), px(cx + 2.0), px(cy - 2.0))) {}
                }
            }
        }
    }
}

/// Draws the number of wanted pods that are unavailable.
fn unavailable(lanes: &Lanes, scale: &Scale, top: f64) -> Markup {
    let points = lanes.unavailable();
    let most = points.iter().map(|(_, count)| *count).max().unwrap_or(0);
    let level = |count: usize| top + CURVE - (CURVE - 2.0) * count as f64 / most.max(1) as f64;
    // The worst value within a pixel counts.
    let mut columns: Vec<(f64, usize)> = Vec::new();
    for (index, (at, count)) in points.iter().enumerate() {
        let x = scale.x(*at);
        let before = index.checked_sub(1).map_or(0, |before| points[before].1);
        match columns.last_mut() {
            Some((last, worst)) if x - *last < 1.0 => *worst = (*worst).max(*count),
            _ if lanes.pods.len() > 100 => columns.push((x, before.max(*count))),
            _ => columns.push((x, *count)),
        }
    }
    if let (Some(last), Some((_, count))) = (columns.last_mut(), points.last())
        && last.1 != *count
    {
        let x = last.0 + 1.0;
        columns.push((x, *count));
    }
    let places: Vec<(f64, f64)> = columns
        .iter()
        .map(|(x, count)| (*x, level(*count)))
        .collect();
    let line = aggregate_lane::stairs(&places, scale.edge, 'M');
    let floor = px(top + CURVE);
    let area = format!("{line}V{floor}H{}Z", px(scale.left));
    let title = format!(
        "at most {} unavailable at the same time",
        count(most, "wanted pod")
    );
    html! {
        g {
            title { (title) }
            text .faint x=(px(MARGIN)) y=(px(top + CURVE / 2.0 + 4.0)) { "unavailable" }
            text .faint.last x=(px(scale.left - 6.0)) y=(px(top + CURVE + 2.0)) { "0" }
            @if most > 0 {
                text .faint.last x=(px(scale.left - 6.0)) y=(px(top + 6.0)) { (spaced(most)) }
                line .grid x1=(px(scale.left)) x2=(px(scale.edge)) y1=(px(level(most))) y2=(px(level(most))) {}
            }
            path .area d=(area) {}
            path .curve d=(line) {}
        }
    }
}

/// Lists the simplifications and omissions of the picture.
fn notes(report: &Report, lanes: &Lanes, rows: &[Row], no_waits: bool) -> Vec<String> {
    let mut notes = Vec::new();
    let pods = count(lanes.pods.len(), "pod");
    if rows.iter().any(|row| !row.is_alike) {
        notes.push(format!(
            "{pods} in {}: the filled part of a row is the share of its pods that is available.",
            count(rows.len(), "group")
        ));
    } else if rows.len() < lanes.pods.len() {
        notes.push(format!(
            "{pods} in {}: like neighbors share a row.",
            count(rows.len(), "row")
        ));
    }
    let looked = report.sync_findings.last().map_or(0, |look| look.steps);
    if !no_waits && looked < report.steps.len() {
        notes.push(format!(
            "Waits of the controller are shown for the first {} of {} steps.",
            spaced(looked),
            spaced(report.steps.len())
        ));
    }
    if report.outcome.result == PlanResult::Livelock {
        notes.push("This repeats indefinitely.".to_owned());
    }
    if report.outcome.result == PlanResult::Rejected {
        notes.push("The API server rejects the change; nothing happens.".to_owned());
    }
    notes
}
