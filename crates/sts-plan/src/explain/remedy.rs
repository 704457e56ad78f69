//! Remedies of an obstacle in words: the commands, when they are right, what they put at risk, and their effect in the
//! simulation.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::remedy_commands::{commands, delete_pod};
use super::{foresight, obstacle};
use crate::cause::{Cause, CauseKind, comes_back_on};
use crate::duration::{span, spell};
use crate::foresight::Foreseen;
use crate::plan::{Obstacle, Outcome, Plan, VersionSource, has_ready_sibling};
use crate::remedy::{MissingObject, Remedy, RemedyAction, RemedyTrial, TrialOutcome};
use crate::report::ReportRemedy;
use jiff::SignedDuration;
use sts_controller::object::{Phase, Pod, Snapshot};

/// Tells a remedy of a plan.
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
    let tell = |words: &dyn Fn(&RemedyAction) -> Option<String>| {
        let mut all: Vec<String> = Vec::new();
        for text in remedy.actions.iter().filter_map(words) {
            if !all.contains(&text) {
                all.push(text);
            }
        }
        all.join("; ")
    };
    ReportRemedy {
        commands,
        precondition: tell(&|remedy_action| precondition(remedy_action, plan)),
        risk: tell(&|remedy_action| risk(remedy_action, end)),
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

/// `zone eu-west-1a`, `one of the zones a, b`.
pub(super) fn in_zones(zones: &[String]) -> String {
    match zones {
        [zone] => format!("zone {zone}"),
        zones => format!("one of the zones {}", zones.join(", ")),
    }
}

/// Returns the condition that has to come true for a pod that cannot be scheduled.
fn mended_when_placed(pod: &Pod, snapshot: &Snapshot) -> String {
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
        (Some(missing), _) => format!("{missing} is recreated by hand, and {name} is scheduled"),
        (None, Some(unbound)) => format!("{unbound} gets a volume, and {name} is scheduled"),
        (None, None) => format!("{name} is scheduled"),
    }
}

/// Returns the trouble that the objects around a pod show, for one that is not ready at the end.
fn foreseen_at_end(plan: &Plan, pod: &str) -> Option<Foreseen> {
    let Outcome::Blocked(obstacles) = &plan.outcome else {
        return None;
    };
    let of_pod = |obstacle: &&Obstacle| {
        let name = obstacle.pod().map(|pod| &*pod.meta.name);
        name == Some(pod)
    };
    let obstacle = obstacles.iter().find(of_pod)?;
    match Cause::of(plan, obstacle)?.kind {
        CauseKind::Foreseen(found) => Some(found),
        _ => None,
    }
}

/// The id of the cause for which the creation of a pod is refused at the end.
fn refusal_at_end(plan: &Plan, pod: &str) -> Option<&'static str> {
    let Outcome::Blocked(obstacles) = &plan.outcome else {
        return None;
    };
    let mut of_pod = obstacles
        .iter()
        .filter(|obstacle| obstacle.pod().is_some_and(|it| *it.meta.name == *pod));
    of_pod.find_map(|obstacle| Cause::of(plan, obstacle)?.id())
}

