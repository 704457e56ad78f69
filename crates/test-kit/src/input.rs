//! The objects of an input, as files have them, with the plans and reports of their sets.
//!
//! This is the short way of the program from a text to a report: every object is well formed, in one namespace or more,
//! and a set without a `uid` was never stored.

mod questions;
mod set;

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::SignedDuration;
use serde::Deserialize as _;
use serde_json::Value;
use sts_controller::apiserver::apply::Edit;
use sts_controller::apiserver::defaults;
use sts_controller::controller::{is_member, parent_and_ordinal, pod_of_claim};
use sts_controller::object::{
    Bystander, Claim, Meta, Pod, RelatedKind, RelatedObjects, Revision, Set, Snapshot, Status,
    labels_of,
};
use sts_controller::simulate::{Action, Assumption};
use sts_controller::version::Version;
use sts_plan::cause::{bystander_kind, keeps};
use sts_plan::change::read_set;
use sts_plan::fleet::{
    Fleet, FleetQuestions, FleetRequest, FleetRun, SequentialFleetDriver, after_nodes,
};
use sts_plan::grant::Grant;
use sts_plan::grow::Growth;
use sts_plan::lint::{Scope, Suppressions};
use sts_plan::plan::{Conditions, Plan, VersionSource};
use sts_plan::report::Report;
use sts_plan::what_if::Questions;

use set::InputSet;

use crate::scenario::{rules_and_gates, versions};

/// Returns the objects of a text of YAML documents. The items of lists take the place of the list.
pub fn objects(text: &str) -> Vec<Value> {
    let mut objects = Vec::new();
    for document in serde_yaml::Deserializer::from_str(text) {
        match Value::deserialize(document).unwrap() {
            Value::Null => {}
            Value::Array(items) => objects.extend(items),
            list if list["items"].is_array() => {
                objects.extend(list["items"].as_array().unwrap().iter().cloned());
            }
            object => objects.push(object),
        }
    }
    objects
}

/// Returns a file of `tests/fixtures`.
pub fn fixture(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/");
    std::fs::read_to_string(format!("{folder}{name}")).unwrap()
}

/// Keeps an object of a kind that only explains failures.
fn take_bystander(related: &mut RelatedObjects, kind: &str, version: &str, object: &Value) {
    let group = version.split_once('/').map_or("", |(group, _)| group);
    let within = match bystander_kind(kind, group) {
        Some(entry) if !entry.of_cluster => in_namespace(object),
        _ => object.clone(),
    };
    let object = Bystander::from_json(&within).unwrap();
    if keeps(&object) {
        related.insert_bystander(object);
    }
}

/// Returns the objects around sets, of a text of YAML documents.
pub(crate) fn related(text: &str) -> Arc<RelatedObjects> {
    Input::of(&objects(text), "2026-01-01T00:00:00Z").related
}

/// The objects of an input, and the conditions of its plans.
#[derive(Clone)]
pub struct Input {
    sets: Vec<Value>,
    pods: Vec<Arc<Pod>>,
    claims: Vec<Arc<Claim>>,
    revisions: Vec<Arc<Revision>>,
    related: Arc<RelatedObjects>,
    /// Conditions without the related objects.
    conditions: Conditions,
    /// Changes of fields of every set.
    edits: Vec<Edit>,
    /// Requests to the API server, after the changes.
    actions: Vec<Action>,
    /// Manifest that is applied.
    applied: Option<Value>,
    /// Changes of fields in later stages.
    later: Vec<Vec<Edit>>,
    /// Claim templates to grow, which replace all other changes.
    growths: Vec<Growth>,
    /// Questions about all sets.
    fleet: FleetQuestions,
    /// Questions about every set.
    questions: Questions,
}

impl Input {
    /// Reads objects, as `-f` does at a time for the newest version. Kinds that plans do not use are skipped.
    pub fn of(objects: &[Value], now: &str) -> Input {
        let conditions = Conditions {
            version_source: VersionSource::Default,
            ..Conditions::new(Version::NEWEST, now.parse().unwrap())
        };
        let mut input = Input {
            sets: Vec::new(),
            pods: Vec::new(),
            claims: Vec::new(),
            revisions: Vec::new(),
            related: Arc::default(),
            conditions: conditions.with_incomplete_input(),
            edits: Vec::new(),
            actions: Vec::new(),
            applied: None,
            later: Vec::new(),
            growths: Vec::new(),
            fleet: FleetQuestions::default(),
            questions: Questions {
                eta: true,
                findings: Scope::Hypothetical,
                ..Questions::default()
            },
        };
        for object in objects {
            input.take(object);
        }
        input
    }

