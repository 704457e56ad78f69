//! A remedy helps: the commands of each are executed on the objects at the end of a blocked plan.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::json;
use sts_controller::controller::list_revisions;
use sts_controller::object::{
    IntOrPercent, Phase, Pod, Related, RelatedKind, RelatedObjects, Retention, RetentionPolicy,
    Revision, Snapshot, Strategy,
};
use sts_controller::simulate::{Action, Assumption, Cascade, Start};
use sts_controller::version::Behaviour;
use sts_plan::explain::{evidence, remedy_text};
use sts_plan::plan::{Outcome, Plan};
use sts_plan::remedy::{RemedyAction, TrialOutcome};
use sts_plan::report::ReportRemedy;

use crate::scenario::{SET_UID, Scenario, claim, plan_assuming, pod, revision, web};

const NEVER_READY: Assumption = Assumption {
    start: Start::NeverReady,
    never_gone: false,
    ready_after: None,
    gone_after: None,
    broken_on: None,
    keeps_foreseen: false,
    stays: None,
    stays_unready: None,
    fails_now: false,
};
const NEVER_GONE: Assumption = Assumption {
    start: Start::Ready,
    never_gone: true,
    ..NEVER_READY
};

/// Applies a command to a snapshot, or returns what must be done to the world.
fn apply_command(command: &str, snapshot: &mut Snapshot, behaviour: &Behaviour) -> Option<Action> {
    let words: Vec<&str> = command.split(' ').collect();
    let set = |snapshot: &mut Snapshot, change: &dyn Fn(&mut sts_controller::object::Set)| {
        let set = Arc::make_mut(&mut snapshot.set);
        change(set);
        // On any change, the server fills in fields that a set from before the gate lacks.
        set.retention.get_or_insert(RetentionPolicy {
            when_deleted: Retention::Retain,
            when_scaled: Retention::Retain,
        });
        set.generation += 1;
    };
    match words.as_slice() {
        ["kubectl", "describe" | "logs" | "get" | "edit", ..] => {}
        ["kubectl", "create", "serviceaccount", ..] => {}
        ["kubectl", "delete", "pod", pod, rest @ ..] => {
            return Some(if rest.contains(&"--force") {
                Action::ForceDeletePod(Arc::from(*pod))
            } else {
                Action::DeletePod(Arc::from(*pod))
            });
        }
        // Every pod of the scenarios is on one node.
        ["kubectl", "taint", "nodes", ..] => {
            let going = snapshot.pods.values().find(|pod| pod.is_terminating());
            return going.map(|pod| Action::ForceDeletePod(Arc::clone(&pod.meta.name)));
        }
        ["kubectl", "rollout", "undo", "sts/web", number, ..] => {
            let number: i64 = number
                .strip_prefix("--to-revision=")
                .unwrap()
                .parse()
                .unwrap();
            let listed = list_revisions(snapshot, behaviour);
            let revisions: Vec<_> = listed.into_iter().map(Arc::clone).collect();
            let revision =
                sts_controller::apiserver::apply::revision_to_restore(&revisions, number).unwrap();
            let template = revision.template().unwrap();
            set(snapshot, &|set| set.template = Arc::clone(template));
        }
        ["kubectl", "apply", ..] => set(snapshot, &|set| {
            let mut template = (*set.template).clone();
            template["spec"]["containers"][0]["image"] = json!("app:works");
            set.template = Arc::new(template);
        }),
        ["kubectl", "label", "pod", pod, label, ..] => {
            let (key, value) = label.split_once('=').unwrap();
            let pod = snapshot.pods.get_mut(*pod).unwrap();
            let labels = &mut Arc::make_mut(pod).meta.labels;
            Arc::make_mut(labels).insert(Arc::from(key), Arc::from(value));
        }
        ["kubectl", "delete", "controllerrevision", revision, ..] => {
            snapshot.revisions.remove(*revision);
        }
        ["kubectl", "delete", "pvc", claim, ..] => {
            snapshot.claims.remove(*claim);
        }
        ["kubectl", "patch", "pvc", claim, "--type", "json", ..] => {
            let at: usize = command
                .split("ownerReferences/")
                .nth(1)
                .unwrap()
                .split('"')
                .next()
                .unwrap()
                .parse()
                .unwrap();
            let stored = &snapshot.claims[*claim];
            let mut owners = stored.meta.owner_references.to_vec();
            owners.remove(at);
            let released = Arc::new(stored.with_owners(owners));
            snapshot.claims.insert(Arc::from(*claim), released);
        }
        ["kubectl", "patch", "pod", pod, ..] if command.contains("finalizers\":null") => {
            return Some(Action::DropPodFinalizers(Arc::from(*pod)));
        }
        ["kubectl", "patch", "sts", "web", ..] if command.contains("finalizers\":null") => {
            return Some(Action::DropFinalizers);
        }
        ["kubectl", "patch", "sts", "web", ..] => {
            let number = |field: &str| -> Option<i32> {
                let rest = command.split(&format!("\"{field}\":")).nth(1)?;
                rest.split('}').next()?.parse().ok()
            };
            let (partition, most) = (number("partition"), number("maxUnavailable"));
            let retain = command.contains("Retain");
            assert!(partition.or(most).is_some() || retain, "{command}");
            set(snapshot, &|set| {
                if retain {
                    set.retention = Some(RetentionPolicy {
                        when_deleted: Retention::Retain,
                        when_scaled: Retention::Retain,
                    });
                }
                if let Strategy::RollingUpdate(block) = &mut set.strategy {
                    let block = block.get_or_insert_default();
                    block.partition = partition.or(block.partition);
                    if let Some(most) = most {
                        block.max_unavailable = Some(IntOrPercent::Int(most.into()));
                    }
                }
            });
        }
        ["kubectl", "delete", "node", ..] => {
            let pod = snapshot.pods.values().find(|pod| pod.is_terminating());
            return Some(Action::ForceDeletePod(Arc::clone(&pod.unwrap().meta.name)));
        }
        _ => panic!("{command:?} is unknown to this test"),
    }
    None
}

