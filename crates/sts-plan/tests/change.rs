//! Changes planned with the crate alone, as in an operator or a CI check.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::sync::Arc;

use serde_json::{Value, json};
use sts_controller::apiserver::apply::{self, Edit};
use sts_controller::apiserver::server_side_apply::Options;
use sts_controller::object::{Set, Snapshot, Status};
use sts_controller::simulate::Cascade;
use sts_plan::change::{Change, Manifest, ManifestRequest, PlanError};
use sts_plan::plan::{Conditions, Outcome, Plan};

fn conditions() -> Conditions {
    let now = "2026-01-01T00:00:00Z".parse().unwrap();
    Conditions::new("1.36".parse().unwrap(), now)
}

fn manifest() -> Value {
    json!({
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "web", "namespace": "default", "uid": "u"},
        "spec": {
            "replicas": 2,
            "serviceName": "web",
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "main", "image": "app:1"}]},
            },
        },
    })
}

/// Returns a stored set with all of its pods ready.
fn stored() -> Snapshot {
    let conditions = conditions();
    let created = apply::create(&manifest(), &[], &conditions.behaviour).unwrap();
    let set = Set::from_json(created.set).unwrap();
    let fresh = Snapshot::of_set(set, Status::default());
    let rollout = Plan::new(fresh, conditions);
    assert!(matches!(rollout.outcome, Outcome::Complete));
    rollout.progression.world.snapshot().clone()
}

fn plan(stored: Option<&Snapshot>, change: &Change<'_>) -> Result<Plan, PlanError> {
    let alone = |set: Arc<Set>, status: Arc<Status>| Snapshot {
        status,
        ..Snapshot::of_set((*set).clone(), Status::default())
    };
    let planned = Plan::of_change(stored, change, &alone, &conditions())?;
    Ok(planned.plan)
}

fn image(image: &str) -> Edit {
    Edit::Image {
        container: None,
        image: image.to_owned(),
    }
}

fn applied<'v>(value: &'v Value, request: ManifestRequest<'v>) -> Change<'v> {
    Change {
        manifest: Some(Manifest {
            value,
            request,
            verdict: None,
        }),
        ..Change::default()
    }
}

#[test]
fn an_image_replaces_every_pod() {
    let change = Change {
        edits: vec![image("app:2")],
        ..Change::default()
    };
    let plan = plan(Some(&stored()), &change).unwrap();
    assert!(matches!(plan.outcome, Outcome::Complete));
    assert_eq!(plan.change.len(), 1);
    let end = plan.progression.world.snapshot();
    let revisions: Vec<_> = end.pods.values().map(|pod| &pod.revision).collect();
    assert_eq!(revisions.len(), 2);
    assert!(
        revisions
            .iter()
            .all(|it| **it == plan.last.status.update_revision)
    );
}

#[test]
fn an_immutable_field_has_a_workaround() {
    let mut wanted = manifest();
    wanted["spec"]["serviceName"] = json!("other");
    let change = applied(&wanted, ManifestRequest::Apply);
    let plan = plan(Some(&stored()), &change).unwrap();
    assert!(matches!(&plan.outcome, Outcome::Rejected(refused) if refused.len() == 1));
    let workaround = plan.workaround.expect("the set can be recreated");
    assert!(matches!(workaround.outcome, Outcome::Complete));
}

#[test]
fn a_manifest_of_a_set_that_is_not_stored_creates_it() {
    let wanted = manifest();
    let created = plan(None, &applied(&wanted, ManifestRequest::Create)).unwrap();
    assert_eq!(created.progression.world.snapshot().pods.len(), 2);
}

#[test]
fn what_cannot_be_planned_is_an_error() {
    let stored = stored();
    let delete = Change {
        delete: Some(Cascade::Background),
        ..Change::default()
    };
    assert_eq!(plan(None, &delete).err(), Some(PlanError::NothingToDelete));
    assert_eq!(plan(None, &Change::default()).err(), Some(PlanError::NoSet));

    let options = Options {
        manager: "kubectl",
        force: false,
        time: None,
    };
    let wanted = manifest();
    let server_side = applied(&wanted, ManifestRequest::ApplyServerSide(options));
    let error = plan(Some(&stored), &server_side).err();
    assert_eq!(error, Some(PlanError::NoManagedFields));

    let huge = Change {
        edits: vec![Edit::replicas(20_001)],
        ..Change::default()
    };
    let error = plan(Some(&stored), &huge).err().unwrap();
    assert_eq!(
        error.to_string(),
        "spec.replicas: 20001 replicas exceed the supported maximum of 20000"
    );
}
