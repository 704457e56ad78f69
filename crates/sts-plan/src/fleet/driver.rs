//! Execution of the plans of a run, which belongs to the caller.

use sts_controller::simulate::{Driver, SequentialDriver};

/// Runs the independent plans of a run. Threads, the terminal and the user's patience belong to the program, not to the
/// run.
pub trait FleetDriver: Sync {
    /// Runs all jobs, in any order or in parallel.
    fn run_all<'j>(&self, jobs: Vec<Box<dyn FnOnce() + Send + 'j>>) {
        for job in jobs {
            job();
        }
    }

    /// Returns the driver of a search over every order of events.
    fn search(&self) -> Box<dyn Driver> {
        Box::new(SequentialDriver)
    }
}

/// A driver that makes one plan after the other.
#[derive(Debug, Default)]
pub struct SequentialFleetDriver;

impl FleetDriver for SequentialFleetDriver {}

/// Maps items and their indices by the driver. Returns the results in the order of the items.
pub(super) fn each<T: Sync, R: Send>(
    driver: &dyn FleetDriver,
    items: &[T],
    work: impl Fn(usize, &T) -> R + Sync,
) -> Vec<R> {
    let mut results: Vec<Option<R>> = items.iter().map(|_| None).collect();
    let work = &work;
    let slots = items.iter().enumerate().zip(&mut results);
    let jobs = slots.map(|((at, item), result)| {
        let job: Box<dyn FnOnce() + Send + '_> = Box::new(move || *result = Some(work(at, item)));
        job
    });
    driver.run_all(jobs.collect());
    results.into_iter().flatten().collect()
}
