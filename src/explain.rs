//! What a plan says in words: why it waits, what happens next, and how it ends. It reads holds; it never
//! works out the algorithm again.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;

use crate::controller::{Hold, OwnerChange, Resource, Verb, Write, ordinal_of};
use crate::plan::{Obstacle, Outcome, Plan, seconds};
use crate::quantity::Quantity;
use crate::snapshot::{Phase, Pod, Snapshot};
use crate::validate::{Refused, RefusedKind, server_message};

/// One sentence on what a hold waits for, with the evidence.
#[must_use]
pub fn hold(hold: &Hold, snapshot: &Snapshot) -> String {
    let name = |pod: &Arc<Pod>| Arc::clone(&pod.meta.name);
    match hold {
        Hold::SetBeingDeleted => {
            "the set is being deleted: its pods and claims are left alone".to_owned()
        }
        Hold::PodFailed { pod } => format!(
            "{} has ended in phase {}: it is made again once it is gone",
            name(pod),
            pod.phase.name()
        ),
        Hold::StaleClaim { pod, claim, owner } => format!(
            "{} is not created: its claim {claim} still belongs to its predecessor (uid {}), which the \
             garbage collector has yet to notice",
            name(pod),
            owner.uid
        ),
        Hold::ClaimBeingDeleted { pod, claim } => format!(
            "{} is not created: its claim {claim} is being deleted",
            name(pod)
        ),
        Hold::NameTaken { pod } => format!(
            "{} cannot be created: a pod of that name exists, {}",
            name(pod),
            stranger(snapshot, &pod.meta.name)
        ),
        Hold::WaitingForPodTermination { pod } => {
            format!("waiting for {} to be gone: it is terminating", name(pod))
        }
        Hold::WaitingForPodReady { pod } => {
            format!(
                "waiting for {} to become ready: {}",
                name(pod),
                condition_of(pod)
            )
        }
        Hold::WaitingForPodAvailable { pod, at } => format!(
            "waiting for {} to be available: it is ready, {}",
            name(pod),
            not_for_long(snapshot, *at)
        ),
        Hold::PodUpdateRefused { pod, error } => {
            format!("{} cannot be brought in line: {error}", name(pod))
        }
        Hold::ScaleDownWaitingForTermination { pod } => {
            format!(
                "scaling down waits for {} to be gone: it is terminating",
                name(pod)
            )
        }
        Hold::ScaleDownWaitingForReady {
            pod,
            first_unhealthy,
        } => format!(
            "scaling down waits for {} to become ready before deleting it: {}{}",
            name(pod),
            condition_of(pod),
            unless_first(first_unhealthy.as_deref())
        ),
        Hold::ScaleDownWaitingForAvailable {
            pod,
            at,
            first_unhealthy,
        } => format!(
            "scaling down waits for {} to be available before deleting it: it is ready, {}{}",
            name(pod),
            not_for_long(snapshot, *at),
            unless_first(first_unhealthy.as_deref())
        ),
        Hold::UpdateWaitingForPod { pod, at } => format!(
            "the update waits for {}: {}",
            name(pod),
            match at {
                Some(_) => format!("it is ready, {}", not_for_long(snapshot, *at)),
                None => condition_of(pod),
            }
        ),
        Hold::UnavailableBudgetSpent {
            unavailable,
            max_unavailable,
            pod: Some(pod),
        } => format!(
            "the update waits: {unavailable} of at most {max_unavailable} pods {} unavailable, {} first",
            if *unavailable == 1 { "is" } else { "are" },
            name(pod)
        ),
        Hold::UnavailableBudgetSpent {
            max_unavailable,
            pod: None,
            ..
        } => format!("the update waits: maxUnavailable comes to {max_unavailable} pods"),
        Hold::HeldByPartition { pod, partition } => format!(
            "{} stays on {}: it is below partition {partition}",
            name(pod),
            revision_of(pod)
        ),
        Hold::OnDelete { pod } => format!(
            "{} stays on {} until somebody deletes it: the strategy is OnDelete",
            name(pod),
            revision_of(pod)
        ),
    }
}

