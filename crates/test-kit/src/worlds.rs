//! Random worlds: a set, related objects in its namespace, and a controller of any version.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use sts_controller::apiserver::defaults::default_spec_template;
use sts_controller::controller::{encode_json, hash, revision_data, revision_name};
use sts_controller::object::{Claim, Pod, Revision, Set, Snapshot, Status};
use sts_controller::simulate::{Assumption, Forbidden, Kubelet, Start, World};
use sts_controller::version::{Behaviour, Gate, Gates, Version};

use crate::cached;

pub const SET_UID: &str = "uid-of-the-set";
/// Number of pod templates. The first one is the set's.
const TEMPLATES: u8 = 4;

/// Parts of a world: small and plain, so that a failing case shrinks well.
#[derive(Debug, Clone)]
pub struct Scenario {
    pub controller: ControllerSpec,
    pub set: SetSpec,
    pub status: StatusSpec,
    pub revisions: Vec<RevisionSpec>,
    pub pods: Vec<PodSpec>,
    pub claims: Vec<ClaimSpec>,
    pub kubelet: KubeletSpec,
}

#[derive(Debug, Clone)]
pub struct ControllerSpec {
    pub minor: u32,
    pub patch: Option<u32>,
    /// Gates by index into the table, with values. Values that the version does not allow are ignored.
    pub gates: Vec<(usize, bool)>,
}

#[derive(Debug, Clone)]
pub struct SetSpec {
    pub replicas: i32,
    pub parallel: bool,
    pub strategy: StrategySpec,
    pub min_ready: i32,
    pub start: i32,
    pub claim_templates: u8,
    /// True if claims are deleted with the set, and true if they are deleted on scale-down.
    pub retention: Option<(bool, bool)>,
    pub history_limit: i32,
    pub deleted: bool,
}

#[derive(Debug, Clone)]
pub enum StrategySpec {
    Rolling(Option<(Option<i32>, Option<Value>)>),
    OnDelete,
    Recreate,
}

#[derive(Debug, Clone)]
pub struct StatusSpec {
    /// Template of the current revision. The last one stands for a missing revision.
    pub current: Option<u8>,
    pub counters: [u8; 5],
    pub observed: i64,
    pub collisions: Option<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    Ours,
    /// The set's uid under another kind.
    OursOddly,
    Nobody,
    Other,
}

#[derive(Debug, Clone)]
pub struct RevisionSpec {
    pub template: u8,
    /// True to encode the revision like a controller on the other side of 1.34.
    pub other_format: bool,
    pub number: i64,
    pub owner: Owner,
    pub name: RevisionName,
    pub labelled: bool,
}

#[derive(Debug, Clone, Copy)]
pub enum RevisionName {
    Proper,
    /// The name that the set's own template would get.
    Colliding,
    Odd,
}

#[derive(Debug, Clone)]
pub struct PodSpec {
    pub name: PodName,
    /// Template of the revision; beyond the last one a missing revision; `None` for a missing label.
    pub revision: Option<u8>,
    pub phase: &'static str,
    /// Readiness, and for how many seconds.
    pub ready: Option<(bool, Option<u32>)>,
    pub terminating: bool,
    pub owner: Owner,
    pub age: u32,
    pub grace: u32,
    pub scheduled: bool,
    pub labelled: bool,
    pub identity: bool,
    pub storage: bool,
    pub trouble: bool,
}

#[derive(Debug, Clone, Copy)]
pub enum PodName {
    Slot(u8),
    LeadingZero(u8),
    Letters,
    Overflow,
    OtherSet(u8),
}

impl PodName {
    fn text(self) -> String {
        match self {
            PodName::Slot(ordinal) => format!("web-{ordinal}"),
            PodName::LeadingZero(ordinal) => format!("web-0{ordinal}"),
            PodName::Letters => "web-x".to_owned(),
            PodName::Overflow => "web-99999999999".to_owned(),
            PodName::OtherSet(ordinal) => format!("web-db-{ordinal}"),
        }
    }
}

