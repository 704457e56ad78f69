//! How far reading many sets has come, for whoever waits at a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Nobody wants to see what is over in a blink.
const SILENT: Duration = Duration::from_secs(1);

/// A line on standard error that comes after a second, and goes when all is done.
pub struct Progress {
    bar: ProgressBar,
    shown: bool,
}

impl Progress {
    /// The progress over so many sets. It is never shown where standard error is no terminal.
    #[must_use]
    pub fn new(sets: usize) -> Self {
        let bar = ProgressBar::with_draw_target(Some(sets as u64), ProgressDrawTarget::hidden());
        if let Ok(style) =
            ProgressStyle::with_template("{pos} of {len} sets planned {wide_bar} {eta}")
        {
            bar.set_style(style);
        }
        Progress { bar, shown: false }
    }

    /// Takes note of sets that are done.
    pub fn advance(&mut self, sets: usize) {
        if !self.shown && self.bar.elapsed() > SILENT {
            // Draws nothing where standard error is no terminal.
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.shown = true;
        }
        self.bar.inc(sets as u64);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