/// Returns true if a pod is broken by a missing claim, and so is no longer broken once it is recreated.
fn lacks_claim(plan: &Plan, pod: &Pod) -> bool {
    let snapshot = plan.progression.world.snapshot();
    let conditions = &plan.conditions;
    if conditions.assumptions.contains_key(&*pod.meta.name) {
        return false;
    }
    let unplaced = pod
        .trouble
        .as_ref()
        .is_some_and(|trouble| trouble.is_unplaced());
    unplaced && !snapshot.missing_claims(pod).is_empty()
}

/// Returns true if the objects show that only the pod is broken, not its revision: other pods of that revision are
/// ready.
fn is_alone(plan: &Plan, pod: &Pod) -> bool {
    let mut siblings = plan.progression.world.snapshot().pods.values();
    pod.trouble.is_some()
        && !plan.conditions.assumptions.contains_key(&*pod.meta.name)
        && siblings.any(|other| {
            other.meta.name != pod.meta.name
                && other.revision == pod.revision
                && other.is_running_and_ready()
        })
}

/// Returns true if a command creates or completes the missing object that these words name.
fn provides(command: &str, words: &str) -> bool {
    let typed: Vec<&str> = command.split(' ').collect();
    match typed.as_slice() {
        ["kubectl", "create", "serviceaccount", name, "-n", "default"] => {
            words.contains(&format!("serviceaccount \"{name}\" not found"))
        }
        ["kubectl", "edit", "secret", name, "-n", "default"] => {
            words.ends_with(&format!(" in Secret default/{name}"))
        }
        _ => false,
    }
}

/// Returns true if the plan completes when the commands are executed one after the other. A pod is deleted when the set
/// is stuck, the first one at once. Pods in `mended` become ready after all, and are created.
pub fn completes_with(plan: &Plan, commands: &[String], mended: Option<&str>) -> bool {
    let mut snapshot = plan.progression.world.snapshot().clone();
    let mut conditions = plan.conditions.clone();
    conditions.now = plan.progression.world.now();
    let is_provided = |words: &str| commands.iter().any(|command| provides(command, words));
    // A creation that was refused for a missing object is no longer refused once the object exists.
    let mut events = RelatedObjects::default();
    for event in plan.related.events("default", "StatefulSet", "web") {
        if mended.is_none() && !is_provided(&event.message) {
            events.insert(Related::Event((**event).clone()));
        }
    }
    if !plan
        .related
        .events("default", "StatefulSet", "web")
        .is_empty()
    {
        conditions.related = Arc::new(events);
    }
    let lacking = snapshot.pods.values().find(|pod| {
        let trouble = pod.trouble.as_ref();
        trouble.is_some_and(|trouble| is_provided(&trouble.message))
    });
    let provided = lacking.map(|pod| pod.meta.name.to_string());
    let mended = mended.or(provided.as_deref());
    // A pod is broken by its revision, unless it is mended. A pod that never terminates is alone in this.
    for pod in snapshot.pods.values() {
        let name = &pod.meta.name;
        let finished = matches!(pod.phase, Phase::Failed | Phase::Succeeded);
        if pod.is_terminating() {
            let assumption = conditions.assumptions.entry(name.to_string()).or_default();
            assumption.never_gone = false;
            assumption.stays = (mended != Some(&**name)).then(|| Arc::clone(&pod.meta.uid));
        } else if !pod.is_running_and_ready() && !finished && !lacks_claim(plan, pod) {
            if is_alone(plan, pod) && mended != Some(&**name) {
                continue;
            }
            let assumption = conditions.assumptions.entry(name.to_string()).or_default();
            if assumption.start == Start::NeverReady {
                assumption.start = Start::Ready;
            }
            assumption.broken_on = (mended != Some(&**name)).then(|| Arc::clone(&pod.revision));
        }
    }
    let mut actions: Vec<Action> = Vec::new();
    let anew = |command: &String| command.starts_with("kubectl delete sts web --cascade=orphan");
    if commands.iter().any(anew) {
        // The new set is the old one except for the immutable field and what the API server defaults, and adopts its
        // pods.
        let set = Arc::make_mut(&mut snapshot.set);
        set.revision_history_limit = 10;
        if plan
            .conditions
            .behaviour
            .defaulting
            .retention_policy_defaulted
        {
            set.retention.get_or_insert(RetentionPolicy {
                when_deleted: Retention::Retain,
                when_scaled: Retention::Retain,
            });
        }
        set.generation += 1;
    }
    // That set is then applied.
    for command in commands.iter().filter(|_| !commands.iter().any(anew)) {
        actions.extend(apply_command(
            command,
            &mut snapshot,
            &plan.conditions.behaviour,
        ));
    }
    let mut later = actions.split_off(actions.len().min(1)).into_iter();
    loop {
        let plan = Plan::with_actions(actions, snapshot, conditions.clone());
        if let Outcome::Complete = plan.outcome {
            return true;
        }
        let Some(next) = later.next() else {
            return false;
        };
        snapshot = plan.progression.world.snapshot().clone();
        conditions.now = plan.progression.world.now();
        actions = vec![next];
    }
}

