//! STS053: the set counts as complete while a partition holds pods on the old revision.

use super::rule::{Check, Found, Rule, RuleId, Severity};
use crate::plan::Plan;
use sts_controller::controller::ordinal_of;
use sts_controller::version::{Completion, PassStyle};

pub(super) const RULE: Rule = Rule {
    id: RuleId::HeldPodMoves,
    name: "held-pod-moves",
    title: "a pod that a partition holds is created on the new revision the next time",
    why: "These versions compare the counters of the status with each other, not with spec.replicas. While a held pod is \
          being created again, all existing pods are updated and ready, so the rollout counts as complete and \
          status.currentRevision becomes the new revision. The next held pod that is created is on the new revision.",
    severities: &[Severity::Warning],
    happens: Some(|behaviour| {
        (behaviour.pass, behaviour.completion) == (PassStyle::Batched, Completion::AgainstStatus)
    }),
    remedy: "Do not delete held pods, and do not drain their nodes, before the controller manager is 1.27.8, 1.28.4 or \
             newer. To keep the old revision for all of them, roll the template back.",
    links: &[
        "https://github.com/kubernetes/kubernetes/issues/119685",
        "https://github.com/kubernetes/kubernetes/pull/120731",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let end = plan.predicted().objects();
    let partition = i64::from(plan.snapshot.set.strategy.partition());
    let status = &plan.last.status;
    let completes_early = status.current_revision == status.update_revision;
    if partition == 0 || !completes_early || plan.deletion().is_some() {
        return Vec::new();
    }
    let ordinals = plan.conditions.behaviour.ordinals(&plan.snapshot.set);
    let below = ordinals.start + partition;
    let held = end.pods.values().filter(|pod| {
        let is_old = pod.revision != status.update_revision;
        is_old && (ordinals.start..below).contains(&ordinal_of(&pod.meta.name))
    });
    let held: Vec<&str> = held.map(|pod| &*pod.meta.name).collect();
    if held.is_empty() {
        return Vec::new();
    }
    let message = format!(
        "partition {partition} no longer holds {}: the rollout counts as complete, and a held pod that is deleted now is \
         created on {}",
        held.join(", "),
        status.update_revision
    );
    vec![Found::on_set(Severity::Warning, plan, message)]
}
