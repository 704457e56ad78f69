//! The outcome of a plan: worlds that go as predicted, and worlds in which something else happens.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::SignedDuration;
use kubectl_sts_plan::internals::{Format, Style, render};
use proptest::prelude::*;
use serde_json::Value;
use sts_controller::controller::Verb;
use sts_controller::object;
use sts_controller::object::{Snapshot, Trouble};
use sts_controller::simulate::{
    Action, Assumption, Cascade, End, Kubelet, PodEvent, Start, StepAction, World,
};
use sts_controller::version::Behaviour;
use sts_plan::fleet::ReportList;
use sts_plan::plan::Plan;
use sts_plan::report::{Report, ReportWrite};
use sts_plan::verify::{
    Comparison, Kind, Now, PredictedEvent, Prediction, Stale, Verdict, compare,
};

use crate::scenario::{self, Scenario, web};
use crate::worlds;

/// The prediction of a plan, through the file in which it is saved.
pub fn predicted(plan: &Plan) -> Prediction {
    Prediction::from_json(&saved(plan)).unwrap()
}

fn saved(plan: &Plan) -> Value {
    let mut text = Vec::new();
    render(
        Format::Json,
        &ReportList::new(&[Report::new(plan)]),
        &Style::default(),
        &mut text,
    )
    .unwrap();
    serde_json::from_slice(&text).unwrap()
}

/// A world and its controller, stepped by the test.
pub struct Life {
    pub world: World,
    pub behaviour: Behaviour,
    /// Number of steps that have happened.
    pub steps: usize,
}

impl Life {
    /// One sync or, if that changes nothing, the next event. Returns false if nothing is left to happen.
    pub fn go_on(&mut self) -> bool {
        let synced = self.world.sync(&self.behaviour, false);
        self.steps += synced.steps.len();
        if synced.changed {
            return true;
        }
        let collected = self.world.collect();
        if !collected.is_empty() {
            self.steps += collected.len();
            return true;
        }
        let Some(due) = self.world.first() else {
            return false;
        };
        self.steps += self.world.fire(&due).len();
        true
    }

    pub fn compare(&self, prediction: &Prediction) -> Comparison {
        let snapshot = self.world.snapshot();
        let now = if self.world.set_is_gone() {
            Now::Gone(snapshot)
        } else {
            Now::There(snapshot)
        };
        compare(prediction, &now, self.world.now())
    }
}

/// A claim is reported as removed with a pod of another ordinal, but stays because the current sync also updates it.
/// Only in this respect do these worlds differ from their steps.
fn is_removed_for_good(plan: &Plan, prediction: &Prediction) -> bool {
    let claims = &plan.progression.world.snapshot().claims;
    let mut removed = BTreeSet::new();
    for step in &prediction.steps {
        match &step.what {
            PredictedEvent::ClaimRemoved(claim) => drop(removed.insert(Arc::clone(claim))),
            PredictedEvent::Sync(writes) => removed.retain(|claim| {
                let made = |write: &ReportWrite| write.verb == Verb::Create && write.name == *claim;
                !writes.iter().any(made)
            }),
            PredictedEvent::Pod(..) | PredictedEvent::Object(..) => {}
        }
    }
    removed.iter().all(|claim| !claims.contains_key(claim))
}

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn a_world_as_predicted_is_on_track_at_every_step(
        scenario in worlds::scenario(),
        actions in actions(),
    ) {
        let plan = Plan::with_actions(actions, scenario.snapshot(), worlds::conditions(&scenario));
        prop_assume!(plan.progression.end == End::Rest);
        let prediction = predicted(&plan);
        prop_assume!(is_removed_for_good(&plan, &prediction));
        let (world, before) = plan.initial_world();
        let behaviour = scenario.behaviour();
        let mut life = Life { world, behaviour, steps: before.len() };
        loop {
            let comparison = life.compare(&prediction);
            prop_assert!(
                comparison.differences.is_empty()
                    && comparison.stale.is_none()
                    && matches!(comparison.verdict, Verdict::OnTrack | Verdict::Finished),
                "after {} steps of {:#?}: {comparison:#?}", life.steps, prediction.steps
            );
            if !life.go_on() {
                break;
            }
        }
        let end = life.compare(&prediction);
        prop_assert_eq!(end.verdict, Verdict::Finished);
        prop_assert_eq!(end.overdue, None);
    }
}

/// A user action before the next sync.
fn actions() -> impl Strategy<Value = Vec<Action>> {
    let pods = proptest::collection::vec(0..4u8, 0..2);
    let cascade = prop_oneof![
        6 => Just(None),
        1 => Just(Some(Cascade::Background)),
        1 => Just(Some(Cascade::Foreground)),
        1 => Just(Some(Cascade::Orphan)),
    ];
    (pods, cascade).prop_map(|(pods, cascade)| {
        let pods = pods.into_iter();
        let pods = pods.map(|ordinal| Action::DeletePod(Arc::from(format!("web-{ordinal}"))));
        pods.chain(cascade.map(Action::DeleteSet)).collect()
    })
}

