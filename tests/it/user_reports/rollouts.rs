//! Reports about rollouts that differ from the documentation.

use serde_json::json;
use sts_controller::simulate::{Action, PodEvent, StepAction};
use sts_plan::plan::{Outcome, Plan};

use super::{does_not_find, never_ready, says};
use crate::scenario::{plan, plan_after, pod, revision, steps, web};
use test_kit::findings::{Within, lines};

#[test]
fn p03_kk134773_an_upgrade_restarts_every_pod() {
    let world = (0..3).fold(
        web(3)
            .no_revisions()
            .revision(revision("v1", 1).by_an_old_controller())
            .status_revisions("v1-by-1.33", "v1-by-1.33"),
        |world, ordinal| world.pod(pod(&format!("web-{ordinal}")).at("v1-by-1.33")),
    );
    says(
        &plan(&world, "1.34.1"),
        &["STS017", "only the bytes differ", "every pod is replaced"],
    );
    does_not_find(&plan(&world, "1.34.2"), "STS017");
}

#[test]
fn p04_kk96218_parallel_changes_updates_too() {
    // With a broken web-0, an ordered set does nothing. A parallel one still replaces the highest pod first.
    let world = web(3).rolling_to_v2().pod(pod("web-0").crash_looping());
    let ordered = never_ready("web-0", &world, "1.33");
    assert!(!ordered.touches_pods());
    let parallel = never_ready("web-0", &world.parallel(), "1.33");
    assert_eq!(steps(&parallel)[0], "0 delete web-2");
    says(&parallel, &["web-2"]);
}

#[test]
fn p05_kk128529_the_partition_counts_from_the_first_ordinal() {
    let world = web(0).replicas(4).start(5).partition(2);
    says(
        &plan(&world, "1.36"),
        &["partition 2 counts from ordinal 5: held: web-5, web-6; updated: web-7, web-8"],
    );
}

#[test]
fn p06_kk119685_what_a_held_pod_comes_back_as() {
    let world = web(3).rolling_to_v2().partition(2);
    for version in ["1.27.3", "1.36"] {
        let after = plan_after(vec![Action::DeletePod("web-0".into())], &world, version);
        let pods = &after.progression.world.snapshot().pods;
        assert_eq!(pods["web-0"].revision, pods["web-1"].revision, "{version}");
        assert_ne!(pods["web-0"].revision, pods["web-2"].revision, "{version}");
    }
}

#[test]
fn p06_kk119685_the_second_deletion_moves_a_held_pod() {
    // The first deletion completes the set early (quirk Q13), so its current revision is the new one.
    let moved = |version: &str| {
        let delete = || vec![Action::DeletePod("web-0".into())];
        let world = (1..3).fold(web(3).rolling_to_v2().partition(1), |world, ordinal| {
            world.pod(pod(&format!("web-{ordinal}")).at("v2"))
        });
        let once = plan_after(delete(), &world, version);
        let after = once.progression.world.snapshot().clone();
        let twice = Plan::with_actions(delete(), after, once.conditions.clone());
        [once, twice].map(|plan| {
            let pods = &plan.progression.world.snapshot().pods;
            pods["web-0"].revision == pods["web-2"].revision
        })
    };
    for version in ["1.26.6", "1.27.3", "1.27.8", "1.28.4", "1.36"] {
        assert_eq!(moved(version), [false, false], "{version}");
    }
    for version in ["1.26.7", "1.27.5", "1.27.7", "1.28.3"] {
        assert_eq!(moved(version), [false, true], "{version}");
    }
}

#[test]
fn p07_kk121534_scaling_to_nothing_ends_the_partition() {
    let down = plan(&web(3).rolling_to_v2().partition(2).replicas(0), "1.36");
    says(
        &down,
        &[
            "STS028",
            "after a scale-up, pods below partition 2 are created on it",
        ],
    );
    // Indeed, no object remembers the old revision.
    let end = down.progression.world.snapshot();
    assert_eq!(end.status.current_revision, end.status.update_revision);
}

#[test]
fn p09_kk73492_on_delete_never_promotes_the_current_revision() {
    let done = web(2)
        .rolling_to_v2()
        .on_delete()
        .pod(pod("web-0").at("v2"))
        .pod(pod("web-1").at("v2"));
    for version in ["1.19", "1.36"] {
        let plan = plan(&done, version);
        assert!(matches!(plan.outcome, Outcome::Complete), "{version}");
        says(&plan, &["STS012", "never promotes them"]);
    }
}

#[test]
fn p10_kk64500_on_delete_has_a_plan() {
    says(
        &plan(&web(3).rolling_to_v2().on_delete(), "1.36"),
        &[
            "3 of 3 pods are waiting for a manual delete",
            "web-2, web-1, web-0",
        ],
    );
}

#[test]
fn p19_kk112307_min_ready_seconds_counts_for_nothing() {
    let parallel = web(2).parallel().min_ready(30);
    says(
        &plan(&parallel, "1.33"),
        &["STS014", "do not wait for minReadySeconds 30"],
    );
    does_not_find(&plan(&parallel, "1.36"), "STS014");
    says(
        &plan(&web(2).min_ready(30), "1.21"),
        &["minReadySeconds 30 has no effect in Kubernetes 1.21"],
    );
}

#[test]
fn p20_kk136831_updated_is_not_available() {
    // The status counts the last pod as updated when it is created. It is available 40 seconds later.
    let plan = plan(&web(1).rolling_to_v2().min_ready(30), "1.36");
    let at = |wanted: PodEvent| {
        let mut steps = plan.progression.steps.iter();
        steps.find_map(|step| match &step.action {
            StepAction::Pod(event, _) if *event == wanted => {
                Some(step.at.duration_since(plan.conditions.now).as_secs())
            }
            _ => None,
        })
    };
    assert_eq!(
        (at(PodEvent::Ready), at(PodEvent::Available)),
        (Some(15), Some(45))
    );
    assert_eq!(plan.duration().as_secs(), 45);
    says(&plan, &["available"]);
}

#[test]
fn p21_kk135428_how_late_availability_is_counted() {
    let world = web(2).min_ready(30).pod(pod("web-1").ready_for(10));
    let world = world.status("availableReplicas", 1);
    // The controller syncs again when the pod is due, or only after another whole minReadySeconds.
    let requeue = |version| plan(&world, version).next.requeue_after;
    assert_eq!(requeue("1.36"), Some(20));
    assert_eq!(requeue("1.35.0"), Some(30));
}

#[test]
fn p26_kk89820_rollouts_ask_no_budget() {
    let budget = "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: guard}\nspec: {maxUnavailable: 1, \
                  selector: {matchLabels: {app: web}}}\n";
    let fast = web(3).rolling_to_v2().parallel().max_unavailable(json!(2));
    says(
        &plan(&fast, "1.36 MaxUnavailableStatefulSet=true").within(budget),
        &[
            "STS015",
            "PodDisruptionBudget guard allows 1 of 3 pods to be unavailable",
            "takes down 2",
        ],
    );
    // Several sets at once.
    let one = plan(&web(3).rolling_to_v2(), "1.36").within(budget);
    let other = plan(&web(3).rolling_to_v2(), "1.36").within(budget);
    let together = lines(&[&one, &other]);
    assert!(
        together
            .iter()
            .any(|line| line.starts_with("STS016 warning poddisruptionbudget/guard: 2 sets"))
    );
}
