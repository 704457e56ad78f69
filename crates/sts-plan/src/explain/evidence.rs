//! The facts behind a hold, as the objects tell them: one short sentence each.

use jiff::{SignedDuration, Timestamp};

use super::around::{event_facts, node_facts};
use crate::duration::span;
use crate::plan::Plan;
use sts_controller::controller::Hold;
use sts_controller::object::{Claim, ContainerStatus, Phase, Pod, RelatedObjects, Snapshot};
use sts_controller::simulate::Start;

/// Maximum number of facts of one kind to tell.
const MOST: usize = 5;

/// Tells what the objects say about a hold at a moment.
#[must_use]
pub fn evidence(
    hold: &Hold,
    snapshot: &Snapshot,
    related: &RelatedObjects,
    now: Timestamp,
) -> Vec<String> {
    let mut facts = seen(hold, snapshot, now);
    let namespace = &snapshot.set.meta.namespace;
    let events =
        |kind, name: &str, uid: &str| event_facts(related, namespace, kind, name, uid, now);
    match hold {
        Hold::StaleClaim { claim, .. } | Hold::ClaimBeingDeleted { claim, .. } => {
            let uid = snapshot
                .claims
                .get(claim)
                .map(|claim| claim.meta.uid.clone());
            facts.extend(events(
                "PersistentVolumeClaim",
                claim,
                &uid.unwrap_or_default(),
            ));
        }
        _ => {
            if let Some(pod) = hold.pod().and_then(|pod| snapshot.pods.get(&pod.meta.name)) {
                facts.extend(node_facts(pod, related, now));
                facts.extend(events("Pod", &pod.meta.name, &pod.meta.uid));
                if let Hold::PodUpdateRefused { .. } = hold {
                    facts.extend(set_events(snapshot, related, now));
                }
                for claim in snapshot.unbound_claims(pod) {
                    let meta = &claim.meta;
                    facts.extend(events("PersistentVolumeClaim", &meta.name, &meta.uid));
                }
            }
        }
    }
    facts
}

/// Tells the last warning on the set: quota, admission and the like, which no object tells.
#[must_use]
pub fn set_events(snapshot: &Snapshot, related: &RelatedObjects, now: Timestamp) -> Option<String> {
    let meta = &snapshot.set.meta;
    let (namespace, name) = (&meta.namespace, &meta.name);
    event_facts(related, namespace, "StatefulSet", name, &meta.uid, now)
}

/// Tells what the objects themselves say.
fn seen(hold: &Hold, snapshot: &Snapshot, now: Timestamp) -> Vec<String> {
    match hold {
        Hold::SetBeingDeleted { .. } => {
            let names = snapshot.set.finalizers();
            let since = snapshot.set.meta.deleted.map(|at| {
                let ago = age(now, at);
                format!("the set was deleted {ago} ago")
            });
            let kept = (!names.is_empty())
                .then(|| format!("the set has finalizers: {}", names.join(", ")));
            since.into_iter().chain(kept).collect()
        }
        Hold::StaleClaim { claim, owner, .. } => {
            let mut facts = vec![format!(
                "claim {claim} names {} {} with uid {} as an owner, and no such object is there",
                owner.kind, owner.name, owner.uid
            )];
            facts.extend(claim_facts(snapshot, claim, now));
            facts
        }
        Hold::ClaimBeingDeleted { claim, .. } => claim_facts(snapshot, claim, now),
        Hold::NameTaken { pod, .. } => match snapshot.pods.get(&pod.meta.name) {
            Some(stranger) => stranger_facts(stranger, snapshot, now),
            None => Vec::new(),
        },
        Hold::PodUpdateRefused { pod, .. } => {
            let mut facts = pod_facts(pod, snapshot, now);
            facts.extend(missing_volumes(pod, snapshot));
            facts
        }
        Hold::UnavailableBudgetSpent { pod: None, .. } => Vec::new(),
        other => other
            .pod()
            // One that is only about to be made has nothing to tell yet.
            .filter(|pod| pod.phase != Phase::Unset || snapshot.pods.contains_key(&pod.meta.name))
            .map(|pod| pod_facts(pod, snapshot, now))
            .unwrap_or_default(),
    }
}

