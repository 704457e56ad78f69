//! The chart of a screen: a row for each pod, time from left to right.

use std::collections::BTreeSet;

use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};

use super::page::Scroll;
use super::pod_lanes::{PodLane, PodLanes};
use super::theme::Theme;
use crate::output::alike::last_part;
use crate::output::style::{Tone, escape};
use crate::output::svg::{AXIS_STEPS, middle_cut, waited_for, word};
use crate::output::table::columns_of;
use crate::output::words::{cut, elapsed, short_revision};
use sts_plan::report::timeline::{State, Wait};
use sts_plan::report::{PlanResult, PodPeriod, Report};

/// Maximum width of a name.
const LABEL: usize = 28;
/// Minimum width of the time axis.
const NARROWEST: usize = 10;
/// Minimum distance between the marks of the time.
const MARK: usize = 9;
/// Maximum number of unavailable pods that is shown as a digit.
const DIGIT: usize = 9;

/// A chart with its layout.
pub(super) struct Chart<'c> {
    pub(super) lanes: &'c PodLanes,
    pub(super) report: &'c Report,
    /// The second of the vertical line.
    pub(super) cursor: i64,
    pub(super) theme: Theme,
    pub(super) selected: Option<&'c str>,
    /// The pods assumed to fail.
    pub(super) failing: Option<&'c BTreeSet<String>>,
    labels: usize,
    /// Width of the time axis.
    columns: usize,
    /// Width of the tail, which shows lasting states.
    tail: usize,
}

