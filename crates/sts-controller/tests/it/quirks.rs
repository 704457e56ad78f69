//! Unexpected behavior of controllers: docs/quirks.md, one test per number. The versions are those on either side of a
//! change, otherwise an old and a new one.

use serde_json::json;
use sts_controller::controller::{Refusal, Resource, Verb, Write};

use crate::scenario::{
    assert_all_present, behaviour, claim, course, expect, next, next_with, pod, revision, template,
    web,
};

/// Quirks that cannot show in a plan, with the reason.
const UNSEEN: &[(u32, &str)] = &[
    // Owners are edited in the shared cache, so that a refused update is not retried.
    (
        21,
        "Every planned sync reads fresh objects; within one sync the edit shows, and q18 has it.",
    ),
    // The checks use different copies of the set.
    (
        29,
        "The copies differ in nothing but the template, which none of these checks reads.",
    ),
    // Errors are combined flat or nested.
    (
        37,
        "Both print the same: nested messages are listed as if they were not nested.",
    ),
];

/// An old version and the newest, for behavior that never changed.
const ALWAYS: &str = "1.19.16 1.27.3 1.27.4 1.36.2";

#[test]
fn every_quirk_is_tested_or_cannot_show() {
    assert_all_present(include_str!("quirks.rs"), "q", 45, UNSEEN);
}

#[test]
fn q01_names_are_parsed_greedily_and_may_overflow() {
    // A member without an ordinal is never deleted, and counted only in the older pass.
    let world = web(1).pod(pod("web-99999999999"));
    let counted = "update status replicas=2 ready=2 available=2 current=2 updated=2";
    expect(&world, "1.25.11 1.26.6 1.27.3", &[counted]);
    expect(&world, "1.25.12 1.26.7 1.27.4 1.36.2", &[]);
    expect(
        &world.deleting(),
        "1.27.4 1.36.2",
        &[counted, "hold SetBeingDeleted"],
    );
    // The parent is everything before the last number, so these belong to other sets.
    let world = web(1)
        .pod(pod("web-1-0"))
        .pod(pod("my-web-0"))
        .pod(pod("web").label("statefulset.kubernetes.io/pod-name", "web-0"));
    let released = &[
        "release pods my-web-0",
        "release pods web",
        "release pods web-1-0",
    ];
    expect(&world, ALWAYS, released);
}

#[test]
fn q02_leading_zeros_take_a_slot_and_cannot_keep_it() {
    let world = web(2).without("web-1").pod(pod("web-01"));
    let refused = "update pods web-1 (NotFound)";
    let held = [
        "hold PodUpdateRefused web-01",
        "error: pods \"web-1\" not found",
    ];
    expect(&world, "1.19.16 1.23.15", &[refused, held[0], held[1]]);
    expect(&world, "1.27.3 1.27.4 1.36.2", &[refused, held[0], held[1]]);
    // If two pods share a slot, the last one listed counts: here, the last by name.
    expect(&web(2).pod(pod("web-01")), "1.27.4 1.36.2", &[]);
}

#[test]
fn q03_partition_counts_slots_not_ordinals() {
    let world = web(0)
        .replicas(3)
        .start(5)
        .partition(2)
        .pod(pod("web-5"))
        .pod(pod("web-6"))
        .pod(pod("web-7"))
        .rolling_to_v2()
        .status("replicas", 3)
        .status("readyReplicas", 3)
        .status("availableReplicas", 3)
        .status("currentReplicas", 3);
    expect(
        &world,
        "1.27.3 1.27.4 1.36.2",
        &[
            "delete pods web-7 v1",
            "update status current=2",
            "hold HeldByPartition web-6",
            "hold HeldByPartition web-5",
        ],
    );
    // The choice of a new pod's template does too.
    for (gone, tag) in [("web-6", "v1"), ("web-7", "v2")] {
        let world = world.clone().without(gone);
        for version in ["1.27.3", "1.36.2"] {
            let first = &next(&world, version).lines()[0];
            assert_eq!(*first, format!("create pods {gone} {tag}"));
        }
    }
    // Before start ordinals, slots were ordinals: nothing starts at 5.
    let first = &next(&world, "1.26.15").lines()[0];
    assert_eq!(first, "create pods web-0 v1");
}

