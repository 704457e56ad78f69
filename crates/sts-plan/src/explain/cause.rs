//! A cause in words: what is wrong, in one clause.

use std::sync::Arc;

use super::command::quoted;
use super::headline::uncapitalised;
use super::plural;
use crate::cause::{Blame, Blames, Cause, CauseKind, ContainerFailure, VolumeHolder};
use crate::duration::span;
use crate::foresight;
use crate::plan::{Plan, Retry};
use sts_controller::object::PersistentVolume;

/// Describes a cause in one clause: `pg-2 crash-loops on the new revision (postgres, exit 1, 17 restarts)`.
#[must_use]
pub fn cause(cause: &Cause) -> String {
    let pod = &cause.pod;
    let place = match cause.blame {
        Blame::Template => " on the new revision",
        Blame::Pod | Blame::Unknown => "",
    };
    let text = match &cause.kind {
        CauseKind::CrashLoop(failure)
            if matches!(cause.id(), Some("liveness-kill" | "startup-kill")) =>
        {
            let probe = match cause.id() {
                Some("startup-kill") => "startup",
                _ => "liveness",
            };
            let (name, restarts) = (&failure.container, restarts(failure));
            format!(
                "{pod} is killed by its {probe} probe{place} ({name}, {restarts}): {}",
                cause.message()
            )
        }
        CauseKind::CrashLoop(failure) => {
            let init = if failure.is_init {
                "init container "
            } else {
                ""
            };
            format!("{pod} crash-loops{place} ({init}{})", ended(failure))
        }
        CauseKind::OutOfMemory(failure) => {
            let limit = match &failure.memory_limit {
                Some(limit) => format!(", limit {limit}"),
                None => String::new(),
            };
            let (name, restarts) = (&failure.container, restarts(failure));
            format!("{pod} is OOMKilled{place} ({name}{limit}, {restarts})")
        }
        CauseKind::ImagePull(failure) => {
            let (name, image, reason) = (&failure.container, &failure.image, &failure.reason);
            format!("{pod} cannot pull its image{place} ({name}, {image}, {reason})")
        }
        CauseKind::ContainerConfig(failure) => {
            let (name, message) = (&failure.container, &failure.message);
            let why = if message.is_empty() {
                &failure.reason
            } else {
                message
            };
            format!("{pod} cannot start container {name}{place}: {why}")
        }
        CauseKind::Unschedulable {
            message, holder, ..
        } => {
            let holder = holder
                .as_ref()
                .filter(|_| cause.id() == Some("rwop-in-use"));
            format!(
                "{pod} cannot be scheduled{place}: {}{}",
                scheduler_words(message),
                held_by(holder)
            )
        }
        CauseKind::Volume { message, holder } => {
            let held = held_by(holder.as_ref());
            format!("a volume of {pod} does not attach: {message}{held}")
        }
        CauseKind::NodeLost {
            node,
            is_gone,
            is_terminating,
            ..
        } => {
            let is = if *is_terminating {
                "is terminating"
            } else {
                "is"
            };
            let state = if *is_gone {
                "is gone"
            } else {
                "does not answer"
            };
            format!("{pod} {is} on a node that {state} ({node})")
        }
        CauseKind::Finalizers(names) => {
            format!(
                "{pod} is terminating, held by its finalizers ({})",
                names.join(", ")
            )
        }
        CauseKind::Terminating => format!("{pod} is terminating, past its grace period"),
        CauseKind::DeletionRefused { message } => format!("{pod} is not deleted: {message}"),
        CauseKind::Rejected {
            reason,
            message,
            count,
        } => {
            let why = match message.is_empty() {
                true => String::new(),
                false => format!(": {message}"),
            };
            format!("{pod} ends as {reason} as often as it is created, {count} times{why}")
        }
        CauseKind::Quota { name, amounts, .. } => {
            format!("{pod} is not created: quota {name} is exhausted ({amounts})")
        }
        CauseKind::Refused { message } => format!("{pod} is not created: {message}"),
        CauseKind::ClaimDeleted { claim, .. } => {
            format!("{pod} is not created: its claim {claim} is being deleted")
        }
        CauseKind::Starting { waits_in } => format!("{pod} does not start{place} ({waits_in})"),
        CauseKind::Foreseen(found) => foresight::told(pod, found),
        CauseKind::NotReady { containers } if containers.is_empty() => {
            format!("{pod} runs but is not ready{place}")
        }
        CauseKind::NotReady { containers } => {
            format!(
                "{pod} runs but is not ready{place} ({})",
                containers.join(", ")
            )
        }
    };
    let more = detail(cause, &text);
    text + &more
}