/// Compares every remedy of a blocked plan with the result of its commands. Returns the remedies, one per line.
#[track_caller]
fn remedies(plan: &Plan) -> Vec<String> {
    let Outcome::Blocked(obstacles) = &plan.outcome else {
        panic!("not blocked but {:?}", plan.outcome)
    };
    let mut lines = Vec::new();
    for (obstacle, remedies) in obstacles.iter().zip(plan.remedies(5)) {
        for remedy in remedies {
            let ReportRemedy {
                commands,
                effect,
                helps,
                completes_after_seconds,
                looks,
                ..
            } = remedy_text(plan, &remedy);
            let mended = looks.then(|| &*obstacle.pod().unwrap().meta.name);
            let completes = matches!(remedy.trial.verdict, TrialOutcome::Completes);
            assert_eq!(
                completes_with(plan, &commands, mended),
                completes,
                "{commands:?}: {effect}"
            );
            assert_eq!(completes_after_seconds.is_some(), completes);
            assert_eq!(effect.starts_with("does not help"), !helps, "{effect}");
            let word = match (completes, helps) {
                (true, _) => "completes",
                (false, true) => "goes on",
                (false, false) => "useless",
            };
            let commands: Vec<&str> = commands
                .iter()
                .map(|command| {
                    let command = command.strip_prefix("kubectl ").unwrap();
                    command.strip_suffix(" -n default").unwrap_or(command)
                })
                .collect();
            lines.push(format!("{word}: {}", commands.join(" && ")));
        }
    }
    lines
}

#[track_caller]
fn check(
    assumed: &[(&str, Assumption)],
    scenario: &Scenario,
    version: &str,
    expected: &[&str],
) -> Plan {
    let plan = plan_assuming(assumed, Vec::new(), scenario, version);
    assert_eq!(remedies(&plan), expected);
    plan
}

#[test]
fn a_revert_alone_does_not_help_a_pod_that_the_set_waits_for() {
    // k/k#67250: the broken pod has the revision of the template.
    check(
        &[("web-2", NEVER_READY)],
        &web(3).rolling_to_v2(),
        "1.36",
        &[
            "completes: describe pod web-2",
            "useless: delete pod web-2",
            "useless: rollout undo sts/web --to-revision=1",
            "completes: rollout undo sts/web --to-revision=1 && delete pod web-2",
            "useless: apply -f FILE",
            "completes: apply -f FILE && delete pod web-2",
        ],
    );
}

/// The stored set breaks a rule, so the server rejects every update of it, whatever it changes.
#[test]
fn rejected_changes_are_no_remedy() {
    let world = web(3).rolling_to_v2().spec("minReadySeconds", json!(-1));
    check(
        &[("web-2", NEVER_READY)],
        &world,
        "1.36",
        &["completes: describe pod web-2", "useless: delete pod web-2"],
    );
}

#[test]
fn after_the_revert_the_broken_pod_has_to_be_deleted() {
    let world = web(3)
        .revision(revision("v2", 2))
        .without("web-2")
        .pod(pod("web-2").at("v2").not_ready());
    check(
        &[("web-2", NEVER_READY)],
        &world,
        "1.36",
        &[
            "completes: describe pod web-2",
            "completes: delete pod web-2",
        ],
    );
}

