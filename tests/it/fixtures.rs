//! The example clusters: `tests/fixtures/*.yaml`, in the form that `kubectl get -o yaml` prints. The files are
//! generated here, because revision names are hashes. A test compares them; `UPDATE_GOLDEN=1 cargo test --test it
//! fixtures` regenerates them. Golden outputs are made from these files: run `UPDATE_GOLDEN=1 cargo test --test it
//! render` afterwards.

use std::path::PathBuf;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};
use sts_controller::apiserver::defaults::stored;
use sts_controller::controller::{encode_json, hash, revision_data, revision_name};
use sts_controller::object::{Claim, Pod, Revision, Set, Snapshot, Status};
use sts_controller::version::{Behaviour, Gates, Version};
use sts_plan::analysis::analyze;
use sts_plan::plan::Plan;
use sts_plan::report::Report;
use sts_plan::what_if::Questions;

use kubectl_sts_plan::internals::write_yaml;

use crate::golden;

/// Time at which all examples begin.
pub fn now() -> Timestamp {
    "2026-11-20T03:00:00Z".parse().unwrap()
}

/// The facts of a cluster.
pub struct Scene {
    pub file: &'static str,
    pub about: &'static str,
    pub namespace: &'static str,
    pub name: &'static str,
    /// Position among the sets of one input, so that no two objects have the same uid.
    pub place: usize,
    pub replicas: i64,
    /// More members of the spec.
    pub spec: Value,
    /// The images of the revisions, oldest first.
    pub images: &'static [&'static str],
    /// The revision of the template, and the two that the status names.
    pub template: usize,
    pub current: usize,
    pub update: usize,
    /// The numbers of the revisions in the history.
    pub numbers: &'static [usize],
    /// True if the controller has observed the current set.
    pub seen: bool,
    /// The revision of each pod by ordinal, and true if it is ready.
    pub pods: Vec<(usize, bool)>,
}

impl Default for Scene {
    /// A set with one revision and no pods, at rest.
    fn default() -> Self {
        Scene {
            file: "",
            about: "",
            namespace: "prod",
            name: "web",
            place: 0,
            replicas: 3,
            spec: rolling(json!({"partition": 0})),
            images: &[
                "registry.example.com/shop/web:1.4.2",
                "registry.example.com/shop/web:1.5.0",
            ],
            template: 0,
            current: 0,
            update: 0,
            numbers: &[1, 2],
            seen: true,
            pods: Vec::new(),
        }
    }
}

/// A rolling update with these members.
pub fn rolling(block: Value) -> Value {
    json!({"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": block}})
}

fn scenes() -> Vec<Scene> {
    let images: &[&str] = &[
        "registry.example.com/shop/web:1.4.2",
        "registry.example.com/shop/web:1.5.0",
    ];
    vec![
        Scene {
            file: "rollout",
            about: "A new image was applied a moment ago. The controller has not looked yet.",
            replicas: 3,
            spec: rolling(json!({"partition": 0})),
            images,
            template: 1,
            current: 0,
            update: 0,
            seen: false,
            numbers: &[1, 2],
            pods: vec![(0, true); 3],
            ..Scene::default()
        },
        Scene {
            file: "partition",
            about: "A canary: the partition lets the two highest of five pods have the new image.",
            replicas: 5,
            spec: rolling(json!({"partition": 3})),
            images,
            template: 1,
            current: 0,
            update: 1,
            seen: true,
            numbers: &[1, 2],
            pods: vec![(0, true), (0, true), (0, true), (0, true), (1, true)],
            ..Scene::default()
        },
        Scene {
            file: "crashloop",
            about: "The image of 1.5.0 is broken. The template was set back to 1.4.2, but web-2 still runs 1.5.0, \
                    and the controller waits for it to become ready before it does anything.",
            replicas: 3,
            spec: rolling(json!({"partition": 0})),
            images,
            template: 0,
            current: 0,
            update: 0,
            seen: true,
            numbers: &[3, 2],
            pods: vec![(0, true), (0, true), (1, false)],
            ..Scene::default()
        },
        Scene {
            file: "scale-down",
            about: "Scaled from five to two a moment ago. The claims of pods that are scaled away go with them.",
            replicas: 2,
            spec: json!({
                "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}},
                "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Retain", "whenScaled": "Delete"},
            }),
            images: &images[..1],
            template: 0,
            current: 0,
            update: 0,
            seen: false,
            numbers: &[1, 2],
            pods: vec![(0, true); 5],
            ..Scene::default()
        },
        Scene {
            file: "on-delete",
            about: "OnDelete with a new image. web-2 was deleted by hand; the other two wait for their turn.",
            replicas: 3,
            spec: json!({"updateStrategy": {"type": "OnDelete"}}),
            images,
            template: 1,
            current: 0,
            update: 1,
            seen: true,
            numbers: &[1, 2],
            pods: vec![(0, true), (0, true), (1, true)],
            ..Scene::default()
        },
        Scene {
            file: "parallel",
            about: "Parallel: two pods are missing, and a new image is to be rolled out.",
            replicas: 4,
            spec: json!({
                "podManagementPolicy": "Parallel",
                "minReadySeconds": 20,
                "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}},
            }),
            images,
            template: 1,
            current: 0,
            update: 0,
            seen: false,
            numbers: &[1, 2],
            pods: vec![(0, true), (0, true)],
            ..Scene::default()
        },
        Scene {
            file: "lanes",
            about: "Parallel: a new image was applied to six pods a moment ago, for the moving picture of the README.",
            replicas: 6,
            spec: json!({
                "podManagementPolicy": "Parallel",
                "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}},
            }),
            images,
            template: 1,
            current: 0,
            update: 0,
            seen: false,
            numbers: &[1, 2],
            pods: vec![(0, true); 6],
            ..Scene::default()
        },
    ]
}

