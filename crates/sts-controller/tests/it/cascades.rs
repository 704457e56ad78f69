//! The deletion of a set, and of the objects that it owns: docs/contract.md, "Garbage collector".

use std::sync::Arc;

use serde_json::json;
use sts_controller::controller::terminating_pods;
use sts_controller::object::{OwnerReference, Set};
use sts_controller::simulate::{Action, Cascade, End, Kubelet, World, run};
use sts_controller::version::Behaviour;

use crate::cached;
use crate::scenario::{
    SET_UID, Scenario, behaviour, claim, moment, pod, revision, step_lines, web,
};

fn world(scenario: &Scenario, behaviour: &Behaviour) -> World {
    cached::world(World::new(
        scenario.snapshot(behaviour),
        moment(),
        Kubelet::default(),
    ))
}

/// Returns the immediate steps, and those that follow. The revision is shown as `v1`.
fn course(scenario: &Scenario, actions: &[Action]) -> (Vec<String>, World) {
    let behaviour = behaviour("1.36.2");
    let mut world = world(scenario, &behaviour);
    let mut steps = Vec::new();
    for action in actions {
        steps.extend(world.perform(action, &behaviour).unwrap());
    }
    let rollout = run(world, &behaviour);
    assert_eq!(rollout.end, End::Rest);
    steps.extend(rollout.steps);
    let lines = step_lines(&steps, moment());
    let rename = |line: &String| line.replace("web-59c5f6486d", "v1");
    (lines.iter().map(rename).collect(), rollout.world)
}

fn deleted(scenario: &Scenario, cascade: Cascade) -> (Vec<String>, World) {
    course(scenario, &[Action::DeleteSet(cascade)])
}

/// Two pods with their claims, and the claim of a third pod that is gone. The set owns all of them.
fn with_claims() -> Scenario {
    let web = web(2).claims("data").retention("Delete", "Retain");
    ["data-web-0", "data-web-1", "data-web-2"]
        .into_iter()
        .fold(web, |web, name| web.claim(claim(name).of_set(true)))
}

#[test]
fn background_deletion_removes_the_set_first() {
    let (lines, end) = deleted(&with_claims(), Cascade::Background);
    let expected = [
        "0 user: SetDeleted web",
        "0 api-server: SetRemoved web",
        "0 garbage-collector: PodDeleted web-0",
        "0 garbage-collector: PodDeleted web-1",
        "0 garbage-collector: ClaimDeleted data-web-0",
        "0 garbage-collector: ClaimDeleted data-web-1",
        "0 ClaimRemoved data-web-2",
        "0 garbage-collector: RevisionRemoved v1",
        "5 PodRemoved web-0",
        "5 ClaimRemoved data-web-0",
        "5 PodRemoved web-1",
        "5 ClaimRemoved data-web-1",
    ];
    assert_eq!(lines, expected);
    assert!(end.set_is_gone());
    let left = end.snapshot();
    assert!(left.pods.is_empty() && left.claims.is_empty() && left.revisions.is_empty());
}

#[test]
fn foreground_deletion_removes_the_set_last() {
    let (lines, end) = deleted(&with_claims(), Cascade::Foreground);
    let expected = [
        "0 user: SetDeleted web",
        "0 garbage-collector: PodDeleted web-0",
        "0 garbage-collector: PodDeleted web-1",
        "0 garbage-collector: ClaimDeleted data-web-0",
        "0 garbage-collector: ClaimDeleted data-web-1",
        "0 ClaimRemoved data-web-2",
        "0 garbage-collector: RevisionRemoved v1",
        // The controller recreates the revision while the set exists.
        "5 PodRemoved web-0",
        "5 ClaimRemoved data-web-0",
        "5 garbage-collector: RevisionRemoved v1",
        "5 PodRemoved web-1",
        "5 ClaimRemoved data-web-1",
        "5 garbage-collector: RevisionRemoved v1",
        "5 garbage-collector: SetRemoved web",
    ];
    assert_eq!(lines, expected);
    assert!(end.set_is_gone());
}

#[test]
fn orphan_deletion_leaves_dependents_without_an_owner() {
    let (lines, end) = deleted(&with_claims(), Cascade::Orphan);
    let expected = [
        "0 user: SetDeleted web",
        "0 garbage-collector: PodOrphaned web-0",
        "0 garbage-collector: PodOrphaned web-1",
        "0 garbage-collector: ClaimOrphaned data-web-0",
        "0 garbage-collector: ClaimOrphaned data-web-1",
        "0 garbage-collector: ClaimOrphaned data-web-2",
        "0 garbage-collector: RevisionOrphaned v1",
        "0 garbage-collector: SetRemoved web",
    ];
    assert_eq!(lines, expected);
    let left = end.snapshot();
    let pods = left.pods.values().map(|pod| &pod.meta);
    let claims = left.claims.values().map(|claim| &claim.meta);
    let revisions = left.revisions.values().map(|revision| &revision.meta);
    let all: Vec<&[OwnerReference]> = pods
        .chain(claims)
        .chain(revisions)
        .map(|meta| &*meta.owner_references)
        .collect();
    assert_eq!(all, [&[] as &[OwnerReference]; 6]);
}

