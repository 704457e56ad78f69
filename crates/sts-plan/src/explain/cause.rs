//! One-clause descriptions of causes.

use super::last_words::last_words;
use super::{plural, uncapitalized, with_message};
use crate::catalogue::{Blames, Place};
use crate::cause::{Blame, Cause, CauseKind, ContainerFailure, VolumeHolder, WaitsIn};
use crate::foresight;

/// Describes a cause in one clause: `pg-2 crash-loops on the new revision (postgres, exit 1, 17 restarts)`.
#[must_use]
pub fn cause(cause: &Cause) -> String {
    let pod = &cause.pod;
    let place = match cause.blame {
        Blame::Template => " on the new revision",
        Blame::Pod | Blame::Unknown => "",
    };
    let text = match &cause.kind {
        CauseKind::CrashLoop(failure) => crash_loop(cause, failure, place),
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
            let names_holder = cause.entry().is_some_and(|entry| entry.names_holder);
            let holder = holder.as_ref().filter(|_| names_holder);
            format!(
                "{pod} cannot be scheduled{place}: {}{}",
                without_preemption(message),
                held_by(holder)
            )
        }
        CauseKind::Volume { message, holder } => {
            let held = held_by(holder.as_ref());
            // The last warning may only report a timeout.
            let message = match cause.message() {
                "" => message,
                specific => specific,
            };
            let step = failed_step(message);
            format!("{pod} cannot {step} a volume: {message}{held}")
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
                "is not responding"
            };
            format!("{pod} {is} on a node that {state} ({node})")
        }
        CauseKind::NodeNotReady {
            node,
            reason,
            message,
            is_terminating,
        } => {
            let is = match is_terminating {
                true => "is terminating",
                false => "is",
            };
            let why = with_message(reason, message);
            format!("{pod} {is} on a node that is not ready ({node}): {why}")
        }
        CauseKind::Finalizers(names) => {
            format!(
                "{pod} is terminating, held by its finalizers ({})",
                names.join(", ")
            )
        }
        CauseKind::Terminating => format!("{pod} is terminating, past its grace period"),
        CauseKind::DeletionRefused { message } => format!("{pod} cannot be deleted: {message}"),
        CauseKind::Rejected {
            reason,
            message,
            count,
        } => {
            let why = match message.trim_end() {
                "" => String::new(),
                message => format!(": {message}"),
            };
            format!("{pod} fails as {reason} each time it is created ({count} times){why}")
        }
        CauseKind::Quota { name, amounts, .. } => {
            format!("{pod} cannot be created: it exceeds quota {name} ({amounts})")
        }
        CauseKind::Refused { message } => format!("{pod} cannot be created: {message}"),
        CauseKind::ClaimDeleted { claim, .. } => {
            format!("{pod} is waiting for its claim {claim}, which is being deleted")
        }
        CauseKind::NotTakenUp {
            node: Some(node), ..
        } => {
            format!("{pod} is not starting{place}: the kubelet on node {node} has not picked it up")
        }
        CauseKind::NotTakenUp {
            node: None,
            scheduler,
        } => format!("{pod} is not scheduled{place}: {scheduler} has not processed it"),
        CauseKind::Starting {
            waits_in: WaitsIn::InitContainer(name),
        } => format!("{pod} is waiting for init container {name}{place}"),
        CauseKind::Starting { waits_in } => format!("{pod} is not starting{place} ({waits_in})"),
        CauseKind::Foreseen(found) => foresight::describe(pod, found),
        CauseKind::NotReady { containers } if containers.is_empty() => {
            format!("{pod} is running but not ready{place}")
        }
        CauseKind::NotReady { containers } => {
            format!(
                "{pod} is running but not ready{place} ({})",
                containers.join(", ")
            )
        }
    };
    let detail = detail(cause, &text);
    let foretold = cause.foretold.as_ref().map_or_else(String::new, |other| {
        format!("; {other} is assumed to fail in the same way")
    });
    text + &detail + &foretold
}

/// Describes a container that exits: by the check that it fails, or by its end.
fn crash_loop(cause: &Cause, failure: &ContainerFailure, place: &str) -> String {
    let pod = &cause.pod;
    if let Some(check) = cause.entry().and_then(|entry| entry.check) {
        let (check, name, restarts) = (check.name(), &failure.container, restarts(failure));
        let message = cause.message();
        return format!("{pod} fails {check}{place} ({name}, {restarts}): {message}");
    }
    let init = if failure.is_init {
        "init container "
    } else {
        ""
    };
    let message = match last_words(cause.entry(), failure) {
        words if words.is_empty() => words,
        words => format!(": {words}"),
    };
    format!(
        "{pod} crash-loops{place} ({init}{}){message}",
        ended(failure)
    )
}