/// A set in the middle of its life, part of the way through a plan.
#[derive(Debug, Clone)]
struct Case {
    replicas: i64,
    parallel: bool,
    claims: bool,
    min_ready: i64,
    wish: Wish,
    /// Percentage of the plan's steps that are done when something else happens.
    part: usize,
    /// Index of the affected pod among the candidates.
    which: usize,
}

#[derive(Debug, Clone, Copy)]
enum Wish {
    FirstRollout,
    NewTemplate,
    Nothing,
}

fn case() -> impl Strategy<Value = Case> {
    let wish = prop_oneof![
        Just(Wish::FirstRollout),
        Just(Wish::NewTemplate),
        Just(Wish::Nothing)
    ];
    let shape = (1..5i64, any::<bool>(), any::<bool>(), 0..2i64);
    (shape, wish, 0..100usize, any::<prop::sample::Index>()).prop_map(
        |((replicas, parallel, claims, min_ready), wish, part, which)| Case {
            replicas,
            parallel,
            claims,
            min_ready: min_ready * 30,
            wish,
            part,
            which: which.index(1 << 20),
        },
    )
}

impl Case {
    fn scenario(&self) -> Scenario {
        let mut scenario = web(self.replicas).min_ready(self.min_ready);
        if self.parallel {
            scenario = scenario.parallel();
        }
        if self.claims {
            scenario = scenario.claims("data");
        }
        match self.wish {
            Wish::Nothing => scenario,
            Wish::NewTemplate => scenario.template("v2"),
            Wish::FirstRollout => (0..self.replicas).fold(scenario, |scenario, ordinal| {
                scenario.without(&format!("web-{ordinal}"))
            }),
        }
    }

    /// The plan, its prediction, and a life that has gone part of the way.
    fn lived(&self, version: &str) -> (Plan, Prediction, Life) {
        let plan = scenario::plan(&self.scenario(), version);
        let prediction = predicted(&plan);
        let (world, _) = plan.initial_world();
        let behaviour = plan.conditions.behaviour.clone();
        let mut life = Life {
            world,
            behaviour,
            steps: 0,
        };
        while life.steps * 100 < plan.progression.steps.len() * self.part && life.go_on() {}
        (plan, prediction, life)
    }
}