impl Scene {
    /// The set with that image, as the API server stores it.
    fn set(&self, image: usize) -> Value {
        let mut manifest = json!({
            "apiVersion": "apps/v1",
            "kind": "StatefulSet",
            "metadata": {"name": self.name, "namespace": self.namespace, "labels": {"app": self.name}},
            "spec": {
                "replicas": self.replicas,
                "serviceName": self.name,
                "selector": {"matchLabels": {"app": self.name}},
                "template": {
                    "metadata": {"labels": {"app": self.name}},
                    "spec": {
                        "terminationGracePeriodSeconds": 30,
                        "containers": [{
                            "name": "app",
                            "image": self.images[image],
                            "ports": [{"name": "http", "containerPort": 8080}],
                            "readinessProbe": {"httpGet": {"path": "/ready", "port": "http"}},
                            "resources": {"requests": {"cpu": "250m", "memory": "512Mi"}},
                            "volumeMounts": [{"name": "data", "mountPath": format!("/var/lib/{}", self.name)}],
                        }],
                    },
                },
                "volumeClaimTemplates": [{
                    "metadata": {"name": "data"},
                    "spec": {
                        "accessModes": ["ReadWriteOnce"],
                        "storageClassName": "standard",
                        "resources": {"requests": {"storage": "10Gi"}},
                    },
                }],
            },
        });
        for (member, value) in self.spec.as_object().unwrap() {
            manifest["spec"][member] = value.clone();
        }
        // The fixtures are dumps of this minor, whatever the newest supported one is.
        let version = Version {
            minor: 36,
            patch: None,
        };
        let behaviour = Behaviour::new(version, &Gates::defaults(version)).defaulting;
        stored(&manifest, &behaviour).unwrap().set
    }

    fn revision(&self, image: usize) -> (String, String, Value) {
        let data = revision_data(&self.set(image)["spec"]["template"], false);
        let hash = hash(&encode_json(&data, true), Some(0));
        (revision_name(self.name, &hash), hash, data)
    }

