//! A fleet and a drain planned with the crate alone, as in an operator or a CI check.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::sync::Arc;

use serde_json::json;
use sts_controller::apiserver::apply::{self, Edit};
use sts_controller::object::{RelatedKind, RelatedObjects, Set, Snapshot, Status};
use sts_controller::simulate::{Assumption, Start};
use sts_plan::change::Change;
use sts_plan::fleet::{
    FailOn, Fleet, FleetError, FleetQuestions, FleetRequest, FleetRun, FleetSet, Gate, GateFailure,
    OtherGates, PlanEnd, SequentialFleetDriver, SetCourse, SetName, UpgradeRunError, after_nodes,
};
use sts_plan::lint::Suppressions;
use sts_plan::nodes::NodeActions;
use sts_plan::plan::{Conditions, Plan, PlanResult, VersionSource};
use sts_plan::report::{NodesVerdict, SetState};

/// A stored set, and a change of its image, if any.
struct StoredSet {
    snapshot: Snapshot,
    image: Option<&'static str>,
    conditions: Conditions,
    fail_on: Vec<FailOn>,
}

impl FleetSet for StoredSet {
    type Error = String;

    fn name(&self) -> SetName {
        SetName {
            namespace: self.snapshot.set.meta.namespace.to_string(),
            name: self.snapshot.set.meta.name.to_string(),
        }
    }

    fn replicas(&self) -> i64 {
        self.snapshot.set.replicas.into()
    }

    fn conditions(&self) -> Conditions {
        self.conditions.clone()
    }

    fn plan(&self, conditions: &Conditions, _: &mut Vec<String>) -> Result<SetCourse, String> {
        let edits = self.image.iter().map(|image| Edit::Image {
            container: None,
            image: (*image).to_owned(),
        });
        let change = Change {
            edits: edits.collect(),
            ..Change::default()
        };
        let around = |set: Arc<Set>, status: Arc<Status>| Snapshot {
            set,
            status,
            ..self.snapshot.clone()
        };
        match Plan::of_change(Some(&self.snapshot), &change, &around, conditions) {
            Ok(planned) => Ok(SetCourse::Plan(Box::new(planned.plan))),
            Err(error) => Err(error.to_string()),
        }
    }

    fn fail_on(&self) -> Vec<FailOn> {
        self.fail_on.clone()
    }
}

fn conditions() -> Conditions {
    let now = "2026-01-01T00:00:00Z".parse().unwrap();
    Conditions::new("1.36".parse().unwrap(), now)
}

/// Returns a stored set with all of its pods ready on a node.
fn stored(name: &str, node: &str) -> StoredSet {
    let conditions = conditions();
    let manifest = json!({
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": name, "namespace": "prod", "uid": name},
        "spec": {
            "replicas": 2,
            "serviceName": name,
            "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name}},
                "spec": {"containers": [{"name": "main", "image": "app:1"}]},
            },
        },
    });
    let created = apply::create(&manifest, &[], &conditions.behaviour).unwrap();
    let set = Set::from_json(created.set).unwrap();
    let rollout = Plan::new(Snapshot::of_set(set, Status::default()), conditions.clone());
    let mut snapshot = rollout.progression.world.snapshot().clone();
    for pod in snapshot.pods.values_mut() {
        Arc::make_mut(pod).node = Some(node.into());
    }
    StoredSet {
        snapshot,
        image: None,
        conditions,
        fail_on: Vec::new(),
    }
}

/// Plans sets in one part.
fn fleet(sets: &[StoredSet], nodes: &NodeActions, conditions: &Conditions) -> Fleet {
    let questions = FleetQuestions {
        nodes: nodes.clone(),
        ..FleetQuestions::default()
    };
    let mut run = FleetRun::new(request(&questions));
    run.take(sets, conditions, &SequentialFleetDriver).unwrap();
    run.complete().unwrap()
}

fn request(questions: &FleetQuestions) -> FleetRequest<'_> {
    static NONE: std::sync::LazyLock<Suppressions> =
        std::sync::LazyLock::new(Suppressions::default);
    FleetRequest {
        questions,
        suppressions: &NONE,
        objects: false,
        saves: false,
    }
}

