//! Deleting pods and sets: garbage collection, and the objects that a new set finds.

use std::sync::Arc;

use serde_json::json;
use sts_controller::controller::HoldReason;
use sts_controller::simulate::{Action, Cascade, World};
use sts_plan::plan::{Outcome, Plan};

use crate::scenario::{Scenario, claim, plan_after, pod, steps, web};

fn delete_pod(name: &str) -> Action {
    Action::DeletePod(Arc::from(name))
}

fn deleted(scenario: &Scenario, cascade: Cascade) -> Plan {
    plan_after(vec![Action::DeleteSet(cascade)], scenario, "1.36")
}

#[track_caller]
fn completes(plan: &Plan) {
    assert!(
        matches!(plan.outcome, Outcome::Complete),
        "{:?}",
        plan.outcome
    );
}

/// Counts the remaining pods, claims and revisions of a world.
fn remaining(world: &World) -> [usize; 3] {
    let snapshot = world.snapshot();
    [
        snapshot.pods.len(),
        snapshot.claims.len(),
        snapshot.revisions.len(),
    ]
}

#[test]
fn a_pod_that_is_deleted_comes_back() {
    let plan = plan_after(vec![delete_pod("web-1")], &web(3), "1.36");
    completes(&plan);
    assert_eq!(
        steps(&plan),
        [
            "0 user: PodDeleted web-1",
            "5 PodRemoved web-1",
            "5 create web-1",
            "15 PodReady web-1",
        ]
    );
    assert_eq!(plan.tally().replaced, 1);
    assert!(plan.has_work());
}

#[test]
fn a_failed_pod_is_removed_at_once() {
    let world = web(2).without("web-1").pod(pod("web-1").failed());
    let plan = plan_after(vec![delete_pod("web-1")], &world, "1.36");
    completes(&plan);
    assert_eq!(
        steps(&plan),
        [
            "0 user: PodDeleted web-1",
            "0 create web-1",
            "10 PodReady web-1"
        ]
    );
}

#[test]
fn several_pods_come_back_in_order() {
    let actions = ["web-0", "web-2"].map(delete_pod).to_vec();
    let plan = plan_after(actions, &web(3), "1.36");
    completes(&plan);
    assert_eq!(
        steps(&plan),
        [
            "0 user: PodDeleted web-0",
            "0 user: PodDeleted web-2",
            "5 PodRemoved web-0",
            "5 create web-0",
            "5 PodRemoved web-2",
            "15 PodReady web-0",
            "15 create web-2",
            "25 PodReady web-2",
        ]
    );
}

#[test]
fn a_terminating_pod_is_not_deleted_again() {
    let world = web(2).without("web-1").pod(pod("web-1").terminating());
    let plan = plan_after(vec![delete_pod("web-1")], &world, "1.36");
    assert_eq!(steps(&plan)[0], "5 PodRemoved web-1");
}

#[test]
fn background_deletes_the_pods_and_keeps_the_claims() {
    let plan = deleted(&web(2).claims("data"), Cascade::Background);
    completes(&plan);
    assert_eq!(
        steps(&plan),
        [
            "0 user: SetDeleted web",
            "0 api-server: SetRemoved web",
            "0 garbage-collector: PodDeleted web-0",
            "0 garbage-collector: PodDeleted web-1",
            "0 garbage-collector: RevisionRemoved web-59c5f6486d",
            "5 PodRemoved web-0",
            "5 PodRemoved web-1",
        ]
    );
    assert_eq!(remaining(&plan.progression.world), [0, 2, 0]);
    assert_eq!(plan.left_behind().claims.len(), 2);
    assert!(
        plan.next.writes.is_empty(),
        "a set that is gone is not synced"
    );
}

/// The collector runs after the sync, and sees the owner that the sync set on the claim.
#[test]
fn a_claim_with_a_new_owner_in_the_sync_that_deletes_its_pod_stays() {
    let world = web(1)
        .claims("data")
        .retention("Delete", "Retain")
        .without_claim("data-web-0")
        .claim(claim("data-web-0").owner("Pod", "web-0", "uid-of-web-0", true))
        .pod(pod("web-0").failed());
    for version in ["1.26.15 StatefulSetAutoDeletePVC=true", "1.27.0", "1.27.4"] {
        let plan = plan_after(Vec::new(), &world, version);
        completes(&plan);
        let steps = steps(&plan);
        assert_eq!(
            steps.first().map(String::as_str),
            Some("0 delete web-0, create web-0, update data-web-0")
        );
        assert!(
            !steps.iter().any(|step| step.contains("ClaimRemoved")),
            "{version}: {steps:?}"
        );
        let claims = &plan.progression.world.snapshot().claims;
        let owners = claims["data-web-0"].meta.owner_references.iter();
        let owners: Vec<&str> = owners.map(|owner| &*owner.kind).collect();
        assert_eq!(owners, ["StatefulSet"], "{version}");
    }
}

#[test]
fn claims_of_the_set_are_removed_when_no_pod_uses_them() {
    let mut world = web(2).claims("data").retention("Delete", "Retain");
    for name in ["data-web-0", "data-web-1"] {
        world = world.without_claim(name).claim(claim(name).of_set(true));
    }
    let world = world.claim(claim("data-web-7").of_set(true));
    let plan = deleted(&world, Cascade::Background);
    completes(&plan);
    let steps = steps(&plan);
    assert!(
        steps.contains(&"0 garbage-collector: ClaimDeleted data-web-0".to_owned()),
        "{steps:?}"
    );
    assert!(
        steps.contains(&"0 ClaimRemoved data-web-7".to_owned()),
        "it is unused: {steps:?}"
    );
    let end: Vec<&str> = steps.iter().rev().take(4).map(String::as_str).collect();
    assert_eq!(
        end,
        [
            "5 ClaimRemoved data-web-1",
            "5 PodRemoved web-1",
            "5 ClaimRemoved data-web-0",
            "5 PodRemoved web-0",
        ]
    );
    assert_eq!(remaining(&plan.progression.world), [0, 0, 0]);
}

