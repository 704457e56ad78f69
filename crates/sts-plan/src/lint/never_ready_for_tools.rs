//! STS027: the status at the end is one that deployment tools go on waiting for.

use super::rule::{Check, Found, Rule, RuleId, Severity};
use crate::plan::{Outcome, Plan};
use sts_controller::object::Strategy;

pub(super) const RULE: Rule = Rule {
    id: RuleId::NeverReadyForTools,
    name: "rollout-status-hangs",
    title: "the rollout ends as its spec asks, and deployment tools still wait",
    why: "Tools tell from the status whether a rollout is done. With a partition or OnDelete the status ends with \
          currentRevision different from updateRevision, and with fewer updated pods than replicas. kubectl rollout \
          status understands partitions, and refuses OnDelete and Recreate. Some releases of helm --wait, krane, kubedog (werf) and \
          Pulumi compare revisions or counts without regard to either, and time out.",
    severities: &[Severity::Info],
    happens: None,
    remedy: "Turn the tool's waiting off (helm without --wait, pulumi.com/skipAwait), and wait for the plan's own \
             verdict: kubectl sts-plan NAME --detailed-exitcode exits with 0 when nothing is left to do.",
    links: &[
        "https://github.com/helm/helm/issues/8674",
        "https://github.com/helm/helm/issues/11773",
        "https://github.com/Shopify/krane/issues/950",
        "https://github.com/werf/kubedog/issues/48",
        "https://github.com/pulumi/pulumi-kubernetes/issues/1066",
    ],
    check: Check::Plan(check),
};

fn check(plan: &Plan) -> Vec<Found> {
    let status = &plan.last.status;
    let done = matches!(plan.outcome, Outcome::Complete) && plan.deletion().is_none();
    if done && matches!(plan.snapshot.set.strategy, Strategy::Recreate(_)) {
        return of_recreate(plan);
    }
    if !done || status.current_revision == status.update_revision {
        return Vec::new();
    }
    let why = match &plan.snapshot.set.strategy {
        Strategy::OnDelete(_) => {
            "the strategy is OnDelete, for which kubectl rollout status ends in an error".to_owned()
        }
        strategy => match strategy.partition() {
            partition @ 1.. => format!("partition {partition} holds the others"),
            _ => return Vec::new(),
        },
    };
    let message = format!(
        "the rollout ends with {} of {} pods updated and two revisions in the status, since {why}: releases of helm --wait, \
         krane, kubedog and Pulumi that compare those time out",
        status.updated_replicas, plan.snapshot.set.replicas
    );
    vec![Found::on_set(Severity::Info, plan, message)]
}

/// Recreate ends as it should, and is refused by name.
fn of_recreate(plan: &Plan) -> Vec<Found> {
    if plan.progression.steps.is_empty() {
        return Vec::new();
    }
    let message = "the strategy is Recreate, for which kubectl rollout status ends in an error: wait for condition \
                   Progressing to be False with reason RecreateCompleted";
    vec![Found::on_set(Severity::Info, plan, message.to_owned())]
}
