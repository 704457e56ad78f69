//! The layout of a screen: head, scrollable body, and foot.

use std::io;

use ratatui_core::style::Style;
use ratatui_core::terminal::Frame;
use ratatui_core::text::{Line, Span};

use super::Key;
use super::theme::Theme;
use crate::output::document::Block;
use crate::output::overview::facts;
use crate::output::screen;
use crate::output::sink::{Recorder, Terminal};
use crate::output::style::{self as text, Tone, columns_of, escape};
use crate::output::words::{cut, set_name, wrap};
use sts_plan::report::{PlanResult, Report};

/// Minimum height for showing differing fields beside the lanes.
const ROOMY: usize = 30;

#[derive(Default)]
pub(super) struct Page {
    pub(super) head: Vec<Line<'static>>,
    pub(super) body: Vec<Line<'static>>,
    pub(super) foot: Vec<Line<'static>>,
}

/// The scroll position of a body, and the number of visible lines.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Scroll {
    top: usize,
    visible: usize,
}

impl Scroll {
    /// Handles a scroll key. Returns false for other keys.
    pub(super) fn key(&mut self, key: Key) -> bool {
        let screen = self.visible.saturating_sub(1).max(1);
        self.top = match key {
            Key::Up => self.top.saturating_sub(1),
            Key::Down => self.top + 1,
            Key::PageUp => self.top.saturating_sub(screen),
            Key::PageDown => self.top + screen,
            Key::Home => 0,
            Key::End => usize::MAX / 2,
            _ => return false,
        };
        true
    }

    /// Scrolls to make a line visible.
    pub(super) fn show(&mut self, line: usize) {
        self.top = self
            .top
            .min(line)
            .max((line + 1).saturating_sub(self.visible.max(1)));
    }

    /// Returns the range of visible lines.
    pub(super) fn window(&mut self, lines: usize, room: usize) -> std::ops::Range<usize> {
        self.visible = room;
        self.top = self.top.min(lines.saturating_sub(room));
        self.top..(self.top + room).min(lines)
    }
}

impl Page {
    /// Returns the number of lines for the body.
    pub(super) fn room(&self, height: usize) -> usize {
        height.saturating_sub(self.head.len() + self.foot.len())
    }

    /// Draws the page. The body shrinks before the head and the foot; its hidden lines are counted.
    pub(super) fn draw(mut self, frame: &mut Frame<'_>, scroll: &mut Scroll, theme: Theme) {
        let area = frame.area();
        let height = usize::from(area.height);
        let room = self.room(height);
        let total = self.body.len();
        let window = match total > room {
            true => scroll.window(total, room.saturating_sub(1)),
            false => scroll.window(total, room),
        };
        let more = total - window.end;
        let mut lines = self.head;
        lines.extend(self.body.drain(window.clone()));
        if total > room && room > 0 {
            let text = match (window.start, more) {
                (0, more) => format!("({more} more lines)"),
                (before, 0) => format!("({before} lines above)"),
                (before, more) => format!("({before} lines above, {more} more)"),
            };
            lines.push(Line::styled(text, theme.tone(Tone::Faint)));
        }
        // The foot remains at the bottom, even of a taller head.
        lines.resize(height.saturating_sub(self.foot.len()), Line::default());
        lines.extend(self.foot);
        for (row, line) in area.rows().zip(lines) {
            frame.buffer_mut().set_line(row.x, row.y, &line, row.width);
        }
    }
}

/// Returns the width and the height of a frame.
pub(super) fn size(frame: &Frame<'_>) -> (usize, usize) {
    let area = frame.area();
    (usize::from(area.width), usize::from(area.height))
}

/// Returns the name and the settings of the set, with a text at the right edge.
pub(super) fn title(report: &Report, right: &str, width: usize, theme: Theme) -> Line<'static> {
    let taken = columns_of(right);
    let name = cut(
        &set_name(&report.metadata),
        width.saturating_sub(taken).max(1),
    );
    let mut facts = facts(report);
    facts.push(format!("Kubernetes {}", escape(&report.kubernetes.version)));
    let gap = if right.is_empty() { 0 } else { 2 };
    let room = width.saturating_sub(columns_of(&name) + 2 + gap + taken);
    let facts = cut(&facts.join("  "), room);
    let left = width.saturating_sub(columns_of(&name) + 2 + columns_of(&facts) + taken);
    Line::from(vec![
        Span::styled(name, theme.tone(Tone::Strong)),
        Span::raw(format!("  {facts}{:left$}", "")),
        Span::styled(right.to_owned(), theme.tone(Tone::Faint)),
    ])
}

/// Returns the answer of a plan. If the plan completes, most of the screen is left to the lanes.
pub(super) fn answer(
    report: &Report,
    (width, height): (usize, usize),
    theme: Theme,
) -> Vec<Line<'static>> {
    let is_fine = report.outcome.result == PlanResult::Complete && !report.loses_data();
    let most = if is_fine { height / 4 } else { height / 2 };
    let has_fields = !is_fine || height >= ROOMY;
    recorded(width, theme, |out| {
        screen::answer(report, most.max(1), has_fields, out)
    })
}

/// Returns blocks of a document as the lines of a screen.
pub(super) fn laid_out(blocks: &[Block<'_>], width: usize, theme: Theme) -> Vec<Line<'static>> {
    recorded(width, theme, |out| screen::blocks(blocks, out))
}

/// Records terminal output as the lines of a screen.
pub(super) fn recorded(
    width: usize,
    theme: Theme,
    write: impl FnOnce(&mut Terminal<'_>) -> io::Result<()>,
) -> Vec<Line<'static>> {
    let style = text::Style {
        width: Some(width.max(1)),
        ..text::Style::default()
    };
    let mut recorder = Recorder::default();
    let mut terminal = Terminal {
        style: &style,
        sink: &mut recorder,
    };
    if let Err(error) = write(&mut terminal) {
        return vec![Line::raw(error.to_string())];
    }
    let lines = recorder.lines.into_iter().skip_while(Vec::is_empty);
    let lines = lines.map(|line| {
        let pieces = line.into_iter();
        Line::from_iter(pieces.map(|(tone, text)| Span::styled(text, theme.tone(tone))))
    });
    lines.collect()
}

/// Wraps foreign prose in lines of one style.
pub(super) fn prose(text: &str, style: Style, width: usize) -> Vec<Line<'static>> {
    let lines = wrap(&escape(text), Some(width.max(1)), 2).into_iter();
    lines.map(|line| Line::styled(line, style)).collect()
}
