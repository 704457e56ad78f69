//! Descriptions of remedies: commands, precondition, risk, and effect in the simulation.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::hold::condition_of;
use super::obstacle;
use super::remedy_commands::{commands, delete_pod};
use crate::catalogue::CauseEntry;
use crate::cause::{Blame, Cause, CauseKind, comes_back_on};
use crate::command::manifest_file;
use crate::duration::{span, spell};
use crate::foresight::{self, Foreseen};
use crate::plan::{Obstacle, Outcome, Plan, VersionSource, has_ready_sibling, owns, pods_of};
use crate::remedy::{MissingObject, Remedy, RemedyAction, RemedyTrial, ReportRemedy, TrialOutcome};
use jiff::SignedDuration;
use sts_controller::controller::Hold;
use sts_controller::object::{Phase, Pod, Snapshot};

/// Returns the report of a remedy.
#[must_use]
pub fn remedy_text(plan: &Plan, remedy: &Remedy) -> ReportRemedy {
    let end = plan.progression.world.snapshot();
    let mut commands: Vec<String> = remedy
        .actions
        .iter()
        .flat_map(|remedy_action| match remedy_action {
            RemedyAction::FixPod(pod) => match foreseen_at_end(plan, pod) {
                Some(found) => foresight::look(&found, end),
                None => commands(remedy_action, end, &plan.conditions),
            },
            _ => commands(remedy_action, end, &plan.conditions),
        })
        .collect();
    let also = remedy.trial.also_deleted.iter();
    commands.extend(also.map(|pod| delete_pod(pod, end)));
    // The condition comes before the step to do first.
    let mut actions: Vec<&RemedyAction> = remedy.actions.iter().collect();
    actions.sort_by_key(|it| matches!(it, RemedyAction::AddNode(..)));
    let join = |describe: &dyn Fn(&RemedyAction) -> Option<String>| {
        let mut all: Vec<String> = Vec::new();
        for text in actions.iter().filter_map(|it| describe(it)) {
            if !all.contains(&text) {
                all.push(text);
            }
        }
        all.join("; ")
    };
    ReportRemedy {
        commands,
        precondition: join(&|remedy_action| precondition(remedy_action, plan)),
        risk: join(&|remedy_action| risk(remedy_action, end)),
        effect: effect(plan, remedy),
        helps: remedy.trial.verdict.helps(),
        completes_after_seconds: match remedy.trial.verdict {
            TrialOutcome::Completes => {
                let waits = remedy
                    .trial
                    .retry
                    .map_or(SignedDuration::ZERO, |it| it.likely());
                Some((waits + remedy.trial.after).as_secs())
            }
            _ => None,
        },
        looks: remedy.only_looks(),
    }
}

fn is_unplaced(pod: &Pod) -> bool {
    let trouble = pod.trouble.as_ref();
    trouble.is_some_and(|trouble| trouble.is_unplaced())
}

/// The risk of recreating the set around its pods.
pub(crate) const UNTIL_RECREATED: &str = "deleted pods are not replaced until the new set exists";

/// Formats zones: `zone eu-west-1a`, `one of the zones a, b`.
pub(super) fn in_zones(zones: &[String]) -> String {
    match zones {
        [zone] => format!("zone {zone}"),
        zones => format!("one of the zones {}", zones.join(", ")),
    }
}

/// Returns the condition under which an unschedulable pod is scheduled.
fn once_scheduled(pod: &Pod, snapshot: &Snapshot) -> String {
    let name = &pod.meta.name;
    let list = |claims: &[&str]| match claims {
        [] => None,
        [claim] => Some(format!("claim {claim}")),
        several => Some(format!("claims {}", several.join(", "))),
    };
    let (missing, unbound) = (snapshot.missing_claims(pod), snapshot.unbound_claims(pod));
    let missing: Vec<&str> = missing.iter().map(|claim| &**claim).collect();
    let unbound: Vec<&str> = unbound.iter().map(|claim| &*claim.meta.name).collect();
    match (list(&missing), list(&unbound)) {
        (Some(missing), _) => format!("once you recreate {missing} and {name} is scheduled"),
        (None, Some(unbound)) => format!("once {unbound} has a volume and {name} is scheduled"),
        (None, None) => format!("once {name} is scheduled"),
    }
}

