//! Refusals by the API server during a rollout: pods that cannot be created from their template, and statuses.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};
use sts_controller::apiserver::apply;
use sts_controller::apiserver::validation::{pod_refusal, status_refusal};
use sts_controller::controller::{Refusal, Resource, Sync, Verb, Write};
use sts_controller::object::{Pod, Set, Snapshot, Status};
use sts_controller::simulate::{End, Kubelet, StepAction, World, run};
use sts_controller::version::{Behaviour, Gates, Version};

fn behaviour(version: &str) -> Behaviour {
    let version: Version = version.parse().unwrap();
    Behaviour::new(version, &Gates::new(version, &BTreeMap::new()).unwrap())
}

fn now() -> Timestamp {
    "2026-01-01T00:00:00Z".parse().unwrap()
}

/// Returns the set as stored by a server of that version, if it accepts this pod spec.
fn stored(name: &str, pod: &Value, version: &str) -> Option<Set> {
    let manifest = json!({
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "replicas": 2,
            "serviceName": "web",
            "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web"}}, "spec": pod},
        },
    });
    let outcome = apply::create(&manifest, &[], &behaviour(version)).unwrap();
    outcome
        .refused
        .is_empty()
        .then(|| Set::from_json(outcome.set).unwrap())
}

fn world(set: Set) -> World {
    let snapshot = Snapshot::of_set(set, Status::default());
    World::new(snapshot, now(), Kubelet::default())
}

fn creations(sync: &Sync) -> Vec<&Write> {
    let writes = sync.writes.iter();
    writes
        .filter(|write| write.resource == Resource::Pods && write.verb == Verb::Create)
        .collect()
}

/// Pod specs that servers before 1.34 accept in a template without validation, each with the error about its pod.
fn unusable() -> Vec<(Value, &'static str)> {
    let main = json!({"name": "main", "image": "app:1"});
    vec![
        (
            json!({"containers": [main], "dnsPolicy": "Mine"}),
            "spec.dnsPolicy: Unsupported value: \"Mine\": supported values: \"ClusterFirstWithHostNet\", \
             \"ClusterFirst\", \"Default\", \"None\"",
        ),
        (
            json!({"containers": [{"name": "main", "image": "app:1", "volumeMounts": [
                {"name": "data", "mountPath": "/data"},
            ]}]}),
            "spec.containers[0].volumeMounts[0].name: Not found: \"data\"",
        ),
        (
            json!({"containers": [{"name": "main", "image": "app:1", "ports": [
                {"containerPort": 80, "hostPort": 81},
            ]}], "hostNetwork": true}),
            "spec.containers[0].ports[0].hostPort: Invalid value: 81: must match `containerPort` when \
             `hostNetwork` is true",
        ),
        (json!({}), "spec.containers: Required value"),
    ]
}

#[test]
fn an_invalid_template_fails_at_the_first_pod() {
    for (pod, words) in unusable() {
        for version in ["1.20", "1.25", "1.30", "1.33"] {
            let mut world = world(stored("web", &pod, version).unwrap());
            let sync = world.sync(&behaviour(version), true).sync;
            let message = format!("Pod \"web-0\" is invalid: {words}");
            let [create] = creations(&sync)[..] else {
                panic!("{version}: {:?}", sync.writes)
            };
            assert_eq!(
                create.refused,
                Some(Refusal::Invalid(message.clone())),
                "{version}"
            );
            assert_eq!(
                sync.error.map(|error| error.to_string()),
                Some(message.clone())
            );
            let event = sync.events.last().unwrap();
            let text = event.to_string();
            assert!(text.starts_with("Warning FailedCreate "), "{text}");
            assert!(
                text.ends_with(&format!("failed error: {message}")),
                "{text}"
            );

            // The rollout never starts, and the hold never ends.
            let mut end = run(world, &behaviour(version));
            assert_eq!(end.end, End::Rest);
            assert!(end.world.snapshot().pods.is_empty(), "{version}");
            let last = end.world.next_sync(&behaviour(version));
            assert_eq!(creations(&last)[0].refused, create_refused(&message));
        }
        for version in ["1.34", "1.36", "1.37"] {
            assert!(stored("web", &pod, version).is_none(), "{version}: {pod}");
        }
    }
}

