//! Actions: a refused action has the API server's message, and changes nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::SignedDuration;
use sts_controller::apiserver::apply::Edit;
use sts_controller::simulate::{Action, Assumption, Cascade, Fault, Foreseen, Kubelet, World, run};

use crate::cached;
use crate::scenario::{behaviour, claim, moment, pod, step_lines, web};

#[test]
fn refused_actions_have_no_effect() {
    let behaviour = behaviour("1.36.2");
    let snapshot = web(3).partition(1).snapshot(&behaviour);
    let set = Arc::clone(&snapshot.set);
    let mut world = World::new(snapshot, moment(), Kubelet::default());
    let mut refused = |action: Action| {
        let answer = world.perform(&action, &behaviour).unwrap_err();
        assert_eq!(world.snapshot().set.strategy.partition(), 1);
        assert_eq!(world.snapshot().pods.len(), 3);
        answer.to_string()
    };
    assert_eq!(
        refused(Action::EditSet(Edit::partition(-4))),
        "The StatefulSet \"web\" is invalid: spec.updateStrategy.rollingUpdate.partition: Invalid value: -4: must be \
         greater than or equal to 0"
    );
    assert_eq!(
        refused(Action::DeletePod("web-9".into())),
        "pods \"web-9\" not found"
    );
    assert_eq!(
        refused(Action::CreateSet(Arc::clone(&set))),
        "statefulsets.apps \"web\" already exists"
    );
    // An accepted action is performed.
    let edit = Action::EditSet(Edit::partition(2));
    assert!(world.perform(&edit, &behaviour).unwrap().is_empty());
    assert_eq!(world.snapshot().set.strategy.partition(), 2);
    assert_eq!(world.snapshot().set.generation, set.generation + 1);
}

#[test]
fn a_longer_min_ready_seconds_makes_ready_pods_unavailable_again() {
    let behaviour = behaviour("1.36.2");
    let scenario = web(1).pod(pod("web-0").ready_for(10));
    let after = |edit: Edit| {
        let world = World::new(scenario.snapshot(&behaviour), moment(), Kubelet::default());
        let mut world = cached::world(world);
        world.perform(&Action::EditSet(edit), &behaviour).unwrap();
        let rollout = run(world, &behaviour);
        assert_eq!(rollout.world.snapshot().status.available_replicas, 1);
        step_lines(&rollout.steps, moment())
    };
    assert_eq!(
        after(Edit::min_ready_seconds(30)),
        ["20 PodAvailable web-0"]
    );
    assert!(after(Edit::min_ready_seconds(10)).is_empty());
    assert!(after(Edit::partition(1)).is_empty());
}

#[test]
fn a_set_recreated_under_another_name_has_no_history() {
    let behaviour = behaviour("1.36.2");
    let recreated = |path: &str, value: &str| {
        let snapshot = web(2).snapshot(&behaviour);
        let mut world = cached::world(World::new(snapshot, moment(), Kubelet::default()));
        let edit = Edit::Set {
            path: path.parse().unwrap(),
            value: value.into(),
        };
        world
            .perform(&Action::RecreateSet(edit), &behaviour)
            .unwrap();
        world
    };
    let renamed = recreated("metadata.name", "db");
    assert_eq!(&*renamed.snapshot().set.meta.name, "db");
    assert!(renamed.snapshot().revisions.is_empty());
    assert_eq!(&*renamed.snapshot().status.update_revision, "");
    let end = run(renamed, &behaviour).world;
    let names: Vec<&str> = end.snapshot().pods.keys().map(|name| &**name).collect();
    // It adopts no pods of another name.
    assert_eq!(names, ["db-0", "db-1", "web-0", "web-1"]);
    // Under its own name it continues with the existing pods and history.
    let same = recreated("spec.serviceName", "peers");
    assert_eq!(same.snapshot().revisions.len(), 1);
    assert_eq!(same.snapshot().status.ready_replicas, 2);
    assert_eq!(&*same.snapshot().set.meta.uid, crate::scenario::SET_UID);
}

