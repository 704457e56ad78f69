//! The eviction API: decides which pods it deletes, and which a PodDisruptionBudget protects. docs/semantics.md,
//! "Evictions".
//!
//! A budget may cover pods of several sets, each with a world of its own, and pods in no world. So the caller checks
//! budgets against all worlds at once: [`drain`].

mod budget;
mod drain;
mod others;
mod outcome;

use std::sync::Arc;

pub use budget::{BudgetClosure, BudgetCount, GuardedBudget, Population};
pub use drain::{Drain, Drainee, change_nodes, drain, go_on};
pub use others::{NodeLoss, OtherPod, OtherPods, PodOwner};
pub use outcome::{Contest, DrainEnd, DrainStep, Drained, FirstInLine, Stranded, WaitsFor};

use crate::object::{Phase, Pod};
use crate::version::Version;

/// Response of the eviction API for a pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Eviction {
    /// Granted: the pod is deleted with its own grace period.
    Deletes,
    /// 429: the budget allows no disruption. The client may retry.
    Refused {
        /// The budget.
        budget: Arc<str>,
        /// Its counts at that time.
        count: BudgetCount,
    },
    /// 429: the budget allows no disruption, whatever it counts.
    Closed {
        /// The budget.
        budget: Arc<str>,
        /// The reason.
        why: BudgetClosure,
    },
    /// 500: more than one budget covers the pod, which the API does not support. A retry does not help.
    SeveralBudgets(Vec<Arc<str>>),
}

/// Returns the eviction API's response for a pod. Upstream: `EvictionREST.Create` in
/// `pkg/registry/core/pod/storage/eviction.go`.
#[must_use]
pub fn evict(
    pod: &Pod,
    namespace: &str,
    budgets: &[GuardedBudget],
    population: Population<'_>,
    version: Version,
) -> Eviction {
    // The pod has caused its disruption already, or never served.
    let is_over = matches!(
        pod.phase,
        Phase::Failed | Phase::Succeeded | Phase::Pending | Phase::Unset
    );
    if is_over || pod.is_terminating() {
        return Eviction::Deletes;
    }
    let covering = budgets.iter().filter(|guarded| {
        *guarded.budget.meta.namespace == *namespace && guarded.budget.covers(&pod.meta.labels)
    });
    let covering: Vec<&GuardedBudget> = covering.collect();
    let guarded = match covering.as_slice() {
        [] => return Eviction::Deletes,
        [guarded] => guarded,
        several => {
            let names = several.iter();
            let names = names.map(|guarded| Arc::clone(&guarded.budget.meta.name));
            return Eviction::SeveralBudgets(names.collect());
        }
    };
    let count = guarded.count(population);
    if !pod.is_ready() {
        let always = guarded.budget.evicts_unhealthy && version.has_unhealthy_eviction_policy();
        // The API server reads the status, which stays as it is while the controller cannot count.
        let (current, desired) = match guarded.closed {
            Some(BudgetClosure::SyncFailed(_)) => {
                let budget = &guarded.budget;
                let read = |count: Option<i64>| count.unwrap_or(0);
                (read(budget.current_healthy), read(budget.desired))
            }
            _ => (count.current, count.desired),
        };
        // The pod does not count as healthy, so its eviction costs the budget nothing.
        if always || (current >= desired && desired > 0) {
            return Eviction::Deletes;
        }
    }
    if let Some(why) = &guarded.closed {
        return Eviction::Closed {
            budget: Arc::clone(&guarded.budget.meta.name),
            why: why.clone(),
        };
    }
    match count.allowed {
        0 => Eviction::Refused {
            budget: Arc::clone(&guarded.budget.meta.name),
            count,
        },
        _ => Eviction::Deletes,
    }
}
