//! Changes from version to version: docs/semantics.md section 5, one test per number, with the versions on either side
//! of the change in each branch.

use serde_json::json;
use sts_controller::controller::{Refusal, Resource, Verb, Write};
use sts_controller::version::{Gate, Gates, Version};

use crate::scenario::{
    SET_UID, assert_all_present, behaviour, claim, course, expect, next, next_with, pod, revision,
    template, web,
};

/// Changes that cannot show in a plan, with the reason.
const UNSEEN: &[(u32, &str)] = &[
    // The first unhealthy pod is the first one found, not the one with the lowest ordinal.
    (
        2,
        "The pods are walked in the order of their ordinals, so both find the same one.",
    ),
    // ClaimObject ignores objects of other namespaces.
    (6, "A set's controller lists its own namespace only."),
    // Labels of claim templates are copied before they are extended.
    (
        19,
        "The label map that used to be extended in place belonged to a copy that dies with the sync.",
    ),
    // `<` became `<=` in the comparison of times for availability.
    (
        27,
        "The old clock has nanoseconds and timestamps have seconds, so at that instant both say yes.",
    ),
];

#[test]
fn every_delta_is_tested_or_cannot_show() {
    assert_all_present(include_str!("version_changes.rs"), "d", 33, UNSEEN);
}

#[test]
fn d01_terminating_claim_blocks_pod_creation() {
    let world = web(2)
        .claims("data")
        .without("web-1")
        .claim(claim("data-web-1").terminating());
    expect(
        &world,
        "1.19.16",
        &["create pods web-1 v1", "update status ready=1"],
    );
    expect(
        &world,
        "1.20.0",
        &[
            "hold ClaimBeingDeleted web-1",
            "error: pvc data-web-1 is being deleted",
        ],
    );
    assert_eq!(
        next(&world, "1.20.0").events(),
        [
            "Warning FailedCreate create Pod web-1 in StatefulSet web failed error: pvc data-web-1 is being deleted"
        ]
    );
}

#[test]
fn d03_min_ready_seconds_are_behind_a_gate() {
    let world = web(2)
        .min_ready(30)
        .pod(pod("web-0").ready_for(10))
        .without("web-1");
    let goes_on = &["create pods web-1 v1", "update status ready=1"];
    expect(&world, "1.21.14", goes_on);
    // With the gate off, every ready pod is available.
    expect(
        &world,
        "1.22.0",
        &["create pods web-1 v1", "update status ready=1 available=1"],
    );
    expect(
        &world,
        "1.22.0 StatefulSetMinReadySeconds=true",
        &[
            "update status replicas=1 ready=1 available=0 current=1 updated=1",
            "hold WaitingForPodAvailable web-0",
            "requeue after 30",
        ],
    );
    // A change of availability alone causes a write.
    let world = web(2).min_ready(30).pod(pod("web-1").ready_for(10));
    expect(&world, "1.21.14", &[]);
    // (web-0 and web-1 are ready, so both count with the gate off.)
    expect(&world, "1.22.17", &[]);
    expect(
        &world,
        "1.22.17 StatefulSetMinReadySeconds=true",
        &[
            "update status available=1",
            "hold WaitingForPodAvailable web-1",
            "requeue after 30",
        ],
    );
}

#[test]
fn d04_min_ready_seconds_are_on() {
    let world = web(2).min_ready(30).pod(pod("web-1").ready_for(10));
    expect(&world, "1.22.17", &[]);
    expect(
        &world,
        "1.23.0",
        &[
            "update status available=1",
            "hold WaitingForPodAvailable web-1",
            "requeue after 30",
        ],
    );
    // It is written even if it is zero.
    let world = web(1).pod(pod("web-0").not_ready());
    let status = |version| next(&world, version).sent("web");
    assert_eq!(status("1.22.17").get("availableReplicas"), None);
    assert_eq!(status("1.23.0")["availableReplicas"], 0);
    // With the gate off it is the number of ready pods.
    let world = web(1)
        .min_ready(30)
        .pod(pod("web-0").ready_for(10))
        .status("availableReplicas", 0);
    expect(
        &world,
        "1.23.0 1.24.17 StatefulSetMinReadySeconds=false",
        &["update status available=1"],
    );
}