#[test]
fn faults_have_names() {
    let names = [Fault::Fails, Fault::NeverReady, Fault::Vanishes].map(Fault::name);
    assert_eq!(names, ["PodFailed", "PodNeverReady", "PodVanished"]);
}

#[test]
fn deletions_have_propagation_policies() {
    let all = [Cascade::Background, Cascade::Foreground, Cascade::Orphan];
    assert_eq!(
        all.map(Cascade::policy),
        ["Background", "Foreground", "Orphan"]
    );
}

#[test]
fn actions_change_claims_and_labels() {
    let behaviour = behaviour("1.36.2");
    let scenario = web(1)
        .claims("data")
        .claim(claim("data-web-0").of_set(false).owner(
            "Backup",
            "nightly",
            "uid-of-nightly",
            false,
        ));
    let mut world = World::new(scenario.snapshot(&behaviour), moment(), Kubelet::default());
    let name = || "data-web-0".into();
    world
        .perform(&Action::DropClaimOwner(name(), 0), &behaviour)
        .unwrap();
    let owners = |world: &World| {
        let owners = world.snapshot().claims["data-web-0"]
            .meta
            .owner_references
            .iter();
        owners
            .map(|owner| owner.name.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(owners(&world), ["nightly"]);
    world
        .perform(&Action::DeleteClaim(name()), &behaviour)
        .unwrap();
    assert!(world.snapshot().claims.is_empty());
    let again = world
        .perform(&Action::DeleteClaim(name()), &behaviour)
        .unwrap_err();
    assert_eq!(
        again.to_string(),
        "persistentvolumeclaims \"data-web-0\" not found"
    );

    let label = ("app".into(), "other".into());
    world
        .perform(&Action::LabelPod("web-0".into(), vec![label]), &behaviour)
        .unwrap();
    // The set no longer selects the pod, so the pod is released and its name is taken.
    let end = run(world, &behaviour).world;
    let pod = &end.snapshot().pods["web-0"];
    assert_eq!(pod.meta.controller(), None);
}

/// A foreseen outcome applies to pods without a node, and an assumption about a pod replaces it.
#[test]
fn an_unschedulable_pod_stays_pending() {
    let behaviour = behaviour("1.36.2");
    let end = |ready_after: Option<SignedDuration>, on_v2: bool| {
        let scenario = web(1).rolling_to_v2();
        let scenario = match on_v2 {
            true => scenario.pod(pod("web-0").at("v2").pending()),
            false => scenario,
        };
        let snapshot = scenario.snapshot(&behaviour);
        let revision = Arc::clone(&snapshot.status.update_revision);
        let of_pod = BTreeMap::from([(revision, Foreseen::Unplaced)]);
        let assumed = ready_after.map(|after| Assumption {
            ready_after: Some(after),
            ..Assumption::default()
        });
        let kubelet = Kubelet {
            assumptions: assumed
                .map(|it| ("web-0".to_owned(), it))
                .into_iter()
                .collect(),
            ..Kubelet::default()
        };
        let mut world = World::new(snapshot, moment(), kubelet);
        world.foresee(BTreeMap::from([("web-0".into(), of_pod)]));
        let end = run(world, &behaviour).world;
        let pod = &end.snapshot().pods["web-0"];
        (pod.scheduled, pod.is_running_and_ready())
    };
    assert_eq!(end(None, false), (false, false));
    // A pod that already has a node becomes ready.
    assert_eq!(end(None, true), (true, true));
    assert_eq!(end(Some(SignedDuration::from_secs(3)), false), (true, true));
}

#[test]
fn a_pod_that_does_not_start_is_scheduled() {
    let behaviour = behaviour("1.36.2");
    let snapshot = web(1).rolling_to_v2().snapshot(&behaviour);
    let revision = Arc::clone(&snapshot.status.update_revision);
    let mut world = World::new(snapshot, moment(), Kubelet::default());
    let of_pod = BTreeMap::from([(revision, Foreseen::NotStarted)]);
    world.foresee(BTreeMap::from([("web-0".into(), of_pod)]));
    let end = run(world, &behaviour).world;
    let pod = &end.snapshot().pods["web-0"];
    assert!(pod.scheduled && !pod.is_ready());
}
