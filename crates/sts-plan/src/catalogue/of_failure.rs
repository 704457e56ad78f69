//! Recognition of why a container fails, or is not ready.

use std::sync::Arc;

use jiff::SignedDuration;
use sts_controller::object::{Event, Pod, RelatedObjects};

use super::decisive_line::{marked_line, without_warnings};
use super::failure::{ContainerFailure, readiness_failures};
use super::mounts::{Mount, container_of, mount_of, mounts, paths};
use super::{
    Announcement, Catalogue, ContainerCheck, Place, Rank, Recognized, Situation, Symptom,
    events_of_pod,
};

/// Maximum time between the kubelet's report of a kill and the end of the container: a grace period and a margin.
const LONGEST_KILL: SignedDuration = SignedDuration::from_mins(15);

/// Exit codes of a process that is stopped, not of one that fails.
const STOPPED: [i64; 5] = [0, 2, 130, 137, 143];

/// Minimum number of times that the kubelet creates the sandbox of a pod again, after which that is no accident.
const SANDBOXES: i64 = 3;

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

/// Reports whether the paths in a process's last words are all on no claim of its pod: on the disk of the node, or in an
/// emptyDir.
fn is_on_no_claim(pod: &Pod, failure: &ContainerFailure) -> bool {
    let Some(given) = pod.given() else {
        return false;
    };
    let spec = &given["spec"];
    let Some(container) = container_of(spec, failure) else {
        return false;
    };
    let mounts: Vec<Mount<'_>> = mounts(spec, container).collect();
    let is_on_claim = |path| mount_of(&mounts, path).is_some_and(|(mount, _)| mount.is_claim());
    let mut paths = paths(&failure.last_words).peekable();
    paths.peek().is_some() && !paths.any(is_on_claim)
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
