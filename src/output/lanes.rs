//! The lanes of a plan in characters, for comments, and the characters of lanes on screens.

use super::style::escape;
use super::svg::{AXIS_STEPS, LaneRow, Palette, middle_cut, rows, word};
use super::table::columns_of;
use super::words::{elapsed, short_revision};
use sts_plan::analysis::Verdict;
use sts_plan::report::Report;

use sts_plan::report::timeline::{Lane, Span, State, Timeline};

/// The characters of an available pod, by the place of its revision.
const FILLS: [char; 4] = ['█', '▒', '▓', '░'];
/// Columns of the time from the beginning to the end.
const COLUMNS: usize = 48;
/// Columns of what lasts beyond the end.
const TAIL: usize = 4;
/// Minimum distance between the marks of the time.
const MARK: i64 = 9;
/// Maximum number of lanes: more are no picture that is read in seconds.
const LANES: usize = 24;
/// Columns of a revision in the legend.
const REVISION: usize = 24;

/// Returns the character of a pod in a state on the revision of that place: blocks serve, lines do not.
pub(super) fn character(state: State, place: usize) -> char {
    match state {
        State::Available => FILLS[place.min(FILLS.len() - 1)],
        State::Ready => '▄',
        State::Unready => '─',
        State::Terminating => '╌',
        State::Failed => 'x',
    }
}

/// Draws the lanes of a plan, a line each, above the time and the legend; `None` where nothing happens or where there
/// are too many lanes. Foreign text in it is escaped for terminals.
pub(super) fn picture(report: &Report) -> Option<Vec<String>> {
    let is_refused = matches!(
        report.analysis.verdict,
        Verdict::Rejected | Verdict::IncompleteInput
    );
    if report.steps.is_empty() || is_refused {
        return None;
    }
    let timeline = Timeline::new(report);
    let mut rows = rows(&timeline);
    if timeline.end == 0 || rows.is_empty() || rows.len() > LANES {
        return None;
    }
    // The picture reads from the pod that is first to the one that is last.
    if timeline.goes_down() == Some(true) {
        rows.reverse();
    }
    let palette = Palette::new(report, &timeline, 0);
    let labels: Vec<String> = rows.iter().map(|row| row.label(&timeline)).collect();
    let widest = labels.iter().map(|label| columns_of(label)).max();
    let gutter = widest.unwrap_or(0) + 2;
    let lanes: Vec<String> = rows
        .iter()
        .map(|row| lane(row, &timeline, &palette))
        .collect();
    let legend = legend(report, &palette, &lanes.concat());
    let lines = labels.iter().zip(&lanes).map(|(label, lane)| {
        let gap = gutter - columns_of(label);
        format!("{label}{:gap$}{lane}", "").trim_end().to_owned()
    });
    let axis = format!("{:gutter$}{}", "", axis(timeline.end));
    Some(lines.chain([axis, legend]).collect())
}

fn lane(row: &LaneRow, timeline: &Timeline<'_>, palette: &Palette<'_>) -> String {
    let Some(lane) = timeline.lanes.get(row.lanes.start) else {
        return String::new();
    };
    let shown = |span: Option<&Span<'_>>| {
        span.map_or(' ', |span| {
            character(span.state, palette.place(span.revision))
        })
    };
    let cells = (0..COLUMNS).map(|column| shown(worst(lane, column, timeline.end)));
    let last = shown(lane.spans.iter().find(|span| span.to.is_none()));
    cells.chain([' ']).chain([last; TAIL]).collect()
}

/// The worst of what a column shows, so that short states are seen too.
fn worst<'l, 'r>(lane: &'l Lane<'r>, column: usize, end: i64) -> Option<&'l Span<'r>> {
    let (end, columns) = (i128::from(end), COLUMNS as i128);
    let (from, to) = (column as i128 * end, (column as i128 + 1) * end);
    let seen = lane.spans.iter().filter(|span| {
        let ends = span.to.map(|end| i128::from(end.at) * columns);
        i128::from(span.from.at) * columns < to && ends.is_none_or(|ends| ends > from)
    });
    seen.max_by_key(|span| span.state.badness())
}

/// The marks of the time.
fn axis(end: i64) -> String {
    let mut cells = vec![' '; COLUMNS];
    let mut put = |at: usize, text: &str| {
        for (cell, character) in cells.iter_mut().skip(at).zip(text.chars()) {
            *cell = character;
        }
    };
    let most = COLUMNS as i64 / MARK;
    let step = AXIS_STEPS.into_iter().find(|step| end / step <= most);
    let step = step.unwrap_or(end / most).max(1);
    let last = elapsed(end);
    let edge = COLUMNS.saturating_sub(last.len());
    for at in (0..).map(|mark| mark * step).take_while(|at| *at < end) {
        let column = i128::from(at) * COLUMNS as i128 / i128::from(end);
        let (column, text) = (usize::try_from(column).unwrap_or(COLUMNS), elapsed(at));
        if column + text.len() < edge {
            put(column, &text);
        }
    }
    put(edge, &last);
    let cells: String = cells.into_iter().collect();
    format!("{cells} then")
}

/// The meaning of each character that is drawn.
fn legend(report: &Report, palette: &Palette<'_>, drawn: &str) -> String {
    let mut entries = Vec::new();
    for (place, revision) in palette.revisions.iter().enumerate() {
        let fill = character(State::Available, place);
        if !drawn.contains(fill) {
            continue;
        }
        let hash = match short_revision(revision, &report.metadata.name) {
            "" => "no revision".to_owned(),
            hash => middle_cut(&escape(hash), REVISION),
        };
        let role = if place == 0 { " (update)" } else { "" };
        entries.push(format!("{fill} {hash}{role}"));
    }
    for state in State::ALL.into_iter().skip(1) {
        let character = character(state, 0);
        if drawn.contains(character) {
            entries.push(format!("{character} {}", word(report, state)));
        }
    }
    entries.join("   ")
}
