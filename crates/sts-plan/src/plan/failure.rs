//! Plans in which pods fail.

use std::sync::Arc;

use jiff::SignedDuration;

use super::Plan;
use crate::down_nodes;
use sts_controller::object::Ready;
use sts_controller::simulate::NodeLoss;

/// Pod that fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Pod name.
    pub pod: Arc<str>,
    /// Revision on which the pod fails; it becomes ready on any other.
    pub revision: Arc<str>,
    /// Time since the start: the predicted readiness, or the failure of a pod that is ready now.
    pub at: SignedDuration,
    /// True if the pod is ready now and stays unready until it is replaced.
    pub was_ready: bool,
}

impl Plan {
    /// Plans again with these failures: the pods never become ready on their revisions, or lose their readiness.
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
                continue;
            }
            let Some(pod) = snapshot.pods.get_mut(&failure.pod) else {
                continue;
            };
            assumed.stays_unready = Some(Arc::clone(&pod.meta.uid));
            match conditions.now.checked_add(failure.at) {
                Ok(at) if at > conditions.now => {
                    let loss = NodeLoss {
                        unready: Some(at),
                        ..NodeLoss::default()
                    };
                    let agenda = &mut Arc::make_mut(&mut conditions.outage).agenda;
                    agenda.extend(down_nodes::actions(pod, loss));
                }
                _ => {
                    Arc::make_mut(pod).ready = Some(Ready {
                        is_true: false,
                        since: Some(conditions.now),
                    });
                }
            }
        }
        Plan::with_actions(self.actions.clone(), snapshot, conditions)
    }
}
