//! The page of keys, which `?` opens over any screen.

use ratatui_core::text::{Line, Span};

use super::Key;
use super::page::{Scroll, keys};
use super::theme::Theme;
use crate::output::keys::KeyScreen;
use crate::output::style::Tone;

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
            (false, Key::Char('?')) => *self = KeyPage::new(self.screen).opened(),
            (false, _) | (true, Key::Char('q' | 'Q') | Key::Interrupt) => return false,
            (true, key) => self.is_open = self.scroll.key(key),
        }
        true
    }

    fn opened(self) -> Self {
        KeyPage {
            is_open: true,
            ..self
        }
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

    /// Returns the footer, with active keys highlighted.
    pub(super) fn foot(&self, is_active: impl Fn(&str) -> bool, theme: Theme) -> Line<'static> {
        let rows = self.screen.keys().iter();
        let rows = rows.filter(|row| !row.brief.is_empty());
        let all: Vec<_> = rows
            .map(|row| (row.key, row.brief, is_active(row.key)))
            .collect();
        keys(&all, theme)
    }
}