#[derive(Debug, Clone)]
pub struct ClaimSpec {
    pub template: u8,
    pub ordinal: u8,
    pub terminating: bool,
    pub owners: Vec<ClaimOwner>,
}

#[derive(Debug, Clone, Copy)]
pub enum ClaimOwner {
    Set { controller: bool, stale: bool },
    Pod { controller: bool, stale: bool },
    OtherPod(u8),
    Other { controller: bool },
}

#[derive(Debug, Clone)]
pub struct KubeletSpec {
    pub ready_after: u8,
    pub gone_after: u8,
    pub assumed: Vec<(u8, Assumed)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Assumed {
    NeverReady,
    NeverGone,
    Fails,
    ReadyAfter(u8),
    GoneAfter(u8),
}

pub fn now() -> Timestamp {
    "2026-01-01T00:00:00Z".parse().unwrap()
}

fn ago(seconds: u32) -> String {
    now()
        .checked_sub(SignedDuration::from_secs(i64::from(seconds)))
        .unwrap()
        .to_string()
}

impl Scenario {
    pub fn gates(&self) -> (Version, Gates) {
        let version = Version {
            minor: self.controller.minor,
            patch: self.controller.patch,
        };
        let mut overrides = BTreeMap::new();
        for (index, on) in &self.controller.gates {
            let gate = Gate::ALL[index % Gate::ALL.len()].name().to_owned();
            let one = BTreeMap::from([(gate, *on)]);
            if Gates::new(version, &one).is_ok() {
                overrides.extend(one);
            }
        }
        (version, Gates::new(version, &overrides).unwrap())
    }

    pub fn behaviour(&self) -> Behaviour {
        let (version, gates) = self.gates();
        Behaviour::new(version, &gates)
    }

    pub fn kubelet(&self) -> Kubelet {
        let seconds = |count: u8| SignedDuration::from_secs(i64::from(count));
        let mut assumptions: BTreeMap<String, Assumption> = BTreeMap::new();
        for (ordinal, assumed) in &self.kubelet.assumed {
            let assumption = assumptions.entry(format!("web-{ordinal}")).or_default();
            match assumed {
                Assumed::NeverReady => assumption.start = Start::NeverReady,
                Assumed::NeverGone => assumption.never_gone = true,
                Assumed::Fails => assumption.start = Start::Fails,
                Assumed::ReadyAfter(after) => assumption.ready_after = Some(seconds(*after)),
                Assumed::GoneAfter(after) => assumption.gone_after = Some(seconds(*after)),
            }
        }
        Kubelet {
            ready_after: seconds(self.kubelet.ready_after),
            gone_after: seconds(self.kubelet.gone_after),
            believes_trouble: false,
            never_ready: BTreeSet::new(),
            never_gone: BTreeSet::new(),
            broken: BTreeSet::new(),
            forbidden: Forbidden::default(),
            assumptions,
            foreseen: BTreeMap::new(),
        }
    }

    pub fn world(&self) -> World {
        cached::world(World::new(self.snapshot(), now(), self.kubelet()))
    }

    /// Returns the objects as in a cluster, without lists. Each name occurs once.
    pub fn objects(&self) -> Vec<Value> {
        let behaviour = self.behaviour();
        let mut objects = vec![self.set_object(&behaviour)];
        objects.extend(self.revisions.iter().map(|spec| spec.object(&behaviour)));
        objects.extend(
            self.pods
                .iter()
                .map(|spec| self.pod_object(spec, &behaviour)),
        );
        objects.extend(self.claims.iter().map(ClaimSpec::object));
        let mut names = BTreeSet::new();
        objects.retain(|object| {
            names.insert((
                object["kind"].to_string(),
                object["metadata"]["name"].to_string(),
            ))
        });
        objects
    }

    pub fn snapshot(&self) -> Snapshot {
        snapshot_of(self.objects())
    }

