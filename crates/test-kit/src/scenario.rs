//! Small worlds for tests, with the outcome of a sync as short lines.
//!
//! [`web`] is a settled set; methods change it for each case. A template is identified by a tag, the tag of its image.
//! Lines show tags and not revision names, which depend on the version.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use sts_controller::controller::{
    ApiServer, Body, OwnerChange, Refusal, Resource, Sync, Verb, Write, encode_json, hash,
    ordinal_of, revision_data, revision_name, sync, unhealthy_pods,
};
use sts_controller::object::{Claim, OwnerReference, Pod, Revision, Set, Snapshot, Status};
use sts_controller::simulate::{
    Assumption, End, FakeApiServer, Kubelet, Progression, Step, StepAction, World, run,
};
use sts_controller::version::{Behaviour, Gate, Gates, Stage, Version};

use crate::cached;

/// The time of every scenario.
const NOW: &str = "2026-01-01T12:00:00Z";

/// Returns the time of every scenario.
pub fn moment() -> Timestamp {
    NOW.parse().unwrap()
}

/// Uid of the set.
pub const SET_UID: &str = "uid-of-web";

/// Returns the time that many seconds ago, in the format of the API.
fn ago(seconds: i64) -> String {
    (moment() - SignedDuration::from_secs(seconds)).to_string()
}

/// Returns the pod template of a tag, with all defaults.
pub fn template(tag: &str) -> Value {
    json!({
        "metadata": {"labels": {"app": "web"}},
        "spec": {
            "containers": [{
                "image": format!("app:{tag}"),
                "imagePullPolicy": "IfNotPresent",
                "name": "main",
                "resources": {},
                "terminationMessagePath": "/dev/termination-log",
                "terminationMessagePolicy": "File",
            }],
            "dnsPolicy": "ClusterFirst",
            "restartPolicy": "Always",
            "schedulerName": "default-scheduler",
            "securityContext": {},
            "terminationGracePeriodSeconds": 30,
        },
    })
}

fn owner(kind: &str, name: &str, uid: &str, controller: bool) -> Value {
    let api_version = if kind == "Pod" { "v1" } else { "apps/v1" };
    let mut owner = json!({"apiVersion": api_version, "kind": kind, "name": name, "uid": uid});
    if controller {
        owner["controller"] = true.into();
        owner["blockOwnerDeletion"] = true.into();
    }
    owner
}

/// A pod: running, ready for an hour, of template `v1`, owned by the set.
#[derive(Debug, Clone)]
pub struct PodSketch {
    object: Value,
    tag: Option<String>,
    volumes: Option<Value>,
}

/// Returns a pod with that name.
pub fn pod(name: &str) -> PodSketch {
    let object = json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "default",
            "uid": format!("uid-of-{name}"),
            "creationTimestamp": ago(3610),
            "labels": {"app": "web", "statefulset.kubernetes.io/pod-name": name},
            "ownerReferences": [owner("StatefulSet", "web", SET_UID, true)],
        },
        "spec": {"nodeName": "node", "terminationGracePeriodSeconds": 30},
        "status": {"phase": "Running"},
    });
    let sketch = PodSketch {
        object,
        tag: Some("v1".into()),
        volumes: None,
    };
    sketch.ready_for(3600)
}

impl PodSketch {
    fn set(mut self, pointer: &str, member: &str, value: Value) -> Self {
        self.object.pointer_mut(pointer).unwrap()[member] = value;
        self
    }

    /// Sets the template.
    pub fn at(mut self, tag: &str) -> Self {
        self.tag = Some(tag.into());
        self
    }

    /// Removes the revision label.
    pub fn at_none(mut self) -> Self {
        self.tag = None;
        self
    }

    pub fn ready_for(self, seconds: i64) -> Self {
        let ready = json!({"type": "Ready", "status": "True", "lastTransitionTime": ago(seconds)});
        self.set("/status", "conditions", json!([ready]))
    }

    /// Makes the pod ready since an unknown time.
    pub fn ready_since_unknown(self) -> Self {
        let ready = json!({"type": "Ready", "status": "True"});
        self.set("/status", "conditions", json!([ready]))
    }

    /// Sets another member of the status.
    pub fn status(self, member: &str, value: Value) -> Self {
        self.set("/status", member, value)
    }

