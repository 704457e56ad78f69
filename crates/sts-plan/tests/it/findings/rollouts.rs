//! Rules about the course of a rollout: strategies, partitions, pauses and dead ends.

use serde_json::json;
use sts_controller::simulate::Action;
use sts_plan::lint::RuleId;
use sts_plan::plan::Plan;
use test_kit::findings::{findings, never_ready, setting, setting_in};

use super::{one, rolling, says};
use crate::scenario::{Scenario, plan, plan_after, pod, revision, web};

/// The plan of a deletion of the one pod that a partition holds.
fn held_pod_deleted(version: &str) -> Plan {
    let world = (1..3).fold(web(3).rolling_to_v2().partition(1), |world, ordinal| {
        world.pod(pod(&format!("web-{ordinal}")).at("v2"))
    });
    plan_after(vec![Action::DeletePod("web-0".into())], &world, version)
}

/// That rollout, whose first pod crash-loops.
fn stuck() -> Scenario {
    rolling().pod(pod("web-2").at("v2").crash_looping())
}

#[test]
fn sts001_blocked() {
    one(
        "STS001",
        "error statefulset/web: blocked by WaitingForPodReady: waiting for web-2",
        never_ready("web-2", &stuck(), "1.36"),
        plan(&rolling(), "1.36"),
    );
}

#[test]
fn sts002_forced_rollback() {
    one(
        "STS002",
        "info pod/web-2: if web-2 never becomes ready on",
        plan(&rolling(), "1.36"),
        // A parallel set replaces it at once.
        plan(&rolling().parallel(), "1.36"),
    );
}

#[test]
fn sts004_rejected() {
    one(
        "STS004",
        "error statefulset/web: spec.serviceName may not be changed from \"web\" to \"other\"",
        setting(&web(1), "spec.serviceName", json!("other")),
        setting(&web(1), "spec.replicas", json!(2)),
    );
}

#[test]
fn sts010_partition_at_or_above_replicas() {
    one(
        "STS010",
        "warning statefulset/web: partition 3 is at or above 3 replicas: none of 3 outdated pods is updated to",
        plan(&rolling().partition(3), "1.36"),
        plan(&rolling().partition(2), "1.36"),
    );
}

#[test]
fn sts011_partition_counts_from_start() {
    one(
        "STS011",
        "warning statefulset/web: partition 5 counts from ordinal 5: held: web-5, web-6, web-7; updated: none",
        plan(&web(0).replicas(3).start(5).partition(5), "1.36"),
        plan(&web(0).replicas(3).start(5), "1.36"),
    );
}

#[test]
fn sts012_on_delete() {
    one(
        "STS012",
        "warning statefulset/web: all pods are on",
        plan(
            &web(1)
                .rolling_to_v2()
                .on_delete()
                .pod(pod("web-0").at("v2")),
            "1.36",
        ),
        plan(&web(1).rolling_to_v2().pod(pod("web-0").at("v2")), "1.36"),
    );
}

#[test]
fn sts013_max_unavailable() {
    one(
        "STS013",
        "warning statefulset/web: maxUnavailable 2 has no effect in Kubernetes 1.36 (feature gate \
         MaxUnavailableStatefulSet is off)",
        plan(&web(3).max_unavailable(json!(2)), "1.36"),
        plan(
            &web(3).max_unavailable(json!(2)),
            "1.36 MaxUnavailableStatefulSet=true",
        ),
    );
}

#[test]
fn sts014_min_ready_seconds_ignored() {
    one(
        "STS014",
        "warning statefulset/web: updates of a Parallel set do not wait for minReadySeconds 30 in Kubernetes 1.33",
        plan(&web(2).parallel().min_ready(30), "1.33"),
        plan(&web(2).parallel().min_ready(30), "1.34"),
    );
}

#[test]
fn sts023_downtime() {
    one(
        "STS023",
        "warning statefulset/web: the only pod is replaced: no pod is ready from +0s to +15s",
        plan(&web(1).rolling_to_v2(), "1.36"),
        plan(&web(2).rolling_to_v2(), "1.36"),
    );
}

#[test]
fn sts027_rollout_status_hangs() {
    one(
        "STS027",
        "info statefulset/web: the rollout completes with 1 of 3 pods updated and two revisions in the status \
         (partition 2 holds the others)",
        plan(&rolling().partition(2), "1.36"),
        plan(&rolling(), "1.36"),
    );
}

