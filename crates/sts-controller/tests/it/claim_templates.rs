//! Fields that claims copy from their templates.

use serde_json::{Value, json};

use crate::scenario::{ClaimSketch, Scenario, claim, course, next, pod, web};

const MINORS: &str = "1.23.17 1.27.16 1.30.14 1.31.14 1.33.5 1.36.2 1.37.0";

/// A set whose operator owns every claim, like that of Elasticsearch.
fn operated(replicas: i64) -> Scenario {
    let metadata = json!({"name": "data", "ownerReferences": [operator()]});
    web(replicas).spec(
        "volumeClaimTemplates",
        json!([{"metadata": metadata, "spec": {"resources": {"requests": {"storage": "1Gi"}}}}]),
    )
}

fn operator() -> Value {
    json!({
        "apiVersion": "v1", "kind": "Elasticsearch", "name": "es", "uid": "uid-of-es",
        "controller": true, "blockOwnerDeletion": false,
    })
}

fn operated_claim(name: &str) -> ClaimSketch {
    claim(name).owner("Elasticsearch", "es", "uid-of-es", true)
}

#[test]
fn claims_copy_the_owners_of_their_template() {
    for version in MINORS.split(' ') {
        let sent = next(&operated(1).without("web-0"), version).sent("data-web-0");
        let owners = &sent["metadata"]["ownerReferences"];
        assert_eq!(*owners, json!([operator()]), "{version}");
    }
}

/// With controller references, the retention policy ignores a claim of another controller.
#[test]
fn the_retention_policy_ignores_claims_of_another_controller() {
    for version in ["1.31.14", "1.33.5", "1.36.2", "1.37.0"] {
        let world = operated(2).without("web-0").retention("Delete", "Delete");
        let world = world.claim(operated_claim("data-web-1"));
        let world = world.pod(pod("web-1").volume("data", "data-web-1"));
        let seen = course(&world, version);
        let steps = seen.steps();
        assert!(
            !steps.iter().any(|step| step.contains("update")),
            "{version}: {steps:?}"
        );
        // The event is for an existing claim when its pod is created.
        let kept = world.claim(operated_claim("data-web-0"));
        let events = next(&kept, version).events();
        let conflict = "Warning ConflictingController PersistentVolumeClaim data-web-0 ";
        assert!(
            events.iter().any(|event| event.starts_with(conflict)),
            "{version}: {events:?}"
        );
        let claims = &seen.progression.world.snapshot().claims;
        for name in ["data-web-0", "data-web-1"] {
            let owners = &claims[name].meta.owner_references;
            let owners: Vec<&str> = owners.iter().map(|owner| &*owner.kind).collect();
            assert_eq!(owners, ["Elasticsearch"], "{version} {name}");
        }
    }
}

/// Before, the set became an additional owner.
#[test]
fn plain_owners_are_added_to_those_of_the_template() {
    let world = operated(1).without("web-0").retention("Delete", "Retain");
    let seen = course(&world, "1.27.16");
    let owners = &seen.progression.world.snapshot().claims["data-web-0"].meta;
    let owners: Vec<&str> = owners
        .owner_references
        .iter()
        .map(|owner| &*owner.kind)
        .collect();
    assert_eq!(owners, ["Elasticsearch", "StatefulSet"]);
}

#[test]
fn no_claim_is_created_from_a_template_with_a_resource_version() {
    let world = |version: Value| {
        let metadata = json!({"name": "data", "uid": "u", "resourceVersion": version});
        let templates = json!([{"metadata": metadata, "spec": {}}]);
        web(1)
            .without("web-0")
            .spec("volumeClaimTemplates", templates)
    };
    for version in MINORS.split(' ') {
        let seen = next(&world("4711".into()), version).lines();
        assert_eq!(
            seen[0], "create claims data-web-0 (Unknown)",
            "{version}: {seen:?}"
        );
        let error = "resourceVersion should not be set on objects to be created";
        assert!(seen.last().unwrap().contains(error), "{version}: {seen:?}");
        assert!(!seen.iter().any(|line| line.contains("create pods")));
        // The storage parses it as a number, and ignores other values and zero.
        for ignored in ["", "0", "x1"] {
            let seen = next(&world(ignored.into()), version).lines();
            assert!(
                seen[0].starts_with("create claims data-web-0") && !seen[0].contains('('),
                "{version}: {seen:?}"
            );
        }
    }
}
