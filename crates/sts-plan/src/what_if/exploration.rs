//! The search of every order of a plan's events.

use crate::explain;
use crate::plan::{Outcome, Plan, judge};
use crate::requirement::{AddedPods, PodCounts, Quantity, Requirement};
use sts_controller::simulate::{
    Bounds, Driver, End, Exploration, Property, Violation, World, explore as search, run,
};

/// The result of exploring a plan.
#[derive(Debug)]
pub enum Explored {
    /// It was searched.
    Searched(Box<Exploration>, Searched),
    /// There is nothing to search, for this reason.
    Skipped(&'static str),
}

/// The extent of a search, and what it saw besides what goes wrong.
#[derive(Debug, Clone, Copy)]
pub struct Searched {
    /// The bounds of the search.
    pub bounds: Bounds,
    /// Lowest number of available pods, of those that are wanted; `None` if not every state was looked at.
    pub lowest: Option<i64>,
    /// Number of pods that are wanted.
    pub wanted: i64,
    /// True if what goes wrong goes wrong without any fault, though faults were allowed: they were not searched then.
    pub without_fault: bool,
    /// True if anything was required; otherwise the question is whether the set gets where it should.
    pub is_required: bool,
}

/// The verdict of an exploration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumIter)]
pub enum Verdict {
    /// Every order is as it should be.
    Holds,
    /// One is not.
    Broken,
    /// It was not searched to the end, and nothing was found so far.
    Unknown,
    /// It was not searched.
    Skipped,
}

impl Verdict {
    /// The verdict's name in the output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Broken => "broken",
            Verdict::Unknown => "unknown",
            Verdict::Skipped => "skipped",
        }
    }
}

impl Explored {
    /// Returns the verdict.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        match self {
            Explored::Searched(found, _) if found.found.is_some() => Verdict::Broken,
            Explored::Searched(found, _) if found.exhaustive => Verdict::Holds,
            Explored::Searched(..) => Verdict::Unknown,
            Explored::Skipped(_) => Verdict::Skipped,
        }
    }
}

/// Searches every order of a plan's events.
pub(super) fn explore(
    plan: &Plan,
    requirements: &[Requirement],
    bounds: Bounds,
    driver: &mut dyn Driver,
) -> Explored {
    if matches!(plan.outcome, Outcome::Rejected(_)) {
        return Explored::Skipped("the API server refuses the change, so nothing happens");
    }
    if !plan.conditions.outage.agenda.is_empty() {
        return Explored::Skipped(
            "evictions and lost nodes have their own moments: leave --drain and --lose out",
        );
    }
    if plan.deletion().is_some() {
        return Explored::Skipped("the set is deleted: only rollouts are explored");
    }
    // A requirement that breaks without any fault says nothing of faults: that is looked for first.
    let faultless = Bounds {
        faults: 0,
        ..bounds
    };
    if bounds.faults > 0 {
        let found = search_within(plan, requirements, faultless, driver);
        if found.found.is_some() {
            return searched(plan, requirements, bounds, found, true);
        }
    }
    let found = search_within(plan, requirements, bounds, driver);
    searched(plan, requirements, bounds, found, false)
}

fn search_within(
    plan: &Plan,
    requirements: &[Requirement],
    bounds: Bounds,
    driver: &mut dyn Driver,
) -> Exploration {
    // A state tells how the pods are, not how they were: with faults, a newcomer may have been available before.
    let newcomers = match bounds.faults {
        0 => AddedPods::of(plan),
        _ => AddedPods::default(),
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

fn searched(
    plan: &Plan,
    requirements: &[Requirement],
    bounds: Bounds,
    found: Exploration,
    without_fault: bool,
) -> Explored {
    let wanted = i64::from(plan.snapshot.set.replicas);
    let searched = Searched {
        bounds,
        lowest: found.lowest.map(|lowest| lowest.min(wanted)),
        wanted,
        without_fault,
        is_required: !requirements.is_empty(),
    };
    Explored::Searched(Box::new(found), searched)
}

/// Judges by requirements, or, where there are none, by how it ends.
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
        let counts = PodCounts::with(world, self.newcomers.clone());
        self.requirements.iter().find_map(|requirement| {
            let quantity = requirement.quantity;
            let value = counts.count(quantity, world);
            let broken = !requirement.holds(value, world);
            broken.then(|| Violation {
                property: requirement.to_string(),
                text: match requirement.meaning(i64::from(world.snapshot().set.replicas)) {
                    Some(meaning) => {
                        format!(
                            "{requirement} ({meaning}) breaks: {} is {value}",
                            quantity.name()
                        )
                    }
                    None => format!("{requirement} breaks: {} is {value}", quantity.name()),
                },
            })
        })
    }

    fn measure(&self, world: &World) -> i64 {
        PodCounts::of(world).count(Quantity::Available, world)
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

    /// That a pod which never gets ready stops a rollout says nothing. Whether the rollout goes on when it does get
    /// ready can be asked.
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
