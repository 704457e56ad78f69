//! Reports about changes: rejected, reverted, or made by another tool.

use serde_json::{Value, json};
use sts_controller::apiserver::apply::{Effect, LAST_APPLIED, Request, change};

use super::says;
use crate::scenario::{plan, revision, template, web};
use test_kit::findings::{Within, setting};

#[test]
fn p16_helm2149_the_field_that_is_refused_has_a_name() {
    for (path, value, old) in [
        ("spec.serviceName", json!("other"), "\"web\" to \"other\""),
        (
            "spec.podManagementPolicy",
            json!("Parallel"),
            "\"OrderedReady\" to \"Parallel\"",
        ),
    ] {
        says(
            &setting(&web(2), path, value),
            &[
                &format!("{path} may not be changed from {old}"),
                "--cascade=orphan",
            ],
        );
    }
    let selector = json!({"matchLabels": {"app": "web", "tier": "db"}});
    says(
        &setting(&web(2), "spec.selector", selector),
        &["REJECTED", "spec.selector"],
    );
}

#[test]
fn p27_kk94698_the_next_apply_takes_an_undo_back() {
    // v2 was applied, then kubectl rollout undo went back to v1.
    let stored = plan(&web(2), "1.36");
    let mut object = (*stored.snapshot.set.object.open()).clone();
    let mut manifest = object.clone();
    manifest["spec"]["template"] = template("v2");
    for member in ["status", "metadata"] {
        manifest.as_object_mut().unwrap().remove(member);
    }
    manifest["metadata"] = json!({"name": "web", "namespace": "default"});
    object["metadata"]["annotations"] = json!({LAST_APPLIED: manifest.to_string()});
    let request = Request {
        manifest: Some(manifest),
        edits: Vec::new(),
    };
    let outcome = change(Some(&object), &request, &stored.conditions.behaviour).unwrap();
    let image = outcome
        .changes
        .iter()
        .find(|change| change.path == "spec.template.spec.containers[0].image")
        .unwrap();
    assert_eq!(
        (&image.old, &image.new, image.effect),
        (
            &Some(json!("app:v1")),
            &Some(json!("app:v2")),
            Effect::Rollout
        )
    );
}

#[test]
fn p28_kk55072_which_revision_an_undo_takes() {
    let world = web(3).rolling_to_v2().revision(revision("v0", 1));
    says(
        &plan(&world, "1.36"),
        &[
            "STS018",
            "revisions share a number",
            "kubectl rollout undo would roll back to web-",
        ],
    );
}

#[test]
fn p29_kk61998_revisions_that_say_the_same() {
    let world = web(1).revision(
        revision("x", 0)
            .named("web-early")
            .recording(template("v1")),
    );
    says(
        &plan(&world, "1.36"),
        &["STS019", "record the same template in different notations"],
    );
    says(
        &plan(&web(1).status("collisionCount", 3), "1.36"),
        &["STS019", "status.collisionCount is 3"],
    );
}

#[test]
fn p35_k9s3285_a_restart_by_hand_is_rolled_back_by_git_ops() {
    let world = web(2).rolling_to_v2().metadata(
        "labels",
        json!({"kustomize.toolkit.fluxcd.io/name": "shop"}),
    );
    let path = "spec.template.metadata.annotations[kubectl.kubernetes.io/restartedAt]";
    let now = json!("2026-01-01T12:00:00Z");
    says(
        &plan(&world, "1.36").changing(path, Value::Null, now.clone(), Effect::Rollout),
        &["STS026", "Flux manages the set", "replaces every pod again"],
    );
    // And in reverse: a manifest without the field.
    says(
        &plan(&world, "1.36").changing(path, now, Value::Null, Effect::Rollout),
        &["STS026", "which replaces every pod again"],
    );
}

#[test]
fn p36_kk58585_only_replicas_were_changed() {
    let scaled = setting(&web(2), "spec.replicas", json!(3));
    let effects: Vec<Effect> = scaled.change.iter().map(|change| change.effect).collect();
    assert_eq!(effects, [Effect::Scale]);
    let rolled = setting(
        &web(2),
        "spec.template.spec.containers[0].image",
        json!("app:v9"),
    );
    let effects: Vec<Effect> = rolled.change.iter().map(|change| change.effect).collect();
    assert_eq!(effects, [Effect::Rollout]);
    // A scale-up during a canary creates pods of the old revision below the partition.
    let canary = plan(&web(2).rolling_to_v2().partition(4).replicas(3), "1.36");
    let pods = &canary.progression.world.snapshot().pods;
    assert_eq!(pods["web-2"].revision, pods["web-0"].revision);
    // An operator reverts it.
    let owner = json!([{
        "apiVersion": "elasticsearch.k8s.elastic.co/v1",
        "kind": "Elasticsearch",
        "name": "logs",
        "uid": "u",
        "controller": true,
    }]);
    let owned = plan(&web(2).metadata("ownerReferences", owner), "1.36");
    says(
        &owned.changing("spec.replicas", json!(2), json!(3), Effect::Scale),
        &[
            "STS020",
            "the set belongs to Elasticsearch logs, which is likely to revert the change",
        ],
    );
}

#[test]
fn p37_helm8674_tools_wait_for_a_status_that_never_comes() {
    for world in [
        web(3).rolling_to_v2().partition(2),
        web(3).rolling_to_v2().on_delete(),
    ] {
        says(&plan(&world, "1.36"), &["STS027", "helm --wait"]);
    }
}