#[test]
fn q04_template_choice_without_a_rolling_update_block() {
    let of_web_1 = |world: &crate::scenario::Scenario, version| {
        let lines = next(world, version).lines();
        let mut created = lines
            .iter()
            .filter_map(|line| line.strip_prefix("create pods web-1 "));
        created.next().unwrap().to_owned()
    };
    let world = web(3).rolling_to_v2().without("web-1");
    let bare = world.clone().no_rolling_update();
    for version in ALWAYS.split(' ') {
        // Then the stored currentReplicas acts like a partition.
        let few = bare.clone().status("currentReplicas", 1);
        let more = bare.clone().status("currentReplicas", 2);
        assert_eq!(
            (of_web_1(&few, version), of_web_1(&more, version)),
            ("v2".into(), "v1".into())
        );
        // With a block, its partition decides, whatever currentReplicas is.
        assert_eq!(of_web_1(&world, version), "v2");
        assert_eq!(of_web_1(&world.clone().partition(2), version), "v1");
        // OnDelete creates new pods from the update revision, unless it has a block, which validation would refuse.
        assert_eq!(of_web_1(&world.clone().on_delete(), version), "v2");
        let odd = json!({"type": "OnDelete", "rollingUpdate": {"partition": 2}});
        assert_eq!(
            of_web_1(&world.clone().spec("updateStrategy", odd), version),
            "v1"
        );
    }
}

#[test]
fn q05_any_deleted_pod_is_subtracted_from_current_replicas() {
    let world = web(1)
        .rolling_to_v2()
        .pod(pod("web-0").at("v0"))
        .revision(revision("v0", 0))
        .status("currentReplicas", 0);
    expect(
        &world,
        ALWAYS,
        &["delete pods web-0 v0", "update status current=-1"],
    );
}

#[test]
fn q06_a_failed_pod_is_subtracted_from_counters_without_it() {
    // A terminating pod counts as neither current nor updated, so both end one too low, and so does `replicas`.
    let world = web(2).pod(pod("web-1").failed().terminating());
    let recreated = ["delete pods web-1 v1", "create pods web-1 v1"];
    let counted = "update status ready=1 available=1 current=1 updated=1";
    expect(
        &world,
        "1.26.6 1.27.3",
        &[recreated[0], recreated[1], counted],
    );
    let counted = "update status replicas=1 ready=1 available=1 current=1 updated=1";
    expect(
        &world,
        "1.26.7 1.27.4",
        &[recreated[0], recreated[1], counted],
    );
    // Without the creation that compensates for it, the count is negative.
    let world = web(1)
        .claims("data")
        .claim(claim("data-web-0").terminating())
        .pod(pod("web-0").failed().terminating());
    let held = [
        "hold ClaimBeingDeleted web-0",
        "error: pvc data-web-0 is being deleted",
    ];
    let counted = "update status replicas=0 ready=0 available=0 current=-1 updated=-1";
    expect(
        &world,
        "1.26.6 1.27.3",
        &["delete pods web-0 v1", counted, held[0], held[1]],
    );
    let counted = "update status replicas=0 ready=0 available=0 current=0 updated=0";
    expect(
        &world,
        "1.26.7 1.27.4",
        &["delete pods web-0 v1", counted, held[0], held[1]],
    );
}

#[test]
fn q07_conditions_are_wiped_and_collisions_alone_not_written() {
    let conditions = json!([{"type": "Paused", "status": "True"}]);
    let world = web(1).status("conditions", conditions);
    expect(&world, ALWAYS, &[]);
    for version in ALWAYS.split(' ') {
        let sent = next(&world.clone().pod(pod("web-0").not_ready()), version).sent("web");
        assert_eq!(sent.get("conditions"), None, "{version}");
    }
    // The name that v2 needs has other content: the collision repeats in every sync.
    let world = collision().status_revisions("v1", "v2 again");
    for version in ALWAYS.split(' ') {
        let lines = next(&world.clone().on_delete(), version).lines();
        let status = lines
            .iter()
            .find(|line| line.starts_with("update status"))
            .unwrap();
        assert!(status.contains(" collisions=1 "), "{version}: {status}");
    }
}

/// Returns a set that needs a revision for `v2` whose name is taken by other content.
fn collision() -> crate::scenario::Scenario {
    let other = revision("v2", 0).recording(template("other"));
    let taken = |version| {
        let seen = next(&web(0).template("v2"), version);
        let mut created = seen
            .sync
            .writes
            .iter()
            .filter(|write| write.verb == Verb::Create);
        created.next().unwrap().name.to_string()
    };
    // The name depends on the encoding: both names are taken.
    web(1)
        .template("v2")
        .revision(
            other
                .clone()
                .named(&taken("1.33.12"))
                .of("Kruise", "k", "uid-of-k"),
        )
        .revision(other.named(&taken("1.36.2")).of("Kruise", "k", "uid-of-k"))
}

#[test]
fn q08_after_a_collision_the_hash_label_is_that_of_the_first_try() {
    for version in ALWAYS.split(' ') {
        let seen = next(&collision(), version);
        let creations: Vec<&Write> = seen
            .sync
            .writes
            .iter()
            .filter(|write| write.resource == Resource::Revisions)
            .collect();
        let [refused, taken] = creations.as_slice() else {
            panic!("{version}: {:?}", seen.lines());
        };
        assert!(matches!(
            refused.refused,
            Some(Refusal::AlreadyExists { .. })
        ));
        assert!(taken.refused.is_none() && taken.name != refused.name);
        let object = taken.object().unwrap();
        let label = object["metadata"]["labels"]["controller.kubernetes.io/hash"].as_str();
        assert_eq!(label, refused.name.strip_prefix("web-"), "{version}");
    }
}

