//! STS038: the pods of a set exclude each other, and there are too few nodes for them.

use super::foreseen;
use super::id::RuleId;
use super::rule::{Check, Found, Rule, Severity};
use crate::foresight::Foreseen;
use crate::plan::Plan;

pub(super) const RULE: Rule = Rule {
    id: RuleId::TooFewNodes,
    name: "too-few-nodes",
    title: "anti-affinity, a topology spread or a host port leaves room for fewer pods than the set has",
    why: "Required anti-affinity and host ports allow one pod per node or zone. A topology spread with DoNotSchedule also \
          counts domains that cannot run pods. The remaining pods stay Pending.",
    severities: &[Severity::Warning],
    happens: None,
    remedy: "Add nodes or zones, reduce the replicas, or make the rule a preference: \
             preferredDuringSchedulingIgnoredDuringExecution, whenUnsatisfiable: ScheduleAnyway.",
    links: &[
        "https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#inter-pod-affinity-and-anti-affinity",
        "https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    foreseen::found(plan, |found| matches!(found, Foreseen::TooFewPlaces { .. }))
}
