//! The world around the controller: docs/contract.md, "The simulated world".
//!
//! A [`World`] holds the objects, the clock and what is about to happen. [`run`] lets the controller sync
//! until it changes nothing, then lets the earliest event happen, and so on until nothing is left to happen.

mod action;
mod agenda;
mod api_server;
mod cascade;
mod digest;
mod event_queue;
mod eviction;
mod expansion;
mod explore;
mod garbage_collector;
mod kubelet;
mod object_event;
mod partitions;
mod progress;
mod pvc_protection;
mod recurrence;
mod step;
mod under_way;
mod verdict;
mod world;

use std::ops::ControlFlow;
use std::sync::Arc;

use jiff::Timestamp;

pub use action::{Action, Cascade, Fault};
pub use agenda::Appointment;
pub use api_server::FakeApiServer;
pub use event_queue::{PodEvent, ScheduledEvent};
pub use eviction::{
    BudgetCount, Drain, DrainEnd, DrainStep, Drained, Drainee, Eviction, GuardedBudget, Stranded,
    WaitsFor, drain, evict,
};
pub use expansion::{ClaimGrowth, Expansion};
pub use explore::{
    Bounds, Driver, Ends, Exploration, Found, Move, Property, Reached, Replay, SequentialDriver,
    Stopped, Unwritable, Violation, Wrong, explore, explore_plainly,
};
pub use kubelet::{Assumption, Foreseen, Kubelet, Start};
pub use object_event::{Actor, ObjectEvent};
pub use partitions::run_partitions;
pub use progress::Budget;
pub use pvc_protection::PVC_PROTECTION;
pub use step::{Step, StepAction, StepWrite};
pub use under_way::{UnderWay, run_until};
pub use world::World;

use progress::progress;
use step::{names_are_plain, revisions_of, step_writes};

use crate::controller::{Cache, Hold, Sync, Write, sync};
use crate::object::{Snapshot, Status};
use crate::version::Behaviour;

/// One sync within a world.
#[derive(Debug)]
pub struct Synced {
    /// The controller's actions and messages.
    pub sync: Sync,
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// True if any object differs from before; if none does, the controller is at rest.
    pub changed: bool,
}

/// The end of a progression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Nothing is left to happen.
    Rest,
    /// It goes round in circles.
    Livelock,
}

impl End {
    /// Returns the end's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            End::Rest => "rest",
            End::Livelock => "livelock",
        }
    }
}

/// A progression and where it led.
pub struct Progression {
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// Number of syncs, including those that changed nothing.
    pub syncs: usize,
    /// The end that it came to.
    pub end: End,
    /// The budget that it used up, if that is how it ended: what follows is not known.
    pub exhausted: Option<Budget>,
    /// The world at the end.
    pub world: World,
}

/// The findings of one sync of a progression.
#[derive(Debug, Clone)]
pub struct SyncObservation {
    /// Number of steps when it is over.
    pub steps: usize,
    /// The reasons that it went no further, except for what stays unchanged on purpose.
    pub holds: Vec<Hold>,
    /// The status that it computed.
    pub status: Arc<Status>,
    /// The error that it ended in.
    pub error: Option<String>,
}

/// Watches a world as it goes on. Breaking off ends the run there.
trait Observer {
    /// The controller has synced, and this came of it.
    fn synced(&mut self, world: &World, steps: Vec<Step>, sync: &Sync) -> ControlFlow<()>;
    /// Something else has happened.
    fn happened(&mut self, world: &World, steps: Vec<Step>) -> ControlFlow<()>;
}

/// Runs a world until nothing is left to happen.
#[must_use]
pub fn run(world: World, behaviour: &Behaviour) -> Progression {
    run_from(world, None, behaviour)
}

/// The same of a world of which [`World::next_sync`] has just been asked: it begins with that sync.
#[must_use]
pub fn run_after(world: World, next: &Sync, behaviour: &Behaviour) -> Progression {
    run_from(world, Some(next), behaviour)
}

/// Takes note of everything that happens.
#[derive(Default)]
struct Record {
    steps: Vec<Step>,
    syncs: usize,
}

impl Observer for Record {
    fn synced(&mut self, world: &World, steps: Vec<Step>, _: &Sync) -> ControlFlow<()> {
        self.syncs += 1;
        self.happened(world, steps)
    }

    fn happened(&mut self, _: &World, mut steps: Vec<Step>) -> ControlFlow<()> {
        self.steps.append(&mut steps);
        ControlFlow::Continue(())
    }
}

fn run_from(mut world: World, next: Option<&Sync>, behaviour: &Behaviour) -> Progression {
    let mut record = Record::default();
    let (end, exhausted) = progress(&mut world, behaviour, false, next, &mut record);
    Progression {
        steps: record.steps,
        syncs: record.syncs,
        end,
        exhausted,
        world,
    }
}

/// Returns what each sync of [`run`] finds, until there are more than `most` steps; `before` is the number of steps
/// that there were already.
#[must_use]
pub fn observations(
    mut world: World,
    before: usize,
    behaviour: &Behaviour,
    most: usize,
) -> Vec<SyncObservation> {
    struct Notes {
        steps: usize,
        most: usize,
        observations: Vec<SyncObservation>,
    }
    impl Observer for Notes {
        fn synced(&mut self, world: &World, steps: Vec<Step>, sync: &Sync) -> ControlFlow<()> {
            self.happened(world, steps)?;
            if self.steps > self.most {
                return ControlFlow::Break(());
            }
            // A hold that is meant would be told again after every sync.
            let holds = sync.holds.iter().filter(|hold| !hold.is_intended());
            self.observations.push(SyncObservation {
                steps: self.steps,
                holds: holds.cloned().collect(),
                status: Arc::clone(&sync.status),
                error: sync.error.as_ref().map(ToString::to_string),
            });
            ControlFlow::Continue(())
        }

        fn happened(&mut self, _: &World, steps: Vec<Step>) -> ControlFlow<()> {
            self.steps += steps.len();
            ControlFlow::Continue(())
        }
    }
    let mut notes = Notes {
        steps: before,
        most,
        observations: Vec::new(),
    };
    progress(&mut world, behaviour, true, None, &mut notes);
    notes.observations
}

