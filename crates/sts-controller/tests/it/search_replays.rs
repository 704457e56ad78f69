//! Assumptions that reproduce the path of a search, and paths without any.

use sts_controller::simulate::{
    Assumption, Kubelet, Replay, SequentialDriver, Start, Unwritable, World, Wrong, explore,
};

use crate::explore::{Judge, Wanted, bounds};
use crate::scenario::{behaviour, moment, pod, web};
use crate::searches::{found, is_ready, judged, named, replay, takes};

fn is_updated(world: &World, name: &str) -> bool {
    let update = &world.snapshot().status.update_revision;
    let pod = world.snapshot().pods.get(name);
    pod.is_some_and(|pod| pod.revision == *update)
}

/// A pod that fails, is replaced, and fails again.
#[test]
fn an_endless_path_needs_only_its_assumptions() {
    let behaviour = behaviour("1.36.2");
    let fails = Assumption {
        start: Start::Fails,
        ..Assumption::default()
    };
    let kubelet = Kubelet {
        assumptions: [("web-0".to_owned(), fails)].into(),
        ..Kubelet::default()
    };
    let snapshot = web(0).replicas(1).snapshot(&behaviour);
    let world = World::new(snapshot, moment(), kubelet);
    let judge = Judge(Wanted::Anything, &behaviour);
    let result = explore(
        world,
        &behaviour,
        bounds(0, 100, false),
        &judge,
        &mut SequentialDriver,
    );
    let found = result.found.unwrap();
    assert_eq!((found.what, found.path.len()), (Wrong::Endless, 0));
    assert_eq!(found.replay, Ok(Replay::new()));
}

#[test]
fn a_pod_that_fails_while_others_start_was_ready_before() {
    let (_, legs, assumed) = judged(&web(1).replicas(3).parallel(), 1, Wanted::Ready(1));
    assert_eq!(
        legs,
        [
            vec!["0 create web-1, create web-2"],
            vec!["0 PodFailed web-0"]
        ]
    );
    assert_eq!(assumed, Err(Unwritable::Fault("web-0".into())));
}

/// It terminates twice and starts twice, each time equally fast.
#[test]
fn two_pods_of_a_name_may_share_an_assumption() {
    let updated = named(|world| {
        let both = ["web-0", "web-1"];
        both.iter()
            .all(|pod| is_ready(world, pod) && is_updated(world, pod))
    });
    let leaving = web(2)
        .rolling_to_v2()
        .no_rolling_update()
        .pod(pod("web-0").terminating());
    let (_, legs, assumed) = found(&leaving, 0, &updated);
    assert_eq!(legs.len(), 7);
    let quick = || takes(Some(1), Some(1));
    assert_eq!(assumed, replay(&[("web-0", quick()), ("web-1", quick())]));
}
