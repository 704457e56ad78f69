//! Change of the set that the controller has not observed.

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::{Conditions, Plan};
use crate::catalogue::Situation;
use sts_controller::object::{Set, Snapshot, Status, time};

/// Delay from which the controller counts as late.
const LATE: SignedDuration = SignedDuration::from_secs(15);

/// Generation of the set that the controller has not observed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unobserved {
    /// Generation of the set.
    pub generation: i64,
    /// Generation that the controller has observed.
    pub observed: i64,
    /// Time since the specification was written, if `managedFields` show it.
    pub age: Option<SignedDuration>,
}

impl Unobserved {
    /// Returns the generation of a set that its status does not show.
    fn of(set: &Set, status: &Status, now: Timestamp) -> Option<Self> {
        let is_behind =
            status.observed_generation > 0 && status.observed_generation < set.generation;
        is_behind.then(|| Unobserved {
            generation: set.generation,
            observed: status.observed_generation,
            age: written(&set.object.open()).map(|at| now.duration_since(at)),
        })
    }

    /// Returns the generation if the controller has not observed it for longer than the catalogue has patience: it acts no
    /// more.
    pub(super) fn of_inactive(snapshot: &Snapshot, conditions: &Conditions) -> Option<Self> {
        let unobserved = Unobserved::of(&snapshot.set, &snapshot.status, conditions.now)?;
        let behind = Situation::ControllerBehind;
        let entry = conditions.catalogue.of_situation(behind)?;
        (unobserved.age? > entry.patience()).then_some(unobserved)
    }

    /// Reports whether the controller is known to be late.
    #[must_use]
    pub fn is_late(&self) -> bool {
        self.age.is_some_and(|age| age > LATE)
    }
}

impl Plan {
    /// Returns the stored generation that the controller has not observed; `None` if the change belongs to the
    /// plan.
    pub(crate) fn unobserved(&self) -> Option<Unobserved> {
        let (set, status) = (&self.snapshot.set, &self.snapshot.status);
        let is_stored = self.actions.is_empty() && self.change.is_empty();
        let unobserved = Unobserved::of(set, status, self.conditions.now);
        unobserved.filter(|_| is_stored)
    }
}

/// Returns when the specification of an object was last written.
fn written(object: &Value) -> Option<Timestamp> {
    let entries = object["metadata"]["managedFields"].as_array()?;
    let of_spec = entries.iter().filter(|entry| {
        entry["subresource"].as_str().is_none_or(str::is_empty)
            && entry["fieldsV1"].get("f:spec").is_some()
    });
    of_spec
        .filter_map(|entry| time(entry["time"].as_str()?))
        .max()
}
