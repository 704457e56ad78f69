//! Whether a plan holds in every order of events.

use crate::explain;
use crate::plan::{Outcome, Plan, judge};
use crate::requirement::{Census, Requirement};
use sts_controller::simulate::{Bounds, Exploration, Property, World, explore as search};

/// What exploring a plan came to.
#[derive(Debug)]
pub enum Explored {
    /// It was searched.
    Searched(Exploration, Bounds),
    /// There is nothing to search, for this reason.
    Skipped(&'static str),
}

/// What an exploration shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    /// What it shows.
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
pub(super) fn explore(plan: &Plan, requirements: &[Requirement], bounds: Bounds) -> Explored {
    if matches!(plan.outcome, Outcome::Rejected(_)) {
        return Explored::Skipped("the API server refuses the change, so nothing happens");
    }
    if plan.deletion().is_some() {
        return Explored::Skipped("the set is deleted: only rollouts are explored");
    }
    let court = Court { plan, requirements };
    let (world, _) = plan.beginning();
    Explored::Searched(
        search(world, &plan.conditions.behaviour, bounds, &court),
        bounds,
    )
}

/// Judges by requirements, or, where there are none, by how it ends.
struct Court<'p> {
    plan: &'p Plan,
    requirements: &'p [Requirement],
}

impl Property for Court<'_> {
    fn violation(&self, world: &World) -> Option<String> {
        if self.requirements.is_empty() {
            return None;
        }
        let census = Census::of(world);
        self.requirements.iter().find_map(|requirement| {
            let quantity = requirement.quantity;
            let value = census.count(quantity, world);
            let broken = !requirement.holds(value, world);
            broken.then(|| format!("{requirement} breaks: {} is {value}", quantity.name()))
        })
    }

    fn unfinished(&self, world: &World) -> Option<String> {
        let behaviour = &self.plan.conditions.behaviour;
        let last = world.next_sync(behaviour);
        let obstacles = judge(world, &last, behaviour, None);
        let first = obstacles.first()?;
        Some(explain::obstacle(first, world.snapshot()))
    }

    fn wants_every_end_complete(&self) -> bool {
        self.requirements.is_empty()
    }
}