#[test]
fn a_first_rollout_that_never_gets_ready_needs_another_template() {
    let world = web(2).without("web-0").without("web-1").no_revisions();
    check(
        &[("web-0", NEVER_READY)],
        &world,
        "1.36",
        &[
            "completes: describe pod web-0",
            "useless: delete pod web-0",
            "useless: apply -f FILE",
            "completes: apply -f FILE && delete pod web-0",
        ],
    );
}

#[test]
fn a_parallel_set_needs_the_revert_alone() {
    check(
        &[("web-2", NEVER_READY)],
        &web(3).parallel().rolling_to_v2(),
        "1.33",
        &[
            "completes: describe pod web-2",
            "useless: delete pod web-2",
            "completes: rollout undo sts/web --to-revision=1",
            "completes: apply -f FILE",
        ],
    );
}

#[test]
fn a_budget_used_by_a_broken_pod_needs_both() {
    // k/k#137409: with the gate on, the broken pod counts toward maxUnavailable.
    check(
        &[("web-2", NEVER_READY)],
        &web(3).parallel().rolling_to_v2(),
        "1.35.1",
        &[
            "completes: describe pod web-2",
            "useless: delete pod web-2",
            "useless: rollout undo sts/web --to-revision=1",
            "completes: rollout undo sts/web --to-revision=1 && delete pod web-2",
            "useless: apply -f FILE",
            "completes: apply -f FILE && delete pod web-2",
        ],
    );
}

#[test]
fn a_pod_below_the_partition_comes_back_unchanged() {
    let world = web(3)
        .rolling_to_v2()
        .partition(2)
        .without("web-0")
        .pod(pod("web-0").not_ready());
    check(
        &[("web-0", NEVER_READY)],
        &world,
        "1.36",
        &[
            "completes: describe pod web-0",
            "useless: delete pod web-0",
            "completes: patch sts web --type merge -p \
             '{\"spec\":{\"updateStrategy\":{\"rollingUpdate\":{\"partition\":0}}}}' && delete pod web-0",
        ],
    );
}

#[test]
fn nodes_of_pods_that_never_terminate_are_looked_at_first() {
    let world = web(3).without("web-1").pod(pod("web-1").terminating());
    check(
        &[("web-1", NEVER_GONE)],
        &world,
        "1.36",
        &["completes: describe pod web-1 && describe node node"],
    );
    // The same if it blocks a scale-down.
    let world = web(3)
        .replicas(1)
        .without("web-2")
        .pod(pod("web-2").terminating());
    check(
        &[("web-2", NEVER_GONE)],
        &world,
        "1.36",
        &["completes: describe pod web-2 && describe node node"],
    );
}

#[test]
fn scaling_down_past_unhealthy_pods() {
    // Quirk Q19: the highest pod is deleted while not ready only if no lower pod is unhealthy.
    let world = web(4)
        .replicas(1)
        .without("web-1")
        .without("web-3")
        .pod(pod("web-1").not_ready())
        .pod(pod("web-3").not_ready());
    check(
        &[("web-1", NEVER_READY), ("web-3", NEVER_READY)],
        &world,
        "1.36",
        &[
            "completes: describe pod web-3",
            "completes: delete pod web-3",
            "completes: delete pod web-1",
        ],
    );
}

#[test]
fn a_name_that_is_taken() {
    let world = web(2)
        .without("web-1")
        .pod(pod("web-1").orphan().label("app", "other"));
    let plan = check(
        &[],
        &world,
        "1.36",
        &[
            "completes: label pod web-1 app=web --overwrite",
            "completes: delete pod web-1",
        ],
    );
    let Outcome::Blocked(obstacles) = &plan.outcome else {
        unreachable!()
    };
    let facts = format!("{obstacles:?}");
    assert!(facts.contains("NameTaken"), "{facts}");
    let world = web(2)
        .without("web-1")
        .pod(pod("web-1").of("ReplicaSet", "other", "uid-of-other"));
    check(&[], &world, "1.36", &["completes: delete pod web-1"]);
}

#[test]
fn a_stale_or_terminating_claim() {
    let stale = web(2)
        .claims("data")
        .retention("Retain", "Delete")
        .without("web-1")
        .without_claim("data-web-1")
        .claim(claim("data-web-1").owner("Pod", "web-1", "uid-of-its-predecessor", true));
    check(
        &[],
        &stale,
        "1.36",
        &[
            "completes: patch pvc data-web-1 --type json -p \
             '[{\"op\":\"remove\",\"path\":\"/metadata/ownerReferences/0\"}]'",
            "completes: delete pvc data-web-1",
        ],
    );
    let going = web(2)
        .claims("data")
        .without("web-1")
        .without_claim("data-web-1")
        .claim(
            claim("data-web-1")
                .terminating()
                .finalizer("example.com/backup"),
        );
    // Its finalizers protect something, so nothing is proposed.
    check(&[], &going, "1.36", &[]);
    // The protection of a claim by its pods ends with the last of them, so no remedy is needed.
    let protected = web(2)
        .claims("data")
        .without("web-1")
        .without_claim("data-web-1")
        .claim(
            claim("data-web-1")
                .terminating()
                .finalizer("kubernetes.io/pvc-protection"),
        );
    let plan = plan_assuming(&[], Vec::new(), &protected, "1.36");
    assert_eq!(plan.outcome.name(), "complete");
}

