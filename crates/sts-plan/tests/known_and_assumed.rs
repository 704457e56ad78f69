//! Evidence and prediction: the records of revisions, nodes that are down, and assumptions.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a failed unwrap fails the test"
)]

use std::sync::Arc;

use serde_json::{Value, json};
use sts_controller::apiserver::apply::Edit;
use sts_controller::object::{RelatedKind, RelatedObjects, Set, Snapshot, Status};
use sts_controller::simulate::{Action, Assumption, Start};
use sts_plan::analysis::headline::{headline, summary};
use sts_plan::analysis::{Analysis, analyze};
use sts_plan::cause::Blame;
use sts_plan::change::Change;
use sts_plan::fleet::{FailOn, OtherGates, judge};
use sts_plan::grant::Grant;
use sts_plan::plan::{Bearing, Conditions, Outcome, Plan, PlanAssumption, Source};
use sts_plan::report::Report;
use sts_plan::requirement::{Requirement, check};
use sts_plan::what_if::Questions;
use test_kit::scenario::{PodSketch, Scenario, moment, pod, rules_and_gates, web};

fn conditions(version: &str) -> Conditions {
    let (behaviour, gates) = rules_and_gates(version, &[]);
    Conditions {
        behaviour,
        gates,
        ..Conditions::new(version.parse().unwrap(), moment())
    }
}

fn plan_after(actions: Vec<Action>, world: &Scenario, conditions: Conditions) -> Plan {
    let snapshot = world.snapshot(&conditions.behaviour);
    Plan::with_actions(actions, snapshot, conditions)
}

fn plan(world: &Scenario) -> Plan {
    plan_after(Vec::new(), world, conditions("1.36"))
}

fn name(pod: &str) -> Arc<str> {
    Arc::from(pod)
}

/// A rollout to v2 whose first pod crash-loops.
fn stuck_rollout() -> Scenario {
    web(3)
        .rolling_to_v2()
        .without("web-2")
        .pod(crashing("web-2"))
}

/// A pod that has never run for long on v2.
fn crashing(name: &str) -> PodSketch {
    let status = json!([{
        "name": "main", "restartCount": 500, "ready": false,
        "state": {"waiting": {"reason": "CrashLoopBackOff"}},
    }]);
    let crashing = pod(name).at("v2").not_ready();
    crashing.status("containerStatuses", status)
}