/// The pod that uses the volume: `; debug-web on node ip-10-0-1-17 has it`.
fn held_by(holder: Option<&VolumeHolder>) -> String {
    match holder {
        Some(VolumeHolder {
            pod,
            node: Some(node),
        }) => format!("; {pod} on node {node} has it"),
        Some(VolumeHolder { pod, node: None }) => format!("; {pod} has it"),
        None => String::new(),
    }
}

/// Describes what a component said beyond the state of the pod, and the other failures in it.
fn detail(cause: &Cause, told: &str) -> String {
    let mut text = String::new();
    let is_new = !cause.message().is_empty() && !told.contains(cause.message());
    let is_telling = match cause.id() {
        Some(
            "readiness-gate"
            | "all-unready-at-once"
            | "readiness-failing"
            | "recovering"
            | "no-address"
            | "cni-not-ready"
            | "sandbox-failing"
            | "image-pulling"
            | "node-group-maximum"
            | "scale-up-failed"
            | "karpenter-incompatible"
            | "preempted"
            | "multi-attach"
            | "kubelet-cannot-kill"
            | "disk-pressure"
            | "memory-pressure"
            | "node-unreachable-taint",
        ) => is_new,
        Some(id) => id.starts_with("image-") && is_new,
        None => false,
    };
    if cause.id() == Some("readiness-gate") {
        text.push_str("; its containers are ready, a readiness gate is not met");
    }
    if is_telling {
        text.push_str(&format!("; {}", cause.message()));
    }
    for failure in &cause.also {
        let (name, reason) = (&failure.container, &failure.reason);
        let what = match &**reason {
            "CrashLoopBackOff" => ended(failure),
            _ => format!("{name}, {}", failure.image),
        };
        text.push_str(&format!("; and {reason} ({what})"));
    }
    text
}

/// The cause in one clause without the pod, where other sets can have the same: `node ip-10-0-1-17 does not answer`.
#[must_use]
pub fn shared_cause(cause: &Cause) -> Option<String> {
    Some(match &cause.kind {
        CauseKind::NodeLost { node, is_gone, .. } => match is_gone {
            true => format!("node {node} is gone"),
            false => format!("node {node} does not answer"),
        },
        CauseKind::ImagePull(_) if is_of_registry(cause) => return of_what_all_share(cause),
        CauseKind::ImagePull(failure) => {
            format!(
                "image {} cannot be pulled ({})",
                failure.image, failure.reason
            )
        }
        CauseKind::Unschedulable { message, .. } => {
            format!(
                "their pods cannot be scheduled: {}",
                scheduler_words(message)
            )
        }
        // A quota of the same name in another namespace is another quota, with other amounts.
        CauseKind::Quota { name, amounts, .. } => format!("quota {name} is exhausted ({amounts})"),
        // Each refusal names its pod first: `pods "web-1" is forbidden: `.
        CauseKind::Refused { message } => {
            let words = message
                .split_once(" is forbidden: ")
                .map_or(message.as_str(), |(_, words)| words);
            match words.contains(&*cause.pod) {
                true => return of_what_all_share(cause),
                false => format!("pods are not created: {words}"),
            }
        }
        CauseKind::Finalizers(names) => {
            format!("pods are held by finalizers ({})", names.join(", "))
        }
        CauseKind::CrashLoop(_)
        | CauseKind::OutOfMemory(_)
        | CauseKind::ContainerConfig(_)
        | CauseKind::Volume { .. }
        | CauseKind::Terminating
        | CauseKind::DeletionRefused { .. }
        | CauseKind::Rejected { .. }
        | CauseKind::ClaimDeleted { .. }
        | CauseKind::Starting { .. }
        | CauseKind::Foreseen(_)
        | CauseKind::NotReady { .. } => return of_what_all_share(cause),
    })
}

/// Reports whether the registry fails regardless of the image that is asked for.
fn is_of_registry(cause: &Cause) -> bool {
    matches!(
        cause.id(),
        Some("image-rate-limit" | "image-timeout" | "image-tls" | "registry-unavailable")
    )
}

/// The title of a cause whose blame is nothing of one set: `the network has no address left (no-address)`.
fn of_what_all_share(cause: &Cause) -> Option<String> {
    let entry = cause.recognized.as_ref()?.entry;
    let is_shared = matches!(
        entry.blames,
        Blames::Network | Blames::Storage | Blames::Server | Blames::Policy | Blames::Registry
    );
    is_shared.then(|| format!("{} ({})", uncapitalised(entry.title), entry.id))
}