#[test]
fn k141876_pods_that_lack_a_new_claim_are_deleted_one_by_one() {
    // The set was deleted without its pods, and created again with another claim template.
    let mut world = web(3).spec(
        "volumeClaimTemplates",
        json!([{"metadata": {"name": "cache"}, "spec": {}}]),
    );
    for name in ["web-0", "web-1", "web-2"] {
        world = world.without(name).pod(pod(name).volume("other", "other"));
    }
    let plan = check(
        &[],
        &world,
        "1.36",
        &["completes: delete pod web-0 && delete pod web-1 && delete pod web-2"],
    );
    let Outcome::Blocked(obstacles) = &plan.outcome else {
        unreachable!()
    };
    assert_eq!(obstacles[0].reason().name(), "PodUpdateRefused");
    let sts_plan::plan::Obstacle::Hold(hold) = &obstacles[0] else {
        unreachable!()
    };
    let facts = evidence(hold, &plan).join("; ");
    assert!(
        facts.contains("pod web-0 has no volume for claim template cache"),
        "{facts}"
    );
}

#[test]
fn a_set_kept_by_its_finalizers() {
    let world = web(1).metadata("finalizers", json!(["example.com/hold"]));
    let plan = plan_assuming(
        &[],
        vec![Action::DeleteSet(Cascade::Background)],
        &world,
        "1.36",
    );
    let remedy = &plan.remedies(1)[0][0];
    let told = remedy_text(&plan, remedy);
    assert_eq!(
        told.commands,
        ["kubectl patch sts web --type merge -p '{\"metadata\":{\"finalizers\":null}}' -n default"]
    );
    assert_eq!(told.effect, "the deletion completes after 5s");
}

/// Returns the facts about a hold as one text.
fn facts(plan: &Plan) -> String {
    let Outcome::Blocked(obstacles) = &plan.outcome else {
        panic!("not blocked but {:?}", plan.outcome)
    };
    let (sts_plan::plan::Obstacle::Hold(hold) | sts_plan::plan::Obstacle::Unhealthy(hold)) =
        &obstacles[0]
    else {
        panic!("{obstacles:?}")
    };
    evidence(hold, plan).join("; ")
}

/// An object of the kind that surrounds sets.
fn around(plan: &mut Plan, kind: RelatedKind, object: serde_json::Value) {
    let related = Arc::make_mut(&mut plan.related);
    related.insert(kind.read(&object).unwrap());
}

#[test]
fn the_facts_of_a_container() {
    let status = json!([{
        "name": "main", "restartCount": 7, "ready": false,
        "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s"}},
        "lastState": {"terminated": {"exitCode": 137, "reason": "OOMKilled"}},
    }]);
    let world = web(1)
        .without("web-0")
        .pod(pod("web-0").not_ready().status("containerStatuses", status));
    let plan = plan_assuming(&[("web-0", NEVER_READY)], Vec::new(), &world, "1.36");
    let facts = facts(&plan);
    for expected in [
        "pod web-0 is Running, not ready",
        "container main: waiting in CrashLoopBackOff: back-off 5m0s, 7 restarts, last exit \
         code 137 (OOMKilled)",
    ] {
        assert!(facts.contains(expected), "{facts}");
    }
    let look = remedy_text(&plan, &plan.remedies(1)[0][0]);
    assert_eq!(
        look.commands[1],
        "kubectl logs web-0 -c main --previous -n default"
    );
}