    pub fn not_ready(self) -> Self {
        self.set("/status", "conditions", json!([]))
    }

    pub fn phase(self, phase: &str) -> Self {
        self.set("/status", "phase", phase.into())
    }

    pub fn pending(self) -> Self {
        self.phase("Pending").not_ready()
    }

    /// Sets the node.
    pub fn on_node(self, node: &str) -> Self {
        self.set("/spec", "nodeName", node.into())
    }

    /// Removes the node.
    pub fn unscheduled(self) -> Self {
        self.set("/spec", "nodeName", Value::Null)
    }

    pub fn failed(self) -> Self {
        self.phase("Failed").not_ready()
    }

    pub fn succeeded(self) -> Self {
        self.phase("Succeeded").not_ready()
    }

    pub fn terminating(self) -> Self {
        self.set("/metadata", "deletionTimestamp", ago(-20).into())
    }

    pub fn finalizer(self, name: &str) -> Self {
        self.set("/metadata", "finalizers", json!([name]))
    }

    pub fn crash_looping(self) -> Self {
        let waiting = json!({"name": "main", "state": {"waiting": {"reason": "CrashLoopBackOff"}}});
        self.not_ready()
            .set("/status", "containerStatuses", json!([waiting]))
    }

    pub fn orphan(self) -> Self {
        self.set("/metadata", "ownerReferences", json!([]))
    }

    /// Sets the controller.
    pub fn of(self, kind: &str, name: &str, uid: &str) -> Self {
        let owners = json!([owner(kind, name, uid, true)]);
        self.set("/metadata", "ownerReferences", owners)
    }

    pub fn label(self, name: &str, value: &str) -> Self {
        self.set("/metadata/labels", name, value.into())
    }

    /// Mounts only that claim under that volume name.
    pub fn volume(mut self, name: &str, claim: &str) -> Self {
        let volume = json!({"name": name, "persistentVolumeClaim": {"claimName": claim}});
        self.volumes = Some(json!([volume]));
        self
    }

    fn name(&self) -> &str {
        self.object["metadata"]["name"].as_str().unwrap()
    }
}

/// A claim: bound, without owners.
#[derive(Clone)]
pub struct ClaimSketch(Value);

/// Returns a claim with that name.
pub fn claim(name: &str) -> ClaimSketch {
    ClaimSketch(json!({
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": "default", "uid": format!("uid-of-{name}"), "ownerReferences": []},
        "spec": {"resources": {"requests": {"storage": "1Gi"}}},
        "status": {"phase": "Bound"},
    }))
}

impl ClaimSketch {
    pub fn owner(mut self, kind: &str, name: &str, uid: &str, controller: bool) -> Self {
        let owners = self.0["metadata"]["ownerReferences"].as_array_mut();
        owners.unwrap().push(owner(kind, name, uid, controller));
        self
    }

    /// Adds the set as an owner, with or without `controller: true`.
    pub fn of_set(self, controller: bool) -> Self {
        self.owner("StatefulSet", "web", SET_UID, controller)
    }

    pub fn finalizer(mut self, name: &str) -> Self {
        self.0["metadata"]["finalizers"] = json!([name]);
        self
    }

    pub fn terminating(mut self) -> Self {
        self.0["metadata"]["deletionTimestamp"] = ago(20).into();
        self
    }

    pub fn with(mut self, member: &str, value: Value) -> Self {
        self.0[member] = value;
        self
    }
}

/// A recorded revision: owned by the set, encoded by the current version.
#[derive(Debug, Clone)]
pub struct RevisionSketch {
    tag: String,
    number: i64,
    name: Option<String>,
    hash_label: Option<String>,
    owner: Option<Value>,
    with_null: Option<bool>,
    content: Option<Value>,
    merges: bool,
}

/// Returns the revision with the template of a tag.
pub fn revision(tag: &str, number: i64) -> RevisionSketch {
    RevisionSketch {
        tag: tag.into(),
        number,
        name: None,
        hash_label: None,
        owner: Some(owner("StatefulSet", "web", SET_UID, true)),
        with_null: None,
        content: None,
        merges: false,
    }
}