pub(super) fn precondition(remedy_action: &RemedyAction, plan: &Plan) -> Option<String> {
    let snapshot = plan.progression.world.snapshot();
    let pod = |name: &Arc<str>| snapshot.pods.get(name);
    if let RemedyAction::FixPod(name) = remedy_action
        && let Some(found) = foreseen_at_end(plan, name)
    {
        return Some(foresight::condition(name, &found));
    }
    Some(match remedy_action {
        RemedyAction::FixPod(name) => match pod(name) {
            Some(pod) if is_unplaced(pod) => mended_when_placed(pod, snapshot),
            Some(pod) if pod.is_terminating() => format!("the kubelet ends {name}"),
            _ => format!("{name} becomes ready"),
        },
        RemedyAction::ForceDeletePod(name) => match pod(name).and_then(|pod| pod.node()) {
            Some(node) => {
                format!("node {node} is down for good, or no container of {name} runs there")
            }
            None => format!("no container of {name} runs any more"),
        },
        RemedyAction::OutOfService(node, _) => match plan.conditions.version_source {
            VersionSource::Default => {
                format!("node {node} is shut down, and Kubernetes is 1.26 or newer")
            }
            VersionSource::Flag | VersionSource::Server { .. } => {
                format!("node {node} is shut down")
            }
        },
        RemedyAction::DeleteNode(node, _) => format!("node {node} will not come back"),
        RemedyAction::RestoreNode(node, _) => format!("node {node} comes back"),
        RemedyAction::AddNode(zones, _) => {
            format!("a further node is ready in {}", in_zones(zones))
        }
        RemedyAction::Uncordon(node, _) => format!("node {node} may take pods again and has room"),
        RemedyAction::AllowCreation(name, Some(quota)) => {
            format!("quota {quota} is raised, or less is asked for, so that {name} fits")
        }
        RemedyAction::Provide(_, object) => match object {
            MissingObject::ServiceAccount(name) => {
                format!("ServiceAccount {name} is to exist, without further rights")
            }
            MissingObject::StorageClass(name) => {
                format!("FILE has StorageClass {name} as it was, and it does not exist")
            }
            MissingObject::Key { kind, name, key } => {
                format!("{kind} {name} gets key {key}: the kubelet tries again by itself")
            }
        },
        RemedyAction::AllowCreation(name, None) => match refusal_at_end(plan, name) {
            Some("webhook-down") => format!("the webhook answers again, so that {name} is created"),
            Some("namespace-terminating") => {
                format!("the namespace stays, so that {name} is created")
            }
            Some("serviceaccount-missing" | "priority-class-missing" | "runtime-class-missing") => {
                format!("what {name} names exists, so that it is created")
            }
            Some("server-timeout") => {
                format!("the API server answers in time, so that {name} is created")
            }
            Some("controller-forbidden") => {
                format!("the controller may create pods again, so that {name} is created")
            }
            Some("pod-name-taken") => format!("the other pod {name} is gone"),
            Some("etcd-full" | "server-error") => {
                format!("the API server takes writes again, so that {name} is created")
            }
            _ => format!("the policy that rejects {name} admits it"),
        },
        RemedyAction::RaiseMemory {
            container,
            present,
            proposed,
            ..
        } => format!(
            "{container} needs more memory than its limit of {present}; {proposed} is twice that"
        ),
        RemedyAction::DropPodFinalizers(name) => {
            format!("the controllers behind the finalizers of {name} will not remove them")
        }
        RemedyAction::LabelPod(name, _) => format!("{name} is meant to be the set's"),
        RemedyAction::DeletePod(name) => match pod(name) {
            Some(stranger) if !is_ours(stranger, snapshot) => format!("{name} may go"),
            Some(pod)
                if !is_unplaced(pod)
                    && !pod.is_ready()
                    && !pod.is_terminating()
                    && comes_back_on(plan, pod).is_none()
                    && has_ready_sibling(snapshot, pod) =>
            {
                format!("a restart on the same volumes is what {name} needs")
            }
            _ => return None,
        },
        RemedyAction::NewTemplate => "FILE has a pod template that works".to_owned(),
        RemedyAction::DeleteRevision(name) => {
            format!("{name}, which holds no pod template, may go")
        }
        RemedyAction::RecreateRenamed(longest) => {
            format!("FILE has the set under a name of at most {longest} characters")
        }
        RemedyAction::ToRevision(name, _) => format!("{name} is known to work"),
        RemedyAction::DeleteClaim(name) => format!("the data of {name} may be lost"),
        RemedyAction::ReleaseClaim(name, _) => format!("the data of {name} is to be kept"),
        RemedyAction::DropSetFinalizers => {
            "the controllers behind the finalizers of the set will not remove them".to_owned()
        }
        RemedyAction::Partition(_)
        | RemedyAction::MaxUnavailable(_)
        | RemedyAction::RetainClaims => return None,
        RemedyAction::Parallel => "FILE has the set with podManagementPolicy Parallel".to_owned(),
        RemedyAction::HistoryLimit(limit) => {
            format!("FILE has the set with a revisionHistoryLimit such as {limit}")
        }
    })
}

