//! Times in the objects of files. A cluster keeps refreshing some objects; the newest time among all of them is then the
//! time at which they were read.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::kind::Kind;
use sts_controller::object::{NODE_LEASES, RelatedKind, time};

/// Members of a status, at any depth, that hold the time of something that has happened.
const PAST: [&str; 9] = [
    "finishedAt",
    "lastHeartbeatTime",
    "lastPhaseTransitionTime",
    "lastProbeTime",
    "lastScaleTime",
    "lastTransitionTime",
    "startTime",
    "startedAt",
    "time",
];
/// Members of an event with the times of its occurrences.
const OF_EVENT: [&str; 5] = [
    "eventTime",
    "firstTimestamp",
    "lastTimestamp",
    "deprecatedFirstTimestamp",
    "deprecatedLastTimestamp",
];
/// `terminationGracePeriodSeconds` of a pod without one.
const USUAL_GRACE: i64 = 30;

/// Times of one object.
#[derive(Debug, Default)]
pub(super) struct ObjectTimes {
    newest: Option<Timestamp>,
    refresh: Refresh,
}

/// A relation of an object to what a cluster keeps refreshing.
#[derive(Debug, Default)]
enum Refresh {
    /// Not refreshed.
    #[default]
    Never,
    /// An event, which is repeated or expires.
    Event,
    /// The heartbeats or the lease of a node.
    Node(String),
    /// A node without heartbeats: it does not respond.
    Silent(String),
}

impl ObjectTimes {
    /// Reads the times of an object, as far as it is parsed.
    pub(super) fn of(kind: Kind, object: &Value) -> Self {
        let mut times = ObjectTimes::default();
        let metadata = &object["metadata"];
        times.add(&metadata["creationTimestamp"]);
        times.newest = times.newest.max(deletion_request(kind, object));
        times.add_past(&object["status"]);
        let name = || metadata["name"].as_str().unwrap_or_default().to_owned();
        match kind {
            Kind::Related(RelatedKind::Event) => {
                let occurrences = OF_EVENT.iter().map(|member| &object[*member]);
                let last = &object["series"]["lastObservedTime"];
                occurrences.chain([last]).for_each(|it| times.add(it));
                times.refresh = Refresh::Event;
            }
            Kind::Related(RelatedKind::Lease) if metadata["namespace"] == NODE_LEASES => {
                let renewed = &object["spec"]["renewTime"];
                times.add(renewed);
                if renewed.is_string() {
                    times.refresh = Refresh::Node(name());
                }
            }
            Kind::Related(RelatedKind::Node) => times.refresh = of_node(object, name()),
            _ => {}
        }
        times
    }

    fn add(&mut self, value: &Value) {
        // The typed reading reports an invalid time.
        let read = value.as_str().and_then(time);
        self.newest = self.newest.max(read);
    }

    fn add_past(&mut self, value: &Value) {
        match value {
            Value::Object(members) => {
                for (name, value) in members {
                    match PAST.contains(&name.as_str()) {
                        true => self.add(value),
                        false => self.add_past(value),
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.add_past(item)),
            _ => {}
        }
    }
}

/// Returns the time of the deletion request. `deletionTimestamp` lies a grace period later.
fn deletion_request(kind: Kind, object: &Value) -> Option<Timestamp> {
    let metadata = &object["metadata"];
    let deleted = time(metadata["deletionTimestamp"].as_str()?)?;
    let of_spec = || match kind {
        Kind::Pod => {
            let grace = object["spec"]["terminationGracePeriodSeconds"].as_i64();
            grace.unwrap_or(USUAL_GRACE)
        }
        _ => 0,
    };
    let grace = metadata["deletionGracePeriodSeconds"].as_i64();
    let grace = SignedDuration::from_secs(grace.unwrap_or_else(of_spec));
    deleted.checked_sub(grace).ok()
}

fn of_node(object: &Value, name: String) -> Refresh {
    let conditions = object["status"]["conditions"].as_array();
    let conditions = || conditions.into_iter().flatten();
    let is_unknown = |it: &&Value| it["type"] == "Ready" && it["status"] == "Unknown";
    if conditions().any(|it| is_unknown(&it)) {
        Refresh::Silent(name)
    } else if conditions().any(|it| it["lastHeartbeatTime"].is_string()) {
        Refresh::Node(name)
    } else {
        Refresh::Never
    }
}

/// Times of all objects of an input.
#[derive(Debug, Default)]
pub struct InputTimes {
    newest: Option<Timestamp>,
    has_events: bool,
    refreshed: BTreeSet<String>,
    silent: BTreeSet<String>,
    /// Earliest time at which the counts of the statuses hold.
    counted: Option<Timestamp>,
}

impl InputTimes {
    pub(super) fn take(&mut self, times: ObjectTimes) {
        self.newest = self.newest.max(times.newest);
        match times.refresh {
            Refresh::Never => {}
            Refresh::Event => self.has_events = true,
            Refresh::Node(name) => drop(self.refreshed.insert(name)),
            Refresh::Silent(name) => drop(self.silent.insert(name)),
        }
    }

    /// Takes the time from which a count of a status holds.
    pub(super) fn count(&mut self, from: Option<Timestamp>) {
        self.counted = self.counted.max(from);
    }

    /// Returns the newest time of the input; `None` without any.
    pub fn newest(&self) -> Option<Timestamp> {
        self.newest
    }

    /// Returns the time at which the objects were read, in whole seconds as in API timestamps; `None` if nothing in the
    /// input is refreshed.
    pub fn read_at(&self) -> Option<Timestamp> {
        let is_refreshed = self.has_events || !self.refreshed.is_subset(&self.silent);
        let newest = self.newest.filter(|_| is_refreshed)?;
        Some(whole_seconds(newest.max(self.counted.unwrap_or(newest))))
    }
}

/// Rounds up to whole seconds, so that everything in the input has happened.
fn whole_seconds(at: Timestamp) -> Timestamp {
    let seconds = at.as_second() + i64::from(at.subsec_nanosecond() > 0);
    Timestamp::from_second(seconds).unwrap_or(at)
}