    /// The whole cluster as one list.
    pub fn dump(&self) -> Value {
        json!({"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": ""}, "items": self.objects()})
    }

    /// The objects in the order of `kubectl get sts,po,pvc,controllerrevision`.
    pub fn objects(&self) -> Vec<Value> {
        let mut items = vec![self.stored_set()];
        items.extend((0..self.pods.len()).map(|ordinal| self.pod(ordinal)));
        items.extend((0..self.pods.len()).map(|ordinal| self.claim(ordinal)));
        items.extend((0..self.images.len()).filter_map(|image| self.stored_revision(image)));
        items
    }

    fn stored_set(&self) -> Value {
        let mut set = self.set(self.template);
        merge(&mut set["metadata"], stored_metadata(&self.uid(), 9041, 72));
        set["metadata"]["generation"] = json!(self.images.len() + 1);
        let of = |revision| self.pods.iter().filter(|pod| pod.0 == revision).count();
        let ready = self.pods.iter().filter(|pod| pod.1).count();
        set["status"] = json!({
            "availableReplicas": ready,
            "collisionCount": 0,
            "currentReplicas": of(self.current),
            "currentRevision": self.revision(self.current).0,
            "observedGeneration": self.images.len() + usize::from(self.seen),
            "readyReplicas": ready,
            "replicas": self.pods.len(),
            "updateRevision": self.revision(self.update).0,
            "updatedReplicas": of(self.update),
        });
        set
    }

    fn pod(&self, ordinal: usize) -> Value {
        let (revision, _) = self.pods[ordinal];
        let name = format!("{}-{ordinal}", self.name);
        let hours = if revision == 0 { 48 } else { 1 };
        let mut spec = self.set(revision)["spec"]["template"]["spec"].clone();
        let claim =
            json!({"name": "data", "persistentVolumeClaim": {"claimName": format!("data-{name}")}});
        merge(
            &mut spec,
            json!({"hostname": name, "subdomain": self.name, "volumes": [claim],
                   "nodeName": format!("node-{}", ordinal % 3)}),
        );
        let mut metadata = stored_metadata(&self.pod_uid(ordinal), 8000 + ordinal, hours);
        merge(
            &mut metadata,
            json!({
                "generateName": format!("{}-", self.name),
                "labels": {
                    "app": self.name,
                    "apps.kubernetes.io/pod-index": ordinal.to_string(),
                    "controller-revision-hash": self.revision(revision).0,
                    "statefulset.kubernetes.io/pod-name": name,
                },
                "name": name,
                "namespace": self.namespace,
                "ownerReferences": [self.owner()],
            }),
        );
        json!({
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": metadata,
            "spec": spec,
            "status": self.pod_status(ordinal, hours),
        })
    }

    fn pod_status(&self, ordinal: usize, hours: i64) -> Value {
        let (revision, ready) = self.pods[ordinal];
        let truth = if ready { "True" } else { "False" };
        // Pods of this application take 20 to 24 seconds to start.
        let start = 20 + 2 * i64::try_from(ordinal % 3).unwrap();
        let since = ago(hours) + SignedDuration::from_secs(start);
        let condition = |kind: &str, status: &str| json!({"type": kind, "status": status, "lastTransitionTime": since.to_string()});
        let waiting = json!({"waiting": {
            "reason": "CrashLoopBackOff",
            "message": format!("back-off 5m0s restarting failed container=app pod={}-{ordinal}_{}", self.name, self.namespace),
        }});
        let running = json!({"running": {"startedAt": since.to_string()}});
        json!({
            "phase": "Running",
            "podIP": format!("10.0.1.{}", 10 + ordinal),
            "startTime": ago(hours).to_string(),
            "conditions": [
                condition("Initialized", "True"),
                condition("Ready", truth),
                condition("ContainersReady", truth),
                condition("PodScheduled", "True"),
            ],
            "containerStatuses": [{
                "name": "app",
                "image": self.images[revision],
                "imageID": "",
                "ready": ready,
                "restartCount": if ready { 0 } else { 14 },
                "started": ready,
                "state": if ready { running } else { waiting },
            }],
        })
    }

    fn claim(&self, ordinal: usize) -> Value {
        let mut claim = self.set(0)["spec"]["volumeClaimTemplates"][0].clone();
        let mut metadata = stored_metadata(
            &format!(
                "c7a1e9b0-52d8-4c36-a1f4-00000000{:02}{ordinal:02}",
                2 + self.place
            ),
            7000 + ordinal,
            72,
        );
        merge(
            &mut metadata,
            json!({"labels": {"app": self.name}, "name": format!("data-{}-{ordinal}", self.name), "namespace": self.namespace}),
        );
        if let Some(policy) = self.spec.get("persistentVolumeClaimRetentionPolicy")
            && policy["whenScaled"] == "Delete"
            && i64::try_from(ordinal).unwrap() >= self.replicas
        {
            metadata["ownerReferences"] = json!([{
                "apiVersion": "v1",
                "kind": "Pod",
                "name": format!("{}-{ordinal}", self.name),
                "uid": self.pod_uid(ordinal),
            }]);
        }
        claim["apiVersion"] = json!("v1");
        claim["kind"] = json!("PersistentVolumeClaim");
        claim["metadata"] = metadata;
        claim["spec"]["volumeName"] = json!(format!("pvc-{ordinal}"));
        claim["status"] = json!({
            "accessModes": ["ReadWriteOnce"],
            "capacity": {"storage": "10Gi"},
            "phase": "Bound",
        });
        claim
    }

    /// A revision is stored once the controller has observed it.
    fn stored_revision(&self, image: usize) -> Option<Value> {
        if image
            > self
                .pods
                .iter()
                .map(|pod| pod.0)
                .max()
                .unwrap_or(0)
                .max(self.update)
        {
            return None;
        }
        let (name, hash, data) = self.revision(image);
        let mut metadata = stored_metadata(
            &format!(
                "d94b7f36-0e21-4a8c-b7d3-00000000{:02}{image:02}",
                3 + self.place
            ),
            6000 + image,
            if image == 0 { 72 } else { 1 },
        );
        merge(
            &mut metadata,
            json!({
                "labels": {"app": self.name, "controller.kubernetes.io/hash": hash},
                "name": name,
                "namespace": self.namespace,
                "ownerReferences": [self.owner()],
            }),
        );
        Some(json!({
            "apiVersion": "apps/v1",
            "kind": "ControllerRevision",
            "metadata": metadata,
            "data": data,
            "revision": self.numbers[image],
        }))
    }

    fn owner(&self) -> Value {
        json!({
            "apiVersion": "apps/v1",
            "blockOwnerDeletion": true,
            "controller": true,
            "kind": "StatefulSet",
            "name": self.name,
            "uid": self.uid(),
        })
    }

    fn uid(&self) -> String {
        format!("6f1d3c52-8a0e-4f57-9b1e-0c4d2a7e5b{:02}", 10 + self.place)
    }

    fn pod_uid(&self, ordinal: usize) -> String {
        format!(
            "b2f0a6d4-11c7-4e0b-8d52-00000000{:02}{ordinal:02}",
            1 + self.place
        )
    }
}

