//! Scenarios in which the real controller must do what the plan says.

use std::ops::RangeInclusive;

use serde_json::{Value, json};

use super::acts::Act::{self, *};
use super::scenario::{Scenario, Stage, check};

const WEB: &str = "statefulsets/web";

/// The set `web` with this many replicas.
pub fn web(replicas: i32) -> Value {
    json!({
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "web"},
        "spec": {
            "replicas": replicas,
            "serviceName": "web",
            "selector": {"matchLabels": {"app": "web"}},
            "template": template("1"),
        },
    })
}

fn template(tag: &str) -> Value {
    json!({
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "main", "image": format!("app:{tag}")}]},
    })
}

/// The set with another field of its spec.
fn with(mut set: Value, member: &str, value: Value) -> Value {
    set["spec"][member] = value;
    set
}

fn parallel(set: Value) -> Value {
    with(set, "podManagementPolicy", json!("Parallel"))
}

fn partitioned(set: Value, partition: i32) -> Value {
    let strategy = json!({"type": "RollingUpdate", "rollingUpdate": {"partition": partition}});
    with(set, "updateStrategy", strategy)
}

fn retaining(set: Value, when_deleted: &str, when_scaled: &str) -> Value {
    let policy = json!({"whenDeleted": when_deleted, "whenScaled": when_scaled});
    with(set, "persistentVolumeClaimRetentionPolicy", policy)
}

/// A finalizer that no controller removes.
fn held() -> Value {
    json!({"metadata": {"finalizers": ["example.com/hold"]}})
}

/// A template that servers before 1.34 accept without validation.
fn unusable() -> Value {
    let mut template = template("1");
    template["spec"]["dnsPolicy"] = "Mine".into();
    template
}

fn on_delete(set: Value) -> Value {
    with(set, "updateStrategy", json!({"type": "OnDelete"}))
}

/// The set with claims of these names for each pod.
pub fn claiming(set: Value, names: &[&str]) -> Value {
    let templates: Vec<Value> = names
        .iter()
        .map(|name| {
            json!({
                "metadata": {"name": name},
                "spec": {
                    "accessModes": ["ReadWriteOnce"],
                    "resources": {"requests": {"storage": "1Gi"}},
                },
            })
        })
        .collect();
    with(set, "volumeClaimTemplates", templates.into())
}

/// A pod without an owner, with a node and these labels.
fn bare_pod(name: &str, labels: Value) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": labels},
        "spec": {"containers": [{"name": "main", "image": "app:0"}]},
    })
}

/// Sets a field of the set's spec.
fn spec(member: &str, value: Value) -> Act {
    Merge(WEB, json!({"spec": {member: value}}))
}

fn replicas(count: i32) -> Act {
    spec("replicas", json!(count))
}

fn image(tag: &str) -> Act {
    spec("template", template(tag))
}

fn partition(at: i32) -> Act {
    spec(
        "updateStrategy",
        json!({"rollingUpdate": {"partition": at}}),
    )
}

fn not_ready() -> Value {
    json!({"phase": "Running", "conditions": [{"type": "Ready", "status": "False"}]})
}

pub fn crash_loop() -> Value {
    json!({"phase": "Running", "containerStatuses": [{
        "name": "main",
        "image": "app:broken",
        "imageID": "",
        "ready": false,
        "restartCount": 7,
        "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 10s"}},
    }]})
}

fn named(mut set: Value, name: &str) -> Value {
    set["metadata"]["name"] = name.into();
    set
}

/// A change by flags.
fn stage<const N: usize, const M: usize>(flags: [&'static str; N], change: [Act; M]) -> Stage {
    Stage {
        flags: flags.into(),
        change: change.into(),
        ..Stage::default()
    }
}

/// A set that is new to the cluster.
fn creation(set: Value) -> Stage {
    Stage {
        apply: Some(set.clone()),
        change: vec![Apply(set)],
        ..Stage::default()
    }
}

/// Plans an edited dump, and then performs the same on the cluster.
fn edited<const N: usize>(edit: fn(&mut Vec<Value>), change: [Act; N]) -> Stage {
    Stage {
        edit: Some(edit),
        change: change.into(),
        ..Stage::default()
    }
}

fn after<const N: usize, const M: usize>(before: [Act; N], stages: [Stage; M]) -> Scenario {
    Scenario {
        before: before.into(),
        stages: stages.into(),
        minors: 0..=u32::MAX,
    }
}

/// A scenario for some minors only.
fn in_minors(minors: RangeInclusive<u32>, scenario: Scenario) -> Scenario {
    Scenario { minors, ..scenario }
}

/// An object of a dump.
fn find<'d>(dump: &'d mut [Value], kind: &str, name: &str) -> &'d mut Value {
    dump.iter_mut()
        .find(|object| object["kind"] == kind && object["metadata"]["name"] == name)
        .unwrap()
}