#[test]
fn d05_claims_follow_a_retention_policy() {
    let on = "StatefulSetAutoDeletePVC=true";
    let world = web(1).claims("data").retention("Delete", "Delete");
    expect(&world, "1.22.17 1.23.0", &[]);
    expect(
        &world,
        &format!("1.23.0 1.24.17 1.26.15 {on}"),
        &[
            "update claims data-web-0 owned by [StatefulSet]",
            "update pods web-0",
        ],
    );
    // A claim that still belongs to the pod's predecessor blocks the creation of the pod.
    let stale = web(1)
        .claims("data")
        .retention("Retain", "Delete")
        .without("web-0")
        .claim(claim("data-web-0").owner("Pod", "web-0", "uid-of-its-predecessor", false));
    expect(
        &stale,
        "1.22.17 1.23.0",
        &["create pods web-0 v1", "update status ready=0 available=0"],
    );
    expect(
        &stale,
        &format!("1.23.0 {on}"),
        &[
            "update status replicas=0 ready=0 available=0 current=0 updated=0",
            "hold StaleClaim web-0",
        ],
    );
    // The claims of a scaled-down pod become the pod's.
    let scaled = web(2)
        .claims("data")
        .retention("Retain", "Delete")
        .replicas(1);
    expect(
        &scaled,
        &format!("1.23.0 {on}"),
        &[
            "update claims data-web-1 owned by [Pod]",
            "delete pods web-1 v1",
            "update status current=1 updated=1",
        ],
    );
}

#[test]
fn d07_max_unavailable_is_behind_a_gate() {
    let on = "MaxUnavailableStatefulSet=true";
    let of = |max| web(5).rolling_to_v2().max_unavailable(max);
    let one = &["delete pods web-4 v1", "update status current=4"];
    let two = &[
        "delete pods web-4 v1",
        "delete pods web-3 v1",
        "update status current=3",
    ];
    expect(&of(json!(2)), "1.23.17 1.24.0", one);
    expect(&of(json!(2)), &format!("1.24.0 {on}"), two);
    expect(&of(json!("50%")), &format!("1.24.0 {on}"), two);
    // A percentage that rounds down to zero stops the rollout.
    let stuck = "hold UnavailableBudgetSpent";
    expect(&of(json!("10%")), &format!("1.24.0 {on}"), &[stuck]);
    // Percent signs are dropped, however many there are.
    expect(&of(json!("50")), &format!("1.24.0 {on}"), two);
    expect(&of(json!("5%0%")), &format!("1.24.0 {on}"), two);
}

#[test]
fn d08_waiting_for_an_available_scale_down_target_no_longer_panics() {
    let world = web(2)
        .replicas(1)
        .min_ready(30)
        .pod(pod("web-1").ready_for(10));
    expect(
        &world,
        "1.23.17",
        &[
            "error: the controller manager of this version panics: the pod to be deleted is ready but not \
             yet available, and no pod is unhealthy",
        ],
    );
    expect(
        &world,
        "1.24.0",
        &[
            "update status available=1",
            "hold ScaleDownWaitingForAvailable web-1",
        ],
    );
}

#[test]
fn d09_max_unavailable_is_at_least_one() {
    let on = "MaxUnavailableStatefulSet=true";
    let of = |max| web(5).rolling_to_v2().max_unavailable(max);
    let stuck = "hold UnavailableBudgetSpent";
    expect(&of(json!("10%")), &format!("1.24.17 {on}"), &[stuck]);
    expect(
        &of(json!("10%")),
        &format!("1.25.6 {on}"),
        &["delete pods web-4 v1", "update status current=4"],
    );
    // And a string has to end in a percent sign.
    expect(
        &of(json!("20")),
        &format!("1.24.17 {on}"),
        &["delete pods web-4 v1", "update status current=4"],
    );
    expect(
        &of(json!("20")),
        &format!("1.25.0 {on}"),
        &["error: invalid value for IntOrString: invalid type: string is not a percentage: 20"],
    );
}

