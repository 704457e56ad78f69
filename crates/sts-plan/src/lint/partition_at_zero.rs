//! STS028: scaling to 0 loses the revision that a partition holds.

use super::rule::{Check, Found, Rule, RuleId, Severity};
use crate::plan::{Outcome, Plan};

pub(super) const RULE: Rule = Rule {
    id: RuleId::PartitionAtZero,
    name: "partition-lost-at-zero",
    title: "a set with a partition is scaled to 0 and comes back entirely on the new revision",
    why: "Without pods, the update counts as complete, so status.currentRevision becomes the update revision. When the set \
          is scaled up again, the pods below the partition are created from the current revision, which is now the new \
          one.",
    severities: &[Severity::Warning],
    happens: None,
    remedy: "Before you scale to 0, roll the template back to the revision that the held pods should keep.",
    links: &["https://github.com/kubernetes/kubernetes/issues/121534"],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let set = &plan.snapshot.set;
    let partition = set.strategy.partition();
    let before = &plan.snapshot.status;
    let after = &plan.last.status;
    let lost = set.replicas == 0
        && partition > 0
        && matches!(plan.outcome, Outcome::Complete)
        && !before.current_revision.is_empty()
        && before.current_revision != after.update_revision
        && after.current_revision == after.update_revision;
    if !lost {
        return Vec::new();
    }
    let message = format!(
        "at 0 replicas {} becomes the current revision: after a scale-up, pods below partition {partition} are created on \
         it, not on {}",
        after.update_revision, before.current_revision
    );
    vec![Found::on_set(Severity::Warning, plan, message)]
}
