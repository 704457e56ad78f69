//! The search of all orders of events: interned or plain, merged or not, on any number of threads.

use std::collections::BTreeMap;
use std::mem;
use std::ops::ControlFlow;
use std::sync::Arc;

use proptest::prelude::*;
use sts_controller::controller::pod_name;
use sts_controller::simulate::{
    Bounds, Driver, Exploration, Foreseen, Property, Reached, SequentialDriver, Stopped, Violation,
    World, explore, explore_plainly,
};
use sts_controller::version::Behaviour;

use crate::worlds::{Owner, PodName, Scenario, cases, scenario};

/// Problems that the tests look for: too few ready pods, too many revisions, or unfinished ends.
#[derive(Debug, Clone, Copy)]
pub enum Wanted {
    Ready(usize),
    OneRevision,
    Complete,
    Anything,
}

pub struct Judge<'b>(pub Wanted, pub &'b Behaviour);

impl Property for Judge<'_> {
    fn violation(&self, world: &World) -> Option<Violation> {
        let pods = || world.snapshot().pods.values();
        let ready = pods().filter(|pod| pod.is_running_and_ready() && !pod.is_terminating());
        let mut revisions: Vec<&str> = pods().map(|pod| &*pod.revision).collect();
        revisions.sort_unstable();
        revisions.dedup();
        let broken = match self.0 {
            Wanted::Ready(least) => ready.count() < least,
            Wanted::OneRevision => revisions.len() > 1,
            Wanted::Complete | Wanted::Anything => false,
        };
        broken.then(|| Violation {
            property: format!("{:?}", self.0),
            text: format!("{} pods of {}", pods().count(), revisions.len()),
        })
    }

    fn measure(&self, world: &World) -> i64 {
        let pods = world.snapshot().pods.values();
        let ready = pods.filter(|pod| pod.is_running_and_ready());
        i64::try_from(ready.count()).unwrap()
    }

    fn unfinished(&self, world: &World) -> Option<String> {
        let pods = || world.snapshot().pods.values();
        let well = pods().filter(|pod| pod.is_running_and_ready() && !pod.is_terminating());
        let well = well.count();
        let sync = world.branch().next_sync(self.1);
        let holds = sync.holds.iter().any(|hold| !hold.is_intended());
        (well != pods().count() || holds || sync.error.is_some())
            .then(|| format!("{well} of {} pods are well", pods().count()))
    }

    fn wants_every_end_complete(&self) -> bool {
        matches!(self.0, Wanted::Complete)
    }
}

/// A driver with several workers, which runs jobs in order or in reverse.
struct Workers {
    threads: usize,
    backwards: bool,
}

impl Driver for Workers {
    fn threads(&self) -> usize {
        self.threads
    }

    fn run_all<'j>(&self, mut jobs: Vec<Box<dyn FnOnce() + Send + 'j>>) {
        if self.backwards {
            jobs.reverse();
        }
        jobs.into_iter().for_each(|job| job());
    }
}

pub fn bounds(faults: usize, states: usize, merge_alike: bool) -> Bounds {
    Bounds {
        merge_alike,
        ..Bounds::new(faults, states)
    }
}

/// Formats a whole result.
fn summary(exploration: &Exploration) -> String {
    format!("{exploration:#?}")
}

const MOST: usize = 150;

