//! STS021: two sets select one another's pods.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::cross_set::NamespaceSets;
use super::rule::{Check, Found, Rule, RuleId, Severity, list_of};
use sts_controller::object::{Labels, Selector};

pub(super) const RULE: Rule = Rule {
    id: RuleId::OverlappingSelectors,
    name: "overlapping-selectors",
    title: "two sets of a namespace select each other's pods",
    why: "A set finds its pods by labels, and keeps those that it owns and whose names fit. Sets with overlapping \
          selectors leave each other's pods alone as long as each pod has its owner; but Services, budgets and \
          autoscalers with the same selector count both, and the wrong set may adopt an orphaned pod.",
    severities: &[Severity::Warning],
    happens: None,
    remedy: "Give each set a label of its own, in spec.selector and in the template. A selector cannot be changed: \
             recreate the set (--delete=orphan --apply FILE shows what that does).",
    links: &[
        "https://github.com/kubernetes/kubernetes/issues/36859",
        "https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#pod-selector",
    ],
    check: Check::Across(check),
};

fn check(room: &NamespaceSets<'_>) -> Vec<(usize, Found)> {
    // Every set with the labels of its pods, found by each of them.
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
    // Sets of one chart may all have one selector.
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
            let message = format!("its selector matches the pods of {names} as well");
            let object = format!("statefulset/{}", brief.name);
            found.push((*at, Found::new(Severity::Warning, object, message)));
        }
    }
    found
}
