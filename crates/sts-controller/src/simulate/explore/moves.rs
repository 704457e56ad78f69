//! The possible next moves in a state, and their execution.

use std::sync::Arc;

use crate::controller::ordinal_of;
use crate::object::Pod;
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
}

/// The cause of a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    Event(PodEvent),
    Fault(Fault),
}

impl Cause {
    pub(super) fn is_fault(self) -> bool {
        matches!(self, Cause::Fault(_))
    }

    /// Returns the move of a pod by this cause.
    pub(super) fn of(self, pod: Arc<str>) -> Move {
        match self {
            Cause::Event(event) => Move::Event(event, pod),
            Cause::Fault(fault) => Move::Fault(fault, pod),
        }
    }
}

/// Possible moves of one pod.
#[derive(Debug, Clone, Copy)]
pub(super) struct PodMoves {
    pub(super) event: Option<PodEvent>,
    can_fail: bool,
    can_vanish: bool,
}

impl PodMoves {
    /// Returns the moves of a pod, or of none, with its pending event.
    pub(super) fn of(pod: Option<&Pod>, event: Option<PodEvent>) -> Self {
        let is_finished = |pod: &Pod| pod.phase.has_ended();
        PodMoves {
            event,
            can_fail: pod.is_some_and(|pod| !is_finished(pod) && !pod.is_terminating()),
            can_vanish: pod.is_some_and(|pod| !pod.has_finalizers),
        }
    }
}

/// Lists the possible moves of pods in the given order: removals, then starts, then the first pod to become available,
/// then faults. Each pod has its rank among those that become available: they do so in the order in which they became
/// ready.
pub(super) fn enabled<P: Clone>(
    pods: &[(P, PodMoves, usize)],
    faults_left: usize,
) -> Vec<(Cause, P)> {
    let with_event = |wanted: fn(PodEvent) -> bool| {
        pods.iter().filter_map(move |(pod, moves, rank)| {
            let event = moves.event.filter(|event| wanted(*event))?;
            Some((*rank, (Cause::Event(event), pod.clone())))
        })
    };
    let removed = with_event(|event| event == PodEvent::Removed);
    let started = with_event(|event| matches!(event, PodEvent::Ready | PodEvent::Failed));
    let available = with_event(|event| event == PodEvent::Available);
    let available = available.min_by_key(|(rank, _)| *rank);
    let events = removed.chain(started).chain(available);
    let mut moves: Vec<(Cause, P)> = events.map(|(_, chosen)| chosen).collect();
    if faults_left == 0 {
        return moves;
    }
    let fault = |fault: Fault, pod: &P| (Cause::Fault(fault), pod.clone());
    for (pod, possible, _) in pods {
        if possible.can_fail {
            moves.push(fault(Fault::Fails, pod));
        }
        if possible.can_vanish {
            moves.push(fault(Fault::Vanishes, pod));
        }
    }
    let starting = with_event(|event| event == PodEvent::Ready);
    moves.extend(starting.map(|(_, (_, pod))| fault(Fault::NeverReady, &pod)));
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
