//! Writes, in one form for a plan's steps and for the audit log.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::audit::Entry;

/// One write of a controller.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Write {
    /// `controller`, `node-lifecycle` or `garbage-collector`.
    pub actor: String,
    pub verb: String,
    pub resource: String,
    pub name: String,
    /// The revision of a pod that was created or deleted.
    pub revision: Option<String>,
}

/// An event of a pod that no controller write causes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Seconds since the plan, as the kubelet counts them.
    pub at: i64,
    /// The event, such as `PodReady`.
    pub event: String,
    pub name: String,
}

/// An event (none at the start), and the writes of the controllers until they rest.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Segment {
    pub event: Option<Event>,
    pub writes: Vec<Write>,
}

impl fmt::Display for Write {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Write {
            actor,
            verb,
            resource,
            name,
            ..
        } = self;
        write!(to, "{actor}: {verb} {resource} {name}")?;
        match &self.revision {
            Some(revision) => write!(to, " ({revision})"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Segment {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.event {
            Some(Event { at, event, name }) => writeln!(to, "at {at}: {event} {name}")?,
            None => writeln!(to, "at first")?,
        }
        self.writes
            .iter()
            .try_for_each(|write| writeln!(to, "  {write}"))
    }
}

/// A write that the server refused: verb, resource, name and reason.
pub type Refused = (String, String, String, String);

/// The writes that a plan predicts.
pub struct PredictedWrites {
    pub segments: Vec<Segment>,
    pub refused: BTreeSet<Refused>,
}

impl PredictedWrites {
    pub fn new(plan: &Value) -> Self {
        let mut segments = vec![Segment::default()];
        let mut refused = BTreeSet::new();
        let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
        for step in plan["steps"].as_array().unwrap() {
            let actor = text(step, "actor");
            if let Some(event) = step["event"].as_str() {
                let (at, name) = (step["at"].as_i64().unwrap(), text(step, "name"));
                match actor.as_str() {
                    // The change itself, and automatic actions of the API server.
                    "user" | "api-server" => {}
                    "garbage-collector" => {
                        segments
                            .last_mut()
                            .unwrap()
                            .writes
                            .push(collected(event, name));
                    }
                    _ => segments.push(Segment {
                        event: Some(Event {
                            at,
                            event: event.to_owned(),
                            name,
                        }),
                        writes: Vec::new(),
                    }),
                }
            }
            for write in step["writes"].as_array().into_iter().flatten() {
                let (verb, resource) = (text(write, "verb"), text(write, "resource"));
                let name = text(write, "name");
                if let Some(reason) = write["error"].as_str() {
                    refused.insert((verb, resource, name, reason.to_owned()));
                    continue;
                }
                segments.last_mut().unwrap().writes.push(Write {
                    actor: actor.clone(),
                    verb,
                    resource,
                    name,
                    revision: write["revision"]
                        .as_str()
                        .filter(|name| !name.is_empty())
                        .map(str::to_owned),
                });
            }
        }
        PredictedWrites { segments, refused }
    }

    /// The writes after this many events, until the controllers rest again.
    pub fn writes_after(&self, events: usize) -> Vec<Write> {
        let Some(segment) = self.segments.get(events) else {
            return Vec::new();
        };
        let mut writes = in_one_order(segment.writes.clone(), false);
        // These may have come earlier, depending on the cache.
        writes.retain(|write| !is_of_claim_owners(write));
        writes
    }

    /// Returns true if the set is deleted: the garbage collector and the controller then work at the same time.
    pub fn races(&self) -> bool {
        let mut writes = self.segments.iter().flat_map(|segment| &segment.writes);
        writes.any(|write| write.actor == "garbage-collector")
    }
}

/// The request by which the garbage collector removes an object.
fn collected(event: &str, name: String) -> Write {
    let (verb, resource) = match event {
        "PodDeleted" => ("delete", "pods"),
        "PodOrphaned" => ("patch", "pods"),
        "ClaimDeleted" | "ClaimRemoved" => ("delete", "persistentvolumeclaims"),
        "ClaimOrphaned" => ("patch", "persistentvolumeclaims"),
        "RevisionRemoved" => ("delete", "controllerrevisions"),
        "RevisionOrphaned" => ("patch", "controllerrevisions"),
        "SetRemoved" => ("patch", "statefulsets"),
        other => panic!("what does the garbage collector do in {other}?"),
    };
    Write {
        actor: "garbage-collector".into(),
        verb: verb.into(),
        resource: resource.into(),
        name,
        revision: None,
    }
}

/// The controllers' writes since a mark, from the audit log.
#[derive(Default)]
pub struct Witnessed {
    pub writes: Vec<(Write, Arc<Entry>)>,
    pub refused: BTreeSet<Refused>,
    /// The server's message for each refused request.
    pub words: Vec<String>,
}

impl Witnessed {
    /// `entries` all belong to one namespace, in order. The controller's cache is sometimes behind its own writes. It
    /// then deletes a pod that is already being deleted, or writes the stored status again; these writes change nothing
    /// and are ignored.
    pub fn new(entries: Vec<Arc<Entry>>) -> Self {
        let mut witnessed = Witnessed::default();
        let (mut created, mut deleted) = (BTreeSet::new(), BTreeSet::new());
        let mut done = BTreeSet::new();
        for entry in entries {
            let verb = entry.verb().to_owned();
            let resource = entry.resource();
            let name = entry.name().to_owned();
            if entry.code() >= 400 {
                // Old servers say so about an object with a generateName whose name is taken, even if the name was not
                // generated.
                let reason = match entry.reason() {
                    "ServerTimeout" if verb == "create" => "AlreadyExists".to_owned(),
                    reason => reason.to_owned(),
                };
                let again = (resource.clone(), name.clone());
                // The controller itself made or deleted that object, or retries with one that it has not seen yet.
                let passes = match reason.as_str() {
                    "AlreadyExists" => created.contains(&again),
                    "NotFound" => deleted.contains(&again),
                    "Conflict" => true,
                    // A status from a late cache, sent again after a conflict.
                    "Invalid" => entry.words().contains("cannot be decremented"),
                    _ => false,
                };
                witnessed.words.push(entry.words().to_owned());
                if !passes {
                    witnessed.refused.insert((verb, resource, name, reason));
                }
                continue;
            }
            let answer = &entry.answer()["metadata"];
            if verb == "create" {
                created.insert((resource.clone(), name.clone()));
            } else if verb == "delete" {
                deleted.insert((resource.clone(), name.clone()));
            }
            // A write that changes nothing returns the stored version.
            let once = if verb == "delete" {
                answer["uid"]
                    .as_str()
                    .or(entry.answer()["details"]["uid"].as_str())
            } else {
                answer["resourceVersion"].as_str()
            };
            if once
                .is_some_and(|once| !done.insert((verb.clone(), resource.clone(), once.to_owned())))
            {
                continue;
            }
            // A claim is protected from its creation on. Once nothing uses it, removing the protection removes the
            // claim.
            let protection = entry.component() == "pvc-protection-controller";
            if protection && answer["deletionTimestamp"].is_null() {
                continue;
            }
            let verb = if protection {
                "delete".to_owned()
            } else {
                verb
            };
            let label = &answer["labels"]["controller-revision-hash"];
            let actor = match entry.component() {
                "statefulset-controller" => "controller",
                "node-controller" | "taint-eviction-controller" => "node-lifecycle",
                _ => "garbage-collector",
            };
            let told = actor == "controller"
                && resource == "pods"
                && (verb == "create" || verb == "delete");
            let write = Write {
                actor: actor.to_owned(),
                revision: label.as_str().filter(|_| told).map(str::to_owned),
                verb,
                resource,
                name,
            };
            witnessed.writes.push((write, entry));
        }
        witnessed
    }
}

/// Returns true if a write sets the owners of a claim. A parallel set does so in the sync that creates the claim if its
/// cache has the claim by then. Otherwise it does so in the next sync, together with a PUT of the pod.
pub fn is_of_claim_owners(write: &Write) -> bool {
    write.verb == "update" && ["persistentvolumeclaims", "pods"].contains(&write.resource.as_str())
}

/// Keeps the writes that are compared while garbage collector and controller work at the same time: the fates of pods
/// and claims, in any order. A protected claim takes two requests, its deletion and the removal of its protection. An
/// unprotected claim takes one.
pub fn of_pods_and_claims(writes: Vec<Write>) -> Vec<Write> {
    let mut writes = writes;
    writes.retain(|write| ["pods", "persistentvolumeclaims"].contains(&write.resource.as_str()));
    writes.sort();
    writes.dedup_by(|a, b| a == b && a.resource == "persistentvolumeclaims" && a.verb == "delete");
    writes
}

/// Sorts writes that may come in any order: claims of one pod and changes of owners, and in a parallel set everything
/// between two events. Of several status writes between two events, only the last one counts; the others are transient.
pub fn in_one_order(mut writes: Vec<Write>, concurrent: bool) -> Vec<Write> {
    let is_status = |write: &Write| write.resource == "statefulsets/status";
    if let Some(last) = writes.iter().rposition(is_status) {
        let mut index = 0;
        writes.retain(|write| {
            index += 1;
            !is_status(write) || index > last
        });
    }
    let free = |write: &Write| {
        concurrent
            || write.actor == "garbage-collector"
            || write.verb == "patch"
            || (write.verb == "create" && write.resource == "persistentvolumeclaims")
    };
    for run in writes.chunk_by_mut(|a, b| free(a) && free(b)) {
        run.sort();
    }
    writes
}
