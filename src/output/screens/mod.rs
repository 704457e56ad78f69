//! Screens that answer keys: what `-w` and `--interactive` show on a terminal. What is shown is a value that takes keys
//! and reports and draws itself into a frame; the terminal, its keys and the clock belong to the command that runs it.

mod all_sets;
mod chart;
mod event_log;
mod fields;
mod headline;
mod image_line;
mod key_page;
mod page;
mod pod_lanes;
mod theme;
mod watch;
mod what_if;

pub use all_sets::{AllSetsScreen, SetKey};
pub use fields::{Fields, SetFields};
pub use watch::{WatchReply, WatchScreen};
pub use what_if::{Planned, WhatIfReply, WhatIfScreen};

/// A key that a screen may know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// A character as it was typed.
    Char(char),
    /// An arrow.
    Up,
    /// An arrow.
    Down,
    /// An arrow.
    Left,
    /// An arrow.
    Right,
    /// A screen back.
    PageUp,
    /// A screen on.
    PageDown,
    /// To the beginning.
    Home,
    /// To the end.
    End,
    /// To the next of several.
    Tab,
    /// Takes back what was typed.
    Backspace,
    /// Opens what is chosen.
    Enter,
    /// Leaves.
    Escape,
    /// Ctrl-C, which is a key while a screen is drawn.
    Interrupt,
}
