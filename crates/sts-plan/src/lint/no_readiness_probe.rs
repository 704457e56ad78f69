//! STS040: without a readiness probe, the rollout does not wait until a pod serves.

use super::id::RuleId;
use super::rule::{Check, Found, Rule, Severity};
use crate::plan::Plan;

pub(super) const RULE: Rule = Rule {
    id: RuleId::NoReadinessProbe,
    name: "no-readiness-probe",
    title: "no container has a readiness probe: the rollout continues as soon as a pod runs, before it serves",
    why: "Without a readiness probe, a container is ready as soon as it runs. The controller then takes down the next pod \
          while this one is still starting, and a broken release reaches every pod.",
    severities: &[Severity::Info],
    happens: None,
    remedy: "Add a readinessProbe to the serving container. If that is not possible, set minReadySeconds to slow down the \
             rollout.",
    links: &[
        "https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let tally = plan.tally();
    let set = &plan.snapshot.set;
    // No other pod waits for a single one.
    if !plan.completes()
        || tally.replaced + tally.created == 0
        || set.replicas < 2
        || set.min_ready_seconds > 0
    {
        return Vec::new();
    }
    let spec = &set.template["spec"];
    let gates = spec["readinessGates"].as_array();
    let containers = spec["containers"].as_array();
    let probed = containers
        .into_iter()
        .flatten()
        .any(|container| !container["readinessProbe"].is_null());
    if probed || gates.is_some_and(|gates| !gates.is_empty()) {
        return Vec::new();
    }
    let message = "no container has a readiness probe: the rollout continues as soon as a pod runs, before it serves";
    vec![Found::on_set(Severity::Info, plan, message.to_owned())]
}
