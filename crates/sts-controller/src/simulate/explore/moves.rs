//! The possible next moves in a state, and their execution.

use std::sync::Arc;

use crate::controller::ordinal_of;
use crate::object::{Phase, Pod};
use crate::simulate::Step;
use crate::simulate::action::{Action, Fault};
use crate::simulate::event_queue::{PodEvent, ScheduledEvent};
use crate::simulate::world::World;
use crate::version::Behaviour;

/// One move of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Move {
    /// An event that was pending.
    Event(PodEvent, Arc<str>),
    /// A fault.
    Fault(Fault, Arc<str>),
}

impl Move {
    /// Returns the affected pod.
    #[must_use]
    pub fn pod(&self) -> &Arc<str> {
        match self {
            Move::Event(_, pod) | Move::Fault(_, pod) => pod,
        }
    }

    pub(super) fn is_fault(&self) -> bool {
        matches!(self, Move::Fault(..))
    }
}

/// Returns the possible next moves by ordinal: removals, then starts, then the first pod to become available, then
/// faults.
pub(super) fn enabled(world: &World, faults_left: usize) -> Vec<Move> {
    // Pods become available in the order in which they became ready.
    let mut ripe = false;
    let mut due: Vec<ScheduledEvent> = world
        .enabled()
        .filter(|due| due.event != PodEvent::Available || !std::mem::replace(&mut ripe, true))
        .collect();
    due.sort_by_key(|due| (due.event.rank(), sort_key(&due.pod)));
    let event = |due: &ScheduledEvent| Move::Event(due.event, Arc::clone(&due.pod));
    let mut moves: Vec<Move> = due.iter().map(event).collect();
    if faults_left == 0 {
        return moves;
    }
    let mut pods: Vec<&Arc<Pod>> = world.snapshot().pods.values().collect();
    pods.sort_by_key(|pod| sort_key(&pod.meta.name));
    for pod in pods {
        let name = &pod.meta.name;
        let finished = matches!(pod.phase, Phase::Failed | Phase::Succeeded);
        if !finished && !pod.is_terminating() {
            moves.push(Move::Fault(Fault::Fails, Arc::clone(name)));
        }
        if !pod.has_finalizers {
            moves.push(Move::Fault(Fault::Vanishes, Arc::clone(name)));
        }
    }
    let starting = due.iter().filter(|due| due.event == PodEvent::Ready);
    moves.extend(starting.map(|due| Move::Fault(Fault::NeverReady, Arc::clone(&due.pod))));
    moves
}

/// Returns a pod's sort key: ordinal, then name.
pub(super) fn sort_key(pod: &Arc<str>) -> (i64, Arc<str>) {
    (ordinal_of(pod), Arc::clone(pod))
}

/// Executes a move and returns its steps.
pub(super) fn execute(world: &mut World, chosen: &Move, behaviour: &Behaviour) -> Vec<Step> {
    match chosen {
        // Availability depends on the clock, which no other move advances.
        Move::Event(PodEvent::Available, pod) => {
            let due = world
                .enabled()
                .find(|due| due.event == PodEvent::Available && due.pod == *pod);
            due.map_or_else(Vec::new, |due| world.fire(&due))
        }
        Move::Event(event, pod) => world.fire(&ScheduledEvent {
            at: world.now(),
            event: *event,
            pod: Arc::clone(pod),
        }),
        // An enabled move concerns an existing pod, so nothing refuses it.
        Move::Fault(fault, pod) => world
            .perform(&Action::Fault(*fault, Arc::clone(pod)), behaviour)
            .unwrap_or_default(),
    }
}
