//! The commands: planning and what is beside it. One file each, with one `run`.

pub mod completion;
pub mod diff;
pub mod dump;
pub mod explain;
pub mod interactive;
pub mod plan;
pub mod rbac;
pub mod schema;
mod terminal;
pub mod verify;
pub mod versions;
pub mod watch;

use std::io::{Read, Write};

use jiff::Timestamp;

use crate::output::Style;
use crate::request::{Color, Display};

/// What a command runs with, beside its request: the standard streams, the clock and the terminal.
pub struct Context<'c> {
    /// Standard input.
    pub stdin: &'c mut dyn Read,
    /// Standard output, which gets what was asked for and nothing else.
    pub stdout: &'c mut dyn Write,
    /// Standard error, which gets everything else.
    pub stderr: &'c mut dyn Write,
    /// The current time, to the second.
    pub clock: fn() -> Timestamp,
    /// The terminal behind standard output.
    pub terminal: Terminal,
}

/// The terminal behind standard output, as it is at the moment of asking.
#[derive(Debug, Clone, Copy)]
pub struct Terminal {
    /// Whether standard output goes to a terminal.
    pub is_there: fn() -> bool,
    /// Whether it can be drawn on anew.
    pub is_drawable: fn() -> bool,
    /// Whether it wants colours.
    pub wants_color: fn() -> bool,
    /// Its width in columns.
    pub columns: fn() -> Option<usize>,
}

impl Terminal {
    /// How text may look where it goes.
    #[must_use]
    pub fn style(&self, display: Display, has_colors: bool) -> Style {
        let color = match display.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => (self.wants_color)(),
        };
        let is_there = (self.is_there)();
        Style {
            color: color && has_colors,
            width: is_there.then(self.columns).flatten(),
            headers: display.headers,
            verbose: display.verbose,
            full_names: false,
            idle_sets: display.idle_sets,
            each_set: display.each_set,
            verbatim: !is_there,
            show_values: false,
        }
    }
}
