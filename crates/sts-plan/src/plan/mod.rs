//! Plan of a set: the next sync, everything that follows, and whether the set reaches its desired state.

mod assumed;
mod assumption;
mod availability;
mod contested;
mod deploying_tool;
mod eta;
mod evidence;
mod facts;
mod failure;
mod fate;
mod note;
mod obstacle;
mod operator;
mod outcome;
mod pace;
mod partitions;
mod patience;
mod record;
mod recreation;
mod refusals;
mod retry;
mod rewrites;
mod settle;
mod stopped;
mod tally;
mod unobserved;
mod unsteady;
mod volumes;
mod writer;

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use jiff::Timestamp;

use assumed::{assume_broken, assume_foreseen, assume_recovered, assume_version, kubelet};

pub use assumption::{Bearing, PlanAssumption, PlanAssumptions, Setback, provided};
pub(crate) use availability::{Availability, outdated};

pub use crate::conditions::{Conditions, InputKind, NowSource, Outage, Source, VersionSource};
pub(crate) use crate::members::owns;
pub use crate::members::{belongs, pods_of, revisions_of};
pub use crate::observed::{Observed, Predicted};
pub(crate) use deploying_tool::{deploying_tool, reverting_tool};
pub use eta::{Eta, GoneSource, Range, ReadySource};
pub(crate) use evidence::is_down;
pub use evidence::{Evidence, Shown, Stuck, StuckAt};
pub use failure::Failure;
pub use fate::{PodFate, PodFates};
pub use note::{PlanNote, PlanUnknown};
pub use obstacle::{Obstacle, ObstacleReason};
pub(crate) use obstacle::{judge, other_unhealthy};
pub(crate) use operator::mark;
pub use outcome::{Outcome, PlanResult};
pub use pace::Pace;
pub(crate) use pace::{StartedPod, gone_before};
pub(crate) use partitions::{foresee, world_after};
pub use record::{Records, is_revision};
pub use recreation::{LoopAuthor, RecreationLoop};
pub(crate) use refusals::{refusal_depends_on_template, server_words};
pub use retry::Retry;
pub use rewrites::Rewrites;
pub use settle::Passing;
pub(crate) use settle::{is_up, state_of};
pub use tally::{RetainedObjects, Tally};
pub use unobserved::Unobserved;
pub(crate) use writer::TemplateWriter;

use crate::down_nodes;
use crate::foresight::{Foreseen, Foresight, refused};
use crate::members::surplus;
use sts_controller::apiserver::apply::FieldChange;
use sts_controller::apiserver::schema::UnknownField;
use sts_controller::apiserver::server_side_apply::Ownership;
use sts_controller::apiserver::validation::{Dropped, Refused};
use sts_controller::controller::Sync;
use sts_controller::object::{Pod, RelatedObjects, Set, Snapshot, Status};
use sts_controller::simulate::{
    Action, End, Kubelet, Progression, Step, SyncObservation, World, observations, run_after,
    run_until,
};
use sts_controller::version::Behaviour;

/// Plan of one set.
pub struct Plan {
    /// Initial objects: the set after the change, everything else before any action.
    pub snapshot: Snapshot,
    /// Objects as they were read, before any action: the evidence.
    pub observed: Arc<Observed>,
    /// Related objects for findings and evidence, which the simulation does not read.
    pub related: Arc<RelatedObjects>,
    /// User actions before the first sync, in order.
    pub actions: Vec<Action>,
    /// Set and status before the set is recreated under the same name.
    pub predecessor: Option<(Arc<Set>, Arc<Status>)>,
    /// Conditions of the plan.
    pub conditions: Conditions,
    /// Cluster reads behind the objects.
    pub source: Arc<Source>,
    /// Next sync.
    pub next: Sync,
    /// Course after that.
    pub progression: Progression,
    /// Sync at the end, with the holds that remain.
    pub last: Sync,
    /// Outcome.
    pub outcome: Outcome,
    /// Changed fields.
    pub change: Vec<FieldChange>,
    /// Parts of the change that the API server silently drops.
    pub dropped: Vec<Dropped>,
    /// Owners of the changed fields, and of the fields that the change keeps.
    pub ownership: Ownership,
    /// Assumptions.
    pub assumptions: PlanAssumptions,
    /// Evidence of stuck pods.
    pub evidence: Evidence,
    /// Foreseen problems of future pods.
    pub foresight: Foresight,
    /// Unknown fields of the manifest, which the API server drops.
    pub unknown: Vec<UnknownField>,
    /// Plan to recreate the set and keep its pods, if a change is rejected and the API server would accept a
    /// new set.
    pub workaround: Option<Box<Plan>>,
    /// Cached result of [`Plan::tally`].
    pub tally: OnceLock<Tally>,
}

