//! STS031: a pod is Failed or Succeeded.

use std::sync::Arc;

use super::rule::{Check, Found, Rule, RuleId, Severity};
use crate::explain::with_message;
use crate::plan::{Plan, owns, pods_of};
use sts_controller::object::{Phase, Pod};
use sts_controller::version::FinishedPods;

pub(super) const RULE: Rule = Rule {
    id: RuleId::FinishedPod,
    name: "finished-pod",
    title: "a pod is in phase Failed or Succeeded",
    why: "The pods of a set are expected to run forever. A pod that was evicted or that exited is deleted and recreated \
          immediately and without backoff, every time. Versions before 1.27.9 and 1.28.5 only recreate Failed pods, not \
          Succeeded ones.",
    severities: &[Severity::Info, Severity::Warning],
    happens: None,
    remedy: "Find the reason (kubectl describe pod POD: evicted, out of disk, preempted). If this version does not recreate \
             the pod, delete it.",
    links: &[
        "https://github.com/kubernetes/kubernetes/issues/89067",
        "https://github.com/kubernetes/kubernetes/issues/120398",
        "https://github.com/kubernetes/kubernetes/issues/121920",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let behaviour = &plan.conditions.behaviour;
    // Only the few finished pods are parsed.
    let has_ended = |pod: &&Arc<Pod>| pod.phase.has_ended();
    let pods = pods_of(&plan.snapshot)
        .filter(has_ended)
        .filter(|pod| owns(&plan.snapshot, pod));
    let found = pods.filter_map(|pod| {
        let name = &pod.meta.name;
        let (reason, message) = pod.status_reason();
        let why = match with_message(&reason, &message).as_str() {
            "" => String::new(),
            why => format!(" ({why})"),
        };
        let is_kept = behaviour.finished_pods == FinishedPods::FailedRecreated;
        let (severity, message) = match pod.phase {
            Phase::Succeeded if is_kept => (
                Severity::Warning,
                format!(
                    "{name} is Succeeded{why}, and Kubernetes {} never recreates such a pod: delete it",
                    behaviour.version
                ),
            ),
            Phase::Succeeded | Phase::Failed => (
                Severity::Info,
                format!(
                    "{name} is {}{why}: the controller recreates it immediately, every time",
                    pod.phase.name()
                ),
            ),
            _ => return None,
        };
        Some(Found::on_pod(severity, name, message))
    });
    found.collect()
}
