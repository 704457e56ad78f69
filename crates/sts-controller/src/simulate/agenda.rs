//! Actions at moments: what others do to a world while it goes on, such as evictions of a drain.

use std::collections::VecDeque;

use jiff::Timestamp;

use super::Step;
use super::action::Action;
use super::world::World;
use crate::version::Behaviour;

/// An action at a moment.
#[derive(Debug, Clone)]
pub struct Appointment {
    /// The moment.
    pub at: Timestamp,
    /// The action.
    pub action: Action,
}

/// The actions that are left, the first one first.
pub(super) type Agenda = VecDeque<Appointment>;

impl World {
    /// The same world with actions to come. At their moment they come after events; what the API server refuses then
    /// does not happen.
    #[must_use]
    pub fn with_agenda(mut self, appointments: impl IntoIterator<Item = Appointment>) -> World {
        let now = self.now();
        let to_come = appointments.into_iter().filter(|one| one.at >= now);
        let mut agenda: Vec<Appointment> = to_come.collect();
        agenda.sort_by_key(|one| one.at);
        self.agenda = agenda.into();
        self
    }

    /// When the next action or event is due.
    #[must_use]
    pub fn next_moment(&self) -> Option<Timestamp> {
        let action = self.agenda.front().map(|one| one.at);
        let event = self.first().map(|due| due.at);
        action.into_iter().chain(event).min()
    }

    /// Reports whether actions are left.
    #[must_use]
    pub fn has_agenda(&self) -> bool {
        !self.agenda.is_empty()
    }

    /// Performs the next action, if it is due before the first event. Returns its steps.
    pub(super) fn keep_appointment(&mut self, behaviour: &Behaviour) -> Option<Vec<Step>> {
        let at = self.agenda.front()?.at;
        if self.first().is_some_and(|due| due.at <= at) {
            return None;
        }
        let appointment = self.agenda.pop_front()?;
        self.advance(at);
        Some(
            self.perform(&appointment.action, behaviour)
                .unwrap_or_default(),
        )
    }

    /// Makes the next action or event happen, whichever is due first.
    pub fn proceed(&mut self, behaviour: &Behaviour) -> Vec<Step> {
        if let Some(steps) = self.keep_appointment(behaviour) {
            return steps;
        }
        match self.first() {
            Some(due) => self.fire(&due),
            None => Vec::new(),
        }
    }
}
