//! The interface between the search and the two representations of its states.

use std::sync::Arc;

use super::Wrong;
use super::moves::Cause;
use crate::simulate::world::World;

/// States of a search and the moves between them. Each worker of a search has a model of its own.
pub(super) trait Model: Send {
    /// A state, with the number of remaining faults.
    type State: Clone + Send + Sync;
    /// Identifies a pod.
    type Pod: Clone;

    /// Maximum number of states that a worker expands before the search merges the results.
    const MAX_BLOCK: usize;

    /// Returns the fingerprint of a state. Equivalent states have the same one, and count as one state.
    fn fingerprint(&self, state: &Self::State) -> u64;

    /// Lists the possible moves. Unless `all` are wanted, one of several pods in equal states stands for the others.
    fn moves(&self, state: &Self::State, all: bool) -> Vec<(Cause, Self::Pod)>;

    /// Returns the state after a move and the controller's syncs.
    fn next(
        &mut self,
        state: &Self::State,
        cause: Cause,
        pod: &Self::Pod,
    ) -> Result<Self::State, Failure>;

    /// Returns a pod's name.
    fn name(&self, pod: &Self::Pod) -> Arc<str>;

    /// Reports whether no event is pending.
    fn is_final(&self, state: &Self::State) -> bool;

    /// Returns the world in that state.
    fn world<'w>(&'w mut self, state: &'w Self::State) -> &'w World;

    /// Returns the memory of a queued state, in bytes.
    fn bytes(&self, state: &Self::State) -> usize;

    /// Returns the lowest measure of all states so far.
    fn lowest(&self) -> i64;

    /// Learns what the models of other workers refer to.
    fn refresh(&mut self) {}
}

/// The reason that a state has no successor by a move.
#[derive(Debug)]
pub(super) enum Failure {
    /// The move leads to a problem.
    Wrong(Wrong),
    /// The model cannot represent the next state, or pods that it took for interchangeable are not.
    Misfit,
}

impl From<Wrong> for Failure {
    fn from(wrong: Wrong) -> Self {
        Failure::Wrong(wrong)
    }
}
