//! STS002: rolling back the template does not replace a pod that never became ready.
//!
//! The rule does not repeat the algorithm: it simulates a pod that never becomes ready and a rollback of the template.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;

use super::rule::{Check, Found, Rule, RuleId, Severity};
use crate::plan::{Conditions, Obstacle, Outcome, Plan, owns};
use crate::scope::Scope;
use sts_controller::controller::{Hold, Resource, Verb};
use sts_controller::object::{Phase, Pod, Snapshot, Strategy, Trouble};
use sts_controller::simulate::{Action, Assumption, Start, Step};

pub(super) const RULE: Rule = Rule {
    id: RuleId::ForcedRollback,
    name: "forced-rollback",
    title: "a pod that never becomes ready has to be deleted manually, even after a rollback",
    why: "With podManagementPolicy OrderedReady, the controller waits until every pod is Running and Ready before it \
          compares revisions. A pod on a broken revision never becomes ready, so it is never replaced, even after the \
          template is rolled back. The plan verifies this by two simulations: with only the template rolled back, and \
          with the pod deleted as well.",
    severities: &[Severity::Info, Severity::Warning],
    happens: None,
    remedy: "First fix the template, then delete the pod:\n  kubectl rollout undo sts/NAME\n  kubectl delete pod \
             POD\nIn the reverse order, the controller recreates the broken pod. To test a new revision on the highest \
             ordinal first, set the partition to replicas - 1.",
    links: &[
        "https://github.com/kubernetes/kubernetes/issues/67250",
        "https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#forced-rollback",
    ],
    check: Check::Scoped(check),
};

fn check(plan: &Plan, scope: Scope) -> Vec<Found> {
    if !plan.actions.is_empty() || !matches!(plan.snapshot.set.strategy, Strategy::RollingUpdate(_))
    {
        return Vec::new();
    }
    let found = match &plan.outcome {
        Outcome::Blocked(obstacles) => blocking_pod(obstacles).and_then(|pod| trapped(plan, pod)),
        Outcome::Complete if scope == Scope::Hypothetical => next_to_fail(plan),
        Outcome::Complete | Outcome::Livelock | Outcome::Rejected(_) => None,
    };
    found.into_iter().collect()
}

/// Returns the pod that the controller is waiting for.
fn blocking_pod(obstacles: &[Obstacle]) -> Option<&Arc<Pod>> {
    match obstacles.first()? {
        Obstacle::Hold(
            Hold::WaitingForPodReady { pod, .. } | Hold::UpdateWaitingForPod { pod, at: None, .. },
        ) if !pod.is_terminating() && pod.phase != Phase::Unset => Some(pod),
        _ => None,
    }
}

/// Returns the finding on a plan that a pod blocks, on the new revision or an outdated one.
fn trapped(plan: &Plan, pod: &Arc<Pod>) -> Option<Found> {
    let end = plan.predicted().objects();
    let name = &pod.meta.name;
    let stored = end.pods.get(name).filter(|pod| owns(end, pod))?;
    let wanted = &plan.last.status.update_revision;
    let now = plan.predicted().at();
    if stored.revision == *wanted {
        let old = back(plan)?;
        let message = after_revert(plan, end, name, &old, now)?;
        let message = format!("{name} on {wanted} is not ready: {message}");
        return Some(Found::on_pod(Severity::Warning, name, message));
    }
    let deleted = vec![Action::DeletePod(Arc::clone(name))];
    let again = plan.again(deleted, end.clone(), without(plan, name, now));
    let helps = matches!(again.outcome, Outcome::Complete);
    helps.then(|| {
        let message = format!(
            "{name} is on {}, not on {wanted}, and the controller waits until {name} is ready before it replaces it: \
             delete {name} to continue the rollout",
            stored.revision
        );
        Found::on_pod(Severity::Warning, name, message)
    })
}

/// Simulates that the first replaced pod never becomes ready, and returns the finding that follows, if any.
fn next_to_fail(plan: &Plan) -> Option<Found> {
    let new = &plan.next.status.update_revision;
    let old = back(plan)?;
    let steps = plan.progression.steps.iter();
    let created = steps.flat_map(Step::writes).find(|write| {
        (write.resource, write.verb) == (Resource::Pods, Verb::Create)
            && write.revision.as_ref() == Some(new)
            && plan.snapshot.pods.contains_key(&write.name)
    })?;
    let name = &created.name;
    let mut conditions = plan.conditions.clone();
    let never = Assumption {
        start: Start::NeverReady,
        ..Assumption::default()
    };
    conditions.assumptions.insert(name.to_string(), never);
    let failed = plan.again(Vec::new(), plan.snapshot.clone(), conditions);
    if !matches!(failed.outcome, Outcome::Blocked(_)) {
        return None;
    }
    let world = &failed.progression.world;
    let message = after_revert(plan, world.snapshot(), name, &old, world.now())?;
    let message =
        format!("if {name} never becomes ready on {new}, the rollout is stuck, and {message}");
    Some(Found::on_pod(Severity::Info, name, message))
}

/// Returns the rollback revision and its template.
fn back(plan: &Plan) -> Option<(Arc<str>, Arc<Value>)> {
    let status = &plan.next.status;
    let name = &status.current_revision;
    if *name == status.update_revision {
        return None;
    }
    let template = plan.snapshot.revisions.get(name)?.template()?;
    Some((Arc::clone(name), Arc::clone(template)))
}

/// Describes whether a rollback of the template replaces a broken pod, alone or with the pod deleted.
fn after_revert(
    plan: &Plan,
    broken: &Snapshot,
    name: &Arc<str>,
    (old, template): &(Arc<str>, Arc<Value>),
    now: Timestamp,
) -> Option<String> {
    let mut snapshot = broken.clone();
    let set = Arc::make_mut(&mut snapshot.set);
    set.template = Arc::clone(template);
    set.generation = set.generation.saturating_add(1);
    let stored = snapshot.pods.get_mut(name)?;
    // The pod stays broken; its replacement may not be.
    Arc::make_mut(stored).trouble.get_or_insert_with(|| {
        Arc::new(Trouble {
            container: None,
            reason: "NeverReady".to_owned(),
            message: String::new(),
        })
    });
    let conditions = without(plan, name, now);
    let reverted = plan.again(Vec::new(), snapshot.clone(), conditions.clone());
    if !matches!(reverted.outcome, Outcome::Blocked(_)) {
        return None;
    }
    let deleted = vec![Action::DeletePod(Arc::clone(name))];
    let deleted = reverted.again(deleted, snapshot, conditions);
    Some(match deleted.outcome {
        Outcome::Complete => {
            format!("rolling back to {old} does not replace it: {name} has to be deleted as well")
        }
        _ => format!("neither rolling back to {old} nor deleting {name} helps"),
    })
}

/// Returns the conditions at another moment, without assumptions about that pod.
fn without(plan: &Plan, name: &str, now: Timestamp) -> Conditions {
    let mut conditions = plan.conditions.clone();
    conditions.now = now;
    conditions.ready_after = None;
    conditions.assumptions.remove(name);
    conditions
}
