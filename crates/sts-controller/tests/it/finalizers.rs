//! Objects kept by finalizers: docs/contract.md, "Evidence" and "Garbage collector".

use jiff::SignedDuration;
use sts_controller::simulate::{Action, Assumption, Kubelet, World, run};

use crate::cached;
use crate::scenario::{
    SET_UID, Scenario, behaviour, claim, course, course_assuming, moment, pod, step_lines, web,
};

#[test]
fn a_pod_with_finalizers_is_never_gone() {
    let world = web(3)
        .rolling_to_v2()
        .pod(pod("web-2").finalizer("example.com/drain"));
    let held = course(&world, "1.36.2");
    assert_eq!(held.steps(), ["0 delete web-2"]);
    assert_eq!(held.outcome(), "blocked");
    // An assumption about the pod takes precedence.
    let recovers = Assumption {
        gone_after: Some(SignedDuration::from_secs(20)),
        ..Assumption::default()
    };
    let goes = course_assuming(&[("web-2", recovers)], &world, "1.36.2");
    assert_eq!(goes.outcome(), "complete");
    assert_eq!(goes.steps()[1], "20 PodRemoved web-2");
}

#[test]
fn finalizers_keep_pods_that_would_be_removed_at_once() {
    for ended in [
        pod("web-1").failed(),
        pod("web-1").succeeded(),
        pod("web-1").pending().unscheduled(),
    ] {
        let world = web(2).replicas(1).pod(ended.finalizer("example.com/drain"));
        let course = course(&world.parallel(), "1.36.2");
        let end = course.progression.world.snapshot();
        assert!(end.pods["web-1"].is_terminating());
    }
    // A forced deletion does not remove them either, but the removal of the finalizers does.
    let behaviour = behaviour("1.36.2");
    let world = web(2).pod(pod("web-1").finalizer("example.com/drain"));
    let mut world = cached::world(World::new(
        world.snapshot(&behaviour),
        moment(),
        Kubelet::default(),
    ));
    world
        .perform(&Action::ForceDeletePod("web-1".into()), &behaviour)
        .unwrap();
    assert!(world.snapshot().pods["web-1"].is_terminating());
    world
        .perform(&Action::DropPodFinalizers("web-1".into()), &behaviour)
        .unwrap();
    assert!(!world.snapshot().pods.contains_key("web-1"));
    let end = run(world, &behaviour).world;
    assert!(end.snapshot().pods["web-1"].is_running_and_ready());
}

/// Returns a set whose pod web-1 has a terminating claim.
fn claim_under_deletion(finalizer: &str) -> Scenario {
    let terminating = claim("data-web-1").terminating().finalizer(finalizer);
    web(2).claims("data").claim(terminating)
}

const PROTECTION: &str = "kubernetes.io/pvc-protection";

fn steps_of_restart(world: &Scenario) -> Vec<String> {
    let behaviour = behaviour("1.36.2");
    let mut world = cached::world(World::new(
        world.snapshot(&behaviour),
        moment(),
        Kubelet::default(),
    ));
    let mut steps = world
        .perform(&Action::DeletePod("web-1".into()), &behaviour)
        .unwrap();
    steps.extend(run(world, &behaviour).steps);
    step_lines(&steps, moment())
}

#[test]
fn a_protected_claim_is_removed_with_its_last_pod() {
    let comes_back_empty = [
        "0 user: PodDeleted web-1",
        "5 PodRemoved web-1",
        "5 ClaimRemoved data-web-1",
        "5 create data-web-1, create web-1",
        "15 PodReady web-1",
    ];
    assert_eq!(
        steps_of_restart(&claim_under_deletion(PROTECTION)),
        comes_back_empty
    );
    // It stays while another pod uses it.
    let shared = claim_under_deletion(PROTECTION).pod(
        pod("other")
            .orphan()
            .label("app", "other")
            .volume("data", "data-web-1"),
    );
    assert_eq!(steps_of_restart(&shared), comes_back_empty[..2]);
    // It also stays while another finalizer keeps it.
    let kept = claim_under_deletion("example.com/backup");
    assert_eq!(steps_of_restart(&kept), comes_back_empty[..2]);
}

#[test]
fn an_unused_protected_claim_is_removed_at_once() {
    let world = claim_under_deletion(PROTECTION).without("web-1");
    let course = course(&world, "1.36.2");
    assert_eq!(
        course.steps(),
        [
            "0 ClaimRemoved data-web-1",
            "0 create data-web-1, create web-1",
            "10 PodReady web-1",
        ]
    );
    assert_eq!(course.outcome(), "complete");
}

#[test]
fn a_claim_with_stale_owners_is_removed_with_its_pod() {
    let behaviour = behaviour("1.36.2");
    let steps = |kind: &str, name: &str, uid: &str| {
        let owned = claim("data-other")
            .owner("Pod", "other", "uid-of-other", false)
            .owner(kind, name, uid, false);
        let other = pod("other").orphan().label("app", "other");
        let mut world = cached::world(World::new(
            web(1).pod(other).claim(owned).snapshot(&behaviour),
            moment(),
            Kubelet::default(),
        ));
        let mut steps = world
            .perform(&Action::DeletePod("other".into()), &behaviour)
            .unwrap();
        steps.extend(run(world, &behaviour).steps);
        step_lines(&steps, moment())
    };
    let pod_goes = ["0 user: PodDeleted other", "5 PodRemoved other"];
    assert_eq!(steps("StatefulSet", "web", SET_UID), pod_goes);
    assert_eq!(steps("Pod", "web-0", "uid-of-web-0"), pod_goes);
    // Other sets and other kinds are unknown, so they are assumed to exist.
    assert_eq!(steps("StatefulSet", "db", "uid-of-db"), pod_goes);
    assert_eq!(steps("Backup", "nightly", "uid-of-nightly"), pod_goes);
    for (kind, name) in [("StatefulSet", "web"), ("Pod", "web-0"), ("Pod", "web-9")] {
        assert_eq!(
            steps(kind, name, "uid-of-an-earlier-one")[2..],
            ["5 ClaimRemoved data-other"],
            "{kind} {name}"
        );
    }
}

/// The controller recreates the claim of a Pending pod. Nothing deletes the new claim.
#[test]
fn a_recreated_claim_stays() {
    let behaviour = behaviour("1.36.2");
    let world = claim_under_deletion(PROTECTION).pod(pod("web-1").pending());
    let world = World::new(world.snapshot(&behaviour), moment(), Kubelet::default());
    let mut world = cached::world(world);
    world
        .perform(&Action::DeleteClaim("data-web-1".into()), &behaviour)
        .unwrap();
    let mut world = run(world, &behaviour).world;
    let again = world.snapshot().claims["data-web-1"].meta.uid.clone();
    world
        .perform(&Action::DeletePod("web-1".into()), &behaviour)
        .unwrap();
    let end = run(world, &behaviour).world;
    assert!(end.snapshot().pods["web-1"].is_running_and_ready());
    assert_eq!(end.snapshot().claims["data-web-1"].meta.uid, again);
}
