//! Failures of containers, as the status of a pod shows them.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use sts_controller::object::{
    ContainerStatus, Event, Pod, RelatedObjects, is_lasting, without_credentials,
};

use super::decisive_line::{marked_line, without_warnings};
use super::{
    Announcement, Catalogue, ContainerCheck, Place, Rank, Recognized, Situation, Symptom,
    events_of_pod,
};

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

/// Names the readiness gates that are not met, each with its reason: `gate example.com/lb: Unhealthy: 302`.
fn unmet_gates(pod: &Pod) -> Option<String> {
    let given = pod.given()?;
    let gates = given["spec"]["readinessGates"].as_array()?.iter();
    let names = gates.filter_map(|gate| gate["conditionType"].as_str());
    let unmet: Vec<String> = names
        .filter_map(|name| match pod.condition(name) {
            Some(condition) if condition.status == "True" => None,
            Some(condition) => {
                let parts = [name, &condition.reason, &condition.message];
                let parts: Vec<&str> = parts.into_iter().filter(|it| !it.is_empty()).collect();
                Some(format!("gate {}", parts.join(": ")))
            }
            None => Some(format!(
                "gate {name} has no condition: no controller has set it"
            )),
        })
        .collect();
    (!unmet.is_empty()).then(|| unmet.join(", "))
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

/// Words with which databases, brokers and caches report that they recover, in lower case.
const RECOVERIES: [&str; 28] = [
    "applying a batch of",
    "automatic recovery",
    "commit log replay",
    "crash recovery",
    "initial sync",
    "installing snapshot",
    "is recovering",
    "loading dataset",
    "loading the dataset",
    "loading segment",
    "not yet accepting connections",
    "performing recovery",
    "reading rdb base file",
    "recovering unflushed segment",
    "recovering from",
    "recovery in progress",
    "redo in progress",
    "redo log records",
    "redo starts at",
    "rejecting connections",
    "replaying",
    "restoring snapshot",
    "rolling forward",
    "starting recovery",
    "state transfer",
    "the database system is starting up",
    "wal replay",
    "wal segment loaded",
];

/// Reports whether a process says that it recovers.
fn is_recovering(words: &str) -> bool {
    let words = words.to_ascii_lowercase();
    RECOVERIES.iter().any(|it| words.contains(it))
}

/// Returns the report of a container that exits with a message.
fn exit_of<'r>(
    failure: &'r ContainerFailure,
    reason: &'r str,
    message: &'r str,
) -> Announcement<'r> {
    Announcement {
        place: Place::Container,
        reason,
        message,
        exit_code: failure.exit_code,
        container: &failure.container,
    }
}

/// Reports whether a kill is what ended the last run: an earlier one says nothing about it.
fn is_of_last_run(killing: &Event, failure: &ContainerFailure) -> bool {
    let ended = killing.last.zip(failure.ended_at);
    ended.is_none_or(|(killed, ended)| ended.duration_since(killed) <= LONGEST_KILL)
}

/// Minimum number of times that the kubelet creates the sandbox of a pod again, after which that is no accident.
const SANDBOXES: i64 = 3;

/// Exit codes of a process that is stopped, not of one that fails.
const STOPPED: [i64; 5] = [0, 2, 130, 137, 143];

/// Returns the event that the kubelet creates the sandbox of a pod again and again, if that is what ends its container.
fn recreated_sandbox<'r>(
    pod: &'r Pod,
    related: &'r RelatedObjects,
    failure: &ContainerFailure,
) -> Option<&'r Event> {
    let is_stopped = failure
        .exit_code
        .is_some_and(|code| STOPPED.contains(&code));
    let changed: Vec<&Arc<Event>> = events_of_pod(pod, related)
        .filter(|event| &*event.reason == "SandboxChanged")
        .collect();
    let count: i64 = changed.iter().map(|event| event.count).sum();
    let last = changed.last()?;
    let is_now = last
        .last
        .zip(failure.ended_at)
        .is_none_or(|(changed, ended)| changed.duration_since(ended).abs() <= LONGEST_KILL);
    (is_stopped && count >= SANDBOXES && is_now).then_some(last)
}

