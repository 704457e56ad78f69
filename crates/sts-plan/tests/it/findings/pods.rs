//! Rules about pods that cannot be created or do not come back.

use std::sync::Arc;

use serde_json::json;
use sts_plan::plan::Plan;
use test_kit::findings::Within;

use super::{one, says};
use crate::scenario::{Scenario, plan, pod, web};

/// A pod with the condition that its resize waits for this reason.
fn resized(reason: &str) -> Scenario {
    let condition = json!({"type": "PodResizePending", "status": "True", "reason": reason, "message": "no room"});
    let ready = json!({"type": "Ready", "status": "True"});
    web(1).pod(pod("web-0").status("conditions", json!([ready, condition])))
}

/// The plan of a set from files, which may omit anything.
fn of_files(scenario: &Scenario) -> Plan {
    let mut plan = plan(scenario, "1.36");
    let set = Arc::make_mut(&mut plan.snapshot.set);
    set.meta.created = Some(plan.conditions.now);
    plan.conditions.input = sts_plan::plan::InputKind::Files;
    plan
}

const QUOTA: &str = "\
apiVersion: v1
kind: Event
metadata: {name: web.quota, namespace: default}
involvedObject: {kind: StatefulSet, name: web}
type: Warning
reason: FailedCreate
message: 'create Pod web-1 in StatefulSet web failed error: exceeded quota'
count: 7
lastTimestamp: 2026-01-01T11:59:00Z
";

#[test]
fn sts052_pod_resize() {
    one(
        "STS052",
        "warning pod/web-0: the resize of web-0 is infeasible: no room; it runs on with its old resources",
        plan(&resized("Infeasible"), "1.36"),
        plan(&web(1), "1.36"),
    );
}

#[test]
fn sts008_name_taken() {
    one(
        "STS008",
        "warning pod/web-1: web-1 cannot be created: a pod with that name exists, owned by Job other",
        plan(&web(2).pod(pod("web-1").of("Job", "other", "u")), "1.36"),
        plan(&web(2).pod(pod("web-1").orphan()), "1.36"),
    );
}

#[test]
fn sts031_finished_pod() {
    one(
        "STS031",
        "warning pod/web-1: web-1 is Succeeded, and Kubernetes 1.27.8 never recreates such a pod",
        plan(&web(2).pod(pod("web-1").succeeded()), "1.27.8"),
        plan(&web(2), "1.27.8"),
    );
}

#[test]
fn sts032_recently_refused() {
    one(
        "STS032",
        "warning pod/web-1: the plan assumes that web-1 can be created now, which was recently refused: event FailedCreate (7 times, \
         1m0s ago): create Pod web-1 in StatefulSet web failed error: exceeded quota",
        plan(&web(2).without("web-1"), "1.36").within(QUOTA),
        // It exists now, and the missing pod is another one.
        plan(&web(3).without("web-2"), "1.36").within(QUOTA),
    );
}

#[test]
fn sts033_incomplete_input() {
    one(
        "STS033",
        "error statefulset/web: status says 2 pods, the input has 1",
        of_files(&web(2).without("web-1")),
        of_files(&web(2)),
    );
}

#[test]
fn sts032_recently_refused_of_several_pods_names_the_first() {
    // Of several refused pods, the first is reported.
    let parallel = web(3).without("web-0").without("web-1").parallel();
    let both = format!("{QUOTA}---\n{}", QUOTA.replace("web-1", "web-0"));
    let both = both.replacen("web.quota", "web.other", 1);
    says(
        plan(&parallel, "1.36").within(&both),
        "STS032 warning pod/web-0: the plan assumes that web-0 can be created now, which was recently refused: event FailedCreate (7 times, \
         1m0s ago): create Pod web-0 in StatefulSet web failed error: exceeded quota (and 1 more)",
    );
}