    fn take(&mut self, object: &Value) {
        let related = Arc::make_mut(&mut self.related);
        let (kind, version) = (text(&object["kind"]), text(&object["apiVersion"]));
        let within = match RelatedKind::of(kind, version) {
            Some(kind) if !kind.is_namespaced() => object.clone(),
            _ => in_namespace(object),
        };
        match (kind, version) {
            ("StatefulSet", "apps/v1") => self.sets.push(within),
            ("ControllerRevision", "apps/v1") => {
                let revision = Revision::from_json(&within).unwrap();
                self.revisions.push(Arc::new(revision));
            }
            ("Pod", "v1") => {
                let pod = Arc::new(Pod::from_json(within).unwrap());
                related.insert_pod(Arc::clone(&pod));
                self.pods.push(pod);
            }
            ("PersistentVolumeClaim", "v1") => {
                let claim = Claim::from_json(within).unwrap();
                self.claims.push(Arc::new(claim));
            }
            _ => match RelatedKind::of(kind, version) {
                Some(kind) => related.insert(kind.read(&within).unwrap()),
                None => take_bystander(related, kind, version, object),
            },
        }
    }

    /// Plans for this version with gates, such as `1.36 MaxUnavailableStatefulSet=true`, as `--kubernetes-version` and
    /// `--feature-gates` do.
    pub fn version(mut self, version: &str) -> Input {
        let (words, gates) = versions(version);
        let (behaviour, gates) = rules_and_gates(words[0], &gates);
        self.conditions = Conditions {
            behaviour,
            gates,
            version_source: VersionSource::Flag,
            ..self.conditions
        };
        self
    }

    /// Changes fields of every set.
    pub fn edited(mut self, edits: impl IntoIterator<Item = Edit>) -> Input {
        self.edits.extend(edits);
        self
    }

    /// Sends requests to the API server, after the changes.
    pub fn after(mut self, actions: impl IntoIterator<Item = Action>) -> Input {
        self.actions.extend(actions);
        self
    }

    /// Applies a manifest of a file, as `--apply` does.
    pub fn applying(mut self, manifest: &Value, file: &str) -> Input {
        self.applied = Some(in_namespace(manifest));
        self.conditions.manifest = Some(file.into());
        self
    }

    /// Begins the next stage, which changes fields, as `--then` does.
    pub fn then(mut self, edits: impl IntoIterator<Item = Edit>) -> Input {
        self.later.push(edits.into_iter().collect());
        self
    }

    /// Grows the claims of a template, such as `data=20Gi`, as `--grow` does.
    pub fn grow(mut self, growth: &str) -> Input {
        self.growths.push(growth.parse().unwrap());
        self
    }

    /// Assumes that pods recover, as `--assume POD=recovers` does: no object counts against them.
    pub fn recovering(self, pods: &[&str]) -> Input {
        let pods = pods.iter();
        pods.fold(self, |input, pod| {
            input.assuming(pod, Assumption::default())
        })
    }

    /// Assumes this of a pod, as `--assume POD=WHAT` does.
    pub fn assuming(mut self, pod: &str, assumption: Assumption) -> Input {
        let assumed = &mut self.conditions.assumptions;
        assumed.insert(pod.to_owned(), assumption);
        self
    }

    /// Makes new pods ready after so many seconds, as `--ready-after` does.
    pub fn ready_after(mut self, seconds: i64) -> Input {
        self.conditions.ready_after = Some(SignedDuration::from_secs(seconds));
        self
    }

    /// Assumes an object, as `--assume quota/NAME=+AMOUNT` or `secret/NAME=exists` does.
    pub fn granting(mut self, object: &str, what: &str) -> Input {
        let grant = Grant::parse(object, what).unwrap();
        let grants = self.conditions.grants.iter().cloned();
        self.conditions.grants = grants.chain([grant]).collect();
        self
    }

    /// The plan of the only set.
    pub fn plan(&self) -> Plan {
        let [set] = self.read_sets().try_into().ok().unwrap();
        set.plan_at(&set.conditions).unwrap()
    }

    /// The report of the only set, with everything that `-o json` has.
    pub fn report(&self) -> Report {
        let fleet = self.fleet();
        assert!(fleet.errors.is_empty(), "{:?}", fleet.errors);
        let [report] = fleet.reports.try_into().ok().unwrap();
        report
    }

    /// The document of `-o json`: the report of the only set, or the list of all reports.
    pub fn json(&self) -> Value {
        let fleet = self.fleet();
        let list = fleet.list();
        let document = match list.alone() {
            Some(report) => serde_json::to_value(report),
            None => serde_json::to_value(list),
        };
        document.unwrap()
    }

    /// The plans of all sets in one run.
    pub fn fleet(&self) -> Fleet {
        self.planned().unwrap()
    }

    /// The reason why the only set cannot be planned.
    pub fn error(&self) -> String {
        self.planned().unwrap_err()
    }