fn revision_of(pod: &Pod) -> &str {
    if pod.revision.is_empty() {
        "no revision"
    } else {
        &pod.revision
    }
}

/// What is wrong with a pod that should be running and ready.
fn condition_of(pod: &Pod) -> String {
    if pod.is_terminating() {
        return "it is terminating".to_owned();
    }
    if let Some(trouble) = &pod.trouble {
        let what = match &trouble.container {
            Some(container) => format!("container {container} waits in {}", trouble.reason),
            None => "no node takes it".to_owned(),
        };
        return if trouble.message.is_empty() {
            what
        } else {
            format!("{what} ({})", trouble.message)
        };
    }
    match pod.phase {
        Phase::Unset => "it does not exist yet".to_owned(),
        Phase::Running if !pod.is_ready() => "it runs but is not ready".to_owned(),
        Phase::Running => "it runs and is ready".to_owned(),
        phase => format!("its phase is {}", phase.name()),
    }
}

fn not_for_long(snapshot: &Snapshot, at: Option<Timestamp>) -> String {
    let min_ready = snapshot.set.min_ready_seconds;
    match at {
        Some(at) => format!("but not for {min_ready}s (minReadySeconds) before {at}"),
        None => format!("but nobody knows since when (minReadySeconds {min_ready})"),
    }
}

fn unless_first(first: Option<&str>) -> String {
    match first {
        Some(first) => format!(
            "; it would only be deleted regardless if it were the first unhealthy pod, which is {first}"
        ),
        None => String::new(),
    }
}

/// Why a pod that has the right name is not the set's.
fn stranger(snapshot: &Snapshot, name: &str) -> String {
    let Some(pod) = snapshot.pods.get(name) else {
        return "which is not among the objects given".to_owned();
    };
    match pod.meta.controller() {
        Some(owner) if owner.uid == snapshot.set.meta.uid && !pod.is_created() => {
            "which the set owns but which has no phase yet".to_owned()
        }
        Some(owner) if owner.uid == snapshot.set.meta.uid => {
            "which the set owns but cannot claim in this sync".to_owned()
        }
        Some(owner) => format!("owned by {} {} (uid {})", owner.kind, owner.name, owner.uid),
        None if pod.is_terminating() => "owned by nobody and terminating".to_owned(),
        None => "owned by nobody, with labels that spec.selector does not match".to_owned(),
    }
}

/// The reason of an obstacle, its pod and a sentence on it.
#[must_use]
pub fn obstacle(
    obstacle: &Obstacle,
    snapshot: &Snapshot,
) -> (&'static str, Option<Arc<str>>, String) {
    match obstacle {
        Obstacle::Hold(found) | Obstacle::Unwell(found) => {
            let pod = found.pod().map(|pod| Arc::clone(&pod.meta.name));
            (found.reason(), pod, hold(found, snapshot))
        }
        Obstacle::Error(error) => ("Error", None, format!("every sync fails: {error}")),
    }
}

/// Commands that look into an obstacle, the smallest first. None of them changes anything.
#[must_use]
pub fn look_into(obstacle: &Obstacle, snapshot: &Snapshot) -> Vec<String> {
    let namespace = &snapshot.set.meta.namespace;
    let (Obstacle::Hold(hold) | Obstacle::Unwell(hold)) = obstacle else {
        return vec![format!(
            "kubectl describe sts {} -n {namespace}",
            snapshot.set.meta.name
        )];
    };
    match hold {
        Hold::StaleClaim { claim, .. } | Hold::ClaimBeingDeleted { claim, .. } => {
            vec![format!("kubectl describe pvc {claim} -n {namespace}")]
        }
        Hold::SetBeingDeleted => {
            vec![format!(
                "kubectl get sts {} -n {namespace} -o yaml",
                snapshot.set.meta.name
            )]
        }
        other => other
            .pod()
            .map(|pod| format!("kubectl describe pod {} -n {namespace}", pod.meta.name))
            .into_iter()
            .collect(),
    }
}

