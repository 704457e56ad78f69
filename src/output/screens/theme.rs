//! Colors and characters. All colors are among the eight of the terminal's palette, so that they are readable on light and
//! dark backgrounds. Red marks failures. Without color, the characters alone distinguish states and revisions.

use ratatui_core::style::{Color, Modifier, Style};

use crate::output::lanes::character;
use crate::output::style::Tone;
use sts_plan::report::timeline::State;

/// The theme of a screen: with or without color.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Theme {
    pub(super) color: bool,
}

/// The colors of the places of revisions, the update revision first. `None` is the color of text.
const COLORS: [Option<Color>; 4] = [
    Some(Color::Cyan),
    None,
    Some(Color::Magenta),
    Some(Color::Blue),
];

impl Theme {
    fn colored(self, style: Style, color: Color) -> Style {
        match self.color {
            true => style.fg(color),
            false => style,
        }
    }

    /// Returns the style of a tone.
    pub(super) fn tone(self, tone: Tone) -> Style {
        let plain = Style::new();
        match tone {
            Tone::Plain => plain,
            Tone::Strong => plain.add_modifier(Modifier::BOLD),
            Tone::Good => self.colored(plain, Color::Green),
            Tone::Busy => self.colored(plain, Color::Yellow),
            Tone::Bad => self.colored(plain.add_modifier(Modifier::BOLD), Color::Red),
            Tone::Typed => self.colored(plain, Color::Cyan),
            Tone::Faint => plain.add_modifier(Modifier::DIM),
        }
    }

    pub(super) fn selected(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    /// Returns the look of a pod by state and place of its revision.
    pub(super) fn pod(self, state: State, place: usize) -> (char, Style) {
        let place = place.min(COLORS.len() - 1);
        let style = Style::new();
        let style = match (state, COLORS[place]) {
            (State::Failed, _) => self.colored(style.add_modifier(Modifier::BOLD), Color::Red),
            (_, Some(color)) => self.colored(style, color),
            (_, None) => style,
        };
        (character(state, place), style)
    }
}
