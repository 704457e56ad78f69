//! STS016: several sets that roll at the same time share a PodDisruptionBudget.

use super::cross_set::{NamespaceSets, SetSummary};
use super::rule::{Check, Found, Rule, RuleId, Severity, list};

pub(super) const RULE: Rule = Rule {
    id: RuleId::BudgetShared,
    name: "budget-shared",
    title: "several sets under one PodDisruptionBudget roll at the same time",
    why: "Each set replaces its pods one by one, but sets do not coordinate. When one change reaches several sets, a pod of \
          each is down at the same time. The shared budget does not prevent that.",
    severities: &[Severity::Warning],
    happens: None,
    remedy: "Roll out one set after the other: apply them one by one. Or hold all but one with a partition at or above its \
             replicas, and lower the partition when the previous set is done.",
    links: &[
        "https://github.com/kubernetes/kubernetes/issues/89820",
        "https://github.com/kubernetes/kubernetes/issues/95374",
    ],
    check: Check::Across(check),
};

fn check(room: &NamespaceSets<'_>) -> Vec<(usize, Found)> {
    let mut found = Vec::new();
    let rolling = || {
        room.planned
            .iter()
            .filter(|(_, brief)| brief.most_down.is_some())
    };
    for budget in room.related.budgets(room.namespace) {
        let together: Vec<&(usize, &SetSummary)> = rolling()
            .filter(|(_, brief)| budget.covers(&brief.pod_labels))
            .collect();
        if together.len() < 2 {
            continue;
        }
        let down: usize = together
            .iter()
            .filter_map(|(_, brief)| brief.most_down)
            .sum();
        let name = &budget.meta.name;
        let message = format!(
            "{} sets under PodDisruptionBudget {name} roll at the same time ({}): up to {down} of its pods are down at \
             once, which the budget does not prevent",
            together.len(),
            list(together.iter().map(|(_, brief)| &*brief.name))
        );
        for (at, _) in together {
            let object = format!("poddisruptionbudget/{name}");
            let message = message.clone();
            found.push((*at, Found::new(Severity::Warning, object, message)));
        }
    }
    found
}
