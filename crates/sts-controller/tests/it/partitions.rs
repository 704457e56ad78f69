//! What several partitions come to, from one run and from one each.

use std::sync::Arc;

use proptest::prelude::*;
use sts_controller::object::{RollingUpdate, Set, Snapshot, Strategy as UpdateStrategy};
use sts_controller::simulate::{End, Progression, World, run, run_partitions};

use crate::cached;
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

/// How it ends, and with which pods.
fn told(progression: &Progression) -> String {
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
        // Wherever on its way round it is.
        End::Livelock => "livelock".to_owned(),
        End::Rest => pods.collect::<Vec<_>>().join("\n"),
    }
}

proptest! {
    #![proptest_config(cases(1))]

    #[test]
    fn one_run_comes_to_what_one_each_does(scenario in scenario()) {
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
            prop_assert_eq!(told(together), told(&alone), "partition {}", set.strategy.partition());
        }
    }
}
