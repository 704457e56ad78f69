//! Cycles with and without an event far ahead that ends them: docs/contract.md, "End".

use jiff::SignedDuration;
use sts_controller::simulate::{Assumption, End, Start};

use crate::scenario::{behaviour, course_assuming, moment, pod, web};

const HOUR: SignedDuration = SignedDuration::from_hours(1);

fn fails_after(seconds: i64) -> Assumption {
    Assumption {
        start: Start::Fails,
        ready_after: Some(SignedDuration::from_secs(seconds)),
        ..Assumption::default()
    }
}

/// web-0 fails repeatedly on the old revision until web-1 is ready on the new one. Then web-0 is updated, and its new
/// pod stays healthy.
#[test]
fn a_cycle_that_a_later_event_ends_is_no_livelock() {
    let world = web(2)
        .parallel()
        .no_rolling_update()
        .rolling_to_v2()
        .pod(pod("web-0").pending())
        .pod(pod("web-1").at("v2").pending());
    let update = world
        .snapshot(&behaviour("1.36.2"))
        .status
        .update_revision
        .clone();
    let assumed = [
        (
            "web-0",
            Assumption {
                broken_on: Some(update.clone()),
                ..fails_after(10)
            },
        ),
        (
            "web-1",
            Assumption {
                ready_after: Some(HOUR),
                ..Assumption::default()
            },
        ),
    ];
    let course = course_assuming(&assumed, &world, "1.36.2");
    assert_eq!(course.outcome(), "blocked", "{:#?}", course.steps());
    let took = course.progression.world.now().duration_since(moment());
    assert!(took >= HOUR, "{took}");
    let steps = course.steps();
    let failed = steps
        .iter()
        .filter(|step| step.ends_with("PodFailed web-0"));
    assert!(failed.count() > 300);
    let end = course.progression.world.snapshot();
    assert_eq!(end.pods["web-0"].revision, update);
}

/// The cycles of two pods together take more syncs than allowed at one time. Nearly always only one pod fails at a
/// time.
#[test]
fn a_cycle_of_many_syncs_outlives_later_events() {
    let fresh = (0..3).fold(web(3).parallel(), |web, ordinal| {
        web.without(&format!("web-{ordinal}"))
    });
    let assumed = [
        ("web-0", fails_after(401)),
        ("web-1", fails_after(409)),
        (
            "web-2",
            Assumption {
                ready_after: Some(SignedDuration::from_hours(8760)),
                ..Assumption::default()
            },
        ),
    ];
    let course = course_assuming(&assumed, &fresh, "1.36.2");
    assert_eq!(course.progression.end, End::Livelock);
    assert_eq!(course.progression.exhausted, None);
    assert!(course.progression.syncs > 2_000);
}