impl Plan {
    /// Plans a set from the next sync until nothing is left to happen.
    #[must_use]
    pub fn new(snapshot: Snapshot, conditions: Conditions) -> Self {
        Plan::with_actions(Vec::new(), snapshot, conditions)
    }

    /// Plans a set after user actions on it or its pods.
    #[must_use]
    pub fn with_actions(actions: Vec<Action>, snapshot: Snapshot, conditions: Conditions) -> Self {
        Plan::build(actions, snapshot, conditions, None)
    }

    /// Plans the set again with other objects and conditions of the same version.
    pub(crate) fn again(
        &self,
        actions: Vec<Action>,
        snapshot: Snapshot,
        conditions: Conditions,
    ) -> Plan {
        Plan::build(actions, snapshot, conditions, Some(&self.progression.world))
    }

    /// Plans the set again without user actions, and without the evictions and losses of the nodes in question.
    pub(crate) fn without_actions(&self) -> Plan {
        let outage = Outage {
            leaving: BTreeSet::new(),
            lost: BTreeSet::new(),
            first: Vec::new(),
            agenda: Vec::new(),
            ..Outage::clone(&self.conditions.outage)
        };
        let conditions = Conditions {
            outage: Arc::new(outage),
            ..self.conditions.clone()
        };
        self.again(Vec::new(), self.stored().into_owned(), conditions)
    }

    /// Plans the set again with more user actions after those of this plan.
    pub(crate) fn with_more(&self, more: impl IntoIterator<Item = Action>) -> Plan {
        let actions = self.actions.iter().cloned().chain(more).collect();
        self.again(actions, self.stored().into_owned(), self.conditions.clone())
    }

    /// Builds a plan. `known` is a world of the same set whose template knowledge is reused.
    fn build(
        actions: Vec<Action>,
        mut snapshot: Snapshot,
        conditions: Conditions,
        known: Option<&World>,
    ) -> Self {
        let mut assumptions = PlanAssumptions::default();
        let passing = settle::settle(&mut snapshot, &conditions);
        let (conditions, observed) = conditions.with_observed(&snapshot);
        let behaviour = &conditions.behaviour;
        let deleted = deleted_surplus(&actions, &snapshot, behaviour);
        let (mut world, mut evidence) =
            world_of(&snapshot, &conditions, &deleted, &mut assumptions);
        evidence.passing = passing;
        assumptions.unknowns(evidence.unknowns.iter().cloned());
        if let Some(known) = known {
            world = world.recalling(known);
        }
        assume_version(&conditions, &mut assumptions);
        let mut steps: Vec<Step> = begin(&mut world, &actions, &conditions);
        let mut predecessor = None;
        if let Some(Action::CreateSet(set)) = actions.last() {
            // From here on, the plan covers the new set.
            let old = std::mem::replace(&mut snapshot.set, Arc::clone(set));
            predecessor = Some((old, std::mem::take(&mut snapshot.status)));
        }
        let next = world.next_sync(behaviour);
        let foresight = Foresight::of(world.snapshot(), &next, &conditions);
        world.foresee(foresight.in_simulation());
        let refused_now = evidence.obstacle_to(&next, world.snapshot());
        let mut progression = match &refused_now {
            // A persistently refused or reverted change has no effect.
            Some(_) => Progression {
                steps: Vec::new(),
                syncs: 1,
                world,
                end: End::Rest,
                exhausted: None,
            },
            None => run_after(world, &next, behaviour),
        };
        steps.append(&mut progression.steps);
        progression.steps = steps;
        assumptions.notes(progression.exhausted.map(PlanNote::BudgetSpent));
        let stops = foreseen_stops(&progression.world, &foresight);
        assume_foreseen(&stops, &mut assumptions);
        let end = progression.world.snapshot();
        assume_broken(&evidence, end, &mut assumptions);
        assume_recovered(&evidence, &snapshot, end, &mut assumptions);
        let last = progression.world.next_sync(behaviour);
        let deletion = match actions.last() {
            Some(Action::DeleteSet(cascade)) => Some(*cascade),
            _ => None,
        };
        let outcome = match refused_now {
            Some(obstacle) => Outcome::Blocked(vec![obstacle]),
            None => Outcome::of(&progression, &last, behaviour, deletion),
        };
        let outcome = match deletion {
            Some(_) => outcome,
            None => outcome.with_stuck_pods(&evidence, &progression.world, behaviour),
        };
        let outcome = outcome.without_controller(&observed, &next, &conditions);
        Plan {
            snapshot,
            observed,
            related: Arc::clone(&conditions.related),
            actions,
            predecessor,
            conditions,
            source: Arc::default(),
            next,
            progression,
            last,
            outcome,
            change: Vec::new(),
            dropped: Vec::new(),
            ownership: Ownership::default(),
            assumptions,
            evidence,
            foresight,
            unknown: Vec::new(),
            workaround: None,
            tally: OnceLock::new(),
        }
    }

