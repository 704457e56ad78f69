//! What a sync and a whole rollout cost at 10, 100, 1 000 and 10 000 replicas, ordered and parallel.
//!
//! A rollout of ten times the pods should take about ten times as long: compare the rows of one run.

use std::sync::Arc;

use divan::{Bencher, black_box};
use jiff::Timestamp;
use serde_json::{Value, json};
use sts_controller::object::{Set, Snapshot, Status};
use sts_controller::simulate::{Kubelet, World, next_sync, run};
use sts_controller::version::{Behaviour, Gates, Version};

fn main() {
    divan::main();
}

const SIZES: [usize; 4] = [10, 100, 1_000, 10_000];

fn behaviour() -> Behaviour {
    Behaviour::new(Version::NEWEST, &Gates::defaults(Version::NEWEST))
}

fn now() -> Timestamp {
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

fn fresh(replicas: usize, management: &str) -> Snapshot {
    let set = set(replicas, management, "app:1");
    Snapshot::of_set(
        Set::from_json(set).unwrap_or_else(|error| panic!("{error}")),
        Status::default(),
    )
}

/// All pods are there, and the template has another image than they.
fn outdated(replicas: usize, management: &str) -> Snapshot {
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

#[divan::bench(args = SIZES)]
fn sync_ordered(bencher: Bencher<'_, '_>, replicas: usize) {
    let (snapshot, behaviour) = (outdated(replicas, "OrderedReady"), behaviour());
    bencher.bench_local(|| next_sync(black_box(&snapshot), now(), &behaviour));
}

#[divan::bench(args = SIZES)]
fn sync_parallel(bencher: Bencher<'_, '_>, replicas: usize) {
    let (snapshot, behaviour) = (outdated(replicas, "Parallel"), behaviour());
    bencher.bench_local(|| next_sync(black_box(&snapshot), now(), &behaviour));
}

fn rollout(bencher: Bencher<'_, '_>, snapshot: &Snapshot) {
    let behaviour = behaviour();
    bencher
        .with_inputs(|| World::new(snapshot.clone(), now(), Kubelet::default()))
        .bench_local_values(|world| run(world, &behaviour));
}

#[divan::bench(args = SIZES, sample_count = 10)]
fn first_rollout_ordered(bencher: Bencher<'_, '_>, replicas: usize) {
    rollout(bencher, &fresh(replicas, "OrderedReady"));
}

#[divan::bench(args = SIZES, sample_count = 10)]
fn first_rollout_parallel(bencher: Bencher<'_, '_>, replicas: usize) {
    rollout(bencher, &fresh(replicas, "Parallel"));
}

#[divan::bench(args = SIZES, sample_count = 10)]
fn update_ordered(bencher: Bencher<'_, '_>, replicas: usize) {
    rollout(bencher, &outdated(replicas, "OrderedReady"));
}

#[divan::bench(args = SIZES, sample_count = 10)]
fn update_parallel(bencher: Bencher<'_, '_>, replicas: usize) {
    rollout(bencher, &outdated(replicas, "Parallel"));
}
