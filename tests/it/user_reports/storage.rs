//! Reports about claims, volumes and their data.

use std::sync::Arc;

use serde_json::json;
use sts_controller::simulate::{Action, Cascade};
use sts_plan::plan::{Outcome, Plan};
use sts_plan::report::Report;

use super::{believing, does_not_find, says};
use crate::scenario::{ClaimSketch, claim, plan, plan_after, pod, steps, web};
use test_kit::findings::{Within, setting};

/// A claim of StorageClass `slow`.
fn of_class(name: &str) -> ClaimSketch {
    let spec = json!({"storageClassName": "slow", "resources": {"requests": {"storage": "1Gi"}}});
    claim(name).with("spec", spec)
}

#[test]
fn p13_kk68737_claim_templates_may_not_be_changed() {
    let world = web(2).claims("data").claim(of_class("data-web-0"));
    let path = "spec.volumeClaimTemplates[0].spec.resources.requests.storage";
    says(
        &setting(&world, path, json!("2Gi")),
        &[
            "REJECTED",
            "spec.volumeClaimTemplates[0].spec.resources.requests.storage",
            "from \"1Gi\" to \"2Gi\"",
            "kubectl patch pvc data-web-0",
        ],
    );
}

#[test]
fn only_the_claims_of_the_template_grow_and_only_where_they_may() {
    let path = "spec.volumeClaimTemplates[0].spec.resources.requests.storage";
    // Claims of the other template, a claim that is already large enough, and one of another set do not change.
    let large = json!({"resources": {"requests": {"storage": "5Gi"}}});
    let world = web(2)
        .claims("data")
        .claims("logs")
        .claim(of_class("data-web-0"))
        .claim(claim("data-web-1").with("spec", large))
        .claim(claim("data-web-x-0"));
    let commands = |plan: &Plan| -> Vec<String> {
        let report = Report::new(plan);
        let remedies = report.outcome.blocked_by.iter();
        let commands = remedies.flat_map(|obstacle| obstacle.remedy.clone());
        commands
            .filter(|command| command.contains("patch"))
            .collect()
    };
    let grown = setting(&world, path, json!("2Gi"));
    assert_eq!(
        commands(&grown),
        ["kubectl patch pvc data-web-0 -n default --type merge -p \
             '{\"spec\":{\"resources\":{\"requests\":{\"storage\":\"2Gi\"}}}}'"]
    );
    let class = |expands: bool| {
        format!(
            "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {{name: slow, annotations: \
             {{storageclass.kubernetes.io/is-default-class: 'true'}}}}\nprovisioner: x\nallowVolumeExpansion: {expands}\n"
        )
    };
    let fixed = grown.within(&class(false));
    assert_eq!(commands(&fixed), [""; 0]);
    says(
        &fixed,
        &["StorageClass slow does not allow volume expansion: data-web-0 keeps its size"],
    );
    assert_eq!(commands(&fixed.within(&class(true))).len(), 1);
    // The server resizes bound claims only (`only for bound claims`), so this is no remedy for a pending claim.
    let waiting = world.claim(of_class("data-web-0").with("status", json!({"phase": "Pending"})));
    let waiting = setting(&waiting, path, json!("2Gi")).within(&class(true));
    assert_eq!(commands(&waiting), [""; 0]);
}

#[test]
fn p14_kk61493_a_set_made_anew_takes_over_claims_of_another_size() {
    let spec = json!({"storageClassName": "slow", "resources": {"requests": {"storage": "500Mi"}}});
    let world = web(2)
        .claims("data")
        .claim(claim("data-web-1").with("spec", spec));
    says(
        &plan(&world, "1.36"),
        &[
            "STS005",
            "data-web-1 has 500Mi, but claim template data requests 1Gi: existing claims keep their size",
        ],
    );
}

#[test]
fn p15_kk141876_adopted_pods_lack_the_new_claim() {
    // Before: the set is deleted without its pods, and created again with one more claim template.
    let old = web(2);
    let new = plan(&web(2).claims("data"), "1.36").snapshot.set;
    let actions = vec![
        Action::DeleteSet(Cascade::Orphan),
        Action::CreateSet(Arc::clone(&new)),
    ];
    let before: Plan = plan_after(actions, &old, "1.36");
    assert!(matches!(before.outcome, Outcome::Blocked(_)));
    says(
        &before,
        &[
            "STS029",
            "has no volume data, and the API server refuses to add it",
        ],
    );
    // During: the update of the pod keeps failing.
    let world = web(2)
        .claims("data")
        .pod(pod("web-0").volume("other", "other"));
    says(
        &plan(&world, "1.36"),
        &[
            "BLOCKED",
            "PodUpdateRefused",
            "web-0 has no volume data",
            "kubectl delete pod web-0",
        ],
    );
}

