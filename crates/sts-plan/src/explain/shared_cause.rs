//! Descriptions of causes that several sets share.

use super::cause::without_preemption;
use super::uncapitalized;
use crate::catalogue::{Blames, CauseTrait};
use crate::cause::{Cause, CauseKind};

/// Describes a cause that several sets can share, without the pod: `node ip-10-0-1-17 is not responding`.
#[must_use]
pub fn shared_cause(cause: &Cause) -> Option<String> {
    Some(match &cause.kind {
        CauseKind::NodeLost { .. } if cause.blames() == Blames::Network => {
            return shared_title(cause);
        }
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
    cause
        .entry()
        .is_some_and(|entry| entry.has(CauseTrait::ConcernsRegistry))
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
