//! Differences of 1.37 from 1.36: every case of docs/semantics.md, section 8.

use serde_json::{Value, json};
use sts_controller::apiserver::validation::{Refused, validate_create, validate_update};
use sts_controller::controller::{Refusal, Resource, Verb};
use sts_controller::version::{Behaviour, Gates, Version};

use crate::scenario::{PodSketch, Scenario, Seen, expect, next, next_with, pod, revision, web};

const GATE_ON: &str = "1.36.2 MaxUnavailableStatefulSet=true";
const RECREATE: &str = "1.37.0 StatefulSetRecreateStrategy=true";

/// Returns the ordinals of the pods that a sync deletes, in order.
fn deleted(seen: &Seen) -> Vec<usize> {
    let deletes = seen.sync.writes.iter().filter(|write| {
        (write.verb, write.resource) == (Verb::Delete, Resource::Pods) && write.refused.is_none()
    });
    deletes
        .map(|write| write.name.rsplit('-').next().unwrap().parse().unwrap())
        .collect()
}

/// Returns a rollout to `v2` with all pods outdated. Those in `0u 1t 2m` are unready, terminating, or ready for too
/// short a time.
fn outdated(policy: &str, replicas: i64, partition: i64, max: i64, state: &str) -> Scenario {
    let rolling = json!({"partition": partition, "maxUnavailable": max});
    let mut world = web(replicas)
        .rolling_to_v2()
        .min_ready(30)
        .spec("podManagementPolicy", policy.into())
        .spec(
            "updateStrategy",
            json!({"type": "RollingUpdate", "rollingUpdate": rolling}),
        );
    for word in state.split_whitespace() {
        let (ordinal, how) = word.split_at(1);
        let pod = pod(&format!("web-{ordinal}"));
        world = world.pod(match how {
            "u" => pod.not_ready(),
            "t" => pod.terminating(),
            "m" => pod.ready_for(10),
            other => panic!("{other}"),
        });
    }
    world
}

#[test]
fn parallel_updates_delete_unavailable_pods_first() {
    type Row = (i64, i64, i64, &'static str, &'static [usize]);
    let rows: [Row; 15] = [
        (1, 0, 1, "0u", &[0]),
        (3, 0, 1, "2u", &[2]),
        (5, 0, 2, "3u 4u", &[4, 3]),
        (3, 0, 1, "2t", &[]),
        (5, 0, 3, "4t 3u", &[3, 2]),
        (3, 0, 1, "2m", &[2]),
        (5, 0, 3, "3t 4u", &[4, 2]),
        (5, 2, 1, "4u", &[4]),
        (5, 2, 1, "2u", &[2]),
        (5, 2, 1, "1u", &[]),
        (5, 3, 2, "3u 4u", &[4, 3]),
        (5, 3, 2, "1u 4u", &[4]),
        (4, 0, 2, "0u 1u", &[1, 0]),
        (5, 0, 3, "0u 1u", &[1, 0, 4]),
        (5, 0, 5, "", &[4, 3, 2, 1, 0]),
    ];
    for (replicas, partition, max, state, expected) in rows {
        let world = outdated("Parallel", replicas, partition, max, state);
        let seen = next(&world, "1.37.0");
        assert_eq!(
            deleted(&seen),
            expected,
            "{replicas} {partition} {max} {state}"
        );
        let events = seen.events();
        let shown = events
            .iter()
            .filter(|event| event.starts_with("Normal SuccessfulDelete"));
        assert_eq!(shown.count(), expected.len());
        let live = replicas - i64::try_from(state.matches('t').count()).unwrap();
        let gone = i64::try_from(expected.len()).unwrap();
        assert_eq!(seen.sync.status.current_replicas, live - gone);
    }
    // Before, any unavailable pod used up the budget.
    for (replicas, max, state, expected) in [
        (3, 1, "2u", &[][..]),
        (5, 3, "4t 3u", &[3]),
        (5, 3, "3t 4u", &[4]),
        (5, 3, "0u 1u", &[4]),
    ] {
        let world = outdated("Parallel", replicas, 0, max, state);
        assert_eq!(deleted(&next(&world, GATE_ON)), expected, "{state}");
    }
}

