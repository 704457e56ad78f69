//! Worlds that differ only in irrelevant ways have equivalent plans: versions without changes between them, unrelated
//! objects in the namespace, and ordinals that start elsewhere.

use proptest::prelude::*;
use serde_json::{Value, json};
use sts_controller::controller::Sync;
use sts_controller::object::Snapshot;
use sts_controller::simulate::{End, Step, World, next_sync, run};
use sts_controller::version::Behaviour;

use crate::cached;
use crate::invariants::sync_as_json;
use crate::worlds::{Assumed, ClaimOwner, PodName, Scenario, cases, now, scenario, snapshot_of};

/// Returns the scenario under the controller of a version with default gates.
fn under(scenario: &Scenario, minor: u32, patch: Option<u32>) -> Scenario {
    let mut scenario = scenario.clone();
    scenario.controller.minor = minor;
    scenario.controller.patch = patch;
    scenario.controller.gates.clear();
    scenario
}

fn sync_of(snapshot: &Snapshot, behaviour: &Behaviour) -> Sync {
    next_sync(snapshot, now(), behaviour)
}

/// Removes `availableReplicas` from the status and its write, and the write too if nothing else is new in it.
fn without_availability(mut sync: Value, stored: &Value) -> Value {
    let strip = |status: &mut Value| {
        if let Some(members) = status.as_object_mut() {
            members.remove("availableReplicas");
            members.remove("collisionCount");
        }
    };
    strip(&mut sync["status"]);
    let mut stored = stored.clone();
    strip(&mut stored);
    if let Some(writes) = sync["writes"].as_array_mut() {
        for write in writes.iter_mut() {
            if write["resource"] == "statefulsets/status" {
                strip(&mut write["object"]);
            }
        }
        writes.retain(|write| {
            write["resource"] != "statefulsets/status" || write["object"] != stored
        });
    }
    sync
}

/// Objects of a namespace that are unrelated to the set `web`.
fn strangers() -> Vec<Value> {
    let owned = |kind: &str, name: &str, labels: Value, controlled: bool| {
        let owners = if controlled {
            json!([{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "db", "uid": "uid-other",
                "controller": true}])
        } else {
            json!([])
        };
        json!({"kind": kind, "metadata": {"name": name, "namespace": "default", "labels": labels,
            "uid": format!("stranger-{name}"), "ownerReferences": owners,
            "creationTimestamp": "2025-12-31T00:00:00Z"}})
    };
    let pod = |name: &str, labels: Value, controlled: bool| {
        let mut pod = owned("Pod", name, labels, controlled);
        pod["spec"] = json!({"nodeName": "node", "containers": []});
        pod["status"] = json!({"phase": "Running",
            "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "2025-12-31T00:00:00Z"}]});
        pod
    };
    let revision = |name: &str, labels: Value, controlled: bool| {
        let mut revision = owned("ControllerRevision", name, labels, controlled);
        revision["revision"] = 99.into();
        revision["data"] = json!({"spec": {"template": {"$patch": "replace"}}});
        revision
    };
    let (web, db) = (json!({"app": "web"}), json!({"app": "db"}));
    vec![
        pod("db-0", db.clone(), true),
        // The right labels with the name of another set's pod; the reverse; and an orphan.
        pod("website-0", web.clone(), false),
        pod("web-cache-1", web.clone(), true),
        pod("web-77", db.clone(), false),
        owned("PersistentVolumeClaim", "data0-db-0", db.clone(), false),
        owned("PersistentVolumeClaim", "web-0", web.clone(), true),
        revision("db-5d4f", web, true),
        revision("web-stray", db, false),
    ]
}

/// Returns the scenario with every ordinal raised by that number.
fn shifted(scenario: &Scenario, by: u8) -> Scenario {
    let mut scenario = scenario.clone();
    scenario.set.start += i32::from(by);
    for pod in &mut scenario.pods {
        if let PodName::Slot(ordinal) = &mut pod.name {
            *ordinal += by;
        }
    }
    for claim in &mut scenario.claims {
        claim.ordinal += by;
        for owner in &mut claim.owners {
            if let ClaimOwner::OtherPod(ordinal) = owner {
                *ordinal += by;
            }
        }
    }
    for (ordinal, _) in &mut scenario.kubelet.assumed {
        *ordinal += by;
    }
    scenario
}

/// Lowers the ordinal after each `web-` in a text. A number of more than two digits is no ordinal.
fn lowered_text(text: &str, by: u8) -> String {
    let mut parts = text.split("web-");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part
            .find(|character: char| !character.is_ascii_alphanumeric())
            .unwrap_or(part.len());
        let (word, rest) = part.split_at(end);
        let lowered = match word.parse::<u8>() {
            Ok(ordinal) if word.len() <= 2 && ordinal >= by => (ordinal - by).to_string(),
            _ => word.to_owned(),
        };
        out.push_str("web-");
        out.push_str(&lowered);
        out.push_str(rest);
    }
    out
}

fn lowered(value: &Value, by: u8) -> Value {
    match value {
        Value::String(text) => lowered_text(text, by).into(),
        Value::Array(items) => items.iter().map(|item| lowered(item, by)).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(key, member)| {
                let member = match member.as_str().map(str::parse::<u8>) {
                    Some(Ok(index)) if key == "apps.kubernetes.io/pod-index" => {
                        (index - by).to_string().into()
                    }
                    _ => lowered(member, by),
                };
                (lowered_text(key, by), member)
            })
            .collect(),
        other => other.clone(),
    }
}

