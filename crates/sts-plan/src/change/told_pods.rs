//! The state of a pod that the input lacks, as its last events tell it: `kubectl get sts,events -o yaml`.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::catalogue::{OF_SANDBOX, is_of_volume};
use crate::conditions::Conditions;
use crate::members::OF_EVENTS;
use sts_controller::object::{Event, Meta, Pod, Snapshot};

/// Maximum age of an event that tells the state of a pod: the kubelet and the scheduler repeat theirs more often.
const RECENT: SignedDuration = SignedDuration::from_mins(30);

/// The state of a pod, as its last warning tells it.
pub(super) struct ToldState {
    /// The time of the warning.
    pub(super) last: Timestamp,
    /// The uid of the pod; empty if no event has it.
    uid: String,
    /// The node, if an event names it.
    node: Option<String>,
    /// True if the pod has a node, named or not.
    is_placed: bool,
    /// The phase.
    phase: &'static str,
    /// The condition for the scheduler, or the reason and message of a container that waits.
    says: Says,
    /// The time since when it is not ready.
    since: Timestamp,
}

enum Says {
    Unplaced(String),
    Waiting {
        container: String,
        reason: &'static str,
        message: String,
    },
    Creating,
    NotReady,
}

impl ToldState {
    /// Returns the state of a pod of this name; `None` if no recent warning tells it, or if a later event says that it is over.
    pub(super) fn of(name: &str, whole: &Snapshot, conditions: &Conditions) -> Option<Self> {
        let Meta { namespace, .. } = &whole.set.meta;
        let events = conditions.related.events(namespace, "Pod", name);
        let now = conditions.now;
        let at = |event: &Event| {
            event
                .last
                .filter(|last| now.duration_since(*last) <= RECENT)
        };
        let warnings = events.iter().filter(|event| event.is_warning);
        let told = warnings.filter_map(|event| Some((at(event)?, event, says(event)?)));
        let (last, event, (phase, says)) = told.max_by_key(|(last, ..)| *last)?;
        let ends = match says {
            Says::Unplaced(_) => "Scheduled",
            Says::Creating => "Started",
            Says::Waiting { .. } | Says::NotReady => "",
        };
        let is_of_pod = |other: &Event| event.uid.is_empty() || other.is_about(&event.uid);
        let mut later = events.iter().filter(|other| is_of_pod(other));
        if later.any(|other| *other.reason == *ends && other.last > Some(last)) {
            return None;
        }
        let mut placing = events.iter().filter(|other| is_of_pod(other));
        let placed = placing.rfind(|other| &*other.reason == "Scheduled");
        let node = placed.and_then(|event| event.message.rsplit_once(" to "));
        Some(ToldState {
            last,
            uid: event.uid.to_string(),
            node: node.map(|(_, node)| node.to_owned()),
            is_placed: !matches!(says, Says::Unplaced(_)),
            phase,
            says,
            since: event.first.unwrap_or(last),
        })
    }

    /// Returns a pod in this state.
    pub(super) fn pod(&self, assumed: &Pod) -> Option<Pod> {
        let mut object = assumed.to_json();
        let names = object["spec"]["containers"].as_array().cloned();
        let since = self.since.to_string();
        let mut conditions =
            vec![json!({"type": "Ready", "status": "False", "lastTransitionTime": since})];
        if let Says::Unplaced(message) = &self.says {
            conditions.push(
                json!({"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
                "message": message, "lastTransitionTime": since}),
            );
        }
        let status = |container: &Value| {
            let name = container["name"].as_str().unwrap_or_default();
            let state = match &self.says {
                Says::Unplaced(_) => return None,
                Says::Creating => json!({"waiting": {"reason": "ContainerCreating"}}),
                // An event without the name of its container is about the only one.
                Says::Waiting {
                    container,
                    reason,
                    message,
                } if container.is_empty() || *container == name => {
                    json!({"waiting": {"reason": reason, "message": message}})
                }
                Says::Waiting { .. } | Says::NotReady => json!({"running": {}}),
            };
            // Nothing tells the number of restarts.
            Some(
                json!({"name": name, "image": container["image"], "ready": false, "restartCount": -1, "state": state}),
            )
        };
        let statuses: Vec<Value> = names.iter().flatten().filter_map(status).collect();
        object["status"] =
            json!({"phase": self.phase, "conditions": conditions, "containerStatuses": statuses});
        object["metadata"]["uid"] = match &*self.uid {
            "" => json!(assumed.meta.uid),
            uid => json!(uid),
        };
        object["metadata"]["annotations"][OF_EVENTS] = json!("true");
        if let Some(node) = &self.node {
            object["spec"]["nodeName"] = json!(node);
        }
        let mut pod = Pod::from_json(object).ok()?;
        pod.scheduled = self.is_placed;
        Some(pod)
    }
}

/// Returns the phase of a pod and what is wrong with it, as a warning about it tells; `None` if it tells neither.
fn says(event: &Event) -> Option<(&'static str, Says)> {
    let message = &*event.message;
    let waiting = |reason: &'static str, message: &str| Says::Waiting {
        container: container_of(event),
        reason,
        message: message.to_owned(),
    };
    Some(match &*event.reason {
        "FailedScheduling" => ("Pending", Says::Unplaced(message.to_owned())),
        "BackOff" if message.starts_with("Back-off restarting") => {
            ("Running", waiting("CrashLoopBackOff", message))
        }
        "BackOff" => ("Pending", waiting("ImagePullBackOff", message)),
        "Failed" if message.starts_with("Failed to pull image") => {
            ("Pending", waiting("ErrImagePull", message))
        }
        "Failed" => {
            let said = message.strip_prefix("Error: ")?;
            let is_missing = said.starts_with("secret ")
                || said.starts_with("configmap ")
                || said.starts_with("couldn't find key");
            match said {
                // Another event has the reason.
                "ErrImagePull" | "ImagePullBackOff" => return None,
                _ if is_missing => ("Pending", waiting("CreateContainerConfigError", said)),
                _ => ("Pending", waiting("CreateContainerError", said)),
            }
        }
        "Unhealthy" if message.starts_with("Readiness probe") => ("Running", Says::NotReady),
        reason if OF_SANDBOX.contains(&reason) || is_of_volume(event) => {
            ("Pending", Says::Creating)
        }
        _ => return None,
    })
}

/// Returns the container of an event, by its field path or its message: `Back-off restarting failed container db in pod ...`.
fn container_of(event: &Event) -> String {
    let of_message = || {
        let (_, rest) = event.message.split_once("failed container ")?;
        rest.split(' ')
            .next()
            .map(|name| name.trim_end_matches(';').to_owned())
    };
    match &*event.container {
        "" => of_message().unwrap_or_default(),
        container => container.to_owned(),
    }
}
