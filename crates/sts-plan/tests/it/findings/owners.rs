//! Rules about owners, autoscalers and managers of fields.

use serde_json::{Value, json};
use sts_controller::apiserver::apply::Effect;
use sts_controller::apiserver::server_side_apply::{OwnedFields, Ownership};
use sts_controller::apiserver::validation::FieldOwner;
use sts_plan::plan::Plan;
use test_kit::findings::{Within, lines};

use super::{check, one, other, rolling, says};
use crate::scenario::{Scenario, plan, web};

/// A plan that sets fields of this manager.
fn owned(paths: &[&str], manager: &str, subresource: &str) -> Plan {
    let set = vec![fields_of(paths, manager, subresource)];
    let ownership = Ownership {
        set,
        ..Ownership::default()
    };
    Plan {
        ownership,
        ..plan(&web(2), "1.36")
    }
}

/// A plan that keeps fields which the manifest no longer has.
fn kept(paths: &[&str]) -> Plan {
    let kept = vec![fields_of(paths, "kustomize-controller", "")];
    let ownership = Ownership {
        kept: kept.into_iter().filter(|it| !it.paths.is_empty()).collect(),
        ..Ownership::default()
    };
    Plan {
        ownership,
        ..plan(&web(2), "1.36")
    }
}

fn fields_of(paths: &[&str], manager: &str, subresource: &str) -> OwnedFields {
    OwnedFields {
        owner: FieldOwner {
            manager: manager.to_owned(),
            subresource: subresource.to_owned(),
            applied: subresource.is_empty(),
            since: Some("2026-11-20T10:00:00Z".to_owned()),
        },
        paths: paths.iter().map(ToString::to_string).collect(),
    }
}

fn by_argo(scenario: Scenario) -> Scenario {
    scenario.metadata(
        "annotations",
        json!({"argocd.argoproj.io/tracking-id": "shop:apps/StatefulSet:default/web"}),
    )
}

const RESTARTED_AT: &str = "spec.template.metadata.annotations[kubectl.kubernetes.io/restartedAt]";

const HPA: &str = "\
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: scaler}
spec: {minReplicas: 2, maxReplicas: 9, scaleTargetRef: {kind: StatefulSet, name: web}}
";

#[test]
fn sts020_managed_externally() {
    one(
        "STS020",
        "warning statefulset/web: HorizontalPodAutoscaler scaler sets spec.replicas between 2 and 9: 3 replicas last \
         until its next sync",
        plan(&web(3), "1.36").within(HPA).changing(
            "spec.replicas",
            json!(1),
            json!(3),
            Effect::Scale,
        ),
        plan(&web(3), "1.36").within(HPA),
    );
}

#[test]
fn sts021_overlapping_selectors() {
    check(
        "STS021",
        "warning statefulset/web: the selector also matches the pods of twin",
        &[plan(&web(1), "1.36"), plan(&other("twin"), "1.36")],
        &[plan(&web(1), "1.36"), plan(&web(1), "1.36")],
    );
}

#[test]
fn sts026_restart_annotation() {
    one(
        "STS026",
        "warning statefulset/web: Argo CD manages the set: unless its source has annotation",
        plan(&by_argo(rolling()), "1.36").changing(
            RESTARTED_AT,
            Value::Null,
            json!("2026-01-01T12:00:00Z"),
            Effect::Rollout,
        ),
        plan(&rolling(), "1.36").changing(
            RESTARTED_AT,
            Value::Null,
            json!("2026-01-01T12:00:00Z"),
            Effect::Rollout,
        ),
    );
}

#[test]
fn sts045_field_owned_elsewhere() {
    one(
        "STS045",
        "warning statefulset/web: kube-controller-manager owns spec.replicas since 2026-11-20T10:00:00Z and may \
         revert it",
        owned(&["spec.replicas"], "kube-controller-manager", "scale"),
        // kubectl's own fields belong to whoever types the next command.
        owned(&["spec.replicas"], "kubectl-edit", ""),
    );
}

#[test]
fn sts046_field_stays() {
    one(
        "STS046",
        "warning statefulset/web: spec.minReadySeconds is not in the manifest but stays: kustomize-controller \
         uses server-side apply; plan with --server-side --field-manager kustomize-controller",
        kept(&["spec.minReadySeconds"]),
        kept(&[]),
    );
}

