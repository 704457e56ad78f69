//! A stand-in for scheduler and kubelets: it binds pods, marks them ready or failed, and finishes deletions. It keeps
//! its own time, as in docs/contract.md, "Order": when the controllers rest, the earliest due event happens alone. The
//! order of events is therefore independent of the speed of the machine.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::acts::Place;
use super::audit::Entry;
use super::rest::Refused;
use super::seen::{Event, PredictedWrites, Segment, Witnessed, Write};

/// Default number of seconds until a pod is ready.
pub const READY_AFTER: i64 = 10;
/// Default number of seconds until a pod is gone, unless its grace period is shorter.
pub const GONE_AFTER: i64 = 5;
/// Number of checks without a new write after which the controllers rest.
const QUIET_LOOKS: usize = 5;
/// Maximum number of checks for a predicted write.
const PATIENT_LOOKS: usize = 1_000;
/// More events than any scenario has.
const MAX_EVENTS: usize = 200;
/// Longest delay, beyond `minReadySeconds`, until a controller checks a pod again.
const LATE: SignedDuration = SignedDuration::from_millis(1_500);

/// The next event of a pod: time, kind, ordinal and name, in the order of events.
type Due = (i64, u8, i64, String);

/// The stand-in for one namespace.
pub struct Kubelet<'p, 'c> {
    place: &'p Place<'c>,
    /// The length of the audit log at the beginning.
    mark: usize,
    clock: i64,
    /// The next event of each pod, by uid.
    due: BTreeMap<String, Option<Due>>,
    /// Real times since which pods are ready and not yet available, by uid.
    ready_since: BTreeMap<String, Timestamp>,
    /// Assumptions about pods, in the syntax of `--assume`.
    assume: Vec<String>,
    /// The node that a pod of this name is bound to.
    node_of: fn(&str) -> &'static str,
}

const REMOVED: u8 = 0;
const READY: u8 = 1;
const AVAILABLE: u8 = 2;
const FAILED: u8 = 3;

impl<'p, 'c> Kubelet<'p, 'c> {
    pub fn new(place: &'p Place<'c>, assume: &[String]) -> Self {
        Kubelet {
            place,
            mark: place.plane.audit.mark(),
            clock: 0,
            due: BTreeMap::new(),
            ready_since: BTreeMap::new(),
            assume: assume.to_vec(),
            node_of: |_| "node",
        }
    }

    /// Binds pods to other nodes than `node`.
    pub fn on_nodes(mut self, node_of: fn(&str) -> &'static str) -> Self {
        self.node_of = node_of;
        self
    }

    /// Returns the writes of the controllers since the beginning.
    pub fn witnessed(&self) -> Witnessed {
        let passes = |entry: &Entry| {
            entry.user() == "controllers"
                && entry.is_over()
                && entry.resource() != "events"
                && !entry.resource().starts_with("poddisruptionbudgets")
                && ["create", "update", "patch", "delete"].contains(&entry.verb())
        };
        let audit = &self.place.plane.audit;
        Witnessed::new(audit.in_namespace(&self.place.namespace, self.mark, passes))
    }

    /// Waits until the controllers rest: until they have made the predicted writes, which may take a while on a busy
    /// machine, and then no other. `told` is the number of known writes. Returns all writes since the beginning.
    pub fn settle(&self, predicted: &[Write], told: usize) -> Vec<(Write, Arc<Entry>)> {
        let (mut writes, mut quiet) = (Vec::new(), 0);
        for _ in 0..PATIENT_LOOKS {
            let now = self.witnessed().writes;
            quiet = if now.len() == writes.len() {
                quiet + 1
            } else {
                0
            };
            writes = now;
            let new = writes.get(told..).unwrap_or_default();
            if quiet >= QUIET_LOOKS && has_all(new, predicted) {
                break;
            }
            thread::sleep(super::LOOK);
        }
        writes
    }

