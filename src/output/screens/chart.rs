//! The chart of a screen: a row for each pod, time from left to right.

use std::collections::BTreeSet;

use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};

use super::page::Scroll;
use super::theme::Theme;
use crate::output::lanes::{Columns, Lanes, PodLane, Row, Symbol, condition, legend, overlay};
use crate::output::style::{Tone, columns_of, escape};
use crate::output::words::cut;
use sts_plan::report::timeline::{State, Wait};
use sts_plan::report::{PodPeriod, Report};

/// Maximum width of a label, and of a revision in the legend.
const LABEL: usize = 28;
const REVISION: usize = 24;
/// Minimum width of the time axis.
const NARROWEST: usize = 10;
/// Maximum number of unavailable pods that is shown as a digit.
const DIGIT: usize = 9;

/// A chart with its layout.
pub(super) struct Chart<'c> {
    pub(super) lanes: &'c Lanes,
    pub(super) report: &'c Report,
    /// The second of the vertical line.
    pub(super) cursor: i64,
    pub(super) theme: Theme,
    pub(super) selected: Option<&'c str>,
    /// The pods assumed to fail.
    pub(super) failing: Option<&'c BTreeSet<String>>,
    labels: usize,
    axis: Columns,
    /// Width of the tail, which shows lasting states.
    tail: usize,
}

impl<'c> Chart<'c> {
    /// Returns a chart of this width.
    pub(super) fn new(
        lanes: &'c Lanes,
        report: &'c Report,
        cursor: i64,
        width: usize,
        theme: Theme,
    ) -> Self {
        let names = lanes.pods.iter().map(|lane| columns_of(&escape(&lane.pod)));
        let labels = names.max().unwrap_or(0).clamp("unavailable".len(), LABEL);
        let labels = labels.min(width.saturating_sub(NARROWEST)) + 2;
        let room = width.saturating_sub(labels);
        // Without any duration there is only the tail.
        let tail = match lanes.end {
            0 => room,
            _ => (room / 12).max(5).min(room),
        };
        Chart {
            lanes,
            report,
            cursor,
            theme,
            selected: None,
            failing: None,
            labels,
            axis: Columns {
                count: room - tail,
                end: lanes.end,
            },
            tail,
        }
    }

    /// Draws the waits of the controller. The plan starts at second `from`.
    pub(super) fn waits(&self, waits: &[Wait<'_>], from: i64) -> Option<Line<'static>> {
        let mut cells = vec![' '; self.axis.count + self.tail];
        let mut free = 0;
        for wait in waits {
            let Some(text) = condition(wait, self.report) else {
                continue;
            };
            let begin = self.axis.column(from + wait.from);
            let end = wait.to.map(|to| self.axis.column(from + to));
            let end = end.unwrap_or(cells.len());
            let text = escape(&text);
            let wide = columns_of(&text) + 1;
            // If the text of an endless wait is too long, it ends at the edge.
            let begin = match wait.to {
                None if wide >= end - begin.min(end) => end.saturating_sub(wide),
                _ => begin,
            };
            if begin < free || begin + wide > end.max(begin + 1) || !text.is_ascii() {
                continue;
            }
            overlay(&mut cells, begin, &text);
            free = begin + wide;
        }
        let text: String = cells.iter().collect();
        let is_empty = text.trim().is_empty();
        (!is_empty).then(|| self.row("waiting for", vec![Span::styled(text, self.faint())]))
    }

    /// Returns the lanes in at most `room` lines. Hidden rows are counted.
    pub(super) fn lanes(&self, room: usize, scroll: &mut Scroll) -> Vec<Line<'static>> {
        let is_selected = |pod: &PodLane| self.selected == Some(pod.pod.as_str());
        let selected = self.lanes.pods.iter().position(is_selected);
        let mut rows = self.lanes.rows(room, selected);
        if rows.len() <= room {
            return rows.iter().map(|row| self.lane(row)).collect();
        }
        let mut blocked = self.report.outcome.blocked_by.iter();
        let stuck = blocked.find_map(|obstacle| obstacle.pod.as_deref());
        let is_stuck = |row: &Row| {
            let mut pods = self.lanes.of_row(row).iter();
            pods.any(|pod| stuck == Some(pod.pod.as_str()))
        };
        // There is no room for all: the pod that blocks the others comes first.
        if selected.is_none()
            && let Some(at) = rows.iter().position(is_stuck)
        {
            rows[..=at].rotate_right(1);
        }
        if let Some(row) = rows.iter().position(|row| Some(row.pods.start) == selected) {
            scroll.show(row);
        }
        let shown = scroll.window(rows.len(), room.saturating_sub(1).max(1));
        let hidden = rows.len() - shown.len();
        let lanes = rows[shown].iter().map(|row| self.lane(row));
        let text = format!("({hidden} more rows: PgUp, PgDn)");
        let note = Line::styled(text, self.faint());
        lanes.chain([note]).collect()
    }

    fn lane(&self, row: &Row) -> Line<'static> {
        let pods = self.lanes.of_row(row);
        let Some(lane) = pods.first() else {
            return Line::default();
        };
        let look = |period: Option<&PodPeriod>| {
            period.map_or((' ', Style::new()), |it| {
                self.theme.pod(it.state, self.lanes.place(&it.revision))
            })
        };
        let cursor = self.axis.column(self.cursor);
        let cells = (0..self.axis.count).map(|column| match column == cursor {
            true => ('│', self.strong()),
            false => look(self.axis.worst(lane, column)),
        });
        let after = look(lane.periods.iter().find(|it| it.to.is_none()));
        let tail = (0..self.tail).map(|column| match self.axis.count + column == cursor {
            true if self.axis.count > 0 => ('│', self.strong()),
            _ => after,
        });
        let is_failing = |lane: &PodLane| self.failing.is_some_and(|it| it.contains(&lane.pod));
        let (mark, tone) = match pods.iter().any(is_failing) {
            true => ("!", Tone::Bad),
            false => ("", Tone::Plain),
        };
        let label = self.lanes.label(row, self.labels - 2);
        let mut line = self.row(&(label + mark), runs(cells.chain(tail)));
        if let Some(name) = line.spans.first_mut() {
            name.style = match self.selected == Some(lane.pod.as_str()) {
                true => self.theme.selected(),
                false => self.theme.tone(tone),
            };
        }
        line
    }

