//! STS043: no PodDisruptionBudget covers a set with three or more replicas.

use super::id::RuleId;
use super::rule::{Check, Found, Rule, Severity};
use crate::plan::{InputKind, Plan};
use sts_controller::object::labels_of;

pub(super) const RULE: Rule = Rule {
    id: RuleId::NoBudget,
    name: "no-budget",
    title: "no PodDisruptionBudget covers a set with three or more replicas",
    why: "Without a budget, a drain can evict any number of the set's pods. During a rollout, a drain can take down a second \
          pod.",
    severities: &[Severity::Info],
    happens: None,
    remedy: "Create a PodDisruptionBudget with maxUnavailable: 1 and the set's labels as its selector.",
    links: &["https://kubernetes.io/docs/tasks/run-application/configure-pdb/"],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let set = &plan.snapshot.set;
    let mut budgets = plan.related.budgets(&set.meta.namespace).peekable();
    // Files without budgets do not show whether there are any.
    let knows = plan.conditions.input == InputKind::Complete || budgets.peek().is_some();
    if !plan.completes() || set.replicas < 3 || !knows || plan.tally().replaced == 0 {
        return Vec::new();
    }
    let labels = labels_of(&set.template);
    if budgets.any(|budget| budget.covers(&labels)) {
        return Vec::new();
    }
    let message = format!(
        "no PodDisruptionBudget covers the set's {} pods: a drain can take down more pods during the rollout",
        set.replicas
    );
    vec![Found::on_set(Severity::Info, plan, message)]
}
