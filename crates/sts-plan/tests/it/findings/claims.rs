//! Rules about claims, their volumes and their data.

use serde_json::json;
use sts_controller::simulate::{Action, Cascade};
use sts_plan::lint::RuleId;
use test_kit::findings::{Within, findings, lines};

use super::{one, says, sized, with_claims};
use crate::scenario::{Scenario, claim, plan, plan_after, pod, web};

/// A pod whose claim has had that condition since midnight, and that capacity.
fn growing(condition: &str, capacity: &str) -> Scenario {
    let condition =
        json!({"type": condition, "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"});
    let status =
        json!({"phase": "Bound", "capacity": {"storage": capacity}, "conditions": [condition]});
    let grown = claim("data-web-0").with("status", status);
    web(1).claims("data").claim(grown)
}

/// A pod whose claim is changed to a class, in this state.
fn reclassed(status: &str) -> Scenario {
    let change = json!({"targetVolumeAttributesClassName": "gold", "status": status});
    let status = json!({"phase": "Bound", "modifyVolumeStatus": change});
    let claim = claim("data-web-0").with("status", status);
    web(1).claims("data").claim(claim)
}

/// A set whose claim template is a pasted exported claim.
fn exported(resource_version: &str) -> Scenario {
    let metadata = json!({"name": "data", "uid": "u", "resourceVersion": resource_version});
    let templates =
        json!([{"metadata": metadata, "spec": {"resources": {"requests": {"storage": "1Gi"}}}}]);
    web(2)
        .claims("data")
        .spec("volumeClaimTemplates", templates)
}

#[test]
fn sts050_claim_resize() {
    one(
        "STS050",
        "warning persistentvolumeclaim/data-web-0: data-web-0 is being resized from 512Mi to 1Gi; its file system \
         has been pending for 12h0m although web-0 is running: if the driver resizes only on mount, restart web-0",
        plan(&growing("FileSystemResizePending", "512Mi"), "1.36"),
        plan(&growing("Unused", "1Gi"), "1.36"),
    );
}

#[test]
fn sts051_volume_attributes_class() {
    one(
        "STS051",
        "warning persistentvolumeclaim/data-web-0: data-web-0 is changed to VolumeAttributesClass gold, which is infeasible",
        plan(&reclassed("Infeasible"), "1.36"),
        plan(&web(1).claims("data"), "1.36"),
    );
}

#[test]
fn sts003_data_loss() {
    one(
        "STS003",
        "error persistentvolumeclaim/data-web-1: 1 claim is deleted with its data: data-web-1 (whenScaled: \
         Delete)",
        plan(
            &with_claims().replicas(1).retention("Retain", "Delete"),
            "1.36",
        ),
        plan(&with_claims().retention("Retain", "Delete"), "1.36"),
    );
}

#[test]
fn sts003_data_loss_is_not_of_a_claim_that_was_going_anyway() {
    let terminating = |claims: Scenario| {
        let going = claims.claim(claim("data-web-5").terminating());
        lines(&[&plan(&going, "1.36")])
    };
    let told = terminating(with_claims().retention("Retain", "Delete"));
    assert!(!told.iter().any(|it| it.contains("STS003")), "{told:?}");
}

#[test]
fn sts005_pvc_drift() {
    one(
        "STS005",
        "warning persistentvolumeclaim/data-web-1: data-web-1 has 500Mi, but claim template data requests 1Gi: \
         existing claims keep their size and cannot grow: StorageClass slow does not allow expansion",
        plan(&with_claims().claim(sized("500Mi", "slow")), "1.36")
            .within("apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: slow}\n"),
        // The same size in other units.
        plan(&with_claims().claim(sized("1024Mi", "slow")), "1.36"),
    );
}

#[test]
fn sts006_claim_terminating() {
    one(
        "STS006",
        "warning persistentvolumeclaim/data-web-1: data-web-1 is being deleted: its data is lost as soon as \
         web-1 is gone",
        plan(
            &with_claims().claim(claim("data-web-1").terminating()),
            "1.36",
        ),
        plan(&with_claims(), "1.36"),
    );
}

