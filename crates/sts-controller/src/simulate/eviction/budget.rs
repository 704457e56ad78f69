//! PodDisruptionBudgets, counted like the disruption controller does.

use std::sync::Arc;

use crate::object::Budget;
use crate::simulate::world::World;

/// A budget, with counts of pods that are in no world.
#[derive(Debug, Clone)]
pub struct GuardedBudget {
    /// The budget.
    pub budget: Arc<Budget>,
    /// Expected pods outside the worlds.
    pub others_expected: i64,
    /// Healthy pods among those; they stay healthy.
    pub others_healthy: i64,
}

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

impl GuardedBudget {
    /// Returns a budget over the pods of these worlds. Pods that only its status counts are in no world and are assumed
    /// not to change.
    #[must_use]
    pub fn new(budget: Arc<Budget>, worlds: &[&World]) -> Self {
        let alone = GuardedBudget {
            others_expected: 0,
            others_healthy: 0,
            budget,
        };
        let of_worlds = alone.count(worlds);
        let more = |status: Option<i64>, counted: i64| {
            status.map_or(0, |status| status.saturating_sub(counted).max(0))
        };
        GuardedBudget {
            others_expected: more(alone.budget.expected_pods, of_worlds.expected),
            others_healthy: more(alone.budget.current_healthy, of_worlds.current),
            ..alone
        }
    }

    /// Counts the budget's pods. Upstream: `getExpectedPodCount`, `countHealthyPods` and `updatePdbStatus` in
    /// `pkg/controller/disruption/disruption.go`.
    #[must_use]
    pub fn count(&self, worlds: &[&World]) -> BudgetCount {
        let (mut scale, mut pods, mut healthy) = (0_i64, 0_i64, 0_i64);
        for world in worlds {
            let snapshot = world.snapshot();
            let set = &snapshot.set;
            if set.meta.namespace != self.budget.meta.namespace {
                continue;
            }
            let mut is_counted = false;
            let covered = snapshot.pods.values().filter(|pod| {
                let owner = pod.meta.controller();
                let is_own = owner.is_some_and(|owner| owner.uid == set.meta.uid);
                is_own && self.budget.covers(&pod.meta.labels)
            });
            for pod in covered {
                is_counted = true;
                pods += 1;
                healthy += i64::from(pod.is_ready() && !pod.is_terminating());
            }
            // A controller's scale counts once if the budget covers any of its pods.
            if is_counted {
                scale += i64::from(set.replicas);
            }
        }
        let current = healthy.saturating_add(self.others_healthy);
        let scale = scale.saturating_add(self.others_expected);
        let expected = match self.budget.counts_scale() {
            true => scale,
            false => pods.saturating_add(self.others_expected),
        };
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