impl<'c> Chart<'c> {
    /// Returns a chart of this width.
    pub(super) fn new(
        lanes: &'c PodLanes,
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
            columns: room - tail,
            tail,
        }
    }

    /// Draws the waits of the controller. The plan starts at second `from`.
    pub(super) fn waits(&self, waits: &[Wait<'_>], from: i64) -> Option<Line<'static>> {
        let mut cells = vec![' '; self.columns + self.tail];
        let mut free = 0;
        for wait in waits {
            let Some(hold) = wait.hold() else { continue };
            let begin = self.column(from + wait.from);
            let end = wait.to.map(|to| self.column(from + to));
            let end = end.unwrap_or(cells.len());
            let mut text = waited_for(hold);
            if wait.to.is_none() && self.report.outcome.result == PlanResult::Blocked {
                text += ": never";
            }
            let text = escape(&text).into_owned();
            let wide = columns_of(&text) + 1;
            // If the text of an endless wait is too long, it ends at the edge.
            let begin = match wait.to {
                None if wide >= end - begin.min(end) => end.saturating_sub(wide),
                _ => begin,
            };
            if begin < free || begin + wide > end.max(begin + 1) || !text.is_ascii() {
                continue;
            }
            for (cell, character) in cells[begin..].iter_mut().zip(text.chars()) {
                *cell = character;
            }
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
        let rows = self.lanes.rows(room, selected);
        if rows.len() <= room {
            return rows.iter().map(|row| self.lane(row)).collect();
        }
        if let Some(row) = rows.iter().position(|row| Some(row.start) == selected) {
            scroll.show(row);
        }
        let shown = scroll.window(rows.len(), room.saturating_sub(1).max(1));
        let hidden = rows.len() - shown.len();
        let lanes = rows[shown].iter().map(|row| self.lane(row));
        let text = format!("({hidden} more rows: PgUp, PgDn)");
        let note = Line::styled(text, self.faint());
        lanes.chain([note]).collect()
    }

    /// Returns the lane of these pods.
    fn lane(&self, pods: &std::ops::Range<usize>) -> Line<'static> {
        let lanes = &self.lanes.pods[pods.clone()];
        let label = match lanes {
            [only] => middle_cut(&escape(&only.pod), self.labels - 2),
            [first, .., last] => {
                let tail = last_part(&last.pod);
                let tail = format!("..{}", cut(&escape(tail), 10));
                let room = (self.labels - 2).saturating_sub(tail.chars().count());
                middle_cut(&escape(&first.pod), room) + &tail
            }
            [] => String::new(),
        };
        let Some(lane) = lanes.first() else {
            return Line::default();
        };
        let cells = (0..self.columns).map(|column| self.cell(lane, column));
        let after = lane.spans.iter().find(|span| span.to.is_none());
        let after = after.map_or((' ', Style::new()), |span| self.pod(span));
        let cells = cells.chain(std::iter::repeat_n(after, self.tail));
        let cursor = self.column(self.cursor);
        let cells = cells.enumerate().map(|(column, cell)| {
            let is_cursor = column == cursor && self.columns > 0;
            if is_cursor {
                ('│', self.strong())
            } else {
                cell
            }
        });
        let is_failing = |lane: &PodLane| self.failing.is_some_and(|it| it.contains(&lane.pod));
        let (mark, tone) = match lanes.iter().any(is_failing) {
            true => ("!", Tone::Bad),
            false => ("", Tone::Plain),
        };
        let mut line = self.row(&(label + mark), runs(cells));
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
            let column = self.column(at);
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
        let mut cells = vec![' '; self.columns + self.tail];
        let mut put = |at: usize, text: &str| {
            for (cell, character) in cells.iter_mut().skip(at).zip(text.chars()) {
                *cell = character;
            }
        };
        if self.columns == 0 {
            put(0, "from now on");
        } else {
            let end = elapsed(self.lanes.end);
            let last = self.columns.saturating_sub(end.len());
            for at in self.marks() {
                let (column, text) = (self.column(at), elapsed(at));
                if column + text.len() < last {
                    put(column, &text);
                }
            }
            put(last, &end);
            put(self.columns + 1, "then");
        }
        let text: String = cells.iter().collect();
        self.row("", vec![Span::styled(text, self.faint())])
    }

    /// Draws the maximum number of unavailable wanted pods in each column.
    pub(super) fn unavailable(&self) -> Line<'static> {
        let points = self.lanes.unavailable();
        let mut worst = vec![0; self.columns];
        for (index, (from, count)) in points.iter().enumerate() {
            let to = points.get(index + 1).map(|(to, _)| *to);
            let first = self.column(*from);
            // A column shows a state that starts within it, but not one that ends at its left edge.
            let last = to.map_or(self.columns, |to| self.column_before(to) + 1);
            for column in worst.iter_mut().take(last.max(first)).skip(first) {
                *column = (*column).max(*count);
            }
        }
        let after = points.last().map_or(0, |(_, count)| *count);
        let counts: Vec<usize> = worst
            .into_iter()
            .chain(std::iter::repeat_n(after, self.tail))
            .collect();
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
        let spans = || self.lanes.pods.iter().flat_map(|lane| &lane.spans);
        let mut entries: Vec<(char, Style, String)> = Vec::new();
        for (place, revision) in self.lanes.revisions.iter().enumerate() {
            let is_used = spans().any(|span| span.revision == *revision);
            if !is_used {
                continue;
            }
            let (character, style) = self.theme.pod(State::Available, place);
            let hash = short_revision(revision, &self.report.metadata.name);
            let hash = match hash {
                "" => "no revision".to_owned(),
                hash => cut(&escape(hash), 24),
            };
            let role = if place == 0 { " (update)" } else { "" };
            entries.push((character, style, format!("{hash}{role}")));
        }
        for state in State::ALL.into_iter().skip(1) {
            if spans().any(|span| span.state == state) {
                let (character, style) = self.theme.pod(state, 1);
                let word = word(self.report, state);
                entries.push((character, style, word.to_owned()));
            }
        }
        if self.columns > 0 {
            entries.push(('│', self.strong(), cursor.to_owned()));
        }
        let mut lines: Vec<Line<'static>> = vec![Line::default()];
        let mut used = 0;
        for (character, style, text) in entries {
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

    /// Returns the column of a second.
    fn column(&self, at: i64) -> usize {
        if self.lanes.end == 0 || at >= self.lanes.end {
            return self.columns;
        }
        let at = i128::from(at.max(0)) * self.columns as i128 / i128::from(self.lanes.end);
        usize::try_from(at).unwrap_or(0).min(self.columns)
    }

    /// Returns the column right before a second.
    fn column_before(&self, at: i64) -> usize {
        let at = i128::from(at.max(1)) * self.columns as i128 - 1;
        let at = at / i128::from(self.lanes.end.max(1));
        usize::try_from(at)
            .unwrap_or(0)
            .min(self.columns.saturating_sub(1))
    }

    /// Returns the spans that overlap a column.
    fn spans<'l>(&self, lane: &'l PodLane, column: usize) -> impl Iterator<Item = &'l PodPeriod> {
        let end = i128::from(self.lanes.end);
        let columns = self.columns as i128;
        let (from, to) = (column as i128 * end, (column as i128 + 1) * end);
        lane.spans.iter().filter(move |span| {
            let ends = span.to.map(|end| i128::from(end) * columns);
            i128::from(span.from) * columns < to && ends.is_none_or(|ends| ends > from)
        })
    }

    /// Returns the look of a lane in a column: the worst state, so that short ones stay visible.
    fn cell(&self, lane: &PodLane, column: usize) -> (char, Style) {
        let worst = self
            .spans(lane, column)
            .max_by_key(|span| span.state.badness());
        worst.map_or((' ', Style::new()), |span| self.pod(span))
    }

    fn pod(&self, span: &PodPeriod) -> (char, Style) {
        self.theme.pod(span.state, self.lanes.place(&span.revision))
    }

    /// Returns the seconds with a mark.
    fn marks(&self) -> impl Iterator<Item = i64> {
        let most = i64::try_from(self.columns / MARK).unwrap_or(1).max(1);
        let end = self.lanes.end;
        let step = AXIS_STEPS.into_iter().find(|step| end / step <= most);
        let step = step.unwrap_or(end / most).max(1);
        (0..)
            .map(move |at| at * step)
            .take_while(move |at| *at < end)
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