#[test]
fn sts007_stale_claim() {
    one(
        "STS007",
        "warning persistentvolumeclaim/data-web-1: data-web-1 is still owned by an earlier web-1 (uid old)",
        plan(
            &with_claims()
                .retention("Retain", "Delete")
                .without("web-1")
                .claim(claim("data-web-1").owner("Pod", "web-1", "old", true)),
            "1.36",
        ),
        plan(
            &with_claims().retention("Retain", "Delete").without("web-1"),
            "1.36",
        ),
    );
}

#[test]
fn sts029_missing_volume() {
    one(
        "STS029",
        "warning pod/web-1: web-1 has no volume data, and the API server refuses to add it",
        plan(
            &with_claims().pod(pod("web-1").volume("other", "other")),
            "1.36",
        ),
        plan(&with_claims(), "1.36"),
    );
}

#[test]
fn sts044_claim_template_resource_version() {
    one(
        "STS044",
        "error statefulset/web: pods without an existing claim are never created: the API server refuses \
         claims with a metadata.resourceVersion (volumeClaimTemplates: data)",
        plan(
            &exported("4711")
                .without("web-1")
                .without_claim("data-web-1"),
            "1.36",
        ),
        plan(
            &exported("0").without("web-1").without_claim("data-web-1"),
            "1.36",
        ),
    );
}

#[test]
fn sts044_claim_template_resource_version_while_its_pods_have_their_claims() {
    // While its pods have their claims, an unusable claim template has no effect yet.
    says(
        plan(&exported("4711"), "1.36"),
        "STS044 warning statefulset/web: no new claim can be created",
    );
}

#[test]
fn sts003_data_loss_of_a_deleted_set() {
    // Only claims of deleted pods are left without a pod.
    let claims = web(2).claims("data");
    let deleted = |cascade| plan_after(vec![Action::DeleteSet(cascade)], &claims, "1.36");
    let orphaned = lines(&[&deleted(Cascade::Orphan)]);
    assert!(
        !orphaned.iter().any(|line| line.starts_with("STS003")),
        "{orphaned:#?}"
    );
    says(
        deleted(Cascade::Background),
        "STS003 info persistentvolumeclaim/data-web-0: 2 claims are kept without a pod",
    );
}

#[test]
fn sts003_data_loss_of_pods_that_are_scaled_down() {
    // Claims of pods that are scaled down, and those of a deleted set.
    says(
        plan(&web(2).claims("data").replicas(1), "1.36"),
        "STS003 info persistentvolumeclaim/data-web-1: 1 claim is kept without a pod: data-web-1",
    );
}

#[test]
fn sts003_data_loss_names_the_claims_of_a_deleted_set() {
    says(
        plan_after(
            vec![Action::DeleteSet(Cascade::Background)],
            &web(2).claims("data"),
            "1.36",
        ),
        "STS003 info persistentvolumeclaim/data-web-0: 2 claims are kept without a pod: data-web-0, data-web-1",
    );
}

#[test]
fn a_growing_claim_says_what_it_waits_for() {
    let told = |world: &Scenario| {
        let found = findings(&plan(world, "1.36")).into_iter();
        let mut found = found.filter(|found| found.id == RuleId::ClaimResize);
        let first = found.next()?;
        Some(format!("{} {}", first.severity, first.message))
    };
    let says = |condition: &str, capacity: &str| told(&growing(condition, capacity)).unwrap();
    let offline = says("Resizing", "512Mi");
    assert!(
        offline.starts_with("warning") && offline.ends_with("scale down web-0"),
        "{offline}"
    );
    let failed = says("ControllerResizeError", "512Mi");
    assert!(
        failed.starts_with("warning") && failed.ends_with("the resize fails"),
        "{failed}"
    );
    // Nobody has begun, and nothing shows since when.
    let begun = says("Unused", "512Mi");
    assert!(
        begun.starts_with("info") && begun.ends_with("is expanding the volume"),
        "{begun}"
    );
    let away = told(&growing("FileSystemResizePending", "512Mi").without("web-0")).unwrap();
    assert!(
        away.starts_with("info") && away.ends_with("when a pod mounts it"),
        "{away}"
    );
    assert_eq!(told(&growing("Resizing", "1Gi")), None);
}
