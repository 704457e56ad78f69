//! STS031: a pod has come to an end.

use std::sync::Arc;

use super::rule::{Check, Found, Rule, RuleId, Severity};
use crate::explain::with_message;
use crate::plan::{Plan, owns, pods_of};
use sts_controller::object::{Phase, Pod};
use sts_controller::version::FinishedPods;

pub(super) const RULE: Rule = Rule {
    id: RuleId::FinishedPod,
    name: "finished-pod",
    title: "a pod has ended in phase Failed or Succeeded",
    why: "A pod of a set is meant to run forever. One that was evicted or ended by itself is deleted and recreated at \
          once, without any backoff, however often that happens. Versions before 1.27.9 and 1.28.5 did so for Failed \
          pods only, and left Succeeded ones alone.",
    severities: &[Severity::Info, Severity::Warning],
    happens: None,
    remedy: "Look at why it ended (kubectl describe pod POD: evicted, out of disk, preempted). Where this version leaves it \
             lie, delete it.",
    links: &[
        "https://github.com/kubernetes/kubernetes/issues/89067",
        "https://github.com/kubernetes/kubernetes/issues/120398",
        "https://github.com/kubernetes/kubernetes/issues/121920",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let behaviour = &plan.conditions.behaviour;
    // Most have not ended, and then their objects are not looked into.
    let has_ended = |pod: &&Arc<Pod>| matches!(pod.phase, Phase::Succeeded | Phase::Failed);
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
        let left_alone = behaviour.finished_pods == FinishedPods::FailedRecreated;
        let (severity, message) = match pod.phase {
            Phase::Succeeded if left_alone => (
                Severity::Warning,
                format!(
                    "{name} has ended in phase Succeeded{why}, and Kubernetes {} never replaces such a pod: delete it",
                    behaviour.version
                ),
            ),
            Phase::Succeeded | Phase::Failed => (
                Severity::Info,
                format!(
                    "{name} has ended in phase {}{why}: it is deleted and recreated at once, as often as that happens",
                    pod.phase.name()
                ),
            ),
            _ => return None,
        };
        Some(Found::on_pod(severity, name, message))
    });
    found.collect()
}