pub(super) fn risk(remedy_action: &RemedyAction, snapshot: &Snapshot) -> Option<String> {
    Some(match remedy_action {
        RemedyAction::ForceDeletePod(name) => format!(
            "if {name} still runs, two pods of one name write to one volume, and data may be damaged"
        ),
        RemedyAction::OutOfService(node, _) => {
            format!(
                "every pod on {node} is removed by force; if it still runs, data may be damaged"
            )
        }
        RemedyAction::DeleteNode(node, _) => format!(
            "every pod on {node} is removed by force; if the machine still runs, data may be damaged"
        ),
        RemedyAction::DropPodFinalizers(name) => {
            format!("the cleanup behind the finalizers of {name} is skipped")
        }
        RemedyAction::DropSetFinalizers => {
            "the cleanup behind the finalizers is skipped".to_owned()
        }
        RemedyAction::HistoryLimit(_) | RemedyAction::Parallel => {
            "until the new set exists, a deleted pod is not replaced".to_owned()
        }
        RemedyAction::DeleteClaim(name) => {
            format!("the data of {name} is lost")
        }
        RemedyAction::DeletePod(name) => {
            let pod = snapshot.pods.get(name)?;
            if !is_ours(pod, snapshot) {
                "what it serves is down, and its owner may recreate it".to_owned()
            } else if pod.is_running_and_ready() {
                format!("{name} serves nothing until it is ready again")
            } else {
                return None;
            }
        }
        RemedyAction::LabelPod(name, _) => {
            format!("{name} becomes the set's, which replaces it if it is of another revision")
        }
        _ => return None,
    })
}

/// Lists the pods that a remedy replaces and the revisions that they come back on, and the claims that go.
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
        text.push_str(&format!("; LOST: {}", claims.join(", ")));
    }
    text
}

fn is_ours(pod: &Pod, snapshot: &Snapshot) -> bool {
    let uid = &snapshot.set.meta.uid;
    let owner = pod.meta.controller();
    owner.is_some_and(|owner| owner.uid == *uid) || pod.phase == Phase::Unset
}

/// Describes the effect of a remedy in the simulation.
fn effect(plan: &Plan, remedy: &Remedy) -> String {
    let trial = &remedy.trial;
    let end = plan.progression.world.snapshot();
    let after = spell(trial.after);
    let waits = |found: &Obstacle| obstacle(found, end, plan.conditions.now);
    let mut text = match &trial.verdict {
        TrialOutcome::Completes => match plan.deletion() {
            Some(_) => format!("then everything to be deleted is gone after {after}"),
            None => format!("then the rollout completes after {after}"),
        },
        TrialOutcome::Next(next) => format!("then this is over, and after {after} {}", waits(next)),
        TrialOutcome::Useless(same) => format!("does not help: {}", waits(same)),
        TrialOutcome::Livelock => {
            "does not help: pods are recreated and deleted without end".to_owned()
        }
    };
    if let Some(retry) = trial.retry.filter(|_| trial.verdict.helps()) {
        let comes = match retry.expected {
            Some(expected) => format!("in about {}", span(expected)),
            None => format!("at the latest in {}", span(retry.latest)),
        };
        text = format!("the controller's next attempt comes {comes}; {text}");
    }
    if trial.verdict.helps() && plan.deletion().is_none() {
        text.push_str(&restarts(trial));
    }
    if !trial.also_deleted.is_empty() {
        text.push_str("; delete each pod only when the rollout stops at it");
    }
    text
}
