//! Alternates syncs and events until no event is left, with budgets for worlds that never get there.

use std::fmt;
use std::ops::ControlFlow;

use super::event_queue::ScheduledEvent;
use super::recurrence::{Cycle, QuiescentStates, Recurrence};
use super::world::World;
use super::{End, Observer, Step};
use crate::controller::Sync;
use crate::version::Behaviour;

/// Maximum number of syncs at one time, plus [`SYNCS_PER_POD`] for every pod: docs/contract.md, "End".
const SYNCS_AT_ONCE: usize = 1_000;
const SYNCS_PER_POD: usize = 20;
/// Maximum total number of syncs, and of times at which the world settles. A rollout takes about ten per pod.
const SYNCS_IN_ALL: usize = 100_000;
const MOMENTS_IN_ALL: usize = 50_000;
const IN_ALL_PER_POD: usize = 100;
/// Maximum size of the steps in bytes. The steps of 150,000 pods take a few hundred megabytes.
const BYTES: usize = 1 << 30;
/// Size in bytes of a step, and of each of its writes.
const STEP_BYTES: usize = 96;
const WRITE_BYTES: usize = 160;

/// A budget of a simulation that was exhausted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Budget {
    /// Number of syncs at one time.
    SyncsAtOnce(usize),
    /// Total number of syncs.
    Syncs(usize),
    /// Number of times that the world settled.
    Moments(usize),
    /// Size of the steps in bytes.
    Bytes(usize),
    /// The work that the question may do.
    Allowance,
    /// The patience of the user.
    Interrupted,
}

impl fmt::Display for Budget {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Budget::SyncsAtOnce(syncs) => {
                write!(out, "simulation limit reached: {syncs} syncs at one time")
            }
            Budget::Syncs(syncs) => write!(out, "simulation limit reached: {syncs} syncs"),
            Budget::Moments(moments) => {
                write!(out, "simulation limit reached: {moments} events")
            }
            Budget::Allowance => {
                write!(out, "the budget of the question is spent (--budget)")
            }
            Budget::Interrupted => write!(out, "interrupted (Ctrl-C)"),
            Budget::Bytes(bytes) => write!(
                out,
                "simulation limit reached: {} MiB of steps",
                bytes >> 20
            ),
        }
    }
}

/// The used part of a simulation's budgets.
pub(super) struct Spent {
    pods: usize,
    at_once: usize,
    syncs: usize,
    moments: usize,
    bytes: usize,
}

impl Spent {
    pub(super) fn new(world: &World) -> Self {
        let replicas = usize::try_from(world.snapshot.set.replicas).unwrap_or(0);
        Spent {
            pods: world.snapshot.pods.len().max(replicas),
            at_once: 0,
            syncs: 0,
            moments: 0,
            bytes: 0,
        }
    }

    fn sync(&mut self) {
        self.at_once += 1;
        self.syncs += 1;
    }

    pub(super) fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            self.bytes += STEP_BYTES;
            self.bytes += step.writes().len() * WRITE_BYTES;
        }
    }

    /// Counts that the world has settled, with `due` as the next event.
    fn moment(&mut self, world: &World, due: &ScheduledEvent) {
        self.moments += 1;
        if due.at > world.now() {
            self.at_once = 0;
        }
    }

    /// Counts an event of a settled world, after which time moves on.
    pub(super) fn event(&mut self, world: &World) {
        self.moments += 1;
        if world.next_moment().is_some_and(|at| at > world.now()) {
            self.at_once = 0;
        }
    }

    /// Returns the first budget that is exhausted, of the question or of this simulation.
    fn exhausted_in(&self, world: &World) -> Option<Budget> {
        world.allowance.exhausted().or_else(|| self.exhausted())
    }

    /// Returns the first budget that is exhausted.
    fn exhausted(&self) -> Option<Budget> {
        let at_once = SYNCS_AT_ONCE + SYNCS_PER_POD * self.pods;
        let syncs = SYNCS_IN_ALL + IN_ALL_PER_POD * self.pods;
        let moments = MOMENTS_IN_ALL + IN_ALL_PER_POD * self.pods;
        if self.at_once >= at_once {
            Some(Budget::SyncsAtOnce(at_once))
        } else if self.syncs >= syncs {
            Some(Budget::Syncs(syncs))
        } else if self.moments >= moments {
            Some(Budget::Moments(moments))
        } else if self.bytes >= BYTES {
            Some(Budget::Bytes(BYTES))
        } else {
            None
        }
    }
}

/// The reason that the simulation of a world stops: the observer has seen enough, or a budget is exhausted.
pub(super) enum StopReason {
    Seen,
    Exhausted(Budget),
}