#[test]
fn d10_status_is_written_even_if_the_pass_fails() {
    let world = web(2)
        .claims("data")
        .without("web-1")
        .claim(claim("data-web-1").terminating());
    let hold = "hold ClaimBeingDeleted web-1";
    let error = "error: pvc data-web-1 is being deleted";
    expect(&world, "1.23.15 1.24.9", &[hold, error]);
    let status = "update status replicas=1 ready=1 available=1 current=1 updated=1";
    expect(&world, "1.23.16 1.24.10 1.25.0", &[status, hold, error]);
}

#[test]
fn d11_status_is_written_after_the_pass() {
    // Written from inside the pass, it lacks the deletions of this sync.
    let on = "MaxUnavailableStatefulSet=true";
    let world = web(3).rolling_to_v2().max_unavailable(json!(2));
    let deletes = ["delete pods web-2 v1", "delete pods web-1 v1"];
    expect(&world, &format!("1.25.0 1.25.5 {on}"), &deletes);
    let [first, second] = deletes;
    expect(
        &world,
        &format!("1.24.9 1.24.10 1.25.6 1.26.0 {on}"),
        &[first, second, "update status current=1"],
    );
}

#[test]
fn d12_min_ready_seconds_can_no_longer_be_off() {
    let world = web(2)
        .min_ready(30)
        .pod(pod("web-0").ready_for(10))
        .without("web-1");
    expect(
        &world,
        "1.24.17 StatefulSetMinReadySeconds=false",
        &["create pods web-1 v1", "update status ready=1 available=1"],
    );
    expect(
        &world,
        "1.25.0",
        &[
            "update status replicas=1 ready=1 available=0 current=1 updated=1",
            "hold WaitingForPodAvailable web-0",
            "requeue after 30",
        ],
    );
    let off = [("StatefulSetMinReadySeconds".to_owned(), false)].into();
    let version: Version = "1.25.0".parse().unwrap();
    let refused = Gates::new(version, &off).unwrap_err();
    assert!(refused.to_string().contains("locked to true"));
}

#[test]
fn d13_ordinals_may_start_elsewhere() {
    let on = "StatefulSetStartOrdinal=true";
    let world = web(0).replicas(1).start(5);
    let counted = "update status replicas=1 current=1 updated=1";
    expect(&world, "1.25.0 1.26.0", &["create pods web-0 v1", counted]);
    expect(
        &world,
        &format!("1.26.0 {on}"),
        &["create pods web-5 v1", counted],
    );
    // Pods below the start are scaled down.
    let world = web(2).start(1).replicas(1);
    expect(
        &world,
        &format!("1.26.0 {on}"),
        &["delete pods web-0 v1", "update status current=1 updated=1"],
    );
    // This applies to their claims as well.
    let auto = "StatefulSetAutoDeletePVC=true";
    expect(
        &world.claims("data").retention("Retain", "Delete"),
        &format!("1.26.0 {on} {auto}"),
        &[
            "update claims data-web-0 owned by [Pod]",
            "delete pods web-0 v1",
            "update status current=1 updated=1",
        ],
    );
    // A set without a retention policy no longer causes a crash.
    let on = auto;
    let world = web(1).claims("data").without("web-0").status("replicas", 0);
    let panic = "error: the controller manager of this version panics: the set has no \
                 persistentVolumeClaimRetentionPolicy";
    expect(
        &world,
        &format!("1.23.5 1.23.17 1.24.17 1.25.16 {on}"),
        &[panic],
    );
    // Checking the claims of existing pods does not either, whether or not the pods are desired.
    for there in [web(1).claims("data"), web(1).claims("data").replicas(0)] {
        for version in ["1.23.5", "1.24.17", "1.25.16"] {
            let seen = next(&there, &format!("{version} {on}"));
            let error = seen.sync.error.map(|error| format!("error: {error}"));
            assert_eq!(error.as_deref(), Some(panic), "{version}");
            assert!(seen.sync.writes.is_empty(), "{version}");
        }
        let error = next(&there, &format!("1.26.0 {on}")).sync.error;
        assert!(error.is_none(), "{error:?}");
    }
    expect(
        &world,
        &format!("1.26.0 {on}"),
        &[
            "create pods web-0 v1",
            "update status replicas=1 ready=0 available=0",
        ],
    );
}

