//! Reports about rollouts that hang without a message.

use serde_json::json;
use sts_controller::simulate::{Action, Assumption};
use sts_plan::plan::Outcome;

use super::{does_not_find, never_ready, says};
use crate::scenario::{plan, plan_after, plan_assuming, pod, revision, steps, web};
use test_kit::findings::Within;

#[test]
fn p01_kk67250_a_bad_image_is_not_replaced_by_a_good_template() {
    let rolling = web(3).rolling_to_v2();
    says(
        &plan(&rolling, "1.36"),
        &[
            "if web-2 never becomes ready on",
            "does not replace it: web-2 has to be deleted as well",
        ],
    );
    let reverted = web(3)
        .revision(revision("v2", 2))
        .pod(pod("web-2").at("v2").crash_looping());
    says(
        &never_ready("web-2", &reverted, "1.36"),
        &[
            "BLOCKED",
            "delete web-2 to continue the rollout",
            "kubectl delete pod web-2",
        ],
    );
}

#[test]
fn p02_kk137409_a_broken_old_pod_spends_the_budget_of_the_update_that_would_mend_it() {
    let world = web(3)
        .rolling_to_v2()
        .parallel()
        .max_unavailable(json!(1))
        .pod(pod("web-0").crash_looping());
    says(
        &never_ready("web-0", &world, "1.35.0"),
        &["STS013 pod/web-0: web-0 on "],
    );
    // With the gate on again, the trap is back.
    let on = "1.36 MaxUnavailableStatefulSet=true";
    says(&never_ready("web-0", &world, on), &["STS013 pod/web-0"]);
}

#[test]
fn p11_kk68573_the_verdict_does_not_wait_for_a_status_that_never_comes() {
    // All counters of the stored status say that the rollout is done; the set is not done.
    let world = web(2).parallel().pod(pod("web-1").crash_looping());
    let stuck = never_ready("web-1", &world, "1.36");
    assert_eq!(stuck.snapshot.status.updated_replicas, 2);
    says(
        &stuck,
        &[
            "BLOCKED: waiting for web-1 to become ready: container main is in CrashLoopBackOff",
            "pod web-1 is Running, not ready, on web-",
            "kubectl describe pod web-1 -n default",
        ],
    );
    // The status is empty: the verdict comes from the pods, and the missing status write is reported.
    let silent = [
        "replicas",
        "readyReplicas",
        "availableReplicas",
        "currentReplicas",
        "updatedReplicas",
    ];
    let world = silent
        .iter()
        .fold(web(2), |world, member| world.status(member, 0));
    for version in ["1.19", "1.36"] {
        let done = plan(&world.clone().status_revisions("", ""), version);
        assert!(matches!(done.outcome, Outcome::Complete), "{version}");
        assert!(!done.touches_pods(), "{version}");
        let end = &done.last.status;
        assert_eq!(
            (end.replicas, end.ready_replicas, end.updated_replicas),
            (2, 2, 2),
            "{version}"
        );
        assert_eq!(end.current_revision, end.update_revision, "{version}");
        says(&done, &["Next: update the status", "complete after 0s"]);
    }
    // An older spec than the stored one was observed: tools wait, the set does not.
    let world = web(2).metadata("generation", json!(7));
    says(&plan(&world, "1.36"), &["Next: update the status"]);
}

#[test]
fn p12_kk106054_there_is_no_deadline_so_the_verdict_is_a_proof() {
    let stuck = never_ready("web-2", &web(3).rolling_to_v2(), "1.36");
    assert!(matches!(stuck.outcome, Outcome::Blocked(_)));
    says(
        &stuck,
        &["STS001 statefulset/web: blocked by WaitingForPodReady: waiting for web-2"],
    );
}

#[test]
fn p17_kk36333_scaling_down_stops_at_an_unhealthy_pod() {
    let world = web(5).replicas(3).pod(pod("web-1").crash_looping());
    let stuck = never_ready("web-1", &world, "1.36");
    says(&stuck, &["BLOCKED", "web-1"]);
    // A parallel set does not stop there.
    let free = never_ready("web-1", &world.parallel(), "1.36");
    assert!(!free.progression.world.snapshot().pods.contains_key("web-4"));
}

#[test]
fn p18_kk123918_scaling_down_with_min_ready_seconds() {
    let world = web(3).replicas(2).min_ready(30);
    // It waits, says for what and how long, and continues.
    let below = world.clone().pod(pod("web-0").ready_for(10));
    let waits = plan(&below, "1.36");
    assert!(matches!(waits.outcome, Outcome::Complete));
    says(
        &waits,
        &[
            "Waiting for web-0 to become available: ready, available in 20s \
             (minReadySeconds 30)",
            "pod web-0 is Running, ready for 10s",
        ],
    );
    assert_eq!(
        steps(&waits)[..2],
        ["20 PodAvailable web-0", "20 delete web-2"]
    );
    // If the pod to delete is the only unavailable one, the controllers of 1.22 and 1.23 panic, later ones wait for it,
    // and today's delete it at once.
    let surplus = world.pod(pod("web-2").ready_for(10));
    says(
        &plan(&surplus, "1.23"),
        &["Failing: the controller manager of this version panics"],
    );
    says(
        &plan(&surplus, "1.24.0"),
        &[
            "The scale-down is waiting for web-2 to become available before it deletes it: ready, available in",
        ],
    );
    for version in ["1.21", "1.36"] {
        says(
            &plan(&surplus, version),
            &["Next: delete web-2 (scale down to 2)"],
        );
    }
}

