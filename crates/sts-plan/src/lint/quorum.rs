//! STS042: less than a majority of the pods is ready for some time.

use super::id::RuleId;
use super::rule::{Check, Found, Rule, Severity, count};
use crate::duration::spell;
use crate::plan::{Availability, Plan};
use crate::requirement::majority;

pub(super) const RULE: Rule = Rule {
    id: RuleId::Quorum,
    name: "quorum-lost",
    title: "less than a majority of the pods is ready for some time",
    why: "Systems that elect a leader or write by majority (etcd, ZooKeeper, Kafka controllers, RabbitMQ quorum queues) are \
          down without one. No field shows whether this set is such a system.",
    severities: &[Severity::Info],
    happens: None,
    remedy: "To enforce it: --require quorum. Replace one pod at a time: use OrderedReady, or Parallel with maxUnavailable \
             if its feature gate is on. Repair pods that are down before the rollout.",
    links: &["https://kubernetes.io/docs/tasks/administer-cluster/configure-upgrade-etcd/"],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let replicas = usize::try_from(plan.snapshot.set.replicas).unwrap_or(0);
    let majority = usize::try_from(majority(i64::from(plan.snapshot.set.replicas))).unwrap_or(0);
    // The majority of two members is both, and STS023 covers a set without any ready pod.
    if replicas < 3 || plan.deletion().is_some() {
        return Vec::new();
    }
    let course = Availability::of(plan);
    let ready = replicas.saturating_sub(course.most_down);
    if course.ready_at_first < majority || ready >= majority || course.dark.is_some() {
        return Vec::new();
    }
    let message = format!(
        "{ready} of {} ready at +{}: less than a majority (--require quorum enforces it)",
        count(replicas, "pod"),
        spell(course.most_down_at)
    );
    vec![Found::on_set(Severity::Info, plan, message)]
}
