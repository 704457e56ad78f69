//! STS010: the partition holds back every pod.

use super::rule::{Check, Found, Rule, RuleId, Severity};
use crate::plan::Plan;

pub(super) const RULE: Rule = Rule {
    id: RuleId::PartitionAboveReplicas,
    name: "partition-at-or-above-replicas",
    title: "the partition is at or above the number of replicas, so no pod is updated",
    why: "A rolling update replaces the pods at or above the partition. If there are none, a new template only changes the \
          status, without an event. This is a way to stage an update, and is often left over from one.",
    severities: &[Severity::Info, Severity::Warning],
    happens: None,
    remedy: "Lower the partition step by step; kubectl sts-plan NAME --partition N shows what each step does:\n  kubectl \
             patch sts NAME --type merge -p '{\"spec\":{\"updateStrategy\":{\"rollingUpdate\":{\"partition\":0}}}}'",
    links: &[
        "https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#partitions",
        "https://github.com/kubernetes/kubernetes/issues/70442",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let set = &plan.snapshot.set;
    let partition = set.strategy.partition();
    if partition <= 0 || partition < set.replicas || set.replicas == 0 || plan.deletion().is_some()
    {
        return Vec::new();
    }
    let held = plan.tally().held_by_partition;
    let (severity, what) = if held > 0 {
        let waits = format!(
            "none of {held} outdated pods is updated to {}",
            plan.last.status.update_revision
        );
        (Severity::Warning, waits)
    } else {
        (
            Severity::Info,
            "a new template will not reach any pod".to_owned(),
        )
    };
    let message = format!(
        "partition {partition} is at or above {} replicas: {what} until it is lowered",
        set.replicas
    );
    vec![Found::on_set(severity, plan, message)]
}