#[test]
fn q09_a_matching_revision_is_used_whoever_owns_it() {
    let world = web(1)
        .template("v2")
        .revision(revision("v2", 7).of("Kruise", "k", "uid-of-k"));
    expect(
        &world,
        ALWAYS,
        &[
            "create revisions v2 as number 2 (AlreadyExists)",
            "delete pods web-0 v1",
            "update status current=0 updated=0 updateRevision=v2",
        ],
    );
}

#[test]
fn q10_rolling_back_renumbers_the_old_revision() {
    let world = web(2)
        .rolling_to_v2()
        .pod(pod("web-1").at("v2"))
        .template("v1")
        .status("currentReplicas", 1)
        .status("updatedReplicas", 1);
    // web-0 never left v1, so only web-1 has to be rolled back.
    expect(
        &world,
        ALWAYS,
        &[
            "update revisions v1 as number 3",
            "delete pods web-1 v2",
            "update status current=0 updateRevision=v1",
        ],
    );
}

#[test]
fn q11_equal_bytes_beat_semantic_equality() {
    let world = web(1)
        .revision(revision("v1", 2).by_an_old_controller())
        .status_revisions("v1-by-1.33", "v1-by-1.33")
        .pod(pod("web-0").at("v1-by-1.33"));
    let jumps = &[
        "update revisions v1 as number 3",
        "delete pods web-0 v1-by-1.33",
        "update status current=0 updated=0 updateRevision=v1",
    ];
    expect(&world, "1.34.1 1.34.2 1.36.2", jumps);
    // Without the older one, semantic comparison chooses the latest.
    let world = world
        .no_revisions()
        .revision(revision("v1", 2).by_an_old_controller());
    let seen = next(&world, "1.34.1").lines();
    assert_eq!(seen[0], "create revisions v1 as number 3");
    expect(&world, "1.34.2 1.36.2", &[]);
}

#[test]
fn q12_a_current_revision_that_is_gone_becomes_the_update_revision() {
    let world = web(2)
        .rolling_to_v2()
        .on_delete()
        .no_revisions()
        .revision(revision("v2", 2));
    // Though every pod is on v1, the status shows a complete rollout.
    expect(
        &world,
        ALWAYS,
        &[
            "update status current=0 currentRevision=v2",
            "hold OnDelete web-1",
            "hold OnDelete web-0",
        ],
    );
}

#[test]
fn q13_an_incomplete_set_completes_too_early() {
    // web-0 is updated and healthy, web-1 is newly created: is the rollout from v1 complete?
    let world = web(2)
        .rolling_to_v2()
        .pod(pod("web-0").at("v2"))
        .without("web-1");
    let created = "create pods web-1 v2";
    let masked = "update status ready=1 available=1 current=0 updated=2";
    expect(&world, "1.25.11 1.26.6 1.27.3", &[created, masked]);
    let early =
        "update status replicas=1 ready=1 available=1 current=1 updated=1 currentRevision=v2";
    expect(
        &world,
        "1.25.12 1.25.16 1.26.7 1.26.15 1.27.4 1.27.7 1.28.0 1.28.3",
        &[created, early],
    );
    let right = "update status replicas=1 ready=1 available=1 current=0 updated=1";
    expect(&world, "1.27.8 1.28.4 1.29.0", &[created, right]);
}

#[test]
fn q14_a_set_without_pods_is_complete_at_once() {
    let world = web(0).rolling_to_v2();
    let complete = &["update status currentRevision=v2"];
    expect(&world, "1.19.16 1.27.7 1.27.8 1.36.2", complete);
}

#[test]
fn q15_a_broken_pod_at_a_low_ordinal_blocks_its_own_fix() {
    let world = web(3)
        .rolling_to_v2()
        .pod(pod("web-0").crash_looping())
        .status("readyReplicas", 2)
        .status("availableReplicas", 2);
    let waits = "hold WaitingForPodReady web-0";
    expect(&world, ALWAYS, &[waits]);
    assert_eq!(course(&world, "1.36.2").outcome(), "blocked");
    // In burst mode the update starts at the top, and replaces the pod in its turn,
    let burst = world.parallel();
    expect(
        &burst,
        ALWAYS,
        &["delete pods web-2 v1", "update status current=2"],
    );
    let turn = burst
        .pod(pod("web-1").at("v2"))
        .pod(pod("web-2").at("v2"))
        .status("currentReplicas", 1)
        .status("updatedReplicas", 2);
    expect(
        &turn,
        ALWAYS,
        &["delete pods web-0 v1", "update status current=0"],
    );
    // but with maxUnavailable it starts with the unavailable pods.
    expect(
        &turn,
        "1.24.17 1.27.3 1.27.4 1.36.2 MaxUnavailableStatefulSet=true",
        &["hold UnavailableBudgetSpent web-0"],
    );
}

