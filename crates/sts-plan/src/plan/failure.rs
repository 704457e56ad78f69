//! Plans in which pods fail.

use std::sync::Arc;

use jiff::SignedDuration;

use super::Plan;
use sts_controller::object::Ready;

/// A pod that fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The pod.
    pub pod: Arc<str>,
    /// Its revision: on any other one it becomes ready.
    pub revision: Arc<str>,
    /// When it should have become ready, since the beginning.
    pub at: SignedDuration,
    /// True if it is ready now and stops being so, until another pod takes its place.
    pub was_ready: bool,
}

impl Plan {
    /// The same plan if these pods failed: no pod of such a name ever becomes ready on its revision, or the one that is
    /// ready now is not any more.
    pub(crate) fn assuming_failures<'f>(
        &self,
        failures: impl Iterator<Item = &'f Failure>,
    ) -> Plan {
        let mut conditions = self.conditions.clone();
        let mut snapshot = self.stored().into_owned();
        for failure in failures {
            let assumed = conditions.assumptions.entry(failure.pod.to_string());
            let assumed = assumed.or_default();
            if !failure.was_ready {
                assumed.broken_on = Some(Arc::clone(&failure.revision));
            } else if let Some(pod) = snapshot.pods.get_mut(&failure.pod) {
                assumed.stays_unready = Some(Arc::clone(&pod.meta.uid));
                Arc::make_mut(pod).ready = Some(Ready {
                    is_true: false,
                    since: Some(conditions.now),
                });
            }
        }
        Plan::with_actions(self.actions.clone(), snapshot, conditions)
    }
}
