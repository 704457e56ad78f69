//! STS021: two sets select one another's pods.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::across::{Room, pod_labels};
use super::rule::{Check, Found, Rule, RuleId, Severity, list};
use sts_controller::object::Labels;

pub(super) const RULE: Rule = Rule {
    id: RuleId::OverlappingSelectors,
    name: "overlapping-selectors",
    title: "two sets of a namespace select one another's pods",
    why: "A set looks for its pods by labels, and keeps those that it owns and whose names fit. Sets whose selectors \
          overlap leave one another's pods alone for as long as each pod has its owner; but Services, budgets and \
          autoscalers that go by the same labels count both, and an orphaned pod may be adopted by the wrong one.",
    severities: &[Severity::Warning],
    happens: None,
    remedy: "Give each set a label of its own, in spec.selector and in the template. A selector cannot be changed: make \
             the set anew (--delete=orphan --apply FILE shows what comes of it).",
    links: &[
        "https://github.com/kubernetes/kubernetes/issues/36859",
        "https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#pod-selector",
    ],
    check: Check::Across(check),
};

fn check(room: &Room<'_>) -> Vec<(usize, Found)> {
    // Every set with the labels of its pods, found by each of them.
    let mut sets: Vec<(Arc<str>, Labels)> = room
        .planned
        .iter()
        .map(|(_, brief)| (Arc::clone(&brief.name), brief.pod_labels.clone()))
        .collect();
    let planned: BTreeSet<Arc<str>> = sets.iter().map(|(name, _)| Arc::clone(name)).collect();
    let stored = room.related.sets(room.namespace);
    let others = stored.filter(|set| !planned.contains(&set.meta.name));
    sets.extend(others.map(|set| (Arc::clone(&set.meta.name), pod_labels(&set.template))));
    let mut by_label: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for (at, (_, labels)) in sets.iter().enumerate() {
        for (key, value) in labels {
            by_label.entry((key, value)).or_default().push(at);
        }
    }
    let all: Vec<usize> = (0..sets.len()).collect();
    let mut found = Vec::new();
    for (at, brief) in &room.planned {
        let Some(selector) = &brief.selector else {
            continue;
        };
        let rarest = selector
            .match_labels
            .iter()
            .map(|(key, value)| {
                by_label
                    .get(&(&**key, &**value))
                    .map_or(&[][..], Vec::as_slice)
            })
            .min_by_key(|candidates| candidates.len());
        let matched: BTreeSet<&str> = rarest
            .unwrap_or(&all)
            .iter()
            .map(|at| &sets[*at])
            .filter(|(name, labels)| *name != brief.name && selector.matches(labels))
            .map(|(name, _)| &**name)
            .collect();
        if !matched.is_empty() {
            let message = format!("its selector matches the pods of {} as well", list(matched));
            let object = format!("statefulset/{}", brief.name);
            found.push((*at, Found::new(Severity::Warning, object, message)));
        }
    }
    found
}
