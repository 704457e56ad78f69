//! Runbooks in use: the printed commands, run stage by stage in a world that keeps moving, have the predicted results.
//! So has the way back from each stage.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use serde_json::{Value, json};
use sts_controller::apiserver::apply::Edit;
use sts_controller::controller::{Resource, Verb};
use sts_controller::object::Snapshot;
use sts_controller::simulate::{
    Action, Assumption, Kubelet, ObjectEvent, ScheduledAction, Step, StepAction, World,
};
use sts_controller::version::Behaviour;
use sts_plan::plan::{Conditions, PlanResult};
use sts_plan::stages::{Begins, NoWayBack, StagePlan, WayBack, WayBackEnd};

use crate::scenario::{Scenario, moment, pod, web};

use test_kit::stages::{Does, after, conditions, image, partition, staged};
use test_kit::worlds::cases;

/// More events than any of these worlds has.
const MAX_EVENTS: usize = 2_000;

/// The requests of the kubectl commands in runbooks: the resulting spec of the set, and deleted pods.
fn requests(commands: &[String], snapshot: &Snapshot) -> Vec<Action> {
    let mut set = Value::clone(&snapshot.set.object.open());
    let mut deleted = Vec::new();
    for command in commands {
        let words = words(command);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["kubectl", "scale", "sts", "web", replicas, "-n", "default"] => {
                let replicas = replicas.strip_prefix("--replicas=").unwrap();
                set["spec"]["replicas"] = replicas.parse::<i64>().unwrap().into();
            }
            ["kubectl", "set", "image", "sts/web", pair, "-n", "default"] => {
                let (name, image) = pair.split_once('=').unwrap();
                let container = &mut set["spec"]["template"]["spec"]["containers"][0];
                assert_eq!(container["name"], name);
                container["image"] = image.into();
            }
            [
                "kubectl",
                "patch",
                "sts",
                "web",
                "--type",
                "merge" | "strategic",
                "-p",
                patch,
                "-n",
                "default",
            ] => {
                merge(&mut set, &serde_json::from_str(patch).unwrap());
            }
            [
                "kubectl",
                "patch",
                "sts",
                "web",
                "--type",
                "json",
                "-p",
                patch,
                "-n",
                "default",
            ] => {
                let operations: Vec<Value> = serde_json::from_str(patch).unwrap();
                operations.iter().for_each(|it| operate(&mut set, it));
            }
            [
                "kubectl",
                "rollout",
                "undo",
                "sts/web",
                revision,
                "-n",
                "default",
            ] => {
                let number: i64 = revision
                    .strip_prefix("--to-revision=")
                    .unwrap()
                    .parse()
                    .unwrap();
                let mut revisions = snapshot.revisions.values();
                let revision = revisions
                    .find(|revision| revision.number == number)
                    .unwrap();
                let mut template = Value::clone(revision.template().unwrap());
                template.as_object_mut().unwrap().remove("$patch");
                set["spec"]["template"] = template;
            }
            ["kubectl", "delete", "pod", pods @ .., "-n", "default"] => {
                deleted.extend(pods.iter().map(|pod| Action::DeletePod(Arc::from(*pod))));
            }
            _ => panic!("a runbook of these does not have {command:?}"),
        }
    }
    let path = "spec".parse().unwrap();
    let value = set["spec"].take();
    let edit = Action::EditSet(Edit::Set { path, value });
    std::iter::once(edit).chain(deleted).collect()
}

/// The words of a command, with single quotes.
fn words(command: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut quoted = false;
    for character in command.chars() {
        match character {
            '\'' => quoted = !quoted,
            ' ' if !quoted => out.push(String::new()),
            other => out.last_mut().unwrap().push(other),
        }
    }
    out
}

/// A JSON merge patch: RFC 7396.
fn merge(into: &mut Value, patch: &Value) {
    match patch {
        Value::Object(members) => {
            if !into.is_object() {
                *into = Value::Object(serde_json::Map::new());
            }
            for (name, value) in members {
                match value {
                    Value::Null => drop(into.as_object_mut().unwrap().remove(name)),
                    value => merge(&mut into[name], value),
                }
            }
        }
        Value::Array(_) => panic!("these patches have no lists: {patch}"),
        other => *into = other.clone(),
    }
}

