//! Display of updates: a full screen with keys, or a stream of lines.

use std::io::{self, Write};

use jiff::Timestamp;

use crate::commands::terminal::DrawnTerminal;
use crate::output::screens::{Key, WatchReply, WatchScreen};
use sts_plan::report::Report;
use sts_plan::verify::{Verification, VerifiedStage};

/// A terminal or a file.
pub enum Display<'d> {
    /// Consecutive updates.
    Lines(&'d mut dyn Write),
    /// A screen, and the last update as lines, which remains after the screen is left.
    Drawn {
        terminal: DrawnTerminal<'d>,
        /// Screen on the terminal.
        screen: Box<WatchScreen>,
        /// The last update.
        last: Vec<u8>,
    },
}

impl Display<'_> {
    /// Shows an update: its plan, the comparison with the previous one, and the stage. `lines` is the same as text.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn show(
        &mut self,
        plan: Report,
        (since, stage): (Option<&Verification>, Option<&VerifiedStage>),
        lines: Vec<u8>,
        now: Timestamp,
    ) -> io::Result<()> {
        match self {
            Display::Lines(out) => {
                out.write_all(&lines)?;
                return out.flush();
            }
            Display::Drawn { screen, last, .. } => {
                screen.update(plan, since, now);
                screen.enter_stage(stage);
                *last = lines;
            }
        }
        self.draw(now)
    }

    /// Shows a note on the screen. Returns false if there is none.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn note(&mut self, text: &str, now: Timestamp) -> io::Result<bool> {
        let Display::Drawn { screen, .. } = self else {
            return Ok(false);
        };
        screen.note(text, now);
        self.draw(now).map(|()| true)
    }

    /// Handles a key.
    ///
    /// # Errors
    /// When the screen cannot be drawn.
    pub fn key(&mut self, key: Key, now: Timestamp) -> io::Result<WatchReply> {
        let Display::Drawn { screen, .. } = self else {
            return Ok(WatchReply::Draw);
        };
        let reply = screen.key(key);
        self.draw(now).map(|()| reply)
    }

    /// Draws the screen.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn draw(&mut self, now: Timestamp) -> io::Result<()> {
        match self {
            Display::Lines(_) => Ok(()),
            Display::Drawn {
                terminal, screen, ..
            } => terminal.draw(|frame| screen.draw(frame, now)),
        }
    }

    /// Adds a last line.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn conclude(&mut self, text: &str) -> io::Result<()> {
        match self {
            Display::Lines(out) => writeln!(out, "{text}"),
            Display::Drawn { last, .. } => writeln!(last, "{text}"),
        }
    }

    /// Leaves the screen, and prints the last update.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn leave(self) -> io::Result<()> {
        match self {
            Display::Lines(out) => out.flush(),
            Display::Drawn { terminal, last, .. } => terminal.leave(&last),
        }
    }
}