    /// Runs until nothing is left to happen, and returns the events. The prediction only decides how long to wait and,
    /// for an endless rollout, after how many events to stop.
    pub fn run(&mut self, predicted: Option<&PredictedWrites>, endless: bool) -> Vec<Segment> {
        let mut segments = vec![Segment::default()];
        let mut told = 0;
        loop {
            let expected =
                predicted.map_or(Vec::new(), |told| told.writes_after(segments.len() - 1));
            let mut writes = self.settle(&expected, told);
            if self.look() {
                writes = self.settle(&expected, told);
            }
            let new = writes.drain(told..).map(|(write, _)| write);
            let segment = segments.last_mut().unwrap();
            segment.writes.extend(new);
            told += segment.writes.len();
            let enough =
                endless && predicted.is_some_and(|told| told.segments.len() <= segments.len());
            let Some((uid, due)) = self.first().filter(|_| !enough) else {
                return segments;
            };
            assert!(segments.len() < MAX_EVENTS, "no end of events");
            segments.push(Segment {
                event: Some(self.happen(&uid, &due)),
                writes: Vec::new(),
            });
        }
    }

    /// Finds a node for unscheduled pods, and schedules the next event of changed ones. Returns true if a pod was
    /// bound.
    fn look(&mut self) -> bool {
        let pods = self.place.list("pods");
        let mut bound = false;
        let mut due = BTreeMap::new();
        for pod in &pods {
            let uid = pod["metadata"]["uid"].as_str().unwrap().to_owned();
            let terminating = pod["metadata"]["deletionTimestamp"].is_string();
            if !pod["spec"]["nodeName"].is_string() && !terminating {
                bound |= self.bind(pod);
            }
            let known = self.due.get(&uid).cloned();
            let removal_is_due = matches!(known, Some(Some((_, REMOVED, ..))));
            let next = match known {
                Some(next) if !terminating || removal_is_due => next,
                _ if terminating => self.stop(pod),
                _ => self.start(pod),
            };
            due.insert(uid, next);
        }
        self.due = due;
        bound
    }

    fn bind(&self, pod: &Value) -> bool {
        let name = pod["metadata"]["name"].as_str().unwrap();
        let binding = json!({
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": {"name": name},
            "target": {"apiVersion": "v1", "kind": "Node", "name": (self.node_of)(name)},
        });
        let path = self.place.path(&format!("pods/{name}/binding"));
        // Meanwhile, a controller may have removed it.
        self.place.rest.create(&path, &binding).is_ok()
    }

    /// Returns the assumptions about a pod: the parts after its name.
    fn assumed(&self, pod: &Value) -> impl Iterator<Item = &str> {
        let name = pod["metadata"]["name"].as_str().unwrap().to_owned();
        self.assume
            .iter()
            .filter_map(move |assumed| assumed.strip_prefix(&name)?.strip_prefix('='))
    }

    fn seconds(&self, pod: &Value, what: &str) -> Option<i64> {
        self.assumed(pod)
            .filter_map(|assumed| assumed.strip_prefix(what)?.strip_prefix(':'))
            .map(|duration| duration.strip_suffix('s').unwrap().parse().unwrap())
            .last()
    }

    fn start(&self, pod: &Value) -> Option<Due> {
        let phase = pod["status"]["phase"].as_str().unwrap_or_default();
        let ended = phase == "Failed" || phase == "Succeeded";
        if is_ready(pod) || ended || self.assumed(pod).any(|what| what == "never-ready") {
            return None;
        }
        let after = self.seconds(pod, "ready-after").unwrap_or(READY_AFTER);
        let fails = self.assumed(pod).any(|what| what == "start-fails");
        Some(self.due(pod, after, if fails { FAILED } else { READY }))
    }

    fn stop(&self, pod: &Value) -> Option<Due> {
        let finalizers = pod["metadata"]["finalizers"].as_array();
        let is_kept = finalizers.is_some_and(|names| !names.is_empty());
        if is_kept || self.assumed(pod).any(|what| what == "never-gone") {
            return None;
        }
        let grace = pod["spec"]["terminationGracePeriodSeconds"]
            .as_i64()
            .unwrap();
        let after = self.seconds(pod, "gone-after").unwrap_or(GONE_AFTER);
        Some(self.due(pod, after.min(grace), REMOVED))
    }

