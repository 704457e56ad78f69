//! Every rule: a plan that has the finding with its message, and a similar plan that has not.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};
use sts_controller::apiserver::apply::Effect;
use sts_controller::apiserver::schema::UnknownField;
use sts_controller::apiserver::server_side_apply::{OwnedFields, Ownership};
use sts_controller::apiserver::validation::FieldOwner;
use sts_controller::simulate::{Action, Cascade};
use sts_plan::lint::{RULES, RuleId, Suppressions, page, rule, versions};
use sts_plan::plan::Plan;
use test_kit::findings::{Within, findings, lines, never_ready, setting, setting_in};

use crate::foreseen;
use crate::scenario::{Scenario, claim, plan, plan_after, pod, revision, template, web};

/// A pod whose claim has had that condition since midnight, and that capacity.
fn growing(condition: &str, capacity: &str) -> Scenario {
    let condition =
        json!({"type": condition, "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"});
    let status =
        json!({"phase": "Bound", "capacity": {"storage": capacity}, "conditions": [condition]});
    let grown = claim("data-web-0").with("status", status);
    web(1).claims("data").claim(grown)
}

/// A pod whose claim is changed to a class, in this state.
fn reclassed(status: &str) -> Scenario {
    let change = json!({"targetVolumeAttributesClassName": "gold", "status": status});
    let status = json!({"phase": "Bound", "modifyVolumeStatus": change});
    let claim = claim("data-web-0").with("status", status);
    web(1).claims("data").claim(claim)
}

/// The plan of a deletion of the one pod that a partition holds.
fn held_pod_deleted(version: &str) -> Plan {
    let world = (1..3).fold(web(3).rolling_to_v2().partition(1), |world, ordinal| {
        world.pod(pod(&format!("web-{ordinal}")).at("v2"))
    });
    plan_after(vec![Action::DeletePod("web-0".into())], &world, version)
}

/// The plan of a constraint that spreads the pods with this label over zones.
fn spread_over(app: &str) -> Plan {
    let spread = json!([{"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": app}}}]);
    let mut plan = plan(&web(2), "1.36");
    let set = Arc::make_mut(&mut plan.snapshot.set);
    Arc::make_mut(&mut set.template)["spec"]["topologySpreadConstraints"] = spread;
    plan
}

/// A pod with the condition that its resize waits for this reason.
fn resized(reason: &str) -> Scenario {
    let condition = json!({"type": "PodResizePending", "status": "True", "reason": reason, "message": "no room"});
    let ready = json!({"type": "Ready", "status": "True"});
    web(1).pod(pod("web-0").status("conditions", json!([ready, condition])))
}

#[test]
fn a_growing_claim_says_what_it_waits_for() {
    let told = |world: &Scenario| {
        let found = findings(&plan(world, "1.36")).into_iter();
        let mut found = found.filter(|found| found.id == RuleId::ClaimResize);
        let first = found.next()?;
        Some(format!("{} {}", first.severity, first.message))
    };
    let says = |condition: &str, capacity: &str| told(&growing(condition, capacity)).unwrap();
    let offline = says("Resizing", "512Mi");
    assert!(
        offline.starts_with("warning") && offline.ends_with("scale down web-0"),
        "{offline}"
    );
    let failed = says("ControllerResizeError", "512Mi");
    assert!(
        failed.starts_with("warning") && failed.ends_with("the resize fails"),
        "{failed}"
    );
    // Nobody has begun, and nothing shows since when.
    let begun = says("Unused", "512Mi");
    assert!(
        begun.starts_with("info") && begun.ends_with("is expanding the volume"),
        "{begun}"
    );
    let away = told(&growing("FileSystemResizePending", "512Mi").without("web-0")).unwrap();
    assert!(
        away.starts_with("info") && away.ends_with("when a pod mounts it"),
        "{away}"
    );
    assert_eq!(told(&growing("Resizing", "1Gi")), None);
}