/// Tells which part of a hold at the end of a plan is assumed rather than seen; `None` when nothing is.
#[must_use]
pub fn assumed(hold: &Hold, plan: &Plan) -> Option<String> {
    let pod = hold.pod()?;
    let name = &pod.meta.name;
    let end = &plan.progression.world.snapshot().claims;
    let made_again = plan.snapshot.missing_claims(pod).into_iter();
    let made_again: Vec<_> = made_again.filter(|claim| end.contains_key(claim)).collect();
    if pod.trouble.is_some() && !made_again.is_empty() {
        return Some(format!(
            "the controller recreates {}, so {name} may be scheduled yet (--assume {name}=ready-after:1m)",
            made_again.join(", ")
        ));
    }
    let assumed = plan.conditions.assumptions.get(&**name)?;
    match (pod.is_terminating(), assumed.start) {
        (true, _) if assumed.never_gone => Some(format!("{name} is assumed to stay (--assume)")),
        (false, Start::NeverReady) => Some(format!(
            "{name} is assumed never to become ready (--assume)"
        )),
        _ => None,
    }
}

/// Tells what a pod's object says of it.
fn pod_facts(pod: &Pod, snapshot: &Snapshot, now: Timestamp) -> Vec<String> {
    let name = &pod.meta.name;
    let mut facts = Vec::new();
    let mut state = match pod.phase {
        Phase::Unset => format!("pod {name} has no phase"),
        phase => format!("pod {name} is in phase {}", phase.name()),
    };
    match pod.ready {
        Some(ready) => {
            state.push_str(if ready.is_true {
                ", ready"
            } else {
                ", not ready"
            });
            let since = ready.since.filter(|since| *since <= now);
            if let Some(since) = since {
                state.push_str(&format!(" for {}", age(now, since)));
            }
        }
        None if pod.phase == Phase::Running => state.push_str(", not ready"),
        None => {}
    }
    if !pod.revision.is_empty() {
        state.push_str(&format!(", on {}", pod.revision));
    }
    facts.push(state);
    if let (reason, message) = pod.status_reason()
        && !(reason.is_empty() && message.is_empty())
    {
        facts.push(format!(
            "its status says {}",
            with_message(&reason, &message)
        ));
    }
    facts.extend(terminating(pod, now));
    if !pod.is_ready() {
        let containers = pod.containers();
        let told = containers
            .iter()
            .filter_map(|status| Some((only_initializes(status), container(status)?)));
        let (initialize, tell): (Vec<_>, Vec<_>) = told.partition(|(only, _)| *only);
        // That the others wait for the init containers says nothing beside what is wrong with those.
        let told = if tell.is_empty() { initialize } else { tell };
        facts.extend(told.into_iter().map(|(_, fact)| fact).take(MOST));
        let scheduled = pod.condition("PodScheduled");
        if let Some(refused) = scheduled.filter(|condition| condition.status == "False") {
            let message = with_message(&refused.reason, &refused.message);
            facts.push(format!("not scheduled: {message}"));
        }
        if !pod.scheduled {
            let missing = snapshot.missing_claims(pod).into_iter().take(MOST);
            facts.extend(missing.map(|claim| format!("claim {claim} is not there")));
        }
        let claims = snapshot.unbound_claims(pod).into_iter().take(MOST);
        facts.extend(claims.map(|claim| unbound(claim)));
    }
    facts
}

/// Since when a pod is going, and whether it should be gone.
fn terminating(pod: &Pod, now: Timestamp) -> Vec<String> {
    let Some(end) = pod.meta.deleted else {
        return Vec::new();
    };
    let grace = SignedDuration::from_secs(pod.deletion_grace_seconds());
    let since = end.checked_sub(grace).unwrap_or(end);
    let over = match now.duration_since(end) {
        late if late > SignedDuration::ZERO => format!("which ended {} ago", span(late)),
        left => format!("{} of which are left", span(-left)),
    };
    let mut facts = vec![format!(
        "it was deleted {} ago with a grace period of {}, {over}",
        age(now, since),
        span(grace)
    )];
    let finalizers = pod.finalizers();
    if !finalizers.is_empty() {
        facts.push(format!("it has finalizers: {}", finalizers.join(", ")));
    }
    facts
}

/// Describes the trouble of a container; `None` when there is none.
/// Reports whether all that a container does is to wait for the init containers.
fn only_initializes(status: &ContainerStatus) -> bool {
    let waiting = status.waiting.as_ref();
    let initializes = waiting.is_some_and(|(reason, _)| reason == "PodInitializing");
    initializes && status.restarts == 0 && status.ended.is_none()
}

