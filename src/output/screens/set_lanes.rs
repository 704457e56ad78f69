//! The lanes of the screen of several sets: a lane for each set, on one time axis.

use jiff::Timestamp;
use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};

use super::chart::{level, runs};
use super::theme::Theme;
use crate::output::lanes::{Columns, Lanes, overlay};
use crate::output::style::Tone;
use crate::output::words::{cut, elapsed};
use sts_plan::report::timeline::State;

/// Minimum width of a lane.
const NARROWEST: usize = 10;
/// Minimum time on the axis, so that lanes do not jump at first.
const LEAST_SECONDS: i64 = 60;

/// The time axis that all sets share.
pub(super) struct SetLanes {
    pub(super) began: Timestamp,
    pub(super) now: Timestamp,
    /// Width of the screen.
    width: usize,
    axis: Columns,
}

impl SetLanes {
    /// Returns an axis up to the last of `ends`, which takes `width` less `taken` columns.
    pub(super) fn new(
        (began, now): (Timestamp, Timestamp),
        ends: impl Iterator<Item = Timestamp>,
        width: usize,
        taken: usize,
    ) -> Self {
        let seconds = |at: Timestamp| at.duration_since(began).as_secs();
        let end = ends.map(seconds).max().unwrap_or(0);
        let count = width.saturating_sub(taken);
        SetLanes {
            began,
            now,
            width,
            axis: Columns {
                count: if count < NARROWEST { 0 } else { count },
                // A tail shows the final state.
                end: end.max(seconds(now)).max(LEAST_SECONDS) * 16 / 15,
            },
        }
    }

    /// Returns the column of the current time.
    fn present(&self) -> usize {
        let now = self.now.duration_since(self.began).as_secs();
        self.axis.column(now).min(self.axis.count.saturating_sub(1))
    }

    /// Returns a set's lane: the share of updated and available pods, with a line at the current time.
    pub(super) fn lane(&self, lanes: &Lanes, began: Timestamp, theme: Theme) -> Vec<Span<'static>> {
        let offset = began.duration_since(self.began).as_secs();
        let present = self.present();
        let cells = (0..self.axis.count).map(|column| {
            if column == present {
                return ('│', theme.tone(Tone::Strong));
            }
            match self.axis.second(column) - offset {
                ..0 => (' ', Style::new()),
                at => cell(lanes, at, theme),
            }
        });
        runs(cells)
    }

    /// Returns the time axis: now, and the end.
    pub(super) fn axis(&self, theme: Theme) -> Line<'static> {
        let before = self.width.saturating_sub(self.axis.count);
        let mut cells = vec![' '; self.axis.count];
        let since = self.now.duration_since(self.began).as_secs();
        let end = format!("in {}", elapsed((self.axis.end - since).max(0)));
        let last = self.axis.count.saturating_sub(end.len());
        overlay(&mut cells, last, &end);
        if self.present() + 4 < last {
            overlay(&mut cells, self.present(), "now");
        }
        let cells: String = cells.into_iter().collect();
        let text = format!("{:before$}{cells}", "");
        Line::styled(cut(&text, self.width), theme.tone(Tone::Faint))
    }
}

pub(super) fn legend(theme: Theme) -> Line<'static> {
    let (full, style) = theme.pod(State::Available, 0);
    let (failed, bad) = theme.pod(State::Failed, 0);
    let faint = theme.tone(Tone::Faint);
    let mut pieces = vec![
        Span::styled(format!("▁{full}"), style),
        Span::styled(" share of pods updated and available   ", faint),
        Span::styled(failed.to_string(), bad),
        Span::styled(" pod failed   ", faint),
    ];
    if theme.color {
        pieces.push(Span::styled("▅", theme.tone(Tone::Busy)));
        pieces.push(Span::styled(" pod unavailable", faint));
    }
    Line::from(pieces)
}

/// Returns the look of a set at a second.
fn cell(lanes: &Lanes, at: i64, theme: Theme) -> (char, Style) {
    let wanted = lanes.pods.iter().filter(|lane| lane.wanted);
    let (mut all, mut updated, mut is_down, mut fails) = (0, 0, false, false);
    for lane in wanted {
        all += 1;
        let mut periods = lane.periods.iter();
        let period = periods.find(|it| it.from <= at && it.to.is_none_or(|to| at < to));
        let state = period.map(|period| period.state);
        is_down |= state != Some(State::Available);
        fails |= state == Some(State::Failed);
        updated += usize::from(period.is_some_and(|period| {
            period.state == State::Available && lanes.place(&period.revision) == 0
        }));
    }
    if fails {
        return theme.pod(State::Failed, 0);
    }
    let style = match is_down {
        true => theme.tone(Tone::Busy),
        false => theme.pod(State::Available, 0).1,
    };
    (level(updated, all), style)
}