#[test]
fn q16_pods_are_deleted_together_and_recreated_one_by_one() {
    let world = web(4).rolling_to_v2().max_unavailable(json!(3));
    for version in ["1.24.17", "1.36.2"] {
        let course = course(&world, &format!("{version} MaxUnavailableStatefulSet=true"));
        assert_eq!(
            course.steps(),
            [
                "0 delete web-3, delete web-2, delete web-1",
                "5 PodRemoved web-1",
                "5 create web-1",
                "5 PodRemoved web-2",
                "5 PodRemoved web-3",
                "15 PodReady web-1",
                "15 create web-2",
                "25 PodReady web-2",
                "25 create web-3",
                "35 PodReady web-3",
                "35 delete web-0",
                "40 PodRemoved web-0",
                "40 create web-0",
                "50 PodReady web-0",
            ],
            "{version}"
        );
    }
}

#[test]
fn q17_a_burst_does_everything_at_once() {
    let world = web(4)
        .replicas(3)
        .parallel()
        .rolling_to_v2()
        .without("web-0")
        .status("currentReplicas", 3)
        .status("replicas", 3)
        .status("readyReplicas", 3)
        .status("availableReplicas", 3);
    let all = [
        "create pods web-0 v2",
        "delete pods web-3 v1",
        "delete pods web-2 v1",
    ];
    let [create, scale, update] = all;
    let counted = "update status replicas=4 current=1 updated=1";
    expect(&world, "1.26.6 1.27.3", &[create, scale, update, counted]);
    expect(
        &world,
        "1.26.7 1.27.4 1.36.2",
        &[create, scale, update, "update status current=2"],
    );
    // A failed, outdated pod is deleted twice.
    let world = web(1).parallel().rolling_to_v2().pod(pod("web-0").failed());
    expect(
        &world,
        "1.30.1",
        &[
            "delete pods web-0 v1",
            "create pods web-0 v2",
            "update status replicas=0 ready=0 available=0 current=0",
            "hold UpdateWaitingForPod web-0",
        ],
    );
    let twice = [
        "delete pods web-0 v1",
        "delete pods web-0 v1 (NotFound)",
        "update status ready=0 available=0 current=0",
        "hold PodFailed web-0",
    ];
    expect(&world, "1.30.2 1.31.0 1.35.9 1.36.0", &twice);
    let reasons = |version| -> Vec<&str> {
        let events = next(&world, version).sync.events;
        events.iter().map(|event| event.reason.name()).collect()
    };
    assert_eq!(reasons("1.35.9"), ["SuccessfulDelete", "FailedDelete"]);
    assert_eq!(reasons("1.36.0"), ["SuccessfulDelete", "SuccessfulDelete"]);
}

#[test]
fn q18_a_burst_updates_existing_claims_twice() {
    let on = "StatefulSetAutoDeletePVC=true";
    let world = web(1)
        .claims("data")
        .retention("Delete", "Retain")
        .parallel()
        .without("web-0");
    let create = "create pods web-0 v1";
    let claim = "update claims data-web-0 owned by [StatefulSet]";
    let status = "update status replicas=0 ready=0 available=0 current=0 updated=0";
    let waits = "hold UpdateWaitingForPod web-0";
    // At first no burst fell through to the checks; then the cache was edited in place (quirk Q21).
    let counted = "update status ready=0 available=0";
    expect(
        &world,
        &format!("1.25.11 1.26.6 {on}"),
        &[create, claim, counted, waits],
    );
    expect(&world, "1.27.3", &[create, claim, counted, waits]);
    expect(
        &world,
        &format!("1.25.12 1.26.7 {on}"),
        &[create, claim, status, waits],
    );
    // Later, a cache that does not change, like that of the recordings, is outdated.
    expect(
        &world,
        "1.27.4",
        &[create, claim, claim, "update pods web-0", status, waits],
    );
    // A real cache has the claim, or the server refuses the second update: the claim is written once.
    for version in ["1.27.4", "1.37.0"] {
        assert_eq!(
            course(&world, version).steps(),
            ["0 create web-0, update data-web-0", "10 PodReady web-0",],
            "{version}"
        );
    }
}

