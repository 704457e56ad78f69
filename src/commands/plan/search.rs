//! Threads, progress line and interruption of a search over every order of events.

use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use super::interrupt;
use sts_controller::simulate::{Driver, Reached};

/// Maximum number of threads per search: another thread merges their results and becomes the bottleneck.
const MOST_THREADS: usize = 8;
/// Time before the first progress line, and between updates.
const SILENT: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(200);

/// Lock for the terminal line: only one search may draw.
static LINE: Mutex<()> = Mutex::new(());

/// One search.
pub struct Search {
    threads: usize,
    begun: Instant,
    told: Instant,
    /// Lock for the terminal line, if this search has it.
    line: Option<MutexGuard<'static, ()>>,
    shows: bool,
    drawn: bool,
}

impl Search {
    /// Creates a search on all cores. `shows` permits a progress line.
    pub fn new(shows: bool) -> Self {
        interrupt::begin_search();
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let cores = thread::available_parallelism().map_or(1, Into::into);
        let now = clock();
        Search {
            threads: cores.min(MOST_THREADS),
            begun: now,
            told: now,
            line: LINE.try_lock().ok(),
            shows: shows && !dumb && io::stderr().is_terminal(),
            drawn: false,
        }
    }

    fn draw(&mut self, reached: Reached) {
        let Reached {
            states,
            moves,
            depth,
            waiting,
        } = reached;
        let seconds = self.begun.elapsed().as_secs_f64();
        let rate = moves as f64 / seconds.max(0.001);
        let line = format!(
            "exploring: {states} states, {waiting} pending, depth {depth}, {rate:.0} events per second \
             (Ctrl-C for the result so far)"
        );
        self.drawn = write!(io::stderr(), "\r{line}\x1b[K").is_ok();
    }
}

impl Driver for Search {
    fn threads(&self) -> usize {
        self.threads
    }

    fn run_all<'j>(&self, mut jobs: Vec<Box<dyn FnOnce() + Send + 'j>>) {
        // This thread takes one of the jobs.
        let Some(own) = jobs.pop() else {
            return;
        };
        thread::scope(|scope| {
            for job in jobs {
                scope.spawn(job);
            }
            own();
        });
    }

    fn reached(&mut self, reached: Reached) -> ControlFlow<()> {
        if interrupt::is_interrupted() {
            return ControlFlow::Break(());
        }
        let may_draw = self.shows && self.line.is_some();
        if may_draw && self.begun.elapsed() > SILENT && self.told.elapsed() > TICK {
            self.told = clock();
            self.draw(reached);
        }
        ControlFlow::Continue(())
    }
}

impl Drop for Search {
    fn drop(&mut self) {
        if self.drawn {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
        interrupt::end_search();
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the duration only affects the progress line"
)]
fn clock() -> Instant {
    Instant::now()
}