/// Returns the result of a sync with all ordinals lowered by that number.
fn lowered_json(sync: &Sync, by: u8) -> Value {
    let mut json = sync_as_json(sync);
    // A hold contains its whole pod; its reason and name are enough here.
    let holds = sync.holds.iter().map(|hold| {
        let pod = hold.pod().map(|pod| pod.meta.name.to_string());
        json!({"reason": hold.reason().name(), "pod": pod})
    });
    json["holds"] = holds.collect();
    let mut json = lowered(&json, by);
    // Pods are adopted and released by name, so their order changes.
    if let Some(writes) = json["writes"].as_array_mut() {
        for run in writes.chunk_by_mut(|a, b| a["verb"] == "patch" && b["verb"] == "patch") {
            run.sort_by_key(ToString::to_string);
        }
    }
    json
}

proptest! {
    #![proptest_config(cases(2))]

    /// Versions whose changelog does not mention StatefulSets have equal plans.
    #[test]
    fn versions_without_changes_have_equal_plans(scenario in scenario()) {
        for (old, new) in [
            ((20, None), (21, None)),
            ((31, Some(5)), (32, Some(1))),
            ((32, Some(1)), (33, Some(0))),
        ] {
            let [old, new] = [old, new].map(|(minor, patch)| under(&scenario, minor, patch));
            let [old, new] = [old, new].map(|one| sync_as_json(&sync_of(&one.snapshot(), &one.behaviour())));
            prop_assert_eq!(old, new);
        }
    }

    /// Unless its gate is on, 1.22 only adds a count of available pods.
    #[test]
    fn a_sync_of_1_22_equals_1_21_plus_available_pods(scenario in scenario()) {
        let [old, new] = [21, 22].map(|minor| under(&scenario, minor, None));
        let stored = old.snapshot().status.to_json(false);
        let [old, new] = [old, new].map(|one| sync_as_json(&sync_of(&one.snapshot(), &one.behaviour())));
        prop_assert_eq!(without_availability(old, &stored), without_availability(new, &stored));
    }

    /// Objects of other sets, and orphans, are ignored and do not change the plan.
    #[test]
    fn unrelated_objects_change_nothing(scenario in scenario()) {
        let behaviour = scenario.behaviour();
        let mut objects = scenario.objects();
        let alone = snapshot_of(objects.clone());
        objects.extend(strangers());
        let among_strangers = snapshot_of(objects);
        prop_assert_eq!(sync_as_json(&sync_of(&among_strangers, &behaviour)), sync_as_json(&sync_of(&alone, &behaviour)));
        let run = |snapshot: Snapshot| run(cached::world(World::new(snapshot, now(), scenario.kubelet())), &behaviour);
        let (among_strangers, alone) = (run(among_strangers), run(alone));
        prop_assert_eq!(among_strangers.end, alone.end);
        // A plan that never settles ends with a budget, which grows with the number of pods.
        let shown = match alone.end {
            End::Rest => usize::MAX,
            End::Livelock => among_strangers.steps.len().min(alone.steps.len()),
        };
        let steps = |all: Vec<Step>| all.into_iter().take(shown).collect::<Vec<_>>();
        prop_assert_eq!(steps(among_strangers.steps), steps(alone.steps));
    }

    /// A set whose ordinals start elsewhere has the plan of one that starts at zero, under other names.
    #[test]
    fn ordinals_may_start_anywhere(mut scenario in scenario(), by in 1..4_u8) {
        scenario.set.start = 0;
        // One of these names has a fixed number, and the other does not belong to the set.
        scenario.pods.retain(|pod| matches!(pod.name, PodName::Slot(_) | PodName::Letters | PodName::Overflow));
        if !scenario.behaviour().start_ordinal {
            scenario.controller.minor = 31 + scenario.controller.minor % 6;
        }
        let there = shifted(&scenario, by);
        let behaviour = scenario.behaviour();
        prop_assert_eq!(
            lowered_json(&sync_of(&there.snapshot(), &behaviour), by),
            lowered_json(&sync_of(&scenario.snapshot(), &behaviour), 0)
        );

        // A pod that fails again and again never settles in either case.
        if scenario.kubelet.assumed.iter().all(|(_, assumed)| *assumed != Assumed::Fails) {
            let end = |scenario: &Scenario| {
                let progression = run(scenario.world(), &behaviour);
                let world = progression.world.snapshot();
                json!({
                    "syncs": progression.syncs,
                    "steps": progression.steps.len(),
                    "status": world.status.to_json(true),
                    "pods": world.pods.values().map(|pod| json!([&*pod.meta.name, &*pod.revision])).collect::<Vec<_>>(),
                    "claims": world.claims.keys().map(|name| name.to_string()).collect::<Vec<_>>(),
                })
            };
            let sorted = |mut end: Value| {
                for list in ["pods", "claims"] {
                    if let Some(items) = end[list].as_array_mut() {
                        items.sort_by_key(ToString::to_string);
                    }
                }
                end
            };
            prop_assert_eq!(sorted(lowered(&end(&there), by)), sorted(end(&scenario)));
        }
    }
}
