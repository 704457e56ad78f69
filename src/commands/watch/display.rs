//! The display of updates: a screen that is redrawn and answers keys, or a stream of lines.

use std::io::{self, Write};

use jiff::Timestamp;

use crate::commands::terminal::DrawnTerminal;
use crate::output::screens::{Key, WatchReply, WatchScreen};
use sts_plan::report::{Report, Verification, VerifiedStage};

/// A terminal or a file.
pub enum Display<'d> {
    /// One update after the other.
    Lines(&'d mut dyn Write),
    /// A screen, and the last update as lines: that is what stays when the screen is left.
    Drawn {
        /// The terminal.
        terminal: DrawnTerminal<'d>,
        /// The screen that is drawn on it.
        screen: Box<WatchScreen>,
        /// The last update.
        last: Vec<u8>,
    },
}

impl Display<'_> {
    /// Shows an update: its plan, and what became of the one before, with the stage; as lines besides.
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

    /// Puts a line on the screen. False where there is none.
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

    /// Takes a key.
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

    /// Draws the screen as of a moment.
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

    /// Leaves the screen, and the last update on the terminal.
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
