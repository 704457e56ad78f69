//! The surroundings of a search of every order of events: threads, a progress line on the terminal, and a user who may
//! interrupt it.

use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use super::interrupt;
use sts_controller::simulate::{Driver, Reached};

/// The most threads of one search: one more takes in what they find, and is soon the slowest.
const MOST_THREADS: usize = 8;
/// Searches shorter than this say nothing, and longer ones something as often.
const SILENT: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(200);

/// The terminal's line: only the search that holds it may draw.
static LINE: Mutex<()> = Mutex::new(());

/// One search.
pub struct Search {
    threads: usize,
    begun: Instant,
    told: Instant,
    /// The line on the terminal, if it is this search's.
    line: Option<MutexGuard<'static, ()>>,
    shows: bool,
    drawn: bool,
}

impl Search {
    /// A search on all cores. Without being allowed to, it shows nothing.
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
            "exploring: {states} states, {waiting} of them to be looked at, {depth} events deep, {rate:.0} events a \
             second (Ctrl-C for what is known so far)"
        );
        self.drawn = write!(io::stderr(), "\r{line}\x1b[K").is_ok();
    }
}

impl Driver for Search {
    fn threads(&self) -> usize {
        self.threads
    }

    fn run_all<'j>(&self, mut jobs: Vec<Box<dyn FnOnce() + Send + 'j>>) {
        // This thread does one of them.
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
    reason = "how long a search takes decides what the terminal shows, and nothing else"
)]
fn clock() -> Instant {
    Instant::now()
}
