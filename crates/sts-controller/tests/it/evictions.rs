//! The eviction API and `kubectl drain`: budgets counted like the disruption controller, retries, and nodes in turn.

use std::ops::ControlFlow;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use sts_controller::object::{Budget, Pod, Related, RelatedKind, Snapshot};
use sts_controller::simulate::{
    Action, BudgetClosure, Drain, DrainEnd, Drained, Drainee, Eviction, FirstInLine, GuardedBudget,
    Kubelet, NodeLoss, OtherPod, OtherPods, PodOwner, Population, ScheduledAction, StepAction,
    WaitsFor, World, drain, evict, follow,
};
use sts_controller::version::Behaviour;

use crate::scenario::{Scenario, behaviour, moment, pod, web};

fn budget_with(name: &str, spec: Value, status: Value) -> Arc<Budget> {
    let mut spec = spec;
    if spec["selector"].is_null() {
        spec["selector"] = json!({"matchLabels": {"app": "web"}});
    }
    let object = json!({
        "apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "namespace": "default"},
        "spec": spec, "status": status,
    });
    match RelatedKind::Budget.read(&object).unwrap() {
        Related::Budget(budget) => Arc::new(budget),
        other => panic!("{other:?}"),
    }
}

fn budget(spec: Value) -> Arc<Budget> {
    budget_with("guard", spec, json!({}))
}

/// Returns a set with pods on these nodes.
fn on(nodes: &[&str]) -> Scenario {
    let replicas = i64::try_from(nodes.len()).unwrap();
    let pods = nodes.iter().enumerate();
    pods.fold(web(replicas), |set, (ordinal, node)| {
        set.pod(pod(&format!("web-{ordinal}")).on_node(node))
    })
}

fn world(scenario: &Scenario, behaviour: &Behaviour) -> World {
    World::new(scenario.snapshot(behaviour), moment(), Kubelet::default())
}

fn drained(sets: &[&Scenario], nodes: &[&str], budgets: &[Arc<Budget>], version: &str) -> Drained {
    drained_beside(sets, Vec::new(), nodes, budgets, version)
}

/// The drain of nodes with pods of other owners as well.
fn drained_beside(
    sets: &[&Scenario],
    others: Vec<OtherPod>,
    nodes: &[&str],
    budgets: &[Arc<Budget>],
    version: &str,
) -> Drained {
    let usual = Kubelet::default();
    let mut others = OtherPods::new(others, moment(), usual.ready_after, usual.gone_after);
    let behaviour = behaviour(version);
    let mut drainees: Vec<Drainee<'_>> = sets
        .iter()
        .map(|scenario| Drainee {
            world: world(scenario, &behaviour),
            behaviour: &behaviour,
        })
        .collect();
    let read: Vec<&Snapshot> = drainees
        .iter()
        .map(|drainee| drainee.world.snapshot())
        .collect();
    let read = Population {
        sets: &read,
        others: &others,
    };
    let budgets = budgets.iter();
    let budgets: Vec<GuardedBudget> = budgets
        .map(|budget| GuardedBudget::new(Arc::clone(budget), read))
        .collect();
    let nodes: Vec<Arc<str>> = nodes.iter().map(|node| Arc::from(*node)).collect();
    let work = Drain {
        nodes: &nodes,
        budgets: &budgets,
        version: behaviour.version,
        now: moment(),
        first: FirstInLine::Sets,
        forced_after: None,
    };
    drain(&mut drainees, &mut others, work)
}

fn seconds(at: Timestamp) -> i64 {
    at.duration_since(moment()).as_secs()
}

/// Returns `pod@seconds` of each eviction, and the outcome.
fn outcome(drained: &Drained) -> (Vec<String>, String) {
    let evictions = drained.evictions.iter();
    let evictions = evictions.map(|step| format!("{}@{}", step.pod, seconds(step.at)));
    let end = match drained.end {
        DrainEnd::Done(at) => format!("done {}", seconds(at)),
        DrainEnd::Hangs(at) => format!("hangs {}", seconds(at)),
        DrainEnd::Fails(at) => format!("fails {}", seconds(at)),
        DrainEnd::Unknown(_) => "unknown".to_owned(),
    };
    (evictions.collect(), end)
}

