//! Invariants of any plan of any world.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::SignedDuration;
use kubectl_manifest::read;
use kubectl_sts_plan::internals::{LoadError, Reader, load};
use proptest::prelude::*;
use serde_json::{Value, json};
use sts_controller::apiserver::apply::create;
use sts_controller::apiserver::defaults::stored;
use sts_controller::apiserver::validation::drop_disabled_fields;
use sts_controller::controller::{Hold, Sync, Write};
use sts_controller::object::Snapshot;
use sts_controller::simulate::StepAction;
use sts_controller::version::{Behaviour, Gates, Version};
use sts_plan::change::read_set;
use sts_plan::plan::{Conditions, Obstacle, Outcome, Plan};
use sts_plan::report::Report;

use crate::worlds::{
    Assumed, ControllerSpec, KubeletSpec, PodSpec, Scenario, SetSpec, StatusSpec, StrategySpec,
    cases, conditions, now, scenario,
};
use test_kit::manifests::manifest;

fn accepted(sync: &Sync) -> impl Iterator<Item = &Write> {
    sync.writes.iter().filter(|write| write.refused.is_none())
}

/// The objects of a world, for a comparison.
fn objects(snapshot: &Snapshot) -> BTreeSet<String> {
    let pods = snapshot
        .pods
        .values()
        .map(|pod| format!("{:?} {:?} {:?}", pod.meta, pod.phase, pod.ready));
    let claims = snapshot
        .claims
        .values()
        .map(|claim| format!("{:?}", claim.meta));
    let revisions = snapshot
        .revisions
        .values()
        .map(|revision| revision.to_json().to_string());
    let status = format!("{:?}", snapshot.status);
    pods.chain(claims)
        .chain(revisions)
        .chain([status])
        .collect()
}

fn report(plan: &Plan) -> Value {
    serde_json::to_value(Report::new(plan)).unwrap()
}

/// The snapshot that is read from these objects, in this order.
fn loaded(objects: &[Value], behaviour: &Behaviour) -> Result<Snapshot, LoadError> {
    let documents: Vec<String> = objects.iter().map(Value::to_string).collect();
    let reading = read("world", documents.join("\n---\n").as_bytes()).unwrap();
    let reader = Reader {
        namespace: "default",
        defaulting: &behaviour.defaulting,
        all_new: false,
    };
    let loaded = load(reading, &reader)?;
    let Some(manifest) = loaded.manifests.first() else {
        return Ok(loaded.inventory.snapshot("default", "web").unwrap());
    };
    let created = create(manifest.value(), &[], behaviour).unwrap().set;
    let (set, status) = read_set(created).unwrap();
    Ok(loaded.inventory.around(Arc::new(set), Arc::new(status)))
}

proptest! {
    #![proptest_config(cases(2))]

    /// The end of a plan is stable: a plan from there has nothing to do.
    #[test]
    fn a_plan_ends_where_nothing_is_left_to_do(scenario in scenario()) {
        let plan = Plan::new(scenario.snapshot(), conditions(&scenario));
        let fails = scenario.kubelet.assumed.iter().any(|(_, assumed)| *assumed == Assumed::Fails);
        if let Outcome::Livelock = plan.outcome {
            // A status that is refused keeps the counters that the controller decides by.
            let refused = plan.progression.steps.iter().any(|step| match &step.action {
                StepAction::Controller(writes) => writes.iter().any(|write| write.refused.is_some()),
                _ => false,
            });
            prop_assert!(fails || refused, "livelock though no pod fails and no write is refused");
            return Ok(());
        }
        let written: Vec<_> = accepted(&plan.last).collect();
        prop_assert!(written.is_empty(), "{}: {written:?}", plan.outcome.name());

        let end = &plan.progression.world;
        let conditions = Conditions { now: end.now(), ..plan.conditions.clone() };
        let again = Plan::new(end.snapshot().clone(), conditions);
        prop_assert!(!again.has_work());
        prop_assert_eq!(again.outcome.name(), plan.outcome.name());
        prop_assert_eq!(objects(again.progression.world.snapshot()), objects(end.snapshot()));
        if let Outcome::Complete = plan.outcome {
            prop_assert!(plan.last.error.is_none());
            prop_assert!(plan.last.holds.iter().all(Hold::is_intended));
        }
    }

}