impl RevisionSketch {
    /// Sets another name than its content implies. Lines show that name.
    pub fn named(mut self, name: &str) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets another hash label than its content implies.
    pub fn hash_label(mut self, label: &str) -> Self {
        self.hash_label = Some(label.into());
        self
    }

    pub fn orphan(mut self) -> Self {
        self.owner = None;
        self
    }

    /// Sets the controller.
    pub fn of(mut self, kind: &str, name: &str, uid: &str) -> Self {
        self.owner = Some(owner(kind, name, uid, true));
        self
    }

    /// Encodes the revision like a controller before 1.34, whatever the version. Shown as `TAG-by-1.33`.
    pub fn by_an_old_controller(mut self) -> Self {
        self.with_null = Some(true);
        self
    }

    /// Encodes the revision like a controller from 1.34 on, whatever the version. Shown as `TAG-by-1.34`.
    pub fn by_a_new_controller(mut self) -> Self {
        self.with_null = Some(false);
        self
    }

    /// Sets another template than the tag's.
    pub fn recording(mut self, template: Value) -> Self {
        self.content = Some(template);
        self
    }

    /// Records a part of a template that is merged into that of the set: the data lacks `$patch: replace`.
    pub fn merging(self, part: Value) -> Self {
        RevisionSketch {
            merges: true,
            ..self.recording(part)
        }
    }

    /// Returns the name, the displayed name, the hash of the bytes, and the data.
    fn made(&self, set: &str, behaviour: &Behaviour) -> (String, String, String, Value) {
        let with_null = self.with_null.unwrap_or(behaviour.null_creation_timestamp);
        let template = self.content.clone().unwrap_or_else(|| template(&self.tag));
        let data = match self.merges {
            true => json!({"spec": {"template": template}}),
            false => revision_data(&template, with_null),
        };
        let hash = hash(&encode_json(&data, behaviour.short_escapes), Some(0));
        let name = self
            .name
            .clone()
            .unwrap_or_else(|| revision_name(set, &hash));
        let shown = match (&self.name, with_null == behaviour.null_creation_timestamp) {
            (Some(name), _) => name.clone(),
            (None, true) => self.tag.clone(),
            (None, false) if with_null => format!("{}-by-1.33", self.tag),
            (None, false) => format!("{}-by-1.34", self.tag),
        };
        (name, shown, hash, data)
    }

    fn build(&self, set: &str, behaviour: &Behaviour) -> Revision {
        let (name, _, hash, data) = self.made(set, behaviour);
        let label = self.hash_label.clone().unwrap_or(hash);
        let mut object = json!({
            "apiVersion": "apps/v1",
            "kind": "ControllerRevision",
            "metadata": {
                "name": name,
                "namespace": "default",
                "uid": format!("uid-of-{name}"),
                "labels": {"app": "web", "controller.kubernetes.io/hash": label},
            },
            "data": data,
            "revision": self.number,
        });
        if let Some(owner) = &self.owner {
            object["metadata"]["ownerReferences"] = json!([owner]);
        }
        Revision::from_json(&object).unwrap()
    }
}

/// A set and its related objects, for any version.
#[derive(Debug, Clone)]
pub struct Scenario {
    set: Value,
    tag: String,
    /// Tags of the stored `currentRevision` and `updateRevision`.
    stored_revisions: (String, String),
    pods: BTreeMap<String, PodSketch>,
    claims: BTreeMap<String, Value>,
    revisions: Vec<RevisionSketch>,
}

/// Returns a settled set with that many ready pods of template `v1`. No version writes anything.
pub fn web(replicas: i64) -> Scenario {
    let set = json!({
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "web", "namespace": "default", "uid": SET_UID, "generation": 1},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": "web"}},
            "serviceName": "web",
            "podManagementPolicy": "OrderedReady",
            "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}},
            "revisionHistoryLimit": 10,
        },
        "status": {
            "observedGeneration": 1,
            "replicas": replicas,
            "readyReplicas": replicas,
            "currentReplicas": replicas,
            "updatedReplicas": replicas,
            "availableReplicas": replicas,
            "collisionCount": 0,
        },
    });
    let scenario = Scenario {
        set,
        tag: "v1".into(),
        stored_revisions: ("v1".into(), "v1".into()),
        pods: BTreeMap::new(),
        claims: BTreeMap::new(),
        revisions: vec![revision("v1", 1)],
    };
    (0..replicas).fold(scenario, |scenario, ordinal| {
        scenario.pod(pod(&format!("web-{ordinal}")))
    })
}

