//! Outcomes of a plan.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::obstacle::{Obstacle, judge, other_unhealthy};
use super::{Conditions, Evidence, Observed, Unobserved};
use sts_controller::apiserver::validation::Refused;
use sts_controller::controller::Sync;
use sts_controller::simulate::{Cascade, End, Progression, World};
use sts_controller::version::Behaviour;

/// Outcome of a plan.
#[derive(Debug, Clone, strum::EnumDiscriminants)]
#[strum_discriminants(
    name(PlanResult),
    doc = "Outcome of a plan in one word.",
    derive(strum::EnumIter, strum::IntoStaticStr),
    strum(serialize_all = "kebab-case")
)]
pub enum Outcome {
    /// The set matches its specification.
    Complete,
    /// Nothing more will happen, but the set does not match its specification. Contains at least one obstacle.
    Blocked(Vec<Obstacle>),
    /// The rollout never settles.
    Livelock,
    /// The API server rejects the change. Contains at least one refusal.
    Rejected(Vec<Refused>),
}

serialized!(by_name: PlanResult);

impl Outcome {
    /// Returns the obstacles of a blocked plan; none of any other.
    pub(crate) fn obstacles(&self) -> &[Obstacle] {
        match self {
            Outcome::Blocked(obstacles) => obstacles,
            _ => &[],
        }
    }

    /// Determines the outcome of a progression from the sync at its end.
    pub(super) fn of(
        progression: &Progression,
        last: &Sync,
        behaviour: &Behaviour,
        deletion: Option<Cascade>,
    ) -> Self {
        if progression.end == End::Livelock {
            return Outcome::Livelock;
        }
        let obstacles = judge(&progression.world, last, behaviour, deletion);
        match obstacles.is_empty() {
            true => Outcome::Complete,
            false => Outcome::Blocked(obstacles),
        }
    }

    /// Adds the pods that are stuck by the evidence to the obstacles that hide them from the controller. A pod that shows
    /// why another one fails is told with that one.
    pub(super) fn with_stuck_pods(
        self,
        evidence: &Evidence,
        world: &World,
        behaviour: &Behaviour,
    ) -> Self {
        let Outcome::Blocked(mut obstacles) = self else {
            return self;
        };
        let others = other_unhealthy(world, behaviour, &obstacles).into_iter();
        let assumed = obstacles
            .iter()
            .filter_map(Obstacle::pod)
            .filter(|pod| evidence.of_this(pod).is_none() && !evidence.lacks_place(&pod.meta.name));
        let witnesses = assumed.filter_map(|pod| evidence.witness(pod));
        let told: BTreeSet<Arc<str>> = witnesses.cloned().collect();
        let is_stuck = |other: &Obstacle| {
            let pod = other.pod();
            pod.is_some_and(|pod| evidence.of_this(pod).is_some() && !told.contains(&pod.meta.name))
        };
        obstacles.extend(others.filter(is_stuck));
        Outcome::Blocked(obstacles)
    }

    /// Adds a controller that does not act as the first obstacle.
    pub(super) fn without_controller(
        self,
        observed: &Observed,
        next: &Sync,
        conditions: &Conditions,
    ) -> Self {
        let Some(inactive) = Unobserved::of_inactive(observed.objects(), next, conditions) else {
            return self;
        };
        let mut obstacles = vec![Obstacle::Inactive(inactive)];
        match self {
            Outcome::Rejected(_) => return self,
            Outcome::Blocked(others) => obstacles.extend(others),
            Outcome::Complete | Outcome::Livelock => {}
        }
        Outcome::Blocked(obstacles)
    }

    /// Returns the outcome in one word.
    #[must_use]
    pub fn result(&self) -> PlanResult {
        self.into()
    }

    /// Returns the name of the result in the output.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.result().name()
    }
}
