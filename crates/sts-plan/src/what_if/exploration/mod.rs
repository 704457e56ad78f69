//! Exploration of every order of a plan's events.

mod blocks;
mod report;

use crate::explain;
use crate::plan::{Outcome, Plan, judge};
use crate::requirement::{AddedPods, PodCounts, Quantity, Requirement};
pub use report::{ChosenEvent, Counterexample, ExploredEvent, ReportExploration};
use sts_controller::simulate::{
    Bounds, Driver, End, Exploration, Property, Violation, World, explore as search, run,
};

/// Terms of a search.
struct Terms {
    /// Maximum number of faults.
    faults: usize,
    /// Number of desired pods.
    wanted: i64,
    /// True if the counterexample needs no fault, so that the allowed faults were not tried.
    without_fault: bool,
    /// True if there are requirements; otherwise the property is that the set reaches its desired state.
    is_required: bool,
}

/// Verdict of an exploration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumIter, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Verdict {
    /// The property holds in every order.
    Holds,
    /// A counterexample exists.
    Broken,
    /// The search is incomplete and found no counterexample.
    Unknown,
    /// There was nothing to search.
    Skipped,
}

serialized!(by_name: Verdict);

pub(super) fn explore(
    plan: &Plan,
    requirements: &[Requirement],
    bounds: Bounds,
    driver: &mut dyn Driver,
) -> ReportExploration {
    let skipped = ReportExploration::skipped;
    if matches!(plan.outcome, Outcome::Rejected(_)) {
        return skipped("the API server rejects the change, so nothing happens");
    }
    if !plan.conditions.outage.agenda.is_empty() {
        return skipped("evictions and node losses have fixed times: omit --drain and --lose");
    }
    if plan.deletion().is_some() {
        return skipped("the set is deleted: only rollouts are explored");
    }
    let bounds = Bounds {
        work: bounds.work.min(plan.conditions.allowance.most()),
        ..bounds
    };
    // A requirement that fails without faults says nothing about faults, so the fault-free search comes first.
    let faultless = Bounds {
        faults: 0,
        ..bounds
    };
    let terms = |without_fault| Terms {
        faults: bounds.faults,
        wanted: i64::from(plan.snapshot.set.replicas),
        without_fault,
        is_required: !requirements.is_empty(),
    };
    if bounds.faults > 0 {
        let found = search_within(plan, requirements, faultless, driver);
        if found.found.is_some() {
            return ReportExploration::searched(&found, &terms(true));
        }
    }
    let found = search_within(plan, requirements, bounds, driver);
    ReportExploration::searched(&found, &terms(false))
}

fn search_within(
    plan: &Plan,
    requirements: &[Requirement],
    bounds: Bounds,
    driver: &mut dyn Driver,
) -> Exploration {
    // A state has no history: with faults, an added pod may have been available before.
    let newcomers = match bounds.faults {
        0 => AddedPods::of(plan),
        _ => AddedPods::none(plan),
    };
    let court = RequirementProperty {
        plan,
        requirements,
        newcomers,
        has_faults: bounds.faults > 0,
    };
    let (world, _) = plan.initial_world();
    search(world, &plan.conditions.behaviour, bounds, &court, driver)
}

/// Property to check: the requirements, or else the final state.
struct RequirementProperty<'p> {
    plan: &'p Plan,
    requirements: &'p [Requirement],
    newcomers: AddedPods,
    has_faults: bool,
}

impl Property for RequirementProperty<'_> {
    fn violation(&self, world: &World) -> Option<Violation> {
        if self.requirements.is_empty() {
            return None;
        }
        let counts = PodCounts::under(world, self.newcomers.clone(), &self.plan.conditions);
        self.requirements.iter().find_map(|requirement| {
            let quantity = requirement.quantity;
            let value = counts.count(quantity, world);
            let broken = !requirement.holds(value, counts.voters(), world);
            broken.then(|| Violation {
                property: requirement.to_string(),
                text: match requirement.meaning(counts.voters()) {
                    Some(meaning) => {
                        format!(
                            "{requirement} ({meaning}) is violated: {} is {value}",
                            quantity.name()
                        )
                    }
                    None => format!("{requirement} is violated: {} is {value}", quantity.name()),
                },
            })
        })
    }

    fn measure(&self, world: &World) -> i64 {
        let conditions = &self.plan.conditions;
        let counts = PodCounts::under(world, AddedPods::default(), conditions);
        counts.count(Quantity::Available, world)
    }

    fn tells_pods_apart(&self) -> bool {
        self.newcomers.are_some_of(self.plan.snapshot.set.replicas)
    }

    fn unfinished(&self, world: &World) -> Option<String> {
        let behaviour = &self.plan.conditions.behaviour;
        let last = world.branch().next_sync(behaviour);
        let obstacles = judge(world, &last, behaviour, None);
        let first = obstacles.first()?;
        Some(explain::obstacle(first, world.snapshot(), world.now()))
    }

    fn wants_every_end_complete(&self) -> bool {
        self.requirements.is_empty()
    }

    /// A pod that never becomes ready always stops a rollout. The meaningful question is whether the rollout
    /// continues once the pod is ready.
    fn recovers(&self, world: &World) -> bool {
        if !self.has_faults {
            return false;
        }
        let behaviour = &self.plan.conditions.behaviour;
        let well = world.fork(world.snapshot().clone(), world.kubelet().clone());
        let mut later = run(well, behaviour);
        let last = later.world.next_sync(behaviour);
        later.end == End::Rest && judge(&later.world, &last, behaviour, None).is_empty()
    }
}
