//! Tests of invariants of a world, whatever is done to it.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::World;
use crate::controller::Cache;
use crate::object::{Claim, Pod, Revision, Set, Snapshot, Status};
use crate::simulate::action::Cascade;
use crate::simulate::event_queue::PodEvent;
use crate::simulate::kubelet::{Assumption, Kubelet};
use crate::simulate::pvc_protection::PVC_PROTECTION;
use crate::simulate::recurrence::Cycle;
use crate::simulate::{run, run_after};
use crate::version::{Behaviour, Gates};

fn moment() -> Timestamp {
    "2026-01-01T12:00:00Z".parse().unwrap()
}

fn seconds(count: i64) -> SignedDuration {
    SignedDuration::from_secs(count)
}

fn behaviour() -> Behaviour {
    let version = "1.36.2".parse().unwrap();
    Behaviour::new(version, &Gates::new(version, &BTreeMap::new()).unwrap())
}

fn owners() -> Value {
    json!([{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "web", "uid": "uid-of-web",
        "controller": true, "blockOwnerDeletion": true}])
}

/// A set with `OnDelete` whose pods become available after 30 seconds.
fn set(deleted: &Value) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "StatefulSet",
        "metadata": {"name": "web", "namespace": "default", "uid": "uid-of-web", "generation": 1,
            "deletionTimestamp": deleted},
        "spec": {"replicas": 2, "minReadySeconds": 30, "serviceName": "web",
            "selector": {"matchLabels": {"app": "web"}}, "updateStrategy": {"type": "OnDelete"},
            "template": {"metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "main", "image": "app:v1"}]}}},
        "status": {"replicas": 2, "observedGeneration": 1},
    })
}

/// A pod of the set; `ready_for` is in seconds, `None` if not ready.
fn pod(name: &str, ready_for: Option<i64>) -> Arc<Pod> {
    let ready = ready_for.map(|ago| {
        json!({"type": "Ready", "status": "True", "lastTransitionTime": (moment() - seconds(ago)).to_string()})
    });
    let object = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", "uid": format!("uid-of-{name}"),
            "labels": {"app": "web", "statefulset.kubernetes.io/pod-name": name}, "ownerReferences": owners()},
        "spec": {"nodeName": "node"},
        "status": {"phase": if ready.is_some() { "Running" } else { "Pending" },
            "conditions": ready.into_iter().collect::<Vec<_>>()},
    });
    Arc::new(Pod::from_json(object).unwrap())
}

fn revision(name: &str) -> Arc<Revision> {
    let object = json!({
        "apiVersion": "apps/v1", "kind": "ControllerRevision",
        "metadata": {"name": name, "namespace": "default", "uid": format!("uid-of-{name}"),
            "labels": {"app": "web"}, "ownerReferences": owners()},
        "data": {"spec": {"template": {}}}, "revision": 1,
    });
    Arc::new(Revision::from_json(&object).unwrap())
}

/// The set with web-0, ready for 5 seconds, web-1, which is still starting, and a revision.
fn snapshot() -> Snapshot {
    let set = set(&Value::Null);
    let status = Status::of_set(&set).unwrap();
    let mut snapshot = Snapshot::of_set(Set::from_json(set).unwrap(), status);
    for pod in [pod("web-0", Some(5)), pod("web-1", None)] {
        snapshot.pods.insert(Arc::clone(&pod.meta.name), pod);
    }
    snapshot.revisions.insert("web-a".into(), revision("web-a"));
    snapshot
}

fn world() -> World {
    World::new(snapshot(), moment(), Kubelet::default())
}

fn names<T>(objects: &BTreeMap<Arc<str>, T>) -> Vec<&str> {
    objects.keys().map(|name| &**name).collect()
}

/// The digest reveals a repeated state, whoever changed the objects.
#[test]
fn the_digest_follows_the_objects() {
    let web_a: Arc<str> = "web-a".into();
    let other = || {
        Arc::new(Status {
            ready_replicas: 3,
            ..Status::default()
        })
    };
    let changes: [&dyn Fn(&mut World); 4] = [
        &|world| world.forget_history(),
        &|world| world.create_set(Arc::clone(&world.snapshot.set), other()),
        &|world| world.release_revision(&web_a, "uid-of-web"),
        &|world| {
            world.remove_revision(&web_a).unwrap();
        },
    ];
    for change in changes {
        let mut world = world();
        change(&mut world);
        let anew = World::new(world.snapshot.clone(), world.now, Kubelet::default());
        assert_eq!(world.digest, anew.digest);
        assert_ne!(
            world.digest,
            super::World::new(snapshot(), moment(), Kubelet::default()).digest
        );
    }
}

/// All but two cycles until the first waiting event are skipped, and every waiting event comes that much sooner.
#[test]
fn all_but_two_cycles_are_skipped() {
    let ready_after = |after: i64| Assumption {
        ready_after: Some(seconds(after)),
        ..Assumption::default()
    };
    let after = |period: i64| {
        let kubelet = Kubelet {
            assumptions: BTreeMap::from([("web-1".to_owned(), ready_after(40))]),
            ..Kubelet::default()
        };
        let mut world = World::new(snapshot(), moment(), kubelet);
        world.mark_waiting();
        let round = Cycle {
            period: seconds(period),
            waiting: world.waiting(),
        };
        let skipped = world.skip_cycles(&round);
        let events = world.enabled();
        let events = events.map(|due| (due.at.duration_since(moment()).as_secs(), due.event));
        let events: Vec<(i64, PodEvent)> = events.collect();
        // web-0 has been ready for that much longer, and is checked again when it becomes available.
        let since = world.snapshot.pods["web-0"].ready.unwrap().since.unwrap();
        let available = since + world.min_ready;
        assert_eq!(available.duration_since(moment()).as_secs(), events[0].0);
        assert!(
            world
                .becoming_available
                .iter()
                .all(|(at, _)| *at == available)
        );
        (skipped, events)
    };
    let events = |first, second| vec![(first, PodEvent::Available), (second, PodEvent::Ready)];
    // 25 seconds are five cycles of five seconds.
    assert_eq!(after(5), (true, events(10, 25)));
    assert_eq!(after(8), (true, events(17, 32)));
    assert_eq!(after(9), (false, events(25, 40)));
    assert_eq!(after(60), (false, events(25, 40)));
}

