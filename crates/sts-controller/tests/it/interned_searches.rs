//! Worlds whose states the search can intern, and facts that distinguish its states. Other worlds use the plain search, with the
//! same result, so these tests also check the cost of a search.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use sts_controller::simulate::{
    Assumption, Bounds, Driver, Exploration, Forbidden, Foreseen, Kubelet, SequentialDriver,
    Stopped, World, explore, explore_plainly,
};
use sts_controller::version::Behaviour;

use crate::explore::{Judge, Wanted, bounds};
use crate::scenario::{ClaimSketch, Scenario, behaviour, claim, moment, pod, web};
use crate::search_work::side_by_side;
use crate::searches::any;

pub const VERSION: &str = "1.36.2";

pub fn world(scenario: &Scenario, behaviour: &Behaviour) -> World {
    World::new(scenario.snapshot(behaviour), moment(), Kubelet::default())
}

/// Returns a property that always holds.
pub fn anything(behaviour: &Behaviour) -> Judge<'_> {
    Judge(Wanted::Anything, behaviour)
}

/// Runs a search of all states.
pub fn searched(scenario: &Scenario, bounds: Bounds) -> Exploration {
    let behaviour = behaviour(VERSION);
    let world = world(scenario, &behaviour);
    explore(
        world,
        &behaviour,
        bounds,
        &anything(&behaviour),
        &mut SequentialDriver,
    )
}

/// A driver with two threads that counts the calls with jobs.
#[derive(Default)]
struct CallCounter(Cell<usize>);

impl Driver for CallCounter {
    fn threads(&self) -> usize {
        2
    }

    fn run_all<'j>(&self, jobs: Vec<Box<dyn FnOnce() + Send + 'j>>) {
        self.0.set(self.0.get() + 1);
        jobs.into_iter().for_each(|job| job());
    }
}

/// Reports whether the states of the search are interned: a plain search uses no threads.
fn is_interned(scenario: &Scenario) -> bool {
    let behaviour = behaviour(VERSION);
    let mut driver = CallCounter::default();
    let _ = explore(
        world(scenario, &behaviour),
        &behaviour,
        bounds(1, 10, true),
        &anything(&behaviour),
        &mut driver,
    );
    driver.0.get() > 0
}

#[test]
fn states_are_interned_if_only_pods_and_their_claims_change() {
    let down = || web(3).replicas(1).claims("data");
    let owned = |by: &str| {
        down().claim(claim("data-web-2").owner("Pod", by, &format!("uid-of-{by}"), false))
    };
    let fresh = || web(0).replicas(3);
    for (scenario, expected) in [
        (fresh(), true),
        (down(), true),
        (down().retention("Delete", "Delete"), true),
        (owned("web-2"), true),
        (owned("web-1"), false),
        (down().claim(claim("data-web-2").of_set(false)), true),
        // 4096 places are the maximum; the pod to be created is one more. Ordinals may start anywhere.
        (fresh().replicas(4_095), true),
        (fresh().replicas(4_096), false),
        (fresh().replicas(4_095).start(10), true),
        // The rank of pods that become available is a byte.
        (fresh().replicas(250).min_ready(10), true),
        (fresh().replicas(251).min_ready(10), false),
    ] {
        assert_eq!(is_interned(&scenario), expected, "{scenario:?}");
    }
}

/// A fact about one name distinguishes its pod from the others.
#[test]
fn facts_about_a_name_distinguish_its_pod() {
    let behaviour = behaviour(VERSION);
    let name: Arc<str> = "web-1".into();
    let foreseen = BTreeMap::from([("web-v3".into(), Foreseen::Unplaced)]);
    let plain = Kubelet::default();
    for (kubelet, alike) in [
        (plain.clone(), true),
        (
            Kubelet {
                forbidden: Forbidden {
                    pods: [(name.clone(), "quota".into())].into(),
                    ..Forbidden::default()
                },
                ..plain.clone()
            },
            false,
        ),
        (
            Kubelet {
                foreseen: [(name.clone(), foreseen)].into(),
                ..plain
            },
            false,
        ),
    ] {
        let snapshot = web(3).parallel().snapshot(&behaviour);
        let result = explore(
            World::new(snapshot, moment(), kubelet),
            &behaviour,
            bounds(1, 1_000, true),
            &anything(&behaviour),
            &mut SequentialDriver,
        );
        assert_eq!(result.merged_alike, alike);
    }
    // The owners of its claim do too: whether one is the pod, and its name.
    let states = |first: ClaimSketch, second: ClaimSketch| {
        let behaviour = crate::scenario::behaviour("1.20.0");
        let scenario = web(2).parallel().claims("data");
        let scenario = scenario.claim(first).claim(second);
        [true, false].map(|merge| {
            let start = world(&scenario, &behaviour);
            let bounds = bounds(1, 1_000, merge);
            let result = explore(
                start,
                &behaviour,
                bounds,
                &anything(&behaviour),
                &mut SequentialDriver,
            );
            assert_eq!(result.merged_alike, merge);
            result.states
        })
    };
    let [first, second] = [claim("data-web-0"), claim("data-web-1")];
    let of_pod =
        |claim: &ClaimSketch, pod: &str, uid: &str| claim.clone().owner("Pod", pod, uid, false);
    let of_set =
        |claim: &ClaimSketch, set: &str| claim.clone().owner("StatefulSet", set, set, true);
    let own = of_pod(&first, "web-0", "uid-of-web-0");
    let earlier = of_pod(&second, "web-1", "uid-of-an-earlier-one");
    for (first, second, alike) in [
        (first.clone(), second.clone(), true),
        (own.clone(), of_pod(&second, "web-1", "uid-of-web-1"), true),
        (own, earlier, false),
        (of_set(&first, "db"), of_set(&second, "db"), true),
        (of_set(&first, "db"), of_set(&second, "cache"), false),
    ] {
        let [merged, apart] = states(first, second);
        assert_eq!(merged < apart, alike, "{merged} {apart}");
    }
    // A failed sync may end anywhere among interchangeable pods.
    let taken = web(3)
        .parallel()
        .pod(pod("web-1").of("ReplicaSet", "web", "uid-of-other"));
    assert!(!searched(&taken, bounds(1, 1_000, true)).merged_alike);
    // Individual labels do; labels of the template do not, whatever they look like.
    let starting = |label: fn(usize) -> String| {
        (0..3).fold(web(3).parallel(), |scenario, ordinal| {
            let starting = pod(&format!("web-{ordinal}")).pending();
            scenario.pod(starting.label("role", &label(ordinal)))
        })
    };
    for (label, states) in [
        ((|_| "0".to_owned()) as fn(usize) -> String, 4),
        (|ordinal| format!("web-{ordinal}"), 8),
        (|ordinal| ordinal.to_string(), 8),
    ] {
        let result = searched(&starting(label), bounds(0, 1_000, true));
        assert_eq!((result.merged_alike, result.states), (true, states));
    }
}

