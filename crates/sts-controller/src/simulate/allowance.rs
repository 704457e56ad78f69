//! Work that the simulations of one question may do.
//!
//! A plan of a real set takes a small part of it. A question about thousands of pods, or many questions about a few,
//! may take hours: it stops when its work is done, and says how far it got. The unit is a pod that a sync looks at, so
//! that the same question stops at the same place on any machine.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::progress::Budget;

/// Work of a sync besides the pods that it looks at.
const SYNC: u64 = 64;
/// Work of a simulation for each pod at its end, all of which the plan then looks at.
const POD: u64 = 100;
/// Bytes that are kept, for one unit.
const BYTES: u64 = 5;
/// Units between two looks of a watch: about 20 milliseconds.
const WATCHED: u64 = 1_000_000;

/// Watches the work of questions, for a progress line or a user who has waited long enough. The caller's part of an
/// [`Allowance`].
pub trait Watch: fmt::Debug + Send + Sync {
    /// Receives the units of a question so far, and their limit, many times a second. Breaking ends the question.
    fn reached(&self, spent: u64, most: u64) -> ControlFlow<()>;

    /// Receives that the question is over.
    fn over(&self);
}

/// Work that each question about a set may do. Clones count together.
#[derive(Debug, Clone)]
pub struct Allowance {
    most: u64,
    counter: Arc<Counter>,
    watch: Option<Arc<dyn Watch>>,
}

#[derive(Debug, Default)]
struct Counter {
    spent: AtomicU64,
    counts: AtomicBool,
    interrupted: AtomicBool,
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
            watch: None,
        }
    }

    /// Returns the allowance of one question about all of these sets, each of which brings its share.
    #[must_use]
    pub fn of_sets(&self, sets: usize) -> Self {
        let sets = u64::try_from(sets).unwrap_or(u64::MAX);
        Allowance {
            most: self.most.saturating_mul(sets),
            counter: Arc::default(),
            watch: self.watch.clone(),
        }
    }

    /// Returns the allowance with a watch.
    #[must_use]
    pub fn watched(self, watch: Arc<dyn Watch>) -> Self {
        Allowance {
            watch: Some(watch),
            ..self
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
            let before = self.counter.spent.fetch_add(units, Ordering::Relaxed);
            let after = before.saturating_add(units);
            if before / WATCHED < after / WATCHED
                && let Some(watch) = &self.watch
                && watch.reached(after, self.most).is_break()
            {
                self.counter.interrupted.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Returns the reason that a question is over before its end.
    #[must_use]
    pub fn exhausted(&self) -> Option<Budget> {
        if self.counter.interrupted.load(Ordering::Relaxed) {
            return Some(Budget::Interrupted);
        }
        let is_spent = self.counter.spent.load(Ordering::Relaxed) > self.most;
        is_spent.then_some(Budget::Allowance)
    }
}

/// A question whose work counts.
#[derive(Debug)]
pub struct Question<'a>(&'a Allowance);

impl Question<'_> {
    /// Returns the reason that the question is over before its end.
    #[must_use]
    pub fn exhausted(&self) -> Option<Budget> {
        self.0.exhausted()
    }
}

impl Drop for Question<'_> {
    fn drop(&mut self) {
        self.0.counter.counts.store(false, Ordering::Relaxed);
        self.0.counter.spent.store(0, Ordering::Relaxed);
        self.0.counter.interrupted.store(false, Ordering::Relaxed);
        if let Some(watch) = &self.0.watch {
            watch.over();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_questions_count() {
        let allowance = Allowance::new(1_000);
        allowance.spend(5_000);
        assert_eq!(allowance.exhausted(), None);
        {
            let question = allowance.question();
            allowance.clone().sync(936);
            assert_eq!(question.exhausted(), None);
            allowance.keep(5);
            assert_eq!(question.exhausted(), Some(Budget::Allowance));
        }
        assert_eq!(allowance.exhausted(), None);
        let question = allowance.question();
        assert_eq!(question.exhausted(), None);
    }
    #[derive(Debug, Default)]
    struct Impatient {
        seen: AtomicU64,
        over: AtomicBool,
    }

    impl Watch for Impatient {
        fn reached(&self, spent: u64, most: u64) -> ControlFlow<()> {
            assert!(spent <= most);
            self.seen.store(spent, Ordering::Relaxed);
            match spent < 3 * WATCHED {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        }

        fn over(&self) {
            self.over.store(true, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_watch_sees_the_work_of_a_question_and_ends_it() {
        let watch = Arc::new(Impatient::default());
        let allowance = Allowance::new(10 * WATCHED).watched(Arc::clone(&watch) as _);
        let question = allowance.question();
        allowance.spend(WATCHED - 1);
        assert_eq!(watch.seen.load(Ordering::Relaxed), 0);
        allowance.spend(1);
        assert_eq!(watch.seen.load(Ordering::Relaxed), WATCHED);
        assert_eq!(question.exhausted(), None);
        allowance.spend(2 * WATCHED);
        assert_eq!(question.exhausted(), Some(Budget::Interrupted));
        drop(question);
        assert!(watch.over.load(Ordering::Relaxed));
        assert_eq!(allowance.question().exhausted(), None);
    }
}