#[test]
fn without_a_budget_all_pods_of_a_node_are_evicted_at_once() {
    let (evictions, end) = outcome(&drained(&[&on(&["a", "b", "a"])], &["a"], &[], "1.36"));
    assert_eq!(evictions, ["web-0@0", "web-2@0"]);
    assert_eq!(end, "done 5");
}

/// A pod is gone after 5s and ready 10s later: the first retry after that is granted.
#[test]
fn a_budget_allows_one_eviction_at_a_time() {
    let all = on(&["a", "a", "a"]);
    for spec in [
        json!({"maxUnavailable": 1}),
        json!({"minAvailable": 2}),
        json!({"maxUnavailable": "30%"}),
        json!({"minAvailable": "50%"}),
    ] {
        let found = drained(&[&all], &["a"], &[budget(spec.clone())], "1.36");
        let (evictions, end) = outcome(&found);
        assert_eq!(evictions, ["web-0@0", "web-1@15", "web-2@30"], "{spec}");
        assert_eq!(end, "done 35", "{spec}");
        let refused: Vec<usize> = found.evictions.iter().map(|step| step.refused).collect();
        assert_eq!(refused[0], 0);
        assert!(refused[1] > 0 && refused[2] > refused[1], "{refused:?}");
    }
}

#[test]
fn a_budget_that_allows_nothing_hangs_the_drain() {
    for spec in [
        json!({"maxUnavailable": 0}),
        json!({"minAvailable": 2}),
        json!({"minAvailable": "100%"}),
        json!({"minAvailable": "51%"}),
    ] {
        let found = drained(&[&on(&["a", "b"])], &["a"], &[budget(spec.clone())], "1.36");
        assert_eq!(outcome(&found), (vec![], "hangs 0".to_owned()), "{spec}");
        let stranded = &found.stranded[0];
        assert_eq!(&*stranded.pod, "web-0");
        let WaitsFor::Budget(name, count) = &stranded.waits_for else {
            panic!("{stranded:?}");
        };
        assert_eq!((&**name, count.desired, count.current), ("guard", 2, 2));
    }
}

/// A budget that another pod has used up protects this pod until the other is ready.
#[test]
fn a_budget_counts_pods_that_the_rollout_has_down() {
    let rolling = on(&["a", "b", "c"]).rolling_to_v2();
    let found = drained(
        &[&rolling],
        &["a"],
        &[budget(json!({"maxUnavailable": 1}))],
        "1.36",
    );
    // The rollout replaces web-2, then web-1, then web-0 itself. The drain gets its turn in between.
    let (evictions, end) = outcome(&found);
    assert_eq!(evictions.len(), 1, "{evictions:?}");
    assert!(end.starts_with("done"), "{end}");
    assert_ne!(evictions[0], "web-0@0");
}

#[test]
fn two_budgets_on_a_pod_fail_the_drain() {
    let budgets = [
        budget(json!({"maxUnavailable": 1})),
        budget_with("other", json!({"maxUnavailable": 1}), json!({})),
    ];
    let found = drained(&[&on(&["a", "b"])], &["a", "b"], &budgets, "1.36");
    assert_eq!(outcome(&found), (vec![], "fails 0".to_owned()));
    let WaitsFor::SeveralBudgets(names) = &found.stranded[0].waits_for else {
        panic!("{found:?}");
    };
    assert_eq!(names.len(), 2);
    assert!(found.nodes.is_empty(), "both nodes have such a pod");
}