    /// Creates the plan of a rejected change, without a simulation.
    #[must_use]
    pub fn rejected(
        snapshot: Snapshot,
        conditions: Conditions,
        change: Vec<FieldChange>,
        refused: Vec<Refused>,
    ) -> Self {
        let mut assumptions = PlanAssumptions::default();
        assume_version(&conditions, &mut assumptions);
        let (conditions, observed) = conditions.with_observed(&snapshot);
        Plan {
            next: Sync::nothing(&snapshot),
            last: Sync::nothing(&snapshot),
            actions: Vec::new(),
            predecessor: None,
            progression: Progression {
                steps: Vec::new(),
                syncs: 0,
                end: End::Rest,
                exhausted: None,
                world: World::new(snapshot.clone(), conditions.now, Kubelet::default()),
            },
            outcome: Outcome::Rejected(refused),
            snapshot,
            observed,
            related: Arc::clone(&conditions.related),
            conditions,
            source: Arc::default(),
            change,
            dropped: Vec::new(),
            ownership: Ownership::default(),
            assumptions,
            evidence: Evidence::default(),
            foresight: Foresight::default(),
            unknown: Vec::new(),
            workaround: None,
            tally: OnceLock::new(),
        }
    }

    /// Adds the source of cluster objects.
    #[must_use]
    pub fn of(mut self, source: &Arc<Source>) -> Self {
        let not_read = source.notes.iter().cloned().map(PlanUnknown::NotRead);
        self.assumptions.unknowns(not_read);
        // Cluster objects are a snapshot, so an unobserved generation is worth noting.
        if let Some(unobserved) = self
            .unobserved()
            .filter(|it| !it.is_late() && !source.versions.is_empty())
        {
            let (generation, observed) = (unobserved.generation, unobserved.observed);
            self.assumptions.notes([PlanNote::Unobserved {
                generation,
                observed,
            }]);
        }
        self.source = Arc::clone(source);
        self
    }

    /// Adds assumptions, in sentences.
    #[must_use]
    pub fn with_assumptions(mut self, sentences: Vec<String>) -> Self {
        self.assumptions.notes(sentences);
        self
    }

    /// Returns the observations of the first `most` steps. Computed on demand, as few callers need them.
    #[must_use]
    pub fn observations(&self, most: usize) -> Vec<SyncObservation> {
        if matches!(self.outcome, Outcome::Rejected(_)) {
            return Vec::new();
        }
        let (world, steps) = self.initial_world();
        observations(world, steps.len(), &self.conditions.behaviour, most)
    }

    /// Returns the world after the user's actions and before the first sync, with the steps of those actions.
    #[must_use]
    pub fn initial_world(&self) -> (World, Vec<Step>) {
        let kubelet = kubelet(
            &self.snapshot,
            &self.conditions,
            &self.evidence,
            &mut PlanAssumptions::default(),
        );
        let stored = self.stored().into_owned();
        let of_nodes = down_nodes::agenda(&stored, &self.conditions);
        let mut world = self.conditions.world(stored, kubelet, of_nodes);
        let steps = begin(&mut world, &self.actions, &self.conditions);
        world.foresee(self.foresight.in_simulation());
        (world, steps)
    }

    /// Applies failure assumptions to pods: those assumed to fail now, and ready pods that are assumed never
    /// ready and that no step replaces.
    ///
    /// For a replaced pod, "never ready" applies to its replacement. If the plan does not complete, a pod may
    /// still be replaced, so only the first kind applies.
    pub(crate) fn with_kept_pods_failing(self) -> Plan {
        let failing = assumed::pods_that_fail_now(&self);
        let plan = self.with_pods_failing(failing);
        if !plan.completes() || plan.conditions.has_sequel {
            return plan;
        }
        let failing = assumed::kept_pods_that_fail(&plan);
        plan.with_pods_failing(failing)
    }

