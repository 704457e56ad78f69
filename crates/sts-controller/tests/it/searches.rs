//! Searches of all orders of events, by example: merged states, limits, results, and assumptions that reproduce them.

use jiff::SignedDuration;
use serde_json::json;
use sts_controller::object::Phase;
use sts_controller::simulate::{
    Assumption, Bounds, Exploration, Kubelet, Property, Replay, SequentialDriver, Start, Stopped,
    Unwritable, Violation, World, Wrong, explore, explore_plainly,
};
use sts_controller::version::Behaviour;

use crate::explore::{Judge, Wanted, bounds};
use crate::scenario::{Scenario, behaviour, claim, moment, pod, step_lines, web};

fn world(scenario: &Scenario, behaviour: &Behaviour) -> World {
    World::new(scenario.snapshot(behaviour), moment(), Kubelet::default())
}

/// Runs a search of all states with one fault.
fn searched(scenario: &Scenario, version: &str, merge_alike: bool) -> Exploration {
    let behaviour = behaviour(version);
    explore(
        world(scenario, &behaviour),
        &behaviour,
        bounds(1, 100_000, merge_alike),
        &Judge(Wanted::Anything, &behaviour),
        &mut SequentialDriver,
    )
}

#[test]
fn states_of_interchangeable_pods_are_merged() {
    let rolling = || web(4).parallel().rolling_to_v2();
    // Number of states and moves, with and without merging.
    let mut counts = Vec::new();
    for scenario in [
        rolling(),
        web(4).parallel().on_delete().rolling_to_v2(),
        rolling().partition(2),
        // Pods on either side of a partition are not interchangeable, even with equal states.
        web(4).parallel().partition(2),
        web(0).replicas(4).parallel(),
        web(0).replicas(4).parallel().start(2),
        web(4).replicas(1).parallel(),
        web(0).replicas(3).parallel().min_ready(10),
        web(2).parallel().min_ready(10).rolling_to_v2(),
    ] {
        let one = searched(&scenario, "1.36.2", true);
        let each = searched(&scenario, "1.36.2", false);
        assert!(one.merged_alike && !each.merged_alike);
        counts.push([(one.states, one.moves), (each.states, each.moves)]);
    }
    let expected = [
        [(40, 97), (61, 148)],
        [(3, 3), (9, 12)],
        [(23, 51), (36, 81)],
        [(5, 6), (9, 12)],
        [(14, 31), (64, 272)],
        [(14, 31), (64, 272)],
        [(15, 26), (31, 81)],
        [(26, 80), (106, 414)],
        [(22, 48), (30, 62)],
    ];
    assert_eq!(counts, expected);
}

#[test]
fn pods_are_interchangeable_if_their_order_is_irrelevant() {
    let rolling = || web(4).parallel().rolling_to_v2();
    let claims = || rolling().claims("data");
    for (scenario, version, alike) in [
        (rolling(), "1.36.2", true),
        (web(4).rolling_to_v2(), "1.36.2", false),
        (rolling().no_rolling_update(), "1.36.2", false),
        // Requests about claims may fail, which ends a batch.
        (claims().retention("Retain", "Retain"), "1.36.2", true),
        (claims().retention("Retain", "Delete"), "1.36.2", false),
        (claims().retention("Delete", "Retain"), "1.36.2", false),
        (claims().retention("Delete", "Delete"), "1.20.0", true),
        (rolling().retention("Delete", "Delete"), "1.36.2", true),
        (
            rolling().claim(claim("other").terminating().finalizer("example.com/backup")),
            "1.36.2",
            false,
        ),
        (rolling().claim(claim("other")), "1.36.2", true),
        (
            rolling().pod(pod("web-1").finalizer("example.com/drain")),
            "1.36.2",
            false,
        ),
    ] {
        let result = searched(&scenario, version, true);
        assert_eq!(result.merged_alike, alike, "{version} {scenario:?}");
    }
    // An assumption distinguishes one of them.
    let behaviour = behaviour("1.36.2");
    let assumed = Assumption {
        ready_after: Some(SignedDuration::from_secs(3)),
        ..Assumption::default()
    };
    let kubelet = Kubelet {
        assumptions: [("web-1".to_owned(), assumed)].into(),
        ..Kubelet::default()
    };
    let world = World::new(rolling().snapshot(&behaviour), moment(), kubelet);
    let judge = Judge(Wanted::Anything, &behaviour);
    let result = explore(
        world,
        &behaviour,
        bounds(1, 1_000, true),
        &judge,
        &mut SequentialDriver,
    );
    assert!(!result.merged_alike);
}

