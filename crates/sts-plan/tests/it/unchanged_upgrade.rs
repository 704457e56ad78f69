//! Effects of a control plane upgrade on an unchanged set: D-28.

use serde_json::json;
use sts_plan::lint::{RuleId, Severity};

use crate::scenario::{Scenario, expect, plan, pod, revision, steps, template, web};
use test_kit::findings::findings;

/// Three pods of a revision that Kubernetes 1.33 wrote.
fn written_by_1_33() -> Scenario {
    let world = web(3)
        .no_revisions()
        .revision(revision("v1", 1).by_an_old_controller())
        .status_revisions(WRITTEN_BY_1_33, WRITTEN_BY_1_33);
    (0..3).fold(world, |world, ordinal| {
        world.pod(pod(&format!("web-{ordinal}")).at(WRITTEN_BY_1_33))
    })
}

const WRITTEN_BY_1_33: &str = "v1-by-1.33";

/// The messages of all findings.
fn messages(world: &Scenario, version: &str) -> Vec<String> {
    let mut found = findings(&plan(world, version));
    // Other rules are not tested here.
    found.retain(|finding| finding.id == RuleId::SpuriousRollout);
    for finding in &found {
        assert_eq!(
            (finding.id, finding.severity),
            (RuleId::SpuriousRollout, Severity::Warning)
        );
        assert_eq!(finding.object, "statefulset/web");
    }
    found.into_iter().map(|finding| finding.message).collect()
}

#[test]
fn only_1_34_0_and_1_34_1_roll_everything_out() {
    let world = written_by_1_33();
    for version in ["1.34.0", "1.34.1"] {
        let plan = plan(&world, version);
        assert_eq!(plan.tally().replaced, 3, "{version}");
        let deletes: Vec<String> = steps(&plan)
            .into_iter()
            .filter(|step| step.contains("delete"))
            .collect();
        assert_eq!(
            deletes,
            ["0 delete web-2", "15 delete web-1", "30 delete web-0"]
        );
        assert_eq!(plan.outcome.name(), "complete");
    }
    for version in ["1.33", "1.34.2", "1.35.0", "1.36"] {
        assert!(!plan(&world, version).has_work(), "{version}");
    }
}

#[test]
fn the_plan_says_why() {
    let world = written_by_1_33();
    let [message] = &messages(&world, "1.34.1")[..] else {
        panic!("one finding");
    };
    assert_eq!(
        message,
        "revision web-59c5f6486d is new although the template equals web-68d48b5758: only the bytes \
         differ (web-68d48b5758 was written by a controller that encodes \"creationTimestamp\": null), so every \
         pod is replaced; Kubernetes 1.34.2 compares semantically and prevents this"
    );
    assert_eq!(messages(&world, "1.34.2"), [""; 0]);
}

#[test]
fn it_counts_the_deleted_pods_and_names_what_would_keep_them() {
    let ending = |world: &Scenario, version: &str| {
        let messages = messages(world, version);
        messages[0].split_once("null), so ").unwrap().1.to_owned()
    };
    let world = written_by_1_33();
    let later = "Kubernetes 1.34.2 compares semantically and prevents this";
    assert_eq!(
        ending(&world.clone().partition(2), "1.34.1"),
        format!("1 of 3 pods are replaced; {later}")
    );
    assert_eq!(
        ending(&world.clone().on_delete(), "1.34.1"),
        format!("every pod becomes outdated; {later}")
    );
    assert_eq!(
        ending(&world, "1.36 StatefulSetSemanticRevisionComparison=false"),
        "every pod is replaced; feature gate StatefulSetSemanticRevisionComparison prevents this"
    );
}

#[test]
fn a_downgrade_does_it_again() {
    let new = written_by_1_34();
    let [message] = &messages(&new, "1.33")[..] else {
        panic!("one finding");
    };
    assert!(
        message.contains("by a controller that omits \"creationTimestamp\": null"),
        "{message}"
    );
}

/// One pod of a revision that Kubernetes 1.34 wrote.
fn written_by_1_34() -> Scenario {
    web(1)
        .no_revisions()
        .revision(revision("v1", 1).by_a_new_controller())
        .pod(pod("web-0").at("v1-by-1.34"))
        .status_revisions("v1-by-1.34", "v1-by-1.34")
}

#[test]
fn a_later_default_is_named() {
    let mut before = template("v1");
    let container = &mut before["spec"]["containers"][0];
    container
        .as_object_mut()
        .unwrap()
        .remove("terminationMessagePolicy");
    before["spec"]
        .as_object_mut()
        .unwrap()
        .remove("schedulerName");
    let world = web(1)
        .no_revisions()
        .revision(revision("v1", 1).recording(before).named("web-old"))
        .status_revisions("web-old", "web-old")
        .pod(pod("web-0").at("web-old"));
    let [message] = &messages(&world, "1.30")[..] else {
        panic!("one finding");
    };
    assert!(
        message.contains(
            "only the bytes differ (in template.spec.containers[0].terminationMessagePolicy, \
             template.spec.schedulerName, which defaults make equal)"
        ),
        "{message}"
    );
    // By meaning, the revisions are equal, so there is nothing to do.
    expect(&world, "1.34.2", &[]);
}

#[test]
fn a_rollout_for_a_reason_is_no_finding() {
    let changed = web(2).template("v2");
    let first = web(0).no_revisions().replicas(2).status("replicas", 0);
    // Upgraded and changed at once: pods would be replaced anyway.
    let both = written_by_1_33().template("v2");
    for world in [changed, first, both] {
        for version in ["1.19", "1.33", "1.34.1", "1.34.2", "1.36"] {
            assert_eq!(messages(&world, version), [""; 0], "{version}");
        }
    }
    let annotated = web(1).spec("paused", json!(true));
    assert_eq!(messages(&annotated, "1.34.1"), [""; 0]);
}