    fn set_object(&self, behaviour: &Behaviour) -> Value {
        let set = &self.set;
        let strategy = match &set.strategy {
            StrategySpec::OnDelete => json!({"type": "OnDelete"}),
            StrategySpec::Recreate => json!({"type": "Recreate"}),
            StrategySpec::Rolling(None) => json!({"type": "RollingUpdate"}),
            StrategySpec::Rolling(Some((partition, max))) => {
                let mut block = Map::new();
                if let Some(partition) = partition {
                    block.insert("partition".into(), (*partition).into());
                }
                if let Some(max) = max {
                    block.insert("maxUnavailable".into(), max.clone());
                }
                json!({"type": "RollingUpdate", "rollingUpdate": block})
            }
        };
        let mut object = json!({
            "apiVersion": "apps/v1",
            "kind": "StatefulSet",
            "metadata": {"name": "web", "namespace": "default", "uid": SET_UID, "generation": 2,
                "creationTimestamp": ago(100_000)},
            "spec": {
                "replicas": set.replicas,
                "selector": {"matchLabels": {"app": "web"}},
                "serviceName": "web",
                "template": template(0, behaviour),
                "podManagementPolicy": if set.parallel { "Parallel" } else { "OrderedReady" },
                "updateStrategy": strategy,
                "revisionHistoryLimit": set.history_limit,
                "volumeClaimTemplates": (0..set.claim_templates).map(|index| json!({
                    "apiVersion": "v1", "kind": "PersistentVolumeClaim",
                    "metadata": {"name": format!("data{index}")},
                    "spec": {"accessModes": ["ReadWriteOnce"]},
                })).collect::<Vec<_>>(),
            },
            "status": self.status.object(behaviour),
        });
        let spec = &mut object["spec"];
        if set.min_ready != 0 {
            spec["minReadySeconds"] = set.min_ready.into();
        }
        if set.start != 0 {
            spec["ordinals"] = json!({"start": set.start});
        }
        if let Some((deleted, scaled)) = set.retention {
            let word = |delete| if delete { "Delete" } else { "Retain" };
            spec["persistentVolumeClaimRetentionPolicy"] =
                json!({"whenDeleted": word(deleted), "whenScaled": word(scaled)});
        }
        if set.deleted {
            object["metadata"]["deletionTimestamp"] = ago(5).into();
        }
        object
    }

    fn pod_object(&self, spec: &PodSpec, behaviour: &Behaviour) -> Value {
        let name = spec.name.text();
        let mut labels = Map::new();
        if spec.labelled {
            labels.insert("app".into(), "web".into());
        }
        if let Some(revision) = spec.revision {
            labels.insert(
                "controller-revision-hash".into(),
                revision_of(revision, behaviour).into(),
            );
        }
        if spec.identity {
            labels.insert(
                "statefulset.kubernetes.io/pod-name".into(),
                name.clone().into(),
            );
        }
        let ordinal = name.rsplit('-').next().unwrap_or_default();
        let volumes: Vec<Value> = (0..self.set.claim_templates)
            .filter(|_| spec.storage)
            .map(|index| {
                json!({"name": format!("data{index}"),
                    "persistentVolumeClaim": {"claimName": format!("data{index}-web-{ordinal}")}})
            })
            .collect();
        let mut object = json!({
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "namespace": "default", "uid": format!("pod-{name}"),
                "creationTimestamp": ago(spec.age), "labels": labels,
                "ownerReferences": owner_references(spec.owner)},
            "spec": {"containers": [{"name": "c", "image": "i"}], "volumes": volumes,
                "terminationGracePeriodSeconds": spec.grace},
            "status": {"phase": spec.phase},
        });
        if spec.scheduled {
            object["spec"]["nodeName"] = "node".into();
        }
        if spec.terminating {
            object["metadata"]["deletionTimestamp"] = ago(1).into();
        }
        if let Some((ready, since)) = spec.ready {
            let mut condition =
                json!({"type": "Ready", "status": if ready { "True" } else { "False" }});
            if let Some(since) = since {
                condition["lastTransitionTime"] = ago(since).into();
            }
            object["status"]["conditions"] = json!([condition]);
        }
        if spec.trouble {
            object["status"]["containerStatuses"] =
                json!([{"name": "c", "state": {"waiting": {"reason": "CrashLoopBackOff"}}}]);
        }
        object
    }

