//! PodDisruptionBudgets as the disruption controller counts them.

use std::sync::Arc;

use crate::object::Budget;
use crate::simulate::world::World;

/// A budget, and what it counts that no world has.
#[derive(Debug, Clone)]
pub struct GuardedBudget {
    /// The budget.
    pub budget: Arc<Budget>,
    /// The pods that it expects of others.
    pub others_expected: i64,
    /// Those of them that are healthy, and stay so.
    pub others_healthy: i64,
}

/// The count of a budget at a moment: its status, as the disruption controller would write it.
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
    /// A budget over the pods of these worlds. Its status tells of pods that are in none of them, as long as it has one:
    /// they are taken to stay as they are.
    #[must_use]
    pub fn new(budget: Arc<Budget>, worlds: &[&World]) -> Self {
        let alone = GuardedBudget {
            others_expected: 0,
            others_healthy: 0,
            budget,
        };
        let of_worlds = alone.count(worlds);
        let more = |told: Option<i64>, counted: i64| {
            told.map_or(0, |told| told.saturating_sub(counted).max(0))
        };
        GuardedBudget {
            others_expected: more(alone.budget.expected_pods, of_worlds.expected),
            others_healthy: more(alone.budget.current_healthy, of_worlds.current),
            ..alone
        }
    }

    /// Counts it. Upstream: `getExpectedPodCount`, `countHealthyPods` and `updatePdbStatus` in
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
            // The scale of a controller counts once, if any pod of its is covered.
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
        // A budget that cannot be read allows nothing.
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