#[test]
fn ordered_updates_are_unchanged() {
    for (replicas, partition, max, state) in [
        (1, 0, 1, "0u"),
        (3, 0, 1, "2u"),
        (5, 0, 2, "4u"),
        (3, 0, 1, "2t"),
        (3, 0, 1, "2m"),
        (5, 0, 3, "3u 4t"),
        (5, 0, 3, "3t 4u"),
        (5, 2, 1, "4u"),
        (5, 0, 2, ""),
    ] {
        let world = outdated("OrderedReady", replicas, partition, max, state);
        assert_eq!(
            next(&world, "1.37.0").lines(),
            next(&world, GATE_ON).lines(),
            "{state}"
        );
    }
}

#[test]
fn the_default_of_one_differs_under_parallel() {
    let broken = |world: Scenario, names: &[&str]| {
        names
            .iter()
            .fold(world, |world, name| world.pod(pod(name).crash_looping()))
    };
    let all = broken(
        web(3).parallel().rolling_to_v2(),
        &["web-0", "web-1", "web-2"],
    );
    assert_eq!(deleted(&next(&all, "1.37.0")), [2, 1, 0]);
    assert_eq!(deleted(&next(&all, "1.36.2")), [2]);
    assert_eq!(deleted(&next(&all, "1.35.3")), [] as [usize; 0]);
    let updated = |name: &str| pod(name).at("v2").not_ready();
    let above = web(3).parallel().rolling_to_v2().pod(updated("web-2"));
    for version in ["1.37.0", "1.36.2", "1.35.3"] {
        assert_eq!(deleted(&next(&above, version)), [] as [usize; 0]);
    }
    let below = web(3).parallel().rolling_to_v2().pod(updated("web-0"));
    assert_eq!(deleted(&next(&below, "1.36.2")), [2]);
    assert_eq!(deleted(&next(&below, "1.37.0")), [] as [usize; 0]);
    // With the gate off, it is as before.
    let off = "1.37.0 MaxUnavailableStatefulSet=false";
    assert_eq!(deleted(&next(&below, off)), [2]);
    assert_eq!(deleted(&next(&all, off)), [2]);
    // An ordered set with the default of one is updated as if the gate were off.
    let ordered = web(3).rolling_to_v2();
    assert_eq!(
        next(&ordered, "1.37.0").lines(),
        next(&ordered, "1.36.2").lines()
    );
}

#[test]
fn an_unreadable_bound_blocks_the_status_again() {
    let world = web(3).rolling_to_v2().max_unavailable(json!("some"));
    assert!(next(&world, "1.36.2").sync.error.is_none());
    assert!(next(&world, "1.37.0").sync.error.is_some());
}

/// Returns a set with the strategy `Recreate` and a new template, `v2`, which its pods do not have.
fn recreating() -> Scenario {
    web(3)
        .rolling_to_v2()
        .spec("updateStrategy", json!({"type": "Recreate"}))
}

fn condition(seen: &Seen) -> Value {
    let conditions = seen.sync.status.conditions.as_deref();
    conditions.map_or(Value::Null, |list| list[0].clone())
}

fn progress(seen: &Seen) -> (Value, Value, Value) {
    let condition = condition(seen);
    assert_eq!(condition["type"], "Progressing");
    let part = |name: &str| condition[name].clone();
    (part("status"), part("reason"), part("message"))
}

fn in_progress(message: &str) -> (Value, Value, Value) {
    ("True".into(), "RecreateInProgress".into(), message.into())
}

const DELETING: &str = "Deleting old revision pods";
const CREATING: &str = "Waiting for new-revision pods to be created";

#[test]
fn recreate_deletes_all_outdated_pods() {
    // R1: under either pod management policy.
    for world in [recreating(), recreating().parallel()] {
        let seen = next(&world, RECREATE);
        assert_eq!(
            seen.lines(),
            [
                "delete pods web-0 v1",
                "delete pods web-1 v1",
                "delete pods web-2 v1"
            ],
        );
        assert_eq!(seen.sync.status.current_replicas, 3);
    }
    let world = recreating().status("observedGeneration", 0);
    let seen = next(&world, RECREATE);
    assert_eq!(seen.lines().last().unwrap(), "update status observed=1");
    assert_eq!(progress(&seen), in_progress(DELETING));
    // R12: in any phase, and R9: gone already.
    let world = recreating()
        .pod(pod("web-1").failed())
        .pod(pod("web-2").pending());
    assert_eq!(deleted(&next(&world, RECREATE)), [0, 1, 2]);
    let world = recreating().status("observedGeneration", 0);
    let gone = next_with(&world, RECREATE, |write| {
        (write.verb == Verb::Delete && &*write.name == "web-0").then(|| Refusal::NotFound {
            resource: "pods",
            name: write.name.clone(),
        })
    });
    assert!(gone.sync.error.is_none());
    assert_eq!(gone.events().len(), 3);
    assert_eq!(progress(&gone), in_progress(DELETING));
}