    /// Returns the scenario with claims of pending pods that belong to other pods.
    pub fn with_entangled_claims(mut self) -> Self {
        self.set.claim_templates = self.set.claim_templates.max(1);
        self.set.deleted = false;
        self.claims = (0..8)
            .map(|ordinal| ClaimSpec {
                template: 0,
                ordinal,
                terminating: false,
                owners: vec![ClaimOwner::OtherPod(ordinal + 1)],
            })
            .collect();
        for pod in self.pods.iter_mut().step_by(2) {
            pod.phase = "Pending";
            pod.ready = None;
            pod.labelled = true;
            pod.owner = Owner::Ours;
        }
        self
    }

    /// Returns the scenario with all pods present and healthy, in order, under a rolling update of one pod at a time.
    pub fn in_good_health(mut self) -> Self {
        self.set.parallel = false;
        self.set.deleted = false;
        if let StrategySpec::OnDelete | StrategySpec::Recreate = self.set.strategy {
            self.set.strategy = StrategySpec::Rolling(None);
        }
        let max_unavailable = Gate::ALL
            .into_iter()
            .position(|gate| gate == Gate::MaxUnavailableStatefulSet);
        self.controller.gates = vec![(max_unavailable.unwrap(), false)];
        self.kubelet
            .assumed
            .retain(|(_, assumed)| *assumed != Assumed::Fails);
        for revision in &mut self.revisions {
            revision.owner = Owner::Ours;
        }
        let wanted = self.behaviour().ordinals(&self.snapshot().set);
        let past = std::mem::take(&mut self.pods);
        let revision_at = |ordinal: u8| {
            let at = past.get(usize::from(ordinal) % past.len().max(1));
            at.and_then(|pod| pod.revision)
        };
        // Some pods above the desired ones are deleted first.
        let above = past.len() % 3;
        let end = u8::try_from(wanted.end).unwrap() + u8::try_from(above).unwrap();
        self.pods = (u8::try_from(wanted.start).unwrap()..end)
            .map(|ordinal| PodSpec::well(ordinal, revision_at(ordinal)))
            .collect();
        self
    }
}

/// Returns the snapshot of these objects, the first of which is the set.
pub fn snapshot_of(objects: Vec<Value>) -> Snapshot {
    let mut objects = objects.into_iter();
    let set = objects.next().unwrap();
    let status = Status::of_set(&set).unwrap();
    let mut snapshot = Snapshot::of_set(Set::from_json(set).unwrap(), status);
    for object in objects {
        let name: Arc<str> = Arc::from(object["metadata"]["name"].as_str().unwrap());
        match object["kind"].as_str().unwrap() {
            "Pod" => {
                let pod = Pod::from_json(object).unwrap();
                snapshot.pods.insert(name, Arc::new(pod));
            }
            "PersistentVolumeClaim" => {
                let claim = Claim::from_json(object).unwrap();
                snapshot.claims.insert(name, Arc::new(claim));
            }
            _ => {
                let revision = Revision::from_json(&object).unwrap();
                snapshot.revisions.insert(name, Arc::new(revision));
            }
        }
    }
    snapshot
}

impl StatusSpec {
    fn object(&self, behaviour: &Behaviour) -> Value {
        let [replicas, ready, current, updated, available] = self.counters;
        let mut object = json!({
            "observedGeneration": self.observed, "replicas": replicas, "readyReplicas": ready,
            "currentReplicas": current, "updatedReplicas": updated, "availableReplicas": available,
            "updateRevision": revision_of(0, behaviour),
        });
        if let Some(current) = self.current {
            object["currentRevision"] = revision_of(current, behaviour).into();
        }
        if let Some(collisions) = self.collisions {
            object["collisionCount"] = collisions.into();
        }
        object
    }
}

