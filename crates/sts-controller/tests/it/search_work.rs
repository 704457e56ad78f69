//! The work of a search: shares of workers, cost, and paths along merged states.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use sts_controller::simulate::{
    Bounds, Driver, Foreseen, Kubelet, Move, Property, Reached, SequentialDriver, Stopped,
    Violation, World, explore, explore_plainly,
};

use crate::explore::bounds;
use crate::interned_searches::{VERSION, anything, searched, world};
use crate::scenario::{Scenario, behaviour, moment, web};
use crate::searches::any;

/// A driver that records its progress and jobs.
struct Noting {
    threads: usize,
    reached: Vec<(usize, usize, usize)>,
    jobs: RefCell<Vec<usize>>,
}

impl Noting {
    fn new(threads: usize) -> Self {
        Noting {
            threads,
            reached: Vec::new(),
            jobs: RefCell::default(),
        }
    }
}

impl Driver for Noting {
    fn threads(&self) -> usize {
        self.threads
    }

    fn run_all<'j>(&self, jobs: Vec<Box<dyn FnOnce() + Send + 'j>>) {
        self.jobs.borrow_mut().push(jobs.len());
        jobs.into_iter().rev().for_each(|job| job());
    }

    fn reached(&mut self, reached: Reached) -> std::ops::ControlFlow<()> {
        let looked_at = reached.states - reached.waiting;
        self.reached
            .push((reached.states, looked_at, reached.depth));
        std::ops::ControlFlow::Continue(())
    }
}

/// Pods that start in parallel have a state for each subset of ready pods.
pub fn side_by_side(pods: i64) -> Scenario {
    web(0).replicas(pods).parallel()
}

#[test]
fn work_is_shared_in_growing_blocks() {
    let behaviour = behaviour(VERSION);
    let judge = anything(&behaviour);
    let start = |pods| world(&side_by_side(pods), &behaviour);
    let all = bounds(0, 10_000, false);
    let mut one = Noting::new(1);
    let result = explore(start(8), &behaviour, all, &judge, &mut one);
    assert_eq!(
        (result.states, result.moves, result.depth),
        (256, 8 * 128, 8)
    );
    let expected = [
        (1, 0, 0),
        (9, 1, 0),
        (37, 9, 1),
        (82, 25, 2),
        (128, 57, 3),
        (196, 121, 4),
        (240, 196, 5),
        (254, 240, 6),
        (256, 254, 7),
    ];
    assert_eq!(one.reached, expected);
    // The plain search has one worker, whose blocks do not grow: they hold whole worlds.
    let mut plain = Noting::new(3);
    let _ = explore_plainly(start(8), &behaviour, all, &judge, &mut plain);
    let expected = [(1, 0, 0), (9, 1, 0), (37, 9, 1), (82, 25, 2), (107, 41, 3)];
    assert_eq!(plain.reached[..5], expected);
    assert_eq!(plain.reached.len(), 18);
    assert!(plain.jobs.into_inner().is_empty());
    let mut three = Noting::new(3);
    let shared = explore(start(8), &behaviour, all, &judge, &mut three);
    assert_eq!(format!("{result:?}"), format!("{shared:?}"));
    assert_eq!(three.jobs.into_inner(), [1, 1, 1, 3, 3, 3, 1, 1, 1]);
    // 32 states are worth two threads.
    let mut two = Noting::new(2);
    let _ = explore(
        start(32),
        &behaviour,
        bounds(0, 40, false),
        &judge,
        &mut two,
    );
    assert_eq!(two.jobs.into_inner(), [1, 2]);
    assert_eq!(SequentialDriver.threads(), 1);
}

/// The controller syncs only from states that look new to it: here by the number of ready pods, whichever they are.
#[test]
fn answers_of_the_controller_are_remembered() {
    struct Counting(AtomicUsize);
    impl Property for Counting {
        fn violation(&self, _: &World) -> Option<Violation> {
            self.0.fetch_add(1, Ordering::Relaxed);
            None
        }
    }
    let behaviour = behaviour(VERSION);
    let checks = |scenario: &Scenario, interned: bool| {
        let counting = Counting(AtomicUsize::new(0));
        let search = if interned { explore } else { explore_plainly };
        let start = world(scenario, &behaviour);
        let bounds = bounds(0, 10_000, false);
        let result = search(start, &behaviour, bounds, &counting, &mut SequentialDriver);
        (result.moves, counting.0.into_inner())
    };
    assert_eq!(checks(&side_by_side(8), true), (1_024, 19));
    assert_eq!(checks(&side_by_side(8), false), (1_024, 2_051));
}

