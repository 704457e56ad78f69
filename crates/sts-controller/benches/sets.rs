//! The sets of the benchmarks.

#![allow(dead_code, reason = "not every benchmark needs all of them")]

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};
use sts_controller::object::{Set, Snapshot, Status};
use sts_controller::simulate::{Kubelet, World, run};
use sts_controller::version::{Behaviour, Gates, Version};

/// Returns the behavior of the newest controller.
pub fn behaviour() -> Behaviour {
    Behaviour::new(Version::NEWEST, &Gates::defaults(Version::NEWEST))
}

/// Returns the start of the simulation.
pub fn now() -> Timestamp {
    Timestamp::UNIX_EPOCH
}

fn set(replicas: usize, management: &str, image: &str) -> Value {
    json!({
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "web", "namespace": "prod", "uid": "set", "generation": 2},
        "spec": {
            "replicas": replicas,
            "podManagementPolicy": management,
            "selector": {"matchLabels": {"app": "web"}},
            "serviceName": "web",
            "revisionHistoryLimit": 10,
            "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Retain", "whenScaled": "Retain"},
            "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "app", "image": image}], "terminationGracePeriodSeconds": 30},
            },
            "volumeClaimTemplates": [{
                "metadata": {"name": "data"},
                "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
            }],
        },
    })
}

/// Returns a new set without pods.
pub fn fresh(replicas: usize, management: &str) -> Snapshot {
    let set = set(replicas, management, "app:1");
    Snapshot::of_set(
        Set::from_json(set).unwrap_or_else(|error| panic!("{error}")),
        Status::default(),
    )
}

/// Returns a set with all pods, which are on an older image than the template.
pub fn outdated(replicas: usize, management: &str) -> Snapshot {
    let behaviour = behaviour();
    let kubelet = Kubelet::default();
    let settled = run(
        World::new(fresh(replicas, management), now(), kubelet),
        &behaviour,
    );
    let mut snapshot = settled.world.snapshot().clone();
    let changed = Set::from_json(set(replicas, management, "app:2"));
    snapshot.set = Arc::new(changed.unwrap_or_else(|error| panic!("{error}")));
    snapshot
}
