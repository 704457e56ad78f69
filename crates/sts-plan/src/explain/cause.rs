//! One-clause descriptions of causes.

use super::last_words::last_words;
use super::{plural, uncapitalized, with_message};
use crate::catalogue::{Blames, CauseTrait, Place};
use crate::cause::{Blame, Cause, CauseKind, ContainerFailure, VolumeHolder, WaitsIn};
use crate::foresight::{self, ClaimTrouble, Foreseen};

/// A cause in one clause, in parts that a headline can leave out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CauseClause {
    /// The pod and what is wrong, in the words of the catalogue if it knows the cause:
    /// `pg-2 crash-loops: the data on the volume is damaged`.
    pub lead: String,
    /// The container and its state: `postgres, exit 1, 17 restarts`. Empty if the lead has them.
    pub details: String,
    /// The component's own words; empty if the lead has them, or there are none.
    pub reported: String,
    /// The holder of a volume, and other failures.
    pub rest: String,
    /// True if the lead says the cause, so that the component's words only add to it.
    pub is_told: bool,
}

impl CauseClause {
    /// Returns the whole clause.
    #[must_use]
    pub fn whole(&self) -> String {
        let (lead, reported) = (self.with_details(), &self.reported);
        let separator = match self.is_told {
            _ if reported.is_empty() => "",
            true => "; ",
            false => ": ",
        };
        format!("{lead}{separator}{reported}{}", self.rest)
    }

    /// Returns the clause without the component's words, and then without the details, which the evidence of the pod
    /// has too.
    #[must_use]
    pub fn shorter(&self) -> [String; 2] {
        [
            self.with_details() + &self.rest,
            self.lead.clone() + &self.rest,
        ]
    }

    fn with_details(&self) -> String {
        match self.details.as_str() {
            "" => self.lead.clone(),
            details => format!("{} ({details})", self.lead),
        }
    }
}

/// Describes a cause in one clause.
#[must_use]
pub fn cause(cause: &Cause) -> CauseClause {
    let pod = &cause.pod;
    let place = match cause.blame {
        Blame::Template => " on the new revision",
        Blame::Pod | Blame::Unknown => "",
    };
    let title = title(cause);
    let is_told = title.is_some();
    let why = title.map_or_else(String::new, |title| format!(": {title}"));
    let message = || cause.message().to_owned();
    let mut details = String::new();
    let (lead, reported) = match &cause.kind {
        CauseKind::CrashLoop(failure) => match cause.entry().and_then(|entry| entry.check) {
            Some(check) => {
                details = format!("{}, {}", failure.container, restarts(failure));
                (format!("{pod} fails {}{place}", check.name()), message())
            }
            None => {
                let init = if failure.is_init {
                    "init container "
                } else {
                    ""
                };
                details = format!("{init}{}", ended(failure));
                let words = last_words(cause.entry(), failure);
                (format!("{pod} crash-loops{place}{why}"), words)
            }
        },
        CauseKind::OutOfMemory(failure) => {
            let limit = match &failure.memory_limit {
                Some(limit) if failure.shares_limit => format!(", limit of the pod {limit}"),
                Some(limit) => format!(", limit {limit}"),
                None => String::new(),
            };
            details = format!("{}{limit}, {}", failure.container, restarts(failure));
            (format!("{pod} is OOMKilled{place}"), String::new())
        }
        CauseKind::ImagePull(failure) => {
            let (name, image, reason) = (&failure.container, &failure.image, &failure.reason);
            let its = match failure.is_image_of_volume {
                true => "the image of a volume",
                false => "its image",
            };
            details = match is_told {
                true => format!("{name}, {image}"),
                false => format!("{name}, {image}, {reason}"),
            };
            (format!("{pod} cannot pull {its}{place}{why}"), message())
        }
        CauseKind::ContainerConfig(failure) => {
            let name = &failure.container;
            let reported = match failure.message.as_str() {
                "" => &failure.reason,
                message => message,
            };
            let lead = format!("{pod} cannot start container {name}{place}{why}");
            (lead, reported.to_owned())
        }
        CauseKind::Unschedulable { message, .. } => {
            let lead = format!("{pod} cannot be scheduled{place}{why}");
            let scheduler = without_preemption(message);
            let other = without_preemption(cause.message());
            let reported = match scheduler.contains(other) {
                true => scheduler.to_owned(),
                false => format!("{scheduler}; {other}"),
            };
            (lead, reported)
        }
        CauseKind::Volume { message, .. } => {
            // The last warning may only report a timeout.
            let message = match cause.message() {
                "" => message,
                specific => specific,
            };
            let step = failed_step(message);
            (
                format!("{pod} cannot {step} a volume{why}"),
                message.to_owned(),
            )
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
            let others = match cause.blames() {
                Blames::Network => ", like every other node",
                _ => "",
            };
            let lead = format!("{pod} {is} on a node that {state} ({node}){others}");
            (lead, String::new())
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
            let lead = format!("{pod} {is} on a node that is not ready ({node})");
            let why = with_message(reason, message);
            (format!("{lead}: {why}"), String::new())
        }
        CauseKind::Finalizers(names) => {
            let names = names.join(", ");
            let lead = format!("{pod} is terminating, held by its finalizers ({names})");
            (lead, String::new())
        }
        CauseKind::Terminating => {
            let lead = format!("{pod} is terminating, past its grace period");
            (lead, message())
        }
        CauseKind::DeletionRefused { message } => {
            (format!("{pod} cannot be deleted"), message.clone())
        }
        CauseKind::Rejected {
            reason,
            message,
            count,
        } => {
            let why = match message.trim_end() {
                "" => String::new(),
                message => format!(": {message}"),
            };
            let lead =
                format!("{pod} fails as {reason} each time it is created ({count} times){why}");
            (lead, String::new())
        }
        CauseKind::Quota { name, amounts, .. } => {
            let lead = format!("{pod} cannot be created: it exceeds quota {name} ({amounts})");
            (lead, String::new())
        }
        CauseKind::Refused { message } => {
            (format!("{pod} cannot be created{why}"), message.clone())
        }
        CauseKind::ClaimDeleted { claim, .. } => {
            let lead = format!("{pod} is waiting for its claim {claim}, which is being deleted");
            (lead, String::new())
        }
        CauseKind::NotTakenUp {
            node: Some(node), ..
        } => {
            let kubelet = format!("the kubelet on node {node} has not picked it up");
            (
                format!("{pod} is not starting{place}: {kubelet}"),
                String::new(),
            )
        }
        CauseKind::NotTakenUp {
            node: None,
            scheduler,
        } => {
            let lead = format!("{pod} is not scheduled{place}: {scheduler} has not processed it");
            (lead, String::new())
        }
        CauseKind::Starting {
            waits_in: WaitsIn::InitContainer(name),
        } => {
            let lead = format!("{pod} is waiting for init container {name}{place}");
            (lead, message())
        }
        CauseKind::Starting { waits_in } => {
            details = waits_in.to_string();
            (format!("{pod} is not starting{place}{why}"), message())
        }
        CauseKind::Foreseen(found) => match (found, is_told) {
            (Foreseen::Claim { claim, trouble }, true) => {
                let lead = format!("{pod} waits for claim {claim}{why}");
                (lead, foresight::no_volume(trouble))
            }
            _ => (foresight::describe(pod, found), String::new()),
        },
        CauseKind::NotReady { containers } => {
            details = containers.join(", ");
            let lead = format!("{pod} is running but not ready{place}{why}");
            (lead, message())
        }
    };
    CauseClause {
        details,
        reported: match lead.contains(&reported) {
            true => String::new(),
            false => reported,
        },
        lead,
        rest: rest(cause),
        is_told,
    }
}