/// Maximum time between the kubelet's report of a kill and the end of the container: a grace period and a margin.
const LONGEST_KILL: SignedDuration = SignedDuration::from_mins(15);

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

/// Reports whether the paths in a process's last words are all on no claim of its pod: on the disk of the node, or in an
/// emptyDir.
fn is_on_no_claim(pod: &Pod, failure: &ContainerFailure) -> bool {
    let Some(given) = pod.given() else {
        return false;
    };
    let spec = &given["spec"];
    let list = container_list(failure.is_init);
    let containers = spec[list].as_array().into_iter().flatten();
    let mut named = containers.filter(|it| it["name"] == failure.container.as_str());
    let Some(container) = named.next() else {
        return false;
    };
    let volumes = || spec["volumes"].as_array().into_iter().flatten();
    let is_of_claim = |name: &Value| {
        let mut of_name = volumes().filter(|volume| volume["name"] == *name);
        of_name.any(|it| it["persistentVolumeClaim"].is_object() || it["ephemeral"].is_object())
    };
    let mounts = || container["volumeMounts"].as_array().into_iter().flatten();
    let is_on_claim = |path: &str| {
        let holds = |mount: &&Value| {
            let at = mount["mountPath"].as_str().unwrap_or_default();
            let at = at.trim_end_matches('/');
            path.strip_prefix(at)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let length = |mount: &&Value| mount["mountPath"].as_str().map_or(0, str::len);
        let closest = mounts().filter(holds).max_by_key(length);
        closest.is_some_and(|mount| is_of_claim(&mount["name"]))
    };
    let is_end = |c: char| c.is_whitespace() || "\"'`,;:()[]".contains(c);
    let words = failure.last_words.split(is_end);
    let mut paths = words
        .filter(|word| word.starts_with('/') && word.len() > 1)
        .peekable();
    paths.peek().is_some() && !paths.any(is_on_claim)
}

/// Returns the pod spec member with such containers.
pub(crate) fn container_list(is_init: bool) -> &'static str {
    match is_init {
        true => "initContainers",
        false => "containers",
    }
}

impl Catalogue {
    /// Recognizes why a container fails.
    pub(crate) fn of_failure(
        self,
        symptom: Symptom,
        pod: &Pod,
        related: &RelatedObjects,
        failure: &ContainerFailure,
    ) -> Option<Recognized> {
        match symptom {
            Symptom::ImagePull | Symptom::VolumeImagePull => {
                self.image(pod, related, &failure.reason, &failure.message)
            }
            symptom => match &symptom.entry().cause {
                Some(cause) => self.of_state(cause),
                None => self.container(pod, related, failure),
            },
        }
    }

    /// Recognizes why a pod with running containers is not ready.
    pub(crate) fn of_readiness(self, pod: &Pod, related: &RelatedObjects) -> Option<Recognized> {
        let ready = pod.condition("Ready");
        if let Some(gate) = ready.filter(|it| it.reason == "ReadinessGatesNotReady") {
            let unmet = unmet_gates(pod);
            // The condition of the gate itself says more than that of the pod.
            let words = unmet
                .as_ref()
                .and_then(|it| self.classify(Place::Gate, "", it));
            let found =
                words.or_else(|| self.classify(Place::Gate, &gate.reason, &gate.message))?;
            let message = unmet.unwrap_or(found.message);
            return Some(Recognized { message, ..found });
        }
        // A proxy beside the process has probes of its own.
        let probe = readiness_failures(pod, related).next_back();
        self.recognized_by(&Announcement {
            place: Place::Ready,
            reason: "",
            message: probe.map_or("", |event| &event.message),
            exit_code: None,
            container: probe.map_or("", |event| &event.container),
        })
    }