impl Scenario {
    /// Sets a member of the set's spec.
    pub fn spec(mut self, member: &str, value: Value) -> Self {
        self.set["spec"][member] = value;
        self
    }

    pub fn metadata(mut self, member: &str, value: Value) -> Self {
        self.set["metadata"][member] = value;
        self
    }

    /// Renames the set. Its pods keep their names, so this is for sets without pods.
    pub fn named(self, name: &str) -> Self {
        assert!(self.pods.is_empty() && self.revisions.iter().all(|kept| kept.name.is_none()));
        self.metadata("name", name.into())
    }

    pub fn replicas(self, replicas: i64) -> Self {
        self.spec("replicas", replicas.into())
    }

    /// Gives the set the template of another tag, which has no revision yet.
    pub fn template(mut self, tag: &str) -> Self {
        self.tag = tag.into();
        self
    }

    /// Starts a rollout to `v2`: the revision exists and the status names it.
    pub fn rolling_to_v2(mut self) -> Self {
        self.stored_revisions.1 = "v2".into();
        self.template("v2")
            .revision(revision("v2", 2))
            .status("updatedReplicas", 0)
    }

    pub fn parallel(self) -> Self {
        self.spec("podManagementPolicy", "Parallel".into())
    }

    pub fn partition(self, partition: i64) -> Self {
        let strategy = json!({"type": "RollingUpdate", "rollingUpdate": {"partition": partition}});
        self.spec("updateStrategy", strategy)
    }

    pub fn max_unavailable(self, max: Value) -> Self {
        let rolling = json!({"partition": 0, "maxUnavailable": max});
        self.spec(
            "updateStrategy",
            json!({"type": "RollingUpdate", "rollingUpdate": rolling}),
        )
    }

    /// Sets `type: RollingUpdate` without its block.
    pub fn no_rolling_update(self) -> Self {
        self.spec("updateStrategy", json!({"type": "RollingUpdate"}))
    }

    pub fn on_delete(self) -> Self {
        self.spec("updateStrategy", json!({"type": "OnDelete"}))
    }

    pub fn min_ready(self, seconds: i64) -> Self {
        self.spec("minReadySeconds", seconds.into())
    }

    pub fn retention(self, when_deleted: &str, when_scaled: &str) -> Self {
        let policy = json!({"whenDeleted": when_deleted, "whenScaled": when_scaled});
        self.spec("persistentVolumeClaimRetentionPolicy", policy)
    }

    pub fn start(self, ordinal: i64) -> Self {
        self.spec("ordinals", json!({"start": ordinal}))
    }

    pub fn history_limit(self, limit: i64) -> Self {
        self.spec("revisionHistoryLimit", limit.into())
    }

    pub fn deleting(self) -> Self {
        self.metadata("deletionTimestamp", ago(20).into())
    }

    /// Adds a claim template to the set, and its claims to the pods.
    pub fn claims(mut self, template: &str) -> Self {
        let entry = json!({"metadata": {"name": template}, "spec": {"resources": {"requests": {"storage": "1Gi"}}}});
        match self.set["spec"]["volumeClaimTemplates"].as_array_mut() {
            Some(entries) => entries.push(entry),
            None => self.set["spec"]["volumeClaimTemplates"] = json!([entry]),
        }
        let names: Vec<String> = self.pods.keys().cloned().collect();
        names.iter().fold(self, |scenario, pod| {
            scenario.claim(claim(&format!("{template}-{pod}")))
        })
    }

    /// Sets a counter or another member of the stored status.
    pub fn status(mut self, member: &str, value: impl Into<Value>) -> Self {
        self.set["status"][member] = value.into();
        self
    }

    /// Sets `currentRevision` and `updateRevision` of the stored status, by tag or name.
    pub fn status_revisions(mut self, current: &str, update: &str) -> Self {
        self.stored_revisions = (current.into(), update.into());
        self
    }

