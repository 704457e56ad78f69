//! STS055: an autoscaler and another manager set the replicas in turn.

use super::rule::{Check, Found, Rule, RuleId, Severity};
use crate::plan::Plan;

pub(super) const RULE: Rule = Rule {
    id: RuleId::ReplicasContested,
    name: "replicas-contested",
    title: "an autoscaler and another manager set spec.replicas in turn, and pods are created and deleted again and again",
    why: "A HorizontalPodAutoscaler, also that of a KEDA ScaledObject, sets spec.replicas. If the source of the set has a \
          number too, each sync of Argo CD or Flux sets it back, and neither ends. Every turn creates pods and deletes \
          them; with whenScaled: Delete, their claims and data go with them.",
    severities: &[Severity::Warning],
    happens: None,
    remedy: "Remove spec.replicas from the source of the set, and let the tool ignore the field: in Argo CD with \
             ignoreDifferences for /spec/replicas and RespectIgnoreDifferences=true. Or delete the autoscaler.",
    links: &[
        "https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#migrating-deployments-and-statefulsets-to-horizontal-autoscaling",
        "https://argo-cd.readthedocs.io/en/stable/user-guide/best_practices/#leaving-room-for-imperativeness",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let found = plan.contest().map(|contest| {
        let (autoscaler, bounds, manager) = (&contest.autoscaler, &contest.bounds, &contest.manager);
        let message = format!(
            "{autoscaler} ({bounds} replicas) and {manager} set spec.replicas in turn, now {}, without end ({contest}): \
             remove spec.replicas from the source of the set, or let {manager} ignore it",
            plan.snapshot.set.replicas
        );
        Found::on_set(Severity::Warning, plan, message)
    });
    found.into_iter().collect()
}
