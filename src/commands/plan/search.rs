//! Threads and progress line of a search over every order of events.

use std::ops::ControlFlow;
use std::thread;

use super::progress_line::ProgressLine;
use sts_controller::simulate::{Driver, Reached};

/// Maximum number of threads per search: another thread merges their results and becomes the bottleneck.
const MOST_THREADS: usize = 8;

/// One search.
pub struct Search {
    threads: usize,
    line: ProgressLine,
}

impl Search {
    /// Creates a search on all cores. `shows` permits a progress line.
    pub fn new(shows: bool) -> Self {
        let cores = thread::available_parallelism().map_or(1, Into::into);
        Search {
            threads: cores.min(MOST_THREADS),
            line: ProgressLine::new(shows),
        }
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
        self.line.tell(|line| {
            let Reached {
                states,
                moves,
                depth,
                waiting,
            } = reached;
            let rate = moves as f64 / line.elapsed().as_secs_f64().max(0.001);
            format!("exploring: {states} states, {waiting} pending, depth {depth}, {rate:.0} events per second")
        })
    }
}
