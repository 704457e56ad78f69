//! Cost per event of a search of all orders: the first rollout of a parallel set, with and without merging, and an
//! ordered update. Each has one fault, and then two.
//!
//! Rows of one function should show the same rate of events: more states should not cost more each.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use sts_controller::object::Snapshot;
use sts_controller::simulate::{
    Bounds, Exploration, Kubelet, Property, SequentialDriver, Violation, World, explore,
    explore_plainly,
};

mod sets;

fn main() {
    divan::main();
}

/// A property that always holds, so that every state is visited.
struct Anything;

impl Property for Anything {
    fn violation(&self, _: &World) -> Option<Violation> {
        None
    }
}

fn searched(snapshot: &Snapshot, faults: usize, merge_alike: bool) -> Exploration {
    let bounds = Bounds {
        merge_alike,
        ..Bounds::new(faults, usize::MAX)
    };
    let world = World::new(snapshot.clone(), sets::now(), Kubelet::default());
    explore(
        world,
        &sets::behaviour(),
        bounds,
        &Anything,
        &mut SequentialDriver,
    )
}

fn bench(bencher: Bencher<'_, '_>, snapshot: &Snapshot, faults: usize, merge_alike: bool) {
    let moves = searched(snapshot, faults, merge_alike).moves;
    bencher
        .counter(ItemsCount::new(moves))
        .bench_local(|| searched(black_box(snapshot), faults, merge_alike));
}

#[divan::bench(args = [8, 10], sample_count = 5)]
fn parallel_first_rollout(bencher: Bencher<'_, '_>, replicas: usize) {
    bench(bencher, &sets::fresh(replicas, "Parallel"), 1, false);
}

/// The plain search, as the baseline of the other.
#[divan::bench(args = [8, 10], sample_count = 1, sample_size = 1)]
fn parallel_first_rollout_plain(bencher: Bencher<'_, '_>, replicas: usize) {
    let snapshot = sets::fresh(replicas, "Parallel");
    let searched = || {
        let world = World::new(snapshot.clone(), sets::now(), Kubelet::default());
        let (behaviour, bounds) = (sets::behaviour(), Bounds::new(1, usize::MAX));
        explore_plainly(world, &behaviour, bounds, &Anything, &mut SequentialDriver)
    };
    let moves = searched().moves;
    bencher
        .counter(ItemsCount::new(moves))
        .bench_local(searched);
}

#[divan::bench(args = [10, 100], sample_count = 5)]
fn parallel_first_rollout_merged(bencher: Bencher<'_, '_>, replicas: usize) {
    bench(bencher, &sets::fresh(replicas, "Parallel"), 1, true);
}

#[divan::bench(args = [20, 40, 80], sample_count = 5)]
fn ordered_update(bencher: Bencher<'_, '_>, replicas: usize) {
    bench(bencher, &sets::outdated(replicas, "OrderedReady"), 1, false);
}

#[divan::bench(args = [10, 14], sample_count = 1, sample_size = 1)]
fn parallel_first_rollout_two_faults(bencher: Bencher<'_, '_>, replicas: usize) {
    bench(bencher, &sets::fresh(replicas, "Parallel"), 2, false);
}

#[divan::bench(args = [10, 20], sample_count = 1, sample_size = 1)]
fn ordered_update_two_faults(bencher: Bencher<'_, '_>, replicas: usize) {
    bench(bencher, &sets::outdated(replicas, "OrderedReady"), 2, false);
}
