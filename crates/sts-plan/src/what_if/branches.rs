//! The course of the rollout if a pod that has to become ready never does.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::SignedDuration;

use crate::cause::Cause;
use crate::plan::{Obstacle, Outcome, Plan, PlanResult};
use crate::remedy::RemedyAction;
use sts_controller::controller::pod_name;
use sts_controller::simulate::{PodEvent, StepAction};

/// Maximum number of pods to simulate over all branches, so that large sets take no longer than a moment.
const MOST_PODS: usize = 20_000;
/// Maximum number of branches to look at, however small they are.
const MOST_BRANCHES: usize = 50;

/// The course of the rollout if one pod never becomes ready.
#[derive(Debug, Clone)]
pub struct Branch {
    /// The pod.
    pub pod: Arc<str>,
    /// Its revision: on any other one it becomes ready.
    pub revision: Arc<str>,
    /// When it should have become ready, since the beginning.
    pub at: SignedDuration,
    /// The result of the rollout then.
    pub result: PlanResult,
    /// When nothing is left to happen.
    pub ends: SignedDuration,
    /// The obstacle that the controller is stuck at; `None` if it goes on to the end, or round and round.
    pub stuck_at: Option<Obstacle>,
    /// Number of ready pods on each revision at that end.
    pub ready: BTreeMap<Arc<str>, usize>,
    /// The pods that still are to be updated at that end.
    pub outdated: Vec<Arc<str>>,
    /// The pods that are wanted and do not exist at that end.
    pub missing: Vec<String>,
    /// Its recovery.
    pub recovery: Recovery,
}

/// The recovery of a stopped rollout, by the simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recovery {
    /// It does not stop.
    NotNeeded,
    /// Going back to the template before is enough.
    RevertAlone,
    /// The template goes back, and the pod has to be deleted besides.
    RevertAndDelete,
    /// The pod has to be deleted; the template is not what breaks it.
    DeleteAlone,
    /// None of these is enough.
    Neither,
}

impl Recovery {
    /// The recovery's name in the output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Recovery::NotNeeded => "not-needed",
            Recovery::RevertAlone => "revert-alone",
            Recovery::RevertAndDelete => "revert-and-delete",
            Recovery::DeleteAlone => "delete-alone",
            Recovery::Neither => "neither",
        }
    }
}

/// The branches of a plan, in the order in which the pods become ready, and how many were left out between them.
#[derive(Debug, Clone, Default)]
pub struct Branches {
    /// The branches, each pod once for each revision on which it becomes ready.
    pub looked_at: Vec<Branch>,
    /// Number of branches in the middle that were not looked at.
    pub left_out: usize,
}

/// Looks at each pod that has to become ready.
pub(super) fn branches(plan: &Plan) -> Branches {
    let starts = starts(plan);
    let pods = plan.snapshot.pods.len() + usize::try_from(plan.snapshot.set.replicas).unwrap_or(0);
    let most = (MOST_PODS / pods.max(1)).clamp(2, MOST_BRANCHES);
    let left_out = starts.len().saturating_sub(most);
    // The first and the last ones tell most; those in the middle are like them.
    let head = (starts.len() - left_out).div_ceil(2);
    let chosen = starts[..head].iter().chain(&starts[head + left_out..]);
    Branches {
        looked_at: chosen.map(|start| branch(plan, start)).collect(),
        left_out,
    }
}

/// A pod that becomes ready: which, on which revision, and when.
type Start = (Arc<str>, Arc<str>, SignedDuration);

fn starts(plan: &Plan) -> Vec<Start> {
    let pods = plan.snapshot.pods.iter();
    let mut revisions: BTreeMap<&Arc<str>, Arc<str>> = pods
        .map(|(name, pod)| (name, Arc::clone(&pod.revision)))
        .collect::<BTreeMap<_, _>>();
    let (mut starts, mut seen) = (Vec::new(), BTreeSet::new());
    for step in &plan.progression.steps {
        match &step.action {
            StepAction::Controller(writes) => {
                for write in writes.iter().filter(|write| write.refused.is_none()) {
                    if let Some(revision) = &write.revision {
                        revisions.insert(&write.name, Arc::clone(revision));
                    }
                }
            }
            StepAction::Pod(PodEvent::Ready, name) => {
                let revision = revisions.get(name).map(Arc::clone).unwrap_or_default();
                if seen.insert((Arc::clone(name), Arc::clone(&revision))) {
                    let at = step.at.duration_since(plan.conditions.now);
                    starts.push((Arc::clone(name), revision, at));
                }
            }
            _ => {}
        }
    }
    starts
}

fn branch(plan: &Plan, (pod, revision, at): &Start) -> Branch {
    let stopped = plan.assuming_broken(pod, revision);
    let end = stopped.progression.world.snapshot();
    let mut ready: BTreeMap<Arc<str>, usize> = BTreeMap::new();
    let (stuck_at, recovery) = match &stopped.outcome {
        Outcome::Blocked(obstacles) => {
            let is_it = |obstacle: &&Obstacle| {
                obstacle
                    .pod()
                    .is_some_and(|waited| waited.meta.name == *pod)
            };
            let stuck_at = obstacles.iter().find(is_it).or(obstacles.first());
            (stuck_at.cloned(), recovery(&stopped, stuck_at))
        }
        Outcome::Complete => (None, Recovery::NotNeeded),
        Outcome::Livelock | Outcome::Rejected(_) => (None, Recovery::Neither),
    };
    let mut outdated = Vec::new();
    for pod in stopped.final_pods() {
        if pod.is_running_and_ready() && !pod.is_terminating() {
            *ready.entry(Arc::clone(&pod.revision)).or_default() += 1;
        }
        if pod.revision != end.status.update_revision {
            outdated.push(Arc::clone(&pod.meta.name));
        }
    }
    let missing = plan
        .conditions
        .behaviour
        .ordinals(&end.set)
        .map(|ordinal| pod_name(&end.set, ordinal))
        .filter(|name| !end.pods.contains_key(&**name))
        .collect();
    Branch {
        pod: Arc::clone(pod),
        revision: Arc::clone(revision),
        at: *at,
        result: stopped.outcome.result(),
        ends: stopped.duration(),
        stuck_at,
        ready,
        outdated,
        missing,
        recovery,
    }
}

/// Returns the recovery that touches least of those that help.
fn recovery(stopped: &Plan, stuck_at: Option<&Obstacle>) -> Recovery {
    let Some(obstacle) = stuck_at else {
        return Recovery::Neither;
    };
    let mut best = Recovery::Neither;
    for remedy in stopped.remedies_of(obstacle, Cause::of(stopped, obstacle).as_ref()) {
        let reverts = |remedy_action: &RemedyAction| {
            matches!(
                remedy_action,
                RemedyAction::ToRevision(..) | RemedyAction::NewTemplate
            )
        };
        let deletes =
            |remedy_action: &RemedyAction| matches!(remedy_action, RemedyAction::DeletePod(_));
        let way = match &remedy.actions[..] {
            [remedy_action] if reverts(remedy_action) => Recovery::RevertAlone,
            [remedy_action] if deletes(remedy_action) => Recovery::DeleteAlone,
            [first, second] if reverts(first) && deletes(second) => Recovery::RevertAndDelete,
            _ => continue,
        };
        if remedy.trial.verdict.completes()
            && (best == Recovery::Neither || way == Recovery::RevertAlone)
        {
            best = way;
        }
    }
    best
}
