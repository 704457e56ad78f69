//! A change of a claim template: which existing claims grow with it, and in which order.

use serde_json::Value;
use test_kit::input::{Input, fixture, objects};

/// The obstacle of a plan that applies `rollout.yaml` with one replacement to a world with others.
fn refused(wanted: [&str; 2], stored: &[[&str; 2]], class: &str) -> Value {
    let world = fixture("rollout.yaml");
    assert!(world.contains(wanted[0]));
    // Only the first is the set's; the others belong to the claims.
    let manifest = objects(&world.replacen(wanted[0], wanted[1], 1)).remove(0);
    let (set, others) = world.split_once("  kind: Pod\n").unwrap();
    let mut others = others.to_owned();
    for [old, new] in stored {
        assert!(others.contains(old), "{old}");
        others = others.replace(old, new);
    }
    let class = match class {
        "" => String::new(),
        expands => format!(
            "---\napiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {{name: standard}}\nprovisioner: x\n\
             allowVolumeExpansion: {expands}\n"
        ),
    };
    let world = format!("{set}  kind: Pod\n{others}\n{class}");
    let input = Input::of(&objects(&world), "2026-11-20T03:00:00Z");
    let plan = input.applying(&manifest, "new set.yaml").json();
    assert_eq!(plan["outcome"]["result"], "rejected");
    plan["outcome"]["blockedBy"][0].clone()
}

const LARGER: [&str; 2] = ["storage: 10Gi", "storage: 20Gi"];

fn commands(obstacle: &Value) -> Vec<&str> {
    let commands = obstacle["remedy"].as_array().unwrap().iter();
    commands.map(|command| command.as_str().unwrap()).collect()
}

fn facts(obstacle: &Value) -> Vec<&str> {
    let facts = obstacle["evidence"].as_array().into_iter().flatten();
    facts.map(|fact| fact.as_str().unwrap()).collect()
}

const RECREATED: [&str; 2] = [
    "kubectl delete sts web -n prod --cascade=orphan",
    "kubectl apply -f 'new set.yaml'",
];

#[test]
fn claims_grow_first_if_their_class_allows_it() {
    let obstacle = refused(LARGER, &[], "true");
    let commands = commands(&obstacle);
    assert_eq!(commands.len(), 5, "{commands:?}");
    assert!(commands[0].starts_with("kubectl patch pvc data-web-0 -n prod"));
    assert_eq!(commands[3..], RECREATED);
    assert_eq!(facts(&obstacle), [""; 0]);
}

#[test]
fn the_condition_is_named_if_the_class_is_unknown() {
    let obstacle = refused(LARGER, &[], "");
    assert_eq!(commands(&obstacle).len(), 5);
    assert_eq!(
        facts(&obstacle),
        [
            "the claims grow only if StorageClass standard, which is not in the input, has allowVolumeExpansion: true"
        ]
    );
}

#[test]
fn no_command_grows_a_claim_that_cannot_grow() {
    let fixed = refused(LARGER, &[], "false");
    assert_eq!(commands(&fixed), RECREATED);
    assert_eq!(
        facts(&fixed),
        [
            "StorageClass standard does not allow volume expansion: 3 claims (data-web-0 first) keep their size"
        ]
    );
    let classless = refused(LARGER, &[["    storageClassName: standard\n", ""]], "true");
    assert_eq!(commands(&classless), RECREATED);
    assert_eq!(
        facts(&classless),
        ["claims without a StorageClass cannot grow: 3 claims (data-web-0 first) keep their size"]
    );
    let pending = refused(LARGER, &[["phase: Bound", "phase: Pending"]], "true");
    assert_eq!(commands(&pending), RECREATED);
    assert_eq!(
        facts(&pending),
        ["only bound claims can grow: 3 claims (data-web-0 first) keep their size"]
    );
}

#[test]
fn claims_keep_their_class() {
    let faster = ["storageClassName: standard", "storageClassName: fast"];
    let obstacle = refused(faster, &[], "");
    assert_eq!(commands(&obstacle), RECREATED);
    assert_eq!(
        facts(&obstacle),
        ["3 claims (data-web-0 first) keep their StorageClass: only new claims get the new one"]
    );
}
