//! A cause in words: what is wrong, in one clause.

use super::headline::uncapitalised;
use super::plural;
use crate::cause::{Blame, Blames, Cause, CauseKind, ContainerFailure, VolumeHolder};
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
        CauseKind::CrashLoop(failure)
            if matches!(
                cause.id(),
                Some("liveness-kill" | "startup-kill" | "post-start-hook")
            ) =>
        {
            let killer = match cause.id() {
                Some("startup-kill") => "its startup probe",
                Some("post-start-hook") => "its failing postStart hook",
                _ => "its liveness probe",
            };
            let (name, restarts) = (&failure.container, restarts(failure));
            format!(
                "{pod} is killed by {killer}{place} ({name}, {restarts}): {}",
                cause.message()
            )
        }
        CauseKind::CrashLoop(failure) => {
            let init = if failure.is_init {
                "init container "
            } else {
                ""
            };
            let words = match last_line(&failure.last_words) {
                "" => String::new(),
                line => format!(": {}", shortened(line)),
            };
            format!("{pod} crash-loops{place} ({init}{}){words}", ended(failure))
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
            // The last warning may only be that of the wait.
            let words = match cause.message() {
                "" => message,
                words => words,
            };
            let step = failed_step(words);
            format!("a volume of {pod} does not {step}: {words}{held}")
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
            let why = match message.trim_end() {
                "" => String::new(),
                message => format!(": {message}"),
            };
            format!("{pod} ends as {reason} as often as it is created, {count} times{why}")
        }
        CauseKind::Quota { name, amounts, .. } => {
            format!("{pod} is not created: quota {name} is exhausted ({amounts})")
        }
        CauseKind::Refused { message } => format!("{pod} is not created: {message}"),
        CauseKind::ClaimDeleted { claim, .. } => {
            format!("{pod} waits for its claim {claim}, which is being deleted")
        }
        CauseKind::NotTakenUp {
            node: Some(node), ..
        } => {
            format!("{pod} does not start{place}: the kubelet of node {node} has not taken it up")
        }
        CauseKind::NotTakenUp {
            node: None,
            scheduler,
        } => format!("{pod} is not scheduled{place}: {scheduler} has not looked at it"),
        CauseKind::Starting { waits_in } => format!("{pod} does not start{place} ({waits_in})"),
        CauseKind::Foreseen(found) => foresight::describe(pod, found),
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

/// The step that a volume does not get through, in the kubelet's or the controller's words.
fn failed_step(words: &str) -> &'static str {
    let attaches = ["AttachVolume", "Multi-Attach"];
    let grows = ["MountVolume.NodeExpandVolume", "NodeExpand", "resize"];
    if attaches.iter().any(|start| words.starts_with(start)) {
        "attach"
    } else if grows.iter().any(|word| words.contains(word)) {
        "grow"
    } else {
        "mount"
    }
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
    let words = match cause.kind {
        CauseKind::Unschedulable { .. } => scheduler_words(cause.message()),
        _ => cause.message(),
    };
    let is_telling = matches!(
        cause.kind,
        CauseKind::ImagePull(_)
            | CauseKind::Unschedulable { .. }
            | CauseKind::Terminating
            | CauseKind::Starting { .. }
            | CauseKind::NotReady { .. }
    ) && !words.is_empty()
        && !told.contains(words);
    if cause.id() == Some("readiness-gate") {
        text.push_str("; its containers are ready, a readiness gate is not met");
    }
    if is_telling {
        text.push_str(&format!("; {words}"));
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
        CauseKind::NotTakenUp {
            node: Some(node), ..
        } => format!("the kubelet of node {node} does not take up pods"),
        CauseKind::NotTakenUp {
            node: None,
            scheduler,
        } => format!("{scheduler} does not look at pods"),
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

/// The line of a termination message that says most: the one of a Go panic, else the last, which other runtimes end with.
fn last_line(words: &str) -> &str {
    let lines = || words.lines().map(str::trim).filter(|line| !line.is_empty());
    let panic = lines().find(|line| line.starts_with("panic: "));
    panic.or_else(|| lines().next_back()).unwrap_or_default()
}

/// Maximum number of characters of a termination message in the headline.
const LONGEST_LINE: usize = 160;

/// A line that is no longer than the headline takes.
fn shortened(line: &str) -> String {
    match line.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line.to_owned(),
    }
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
