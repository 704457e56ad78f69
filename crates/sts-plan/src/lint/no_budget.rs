//! STS043: no PodDisruptionBudget covers a set of three pods or more.

use super::id::RuleId;
use super::rule::{Check, Found, Rule, Severity};
use crate::plan::{InputKind, Plan};
use sts_controller::object::labels_of;

pub(super) const RULE: Rule = Rule {
    id: RuleId::NoBudget,
    name: "no-budget",
    title: "no PodDisruptionBudget covers a set of three replicas or more",
    why: "Without a budget, a drain may evict any number of the set's pods. A rollout consults no budget, so a drain \
          may take a second pod during one.",
    severities: &[Severity::Info],
    happens: None,
    remedy: "Create a PodDisruptionBudget with maxUnavailable: 1 and the set's labels as its selector.",
    links: &["https://kubernetes.io/docs/tasks/run-application/configure-pdb/"],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let set = &plan.snapshot.set;
    let mut budgets = plan.related.budgets(&set.meta.namespace).peekable();
    // Files without any say nothing about them.
    let knows = plan.conditions.input == InputKind::Complete || budgets.peek().is_some();
    if !plan.completes() || set.replicas < 3 || !knows || plan.tally().replaced == 0 {
        return Vec::new();
    }
    let labels = labels_of(&set.template);
    if budgets.any(|budget| budget.covers(&labels)) {
        return Vec::new();
    }
    let message = format!(
        "no PodDisruptionBudget covers the set's {} pods: a drain may take more of them while the rollout has one down",
        set.replicas
    );
    vec![Found::on_set(Severity::Info, plan, message)]
}