#[test]
fn q19_scale_down_waits_for_the_highest_pod_unless_it_is_the_first_unhealthy_one() {
    let world = web(3)
        .replicas(1)
        .pod(pod("web-1").not_ready())
        .pod(pod("web-2").not_ready())
        .status("readyReplicas", 1)
        .status("availableReplicas", 1);
    expect(&world, ALWAYS, &["hold ScaleDownWaitingForReady web-2"]);
    let delete = "delete pods web-2 v1";
    let alone = world
        .pod(pod("web-1"))
        .status("readyReplicas", 2)
        .status("availableReplicas", 2);
    expect(
        &alone,
        "1.19.16 1.27.3",
        &[delete, "update status current=2 updated=2"],
    );
    expect(&alone, "1.27.4 1.36.2", &[delete]);
    // A pod that is ready but not yet available is healthy for old versions, and so never the first unhealthy one.
    let fresh = web(2)
        .replicas(1)
        .min_ready(30)
        .pod(pod("web-1").ready_for(10))
        .status("availableReplicas", 1);
    let seen = next(&fresh, "1.33.12").lines();
    assert_eq!(seen[0], "hold ScaleDownWaitingForAvailable web-1");
    let seen = next(&fresh, "1.34.0").lines();
    assert_eq!(seen[0], "delete pods web-1 v1");
}

#[test]
fn q20_waiting_for_an_available_scale_down_target_panics() {
    let world = web(2)
        .replicas(1)
        .min_ready(30)
        .pod(pod("web-1").ready_for(10))
        .status("availableReplicas", 1);
    let panics = |version: &str| {
        let error = next(&world, version).sync.error;
        error.is_some_and(|error| error.to_string().contains("panics"))
    };
    assert!(panics("1.23.0") && panics("1.23.17") && !panics("1.24.0"));
    // Without the gate there is no wait.
    assert!(!panics("1.23.17 StatefulSetMinReadySeconds=false") && !panics("1.21.14"));
    // With an unhealthy pod anywhere, there is a pod to log.
    let ill = world.pod(pod("web-0").not_ready()).parallel();
    assert!(next(&ill, "1.23.17").sync.error.is_none());
}

#[test]
fn q22_duplicate_plain_owners_leave_an_empty_one() {
    let world = web(1)
        .claims("data")
        .claim(claim("data-web-0").of_set(false).of_set(false))
        .retention("Retain", "Retain");
    let seen = next(&world, "1.27.16 StatefulSetAutoDeletePVC=true").lines();
    assert_eq!(seen[0], "update claims data-web-0 owned by [] (Invalid)");
    assert!(
        seen[1].starts_with("error: Could not update claim data-web-0"),
        "{seen:?}"
    );
    assert_eq!(next(&world, "1.30.3").lines(), seen);
    let clean = &["update claims data-web-0 owned by []", "update pods web-0"];
    expect(&world, "1.28.13 1.29.8 1.30.4 1.36.2", clean);
}

#[test]
fn q23_history_after_a_failed_revision_depends_on_pod_labels() {
    // No server of the simulated world refuses a revision, so this test has one that does.
    let refuse = |write: &Write| {
        let created = write.resource == Resource::Revisions && write.verb == Verb::Create;
        created.then(|| Refusal::Invalid("quota".into()))
    };
    let world = web(1)
        .history_limit(0)
        .revision(revision("v0", 0))
        .status_revisions("v0", "v1")
        .template("v2");
    for version in ALWAYS.split(' ') {
        // v0 is the current revision, but no pod is on it.
        assert_eq!(
            next_with(&world, version, refuse).lines(),
            [
                "create revisions v2 as number 2 (Invalid)",
                "delete revisions v0",
                "error: quota"
            ]
        );
        let seen = next(&world, version).lines();
        assert!(
            !seen.contains(&"delete revisions v0".to_owned()),
            "{version}: {seen:?}"
        );
    }
}

#[test]
fn q24_the_history_limit_counts_unused_revisions_only() {
    let world = web(3)
        .partition(3)
        .history_limit(1)
        .revision(revision("old-1", -2))
        .revision(revision("old-2", -1))
        .revision(revision("v0", 0))
        .pod(pod("web-2").at("v0"))
        .template("v2")
        .on_delete();
    // Of five, the two oldest are unused, and one of them may stay. v2 is not in the list yet.
    for version in ALWAYS.split(' ') {
        let lines = next(&world, version).lines();
        let deleted: Vec<_> = lines
            .iter()
            .filter(|line| line.starts_with("delete"))
            .collect();
        assert_eq!(deleted, ["delete revisions old-1"], "{version}");
    }
}

#[test]
fn q25_a_terminating_set_still_maintains_its_history() {
    let world = web(2)
        .deleting()
        .template("v2")
        .without("web-1")
        .pod(pod("web-0").not_ready())
        .history_limit(0)
        .revision(revision("v0", 0))
        .status("availableReplicas", 0);
    expect(
        &world,
        ALWAYS,
        &[
            "create revisions v2 as number 2",
            "update status replicas=1 ready=0 current=1 updated=0 updateRevision=v2",
            "delete revisions v0",
            "hold SetBeingDeleted",
        ],
    );
    // Neither adopted nor released,
    let pods = web(1)
        .deleting()
        .pod(pod("web-1").orphan())
        .pod(pod("other"));
    expect(&pods, ALWAYS, &["hold SetBeingDeleted"]);
    // but the adoption of an orphan revision is tried, and fails the sync.
    let orphan = pods.revision(revision("v0", 0).orphan());
    expect(
        &orphan,
        ALWAYS,
        &[
            "error: can't adopt ControllerRevisions: default/web has just been deleted at 2026-01-01T11:59:40Z",
        ],
    );
}

