//! Outcome of a drain.

use std::sync::Arc;

use jiff::Timestamp;

use super::{BudgetClosure, BudgetCount};

/// The pods that are evicted first among those of the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FirstInLine {
    /// Pods of the sets.
    Sets,
    /// Pods of other owners.
    Others,
    /// Pods of the sets, before the controllers' first syncs.
    BeforeControllers,
}

/// Two pods of a node whose evictions one budget allows only one at a time: either may go first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contest {
    /// The budget.
    pub budget: Arc<str>,
    /// The pod whose eviction was granted.
    pub first: Arc<str>,
    /// The pod that had to wait.
    pub second: Arc<str>,
}

/// An eviction that the API server granted, or a deletion in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrainStep {
    /// Time of the eviction.
    pub at: Timestamp,
    /// Index of the set among the drainees; `None` for a pod of another owner.
    pub set: Option<usize>,
    /// Namespace of the pod.
    pub namespace: Arc<str>,
    /// The pod.
    pub pod: Arc<str>,
    /// Node.
    pub node: Arc<str>,
    /// Number of earlier attempts that were refused.
    pub refused: usize,
    /// True if the pod was deleted although its eviction was refused.
    pub forced: bool,
}

/// A pod that the drain cannot remove.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stranded {
    /// Index of the set among the drainees; `None` for a pod of another owner.
    pub set: Option<usize>,
    /// Namespace of the pod.
    pub namespace: Arc<str>,
    /// The pod.
    pub pod: Arc<str>,
    /// Node.
    pub node: Arc<str>,
    /// The reason that the pod remains.
    pub waits_for: WaitsFor,
}

/// The reason that a drain cannot remove a pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WaitsFor {
    /// A budget that allows no disruption.
    Budget(Arc<str>, BudgetCount),
    /// A budget that allows no disruption, whatever it counts.
    ClosedBudget(Arc<str>, BudgetClosure),
    /// Several budgets cover the pod, and the drain fails.
    SeveralBudgets(Vec<Arc<str>>),
    /// The pod terminates forever.
    Termination,
}

/// Outcome of a drain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DrainEnd {
    /// All nodes were drained at that time.
    Done(Timestamp),
    /// The drain hangs from that time on.
    Hangs(Timestamp),
    /// The drain ends with an error at that time: nodes are left undrained.
    Fails(Timestamp),
    /// The simulation stopped, since pods keep being created and deleted. Nothing has helped the drain since that time.
    Unknown(Timestamp),
}

/// Result of a drain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drained {
    /// The evictions, in order.
    pub evictions: Vec<DrainStep>,
    /// The drained nodes, each with its time.
    pub nodes: Vec<(Arc<str>, Timestamp)>,
    /// Pods left on nodes that the drain does not complete.
    pub stranded: Vec<Stranded>,
    /// Number of pods that something else removed before their eviction was granted.
    pub removed_otherwise: usize,
    /// Pods that competed for one eviction, at most one pair for each budget.
    pub contests: Vec<Contest>,
    /// Outcome of the drain.
    pub end: DrainEnd,
}

impl Drained {
    /// Returns the drain of no node, which is done at once.
    #[must_use]
    pub fn of_nothing(now: Timestamp) -> Self {
        Drained {
            evictions: Vec::new(),
            nodes: Vec::new(),
            stranded: Vec::new(),
            removed_otherwise: 0,
            contests: Vec::new(),
            end: DrainEnd::Done(now),
        }
    }
}