#[test]
fn sts020_managed_externally_by_an_operator() {
    says(
        plan(&web(1).metadata("ownerReferences", json!([{"kind": "Elasticsearch", "name": "es", "uid": "u", "apiVersion": "e/v1", "controller": true}])), "1.36")
            .changing("spec.replicas", json!(1), json!(3), Effect::Scale),
        "STS020 warning statefulset/web: the set belongs to Elasticsearch es",
    );
}

/// Claims that an operator owns from the start survive an autoscaler's scale-down.
#[test]
fn an_autoscaler_threatens_only_claims_that_go_with_their_pods() {
    let threatened = |owners: Value| {
        let metadata = json!({"name": "data", "ownerReferences": owners});
        let templates = json!([{"metadata": metadata, "spec": {}}]);
        let set = web(3)
            .claims("data")
            .retention("Retain", "Delete")
            .spec("volumeClaimTemplates", templates);
        let lines = lines(&[&plan(&set, "1.36").within(HPA)]);
        lines
            .iter()
            .any(|line| line.contains("whenScaled: Delete deletes the claims"))
    };
    assert!(threatened(json!([])));
    let operator = json!({
        "apiVersion": "v1", "kind": "Elasticsearch", "name": "es", "uid": "uid-of-es", "controller": true,
    });
    assert!(!threatened(json!([operator])));
}

/// A set whose pod web-2 the controller has created and deleted this often.
fn scaled_in_turn(times: u32) -> String {
    let event = |reason: &str, verb: &str| {
        format!(
            "---\napiVersion: v1\nkind: Event\nmetadata: {{name: {verb}}}\nreason: {reason}\ncount: {times}\n\
             message: {verb} Pod web-2 in StatefulSet web successful\n\
             involvedObject: {{kind: StatefulSet, name: web}}\nfirstTimestamp: 2026-01-01T08:59:00Z\nlastTimestamp: 2026-01-01T11:59:00Z\n"
        )
    };
    let events = [
        event("SuccessfulCreate", "create"),
        event("SuccessfulDelete", "delete"),
    ];
    format!("{HPA}{}", events.concat())
}

#[test]
fn sts055_replicas_contested() {
    // One replica is fewer than the autoscaler wants, whoever sets it; three are reverted by Argo CD.
    check(
        "STS055",
        "warning statefulset/web: HorizontalPodAutoscaler scaler (2 to 9 replicas) and another manager set spec.replicas \
         in turn, now 1, without end (web-2 created and deleted 61 times in 3h0m)",
        &[plan(&web(1), "1.36").within(&scaled_in_turn(61))],
        &[plan(&web(3), "1.36").within(&scaled_in_turn(61))],
    );
    one(
        "STS055",
        "warning statefulset/web: HorizontalPodAutoscaler scaler (2 to 9 replicas) and Argo CD set spec.replicas in turn",
        plan(&by_argo(web(3)), "1.36").within(&scaled_in_turn(61)),
        plan(&by_argo(web(3)), "1.36").within(&scaled_in_turn(2)),
    );
    // The autoscaler itself reports how often it has set the same size.
    let rescaled = |times: u32| {
        format!(
            "{HPA}---\napiVersion: v1\nkind: Event\nmetadata: {{name: rescaled}}\nreason: SuccessfulRescale\ncount: {times}\n\
             message: 'New size: 2; reason: Current number of replicas below Spec.MinReplicas'\n\
             involvedObject: {{kind: HorizontalPodAutoscaler, name: scaler}}\nfirstTimestamp: 2026-01-01T08:59:00Z\n\
             lastTimestamp: 2026-01-01T11:59:00Z\n"
        )
    };
    one(
        "STS055",
        "warning statefulset/web: HorizontalPodAutoscaler scaler (2 to 9 replicas) and another manager set spec.replicas \
         in turn, now 1, without end (rescaled to the same size 61 times in 3h0m)",
        plan(&web(1), "1.36").within(&rescaled(61)),
        plan(&web(1), "1.36").within(&rescaled(2)),
    );
}