fn ago(hours: i64) -> Timestamp {
    now() - SignedDuration::from_hours(hours)
}

fn stored_metadata(uid: &str, version: usize, hours: i64) -> Value {
    json!({
        "creationTimestamp": ago(hours).to_string(),
        "resourceVersion": version.to_string(),
        "uid": uid,
    })
}

fn merge(into: &mut Value, from: Value) {
    let Value::Object(from) = from else { return };
    into.as_object_mut().unwrap().extend(from);
}

#[test]
fn fixtures_are_up_to_date() {
    for scene in scenes() {
        let about = scene.about.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut text = format!("# {about}\n").into_bytes();
        write_yaml(&scene.dump(), &mut text).unwrap();
        golden::check(&path(scene.file), &String::from_utf8(text).unwrap());
    }
}

fn path(name: &str) -> PathBuf {
    golden::root().join(format!("fixtures/{name}.yaml"))
}

/// The objects of a file.
pub fn items(name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(path(name)).unwrap();
    let list: Value = serde_yaml::from_str(&text).unwrap();
    list["items"].as_array().unwrap().clone()
}

/// The snapshot of a file.
pub fn snapshot(name: &str) -> Snapshot {
    snapshot_of(items(name))
}

/// The snapshot of some objects, one of them a set.
pub fn snapshot_of(items: Vec<Value>) -> Snapshot {
    let (sets, others): (Vec<Value>, Vec<Value>) = items
        .into_iter()
        .partition(|item| item["kind"] == "StatefulSet");
    let set = sets.into_iter().next().unwrap();
    let status = Status::of_set(&set).unwrap();
    let mut snapshot = Snapshot::of_set(Set::from_json(set).unwrap(), status);
    for item in others {
        match item["kind"].as_str().unwrap() {
            "Pod" => {
                let pod = Pod::from_json(item).unwrap();
                let name = Arc::clone(&pod.meta.name);
                snapshot.pods.insert(name, Arc::new(pod));
            }
            "PersistentVolumeClaim" => {
                let claim = Claim::from_json(item).unwrap();
                let name = Arc::clone(&claim.meta.name);
                snapshot.claims.insert(name, Arc::new(claim));
            }
            "ControllerRevision" => {
                let revision = Revision::from_json(&item).unwrap();
                let name = Arc::clone(&revision.meta.name);
                snapshot.revisions.insert(name, Arc::new(revision));
            }
            other => panic!("{other}"),
        }
    }
    snapshot
}

/// The report of a plan with the findings of each sync.
pub fn observed(plan: &Plan) -> Report {
    let questions = Questions {
        observations: true,
        eta: true,
        ..Questions::default()
    };
    Report::from(&analyze(plan, &questions))
}

/// The first object of a kind.
pub fn of_kind<'v>(items: &'v mut [Value], kind: &str) -> &'v mut Map<String, Value> {
    let found = items.iter_mut().find(|item| item["kind"] == kind);
    found.unwrap().as_object_mut().unwrap()
}