#[test]
fn recreate_waits_until_all_pods_are_gone() {
    let terminating = |name: &str| pod(name).terminating();
    // R2.
    let all = recreating()
        .pod(terminating("web-0"))
        .pod(terminating("web-1"))
        .pod(terminating("web-2"));
    let hold = |name: &str| format!("hold RecreateWaitingForTermination {name}");
    let seen = next(&all, RECREATE);
    assert_eq!(
        seen.lines(),
        [
            "update status current=0".to_owned(),
            hold("web-0"),
            hold("web-1"),
            hold("web-2")
        ],
    );
    assert_eq!(progress(&seen), in_progress(DELETING));
    // R3: a pod that is gone is not created yet.
    let seen = next(&all.without("web-1"), RECREATE);
    assert_eq!(
        seen.lines(),
        [
            "update status replicas=2 ready=2 available=2 current=0".to_owned(),
            hold("web-0"),
            hold("web-2")
        ],
    );
    // R7: an updated pod stays, and a missing one waits.
    let updated = |name: &str| pod(name).at("v2");
    let world = recreating().pod(updated("web-0")).pod(updated("web-2"));
    assert_eq!(deleted(&next(&world, RECREATE)), [1]);
}

#[test]
fn recreate_then_creates_pods() {
    let gone = recreating()
        .without("web-0")
        .without("web-1")
        .without("web-2");
    // R4.
    let seen = next(&gone, RECREATE);
    assert_eq!(
        seen.lines(),
        [
            "create pods web-0 v2",
            "update status replicas=0 ready=0 available=0 current=0",
        ],
    );
    assert_eq!(progress(&seen), in_progress(CREATING));
    // R5.
    let seen = next(&gone.parallel(), RECREATE);
    assert_eq!(
        seen.lines()[..3],
        [
            "create pods web-0 v2",
            "create pods web-1 v2",
            "create pods web-2 v2"
        ],
    );
    assert_eq!(progress(&seen), in_progress(CREATING));
    // R6.
    let updated = |name: &str| pod(name).at("v2");
    let world = recreating()
        .pod(updated("web-0"))
        .pod(updated("web-1"))
        .pod(updated("web-2"));
    let seen = next(&world, RECREATE);
    assert_eq!(seen.lines(), ["update status updated=3 currentRevision=v2"]);
    let completed = ("False".into(), "RecreateCompleted".into());
    let message = "All pods recreated successfully".into();
    assert_eq!(progress(&seen), (completed.0, completed.1, message));
    // R15: without other changes than the type there is nothing to do.
    let steady = web(3).spec("updateStrategy", json!({"type": "Recreate"}));
    expect(&steady, RECREATE, &[]);
}

#[test]
fn recreate_deletes_slots_before_condemned_pods() {
    // R10.
    let world = web(4)
        .rolling_to_v2()
        .replicas(2)
        .spec("updateStrategy", json!({"type": "Recreate"}));
    assert_eq!(deleted(&next(&world, RECREATE)), [0, 1, 3, 2]);
    // R11: an updated condemned pod waits.
    let world = web(1)
        .rolling_to_v2()
        .replicas(2)
        .spec("updateStrategy", json!({"type": "Recreate"}))
        .pod(pod("web-3").at("v2"));
    assert_eq!(deleted(&next(&world, RECREATE)), [0]);
}

#[test]
fn recreate_keeps_its_condition_after_an_error() {
    // R8: the batch is finished, the next one does not start, and the conditions stay as stored.
    let stored = json!([{"type": "Stalled", "status": "True"}]);
    let world = recreating()
        .status("conditions", stored.clone())
        .status("readyReplicas", 1);
    let seen = next_with(&world, RECREATE, |write| {
        (write.verb == Verb::Delete && &*write.name == "web-1")
            .then(|| Refusal::Invalid("it is Sunday".to_owned()))
    });
    assert_eq!(deleted(&seen), [0, 2]);
    assert_eq!(
        seen.sync.error.as_ref().unwrap().to_string(),
        "it is Sunday"
    );
    assert_eq!(seen.events()[1].split(' ').nth(1), Some("FailedDelete"));
    assert_eq!(seen.sync.status.conditions.as_deref(), Some(&stored));
    // R13: they also do while the set terminates.
    let seen = next(&world.deleting(), RECREATE);
    assert_eq!(deleted(&seen), [] as [usize; 0]);
    assert_eq!(seen.sync.status.conditions.as_deref(), Some(&stored));
}