/// Runs a world, and shows it after every sync that changes something and after everything else that happens,
/// with the steps that led there from the time before.
pub fn follow(
    mut world: World,
    behaviour: &Behaviour,
    each: &mut dyn FnMut(&World, &[Step]) -> ControlFlow<()>,
) -> End {
    struct Show<'e>(&'e mut dyn FnMut(&World, &[Step]) -> ControlFlow<()>);
    impl Observer for Show<'_> {
        fn synced(&mut self, world: &World, steps: Vec<Step>, _: &Sync) -> ControlFlow<()> {
            if steps.is_empty() {
                return ControlFlow::Continue(());
            }
            self.happened(world, steps)
        }

        fn happened(&mut self, world: &World, steps: Vec<Step>) -> ControlFlow<()> {
            (self.0)(world, &steps)
        }
    }
    progress(&mut world, behaviour, false, None, &mut Show(each)).0
}

impl World {
    /// Lets the controller sync once, and the objects become what it made of them.
    pub fn sync(&mut self, behaviour: &Behaviour, detailed: bool) -> Synced {
        let sync = self.dry_sync(behaviour, detailed);
        let (steps, changed) = self.carry_out(&sync.writes);
        Synced {
            sync,
            steps,
            changed,
        }
    }

    /// Makes the objects what a sync of theirs makes of them, and tells it in steps. Returns whether that changed any.
    fn carry_out(&mut self, writes: &[Write]) -> (Vec<Step>, bool) {
        let plain = names_are_plain(writes);
        let before = if plain {
            Vec::new()
        } else {
            revisions_of(self, writes)
        };
        let (changed, removed) = self.take(writes);
        let mut steps = Vec::new();
        if !writes.is_empty() {
            let at = self.now;
            let action = StepAction::Controller(if plain {
                step_writes(writes, |_, write| write.pod_revision().map(Arc::clone))
            } else {
                // The revision that the name stands for when the sync is over, else the one that it stood for
                // before: of a pod that one sync deletes and makes again it is the new one, and a pod that
                // comes and goes within one sync has none.
                let after = revisions_of(self, writes);
                step_writes(writes, |at, _| {
                    after[at].clone().or_else(|| before[at].clone())
                })
            });
            steps.push(Step { at, action });
            steps.extend(removed.into_iter().map(|claim| Step {
                at,
                action: StepAction::ClaimRemoved(claim),
            }));
        }
        (steps, changed)
    }

    /// Makes an event happen, as [`World::apply`] does, and tells it in steps.
    pub fn fire(&mut self, due: &ScheduledEvent) -> Vec<Step> {
        let claims = self.apply(due);
        let at = self.now;
        let event = Step {
            at,
            action: StepAction::Pod(due.event, Arc::clone(&due.pod)),
        };
        let grown = match due.event {
            PodEvent::Ready => self.grow_file_systems(&due.pod),
            _ => Vec::new(),
        };
        let grown = grown.into_iter().map(|claim| Step {
            at,
            action: StepAction::Object(Actor::Kubelet, ObjectEvent::ClaimResized, claim),
        });
        let claims = claims.into_iter().map(|claim| Step {
            at,
            action: StepAction::ClaimRemoved(claim),
        });
        std::iter::once(event).chain(claims).chain(grown).collect()
    }
}

impl World {
    /// Returns what the controller would do next, in full; nothing of it happens.
    #[must_use]
    pub fn next_sync(&mut self, behaviour: &Behaviour) -> Sync {
        self.dry_sync(behaviour, true)
    }

    /// One sync of which nothing happens, but that the cache and the server's answers are those after it.
    fn dry_sync(&mut self, behaviour: &Behaviour, detailed: bool) -> Sync {
        if self.set_is_gone() {
            return Sync::nothing(&self.snapshot);
        }
        let verdicts = std::mem::take(&mut self.verdicts);
        let mut cache = std::mem::take(&mut self.cache);
        let mut server = self.server(behaviour).remembering(verdicts);
        let synced = sync(
            &self.snapshot,
            self.now,
            behaviour,
            &mut server,
            &mut cache,
            detailed,
        );
        self.verdicts = server.verdicts;
        self.cache = cache;
        synced
    }

    /// The API server of this world.
    fn server<'s>(&'s self, behaviour: &'s Behaviour) -> FakeApiServer<'s> {
        let server = FakeApiServer::new(&self.snapshot)
            .forbidding(&self.kubelet.forbidden)
            .validating_pods(behaviour);
        if self.as_recorded {
            return server;
        }
        let server = server.validating_statuses(behaviour);
        // Real controllers were seen to write the owners of new claims in the sync that creates them only where a
        // burst keeps the sync going.
        if self.snapshot.set.is_monotonic() {
            server
        } else {
            server.showing_written_claims()
        }
    }
}

/// Returns what the controller would do next, in full, if the server took every status.
#[must_use]
pub fn next_sync(snapshot: &Snapshot, now: Timestamp, behaviour: &Behaviour) -> Sync {
    sync(
        snapshot,
        now,
        behaviour,
        &mut FakeApiServer::new(snapshot).validating_pods(behaviour),
        &mut Cache::default(),
        true,
    )
}