/// Returns the obstacles of a pod at the end.
fn obstacles_of<'p>(plan: &'p Plan, pod: &str) -> impl Iterator<Item = &'p Obstacle> {
    let obstacles = match &plan.outcome {
        Outcome::Blocked(obstacles) => obstacles.as_slice(),
        _ => &[],
    };
    let is_of_pod = move |it: &&Obstacle| it.pod().is_some_and(|it| *it.meta.name == *pod);
    obstacles.iter().filter(is_of_pod)
}

/// Returns the predicted failure of a pod that is not ready at the end.
fn foreseen_at_end(plan: &Plan, pod: &str) -> Option<Foreseen> {
    match Cause::of(plan, obstacles_of(plan, pod).next()?)?.kind {
        CauseKind::Foreseen(found) => Some(found),
        _ => None,
    }
}

/// Returns the condition under which the refused pod is created.
fn admitted_once(plan: &Plan, pod: &str) -> String {
    let cause = obstacles_of(plan, pod).find_map(|obstacle| Cause::of(plan, obstacle)?.entry());
    let condition = cause.map_or(CauseEntry::PLAIN.admitted_once, |entry| entry.admitted_once);
    condition.replace("{pod}", pod)
}

/// Returns the condition under which an action is right, or the step to do first.
pub(crate) fn precondition(remedy_action: &RemedyAction, plan: &Plan) -> Option<String> {
    let snapshot = plan.progression.world.snapshot();
    let pod = |name: &Arc<str>| snapshot.pods.get(name);
    let file = manifest_file(&plan.conditions);
    if let RemedyAction::FixPod(name) = remedy_action
        && let Some(found) = foreseen_at_end(plan, name)
    {
        return Some(foresight::condition(name, &found));
    }
    Some(match remedy_action {
        RemedyAction::FixPod(name) => match pod(name) {
            Some(pod) if is_unplaced(pod) => once_scheduled(pod, snapshot),
            Some(pod) if pod.is_terminating() => format!("once the kubelet has terminated {name}"),
            _ => match obstacles_of(plan, name).next() {
                Some(Obstacle::DeletionRefused { .. }) => {
                    format!("once the API server allows the deletion of {name}")
                }
                Some(Obstacle::Rejected { .. }) => format!("once the kubelet admits {name}"),
                _ => format!("once {name} is ready"),
            },
        },
        RemedyAction::ForceDeletePod(name) => match pod(name).and_then(|pod| pod.node()) {
            Some(node) => {
                format!("if node {node} is down for good, or runs no container of {name}")
            }
            None => format!("if no container of {name} is running"),
        },
        RemedyAction::OutOfService(node, _) => match plan.conditions.version_source {
            VersionSource::Default => {
                format!("if node {node} is shut down (requires Kubernetes 1.26 or newer)")
            }
            VersionSource::Flag | VersionSource::Server { .. } => {
                format!("if node {node} is shut down")
            }
        },
        RemedyAction::DeleteNode(node, _) => format!("if node {node} is gone for good"),
        RemedyAction::RestoreNode(node, _) => format!("once node {node} is back"),
        RemedyAction::AddNode(zones, _) => {
            format!("add a node in {} first", in_zones(zones))
        }
        RemedyAction::Uncordon(node, _) => {
            format!("if node {node} can take pods again and has room")
        }
        RemedyAction::AllowCreation(name, Some(quota)) => {
            format!("once quota {quota} has room for {name} (raise it, or request less)")
        }
        RemedyAction::Provide(_, object) => match object {
            MissingObject::ServiceAccount(name) => {
                format!("if ServiceAccount {name} needs no permissions")
            }
            MissingObject::StorageClass(name) => {
                format!("if StorageClass {name} does not exist and FILE has its old definition")
            }
            MissingObject::Key { kind, name, key } => {
                format!("add key {key} to {kind} {name}: the kubelet retries automatically")
            }
        },
        RemedyAction::AllowCreation(name, None) => admitted_once(plan, name),
        RemedyAction::RaiseMemory {
            container,
            present,
            proposed,
            ..
        } => format!(
            "if {container} needs more memory than its limit of {present} ({proposed} is twice that)"
        ),
        RemedyAction::DropPodFinalizers(name) => {
            format!("if no controller will remove the finalizers of {name}")
        }
        RemedyAction::LabelPod(name, _) => format!("if {name} belongs to the set"),
        RemedyAction::DeletePod(name) => match pod(name) {
            Some(stranger) if !is_ours(stranger, snapshot) => {
                format!("if {name} is no longer needed")
            }
            Some(pod)
                if !is_unplaced(pod)
                    && !pod.is_ready()
                    && !pod.is_terminating()
                    && comes_back_on(plan, pod).is_none()
                    && has_ready_sibling(snapshot, pod) =>
            {
                format!("restart {name} (keeps its volumes)")
            }
            Some(pod) if is_of_pod_itself(plan, name) => {
                let next = comes_back_on(plan, pod)?;
                format!("if {next} fixes {name}, which comes back on it")
            }
            _ => return None,
        },
        RemedyAction::NewTemplate => format!("fix the pod template in {file}, then apply it"),
        RemedyAction::DeleteRevision(name) => {
            format!("if {name}, which has no pod template, is not needed")
        }
        RemedyAction::RecreateRenamed(longest) => {
            format!("rename the set in {file} first (at most {longest} characters)")
        }
        RemedyAction::ToRevision(name, _) => match ready_on(plan, name) {
            0 => format!("if {name} is known to work, roll back to it"),
            1 => format!("roll back to {name} (1 pod ready on it)"),
            pods => format!("roll back to {name} ({pods} pods ready on it)"),
        },
        RemedyAction::DeleteClaim(name) => format!("if the data of {name} is not needed"),
        RemedyAction::ReleaseClaim(name, _) => format!("if the data of {name} must be kept"),
        RemedyAction::DropSetFinalizers => {
            "if no controller will remove the finalizers of the set".to_owned()
        }
        RemedyAction::Partition(_)
        | RemedyAction::MaxUnavailable(_)
        | RemedyAction::RetainClaims => return None,
        RemedyAction::Parallel => format!("set podManagementPolicy: Parallel in {file} first"),
        RemedyAction::HistoryLimit(limit) => {
            format!("set a revisionHistoryLimit such as {limit} in {file} first")
        }
    })
}

