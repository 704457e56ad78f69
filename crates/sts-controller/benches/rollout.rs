//! Cost of a sync and of a whole rollout at 10, 100, 1 000 and 10 000 replicas, ordered and parallel.
//!
//! Rows show pods per second. The rows of one function should be about the same at every size.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use sts_controller::object::Snapshot;
use sts_controller::simulate::{Kubelet, World, next_sync, run};

mod sets;

use sets::{behaviour, fresh, now, outdated};

fn main() {
    divan::main();
}

const SIZES: [usize; 4] = [10, 100, 1_000, 10_000];

#[divan::bench(args = SIZES)]
fn sync_ordered(bencher: Bencher<'_, '_>, replicas: usize) {
    let (snapshot, behaviour) = (outdated(replicas, "OrderedReady"), behaviour());
    bencher
        .counter(ItemsCount::new(replicas))
        .bench_local(|| next_sync(black_box(&snapshot), now(), &behaviour));
}

#[divan::bench(args = SIZES)]
fn sync_parallel(bencher: Bencher<'_, '_>, replicas: usize) {
    let (snapshot, behaviour) = (outdated(replicas, "Parallel"), behaviour());
    bencher
        .counter(ItemsCount::new(replicas))
        .bench_local(|| next_sync(black_box(&snapshot), now(), &behaviour));
}

fn rollout(bencher: Bencher<'_, '_>, snapshot: &Snapshot) {
    let behaviour = behaviour();
    let replicas = usize::try_from(snapshot.set.replicas).unwrap_or(0);
    bencher
        .counter(ItemsCount::new(replicas))
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
