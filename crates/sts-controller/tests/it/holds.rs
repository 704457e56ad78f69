//! Holds and refusals: continued holds, intended holds, and the effect of refused requests on them.

use sts_controller::controller::{Refusal, Resource, Verb, Write, hold_if_outdated};
use sts_controller::simulate::{Kubelet, World, observations};

use crate::scenario::{behaviour, claim, moment, next, next_with, pod, web};

#[test]
fn holds_from_the_spec_are_intended() {
    for (scenario, reason, intended) in [
        (web(2).partition(1).rolling_to_v2(), "HeldByPartition", true),
        (web(2).on_delete().rolling_to_v2(), "OnDelete", true),
        (
            web(2).rolling_to_v2().pod(pod("web-0").not_ready()),
            "WaitingForPodReady",
            false,
        ),
    ] {
        let seen = next(&scenario, "1.36.2");
        let holds = seen.sync.holds.iter();
        let mut holds = holds.filter(|hold| hold.reason().name() == reason);
        let hold = holds.next().unwrap();
        assert_eq!(hold.is_intended(), intended, "{reason}");
    }
}

#[test]
fn an_outdated_pod_is_held_below_the_partition_and_on_delete() {
    let behaviour = behaviour("1.36.2");
    let held = |scenario: crate::scenario::Scenario, name: &str| {
        let snapshot = scenario.snapshot(&behaviour);
        let hold = hold_if_outdated(&snapshot.set, &behaviour, &snapshot.pods[name]);
        hold.map(|hold| hold.reason().name())
    };
    assert_eq!(held(web(3).partition(1), "web-0"), Some("HeldByPartition"));
    assert_eq!(held(web(3).partition(1), "web-1"), None);
    assert_eq!(held(web(3).on_delete(), "web-2"), Some("OnDelete"));
    // An excess pod is deleted in any case.
    assert_eq!(held(web(3).replicas(2).on_delete(), "web-2"), None);
}

#[test]
fn two_terminating_claims_are_two_holds() {
    let key = |gone: &str| {
        let scenario = web(1)
            .claims("data")
            .claims("logs")
            .without("web-0")
            .claim(claim(gone).terminating().finalizer("example.com/backup"));
        let holds = next(&scenario, "1.36.2").sync.holds;
        let mut waits = holds
            .iter()
            .filter(|hold| hold.reason().name() == "ClaimBeingDeleted");
        waits.next().unwrap().key()
    };
    assert_eq!(key("data-web-0"), key("data-web-0"));
    assert_ne!(key("data-web-0"), key("logs-web-0"));
}

/// `ClaimPods`: a pod that can no longer be released is ignored; one that cannot be adopted ends the sync.
#[test]
fn only_refused_adoptions_end_the_sync() {
    let refuse = |write: &Write| {
        let patched = (write.resource, write.verb) == (Resource::Pods, Verb::Patch);
        patched.then(|| Refusal::Invalid("the server says no".to_owned()))
    };
    let released = web(2).pod(pod("web-1").label("app", "other"));
    let lines = next_with(&released, "1.36.2", refuse).lines();
    assert_eq!(lines[0], "release pods web-1 (Invalid)");
    assert!(
        !lines.contains(&"error: the server says no".to_owned()),
        "{lines:?}"
    );
    let adopted = web(2).pod(pod("web-1").orphan());
    assert_eq!(
        next_with(&adopted, "1.36.2", refuse).lines(),
        ["adopt pods web-1 (Invalid)", "error: the server says no"]
    );
}

#[test]
fn many_claim_templates_work() {
    let names: Vec<String> = (0..17).map(|number| format!("data{number:02}")).collect();
    let many = names.iter().fold(web(1), |web, name| web.claims(name));
    assert_eq!(next(&many, "1.36.2").lines(), [""; 0]);
    // With a claim of another pod among them, the controller tries to repair it, which every server refuses.
    let wrong = many.pod(pod("web-0").volume("data00", "data00-web-1"));
    assert_eq!(
        next(&wrong, "1.36.2").lines()[0],
        "update pods web-0 (Invalid)"
    );
}

#[test]
fn observations_stop_at_the_limit() {
    let behaviour = behaviour("1.36.2");
    let scenario = web(2).partition(1).rolling_to_v2();
    let observed = |before: usize, most: usize| {
        let world = World::new(scenario.snapshot(&behaviour), moment(), Kubelet::default());
        observations(world, before, &behaviour, most)
    };
    let all = observed(0, usize::MAX);
    let last = all.last().unwrap();
    assert_eq!(
        (last.status.updated_replicas, last.error.as_deref()),
        (1, None)
    );
    // The partition holds the pod on purpose, so the hold is not reported.
    assert!(last.holds.is_empty());
    let waits = all.iter().flat_map(|sync| &sync.holds);
    let waits: Vec<&str> = waits.map(|hold| hold.reason().name()).collect();
    assert!(waits.contains(&"WaitingForPodReady"), "{waits:?}");
    let steps: Vec<usize> = all.iter().map(|sync| sync.steps).collect();
    assert!(steps.is_sorted() && steps[0] < *steps.last().unwrap());
    for most in 0..=last.steps {
        let expected = steps.iter().filter(|steps| **steps <= most).count();
        assert_eq!(observed(0, most).len(), expected, "{most}");
        let later: Vec<usize> = observed(3, most + 3)
            .iter()
            .map(|sync| sync.steps - 3)
            .collect();
        assert_eq!(later, steps[..expected]);
    }
}

#[test]
fn two_stale_claims_are_two_holds() {
    let key = |stale: &str, uid: &str| {
        let scenario = web(1)
            .claims("data")
            .claims("logs")
            .retention("Retain", "Delete")
            .without("web-0")
            .claim(claim(stale).owner("Pod", "web-0", uid, false));
        let holds = next(&scenario, "1.36.2").sync.holds;
        let mut waits = holds
            .iter()
            .filter(|hold| hold.reason().name() == "StaleClaim");
        waits.next().unwrap().key()
    };
    assert_eq!(key("data-web-0", "first"), key("data-web-0", "first"));
    assert_ne!(key("data-web-0", "first"), key("logs-web-0", "first"));
    assert_ne!(key("data-web-0", "first"), key("data-web-0", "second"));
}
