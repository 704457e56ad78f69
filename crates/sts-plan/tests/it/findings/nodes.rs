//! Rules about nodes and the members on them.

use std::sync::Arc;

use serde_json::json;
use sts_plan::plan::Plan;
use test_kit::findings::{Within, never_ready};

use super::{NODES, on_nodes, one, says, sized, with_claims};
use crate::scenario::{plan, pod, web};

/// The plan of a constraint that spreads the pods with this label over zones.
fn spread_over(app: &str) -> Plan {
    let spread = json!([{"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": app}}}]);
    let mut plan = plan(&web(2), "1.36");
    let set = Arc::make_mut(&mut plan.snapshot.set);
    Arc::make_mut(&mut set.template)["spec"]["topologySpreadConstraints"] = spread;
    plan
}

/// The node of all pods in the scenarios.
fn node(ready: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Node\nmetadata: {{name: node, labels: {{topology.kubernetes.io/zone: a}}}}\nstatus: \
         {{conditions: [{{type: Ready, status: '{ready}', reason: NodeStatusUnknown}}]}}\n"
    )
}

const VOLUME: &str = "\
apiVersion: v1
kind: PersistentVolume
metadata: {name: pv-1}
spec:
  nodeAffinity:
    required:
      nodeSelectorTerms:
      - matchExpressions:
        - {key: topology.kubernetes.io/zone, operator: In, values: [a]}
";

#[test]
fn sts047_quorum_at_risk() {
    one(
        "STS047",
        "warning statefulset/web: 2 of 3 ready: one more pod failure loses quorum (not ready: web-1)",
        never_ready("web-1", &web(3).pod(pod("web-1").crash_looping()), "1.36"),
        plan(&web(3), "1.36"),
    );
}

#[test]
fn sts048_members_on_one_node() {
    one(
        "STS048",
        "warning statefulset/web: all members run on node node-7: losing it takes down the set",
        plan(&on_nodes(["node-7", "node-7", "node-7"]), "1.36").within(NODES),
        plan(&on_nodes(["node-7", "node-8", "node-9"]), "1.36").within(NODES),
    );
}

#[test]
fn sts024_terminating_on_dead_node() {
    one(
        "STS024",
        "warning pod/web-1: web-1 is terminating, but its node node is not ready (NodeStatusUnknown)",
        plan(&web(2).pod(pod("web-1").terminating()), "1.36").within(&node("Unknown")),
        plan(&web(2).pod(pod("web-1").terminating()), "1.36").within(&node("True")),
    );
}

#[test]
fn sts025_pinned_volume() {
    one(
        "STS025",
        "warning pod/web-1: web-1 can only run in zone a, which has no available node (node not ready or cordoned): its \
         volume pv-1 (data-web-1) is there",
        plan(
            &with_claims().claim(sized("1Gi", "slow")).without("web-1"),
            "1.36",
        )
        .within(&format!("{}---\n{VOLUME}", node("Unknown"))),
        plan(
            &with_claims().claim(sized("1Gi", "slow")).without("web-1"),
            "1.36",
        )
        .within(&format!("{}---\n{VOLUME}", node("True"))),
    );
}

#[test]
fn sts054_spread_misses_pods() {
    one(
        "STS054",
        "warning statefulset/web: the topologySpreadConstraint over topology.kubernetes.io/zone does not spread these \
         pods",
        spread_over("old"),
        spread_over("web"),
    );
}

#[test]
fn sts047_quorum_at_risk_when_quorum_is_lost() {
    says(
        never_ready(
            "web-1",
            &web(3)
                .pod(pod("web-1").crash_looping())
                .pod(pod("web-2").crash_looping()),
            "1.36",
        ),
        "STS047 warning statefulset/web: 1 of 3 ready: quorum is lost (2 needed) (not ready: web-1, web-2)",
    );
}

#[test]
fn sts048_members_on_one_node_for_a_majority() {
    says(
        plan(&on_nodes(["node-7", "node-7", "node-8"]), "1.36").within(NODES),
        "STS048 info statefulset/web: 2 of 3 members run on node node-7 (web-0, web-1): losing it loses quorum",
    );
}