    /// Returns the numbers of the stages, each at its start.
    pub(super) fn stages(&self) -> Option<Line<'static>> {
        let begun = self.report.stages.iter();
        let begun = begun.filter_map(|stage| Some((stage.number, stage.course.as_ref()?.at)));
        let mut text = String::new();
        for (number, at) in begun {
            let column = self.axis.column(at);
            let free = columns_of(&text);
            // A number that would overlap is omitted.
            if free <= column {
                text += &format!("{:1$}{number} ", "", column - free);
            }
        }
        let has_some = self.report.stages.len() > 1;
        has_some.then(|| self.row("stage", vec![Span::styled(text, self.strong())]))
    }

    /// Returns the time axis.
    pub(super) fn axis(&self) -> Line<'static> {
        self.row("", vec![Span::styled(self.axis.axis(), self.faint())])
    }

    /// Draws the maximum number of unavailable wanted pods in each column.
    pub(super) fn unavailable(&self) -> Line<'static> {
        let points = self.lanes.unavailable();
        let after = points.last().map_or(0, |(_, count)| *count);
        let mut counts = self.axis.maxima(&points);
        counts.extend(std::iter::repeat_n(after, self.tail));
        let most = counts.iter().copied().max().unwrap_or(0);
        let cells = counts
            .iter()
            .map(|count| (counted(*count, most), self.faint()));
        let label = match most {
            0..=DIGIT => "unavailable".to_owned(),
            most => format!("unavail. <={most}"),
        };
        self.row(&cut(&label, self.labels - 1), runs(cells))
    }

    /// Returns the legend of characters and colors, in lines.
    pub(super) fn legend(&self, width: usize, cursor: &str) -> Vec<Line<'static>> {
        let (report, lanes) = (self.report, self.lanes);
        let has_min_ready = report.set.min_ready_seconds > 0;
        let entries = legend(
            &report.metadata.name,
            &lanes.revisions,
            lanes.periods(),
            has_min_ready,
            REVISION,
        );
        let symbols = entries.into_iter().filter_map(|entry| {
            let (character, style) = match entry.symbol {
                Symbol::Revision(place) => self.theme.pod(State::Available, place),
                Symbol::State(State::Available) => return None,
                Symbol::State(state) => self.theme.pod(state, 1),
            };
            Some((character, style, entry.text))
        });
        let line = ('│', self.strong(), cursor.to_owned());
        let line = Some(line).filter(|_| self.axis.count > 0);
        let mut lines: Vec<Line<'static>> = vec![Line::default()];
        let mut used = 0;
        for (character, style, text) in symbols.chain(line) {
            let wide = columns_of(&text) + 5;
            if used > 0 && used + wide > width + 3 {
                lines.push(Line::default());
                used = 0;
            }
            used += wide;
            if let Some(line) = lines.last_mut() {
                line.push_span(Span::styled(character.to_string(), style));
                line.push_span(Span::styled(format!(" {text}   "), self.faint()));
            }
        }
        lines
    }

    fn faint(&self) -> Style {
        self.theme.tone(Tone::Faint)
    }

    fn strong(&self) -> Style {
        self.theme.tone(Tone::Strong)
    }

    /// Returns a labeled row.
    fn row(&self, label: &str, mut cells: Vec<Span<'static>>) -> Line<'static> {
        let gap = self.labels.saturating_sub(columns_of(label));
        cells.insert(0, Span::raw(format!("{label}{:gap$}", "")));
        Line::from(cells)
    }
}

/// Formats a count as one character.
fn counted(count: usize, most: usize) -> char {
    match (count, most) {
        (1.., 0..=DIGIT) => char::from_digit(count as u32, 10).unwrap_or('+'),
        _ => level(count, most),
    }
}

/// Returns the block character for a share.
pub(super) fn level(count: usize, most: usize) -> char {
    const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    match count {
        0 => '·',
        count => LEVELS[(count * (LEVELS.len() - 1) / most.max(1)).min(LEVELS.len() - 1)],
    }
}

/// Merges neighboring cells of the same style.
pub(super) fn runs(cells: impl Iterator<Item = (char, Style)>) -> Vec<Span<'static>> {
    let mut runs: Vec<(String, Style)> = Vec::new();
    for (character, style) in cells {
        match runs.last_mut() {
            Some((text, same)) if *same == style => text.push(character),
            _ => runs.push((character.to_string(), style)),
        }
    }
    let runs = runs.into_iter();
    runs.map(|(text, style)| Span::styled(text, style))
        .collect()
}