    /// Adds a pod, or replaces the one of that name.
    pub fn pod(mut self, pod: PodSketch) -> Self {
        self.pods.insert(pod.name().to_owned(), pod);
        self
    }

    /// Removes a pod; its claims stay.
    pub fn without(mut self, pod: &str) -> Self {
        self.pods.remove(pod).unwrap();
        self
    }

    /// Adds a claim, or replaces the one of that name.
    pub fn claim(mut self, claim: ClaimSketch) -> Self {
        let name = claim.0["metadata"]["name"].as_str().unwrap().to_owned();
        self.claims.insert(name, claim.0);
        self
    }

    pub fn without_claim(mut self, name: &str) -> Self {
        self.claims.remove(name).unwrap();
        self
    }

    pub fn revision(mut self, revision: RevisionSketch) -> Self {
        self.revisions.push(revision);
        self
    }

    pub fn no_revisions(mut self) -> Self {
        self.revisions.clear();
        self
    }

    fn name(&self) -> &str {
        self.set["metadata"]["name"].as_str().unwrap()
    }

    /// Returns revision names with their tags.
    fn names(&self, behaviour: &Behaviour) -> BTreeMap<String, String> {
        let mut names = BTreeMap::new();
        for sketch in &self.revisions {
            let (name, shown, ..) = sketch.made(self.name(), behaviour);
            names.insert(name, shown);
        }
        let of_pods = self.pods.values().filter_map(|pod| pod.tag.as_ref());
        for tag in of_pods
            .chain([&self.tag])
            .filter(|tag| !tag.contains("-by-") && !names.contains_key(*tag))
            .collect::<Vec<_>>()
        {
            let (name, shown, ..) = revision(tag, 0).made(self.name(), behaviour);
            names.entry(name).or_insert(shown);
        }
        names
    }

    /// Returns the objects as in a cluster of that version.
    pub fn snapshot(&self, behaviour: &Behaviour) -> Snapshot {
        let names = self.names(behaviour);
        let named = |tag: &str| -> String {
            // A revision by 1.33 is a plain one to the controllers that wrote it.
            let plain = tag.split("-by-").next().unwrap();
            let mut known = [tag, plain]
                .into_iter()
                .filter_map(|tag| names.iter().find(|(_, shown)| *shown == tag));
            known.next().map_or(tag, |(name, _)| name).to_owned()
        };
        let mut set = self.set.clone();
        set["spec"]["template"] = template(&self.tag);
        set["status"]["currentRevision"] = named(&self.stored_revisions.0).into();
        set["status"]["updateRevision"] = named(&self.stored_revisions.1).into();
        if !behaviour.available_replicas {
            set["status"]["availableReplicas"] = 0.into();
        }
        let templates: Vec<String> = set["spec"]["volumeClaimTemplates"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|entry| entry["metadata"]["name"].as_str().unwrap().to_owned())
            .collect();
        let status = Status::of_set(&set).unwrap();
        let mut snapshot = Snapshot::of_set(Set::from_json(set).unwrap(), status);
        for (name, sketch) in &self.pods {
            let mut object = sketch.object.clone();
            if let Some(tag) = &sketch.tag {
                object["metadata"]["labels"]["controller-revision-hash"] = named(tag).into();
            }
            let volumes = templates.iter().map(|template| {
                let claim = format!("{template}-web-{}", ordinal_of(name));
                json!({"name": template, "persistentVolumeClaim": {"claimName": claim}})
            });
            object["spec"]["volumes"] = match &sketch.volumes {
                Some(volumes) => volumes.clone(),
                None => volumes.collect(),
            };
            let pod = Pod::from_json(object).unwrap();
            snapshot
                .pods
                .insert(Arc::from(name.as_str()), Arc::new(pod));
        }
        for (name, object) in &self.claims {
            let claim = Claim::from_json(object.clone()).unwrap();
            snapshot
                .claims
                .insert(Arc::from(name.as_str()), Arc::new(claim));
        }
        for sketch in &self.revisions {
            let revision = sketch.build(self.name(), behaviour);
            let name = Arc::clone(&revision.meta.name);
            snapshot.revisions.insert(name, Arc::new(revision));
        }
        snapshot
    }
}