fn container(status: &ContainerStatus) -> Option<String> {
    let mut parts = Vec::new();
    if let Some((reason, message)) = &status.waiting {
        parts.push(format!("waits in {}", with_message(reason, message)));
    }
    if status.restarts > 0 {
        let times = if status.restarts == 1 {
            "time"
        } else {
            "times"
        };
        parts.push(format!("restarted {} {times}", status.restarts));
    }
    if let Some(ended) = &status.ended
        && (status.restarts > 0 || ended.exit_code != 0)
    {
        let reason = match ended.reason.as_str() {
            "" => String::new(),
            reason => format!(" ({reason})"),
        };
        let words = match last_words(&ended.message) {
            Some(words) => format!(": {words}"),
            None => String::new(),
        };
        parts.push(format!(
            "last ended with exit code {}{reason}{words}",
            ended.exit_code
        ));
    }
    if parts.is_empty() && !status.ready && !status.init {
        parts.push("is not ready".to_owned());
    }
    let kind = if status.init {
        "init container"
    } else {
        "container"
    };
    (!parts.is_empty()).then(|| format!("{kind} {} {}", status.name, parts.join(", ")))
}

/// The last line of what a container left behind, which is where programs say why they end.
fn last_words(message: &str) -> Option<String> {
    const MOST: usize = 200;
    let line = message
        .lines()
        .rev()
        .map(str::trim)
        .find(|line| !line.is_empty())?;
    let cut: String = line.chars().take(MOST).collect();
    Some(if cut.len() < line.len() {
        cut + "..."
    } else {
        cut
    })
}

/// A reason and the message that goes with it, either of which may be empty.
#[must_use]
pub fn with_message(reason: &str, message: &str) -> String {
    match (reason, message) {
        (reason, "") => reason.to_owned(),
        ("", message) => message.to_owned(),
        (reason, message) => format!("{reason}: {message}"),
    }
}

fn unbound(claim: &Claim) -> String {
    format!("claim {} is {}", claim.meta.name, claim.phase())
}

fn claim_facts(snapshot: &Snapshot, name: &str, now: Timestamp) -> Vec<String> {
    let Some(claim) = snapshot.claims.get(name) else {
        return Vec::new();
    };
    let mut facts = Vec::new();
    if let Some(deleted) = claim.meta.deleted {
        facts.push(format!(
            "claim {name} was deleted {} ago",
            age(now, deleted)
        ));
    }
    let finalizers = claim.finalizers();
    if !finalizers.is_empty() && claim.meta.is_terminating() {
        facts.push(format!("it has finalizers: {}", finalizers.join(", ")));
    }
    let uses = |pod: &&std::sync::Arc<Pod>| {
        let mut volumes = pod.volumes.iter();
        volumes.any(|volume| volume.claim.as_deref() == Some(name))
    };
    let users: Vec<&str> = snapshot
        .pods
        .values()
        .filter(uses)
        .map(|pod| &*pod.meta.name)
        .take(MOST)
        .collect();
    facts.push(match users.as_slice() {
        [] => "no pod of the input uses it".to_owned(),
        users => format!("used by {}", users.join(", ")),
    });
    if !matches!(claim.phase().as_str(), "" | "Bound") {
        facts.push(unbound(claim));
    }
    facts
}

/// Describes the stranger that has the name of a pod of the set.
fn stranger_facts(pod: &Pod, snapshot: &Snapshot, now: Timestamp) -> Vec<String> {
    let name = &pod.meta.name;
    let mut facts = vec![match pod.meta.controller() {
        Some(owner) => format!(
            "pod {name} is owned by {} {} (uid {})",
            owner.kind, owner.name, owner.uid
        ),
        None => format!("pod {name} has no owner that manages it"),
    }];
    let selector = snapshot.set.selector.as_ref();
    let missing: Vec<String> = selector
        .into_iter()
        .flat_map(|selector| selector.match_labels.iter())
        .filter(|(key, value)| pod.meta.labels.get(key) != Some(value))
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    if !missing.is_empty() {
        facts.push(format!("it lacks the labels {}", missing.join(", ")));
    }
    facts.extend(terminating(pod, now));
    facts
}

/// The claim templates that a pod has no volume of.
fn missing_volumes(pod: &Pod, snapshot: &Snapshot) -> Vec<String> {
    let templates = snapshot.set.claim_templates.iter();
    let missing = templates.filter(|template| {
        let mut volumes = pod.volumes.iter();
        !volumes.any(|volume| volume.name == template.name && volume.claim.is_some())
    });
    missing
        .map(|template| {
            let (pod, name) = (&pod.meta.name, &template.name);
            format!("pod {pod} has no volume of claim template {name}, and a pod cannot get one")
        })
        .collect()
}

pub(super) fn age(now: Timestamp, since: Timestamp) -> String {
    span(now.duration_since(since))
}