proptest! {
    #![proptest_config(cases(1))]

    /// One input gives one plan, whatever the order of its objects.
    #[test]
    fn one_input_makes_one_plan(scenario in scenario(), order in prop::collection::vec(any::<prop::sample::Index>(), 30)) {
        let behaviour = scenario.behaviour();
        let mut objects = scenario.objects();
        let plan = |objects: &[Value]| {
            let snapshot = loaded(objects, &behaviour).unwrap();
            serde_json::to_string(&Report::new(&Plan::new(snapshot, conditions(&scenario)))).unwrap()
        };
        let first = plan(&objects);
        prop_assert_eq!(&plan(&objects), &first);
        for (at, other) in (1..objects.len()).zip(order) {
            objects.swap(at, other.index(at + 1));
        }
        prop_assert_eq!(&plan(&objects), &first);
    }

    /// A manifest is planned as the API server stores it.
    #[test]
    fn a_manifest_is_planned_as_it_would_be_stored(
        seed in any::<u64>(), regular in any::<bool>(), minor in 19..=37_u32,
    ) {
        let version = Version { minor, patch: None };
        let gates = Gates::defaults(version);
        let behaviour = Behaviour::new(version, &gates);
        let mut written = manifest(seed, 0);
        let labels = json!({"app": "web"});
        written["metadata"] = json!({"name": "web", "annotations": written["metadata"]["annotations"]});
        if regular && written["spec"]["template"].is_object() {
            written["spec"]["selector"] = json!({"matchLabels": labels});
            written["spec"]["template"]["metadata"] = json!({"labels": labels});
        }
        let mut as_stored = stored(&written, &behaviour.defaulting).unwrap().set;
        as_stored["metadata"]["namespace"] = "default".into();
        as_stored["metadata"]["uid"] = "planned-set".into();
        as_stored["metadata"]["generation"] = 1.into();
        as_stored["status"] = json!({});
        drop_disabled_fields(&mut as_stored, None, &behaviour.validation);
        let report_of = |manifest: Value| -> Result<Value, TestCaseError> {
            let snapshot = loaded(&[manifest], &behaviour)
                .map_err(|error| TestCaseError::fail(error.to_string()))?;
            let conditions = Conditions {
                gone_after: Some(SignedDuration::from_secs(5)),
                ..Conditions::new(version, now())
            };
            let mut report = report(&Plan::new(snapshot, conditions));
            report["metadata"].take();
            Ok(report)
        };
        prop_assert_eq!(report_of(written)?, report_of(as_stored)?);
    }
}

/// A set of two replicas that does not exist yet.
fn fresh_set(minor: u32, parallel: bool, assumed: Assumed) -> Scenario {
    Scenario {
        controller: ControllerSpec {
            minor,
            patch: None,
            gates: Vec::new(),
        },
        set: SetSpec {
            replicas: 2,
            parallel,
            strategy: StrategySpec::Rolling(Some((Some(0), None))),
            min_ready: 0,
            start: 0,
            claim_templates: 1,
            retention: Some((false, false)),
            history_limit: 10,
            deleted: false,
        },
        status: StatusSpec {
            current: None,
            counters: [0; 5],
            observed: 0,
            collisions: None,
        },
        revisions: Vec::new(),
        pods: Vec::new(),
        claims: Vec::new(),
        kubelet: KubeletSpec {
            ready_after: 10,
            gone_after: 5,
            assumed: vec![(0, assumed)],
        },
    }
}

#[test]
fn a_pod_that_always_fails_is_a_livelock() {
    for minor in 19..=37 {
        for parallel in [false, true] {
            let scenario = fresh_set(minor, parallel, Assumed::Fails);
            let plan = Plan::new(scenario.snapshot(), conditions(&scenario));
            assert_eq!(plan.outcome.name(), "livelock", "1.{minor} {parallel}");
            assert!(plan.progression.syncs < 100, "1.{minor} {parallel}");
        }
    }
}

#[test]
fn a_pod_that_never_starts_or_terminates_blocks() {
    for minor in 19..=37 {
        for parallel in [false, true] {
            let blockers = |scenario: &Scenario| -> Vec<String> {
                let plan = Plan::new(scenario.snapshot(), conditions(scenario));
                let Outcome::Blocked(obstacles) = plan.outcome else {
                    panic!("1.{minor} {parallel}: {}", plan.outcome.name());
                };
                let pod = |obstacle: &Obstacle| match obstacle {
                    Obstacle::Hold(hold) | Obstacle::Unhealthy(hold) => hold
                        .pod()
                        .map_or(String::new(), |pod| pod.meta.name.to_string()),
                    Obstacle::CreationRefused { pod, .. }
                    | Obstacle::DeletionRefused { pod, .. }
                    | Obstacle::Rejected { pod, .. } => pod.meta.name.to_string(),
                    Obstacle::Error(error) => error.clone(),
                    Obstacle::Inactive(unobserved) => unobserved.generation.to_string(),
                };
                obstacles.iter().map(pod).collect()
            };
            let scenario = fresh_set(minor, parallel, Assumed::NeverReady);
            assert_eq!(blockers(&scenario), ["web-0"], "1.{minor} {parallel}");
            let mut scenario = fresh_set(minor, parallel, Assumed::NeverGone);
            scenario.pods = vec![PodSpec::well(0, Some(1)), PodSpec::well(1, Some(1))];
            assert_eq!(blockers(&scenario), ["web-0"], "1.{minor} {parallel}");
        }
    }
}