/// Returns the behavior of a version such as `1.27.4`, with gates such as `MaxUnavailableStatefulSet=true`.
///
/// Leaves out graduated gates, which are locked or gone and can only be on.
pub fn rules_and_gates(version: &str, gates: &[(String, bool)]) -> (Behaviour, Gates) {
    let version: Version = version.parse().unwrap();
    let overrides = gates.iter().filter(|(name, value)| {
        let gate = Gate::named(name).unwrap();
        match gate.at(version) {
            Some((Stage::Alpha | Stage::Beta | Stage::Deprecated, _)) => true,
            Some((Stage::Ga, _)) => !assert_on(*value),
            None => {
                assert!(gate.has_graduated(version), "{version} has no gate {name}");
                !assert_on(*value)
            }
        }
    });
    let gates = Gates::new(version, &overrides.cloned().collect()).unwrap();
    (Behaviour::new(version, &gates), gates)
}

fn assert_on(value: bool) -> bool {
    assert!(value, "the gate can no longer be off");
    value
}

/// Splits a text into versions and gates for all of them.
pub fn versions(text: &str) -> (Vec<&str>, Vec<(String, bool)>) {
    let (gates, versions): (Vec<&str>, Vec<&str>) =
        text.split_whitespace().partition(|word| word.contains('='));
    let gates = gates
        .into_iter()
        .map(|gate| gate.split_once('=').unwrap())
        .map(|(name, value)| (name.to_owned(), value.parse().unwrap()))
        .collect();
    (versions, gates)
}

/// Returns the behavior of a version with gates: `1.24.0 MaxUnavailableStatefulSet=true`.
pub fn behaviour(version: &str) -> Behaviour {
    let (versions, gates) = versions(version);
    let [version] = versions.as_slice() else {
        panic!("one version, not {versions:?}");
    };
    rules_and_gates(version, &gates).0
}

/// The next sync of one version in a scenario.
pub struct Seen {
    pub sync: Sync,
    stored: Arc<Status>,
    behaviour: Behaviour,
    names: BTreeMap<String, String>,
}

/// A server with refusals beyond those of the simulated world.
struct Refusing<'s> {
    answers: FakeApiServer<'s>,
    refuse: fn(&Write) -> Option<Refusal>,
}

impl ApiServer for Refusing<'_> {
    fn submit(&mut self, write: &Write) -> Result<(), Refusal> {
        match (self.refuse)(write) {
            Some(refusal) => Err(refusal),
            None => self.answers.submit(write),
        }
    }

    fn revision(&self, name: &str) -> Option<Arc<Revision>> {
        self.answers.revision(name)
    }
}

/// Returns the next sync of one version in a scenario.
pub fn next(scenario: &Scenario, version: &str) -> Seen {
    next_with(scenario, version, |_| None)
}

/// Returns the next sync at a server that refuses additional writes.
pub fn next_with(
    scenario: &Scenario,
    version: &str,
    refuse: fn(&Write) -> Option<Refusal>,
) -> Seen {
    let behaviour = behaviour(version);
    let snapshot = scenario.snapshot(&behaviour);
    let answers = FakeApiServer::new(&snapshot).validating_pods(&behaviour);
    let sync = sync(
        &snapshot,
        moment(),
        &behaviour,
        &mut Refusing { answers, refuse },
        &mut cached::cache(),
        true,
    );
    Seen {
        sync,
        stored: Arc::clone(&snapshot.status),
        names: scenario.names(&behaviour),
        behaviour,
    }
}

impl Seen {
    /// Returns everything but events as lines: writes, holds, the error, the requeue.
    pub fn lines(&self) -> Vec<String> {
        let sync = &self.sync;
        let mut lines: Vec<String> = sync.writes.iter().map(|write| self.write(write)).collect();
        lines.extend(sync.holds.iter().map(|hold| match hold.pod() {
            Some(pod) => format!("hold {} {}", hold.reason(), pod.meta.name),
            None => format!("hold {}", hold.reason()),
        }));
        lines.extend(sync.error.as_ref().map(|error| format!("error: {error}")));
        lines.extend(
            sync.requeue_after
                .map(|after| format!("requeue after {after}")),
        );
        lines
    }

    /// Returns the events as lines.
    pub fn events(&self) -> Vec<String> {
        let names = &self.sync.events;
        names.iter().map(ToString::to_string).collect()
    }