#[test]
fn recreate_without_its_gate_is_an_error() {
    // R14: the revision is created before.
    let world = web(3)
        .template("v2")
        .spec("updateStrategy", json!({"type": "Recreate"}));
    let message = "statefulset default/web uses Recreate strategy but feature gate \
                   StatefulSetRecreateStrategy is disabled";
    let seen = next(&world, "1.37.0");
    assert_eq!(
        seen.lines(),
        [
            "create revisions v2 as number 2".to_owned(),
            format!("error: {message}")
        ],
    );
    assert_eq!(
        seen.events(),
        [format!("Warning UnknownStrategy {message}")]
    );
    // Also while the set terminates.
    assert!(next(&world.deleting(), "1.37.0").sync.error.is_some());
    // Until 1.36 it is a rolling update that never completes.
    let world = recreating();
    assert_eq!(deleted(&next(&world, "1.36.2")), [2]);
    let updated: Vec<PodSketch> = (0..3)
        .map(|at| pod(&format!("web-{at}")).at("v2"))
        .collect();
    let world = updated.into_iter().fold(recreating(), Scenario::pod);
    let seen = next(&world, "1.36.2");
    assert_eq!(seen.lines(), ["update status current=0 updated=3"]);
}

#[test]
fn the_transition_time_stays_while_the_condition_does() {
    let stored = |status: &str| {
        json!([{"type": "Progressing", "status": status, "reason": "RecreateInProgress",
            "message": DELETING, "lastTransitionTime": "2025-12-31T00:00:00Z"}])
    };
    for (status, since) in [
        ("True", "2025-12-31T00:00:00Z"),
        ("False", "2026-01-01T12:00:00Z"),
    ] {
        let world = recreating().status("conditions", stored(status));
        let seen = next(&world.status("observedGeneration", 0), RECREATE);
        assert_eq!(condition(&seen)["lastTransitionTime"], since);
    }
}

#[test]
fn a_rollout_completes_whatever_the_strategy() {
    let updated = |world: Scenario, count: i64| {
        (0..count).fold(world, |world, at| {
            world.pod(pod(&format!("web-{at}")).at("v2"))
        })
    };
    let world = |count| updated(web(3).rolling_to_v2().on_delete(), count);
    // K1.
    let all = world(3)
        .status("updatedReplicas", 3)
        .status("currentReplicas", 0);
    expect(&all, "1.36.2", &[]);
    expect(
        &all,
        "1.37.0",
        &["update status current=3 currentRevision=v2"],
    );
    // K2 and K3.
    let unready = all
        .clone()
        .pod(pod("web-1").at("v2").not_ready())
        .status("readyReplicas", 2)
        .status("availableReplicas", 2);
    assert!(next(&unready, "1.37.0").sync.writes.is_empty());
    let some = world(2)
        .status("updatedReplicas", 2)
        .status("currentReplicas", 1);
    assert!(next(&some, "1.37.0").sync.writes.is_empty());
    // K5: the partition does not matter.
    let held = updated(web(3).rolling_to_v2().partition(1), 0)
        .pod(pod("web-1").at("v2"))
        .pod(pod("web-2").at("v2"))
        .status("updatedReplicas", 2)
        .status("currentReplicas", 1);
    for version in ["1.36.2", "1.37.0"] {
        assert!(next(&held, version).sync.writes.is_empty(), "{version}");
    }
    // K6: the old revision is still in use in the sync that completes.
    let cut = all.history_limit(0).revision(revision("v0", 0));
    assert_eq!(
        next(&cut, "1.37.0").lines(),
        [
            "update status current=3 currentRevision=v2",
            "delete revisions v0",
        ],
    );
}

#[test]
fn stored_conditions_are_kept() {
    // K4.
    let stored = json!([{"type": "X", "status": "True"}]);
    let world = web(3)
        .status("conditions", stored.clone())
        .status("readyReplicas", 2);
    let kept = |version: &str| next(&world, version).sync.status.conditions.clone();
    assert_eq!(kept("1.37.0").as_deref(), Some(&stored));
    assert_eq!(kept("1.36.2"), None);
}