/// An operation of a JSON patch: RFC 6902.
fn operate(document: &mut Value, operation: &Value) {
    let path = operation["path"].as_str().unwrap();
    let value = operation["value"].clone();
    let found = document.pointer_mut(path);
    match (operation["op"].as_str().unwrap(), found) {
        ("test", Some(found)) => assert_eq!(*found, value, "{operation}"),
        ("replace", Some(found)) => *found = value,
        (kind @ ("add" | "remove"), found) => {
            assert_eq!(found.is_some(), kind == "remove", "{operation}");
            let (parent, name) = path.rsplit_once('/').unwrap();
            let name = name.replace("~1", "/").replace("~0", "~");
            let parent = document.pointer_mut(parent).unwrap();
            let parent = parent.as_object_mut().unwrap();
            match kind {
                "add" => drop(parent.insert(name, value)),
                _ => drop(parent.remove(&name)),
            }
        }
        _ => panic!("nothing at {path}: {operation}"),
    }
}

/// A world in which commands are run.
struct Follower {
    world: World,
    behaviour: Behaviour,
    steps: Vec<Step>,
}

impl Follower {
    /// A copy of the same moment that has not been observed yet.
    fn fork(&self) -> Follower {
        Follower {
            world: self.world.branch(),
            behaviour: self.behaviour.clone(),
            steps: Vec::new(),
        }
    }

    fn spec(&self) -> Value {
        self.world.snapshot().set.object.open()["spec"].clone()
    }

    fn settle(&mut self) {
        for _ in 0..MAX_EVENTS {
            let synced = self.world.sync(&self.behaviour, false);
            self.steps.extend(synced.steps);
            if !synced.changed {
                break;
            }
        }
    }

    /// Waits until the end of a moment, or until nothing is left to happen.
    fn wait(&mut self, until: Option<Timestamp>) {
        for _ in 0..MAX_EVENTS {
            self.settle();
            match self.world.first() {
                Some(due) if until.is_none_or(|until| due.at <= until) => {
                    self.steps.extend(self.world.fire(&due));
                }
                _ => return,
            }
        }
        panic!("it does not come to rest");
    }

    /// Runs commands at a moment that is not over.
    fn type_in(&mut self, commands: &[String], at: Timestamp) {
        let actions = requests(commands, self.world.snapshot());
        let appointments = actions
            .into_iter()
            .map(|action| ScheduledAction { at, action });
        self.world = self.world.branch().with_agenda(appointments);
        while self.world.has_agenda() {
            self.steps.extend(self.world.proceed(&self.behaviour));
        }
    }
}

fn step_line(step: &Step) -> String {
    let at = step.at.duration_since(moment()).as_secs();
    format!("{at} {:?}", step.action)
}

/// The number of pods that are replaced, created and deleted, each name once.
fn counts(steps: &[Step]) -> (usize, usize, usize) {
    let (mut created, mut deleted) = (BTreeSet::new(), BTreeSet::new());
    for step in steps {
        match &step.action {
            StepAction::Controller(writes) => {
                for write in writes
                    .iter()
                    .filter(|write| write.resource == Resource::Pods)
                {
                    match write.verb {
                        Verb::Create => drop(created.insert(&write.name)),
                        Verb::Delete => drop(deleted.insert(&write.name)),
                        _ => {}
                    }
                }
            }
            StepAction::Object(_, ObjectEvent::PodDeleted, name) => drop(deleted.insert(name)),
            _ => {}
        }
    }
    let replaced = created.intersection(&deleted).count();
    (replaced, created.len() - replaced, deleted.len() - replaced)
}

/// Returns true if all pods of a set match its spec and are ready.
fn is_complete(snapshot: &Snapshot) -> bool {
    let object = snapshot.set.object.open();
    let image = &object["spec"]["template"]["spec"]["containers"][0]["image"];
    let names: Vec<String> = (0..snapshot.set.replicas)
        .map(|at| format!("web-{at}"))
        .collect();
    let is_as_wanted = |name: &String| {
        snapshot.pods.get(name.as_str()).is_some_and(|pod| {
            let revision = snapshot.revisions.get(&pod.revision);
            let template = revision.and_then(|revision| revision.template());
            let is_new = template.is_some_and(|it| it["spec"]["containers"][0]["image"] == *image);
            is_new && pod.is_ready() && pod.meta.deleted.is_none()
        })
    };
    names.len() == snapshot.pods.len() && names.iter().all(is_as_wanted)
}