    /// Returns the object in the write of that name.
    pub fn sent(&self, name: &str) -> Value {
        let mut sent = self.sync.writes.iter().filter(|write| &*write.name == name);
        sent.find_map(Write::object).unwrap()
    }

    /// Returns the tag of a revision name.
    pub fn tag<'s>(&'s self, name: &'s str) -> &'s str {
        self.names.get(name).map_or(name, String::as_str)
    }

    fn write(&self, write: &Write) -> String {
        let verb = match (&write.body, write.verb) {
            (Body::Owners { change, .. }, _) => match change {
                OwnerChange::Adopt(_) => "adopt",
                OwnerChange::Release(_) => "release",
            },
            (_, verb) => verb.name(),
        };
        let resource = match write.resource {
            Resource::Pods => "pods",
            Resource::Claims => "claims",
            Resource::Revisions => "revisions",
            Resource::Status => "status",
        };
        let mut line = format!("{verb} {resource}");
        match &write.body {
            Body::Status(status, _) => line.push_str(&self.changed(status)),
            _ => line.push_str(&format!(" {}", self.tag(&write.name))),
        }
        match &write.body {
            Body::Pod(pod) if write.verb != Verb::Update => {
                line.push_str(&format!(" {}", self.tag(&pod.revision)));
            }
            Body::Claim(claim) if write.verb == Verb::Update => {
                line.push_str(&format!(
                    " owned by [{}]",
                    owners(&claim.meta.owner_references)
                ));
            }
            Body::Revision(revision) if write.verb != Verb::Delete => {
                line.push_str(&format!(" as number {}", revision.number));
            }
            _ => {}
        }
        if let Some(refused) = &write.refused {
            line.push_str(&format!(" ({})", refused.reason()));
        }
        line
    }

    /// Returns the changed members of a status.
    fn changed(&self, new: &Status) -> String {
        let old = &self.stored;
        let mut out = String::new();
        for (name, new, old) in [
            ("observed", new.observed_generation, old.observed_generation),
            ("replicas", new.replicas, old.replicas),
            ("ready", new.ready_replicas, old.ready_replicas),
            ("available", new.available_replicas, old.available_replicas),
            ("current", new.current_replicas, old.current_replicas),
            ("updated", new.updated_replicas, old.updated_replicas),
            (
                "collisions",
                new.collision_count.unwrap_or(0),
                old.collision_count.unwrap_or(0),
            ),
        ] {
            if new != old && (name != "available" || self.behaviour.available_replicas) {
                out.push_str(&format!(" {name}={new}"));
            }
        }
        for (name, new, old) in [
            (
                "currentRevision",
                &new.current_revision,
                &old.current_revision,
            ),
            ("updateRevision", &new.update_revision, &old.update_revision),
        ] {
            if new != old {
                out.push_str(&format!(" {name}={}", self.tag(new)));
            }
        }
        out
    }
}

/// Returns owners by kind, with a star for controllers.
fn owners(owners: &[OwnerReference]) -> String {
    let shown = owners.iter().map(|owner| match owner.controller {
        Some(true) => format!("{}*", owner.kind),
        _ => owner.kind.to_string(),
    });
    shown.collect::<Vec<_>>().join(", ")
}

/// Checks the exact outcome of a scenario in each of these versions.
#[track_caller]
pub fn expect(scenario: &Scenario, on: &str, lines: &[&str]) {
    let (versions, gates) = versions(on);
    for version in versions {
        let gates = gates.iter().map(|(name, value)| format!("{name}={value}"));
        let words: Vec<String> = [version.to_owned()].into_iter().chain(gates).collect();
        let seen = next(scenario, &words.join(" "));
        assert_eq!(
            seen.lines(),
            lines,
            "Kubernetes {version}: {:#?}",
            seen.events()
        );
    }
}

/// Simulates one version from a scenario on: new pods are ready after 10s, deleted ones gone after 5s.
pub fn course(scenario: &Scenario, version: &str) -> Course {
    course_assuming(&[], scenario, version)
}

