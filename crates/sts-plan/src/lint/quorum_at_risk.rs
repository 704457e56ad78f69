//! STS047: so many pods are down now that one more takes the majority away, or it is gone already.

use super::id::RuleId;
use super::rule::{Check, Found, Rule, Severity, list};
use crate::plan::{Plan, owns, pods_of};
use crate::requirement::majority;
use sts_controller::controller::ordinal_of;

pub(super) const RULE: Rule = Rule {
    id: RuleId::QuorumAtRisk,
    name: "quorum-at-risk",
    title: "one more loss takes the majority away, or it is gone already",
    why: "A set of 2n+1 members bears the loss of n. Once n are down, the next failure, drain or restart stops a service \
          that elects a leader or stores by majority. No field says whether this set is one of those.",
    severities: &[Severity::Info, Severity::Warning],
    happens: None,
    remedy: "Repair the pods that are down before you restart, drain or update anything else. See what the next loss \
             does: --what-if-fails, or --explore --faults 1 --require quorum.",
    links: &[
        "https://etcd.io/docs/v3.5/faq/#what-is-failure-tolerance",
        "https://kubernetes.io/docs/tasks/administer-cluster/configure-upgrade-etcd/",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let replicas = i64::from(plan.snapshot.set.replicas);
    let needed = majority(replicas);
    // Two members have no majority to lose but all of them.
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
    // A set that comes up for the first time has no majority to lose yet.
    if serving > needed || there < needed || there < replicas && serving < needed {
        return Vec::new();
    }
    let count = format!("{serving} of {replicas} ready");
    let message = match serving == needed {
        true => format!("{count}: one more loss loses quorum"),
        false => format!("{count}: quorum is lost, which takes {needed}"),
    };
    let names = down.iter().map(|pod| &*pod.meta.name);
    let message = match down.is_empty() {
        true => message,
        false => format!("{message} (not ready: {})", list(names)),
    };
    // On the way to being complete, a pod that is down is a step of the rollout.
    let severity = match plan.completes() {
        true => Severity::Info,
        false => Severity::Warning,
    };
    vec![Found::on_set(severity, plan, message)]
}