/// The same moment in a world that differs in one respect.
fn compare_changed(
    prediction: &Prediction,
    life: &Life,
    change: impl FnOnce(&mut Snapshot),
) -> Comparison {
    let mut snapshot = life.world.snapshot().clone();
    change(&mut snapshot);
    compare(prediction, &Now::There(&snapshot), life.world.now())
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn an_edited_specification_makes_the_plan_stale(case in case(), which in 0..4usize) {
        let (_, prediction, life) = case.lived("1.33");
        let found = compare_changed(&prediction, &life, |snapshot| {
            let set = Arc::make_mut(&mut snapshot.set);
            set.generation += 1;
            match which {
                0 => set.replicas += 1,
                1 => set.template = Arc::new(scenario::template("v3")),
                2 => set.strategy = object::Strategy::OnDelete(None),
                _ => {}
            }
        });
        prop_assert_eq!(found.verdict, Verdict::Stale);
        let Some(Stale::Changed(fields)) = found.stale else {
            return Err(TestCaseError::fail("it says nothing of the specification"));
        };
        let paths: Vec<&str> = fields.iter().map(|field| field.path.as_str()).collect();
        let edited = [
            "spec.replicas",
            "spec.template",
            "spec.updateStrategy.type",
            "metadata.generation",
        ];
        prop_assert_eq!(paths, vec![edited[which]]);
    }

    #[test]
    fn a_deleted_or_recreated_set_makes_the_plan_stale(case in case(), which in 0..3usize) {
        let (_, prediction, life) = case.lived("1.33");
        let mut snapshot = life.world.snapshot().clone();
        let set = Arc::make_mut(&mut snapshot.set);
        let (now, stale) = match which {
            0 => (Now::Gone(&snapshot), Stale::Gone),
            1 => {
                set.meta.uid = Arc::from("another uid");
                (Now::There(&snapshot), Stale::Replaced)
            }
            _ => {
                set.meta.deleted = Some(life.world.now());
                (Now::There(&snapshot), Stale::BeingDeleted)
            }
        };
        let found = compare(&prediction, &now, life.world.now());
        prop_assert_eq!(found.verdict, Verdict::Stale);
        prop_assert_eq!(found.stale, Some(stale));
    }

    #[test]
    fn a_pod_deleted_from_outside_is_the_first_difference(case in case()) {
        let (plan, prediction, life) = case.lived("1.33");
        let pods = life.world.snapshot().pods.values();
        let alive: Vec<Arc<str>> = pods
            .filter(|pod| !pod.is_terminating())
            .map(|pod| Arc::clone(&pod.meta.name))
            .collect();
        prop_assume!(!alive.is_empty());
        let pod = &alive[case.which % alive.len()];
        // The pod that is next anyway may be deleted.
        let next = plan.progression.steps[life.steps..].iter().find_map(|step| match &step.action {
            StepAction::Controller(writes) => writes.iter().find(|write| write.verb == Verb::Delete),
            StepAction::Pod(PodEvent::Ready | PodEvent::Available, _) => None,
            _ => None,
        });
        prop_assume!(next.is_none_or(|next| next.name != *pod));
        let found = compare_changed(&prediction, &life, |snapshot| {
            let pod = Arc::make_mut(snapshot.pods.get_mut(pod).unwrap());
            pod.meta.deleted = Some(life.world.now());
        });
        prop_assert_eq!(found.verdict, Verdict::Diverged, "{:#?}", found);
        let first = &found.differences[0];
        prop_assert_eq!((first.resource, first.name.as_str()), (Kind::Pod, &**pod));
        prop_assert!(first.found.contains("terminating"), "{}", first.found);
        prop_assert!(first.cause.contains("kubectl delete"), "{}", first.cause);
    }

    #[test]
    fn a_pod_that_never_gets_ready_is_late_and_diverged_once_it_says_why(case in case()) {
        let (plan, prediction, _) = case.lived("1.33");
        let readied: Vec<Arc<str>> = plan.progression.steps.iter().filter_map(|step| match &step.action {
            StepAction::Pod(PodEvent::Ready, pod) => Some(Arc::clone(pod)),
            _ => None,
        }).collect();
        prop_assume!(!readied.is_empty());
        let pod = &readied[case.which % readied.len()];
        let never = Assumption { start: Start::NeverReady, ..Assumption::default() };
        let kubelet = Kubelet {
            ready_after: SignedDuration::from_secs(10),
            gone_after: SignedDuration::from_secs(5),
            assumptions: BTreeMap::from([(pod.to_string(), never)]),
            ..Kubelet::default()
        };
        let world = World::new(plan.snapshot.clone(), plan.conditions.now, kubelet);
        let mut life = Life { world, behaviour: plan.conditions.behaviour.clone(), steps: 0 };
        while life.go_on() {}
        let long_after = life.world.now() + SignedDuration::from_hours(1);
        let now = Now::There(life.world.snapshot());
        let found = compare(&prediction, &now, long_after);
        prop_assert_eq!(found.verdict, Verdict::OnTrack, "{:#?}", found);
        let late = &prediction.steps[found.overdue.unwrap().step];
        prop_assert_eq!(&late.what, &PredictedEvent::Pod(PodEvent::Ready, Arc::clone(pod)));
        let found = compare_changed(&prediction, &life, |snapshot| {
            let pod = Arc::make_mut(snapshot.pods.get_mut(pod).unwrap());
            pod.trouble = Some(Arc::new(Trouble {
                container: Some("main".into()),
                reason: "CrashLoopBackOff".into(),
                message: String::new(),
            }));
        });
        prop_assert_eq!(found.verdict, Verdict::Diverged);
        prop_assert_eq!(found.differences[0].name.as_str(), &**pod);
        prop_assert!(found.differences[0].found.contains("CrashLoopBackOff"));
    }

    #[test]
    fn a_controller_that_names_revisions_otherwise_is_seen_by_its_revision(case in case()) {
        let case = Case { wish: Wish::NewTemplate, part: 0, ..case };
        let (_, prediction, mut life) = case.lived("1.33");
        // Since 1.34, the template's creationTimestamp is not part of a revision's data.
        life.behaviour = scenario::behaviour("1.34.0");
        life.go_on();
        let found = life.compare(&prediction);
        prop_assert_eq!(found.verdict, Verdict::Diverged);
        let first = &found.differences[0];
        prop_assert_eq!(first.resource, Kind::Revision);
        prop_assert!(first.cause.contains("--kubernetes-version"), "{}", first.cause);
        while life.go_on() {}
        prop_assert_eq!(life.compare(&prediction).differences[0].resource, Kind::Revision);
    }

    #[test]
    fn steps_that_come_sooner_or_later_than_predicted_are_ahead_or_late(case in case(), shift in -300..300i64) {
        let (_, prediction, life) = case.lived("1.33");
        let then = life.world.now() + SignedDuration::from_secs(shift);
        prop_assume!(then >= prediction.begins);
        let found = compare(&prediction, &Now::There(life.world.snapshot()), then);
        prop_assert!(found.differences.is_empty(), "{:#?}", found);
        let finished = found.next().is_none();
        if finished {
            prop_assert_eq!(found.verdict, Verdict::Finished);
        } else if found.overdue.is_some() {
            prop_assert!(shift > 10);
            prop_assert_eq!(found.verdict, Verdict::OnTrack);
        } else if found.verdict == Verdict::Ahead {
            prop_assert!(shift < -10);
        }
        if shift > 200 && !finished {
            prop_assert!(found.overdue.is_some());
        }
    }
}
