//! Work that is done side by side.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use crate::{Fail, Result};

/// How much at once.
const WORKERS: usize = 2;

/// Does this with each item, and its number. The results are in no particular order.
pub fn each<I: Sync, R: Send>(
    items: &[I],
    work: impl Fn(usize, &I) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let next = AtomicUsize::new(0);
    let worker = || -> Result<Vec<R>> {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Relaxed);
            let Some(item) = items.get(number) else {
                return Ok(done);
            };
            done.push(work(number, item)?);
        }
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS).map(|_| scope.spawn(worker)).collect();
        let mut all = Vec::new();
        for worker in workers {
            all.extend(
                worker
                    .join()
                    .map_err(|_| Fail::from("a worker panicked"))??,
            );
        }
        Ok(all)
    })
}