/// A new pod may have a claim that belonged to another pod before.
#[test]
fn claims_owned_by_pods_are_removed_with_them() {
    let owned = |scenario: Scenario| {
        (0..2).fold(scenario, |scenario, ordinal| {
            let name = format!("web-{ordinal}");
            let claim = claim(&format!("data-{name}"));
            let starting = pod(&name).pending();
            let claim = claim.owner("Pod", &name, &format!("uid-of-{name}"), false);
            scenario.pod(starting).claim(claim)
        })
    };
    let other = claim("data-web-1")
        .owner("Pod", "web-1", "uid-of-web-1", false)
        .owner("StatefulSet", "db", "uid-of-db", false);
    let behaviour = crate::scenario::behaviour("1.20.0");
    let judge = anything(&behaviour);
    let mut counts = Vec::new();
    for scenario in [
        web(2).claims("data"),
        owned(web(2).parallel().claims("data")),
        web(2).parallel().claims("data").claim(other.clone()),
        web(2).rolling_to_v2().claims("data").claim(other),
    ] {
        let start = || world(&scenario, &behaviour);
        let bounds = Bounds {
            bytes: 5_000,
            ..bounds(1, 3_000, false)
        };
        let interned = explore(start(), &behaviour, bounds, &judge, &mut SequentialDriver);
        let plain = Bounds::new(1, 3_000);
        let plain = explore_plainly(start(), &behaviour, plain, &judge, &mut SequentialDriver);
        assert_eq!(format!("{interned:?}"), format!("{plain:?}"));
        let in_little = explore_plainly(start(), &behaviour, bounds, &judge, &mut SequentialDriver);
        counts.push((interned.states, interned.moves, in_little.stopped));
    }
    let memory = Some(Stopped::Memory);
    let expected = [
        (4, 6, None),
        (24, 42, memory),
        (5, 6, None),
        (21, 39, memory),
    ];
    assert_eq!(counts, expected);
}

/// A pod that never terminates differs from its replacement.
#[test]
fn facts_about_a_uid_distinguish_its_pod() {
    let behaviour = behaviour(VERSION);
    let judge = anything(&behaviour);
    let mut counts = Vec::new();
    let stays = Assumption {
        stays: Some("uid-of-web-0".into()),
        ..Default::default()
    };
    for kubelet in [
        Kubelet::default(),
        Kubelet {
            never_gone: ["uid-of-web-0".into()].into(),
            ..Kubelet::default()
        },
        Kubelet {
            never_ready: ["uid-of-web-0".into()].into(),
            ..Kubelet::default()
        },
        Kubelet {
            assumptions: [("web-0".to_owned(), stays)].into(),
            ..Kubelet::default()
        },
    ] {
        let start = || {
            let scenario = web(2).rolling_to_v2().no_rolling_update();
            World::new(scenario.snapshot(&behaviour), moment(), kubelet.clone())
        };
        let bounds = bounds(1, 3_000, false);
        let interned = explore(start(), &behaviour, bounds, &judge, &mut SequentialDriver);
        let plain = explore_plainly(start(), &behaviour, bounds, &judge, &mut SequentialDriver);
        assert_eq!(format!("{interned:?}"), format!("{plain:?}"));
        counts.push((interned.states, interned.moves));
    }
    assert_eq!(counts, [(25, 43), (17, 24), (25, 43), (17, 24)]);
}

/// In every state of the search, no pod has been ready since a future time, and each is ready for as long as it claims.
#[test]
fn no_pod_is_ready_since_a_future_time() {
    let behaviour = behaviour(VERSION);
    let ahead = any(|world| {
        let mut pods = world.snapshot().pods.values();
        pods.any(|pod| {
            let since = pod.ready.and_then(|ready| ready.since);
            since.is_some_and(|since| since > world.now())
        })
    });
    for scenario in [
        side_by_side(3).min_ready(10),
        web(2).parallel().min_ready(10).rolling_to_v2(),
        web(3).parallel().min_ready(10).rolling_to_v2(),
    ] {
        let start = || world(&scenario, &behaviour);
        let result = explore(
            start(),
            &behaviour,
            bounds(1, 10_000, false),
            &ahead,
            &mut SequentialDriver,
        );
        assert!(result.exhaustive);
        let plain = explore_plainly(
            start(),
            &behaviour,
            bounds(1, 10_000, false),
            &ahead,
            &mut SequentialDriver,
        );
        assert_eq!(format!("{result:?}"), format!("{plain:?}"));
    }
}
