//! Number of ready pods over the course of a saved plan.

use std::collections::BTreeSet;

use crate::report::{SavedPlan, StepEvent};
use sts_controller::controller::{Resource, Verb};
use sts_controller::simulate::{ObjectEvent, PodEvent};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Availability {
    /// Times of change in seconds since the start, with the number from then on.
    points: Vec<(i64, i64)>,
    end: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Span {
    /// Seconds, at most until the end of the plan.
    pub(super) seconds: i64,
    pub(super) lasts: bool,
}

impl Availability {
    pub(super) fn new(plan: &SavedPlan) -> Self {
        let pods = plan.set.pods.iter();
        let pods = pods.filter(|pod| pod.owned && pod.ready && !pod.terminating);
        let mut ready: BTreeSet<&str> = pods.map(|pod| &*pod.name).collect();
        let mut points = vec![(0, count(&ready))];
        for step in &plan.steps {
            for write in step.writes.iter().flatten() {
                let deletes = write.resource == Resource::Pods && write.verb == Verb::Delete;
                if deletes && !write.is_refused() {
                    ready.remove(&*write.name);
                }
            }
            if let (Some(event), Some(name)) = (step.event, step.name.as_deref()) {
                match event {
                    StepEvent::Pod(PodEvent::Ready) => {
                        ready.insert(name);
                    }
                    StepEvent::Pod(PodEvent::Removed | PodEvent::Failed)
                    | StepEvent::Object(ObjectEvent::PodDeleted) => {
                        ready.remove(name);
                    }
                    StepEvent::Pod(PodEvent::Available)
                    | StepEvent::ClaimRemoved
                    | StepEvent::Object(_) => {}
                }
            }
            let now = count(&ready);
            match points.last_mut() {
                Some((last, number)) if *last == step.at => *number = now,
                Some((_, number)) if *number == now => {}
                _ => points.push((step.at, now)),
            }
        }
        Availability {
            points,
            end: plan.outcome.at,
        }
    }

    pub(super) fn below(&self, least: i64) -> Span {
        let ends = self.points.iter().skip(1).map(|(at, _)| *at);
        let ends = ends.chain([self.end]);
        let spans = self.points.iter().zip(ends);
        let below = spans.filter(|((_, number), _)| *number < least);
        Span {
            seconds: below.map(|((from, _), to)| (to - from).max(0)).sum(),
            lasts: self
                .points
                .last()
                .is_some_and(|(_, number)| *number < least),
        }
    }

    /// Returns the maximum number of unready pods, out of `of`.
    pub(super) fn most_unready(&self, of: i64) -> i64 {
        let unready = self.points.iter().map(|(_, number)| (of - number).max(0));
        unready.max().unwrap_or(0)
    }
}

fn count(ready: &BTreeSet<&str>) -> i64 {
    i64::try_from(ready.len()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn time_below_a_number_is_counted_between_steps() {
        let mut plan = json!({
            "apiVersion": "sts-plan/v1",
            "kind": "Plan",
            "metadata": {"namespace": "prod", "name": "a"},
            "kubernetes": {"version": "1.36", "source": "flag", "featureGates": {}},
            "now": "2026-01-01T00:00:00Z",
            "set": {
                "replicas": 2, "podManagementPolicy": "OrderedReady", "updateStrategy": "RollingUpdate",
                "minReadySeconds": 0, "currentRevision": "a-1", "updateRevision": "a-2", "claimTemplates": [],
                "status": {"replicas": 2},
            },
            "change": [],
            "steps": [
                {"at": 0, "actor": "controller",
                 "writes": [{"resource": "pods", "verb": "delete", "name": "a-1"}]},
                {"at": 5, "actor": "kubelet", "event": "PodRemoved", "name": "a-1"},
                {"at": 30, "actor": "kubelet", "event": "PodReady", "name": "a-1"},
                {"at": 30, "actor": "controller",
                 "writes": [{"resource": "pods", "verb": "delete", "name": "a-0"}]},
            ],
            "outcome": {"result": "complete", "at": 40, "syncs": 1, "blockedBy": [],
                        "status": {"replicas": 2}, "pods": [], "claims": []},
            "findings": [],
            "assumptions": [],
            "summary": "",
        });
        let pod = |name: &str, owned: bool| {
            json!({"name": name, "revision": "a-1", "phase": "Running", "ready": true, "available": true,
                   "terminating": false, "owned": owned, "fate": "replaced"})
        };
        plan["set"]["pods"] = json!([pod("a-0", true), pod("a-1", true), pod("a-2", false)]);
        let availability = Availability::new(&SavedPlan::from_json(&plan).unwrap());
        let below = |least| availability.below(least);
        assert_eq!(
            below(1),
            Span {
                seconds: 0,
                lasts: false
            }
        );
        assert_eq!(
            below(2),
            Span {
                seconds: 40,
                lasts: true
            }
        );
        assert_eq!(availability.most_unready(2), 1);
    }
}