/// A user deletes a pod.
fn deletion(flag: &'static str, pod: &'static str) -> Stage {
    stage([flag], [Delete(pod, "Background")])
}

/// One test per scenario, with its name.
macro_rules! scenarios {
    ($($name:ident: $scenario:expr;)*) => {
        $(
            #[test]
            fn $name() {
                check(stringify!($name), $scenario);
            }
        )*
    };
}

scenarios! {
    first_rollout: after([], [creation(web(3))]);
    first_rollout_parallel: after([], [creation(parallel(web(3)))]);
    first_rollout_of_claims: after([], [creation(claiming(web(2), &["data", "log"]))]);
    first_rollout_with_a_slow_pod: after(
        [],
        [Stage {
            just_before: vec![Assume("web-0=ready-after:60s")],
            ..creation(parallel(web(3)))
        }],
    );
    image_change: after([Create(web(3))], [stage(["--image", "app:2"], [image("2")])]);
    image_change_parallel: after(
        [Create(parallel(web(3)))],
        [stage(["--image", "app:2"], [image("2")])],
    );
    image_of_one_of_two_containers: after(
        [Create(with(web(2), "template", two_containers("1")))],
        [stage(["--image", "side=side:2"], [spec("template", two_containers("2"))])],
    );
    image_at_zero_replicas: after([Create(web(0))], [stage(["--image", "app:2"], [image("2")])]);
    image_and_replicas_at_once: after(
        [Create(web(2))],
        [stage(["--image", "app:2", "--replicas", "3"], [Merge(
            WEB,
            json!({"spec": {"replicas": 3, "template": template("2")}}),
        )])],
    );
    image_at_rolling_update_without_a_partition: after(
        [Create(with(web(3), "updateStrategy", json!({"type": "RollingUpdate"})))],
        [
            stage(["--image", "app:2"], [image("2")]),
            stage(["--replicas", "4"], [replicas(4)]),
        ],
    );
    partition_walk: after(
        [Create(partitioned(web(3), 3))],
        [
            stage(["--image", "app:2"], [image("2")]),
            stage(["--partition", "2"], [partition(2)]),
            stage(["--partition", "1"], [partition(1)]),
            stage(["--partition", "0"], [partition(0)]),
        ],
    );
    partition_beyond_replicas: after(
        [Create(partitioned(web(2), 5))],
        [
            stage(["--image", "app:2"], [image("2")]),
            stage(["--replicas", "3"], [replicas(3)]),
        ],
    );
    partition_and_a_lost_pod: after(
        [Create(partitioned(web(3), 2)), image("2")],
        [deletion("--delete-pod=web-0", "pods/web-0")],
    );
    scale_up_and_down: after(
        [Create(web(1))],
        [
            stage(["--replicas", "3"], [replicas(3)]),
            stage(["--replicas", "1"], [replicas(1)]),
        ],
    );
    scale_to_zero_and_back: after(
        [Create(claiming(web(2), &["data"]))],
        [
            stage(["--replicas", "0"], [replicas(0)]),
            stage(["--replicas", "2"], [replicas(2)]),
        ],
    );
    scale_up_and_down_parallel: after(
        [Create(parallel(web(1)))],
        [
            stage(["--replicas", "4"], [replicas(4)]),
            stage(["--replicas", "1"], [replicas(1)]),
        ],
    );
    scale_down_past_a_broken_pod: after(
        [Create(web(4))],
        [Stage {
            just_before: vec![Assume("web-2=never-ready"), Status("web-2", not_ready())],
            ..stage(["--replicas", "1"], [replicas(1)])
        }],
    );
    scale_up_behind_a_broken_pod: after(
        [Create(web(2))],
        [Stage {
            just_before: vec![Assume("web-0=never-ready"), Status("web-0", not_ready())],
            ..stage(["--replicas", "3"], [replicas(3)])
        }],
    );
    on_delete_with_manual_deletes: after(
        [Create(on_delete(web(3)))],
        [
            stage(["--image", "app:2"], [image("2")]),
            deletion("--delete-pod=web-1", "pods/web-1"),
            deletion("--delete-pod=web-0", "pods/web-0"),
            deletion("--delete-pod=web-2", "pods/web-2"),
        ],
    );
    on_delete_from_now_on: after(
        [Create(web(2))],
        [stage(["--update-strategy", "OnDelete", "--image", "app:2"], [Merge(WEB, json!({"spec": {
            "template": template("2"),
            "updateStrategy": {"type": "OnDelete", "rollingUpdate": null},
        }}))])],
    );
    rollback: after(
        [Create(web(2)), image("2"), image("3")],
        [
            stage(["--to-revision", "1"], [Undo(1)]),
            stage(["--to-revision", "3"], [Undo(3)]),
        ],
    );
    image_of_an_earlier_revision: after(
        [Create(web(2)), image("2")],
        [stage(["--image", "app:1"], [image("1")])],
    );
    restart: after(
        [Create(web(2))],
        [stage(["--restart"], [AsPlanned(|plan| {
            let at = &plan["change"][0]["new"];
            assert!(at.is_string(), "{}", plan["change"]);
            json!({"spec": {"template": {"metadata": {"annotations": {
                "kubectl.kubernetes.io/restartedAt": at,
            }}}}})
        })])],
    );
    history_limit: after(
        [
            Create(with(web(1), "revisionHistoryLimit", json!(1))),
            image("2"),
            image("3"),
        ],
        [stage(["--image", "app:4"], [image("4")])],
    );
    stuck_rollout_and_its_rescue: after(
        [Create(web(3)), Assume("web-2=never-ready"), image("broken")],
        [
            // A revert alone does not help: the controller waits for the broken pod.
            stage(["--image", "app:1"], [image("1")]),
            Stage {
                just_before: vec![AssumeNothing, Assume("web-2=ready-after:20s")],
                ..deletion("--delete-pod=web-2", "pods/web-2")
            },
        ],
    );
    stuck_rollout_that_shows: after(
        [Create(web(3)), Assume("web-2=never-ready"), image("broken")],
        [Stage {
            just_before: vec![Status("web-2", crash_loop())],
            unaided: true,
            ..stage(["--image", "app:1"], [image("1")])
        }],
    );
    pod_that_is_not_ready_for_a_while: after(
        [Create(web(3))],
        [Stage {
            just_before: vec![Status("web-1", not_ready())],
            ..stage(["--image", "app:2"], [image("2")])
        }],
    );
    stuck_rollout_parallel: after(
        [Create(parallel(web(3))), Assume("web-1=never-ready"), image("broken")],
        [stage(["--image", "app:1"], [image("1")])],
    );
    pod_that_never_goes: after(
        [Create(web(2))],
        [Stage {
            just_before: vec![Assume("web-1=never-gone")],
            ..stage(["--image", "app:2"], [image("2")])
        }],
    );
    failed_pod: after(
        [Create(web(3))],
        [edited(
            |dump| find(dump, "Pod", "web-1")["status"] = json!({"phase": "Failed"}),
            [Status("web-1", json!({"phase": "Failed", "conditions": null}))],
        )],
    );
    failed_pod_behind_a_broken_one: after(
        [Create(web(2))],
        [Stage {
            just_before: vec![
                Status("web-0", not_ready()),
                Status("web-1", json!({"phase": "Failed", "conditions": null})),
            ],
            ..Stage::default()
        }],
    );
    pod_that_fails_again_and_again: after(
        [Create(web(2))],
        [Stage {
            just_before: vec![Assume("web-1=start-fails")],
            ..stage(["--image", "app:2"], [image("2")])
        }],
    );
    template_change_while_a_pod_goes: after(
        [Create(web(3))],
        [Stage {
            just_before: vec![Delete("pods/web-1", "Background")],
            ..stage(["--image", "app:2"], [image("2")])
        }],
    );
    claim_that_is_missing: after(
        [
            Create(claiming(web(2), &["data"])),
            // Its pod protects it, so the finalizer is also removed.
            Delete("persistentvolumeclaims/data-web-1", "Background"),
            Merge("persistentvolumeclaims/data-web-1", json!({"metadata": {"finalizers": null}})),
        ],
        [stage(["--image", "app:2"], [image("2")])],
    );
    claim_that_is_going: after(
        [
            Create(claiming(web(2), &["data"])),
            // Its pod protects it: it is removed with the pod, and the pod gets another one.
            Delete("persistentvolumeclaims/data-web-1", "Background"),
        ],
        [stage(["--image", "app:2"], [image("2")])],
    );
    background_delete: after(
        [Create(claiming(web(2), &["data"]))],
        [stage(["--delete"], [Delete(WEB, "Background")])],
    );
    claims_that_go_with_scaling_down: after(
        [Create(retaining(claiming(web(3), &["data"]), "Retain", "Delete"))],
        [
            stage(["--replicas", "1"], [replicas(1)]),
            stage(["--replicas", "2"], [replicas(2)]),
            stage(["--image", "app:2"], [image("2")]),
            stage(["--delete"], [Delete(WEB, "Background")]),
        ],
    );
    claims_that_go_with_the_set: after(
        [Create(retaining(claiming(web(2), &["data"]), "Delete", "Retain"))],
        [
            stage(["--replicas", "1"], [replicas(1)]),
            stage(["--delete"], [Delete(WEB, "Background")]),
        ],
    );
    claims_that_go_with_either: after(
        [Create(retaining(claiming(parallel(web(3)), &["data", "log"]), "Delete", "Delete"))],
        [
            stage(["--replicas", "1"], [replicas(1)]),
            stage(["--delete=foreground"], [Delete(WEB, "Foreground")]),
        ],
    );
    claims_that_get_owners_as_they_are_created: in_minors(27..=u32::MAX, after(
        [],
        [creation(retaining(claiming(web(2), &["data"]), "Delete", "Delete"))],
    ));
    claims_that_get_owners_as_they_are_created_parallel: in_minors(27..=u32::MAX, after(
        [],
        [creation(retaining(claiming(parallel(web(3)), &["data"]), "Delete", "Delete"))],
    ));
    finalizer_on_a_pod: after(
        [Create(web(2)), Merge("pods/web-1", held())],
        [
            stage(["--image", "app:2"], [image("2")]),
            edited(
                |dump| find(dump, "Pod", "web-1")["metadata"]["finalizers"] = json!([]),
                [Merge("pods/web-1", json!({"metadata": {"finalizers": null}}))],
            ),
        ],
    );
    finalizer_on_the_set: after(
        [Create(web(1)), Merge(WEB, held())],
        [stage(["--delete"], [Delete(WEB, "Background")])],
    );
    on_delete_until_now: after(
        [Create(on_delete(web(3))), image("2")],
        [stage(
            ["--set", "spec.updateStrategy={\"type\":\"RollingUpdate\",\"rollingUpdate\":{\"partition\":0}}"],
            [spec(
                "updateStrategy",
                json!({"type": "RollingUpdate", "rollingUpdate": {"partition": 0}}),
            )],
        )],
    );
    template_that_makes_no_pod: in_minors(0..=33, after(
        [],
        [creation(with(web(2), "template", unusable()))],
    ));
    template_that_makes_no_pod_any_more: in_minors(0..=33, after(
        [Create(web(2))],
        [stage(
            ["--set", "spec.template.spec.dnsPolicy=Mine"],
            [spec("template", json!({"spec": {"dnsPolicy": "Mine"}}))],
        )],
    ));
    foreground_delete: after(
        [Create(claiming(web(2), &["data"]))],
        [stage(["--delete=foreground"], [Delete(WEB, "Foreground")])],
    );
    foreground_delete_held_by_a_pod: after(
        [Create(web(2))],
        [Stage {
            just_before: vec![Assume("web-1=never-gone")],
            ..stage(["--delete=foreground"], [Delete(WEB, "Foreground")])
        }],
    );
    orphan_delete: after(
        [Create(web(2))],
        [stage(["--delete=orphan"], [Delete(WEB, "Orphan")])],
    );
    orphans_adopted: after(
        [Create(web(2)), image("2"), Delete(WEB, "Orphan")],
        [creation(with(web(2), "template", template("2")))],
    );
    orphans_adopted_by_a_new_template: after(
        [Create(web(2)), Delete(WEB, "Orphan")],
        [creation(with(web(2), "template", template("2")))],
    );
    orphans_without_a_new_claim: after(
        [Create(web(2)), Delete(WEB, "Orphan")],
        [creation(claiming(web(2), &["data"]))],
    );
    bare_pods_adopted: after(
        [
            Create(bare_pod("web-0", json!({"app": "web"}))),
            Create(bare_pod("web-7", json!({"app": "web"}))),
        ],
        [creation(web(2))],
    );
    stranger_on_a_pod_name: after(
        [Create(web(1)), Create(bare_pod("web-1", json!({"app": "other"})))],
        [stage(["--replicas", "3"], [replicas(3)])],
    );
    stranger_on_a_pod_name_parallel: after(
        [Create(parallel(web(1))), Create(bare_pod("web-1", json!({"app": "other"})))],
        [stage(["--replicas", "3"], [replicas(3)])],
    );
    pod_released_and_adopted_back: after(
        [Create(web(2))],
        [
            edited(
                |dump| find(dump, "Pod", "web-1")["metadata"]["labels"]["app"] = "other".into(),
                [Merge("pods/web-1", json!({"metadata": {"labels": {"app": "other"}}}))],
            ),
            edited(
                |dump| find(dump, "Pod", "web-1")["metadata"]["labels"]["app"] = "web".into(),
                [Merge("pods/web-1", json!({"metadata": {"labels": {"app": "web"}}}))],
            ),
        ],
    );
    orphans_adopted_in_one_go: after(
        [Create(web(2))],
        [Stage {
            flags: vec!["--delete=orphan"],
            apply: Some(with(web(2), "template", template("2"))),
            change: vec![
                Delete(WEB, "Orphan"),
                Apply(with(web(2), "template", template("2"))),
            ],
            ..Stage::default()
        }],
    );
    neighbour_with_the_same_selector: after(
        [Create(web(2)), Create(named(web(2), "web2"))],
        [
            stage(["--image", "app:2"], [image("2")]),
            stage(["--replicas", "1"], [replicas(1)]),
        ],
    );
    foreign_revision_of_the_same_name: after(
        [
            Create(web(2)),
            CreateFrom(&["--image", "app:2"], |plan| foreign_revision(plan, true)),
        ],
        [stage(["--image", "app:2"], [image("2")])],
    );
    foreign_revision_of_the_same_name_and_data: after(
        [
            Create(web(2)),
            CreateFrom(&["--image", "app:2"], |plan| foreign_revision(plan, false)),
        ],
        [stage(["--image", "app:2"], [image("2")])],
    );
    max_unavailable: after(
        [Create(web(3))],
        [stage(["--max-unavailable", "2", "--image", "app:2"], [Merge(WEB, json!({"spec": {
            "template": template("2"),
            "updateStrategy": {"rollingUpdate": {"maxUnavailable": 2}},
        }}))])],
    );
    start_ordinal: after(
        [Create(web(2))],
        [stage(["--set", "spec.ordinals.start=1"], [spec("ordinals", json!({"start": 1}))])],
    );
    min_ready_seconds: after(
        [Create(web(2))],
        [Stage {
            // The pods are available by then: the kubelet stand-in only makes pods available that it made ready.
            just_before: vec![Wait(3)],
            ..stage(["--min-ready-seconds", "2", "--image", "app:2"], [Merge(
                WEB,
                json!({"spec": {"minReadySeconds": 2, "template": template("2")}}),
            )])
        }],
    );
}

fn two_containers(tag: &str) -> Value {
    let mut template = template("1");
    let side = json!({"name": "side", "image": format!("side:{tag}")});
    let containers = template["spec"]["containers"].as_array_mut().unwrap();
    containers.push(side);
    template
}

/// An orphan revision with other content, under the name of the next revision.
fn foreign_revision(plan: &Value, of_other_data: bool) -> Value {
    let writes = plan["next"]["writes"].as_array().unwrap();
    let write = writes
        .iter()
        .find(|write| write["resource"] == "controllerrevisions")
        .unwrap();
    let mut data = write["object"]["data"].clone();
    if of_other_data {
        data["spec"]["template"]["metadata"]["labels"]["app"] = "other".into();
    }
    json!({
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": {"name": write["name"], "labels": {"app": "other"}},
        "data": data,
        "revision": 1,
    })
}