#[test]
fn the_facts_of_a_pod_that_no_node_takes() {
    let world = web(1)
        .claims("data")
        .without("web-0")
        .without_claim("data-web-0")
        .claim(claim("data-web-0").with("status", json!({"phase": "Pending"})))
        .pod(pod("web-0").pending().volume("data", "data-web-0").status(
            "conditions",
            json!([{
                "type": "PodScheduled", "status": "False", "reason": "Unschedulable",
                "message": "0/3 nodes are available",
            }]),
        ));
    let mut plan = plan_assuming(&[("web-0", NEVER_READY)], Vec::new(), &world, "1.36");
    let event = |kind: &str, name: &str, uid: &str, reason: &str, message: &str| {
        json!({
            "metadata": {"name": format!("{name}.{reason}"), "namespace": "default"},
            "involvedObject": {"kind": kind, "name": name, "uid": uid},
            "type": "Warning", "reason": reason, "message": message, "count": 3,
            "lastTimestamp": "2026-01-01T11:58:00Z",
        })
    };
    let kind = RelatedKind::Event;
    let said = event("Pod", "web-0", "uid-of-another", "Evicted", "long ago");
    around(&mut plan, kind, said);
    let said = event(
        "PersistentVolumeClaim",
        "data-web-0",
        "",
        "ProvisioningFailed",
        "quota",
    );
    around(&mut plan, kind, said);
    let facts = facts(&plan);
    for expected in [
        "not scheduled: Unschedulable: 0/3 nodes are available",
        "claim data-web-0 is Pending",
        "event ProvisioningFailed (3 times, 2m0s ago): quota",
    ] {
        assert!(facts.contains(expected), "{expected}: {facts}");
    }
    assert!(!facts.contains("Evicted"), "of a predecessor: {facts}");
}

#[test]
fn a_dead_node_is_named_with_the_taint_that_frees_its_pods() {
    let world = web(2).without("web-1").pod(pod("web-1").terminating());
    let mut plan = plan_assuming(&[("web-1", NEVER_GONE)], Vec::new(), &world, "1.36");
    let ready = json!({
        "type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown",
        "lastTransitionTime": "2026-01-01T11:00:00Z",
    });
    let node = json!({"metadata": {"name": "node"}, "status": {"conditions": [ready]}});
    around(&mut plan, RelatedKind::Node, node);
    let told = facts(&plan);
    assert!(
        told.contains("node node is not ready for 1h0m: NodeStatusUnknown"),
        "{told}"
    );
    assert!(told.contains("grace period of 30s"), "{told}");
    let taint = remedy_text(&plan, &plan.remedies(1)[0][0]);
    assert_eq!(
        taint.commands,
        ["kubectl taint nodes node node.kubernetes.io/out-of-service=nodeshutdown:NoExecute"]
    );
    let (effect, restarts) = taint.effect.split_once("; ").unwrap();
    // Pod garbage collection checks every 20s.
    assert_eq!(effect, "the rollout completes after 30s");
    assert!(restarts.starts_with("restarts web-1 on web-"), "{restarts}");
}

#[test]
fn events_reveal_a_quota_that_no_object_shows() {
    // A quota refuses the pod. No object shows this except the events on the set.
    let name = "w".repeat(60);
    let world = web(1).without("web-0").no_revisions().named(&name);
    let mut plan = plan_assuming(&[], Vec::new(), &world, "1.36");
    let Outcome::Blocked(_) = &plan.outcome else {
        panic!("{:?}", plan.outcome)
    };
    let said = json!({
        "metadata": {"name": "quota", "namespace": "default"},
        "involvedObject": {"kind": "StatefulSet", "name": name},
        "type": "Warning", "reason": "FailedCreate", "message": "exceeded quota: pods",
        "lastTimestamp": "2026-01-01T11:59:00Z",
    });
    around(&mut plan, RelatedKind::Event, said);
    let report = serde_json::to_value(sts_plan::report::Report::new(&plan)).unwrap();
    let stuck = &report["outcome"]["blockedBy"][0];
    assert_eq!(stuck["reason"], "CreationRefused");
    assert_eq!(stuck["endsByItself"], false);
    assert_eq!(
        stuck["evidence"],
        json!(["event FailedCreate (once, 1m0s ago): exceeded quota: pods"])
    );
}

#[test]
fn assumptions_about_many_pods_name_a_few() {
    let mut world = web(9);
    for ordinal in 0..9 {
        let name = format!("web-{ordinal}");
        world = world.without(&name).pod(pod(&name).terminating());
    }
    let mut plan = plan_assuming(&[], Vec::new(), &world, "1.36");
    plan.conditions.now += jiff::SignedDuration::from_secs(60);
    let later = Plan::new(plan.snapshot, plan.conditions);
    let told = later.assumptions.sentences().join("\n");
    assert!(
        told.contains("pod web-0 terminates, although its grace period ended 40s ago"),
        "{told}"
    );
    assert!(told.contains("4 more pods are late"), "{told}");
}

