//! STS027: deployment tools keep waiting for a completed rollout.

use super::rule::{Check, Found, Rule, RuleId, Severity};
use crate::plan::{Outcome, Plan};
use sts_controller::object::Strategy;

pub(super) const RULE: Rule = Rule {
    id: RuleId::NeverReadyForTools,
    name: "rollout-status-hangs",
    title: "the rollout completes, but deployment tools keep waiting",
    why: "Tools derive the state of a rollout from the status. With a partition or OnDelete, the final status has different \
          currentRevision and updateRevision, and fewer updated pods than replicas. kubectl rollout status supports \
          partitions, and refuses OnDelete and Recreate. Some releases of helm --wait, krane, kubedog (werf) and Pulumi \
          compare revisions or counts without regard to these, and time out.",
    severities: &[Severity::Info],
    happens: None,
    remedy: "Disable the tool's wait (helm without --wait, pulumi.com/skipAwait), and check the plan instead: kubectl \
             sts-plan NAME --detailed-exitcode exits with 0 when nothing is left to do.",
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
            "kubectl rollout status does not support strategy OnDelete".to_owned()
        }
        strategy => match strategy.partition() {
            partition @ 1.. => format!("partition {partition} holds the others"),
            _ => return Vec::new(),
        },
    };
    let message = format!(
        "the rollout completes with {} of {} pods updated and two revisions in the status ({why}): releases of helm --wait, \
         krane, kubedog and Pulumi that compare these time out",
        status.updated_replicas, plan.snapshot.set.replicas
    );
    vec![Found::on_set(Severity::Info, plan, message)]
}

/// Returns the finding on a Recreate rollout, which `kubectl rollout status` refuses.
fn of_recreate(plan: &Plan) -> Vec<Found> {
    if plan.progression.steps.is_empty() {
        return Vec::new();
    }
    let message = "kubectl rollout status does not support strategy Recreate: wait for condition Progressing to be False \
                   with reason RecreateCompleted";
    vec![Found::on_set(Severity::Info, plan, message.to_owned())]
}