#[test]
fn a_terminating_set_can_be_searched() {
    let behaviour = behaviour("1.36.2");
    let judge = Judge(Wanted::Anything, &behaviour);
    let scenario = web(3).parallel().deleting();
    let result = searched(&scenario, "1.36.2", true);
    let plain = explore_plainly(
        world(&scenario, &behaviour),
        &behaviour,
        bounds(1, 1_000, true),
        &judge,
        &mut SequentialDriver,
    );
    assert_eq!(format!("{result:?}"), format!("{plain:?}"));
    assert_eq!(
        (result.states, result.moves, result.ends.unfinished),
        (7, 6, 7)
    );
}

/// Claims are created, deleted and change owners together with their pods, and each change is another state.
#[test]
fn states_differ_in_claims_and_their_owners() {
    let rolling = || web(2).rolling_to_v2().claims("data");
    let down = || web(3).replicas(1).claims("data");
    let up = || web(1).claims("data").replicas(3);
    let mut counts = Vec::new();
    for scenario in [
        rolling().retention("Delete", "Retain"),
        down().retention("Retain", "Delete"),
        down().parallel().retention("Delete", "Delete"),
        up().parallel().retention("Retain", "Delete"),
        up().retention("Delete", "Delete").min_ready(10),
        // An owner that is an earlier pod, one that is another set, and a claim that is older than its pod.
        down()
            .retention("Retain", "Delete")
            .claim(claim("data-web-2").owner("Pod", "web-2", "uid-of-an-earlier-one", false)),
        up().retention("Delete", "Delete")
            .claim(claim("data-web-1").owner("StatefulSet", "db", "uid-of-db", true))
            .claim(claim("data-web-2").of_set(true)),
    ] {
        for version in ["1.27.0", "1.36.2"] {
            let behaviour = behaviour(version);
            let judge = Judge(Wanted::Anything, &behaviour);
            let bounds = bounds(1, 3_000, false);
            let start = || world(&scenario, &behaviour);
            let interned = explore(start(), &behaviour, bounds, &judge, &mut SequentialDriver);
            let plain = explore_plainly(start(), &behaviour, bounds, &judge, &mut SequentialDriver);
            assert_eq!(format!("{interned:?}"), format!("{plain:?}"), "{version}");
            counts.push((interned.states, interned.moves, interned.ends.unfinished));
        }
    }
    // States, moves and unfinished ends, in 1.27 and in 1.36, whose owners are controllers.
    let expected = [
        [(21, 39, 2), (21, 39, 2)],
        [(12, 22, 0), (14, 23, 0)],
        [(12, 28, 0), (15, 30, 0)],
        [(16, 46, 2), (20, 50, 2)],
        [(33, 66, 2), (38, 70, 2)],
        [(12, 22, 0), (14, 23, 0)],
        [(14, 31, 2), (17, 33, 2)],
    ];
    assert_eq!(counts, expected.as_flattened());
}

#[test]
fn a_search_stops_at_its_limits() {
    let behaviour = behaviour("1.36.2");
    let judge = Judge(Wanted::Anything, &behaviour);
    let start = || world(&web(4).parallel().rolling_to_v2(), &behaviour);
    let interned =
        |bounds: Bounds| explore(start(), &behaviour, bounds, &judge, &mut SequentialDriver);
    let plain = |bounds: Bounds| {
        explore_plainly(start(), &behaviour, bounds, &judge, &mut SequentialDriver)
    };
    let all = bounds(1, 61, false);
    for result in [interned(all), plain(all)] {
        assert_eq!((result.stopped, result.states), (None, 61));
        assert_eq!((result.moves, result.depth), (148, 9));
        assert!(result.exhaustive);
    }
    let fewer = bounds(1, 60, false);
    for result in [interned(fewer), plain(fewer)] {
        assert_eq!(result.stopped, Some(Stopped::States));
        assert!(!result.exhaustive);
        assert_eq!(result.lowest, None);
    }
    // A queued state takes a few hundred bytes for each pod, an interned one far less.
    let bytes = |bytes: usize| Bounds { bytes, ..all };
    assert_eq!(interned(bytes(1_000)).stopped, Some(Stopped::Memory));
    assert_eq!(interned(bytes(10_000)).stopped, None);
    let in_little = plain(bytes(10_000));
    assert_eq!(in_little.stopped, Some(Stopped::Memory));
    assert!(in_little.states < 20, "{}", in_little.states);
    assert_eq!(plain(bytes(200_000)).stopped, None);
}