/// Returns the refusal of a pod that is cached but gone from the server.
fn pod_is_gone(write: &Write) -> Option<Refusal> {
    (write.resource == Resource::Pods && write.verb == Verb::Delete).then(|| Refusal::NotFound {
        resource: "pods",
        name: write.name.clone(),
    })
}

#[test]
fn d14_deleting_a_missing_pod_is_no_error_in_an_update() {
    let world = web(2).rolling_to_v2();
    let delete = "delete pods web-1 v1 (NotFound)";
    let status = "update status current=1";
    assert_eq!(
        next_with(&world, "1.26.15", pod_is_gone).lines(),
        [delete, status, "error: pods \"web-1\" not found"]
    );
    for version in ["1.27.0", "1.35.0", "1.36.0"] {
        let seen = next_with(&world, version, pod_is_gone);
        assert_eq!(seen.lines(), [delete, status], "{version}");
    }
    // After any other error, the pod is no longer subtracted.
    let refuse = |write: &Write| {
        pod_is_gone(write).map(|_| Refusal::Invalid("an admission webhook says no".into()))
    };
    let delete = "delete pods web-1 v1 (Invalid)";
    let error = "error: an admission webhook says no";
    assert_eq!(
        next_with(&world, "1.26.15", refuse).lines(),
        [delete, status, error]
    );
    assert_eq!(next_with(&world, "1.27.0", refuse).lines(), [delete, error]);
}

#[test]
fn d15_missing_claims_of_pending_pods_are_recreated() {
    let world = web(1)
        .claims("data")
        .without_claim("data-web-0")
        .pod(pod("web-0").pending())
        .status("readyReplicas", 0)
        .status("availableReplicas", 0);
    let waits = "hold WaitingForPodReady web-0";
    expect(&world, "1.26.15", &[waits]);
    expect(
        &world,
        "1.27.0 1.27.4",
        &["create claims data-web-0", waits],
    );
}

#[test]
fn d16_start_ordinals_and_retention_are_on() {
    let world = web(0).replicas(1).start(5);
    let counted = "update status replicas=1 current=1 updated=1";
    expect(&world, "1.26.15", &["create pods web-0 v1"]);
    expect(&world, "1.27.0", &["create pods web-5 v1", counted]);
    let world = web(1).claims("data").retention("Delete", "Retain");
    expect(&world, "1.26.15", &[]);
    expect(
        &world,
        "1.27.0",
        &[
            "update claims data-web-0 owned by [StatefulSet]",
            "update pods web-0",
        ],
    );
}

const SEQUENTIAL: &str = "1.24.17 1.25.11 1.26.6 1.27.3";
const BATCHED: &str = "1.25.12 1.26.7 1.27.4 1.28.0";

#[test]
fn d17_pods_are_processed_in_batches() {
    // A newly created pod is no longer counted.
    let world = web(3).without("web-1").without("web-2");
    let created = "create pods web-1 v1";
    let counted = "update status replicas=2 ready=1 available=1 current=2 updated=2";
    expect(&world, SEQUENTIAL, &[created, counted]);
    let counted = "update status replicas=1 ready=1 available=1 current=1 updated=1";
    expect(&world, BATCHED, &[created, counted]);
    // Nor is one without a phase, which was counted before.
    let world = web(1).pod(pod("web-0").phase("").not_ready()).on_delete();
    expect(
        &world,
        SEQUENTIAL,
        &[
            "create pods web-0 v1 (AlreadyExists)",
            "update status ready=0 available=0 current=0 updated=0",
            "hold NameTaken web-0",
            "error: pods \"web-0\" already exists",
        ],
    );
    expect(
        &world,
        BATCHED,
        &[
            "create pods web-0 v1 (AlreadyExists)",
            "update status replicas=0 ready=0 available=0 current=0 updated=0",
            "hold NameTaken web-0",
            "error: pods \"web-0\" already exists",
        ],
    );
}

#[test]
fn d18_new_pods_have_an_index_label() {
    let index = "apps.kubernetes.io/pod-index";
    let world = web(1).without("web-0");
    let labels = |version| next(&world, version).sent("web-0")["metadata"]["labels"].clone();
    assert_eq!(labels("1.27.16").get(index), None);
    assert_eq!(labels("1.28.0")[index], "0");
    assert_eq!(labels("1.28.0 PodIndexLabel=false").get(index), None);
    // Existing pods do not get it.
    expect(&web(2), "1.27.16 1.28.0 1.36.0", &[]);
}

