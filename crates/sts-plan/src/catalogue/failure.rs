//! Failures of containers, as the status of a pod shows them.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use sts_controller::object::{
    ContainerStatus, Event, Pod, RelatedObjects, is_lasting, without_credentials,
};

use super::{Symptom, events_of_pod};

/// A container that does not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContainerFailure {
    /// Name of the container.
    pub container: String,
    /// Image in the pod's spec, or that of a volume that cannot be pulled.
    pub image: String,
    /// Reason, such as `CrashLoopBackOff`.
    pub reason: String,
    /// The kubelet's message.
    pub message: String,
    /// Termination message of its last run.
    pub last_words: String,
    /// End of its last run, if known.
    pub ended_at: Option<Timestamp>,
    /// Exit code of its last run, if it has exited.
    pub exit_code: Option<i64>,
    /// Number of restarts.
    pub restarts: i64,
    /// Memory limit, its own or that of the pod, if any.
    pub memory_limit: Option<String>,
    /// True if it is an init container.
    pub is_init: bool,
    /// True if the runtime could not start its last run: no process has run.
    pub is_unstarted: bool,
}

/// Returns the failure of the container that the pod's status names.
pub(crate) fn failed_container(pod: &Pod) -> Option<(Symptom, ContainerFailure)> {
    let trouble = pod.trouble.as_ref()?;
    let wanted = trouble.container.as_deref()?;
    let statuses = pod.containers();
    let status = statuses.iter().find(|status| status.name == wanted)?;
    Some(failure(pod, status, &trouble.reason, &trouble.message))
}

/// Returns the end of the last run of a container that runs again, as if it were in a crash loop.
pub(crate) fn restarted_container(
    pod: &Pod,
    status: &ContainerStatus,
) -> (Symptom, ContainerFailure) {
    failure(pod, status, "CrashLoopBackOff", "")
}

/// The parts of a pod's spec on which the symptom of a container depends.
#[derive(Clone, Copy)]
struct SpecParts {
    has_limit: bool,
    shares_limit: bool,
    is_image_of_volume: bool,
}

fn symptom(status: &ContainerStatus, reason: &str, spec: SpecParts) -> Symptom {
    let ended = status.ended.as_ref();
    let killed = ended.is_some_and(|ended| ended.reason == "OOMKilled");
    match reason {
        "CrashLoopBackOff" if killed && !spec.has_limit => Symptom::NodeOutOfMemory,
        "CrashLoopBackOff" if killed && spec.shares_limit => Symptom::PodOutOfMemory,
        "CrashLoopBackOff" if killed => Symptom::OutOfMemory,
        "CrashLoopBackOff" => Symptom::CrashLoop,
        "ImagePullBackOff"
        | "ErrImagePull"
        | "InvalidImageName"
        | "ErrImageNeverPull"
        | "ImageInspectError"
        | "RegistryUnavailable"
        | "SignatureValidationFailed" => match spec.is_image_of_volume {
            true => Symptom::VolumeImagePull,
            false => Symptom::ImagePull,
        },
        _ => Symptom::ContainerConfig,
    }
}

/// Returns the other containers of a pod that are waiting in a lasting failure.
pub(crate) fn other_failures(pod: &Pod, first: &str) -> Vec<(Symptom, ContainerFailure)> {
    let statuses = pod.containers();
    let others = statuses.iter().filter(|it| *it.name != *first);
    let failing = others.filter_map(|status| {
        let (reason, message) = status.waiting.as_ref()?;
        is_lasting(reason).then(|| failure(pod, status, reason, message))
    });
    failing.collect()
}

/// Returns the events of failed readiness probes.
pub(crate) fn readiness_failures<'r>(
    pod: &'r Pod,
    related: &'r RelatedObjects,
) -> impl DoubleEndedIterator<Item = &'r Arc<Event>> {
    events_of_pod(pod, related).filter(|event| {
        &*event.reason == "Unhealthy" && event.message.starts_with("Readiness probe")
    })
}

/// Returns the message of the last failed readiness probe; empty without one.
pub(crate) fn failed_readiness(pod: &Pod, related: &RelatedObjects) -> String {
    let probe = readiness_failures(pod, related).next_back();
    probe.map_or_else(String::new, |event| event.message.to_string())
}