fn refused(version: &str, old: Option<&Value>, new: &Value) -> Vec<Refused> {
    let (version, gates) = version.split_once(' ').unwrap_or((version, ""));
    let version: Version = version.parse().unwrap();
    let gates = Gates::new(version, &Gates::parse(gates).unwrap()).unwrap();
    let validation = Behaviour::new(version, &gates).validation;
    match old {
        None => validate_create(new, &validation),
        Some(old) => validate_update(old, new, &validation),
    }
}

fn set(strategy: &str) -> Value {
    json!({
        "metadata": {"name": "web", "namespace": "default", "resourceVersion": "1"},
        "spec": {
            "replicas": 1,
            "podManagementPolicy": "OrderedReady",
            "updateStrategy": {"type": strategy},
            "selector": {"matchLabels": {"app": "web"}},
            "serviceName": "web",
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {
                    "restartPolicy": "Always",
                    "dnsPolicy": "ClusterFirst",
                    "terminationGracePeriodSeconds": 30,
                    "containers": [{
                        "name": "c", "image": "i", "imagePullPolicy": "Always",
                        "terminationMessagePolicy": "File",
                    }],
                },
            },
        },
    })
}

#[test]
fn the_strategy_recreate_is_accepted_behind_its_gate() {
    let fields = |refused: Vec<Refused>| -> Vec<String> {
        refused.into_iter().map(|refused| refused.field).collect()
    };
    let invalid = ["spec.updateStrategy".to_owned()];
    assert_eq!(
        fields(refused(RECREATE, None, &set("Recreate"))),
        [] as [String; 0]
    );
    assert_eq!(fields(refused("1.37.0", None, &set("Recreate"))), invalid);
    assert_eq!(fields(refused("1.36.2", None, &set("Recreate"))), invalid);
    for old in ["RollingUpdate", "OnDelete"] {
        let to = |version| fields(refused(version, Some(&set(old)), &set("Recreate")));
        assert_eq!(to(RECREATE), [] as [String; 0]);
        assert_eq!(to("1.37.0"), invalid);
    }
    for new in ["Recreate", "RollingUpdate", "OnDelete"] {
        for version in [RECREATE, "1.37.0"] {
            let from = fields(refused(version, Some(&set("Recreate")), &set(new)));
            assert_eq!(from, [] as [String; 0], "{version} {new}");
        }
    }
}

#[test]
fn each_immutable_field_has_its_own_error() {
    let old = set("RollingUpdate");
    let mut new = old.clone();
    new["spec"]["serviceName"] = "other".into();
    new["spec"]["podManagementPolicy"] = "Parallel".into();
    new["spec"]["revisionHistoryLimit"] = 3.into();
    let shown: Vec<String> = refused("1.37.0", Some(&old), &new)
        .iter()
        .map(|refused| format!("{}: {}", refused.field, refused.message))
        .collect();
    let mut sorted = shown;
    sorted.sort();
    assert_eq!(
        sorted,
        [
            "spec.podManagementPolicy: Invalid value: \"Parallel\": field is immutable",
            "spec.serviceName: Invalid value: \"other\": field is immutable",
        ]
    );
    let before = refused("1.36.2", Some(&old), &new);
    assert!(
        before
            .iter()
            .all(|refused| refused.field == "spec" && refused.is_unchangeable())
    );
    assert!(
        refused("1.37.0", Some(&old), &new)
            .iter()
            .all(Refused::is_unchangeable)
    );
}

#[test]
fn the_bound_is_dropped_if_the_gate_is_off() {
    use sts_controller::apiserver::validation::drop_disabled_fields;
    let with = |max: Option<i64>| {
        let mut set = set("RollingUpdate");
        set["spec"]["updateStrategy"]["rollingUpdate"] =
            json!({"partition": 0, "maxUnavailable": max});
        set
    };
    let kept = |version: &str, old: Option<i64>, new: Option<i64>| -> Value {
        let (version, gates) = version.split_once(' ').unwrap_or((version, ""));
        let version: Version = version.parse().unwrap();
        let gates = Gates::new(version, &Gates::parse(gates).unwrap()).unwrap();
        let mut set = with(new);
        let validation = Behaviour::new(version, &gates).validation;
        drop_disabled_fields(&mut set, Some(&with(old)), &validation);
        set["spec"]["updateStrategy"]["rollingUpdate"]["maxUnavailable"].clone()
    };
    let off = "1.37.0 MaxUnavailableStatefulSet=false";
    assert_eq!(kept(off, None, Some(3)), Value::Null);
    assert_eq!(kept(off, Some(3), Some(3)), 3);
    assert_eq!(kept(off, None, None), Value::Null);
    assert_eq!(kept("1.37.0", None, Some(3)), 3);
    assert_eq!(kept("1.37.0", Some(3), Some(1)), 1);
}

