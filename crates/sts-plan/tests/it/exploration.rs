//! `--explore`: every order of events, with identical states merged.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::json;
use sts_controller::object::Phase;
use sts_controller::simulate::{Action, Bounds, End, PodEvent, ScheduledEvent, World, run};
use sts_controller::version::Behaviour;
use sts_plan::analysis::analyze;
use sts_plan::fleet::violation;
use sts_plan::plan::Plan;
use sts_plan::report::{Report, ReportExploration};
use sts_plan::requirement::{AddedPods, PodCounts, Requirement};
use sts_plan::what_if::{Questions, Verdict, WhatIfAnswers};

use crate::scenario::{Scenario, plan, plan_after, pod, web};

fn explored(plan: &Plan, faults: usize, requirements: &[&str]) -> ReportExploration {
    let questions = Questions {
        requirements: requirements
            .iter()
            .map(|text| text.parse().unwrap())
            .collect(),
        explore: Some(Bounds {
            merge_alike: false,
            ..Bounds::new(faults, 500_000)
        }),
        ..Questions::default()
    };
    *WhatIfAnswers::of(plan, &questions).exploration.unwrap()
}

/// `verdict states/moves complete-ends+unfinished-ends`.
fn shape(scenario: &Scenario, faults: usize, requirements: &[&str]) -> String {
    shape_of(&plan(scenario, "1.36"), faults, requirements)
}

fn shape_of(plan: &Plan, faults: usize, requirements: &[&str]) -> String {
    let found = explored(plan, faults, requirements);
    let (complete, unfinished) = (found.complete_ends, found.unfinished_ends);
    format!(
        "{} {}/{} {complete}+{unfinished}",
        found.verdict, found.states, found.moves
    )
}

