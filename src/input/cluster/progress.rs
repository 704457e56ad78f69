//! Progress of reading, on a terminal.

use std::cell::Cell;
use std::pin::pin;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Time before progress is shown.
const SILENT: Duration = Duration::from_secs(1);
/// The interval between updates of the line.
const TICK: Duration = Duration::from_millis(200);

/// Template of the line while sets are counted.
const OF_SETS: &str = "{pos} of {len} sets planned, {msg} {wide_bar}";

/// Progress line on standard error, shown after a second and removed at the end. It is shown only on a terminal, and
/// not before the first object is read: until then, a credential plugin may prompt there.
pub struct Progress {
    bar: ProgressBar,
    allowed: bool,
    shown: Cell<bool>,
    objects: Cell<u64>,
}

impl Progress {
    /// Creates a progress line; `allowed` permits showing it.
    pub fn new(allowed: bool) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        Progress {
            bar: match ProgressStyle::with_template("{msg}") {
                Ok(style) => bar.with_style(style),
                Err(_) => bar,
            },
            allowed,
            shown: Cell::new(false),
            objects: Cell::new(0),
        }
    }

    /// Sets the number of sets, which are counted from now on.
    pub fn expect(&self, sets: usize) {
        self.bar.set_length(sets as u64);
        if let Ok(style) = ProgressStyle::with_template(OF_SETS) {
            self.bar.set_style(style);
        }
    }

    /// Counts planned sets.
    pub fn planned(&self, sets: usize) {
        self.bar.inc(sets as u64);
        self.show();
    }

    /// Counts an object.
    pub(super) fn read(&self) {
        self.objects.set(self.objects.get() + 1);
    }

    /// Runs a future, and shows the progress.
    pub(super) async fn during<F: Future>(&self, work: F) -> F::Output {
        let mut work = pin!(work);
        let mut ticks = tokio::time::interval(TICK);
        loop {
            tokio::select! {
                biased;
                output = &mut work => return output,
                _ = ticks.tick() => self.show(),
            }
        }
    }

    fn show(&self) {
        if !self.allowed || self.objects.get() == 0 || self.bar.elapsed() < SILENT {
            return;
        }
        if !self.shown.replace(true) {
            // Draws nothing if standard error is not a terminal.
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar
            .set_message(format!("{} objects read", self.objects.get()));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
