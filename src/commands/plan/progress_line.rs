//! Progress line and interruption of work that may take long: searches, and questions with many simulations.

use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::interrupt;
use sts_controller::simulate::Watch;

/// Time before the first progress line, and between updates.
const SILENT: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(200);

/// True while a progress line is drawn: the terminal has room for one.
static DRAWN: AtomicBool = AtomicBool::new(false);

/// A line on the terminal that says how far some work got. While it exists, Ctrl-C ends the work, not the program.
#[derive(Debug)]
pub(super) struct ProgressLine {
    begun: Instant,
    told: Instant,
    shows: bool,
    /// True if the line on the terminal is this one.
    is_drawn: bool,
}

impl ProgressLine {
    /// Begins work. `shows` permits the line.
    pub(super) fn new(shows: bool) -> Self {
        interrupt::begin();
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let now = clock();
        ProgressLine {
            begun: now,
            told: now,
            shows: shows && !dumb && io::stderr().is_terminal(),
            is_drawn: false,
        }
    }

    /// Returns the duration of the work so far.
    pub(super) fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Draws the line, if the work takes long and no other line is there. Breaks if the user has interrupted the work.
    pub(super) fn tell(&mut self, text: impl FnOnce(&Self) -> String) -> ControlFlow<()> {
        if interrupt::is_interrupted() {
            return ControlFlow::Break(());
        }
        let is_due = self.shows && self.begun.elapsed() > SILENT && self.told.elapsed() > TICK;
        if is_due && (self.is_drawn || !DRAWN.swap(true, Ordering::Relaxed)) {
            self.is_drawn = true;
            self.told = clock();
            let text = text(self);
            // A terminal that is gone needs no line.
            let _ = write!(
                io::stderr(),
                "\r{text} (Ctrl-C for the result so far)\x1b[K"
            );
        }
        ControlFlow::Continue(())
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if self.is_drawn {
            let _ = write!(io::stderr(), "\r\x1b[K");
            DRAWN.store(false, Ordering::Relaxed);
        }
        interrupt::end();
    }
}

/// Watches the questions about one set.
#[derive(Debug)]
pub(super) struct QuestionWatch {
    shows: bool,
    line: Mutex<Option<ProgressLine>>,
}

impl QuestionWatch {
    /// Creates a watch. `shows` permits a progress line.
    pub(super) fn new(shows: bool) -> Arc<Self> {
        Arc::new(QuestionWatch {
            shows,
            line: Mutex::default(),
        })
    }
}

impl Watch for QuestionWatch {
    fn reached(&self, spent: u64, most: u64) -> ControlFlow<()> {
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        let line = line.get_or_insert_with(|| ProgressLine::new(self.shows));
        line.tell(|_| format!("simulating: {}% of the budget", spent * 100 / most.max(1)))
    }

    fn over(&self) {
        self.line
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the duration only affects the progress line"
)]
fn clock() -> Instant {
    Instant::now()
}
