//! STS021: two sets select each other's pods.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::cross_set::NamespaceSets;
use super::rule::{Check, Found, Rule, RuleId, Severity, list_of};
use sts_controller::object::{Labels, Selector};

pub(super) const RULE: Rule = Rule {
    id: RuleId::OverlappingSelectors,
    name: "overlapping-selectors",
    title: "two sets of a namespace select each other's pods",
    why: "A set selects its pods by labels, then by owner and name. Sets with overlapping selectors ignore each other's pods \
          while each pod has its owner. But Services, budgets and autoscalers with the same selector count both, and the \
          wrong set may adopt an orphaned pod.",
    severities: &[Severity::Warning],
    happens: None,
    remedy: "Give each set a unique label, in spec.selector and in the template. A selector cannot be changed: recreate the \
             set (plan it with --delete=orphan --apply FILE).",
    links: &[
        "https://github.com/kubernetes/kubernetes/issues/36859",
        "https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#pod-selector",
    ],
    check: Check::Across(check),
};

fn check(room: &NamespaceSets<'_>) -> Vec<(usize, Found)> {
    // All sets with the labels of their pods, indexed by label.
    let mut sets: Vec<(&Arc<str>, &Labels)> = room
        .planned
        .iter()
        .map(|(_, brief)| (&brief.name, &brief.pod_labels))
        .collect();
    let planned: BTreeSet<&Arc<str>> = sets.iter().map(|(name, _)| *name).collect();
    let stored = room.related.sets(room.namespace);
    let others = stored.filter(|set| !planned.contains(&set.name));
    sets.extend(others.map(|set| (&set.name, &*set.pod_labels)));
    let mut by_label: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for (at, (_, labels)) in sets.iter().enumerate() {
        for (key, value) in *labels {
            by_label.entry((key, value)).or_default().push(at);
        }
    }
    let all: Vec<usize> = (0..sets.len()).collect();
    let matched_by = |selector: &Selector| -> BTreeSet<&str> {
        let rarest = selector
            .match_labels
            .iter()
            .map(|(key, value)| {
                by_label
                    .get(&(&**key, &**value))
                    .map_or(&[][..], Vec::as_slice)
            })
            .min_by_key(|candidates| candidates.len());
        rarest
            .unwrap_or(&all)
            .iter()
            .map(|at| &sets[*at])
            .filter(|(_, labels)| selector.matches(labels))
            .map(|(name, _)| &***name)
            .collect()
    };
    // All sets of a chart may have the same selector.
    let mut known: BTreeMap<(&Labels, String), BTreeSet<&str>> = BTreeMap::new();
    let mut found = Vec::new();
    for (at, brief) in &room.planned {
        let Some(selector) = &brief.selector else {
            continue;
        };
        let key = (
            &selector.match_labels,
            format!("{:?}", selector.match_expressions),
        );
        let matched = known.entry(key).or_insert_with(|| matched_by(selector));
        let others = matched.len() - usize::from(matched.contains(&*brief.name));
        if others > 0 {
            let names = matched.iter().copied();
            let names = list_of(others, names.filter(|name| *name != &*brief.name));
            let message = format!("the selector also matches the pods of {names}");
            let object = format!("statefulset/{}", brief.name);
            found.push((*at, Found::new(Severity::Warning, object, message)));
        }
    }
    found
}
