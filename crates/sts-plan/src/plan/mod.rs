//! A plan: what the controller does next, what comes of it, and whether the set gets where it should.

mod assumed;
mod availability;
mod eta;
mod evidence;
mod facts;
mod failure;
mod fate;
mod obstacle;
mod outcome;
mod pace;
mod partitions;
mod refusals;
mod retry;
mod settle;
mod tally;
mod unobserved;
mod volumes;

use std::sync::{Arc, OnceLock};

use jiff::Timestamp;

use assumed::{assume_foreseen, assume_recovered, assume_version, kubelet};

pub use assumed::PlanAssumptions;
pub(crate) use availability::{Availability, outdated};

pub use crate::conditions::{Conditions, InputKind, Outage, Source, VersionSource};
pub use crate::members::{belongs, pods_of, revisions_of};
pub(crate) use crate::members::{has_ready_sibling, owns};
pub use eta::{Eta, GoneSource, Range, ReadySource};
pub(crate) use evidence::is_lost;
pub use evidence::{Evidence, RecreationLoop, Shown, Stuck, StuckAt};
pub use failure::Failure;
pub use fate::{PodFate, PodFates};
pub(crate) use obstacle::judge;
pub use obstacle::{Obstacle, ObstacleReason};
pub use outcome::{Outcome, PlanResult};
pub use pace::Pace;
pub(crate) use pace::{StartedPod, gone_before};
pub(crate) use partitions::{foresee, world_after};
pub(crate) use refusals::{refusal_depends_on_template, server_words};
pub use retry::Retry;
pub use settle::Passing;
pub use tally::{RetainedObjects, Tally};
pub use unobserved::Unobserved;

use crate::foresight::{Foreseen, Foresight};
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

/// A plan for one set.
pub struct Plan {
    /// The objects at the beginning, before anything is done to them but to the set.
    pub snapshot: Snapshot,
    /// The other objects of the input, for findings and evidence: the simulation never looks there.
    pub related: Arc<RelatedObjects>,
    /// The user's actions before the controller syncs, in order.
    pub actions: Vec<Action>,
    /// The set that was there before another of its name was created, with its status.
    pub predecessor: Option<(Arc<Set>, Arc<Status>)>,
    /// The conditions that it was made under.
    pub conditions: Conditions,
    /// The result of reading the objects, where they are those of a cluster.
    pub source: Arc<Source>,
    /// The very next sync.
    pub next: Sync,
    /// Everything that follows.
    pub progression: Progression,
    /// The sync at the end: what holds the controller there.
    pub last: Sync,
    /// Its outcome.
    pub outcome: Outcome,
    /// The user's change, field by field.
    pub change: Vec<FieldChange>,
    /// The parts of the change that the API server drops silently.
    pub dropped: Vec<Dropped>,
    /// The managers of what the change sets, and of what it leaves behind.
    pub ownership: Ownership,
    /// The assumptions that were made.
    pub assumptions: PlanAssumptions,
    /// Evidence in the objects of pods that do not get where they are going.
    pub evidence: Evidence,
    /// Troubles that they show of pods that are still to be created.
    pub foresight: Foresight,
    /// Fields of the manifest that the API server does not know, and drops.
    pub unknown: Vec<UnknownField>,
    /// Of a rejected change: what comes of deleting the set without its pods and creating it as it is wanted,
    /// where the API server would take it then.
    pub way_round: Option<Box<Plan>>,
    /// The result of [`Plan::tally`], once it was asked for.
    pub tally: OnceLock<Tally>,
}

impl Plan {
    /// Plans a set: the next sync in full, then everything until nothing is left to happen.
    #[must_use]
    pub fn new(snapshot: Snapshot, conditions: Conditions) -> Self {
        Plan::with_actions(Vec::new(), snapshot, conditions)
    }

    /// Plans a set after the user's actions on it or its pods.
    #[must_use]
    pub fn with_actions(actions: Vec<Action>, snapshot: Snapshot, conditions: Conditions) -> Self {
        Plan::build(actions, snapshot, conditions, None)
    }

    /// Plans the same set at another stage, or with another template, under the same version.
    pub(crate) fn again(
        &self,
        actions: Vec<Action>,
        snapshot: Snapshot,
        conditions: Conditions,
    ) -> Plan {
        Plan::build(actions, snapshot, conditions, Some(&self.progression.world))
    }