#[test]
fn dependents_with_another_owner_stay() {
    let shared =
        claim("data-web-0")
            .of_set(true)
            .owner("Backup", "nightly", "uid-of-nightly", false);
    let web = web(1)
        .claims("data")
        .retention("Delete", "Retain")
        .claim(shared);
    let (lines, end) = deleted(&web, Cascade::Background);
    assert_eq!(lines[3], "0 garbage-collector: ClaimOrphaned data-web-0");
    let owners = &end.snapshot().claims["data-web-0"].meta.owner_references;
    let names: Vec<&str> = owners.iter().map(|owner| &*owner.name).collect();
    assert_eq!(names, ["nightly"]);
    // A foreground deletion does not wait for it either.
    let (lines, end) = deleted(&web, Cascade::Foreground);
    assert_eq!(lines.last().unwrap(), "5 garbage-collector: SetRemoved web");
    assert!(end.snapshot().claims.contains_key("data-web-0"));
}

#[test]
fn a_claim_of_two_pods_is_removed_with_the_last() {
    let shared = with_claims().pod(pod("web-1").volume("data", "data-web-0"));
    let (lines, end) = deleted(&shared, Cascade::Background);
    let expected = [
        "0 ClaimRemoved data-web-1",
        "0 ClaimRemoved data-web-2",
        "0 garbage-collector: RevisionRemoved v1",
        "5 PodRemoved web-0",
        "5 PodRemoved web-1",
        "5 ClaimRemoved data-web-0",
    ];
    assert_eq!(lines[5..], expected);
    assert!(end.snapshot().claims.is_empty());
}

#[test]
fn a_foreground_deletion_waits_only_for_blocking_dependents() {
    // A plain reference does not block the owner's deletion.
    let plain = web(1)
        .claims("data")
        .retention("Delete", "Retain")
        .claim(claim("data-web-0").of_set(false))
        .pod(pod("web-0").finalizer("example.com/drain"));
    let behaviour = behaviour("1.36.2");
    let mut world = world(&plain, &behaviour);
    let generation = world.snapshot().set.generation;
    let delete = Action::DeleteSet(Cascade::Foreground);
    world.perform(&delete, &behaviour).unwrap();
    assert_eq!(
        world.finalizers().collect::<Vec<_>>(),
        ["foregroundDeletion"]
    );
    // A set that waits for its finalizers has changed, and a second request changes nothing.
    assert_eq!(world.snapshot().set.generation, generation + 1);
    assert_eq!(world.snapshot().set.meta.deleted, Some(moment()));
    world.perform(&delete, &behaviour).unwrap();
    assert_eq!(world.snapshot().set.generation, generation + 1);
    let mut world = run(world, &behaviour).world;
    let waits = terminating_pods(world.snapshot());
    let waits: Vec<&str> = waits
        .iter()
        .map(|hold| &*hold.pod().unwrap().meta.name)
        .collect();
    assert_eq!(waits, ["web-0"]);
    assert!(!world.snapshot().claims["data-web-0"].meta.is_terminating());
    // Without its finalizers the set is gone, and its dependents are collected.
    let steps = world.perform(&Action::DropFinalizers, &behaviour).unwrap();
    assert_eq!(
        step_lines(&steps, moment())[..2],
        [
            "0 user: SetRemoved web",
            "0 garbage-collector: ClaimDeleted data-web-0"
        ]
    );
    assert_eq!(world.finalizers().next(), None);
}