/// The sizes of a dozen small models. If one changes without a reason, an order of events was lost or added.
#[test]
fn state_counts_of_small_models() {
    let first = |replicas: i64| {
        (0..replicas).fold(web(replicas), |web, ordinal| {
            web.without(&format!("web-{ordinal}"))
        })
    };
    let anything: &[&str] = &["replicas<=9"];
    let models: [(&str, Scenario, usize, &[&str], &str); 14] = [
        ("at rest", web(3), 0, &[], "holds 1/0 1+0"),
        ("first rollout", first(3), 0, &[], "holds 4/3 1+0"),
        (
            "first rollout, parallel",
            first(3).parallel(),
            0,
            &[],
            "holds 8/12 1+0",
        ),
        (
            "first rollout, parallel, delayed",
            first(3).parallel().min_ready(30),
            0,
            &[],
            "holds 38/60 1+0",
        ),
        ("update", web(3).rolling_to_v2(), 0, &[], "holds 7/6 1+0"),
        (
            "update, delayed",
            web(3).rolling_to_v2().min_ready(30),
            0,
            &[],
            "holds 10/9 1+0",
        ),
        (
            "update, parallel",
            web(3).rolling_to_v2().parallel(),
            0,
            &[],
            "holds 7/6 1+0",
        ),
        (
            "update above a partition",
            web(3).rolling_to_v2().partition(2),
            0,
            &[],
            "holds 3/2 1+0",
        ),
        ("scale down", web(3).replicas(1), 0, &[], "holds 3/2 1+0"),
        (
            "scale down, parallel",
            web(3).parallel().replicas(0),
            0,
            &[],
            "holds 8/12 1+0",
        ),
        ("at rest, one fault", web(3), 1, anything, "holds 7/9 4+0"),
        (
            "update, one fault",
            web(3).rolling_to_v2(),
            1,
            anything,
            "holds 46/89 2+3",
        ),
        (
            "update, parallel, one fault",
            web(3).rolling_to_v2().parallel(),
            1,
            anything,
            "holds 36/83 2+3",
        ),
        (
            "update of five, one fault",
            web(5).rolling_to_v2(),
            1,
            anything,
            "holds 129/252 2+5",
        ),
    ];
    let mut wrong = Vec::new();
    for (name, scenario, faults, requirements, expected) in models {
        let found = shape(&scenario, faults, requirements);
        if found != expected {
            wrong.push(format!("{name}: {found}, not {expected}"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The same with gates, with earlier actions, and with more than one fault.
#[test]
fn state_counts_of_other_strategies() {
    let on = "1.36 MaxUnavailableStatefulSet=true";
    let deleted = |name: &str| vec![Action::DeletePod(name.into())];
    let models: [(&str, Plan, usize, &str); 7] = [
        (
            "on delete, one fault",
            plan(&web(5).rolling_to_v2().on_delete(), "1.36"),
            1,
            "holds 11/15 6+0",
        ),
        (
            "two at once",
            plan(&web(4).rolling_to_v2().max_unavailable(json!(2)), on),
            0,
            "holds 13/16 1+0",
        ),
        (
            "two at once, in parallel",
            plan(
                &web(4).parallel().rolling_to_v2().max_unavailable(json!(2)),
                on,
            ),
            0,
            "holds 33/56 1+0",
        ),
        (
            "two at once, one fault",
            plan(&web(4).rolling_to_v2().max_unavailable(json!(2)), on),
            1,
            "holds 98/223 2+4",
        ),
        (
            "a pod deleted first",
            plan_after(deleted("web-1"), &web(3), "1.36"),
            0,
            "holds 3/2 1+0",
        ),
        (
            "a pod deleted before an update",
            plan_after(deleted("web-0"), &web(3).rolling_to_v2(), "1.36"),
            0,
            "holds 7/6 1+0",
        ),
        (
            "two faults",
            plan(&web(3).rolling_to_v2(), "1.36"),
            2,
            "holds 148/424 3+21",
        ),
    ];
    let mut wrong = Vec::new();
    for (name, plan, faults, expected) in models {
        let found = shape_of(&plan, faults, &["replicas<=9"]);
        if found != expected {
            wrong.push(format!("{name}: {found}, not {expected}"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// A violation in some order of events: a requirement breaks, or the end is not the expected one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    Nothing,
    Wrong,
}

/// The same question without merging: every run is walked from its beginning.
struct BruteForce<'p> {
    newcomers: AddedPods,
    plan: &'p Plan,
    requirement: Option<Requirement>,
    runs: usize,
    /// Maximum number of events in a run.
    longest: usize,
}

#[derive(Debug, Clone)]
enum Chosen {
    Event(PodEvent, Arc<str>),
    NeverReady(Arc<str>),
}

/// Number of runs above which a world counts as too large.
const MOST_RUNS: usize = 400;

impl BruteForce<'_> {
    fn behaviour(&self) -> &Behaviour {
        &self.plan.conditions.behaviour
    }

    fn breaks(&self, world: &World) -> bool {
        self.requirement.as_ref().is_some_and(|requirement| {
            let counts = PodCounts::under(world, self.newcomers.clone(), &self.plan.conditions);
            let value = counts.count(requirement.quantity, world);
            !requirement.holds(value, counts.voters(), world)
        })
    }

    /// Syncs the controller to rest. Returns true if something breaks on the way.
    fn run_until_stable(&self, world: &mut World) -> bool {
        loop {
            let synced = world.sync(self.behaviour(), false);
            if !synced.steps.is_empty() && self.breaks(world) {
                return true;
            }
            if !synced.changed {
                return false;
            }
        }
    }

    /// The world at the end of a path, with the pods that never become ready; `None` if it breaks earlier.
    fn walk(&self, path: &[Chosen]) -> Option<(World, Vec<Arc<str>>)> {
        let (mut world, _) = self.plan.initial_world();
        let mut stalled = Vec::new();
        if self.breaks(&world) || self.run_until_stable(&mut world) {
            return None;
        }
        for chosen in path {
            match chosen {
                Chosen::NeverReady(pod) => {
                    stalled.push(Arc::clone(&world.snapshot().pods[pod].meta.uid));
                }
                Chosen::Event(event, pod) => {
                    let due = ScheduledEvent {
                        at: world.now(),
                        event: *event,
                        pod: Arc::clone(pod),
                    };
                    world.apply(&due);
                    if self.breaks(&world) || self.run_until_stable(&mut world) {
                        return None;
                    }
                }
            }
        }
        Some((world, stalled))
    }

    /// Returns true if the world is as desired.
    fn is_well(&self, world: &World) -> bool {
        let last = world.branch().next_sync(self.behaviour());
        let waits = last.holds.iter().any(|hold| !hold.is_intended());
        let mut pods = world.snapshot().pods.values();
        let unhealthy = pods.any(|pod| pod.is_terminating() || !pod.is_running_and_ready());
        !(waits || unhealthy || last.error.is_some())
    }

    fn search(&mut self, path: &mut Vec<Chosen>, faults: usize) -> Option<Found> {
        self.runs += 1;
        if self.runs > MOST_RUNS {
            return None;
        }
        let Some((world, stalled)) = self.walk(path) else {
            return Some(Found::Wrong);
        };
        let pods = &world.snapshot().pods;
        let starts = |due: &ScheduledEvent| due.event == PodEvent::Ready;
        let events: Vec<ScheduledEvent> = world
            .enabled()
            .filter(|due| !(starts(due) && stalled.contains(&pods[&due.pod].meta.uid)))
            .collect();
        if events.is_empty() && self.requirement.is_none() {
            // It continues once the pods that a fault broke have recovered.
            let recovers = || {
                let (again, _) = self.walk(path)?;
                let later = run(again, self.behaviour());
                Some(later.end == End::Rest && self.is_well(&later.world))
            };
            let recovers = || !stalled.is_empty() && recovers() == Some(true);
            if !self.is_well(&world) && !recovers() {
                return Some(Found::Wrong);
            }
        }
        if path.len() == self.longest {
            return Some(Found::Nothing);
        }
        let mut choices: Vec<(Chosen, usize)> = events
            .iter()
            .map(|due| (Chosen::Event(due.event, Arc::clone(&due.pod)), 0))
            .collect();
        if faults > 0 {
            for due in events.iter().filter(|due| starts(due)) {
                choices.push((Chosen::NeverReady(Arc::clone(&due.pod)), 1));
            }
            for pod in pods.values() {
                let name = || Arc::clone(&pod.meta.name);
                choices.push((Chosen::Event(PodEvent::Removed, name()), 1));
                if !pod.is_terminating() && pod.phase != Phase::Failed {
                    choices.push((Chosen::Event(PodEvent::Failed, name()), 1));
                }
            }
        }
        for (chosen, cost) in choices {
            path.push(chosen);
            let found = self.search(path, faults - cost);
            path.pop();
            if found != Some(Found::Nothing) {
                return found;
            }
        }
        Some(Found::Nothing)
    }
}

/// A small set with some unhealthy pods.
fn small() -> impl Strategy<Value = Scenario> {
    let pods = prop::collection::vec(0..6u8, 0..=3);
    (pods, 0..=3i64, any::<bool>(), any::<bool>(), 0..=2i64).prop_map(
        |(pods, replicas, parallel, rolling, partition)| {
            let count = i64::try_from(pods.len()).unwrap();
            let mut scenario = web(count).replicas(replicas).partition(partition);
            if rolling {
                scenario = scenario.rolling_to_v2();
            }
            for (ordinal, kind) in pods.iter().enumerate() {
                let name = format!("web-{ordinal}");
                let sketch = pod(&name);
                scenario = match kind {
                    0 => scenario.without(&name),
                    1 => scenario.pod(sketch.not_ready()),
                    2 => scenario.pod(sketch.terminating()),
                    3 => scenario.pod(sketch.failed()),
                    _ => scenario,
                };
            }
            if parallel {
                scenario.parallel()
            } else {
                scenario
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, max_global_rejects: 5_000, ..ProptestConfig::default() })]

    /// Merging identical states loses nothing.
    #[test]
    fn the_verdict_is_that_of_brute_force(
        scenario in small(),
        faults in 0..=1usize,
        requirement in prop::option::of(prop::sample::select(vec![
            "unavailable<=1", "unavailable<=2", "ready>=1", "replicas<=3", "terminating<=1", "revision-mix<=1",
        ])),
    ) {
        let plan = plan(&scenario, "1.36");
        let newcomers = |faults: usize| match faults {
            0 => AddedPods::of(&plan),
            _ => AddedPods::default(),
        };
        let mut brute = BruteForce {
            plan: &plan,
            newcomers: newcomers(faults),
            requirement: requirement.map(|text| text.parse().unwrap()),
            runs: 0,
            longest: usize::MAX,
        };
        let found = brute.search(&mut Vec::new(), faults);
        prop_assume!(found.is_some());
        let requirements: Vec<&str> = requirement.into_iter().collect();
        let merged = explored(&plan, faults, &requirements);
        let expected = if found == Some(Found::Wrong) { Verdict::Broken } else { Verdict::Holds };
        prop_assert_eq!(merged.verdict, expected, "{:?}", merged);
        // There is no counterexample with fewer events. One without a fault is shown before those with faults.
        if let Some(shown) = &merged.counterexample
            && let Some(fewer) = shown.path.len().checked_sub(1)
        {
            let has_fault = shown.path.iter().any(|chosen| chosen.fault);
            let allowed = if has_fault { faults } else { 0 };
            brute.newcomers = newcomers(allowed);
            (brute.runs, brute.longest) = (0, fewer);
            prop_assert_ne!(brute.search(&mut Vec::new(), allowed), Some(Found::Wrong), "{:?}", shown);
        }
    }
}

/// The counterexample's flags lead the normal plan to the same violation.
#[test]
fn a_counterexample_can_be_replayed() {
    let crowd = web(3).parallel().replicas(3).rolling_to_v2();
    let cases: [(Scenario, usize, &[&str], bool); 4] = [
        (web(3).rolling_to_v2(), 0, &["updated<=1"], true),
        (
            web(3).without("web-2").without("web-1").parallel(),
            0,
            &["unavailable<2"],
            true,
        ),
        (crowd, 0, &["updated<=2"], true),
        (web(3), 1, &["unavailable<=0"], false),
    ];
    for (scenario, faults, requirements, replayable) in cases {
        let explored = explored(&plan(&scenario, "1.36"), faults, requirements);
        let found = explored.counterexample.unwrap();
        assert_eq!(found.not_replayable.is_none(), replayable, "{found:?}");
    }
}

/// A violation that exists from the beginning needs no flags.
#[test]
fn an_initial_violation_needs_no_flags() {
    let plan = plan(&web(3).rolling_to_v2(), "1.36");
    let explored = explored(&plan, 1, &["ready>=3"]);
    let found = explored.counterexample.unwrap();
    assert!(found.path.is_empty());
    assert!(found.not_replayable.is_none() && found.assume.is_empty());
}

/// A search that stops early proves nothing, and says so.
#[test]
fn a_limit_gives_no_verdict() {
    let plan = plan(&web(3).rolling_to_v2(), "1.36");
    let questions = Questions {
        requirements: vec!["unavailable<=1".parse().unwrap()],
        explore: Some(Bounds::new(0, 3)),
        ..Questions::default()
    };
    let analysis = analyze(&plan, &questions);
    let what_if = &analysis.what_if;
    let explored = what_if.exploration.as_ref().unwrap();
    assert_eq!(explored.verdict, Verdict::Unknown);
    let report = Report::from(&analysis);
    let reason = violation(&report);
    assert_eq!(
        reason.as_deref(),
        Some("is not verified for every order of events")
    );
    let summary = report.exploration.unwrap().summary;
    assert!(
        summary.starts_with("not verified: stopped after 3 states without a violation"),
        "{summary}"
    );
    assert!(summary.contains("limit of states reached"), "{summary}");
    // Exactly as many states as exist are enough.
    for (states, expected) in [(6, Verdict::Unknown), (7, Verdict::Holds)] {
        let explore = Some(Bounds::new(0, states));
        let questions = Questions {
            explore,
            ..questions.clone()
        };
        let explored = WhatIfAnswers::of(&plan, &questions).exploration.unwrap();
        assert_eq!(explored.verdict, expected, "{states}");
    }
}

/// Memory is limited. If the limit ends a search, the result says so.
#[test]
fn a_memory_limit_gives_no_verdict() {
    let plan = plan(&web(3).rolling_to_v2(), "1.36");
    let searched = |bytes| {
        let questions = Questions {
            requirements: vec!["replicas<=9".parse().unwrap()],
            explore: Some(Bounds {
                bytes,
                ..Bounds::new(1, 1_000)
            }),
            ..Questions::default()
        };
        analyze(&plan, &questions)
    };
    let enough = searched(1 << 20).what_if.exploration.unwrap();
    assert_eq!(enough.verdict, Verdict::Holds);
    let analysis = searched(20);
    let found = analysis.what_if.exploration.unwrap();
    assert_eq!(found.verdict, Verdict::Unknown);
    let summary = found.summary;
    assert!(summary.contains("memory limit reached"), "{summary}");
}

/// The sizes of the same models with states of identical pods merged.
#[test]
fn state_counts_where_like_pods_are_merged() {
    let first = |replicas: i64| {
        (0..replicas).fold(web(replicas), |web, ordinal| {
            web.without(&format!("web-{ordinal}"))
        })
    };
    let models: [(&str, Scenario, usize, usize, usize); 6] = [
        ("first rollout", first(3).parallel(), 0, 8, 4),
        ("first rollout, one fault", first(5).parallel(), 1, 144, 17),
        ("scale down", web(3).parallel().replicas(0), 0, 8, 4),
        (
            "update, one fault",
            web(3).rolling_to_v2().parallel(),
            1,
            36,
            25,
        ),
        ("delayed", first(3).parallel().min_ready(30), 0, 38, 10),
        ("in order", web(3).rolling_to_v2(), 1, 46, 46),
    ];
    let mut wrong = Vec::new();
    for (name, scenario, faults, apart, merged) in models {
        let plan = plan(&scenario, "1.36");
        let states = |merge_alike| {
            let questions = Questions {
                requirements: vec!["replicas<=9".parse().unwrap()],
                explore: Some(Bounds {
                    merge_alike,
                    ..Bounds::new(faults, 500_000)
                }),
                ..Questions::default()
            };
            let found = WhatIfAnswers::of(&plan, &questions).exploration.unwrap();
            assert_eq!(found.verdict, Verdict::Holds, "{name}: {found:?}");
            found.states
        };
        let found = (states(false), states(true));
        if found != (apart, merged) {
            wrong.push(format!("{name}: {found:?}, not {:?}", (apart, merged)));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