#[test]
fn q26_volumes_follow_the_order_of_claim_templates() {
    let world = web(1)
        .claims("log")
        .claims("data")
        .claims("a")
        .without("web-0");
    for version in ALWAYS.split(' ') {
        let pod = next(&world, version).sent("web-0");
        let volumes = pod["spec"]["volumes"].as_array().unwrap();
        let names: Vec<_> = volumes
            .iter()
            .map(|volume| volume["name"].as_str())
            .collect();
        assert_eq!(names, [Some("log"), Some("data"), Some("a")], "{version}");
    }
    let world = world
        .without_claim("log-web-0")
        .without_claim("data-web-0")
        .without_claim("a-web-0");
    for version in ALWAYS.split(' ') {
        assert_eq!(
            next(&world, version).lines()[..3],
            [
                "create claims log-web-0",
                "create claims data-web-0",
                "create claims a-web-0"
            ],
            "{version}"
        );
    }
}

#[test]
fn q27_claims_get_the_match_labels() {
    let claim_labels = |labels: serde_json::Value, selector: serde_json::Value, version: &str| {
        let template = json!({"metadata": {"name": "data", "labels": labels}, "spec": {}});
        let world = web(0)
            .replicas(1)
            .spec("selector", selector)
            .spec("volumeClaimTemplates", json!([template]));
        next(&world, version).sent("data-web-0")["metadata"]["labels"].clone()
    };
    let matched = json!({"matchLabels": {"app": "web"}});
    let among = json!({"matchExpressions": [{"key": "app", "operator": "In", "values": ["web"]}]});
    for version in ALWAYS.split(' ') {
        let own = json!({"app": "own", "x": "y"});
        assert_eq!(
            claim_labels(own.clone(), matched.clone(), version),
            json!({"app": "web", "x": "y"})
        );
        assert_eq!(claim_labels(own.clone(), among.clone(), version), own);
        let none = claim_labels(json!({}), among.clone(), version);
        assert!(none.is_null() || none == json!({}), "{none}");
    }
}

#[test]
fn q28_pods_stay_without_an_index_until_their_identity_is_repaired() {
    expect(&web(1), "1.27.16 1.28.0 1.36.2", &[]);
    let world = web(1).pod(pod("web-0").label("statefulset.kubernetes.io/pod-name", "other"));
    expect(&world, "1.27.16 1.28.0 1.36.2", &["update pods web-0"]);
    let index = |version| {
        next(&world, version).sent("web-0")["metadata"]["labels"]["apps.kubernetes.io/pod-index"]
            .clone()
    };
    assert!(index("1.27.16").is_null());
    assert_eq!((index("1.28.0"), index("1.36.2")), (json!("0"), json!("0")));
}

#[test]
fn q30_volumes_of_an_adopted_pod_cannot_be_repaired() {
    let world = web(3)
        .claims("data")
        .pod(pod("web-1").volume("data", "somebody-elses"));
    let refused = "update pods web-1 (Invalid)";
    let held = "hold PodUpdateRefused web-1";
    for version in ALWAYS.split(' ') {
        let lines = next(&world, version).lines();
        assert_eq!(lines[..2], [refused, held], "{version}");
        assert!(
            lines[2].starts_with("error: Pod \"web-1\" is invalid"),
            "{version}: {lines:?}"
        );
        assert_eq!(course(&world, version).outcome(), "blocked");
    }
    // No pod above it is ever updated.
    let above = world.without("web-2");
    for version in ALWAYS.split(' ') {
        assert!(
            !next(&above, version)
                .lines()
                .contains(&"create pods web-2 v1".to_owned())
        );
    }
}

#[test]
fn q31_a_burst_repairs_terminating_pods() {
    let world = web(1)
        .pod(
            pod("web-0")
                .terminating()
                .label("statefulset.kubernetes.io/pod-name", "other"),
        )
        .status("currentReplicas", 0)
        .status("updatedReplicas", 0);
    expect(&world, ALWAYS, &["hold WaitingForPodTermination web-0"]);
    expect(
        &world.parallel(),
        ALWAYS,
        &["update pods web-0", "hold UpdateWaitingForPod web-0"],
    );
}