#[test]
fn foreign_finalizers_keep_the_set() {
    let kept = web(1).metadata("finalizers", json!(["example.com/backup"]));
    let behaviour = behaviour("1.36.2");
    let own = ["example.com/backup"];
    for (cascade, at_first) in [
        (Cascade::Background, &own[..]),
        (
            Cascade::Foreground,
            &["example.com/backup", "foregroundDeletion"],
        ),
        (Cascade::Orphan, &own),
    ] {
        let mut world = world(&kept, &behaviour);
        assert_eq!(world.finalizers().next(), None);
        world
            .perform(&Action::DeleteSet(cascade), &behaviour)
            .unwrap();
        assert_eq!(world.finalizers().collect::<Vec<_>>(), at_first);
        let mut world = run(world, &behaviour).world;
        assert_eq!(world.finalizers().collect::<Vec<_>>(), own);
        assert!(!world.set_is_gone());
        // In the foreground and as orphans, the dependents are done before the set.
        let pod = world.snapshot().pods.get("web-0");
        let owned = pod.map(|pod| !pod.meta.owner_references.is_empty());
        let expected = match cascade {
            Cascade::Background => Some(true),
            Cascade::Foreground => None,
            Cascade::Orphan => Some(false),
        };
        assert_eq!(owned, expected, "{cascade:?}");
        let steps = world.perform(&Action::DropFinalizers, &behaviour).unwrap();
        assert!(step_lines(&steps, moment())[0].ends_with("user: SetRemoved web"));
        assert!(world.set_is_gone());
    }
    // A set that is not terminating only loses them.
    let mut world = world(&kept, &behaviour);
    let steps = world.perform(&Action::DropFinalizers, &behaviour).unwrap();
    assert!(steps.is_empty() && !world.set_is_gone());
    let (lines, _) = course(
        &kept,
        &[
            Action::DropFinalizers,
            Action::DeleteSet(Cascade::Background),
        ],
    );
    assert_eq!(lines[1], "0 api-server: SetRemoved web");
}

/// Returns the set of a scenario with another uid, created after it.
fn successor(scenario: &Scenario) -> Arc<Set> {
    let mut set = (*scenario.snapshot(&behaviour("1.36.2")).set).clone();
    set.meta.uid = "uid-of-successor".into();
    Arc::new(set)
}

fn owners(world: &World) -> Vec<String> {
    let pods = world.snapshot().pods.values();
    pods.map(|pod| pod.meta.controller().unwrap().uid.to_string())
        .collect()
}

#[test]
fn a_new_set_adopts_orphans_and_replaces_deleted_pods() {
    let create = Action::CreateSet(successor(&web(2)));
    let (lines, end) = course(
        &web(2),
        &[Action::DeleteSet(Cascade::Orphan), create.clone()],
    );
    assert_eq!(
        lines[5..],
        ["0 user: SetCreated web", "0 patch web-0, patch web-1"]
    );
    assert_eq!(owners(&end), ["uid-of-successor"; 2]);
    assert_eq!(end.snapshot().revisions.len(), 1);
    assert_eq!(end.snapshot().status.ready_replicas, 2);

    let (lines, end) = course(&web(2), &[Action::DeleteSet(Cascade::Background), create]);
    let expected = [
        "5 PodRemoved web-0",
        "5 create web-0",
        "5 PodRemoved web-1",
        "15 PodReady web-0",
        "15 create web-1",
        "25 PodReady web-1",
    ];
    assert_eq!(lines[lines.len() - 6..], expected);
    assert_eq!(owners(&end), ["uid-of-successor"; 2]);
}

#[test]
fn pods_of_a_new_set_follow_its_min_ready_seconds() {
    let scenario = web(1).pod(pod("web-0").ready_for(10));
    let mut set = (*successor(&scenario)).clone();
    set.min_ready_seconds = 30;
    let (_, end) = course(
        &scenario,
        &[
            Action::DeleteSet(Cascade::Orphan),
            Action::CreateSet(Arc::new(set)),
        ],
    );
    assert_eq!(end.now().duration_since(moment()).as_secs(), 20);
    assert_eq!(end.snapshot().status.available_replicas, 1);
}

/// Nothing waits for an object that is removed at once.
#[test]
fn a_foreground_deletion_does_not_wait_for_finished_pods() {
    let (lines, end) = deleted(&web(1).pod(pod("web-0").failed()), Cascade::Foreground);
    let expected = [
        "0 user: SetDeleted web",
        "0 garbage-collector: PodDeleted web-0",
        "0 garbage-collector: RevisionRemoved v1",
        "0 garbage-collector: SetRemoved web",
    ];
    assert_eq!(lines, expected);
    assert!(end.set_is_gone());
}

/// A manifest has no generation, and a deletion gives it none.
#[test]
fn a_deletion_increments_only_an_existing_generation() {
    let behaviour = behaviour("1.36.2");
    let mut world = world(&web(1).metadata("generation", json!(0)), &behaviour);
    world
        .perform(&Action::DeleteSet(Cascade::Foreground), &behaviour)
        .unwrap();
    assert_eq!(world.snapshot().set.generation, 0);
}

/// The controller adopts a revision left behind by another set, once.
#[test]
fn an_adopted_revision_stays_adopted() {
    let orphan = web(1).no_revisions().revision(revision("v1", 1).orphan());
    let (_, end) = course(&orphan, &[]);
    let revisions = end.snapshot().revisions.values();
    let owners: Vec<Option<&OwnerReference>> = revisions
        .map(|revision| revision.meta.controller())
        .collect();
    assert!(matches!(owners[..], [Some(owner)] if *owner.uid == *SET_UID));
}