#[test]
fn a_fleet_has_its_order_its_states_and_its_failed_gates() {
    let idle = stored("a-idle", "node-1");
    let mut rolling = stored("b-rolling", "node-1");
    rolling.image = Some("app:2");
    let mut stuck = stored("c-stuck", "node-1");
    stuck.image = Some("app:2");
    let never_ready = Assumption {
        start: Start::NeverReady,
        ..Assumption::default()
    };
    let assumptions = &mut stuck.conditions.assumptions;
    assumptions.insert("c-stuck-1".to_owned(), never_ready);
    let mut sets = [idle, rolling, stuck];
    for set in &mut sets {
        set.fail_on = vec![FailOn::Blocked];
    }
    let fleet = fleet(&sets, &NodeActions::default(), &conditions());
    let ends = [PlanEnd::NothingToDo, PlanEnd::Works, PlanEnd::Blocked];
    assert_eq!(fleet.ends, ends);

    let list = fleet.list();
    let order: Vec<(&str, SetState)> = list
        .most_urgent_first()
        .into_iter()
        .map(|report| (report.metadata.name.as_str(), report.state))
        .collect();
    assert_eq!(
        order,
        [
            ("c-stuck", SetState::Stuck),
            ("b-rolling", SetState::Progressing),
            ("a-idle", SetState::UpToDate),
        ]
    );
    assert_eq!(list.tally.sets, 3);
    assert_eq!(list.tally.states[&SetState::Stuck], 1);

    let failed = fleet.failed_gates(OtherGates::default());
    assert_eq!(failed.len(), 1);
    assert_eq!(failed[0].gate, Gate::Condition(FailOn::Blocked));
    assert_eq!(failed[0].set.name, "c-stuck");
    assert_eq!(failed[0].failure, GateFailure::Result(PlanResult::Blocked));
    assert_eq!(failed[0].to_string(), "blocked: prod/c-stuck: blocked");
}

#[test]
fn a_drain_moves_the_pods_of_every_set_of_the_fleet() {
    let mut related = RelatedObjects::default();
    for name in ["node-1", "node-2"] {
        let node = json!({
            "apiVersion": "v1", "kind": "Node", "metadata": {"name": name},
            "status": {"conditions": [{"type": "Ready", "status": "True"}]},
        });
        related.insert(RelatedKind::Node.read(&node).unwrap());
    }
    let mut sets = [
        stored("a", "node-1"),
        stored("b", "node-1"),
        stored("c", "node-2"),
    ];
    let nodes = NodeActions {
        drain: vec!["node-1".to_owned()],
        ..NodeActions::default()
    };
    let before = Conditions {
        related: Arc::new(related),
        ..conditions()
    };
    let pods: Vec<_> = sets
        .iter()
        .flat_map(|set| set.snapshot.pods.values().cloned())
        .collect();
    let after = after_nodes(&before, &nodes, pods.iter()).unwrap();
    for set in &mut sets {
        set.conditions = after.clone();
    }
    let fleet = fleet(&sets, &nodes, &after);
    let answer = fleet.nodes.as_ref().unwrap();
    assert_eq!(answer.verdict, NodesVerdict::Ends);
    let evictions: Vec<usize> = answer.sets.iter().map(|set| set.evictions.len()).collect();
    assert_eq!(evictions, [2, 2, 0]);
    for (report, evictions) in fleet.reports.iter().zip(evictions) {
        let own = report.nodes.as_ref().unwrap();
        assert_eq!(own.sets.len(), 1);
        assert_eq!(own.sets[0].name, report.metadata.name);
        assert_eq!(own.sets[0].evictions.len(), evictions);
    }
    let json = serde_json::to_value(fleet.list()).unwrap();
    assert_eq!(json["nodes"]["sets"].as_array().unwrap().len(), 3);
    assert!(after_nodes(&conditions(), &nodes, pods.iter()).is_err());
}

#[test]
fn a_run_without_reports_has_a_reason() {
    let questions = FleetQuestions::default();
    let mut run: FleetRun<'_, String> = FleetRun::new(request(&questions));
    let name = SetName {
        namespace: "prod".to_owned(),
        name: "web".to_owned(),
    };
    run.fail(&name, "no such set".to_owned());
    assert_eq!(run.sets(), 1);
    assert_eq!(run.complete().err().as_deref(), Some("no such set"));

    let version = "1.37".parse().unwrap();
    let questions = FleetQuestions {
        upgrade_to: vec![version],
        ..FleetQuestions::default()
    };
    let unknown = Conditions {
        version_source: VersionSource::Default,
        ..conditions()
    };
    let sets = [stored("web", "node-1")];
    let mut run = FleetRun::new(request(&questions));
    assert_eq!(
        run.take(&sets, &unknown, &SequentialFleetDriver).err(),
        Some(FleetError::Upgrade(UpgradeRunError::NoVersion))
    );
    run.take(&sets, &conditions(), &SequentialFleetDriver)
        .unwrap();
    let fleet = run.complete().unwrap();
    assert_eq!(fleet.upgrade.unwrap().sets.len(), 1);
}
