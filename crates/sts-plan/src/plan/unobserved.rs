//! Change of the set that the controller has not observed.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::stopped::{acts, stopped};
use super::{Conditions, Plan};
use crate::catalogue::Situation;
use sts_controller::controller::Sync;
use sts_controller::object::{Snapshot, time};

/// Delay from which the controller counts as late.
const LATE: SignedDuration = SignedDuration::from_secs(15);

/// Generation of the set that the controller has not observed, or work that a stopped controller does not do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unobserved {
    /// Generation of the set.
    pub generation: i64,
    /// Generation that the controller has observed.
    pub observed: i64,
    /// Time since the specification was written, if `managedFields` or the time of a restart show it, or since the
    /// controller stopped.
    pub age: Option<SignedDuration>,
    /// Sentence about the pod or the lease that shows that the controller does not run; `None` if only the generation does.
    pub stopped: Option<Arc<str>>,
}

impl Unobserved {
    /// Returns the generation of a set that its status does not show.
    fn of(snapshot: &Snapshot, now: Timestamp) -> Option<Self> {
        let (set, status) = (&snapshot.set, &snapshot.status);
        let is_behind =
            status.observed_generation > 0 && status.observed_generation < set.generation;
        is_behind.then(|| {
            let at = written(&set.object.open()).or_else(|| restarted(snapshot));
            Unobserved {
                generation: set.generation,
                observed: status.observed_generation,
                age: at.map(|at| now.duration_since(at)),
                stopped: None,
            }
        })
    }

    /// Returns the generation if the controller does not run while it has something to do, or has not observed the
    /// generation for longer than the catalogue has patience: it acts no more.
    pub(super) fn of_inactive(
        snapshot: &Snapshot,
        next: &Sync,
        conditions: &Conditions,
    ) -> Option<Self> {
        let unobserved = Unobserved::of(snapshot, conditions.now);
        if (unobserved.is_some() || acts(next))
            && let Some(stopped) = stopped(conditions)
        {
            let since = stopped.since.map(|at| conditions.now.duration_since(at));
            return Some(Unobserved {
                generation: snapshot.set.generation,
                observed: snapshot.status.observed_generation,
                age: unobserved.and_then(|it| it.age).or(since),
                stopped: Some(stopped.shown.into()),
            });
        }
        let unobserved = unobserved?;
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
        let is_stored = self.actions.is_empty() && self.change.is_empty();
        let unobserved = Unobserved::of(&self.snapshot, self.conditions.now);
        unobserved.filter(|_| is_stored)
    }
}

/// Annotation of the pod template with the time of `kubectl rollout restart`.
const RESTARTED: &str = "kubectl.kubernetes.io/restartedAt";

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

/// Returns the time of the restart in a template that no controller has recorded yet: `kubectl get` omits managed fields.
fn restarted(snapshot: &Snapshot) -> Option<Timestamp> {
    let at = |template: &Value| -> Option<Timestamp> {
        time(template["metadata"]["annotations"][RESTARTED].as_str()?)
    };
    let set = snapshot.set.object.open();
    let wanted = at(&set["spec"]["template"])?;
    let recorded = snapshot.revisions.get(&snapshot.status.update_revision)?;
    (at(recorded.template()?) < Some(wanted)).then_some(wanted)
}