/// Runs the commands of the way back at the end of a stage.
fn go_back(
    back: &WayBack,
    end: &Follower,
    start: Timestamp,
    original: &Value,
) -> Result<(), TestCaseError> {
    let mut follower = end.fork();
    let start = follower.world.now().max(start);
    if !back.deleted_pods.is_empty() {
        // The way back assumes that these pods are broken only by their revision, and says so.
        let snapshot = follower.world.snapshot().clone();
        let mut kubelet = follower.world.kubelet().clone();
        for name in &back.deleted_pods {
            let broken = Assumption {
                broken_on: Some(Arc::clone(&snapshot.pods[name.as_str()].revision)),
                ..Assumption::default()
            };
            kubelet.assumptions.insert(name.clone(), broken);
        }
        follower.world = World::new(snapshot, start, kubelet);
    }
    follower.type_in(&back.commands, start);
    follower.wait(None);
    let snapshot = follower.world.snapshot();
    let spec = follower.spec();
    for (member, value) in original.as_object().unwrap() {
        let is_kept = back.keeps_strategy && member == "updateStrategy";
        prop_assert!(
            is_kept || spec[member] == *value,
            "{member}: {} and not {value}",
            spec[member]
        );
    }
    let takes = follower
        .steps
        .last()
        .map_or(SignedDuration::ZERO, |step| step.at.duration_since(start));
    let summary = &back.summary;
    prop_assert_eq!(takes.as_secs(), summary.seconds, "{:?}", back.commands);
    prop_assert_eq!(
        counts(&follower.steps),
        (summary.restarts, summary.created, summary.deleted),
        "{:?}",
        back.commands
    );
    if back.end == WayBackEnd::Back && !back.keeps_strategy {
        let partition = &spec["updateStrategy"]["rollingUpdate"]["partition"];
        let moves_all = spec["updateStrategy"]["type"] == "RollingUpdate"
            && partition.as_i64().unwrap_or(0) == 0;
        prop_assert!(!moves_all || is_complete(snapshot), "{:?}", back.commands);
    }
    Ok(())
}

#[derive(Debug, Clone)]
struct Case {
    replicas: i64,
    min_ready: i64,
    parallel: bool,
    on_delete: bool,
    rolls: bool,
    partition: i64,
    /// True if no old revision is kept for a rollback.
    forgets: bool,
    /// The pod that is not ready at first, and never becomes ready.
    unready: Option<i64>,
    /// The pod that never becomes ready on the newest revision.
    broken: Option<i64>,
}

impl Case {
    fn scenario(&self) -> Scenario {
        let mut scenario = web(self.replicas)
            .min_ready(self.min_ready)
            .partition(self.partition);
        if self.on_delete {
            scenario = scenario.on_delete();
        }
        if self.parallel {
            scenario = scenario.parallel();
        }
        if self.rolls {
            scenario = scenario.rolling_to_v2();
        }
        if self.forgets {
            scenario = scenario.history_limit(0);
        }
        match self.unready {
            Some(at) if at < self.replicas => {
                scenario.pod(pod(&format!("web-{at}")).crash_looping())
            }
            _ => scenario,
        }
    }

    /// The broken pod, on the target revision of the stages unless a pod already has it.
    fn assumptions(
        &self,
        stages: &[(Begins, Does)],
        conditions: &Conditions,
    ) -> BTreeMap<String, Assumption> {
        let scenario = self.scenario();
        let planned = staged(&scenario, stages, conditions);
        let end = planned.last().unwrap().plan.progression.world.snapshot();
        let newest = end
            .revisions
            .values()
            .max_by_key(|revision| revision.number);
        let newest = &newest.unwrap().meta.name;
        let stored = scenario.snapshot(&conditions.behaviour);
        let is_new = !stored.revisions.contains_key(newest);
        let broken = self.broken.iter().filter(|_| is_new);
        let broken = broken.map(|at| {
            let broken = Assumption {
                broken_on: Some(Arc::clone(newest)),
                ..Assumption::default()
            };
            (format!("web-{at}"), broken)
        });
        broken.collect()
    }
}

fn case() -> impl Strategy<Value = Case> {
    let min_ready = prop_oneof![2 => Just(0_i64), 1 => 1_i64..9];
    let partition = prop_oneof![2 => Just(0_i64), 1 => 1_i64..4];
    let one = || prop_oneof![4 => Just(None), 1 => (0_i64..4).prop_map(Some)];
    let seldom = || prop::bool::weighted(0.3);
    (
        1_i64..5,
        min_ready,
        any::<bool>(),
        seldom(),
        seldom(),
        partition,
        (seldom(), one(), one()),
    )
        .prop_map(
            |(replicas, min_ready, parallel, on_delete, rolls, partition, others)| {
                let (forgets, unready, broken) = others;
                Case {
                    replicas,
                    min_ready,
                    parallel,
                    on_delete,
                    rolls,
                    partition,
                    forgets,
                    unready,
                    broken,
                }
            },
        )
}