fn create_refused(message: &str) -> Option<Refusal> {
    Some(Refusal::Invalid(message.to_owned()))
}

#[test]
fn each_pod_of_a_parallel_set_is_refused() {
    let pod = json!({"containers": [{"name": "main", "image": " app:1"}]});
    let mut set = stored("web", &pod, "1.30").unwrap();
    let mut object = Value::clone(&set.object.open());
    object["spec"]["podManagementPolicy"] = "Parallel".into();
    set = Set::from_json(object).unwrap();
    let sync = world(set).sync(&behaviour("1.30"), true).sync;
    let refused: Vec<String> = creations(&sync)
        .iter()
        .filter_map(|write| write.refused.as_ref().map(ToString::to_string))
        .collect();
    assert_eq!(
        refused,
        [
            "Pod \"web-0\" is invalid: spec.containers[0].image: Invalid value: \" app:1\": must not have leading or \
             trailing whitespace"
        ],
        "the first batch is of one pod, and its failure ends the sync"
    );
}

/// Sets of old servers may have dots in their names; host names of pods may not.
#[test]
fn a_name_with_dots_is_no_host_name() {
    let pod = json!({"containers": [{"name": "main", "image": "app:1"}]});
    let sync = world(stored("web.a", &pod, "1.26").unwrap())
        .sync(&behaviour("1.26"), true)
        .sync;
    let error = sync.error.unwrap().to_string();
    let words = "Pod \"web.a-0\" is invalid: spec.hostname: Invalid value: \"web.a-0\": must not contain dots";
    assert_eq!(error, words);
    assert!(stored("web.a", &pod, "1.27").is_none());
}

/// Fields that the template lacks are defaulted before the pod is validated.
#[test]
fn a_pod_is_decoded_and_defaulted_first() {
    let pod = json!({
        "metadata": {"name": "web-0", "namespace": "default", "labels": {"app": "web"}},
        "spec": {
            "hostNetwork": true,
            "containers": [{"name": "main", "image": "app:1", "ports": [{"containerPort": 80}]}],
        },
    });
    for minor in 20..=37 {
        assert_eq!(pod_refusal(&pod, &behaviour(&format!("1.{minor}"))), None);
    }
}

#[test]
fn invalid_counts() {
    let good = Status {
        replicas: 3,
        ready_replicas: 2,
        current_replicas: 1,
        updated_replicas: 2,
        available_replicas: 2,
        collision_count: Some(1),
        ..Status::default()
    };
    let refusal = |change: fn(&mut Status), version: &str| {
        let mut changed = good.clone();
        change(&mut changed);
        status_refusal("web", &good, &changed, &behaviour(version).validation)
    };
    let words = |text: &str| Some(format!("StatefulSet.apps \"web\" is invalid: {text}"));
    for version in ["1.20", "1.30", "1.37"] {
        assert_eq!(refusal(|_| {}, version), None);
        assert_eq!(
            refusal(|status| status.current_replicas = -1, version),
            words("status.currentReplicas: Invalid value: -1: must be greater than or equal to 0")
        );
        assert_eq!(
            refusal(|status| status.updated_replicas = 4, version),
            words(
                "status.updatedReplicas: Invalid value: 4: cannot be greater than status.replicas"
            )
        );
        assert_eq!(
            refusal(|status| status.collision_count = None, version),
            words("status.collisionCount: Invalid value: 0: cannot be decremented")
        );
    }
    let too_many: fn(&mut Status) = |status| status.available_replicas = 3;
    assert_eq!(refusal(too_many, "1.20"), None, "1.20 has no such field");
    assert_eq!(
        refusal(too_many, "1.30"),
        words(
            "status.availableReplicas: Invalid value: 3: cannot be greater than status.readyReplicas"
        )
    );
    assert_eq!(
        refusal(
            |status| (status.current_replicas, status.updated_replicas) = (-1, -2),
            "1.36"
        ),
        words(
            "[status.currentReplicas: Invalid value: -1: must be greater than or equal to 0, \
             status.updatedReplicas: Invalid value: -2: must be greater than or equal to 0]"
        )
    );
}