#[test]
fn odd_objects_do_not_panic() {
    // A server stores none of this, but a file may contain it.
    let world = web(2)
        .without("web-0")
        .without("web-1")
        .no_revisions()
        .metadata("generation", json!(i64::MAX))
        .spec(
            "template",
            json!({"metadata": [], "spec": {"containers": []}}),
        );
    let odd = json!([{"name": "main", "restartCount": "many", "lastState": []}]);
    let other = pod("web-1").not_ready().status("containerStatuses", odd);
    let never = [("web-0", NEVER_READY), ("web-1", NEVER_READY)];
    for world in [world.clone(), world.pod(other)] {
        let plan = plan_assuming(&never, Vec::new(), &world, "1.36");
        let Outcome::Blocked(_) = &plan.outcome else {
            panic!("{:?}", plan.outcome)
        };
        let commands = remedy_text(&plan, &plan.remedies(1)[0][2]).commands;
        assert_eq!(commands, ["kubectl apply -f FILE -n default"]);
        serde_json::to_string(&sts_plan::report::Report::new(&plan)).unwrap();
        let deleted = vec![Action::DeleteSet(Cascade::Foreground)];
        plan_assuming(&[], deleted, &world, "1.36");
    }
}

#[test]
fn a_permanent_sync_error_has_a_remedy() {
    // A maxUnavailable that is not a percentage, possible only in a file.
    check(
        &[],
        &web(3).rolling_to_v2().max_unavailable(json!("most")),
        "1.36 MaxUnavailableStatefulSet=true",
        &["completes: patch sts web --type merge -p \
             '{\"spec\":{\"updateStrategy\":{\"rollingUpdate\":{\"maxUnavailable\":1}}}}'"],
    );
    // Controllers that read a retention policy without checking that it exists.
    check(
        &[],
        &web(1).claims("data").without("web-0"),
        "1.25.16 StatefulSetAutoDeletePVC=true",
        &[
            "completes: patch sts web --type merge -p '{\"spec\":{\"persistentVolumeClaimRetentionPolicy\":\
             {\"whenDeleted\":\"Retain\",\"whenScaled\":\"Retain\"}}}'",
        ],
    );
    // A limit that later versions treat as unset, and that only they can change: the set is recreated.
    let plan = plan_assuming(
        &[],
        Vec::new(),
        &web(1).rolling_to_v2().history_limit(-1),
        "1.32.0",
    );
    let anew = &plan.remedies(1)[0][0];
    assert!(anew.trial.verdict.completes());
    assert_eq!(
        remedy_text(&plan, anew).commands,
        [
            "kubectl delete sts web --cascade=orphan -n default",
            "kubectl apply -f FILE -n default",
        ]
    );
    // The revision of the held pods contains nothing to create a pod from.
    let held = web(2).rolling_to_v2().partition(2).without("web-0");
    let plan = plan_assuming(&[], Vec::new(), &held, "1.36");
    let mut snapshot = plan.snapshot;
    let name = Arc::clone(&snapshot.status.current_revision);
    let empty = json!({
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": {
            "name": *name,
            "namespace": "default",
            "uid": "uid-of-empty",
            "labels": {"app": "web"},
            "ownerReferences": [
                {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "web", "uid": SET_UID, "controller": true},
            ],
        },
        "data": null,
        "revision": 1,
    });
    let empty = Arc::new(Revision::from_json(&empty).unwrap());
    snapshot.revisions.insert(Arc::clone(&name), empty);
    let broken = Plan::new(snapshot, plan.conditions);
    assert_eq!(
        remedies(&broken),
        [format!("completes: delete controllerrevision {name}")]
    );
    // No pod of a set with this name can be created.
    let world = web(1)
        .without("web-0")
        .no_revisions()
        .named(&"w".repeat(60));
    let plan = plan_assuming(&[], Vec::new(), &world, "1.36");
    let anew = &plan.remedies(1)[0][0];
    assert!(anew.trial.verdict.completes());
    let told = remedy_text(&plan, anew);
    assert_eq!(
        told.commands,
        [
            format!("kubectl delete sts {} -n default", "w".repeat(60)),
            "kubectl apply -f FILE -n default".to_owned(),
        ]
    );
    assert_eq!(
        told.precondition,
        "rename the set in FILE first (at most 52 characters)"
    );
}