#[test]
fn d20_completion_compares_with_the_spec() {
    let world = web(3)
        .rolling_to_v2()
        .partition(1)
        .without("web-0")
        .without("web-2")
        .pod(pod("web-1").at("v2"))
        .parallel()
        .claims("data")
        .claim(claim("data-web-0").terminating())
        .claim(claim("data-web-2").terminating());
    let held = [
        "hold ClaimBeingDeleted web-0",
        "error: pvc data-web-0 is being deleted",
    ];
    let early =
        "update status replicas=1 ready=1 available=1 current=1 updated=1 currentRevision=v2";
    expect(
        &world,
        "1.25.12 1.26.15 1.27.7 1.28.3",
        &[early, held[0], held[1]],
    );
    let late = "update status replicas=1 ready=1 available=1 current=0 updated=1";
    expect(&world, "1.27.8 1.28.4 1.29.0", &[late, held[0], held[1]]);
}

#[test]
fn d21_succeeded_pods_are_recreated() {
    let world = web(2).pod(pod("web-1").succeeded());
    let waits = &[
        "update status ready=1 available=1",
        "hold WaitingForPodReady web-1",
    ];
    expect(&world, "1.26.15 1.27.8 1.28.4", waits);
    expect(
        &world,
        "1.27.9 1.28.5 1.29.0",
        &[
            "delete pods web-1 v1",
            "create pods web-1 v1",
            "update status replicas=1 ready=1 available=1 current=1 updated=1",
        ],
    );
    assert_eq!(
        next(&world, "1.29.0").events(),
        [
            "Normal RecreatingTerminatedPod StatefulSet default/web is recreating terminated Pod web-1",
            "Normal SuccessfulDelete delete Pod web-1 in StatefulSet web successful",
            "Normal SuccessfulCreate create Pod web-1 in StatefulSet web successful",
        ]
    );
}

#[test]
fn d22_finished_pods_are_recreated_by_a_later_sync() {
    for pod in [pod("web-1").failed(), pod("web-1").succeeded()] {
        let world = web(2).pod(pod);
        expect(
            &world,
            "1.28.10 1.29.5 1.30.1",
            &[
                "delete pods web-1 v1",
                "create pods web-1 v1",
                "update status replicas=1 ready=1 available=1 current=1 updated=1",
            ],
        );
        let after = "1.28.11 1.29.6 1.30.2 1.31.0";
        expect(
            &world,
            after,
            &[
                "delete pods web-1 v1",
                "update status ready=1 available=1",
                "hold PodFailed web-1",
            ],
        );
        let events = next(&world, "1.31.0").events();
        assert_eq!(
            events,
            ["Normal SuccessfulDelete delete Pod web-1 in StatefulSet web successful"]
        );
    }
    // A terminating pod is ignored.
    let world = web(2).pod(pod("web-1").failed().terminating());
    let status = "update status ready=1 available=1 current=1 updated=1";
    expect(&world, "1.31.0", &[status, "hold PodFailed web-1"]);
    expect(
        &world,
        "1.30.1",
        &[
            "delete pods web-1 v1",
            "create pods web-1 v1",
            "update status replicas=1 ready=1 available=1 current=1 updated=1",
        ],
    );
}