#[test]
fn an_unready_pod_is_evicted_if_budget_or_policy_allow() {
    let behaviour = behaviour("1.36");
    let answer = |scenario: &Scenario, spec: Value, version: &str| {
        let world = world(scenario, &behaviour);
        let others = OtherPods::default();
        let population = Population {
            sets: &[world.snapshot()],
            others: &others,
        };
        let guarded = GuardedBudget::new(budget(spec), population);
        let version = version.parse().unwrap();
        let pod = &world.snapshot().pods["web-0"];
        evict(pod, "default", &[guarded], population, version)
    };
    let one_down = on(&["a", "b", "c"]).pod(pod("web-0").crash_looping());
    let two_down = one_down.clone().pod(pod("web-1").crash_looping());
    let bound = json!({"minAvailable": 2});
    assert_eq!(answer(&one_down, bound.clone(), "1.36"), Eviction::Deletes);
    let refused = |answer: Eviction| matches!(answer, Eviction::Refused { .. });
    assert!(refused(answer(&two_down, bound.clone(), "1.36")));
    let always = json!({"minAvailable": 2, "unhealthyPodEvictionPolicy": "AlwaysAllow"});
    assert_eq!(answer(&two_down, always.clone(), "1.27"), Eviction::Deletes);
    assert!(refused(answer(&two_down, always, "1.26")));
    // A budget that requires no healthy pod does not allow the eviction by being met.
    let nobody = json!({"minAvailable": 0, "maxUnavailable": null});
    assert!(!refused(answer(&two_down, nobody, "1.36")));
    // A pending pod has never served.
    let pending = two_down.pod(pod("web-0").pending());
    assert_eq!(answer(&pending, bound, "1.36"), Eviction::Deletes);
}

/// Two sets under one budget never have two pods down, whichever set they belong to.
#[test]
fn a_budget_may_cover_several_sets() {
    let web = on(&["a", "b"]);
    let api = Scenario::clone(&on(&["a", "b"]));
    let guard = budget(json!({"maxUnavailable": 1}));
    let found = drained(&[&web, &api], &["a"], &[guard], "1.36");
    let (evictions, end) = outcome(&found);
    assert_eq!(evictions, ["web-0@0", "web-0@15"]);
    assert_eq!(end, "done 20");
}

/// The status of a budget counts pods that are in no world.
#[test]
fn other_pods_count_according_to_the_status() {
    let behaviour = behaviour("1.36");
    let world = world(&on(&["a", "b"]), &behaviour);
    let status = json!({"expectedPods": 5, "currentHealthy": 4, "disruptionsAllowed": 0, "desiredHealthy": 4});
    let others = OtherPods::default();
    let population = Population {
        sets: &[world.snapshot()],
        others: &others,
    };
    let guarded = GuardedBudget::new(
        budget_with("guard", json!({"maxUnavailable": 1}), status),
        population,
    );
    let count = guarded.count(population);
    assert_eq!(
        (count.expected, count.desired, count.current, count.allowed),
        (5, 4, 4, 0)
    );
}

#[test]
fn nodes_are_drained_one_by_one() {
    let found = drained(
        &[&on(&["a", "b", "a"])],
        &["b", "a"],
        &[budget(json!({"maxUnavailable": 1}))],
        "1.36",
    );
    let (evictions, end) = outcome(&found);
    assert_eq!(evictions[0], "web-1@0");
    let nodes: Vec<(&str, i64)> = found
        .nodes
        .iter()
        .map(|(node, at)| (&**node, seconds(*at)))
        .collect();
    assert_eq!(nodes[0], ("b", 5));
    assert_eq!(evictions.len(), 3);
    assert!(end.starts_with("done"), "{end}");
}

#[test]
fn a_pod_that_never_terminates_hangs_the_drain() {
    let stuck = on(&["a", "b"]).pod(pod("web-0").on_node("a").finalizer("example.com/keep"));
    let found = drained(&[&stuck], &["a"], &[], "1.36");
    assert_eq!(outcome(&found).1, "hangs 0");
    assert_eq!(found.stranded[0].waits_for, WaitsFor::Termination);
}