/// Every kind of remedy was executed here by its commands, and has its promised effect.
#[test]
fn every_kind_of_remedy_is_executed() {
    let never_ready =
        |world: &Scenario| plan_assuming(&[("web-1", NEVER_READY)], Vec::new(), world, "1.36");
    let never_gone =
        |world: &Scenario| plan_assuming(&[("web-1", NEVER_GONE)], Vec::new(), world, "1.36");
    let at_rest = |world: &Scenario, version: &str| plan_assuming(&[], Vec::new(), world, version);
    let with_claim = |claim: crate::scenario::ClaimSketch| {
        let world = web(2).claims("data").retention("Retain", "Delete");
        world
            .without("web-1")
            .without_claim("data-web-1")
            .claim(claim)
    };
    let held_by_finalizer = pod("web-1").terminating().finalizer("example.com/hold");
    let mut dead = never_gone(&web(2).pod(pod("web-1").terminating()));
    let ready = json!({"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown"});
    let node = json!({"metadata": {"name": "node"}, "status": {"conditions": [ready]}});
    around(&mut dead, RelatedKind::Node, node);
    let foreground = vec![Action::DeleteSet(Cascade::Foreground)];
    let finalizers = json!(["example.com/hold"]);
    let refused = json!({
        "metadata": {"name": "refused", "namespace": "default"},
        "involvedObject": {"kind": "StatefulSet", "name": "web"},
        "type": "Warning", "reason": "FailedCreate", "count": 9,
        "message": "create Pod web-1 in StatefulSet web failed error: pods \"web-1\" is forbidden: error looking up \
            service account default/app: serviceaccount \"app\" not found",
        "lastTimestamp": "2026-01-01T11:59:00Z",
    });
    let mut lacks_account = at_rest(&web(2).without("web-1"), "1.36");
    Arc::make_mut(&mut lacks_account.conditions.related)
        .insert(RelatedKind::Event.read(&refused).unwrap());
    let lacks_key = json!([{
        "name": "main", "restartCount": 0, "ready": false,
        "state": {"waiting": {
            "reason": "CreateContainerConfigError",
            "message": "couldn't find key user in Secret default/creds",
        }},
    }]);
    let lacks_key = pod("web-1")
        .not_ready()
        .status("containerStatuses", lacks_key);
    let plans = [
        // Provide.
        Plan::new(lacks_account.snapshot, lacks_account.conditions),
        at_rest(&web(2).pod(lacks_key), "1.36"),
        // Mend, DeletePod, ToRevision, NewTemplate, Partition.
        never_ready(&web(2).rolling_to_v2()),
        never_ready(&web(2).without("web-1").no_revisions()),
        never_ready(
            &web(2)
                .rolling_to_v2()
                .partition(2)
                .pod(pod("web-1").not_ready()),
        ),
        // ForceDeletePod, OutOfService, DropPodFinalizers.
        dead,
        never_gone(&web(2).pod(held_by_finalizer)),
        // LabelPod.
        at_rest(
            &web(2).pod(pod("web-1").orphan().label("app", "other")),
            "1.36",
        ),
        // DeleteClaim, ReleaseClaim, DropClaimFinalizers.
        at_rest(
            &with_claim(claim("data-web-1").owner("Pod", "web-1", "old", true)),
            "1.36",
        ),
        at_rest(
            &with_claim(claim("data-web-1").terminating().finalizer("x/y")),
            "1.36",
        ),
        // MaxUnavailable, HistoryLimit, RetainClaims.
        at_rest(
            &web(3).rolling_to_v2().max_unavailable(json!("most")),
            "1.36 MaxUnavailableStatefulSet=true",
        ),
        at_rest(&web(1).rolling_to_v2().history_limit(-1), "1.32.0"),
        at_rest(
            &web(1).claims("data").without("web-0"),
            "1.25.16 StatefulSetAutoDeletePVC=true",
        ),
        // DropSetFinalizers.
        plan_assuming(
            &[],
            foreground,
            &web(1).metadata("finalizers", finalizers),
            "1.36",
        ),
    ];
    let mut done: BTreeSet<String> = BTreeSet::new();
    for plan in &plans {
        let lines = remedies(plan);
        let provided = |line: &&String| line.contains("serviceaccount") || line.contains("secret");
        for line in lines.iter().filter(provided) {
            assert!(line.starts_with("completes"), "{line}");
        }
        let actions = plan
            .remedies(5)
            .into_iter()
            .flatten()
            .flat_map(|it| it.actions);
        let name = |remedy_action: RemedyAction| format!("{remedy_action:?}");
        done.extend(actions.map(|remedy_action| {
            name(remedy_action)
                .split(['(', ' '])
                .next()
                .unwrap()
                .to_owned()
        }));
    }
    // These two have their own tests, because their commands name a file that does not exist here.
    done.extend(["RecreateRenamed".to_owned(), "DeleteRevision".to_owned()]);
    // These belong to causes that the objects around a set show: see tests/it/trial.rs of the program.
    done.extend(["Uncordon", "AllowCreation", "RaiseMemory"].map(str::to_owned));
    // And these: lost_zone.rs.
    done.extend(["AddNode", "RestoreNode"].map(str::to_owned));
    // This one goes before others: known_in_trials.rs.
    done.insert("KeepVolume".to_owned());
    // No obstacle has this one: tests/it/options.rs of the program.
    done.insert("Parallel".to_owned());
    let source = include_str!("../../src/remedy/action/mod.rs");
    let (_, kinds) = source.split_once("pub enum RemedyAction {").unwrap();
    let (kinds, _) = kinds.split_once("\n}").unwrap();
    let known: BTreeSet<String> = kinds
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with(char::is_uppercase))
        .map(|line| line.split(['(', ',', ' ']).next().unwrap().to_owned())
        .collect();
    assert_eq!(done, known);
}
