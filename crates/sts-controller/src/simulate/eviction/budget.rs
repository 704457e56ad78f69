//! PodDisruptionBudgets, counted like the disruption controller does.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::others::OtherPods;
use crate::object::{Budget, Snapshot};

/// A budget, with counts of pods that were not read.
#[derive(Debug, Clone)]
pub struct GuardedBudget {
    /// The budget.
    pub budget: Arc<Budget>,
    /// Replicas of the owners of other pods, if the budget counts replicas, or else expected pods that were not read.
    pub others_expected: i64,
    /// Replicas of the owners of other pods, whatever the budget counts.
    pub others_scale: i64,
    /// Healthy pods that were not read; they stay healthy.
    pub others_healthy: i64,
    /// The reason that the budget allows no disruption, whatever it counts.
    pub closed: Option<BudgetClosure>,
}

/// Reason that a budget allows no disruption whatever its counts are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BudgetClosure {
    /// The disruption controller cannot count (`SyncFailed`), with its message.
    SyncFailed(Arc<str>),
    /// The status allows no disruption, although its counts would.
    Status,
    /// An eviction was granted whose pod was not deleted yet. The controller forgets it at that time (`DeletionTimeout`).
    Disrupted(Timestamp),
}

/// Time after which the disruption controller forgets an eviction whose pod is still there.
const DELETION_TIMEOUT: SignedDuration = SignedDuration::from_mins(2);

/// Counts of a budget at a point in time: its status, as the disruption controller would write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BudgetCount {
    /// `expectedPods`.
    pub expected: i64,
    /// `desiredHealthy`.
    pub desired: i64,
    /// `currentHealthy`.
    pub current: i64,
    /// `disruptionsAllowed`.
    pub allowed: i64,
}

/// Pods that budgets count: those of sets, and the others.
#[derive(Clone, Copy)]
pub struct Population<'p> {
    /// The sets with their pods.
    pub sets: &'p [&'p Snapshot],
    /// The other pods.
    pub others: &'p OtherPods,
}

#[derive(Default)]
struct Counted {
    /// Replicas of the sets of covered pods.
    scale: i64,
    pods: i64,
    healthy: i64,
}

impl GuardedBudget {
    /// Returns a budget over these pods as they were read. Pods that only its status counts were not read and are assumed
    /// not to change.
    #[must_use]
    pub fn new(budget: Arc<Budget>, read: Population<'_>) -> Self {
        let counted = Counted::of(&budget, read);
        let more = |status: Option<i64>, counted: i64| {
            status.map(|status| status.saturating_sub(counted).max(0))
        };
        let listed = read.others.scale(&budget);
        let others_expected = match budget.counts_scale() {
            true => {
                let by_status = more(budget.expected_pods, counted.scale);
                // A status that is older than the pods counts too few.
                by_status.filter(|count| *count > 0).unwrap_or(listed)
            }
            false => more(budget.expected_pods, counted.pods).unwrap_or(0),
        };
        let guarded = GuardedBudget {
            others_expected,
            others_scale: listed,
            others_healthy: more(budget.current_healthy, counted.healthy).unwrap_or(0),
            closed: None,
            budget,
        };
        GuardedBudget {
            closed: guarded.closure(read),
            ..guarded
        }
    }

    /// Returns the reason that the disruption controller allows nothing, from the status or from the owners of the pods.
    /// Upstream: `getExpectedScale` and `failSafe`.
    fn closure(&self, read: Population<'_>) -> Option<BudgetClosure> {
        let budget = &self.budget;
        if let Some(message) = &budget.sync_failure {
            return Some(BudgetClosure::SyncFailed(Arc::clone(message)));
        }
        let mut covered = read.others.covered(budget);
        if budget.counts_scale()
            && let Some(other) = covered.find(|other| other.owner.lacks_scale())
        {
            let owner = other.pod.meta.controller();
            let kind = owner.map_or("its owner", |owner| &owner.kind);
            let message = format!("{kind} of pod {} has no scale", other.pod.meta.name);
            return Some(BudgetClosure::SyncFailed(Arc::from(message)));
        }
        let count = self.count(read);
        let agrees = budget.expected_pods == Some(count.expected)
            && budget.current_healthy == Some(count.current)
            && budget.is_observed;
        let disrupted = budget.disrupted;
        let until = disrupted.and_then(|at| at.checked_add(DELETION_TIMEOUT).ok());
        (agrees && budget.disruptions_allowed == Some(0) && count.allowed > 0)
            .then(|| until.map_or(BudgetClosure::Status, BudgetClosure::Disrupted))
    }

    /// Counts the budget's pods. Upstream: `getExpectedPodCount`, `countHealthyPods` and `updatePdbStatus` in
    /// `pkg/controller/disruption/disruption.go`.
    #[must_use]
    pub fn count(&self, population: Population<'_>) -> BudgetCount {
        let counted = Counted::of(&self.budget, population);
        let current = counted.healthy.saturating_add(self.others_healthy);
        let known = match self.budget.counts_scale() {
            true => counted.scale,
            false => counted.pods,
        };
        let expected = known.saturating_add(self.others_expected);
        // An unreadable budget allows no disruptions.
        let desired = self.budget.desired_healthy(expected);
        let allowed = desired.map_or(0, |desired| current.saturating_sub(desired));
        BudgetCount {
            expected,
            desired: desired.unwrap_or(expected),
            current,
            allowed: match expected {
                ..=0 => 0,
                _ => allowed.max(0),
            },
        }
    }
}

impl Counted {
    fn of(budget: &Budget, population: Population<'_>) -> Self {
        let mut counted = Counted::default();
        for snapshot in population.sets {
            let set = &snapshot.set;
            if set.meta.namespace != budget.meta.namespace {
                continue;
            }
            let covered = snapshot.pods.values().filter(|pod| {
                let owner = pod.meta.controller();
                let is_own = owner.is_some_and(|owner| owner.uid == set.meta.uid);
                is_own && budget.covers(&pod.meta.labels)
            });
            let before = counted.pods;
            for pod in covered {
                counted.pods += 1;
                counted.healthy += i64::from(pod.is_ready() && !pod.is_terminating());
            }
            // A controller's scale counts once if the budget covers any of its pods.
            if counted.pods > before {
                counted.scale += i64::from(set.replicas);
            }
        }
        for other in population.others.covered(budget) {
            counted.pods += 1;
            counted.healthy += i64::from(other.pod.is_ready() && !other.pod.is_terminating());
        }
        counted
    }
}