/// Scheduled actions happen at their time, after the events of the same time, and never twice.
#[test]
fn scheduled_actions_happen_on_time() {
    let behaviour = behaviour("1.36");
    let at = |seconds: i64| moment() + SignedDuration::from_secs(seconds);
    let agenda = [
        (40, Action::LosePod("web-1".into())),
        (7, Action::EvictPod("web-0".into())),
    ];
    let agenda = agenda.map(|(seconds, action)| ScheduledAction {
        at: at(seconds),
        action,
    });
    let world = world(&web(2), &behaviour).with_agenda(agenda);
    let mut seen = Vec::new();
    follow(world, &behaviour, &mut |_, steps| {
        for step in steps {
            if let StepAction::Object(actor, event, name) = &step.action {
                seen.push(format!(
                    "{} {} {event:?} {name}",
                    seconds(step.at),
                    actor.name()
                ));
            }
        }
        ControlFlow::Continue(())
    });
    assert_eq!(
        seen,
        [
            "7 eviction-api PodDeleted web-0",
            "40 node-lifecycle PodNotReady web-1",
        ]
    );
}

/// A timer of a pod ends with the pod: another one of its name is another pod.
#[test]
fn a_timer_ends_with_its_pod() {
    let behaviour = behaviour("1.36");
    let at = |seconds: i64| moment() + SignedDuration::from_secs(seconds);
    let uid = Arc::clone(&world(&web(1), &behaviour).snapshot().pods["web-0"].meta.uid);
    let deletion = |seconds: i64| ScheduledAction {
        at: at(seconds),
        action: Action::OfPod {
            name: "web-0".into(),
            uid: Arc::clone(&uid),
            action: Box::new(Action::TaintEvictPod("web-0".into())),
        },
    };
    let world = world(&web(1), &behaviour)
        .with_agenda([deletion(7)])
        .with_more_on_agenda([deletion(200)]);
    let mut seen = Vec::new();
    follow(world, &behaviour, &mut |_, steps| {
        let deleted = steps
            .iter()
            .filter(|step| matches!(step.action, StepAction::Object(..)));
        seen.extend(deleted.map(|step| seconds(step.at)));
        ControlFlow::Continue(())
    });
    assert_eq!(seen, [7]);
}

/// The pod of a ReplicaSet on a node that does not respond is replaced once taint eviction deletes it, and stays
/// terminating itself.
#[test]
fn pods_of_other_owners_are_lost_with_their_node() {
    let kind = Some(("apps/v1", "ReplicaSet"));
    let lost = || {
        vec![
            other("api-0", kind, "dead", true),
            other("api-1", kind, "a", true),
        ]
    };
    let at = |seconds: i64| Some(moment() + SignedDuration::from_secs(seconds));
    let usual = Kubelet::default();
    let run = |loss: NodeLoss, node: &str| {
        let mut others = OtherPods::new(lost(), moment(), usual.ready_after, usual.gone_after);
        others.lose(0, loss);
        let budgets = [GuardedBudget::new(
            budget(json!({"maxUnavailable": 1})),
            Population {
                sets: &[],
                others: &others,
            },
        )];
        let nodes: [Arc<str>; 1] = [node.into()];
        drain(
            &mut [],
            &mut others,
            Drain {
                nodes: &nodes,
                budgets: &budgets,
                version: "1.36".parse().unwrap(),
                now: moment(),
                first: FirstInLine::Sets,
                forced_after: None,
            },
        )
    };
    let loss = NodeLoss {
        unready: at(0),
        deleted: at(100),
        gone: None,
        is_silent: true,
    };
    // The budget waits for the replacement, which needs ten seconds.
    assert_eq!(outcome(&run(loss, "a")).1, "done 115");
    let for_ever = NodeLoss {
        deleted: None,
        ..loss
    };
    assert_eq!(outcome(&run(for_ever, "a")).1, "hangs 0");
    // Nothing terminates on the dead node, until garbage collection removes it.
    let dead = NodeLoss {
        unready: None,
        ..loss
    };
    assert_eq!(outcome(&run(dead, "dead")).1, "hangs 0");
    let collected = NodeLoss {
        gone: at(120),
        ..loss
    };
    let found = run(collected, "dead");
    assert!(matches!(found.end, DrainEnd::Done(_)), "{found:?}");
}

