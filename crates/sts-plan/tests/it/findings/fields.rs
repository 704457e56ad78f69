//! Rules about single fields: names, services, and fields without effect.

use serde_json::json;
use sts_controller::apiserver::schema::UnknownField;
use sts_plan::plan::Plan;
use test_kit::findings::{Within, lines, setting_in};

use super::{one, other, says, with_claims};
use crate::scenario::{plan, web};

#[test]
fn sts009_name_too_long() {
    one(
        "STS009",
        "error statefulset/a234567890123456789012345678901234567890123456789012345: no pod can be created",
        plan(
            &other("a234567890123456789012345678901234567890123456789012345"),
            "1.36",
        ),
        plan(
            &other("a23456789012345678901234567890123456789012345678901"),
            "1.36",
        ),
    );
}

#[test]
fn sts022_service() {
    one(
        "STS022",
        "warning statefulset/web: Service web (spec.serviceName) is not headless",
        plan(&web(1), "1.36").within(
            "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {selector: {app: web}, clusterIP: 10.0.0.1}\n",
        ),
        plan(&web(1), "1.36").within(
            "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {selector: {app: web}, clusterIP: None}\n",
        ),
    );
}

#[test]
fn sts030_ignored_field() {
    one(
        "STS030",
        "warning statefulset/web: persistentVolumeClaimRetentionPolicy has no effect in Kubernetes 1.26",
        plan(&with_claims().retention("Delete", "Retain"), "1.26"),
        plan(&with_claims().retention("Delete", "Retain"), "1.27"),
    );
}

#[test]
fn sts034_unknown_field() {
    one(
        "STS034",
        "warning statefulset/web: spec.replica: unknown, did you mean replicas?: the field has no effect",
        Plan {
            unknown: vec![UnknownField {
                path: "spec.replica".to_owned(),
                since: None,
                until: None,
                meant: Some("replicas"),
            }],
            ..plan(&web(2), "1.36")
        },
        plan(&web(2), "1.36"),
    );
}

#[test]
fn sts030_ignored_field_that_the_server_drops() {
    says(
        setting_in(&web(2), "spec.ordinals", json!({"start": 3}), "1.26"),
        "STS030 warning statefulset/web: Kubernetes 1.26 drops ordinals because feature gate \
         StatefulSetStartOrdinal is off",
    );
}

#[test]
fn sts030_ignored_field_of_an_older_version() {
    says(
        plan(&web(2).start(1), "1.25"),
        "STS030 warning statefulset/web: ordinals.start 1 has no effect in Kubernetes 1.25",
    );
}

#[test]
fn sts022_service_that_is_missing() {
    says(
        plan(&web(1), "1.36")
            .within("apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {}\n"),
        "STS022 warning statefulset/web: Service web (spec.serviceName) is not in the input",
    );
}

/// The label of an ordinal that does not fit into 32 bits is invalid, however short the name is.
#[test]
fn a_label_that_is_invalid_for_another_reason_is_not_a_long_name() {
    let beyond = web(0).replicas(4).start(i64::from(i32::MAX) - 1).parallel();
    let plan = plan(&beyond, "1.36");
    let refused = plan.last.writes.iter();
    let mut refused = refused.filter_map(|write| write.refused.as_ref());
    assert!(refused.any(|refusal| refusal.to_string().contains("metadata.labels")));
    let lines = lines(&[&plan]);
    assert!(
        !lines.iter().any(|line| line.starts_with("STS009")),
        "{lines:#?}"
    );
}
