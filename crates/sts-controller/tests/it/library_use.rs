//! The engine as a library: objects in, results out as JSON.

use serde_json::{Value, json};
use sts_controller::controller::SnapshotError;
use sts_controller::object::Snapshot;
use sts_controller::simulate::{Kubelet, World, run};
use sts_controller::version::{Behaviour, Gates, Version};

#[path = "../../examples/pinned_order.rs"]
mod pinned_order;

fn behaviour() -> Behaviour {
    let version: Version = "1.36".parse().unwrap();
    Behaviour::new(version, &Gates::defaults(version))
}

fn set() -> Value {
    json!({
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "web", "namespace": "shop", "uid": "u", "generation": 1},
        "spec": {
            "replicas": 2,
            "serviceName": "web",
            "selector": {"matchLabels": {"app": "web"}},
            "podManagementPolicy": "OrderedReady",
            "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "main", "image": "app:1"}]},
            },
            "volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {}}],
        },
    })
}

fn object(kind: &str, name: &str) -> Value {
    let version = match kind {
        "ControllerRevision" => "apps/v1",
        _ => "v1",
    };
    json!({
        "apiVersion": version,
        "kind": kind,
        "metadata": {"name": name, "namespace": "shop", "uid": name, "labels": {"app": "web"}},
    })
}

/// Returns a pod of the set in a crash loop.
fn crashing() -> Value {
    let mut pod = object("Pod", "web-0");
    pod["metadata"]["ownerReferences"] = json!([{
        "apiVersion": "apps/v1", "kind": "StatefulSet", "name": "web", "uid": "u", "controller": true,
    }]);
    pod["status"] = json!({
        "phase": "Running",
        "containerStatuses": [{
            "name": "main",
            "ready": false,
            "restartCount": 12,
            "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s"}},
        }],
    });
    pod
}

#[test]
fn the_example_pins_an_order() {
    pinned_order::main().unwrap();
}

#[test]
fn a_snapshot_has_everything_its_controller_may_see() {
    let objects = [
        object("Pod", "web-7"),
        object("Pod", "other-0"),
        object("PersistentVolumeClaim", "data-web-3"),
        object("PersistentVolumeClaim", "data-other-3"),
        object("ControllerRevision", "web-6c9f"),
        object("Service", "web"),
        set(),
        json!({"metadata": {"name": "nothing"}}),
        json!(3),
    ];
    let snapshot = Snapshot::from_objects(objects).unwrap();
    let names = |names: Vec<&str>| names.join(" ");
    assert_eq!(
        names(snapshot.pods.keys().map(|it| &**it).collect()),
        "web-7"
    );
    assert_eq!(
        names(snapshot.claims.keys().map(|it| &**it).collect()),
        "data-web-3"
    );
    assert_eq!(
        names(snapshot.revisions.keys().map(|it| &**it).collect()),
        "web-6c9f"
    );

    // Lists as clients have them, whose items need no kind.
    let mut pod = object("Pod", "web-1");
    pod.as_object_mut()
        .unwrap()
        .retain(|key, _| key == "metadata");
    let pods = json!({"apiVersion": "v1", "kind": "PodList", "items": [pod]});
    let all = json!({"apiVersion": "v1", "kind": "List", "items": [set()]});
    let snapshot = Snapshot::from_objects([pods, all]).unwrap();
    assert!(snapshot.pods.contains_key("web-1"));
}

#[test]
fn snapshot_errors() {
    let of = |objects: Vec<Value>| Snapshot::from_objects(objects).map(drop).unwrap_err();
    assert_eq!(of(vec![object("Pod", "web-0")]), SnapshotError::NoSet);
    let mut other = set();
    other["metadata"]["name"] = json!("db");
    let both = of(vec![set(), other]);
    assert_eq!(both, SnapshotError::SeveralSets("web".into(), "db".into()));
    let mut wrong = object("Pod", "web-0");
    wrong["metadata"]["labels"] = json!("many");
    let message = of(vec![set(), wrong]).to_string();
    assert!(
        message.starts_with("Pod web-0: metadata.labels"),
        "{message}"
    );
}

#[test]
fn pod_problems_are_believed_unless_assumed_otherwise() {
    let snapshot = Snapshot::from_objects([set(), crashing()]).unwrap();
    let now = "2026-01-01T00:00:00Z".parse().unwrap();
    let ready = |kubelet| {
        let world = World::new(snapshot.clone(), now, kubelet);
        let end = run(world, &behaviour()).world;
        end.snapshot().status.ready_replicas
    };
    assert_eq!(ready(Kubelet::default()), 0);
    let hopeful = Kubelet {
        believes_trouble: false,
        ..Kubelet::default()
    };
    assert!(ready(hopeful) > 0);
}

#[test]
fn steps_and_holds_are_json() {
    let snapshot = Snapshot::from_objects([set(), crashing()]).unwrap();
    let now = "2026-01-01T00:00:00Z".parse().unwrap();
    let rollout = run(World::new(snapshot, now, Kubelet::default()), &behaviour());
    let json = serde_json::to_value(&rollout).unwrap();
    assert_eq!(json["end"], "rest");
    assert_eq!(json["syncs"], rollout.syncs);
    let first = &json["steps"][0];
    assert_eq!(first["at"], "2026-01-01T00:00:00Z");
    assert_eq!(first["actor"], "controller");
    let write = &first["writes"][0];
    assert_eq!(write["verb"], "create");
    assert_eq!(write["resource"], "controllerrevisions");

    let mut world = rollout.world;
    let next = world.next_sync(&behaviour());
    let holds = serde_json::to_value(&next.holds).unwrap();
    assert_eq!(
        holds,
        json!([{"reason": "WaitingForPodReady", "pod": "web-0"}])
    );
}