/// Returns a pod of `default` on a node, with a controller of this kind, or none.
fn other(name: &str, kind: Option<(&str, &str)>, node: &str, ready: bool) -> OtherPod {
    let mut object = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", "uid": format!("uid-{name}"), "labels": {"app": "web"}},
        "spec": {"nodeName": node, "containers": [{"name": "app", "image": "app:1"}]},
        "status": {"phase": "Running", "conditions": [
            {"type": "Ready", "status": if ready { "True" } else { "False" }}
        ]},
    });
    if let Some((version, kind)) = kind {
        object["metadata"]["ownerReferences"] = json!([
            {"apiVersion": version, "kind": kind, "name": "pool", "uid": "uid-pool", "controller": true}
        ]);
    }
    let pod = Arc::new(Pod::from_json(object).unwrap());
    OtherPod {
        owner: PodOwner::of(&pod),
        pod,
        returns: true,
    }
}

const REPLICA_SET: Option<(&str, &str)> = Some(("apps/v1", "ReplicaSet"));

/// A budget that covers only a pod of a Deployment hangs the drain of its node.
#[test]
fn a_budget_of_others_hangs_the_drain() {
    let api = json!({"maxUnavailable": 0, "selector": {"matchLabels": {"app": "web"}}});
    let found = drained_beside(
        &[],
        vec![
            other("pool-0", REPLICA_SET, "a", true),
            other("pool-1", REPLICA_SET, "b", true),
        ],
        &["a"],
        &[budget(api)],
        "1.36",
    );
    assert_eq!(outcome(&found).1, "hangs 0");
    assert_eq!(
        (found.stranded[0].set, &*found.stranded[0].pod),
        (None, "pool-0")
    );
}

/// A pod of a ReplicaSet is replaced when it terminates, one of a StatefulSet when it is gone, and one of nobody never.
#[test]
fn other_pods_share_a_budget_and_come_back_as_their_owners_do() {
    let sets = on(&["a", "b"]);
    let guard = || [budget(json!({"maxUnavailable": 1}))];
    let with = |kind| {
        let others = vec![
            other("pool-0", kind, "a", true),
            other("pool-1", kind, "b", true),
        ];
        drained_beside(&[&sets], others, &["a"], &guard(), "1.36")
    };
    let (evictions, end) = outcome(&with(REPLICA_SET));
    assert_eq!(evictions, ["web-0@0", "pool-0@15"]);
    assert_eq!(end, "done 20");
    assert_eq!(with(REPLICA_SET).contests.len(), 1);
    // Two evictions from node a, and then from node b.
    let both = |kind| {
        let others = vec![
            other("pool-0", kind, "a", true),
            other("pool-1", kind, "b", true),
        ];
        outcome(&drained_beside(&[], others, &["a", "b"], &guard(), "1.36"))
    };
    // The replacement is created at 0s, and ready at 10s.
    assert_eq!(both(REPLICA_SET).0, ["pool-0@0", "pool-1@10"]);
    // It is created at 5s, and ready at 15s.
    assert_eq!(
        both(Some(("apps/v1", "StatefulSet"))).0,
        ["pool-0@0", "pool-1@15"]
    );
    // Pods of nobody are not part of the scale that the budget counts: it expects no pod.
    assert_eq!(both(None).1, "hangs 0");
    let least = || [budget(json!({"minAvailable": 1}))];
    let bare = vec![
        other("pool-0", None, "a", true),
        other("pool-1", None, "b", true),
    ];
    let (evictions, end) = outcome(&drained_beside(&[], bare, &["a", "b"], &least(), "1.36"));
    assert_eq!((evictions.len(), end.as_str()), (1, "hangs 5"));
}