    fn planned(&self) -> Result<Fleet, String> {
        let suppressions = Suppressions::default();
        let mut run = FleetRun::new(FleetRequest {
            questions: &self.fleet,
            suppressions: &suppressions,
            objects: true,
            saves: false,
        });
        let conditions = self.changed();
        run.take(&self.read_sets(), &conditions, &SequentialFleetDriver)
            .unwrap();
        run.complete()
    }

    /// A stored set with its status, as the API server of the version reads it; `None` if it was never stored.
    fn read(&self, set: &Value) -> Option<(Set, Status)> {
        set["metadata"]["uid"].as_str()?;
        let mut set = set.clone();
        defaults::reread(&mut set, &self.conditions.behaviour.defaulting).unwrap();
        Some(read_set(set).unwrap())
    }

    fn with_related(&self) -> Conditions {
        let mut related = RelatedObjects::clone(&self.related);
        for set in &self.sets {
            if let Some((stored, _)) = self.read(set) {
                let labels = labels_of(&stored.template);
                related.insert_set(&stored.meta, Arc::new(labels), stored.replicas);
            }
        }
        Conditions {
            related: Arc::new(related),
            ..self.conditions.clone()
        }
    }

    /// The conditions after the actions on nodes.
    fn changed(&self) -> Conditions {
        let conditions = self.with_related();
        let nodes = &self.fleet.nodes;
        match nodes.is_empty() {
            true => conditions,
            false => after_nodes(&conditions, nodes, self.pods.iter()).unwrap(),
        }
    }

    fn read_sets(&self) -> Vec<InputSet<'_>> {
        let conditions = self.changed();
        let mut sets: Vec<&Value> = self.sets.iter().collect();
        let key = |set: &Value| {
            let meta = &set["metadata"];
            (
                text(&meta["namespace"]).to_owned(),
                text(&meta["name"]).to_owned(),
            )
        };
        sets.sort_by_key(|set| key(set));
        let sets = sets.into_iter().map(|object| InputSet {
            input: self,
            object,
            stored: self
                .read(object)
                .map(|(set, status)| self.around(Arc::new(set), Arc::new(status))),
            conditions: conditions.clone(),
        });
        sets.collect()
    }

    /// The objects that the controller of a set reads.
    fn around(&self, set: Arc<Set>, status: Arc<Status>) -> Snapshot {
        let namespace = &set.meta.namespace;
        let claims = self.claims.iter().filter(|claim| {
            let of_template = |template: &str| {
                let pod = pod_of_claim(template, &claim.meta.name);
                pod.is_some_and(|pod| is_member(&set, pod))
            };
            let templates = set.claim_templates.iter();
            claim.meta.namespace == *namespace
                && templates.into_iter().any(|it| of_template(&it.name))
        });
        let claims = by_name(claims, |claim| &claim.meta);
        let owns = |meta: &Meta| {
            let owner = meta.controller();
            owner.is_none_or(|owner| owner.uid == set.meta.uid)
        };
        let pods = self.pods.iter().filter(|pod| {
            let name = &*pod.meta.name;
            let is_namesake =
                parent_and_ordinal(name).is_some_and(|(parent, _)| *parent == *set.meta.name);
            // A pod without an owner matters by its name, or by a claim that it uses.
            let matters = is_member(&set, name)
                || pod.meta.controller().is_some()
                || pod.claims().any(|claim| claims.contains_key(claim));
            // A claim that is being deleted is kept by the pods of all owners.
            let is_leaving = |claim: &Arc<Claim>| claim.meta.is_terminating();
            let keeps = (pod.claims()).any(|claim| claims.get(claim).is_some_and(is_leaving));
            pod.meta.namespace == *namespace && (is_namesake || keeps || owns(&pod.meta) && matters)
        });
        let prefix = format!("{}-", set.meta.name);
        let revisions = self.revisions.iter().filter(|revision| {
            let meta = &revision.meta;
            meta.namespace == *namespace && (owns(meta) || meta.name.starts_with(&prefix))
        });
        Snapshot {
            pods: by_name(pods, |pod| &pod.meta),
            revisions: by_name(revisions, |revision| &revision.meta),
            claims,
            set,
            status,
        }
    }
}

fn by_name<'o, T: 'o>(
    objects: impl Iterator<Item = &'o Arc<T>>,
    meta: impl Fn(&T) -> &Meta,
) -> BTreeMap<Arc<str>, Arc<T>> {
    let named = objects.map(|object| (Arc::clone(&meta(object).name), Arc::clone(object)));
    named.collect()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The object, with the namespace that kubectl sends it to.
fn in_namespace(object: &Value) -> Value {
    let mut object = object.clone();
    let namespace = &mut object["metadata"]["namespace"];
    if !namespace.is_string() {
        *namespace = "default".into();
    }
    object
}
