//! Evidence for a hold from the objects of the input, one line each.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::related_objects::{event_facts, node_facts};
use crate::cause::subject;
use crate::duration::span;
use crate::observed::claim_users;
use crate::plan::{Observed, Plan};
use crate::words::list;
use sts_controller::controller::Hold;
use sts_controller::object::{Claim, ContainerStatus, Phase, Pod, RelatedObjects, Set, Snapshot};
use sts_controller::simulate::Start;

/// Maximum number of lines of one kind.
const MOST: usize = 5;

/// Returns the evidence for a hold, in the objects as they were read.
#[must_use]
pub fn evidence(hold: &Hold, plan: &Plan) -> Vec<String> {
    let (observed, related) = (plan.observed(), &*plan.related);
    let (snapshot, now) = (observed.objects(), observed.at());
    let shown_by = hold.pod().map(|pod| subject(plan, pod));
    let mut facts = object_facts(hold, shown_by, observed, related);
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
            if let Some(pod) = shown_by.and_then(|pod| observed.pod(&pod.meta.name)) {
                facts.extend(node_facts(pod, related, now));
                facts.extend(events("Pod", &pod.meta.name, &pod.meta.uid));
                if let Hold::PodUpdateRefused { .. } = hold {
                    let missing = missing_volumes(pod, &plan.snapshot.set).into_iter();
                    facts.extend(missing.map(|template| {
                        let pod = &pod.meta.name;
                        format!("pod {pod} has no volume for claim template {template}, and volumes cannot be added to a pod")
                    }));
                    facts.extend(set_events(plan));
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

/// Returns the last warning event of the set, such as a quota or admission failure.
#[must_use]
pub fn set_events(plan: &Plan) -> Option<String> {
    let meta = &plan.observed().objects().set.meta;
    let (namespace, name, uid) = (&meta.namespace, &meta.name, &meta.uid);
    let now = plan.observed().at();
    event_facts(&plan.related, namespace, "StatefulSet", name, uid, now)
}

/// Returns the evidence in the objects themselves, without nodes and events.
fn object_facts(
    hold: &Hold,
    shown_by: Option<&Arc<Pod>>,
    observed: &Observed,
    related: &RelatedObjects,
) -> Vec<String> {
    let (snapshot, now) = (observed.objects(), observed.at());
    match hold {
        Hold::SetBeingDeleted { .. } => {
            let names = snapshot.set.finalizers();
            let since = snapshot.set.meta.deleted.map(|at| {
                let ago = age(now, at);
                format!("deleted {ago} ago")
            });
            let kept =
                (!names.is_empty()).then(|| format!("finalizers of the set: {}", names.join(", ")));
            since.into_iter().chain(kept).collect()
        }
        Hold::StaleClaim { claim, owner, .. } => {
            let mut facts = vec![format!(
                "claim {claim} is owned by {} {} (uid {}), which does not exist",
                owner.kind, owner.name, owner.uid
            )];
            facts.extend(claim_facts(snapshot, related, claim, now));
            facts
        }
        Hold::ClaimBeingDeleted { claim, .. } => claim_facts(snapshot, related, claim, now),
        Hold::NameTaken { pod, .. } => match snapshot.pods.get(&pod.meta.name) {
            Some(stranger) => stranger_facts(stranger, snapshot, now),
            None => Vec::new(),
        },
        Hold::UnavailableBudgetSpent { pod: None, .. } => Vec::new(),
        _ => shown_by
            // A pod that the simulation creates is no evidence.
            .and_then(|pod| observed.same(pod))
            .map(|pod| pod_facts(pod, snapshot, now))
            .unwrap_or_default(),
    }
}

/// Describes the assumption behind a hold at the end of a plan; `None` if it is not assumed.
#[must_use]
pub fn assumed(hold: &Hold, plan: &Plan) -> Option<String> {
    let pod = hold.pod()?;
    let name = &pod.meta.name;
    let end = &plan.predicted().objects().claims;
    let recreated = plan.snapshot.missing_claims(pod).into_iter();
    let recreated: Vec<_> = recreated.filter(|claim| end.contains_key(claim)).collect();
    if pod.trouble.is_some() && !recreated.is_empty() {
        return Some(format!(
            "the controller recreates {}, so {name} may still be scheduled (--assume {name}=ready-after:1m)",
            recreated.join(", ")
        ));
    }
    let assumed = plan.conditions.assumptions.get(&**name)?;
    match (pod.is_terminating(), assumed.start) {
        (true, _) if assumed.never_gone => {
            Some(format!("{name} is assumed never to terminate (--assume)"))
        }
        (false, Start::NeverReady) => Some(format!(
            "{name} is assumed never to become ready (--assume)"
        )),
        _ => None,
    }
}

/// Returns the evidence in a pod.
fn pod_facts(pod: &Pod, snapshot: &Snapshot, now: Timestamp) -> Vec<String> {
    let name = &pod.meta.name;
    let mut facts = Vec::new();
    let mut state = match pod.phase {
        Phase::Unset => format!("pod {name} has no phase"),
        phase => format!("pod {name} is {}", phase.name()),
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
        facts.push(format!("status: {}", with_message(&reason, &message)));
    }
    facts.extend(terminating(pod, now));
    if !pod.is_ready() {
        let containers = pod.containers();
        let described = containers
            .iter()
            .filter_map(|status| Some((waits_for_init(status), container(status)?)));
        let (waiting, failing): (Vec<_>, Vec<_>) = described.partition(|(waits, _)| *waits);
        // Containers that wait for a failing init container are not worth a line.
        let described = if failing.is_empty() { waiting } else { failing };
        facts.extend(described.into_iter().map(|(_, fact)| fact).take(MOST));
        let scheduled = pod.condition("PodScheduled");
        if let Some(refused) = scheduled.filter(|condition| condition.status == "False") {
            let message = with_message(&refused.reason, &refused.message);
            facts.push(format!("not scheduled: {message}"));
        }
        if !pod.scheduled {
            let missing = snapshot.missing_claims(pod).into_iter().take(MOST);
            facts.extend(missing.map(|claim| format!("claim {claim} does not exist")));
        }
        let claims = snapshot.unbound_claims(pod).into_iter().take(MOST);
        facts.extend(claims.map(|claim| unbound(claim)));
    }
    facts
}

/// Describes the deletion of a pod: its age, grace period and finalizers.
fn terminating(pod: &Pod, now: Timestamp) -> Vec<String> {
    let Some(end) = pod.meta.deleted else {
        return Vec::new();
    };
    let grace = SignedDuration::from_secs(pod.deletion_grace_seconds());
    let since = end.checked_sub(grace).unwrap_or(end);
    let grace = format!("its grace period of {}", span(grace));
    let grace = match now.duration_since(end) {
        late if late > SignedDuration::ZERO => format!("{grace} ended {} ago", span(late)),
        left => format!("{grace} ends in {}", span(-left)),
    };
    let mut facts = vec![format!("deleted {} ago; {grace}", age(now, since))];
    let finalizers = pod.finalizers();
    if !finalizers.is_empty() {
        facts.push(format!("finalizers: {}", finalizers.join(", ")));
    }
    facts
}

/// Reports whether a container only waits for the init containers.
fn waits_for_init(status: &ContainerStatus) -> bool {
    let waiting = status.waiting.as_ref();
    let initializes = waiting.is_some_and(|(reason, _)| reason == "PodInitializing");
    initializes && status.restarts == 0 && status.ended.is_none()
}

/// Describes the state of a container; `None` if nothing is wrong with it.
fn container(status: &ContainerStatus) -> Option<String> {
    let mut parts = Vec::new();
    if let Some((reason, message)) = &status.waiting {
        parts.push(format!("waiting in {}", with_message(reason, message)));
    }
    if status.restarts > 0 {
        parts.push(match status.restarts {
            1 => "1 restart".to_owned(),
            restarts => format!("{restarts} restarts"),
        });
    }
    if let Some(ended) = &status.ended
        && (status.restarts > 0 || ended.exit_code != 0)
    {
        let reason = match ended.reason.as_str() {
            "" => String::new(),
            reason => format!(" ({reason})"),
        };
        let message = match last_line(&ended.message) {
            Some(line) => format!(": {line}"),
            None => String::new(),
        };
        parts.push(format!(
            "last exit code {}{reason}{message}",
            ended.exit_code
        ));
    }
    if parts.is_empty() && !status.ready && !status.init {
        parts.push("not ready".to_owned());
    }
    let kind = if status.init {
        "init container"
    } else {
        "container"
    };
    (!parts.is_empty()).then(|| format!("{kind} {}: {}", status.name, parts.join(", ")))
}

/// Returns the last line of a termination message, shortened.
fn last_line(message: &str) -> Option<String> {
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

/// Joins a reason and its message, either of which may be empty.
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

fn claim_facts(
    snapshot: &Snapshot,
    related: &RelatedObjects,
    name: &str,
    now: Timestamp,
) -> Vec<String> {
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
        facts.push(format!("finalizers: {}", finalizers.join(", ")));
    }
    let users = claim_users(snapshot, related, name);
    facts.push(match users.as_slice() {
        [] => "not used by any pod in the input".to_owned(),
        users => format!("used by {}", list(users, MOST)),
    });
    if !matches!(claim.phase().as_str(), "" | "Bound") {
        facts.push(unbound(claim));
    }
    facts
}

/// Describes a foreign pod that has the name of a pod of the set.
fn stranger_facts(pod: &Pod, snapshot: &Snapshot, now: Timestamp) -> Vec<String> {
    let name = &pod.meta.name;
    let mut facts = vec![match pod.meta.controller() {
        Some(owner) => format!(
            "pod {name} is owned by {} {} (uid {})",
            owner.kind, owner.name, owner.uid
        ),
        None => format!("pod {name} has no controller"),
    }];
    let selector = snapshot.set.selector.as_ref();
    let missing: Vec<String> = selector
        .into_iter()
        .flat_map(|selector| selector.match_labels.iter())
        .filter(|(key, value)| pod.meta.labels.get(key) != Some(value))
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    if !missing.is_empty() {
        facts.push(format!("missing labels: {}", missing.join(", ")));
    }
    facts.extend(terminating(pod, now));
    facts
}

/// Returns the claim templates for which a pod has no volume.
pub(super) fn missing_volumes(pod: &Pod, set: &Set) -> Vec<Arc<str>> {
    let templates = set.claim_templates.iter();
    let missing = templates.filter(|template| {
        let mut volumes = pod.volumes.iter();
        !volumes.any(|volume| volume.name == template.name && volume.claim.is_some())
    });
    missing.map(|template| Arc::clone(&template.name)).collect()
}

pub(super) fn age(now: Timestamp, since: Timestamp) -> String {
    span(now.duration_since(since))
}