/// Shortest mean run of a container that shows that its template works.
const LONG_RUN: SignedDuration = SignedDuration::from_mins(30);

/// Returns the age of a crash-looping pod whose runs were long on average; `None` if they were short. A container that
/// never works restarts at least every five minutes, so few restarts in many days mean that the template works.
pub(crate) fn worked_for(
    pod: &Pod,
    failure: &ContainerFailure,
    now: Timestamp,
) -> Option<SignedDuration> {
    let age = now.duration_since(pod.meta.created?);
    let runs = i32::try_from(failure.restarts.saturating_add(1)).unwrap_or(i32::MAX);
    (age / runs.max(1) >= LONG_RUN).then_some(age)
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
    pod: &Pod,
    status: &ContainerStatus,
    reason: &str,
    message: &str,
) -> (Symptom, ContainerFailure) {
    let list = container_list(status.init);
    let given = pod.given();
    let containers = given
        .as_ref()
        .and_then(|object| object["spec"][list].as_array());
    let container = containers
        .into_iter()
        .flatten()
        .find(|container| container["name"] == status.name.as_str());
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let limit = |of: &Value| text(&of["resources"]["limits"]["memory"]);
    let own_limit = container.and_then(limit);
    let shares_limit = own_limit.is_none();
    let memory_limit = own_limit.or_else(|| limit(&given.as_ref()?["spec"]));
    let of_volume = given.as_ref().and_then(|object| {
        let own = container.and_then(|container| container["image"].as_str());
        image_of_volume(&object["spec"], own.unwrap_or_default(), message)
    });
    let ended = status.ended.as_ref();
    let is_unstarted =
        ended.is_some_and(|ended| matches!(&*ended.reason, "StartError" | "ContainerCannotRun"));
    let spec = SpecParts {
        has_limit: memory_limit.is_some(),
        shares_limit,
        is_image_of_volume: of_volume.is_some(),
    };
    let failure = ContainerFailure {
        container: status.name.clone(),
        image: of_volume
            .or_else(|| container.and_then(|container| text(&container["image"])))
            .map(|image| without_credentials(&image).into_owned())
            .unwrap_or_default(),
        reason: reason.to_owned(),
        message: message.to_owned(),
        last_words: ended.map_or_else(String::new, |ended| match is_unstarted {
            true => of_runtime(end_of(&ended.message)).to_owned(),
            false => end_of(&ended.message).to_owned(),
        }),
        is_unstarted,
        ended_at: ended.and_then(|ended| ended.at),
        exit_code: ended.map(|ended| ended.exit_code),
        restarts: status.restarts,
        memory_limit,
        is_init: status.init,
    };
    (symptom(status, reason, spec), failure)
}

/// Maximum number of bytes of a termination message that are read. The kubelet keeps 4 KiB.
const LONGEST_WORDS: usize = 16 << 10;

/// Returns the end of a termination message, which has the reason.
fn end_of(message: &str) -> &str {
    let from = message.len().saturating_sub(LONGEST_WORDS);
    let start = (from..message.len()).find(|at| message.is_char_boundary(*at));
    &message[start.unwrap_or(0)..]
}

/// Returns the image of a volume that a message on a pull names instead of the container's own image.
fn image_of_volume(spec: &Value, own: &str, message: &str) -> Option<String> {
    let names = |image: &str| message.contains(&format!("\"{image}\""));
    let volumes = spec["volumes"].as_array().into_iter().flatten();
    let mut images = volumes.filter_map(|volume| volume["image"]["reference"].as_str());
    let found = images.find(|image| *image != own && names(image));
    found.map(str::to_owned)
}

/// Returns the pod spec member with such containers.
pub(crate) fn container_list(is_init: bool) -> &'static str {
    match is_init {
        true => "initContainers",
        false => "containers",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_long_message_is_read() {
        assert_eq!(end_of("panic: no key"), "panic: no key");
        let long = format!("{}no key", "é".repeat(LONGEST_WORDS));
        let end = end_of(&long);
        assert!(end.len() <= LONGEST_WORDS && end.ends_with("éno key"));
    }
}