/// Simulates one version with assumptions about single pods.
pub fn course_assuming(
    assumed: &[(&str, Assumption)],
    scenario: &Scenario,
    version: &str,
) -> Course {
    let behaviour = behaviour(version);
    let assumptions = assumed.iter().cloned();
    let kubelet = Kubelet {
        assumptions: assumptions
            .map(|(pod, assumption)| (pod.to_owned(), assumption))
            .collect(),
        ..Kubelet::default()
    };
    let world = World::new(scenario.snapshot(&behaviour), moment(), kubelet);
    let world = cached::world(world);
    let mut progression = run(world, &behaviour);
    let last = progression.world.next_sync(&behaviour);
    Course {
        progression,
        last,
        behaviour,
    }
}

/// A progression, with the sync of its final state.
pub struct Course {
    pub progression: Progression,
    pub last: Sync,
    behaviour: Behaviour,
}

impl Course {
    /// Returns the steps that affect pods or claims as lines.
    pub fn steps(&self) -> Vec<String> {
        step_lines(&self.progression.steps, moment())
    }

    /// Reports whether no sync wrote anything.
    pub fn is_idle(&self) -> bool {
        let steps = self.progression.steps.iter();
        steps.into_iter().all(|step| match &step.action {
            StepAction::Controller(writes) => writes.iter().all(|write| write.refused.is_some()),
            StepAction::Object(..) => false,
            StepAction::Pod(..) | StepAction::ClaimRemoved(_) => true,
        })
    }

    /// Returns the outcome of a plan: `complete`, `blocked` or `livelock`.
    pub fn outcome(&self) -> &'static str {
        let snapshot = self.progression.world.snapshot();
        let selector = snapshot.set.selector.as_ref();
        let now = self.progression.world.now();
        if self.progression.end == End::Livelock {
            "livelock"
        } else if self.last.error.is_some()
            || self.last.holds.iter().any(|hold| !hold.is_intended())
            || selector.is_some_and(|selector| selector.check().is_err())
            || !unhealthy_pods(snapshot, now, &self.behaviour).is_empty()
        {
            "blocked"
        } else {
            "complete"
        }
    }
}

/// Returns the steps that affect pods or claims as lines: `5 create web-2, update data-web-2`.
pub fn step_lines(steps: &[Step], start: Timestamp) -> Vec<String> {
    let line = |step: &Step| {
        let at = step.at.duration_since(start).as_secs();
        let what = match &step.action {
            StepAction::Pod(event, pod) => format!("{} {pod}", event.name()),
            StepAction::ClaimRemoved(claim) => format!("ClaimRemoved {claim}"),
            StepAction::Object(actor, event, name) => {
                format!("{}: {} {name}", actor.name(), event.name())
            }
            StepAction::Controller(writes) => {
                let writes = writes
                    .iter()
                    .filter(|write| matches!(write.resource, Resource::Pods | Resource::Claims));
                let shown: Vec<String> = writes
                    .map(|write| format!("{} {}", write.verb.name(), write.name))
                    .collect();
                shown.join(", ")
            }
        };
        (!what.is_empty()).then(|| format!("{at} {what}"))
    };
    steps.iter().filter_map(line).collect()
}

/// Checks that `source` has either a test `PREFIXnn_...` or an entry of `unseen` for each number.
#[track_caller]
pub fn assert_all_present(source: &str, prefix: &str, last: u32, unseen: &[(u32, &str)]) {
    let mut found = BTreeMap::<u32, Vec<&str>>::new();
    let mut is_test = false;
    for line in source.lines() {
        if let Some(name) = line.strip_prefix("fn ")
            && let Some((digits, _)) = name.split_once('_')
            && let Some(number) = digits.strip_prefix(prefix).and_then(|n| n.parse().ok())
        {
            assert!(is_test, "{name} is not a test");
            found.entry(number).or_default().push(name);
        }
        is_test = line == "#[test]";
    }
    for (number, why) in unseen {
        assert!(why.ends_with('.'), "{prefix}{number}: a sentence");
        found.entry(*number).or_default().push(why);
    }
    let numbers: Vec<u32> = found.keys().copied().collect();
    assert_eq!(numbers, (1..=last).collect::<Vec<u32>>());
    for (number, places) in found {
        assert_eq!(places.len(), 1, "{prefix}{number}: {places:?}");
    }
}
