//! Scheduled actions of other actors in a running world, such as the evictions of a drain.

use std::collections::VecDeque;

use jiff::Timestamp;

use super::Step;
use super::action::Action;
use super::world::World;
use crate::version::Behaviour;

/// An action scheduled for a point in time.
#[derive(Debug, Clone)]
pub struct ScheduledAction {
    /// The time of the action.
    pub at: Timestamp,
    /// The action.
    pub action: Action,
}

/// Pending actions, earliest first.
pub(super) type Agenda = VecDeque<ScheduledAction>;

impl World {
    /// Returns the same world with scheduled actions. Events due at the same time happen first. An action that the API
    /// server refuses has no effect.
    #[must_use]
    pub fn with_agenda(mut self, scheduled: impl IntoIterator<Item = ScheduledAction>) -> World {
        let now = self.now();
        let to_come = scheduled.into_iter().filter(|one| one.at >= now);
        let mut agenda: Vec<ScheduledAction> = to_come.collect();
        agenda.sort_by_key(|one| one.at);
        self.agenda = agenda.into();
        self
    }

    /// Returns the same world with more scheduled actions.
    #[must_use]
    pub fn with_more_on_agenda(
        mut self,
        scheduled: impl IntoIterator<Item = ScheduledAction>,
    ) -> World {
        let before = std::mem::take(&mut self.agenda);
        self.with_agenda(before.into_iter().chain(scheduled))
    }

    /// Returns the time of the next action or event.
    #[must_use]
    pub fn next_moment(&self) -> Option<Timestamp> {
        let action = self.agenda.front().map(|one| one.at);
        let event = self.first().map(|due| due.at);
        action.into_iter().chain(event).min()
    }

    /// Reports whether actions are pending.
    #[must_use]
    pub fn has_agenda(&self) -> bool {
        !self.agenda.is_empty()
    }

    /// Performs the next action if it is due before the first event. Returns its steps.
    pub(super) fn perform_next_action(&mut self, behaviour: &Behaviour) -> Option<Vec<Step>> {
        let at = self.agenda.front()?.at;
        if self.first().is_some_and(|due| due.at <= at) {
            return None;
        }
        let scheduled = self.agenda.pop_front()?;
        self.advance(at);
        Some(
            self.perform(&scheduled.action, behaviour)
                .unwrap_or_default(),
        )
    }

    /// Performs the next action or event, whichever is due first.
    pub fn proceed(&mut self, behaviour: &Behaviour) -> Vec<Step> {
        if let Some(steps) = self.perform_next_action(behaviour) {
            return steps;
        }
        match self.first() {
            Some(due) => self.fire(&due),
            None => Vec::new(),
        }
    }
}