struct Case {
    id: &'static str,
    /// The beginning of the message, after the ID.
    says: &'static str,
    /// The first plan is checked; the others are planned in the same run.
    fires: Vec<Plan>,
    silent: Vec<Plan>,
}

const BUDGET: &str = "\
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: guard}
spec: {maxUnavailable: 1, selector: {matchLabels: {app: web}}}
";

const NODES: &str = "\
apiVersion: v1
kind: Node
metadata: {name: node-7}
---
apiVersion: v1
kind: Node
metadata: {name: node-8}
";

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

/// A set of three pods on these nodes.
fn on_nodes(nodes: [&str; 3]) -> Scenario {
    let pods = nodes.iter().enumerate();
    pods.fold(web(3), |set, (ordinal, node)| {
        set.pod(pod(&format!("web-{ordinal}")).on_node(node))
    })
}

fn cases() -> Vec<Case> {
    let one = |id, says, fires: Plan, silent: Plan| Case {
        id,
        says,
        fires: vec![fires],
        silent: vec![silent],
    };
    let rolling = || web(3).rolling_to_v2();
    let stuck = rolling().pod(pod("web-2").at("v2").crash_looping());
    let with_claims = || web(2).claims("data");
    let sized = |storage: &str, class: &str| {
        claim("data-web-1").with(
            "spec",
            json!({
                "storageClassName": class,
                "volumeName": "pv-1",
                "resources": {"requests": {"storage": storage}},
            }),
        )
    };
    let other = |name: &str| web(0).named(name).replicas(2).no_revisions();
    vec![
        one(
            "STS001",
            "error statefulset/web: blocked by WaitingForPodReady: waiting for web-2",
            never_ready("web-2", &stuck, "1.36"),
            plan(&rolling(), "1.36"),
        ),
        one(
            "STS047",
            "warning statefulset/web: 2 of 3 ready: one more pod failure loses quorum (not ready: web-1)",
            never_ready(
                "web-1",
                &web(3).pod(pod("web-1").crash_looping()),
                "1.36",
            ),
            plan(&web(3), "1.36"),
        ),
        one(
            "STS050",
            "warning persistentvolumeclaim/data-web-0: data-web-0 is being resized from 512Mi to 1Gi; its file system \
             has been pending for 12h0m although web-0 is running: if the driver resizes only on mount, restart web-0",
            plan(&growing("FileSystemResizePending", "512Mi"), "1.36"),
            plan(&growing("Unused", "1Gi"), "1.36"),
        ),
        one(
            "STS051",
            "warning persistentvolumeclaim/data-web-0: data-web-0 is changed to VolumeAttributesClass gold, which is infeasible",
            plan(&reclassed("Infeasible"), "1.36"),
            plan(&web(1).claims("data"), "1.36"),
        ),
        one(
            "STS052",
            "warning pod/web-0: the resize of web-0 is infeasible: no room; it runs on with its old resources",
            plan(&resized("Infeasible"), "1.36"),
            plan(&web(1), "1.36"),
        ),
        one(
            "STS049",
            "warning pod/web-0: a drain of cordoned node node-7 hangs on web-0: PodDisruptionBudget guard allows no disruption",
            plan(&on_nodes(["node-7", "node-8", "node-8"]), "1.36").within(&cordoned(0)),
            plan(&on_nodes(["node-7", "node-8", "node-8"]), "1.36").within(&cordoned(1)),
        ),
        one(
            "STS048",
            "warning statefulset/web: all members run on node node-7: losing it takes down the set",
            plan(&on_nodes(["node-7", "node-7", "node-7"]), "1.36").within(NODES),
            plan(&on_nodes(["node-7", "node-8", "node-9"]), "1.36").within(NODES),
        ),
        one(
            "STS002",
            "info pod/web-2: if web-2 never becomes ready on",
            plan(&rolling(), "1.36"),
            // A parallel set replaces it at once.
            plan(&rolling().parallel(), "1.36"),
        ),
        one(
            "STS003",
            "error persistentvolumeclaim/data-web-1: 1 claim is deleted with its data: data-web-1 (whenScaled: \
             Delete)",
            plan(&with_claims().replicas(1).retention("Retain", "Delete"), "1.36"),
            plan(&with_claims().retention("Retain", "Delete"), "1.36"),
        ),
        one(
            "STS004",
            "error statefulset/web: spec.serviceName may not be changed from \"web\" to \"other\"",
            setting(&web(1), "spec.serviceName", json!("other")),
            setting(&web(1), "spec.replicas", json!(2)),
        ),
        one(
            "STS005",
            "warning persistentvolumeclaim/data-web-1: data-web-1 has 500Mi, but claim template data requests 1Gi: \
             existing claims keep their size and cannot grow: StorageClass slow does not allow expansion",
            plan(&with_claims().claim(sized("500Mi", "slow")), "1.36").within(
                "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: slow}\n",
            ),
            // The same size in other units.
            plan(&with_claims().claim(sized("1024Mi", "slow")), "1.36"),
        ),
        one(
            "STS006",
            "warning persistentvolumeclaim/data-web-1: data-web-1 is being deleted: its data is lost as soon as \
             web-1 is gone",
            plan(&with_claims().claim(claim("data-web-1").terminating()), "1.36"),
            plan(&with_claims(), "1.36"),
        ),
        one(
            "STS007",
            "warning persistentvolumeclaim/data-web-1: data-web-1 is still owned by an earlier web-1 (uid old)",
            plan(
                &with_claims()
                    .retention("Retain", "Delete")
                    .without("web-1")
                    .claim(claim("data-web-1").owner("Pod", "web-1", "old", true)),
                "1.36",
            ),
            plan(&with_claims().retention("Retain", "Delete").without("web-1"), "1.36"),
        ),
        one(
            "STS008",
            "warning pod/web-1: web-1 cannot be created: a pod with that name exists, owned by Job other",
            plan(&web(2).pod(pod("web-1").of("Job", "other", "u")), "1.36"),
            plan(&web(2).pod(pod("web-1").orphan()), "1.36"),
        ),
        one(
            "STS009",
            "error statefulset/a234567890123456789012345678901234567890123456789012345: no pod can be created",
            plan(
                &other("a234567890123456789012345678901234567890123456789012345"),
                "1.36",
            ),
            plan(
                &other("a23456789012345678901234567890123456789012345678901"),
                "1.36",
            ),
        ),
        one(
            "STS010",
            "warning statefulset/web: partition 3 is at or above 3 replicas: none of 3 outdated pods is updated to",
            plan(&rolling().partition(3), "1.36"),
            plan(&rolling().partition(2), "1.36"),
        ),
        one(
            "STS011",
            "warning statefulset/web: partition 5 counts from ordinal 5: held: web-5, web-6, web-7; updated: none",
            plan(&web(0).replicas(3).start(5).partition(5), "1.36"),
            plan(&web(0).replicas(3).start(5), "1.36"),
        ),
        one(
            "STS012",
            "warning statefulset/web: all pods are on",
            plan(
                &web(1).rolling_to_v2().on_delete().pod(pod("web-0").at("v2")),
                "1.36",
            ),
            plan(&web(1).rolling_to_v2().pod(pod("web-0").at("v2")), "1.36"),
        ),
        one(
            "STS013",
            "warning statefulset/web: maxUnavailable 2 has no effect in Kubernetes 1.36 (feature gate \
             MaxUnavailableStatefulSet is off)",
            plan(&web(3).max_unavailable(json!(2)), "1.36"),
            plan(
                &web(3).max_unavailable(json!(2)),
                "1.36 MaxUnavailableStatefulSet=true",
            ),
        ),
        one(
            "STS014",
            "warning statefulset/web: updates of a Parallel set do not wait for minReadySeconds 30 in Kubernetes 1.33",
            plan(&web(2).parallel().min_ready(30), "1.33"),
            plan(&web(2).parallel().min_ready(30), "1.34"),
        ),
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
        ),
        Case {
            id: "STS016",
            says: "warning poddisruptionbudget/guard: 2 sets under PodDisruptionBudget guard roll at the same time (web, \
                   web): up to 2 of its pods are down at once",
            fires: vec![
                plan(&rolling(), "1.36").within(BUDGET),
                plan(&rolling(), "1.36"),
            ],
            silent: vec![plan(&rolling(), "1.36").within(BUDGET), plan(&web(3), "1.36")],
        },
        one(
            "STS017",
            "warning statefulset/web: revision",
            plan(
                &web(1).no_revisions().revision(revision("v1", 1).by_an_old_controller()),
                "1.34.1",
            ),
            plan(
                &web(1).no_revisions().revision(revision("v1", 1).by_an_old_controller()),
                "1.34.2",
            ),
        ),
        one(
            "STS018",
            "warning statefulset/web: revisions share a number (web-",
            plan(
                &rolling().revision(revision("v0", 1)),
                "1.36",
            ),
            plan(&rolling(), "1.36"),
        ),
        one(
            "STS019",
            "info statefulset/web: revisions web-early (number 0) and web-",
            plan(
                &web(1).revision(revision("x", 0).named("web-early").recording(template("v1"))),
                "1.36",
            ),
            plan(&web(1), "1.36"),
        ),
        one(
            "STS020",
            "warning statefulset/web: HorizontalPodAutoscaler scaler sets spec.replicas between 2 and 9: 3 replicas last \
             until its next sync",
            plan(&web(3), "1.36").within(HPA).changing(
                "spec.replicas",
                json!(1),
                json!(3),
                Effect::Scale,
            ),
            plan(&web(3), "1.36").within(HPA),
        ),
        Case {
            id: "STS021",
            says: "warning statefulset/web: the selector also matches the pods of twin",
            fires: vec![plan(&web(1), "1.36"), plan(&other("twin"), "1.36")],
            silent: vec![plan(&web(1), "1.36"), plan(&web(1), "1.36")],
        },
        one(
            "STS022",
            "warning statefulset/web: Service web (spec.serviceName) is not headless",
            plan(&web(1), "1.36").within(
                "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {selector: {app: web}, clusterIP: 10.0.0.1}\n",
            ),
            plan(&web(1), "1.36").within(
                "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {selector: {app: web}, clusterIP: None}\n",
            ),
        ),
        one(
            "STS023",
            "warning statefulset/web: the only pod is replaced: no pod is ready from +0s to +15s",
            plan(&web(1).rolling_to_v2(), "1.36"),
            plan(&web(2).rolling_to_v2(), "1.36"),
        ),
        one(
            "STS024",
            "warning pod/web-1: web-1 is terminating, but its node node is not ready (NodeStatusUnknown)",
            plan(&web(2).pod(pod("web-1").terminating()), "1.36").within(&node("Unknown")),
            plan(&web(2).pod(pod("web-1").terminating()), "1.36").within(&node("True")),
        ),
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
        ),
        one(
            "STS026",
            "warning statefulset/web: Argo CD manages the set: unless its source has annotation",
            plan(&by_argo(rolling()), "1.36").changing(
                RESTARTED_AT,
                Value::Null,
                json!("2026-01-01T12:00:00Z"),
                Effect::Rollout,
            ),
            plan(&rolling(), "1.36").changing(
                RESTARTED_AT,
                Value::Null,
                json!("2026-01-01T12:00:00Z"),
                Effect::Rollout,
            ),
        ),
        one(
            "STS027",
            "info statefulset/web: the rollout completes with 1 of 3 pods updated and two revisions in the status \
             (partition 2 holds the others)",
            plan(&rolling().partition(2), "1.36"),
            plan(&rolling(), "1.36"),
        ),
        one(
            "STS028",
            "warning statefulset/web: at 0 replicas",
            plan(&rolling().partition(2).replicas(0), "1.36"),
            plan(&rolling().replicas(0), "1.36"),
        ),
        one(
            "STS053",
            "warning statefulset/web: partition 1 no longer holds web-0: the rollout counts as complete, and a held pod \
             that is deleted now is created on",
            held_pod_deleted("1.27.5"),
            held_pod_deleted("1.27.8"),
        ),
        one(
            "STS054",
            "warning statefulset/web: the topologySpreadConstraint over topology.kubernetes.io/zone does not spread these \
             pods",
            spread_over("old"),
            spread_over("web"),
        ),
        one(
            "STS029",
            "warning pod/web-1: web-1 has no volume data, and the API server refuses to add it",
            plan(&with_claims().pod(pod("web-1").volume("other", "other")), "1.36"),
            plan(&with_claims(), "1.36"),
        ),
        one(
            "STS030",
            "warning statefulset/web: persistentVolumeClaimRetentionPolicy has no effect in Kubernetes 1.26",
            plan(&with_claims().retention("Delete", "Retain"), "1.26"),
            plan(&with_claims().retention("Delete", "Retain"), "1.27"),
        ),
        one(
            "STS031",
            "warning pod/web-1: web-1 is Succeeded, and Kubernetes 1.27.8 never recreates such a pod",
            plan(&web(2).pod(pod("web-1").succeeded()), "1.27.8"),
            plan(&web(2), "1.27.8"),
        ),
        one(
            "STS032",
            "warning pod/web-1: the plan assumes that web-1 can be created now, which was recently refused: event FailedCreate (7 times, \
             1m0s ago): create Pod web-1 in StatefulSet web failed error: exceeded quota",
            plan(&web(2).without("web-1"), "1.36").within(QUOTA),
            // It exists now, and the missing pod is another one.
            plan(&web(3).without("web-2"), "1.36").within(QUOTA),
        ),
        one(
            "STS033",
            "error statefulset/web: status says 2 pods, the input has 1",
            of_files(&web(2).without("web-1")),
            of_files(&web(2)),
        ),
        one(
            "STS034",
            "warning statefulset/web: spec.replica: unknown, did you mean replicas?: the field has no effect",
            Plan {
                unknown: vec![UnknownField {
                    path: "spec.replica".to_owned(),
                    since: None,
                    until: None,
                    meant: Some("replicas"),
                }],
                ..plan(&web(2), "1.36")
            },
            plan(&web(2), "1.36"),
        ),
        one(
            "STS045",
            "warning statefulset/web: kube-controller-manager owns spec.replicas since 2026-11-20T10:00:00Z and may \
             revert it",
            owned(&["spec.replicas"], "kube-controller-manager", "scale"),
            // kubectl's own fields belong to whoever types the next command.
            owned(&["spec.replicas"], "kubectl-edit", ""),
        ),
        one(
            "STS046",
            "warning statefulset/web: spec.minReadySeconds is not in the manifest but stays: kustomize-controller \
             uses server-side apply; plan with --server-side --field-manager kustomize-controller",
            kept(&["spec.minReadySeconds"]),
            kept(&[]),
        ),
        one(
            "STS044",
            "error statefulset/web: pods without an existing claim are never created: the API server refuses \
             claims with a metadata.resourceVersion (volumeClaimTemplates: data)",
            plan(
                &exported("4711").without("web-1").without_claim("data-web-1"),
                "1.36",
            ),
            plan(
                &exported("0").without("web-1").without_claim("data-web-1"),
                "1.36",
            ),
        ),
    ]
}

