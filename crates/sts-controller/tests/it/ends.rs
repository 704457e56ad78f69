//! Ends of simulations: docs/contract.md, "End".

use jiff::SignedDuration;
use sts_controller::controller::unhealthy_pods;
use sts_controller::simulate::{Assumption, Budget, End, Start};

use crate::scenario::{Scenario, behaviour, course, course_assuming, moment, pod, web};

const YEAR: SignedDuration = SignedDuration::from_hours(8760);

fn fails_after(seconds: i64) -> Assumption {
    Assumption {
        start: Start::Fails,
        ready_after: Some(SignedDuration::from_secs(seconds)),
        ..Assumption::default()
    }
}

fn ready_after(after: SignedDuration) -> Assumption {
    Assumption {
        ready_after: Some(after),
        ..Assumption::default()
    }
}

/// Returns a parallel set without pods.
fn fresh(replicas: i64) -> Scenario {
    (0..replicas).fold(web(replicas).parallel(), |web, ordinal| {
        web.without(&format!("web-{ordinal}"))
    })
}

#[test]
fn a_later_event_hides_no_cycle() {
    for after in [YEAR, SignedDuration::from_hours(720)] {
        for version in ["1.19.16", "1.27.3", "1.28.5", "1.36.2"] {
            let assumed = [("web-0", fails_after(10)), ("web-1", ready_after(after))];
            let course = course_assuming(&assumed, &fresh(2), version);
            let took = course.progression.world.now().duration_since(moment());
            assert_eq!(course.outcome(), "livelock", "{version}");
            assert!(took < SignedDuration::from_hours(1), "{version}: {took}");
            assert!(course.progression.syncs < 200, "{version}");
            assert_eq!(course.progression.exhausted, None);
        }
    }
}

#[test]
fn cycles_of_two_lengths_form_one_longer_cycle() {
    let assumed = [
        ("web-0", fails_after(10)),
        ("web-1", fails_after(7)),
        ("web-2", ready_after(YEAR)),
        ("web-3", ready_after(YEAR + YEAR)),
    ];
    let course = course_assuming(&assumed, &fresh(4), "1.36.2");
    let took = course.progression.world.now().duration_since(moment());
    assert_eq!(course.progression.end, End::Livelock);
    assert!(took < SignedDuration::from_hours(1), "{took}");
}

#[test]
fn a_long_delay_is_simulated() {
    // There is no cycle: the events happen when they are due, and the rollout completes.
    for parallel in [false, true] {
        let world = fresh(4);
        let world = if parallel {
            world
        } else {
            world.spec("podManagementPolicy", "OrderedReady".into())
        };
        let assumed = [("web-1", ready_after(YEAR))];
        let course = course_assuming(&assumed, &world, "1.36.2");
        assert_eq!(course.outcome(), "complete");
        let took = course.progression.world.now().duration_since(moment());
        assert!(took >= YEAR, "{took}");
    }
}

/// A pod fails long before another becomes available, which ends nothing.
#[test]
fn a_long_min_ready_hides_no_cycle() {
    let assumed = [("web-0", fails_after(10))];
    let course = course_assuming(&assumed, &fresh(2).min_ready(80_000_000), "1.36.2");
    let took = course.progression.world.now().duration_since(moment());
    assert_eq!(course.progression.end, End::Livelock);
    assert!(took < SignedDuration::from_hours(1), "{took}");
}

#[test]
fn a_pod_that_fails_at_once_does_not_advance_time() {
    let assumed = [("web-0", fails_after(0)), ("web-1", ready_after(YEAR))];
    let course = course_assuming(&assumed, &fresh(2), "1.36.2");
    assert_eq!(course.progression.end, End::Livelock);
    assert_eq!(course.progression.world.now(), moment());
}

#[test]
fn budgets_have_messages() {
    assert_eq!(course(&web(2), "1.36.2").progression.exhausted, None);
    let limits = [
        (Budget::SyncsAtOnce(1_040), "1040 syncs at one time"),
        (Budget::Syncs(100_000), "100000 syncs"),
        (Budget::Moments(50_000), "50000 events"),
        (Budget::Bytes(1 << 30), "1024 MiB of steps"),
    ];
    for (budget, limit) in limits {
        assert_eq!(
            budget.to_string(),
            format!("simulation limit reached: {limit}")
        );
    }
}

/// A parallel set waits for no pod, so only the pods' states show the unhealthy ones.
#[test]
fn unhealthy_pods_have_their_reason() {
    let world = web(4)
        .parallel()
        .min_ready(600)
        .replicas(3)
        .pod(pod("web-0").not_ready())
        .pod(pod("web-1").terminating())
        .pod(pod("web-2").ready_since_unknown())
        .pod(pod("web-3").terminating());
    let behaviour = behaviour("1.36");
    let holds = unhealthy_pods(&world.snapshot(&behaviour), moment(), &behaviour);
    let reasons: Vec<String> = holds
        .iter()
        .map(|hold| format!("{} {}", hold.reason(), hold.pod().unwrap().meta.name))
        .collect();
    assert_eq!(
        reasons,
        [
            "WaitingForPodReady web-0",
            "WaitingForPodTermination web-1",
            "WaitingForPodAvailable web-2",
            "ScaleDownWaitingForTermination web-3",
        ]
    );
}