/// Runs until no event is left, the world repeats, or the observer breaks. `next` is the world's next sync, if known.
pub(super) fn progress(
    world: &mut World,
    behaviour: &Behaviour,
    detailed: bool,
    mut next: Option<&Sync>,
    observer: &mut dyn Observer,
) -> (End, Option<Budget>) {
    let mut spent = Spent::new(world);
    let mut settled = QuiescentStates::default();
    loop {
        match run_until_stable(
            world,
            behaviour,
            detailed,
            next.take(),
            &mut spent,
            observer,
        ) {
            ControlFlow::Break(StopReason::Seen) => return (End::Rest, None),
            ControlFlow::Break(StopReason::Exhausted(budget)) => {
                return (End::Livelock, Some(budget));
            }
            ControlFlow::Continue(()) => {}
        }
        // A world with a pending action differs from the earlier one, even if it looks the same.
        if let Some(steps) = world.perform_next_action(behaviour) {
            spent.steps(&steps);
            if observer.happened(world, steps).is_break() {
                return (End::Rest, None);
            }
            continue;
        }
        let Some(due) = world.first() else {
            return (End::Rest, None);
        };
        if world.has_agenda() {
            spent.moment(world, &due);
            let steps = world.fire(&due);
            spent.steps(&steps);
            if observer.happened(world, steps).is_break() {
                return (End::Rest, None);
            }
            continue;
        }
        match settled.note(world) {
            Recurrence::Same => return (End::Livelock, None),
            Recurrence::Cycle(cycle) => {
                if cycles_forever(world, behaviour, cycle) {
                    return (End::Livelock, None);
                }
                settled.ignore_cycles();
            }
            Recurrence::New => {}
        }
        spent.moment(world, &due);
        let steps = world.fire(&due);
        spent.steps(&steps);
        if observer.happened(world, steps).is_break() {
            return (End::Rest, None);
        }
    }
}

/// Reports whether a cycling world keeps cycling after the waiting events have happened. The cycles until then are
/// skipped.
fn cycles_forever(world: &World, behaviour: &Behaviour, cycle: Cycle) -> bool {
    let mut trial = world.branch();
    if !trial.skip_cycles(&cycle) {
        return false;
    }
    let mut spent = Spent::new(&trial);
    let mut settled = QuiescentStates::default();
    loop {
        if run_until_stable(
            &mut trial,
            behaviour,
            false,
            None,
            &mut spent,
            &mut NoopObserver,
        )
        .is_break()
        {
            return false;
        }
        let Some(due) = trial.first() else {
            return false;
        };
        match settled.note(&mut trial) {
            Recurrence::Same => return true,
            Recurrence::Cycle(cycle) => {
                trial.skip_cycles(&cycle);
                settled = QuiescentStates::default();
            }
            Recurrence::New => {}
        }
        spent.moment(&trial, &due);
        trial.fire(&due);
    }
}

/// Lets the controller sync until it changes nothing, without an observer.
pub(super) fn settle(world: &mut World, behaviour: &Behaviour) {
    let mut spent = Spent::new(world);
    // A world that exhausts its budget has settled as far as it ever does.
    let _ = run_until_stable(world, behaviour, false, None, &mut spent, &mut NoopObserver);
}

/// An observer of trial runs, which does nothing.
struct NoopObserver;

impl Observer for NoopObserver {
    fn synced(&mut self, _: &World, _: Vec<Step>, _: &Sync) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn happened(&mut self, _: &World, _: Vec<Step>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Lets the controller sync, and the garbage collector follow up, until neither changes anything.
pub(super) fn run_until_stable(
    world: &mut World,
    behaviour: &Behaviour,
    detailed: bool,
    mut next: Option<&Sync>,
    spent: &mut Spent,
    observer: &mut dyn Observer,
) -> ControlFlow<StopReason> {
    loop {
        loop {
            let computed;
            let sync = match next.take() {
                Some(next) => next,
                None => {
                    computed = world.dry_sync(behaviour, detailed);
                    &computed
                }
            };
            let (steps, changed) = world.apply_writes(&sync.writes);
            spent.sync();
            spent.steps(&steps);
            world.allowance.sync(sync.looked_at);
            if observer.synced(world, steps, sync).is_break() {
                return ControlFlow::Break(StopReason::Seen);
            }
            if !changed {
                break;
            }
            if let Some(budget) = spent.exhausted_in(world) {
                return ControlFlow::Break(StopReason::Exhausted(budget));
            }
        }
        let collected = world.collect();
        if collected.is_empty() {
            return match spent.exhausted_in(world) {
                Some(budget) => ControlFlow::Break(StopReason::Exhausted(budget)),
                None => ControlFlow::Continue(()),
            };
        }
        if observer.happened(world, collected).is_break() {
            return ControlFlow::Break(StopReason::Seen);
        }
    }
}