fn of_web_2<T>(plan: &Plan, read: impl Fn(&Analysis<'_>) -> T) -> T {
    read(&analyze(plan, &Questions::default()))
}

/// The node of a pod, with its condition `Ready`.
fn node(name: &str, status: &str, seconds: i64, reason: &str, message: &str) -> Value {
    let since = moment() - jiff::SignedDuration::from_secs(seconds);
    json!({
        "metadata": {"name": name},
        "status": {"conditions": [{
            "type": "Ready", "status": status, "reason": reason, "message": message,
            "lastTransitionTime": since.to_string(),
        }]},
    })
}

fn on_node(world: &Scenario, object: Value) -> Plan {
    let mut related = RelatedObjects::default();
    related.insert(RelatedKind::Node.read(&object).unwrap());
    let ready = node("other", "True", 3600, "KubeletReady", "");
    related.insert(RelatedKind::Node.read(&ready).unwrap());
    let conditions = Conditions {
        related: Arc::new(related),
        ..conditions("1.36")
    };
    plan_after(Vec::new(), world, conditions)
}

#[test]
fn a_pod_that_exists_only_in_the_simulation_is_no_evidence() {
    // The plan creates web-0, or waits for it, and assumes that it becomes ready.
    let siblings: [(&str, Option<PodSketch>); 5] = [
        ("missing", None),
        ("terminating", Some(pod("web-0").at("v2").terminating())),
        ("evicted", Some(pod("web-0").at("v2").failed())),
        ("starting", Some(pod("web-0").at("v2").pending())),
        ("on the old revision", Some(pod("web-0").at("v1"))),
    ];
    for (state, sibling) in siblings {
        for parallel in [false, true] {
            let mut world = stuck_rollout().without("web-0");
            if let Some(sibling) = &sibling {
                world = world.pod(sibling.clone());
            }
            if parallel {
                world = world.parallel();
            }
            let plan = plan(&world);
            let analysis = analyze(&plan, &Questions::default());
            for cause in analysis.diagnoses.iter().filter_map(|it| it.cause.as_ref()) {
                assert_ne!(cause.blame, Blame::Pod, "{state}, parallel {parallel}");
            }
            // A sentence about ready pods counts those that were read as ready, and names no other.
            let ready = match state {
                "on the old revision" => "(2 pods ready on it)",
                _ => "(1 pod ready on it)",
            };
            let report = Report::from(&analysis);
            let obstacles = report.outcome.blocked_by.iter();
            let conditions = obstacles.flat_map(|it| &it.remedies);
            let mut conditions = conditions.map(|remedy| &remedy.precondition);
            assert!(
                conditions.all(|text| !text.contains("ready on it") || text.contains(ready)),
                "{state}, parallel {parallel}"
            );
            let mut told = report.outcome.blocked_by.iter().flat_map(|it| &it.cautions);
            assert!(
                told.all(|text| !text.contains("other pods on this revision")),
                "{state}, parallel {parallel}"
            );
        }
    }
}

#[test]
fn a_question_about_another_pod_changes_no_evidence() {
    let questions: [(&str, Vec<Action>); 4] = [
        ("none", Vec::new()),
        ("eviction", vec![Action::EvictPod(name("web-0"))]),
        ("deletion", vec![Action::DeletePod(name("web-0"))]),
        ("scale up", vec![Action::EditSet(Edit::replicas(5))]),
    ];
    let facts = |plan: &Plan| {
        of_web_2(plan, |analysis| {
            let cause = analysis.cause().unwrap();
            let rolls_back = analysis.diagnoses.iter().flat_map(|it| &it.remedies);
            let rolls_back = rolls_back
                .flat_map(|remedy| &remedy.actions)
                .any(|action| matches!(action, sts_plan::remedy::RemedyAction::ToRevision(..)));
            (cause.pod.clone(), cause.blame, cause.id(), rolls_back)
        })
    };
    for parallel in [false, true] {
        let world = match parallel {
            true => stuck_rollout().parallel(),
            false => stuck_rollout(),
        };
        let expected = facts(&plan(&world));
        assert_eq!(expected.1, Blame::Template);
        for (question, actions) in &questions {
            let asked = plan_after(actions.clone(), &world, conditions("1.36"));
            assert_eq!(facts(&asked), expected, "{question}, parallel {parallel}");
        }
    }
}

#[test]
fn pods_that_move_to_a_broken_revision_fail_as_well() {
    // Deleting the pod brings it back on the revision on which it crashes.
    let deleted = plan_after(
        vec![Action::DeletePod(name("web-2"))],
        &stuck_rollout(),
        conditions("1.36"),
    );
    assert!(matches!(deleted.outcome, Outcome::Blocked(_)));
    let told = of_web_2(&deleted, |analysis| headline(analysis).text);
    assert!(told.contains("web-2 crash-loops"), "{told}");
    let broken = |item: &PlanAssumption| matches!(item, PlanAssumption::Broken { witness, .. } if **witness == *"web-2");
    assert!(deleted.assumptions.items.iter().any(broken));
}

#[test]
fn the_record_of_a_revision_yields_to_evidence_and_to_flags() {
    let deletion = || vec![Action::DeletePod(name("web-2"))];
    let completes = |world: &Scenario, conditions| {
        let plan = plan_after(deletion(), world, conditions);
        matches!(plan.outcome, Outcome::Complete)
    };
    // A pod is ready on the revision.
    let proven = stuck_rollout().without("web-1").pod(pod("web-1").at("v2"));
    assert!(completes(&proven, conditions("1.36")));
    // The user knows better.
    let update = plan(&stuck_rollout()).next.status.update_revision.clone();
    let hash = update.rsplit_once('-').unwrap().1;
    for works in [&*update, hash] {
        let mut conditions = conditions("1.36");
        conditions.working.insert(Arc::from(works));
        let plan = plan_after(Vec::new(), &stuck_rollout(), conditions);
        assert!(matches!(plan.outcome, Outcome::Complete), "{works}");
        assert_eq!(plan.rests_on().len(), 1);
    }
    let mut recovers = conditions("1.36");
    let recovered = Assumption::default();
    recovers.assumptions.insert("web-2".to_owned(), recovered);
    assert!(completes(&stuck_rollout(), recovers));
    // The pod has run on the revision for days, with one restart.
    let crashed = json!([{
        "name": "main", "restartCount": 1, "ready": false,
        "state": {"waiting": {"reason": "CrashLoopBackOff"}},
    }]);
    let worked = web(3).without("web-2").pod(
        pod("web-2")
            .not_ready()
            .status("containerStatuses", crashed),
    );
    let kept = plan(&worked.parallel().without("web-1").without("web-0"));
    assert!(kept.evidence.records.broken.is_empty());
}

#[test]
fn the_pods_of_a_node_that_died_do_not_become_ready() {
    let world = web(3)
        .without("web-1")
        .pod(pod("web-1").on_node("gone").not_ready());
    let lost = |seconds| node("gone", "Unknown", seconds, "NodeStatusUnknown", "stopped");
    for seconds in [0, 5, 120] {
        let plan = on_node(&world, lost(seconds));
        assert!(matches!(plan.outcome, Outcome::Blocked(_)), "{seconds}");
        // The node lifecycle controller deletes it five minutes after the node died, and it stays.
        let end = plan.predicted().objects();
        assert!(end.pods["web-1"].is_terminating(), "{seconds}");
        let told = of_web_2(&plan, |analysis| headline(analysis).text);
        assert!(told.contains("not responding"), "{told}");
    }
    // A pod that the node controller has not marked yet is not ready either.
    let still_ready = web(3).without("web-1").pod(pod("web-1").on_node("gone"));
    let plan = on_node(&still_ready, lost(0));
    assert!(matches!(plan.outcome, Outcome::Blocked(_)));
    // A flag about the pod takes precedence.
    let mut related = RelatedObjects::default();
    related.insert(RelatedKind::Node.read(&lost(60)).unwrap());
    let others = node("node", "True", 3600, "KubeletReady", "");
    related.insert(RelatedKind::Node.read(&others).unwrap());
    let mut conditions = conditions("1.36");
    conditions.related = Arc::new(related);
    let recovered = Assumption::default();
    conditions.assumptions.insert("web-1".to_owned(), recovered);
    let plan = plan_after(Vec::new(), &world, conditions);
    assert!(
        matches!(plan.outcome, Outcome::Complete),
        "{:?}",
        plan.outcome
    );
}

#[test]
fn a_node_whose_kubelet_reports_is_not_lost() {
    let world = web(3)
        .without("web-1")
        .pod(pod("web-1").on_node("sick").not_ready());
    let messages = [
        (
            "container runtime is down, PLEG is not healthy",
            "node-runtime-down",
        ),
        (
            "container runtime network not ready: cni plugin not initialized",
            "node-network-not-ready",
        ),
        ("kubelet has insufficient disk", "node-not-ready"),
    ];
    for (message, id) in messages {
        let plan = on_node(
            &world,
            node("sick", "False", 600, "KubeletNotReady", message),
        );
        let analysis = analyze(&plan, &Questions::default());
        let cause = analysis.cause().unwrap();
        assert_eq!(cause.id(), Some(id));
        let told = headline(&analysis).text;
        assert!(told.contains(message), "{told}");
        assert!(!told.contains("not responding"), "{told}");
        let commands: Vec<String> = analysis
            .diagnoses
            .iter()
            .flat_map(|it| &it.remedies)
            .flat_map(|remedy| sts_plan::explain::remedy_text(&plan, remedy).commands)
            .collect();
        for harmful in ["out-of-service", "delete node", "--force"] {
            assert!(
                !commands.iter().any(|it| it.contains(harmful)),
                "{commands:?}"
            );
        }
    }
}

#[test]
fn trouble_that_is_there_now_has_its_age_whatever_the_plan_still_does() {
    let since = moment() - jiff::SignedDuration::from_mins(50);
    let ready =
        json!([{"type": "Ready", "status": "False", "lastTransitionTime": since.to_string()}]);
    let aged = crashing("web-2").status("conditions", ready);
    let world = stuck_rollout().without("web-2").pod(aged).parallel();
    let plan = plan_after(
        vec![Action::DeletePod(name("web-0"))],
        &world,
        conditions("1.36"),
    );
    assert!(plan.touches_pods());
    let told = of_web_2(&plan, |analysis| headline(analysis).text);
    assert!(told.starts_with("BLOCKED 50m"), "{told}");
}

#[test]
fn a_verdict_says_what_it_rests_on() {
    // web-2 crashes for a reason of its own, so its replacement is assumed to work.
    let world = web(3).without("web-2").pod(pod("web-2").crash_looping());
    let plan = plan_after(
        vec![Action::DeletePod(name("web-2"))],
        &world,
        conditions("1.36"),
    );
    assert!(matches!(plan.outcome, Outcome::Complete));
    let bearings = plan.assumptions.items.iter();
    let bearings = bearings.map(|item| item.bearing(plan.outcome.result()));
    assert_eq!(bearings.max(), Some(Bearing::AgainstEvidence));
    let told = of_web_2(&plan, summary);
    assert!(
        told.contains("complete after") && told.contains("if the next pod web-2 becomes ready on "),
        "{told}"
    );
    // A gate is not green by it.
    let report = Report::from(&analyze(&plan, &Questions::default()));
    let blocked = gates(&report, FailOn::Blocked);
    assert!(
        blocked.starts_with("blocked: default/web: completes only if "),
        "{blocked}"
    );
    // A plain rollout rests on nothing special.
    let plain = self::plan(&web(3).rolling_to_v2());
    assert!(plain.rests_on().is_empty());
}

#[test]
fn a_quorum_is_of_the_members_that_vote_now() {
    let quorum: Requirement = "quorum".parse().unwrap();
    let holds = |world: &Scenario, replicas: i64| {
        let edit = Edit::replicas(replicas.try_into().unwrap());
        let conditions = conditions("1.36");
        let stored = world.snapshot(&conditions.behaviour);
        let change = Change {
            edits: vec![edit],
            ..Change::default()
        };
        let around = |set: Arc<Set>, status: Arc<Status>| Snapshot {
            set,
            status,
            ..stored.clone()
        };
        let plan = Plan::of_change(Some(&stored), &change, &around, &conditions);
        let checked = check(&plan.unwrap().plan, std::slice::from_ref(&quorum));
        checked[0].holds
    };
    // One of three members is no quorum, and none is none.
    assert!(!holds(&web(3), 0));
    assert!(!holds(&web(3), 1));
    // One member at a time leaves before it stops.
    assert!(holds(&web(3), 2));
    assert!(holds(&web(2), 1));
    // Three of five are a majority.
    assert!(holds(&web(5), 3));
    assert!(!holds(&web(5), 2));
    // New members join once they are ready.
    assert!(holds(&web(3), 5));
    assert!(holds(&web(1), 3));
}

#[test]
fn a_quorum_that_assumed_failures_break_is_in_the_headline() {
    // Replacements that become ready, and replacements that fail again for ever.
    for start in [Start::Ready, Start::Fails] {
        let mut conditions = conditions("1.36");
        for pod in ["web-0", "web-1"] {
            let fails = Assumption {
                fails_now: true,
                start,
                ..Assumption::default()
            };
            conditions.assumptions.insert(pod.to_owned(), fails);
        }
        let snapshot = web(3).snapshot(&conditions.behaviour);
        let around = |_: Arc<Set>, _: Arc<Status>| snapshot.clone();
        let plan = Plan::of_change(Some(&snapshot), &Change::default(), &around, &conditions);
        let told = of_web_2(&plan.unwrap().plan, |analysis| headline(analysis).text);
        assert!(
            told.contains("QUORUM LOST: 1 of 3 ready, 2 needed"),
            "{told}"
        );
    }
}

#[test]
fn a_plan_that_goes_on_keeps_the_record() {
    let first = plan(&stuck_rollout());
    for seconds in [0, 1_000_000] {
        let now = first.predicted().at() + jiff::SignedDuration::from_secs(seconds);
        let conditions = Conditions {
            now,
            ..first.conditions.clone()
        };
        let deletion = vec![Action::DeletePod(name("web-2"))];
        let objects = first.predicted().objects().clone();
        let later = Plan::with_actions(deletion, objects, conditions);
        assert!(matches!(later.outcome, Outcome::Blocked(_)), "{seconds}");
    }
}

/// Returns the gates that fail for a report.
fn gates(report: &Report, condition: FailOn) -> String {
    let failed = judge(
        std::slice::from_ref(report),
        &[vec![condition]],
        &|_, _| None,
        OtherGates::default(),
    );
    let failed: Vec<String> = failed.iter().map(ToString::to_string).collect();
    failed.join("; ")
}

#[test]
fn a_gate_can_fail_where_the_input_does_not_tell() {
    let known = Report::from(&analyze(&plan(&web(3)), &Questions::default()));
    assert_eq!(gates(&known, FailOn::Unknown), "");
    let source = Source {
        notes: vec!["nodes were not read (forbidden)".to_owned()],
        ..Source::default()
    };
    let unread = plan(&web(3)).of(&Arc::new(source));
    let unread = Report::from(&analyze(&unread, &Questions::default()));
    assert_eq!(
        gates(&unread, FailOn::Unknown),
        "unknown: default/web: not known: nodes were not read (forbidden)"
    );
    let stored = web(3).metadata("creationTimestamp", "2026-01-01T00:00:00Z".into());
    let incomplete = conditions("1.36").with_incomplete_input();
    let files = plan_after(Vec::new(), &stored, incomplete);
    let files = Report::from(&analyze(&files, &Questions::default()));
    assert_ne!(gates(&files, FailOn::Unknown), "");
}

#[test]
fn a_time_that_a_pod_has_exceeded_is_no_estimate() {
    let waiting = |seconds: i64| {
        let since = moment() - jiff::SignedDuration::from_secs(seconds);
        let created = since.to_string();
        let ready = json!([{"type": "Ready", "status": "False", "lastTransitionTime": created}]);
        let world = web(3)
            .without("web-1")
            .pod(pod("web-1").status("conditions", ready));
        let plan = plan(&world);
        let report = Report::from(&analyze(&plan, &Questions::default()));
        let mut waits = report.operations.iter().flat_map(|it| &it.waits);
        (waits.any(|wait| wait.overdue), plan.rests_on().len())
    };
    assert_eq!(waiting(20), (false, 0));
    assert_eq!(waiting(300), (true, 1));
}

#[test]
fn an_object_that_is_assumed_to_exist_ends_the_record_of_its_pods() {
    let message = "secret \"db\" not found";
    let status = json!([{
        "name": "main", "restartCount": 0, "ready": false,
        "state": {"waiting": {"reason": "CreateContainerConfigError", "message": message}},
    }]);
    let waits = pod("web-2").at("v2").not_ready().phase("Pending");
    let world = web(3)
        .rolling_to_v2()
        .without("web-2")
        .pod(waits.status("containerStatuses", status));
    let blocked = plan(&world);
    assert!(matches!(blocked.outcome, Outcome::Blocked(_)));
    assert_eq!(blocked.evidence.records.broken.len(), 1);
    let granted = Conditions {
        grants: [Grant::parse("secret/db", "exists").unwrap()].into(),
        ..conditions("1.36")
    };
    let granted = plan_after(Vec::new(), &world, granted);
    assert!(granted.evidence.records.broken.is_empty());
    assert!(matches!(granted.outcome, Outcome::Complete));
}

#[test]
fn a_pod_comes_back_on_the_revision_that_the_controller_chooses() {
    let next = |strategy: Value| {
        let world = web(3).rolling_to_v2().spec("updateStrategy", strategy);
        let world = world.without("web-0").pod(crashing("web-0").at("v1"));
        of_web_2(&plan(&world), |analysis| {
            let cause = analysis.cause().unwrap();
            assert_eq!(&*cause.pod, "web-0");
            cause.comes_back_on.is_some()
        })
    };
    assert!(next(
        json!({"type": "RollingUpdate", "rollingUpdate": {"partition": 0}})
    ));
    assert!(!next(
        json!({"type": "RollingUpdate", "rollingUpdate": {"partition": 1}})
    ));
    // Without the block, the first pods stay on the current revision, as many as the status counts (quirk Q4).
    assert!(!next(json!({"type": "RollingUpdate"})));
}
