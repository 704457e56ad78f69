//! STS014: minReadySeconds has little or no effect.

use super::rule::{Check, Found, Rule, RuleId, Severity};
use crate::plan::Plan;
use sts_controller::object::Strategy;
use sts_controller::version::UpdateWaitsFor;

pub(super) const RULE: Rule = Rule {
    id: RuleId::MinReadySeconds,
    name: "min-ready-seconds-ignored",
    title: "this version ignores minReadySeconds, entirely or for Parallel updates",
    why: "Without feature gate StatefulSetMinReadySeconds, nothing waits for minReadySeconds. With it, until 1.34, an update \
          with podManagementPolicy Parallel still continues as soon as a pod is ready rather than available. Only the \
          status counts availability.",
    severities: &[Severity::Warning],
    happens: Some(|behaviour| {
        !behaviour.min_ready_seconds || behaviour.update_waits_for == UpdateWaitsFor::Readiness
    }),
    remedy: "If a pod has to stay ready for a while before the next one is replaced, use OrderedReady, or configure the \
             readiness probe (successThreshold, periodSeconds).",
    links: &[
        "https://github.com/kubernetes/kubernetes/issues/112307",
        "https://github.com/kubernetes/kubernetes/issues/119234",
        "https://github.com/kubernetes/kubernetes/issues/123911",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let set = &plan.snapshot.set;
    let behaviour = &plan.conditions.behaviour;
    // A value that the server drops has no effect either.
    let mut dropped = plan.dropped.iter();
    let dropped = dropped.find(|it| it.path == "spec.minReadySeconds");
    let dropped = dropped.and_then(|it| it.value.as_i64());
    let seconds = dropped.unwrap_or_else(|| set.min_ready_seconds.into());
    if seconds <= 0 {
        return Vec::new();
    }
    let version = behaviour.version;
    let message = if !behaviour.min_ready_seconds {
        format!(
            "minReadySeconds {seconds} has no effect in Kubernetes {version}: nothing waits for it"
        )
    } else if behaviour.update_waits_for == UpdateWaitsFor::Readiness
        && !set.is_monotonic()
        && matches!(set.strategy, Strategy::RollingUpdate(_))
    {
        format!(
            "updates of a Parallel set do not wait for minReadySeconds {seconds} in Kubernetes {version}: the next pod is \
             replaced as soon as this one is ready"
        )
    } else {
        return Vec::new();
    };
    vec![Found::on_set(Severity::Warning, plan, message)]
}
