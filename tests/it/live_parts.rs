//! Parts of the live tests that need no control plane, because they differ between versions that are not at hand.

use serde_json::json;

use crate::live::acts::Act;
use crate::live::lost::announces_eviction;
use crate::live::random::scenario;

#[test]
fn random_assumptions_are_about_pods_of_the_set() {
    let mut above_zero = 0;
    for case in 0..1_000 {
        let stages = scenario(case, 36).stages;
        let set = stages[0].apply.as_ref().unwrap();
        let start = set["spec"]["ordinals"]["start"].as_i64().unwrap_or(0);
        for act in stages.iter().flat_map(|stage| &stage.just_before) {
            if let Act::Assume(what) = act {
                let ordinal = what
                    .strip_prefix("web-")
                    .unwrap()
                    .split('=')
                    .next()
                    .unwrap();
                assert!(ordinal.parse::<i64>().unwrap() >= start, "{case}: {what}");
                above_zero += i64::from(start > 0);
            }
        }
    }
    assert!(above_zero > 0);
}

#[test]
fn taint_eviction_announces_a_deletion_by_a_condition() {
    let patch = |kind: &str| json!({"status": {"conditions": [{"type": kind, "status": "True"}]}});
    assert!(announces_eviction(&patch("DisruptionTarget")));
    // The node lifecycle controller reports the lost node by another condition.
    assert!(!announces_eviction(&patch("Ready")));
    assert!(!announces_eviction(&json!(null)));
}