/// Returns the failed step of a volume, by the message of the kubelet or the controller.
fn failed_step(message: &str) -> &'static str {
    let attaches = ["AttachVolume", "Multi-Attach"];
    let grows = ["MountVolume.NodeExpandVolume", "NodeExpand", "resize"];
    if attaches.iter().any(|start| message.starts_with(start)) {
        "attach"
    } else if grows.iter().any(|word| message.contains(word)) {
        "resize"
    } else {
        "mount"
    }
}

/// Names the pod that uses the volume: `; in use by debug-web on node ip-10-0-1-17`.
fn held_by(holder: Option<&VolumeHolder>) -> String {
    match holder {
        Some(VolumeHolder {
            pod,
            node: Some(node),
        }) => format!("; in use by {pod} on node {node}"),
        Some(VolumeHolder { pod, node: None }) => format!("; in use by {pod}"),
        None => String::new(),
    }
}

/// Returns the component's message, unless the text already has it, and the pod's other failures.
fn detail(cause: &Cause, described: &str) -> String {
    let mut text = String::new();
    let message = match cause.kind {
        CauseKind::Unschedulable { .. } => without_preemption(cause.message()),
        _ => cause.message(),
    };
    let has_message = matches!(
        cause.kind,
        CauseKind::ImagePull(_)
            | CauseKind::Unschedulable { .. }
            | CauseKind::Terminating
            | CauseKind::Starting { .. }
            | CauseKind::NotReady { .. }
    ) && !message.is_empty()
        && !described.contains(message);
    if cause
        .entry()
        .is_some_and(|entry| entry.place == Place::Gate)
    {
        text.push_str("; its containers are ready, but a readiness gate is not met");
    }
    if has_message {
        text.push_str(&format!("; {message}"));
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

/// Describes a cause that several sets can share, without the pod: `node ip-10-0-1-17 is not responding`.
#[must_use]
pub fn shared_cause(cause: &Cause) -> Option<String> {
    Some(match &cause.kind {
        CauseKind::NodeLost { node, is_gone, .. } => match is_gone {
            true => format!("node {node} is gone"),
            false => format!("node {node} is not responding"),
        },
        CauseKind::NodeNotReady { node, .. } => format!("node {node} is not ready"),
        CauseKind::NotTakenUp {
            node: Some(node), ..
        } => format!("the kubelet on node {node} does not pick up pods"),
        CauseKind::NotTakenUp {
            node: None,
            scheduler,
        } => format!("{scheduler} does not process pods"),
        CauseKind::ImagePull(_) if is_of_registry(cause) => return shared_title(cause),
        CauseKind::ImagePull(failure) => {
            format!(
                "image {} cannot be pulled ({})",
                failure.image, failure.reason
            )
        }
        CauseKind::Unschedulable { message, .. } => {
            format!("pods cannot be scheduled: {}", without_preemption(message))
        }
        // A quota of the same name in another namespace is another quota, with other amounts.
        CauseKind::Quota { name, amounts, .. } => format!("quota {name} is exceeded ({amounts})"),
        // Each refusal names its pod first: `pods "web-1" is forbidden: `.
        CauseKind::Refused { message } => {
            let reason = message
                .split_once(" is forbidden: ")
                .map_or(message.as_str(), |(_, reason)| reason);
            match reason.contains(&*cause.pod) {
                true => return shared_title(cause),
                false => format!("pods cannot be created: {reason}"),
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
        | CauseKind::NotReady { .. } => return shared_title(cause),
    })
}

/// Reports whether the registry fails for every image.
fn is_of_registry(cause: &Cause) -> bool {
    cause.entry().is_some_and(|entry| entry.concerns_registry)
}

/// Returns the title of a cause outside any one set: `the network has no free address for the pod (no-address)`.
fn shared_title(cause: &Cause) -> Option<String> {
    let entry = cause.entry()?;
    let is_shared = matches!(
        entry.blames,
        Blames::Network | Blames::Storage | Blames::Server | Blames::Policy | Blames::Registry
    );
    is_shared.then(|| {
        format!(
            "{} ({})",
            uncapitalized(&cause.named(&entry.title)),
            entry.id
        )
    })
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

/// Returns the scheduler's message without its part about preemption.
fn without_preemption(message: &str) -> &str {
    let nodes = message.split(" preemption: ").next().unwrap_or(message);
    nodes.trim_end_matches('.')
}