#[test]
fn p22_kk64023_a_name_too_long_for_its_labels() {
    let name = "a234567890123456789012345678901234567890123456789012345";
    let world = web(0).named(name).replicas(1).no_revisions();
    says(
        &plan(&world, "1.36"),
        &[
            "STS009",
            "no pod can be created",
            "at most 63 are allowed",
            "BLOCKED",
        ],
    );
}

#[test]
fn p25_kk72226_a_pod_is_terminating_on_a_dead_node() {
    let world = web(3).pod(pod("web-1").terminating());
    let never = Assumption {
        never_gone: true,
        ..Assumption::default()
    };
    let stuck = plan_assuming(&[("web-1", never)], Vec::new(), &world, "1.36").within(
        "apiVersion: v1\nkind: Node\nmetadata: {name: node}\nstatus: {conditions: [{type: Ready, status: Unknown, reason: \
         NodeStatusUnknown}]}\n",
    );
    says(
        &stuck,
        &[
            "BLOCKED",
            "STS024 pod/web-1: web-1 is terminating, but its node node is not ready (NodeStatusUnknown)",
        ],
    );
    // The options, with their risk.
    let page = sts_plan::lint::page(sts_plan::lint::rule("STS024").unwrap());
    for option in [
        "restore it; its kubelet",
        "out-of-service",
        "kubectl delete node",
        "--force",
    ] {
        assert!(page.contains(option), "{option}");
    }
}

#[test]
fn p30_kk36859_a_foreign_pod_has_a_name_or_the_labels() {
    let taken = web(2).pod(pod("web-1").of("Job", "other", "u"));
    says(
        &plan(&taken, "1.36"),
        &[
            "STS008 pod/web-1: web-1 cannot be created: a pod with that name exists, owned by Job other",
        ],
    );
    // Before: the pod that a scale-up would create.
    let before = web(1)
        .replicas(2)
        .pod(pod("web-1").orphan().label("app", "other"));
    says(
        &plan(&before, "1.36"),
        &["STS008 pod/web-1", "without an owner"],
    );
}

#[test]
fn p31_kk38418_the_first_pod_dies_while_later_ones_are_not_ready() {
    let world = web(3)
        .without("web-0")
        .pod(pod("web-1").not_ready())
        .pod(pod("web-2").not_ready());
    for version in ["1.19", "1.36"] {
        let plan = plan(&world, version);
        assert_eq!(steps(&plan)[0], "0 create web-0", "{version}");
        assert!(matches!(plan.outcome, Outcome::Complete), "{version}");
    }
}

#[test]
fn p32_kk89067_an_evicted_pod_is_made_again_without_delay() {
    let world = web(2).pod(pod("web-1").failed());
    let evicted = plan(&world, "1.36");
    says(
        &evicted,
        &["STS031 pod/web-1: web-1 is Failed: the controller recreates it immediately"],
    );
    // Its status has the reason of the eviction.
    let status = pod("web-1").failed().status("reason", json!("Evicted"));
    let status = status.status("message", json!("The node was low on resource: memory."));
    says(
        &plan(&web(2).pod(status), "1.36"),
        &[
            "Next: delete web-1 (Failed: Evicted: The node was low on resource: memory)",
            "status: Evicted: The node was low on resource: memory.",
            "web-1 is Failed (Evicted: The node was low on resource: memory.)",
        ],
    );
    let first: Vec<String> = steps(&evicted).into_iter().take(2).collect();
    assert_eq!(first, ["0 delete web-1", "0 create web-1"]);
}

#[test]
fn p33_kk120398_a_pod_that_succeeded_is_not_replaced() {
    let world = web(2).pod(pod("web-1").succeeded());
    says(
        &plan(&world, "1.27.8"),
        &["STS031 pod/web-1: web-1 is Succeeded, and Kubernetes 1.27.8 never recreates such a pod"],
    );
    let newer = plan(&world, "1.27.9");
    assert!(matches!(newer.outcome, Outcome::Complete));
    assert_eq!(newer.tally().replaced, 1);
}

#[test]
fn p08_kk70442_the_last_pod_stays_old_because_it_was_asked_to() {
    let world = web(3)
        .rolling_to_v2()
        .partition(1)
        .pod(pod("web-1").at("v2"))
        .pod(pod("web-2").at("v2"));
    let held = plan(&world, "1.36");
    assert!(matches!(held.outcome, Outcome::Complete));
    says(&held, &["held by partition"]);
    does_not_find(&held, "STS001");
    // If it is deleted by hand, it comes back old.
    let deleted = plan_after(vec![Action::DeletePod("web-0".into())], &world, "1.36");
    let pods = &deleted.progression.world.snapshot().pods;
    assert_ne!(pods["web-0"].revision, pods["web-1"].revision);
}