#[test]
fn d23_claims_are_owned_by_controller_references() {
    let (before, after) = (
        "1.27.16 1.28.12 1.29.7 1.30.3",
        "1.28.13 1.29.8 1.30.4 1.31.0",
    );
    let world = web(1).claims("data").retention("Delete", "Retain");
    expect(
        &world,
        before,
        &[
            "update claims data-web-0 owned by [StatefulSet]",
            "update pods web-0",
        ],
    );
    let controlled = &[
        "update claims data-web-0 owned by [StatefulSet*]",
        "update pods web-0",
    ];
    expect(&world, after, controlled);
    // Old plain references are replaced, at the cost of an update of the pod.
    let plain = world.clone().claim(claim("data-web-0").of_set(false));
    expect(&plain, before, &[]);
    expect(&plain, after, controlled);
    // Claims of another owner are ignored, with a warning when the claim is checked.
    let foreign = world
        .claim(claim("data-web-0").owner("Backup", "b", "uid-of-b", true))
        .without("web-0");
    let status = "update status replicas=0 ready=0 available=0 current=0 updated=0";
    expect(
        &foreign,
        before,
        &[
            "create pods web-0 v1",
            "update claims data-web-0 owned by [Backup*, StatefulSet]",
            status,
        ],
    );
    expect(&foreign, after, &["create pods web-0 v1", status]);
    let warning = "Warning ConflictingController PersistentVolumeClaim data-web-0 has a conflicting \
                   OwnerReference that acts as a manging controller, the retention policy is ignored for this claim";
    assert_eq!(next(&foreign, "1.31.0").events()[0], warning);
    assert!(
        !next(&foreign, "1.30.3")
            .events()
            .iter()
            .any(|event| event == warning)
    );
    // A policy that retains everything conflicts with no owner.
    let kept = foreign.retention("Retain", "Retain");
    let events = next(&kept, "1.31.0").events();
    let warned = events.iter().any(|event| event == warning);
    assert!(!warned, "{events:?}");
    // Owned by an object with the pod's name that is not a pod: stale by name, but not by kind.
    let namesake = web(1)
        .claims("data")
        .retention("Retain", "Delete")
        .without("web-0")
        .claim(claim("data-web-0").owner("Backup", "web-0", "uid-of-b", false));
    expect(&namesake, "1.30.3", &[status, "hold StaleClaim web-0"]);
    expect(&namesake, "1.30.4", &["create pods web-0 v1", status]);
}

#[test]
fn d24_start_ordinals_can_no_longer_be_off() {
    let off = "StatefulSetStartOrdinal=false";
    let world = web(0).replicas(1).start(5);
    expect(&world, &format!("1.30.14 {off}"), &["create pods web-0 v1"]);
    expect(&world, "1.31.0", &["create pods web-5 v1"]);
    let version: Version = "1.31.0".parse().unwrap();
    let off = [("StatefulSetStartOrdinal".to_owned(), false)].into();
    assert!(Gates::new(version, &off).is_err());
}

#[test]
fn d25_negative_history_limit_keeps_everything() {
    let world = web(1).history_limit(-1).revision(revision("v0", 0));
    expect(
        &world,
        "1.28.15 1.29.12 1.30.8 1.31.4 1.32.0",
        &[
            "error: the controller manager of this version panics: spec.revisionHistoryLimit is negative",
        ],
    );
    expect(&world, "1.29.13 1.30.9 1.31.5 1.32.1 1.33.0", &[]);
}

#[test]
fn d26_updates_wait_for_availability() {
    let world = web(3)
        .parallel()
        .min_ready(30)
        .rolling_to_v2()
        .pod(pod("web-2").at("v2").ready_for(10))
        .status("currentReplicas", 2)
        .status("updatedReplicas", 1)
        .status("availableReplicas", 2);
    expect(
        &world,
        "1.33.12",
        &[
            "delete pods web-1 v1",
            "update status current=1",
            "requeue after 30",
        ],
    );
    expect(
        &world,
        "1.34.0",
        &["hold UpdateWaitingForPod web-2", "requeue after 30"],
    );
    // And no longer for a phase.
    let world = web(2)
        .parallel()
        .rolling_to_v2()
        .pod(pod("web-1").at("v2").phase("Unknown"))
        .status("readyReplicas", 1)
        .status("availableReplicas", 1)
        .status("currentReplicas", 1)
        .status("updatedReplicas", 1);
    expect(&world, "1.33.12", &["hold UpdateWaitingForPod web-1"]);
    expect(
        &world,
        "1.34.0",
        &["delete pods web-0 v1", "update status current=0"],
    );
}