    fn due(&self, pod: &Value, after: i64, what: u8) -> Due {
        let name = pod["metadata"]["name"].as_str().unwrap();
        let ordinal = name.rsplit('-').next().unwrap().parse().unwrap_or(-1);
        (self.clock + after, what, ordinal, name.to_owned())
    }

    fn first(&self) -> Option<(String, Due)> {
        self.due
            .iter()
            .filter_map(|(uid, due)| Some((uid.clone(), due.clone()?)))
            // Ready and failed have the same priority.
            .min_by_key(|(_, (at, what, ordinal, name))| {
                let what = if *what == FAILED { READY } else { *what };
                (*at, what, *ordinal, name.clone())
            })
    }

    fn happen(&mut self, uid: &str, (at, what, _, name): &Due) -> Event {
        self.clock = *at;
        self.due.insert(uid.to_owned(), None);
        let (event, done) = match *what {
            REMOVED => {
                self.due.remove(uid);
                let now = json!({"gracePeriodSeconds": 0, "preconditions": {"uid": uid}});
                let path = self.place.path(&format!("pods/{name}"));
                ("PodRemoved", self.place.rest.delete(&path, &now))
            }
            READY => {
                let done = self.set_status(name, "Running", true);
                self.expect_availability(uid, name);
                ("PodReady", done)
            }
            AVAILABLE => {
                self.wait_for_availability(uid);
                ("PodAvailable", Ok(Value::Null))
            }
            _ => ("PodFailed", self.set_status(name, "Failed", false)),
        };
        done.unwrap();
        Event {
            at: *at,
            event: event.to_owned(),
            name: name.clone(),
        }
    }

    /// `minReadySeconds` of the stored set: an old server does not know the field.
    fn min_ready(&self) -> i64 {
        let set = self.place.rest.get(&self.place.path("statefulsets/web"));
        let seconds = set.map(|set| set["spec"]["minReadySeconds"].as_i64());
        seconds.ok().flatten().unwrap_or(0)
    }

    /// A pod that has just become ready becomes available after real time.
    fn expect_availability(&mut self, uid: &str, name: &str) {
        let after = self.min_ready();
        if after > 0 {
            let ordinal = name.rsplit('-').next().unwrap().parse().unwrap_or(-1);
            let due = (self.clock + after, AVAILABLE, ordinal, name.to_owned());
            self.due.insert(uid.to_owned(), Some(due));
            let now = Timestamp::now();
            self.ready_since.insert(uid.to_owned(), now);
        }
    }

    /// Waits in real time as long as the controller does.
    fn wait_for_availability(&mut self, uid: &str) {
        let Some(since) = self.ready_since.remove(uid) else {
            return;
        };
        let after = SignedDuration::from_secs(self.min_ready()) + LATE;
        let left = after - Timestamp::now().duration_since(since);
        thread::sleep(left.try_into().unwrap_or_default());
    }

    fn set_status(&self, pod: &str, phase: &str, ready: bool) -> Result<Value, Refused> {
        let now = Timestamp::from_second(Timestamp::now().as_second())
            .unwrap()
            .to_string();
        let condition = |kind: &str, is_true: bool| {
            let status = if is_true { "True" } else { "False" };
            json!({"type": kind, "status": status, "lastTransitionTime": now})
        };
        let status = json!({
            "phase": phase,
            "startTime": now,
            "conditions": [
                condition("Initialized", true),
                condition("Ready", ready),
                condition("ContainersReady", ready),
                condition("PodScheduled", true),
            ],
        });
        let path = self.place.path(&format!("pods/{pod}/status"));
        self.place.rest.merge(&path, &json!({"status": status}))
    }
}

fn has_all(writes: &[(Write, Arc<Entry>)], predicted: &[Write]) -> bool {
    let mut left: Vec<&Write> = writes.iter().map(|(write, _)| write).collect();
    predicted.iter().all(|write| {
        let found = left.iter().position(|seen| *seen == write);
        found.map(|at| left.swap_remove(at)).is_some()
    })
}

pub fn is_ready(pod: &Value) -> bool {
    let conditions = pod["status"]["conditions"].as_array();
    conditions
        .into_iter()
        .flatten()
        .any(|condition| condition["type"] == "Ready" && condition["status"] == "True")
}