/// Returns the result of one search, the path to it, and its replay.
pub fn found(
    scenario: &Scenario,
    faults: usize,
    property: &dyn Property,
) -> (Wrong, Vec<Vec<String>>, Result<Replay, Unwritable>) {
    let behaviour = behaviour("1.36.2");
    let world = world(scenario, &behaviour);
    let bounds = bounds(faults, 10_000, false);
    let result = explore(world, &behaviour, bounds, property, &mut SequentialDriver);
    let found = result.found.unwrap();
    let legs = found.legs.iter().map(|leg| step_lines(leg, moment()));
    (found.what, legs.collect(), found.replay)
}

pub fn judged(
    scenario: &Scenario,
    faults: usize,
    wanted: Wanted,
) -> (Wrong, Vec<Vec<String>>, Result<Replay, Unwritable>) {
    let behaviour = behaviour("1.36.2");
    found(scenario, faults, &Judge(wanted, &behaviour))
}

fn seconds(seconds: i64) -> Option<SignedDuration> {
    Some(SignedDuration::from_secs(seconds))
}

/// Returns an assumption of durations in seconds.
pub fn takes(ready: Option<i64>, gone: Option<i64>) -> Assumption {
    Assumption {
        ready_after: ready.and_then(seconds),
        gone_after: gone.and_then(seconds),
        ..Assumption::default()
    }
}

/// Later than everything else.
const LATE: Option<i64> = Some(24 * 3600);

pub fn replay(of: &[(&str, Assumption)]) -> Result<Replay, Unwritable> {
    let pods = of.iter();
    Ok(pods
        .map(|(pod, assumption)| ((*pod).into(), assumption.clone()))
        .collect())
}

#[test]
fn an_initial_violation_needs_no_assumption() {
    let (what, legs, assumed) = judged(&web(3).rolling_to_v2(), 0, Wanted::Ready(3));
    assert_eq!(what.property(), "Ready(3)");
    assert_eq!(legs, [["0 delete web-2"]]);
    assert_eq!(assumed, replay(&[]));
    let (_, legs, assumed) = judged(&web(2), 0, Wanted::Ready(3));
    assert_eq!(legs, [[""; 0]]);
    assert_eq!(assumed, replay(&[]));
}

#[test]
fn an_order_of_events_becomes_durations() {
    let (_, legs, assumed) = judged(&web(2).rolling_to_v2(), 0, Wanted::OneRevision);
    assert_eq!(
        legs,
        [
            vec!["0 delete web-1"],
            vec!["0 PodRemoved web-1", "0 create web-1"]
        ]
    );
    assert_eq!(assumed, replay(&[("web-1", takes(LATE, Some(1)))]));
    // A pod that never terminates on the path stays.
    let (_, legs, assumed) = judged(&web(3).replicas(1), 0, Wanted::Ready(2));
    assert_eq!(
        legs,
        [
            vec!["0 delete web-2"],
            vec!["0 PodRemoved web-2", "0 delete web-1"]
        ]
    );
    let stays = Assumption {
        never_gone: true,
        ..Assumption::default()
    };
    assert_eq!(
        assumed,
        replay(&[("web-1", stays), ("web-2", takes(None, Some(1)))])
    );
}

#[test]
fn faults_become_assumptions_if_possible() {
    let (what, legs, assumed) = judged(&web(2).rolling_to_v2(), 1, Wanted::Complete);
    assert_eq!(what, Wrong::Unfinished("1 of 2 pods are well".to_owned()));
    assert_eq!(what.property(), "every run completes");
    assert_eq!(
        legs,
        [
            vec!["0 delete web-1"],
            vec!["0 PodRemoved web-1", "0 create web-1"],
            vec![]
        ]
    );
    let never = |gone: Option<i64>| Assumption {
        start: Start::NeverReady,
        ..takes(None, gone)
    };
    assert_eq!(assumed, replay(&[("web-1", never(Some(1)))]));
    let (_, _, assumed) = judged(&web(0).replicas(2), 1, Wanted::Complete);
    assert_eq!(assumed, replay(&[("web-0", never(None))]));
    // No assumption expresses the failure of a ready pod.
    let (_, legs, assumed) = judged(&web(3).parallel().rolling_to_v2(), 1, Wanted::Ready(2));
    assert_eq!(legs, [["0 delete web-2"], ["0 PodFailed web-0"]]);
    assert_eq!(assumed, Err(Unwritable::Fault("web-0".into())));
}