fn set(path: &str, value: Value) -> Does {
    let path = path.parse().unwrap();
    Does::Edit(Edit::Set { path, value })
}

fn does() -> impl Strategy<Value = Does> {
    let annotations = json!({"example.com/team": "shop"});
    let template = prop_oneof![
        Just(set("spec.template.metadata.annotations", annotations)),
        (7_i64..9).prop_map(|seconds| {
            let path = "spec.template.spec.terminationGracePeriodSeconds";
            set(path, seconds.into())
        }),
    ];
    prop_oneof![
        2 => template,
        3 => (2..5).prop_map(|tag| image(&format!("app:{tag}"))),
        3 => (0..6).prop_map(partition),
        2 => (0..6).prop_map(|replicas| Does::Edit(Edit::replicas(replicas))),
        1 => (0..9).prop_map(|seconds| Does::Edit(Edit::min_ready_seconds(seconds))),
        2 => prop_oneof![Just("OnDelete"), Just("RollingUpdate")]
            .prop_map(|kind| Does::Edit(Edit::update_strategy(kind))),
        2 => (0..5).prop_map(|pod| Does::Delete(vec![format!("web-{pod}")])),
        1 => Just(Does::Nothing),
    ]
}

fn begins() -> impl Strategy<Value = Begins> {
    prop_oneof![
        Just(Begins::default()),
        (0_i64..60).prop_map(after),
        (0_i64..60).prop_map(|soak| Begins::AtRest {
            soak: SignedDuration::from_secs(soak)
        }),
    ]
}

/// The steps that a stage predicts.
fn predicted(stage: &StagePlan) -> Vec<String> {
    stage.plan.progression.steps.iter().map(step_line).collect()
}

proptest! {
    #![proptest_config(cases(1))]

    #[test]
    fn following_a_runbook_gives_its_prediction(
        case in case(),
        stages in prop::collection::vec((begins(), does()), 1..6),
        version in prop_oneof![Just("1.24"), Just("1.33"), Just("1.37")],
    ) {
        let scenario = case.scenario();
        let conditions = conditions(version);
        let assumptions = case.assumptions(&stages, &conditions);
        let conditions = Conditions { assumptions, ..conditions };
        let planned = staged(&scenario, &stages, &conditions);
        let kubelet = Kubelet {
            ready_after: SignedDuration::from_secs(10),
            gone_after: SignedDuration::from_secs(5),
            believes_trouble: true,
            assumptions: conditions.assumptions.clone(),
            ..Kubelet::default()
        };
        let behaviour = conditions.behaviour.clone();
        let snapshot = scenario.snapshot(&behaviour);
        let world = World::new(snapshot, moment(), kubelet);
        let mut follower = Follower { world, behaviour, steps: Vec::new() };
        // As this version of the API server stores it.
        let mut stored = follower.fork();
        stored.type_in(&[], moment());
        let original = stored.spec();
        let mut start = moment();
        for (at, stage) in planned.stages.iter().enumerate() {
            start = match (at, stages[at].0) {
                (0, _) => start,
                (_, Begins::After(after)) => start + after,
                (_, Begins::AtRest { soak }) => follower.world.now().max(start) + soak,
            };
            prop_assert_eq!(stage.start, start.duration_since(moment()));
            if stage.summary.result == PlanResult::Rejected {
                prop_assert_eq!(stage.commands.len(), 0);
                break;
            }
            follower.steps.clear();
            follower.type_in(&stage.commands, start);
            follower.wait(match stages.get(at + 1) {
                Some((Begins::After(after), _)) => Some(start + *after),
                _ => None,
            });
            let real: Vec<String> = follower.steps.iter().map(step_line).collect();
            prop_assert_eq!(predicted(stage), real, "{:?}", stage.commands);
            let end = match stages.get(at + 1) {
                Some((Begins::After(after), _)) if stage.is_cut => start + *after,
                _ => start,
            };
            match &stage.back {
                Ok(back) if stage.is_cut && !back.deleted_pods.is_empty() => {}
                Ok(back) => go_back(back, &follower, end, &original)?,
                Err(NoWayBack::Unchanged) => {
                    let mut now = follower.fork();
                    now.type_in(&[], end);
                    prop_assert_eq!(&now.spec(), &original);
                }
                Err(other) => return Err(TestCaseError::fail(format!("no way back: {other:?}"))),
            }
        }
        for unreached in &planned.unreached {
            prop_assert_ne!(unreached.after, PlanResult::Complete);
        }
        prop_assert_eq!(planned.stages.len() + planned.unreached.len(), stages.len());
    }
}