/// Returns the cause in the words of the catalogue, with the names of the case; `None` if it does not know the cause, or
/// if the component's words say more.
fn title(cause: &Cause) -> Option<String> {
    let entry = cause.entry().filter(|_| cause.is_specific())?;
    let says_more = match &cause.kind {
        CauseKind::CrashLoop(_) => entry.check.is_none(),
        CauseKind::ImagePull(_)
        | CauseKind::ContainerConfig(_)
        | CauseKind::Volume { .. }
        | CauseKind::Unschedulable { .. }
        | CauseKind::Refused { .. } => true,
        CauseKind::Foreseen(Foreseen::Claim { trouble, .. }) => {
            matches!(trouble, ClaimTrouble::Provisioner { .. })
        }
        CauseKind::Starting { .. } => entry.place != Place::Start,
        CauseKind::NotReady { .. } => entry.place != Place::Gate,
        _ => false,
    };
    (says_more && !entry.has(CauseTrait::MessageTells))
        .then(|| uncapitalized(&cause.named(&entry.title)))
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

/// Describes the holder of a volume, an unmet readiness gate, the pod's other failures, and a pod that is assumed to
/// fail in the same way.
fn rest(cause: &Cause) -> String {
    let holder = match &cause.kind {
        CauseKind::Volume { holder, .. } => holder.as_ref(),
        CauseKind::Unschedulable { holder, .. } => {
            let names_holder = cause
                .entry()
                .is_some_and(|entry| entry.has(CauseTrait::NamesHolder));
            holder.as_ref().filter(|_| names_holder)
        }
        _ => None,
    };
    let mut text = held_by(holder);
    if cause
        .entry()
        .is_some_and(|entry| entry.place == Place::Gate)
    {
        text.push_str("; its containers are ready, but a readiness gate is not met");
    }
    for failure in &cause.also {
        let (name, reason) = (&failure.container, &failure.reason);
        let what = match &**reason {
            "CrashLoopBackOff" => ended(failure),
            _ => format!("{name}, {}", failure.image),
        };
        text.push_str(&format!("; and {reason} ({what})"));
    }
    if let Some(other) = &cause.foretold {
        text.push_str(&format!("; {other} is assumed to fail in the same way"));
    }
    text
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
pub(super) fn without_preemption(message: &str) -> &str {
    let nodes = message.split(" preemption: ").next().unwrap_or(message);
    nodes.trim_end_matches('.')
}
