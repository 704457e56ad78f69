//! Container failures.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::{CauseKind, WaitsIn};
use crate::plan::Plan;
use serde_json::Value;
use sts_controller::object::{ContainerStatus, Pod, is_lasting, without_credentials};

/// A container that does not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContainerFailure {
    /// Name of the container.
    pub container: String,
    /// Image in the pod's spec.
    pub image: String,
    /// Reason, such as `CrashLoopBackOff`.
    pub reason: String,
    /// The kubelet's message.
    pub message: String,
    /// Termination message of its last run.
    pub last_words: String,
    /// Exit code of its last run, if it has exited.
    pub exit_code: Option<i64>,
    /// Number of restarts.
    pub restarts: i64,
    /// Memory limit, if any.
    pub memory_limit: Option<String>,
    /// True if it is an init container.
    pub is_init: bool,
    /// True if the runtime could not start its last run: no process has run.
    pub is_unstarted: bool,
}

/// Returns the failure of the container that the pod's status names.
pub(super) fn failing(plan: &Plan, pod: &Pod) -> Option<CauseKind> {
    let trouble = pod.trouble.as_ref()?;
    let wanted = trouble.container.as_deref()?;
    let statuses = pod.containers();
    let status = statuses.iter().find(|status| status.name == wanted)?;
    let failure = failure(plan, pod, status, &trouble.reason, &trouble.message);
    let killed = status
        .ended
        .as_ref()
        .is_some_and(|ended| ended.reason == "OOMKilled");
    Some(match trouble.reason.as_str() {
        "CrashLoopBackOff" if killed => CauseKind::OutOfMemory(failure),
        "CrashLoopBackOff" => CauseKind::CrashLoop(failure),
        "ImagePullBackOff"
        | "ErrImagePull"
        | "InvalidImageName"
        | "ErrImageNeverPull"
        | "ImageInspectError"
        | "RegistryUnavailable"
        | "SignatureValidationFailed" => CauseKind::ImagePull(failure),
        _ => CauseKind::ContainerConfig(failure),
    })
}

/// Shortest mean run of a container that shows that its template works.
const LONG_RUN: SignedDuration = SignedDuration::from_mins(30);

/// Returns the age of a crash-looping pod whose runs were long on average; `None` if they were short. A container that
/// never works restarts at least every five minutes, so few restarts in many days mean that the template works.
pub(super) fn worked_for(pod: &Pod, kind: &CauseKind, now: Timestamp) -> Option<SignedDuration> {
    let CauseKind::CrashLoop(failure) = kind else {
        return None;
    };
    let age = now.duration_since(pod.meta.created?);
    let runs = i32::try_from(failure.restarts.saturating_add(1)).unwrap_or(i32::MAX);
    (age / runs.max(1) >= LONG_RUN).then_some(age)
}

/// Returns the other containers of a pod that are waiting in a lasting failure.
pub(super) fn also_failing(plan: &Plan, pod: &Pod, kind: &CauseKind) -> Vec<ContainerFailure> {
    let first = match kind {
        CauseKind::CrashLoop(first)
        | CauseKind::OutOfMemory(first)
        | CauseKind::ImagePull(first)
        | CauseKind::ContainerConfig(first) => Some(&*first.container),
        CauseKind::Foreseen(_) => pod.trouble.as_ref().and_then(|it| it.container.as_deref()),
        _ => None,
    };
    let Some(first) = first else {
        return Vec::new();
    };
    let statuses = pod.containers();
    let others = statuses.iter().filter(|it| *it.name != *first);
    let failing = others.filter_map(|status| {
        let (reason, message) = status.waiting.as_ref()?;
        is_lasting(reason).then(|| failure(plan, pod, status, reason, message))
    });
    failing.collect()
}

/// Returns the reason in a runtime's message: `failed to create containerd task: failed to create shim task: OCI runtime
/// create failed: runc create failed: unable to start container process: exec: "/app": permission denied`.
fn of_runtime(message: &str) -> &str {
    let reason = message.rsplit_once("unable to start container process: ");
    let reason = reason.map_or(message, |(_, reason)| reason);
    let prefix = "error during container init: ";
    reason.strip_prefix(prefix).unwrap_or(reason)
}

fn failure(
    plan: &Plan,
    pod: &Pod,
    status: &ContainerStatus,
    reason: &str,
    message: &str,
) -> ContainerFailure {
    let list = container_list(status.init);
    let given = pod.given();
    let spec = given.as_ref().map(|object| &object["spec"]);
    // A pod that the plan creates has the containers of its template.
    let spec = spec.unwrap_or(&plan.snapshot.set.template["spec"]);
    let container = spec[list].as_array().into_iter().flatten();
    let container = container
        .into_iter()
        .find(|container| container["name"] == status.name.as_str());
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let ended = status.ended.as_ref();
    let is_unstarted =
        ended.is_some_and(|ended| matches!(&*ended.reason, "StartError" | "ContainerCannotRun"));
    ContainerFailure {
        container: status.name.clone(),
        image: container
            .and_then(|container| text(&container["image"]))
            .map(|image| without_credentials(&image).into_owned())
            .unwrap_or_default(),
        reason: reason.to_owned(),
        message: message.to_owned(),
        last_words: ended.map_or_else(String::new, |ended| match is_unstarted {
            true => of_runtime(&ended.message).to_owned(),
            false => ended.message.clone(),
        }),
        is_unstarted,
        exit_code: ended.map(|ended| ended.exit_code),
        restarts: status.restarts,
        memory_limit: container
            .and_then(|container| text(&container["resources"]["limits"]["memory"])),
        is_init: status.init,
    }
}

/// Returns the reason that a pod without a failing container is not ready.
pub(super) fn waiting(pod: &Pod) -> CauseKind {
    let statuses = pod.containers();
    let is_begun = pod.phase == sts_controller::object::Phase::Running || !statuses.is_empty();
    if !is_begun {
        let node = pod.node();
        let given = pod.given();
        let scheduler = given
            .as_ref()
            .map(|object| &object["spec"]["schedulerName"]);
        return CauseKind::NotTakenUp {
            node: node.map(Arc::from),
            scheduler: scheduler
                .and_then(Value::as_str)
                .unwrap_or("default-scheduler")
                .to_owned(),
        };
    }
    let running_init = statuses
        .iter()
        .find(|status| status.init && !status.ready && status.waiting.is_none());
    if let Some(init) = running_init.filter(|_| pod.phase != sts_controller::object::Phase::Running)
    {
        return CauseKind::Starting {
            waits_in: WaitsIn::InitContainer(init.name.to_string()),
        };
    }
    let waiting = statuses
        .iter()
        .find_map(|status| status.waiting.as_ref().map(|(reason, _)| (status, reason)));
    if let Some((status, reason)) = waiting {
        return CauseKind::Starting {
            waits_in: WaitsIn::Container {
                name: status.name.to_string(),
                reason: reason.to_string(),
            },
        };
    }
    let not_ready = statuses
        .iter()
        .filter(|status| !status.init && !status.ready);
    CauseKind::NotReady {
        containers: not_ready.map(|status| status.name.clone()).collect(),
    }
}

/// Returns the pod spec member with such containers.
pub(crate) fn container_list(is_init: bool) -> &'static str {
    match is_init {
        true => "initContainers",
        false => "containers",
    }
}