#[test]
fn d28_revisions_lose_their_null_timestamps() {
    let world = web(1)
        .no_revisions()
        .revision(revision("v1", 1).by_an_old_controller())
        .pod(pod("web-0").at("v1-by-1.33"))
        .status_revisions("v1-by-1.33", "v1-by-1.33");
    let rolls_out = &[
        "create revisions v1 as number 2",
        "delete pods web-0 v1-by-1.33",
        "update status current=0 updated=0 updateRevision=v1",
    ];
    expect(&world, "1.34.0 1.34.1", rolls_out);
    expect(&world, "1.34.2 1.35.0 1.36.0", &[]);
    let off = "StatefulSetSemanticRevisionComparison=false";
    expect(&world, &format!("1.34.2 1.35.0 {off}"), rolls_out);
    let gate = |version: &str| {
        let gates = Gates::defaults(version.parse().unwrap());
        let mut gates = gates.values();
        gates.any(|(gate, _)| gate == Gate::StatefulSetSemanticRevisionComparison)
    };
    assert!(!gate("1.34.1") && gate("1.34.2"));
    // The controllers that wrote the revision would write the same.
    expect(&world, "1.33.12", &[]);
    // Until then, hash labels that parse as different numbers distinguished revisions with equal bytes.
    let numeric = |behaviour: &sts_controller::version::Behaviour| {
        let hash = |tag: &str| {
            let data = sts_controller::controller::revision_data(
                &template(tag),
                behaviour.null_creation_timestamp,
            );
            sts_controller::controller::hash(
                &sts_controller::controller::encode_json(&data, true),
                Some(0),
            )
        };
        let mut tags = (0..20_000).map(|number| format!("n{number}"));
        tags.find(|tag| hash(tag).parse::<i32>().is_ok()).unwrap()
    };
    for (version, differ) in [("1.33.12", true), ("1.34.1", true), ("1.34.2", false)] {
        let tag = numeric(&behaviour(version));
        let world = web(0)
            .template(&tag)
            .no_revisions()
            .revision(revision(&tag, 1).named("web-kept").hash_label("44"))
            .status_revisions("web-kept", "web-kept");
        let created = next(&world, version)
            .sync
            .writes
            .iter()
            .any(|write| write.resource == Resource::Revisions && write.verb == Verb::Create);
        assert_eq!(created, differ, "{version}");
        // Its own label does not differ.
        let world = web(0)
            .template(&tag)
            .no_revisions()
            .revision(revision(&tag, 1))
            .status_revisions(&tag, &tag);
        expect(&world, version, &[]);
    }
}

#[test]
fn a_revision_without_its_directive_is_merged() {
    let image = |tag: &str| json!({"spec": {"containers": [{"name": "main", "image": format!("app:{tag}")}]}});
    let recorded = |tag: &str| {
        let revision = revision("v1", 1).named("web-merging").merging(image(tag));
        web(1)
            .no_revisions()
            .revision(revision)
            .pod(pod("web-0").at("web-merging"))
            .status_revisions("web-merging", "web-merging")
    };
    let rolls_out = &[
        "create revisions v1 as number 2",
        "delete pods web-0 web-merging",
        "update status current=0 updated=0 updateRevision=v1",
    ];
    // Merged into the set, the recorded part changes nothing. Its bytes differ.
    expect(&recorded("v1"), "1.34.2 1.35.0 1.36.0 1.37.0", &[]);
    expect(&recorded("v1"), "1.33.12 1.34.1", rolls_out);
    // Merged into the set, it changes the image.
    expect(&recorded("v0"), "1.34.2 1.36.0", rolls_out);
    // A pod is built from the set's template with the part merged into it.
    for version in ["1.20.2", "1.36.2"] {
        let world = recorded("v0").partition(1).without("web-0");
        let built = &next(&world, version).sent("web-0")["spec"];
        assert_eq!(built["containers"][0]["image"], "app:v0", "{version}");
        assert_eq!(built["restartPolicy"], "Always", "{version}");
    }
}

#[test]
fn d29_deleting_a_missing_pod_is_no_error() {
    let world = web(2).replicas(1);
    let delete = "delete pods web-1 v1 (NotFound)";
    let old = next_with(&world, "1.35.9", pod_is_gone);
    assert_eq!(old.lines(), [delete, "error: pods \"web-1\" not found"]);
    assert_eq!(
        old.events(),
        [
            "Warning FailedDelete Delete Pod web-1 in StatefulSet web failed error: pods \"web-1\" not found"
        ]
    );
    let new = next_with(&world, "1.36.0", pod_is_gone);
    assert_eq!(new.lines(), [delete]);
    assert_eq!(
        new.events(),
        ["Normal SuccessfulDelete Delete Pod web-1 in StatefulSet web successful"]
    );
}