    /// Recognizes why a container exits. A failing probe or hook is more specific than an exit code.
    fn container(
        self,
        pod: &Pod,
        related: &RelatedObjects,
        failure: &ContainerFailure,
    ) -> Option<Recognized> {
        let is_about =
            |event: &Event| event.container.is_empty() || *event.container == *failure.container;
        let killed = events_of_pod(pod, related).rfind(|event| {
            &*event.reason == "Killing"
                && is_of_last_run(event, failure)
                && event.message.contains(&failure.container)
                && (event.message.contains("liveness probe")
                    || event.message.contains("startup probe"))
        });
        if let Some(killing) = killed {
            let found = self.classify(Place::Container, &failure.reason, &killing.message)?;
            let check = found.entry.check.unwrap_or(ContainerCheck::Liveness);
            let unhealthy = events_of_pod(pod, related).rfind(|event| {
                &*event.reason == "Unhealthy"
                    && is_about(event)
                    && event.message.starts_with(check.message_start())
            });
            // A probe that cannot log in says nothing about the process.
            let refused = unhealthy.and_then(|event| {
                let (_, words) = event.message.split_once(" probe failed")?;
                let words = format!("Readiness probe failed{words}");
                let of_probe = self.classify(Place::Ready, "", &words)?;
                let is_refused = of_probe.entry.situation == Some(Situation::ProbeUnauthorized);
                is_refused.then_some(of_probe.entry)
            });
            let report = &unhealthy.unwrap_or(killing).message;
            let recovers = is_recovering(report) || is_recovering(&failure.last_words);
            let of_recovery = match check {
                _ if !recovers => None,
                ContainerCheck::Liveness => Some(Situation::LivenessEndsRecovery),
                ContainerCheck::Startup => Some(Situation::StartupEndsRecovery),
                _ => None,
            };
            let of_recovery = of_recovery.and_then(|it| self.of_situation(it));
            return Some(Recognized {
                message: report.to_string(),
                entry: refused.or(of_recovery).unwrap_or(found.entry),
            });
        }
        let hook = events_of_pod(pod, related)
            .rfind(|event| &*event.reason == "FailedPostStartHook" && is_about(event));
        if let Some(event) = hook {
            return self.classify(Place::Container, &event.reason, &event.message);
        }
        // The runtime's message on a container that it cannot start is no message of a process.
        let reason = match failure.is_unstarted {
            true => "StartError",
            false => &failure.reason,
        };
        let message = format!("{}\n{}", failure.message, failure.last_words);
        let found = self.recognized_by(&exit_of(failure, reason, &message))?;
        if !found.entry.file.is_empty() {
            // An entry of a team takes precedence over any line.
            return Some(found);
        }
        let told = |words: &str| {
            let entry = self.recognized_by(&exit_of(failure, reason, words))?.entry;
            let is_told = entry.end_of_words(words).is_some() && entry.rank != Rank::Generic;
            is_told.then_some(entry)
        };
        // A line that marks the end of the process tells more than the lines before it, and warnings tell least.
        let words = Some(&*failure.last_words).filter(|_| !failure.is_unstarted);
        let marked = words.and_then(marked_line);
        let of_line = marked.as_deref().and_then(told).or_else(|| {
            let grave = words.and_then(without_warnings);
            grave.as_deref().and_then(told)
        });
        let entry = of_line.unwrap_or(found.entry);
        let is_told = entry.end_of_words(&failure.last_words).is_some();
        if !is_told && let Some(event) = recreated_sandbox(pod, related, failure) {
            let entry = self.of_situation(Situation::SandboxRecreated)?;
            let message = event.message.to_string();
            return Some(Recognized { entry, message });
        }
        let other = Some(&*entry.on_no_claim).filter(|id| !id.is_empty());
        let other = other.filter(|_| is_on_no_claim(pod, failure));
        let entry = other.and_then(|id| self.by_id(id)).unwrap_or(entry);
        Some(Recognized { entry, ..found })
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