#[test]
fn a_claim_with_another_owner_stays() {
    let world = web(1).claims("data").without_claim("data-web-0").claim(
        claim("data-web-0")
            .of_set(true)
            .owner("ConfigMap", "keep", "other", false),
    );
    let plan = deleted(&world, Cascade::Background);
    completes(&plan);
    assert!(
        steps(&plan).contains(&"0 garbage-collector: ClaimOrphaned data-web-0".to_owned()),
        "{:?}",
        steps(&plan)
    );
    assert_eq!(remaining(&plan.progression.world), [0, 1, 0]);
}

#[test]
fn foreground_keeps_the_set_until_its_pods_are_gone() {
    let plan = deleted(&web(2), Cascade::Foreground);
    completes(&plan);
    let steps = steps(&plan);
    assert_eq!(steps[0], "0 user: SetDeleted web");
    assert_eq!(
        steps.last().unwrap(),
        "5 garbage-collector: SetRemoved web",
        "{steps:?}"
    );
    // A set that is being deleted still records its revision (quirk Q25). The collector removes it again with each pod.
    let recorded = steps
        .iter()
        .filter(|step| step.contains("RevisionRemoved"))
        .count();
    assert_eq!(recorded, 3, "{steps:?}");
    assert_eq!(remaining(&plan.progression.world), [0, 0, 0]);
    assert_eq!(
        plan.next.holds[0].reason(),
        HoldReason::SetBeingDeleted,
        "the controller leaves its pods alone"
    );
}

#[test]
fn foreground_waits_for_claims_that_block_it() {
    let world = web(1)
        .claims("data")
        .retention("Delete", "Retain")
        .without_claim("data-web-0")
        .claim(claim("data-web-0").of_set(true));
    let plan = deleted(&world, Cascade::Foreground);
    completes(&plan);
    let steps = steps(&plan);
    let at = |wanted: &str| steps.iter().position(|step| step.contains(wanted)).unwrap();
    assert!(at("PodRemoved web-0") < at("5 ClaimRemoved data-web-0"));
    assert!(at("5 ClaimRemoved data-web-0") < at("SetRemoved"));
}

#[test]
fn a_deletion_is_stuck_on_a_pod_that_never_terminates() {
    let world = web(2).without("web-1").pod(pod("web-1").terminating());
    for cascade in [Cascade::Background, Cascade::Foreground] {
        let plan = plan_after(vec![Action::DeleteSet(cascade)], &world, "1.36");
        completes(&plan);
        let mut conditions = plan.conditions.clone();
        conditions.assumptions.insert(
            "web-1".to_owned(),
            sts_controller::simulate::Assumption {
                never_gone: true,
                ..Default::default()
            },
        );
        let plan = Plan::with_actions(
            vec![Action::DeleteSet(cascade)],
            plan.snapshot.clone(),
            conditions,
        );
        let Outcome::Blocked(obstacles) = &plan.outcome else {
            panic!("{:?}", plan.outcome)
        };
        assert_eq!(obstacles.len(), 1);
        assert!(
            format!("{obstacles:?}").starts_with("[Unhealthy(WaitingForPodTermination"),
            "{obstacles:?}"
        );
        let foreground = cascade == Cascade::Foreground;
        assert_eq!(plan.progression.world.set_is_gone(), !foreground);
    }
}

#[test]
fn a_finalizer_on_the_set_keeps_it_and_its_pods() {
    let world = web(1).metadata("finalizers", json!(["example.com/hold"]));
    let plan = deleted(&world, Cascade::Background);
    let Outcome::Blocked(obstacles) = &plan.outcome else {
        panic!("{:?}", plan.outcome)
    };
    assert_eq!(format!("{obstacles:?}"), "[Hold(SetBeingDeleted)]");
    assert_eq!(remaining(&plan.progression.world)[0], 1);
    assert!(!plan.progression.world.set_is_gone());
}

#[test]
fn orphans_stay() {
    let plan = deleted(&web(2).claims("data"), Cascade::Orphan);
    completes(&plan);
    assert_eq!(
        steps(&plan),
        [
            "0 user: SetDeleted web",
            "0 garbage-collector: PodOrphaned web-0",
            "0 garbage-collector: PodOrphaned web-1",
            "0 garbage-collector: RevisionOrphaned web-59c5f6486d",
            "0 garbage-collector: SetRemoved web",
        ]
    );
    let world = plan.progression.world.snapshot();
    assert!(
        world
            .pods
            .values()
            .all(|pod| pod.meta.owner_references.is_empty())
    );
    assert_eq!(plan.left_behind().pods.len(), 2);
}

#[test]
fn a_foreground_deletion_in_progress_continues() {
    let world = web(2)
        .deleting()
        .metadata("finalizers", json!(["foregroundDeletion"]));
    let plan = plan_after(Vec::new(), &world, "1.36");
    assert!(plan.progression.world.set_is_gone(), "{:?}", steps(&plan));
    completes(&plan);
}
