//! Lets the controller sync until it is done, and checks a property in every state.

use std::ops::ControlFlow;

use super::{Property, Violation, Wrong};
use crate::controller::Sync;
use crate::simulate::progress::{Spent, StopReason, run_until_stable};
use crate::simulate::world::World;
use crate::simulate::{Observer, Step};
use crate::version::Behaviour;

/// A property, and its lowest measure in the checked states.
pub(super) struct PropertyChecker<'p> {
    property: &'p dyn Property,
    pub(super) lowest: i64,
}

impl<'p> PropertyChecker<'p> {
    pub(super) fn new(property: &'p dyn Property) -> Self {
        PropertyChecker {
            property,
            lowest: i64::MAX,
        }
    }

    /// Returns the violation in a state, if any, and records the state's measure.
    pub(super) fn violation(&mut self, world: &World) -> Option<Violation> {
        self.lowest = self.lowest.min(self.property.measure(world));
        self.property.violation(world)
    }
}

/// Checks the world after each sync.
struct CheckingObserver<'j, 'p> {
    checker: &'j mut PropertyChecker<'p>,
    steps: &'j mut Vec<Step>,
    violation: Option<Violation>,
    failed: bool,
}

impl Observer for CheckingObserver<'_, '_> {
    fn synced(&mut self, world: &World, steps: Vec<Step>, sync: &Sync) -> ControlFlow<()> {
        self.failed |= sync.error.is_some();
        if steps.is_empty() {
            return ControlFlow::Continue(());
        }
        self.happened(world, steps)
    }

    fn happened(&mut self, world: &World, mut steps: Vec<Step>) -> ControlFlow<()> {
        self.steps.append(&mut steps);
        self.violation = self.checker.violation(world);
        match self.violation {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        }
    }
}

/// Lets the controller sync until it is done, and appends the steps. Returns whether a sync failed.
///
/// # Errors
/// When a state violates the property, or the controller is never done.
pub(super) fn run_until_stable_checked(
    world: &mut World,
    behaviour: &Behaviour,
    checker: &mut PropertyChecker<'_>,
    steps: &mut Vec<Step>,
) -> Result<bool, Wrong> {
    let mut observer = CheckingObserver {
        checker,
        steps,
        violation: None,
        failed: false,
    };
    let mut spent = Spent::new(world);
    let settled = run_until_stable(world, behaviour, false, None, &mut spent, &mut observer);
    match (observer.violation, settled) {
        (Some(violation), _) => Err(Wrong::Violation(violation)),
        (None, ControlFlow::Break(StopReason::Exhausted(_))) => Err(Wrong::Endless),
        _ => Ok(observer.failed),
    }
}