#[test]
fn q32_a_new_claim_gets_its_owner_by_a_later_sync() {
    let world = web(0)
        .replicas(1)
        .retention("Delete", "Retain")
        .claims("data");
    // Here once the pod is ready, with an additional update of the pod,
    let on = "StatefulSetAutoDeletePVC=true";
    for version in ["1.23.5", "1.25.12", "1.26.15"] {
        assert_eq!(
            course(&world, &format!("{version} {on}")).steps(),
            [
                "0 create data-web-0, create web-0",
                "10 PodReady web-0",
                "10 update data-web-0, update web-0",
            ],
            "{version}"
        );
    }
    // there in the next sync, while the pod is pending.
    for version in ["1.27.0", "1.27.4", "1.36.2"] {
        assert_eq!(
            course(&world, version).steps(),
            [
                "0 create data-web-0, create web-0",
                "0 update data-web-0",
                "10 PodReady web-0",
            ],
            "{version}"
        );
    }
    // A burst takes long enough for the cache to have the claim: the same sync writes its owner, once.
    let burst = world.parallel().replicas(2);
    for version in ["1.27.0", "1.27.4", "1.36.2"] {
        assert_eq!(
            course(&burst, version).steps(),
            [
                "0 create data-web-0, create web-0, update data-web-0, create data-web-1, create web-1, \
                 update data-web-1",
                "10 PodReady web-0",
                "10 PodReady web-1",
            ],
            "{version}"
        );
    }
    // The policy is newer than the pod: the claims of a Pending pod come first, then the invariants of any pod.
    let world = web(1)
        .parallel()
        .pod(pod("web-0").pending())
        .claims("data")
        .retention("Delete", "Retain");
    for version in ["1.27.4", "1.36.2"] {
        let steps = course(&world, version).steps();
        assert_eq!(steps[0], "0 update data-web-0", "{version}");
        let writes = steps.iter().filter(|step| step.contains("data-web-0"));
        assert_eq!(writes.count(), 1, "{version}");
    }
}

#[test]
fn q33_an_adopted_pod_without_a_revision_is_outdated() {
    let world = web(2).pod(pod("web-1").orphan().at_none());
    expect(
        &world,
        ALWAYS,
        &[
            "adopt pods web-1",
            "delete pods web-1 ",
            "update status current=0 updated=1",
        ],
    );
    let held = &[
        "adopt pods web-1",
        "update status current=1 updated=1",
        "hold HeldByPartition web-1",
    ];
    expect(&world.partition(2), ALWAYS, held);
}

/// The update uses the pod from before the adoption. The API server reports a conflict, and the controller retries with
/// the adopted pod.
#[test]
fn a_pod_adopted_and_labelled_in_one_sync_is_adopted_once() {
    let label = "statefulset.kubernetes.io/pod-name";
    let world = web(1)
        .partition(1)
        .pod(pod("web-0").orphan().label(label, "other"));
    for version in ALWAYS.split(' ') {
        assert_eq!(
            course(&world, version).steps(),
            ["0 patch web-0, update web-0"]
        );
    }
}

#[test]
fn q34_a_taken_name_causes_no_event() {
    let world = web(1).pod(pod("web-0").of("StatefulSet", "web", "uid-of-its-predecessor"));
    for version in ALWAYS.split(' ') {
        let seen = next(&world, version);
        assert_eq!(
            seen.lines()[0],
            "create pods web-0 v1 (AlreadyExists)",
            "{version}"
        );
        assert!(seen.sync.error.is_some());
        assert_eq!(seen.events(), [""; 0], "{version}");
    }
}

#[test]
fn q35_a_failed_pod_is_recreated_in_the_same_sync() {
    // By the contract, a finished pod is removed at once when deleted, even if it is terminating, so the name is always
    // free. (Real servers keep one that is terminating already: AlreadyExists.)
    for failed in [pod("web-0").failed(), pod("web-0").failed().terminating()] {
        let world = web(1).pod(failed);
        let events = |version| -> Vec<&str> {
            let events = next(&world, version).sync.events;
            events.iter().map(|event| event.reason.name()).collect()
        };
        let recreated = [
            "RecreatingFailedPod",
            "SuccessfulDelete",
            "SuccessfulCreate",
        ];
        for version in ["1.19.16", "1.27.3", "1.27.4", "1.28.10", "1.29.5", "1.30.1"] {
            assert_eq!(events(version), recreated, "{version}");
        }
        for version in ["1.28.11", "1.29.6", "1.30.2", "1.31.0"] {
            assert!(!events(version).contains(&"SuccessfulCreate"), "{version}");
        }
    }
}

#[test]
fn q36_an_invalid_selector_ends_the_sync_silently() {
    let selector =
        json!({"matchExpressions": [{"key": "app", "operator": "Likes", "values": ["web"]}]});
    let world = web(3)
        .without("web-0")
        .template("v2")
        .spec("selector", selector);
    expect(&world, ALWAYS, &[]);
    assert_eq!(course(&world, "1.36.2").outcome(), "blocked");
}