#[test]
fn a_future_minor_behaves_like_the_newest() {
    let version: Version = "1.38.2".parse().unwrap();
    assert!(version.is_beyond_known() && !version.known_to_differ().is_empty());
    let newest = Behaviour::new(Version::NEWEST, &Gates::defaults(Version::NEWEST));
    let later = Behaviour::new(version, &Gates::defaults(version.or_newest()));
    assert_eq!(later.version, version);
    assert!(later.behaves_as(&newest) && later.validation == newest.validation);
    // Condemned pods wait behind a refused creation. 1.38 is known to differ there.
    let world = web(4).replicas(2).parallel().without("web-1");
    let seen = next_with(&world, "1.37.0", |write| {
        (write.verb == Verb::Create).then(|| Refusal::Invalid("exceeded quota".to_owned()))
    });
    assert_eq!(deleted(&seen), [] as [usize; 0]);
    assert!(Version::NEWEST.known_to_differ().is_empty());
}

/// New members of 1.37 are behind gates that are off. Members of two gates that it switches on are kept.
#[test]
fn new_members_of_templates_are_dropped_behind_their_gates() {
    let pod = json!({
        "evictionResponders": [{"name": "example.com/a", "priority": 1}],
        "containers": [{
            "name": "main",
            "image": "app:1",
            "readinessProbe": {"httpGet": {"port": 80, "protocol": "HTTP2"}},
            "livenessProbe": {"grpc": {"port": 81, "mode": "TLS"}},
            "lifecycle": {"preStop": {"httpGet": {"port": 80, "protocol": "HTTP1"}}},
            "volumeMounts": [
                {"name": "tmp", "mountPath": "/tmp", "bindMountOptions": ["noexec"]},
            ],
        }],
        "volumes": [
            {"name": "tmp", "emptyDir": {"mode": 511}},
            {"name": "keys", "secret": {"secretName": "s", "defaultUser": 5, "items": [
                {"key": "a", "path": "a", "user": 6},
            ]}},
            {"name": "trust", "projected": {"sources": [
                {"clusterTrustBundle": {"name": "root", "path": "root.pem", "user": 7}},
            ]}},
        ],
    });
    let kept = |version: &str| {
        let version: Version = version.parse().unwrap();
        let behaviour = Behaviour::new(version, &Gates::defaults(version));
        let manifest = json!({
            "apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "web"},
            "spec": {
                "serviceName": "web", "selector": {"matchLabels": {"app": "web"}},
                "template": {"metadata": {"labels": {"app": "web"}}, "spec": pod},
            },
        });
        let outcome = sts_controller::apiserver::apply::create(&manifest, &[], &behaviour).unwrap();
        assert_eq!(outcome.refused, [], "{version}");
        (
            outcome.set["spec"]["template"]["spec"].clone(),
            outcome.dropped,
        )
    };
    let (spec, dropped) = kept("1.37.0");
    let gates: std::collections::BTreeSet<&str> =
        dropped.iter().map(|dropped| dropped.gate).collect();
    let expected = [
        "AtomicWriteVolumeUserFields",
        "EmptyDirVolumeMode",
        "EvictionRequestAPI",
        "GRPCContainerProbeTLS",
        "H2CContainerProbe",
        "VolumeBindMountOptions",
    ];
    assert_eq!(gates.into_iter().collect::<Vec<_>>(), expected);
    for member in [
        "evictionResponders",
        "protocol",
        "TLS",
        "bindMountOptions",
        "511",
        "defaultUser",
        "\"user\"",
    ] {
        assert!(!spec.to_string().contains(member), "{member}: {spec}");
    }
    let bundle = |spec: &Value| {
        spec["volumes"][2]["projected"]["sources"][0]["clusterTrustBundle"]["name"].clone()
    };
    assert_eq!(bundle(&spec), "root");
    assert_eq!(bundle(&kept("1.36.2").0), Value::Null);
}