/// Reports whether a pod fails for a reason of its own, which its replacement may share.
fn is_of_pod_itself(plan: &Plan, pod: &str) -> bool {
    let cause = obstacles_of(plan, pod).find_map(|obstacle| Cause::of(plan, obstacle));
    cause.is_some_and(|cause| {
        let is_of_container = matches!(
            cause.kind,
            CauseKind::CrashLoop(_)
                | CauseKind::ContainerConfig(_)
                | CauseKind::OutOfMemory(_)
                | CauseKind::NotReady { .. }
        );
        is_of_container && cause.blame == Blame::Pod
    })
}

/// Counts the ready pods on a revision.
fn ready_on(plan: &Plan, revision: &str) -> usize {
    let end = plan.progression.world.snapshot();
    let pods = pods_of(end).filter(|pod| owns(end, pod) && *pod.revision == *revision);
    pods.filter(|pod| pod.is_running_and_ready() && !pod.is_terminating())
        .count()
}

/// Returns the risk of an action.
pub(crate) fn risk(remedy_action: &RemedyAction, snapshot: &Snapshot) -> Option<String> {
    Some(match remedy_action {
        RemedyAction::ForceDeletePod(name) => format!(
            "if {name} is still running, two pods of that name write to one volume and may corrupt its data"
        ),
        RemedyAction::OutOfService(node, _) => {
            format!(
                "force-deletes every pod on {node}; if the node is still running, data may be corrupted"
            )
        }
        RemedyAction::DeleteNode(node, _) => format!(
            "force-deletes every pod on {node}; if the machine is still running, data may be corrupted"
        ),
        RemedyAction::DropPodFinalizers(name) => {
            format!("skips the cleanup behind the finalizers of {name}")
        }
        RemedyAction::DropSetFinalizers => "skips the cleanup behind the finalizers".to_owned(),
        RemedyAction::HistoryLimit(_) | RemedyAction::Parallel => UNTIL_RECREATED.to_owned(),
        RemedyAction::DeleteClaim(name) => {
            format!("deletes the data of {name}")
        }
        RemedyAction::DeletePod(name) => {
            let pod = snapshot.pods.get(name)?;
            if !is_ours(pod, snapshot) {
                "takes down what it serves; its owner may recreate it".to_owned()
            } else if pod.is_running_and_ready() {
                format!("{name} is down until it is ready again")
            } else {
                return None;
            }
        }
        RemedyAction::LabelPod(name, _) => {
            format!("the set adopts {name} and replaces it if its revision is outdated")
        }
        _ => return None,
    })
}

