//! Every rule: a plan that has the finding with its message, and a similar plan that has not. The tests of a rule begin
//! with its id and name.

mod budgets;
mod claims;
mod fields;
mod history;
mod nodes;
mod owners;
mod pods;
mod rollouts;

use std::collections::BTreeSet;

use serde_json::json;
use sts_plan::lint::{RULES, RuleId, Suppressions, page, rule, versions};
use sts_plan::plan::Plan;
use test_kit::findings::lines;

use crate::foreseen;
use crate::scenario::{ClaimSketch, Scenario, claim, plan, pod, web};

/// Checks that a rule has a finding that begins with these words in the first of these plans, which are planned in one
/// run, and that it has none in the first of the others.
#[track_caller]
fn check(id: &str, says: &str, fires: &[Plan], silent: &[Plan]) {
    let expected = format!("{id} {says}");
    let fires = lines(&fires.iter().collect::<Vec<_>>());
    assert!(
        fires.iter().any(|line| line.starts_with(&expected)),
        "{expected}\n  is not among {fires:#?}"
    );
    let silent = lines(&silent.iter().collect::<Vec<_>>());
    let wrong = silent.iter().find(|line| line.starts_with(id));
    assert_eq!(wrong, None, "{id} should be silent");
}

/// The same of a plan alone, and of one that narrowly differs.
#[track_caller]
fn one(id: &str, says: &str, fires: Plan, silent: Plan) {
    check(id, says, &[fires], &[silent]);
}

/// Checks that a plan has a finding with these words.
#[track_caller]
fn says(plan: Plan, expected: &str) {
    let lines = lines(&[&plan]);
    assert!(
        lines.iter().any(|line| line.contains(expected)),
        "{expected}\n  is not among {lines:#?}"
    );
}

/// A rollout of three pods to v2.
fn rolling() -> Scenario {
    web(3).rolling_to_v2()
}

/// A set of three pods on these nodes.
fn on_nodes(nodes: [&str; 3]) -> Scenario {
    let pods = nodes.iter().enumerate();
    pods.fold(web(3), |set, (ordinal, node)| {
        set.pod(pod(&format!("web-{ordinal}")).on_node(node))
    })
}

const NODES: &str = "\
apiVersion: v1
kind: Node
metadata: {name: node-7}
---
apiVersion: v1
kind: Node
metadata: {name: node-8}
";

/// Two pods with a claim each.
fn with_claims() -> Scenario {
    web(2).claims("data")
}

/// The claim of web-1 with this size and class.
fn sized(storage: &str, class: &str) -> ClaimSketch {
    let spec = json!({
        "storageClassName": class,
        "volumeName": "pv-1",
        "resources": {"requests": {"storage": storage}},
    });
    claim("data-web-1").with("spec", spec)
}

/// Another set of two pods.
fn other(name: &str) -> Scenario {
    web(0).named(name).replicas(2).no_revisions()
}

#[test]
fn every_rule_has_a_test() {
    let sources = [
        include_str!("budgets.rs"),
        include_str!("claims.rs"),
        include_str!("fields.rs"),
        include_str!("history.rs"),
        include_str!("nodes.rs"),
        include_str!("owners.rs"),
        include_str!("pods.rs"),
        include_str!("rollouts.rs"),
    ];
    let tested: BTreeSet<&str> = sources
        .iter()
        .flat_map(|source| source.lines())
        .filter_map(|line| line.strip_prefix("fn ")?.strip_suffix("() {"))
        .collect();
    for rule in RULES {
        let id = rule.id.name();
        let name = format!("{id}_{}", rule.name.replace('-', "_")).to_lowercase();
        let is_tested = tested.contains(&*name) || foreseen::RULES.contains(&id);
        assert!(is_tested, "no test {name}");
    }
}

#[test]
fn a_plain_set_at_rest_has_no_findings() {
    for version in ["1.19", "1.27.3", "1.33", "1.36"] {
        assert_eq!(lines(&[&plan(&web(3), version)]), [""; 0], "{version}");
        let claims = web(3).claims("data");
        assert_eq!(lines(&[&plan(&claims, version)]), [""; 0], "{version}");
        let first = web(0).replicas(3).no_revisions();
        let found = lines(&[&plan(&first, version)]);
        // It has no readiness probe, which matters once pods are created.
        assert_eq!(found.len(), 1, "{version}");
        assert!(found[0].starts_with("STS040 info statefulset/web:"));
    }
}

#[test]
fn every_rule_has_a_page() {
    let mut ids = BTreeSet::new();
    let mut names = BTreeSet::new();
    let mut last = 0;
    for known in RULES {
        // IDs are kept forever; one may be unused.
        let number: usize = known
            .id
            .name()
            .strip_prefix("STS")
            .unwrap()
            .parse()
            .unwrap();
        assert!(number > last && known.id.name().len() == 6, "{}", known.id);
        last = number;
        assert!(
            ids.insert(known.id) && names.insert(known.name),
            "{}",
            known.id
        );
        assert!(
            known
                .name
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'-')
        );
        assert!(!known.links.is_empty(), "{}", known.id);
        assert!(known.links.iter().all(|link| link.starts_with("https://")));
        let text = page(known);
        for part in [
            "Why\n",
            "Kubernetes versions\n",
            "What to do\n",
            "See also\n",
        ] {
            assert!(text.contains(part), "{} has no {part}", known.id);
        }
        assert!(
            !versions(known).starts_with("none"),
            "{}: {}",
            known.id,
            versions(known)
        );
    }
    let of = |id: &str| versions(rule(id).unwrap());
    assert_eq!(
        of("STS017"),
        "before 1.34.2 (with the defaults of feature gates)"
    );
    assert_eq!(
        of("sts011"),
        "from 1.27 (with the defaults of feature gates)"
    );
    assert_eq!(
        of("STS030"),
        "before 1.27 (with the defaults of feature gates)"
    );
    assert_eq!(of("STS001"), "all supported: 1.19 to 1.37");
}

#[test]
fn rules_can_be_silenced() {
    let silence = Suppressions::parse("STS001, sts010").unwrap();
    assert!(silence.covers(RuleId::Blocked) && silence.covers(RuleId::PartitionAboveReplicas));
    assert!(!silence.covers(RuleId::ForcedRollback));
    let unknown = Suppressions::parse("STS001,STS999").unwrap_err();
    assert!(unknown.starts_with("unknown finding \"STS999\": expected an id (STS001 to "));
    let annotated = web(1).metadata("annotations", json!({"sts-plan/ignore": "STS023, nothing"}));
    let plan = plan(&annotated, "1.36");
    let (silence, unknown) = sts_plan::lint::named_by_annotation(&plan.snapshot.set);
    assert!(silence.covers(RuleId::Downtime));
    assert_eq!(
        unknown,
        [
            "StatefulSet web: annotation sts-plan/ignore has unknown finding \"nothing\": see kubectl sts-plan explain"
        ]
    );
}