/// A property that is violated in states with such pods.
pub struct Pods {
    pub is_wrong: fn(&World) -> bool,
    /// True if the property refers to pods by name.
    pub named: bool,
}

impl Property for Pods {
    fn violation(&self, world: &World) -> Option<Violation> {
        (self.is_wrong)(world).then(|| Violation {
            property: "pods".to_owned(),
            text: "as they should not be".to_owned(),
        })
    }

    fn tells_pods_apart(&self) -> bool {
        self.named
    }
}

/// Returns a property that refers to pods by name.
pub fn named(is_wrong: fn(&World) -> bool) -> Pods {
    Pods {
        is_wrong,
        named: true,
    }
}

/// Returns a property that refers to any pods.
pub fn any(is_wrong: fn(&World) -> bool) -> Pods {
    Pods {
        is_wrong,
        named: false,
    }
}

pub fn is_ready(world: &World, name: &str) -> bool {
    let pod = world.snapshot().pods.get(name);
    pod.is_some_and(|pod| pod.is_running_and_ready())
}

#[test]
fn pods_on_a_path_change_one_at_a_time() {
    // Both later pods are ready before the first.
    let later_first = named(|world| {
        is_ready(world, "web-2") && is_ready(world, "web-1") && !is_ready(world, "web-0")
    });
    let (_, legs, assumed) = found(&web(0).replicas(3).parallel(), 0, &later_first);
    assert_eq!(
        legs,
        [
            vec!["0 create web-0, create web-1, create web-2"],
            vec!["0 PodReady web-1"],
            vec!["0 PodReady web-2"],
        ]
    );
    assert_eq!(
        assumed,
        replay(&[
            ("web-0", takes(LATE, None)),
            ("web-1", takes(Some(1), None)),
            ("web-2", takes(Some(2), None)),
        ])
    );
    let replaced = named(|world| is_ready(world, "web-2") && !is_ready(world, "web-0"));
    let rolling = web(3).parallel().max_unavailable(json!(3)).rolling_to_v2();
    let (_, legs, assumed) = found(&rolling, 0, &replaced);
    assert_eq!(legs.len(), 6);
    assert_eq!(
        assumed,
        replay(&[
            ("web-0", takes(LATE, Some(1))),
            ("web-1", takes(Some(1), Some(1))),
            ("web-2", takes(Some(1), Some(1))),
        ])
    );
}

#[test]
fn a_pod_becomes_available_by_the_clock() {
    let second = named(|world| is_ready(world, "web-1"));
    let (_, legs, assumed) = found(&web(0).replicas(2).min_ready(10), 0, &second);
    assert_eq!(
        legs,
        [
            vec!["0 create web-0"],
            vec!["0 PodReady web-0"],
            // The search uses its own times: only their order matters.
            vec!["5 PodAvailable web-0", "5 create web-1"],
            vec!["5 PodReady web-1"],
        ]
    );
    assert_eq!(
        assumed,
        replay(&[
            ("web-0", takes(Some(1), None)),
            ("web-1", takes(Some(1), None))
        ])
    );
}

#[test]
fn no_assumption_applies_to_only_the_first_of_two_namesakes() {
    let failed = named(|world| {
        let mut pods = world.snapshot().pods.values();
        pods.any(|pod| pod.phase == Phase::Failed)
    });
    // A failed pod is replaced at once.
    let (_, legs, assumed) = found(&web(0).replicas(1), 1, &failed);
    assert_eq!(legs, [["0 create web-0"], ["0 PodFailed web-0"]]);
    assert_eq!(assumed, Err(Unwritable::Twice("web-0".into())));
}

#[test]
fn property_methods_have_defaults() {
    let behaviour = behaviour("1.36.2");
    struct Nothing;
    impl Property for Nothing {
        fn violation(&self, _: &World) -> Option<Violation> {
            None
        }
    }
    let property = Nothing;
    let world = world(&web(1), &behaviour);
    assert_eq!(property.measure(&world), 0);
    assert!(!property.tells_pods_apart() && !property.recovers(&world));
    assert_eq!(Wrong::Endless.property(), "every run ends");
}
