//! Number of sets in each state.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::report::SetState;

/// Number of sets in each state.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Tally {
    /// Number of all sets.
    pub sets: usize,
    /// Number of sets that could not be planned.
    pub not_planned: usize,
    /// Number of planned sets by state, the most urgent state first; without the states of no set.
    pub states: BTreeMap<SetState, usize>,
}

impl Tally {
    /// Counts the states of sets.
    #[must_use]
    pub fn of(states: impl Iterator<Item = SetState>) -> Self {
        let mut tally = Tally::default();
        for state in states {
            tally.sets += 1;
            *tally.states.entry(state).or_default() += 1;
        }
        tally
    }

    /// Returns the tally with so many sets that could not be planned.
    #[must_use]
    pub fn with_unplanned(self, sets: usize) -> Self {
        Tally {
            sets: self.sets - self.not_planned + sets,
            not_planned: sets,
            ..self
        }
    }
}
