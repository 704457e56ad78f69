//! Work that the simulations of one question may do.
//!
//! A plan of a real set takes a small part of it. A question about thousands of pods, or many questions about a few,
//! may take hours: it stops when its work is done, and says how far it got. The unit is a pod that a sync looks at, so
//! that the same question stops at the same place on any machine.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Work of a sync besides the pods that it looks at.
const SYNC: u64 = 64;
/// Work of a simulation for each pod at its end, all of which the plan then looks at.
const POD: u64 = 100;
/// Bytes that are kept, for one unit.
const BYTES: u64 = 5;

/// Work that each question about a set may do. Clones count together.
#[derive(Debug, Clone)]
pub struct Allowance {
    most: u64,
    counter: Arc<Counter>,
}

#[derive(Debug, Default)]
struct Counter {
    spent: AtomicU64,
    counts: AtomicBool,
}

impl Default for Allowance {
    /// Returns an allowance without a limit.
    fn default() -> Self {
        Allowance::new(u64::MAX)
    }
}

impl Allowance {
    /// Units of a run that asks one question about one set: about two seconds.
    pub const OF_A_RUN: u64 = 100_000_000;
    /// Minimum number of units for a set, however many there are.
    pub const OF_A_SET: u64 = 100_000;

    /// Returns the share of one of several sets in the units of a run.
    #[must_use]
    pub fn share(of_run: u64, sets: usize) -> Self {
        let sets = u64::try_from(sets.max(1)).unwrap_or(u64::MAX);
        Allowance::new((of_run / sets).max(Allowance::OF_A_SET.min(of_run)))
    }

    /// Returns an allowance of this many units for each question.
    #[must_use]
    pub fn new(most: u64) -> Self {
        Allowance {
            most,
            counter: Arc::default(),
        }
    }

    /// Returns the number of units for a question.
    #[must_use]
    pub fn most(&self) -> u64 {
        self.most
    }

    /// Begins a question. Only the work of questions counts, and each begins at zero.
    #[must_use]
    pub fn question(&self) -> Question<'_> {
        self.counter.spent.store(0, Ordering::Relaxed);
        self.counter.counts.store(true, Ordering::Relaxed);
        Question(self)
    }

    /// Counts a sync that looked at this many pods.
    pub(super) fn sync(&self, pods: u64) {
        self.spend(SYNC + pods);
    }

    /// Counts a simulation that ended with this many pods.
    pub(super) fn simulation(&self, pods: usize) {
        self.spend(POD.saturating_mul(u64::try_from(pods).unwrap_or(u64::MAX)));
    }

    /// Counts bytes that the answer keeps.
    pub fn keep(&self, bytes: u64) {
        self.spend(bytes / BYTES);
    }

    /// Counts this many units.
    pub fn spend(&self, units: u64) {
        if self.counter.counts.load(Ordering::Relaxed) {
            self.counter.spent.fetch_add(units, Ordering::Relaxed);
        }
    }

    /// Reports whether a question has done its work.
    #[must_use]
    pub fn is_spent(&self) -> bool {
        self.counter.spent.load(Ordering::Relaxed) > self.most
    }
}

/// A question whose work counts.
#[derive(Debug)]
pub struct Question<'a>(&'a Allowance);

impl Question<'_> {
    /// Reports whether the question has done its work.
    #[must_use]
    pub fn is_spent(&self) -> bool {
        self.0.is_spent()
    }
}

impl Drop for Question<'_> {
    fn drop(&mut self) {
        self.0.counter.counts.store(false, Ordering::Relaxed);
        self.0.counter.spent.store(0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_questions_count() {
        let allowance = Allowance::new(1_000);
        allowance.spend(5_000);
        assert!(!allowance.is_spent());
        {
            let question = allowance.question();
            allowance.clone().sync(936);
            assert!(!question.is_spent());
            allowance.keep(5);
            assert!(question.is_spent());
        }
        assert!(!allowance.is_spent());
        let question = allowance.question();
        assert!(!question.is_spent());
    }
}