impl RevisionSpec {
    fn object(&self, behaviour: &Behaviour) -> Value {
        let null_timestamp = behaviour.null_creation_timestamp != self.other_format;
        let data = revision_data(&template(self.template, behaviour), null_timestamp);
        let hash = hash(&encode_json(&data, behaviour.short_escapes), Some(0));
        let name = match self.name {
            RevisionName::Proper => revision_name("web", &hash),
            RevisionName::Colliding => revision_of(0, behaviour),
            RevisionName::Odd => format!("web-odd{}", self.template),
        };
        let labels = if self.labelled {
            json!({"app": "web", "controller.kubernetes.io/hash": hash})
        } else {
            json!({})
        };
        json!({
            "apiVersion": "apps/v1",
            "kind": "ControllerRevision",
            "metadata": {"name": name, "namespace": "default", "uid": format!("revision-{name}"),
                "creationTimestamp": ago(5_000), "labels": labels,
                "ownerReferences": owner_references(self.owner)},
            "data": data,
            "revision": self.number,
        })
    }
}

impl ClaimSpec {
    fn object(&self) -> Value {
        let pod = format!("web-{}", self.ordinal);
        let reference = |api: &str, kind: &str, name: &str, uid: &str, controller: bool| {
            let mut owner = json!({"apiVersion": api, "kind": kind, "name": name, "uid": uid});
            if controller {
                owner["controller"] = true.into();
                owner["blockOwnerDeletion"] = true.into();
            }
            owner
        };
        let owners: Vec<Value> = self
            .owners
            .iter()
            .map(|owner| match *owner {
                ClaimOwner::Set { controller, stale } => {
                    let uid = if stale { "uid-before" } else { SET_UID };
                    reference("apps/v1", "StatefulSet", "web", uid, controller)
                }
                ClaimOwner::Pod { controller, stale } => {
                    let uid = if stale {
                        "pod-before".to_owned()
                    } else {
                        format!("pod-{pod}")
                    };
                    reference("v1", "Pod", &pod, &uid, controller)
                }
                ClaimOwner::OtherPod(ordinal) => {
                    let other = format!("web-{ordinal}");
                    reference("v1", "Pod", &other, &format!("pod-{other}"), false)
                }
                ClaimOwner::Other { controller } => reference(
                    "example.org/v1",
                    "Backup",
                    "nightly",
                    "uid-other",
                    controller,
                ),
            })
            .collect();
        let name = format!("data{}-{pod}", self.template);
        let mut object = json!({
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": name, "namespace": "default", "uid": format!("claim-{name}"),
                "ownerReferences": owners},
            "spec": {"accessModes": ["ReadWriteOnce"]},
        });
        if self.terminating {
            object["metadata"]["deletionTimestamp"] = ago(1).into();
        }
        object
    }
}

impl PodSpec {
    /// Returns a pod that has been healthy for a long time.
    pub fn well(ordinal: u8, revision: Option<u8>) -> Self {
        PodSpec {
            name: PodName::Slot(ordinal),
            revision,
            phase: "Running",
            ready: Some((true, Some(1_000))),
            terminating: false,
            owner: Owner::Ours,
            age: 1_010,
            grace: 30,
            scheduled: true,
            labelled: true,
            identity: true,
            storage: true,
            trouble: false,
        }
    }
}

fn owner_references(owner: Owner) -> Value {
    let reference = |kind: &str, name: &str, uid: &str| {
        json!([{"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": uid,
            "controller": true, "blockOwnerDeletion": true}])
    };
    match owner {
        Owner::Ours => reference("StatefulSet", "web", SET_UID),
        Owner::OursOddly => reference("ReplicaSet", "web", SET_UID),
        Owner::Nobody => json!([]),
        Owner::Other => reference("StatefulSet", "db", "uid-other"),
    }
}

