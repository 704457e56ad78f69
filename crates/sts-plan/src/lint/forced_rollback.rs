//! STS002: setting the template back does not replace a pod that never became ready.
//!
//! Nothing here knows the algorithm: the pod is made to never become ready, the template is set back, and the
//! controller is run again.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;

use super::rule::{Check, Found, Rule, RuleId, Scope, Severity};
use crate::plan::{Conditions, Obstacle, Outcome, Plan, owns};
use sts_controller::controller::{Hold, Resource, Verb};
use sts_controller::object::{Phase, Pod, Snapshot, Strategy, Trouble};
use sts_controller::simulate::{Action, Assumption, Start, Step};

pub(super) const RULE: Rule = Rule {
    id: RuleId::ForcedRollback,
    name: "forced-rollback",
    title: "a pod that never becomes ready has to be deleted by hand, whatever the template says",
    why: "With podManagementPolicy OrderedReady the controller waits for every pod to be Running and Ready before it \
          compares revisions. A pod on a broken revision never gets there, so it is never replaced, even after the \
          template is back to one that works. The plan proves it by simulation: once with only the template reverted, \
          once with the template reverted and the pod deleted.",
    severities: &[Severity::Info, Severity::Warning],
    happens: None,
    remedy: "First fix the template, then delete the pod:\n  kubectl rollout undo sts/NAME\n  kubectl delete pod \
             POD\nIn the other order the controller recreates the broken pod. To try a new revision on the highest pod \
             first, set the partition to replicas - 1.",
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

/// The pod that the controller waits for.
fn blocking_pod(obstacles: &[Obstacle]) -> Option<&Arc<Pod>> {
    match obstacles.first()? {
        Obstacle::Hold(
            Hold::WaitingForPodReady { pod, .. } | Hold::UpdateWaitingForPod { pod, at: None, .. },
        ) if !pod.is_terminating() && pod.phase != Phase::Unset => Some(pod),
        _ => None,
    }
}

/// A plan that is blocked by a pod of the new revision, or by one of another than the template asks for.
fn trapped(plan: &Plan, pod: &Arc<Pod>) -> Option<Found> {
    let end = plan.progression.world.snapshot();
    let name = &pod.meta.name;
    let stored = end.pods.get(name).filter(|pod| owns(end, pod))?;
    let wanted = &plan.last.status.update_revision;
    let now = plan.progression.world.now();
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
            "{name} is on {}, the template asks for {wanted}, and the controller waits for {name} to become ready before \
             it replaces it: deleting {name} lets the rollout go on",
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
        format!("if {name} never becomes ready on {new}, the rollout stops there, and {message}");
    Some(Found::on_pod(Severity::Info, name, message))
}

/// The revision that a rollout would be taken back to, with its template.
fn back(plan: &Plan) -> Option<(Arc<str>, Arc<Value>)> {
    let status = &plan.next.status;
    let name = &status.current_revision;
    if *name == status.update_revision {
        return None;
    }
    let template = plan.snapshot.revisions.get(name)?.template()?;
    Some((Arc::clone(name), Arc::clone(template)))
}

/// In a world where a pod is broken: whether the template set back is not enough, and that with the pod deleted it is.
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
    // The pod stays as it is; a recreated one need not.
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
        Outcome::Complete => format!(
            "setting the template back to {old} does not replace it: {name} has to be deleted as well"
        ),
        _ => format!(
            "setting the template back to {old} does not replace it, nor does it help to delete {name}"
        ),
    })
}

/// The conditions of the plan at another moment, with nothing assumed of that pod, and a pod in trouble believed.
fn without(plan: &Plan, name: &str, now: Timestamp) -> Conditions {
    let mut conditions = plan.conditions.clone();
    conditions.now = now;
    conditions.ready_after = None;
    conditions.assumptions.remove(name);
    conditions
}
