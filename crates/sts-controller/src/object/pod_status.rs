//! Status details of a pod, for explanations. No decision depends on them, so they are read from the object on demand.
//! Values of an unexpected type are ignored.

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::message::without_credentials;
use super::meta::finalizers;
use super::pod::Pod;

/// Status of a pod's container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContainerStatus {
    /// Name.
    pub name: String,
    /// True for an init container.
    pub init: bool,
    /// True if it is ready.
    pub ready: bool,
    /// Number of restarts.
    pub restarts: i64,
    /// Reason and message of its waiting state.
    pub waiting: Option<(String, String)>,
    /// Latest termination.
    pub ended: Option<Termination>,
}

/// The termination of a container: exit code, reason, message and time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Termination {
    /// Exit code.
    pub exit_code: i64,
    /// Reason, such as `OOMKilled` or `Error`.
    pub reason: String,
    /// Termination message, possibly of several lines.
    pub message: String,
    /// Start of the run that it ended, if known.
    pub started: Option<Timestamp>,
    /// Time, if known.
    pub at: Option<Timestamp>,
}

/// A condition of a pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PodCondition {
    /// `True`, `False` or `Unknown`.
    pub status: String,
    /// Reason.
    pub reason: String,
    /// Message.
    pub message: String,
    /// Time of the last transition, if known.
    pub since: Option<Timestamp>,
}

impl Pod {
    /// Returns the statuses of the containers, init containers first; none for a simulated pod.
    #[must_use]
    pub fn containers(&self) -> Vec<ContainerStatus> {
        let Some(object) = self.given() else {
            return Vec::new();
        };
        let of = |list: &str, init| {
            let statuses = object["status"][list].as_array();
            let statuses = statuses.into_iter().flatten();
            statuses
                .map(move |status| container(status, init))
                .collect::<Vec<_>>()
        };
        let mut all = of("initContainerStatuses", true);
        all.extend(of("containerStatuses", false));
        all
    }

    /// Returns the first condition of that type.
    #[must_use]
    pub fn condition(&self, kind: &str) -> Option<PodCondition> {
        let given = self.given()?;
        let conditions = given["status"]["conditions"].as_array()?;
        let found = conditions
            .iter()
            .find(|condition| condition["type"] == kind)?;
        Some(PodCondition {
            status: text(&found["status"]),
            reason: text(&found["reason"]),
            message: message(&found["message"]),
            since: time(&found["lastTransitionTime"]),
        })
    }

    /// Returns the reason and message of the status, such as `Evicted`; both empty if there is none.
    #[must_use]
    pub fn status_reason(&self) -> (String, String) {
        let given = self.given();
        let of = |member: &str| {
            let given = given.as_ref();
            given.map_or_else(String::new, |object| text(&object["status"][member]))
        };
        (
            of("reason"),
            without_credentials(&of("message")).into_owned(),
        )
    }

    /// Returns the longest time that startup probes take to fail; zero without startup probes.
    #[must_use]
    pub fn startup_allowance(&self) -> SignedDuration {
        let given = self.given();
        let containers = given
            .as_ref()
            .and_then(|object| object["spec"]["containers"].as_array());
        let allowance = |container: &Value| {
            let probe = container.get("startupProbe")?;
            let seconds = |member: &str, default: i64| probe[member].as_i64().unwrap_or(default);
            let checks =
                seconds("failureThreshold", 3).saturating_mul(seconds("periodSeconds", 10));
            Some(seconds("initialDelaySeconds", 0).saturating_add(checks))
        };
        let longest = containers.into_iter().flatten().filter_map(allowance).max();
        SignedDuration::from_secs(longest.unwrap_or(0))
    }

    /// Returns the time until which startup probes let the containers that are still starting start; `None` if none is.
    #[must_use]
    pub fn starts_until(&self) -> Option<Timestamp> {
        let given = self.given()?;
        let all = given["status"]["containerStatuses"].as_array()?;
        let starting = all.iter().filter(|it| it["started"] == false);
        let begun = starting.filter_map(|it| {
            let at = it["state"]["running"]["startedAt"].as_str()?;
            at.parse::<Timestamp>().ok()
        });
        let allowance = self.startup_allowance();
        (allowance > SignedDuration::ZERO)
            .then(|| begun.max()?.checked_add(allowance).ok())
            .flatten()
    }

    /// Returns the pod's node.
    #[must_use]
    pub fn node(&self) -> Option<&str> {
        self.node.as_deref()
    }

    /// Returns the finalizers that keep the pod once it is deleted.
    #[must_use]
    pub fn finalizers(&self) -> Vec<String> {
        if !self.has_finalizers {
            return Vec::new();
        }
        match self.given() {
            Some(object) => finalizers(&object),
            None => self.template().map_or_else(Vec::new, finalizers),
        }
    }

    /// Returns the seconds between the delete request and `deletionTimestamp`.
    #[must_use]
    pub fn deletion_grace_seconds(&self) -> i64 {
        let given = self.given();
        given
            .and_then(|object| object["metadata"]["deletionGracePeriodSeconds"].as_i64())
            .unwrap_or(self.grace_seconds)
    }
}

fn container(status: &Value, init: bool) -> ContainerStatus {
    let waiting = &status["state"]["waiting"];
    // A container that is not running has terminated later than in its last state.
    let ended = ["state", "lastState"]
        .iter()
        .map(|state| &status[*state]["terminated"])
        .find(|ended| ended.is_object());
    ContainerStatus {
        name: text(&status["name"]),
        init,
        ready: status["ready"].as_bool().unwrap_or(false),
        restarts: status["restartCount"].as_i64().unwrap_or(0),
        waiting: waiting
            .is_object()
            .then(|| (text(&waiting["reason"]), message(&waiting["message"]))),
        ended: ended.map(|ended| Termination {
            exit_code: ended["exitCode"].as_i64().unwrap_or(0),
            reason: text(&ended["reason"]),
            message: message(&ended["message"]),
            started: time(&ended["startedAt"]),
            at: time(&ended["finishedAt"]),
        }),
    }
}

/// Returns the message without credentials.
fn message(value: &Value) -> String {
    without_credentials(value.as_str().unwrap_or_default()).into_owned()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn time(value: &Value) -> Option<Timestamp> {
    value.as_str()?.parse().ok()
}