/// A plan that sets fields of this manager.
fn owned(paths: &[&str], manager: &str, subresource: &str) -> Plan {
    let set = vec![fields_of(paths, manager, subresource)];
    let ownership = Ownership {
        set,
        ..Ownership::default()
    };
    Plan {
        ownership,
        ..plan(&web(2), "1.36")
    }
}

/// A plan that keeps fields which the manifest no longer has.
fn kept(paths: &[&str]) -> Plan {
    let kept = vec![fields_of(paths, "kustomize-controller", "")];
    let ownership = Ownership {
        kept: kept.into_iter().filter(|it| !it.paths.is_empty()).collect(),
        ..Ownership::default()
    };
    Plan {
        ownership,
        ..plan(&web(2), "1.36")
    }
}

fn fields_of(paths: &[&str], manager: &str, subresource: &str) -> OwnedFields {
    OwnedFields {
        owner: FieldOwner {
            manager: manager.to_owned(),
            subresource: subresource.to_owned(),
            applied: subresource.is_empty(),
            since: Some("2026-11-20T10:00:00Z".to_owned()),
        },
        paths: paths.iter().map(ToString::to_string).collect(),
    }
}

/// A set whose claim template is a pasted exported claim.
fn exported(resource_version: &str) -> Scenario {
    let metadata = json!({"name": "data", "uid": "u", "resourceVersion": resource_version});
    let templates =
        json!([{"metadata": metadata, "spec": {"resources": {"requests": {"storage": "1Gi"}}}}]);
    web(2)
        .claims("data")
        .spec("volumeClaimTemplates", templates)
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

const RESTARTED_AT: &str = "spec.template.metadata.annotations[kubectl.kubernetes.io/restartedAt]";

const HPA: &str = "\
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: scaler}
spec: {minReplicas: 2, maxReplicas: 9, scaleTargetRef: {kind: StatefulSet, name: web}}
";

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

/// The node of all pods in the scenarios.
fn node(ready: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Node\nmetadata: {{name: node, labels: {{topology.kubernetes.io/zone: a}}}}\nstatus: \
         {{conditions: [{{type: Ready, status: '{ready}', reason: NodeStatusUnknown}}]}}\n"
    )
}