#[test]
fn q38_a_failure_ends_later_batches() {
    // Batches of 1, 2, 4: web-1 fails, web-2 is in its batch, web-3 in the next.
    let world = web(0)
        .replicas(7)
        .parallel()
        .claims("data")
        .claim(claim("data-web-1").terminating());
    let made = |version: &str| -> Vec<String> {
        let lines = next(&world, version).lines();
        let pods = lines
            .iter()
            .filter_map(|line| line.strip_prefix("create pods "));
        pods.map(|pod| pod.replace(" v1", "")).collect()
    };
    for version in ["1.20.15", "1.24.17", "1.25.11", "1.26.6", "1.27.3"] {
        assert_eq!(made(version), ["web-0"], "{version}");
    }
    for version in ["1.25.12", "1.26.7", "1.27.4", "1.28.0", "1.36.2"] {
        assert_eq!(made(version), ["web-0", "web-2"], "{version}");
    }
}

#[test]
fn q39_a_pod_ready_since_an_unknown_time_is_never_available() {
    let world = web(2)
        .min_ready(30)
        .pod(pod("web-0").ready_since_unknown())
        .status("availableReplicas", 1);
    let waits = "hold WaitingForPodAvailable web-0";
    expect(&world, "1.21.14", &[]);
    expect(&world, "1.23.17 1.36.2", &[waits, "requeue after 30"]);
    // Without minReadySeconds the time does not matter.
    expect(&web(2).pod(pod("web-0").ready_since_unknown()), ALWAYS, &[]);
    // The hold for a pod that is not ready is the usual one.
    let world = world
        .pod(pod("web-0").not_ready())
        .status("readyReplicas", 1);
    assert_eq!(
        next(&world, "1.36.2").lines()[0],
        "hold WaitingForPodReady web-0"
    );
}

#[test]
fn q40_terminating_pods_are_ready_but_neither_current_nor_updated() {
    let world = web(2).pod(pod("web-1").terminating());
    let status = "update status current=1 updated=1";
    expect(
        &world,
        ALWAYS,
        &[status, "hold WaitingForPodTermination web-1"],
    );
}

#[test]
fn q41_long_names_do_not_fit_into_labels() {
    // 52 characters, a dash and a hash of ten fill a label.
    let name = |length: usize| "w".repeat(length);
    for version in ALWAYS.split(' ') {
        let hash = next(&web(0).no_revisions(), version).sync.writes[0]
            .name
            .len()
            - "web-".len();
        for (length, fits) in [(63 - 1 - hash, true), (64 - 1 - hash, false)] {
            let world = web(0).no_revisions().named(&name(length)).replicas(1);
            let seen = next(&world, version);
            let pod = seen
                .sync
                .writes
                .iter()
                .find(|write| write.resource == Resource::Pods);
            assert_eq!(
                pod.unwrap().refused.is_none(),
                fits,
                "{version}, {length} characters"
            );
            let reason = if fits {
                "SuccessfulCreate"
            } else {
                "FailedCreate"
            };
            assert_eq!(seen.sync.events[0].reason.name(), reason, "{version}");
            let outcome = if fits { "complete" } else { "blocked" };
            assert_eq!(course(&world, version).outcome(), outcome, "{version}");
        }
    }
}

#[test]
fn q42_any_claim_with_the_right_name_is_used() {
    let lost = claim("data-web-0")
        .with("status", json!({"phase": "Lost"}))
        .with(
            "spec",
            json!({"resources": {"requests": {"storage": "1Ki"}}}),
        );
    let world = web(1).claims("data").without("web-0").claim(lost);
    for version in ALWAYS.split(' ') {
        assert_eq!(
            next(&world, version).lines()[0],
            "create pods web-0 v1",
            "{version}"
        );
    }
    assert!(behaviour("1.36.2").terminating_claim_blocks);
}

#[test]
fn q43_a_silent_node_is_detected_later_from_1_32_on() {
    for (version, seconds) in [("1.31", 40), ("1.32", 50), ("1.37", 50)] {
        let grace = behaviour(version).version.node_monitor_grace_period();
        assert_eq!(grace.as_secs(), seconds, "{version}");
    }
}

#[test]
fn q44_the_eviction_policy_of_unhealthy_pods_is_ignored_before_1_27() {
    for (version, counts) in [("1.26", false), ("1.27", true), ("1.37", true)] {
        let version = behaviour(version).version;
        assert_eq!(version.has_unhealthy_eviction_policy(), counts, "{version}");
    }
}

#[test]
fn q45_a_pod_on_an_unreachable_node_is_never_replaced() {
    // Terminating forever.
    let world = web(2).pod(pod("web-1").terminating());
    for version in ALWAYS.split(' ') {
        let writes = next(&world, version);
        let lines = writes.lines();
        assert!(
            !lines
                .iter()
                .any(|line| line.starts_with("create pods web-1")),
            "{version}: {lines:?}"
        );
    }
    assert!(!behaviour("1.25").version.honours_out_of_service());
    assert!(behaviour("1.26").version.honours_out_of_service());
}