/// One refusal in words: where, and what the server says.
#[must_use]
pub fn refusal(refused: &Refused) -> String {
    if refused.path == refused.field {
        format!("{}: {}", refused.field, refused.message)
    } else {
        // Which is all that the server's own words, in the headline, do not say.
        format!("{} may not be changed", refused.path)
    }
}

/// The safe way round a refusal, as commands in order; none where the value itself has to be another one.
#[must_use]
pub fn way_round(refused: &Refused, snapshot: &Snapshot) -> Vec<String> {
    if refused.kind != RefusedKind::Forbidden || refused.field != "spec" {
        return Vec::new();
    }
    let (set, namespace) = (&snapshot.set.meta.name, &snapshot.set.meta.namespace);
    let mut commands = Vec::new();
    if let Some(size) = grown_storage(refused) {
        // Claims that exist keep their size whatever the template says, so they are grown one by one.
        commands.extend(snapshot.claims.keys().map(|claim| {
            format!(
                "kubectl patch pvc {claim} -n {namespace} --type merge -p \
                 '{{\"spec\":{{\"resources\":{{\"requests\":{{\"storage\":\"{size}\"}}}}}}}}'"
            )
        }));
    }
    commands.push(format!(
        "kubectl delete sts {set} -n {namespace} --cascade=orphan"
    ));
    commands.push("kubectl apply -f FILE".to_owned());
    commands
}

/// The size that claims would have to grow to, where that is what is refused. Storage never shrinks.
fn grown_storage(refused: &Refused) -> Option<&str> {
    let is_storage = refused.path.starts_with("spec.volumeClaimTemplates")
        && refused.path.ends_with("resources.requests.storage");
    let size = |value: &'_ Option<serde_json::Value>| {
        value
            .as_ref()?
            .as_str()
            .and_then(|text| Quantity::parse(text).ok())
    };
    if !is_storage || size(&refused.new)? <= size(&refused.old)? {
        return None;
    }
    refused.new.as_ref()?.as_str()
}

/// What happens next in one sentence, or why nothing does.
#[must_use]
pub fn headline(plan: &Plan) -> String {
    if let Outcome::Rejected(refused) = &plan.outcome {
        // One line: the first of the server's words; the others stand below, each with its path.
        let first = server_message(
            &plan.snapshot.set.meta.name,
            &refused[..refused.len().min(1)],
        );
        let distinct: BTreeSet<_> = refused
            .iter()
            .map(|refused| (&refused.field, &refused.message))
            .collect();
        return match distinct.len() {
            0 | 1 => format!("REJECTED: {first}"),
            several => format!("REJECTED: {first} (and {} more)", several - 1),
        };
    }
    let snapshot = &plan.snapshot;
    let waits = || {
        plan.next
            .holds
            .iter()
            .find(|hold| !hold.is_intended())
            .map(|found| hold(found, snapshot))
    };
    // A stuck plan that touches no pod is stuck now, whatever it still writes down.
    if let Outcome::Blocked(obstacles) = &plan.outcome
        && !plan.touches_pods()
        && let Some(first) = obstacles.first()
    {
        return format!("BLOCKED: {}", obstacle(first, snapshot).2);
    }
    let next = next_writes(plan);
    if !next.is_empty() {
        let mut text = format!("Next: {}", next.join(", "));
        if let Some(wait) = waits() {
            text.push_str(&format!("; {wait}"));
        }
        return text;
    }
    if let Some(error) = &plan.next.error
        && waits().is_none()
    {
        return format!("Failing: {error}");
    }
    match waits() {
        Some(wait) => capitalised(&wait),
        None => match plan.next.holds.len() {
            0 if plan.has_work() => "Next: the status is written".to_owned(),
            0 => "Nothing to do: the set is where its specification wants it".to_owned(),
            held => {
                let intended = plan.next.holds.first().map(|first| hold(first, snapshot));
                let more = if held > 1 {
                    format!(" (and {} more)", held - 1)
                } else {
                    String::new()
                };
                format!("Nothing to do: {}{more}", intended.unwrap_or_default())
            }
        },
    }
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| {
        first.to_uppercase().collect::<String>() + characters.as_str()
    })
}