/// An orphan of another template: the controller adopts it and deletes it at once, which counts as minus one current
/// pod. The server refuses that. The controller counts again when the pod is terminating, and succeeds.
#[test]
fn a_refused_negative_count_is_counted_again() {
    let pod = json!({"containers": [{"name": "main", "image": "app:1"}]});
    for (version, recorded) in [("1.36", false), ("1.36", true), ("1.20", false)] {
        let set = stored("web", &pod, version).unwrap();
        let mut object = Value::clone(&set.object.open());
        object["spec"]["replicas"] = 1.into();
        let mut snapshot = Snapshot::of_set(Set::from_json(object).unwrap(), Status::default());
        let orphan = json!({
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": "web-0", "namespace": "default", "uid": "orphan",
                "labels": {
                    "app": "web", "statefulset.kubernetes.io/pod-name": "web-0",
                    "controller-revision-hash": "web-old",
                },
            },
            "spec": {"nodeName": "node", "containers": [{"name": "main", "image": "app:0"}]},
            "status": {"phase": "Running", "conditions": [
                {"type": "Ready", "status": "True", "lastTransitionTime": "2025-12-31T00:00:00Z"},
            ]},
        });
        let orphan = Arc::new(Pod::from_json(orphan).unwrap());
        snapshot.pods.insert(Arc::from("web-0"), orphan);
        let mut world = World::new(snapshot, now(), Kubelet::default());
        if recorded {
            world = world.as_recorded();
        }
        let end = run(world, &behaviour(version));
        let statuses: Vec<Option<String>> = end
            .steps
            .iter()
            .filter_map(|step| match &step.action {
                StepAction::Controller(writes) => Some(writes),
                _ => None,
            })
            .flatten()
            .filter(|write| write.resource == Resource::Status)
            .map(|write| write.refused.as_ref().map(ToString::to_string))
            .collect();
        let negative = "StatefulSet.apps \"web\" is invalid: status.currentReplicas: Invalid value: -1: must be \
                        greater than or equal to 0";
        let first = (!recorded).then(|| negative.to_owned());
        assert_eq!(statuses[0], first, "{version}");
        assert!(
            statuses[1..].iter().all(Option::is_none),
            "{version}: {statuses:?}"
        );
        assert_eq!(end.end, End::Rest);
        assert_eq!(end.world.snapshot().status.current_replicas, 1, "{version}");
    }
}

/// An error of a later minor is reported if the minor itself was not compared with a server.
#[test]
fn missing_checks_are_reported() {
    let pod = json!({"containers": [{"name": "main", "image": "app:1"}], "securityContext": {
        "sysctls": [{"name": "kernel.shm_rmid_forced", "value": "1"}],
    }, "hostIPC": true});
    let notes_of = |version: &str| {
        let manifest = json!({
            "apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "web"},
            "spec": {
                "serviceName": "web", "selector": {"matchLabels": {"app": "web"}},
                "template": {"metadata": {"labels": {"app": "web"}}, "spec": pod},
            },
        });
        let outcome = apply::create(&manifest, &[], &behaviour(version)).unwrap();
        assert_eq!(outcome.server_warnings, [""; 0]);
        assert_eq!(outcome.warnings, [""; 0]);
        outcome.not_checked
    };
    let notes = notes_of("1.28");
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(
        notes[0].contains("not verified for 1.28; 1.30 rejects it"),
        "{notes:?}"
    );
    for version in ["1.20", "1.29", "1.30", "1.33", "1.37"] {
        assert_eq!(notes_of(version), [] as [&str; 0], "{version}");
    }
}
