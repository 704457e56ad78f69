//! Interactive screens: `-w` and `--interactive`. A screen is a value that handles keys and reports, and draws itself into a
//! frame. The terminal, its keys and the clock belong to the command that runs it.

mod all_sets;
mod chart;
mod event_log;
mod fields;
mod headline;
mod image_line;
mod key_page;
mod page;
mod set_lanes;
mod theme;
mod watch;
mod what_if;

pub use all_sets::{AllSetsScreen, SetKey};
pub use fields::{Fields, SetFields};
pub use watch::{WatchReply, WatchScreen};
pub use what_if::{Planned, WhatIfReply, WhatIfScreen};

impl Key {
    /// Returns the arrow that `j` or `k` stands for, or the key itself.
    pub(in crate::output::screens) fn moving(self) -> Key {
        match self {
            Key::Char('j') => Key::Down,
            Key::Char('k') => Key::Up,
            key => key,
        }
    }
}

/// A key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// A character.
    Char(char),
    /// The up arrow.
    Up,
    /// The down arrow.
    Down,
    /// The left arrow.
    Left,
    /// The right arrow.
    Right,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// Home.
    Home,
    /// End.
    End,
    /// Tab.
    Tab,
    /// Backspace.
    Backspace,
    /// Enter.
    Enter,
    /// Escape.
    Escape,
    /// Ctrl-C, which is an ordinary key while a screen is open.
    Interrupt,
}