fn wanted() -> impl Strategy<Value = Wanted> {
    prop_oneof![
        (0..4_usize).prop_map(Wanted::Ready),
        Just(Wanted::OneRevision),
        Just(Wanted::Complete),
        Just(Wanted::Anything),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(1).cases / 4, ..cases(1) })]

    /// The search with interned states has exactly the result of the plain one, for any world and any number of workers.
    #[test]
    fn the_interned_search_equals_the_plain_one(
        scenario in prop_oneof![
            scenario(),
            scenario().prop_map(orderly),
            scenario().prop_map(parallel),
        ],
        faults in 0..=1_usize,
        unplaced in prop_oneof![3 => Just(None), 1 => (0..4_usize).prop_map(Some)],
        wanted in wanted(),
    ) {
        let behaviour = scenario.behaviour();
        let judge = Judge(wanted, &behaviour);
        let world = || unplacing(scenario.world(), &behaviour, unplaced);
        let plain = explore_plainly(
            world(), &behaviour, bounds(faults, MOST, false), &judge, &mut SequentialDriver,
        );
        for (threads, backwards) in [(1, false), (3, true)] {
            let mut driver = Workers { threads, backwards };
            let interned = explore(
                world(), &behaviour, bounds(faults, MOST, false), &judge, &mut driver,
            );
            prop_assert_eq!(summary(&plain), summary(&interned));
        }
    }

    /// Merging interchangeable pods loses no result: the same problem is found by as many events, with the same ends.
    #[test]
    fn merging_loses_no_result(
        scenario in scenario().prop_map(parallel),
        faults in 0..=2_usize,
        unplaced in prop_oneof![7 => Just(None), 1 => (0..4_usize).prop_map(Some)],
        wanted in wanted(),
    ) {
        let behaviour = scenario.behaviour();
        let judge = Judge(wanted, &behaviour);
        let searched = |merge| explore(
            unplacing(scenario.world(), &behaviour, unplaced), &behaviour, bounds(faults, 1_500, merge), &judge, &mut SequentialDriver,
        );
        let (merged, apart) = (searched(true), searched(false));
        if apart.stopped.is_some() {
            return Ok(());
        }
        // A search that finds a problem ends within a layer, whose states the two have in another order.
        if apart.found.is_none() {
            prop_assert!(merged.states <= apart.states);
        }
        let found = |exploration: &Exploration| {
            let found = exploration.found.as_ref();
            // Of several with as many events, the two may show another one.
            found.map(|found| (mem::discriminant(&found.what), found.path.len()))
        };
        prop_assert_eq!(found(&merged), found(&apart));
        prop_assert_eq!(merged.exhaustive, apart.exhaustive);
        prop_assert_eq!(merged.lowest, apart.lowest);
        let ends = |exploration: &Exploration| {
            (exploration.ends.complete > 0, exploration.ends.unfinished > 0)
        };
        if merged.exhaustive {
            prop_assert_eq!(ends(&merged), ends(&apart));
        }
    }
}

/// Returns the world with the pod of that slot unschedulable on the update revision.
fn unplacing(mut world: World, behaviour: &Behaviour, slot: Option<usize>) -> World {
    let set = &world.snapshot().set;
    if let Some(ordinal) = slot.and_then(|slot| behaviour.ordinals(set).nth(slot)) {
        let next = world.branch().next_sync(behaviour);
        let revision = Arc::clone(&next.status.update_revision);
        let of_pod = BTreeMap::from([(revision, Foreseen::Unplaced)]);
        let name = Arc::from(pod_name(set, ordinal));
        world.foresee(BTreeMap::from([(name, of_pod)]));
    }
    world
}

/// Returns the scenario with only its own pods in any phase, some of which may be interchangeable.
fn orderly(mut scenario: Scenario) -> Scenario {
    scenario.set.deleted = false;
    scenario.set.retention = Some((false, false));
    scenario.kubelet.assumed.clear();
    scenario.claims.clear();
    for revision in &mut scenario.revisions {
        revision.owner = Owner::Ours;
    }
    for (pod, ordinal) in scenario.pods.iter_mut().zip(0..) {
        pod.name = PodName::Slot(ordinal);
        pod.owner = Owner::Ours;
        (pod.labelled, pod.identity, pod.storage, pod.trouble) = (true, true, true, false);
    }
    scenario
}

/// Returns the scenario under `Parallel`.
fn parallel(scenario: Scenario) -> Scenario {
    let mut scenario = orderly(scenario);
    scenario.set.parallel = true;
    scenario
}

/// An interrupted search reports its progress.
#[test]
fn an_interrupted_search_reports_its_progress() {
    struct Impatient(usize);
    impl Driver for Impatient {
        fn reached(&mut self, reached: Reached) -> ControlFlow<()> {
            match reached.states > self.0 {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        }
    }
    let scenario = crate::scenario::web(6).parallel().rolling_to_v2();
    let behaviour = crate::scenario::behaviour("1.36");
    let snapshot = scenario.snapshot(&behaviour);
    let judge = Judge(Wanted::Anything, &behaviour);
    let world = World::new(snapshot, crate::scenario::moment(), Default::default());
    let all = explore(
        crate::cached::world(world),
        &behaviour,
        bounds(1, 100_000, false),
        &judge,
        &mut Impatient(100),
    );
    assert_eq!(all.stopped, Some(Stopped::Interrupted));
    assert!(
        !all.exhaustive && all.states > 100 && all.depth > 0,
        "{all:?}"
    );
}