/// The writes of the next sync that a reader wants to hear of first: those on pods and revisions, three at
/// most, each with its reason.
fn next_writes(plan: &Plan) -> Vec<String> {
    const SHOWN: usize = 3;
    let writes: Vec<&Write> = plan
        .next
        .writes
        .iter()
        .filter(|write| write.refused.is_none())
        .filter(|write| matches!(write.resource, Resource::Pods | Resource::Revisions))
        .collect();
    let mut sentences: Vec<String> = writes
        .iter()
        .filter_map(|write| sentence(plan, write))
        .collect();
    if sentences.len() > SHOWN {
        let more = sentences.len() - SHOWN + 1;
        sentences.truncate(SHOWN - 1);
        sentences.push(format!("{more} more writes"));
    }
    sentences
}

fn sentence(plan: &Plan, write: &Write) -> Option<String> {
    let name = &write.name;
    Some(match (write.resource, write.verb, &write.body) {
        (Resource::Pods, Verb::Create, crate::controller::Body::Pod(pod)) => {
            format!("create {name} on {}", pod.revision)
        }
        (Resource::Pods, Verb::Delete, crate::controller::Body::Pod(pod)) => {
            format!("delete {name} ({})", reason_to_delete(plan, pod))
        }
        (Resource::Pods, Verb::Update, _) => format!("update {name} (identity, volumes or claims)"),
        (Resource::Revisions, Verb::Create, _) => format!("record revision {name}"),
        (Resource::Revisions, Verb::Update, _) => format!("make {name} the newest revision again"),
        (_, Verb::Patch, crate::controller::Body::Owners { change, .. }) => match change {
            OwnerChange::Adopt(_) => format!("adopt {name}"),
            OwnerChange::Release(_) => format!("release {name}"),
        },
        // The end of an old revision is housekeeping.
        _ => return None,
    })
}

fn reason_to_delete(plan: &Plan, pod: &Pod) -> String {
    let ordinals = plan.conditions.rules.ordinals(&plan.snapshot.set);
    if !ordinals.contains(&ordinal_of(&pod.meta.name)) {
        let replicas = plan.snapshot.set.replicas;
        return format!("scaled away: {replicas} replicas are wanted");
    }
    if matches!(pod.phase, Phase::Failed | Phase::Succeeded) {
        return format!("it has ended in phase {}", pod.phase.name());
    }
    "outdated, highest first".to_owned()
}

/// The whole plan in one line: stable, and the same value that decides the exit code.
#[must_use]
pub fn summary(plan: &Plan) -> String {
    let tally = plan.tally();
    let mut text = format!(
        "Plan: {} to replace, {} to create, {} to delete",
        tally.replaced, tally.created, tally.deleted
    );
    if tally.held_by_partition > 0 {
        text.push_str(&format!("; {} held by partition", tally.held_by_partition));
    }
    if tally.on_delete > 0 {
        text.push_str(&format!(
            "; {} waiting to be deleted by hand",
            tally.on_delete
        ));
    }
    let after = seconds(plan.duration());
    match &plan.outcome {
        Outcome::Complete if !plan.has_work() => text.push_str("; nothing to do"),
        Outcome::Complete => text.push_str(&format!("; complete after {after}")),
        Outcome::Livelock => text.push_str(&format!("; LIVELOCK after {after}")),
        Outcome::Rejected(refused) => {
            let paths: Vec<&str> = refused.iter().map(|refused| &*refused.path).collect();
            text.push_str(&format!("; REJECTED for {}", paths.join(", ")));
        }
        Outcome::Blocked(obstacles) => {
            let by = obstacles
                .first()
                .map(|first| match obstacle(first, &plan.snapshot) {
                    (reason, Some(pod), _) => format!(" by {reason} {pod}"),
                    (reason, None, _) => format!(" by {reason}"),
                });
            text.push_str(&format!(
                "; BLOCKED after {after}{}",
                by.unwrap_or_default()
            ));
        }
    }
    text
}
