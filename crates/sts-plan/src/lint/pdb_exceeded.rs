//! STS015: a rollout takes down more pods than a PodDisruptionBudget allows to be evicted.

use super::rule::{Check, Found, Rule, RuleId, Severity, count};
use crate::duration::spell;
use crate::plan::{Availability, Plan};
use sts_controller::object::labels_of;

pub(super) const RULE: Rule = Rule {
    id: RuleId::PdbExceeded,
    name: "pdb-exceeded",
    title: "the rollout takes down more pods at once than a PodDisruptionBudget allows",
    why: "A PodDisruptionBudget limits evictions, such as those of kubectl drain. The StatefulSet controller deletes pods \
          instead, which no budget limits. During the rollout its pods count as disrupted, so drains wait.",
    severities: &[Severity::Warning],
    happens: None,
    remedy: "Limit the rollout itself: use OrderedReady, which replaces one pod at a time, or Parallel with maxUnavailable \
             if its feature gate is on. Run at least one more pod than the budget requires.",
    links: &[
        "https://github.com/kubernetes/kubernetes/issues/89820",
        "https://github.com/kubernetes/kubernetes/issues/91808",
        "https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-budgets",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let set = &plan.snapshot.set;
    if plan.tally().replaced == 0 {
        return Vec::new();
    }
    let labels = labels_of(&set.template);
    let course = Availability::of(plan);
    let down = i64::try_from(course.most_down).unwrap_or(i64::MAX);
    let budgets = plan.related.budgets(&set.meta.namespace);
    budgets
        .filter(|budget| budget.covers(&labels))
        .filter_map(|budget| {
            let allowed = budget.allows(i64::from(set.replicas))?;
            if down <= allowed {
                return None;
            }
            let name = &budget.meta.name;
            let message = format!(
                "PodDisruptionBudget {name} allows {allowed} of {} to be unavailable, but does not limit the rollout, which \
                 takes down {} at +{}",
                count(usize::try_from(set.replicas).unwrap_or(0), "pod"),
                course.most_down,
                spell(course.most_down_at)
            );
            let object = format!("poddisruptionbudget/{name}");
            Some(Found::new(Severity::Warning, object, message))
        })
        .collect()
}