/// A pod that is put into a world is checked again when it becomes available, and not before.
#[test]
fn a_stored_pod_becomes_available_in_time() {
    let (mut world, behaviour) = (world(), behaviour());
    let web_0 = Arc::clone(&world.snapshot.pods["web-0"]);
    world.set_clock(moment());
    let due = (seconds(25), PodEvent::Available);
    world.put_pod(&"web-0".into(), Some(web_0), Some(due));
    let mut available = Vec::new();
    for _ in 0..3 {
        world.sync(&behaviour, false);
        available.push(world.snapshot.status.available_replicas);
        let next = world.first().unwrap();
        world.fire(&next);
    }
    assert_eq!(available, [0, 0, 1]);
}

#[test]
fn status_and_revisions_are_restored() {
    let mut world = world();
    let (a, b) = (revision("web-a"), revision("web-b"));
    let put = |world: &mut World, revisions: &[&Arc<Revision>]| {
        let revisions = revisions.iter();
        let named = revisions.map(|it| (Arc::clone(&it.meta.name), Arc::clone(it)));
        let named: BTreeMap<_, _> = named.collect();
        let status = Arc::new(Status::default());
        world.put_status_and_revisions(&status, &Arc::new(named.clone()));
        assert_eq!(names(&world.snapshot.revisions), names(&named));
        assert!(Arc::ptr_eq(&world.snapshot.status, &status));
    };
    // More, others, the same, and fewer.
    put(&mut world, &[&a]);
    put(&mut world, &[&a, &b]);
    put(&mut world, &[&a, &b]);
    put(&mut world, &[&b]);
    put(&mut world, &[&a]);
}

/// The search with interned objects does not represent deletions, so it has to detect each of them.
#[test]
fn pending_garbage_collection_is_detected() {
    assert!(!world().is_being_cleaned_up());
    let mut protected = snapshot();
    let claim = json!({"metadata": {"name": "data-web-0", "namespace": "default", "uid": "uid-of-claim",
        "deletionTimestamp": moment().to_string(), "finalizers": [PVC_PROTECTION]}, "spec": {}});
    let claim = Arc::new(Claim::from_json(claim).unwrap());
    protected.claims.insert("data-web-0".into(), claim);
    assert!(World::new(protected, moment(), Kubelet::default()).is_being_cleaned_up());
    let mut terminating = snapshot();
    terminating.set = Arc::new(Set::from_json(set(&json!(moment().to_string()))).unwrap());
    assert!(World::new(terminating, moment(), Kubelet::default()).is_being_cleaned_up());
    // The pods of a removed set are still terminating when its replacement exists.
    let mut world = world();
    world.mark_set_deleted(Cascade::Background, &mut Vec::new());
    assert!(world.set_is_gone() && world.is_being_cleaned_up());
    world.create_set(Arc::clone(&world.snapshot.set), Arc::new(Status::default()));
    assert!(!world.set_is_gone() && world.is_being_cleaned_up());
}

/// Derived worlds continue from the state of the original, with the same kind of server and cache, and reuse no uid.
#[test]
fn derived_worlds_keep_server_and_cache() {
    let mut world = world().without_cache().as_recorded();
    let given = world.new_uid();
    world.mark_set_deleted(Cascade::Background, &mut Vec::new());
    let off = format!("{:?}", Cache::off());
    for mut other in [
        world.fork(world.snapshot.clone(), Kubelet::default()),
        world.under(&[]),
        world.branch(),
    ] {
        assert!(other.set_is_gone() && other.as_recorded);
        assert_eq!(format!("{:?}", other.cache), off);
        assert_ne!(other.new_uid(), given);
    }
}

/// Another world's results about revisions are taken over, unless the cache is off.
#[test]
fn recalled_results_are_cached() {
    let (mut known, behaviour) = (world(), behaviour());
    known.sync(&behaviour, false);
    let knows = |world: &World| format!("{:?}", world.cache).contains("proposal: Some");
    assert!(knows(&known) && !knows(&world()));
    assert!(knows(&world().recalling(&known)));
    assert!(!knows(&world().without_cache().recalling(&known)));
    known.cache.forget();
    assert!(!knows(&known));
}

/// A run that begins with a known sync equals one that computes it, even for a set that is gone.
#[test]
fn a_run_continues_from_a_known_sync() {
    let behaviour = behaviour();
    let gone = || {
        let mut gone = world();
        gone.mark_set_deleted(Cascade::Background, &mut Vec::new());
        gone
    };
    for (begin, has_work) in [(world as fn() -> World, true), (gone, false)] {
        let plain = run(begin(), &behaviour);
        let mut known = begin();
        let next = known.next_sync(&behaviour);
        assert_eq!(!next.writes.is_empty(), has_work);
        let after = run_after(known, &next, &behaviour);
        assert_eq!(after.steps, plain.steps);
        assert_eq!(after.syncs, plain.syncs);
        assert_eq!(after.world.digest(), plain.world.digest());
    }
}