/// `postgres, exit 1, 17 restarts`.
fn ended(failure: &ContainerFailure) -> String {
    let mut parts = vec![failure.container.clone()];
    parts.extend(failure.exit_code.map(|code| format!("exit {code}")));
    parts.push(restarts(failure));
    parts.join(", ")
}

fn restarts(failure: &ContainerFailure) -> String {
    let number = usize::try_from(failure.restarts).unwrap_or(0);
    plural(number, "restart", "restarts")
}

/// Returns the scheduler's message about the nodes, without its part about preemption.
fn scheduler_words(message: &str) -> &str {
    let nodes = message.split(" preemption: ").next().unwrap_or(message);
    nodes.trim_end_matches('.')
}

/// Returns the attempts that do not help, and what to know before anything is done: a sentence each.
#[must_use]
pub fn cautions(cause: &Cause, undo_needs_deletion: bool) -> Vec<String> {
    let pod = &cause.pod;
    let mut out = Vec::new();
    if undo_needs_deletion {
        out.push(format!(
            "another template alone is not enough: the controller waits for {pod} before it updates it, so {pod} has \
             to be deleted as well (kubernetes/kubernetes#67250)"
        ));
    }
    if let Some(owner) = &cause.owner {
        out.push(format!(
            "{owner} owns the set and sets its template again: make the change there"
        ));
    } else if let Some(tool) = &cause.managed_by {
        out.push(format!(
            "{tool} manages the set: make the change in its source as well, or its next run reverts it"
        ));
    }
    if cause.difference.only_restarted && cause.blame == Blame::Template {
        out.push(
            "the revisions differ by restartedAt only: rolling back starts the same template again and does not help; \
             look at what the pod reads when it starts: its config, its data, what it depends on"
                .to_owned(),
        );
    }
    match &cause.kind {
        CauseKind::NotReady { .. } | CauseKind::Starting { .. }
            if cause.recognized.as_ref().is_some_and(|found| {
                !matches!(found.entry.id, "not-ready" | "not-starting" | "readiness-failing")
            }) =>
        {
            out.extend(counsel(cause));
        }
        CauseKind::CrashLoop(_) | CauseKind::NotReady { .. } | CauseKind::Starting { .. }
            if cause.blame == Blame::Pod =>
        {
            out.push(format!(
                "siblings of the same revision are ready, so another template would restart them for nothing: look at \
                 {pod}'s own data, node and volume"
            ));
        }
        CauseKind::ImagePull(failure)
            if !cause.difference.images.contains(&failure.container) =>
        {
            out.push(format!(
                "the image of {} is the same in the revision before, so rolling back does not help: check the \
                 registry, its credentials (imagePullSecrets) and its rate limit",
                failure.container
            ));
        }
        CauseKind::Unschedulable { zones, .. } => {
            if cause.blame == Blame::Template && !cause.difference.scheduling {
                out.push(
                    "nothing that the scheduler reads differs between the revisions, so rolling back does not help"
                        .to_owned(),
                );
            }
            if !zones.is_empty() {
                out.push(format!(
                    "its volume is bound to {} {}: only a node there can run it",
                    if zones.len() == 1 { "zone" } else { "zones" },
                    zones.join(", ")
                ));
            }
        }
        CauseKind::Foreseen(found) => {
            out.extend(super::foresight::cautions(found, cause.difference.scheduling));
        }
        CauseKind::NodeLost {
            node,
            local_claims,
            zones,
            unknown_claims,
            is_terminating,
            ..
        } => {
            if !zones.is_empty() && local_claims.is_empty() {
                out.push(format!(
                    "the volumes of {pod} are in {}, where no ready node takes it: removed by force, it would not come \
                     back",
                    super::remedy::in_zones(zones)
                ));
            }
            if let Some(claim) = unknown_claims.first() {
                out.push(format!(
                    "not known whether another node can have the volume of {claim}: it is not in the input, and no \
                     other ready node is in the zone of node {node}"
                ));
            }
            if let Some(claim) = local_claims.first() {
                out.push(format!(
                    "the volume of {claim} is local to node {node}: no other node can run {pod}, and its data is lost \
                     with the node"
                ));
            }
            out.push(match is_terminating {
                true => format!(
                    "if node {node} comes back, {pod} is removed by itself: nothing needs to be forced"
                ),
                false => format!("if node {node} comes back, {pod} becomes ready again"),
            });
        }
        CauseKind::Volume { holder, .. } => {
            if let Some(holder) = holder {
                out.push(format!(
                    "the volume is free once it is detached from {}; no template change helps",
                    holder.pod
                ));
            } else {
                out.extend(counsel(cause));
            }
        }
        CauseKind::Finalizers(names) => out.push(format!(
            "{pod} is removed once the controllers behind {} finish: look there first",
            names.join(", ")
        )),
        CauseKind::ClaimDeleted {
            claim,
            finalizers,
            volume,
        } => out.extend([
            reclaim(claim, volume.as_deref()),
            match finalizers.is_empty() {
                true => format!(
                    "do not remove the finalizers of {claim}: they protect its data while a pod uses it"
                ),
                false => format!(
                    "{claim} is removed once the controllers behind {} finish: look there first",
                    finalizers.join(", ")
                ),
            },
        ]),
        CauseKind::OutOfMemory(failure) if failure.memory_limit.is_none() => out.push(format!(
            "{} has no memory limit, so its node ran out of memory: find what fills the node, or request what {} needs",
            failure.container, failure.container
        )),
        CauseKind::Quota { .. } | CauseKind::Refused { .. } => {
            if !matches!(cause.id(), Some("quota" | "refused")) {
                out.extend(counsel(cause));
            }
            out.push(format!(
                "{}; any write to the set triggers an attempt at once: nothing has to be deleted",
                next_attempt(cause.retry)
            ));
        }
        CauseKind::DeletionRefused { .. } => {
            out.extend(counsel(cause));
            if cause.retry.is_some() {
                out.push(format!(
                    "{}; any write to the set triggers an attempt at once",
                    next_attempt(cause.retry)
                ));
            }
        }
        CauseKind::Rejected { .. } => out.extend(counsel(cause)),
        _ => {}
    }
    out
}