/// Workers that meet new pod states in parallel reach the same states.
#[test]
fn parallel_discoveries_get_one_number() {
    let behaviour = behaviour(VERSION);
    let judge = anything(&behaviour);
    let scenario = web(4).rolling_to_v2().min_ready(10);
    let foreseen = (0..4).map(|ordinal| {
        let of_pod = BTreeMap::from([("web-v3".into(), Foreseen::Unplaced)]);
        (format!("web-{ordinal}").into(), of_pod)
    });
    let kubelet = Kubelet {
        foreseen: foreseen.collect(),
        ..Kubelet::default()
    };
    let start = || World::new(scenario.snapshot(&behaviour), moment(), kubelet.clone());
    let searched = |threads| {
        let bounds = bounds(3, 1_000, false);
        let result = explore(
            start(),
            &behaviour,
            bounds,
            &judge,
            &mut Noting::new(threads),
        );
        format!("{result:?}")
    };
    let alone = searched(1);
    for threads in [2, 3, 5] {
        assert_eq!(searched(threads), alone, "{threads}");
    }
}

/// The memory of a search: fingerprints, moves and predecessors in collections that double, and queued states.
#[test]
fn a_search_stays_within_its_memory_limit() {
    let bytes = |bytes: usize| {
        let bounds = Bounds {
            bytes,
            ..bounds(0, 10_000, false)
        };
        let result = searched(&side_by_side(11), bounds);
        (result.stopped, result.states)
    };
    const MOST: usize = 190_212;
    assert_eq!(bytes(MOST), (None, 2_048));
    assert_eq!(bytes(MOST - 1), (Some(Stopped::Memory), 1_815));
    assert_eq!(bytes(20_000), (Some(Stopped::Memory), 143));
    // Plain states take memory while they are queued.
    let behaviour = behaviour(VERSION);
    let plain = |bytes: usize| {
        let bounds = Bounds {
            bytes,
            ..bounds(0, 10_000, false)
        };
        let start = world(&side_by_side(5), &behaviour);
        explore_plainly(
            start,
            &behaviour,
            bounds,
            &anything(&behaviour),
            &mut SequentialDriver,
        )
        .stopped
    };
    const MOST_PLAIN: usize = 25_008;
    assert_eq!(plain(MOST_PLAIN), None);
    assert_eq!(plain(MOST_PLAIN - 1), Some(Stopped::Memory));
}

/// The path to a merged state is reported in terms of the affected pods.
#[test]
fn a_path_along_merged_states_has_every_event() {
    let behaviour = behaviour(VERSION);
    let failing = any(|world| {
        let pods = || world.snapshot().pods.values();
        let updated = |revision: &str| revision == &*world.snapshot().status.update_revision;
        pods()
            .filter(|pod| updated(&pod.revision) && pod.is_ready())
            .count()
            == 3
            && pods().any(|pod| !updated(&pod.revision) && !pod.is_ready())
    });
    let start = || {
        world(
            &web(5).parallel().max_unavailable(json!(2)).rolling_to_v2(),
            &behaviour,
        )
    };
    let search = |threads| {
        let mut driver = Noting::new(threads);
        explore(
            start(),
            &behaviour,
            bounds(2, 10_000, true),
            &failing,
            &mut driver,
        )
    };
    let result = search(1);
    assert!(result.merged_alike);
    assert_eq!((result.states, result.moves), (158, 590));
    let found = result.found.as_ref().unwrap();
    let path: Vec<String> = found.path.iter().map(shown).collect();
    let expected = [
        "Removed web-4",
        "Ready web-4",
        "Removed web-3",
        "Ready web-3",
        "Removed web-2",
        "Ready web-2",
        "Fails web-0",
    ];
    assert_eq!(path, expected);
    assert_eq!(format!("{result:?}"), format!("{:?}", search(3)));
}

fn shown(chosen: &Move) -> String {
    match chosen {
        Move::Event(event, pod) => format!("{event:?} {pod}"),
        Move::Fault(fault, pod) => format!("{fault:?} {pod}"),
    }
}

/// A fault on the path, and a state in the middle of a sync, are reported as well.
#[test]
fn a_path_may_have_faults_and_intermediate_states() {
    let behaviour = behaviour(VERSION);
    let unready = any(|world| {
        let pods = world.snapshot().pods.values();
        pods.filter(|pod| !pod.is_ready()).count() == 2
    });
    let leaving = any(|world| {
        let pod = world.snapshot().pods.get("web-1");
        pod.is_some_and(|pod| pod.is_terminating())
    });
    for (scenario, faults, property, expected) in [
        (
            web(4).parallel(),
            2,
            unready,
            vec!["Fails web-0", "Fails web-1"],
        ),
        (
            web(4).parallel().rolling_to_v2(),
            0,
            leaving,
            vec![
                "Removed web-3",
                "Ready web-3",
                "Removed web-2",
                "Ready web-2",
            ],
        ),
    ] {
        let start = world(&scenario, &behaviour);
        let result = explore(
            start,
            &behaviour,
            bounds(faults, 1_000, true),
            &property,
            &mut SequentialDriver,
        );
        assert!(result.merged_alike);
        let path = result.found.unwrap().path;
        assert_eq!(path.iter().map(shown).collect::<Vec<String>>(), expected);
    }
}
