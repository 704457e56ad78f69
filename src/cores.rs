//! Parallel work on independent items.

use std::num::NonZero;
use std::panic;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Maps the items on as many threads as there are cores, and returns the results in the order of the items. Each
/// thread gets at least `worth_a_thread` items.
pub fn on_all_cores<T, R: Send>(
    items: impl ExactSizeIterator<Item = T> + Send,
    worth_a_thread: usize,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let mut threads = items.len() / worth_a_thread.max(1);
    if threads > 1 {
        // On Linux, the number of cores takes the reading of several files.
        threads = threads.min(thread::available_parallelism().map_or(1, NonZero::get));
    }
    if threads < 2 {
        return items.map(work).collect();
    }
    let items = Mutex::new(items.enumerate());
    let next = || {
        let mut items = items.lock().unwrap_or_else(PoisonError::into_inner);
        items.next()
    };
    let take_turns = || {
        let mut done = Vec::new();
        while let Some((index, item)) = next() {
            done.push((index, work(item)));
        }
        done
    };
    let mut done: Vec<(usize, R)> = thread::scope(|scope| {
        let start = || thread::Builder::new().spawn_scoped(scope, take_turns);
        // A container may refuse more threads; the existing ones then do their work.
        let others: Vec<_> = (1..threads).filter_map(|_| start().ok()).collect();
        let mut done = take_turns();
        for other in others {
            match other.join() {
                Ok(more) => done.extend(more),
                Err(payload) => panic::resume_unwind(payload),
            }
        }
        done
    });
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::on_all_cores;

    #[test]
    fn results_come_in_the_order_of_their_items() {
        for items in [0, 1, 2, 7, 1_000_u64] {
            for worth_a_thread in [0, 1, 3, 2_000] {
                // The first items take longest.
                let work = |item: u64| (0..(items - item) * 10).fold(item, |all, _| all);
                let done = on_all_cores(Vec::from_iter(0..items).into_iter(), worth_a_thread, work);
                assert_eq!(done, Vec::from_iter(0..items));
            }
        }
    }
}
