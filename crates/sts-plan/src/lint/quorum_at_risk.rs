//! STS047: one more pod failure loses the majority, or it is lost already.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::id::RuleId;
use super::rule::{Check, Found, Rule, Severity, list};
use crate::plan::{Plan, owns, pods_of};
use crate::requirement::majority;
use sts_controller::controller::ordinal_of;
use sts_controller::object::Pod;

pub(super) const RULE: Rule = Rule {
    id: RuleId::QuorumAtRisk,
    name: "quorum-at-risk",
    title: "one more pod failure loses quorum, or it is lost already",
    why: "A set of 2n+1 members tolerates the loss of n. Once n are down, the next failure, drain or restart stops a system \
          that elects a leader or writes by majority. No field shows whether this set is such a system.",
    severities: &[Severity::Info, Severity::Warning],
    happens: None,
    remedy: "Repair the pods that are down before you restart, drain or update anything else. To see the effect of the next \
             failure: --what-if-fails, or --explore --faults 1 --require quorum.",
    links: &[
        "https://etcd.io/docs/v3.5/faq/#what-is-failure-tolerance",
        "https://kubernetes.io/docs/tasks/administer-cluster/configure-upgrade-etcd/",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let replicas = i64::from(plan.snapshot.set.replicas);
    let needed = majority(replicas);
    // The majority of two members is both.
    if replicas < 3 || plan.deletion().is_some() {
        return Vec::new();
    }
    let wanted = plan.conditions.behaviour.ordinals(&plan.snapshot.set);
    let is_wanted = |name: &str| wanted.contains(&ordinal_of(name));
    let members = pods_of(&plan.snapshot)
        .filter(|pod| owns(&plan.snapshot, pod) && is_wanted(&pod.meta.name));
    let (ready, down): (Vec<_>, Vec<_>) =
        members.partition(|pod| pod.is_running_and_ready() && !pod.is_terminating());
    let number = |pods: usize| i64::try_from(pods).unwrap_or(i64::MAX);
    let (serving, there) = (number(ready.len()), number(ready.len() + down.len()));
    // A set that starts for the first time has no majority yet.
    if serving > needed || there < needed || there < replicas && serving < needed {
        return Vec::new();
    }
    let count = format!("{serving} of {replicas} ready");
    let message = match serving == needed {
        true => format!("{count}: one more pod failure loses quorum"),
        false => format!("{count}: quorum is lost ({needed} needed)"),
    };
    let names = down.iter().map(|pod| &*pod.meta.name);
    let message = match down.is_empty() {
        true => message,
        false => format!("{message} (not ready: {})", list(names)),
    };
    // An unready pod of the rollout is one of its steps, also if it blocks the rollout. A lost majority is none.
    let is_step = plan.completes() || (serving >= needed && is_step_of_rollout(plan, &wanted));
    let severity = match is_step {
        true => Severity::Info,
        false => Severity::Warning,
    };
    vec![Found::on_set(severity, plan, message)]
}

/// Reports whether the rollout is what takes down every pod that does not serve: the pod starts on the new revision, or
/// it is next in turn and leaves the old one.
fn is_step_of_rollout(plan: &Plan, wanted: &Range<i64>) -> bool {
    let snapshot = &plan.snapshot;
    let update = &plan.next.status.update_revision;
    let members = pods_of(snapshot).filter(|pod| owns(snapshot, pod));
    let members: BTreeMap<i64, &Arc<Pod>> = members
        .map(|pod| (ordinal_of(&pod.meta.name), pod))
        .filter(|(ordinal, _)| wanted.contains(ordinal))
        .collect();
    let is_outdated = |pod: &Arc<Pod>| pod.revision != *update;
    if !members.values().any(|pod| is_outdated(pod)) {
        return false;
    }
    wanted.clone().all(|ordinal| match members.get(&ordinal) {
        Some(pod) if pod.is_terminating() && !is_outdated(pod) => false,
        Some(pod) if !pod.is_terminating() => pod.is_running_and_ready() || !is_outdated(pod),
        Some(_) | None => {
            let mut above = members.range(ordinal + 1..);
            above.all(|(_, pod)| !is_outdated(pod))
        }
    })
}
