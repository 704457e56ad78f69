//! STS042: for some time less than a majority of the pods is ready.

use super::id::RuleId;
use super::rule::{Check, Found, Rule, Severity, count};
use crate::duration::spell;
use crate::plan::{Availability, Plan};
use crate::requirement::majority;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Quorum,
    name: "quorum-lost",
    title: "less than a majority of the pods is ready for some time",
    why: "Members that elect a leader or store by majority (etcd, ZooKeeper, Kafka's controllers, RabbitMQ's quorum \
          queues) serve nothing without one. No field says whether this set is one of those.",
    severities: &[Severity::Info],
    happens: None,
    remedy: "Require it: --require quorum. Take one pod at a time: OrderedReady, or Parallel \
             with maxUnavailable where its feature gate is on; and repair pods that are down before the rollout.",
    links: &["https://kubernetes.io/docs/tasks/administer-cluster/configure-upgrade-etcd/"],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let replicas = usize::try_from(plan.snapshot.set.replicas).unwrap_or(0);
    let majority = usize::try_from(majority(i64::from(plan.snapshot.set.replicas))).unwrap_or(0);
    // Two members have no majority to lose but all of them, and one that goes dark is STS023.
    if replicas < 3 || plan.deletion().is_some() {
        return Vec::new();
    }
    let course = Availability::of(plan);
    let ready = replicas.saturating_sub(course.most_down);
    if course.ready_at_first < majority || ready >= majority || course.dark.is_some() {
        return Vec::new();
    }
    let message = format!(
        "{ready} of {} ready at +{}: less than a majority (--require quorum holds the plan to it)",
        count(replicas, "pod"),
        spell(course.most_down_at)
    );
    vec![Found::on_set(Severity::Info, plan, message)]
}