/// Returns a pod template as stored.
fn template(number: u8, behaviour: &Behaviour) -> Value {
    let written = json!({
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "c", "image": format!("example.org/web:{number}")}]},
    });
    default_spec_template(&written, &behaviour.defaulting)
}

/// Returns the name of a template's revision.
fn revision_of(number: u8, behaviour: &Behaviour) -> String {
    if number >= TEMPLATES {
        return "web-gone".to_owned();
    }
    let data = revision_data(
        &template(number, behaviour),
        behaviour.null_creation_timestamp,
    );
    let hash = hash(&encode_json(&data, behaviour.short_escapes), Some(0));
    revision_name("web", &hash)
}

fn rarely() -> impl Strategy<Value = bool> {
    prop::bool::weighted(0.08)
}

fn mostly() -> impl Strategy<Value = bool> {
    prop::bool::weighted(0.93)
}

fn owner() -> impl Strategy<Value = Owner> {
    prop_oneof![
        20 => Just(Owner::Ours),
        1 => Just(Owner::OursOddly),
        3 => Just(Owner::Nobody),
        1 => Just(Owner::Other),
    ]
}

fn controller() -> impl Strategy<Value = ControllerSpec> {
    let gates = prop::collection::vec((0..Gate::ALL.len(), any::<bool>()), 0..4);
    let patch = prop_oneof![2 => Just(None), 1 => (0..18_u32).prop_map(Some)];
    (19..=37_u32, patch, gates).prop_map(|(minor, patch, gates)| ControllerSpec {
        minor,
        patch,
        gates,
    })
}

fn set() -> impl Strategy<Value = SetSpec> {
    let max = prop_oneof![
        (0..4).prop_map(|number: i32| Value::from(number)),
        Just(json!("40%")),
        Just(json!("100%")),
        Just(json!("many")),
    ];
    let block = (
        prop::option::of(prop_oneof![2 => Just(0), 1 => 0..8]),
        prop::option::of(max),
    );
    let strategy = prop_oneof![
        8 => block.prop_map(|block| StrategySpec::Rolling(Some(block))),
        1 => Just(StrategySpec::Rolling(None)),
        1 => Just(StrategySpec::OnDelete),
        1 => Just(StrategySpec::Recreate),
    ];
    (
        0..=6,
        any::<bool>(),
        strategy,
        prop_oneof![Just(0), Just(10)],
        prop_oneof![4 => Just(0), 1 => 1..4],
        0..=2_u8,
        prop::option::weighted(0.8, any::<(bool, bool)>()),
        prop_oneof![6 => 0..4, 1 => Just(-1), 3 => Just(10)],
        rarely(),
    )
        .prop_map(
            |(
                replicas,
                parallel,
                strategy,
                min_ready,
                start,
                claim_templates,
                retention,
                history_limit,
                deleted,
            )| SetSpec {
                replicas,
                parallel,
                strategy,
                min_ready,
                start,
                claim_templates,
                retention,
                history_limit,
                deleted,
            },
        )
}

fn status() -> impl Strategy<Value = StatusSpec> {
    (
        prop::option::of(0..=TEMPLATES),
        prop::array::uniform5(0..7_u8),
        0..3_i64,
        prop::option::of(0..3_u8),
    )
        .prop_map(|(current, counters, observed, collisions)| StatusSpec {
            current,
            counters,
            observed,
            collisions,
        })
}

fn revision() -> impl Strategy<Value = RevisionSpec> {
    let name = prop_oneof![
        10 => Just(RevisionName::Proper),
        1 => Just(RevisionName::Colliding),
        1 => Just(RevisionName::Odd),
    ];
    (0..TEMPLATES, rarely(), 1..6_i64, owner(), name, mostly()).prop_map(
        |(template, other_format, number, owner, name, labelled)| RevisionSpec {
            template,
            other_format,
            number,
            owner,
            name,
            labelled,
        },
    )
}

