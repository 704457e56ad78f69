//! STS011: the partition counts pods, but ordinals do not start at 0.

use super::rule::{Check, Found, Rule, RuleId, Severity, list};
use crate::plan::Plan;
use sts_controller::controller::pod_name;

pub(super) const RULE: Rule = Rule {
    id: RuleId::PartitionFromStart,
    name: "partition-counts-from-start",
    title: "with spec.ordinals.start, the partition counts pods from the first one and is not an ordinal",
    why: "The documentation describes the partition as an ordinal. The controller compares it with the index of a pod: with \
          ordinals.start: 5 and partition: 2, pods 5 and 6 stay on the old revision.",
    severities: &[Severity::Info, Severity::Warning],
    happens: Some(|behaviour| behaviour.start_ordinal),
    remedy: "Set the partition to the number of pods that should stay on the old revision.",
    links: &[
        "https://github.com/kubernetes/kubernetes/issues/128529",
        "https://github.com/openkruise/kruise/issues/1749",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let set = &plan.snapshot.set;
    let partition = i64::from(set.strategy.partition());
    let ordinals = plan.conditions.behaviour.ordinals(set);
    if partition <= 0 || ordinals.start <= 0 {
        return Vec::new();
    }
    let boundary = ordinals.start.saturating_add(partition).min(ordinals.end);
    let names = |range: std::ops::Range<i64>| {
        let names: Vec<String> = range
            .take(50)
            .map(|ordinal| pod_name(set, ordinal))
            .collect();
        match names.is_empty() {
            true => "none".to_owned(),
            false => list(names.iter().map(String::as_str)),
        }
    };
    // A partition within the ordinals is probably meant as an ordinal.
    let severity = if partition >= ordinals.start {
        Severity::Warning
    } else {
        Severity::Info
    };
    let message = format!(
        "partition {partition} counts from ordinal {}: held: {}; updated: {}",
        ordinals.start,
        names(ordinals.start..boundary),
        names(boundary..ordinals.end)
    );
    vec![Found::on_set(severity, plan, message)]
}
