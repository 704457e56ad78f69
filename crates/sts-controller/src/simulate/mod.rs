//! The world around the controller: docs/contract.md, "The simulated world".
//!
//! A [`World`] holds the objects, the clock and the pending events. [`run`] lets the controller sync until it changes
//! nothing, then applies the earliest event, and repeats until no event is left.

mod action;
mod agenda;
mod allowance;
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

pub use action::{Action, Cascade, Fault, NodeChange};
pub use agenda::ScheduledAction;
pub use allowance::{Allowance, Question, Watch};
pub use api_server::FakeApiServer;
pub use event_queue::{PodEvent, ScheduledEvent};
pub use eviction::{
    BudgetClosure, BudgetCount, Contest, Drain, DrainEnd, DrainStep, Drained, Drainee, Eviction,
    FirstInLine, GuardedBudget, NodeLoss, OtherPod, OtherPods, PodOwner, Population, Stranded,
    WaitsFor, change_nodes, drain, evict, go_on,
};
pub use expansion::{ClaimGrowth, Expansion};
pub use explore::{
    Bounds, Driver, Ends, Exploration, Found, Move, Property, Reached, Replay, SequentialDriver,
    Stopped, Unwritable, Violation, Wrong, explore, explore_plainly,
};
pub use kubelet::{Assumption, Forbidden, Foreseen, Kubelet, Start};
pub use object_event::{Actor, ObjectEvent};
pub use partitions::run_partitions;
pub use progress::Budget;
pub use pvc_protection::PVC_PROTECTION;
pub use step::{Step, StepAction, StepWrite};
pub use under_way::{UnderWay, run_until};
pub use world::World;

use progress::progress;
use step::{names_are_unambiguous, revisions_of, step_writes};

use crate::controller::{Cache, Hold, Sync, Write, sync};
use crate::object::{Snapshot, Status};
use crate::version::Behaviour;

/// One sync within a world.
#[derive(Debug)]
pub struct Synced {
    /// The controller's writes, events and holds.
    pub sync: Sync,
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// True if any object changed. If not, the controller is done.
    pub changed: bool,
}

/// Outcome of a progression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumIter, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum End {
    /// No event is left.
    Rest,
    /// The same states repeat forever.
    Livelock,
}

/// A simulated progression.
pub struct Progression {
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// Number of syncs, including those that changed nothing.
    pub syncs: usize,
    /// Outcome.
    pub end: End,
    /// The exhausted budget, if it ended the progression: the rest is unknown.
    pub exhausted: Option<Budget>,
    /// The final world.
    pub world: World,
}

/// Observations of one sync of a progression.
#[derive(Debug, Clone)]
pub struct SyncObservation {
    /// Number of steps after the sync.
    pub steps: usize,
    /// The holds, except for those that the set intends.
    pub holds: Vec<Hold>,
    /// The computed status.
    pub status: Arc<Status>,
    /// The error that ended the sync.
    pub error: Option<String>,
}

/// Observer of a running world. `ControlFlow::Break` ends the run.
trait Observer {
    /// Called after each sync with its steps.
    fn synced(&mut self, world: &World, steps: Vec<Step>, sync: &Sync) -> ControlFlow<()>;
    /// Called after each other event or action with its steps.
    fn happened(&mut self, world: &World, steps: Vec<Step>) -> ControlFlow<()>;
}

/// Runs a world until no event is left.
#[must_use]
pub fn run(world: World, behaviour: &Behaviour) -> Progression {
    run_from(world, None, behaviour)
}

/// Runs a world whose [`World::next_sync`] was just computed, beginning with that sync.
#[must_use]
pub fn run_after(world: World, next: &Sync, behaviour: &Behaviour) -> Progression {
    run_from(world, Some(next), behaviour)
}

/// Recorder of everything that happens.
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
    world.allowance.simulation(world.snapshot.pods.len());
    Progression {
        steps: record.steps,
        syncs: record.syncs,
        end,
        exhausted,
        world,
    }
}

/// Returns the observations of each sync of [`run`], up to more than `most` steps. `before` is the number of earlier
/// steps.
#[must_use]
pub fn observations(
    mut world: World,
    before: usize,
    behaviour: &Behaviour,
    most: usize,
) -> Vec<SyncObservation> {
    struct HoldRecorder {
        steps: usize,
        most: usize,
        observations: Vec<SyncObservation>,
    }
    impl Observer for HoldRecorder {
        fn synced(&mut self, world: &World, steps: Vec<Step>, sync: &Sync) -> ControlFlow<()> {
            self.happened(world, steps)?;
            if self.steps > self.most {
                return ControlFlow::Break(());
            }
            // An intended hold would be repeated after every sync.
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
    let mut notes = HoldRecorder {
        steps: before,
        most,
        observations: Vec::new(),
    };
    progress(&mut world, behaviour, true, None, &mut notes);
    notes.observations
}

/// Runs a world and calls `show` after every sync that changes something and after every other event, with the steps
/// since the previous call.
pub fn follow(
    mut world: World,
    behaviour: &Behaviour,
    each: &mut dyn FnMut(&World, &[Step]) -> ControlFlow<()>,
) -> End {
    struct Callback<'e>(&'e mut dyn FnMut(&World, &[Step]) -> ControlFlow<()>);
    impl Observer for Callback<'_> {
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
    progress(&mut world, behaviour, false, None, &mut Callback(each)).0
}

impl World {
    /// Runs one sync of the controller and stores its writes.
    pub fn sync(&mut self, behaviour: &Behaviour, detailed: bool) -> Synced {
        let sync = self.dry_sync(behaviour, detailed);
        let (steps, changed) = self.apply_writes(&sync.writes);
        Synced {
            sync,
            steps,
            changed,
        }
    }

    /// Stores the writes of a sync. Returns the steps, and whether any object changed.
    fn apply_writes(&mut self, writes: &[Write]) -> (Vec<Step>, bool) {
        let plain = names_are_unambiguous(writes);
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
                // The revision of the named pod after the sync, or else before it. A pod that one sync deletes and
                // recreates has the new revision. A pod that is created and deleted within one sync has none.
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

    /// Applies an event like [`World::apply`] and returns its steps.
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
    /// Returns the controller's next sync in full, without storing its writes.
    #[must_use]
    pub fn next_sync(&mut self, behaviour: &Behaviour) -> Sync {
        self.dry_sync(behaviour, true)
    }

    /// Computes a sync without storing its writes. Only the cache and the server's validation results are kept.
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

    /// Returns the API server of this world.
    fn server<'s>(&'s self, behaviour: &'s Behaviour) -> FakeApiServer<'s> {
        let server = FakeApiServer::new(&self.snapshot)
            .forbidding(&self.kubelet.forbidden)
            .validating_pods(behaviour);
        if self.as_recorded {
            return server;
        }
        let server = server.validating_statuses(behaviour);
        // Real controllers write the owners of new claims in the sync that creates them only if a burst continues the
        // sync.
        if self.snapshot.set.is_monotonic() {
            server
        } else {
            server.showing_written_claims()
        }
    }
}

/// Returns the controller's next sync in full, from a server that accepts every status.
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