    /// `known` is a world of the same set, from which what is known of its templates is taken over.
    fn build(
        actions: Vec<Action>,
        mut snapshot: Snapshot,
        conditions: Conditions,
        known: Option<&World>,
    ) -> Self {
        let behaviour = &conditions.behaviour;
        let mut assumptions = PlanAssumptions::default();
        let passing = settle::settle(&mut snapshot, &conditions);
        let (mut world, mut evidence) = world_of(&snapshot, &conditions, &mut assumptions);
        evidence.passing = passing;
        assumptions
            .particular
            .extend(evidence.not_known.iter().cloned());
        if let Some(known) = known {
            world = world.recalling(known);
        }
        assume_version(&conditions, &mut assumptions);
        let mut steps: Vec<Step> = perform(&mut world, &actions, behaviour);
        let mut predecessor = None;
        if let Some(Action::CreateSet(set)) = actions.last() {
            // The plan is of the set that is there from then on.
            let old = std::mem::replace(&mut snapshot.set, Arc::clone(set));
            predecessor = Some((old, std::mem::take(&mut snapshot.status)));
        }
        let next = world.next_sync(behaviour);
        let foresight = Foresight::of(world.snapshot(), &next, &conditions);
        world.foresee(foresight.in_simulation());
        let refused_now = evidence.obstacle_to(&next, world.snapshot());
        let mut progression = match &refused_now {
            // A change that is refused or undone each time leads nowhere.
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
        assumptions
            .particular
            .extend(progression.exhausted.map(|budget| {
                format!("{budget}: what follows is not known, and taken to go round in circles")
            }));
        let stops = foreseen_stops(&progression.world, &foresight);
        assume_foreseen(&stops, &mut assumptions);
        let end = progression.world.snapshot();
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
        Plan {
            snapshot,
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
            way_round: None,
            tally: OnceLock::new(),
        }
    }

    /// The plan of a change that the API server refuses: nothing of it happens, and nothing is simulated.
    #[must_use]
    pub fn rejected(
        snapshot: Snapshot,
        conditions: Conditions,
        change: Vec<FieldChange>,
        refused: Vec<Refused>,
    ) -> Self {
        let mut assumptions = PlanAssumptions::default();
        assume_version(&conditions, &mut assumptions);
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
            way_round: None,
            tally: OnceLock::new(),
        }
    }

    /// The same plan, of objects that were read of a cluster.
    #[must_use]
    pub fn of(mut self, source: &Arc<Source>) -> Self {
        self.assumptions
            .particular
            .extend(source.notes.iter().cloned());
        // Objects of a cluster were read at one moment: what the controller has not observed then is worth knowing.
        if let Some(unobserved) = self
            .unobserved()
            .filter(|it| !it.is_late() && !source.versions.is_empty())
        {
            self.assumptions.particular.push(format!(
                "the controller observes generation {}, as soon as it runs (observedGeneration {})",
                unobserved.generation, unobserved.observed
            ));
        }
        self.source = Arc::clone(source);
        self
    }

    /// The same plan, with something more that it takes for granted, in sentences.
    #[must_use]
    pub fn taking_for_granted(mut self, sentences: Vec<String>) -> Self {
        self.assumptions.particular.extend(sentences);
        self
    }

    /// Returns the observations of the first `most` steps. They are worked out on demand, since most readers never ask.
    #[must_use]
    pub fn observations(&self, most: usize) -> Vec<SyncObservation> {
        if matches!(self.outcome, Outcome::Rejected(_)) {
            return Vec::new();
        }
        let (world, steps) = self.initial_world();
        observations(world, steps.len(), &self.conditions.behaviour, most)
    }

    /// The world after the user's actions and before the first sync, and the steps that
    /// led there.
    #[must_use]
    pub fn initial_world(&self) -> (World, Vec<Step>) {
        let kubelet = kubelet(
            &self.snapshot,
            &self.conditions,
            &self.evidence,
            &mut PlanAssumptions::default(),
        );
        let mut world = self.conditions.world(self.stored().into_owned(), kubelet);
        let steps = perform(&mut world, &self.actions, &self.conditions.behaviour);
        world.foresee(self.foresight.in_simulation());
        (world, steps)
    }

    /// The same plan, but with those pods failing now of which that is assumed, and with those ready pods that are assumed
    /// to be never ready and that no step replaces. Of a pod that is replaced, the latter means the one that takes its
    /// place; and where the plan does not get to its end, a pod may be replaced yet.
    pub(crate) fn with_kept_pods_failing(self) -> Plan {
        let failing = assumed::pods_that_fail_now(&self);
        let plan = self.with_pods_failing(failing);
        if !plan.completes() || plan.conditions.has_sequel {
            return plan;
        }
        let failing = assumed::kept_pods_that_fail(&plan);
        plan.with_pods_failing(failing)
    }

    /// The same plan with these pods, each of which does something now.
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
        Plan::with_actions(self.actions, snapshot, self.conditions).taking_for_granted(sentences)
    }

    /// The same plan up to a moment at which something else is done, whatever is under way then. What becomes of it if
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

/// The pods of a world that are not ready and of which something is foreseen: those without a node, and those that show
/// what is missing themselves.
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

/// Does what the user does first. What was asked for was checked when it was read; a request that the API server
/// refuses all the same changes nothing.
fn perform(world: &mut World, actions: &[Action], behaviour: &Behaviour) -> Vec<Step> {
    let steps = actions.iter();
    steps
        .flat_map(|action| world.perform(action, behaviour).unwrap_or_default())
        .collect()
}

/// The world of a snapshot, and what its objects show.
fn world_of(
    snapshot: &Snapshot,
    conditions: &Conditions,
    assumptions: &mut PlanAssumptions,
) -> (World, Evidence) {
    let evidence = Evidence::of(snapshot, conditions);
    let kubelet = kubelet(snapshot, conditions, &evidence, assumptions);
    (conditions.world(snapshot.clone(), kubelet), evidence)
}