/// When the controller tries again what is refused.
fn next_attempt(retry: Option<Retry>) -> String {
    match retry {
        Some(Retry {
            expected: Some(expected),
            latest,
        }) if expected >= latest => {
            format!("the controller tries again in about {}", span(expected))
        }
        Some(Retry {
            expected: Some(expected),
            latest,
        }) => format!(
            "the controller tries again in about {}, at the latest in {}",
            span(expected),
            span(latest)
        ),
        Some(Retry {
            expected: None,
            latest,
        }) => format!(
            "the controller tries again at the latest in {}",
            span(latest)
        ),
        None => "the controller tries again by itself, at most 1000 seconds apart".to_owned(),
    }
}

/// That the input has no events, where they would tell why; `None` where the cause is known without.
#[must_use]
pub fn unknown_events(plan: &Plan, cause: Option<&Cause>) -> Option<String> {
    let is_silent = matches!(
        cause?.kind,
        CauseKind::Starting { .. } | CauseKind::NotReady { .. } | CauseKind::Terminating
    );
    if !is_silent || plan.related.has_events() {
        return None;
    }
    let meta = &plan.snapshot.set.meta;
    let namespace = match &*meta.namespace {
        "" => String::new(),
        namespace => format!(" -n {}", quoted(namespace)),
    };
    Some(format!(
        "the input has no events, which say why: kubectl sts-plan dump {}{namespace} > dump.yaml reads them",
        quoted(&meta.name)
    ))
}

/// Returns the advice of the catalogue on a cause: what helps, and what not to do.
fn counsel(cause: &Cause) -> Vec<String> {
    let Some(found) = &cause.recognized else {
        return Vec::new();
    };
    vec![format!(
        "what helps: {}; {}",
        uncapitalised(found.entry.helps),
        uncapitalised(found.entry.avoid)
    )]
}

/// Describes what a deleted claim takes with it, by its volume's reclaim policy, where that is known.
fn reclaim(claim: &Arc<str>, volume: Option<&PersistentVolume>) -> String {
    match volume {
        Some(volume) if volume.is_deleted_with_claim => format!(
            "the volume of {claim} is deleted with it, and its data is lost (reclaim policy Delete); to keep it: \
             kubectl patch pv {} -p '{{\"spec\":{{\"persistentVolumeReclaimPolicy\":\"Retain\"}}}}'",
            quoted(&volume.meta.name)
        ),
        Some(_) => format!(
            "the volume of {claim} stays (reclaim policy Retain), and can be bound again by hand"
        ),
        None => format!(
            "whether the data of {claim} is lost depends on its volume's reclaim policy: it is not in the input"
        ),
    }
}