#[test]
fn sts028_partition_lost_at_zero() {
    one(
        "STS028",
        "warning statefulset/web: at 0 replicas",
        plan(&rolling().partition(2).replicas(0), "1.36"),
        plan(&rolling().replicas(0), "1.36"),
    );
}

#[test]
fn sts053_held_pod_moves() {
    one(
        "STS053",
        "warning statefulset/web: partition 1 no longer holds web-0: the rollout counts as complete, and a held pod \
         that is deleted now is created on",
        held_pod_deleted("1.27.5"),
        held_pod_deleted("1.27.8"),
    );
}

#[test]
fn sts002_forced_rollback_before_and_after_the_template_is_reverted() {
    // The trap of k/k#67250, before and after the template was reverted.
    let broken = rolling().pod(pod("web-2").at("v2").crash_looping());
    says(
        never_ready("web-2", &broken, "1.36"),
        "STS002 warning pod/web-2: web-2 on",
    );
    let reverted = web(3)
        .revision(revision("v2", 2))
        .pod(pod("web-2").at("v2").crash_looping());
    says(
        never_ready("web-2", &reverted, "1.36"),
        "delete web-2 to continue the rollout",
    );
}

#[test]
fn sts027_rollout_status_hangs_for_a_strategy_that_tools_reject() {
    // Tools that wait reject the strategy, however well the rollout goes.
    let recreate = rolling().spec("updateStrategy", json!({"type": "Recreate"}));
    says(
        plan(&recreate, "1.37.0 StatefulSetRecreateStrategy=true"),
        "STS027 info statefulset/web: kubectl rollout status does not support strategy Recreate",
    );
}

#[test]
fn sts012_on_delete_with_manual_steps_in_the_safe_order() {
    // Only manual steps are left, in the safe order.
    says(
        plan(&rolling().on_delete(), "1.36"),
        "in this order, each when the previous one is ready: web-2, web-1, web-0",
    );
}

#[test]
fn sts012_on_delete_is_silent_where_the_version_promotes() {
    // A version that is planned as the newest supported one gets no finding about that one.
    let done = web(1)
        .rolling_to_v2()
        .on_delete()
        .pod(pod("web-0").at("v2"));
    says(
        plan(&done, "1.36"),
        "STS012 warning statefulset/web: all pods are on",
    );
    let promoted = plan(&done, "1.37");
    assert!(
        findings(&promoted)
            .iter()
            .all(|found| found.id != RuleId::OnDelete)
    );
}

#[test]
fn sts013_max_unavailable_that_is_changed() {
    // A field that the server does not store has no effect either.
    let path = "spec.updateStrategy.rollingUpdate.maxUnavailable";
    says(
        setting_in(&web(2), path, json!("50%"), "1.36"),
        "STS013 warning statefulset/web: maxUnavailable 50% has no effect in Kubernetes 1.36",
    );
}

#[test]
fn sts013_max_unavailable_spent_by_a_pod_of_the_old_revision() {
    // A pod of the old revision uses the budget.
    let spent = rolling()
        .parallel()
        .max_unavailable(json!(1))
        .pod(pod("web-0").crash_looping());
    says(
        never_ready("web-0", &spent, "1.35.0"),
        "STS013 warning pod/web-0: web-0 on ",
    );
}

#[test]
fn sts014_min_ready_seconds_ignored_of_an_older_version() {
    says(
        plan(&web(2).min_ready(30), "1.21"),
        "STS014 warning statefulset/web: minReadySeconds 30 has no effect in Kubernetes 1.21",
    );
}

#[test]
fn going_through_rolling_update_promotes_what_on_delete_leaves() {
    // The remedy of STS012: no pod is touched, and the status is correct.
    let done = web(3)
        .rolling_to_v2()
        .pod(pod("web-0").at("v2"))
        .pod(pod("web-1").at("v2"))
        .pod(pod("web-2").at("v2"));
    let left = plan(&done.clone().on_delete(), "1.36");
    assert_ne!(
        left.last.status.current_revision,
        left.last.status.update_revision
    );
    let mended = plan(&done, "1.36");
    assert!(!mended.touches_pods());
    assert_eq!(
        mended.last.status.current_revision,
        mended.last.status.update_revision
    );
}
