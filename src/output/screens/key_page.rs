//! The page of keys, which `?` opens over any screen.

use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};

use super::Key;
use super::page::Scroll;
use super::theme::Theme;
use crate::output::keys::KeyScreen;
use crate::output::style::{Tone, escape};
use crate::output::words::cut;

/// The page of a screen's keys, open or closed.
pub(super) struct KeyPage {
    pub(super) screen: KeyScreen,
    pub(super) is_open: bool,
    pub(super) scroll: Scroll,
}

impl KeyPage {
    pub(super) fn new(screen: KeyScreen) -> Self {
        KeyPage {
            screen,
            is_open: false,
            scroll: Scroll::default(),
        }
    }

    /// Handles a key of the page. Returns false for a key of the screen.
    pub(super) fn key(&mut self, key: Key) -> bool {
        match (self.is_open, key) {
            (false, Key::Char('?')) => {
                self.scroll = Scroll::default();
                self.is_open = true;
            }
            (false, _) | (true, Key::Char('q' | 'Q') | Key::Interrupt) => return false,
            (true, key) => self.is_open = self.scroll.key(key),
        }
        true
    }

    /// Returns the lines of the page.
    pub(super) fn lines(&self, theme: Theme) -> Vec<Line<'static>> {
        let title = Line::styled(self.screen.title(), theme.tone(Tone::Strong));
        let rows = self.screen.lines().map(|(key, does)| {
            let key = Span::styled(key, theme.tone(Tone::Strong));
            Line::from(vec![key, Span::raw(does)])
        });
        std::iter::once(title).chain(rows).collect()
    }

    /// Returns the footer of a screen: the note, and the keys.
    pub(super) fn foot(
        &self,
        note: &str,
        is_active: impl Fn(&str) -> bool,
        width: usize,
        theme: Theme,
    ) -> Vec<Line<'static>> {
        let mut lines = vec![Line::default()];
        if !note.is_empty() {
            let text = cut(&escape(note), width);
            lines.push(Line::styled(text, theme.tone(Tone::Busy)));
        }
        lines.push(self.brief(is_active, theme));
        lines
    }

    /// Returns the keys with their effects in one line, active ones highlighted.
    pub(super) fn brief(&self, is_active: impl Fn(&str) -> bool, theme: Theme) -> Line<'static> {
        let rows = self.screen.keys().iter();
        let spans = rows.filter(|row| !row.brief.is_empty()).flat_map(|row| {
            let (strong, plain) = match is_active(row.key) {
                true => (theme.selected(), theme.selected()),
                false => (theme.tone(Tone::Strong), Style::new()),
            };
            [
                Span::styled(format!(" {}", row.key), strong),
                Span::styled(format!(" {} ", row.brief), plain),
                Span::raw(" "),
            ]
        });
        Line::from_iter(spans)
    }
}
