//! Rules about disruption budgets.

use serde_json::json;
use test_kit::findings::Within;

use super::{NODES, check, on_nodes, one, rolling};
use crate::scenario::{plan, web};

/// A cordoned node, and a budget that allows this many pods to be down.
fn cordoned(down: i64) -> String {
    let nodes = NODES.replacen(
        "{name: node-7}",
        "{name: node-7}\nspec: {unschedulable: true}",
        1,
    );
    let budget = BUDGET.replace("maxUnavailable: 1", &format!("maxUnavailable: {down}"));
    format!("{nodes}---\n{budget}")
}

const BUDGET: &str = "\
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: guard}
spec: {maxUnavailable: 1, selector: {matchLabels: {app: web}}}
";

#[test]
fn sts049_drain_blocked() {
    one(
        "STS049",
        "warning pod/web-0: a drain of cordoned node node-7 hangs on web-0: PodDisruptionBudget guard allows no disruption",
        plan(&on_nodes(["node-7", "node-8", "node-8"]), "1.36").within(&cordoned(0)),
        plan(&on_nodes(["node-7", "node-8", "node-8"]), "1.36").within(&cordoned(1)),
    );
}

#[test]
fn sts015_pdb_exceeded() {
    one(
        "STS015",
        "warning poddisruptionbudget/guard: PodDisruptionBudget guard allows 1 of 3 pods to be unavailable, but does not limit \
         the rollout, which takes down 3 at +0s",
        plan(
            &rolling().parallel().max_unavailable(json!(3)),
            "1.36 MaxUnavailableStatefulSet=true",
        )
        .within(BUDGET),
        plan(&rolling().parallel(), "1.36").within(BUDGET),
    );
}

#[test]
fn sts016_budget_shared() {
    check(
        "STS016",
        "warning poddisruptionbudget/guard: 2 sets under PodDisruptionBudget guard roll at the same time (web, \
               web): up to 2 of its pods are down at once",
        &[
            plan(&rolling(), "1.36").within(BUDGET),
            plan(&rolling(), "1.36"),
        ],
        &[
            plan(&rolling(), "1.36").within(BUDGET),
            plan(&web(3), "1.36"),
        ],
    );
}
