//! Reasons in a pod's status that it will not become ready on its own.

use std::sync::Arc;

use super::field::{FieldError, Fields};

/// Reason that a pod will not become ready on its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// The waiting container; `None` if the pod cannot be scheduled at all.
    pub container: Option<String>,
    /// The reason in the status, such as `CrashLoopBackOff`.
    pub reason: String,
    /// The message of that reason.
    pub message: String,
}

/// Waiting reasons that do not resolve on their own.
const LASTING: [&str; 14] = [
    "CrashLoopBackOff",
    "ErrImageNeverPull",
    "RegistryUnavailable",
    "SignatureValidationFailed",
    "ImageInspectError",
    "PreCreateHookError",
    "PreStartHookError",
    "PostStartHookError",
    "RunContainerError",
    "ImagePullBackOff",
    "ErrImagePull",
    "InvalidImageName",
    "CreateContainerConfigError",
    "CreateContainerError",
];

/// Reasons of an unschedulable pod: no node fits, or a gate holds it back.
const UNPLACED: [&str; 2] = ["Unschedulable", "SchedulingGated"];

/// Reports whether a container that waits for this reason will not start on its own.
#[must_use]
pub fn is_lasting(reason: &str) -> bool {
    LASTING.contains(&reason)
}

impl Trouble {
    /// Reports whether the pod cannot be scheduled.
    #[must_use]
    pub fn is_unplaced(&self) -> bool {
        self.container.is_none()
    }

    pub(super) fn read(status: &Fields<'_>) -> Result<Option<Arc<Self>>, FieldError> {
        for list in ["initContainerStatuses", "containerStatuses"] {
            let waiting = status.list(list, |item, _| {
                let state = item.object("state")?;
                let waiting = state.object("waiting")?;
                Ok(Trouble {
                    container: Some(item.text("name")?.to_owned()),
                    reason: waiting.text("reason")?.to_owned(),
                    message: waiting.message("message")?.to_string(),
                })
            })?;
            let lasting = waiting
                .into_iter()
                .find(|wait| LASTING.contains(&wait.reason.as_str()));
            if lasting.is_some() {
                return Ok(lasting.map(Arc::new));
            }
        }
        let unschedulable = status.list("conditions", |item, _| {
            let is_it = item.text("type")? == "PodScheduled"
                && item.text("status")? == "False"
                && UNPLACED.contains(&item.text("reason")?);
            let reason = item.text("reason")?.to_owned();
            Ok((is_it, reason, item.message("message")?.to_string()))
        })?;
        Ok(unschedulable
            .into_iter()
            .find(|(is_it, ..)| *is_it)
            .map(|(_, reason, message)| {
                Arc::new(Trouble {
                    container: None,
                    reason,
                    message,
                })
            }))
    }
}