#[test]
fn p23_kk89910_a_claim_goes_with_its_pod() {
    let world = web(2)
        .claims("data")
        .claim(claim("data-web-1").terminating());
    says(
        &plan(&world, "1.36"),
        &[
            "STS006",
            "data-web-1 is being deleted: its data is lost as soon as web-1 is gone",
        ],
    );
    let gone = world.without("web-1");
    says(&plan(&gone, "1.36"), &["data-web-1", "is being deleted"]);
}

#[test]
fn p24_kk99728_scaling_down_deletes_claims() {
    let world = web(3).claims("data").retention("Retain", "Delete");
    says(
        &plan(&world.clone().replicas(1), "1.36"),
        &[
            "STS003",
            "2 claims are deleted with their data: data-web-1, data-web-2 (whenScaled: Delete)",
        ],
    );
    does_not_find(&plan(&world, "1.36"), "STS003");
    // During: the ordinal is created again before the garbage collector runs.
    let stale = world
        .without("web-2")
        .claim(claim("data-web-2").owner("Pod", "web-2", "old", true));
    says(
        &plan(&stale, "1.36"),
        &["STS007", "data-web-2 is still owned by an earlier web-2"],
    );
}

#[test]
fn a_pod_that_cannot_be_scheduled_waits_for_its_claim() {
    let unplaced = |message: &str| {
        let refused = json!([{
            "type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message,
        }]);
        let pod = pod("web-1")
            .unscheduled()
            .pending()
            .volume("data", "data-web-1");
        pod.status("conditions", refused)
    };
    // The claim was removed with its pod, and the new pod waits for it. A controller that recreates it says so.
    let gone = web(2)
        .claims("data")
        .without_claim("data-web-1")
        .pod(unplaced("persistentvolumeclaim \"data-web-1\" not found"));
    says(
        &believing(&gone, "1.36"),
        &[
            "BLOCKED 1h0m: web-1 cannot be scheduled: the claim data-web-1 of the pod does not exist",
            "the controller recreates data-web-1, so web-1 may still be scheduled (--assume web-1=ready-after:1m)",
            "once web-1 is scheduled: the rollout completes",
        ],
    );
    // No template would give it a volume, so none is proposed.
    let pending = web(2)
        .claims("data")
        .claim(claim("data-web-1").with("status", json!({"phase": "Pending"})))
        .pod(unplaced("pod has unbound immediate PersistentVolumeClaims"));
    let unbound = believing(&pending, "1.36");
    says(
        &unbound,
        &[
            "claim data-web-1 is Pending",
            "kubectl describe pvc data-web-1 -n default",
            "once claim data-web-1 has a volume and web-1 is scheduled: the rollout completes",
        ],
    );
    let commands = format!(
        "{:?}",
        unbound.remedies(1)[0]
            .iter()
            .map(|it| &it.actions)
            .collect::<Vec<_>>()
    );
    assert!(
        !commands.contains("NewTemplate") && !commands.contains("ToRevision"),
        "{commands}"
    );
}

#[test]
fn p34_kk97386_the_volume_is_in_another_zone() {
    let around = "\
apiVersion: v1
kind: Node
metadata: {name: node, labels: {topology.kubernetes.io/zone: b}}
status: {conditions: [{type: Ready, status: 'True'}]}
---
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
    let spec = json!({"volumeName": "pv-1", "resources": {"requests": {"storage": "1Gi"}}});
    let world = web(2)
        .claims("data")
        .without("web-1")
        .claim(claim("data-web-1").with("spec", spec));
    let plan = plan(&world, "1.36").within(around);
    says(
        &plan,
        &[
            "STS025",
            "web-1 can only run in zone a, which has no node: its volume pv-1 (data-web-1) is there",
        ],
    );
    assert_eq!(steps(&plan)[0], "0 create web-1");
}