fn pod() -> impl Strategy<Value = PodSpec> {
    let name = prop_oneof![
        30 => (0..9_u8).prop_map(PodName::Slot),
        1 => (0..9_u8).prop_map(PodName::LeadingZero),
        1 => Just(PodName::Letters),
        1 => Just(PodName::Overflow),
        1 => (0..9_u8).prop_map(PodName::OtherSet),
    ];
    let phase = prop_oneof![
        12 => Just("Running"),
        3 => Just("Pending"),
        1 => Just("Failed"),
        1 => Just("Succeeded"),
        1 => Just("Unknown"),
        1 => Just(""),
    ];
    let since =
        prop_oneof![6 => (0..20_u32).prop_map(Some), 6 => Just(Some(1_000)), 1 => Just(None)];
    let identity = (name, prop::option::weighted(0.9, 0..=TEMPLATES), owner());
    let condition = (
        phase,
        prop::option::weighted(0.9, (prop::bool::weighted(0.8), since)),
        rarely(),
        rarely(),
    );
    let rest = (
        prop_oneof![Just(0_u32), Just(20), Just(1_010)],
        prop_oneof![3 => Just(30_u32), 1 => Just(0), 1 => Just(3)],
        mostly(),
        mostly(),
        mostly(),
        mostly(),
    );
    (identity, condition, rest).prop_map(
        |(
            (name, revision, owner),
            (phase, ready, terminating, trouble),
            (age, grace, scheduled, labelled, identity, storage),
        )| PodSpec {
            name,
            revision,
            phase,
            ready,
            terminating,
            owner,
            age,
            grace,
            scheduled,
            labelled,
            identity,
            storage,
            trouble,
        },
    )
}

fn claim() -> impl Strategy<Value = ClaimSpec> {
    let owner = prop_oneof![
        3 => (mostly(), rarely()).prop_map(|(controller, stale)| ClaimOwner::Set { controller, stale }),
        3 => (mostly(), any::<bool>()).prop_map(|(controller, stale)| ClaimOwner::Pod { controller, stale }),
        3 => (0..9_u8).prop_map(ClaimOwner::OtherPod),
        1 => any::<bool>().prop_map(|controller| ClaimOwner::Other { controller }),
    ];
    (
        0..2_u8,
        0..9_u8,
        rarely(),
        prop::collection::vec(owner, 0..3),
    )
        .prop_map(|(template, ordinal, terminating, owners)| ClaimSpec {
            template,
            ordinal,
            terminating,
            owners,
        })
}

fn kubelet() -> impl Strategy<Value = KubeletSpec> {
    let assumed = prop_oneof![
        Just(Assumed::NeverReady),
        Just(Assumed::NeverGone),
        Just(Assumed::Fails),
        (0..30_u8).prop_map(Assumed::ReadyAfter),
        (0..30_u8).prop_map(Assumed::GoneAfter),
    ];
    let assumed = prop_oneof![
        2 => Just(Vec::new()),
        1 => prop::collection::vec((0..9_u8, assumed), 0..3),
    ];
    (0..15_u8, 0..15_u8, assumed).prop_map(|(ready_after, gone_after, assumed)| KubeletSpec {
        ready_after,
        gone_after,
        assumed,
    })
}

/// Returns a strategy for arbitrary worlds.
pub fn scenario() -> impl Strategy<Value = Scenario> {
    (
        controller(),
        set(),
        status(),
        prop::collection::vec(revision(), 0..5),
        prop::collection::vec(pod(), 0..10),
        prop::collection::vec(claim(), 0..8),
        kubelet(),
    )
        .prop_map(
            |(controller, set, status, revisions, pods, claims, kubelet)| Scenario {
                controller,
                set,
                status,
                revisions,
                pods,
                claims,
                kubelet,
            },
        )
}

/// Returns a multiple of the usual number of cases. The seed is in .cargo/config.toml.
pub fn cases(factor: u32) -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig {
        cases: factor * default.cases,
        failure_persistence: None,
        ..default
    }
}