fn by_argo(scenario: Scenario) -> Scenario {
    scenario.metadata(
        "annotations",
        json!({"argocd.argoproj.io/tracking-id": "shop:apps/StatefulSet:default/web"}),
    )
}

#[test]
fn every_rule_fires_exactly_where_it_should() {
    let cases = cases();
    let known: BTreeSet<&str> = RULES.iter().map(|rule| rule.id.name()).collect();
    let mut tested: BTreeSet<&str> = cases.iter().map(|case| case.id).collect();
    tested.extend(foreseen::RULES);
    assert_eq!(known, tested, "each rule has a case");
    let mut wrong = Vec::new();
    for case in &cases {
        let expected = format!("{} {}", case.id, case.says);
        let fires = lines(&case.fires.iter().collect::<Vec<_>>());
        if !fires.iter().any(|line| line.starts_with(&expected)) {
            wrong.push(format!("{expected}\n  is not among {fires:#?}"));
        }
        let silent = lines(&case.silent.iter().collect::<Vec<_>>());
        if let Some(line) = silent.iter().find(|line| line.starts_with(case.id)) {
            wrong.push(format!("{} should be silent: {line}", case.id));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
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
fn other_findings() {
    let rolling = || web(3).rolling_to_v2();
    let says = |plan: Plan, expected: &str| {
        let lines = lines(&[&plan]);
        assert!(
            lines.iter().any(|line| line.contains(expected)),
            "{expected}\n  is not among {lines:#?}"
        );
    };
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
    says(
        plan(&on_nodes(["node-7", "node-7", "node-8"]), "1.36").within(NODES),
        "STS048 info statefulset/web: 2 of 3 members run on node node-7 (web-0, web-1): losing it loses quorum",
    );
    // The trap of k/k#67250, before and after the template was reverted.
    let broken = rolling().pod(pod("web-2").at("v2").crash_looping());
    says(
        never_ready("web-2", &broken, "1.36"),
        "STS002 warning pod/web-2: web-2 on",
    );
    let reverted = web(3)
        .revision(revision("v2", 2))
        .pod(pod("web-2").at("v2").crash_looping());
    says(
        never_ready("web-2", &reverted, "1.36"),
        "delete web-2 to continue the rollout",
    );
    // While its pods have their claims, an unusable claim template has no effect yet.
    says(
        plan(&exported("4711"), "1.36"),
        "STS044 warning statefulset/web: no new claim can be created",
    );
    // Tools that wait reject the strategy, however well the rollout goes.
    let recreate = rolling().spec("updateStrategy", json!({"type": "Recreate"}));
    says(
        plan(&recreate, "1.37.0 StatefulSetRecreateStrategy=true"),
        "STS027 info statefulset/web: kubectl rollout status does not support strategy Recreate",
    );
    // Only manual steps are left, in the safe order.
    says(
        plan(&rolling().on_delete(), "1.36"),
        "in this order, each when the previous one is ready: web-2, web-1, web-0",
    );
    // Only claims of deleted pods are left without a pod.
    let claims = web(2).claims("data");
    let deleted = |cascade| plan_after(vec![Action::DeleteSet(cascade)], &claims, "1.36");
    let orphaned = lines(&[&deleted(Cascade::Orphan)]);
    assert!(
        !orphaned.iter().any(|line| line.starts_with("STS003")),
        "{orphaned:#?}"
    );
    says(
        deleted(Cascade::Background),
        "STS003 info persistentvolumeclaim/data-web-0: 2 claims are kept without a pod",
    );
    // Of several refused pods, the first is reported.
    let parallel = web(3).without("web-0").without("web-1").parallel();
    let both = format!("{QUOTA}---\n{}", QUOTA.replace("web-1", "web-0"));
    let both = both.replacen("web.quota", "web.other", 1);
    says(
        plan(&parallel, "1.36").within(&both),
        "STS032 warning pod/web-0: the plan assumes that web-0 can be created now, which was recently refused: event FailedCreate (7 times, \
         1m0s ago): create Pod web-0 in StatefulSet web failed error: exceeded quota (and 1 more)",
    );
    // A version that is planned as the newest supported one gets no finding about that one.
    let done = web(1)
        .rolling_to_v2()
        .on_delete()
        .pod(pod("web-0").at("v2"));
    says(
        plan(&done, "1.36"),
        "STS012 warning statefulset/web: all pods are on",
    );
    let promoted = plan(&done, "1.37");
    assert!(
        findings(&promoted)
            .iter()
            .all(|found| found.id != RuleId::OnDelete)
    );
    // A field that the server does not store has no effect either.
    for (path, value, version, expected) in [
        (
            "spec.updateStrategy.rollingUpdate.maxUnavailable",
            json!("50%"),
            "1.36",
            "STS013 warning statefulset/web: maxUnavailable 50% has no effect in Kubernetes 1.36",
        ),
        (
            "spec.ordinals",
            json!({"start": 3}),
            "1.26",
            "STS030 warning statefulset/web: Kubernetes 1.26 drops ordinals because feature gate \
             StatefulSetStartOrdinal is off",
        ),
    ] {
        says(setting_in(&web(2), path, value, version), expected);
    }
    // A pod of the old revision uses the budget.
    let spent = rolling()
        .parallel()
        .max_unavailable(json!(1))
        .pod(pod("web-0").crash_looping());
    says(
        never_ready("web-0", &spent, "1.35.0"),
        "STS013 warning pod/web-0: web-0 on ",
    );
    says(
        plan(&web(1).history_limit(0), "1.36"),
        "STS018 info statefulset/web: revisionHistoryLimit is 0",
    );
    says(
        plan(&web(1).status("collisionCount", 2), "1.36"),
        "STS019 info statefulset/web: status.collisionCount is 2",
    );
    says(
        plan(&web(1).metadata("ownerReferences", json!([{"kind": "Elasticsearch", "name": "es", "uid": "u", "apiVersion": "e/v1", "controller": true}])), "1.36")
            .changing("spec.replicas", json!(1), json!(3), Effect::Scale),
        "STS020 warning statefulset/web: the set belongs to Elasticsearch es",
    );
    // Claims of pods that are scaled down, and those of a deleted set.
    says(
        plan(&web(2).claims("data").replicas(1), "1.36"),
        "STS003 info persistentvolumeclaim/data-web-1: 1 claim is kept without a pod: data-web-1",
    );
    says(
        plan_after(
            vec![Action::DeleteSet(Cascade::Background)],
            &web(2).claims("data"),
            "1.36",
        ),
        "STS003 info persistentvolumeclaim/data-web-0: 2 claims are kept without a pod: data-web-0, data-web-1",
    );
    says(
        plan(&web(2).start(1), "1.25"),
        "STS030 warning statefulset/web: ordinals.start 1 has no effect in Kubernetes 1.25",
    );
    says(
        plan(&web(2).min_ready(30), "1.21"),
        "STS014 warning statefulset/web: minReadySeconds 30 has no effect in Kubernetes 1.21",
    );
    says(
        plan(&web(1), "1.36")
            .within("apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {}\n"),
        "STS022 warning statefulset/web: Service web (spec.serviceName) is not in the input",
    );
}

#[test]
fn going_through_rolling_update_promotes_what_on_delete_leaves() {
    // The remedy of STS012: no pod is touched, and the status is correct.
    let done = web(3)
        .rolling_to_v2()
        .pod(pod("web-0").at("v2"))
        .pod(pod("web-1").at("v2"))
        .pod(pod("web-2").at("v2"));
    let left = plan(&done.clone().on_delete(), "1.36");
    assert_ne!(
        left.last.status.current_revision,
        left.last.status.update_revision
    );
    let mended = plan(&done, "1.36");
    assert!(!mended.touches_pods());
    assert_eq!(
        mended.last.status.current_revision,
        mended.last.status.update_revision
    );
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

/// The label of an ordinal that does not fit into 32 bits is invalid, however short the name is.
#[test]
fn a_label_that_is_invalid_for_another_reason_is_not_a_long_name() {
    let beyond = web(0).replicas(4).start(i64::from(i32::MAX) - 1).parallel();
    let plan = plan(&beyond, "1.36");
    let refused = plan.last.writes.iter();
    let mut refused = refused.filter_map(|write| write.refused.as_ref());
    assert!(refused.any(|refusal| refusal.to_string().contains("metadata.labels")));
    let lines = lines(&[&plan]);
    assert!(
        !lines.iter().any(|line| line.starts_with("STS009")),
        "{lines:#?}"
    );
}

/// Claims that an operator owns from the start survive an autoscaler's scale-down.
#[test]
fn an_autoscaler_threatens_only_claims_that_go_with_their_pods() {
    let threatened = |owners: Value| {
        let metadata = json!({"name": "data", "ownerReferences": owners});
        let templates = json!([{"metadata": metadata, "spec": {}}]);
        let set = web(3)
            .claims("data")
            .retention("Retain", "Delete")
            .spec("volumeClaimTemplates", templates);
        let lines = lines(&[&plan(&set, "1.36").within(HPA)]);
        lines
            .iter()
            .any(|line| line.contains("whenScaled: Delete deletes the claims"))
    };
    assert!(threatened(json!([])));
    let operator = json!({
        "apiVersion": "v1", "kind": "Elasticsearch", "name": "es", "uid": "uid-of-es", "controller": true,
    });
    assert!(!threatened(json!([operator])));
}
