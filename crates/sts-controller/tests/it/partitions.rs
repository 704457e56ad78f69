//! Several partitions from one run, compared with one run for each.

use std::sync::Arc;

use proptest::prelude::*;
use sts_controller::object::{RollingUpdate, Set, Snapshot, Strategy as UpdateStrategy};
use sts_controller::simulate::{End, Kubelet, Progression, World, run, run_partitions};

use crate::cached;
use crate::scenario::{behaviour, moment, step_lines, web};
use crate::worlds::{cases, now, scenario};

fn with(set: &Arc<Set>, partition: i32) -> Arc<Set> {
    let mut set = (**set).clone();
    let block = set.strategy.rolling_update().cloned().unwrap_or_default();
    set.strategy = UpdateStrategy::RollingUpdate(Some(RollingUpdate {
        partition: Some(partition),
        ..block
    }));
    Arc::new(set)
}

/// Describes the end, with its pods.
fn summary(progression: &Progression) -> String {
    let pods = progression.world.snapshot().pods.values();
    let pods = pods.map(|pod| {
        let terminating = pod.is_terminating();
        format!(
            "{} {} {:?} {} {terminating}",
            pod.meta.name,
            pod.revision,
            pod.phase,
            pod.is_ready()
        )
    });
    match progression.end {
        // At any point of its cycle.
        End::Livelock => "livelock".to_owned(),
        End::Rest => pods.collect::<Vec<_>>().join("\n"),
    }
}

proptest! {
    #![proptest_config(cases(1))]

    #[test]
    fn one_run_equals_a_run_for_each_partition(scenario in scenario()) {
        let behaviour = scenario.behaviour();
        let snapshot = scenario.snapshot();
        let sets: Vec<Arc<Set>> = (0..=snapshot.set.replicas.max(0))
            .rev()
            .map(|partition| with(&snapshot.set, partition))
            .collect();
        let world = |set: &Arc<Set>| {
            let snapshot = Snapshot { set: Arc::clone(set), ..snapshot.clone() };
            cached::world(World::new(snapshot, now(), scenario.kubelet()))
        };
        let lowest = world(&with(&snapshot.set, 0));
        let together = run_partitions(&lowest, &sets, &behaviour);
        prop_assert_eq!(together.len(), sets.len());
        for (set, together) in sets.iter().zip(&together) {
            let alone = run(world(set), &behaviour);
            prop_assert_eq!(summary(together), summary(&alone), "partition {}", set.strategy.partition());
        }
    }
}

/// Steps that a partition allows are shared with the run without a partition.
#[test]
fn allowed_steps_run_only_once() {
    let behaviour = behaviour("1.36.2");
    // A missing pod below all partitions is created from the current revision, whatever that is.
    let snapshot = web(3)
        .rolling_to_v2()
        .without("web-0")
        .status("replicas", 2)
        .status("readyReplicas", 2)
        .snapshot(&behaviour);
    let sets: Vec<Arc<Set>> = (1..=3)
        .map(|partition| with(&snapshot.set, partition))
        .collect();
    let lowest = Snapshot {
        set: Arc::clone(&sets[0]),
        ..snapshot.clone()
    };
    let world = World::new(lowest, moment(), Kubelet::default());
    // Each continues from the sync before the one that its partition prevents.
    let last = [&[][..], &["25 PodReady web-2"], &["10 PodReady web-0"]];
    let together = run_partitions(&world, &sets, &behaviour);
    for ((set, progression), last) in sets.iter().zip(together).zip(last) {
        let partition = set.strategy.partition();
        assert_eq!(
            step_lines(&progression.steps, moment()),
            last,
            "{partition}"
        );
        let pods = progression.world.snapshot().pods.values();
        let new = pods.filter(|pod| pod.revision == snapshot.status.update_revision);
        assert_eq!(new.count(), usize::try_from(3 - partition).unwrap());
    }
}
