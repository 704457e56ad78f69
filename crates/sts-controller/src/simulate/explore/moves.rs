//! What may happen next in a state, and making it happen.

use std::sync::Arc;

use crate::controller::ordinal_of;
use crate::object::{Phase, Pod};
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

/// What may happen next: removals, then starts, then the one pod that becomes available first, then faults; by ordinal
/// within each.
pub(super) fn enabled(world: &World, faults_left: usize) -> Vec<Move> {
    // Pods become available in the order in which they became ready.
    let mut ripe = false;
    let mut due: Vec<ScheduledEvent> = world
        .enabled()
        .filter(|due| due.event != PodEvent::Available || !std::mem::replace(&mut ripe, true))
        .collect();
    due.sort_by_key(|due| (due.event.rank(), place_of(&due.pod)));
    let event = |due: &ScheduledEvent| Move::Event(due.event, Arc::clone(&due.pod));
    let mut moves: Vec<Move> = due.iter().map(event).collect();
    if faults_left == 0 {
        return moves;
    }
    let mut pods: Vec<&Arc<Pod>> = world.snapshot().pods.values().collect();
    pods.sort_by_key(|pod| place_of(&pod.meta.name));
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

/// The order of pods: by ordinal, then by name.
pub(super) fn place_of(pod: &Arc<str>) -> (i64, Arc<str>) {
    (ordinal_of(pod), Arc::clone(pod))
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