/// Lists the pods that a remedy restarts, by revision, and the claims that it deletes.
fn restarts(trial: &RemedyTrial) -> String {
    const SHOWN: usize = 4;
    let mut by_revision: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (pod, revision) in &trial.restarted {
        by_revision.entry(revision).or_default().push(pod);
    }
    let mut text = String::new();
    for (revision, pods) in by_revision {
        let more = match pods.len().checked_sub(SHOWN) {
            Some(more @ 1..) => format!(" and {more} more"),
            _ => String::new(),
        };
        let named: Vec<&str> = pods.into_iter().take(SHOWN).collect();
        text.push_str(&format!(
            "; restarts {}{more} on {revision}",
            named.join(", ")
        ));
    }
    if !trial.lost.is_empty() {
        let claims: Vec<&str> = trial.lost.iter().map(|claim| &**claim).collect();
        text.push_str(&format!("; DATA LOSS: {}", claims.join(", ")));
    }
    text
}

fn is_ours(pod: &Pod, snapshot: &Snapshot) -> bool {
    let uid = &snapshot.set.meta.uid;
    let owner = pod.meta.controller();
    owner.is_some_and(|owner| owner.uid == *uid) || pod.phase == Phase::Unset
}

/// Describes the next obstacle: `web-1 is still terminating after 25s`.
fn still(next: &Obstacle, after: &str, describe: &dyn Fn(&Obstacle) -> String) -> String {
    match next {
        Obstacle::Hold(
            Hold::WaitingForPodTermination { pod, .. }
            | Hold::ScaleDownWaitingForTermination { pod, .. }
            | Hold::RecreateWaitingForTermination { pod, .. },
        ) => format!("{} is still terminating after {after}", pod.meta.name),
        Obstacle::Hold(
            Hold::WaitingForPodReady { pod, .. } | Hold::UpdateWaitingForPod { pod, at: None, .. },
        ) => format!(
            "{} is still not ready after {after}: {}",
            pod.meta.name,
            condition_of(pod)
        ),
        _ => format!("after {after}: {}", describe(next)),
    }
}

/// Describes the effect of a remedy in the simulation.
fn effect(plan: &Plan, remedy: &Remedy) -> String {
    let trial = &remedy.trial;
    let end = plan.progression.world.snapshot();
    let after = spell(trial.after);
    let waits = |found: &Obstacle| obstacle(found, end, plan.conditions.now);
    let mut text = match &trial.verdict {
        TrialOutcome::Completes => match plan.deletion() {
            Some(_) => format!("the deletion completes after {after}"),
            None => format!("the rollout completes after {after}"),
        },
        TrialOutcome::Next(next) => format!("resolves this, but {}", still(next, &after, &waits)),
        TrialOutcome::Useless(same) => format!("does not help: {}", waits(same)),
        TrialOutcome::Livelock => {
            "does not help: pods are deleted and recreated forever".to_owned()
        }
    };
    if let Some(retry) = trial.retry.filter(|_| trial.verdict.helps()) {
        let comes = match retry.expected {
            Some(expected) => format!("in about {}", span(expected)),
            None => format!("within {}", span(retry.latest)),
        };
        text = format!("the controller retries {comes}; {text}");
    }
    if trial.verdict.helps() && plan.deletion().is_none() {
        text.push_str(&restarts(trial));
    }
    if !trial.also_deleted.is_empty() {
        text.push_str("; delete each pod only once the rollout is stuck on it");
    }
    text
}
