//! Descriptions of remedies: commands, precondition, risk, and effect in the simulation.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::hold::condition_of;
use super::obstacle;
use crate::command::delete_pod;
use crate::duration::{span, spell};
use crate::plan::{Obstacle, Plan, reverting_tool};
use crate::remedy::{Remedy, RemedyAction, RemedyEntry, RemedyTrial, ReportRemedy, TrialOutcome};
use jiff::SignedDuration;
use sts_controller::controller::Hold;

/// Returns the report of a remedy.
#[must_use]
pub fn remedy_text(plan: &Plan, remedy: &Remedy) -> ReportRemedy {
    let end = plan.predicted().objects();
    let mut entries: Vec<&RemedyEntry> = remedy.entries.iter().collect();
    let commands = entries.iter().flat_map(|entry| entry.commands.clone());
    let mut commands: Vec<String> = commands.collect();
    let also = remedy.trial.also_deleted.iter();
    commands.extend(also.map(|pod| delete_pod(pod, end)));
    // The condition comes before the step to do first, which has no command.
    entries.sort_by_key(|entry| entry.commands.is_empty());
    let join = |field: fn(&RemedyEntry) -> Option<&String>| {
        let mut all: Vec<&str> = Vec::new();
        for text in entries.iter().filter_map(|entry| field(entry)) {
            if !all.contains(&text.as_str()) {
                all.push(text);
            }
        }
        all.join("; ")
    };
    let mut precondition = join(|entry| entry.condition.as_ref());
    if let Some(tool) = reverting_tool(plan).filter(|_| remedy.changes_template()) {
        // A command alone is reverted by the next sync.
        precondition =
            format!("first in the source of {tool}, which reverts changes here: {precondition}");
    }
    ReportRemedy {
        commands,
        precondition,
        risk: join(|entry| entry.risk.as_ref()),
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
        edits: remedy.actions.contains(&RemedyAction::NewTemplate),
        obvious: is_foreseeable(plan, &remedy.trial.verdict)
            && remedy.trial.retry.is_none()
            && remedy.trial.restarted.is_empty()
            && remedy.trial.lost.is_empty(),
    }
}

/// Reports whether the plan tells an outcome without the trial: nothing is left, or the next of its own obstacles.
fn is_foreseeable(plan: &Plan, verdict: &TrialOutcome) -> bool {
    match verdict {
        TrialOutcome::Completes => true,
        TrialOutcome::Next(next) => {
            let pod = |it: &Obstacle| it.pod().map(|pod| Arc::clone(&pod.meta.name));
            let mut known = plan.outcome.obstacles().iter();
            pod(next).is_some_and(|next| known.any(|it| pod(it).as_ref() == Some(&next)))
        }
        TrialOutcome::Useless(_) | TrialOutcome::Livelock => false,
    }
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

/// Describes the next obstacle: `the next obstacle is that web-1 is still terminating after 25s`.
fn next_obstacle(next: &Obstacle, after: &str, describe: &dyn Fn(&Obstacle) -> String) -> String {
    match next {
        Obstacle::Hold(
            Hold::WaitingForPodTermination { pod, .. }
            | Hold::ScaleDownWaitingForTermination { pod, .. }
            | Hold::RecreateWaitingForTermination { pod, .. },
        ) => format!(
            "the next obstacle is that {} is still terminating after {after}",
            pod.meta.name
        ),
        Obstacle::Hold(
            Hold::WaitingForPodReady { pod, .. } | Hold::UpdateWaitingForPod { pod, at: None, .. },
        ) => format!(
            "the next obstacle is that {} is still not ready after {after}: {}",
            pod.meta.name,
            condition_of(pod)
        ),
        _ => format!("the next obstacle comes after {after}: {}", describe(next)),
    }
}

/// Returns the pod of the next obstacle, if it is unscheduled by a message that is older than a remedy which uncordons a node
/// for it too.
fn reported_before<'o>(plan: &Plan, remedy: &Remedy, next: &'o Obstacle) -> Option<&'o Arc<str>> {
    let pod = next.pod()?;
    let is_unplaced = pod.trouble.as_ref().is_some_and(|it| it.is_unplaced());
    let was_read = plan.observed().same(pod).is_some();
    let reaches = plan.reaches(pod);
    let uncordons = |it: &RemedyAction| {
        let RemedyAction::Uncordon(node, _) = it else {
            return false;
        };
        let node = plan.related.node(node);
        node.is_some_and(|node| reaches.iter().all(|reach| reach.admits(node)))
    };
    let helps = is_unplaced && was_read && remedy.actions.iter().any(uncordons);
    helps.then_some(&pod.meta.name)
}

/// Describes the effect of a remedy in the simulation.
fn effect(plan: &Plan, remedy: &Remedy) -> String {
    let trial = &remedy.trial;
    let end = plan.predicted().objects();
    let after = spell(trial.after);
    let waits = |found: &Obstacle| obstacle(found, end, plan.conditions.now);
    let mut text = match &trial.verdict {
        TrialOutcome::Completes => match plan.deletion() {
            Some(_) => format!("the deletion completes after {after}"),
            None => format!("the rollout completes after {after}"),
        },
        TrialOutcome::Next(next) => match reported_before(plan, remedy, next) {
            Some(pod) => format!(
                "then {pod} is next, after {after}: its message is from before this step, and the step may help it too"
            ),
            None => next_obstacle(next, &after, &waits),
        },
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