/// The pods of DaemonSets and of the kubelet stay.
#[test]
fn kubectl_ignores_daemon_sets_and_static_pods() {
    let others = vec![
        other("agent", Some(("apps/v1", "DaemonSet")), "a", true),
        other("proxy", Some(("v1", "Node")), "a", true),
    ];
    let found = drained_beside(&[], others, &["a"], &[], "1.36");
    assert_eq!(outcome(&found), (vec![], "done 0".to_owned()));
}

/// The status of the budget counts no pod that is unready, and neither does a budget without a status.
#[test]
fn a_budget_without_a_status_counts_the_pods_of_others() {
    let others = vec![
        other("pool-0", REPLICA_SET, "b", false),
        other("pool-1", REPLICA_SET, "b", true),
    ];
    let sets = on(&["a", "b", "b"]);
    let guard = [budget(json!({"maxUnavailable": 1}))];
    let found = drained_beside(&[&sets], others, &["a"], &guard, "1.36");
    assert_eq!(outcome(&found).1, "hangs 0");
    let WaitsFor::Budget(_, count) = &found.stranded[0].waits_for else {
        panic!("{found:?}");
    };
    assert_eq!((count.expected, count.desired, count.current), (5, 4, 4));
}

/// A controller that cannot count, and a status that allows nothing, refuse every eviction.
#[test]
fn a_closed_budget_hangs_the_drain() {
    let sets = on(&["a", "b", "b"]);
    let status = |more: Value| {
        let mut status = json!({"expectedPods": 3, "currentHealthy": 3, "desiredHealthy": 2,
            "disruptionsAllowed": 0, "observedGeneration": 1});
        status
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        budget_with("guard", json!({"maxUnavailable": 1}), status)
    };
    let condition = json!({"conditions": [{"type": "DisruptionAllowed", "status": "False",
        "reason": "SyncFailed", "message": "no scale"}]});
    let why = |budget: Arc<Budget>, others: Vec<OtherPod>| {
        let found = drained_beside(&[&sets], others, &["a"], &[budget], "1.36");
        assert_eq!(outcome(&found).1, "hangs 0");
        match found.stranded[0].waits_for.clone() {
            WaitsFor::ClosedBudget(_, why) => why,
            other => panic!("{other:?}"),
        }
    };
    let failed = BudgetClosure::SyncFailed(Arc::from("no scale"));
    assert_eq!(why(status(condition), Vec::new()), failed);
    assert_eq!(why(status(json!({})), Vec::new()), BudgetClosure::Status);
    let job = vec![other("backup", Some(("batch/v1", "Job")), "b", true)];
    let open = budget(json!({"maxUnavailable": 1}));
    assert!(matches!(why(open, job), BudgetClosure::SyncFailed(_)));
}

/// kubectl goes on with the next node after an error, and fails in the end.
#[test]
fn a_failed_node_does_not_keep_the_next_one() {
    let budgets = [
        budget_with(
            "one",
            json!({"maxUnavailable": 1, "selector": {"matchLabels": {"statefulset.kubernetes.io/pod-name": "web-0"}}}),
            json!({}),
        ),
        budget_with(
            "two",
            json!({"maxUnavailable": 1, "selector": {"matchLabels": {"statefulset.kubernetes.io/pod-name": "web-0"}}}),
            json!({}),
        ),
    ];
    let found = drained(&[&on(&["a", "b", "c"])], &["a", "b"], &budgets, "1.36");
    let (evictions, end) = outcome(&found);
    assert_eq!(evictions, ["web-1@0"]);
    assert_eq!(end, "fails 5");
    assert_eq!(found.nodes.len(), 1);
}