    /// Plans again with these pods in a failed state.
    fn with_pods_failing(self, failing: Vec<(Pod, String)>) -> Plan {
        if failing.is_empty() {
            return self;
        }
        let mut snapshot = self.stored().into_owned();
        let mut sentences = Vec::new();
        for (pod, sentence) in failing {
            snapshot
                .pods
                .insert(Arc::clone(&pod.meta.name), Arc::new(pod));
            sentences.push(sentence);
        }
        Plan::with_actions(self.actions, snapshot, self.conditions).with_assumptions(sentences)
    }

    /// Truncates the plan at the time of another action. The outcome remains the one without that action.
    /// nothing is done is still the outcome.
    pub(crate) fn until(self, moment: Timestamp) -> Plan {
        let behaviour = &self.conditions.behaviour;
        let (mut world, mut steps) = self.initial_world();
        let next = world.next_sync(behaviour);
        let mut progression = run_until(world, &next, behaviour, moment);
        steps.append(&mut progression.steps);
        progression.steps = steps;
        let last = progression.world.next_sync(behaviour);
        Plan {
            progression,
            last,
            tally: OnceLock::new(),
            ..self
        }
    }
}

/// Returns the unready pods of a world with a foreseen problem: those without a node, and those whose own status
/// shows it.
fn foreseen_stops(world: &World, foresight: &Foresight) -> Vec<(Arc<Pod>, Foreseen)> {
    let snapshot = world.snapshot();
    let assumed = &world.kubelet().assumptions;
    let pods = pods_of(snapshot).filter(|pod| !pod.is_ready() && !pod.is_terminating());
    let free = pods.filter(|pod| !assumed.contains_key(&*pod.meta.name));
    free.filter_map(|pod| {
        let found = foresight.of_pod(&pod.meta.name, &pod.revision)?;
        let shows = match found {
            Foreseen::MissingConfig { shown_by, .. } => *shown_by == pod.meta.name,
            _ => false,
        };
        (pod.node.is_none() || shows).then(|| (Arc::clone(pod), found.clone()))
    })
    .collect()
}

/// Performs the user's actions, and then those of an outage that come before the first sync.
fn begin(world: &mut World, actions: &[Action], conditions: &Conditions) -> Vec<Step> {
    let mut steps = perform(world, actions, &conditions.behaviour);
    steps.extend(perform(
        world,
        &conditions.outage.first,
        &conditions.behaviour,
    ));
    if !steps.is_empty() {
        // Other pods are created now.
        let refused = refused(world.snapshot(), conditions, &conditions.grants);
        world.forbid(refused);
    }
    steps
}

/// Performs the user's actions. They were validated on input; a request that the API server still refuses has no
/// effect.
fn perform(world: &mut World, actions: &[Action], behaviour: &Behaviour) -> Vec<Step> {
    let steps = actions.iter();
    steps
        .flat_map(|action| world.perform(action, behaviour).unwrap_or_default())
        .collect()
}

/// Returns the surplus pods that the user deletes: nothing recreates them.
fn deleted_surplus(
    actions: &[Action],
    snapshot: &Snapshot,
    behaviour: &Behaviour,
) -> Vec<Arc<str>> {
    let deleted = actions.iter().filter_map(Action::deleted_pod);
    let deleted: BTreeSet<&Arc<str>> = deleted.collect();
    let names = surplus(snapshot, behaviour)
        .into_iter()
        .map(|pod| &pod.meta.name);
    names
        .filter(|name| deleted.contains(name))
        .cloned()
        .collect()
}

/// Returns the world of a snapshot and the evidence in its objects, with the room of deleted surplus pods.
fn world_of(
    snapshot: &Snapshot,
    conditions: &Conditions,
    deleted: &[Arc<str>],
    assumptions: &mut PlanAssumptions,
) -> (World, Evidence) {
    let mut evidence = Evidence::of(snapshot, conditions);
    evidence.make_room(deleted);
    let kubelet = kubelet(snapshot, conditions, &evidence, assumptions);
    let of_nodes = down_nodes::agenda(snapshot, conditions);
    let world = conditions.world(snapshot.clone(), kubelet, of_nodes);
    (world, evidence)
}
