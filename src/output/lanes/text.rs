//! The lanes of a plan in characters, for comments.

use super::{Columns, Entry, Lanes, PodLane, Symbol, legend};
use crate::output::style::columns_of;
use sts_plan::analysis::Verdict;
use sts_plan::report::timeline::State;
use sts_plan::report::{PodPeriod, Report};

/// The characters of an available pod, by the place of its revision.
const FILLS: [char; 4] = ['█', '▒', '▓', '░'];
/// Width of the time axis.
const WIDTH: usize = 48;
/// Width of the tail, which shows lasting states.
const TAIL: usize = 4;
/// Maximum number of lanes of a readable picture.
const LANES: usize = 24;
/// Maximum width of a label, and of a revision in the legend.
const LABEL: usize = 26;
const REVISION: usize = 24;

/// Returns the character of a pod by state and place of its revision: blocks serve, lines do not.
pub(in crate::output) fn character(state: State, place: usize) -> char {
    match state {
        State::Available => FILLS[place.min(FILLS.len() - 1)],
        State::Ready => '▄',
        State::Unready => '─',
        State::Terminating => '╌',
        State::Failed => 'x',
    }
}

/// Draws the lanes of a plan, a line each, above the time axis and the legend; `None` if nothing happens or if there are
/// too many lanes.
pub(in crate::output) fn picture(report: &Report) -> Option<Vec<String>> {
    let is_rejected = matches!(
        report.analysis.verdict,
        Verdict::Rejected | Verdict::IncompleteInput
    );
    if report.steps.is_empty() || is_rejected {
        return None;
    }
    let lanes = Lanes::of(report);
    let rows = lanes.rows(LANES, None);
    if lanes.end == 0 || rows.is_empty() || rows.len() > LANES {
        return None;
    }
    let axis = Columns {
        count: WIDTH,
        end: lanes.end,
    };
    let labels: Vec<String> = rows.iter().map(|row| lanes.label(row, LABEL)).collect();
    let widest = labels.iter().map(|label| columns_of(label)).max();
    let gutter = widest.unwrap_or(0) + 2;
    let drawn: Vec<String> = rows
        .iter()
        .filter_map(|row| Some(lane(&lanes, lanes.of_row(row).first()?, axis)))
        .collect();
    let lines = labels.iter().zip(&drawn).map(|(label, lane)| {
        let gap = gutter - columns_of(label);
        format!("{label}{:gap$}{lane}", "").trim_end().to_owned()
    });
    let axis = format!("{:gutter$}{}", "", axis.axis());
    let legend = key(report, &lanes, &drawn.concat());
    Some(lines.chain([axis, legend]).collect())
}

fn lane(lanes: &Lanes, lane: &PodLane, axis: Columns) -> String {
    let cell = |period: Option<&PodPeriod>| {
        period.map_or(' ', |it| character(it.state, lanes.place(&it.revision)))
    };
    let cells = (0..WIDTH).map(|column| cell(axis.worst(lane, column)));
    let last = cell(lane.periods.iter().find(|it| it.to.is_none()));
    cells.chain([' ']).chain([last; TAIL]).collect()
}

/// Returns the meaning of each character in use.
fn key(report: &Report, lanes: &Lanes, drawn: &str) -> String {
    let (set, has_min_ready) = (&report.metadata.name, report.set.min_ready_seconds > 0);
    let entries = legend(
        set,
        &lanes.revisions,
        lanes.periods(),
        has_min_ready,
        REVISION,
    );
    let entries = entries.into_iter().filter_map(|Entry { symbol, text }| {
        let character = match symbol {
            Symbol::Revision(place) => character(State::Available, place),
            Symbol::State(State::Available) => return None,
            Symbol::State(state) => character(state, 0),
        };
        drawn
            .contains(character)
            .then(|| format!("{character} {text}"))
    });
    entries.collect::<Vec<_>>().join("   ")
}