#[test]
fn d30_pods_belong_by_the_whole_owner_reference() {
    let world = web(1).pod(pod("web-0").of("Kruise", "web", SET_UID));
    expect(&world, "1.33.12 1.34.0 1.34.1", &[]);
    expect(
        &world,
        "1.34.2 1.35.0",
        &[
            "create pods web-0 v1 (AlreadyExists)",
            "update status replicas=0 ready=0 available=0 current=0 updated=0",
            "hold NameTaken web-0",
            "error: pods \"web-0\" already exists",
        ],
    );
}

#[test]
fn d31_messages_begin_with_a_capital_verb() {
    let world = web(1).without("web-0").claims("data");
    assert_eq!(
        next(&world, "1.34.9").events(),
        [
            "Normal SuccessfulCreate create Claim data-web-0 Pod web-0 in StatefulSet web success",
            "Normal SuccessfulCreate create Pod web-0 in StatefulSet web successful",
        ]
    );
    assert_eq!(
        next(&world, "1.35.0").events(),
        [
            "Normal SuccessfulCreate Create Claim data-web-0 Pod web-0 in StatefulSet web success",
            "Normal SuccessfulCreate Create Pod web-0 in StatefulSet web successful",
        ]
    );
    // The gates of retention and of the index label are gone.
    let gate = |version: &str, name: &str| {
        let version: Version = version.parse().unwrap();
        Gates::defaults(version)
            .values()
            .find(|(gate, _)| gate.name() == name)
            .map(|(_, on)| on)
    };
    for name in ["StatefulSetAutoDeletePVC", "PodIndexLabel"] {
        assert_eq!(
            (gate("1.34.9", name), gate("1.35.0", name)),
            (Some(true), None)
        );
    }
    // And maxUnavailable took effect for three patches.
    let world = web(3).rolling_to_v2().max_unavailable(json!(2));
    let one = &["delete pods web-2 v1", "update status current=2"];
    let two = &[
        "delete pods web-2 v1",
        "delete pods web-1 v1",
        "update status current=1",
    ];
    expect(&world, "1.34.9", one);
    expect(&world, "1.35.0 1.35.3", two);
    expect(&world, "1.35.4 1.36.0", one);
    // The metric of 1.35 reads it even without an update.
    let world = web(1).max_unavailable(json!("all")).without("web-0");
    let on = "MaxUnavailableStatefulSet=true";
    let created = "create pods web-0 v1";
    let status = "update status replicas=0 ready=0 available=0 current=0 updated=0";
    expect(&world, &format!("1.34.9 {on}"), &[created, status]);
    let error =
        "error: invalid value for IntOrString: invalid type: string is not a percentage: all";
    expect(&world, &format!("1.35.0 {on}"), &[created, error]);
}

#[test]
fn d32_requeue_when_a_pod_becomes_available() {
    let world = web(2)
        .min_ready(30)
        .pod(pod("web-1").ready_for(10))
        .status("availableReplicas", 1);
    let waits = "hold WaitingForPodAvailable web-1";
    expect(&world, "1.34.9 1.35.0", &[waits, "requeue after 30"]);
    expect(&world, "1.35.1 1.36.0", &[waits, "requeue after 20"]);
    // Old controllers requeue though no pod is about to become available.
    let world = web(2)
        .min_ready(30)
        .pod(pod("web-1").not_ready())
        .status("readyReplicas", 1)
        .status("availableReplicas", 1);
    let waits = "hold WaitingForPodReady web-1";
    expect(&world, "1.35.0", &[waits, "requeue after 30"]);
    expect(&world, "1.35.1", &[waits]);
}

#[test]
fn d33_revisions_belong_by_the_whole_owner_reference() {
    // The other part, waiting until the cache has the controller's own writes, cannot show: a plan reads fresh objects.
    let world = web(1)
        .history_limit(0)
        .revision(revision("v0", 0).of("Kruise", "web", SET_UID));
    expect(&world, "1.34.0 1.35.9", &["delete revisions v0"]);
    expect(&world, "1.36.0", &[]);
    assert!(course(&world, "1.36.0").is_idle());
}
