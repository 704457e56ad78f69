//! STS023: no pod is ready for some time.

use super::rule::{Check, Found, Rule, RuleId, Severity};
use crate::duration::spell;
use crate::plan::{Availability, Plan};
use sts_controller::object::Strategy;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Downtime,
    name: "downtime",
    title: "no pod of the set is ready for some time",
    why: "A StatefulSet never creates a new pod before the old one of its name is gone. A set with one pod is down during \
          that time, and so is a set that replaces all pods at once. The Recreate strategy does so by design: it deletes \
          all pods and creates new ones when the last one is gone.",
    severities: &[Severity::Warning],
    happens: None,
    remedy: "Run more than one replica if the application can fail over. With Parallel, set maxUnavailable if its feature \
             gate is on.",
    links: &[
        "https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#rolling-updates",
        "https://github.com/kubernetes/kubernetes/issues/96218",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let set = &plan.snapshot.set;
    // A scale to zero, or a deletion of the set, means no ready pod.
    if set.replicas == 0 || plan.deletion().is_some() {
        return Vec::new();
    }
    let Some((from, until)) = Availability::of(plan).dark else {
        return Vec::new();
    };
    let who = match set.replicas {
        1 => "the only pod is replaced: no pod is ready",
        _ if matches!(set.strategy, Strategy::Recreate(_)) => {
            "strategy Recreate deletes all pods before it creates new ones: no pod is ready"
        }
        _ => "no pod is ready",
    };
    let message = match until {
        Some(until) => format!("{who} from +{} to +{}", spell(from), spell(until)),
        None => format!("{who} from +{} on", spell(from)),
    };
    vec![Found::on_set(Severity::Warning, plan, message)]
}
