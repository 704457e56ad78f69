//! A set whose volumes are to grow.

use serde_json::{Value, json};

/// The revision of the template in 1.33.
const REVISION: &str = "kv-58d875f68f";

const UID: &str = "0b0e7d4c-0000-4000-8000-000000000001";

/// `prod/kv` of three replicas, each with a claim of 10Gi of class fast.
pub struct Growing {
    pub set: Value,
    pub claims: Vec<Value>,
    pub class: Option<Value>,
}

impl Growing {
    pub fn of_10_gi() -> Self {
        let resources = json!({"requests": {"storage": "10Gi"}});
        Growing {
            set: json!({
                "apiVersion": "apps/v1", "kind": "StatefulSet",
                "metadata": {"name": "kv", "namespace": "prod", "uid": UID, "generation": 1},
                "status": {"observedGeneration": 1, "replicas": 3, "readyReplicas": 3, "currentReplicas": 3,
                    "updatedReplicas": 3, "availableReplicas": 3, "currentRevision": REVISION,
                    "updateRevision": REVISION, "collisionCount": 0},
                "spec": {
                    "replicas": 3, "serviceName": "kv",
                    "selector": {"matchLabels": {"app": "kv"}},
                    "template": {
                        "metadata": {"labels": {"app": "kv"}},
                        "spec": {"containers": [{"name": "app", "image": "kv:1",
                            "volumeMounts": [{"name": "data", "mountPath": "/data"}]}]},
                    },
                    "volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {
                        "accessModes": ["ReadWriteOnce"], "storageClassName": "fast", "resources": resources}}],
                },
            }),
            claims: (0..3).map(claim).collect(),
            class: Some(json!({
                "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "fast"},
                "provisioner": "example.com", "allowVolumeExpansion": true,
            })),
        }
    }

    pub fn with(mut self, change: impl FnOnce(&mut Growing)) -> Self {
        change(&mut self);
        self
    }

    pub fn objects(&self) -> Vec<Value> {
        let pods = (0..3).map(pod);
        let claims = self.claims.iter().cloned();
        // As the API server stores it.
        let template = json!({
            "$patch": "replace",
            "metadata": {"creationTimestamp": null, "labels": {"app": "kv"}},
            "spec": {
                "containers": [{"name": "app", "image": "kv:1", "imagePullPolicy": "IfNotPresent", "resources": {},
                    "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
                    "volumeMounts": [{"name": "data", "mountPath": "/data"}]}],
                "dnsPolicy": "ClusterFirst", "restartPolicy": "Always", "schedulerName": "default-scheduler",
                "securityContext": {}, "terminationGracePeriodSeconds": 30,
            },
        });
        let revision = json!({
            "apiVersion": "apps/v1", "kind": "ControllerRevision", "revision": 1,
            "metadata": {"name": REVISION, "namespace": "prod", "uid": REVISION, "labels": {"app": "kv",
                "controller.kubernetes.io/hash": REVISION.trim_start_matches("kv-")},
                "ownerReferences": [{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "kv", "uid": UID,
                    "controller": true, "blockOwnerDeletion": true}]},
            "data": {"spec": {"template": template}},
        });
        [self.set.clone(), revision]
            .into_iter()
            .chain(pods)
            .chain(claims)
            .chain(self.class.clone())
            .collect()
    }
}

fn claim(ordinal: usize) -> Value {
    let name = format!("data-kv-{ordinal}");
    json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": "prod", "uid": name},
        "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "fast", "volumeName": format!("pv-{ordinal}"),
            "resources": {"requests": {"storage": "10Gi"}}},
        "status": {"phase": "Bound", "capacity": {"storage": "10Gi"}},
    })
}

fn pod(ordinal: usize) -> Value {
    let name = format!("kv-{ordinal}");
    let claim = format!("data-kv-{ordinal}");
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "name": name, "namespace": "prod", "uid": name, "creationTimestamp": "2026-11-21T10:00:00Z",
            "labels": {"app": "kv", "controller-revision-hash": REVISION, "statefulset.kubernetes.io/pod-name": name,
                "apps.kubernetes.io/pod-index": ordinal.to_string()},
            "ownerReferences": [{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "kv", "uid": UID,
                "controller": true, "blockOwnerDeletion": true}],
        },
        "spec": {"nodeName": "node-1", "containers": [{"name": "app", "image": "kv:1"}],
            "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": claim}}]},
        "status": {"phase": "Running", "conditions": [
            {"type": "Ready", "status": "True", "lastTransitionTime": "2026-11-21T10:00:20Z"},
        ]},
    })
}
