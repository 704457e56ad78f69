//! What may happen next in a state, and making it happen.

use std::sync::Arc;

use crate::object::Phase;
use crate::simulate::Step;
use crate::simulate::event_queue::{PodEvent, ScheduledEvent};
use crate::simulate::world::World;

/// One thing that happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Move {
    /// An event that had to come some time.
    Event(PodEvent, Arc<str>),
    /// Something that had not.
    Fault(Fault, Arc<str>),
}

/// What a pod may do instead of what it should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It ends in phase `Failed`.
    Fails,
    /// It never becomes ready.
    NeverReady,
    /// It is gone at once, as when somebody deletes its node.
    Vanishes,
}

impl Fault {
    /// The fault's name in the output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Fault::Fails => "PodFailed",
            Fault::NeverReady => "PodNeverReady",
            Fault::Vanishes => "PodVanished",
        }
    }
}

impl Move {
    /// The pod that it happens to.
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

/// What may happen next: events first, in the order in which they really come when all durations hold.
pub(super) fn enabled(world: &World, faults_left: usize) -> Vec<Move> {
    // Pods become available in the order in which they became ready.
    let mut ripe = false;
    let mut moves: Vec<Move> = world
        .enabled()
        .filter(|due| due.event != PodEvent::Available || !std::mem::replace(&mut ripe, true))
        .map(|due| Move::Event(due.event, due.pod))
        .collect();
    if faults_left == 0 {
        return moves;
    }
    let starting: Vec<Arc<str>> = moves
        .iter()
        .filter_map(|chosen| match chosen {
            Move::Event(PodEvent::Ready, pod) => Some(Arc::clone(pod)),
            _ => None,
        })
        .collect();
    for pod in world.snapshot().pods.values() {
        let name = &pod.meta.name;
        let finished = matches!(pod.phase, Phase::Failed | Phase::Succeeded);
        if !finished && !pod.is_terminating() {
            moves.push(Move::Fault(Fault::Fails, Arc::clone(name)));
        }
        if !pod.has_finalizers {
            moves.push(Move::Fault(Fault::Vanishes, Arc::clone(name)));
        }
    }
    let never_ready = starting.into_iter();
    moves.extend(never_ready.map(|pod| Move::Fault(Fault::NeverReady, pod)));
    moves
}

/// Makes it happen, and tells it in steps.
pub(super) fn make(world: &mut World, chosen: &Move) -> Vec<Step> {
    let event = match chosen {
        // Availability is a matter of the clock, which nothing else moves.
        Move::Event(PodEvent::Available, pod) => {
            let due = world
                .enabled()
                .find(|due| due.event == PodEvent::Available && due.pod == *pod);
            return due.map_or_else(Vec::new, |due| world.fire(&due));
        }
        Move::Event(event, _) => *event,
        Move::Fault(Fault::Fails, _) => PodEvent::Failed,
        Move::Fault(Fault::Vanishes, _) => PodEvent::Removed,
        Move::Fault(Fault::NeverReady, pod) => {
            world.stall(pod);
            return Vec::new();
        }
    };
    world.fire(&ScheduledEvent {
        at: world.now(),
        event,
        pod: Arc::clone(chosen.pod()),
    })
}
