//! Worlds by lot: the controller with its cache and without, and all orders of events, interned and plain.

use sts_controller::simulate::{
    Bounds, Property, SequentialDriver, Violation, World, explore, explore_plainly, run,
};

use crate::drive::fuzz;
use test_kit::worlds::{Scenario, now, scenario};

/// The whole rollout of a world, as text.
fn rollout(scenario: &Scenario, world: World) -> String {
    let run = run(world, &scenario.behaviour());
    format!("{:#?} {:#?} {}", run.steps, run.end, run.syncs)
}

#[test]
fn cache() {
    fuzz("cache on and off", 2, &scenario(), |scenario| {
        let world = || World::new(scenario.snapshot(), now(), scenario.kubelet());
        assert_eq!(
            rollout(&scenario, world()),
            rollout(&scenario, world().without_cache())
        );
    });
}

/// At least so many pods are ready, whatever comes first.
struct Ready(usize);

impl Ready {
    fn among(world: &World) -> usize {
        let pods = world.snapshot().pods.values();
        pods.filter(|pod| pod.is_running_and_ready()).count()
    }
}

impl Property for Ready {
    fn violation(&self, world: &World) -> Option<Violation> {
        let ready = Ready::among(world);
        (ready < self.0).then(|| Violation {
            property: format!("ready>={}", self.0),
            text: format!("{ready} are"),
        })
    }

    fn measure(&self, world: &World) -> i64 {
        i64::try_from(Ready::among(world)).unwrap_or(i64::MAX)
    }
}

/// The search with interned states says word for word what the plain one says, and merging like pods loses no violation.
#[test]
fn explored() {
    const STATES: usize = 60;
    let inputs = (scenario(), 0..4_usize, 0..=2_usize);
    fuzz(
        "all orders of events",
        16,
        &inputs,
        |(scenario, least, faults)| {
            let behaviour = scenario.behaviour();
            let bounds = |merge_alike| Bounds {
                merge_alike,
                ..Bounds::new(faults, STATES)
            };
            let world = || scenario.world();
            let plain = explore_plainly(
                world(),
                &behaviour,
                bounds(false),
                &Ready(least),
                &mut SequentialDriver,
            );
            let interned = explore(
                world(),
                &behaviour,
                bounds(false),
                &Ready(least),
                &mut SequentialDriver,
            );
            assert_eq!(format!("{plain:#?}"), format!("{interned:#?}"));
            let merged = explore(
                world(),
                &behaviour,
                bounds(true),
                &Ready(least),
                &mut SequentialDriver,
            );
            if interned.stopped.is_none() && merged.stopped.is_none() {
                assert_eq!(interned.found.is_some(), merged.found.is_some());
            }
        },
    );
}
