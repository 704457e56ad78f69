//! Reading a plan from its JSON form.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;

use super::field::{Field, WrongPlan};
use super::observe::Stage;
use super::prediction::{
    Kind, PredictedEvent, PredictedStep, PredictedWrite, Prediction, ReadObject, StartPod,
};
use super::specification::{
    CLAIM_TEMPLATES, MANAGEMENT, MAX_UNAVAILABLE, MIN_READY, PARTITION, REPLICAS, START, STRATEGY,
    without_defaults,
};
use crate::plan::PlanResult;
use sts_controller::apiserver::apply::PLANNED_UID;
use sts_controller::controller::{Resource, Verb};
use sts_controller::simulate::{Actor, ObjectEvent, PodEvent};
use sts_controller::version::{Behaviour, Gates, Version};

/// The version of the plans that are read.
const API_VERSION: &str = "sts-plan/v1";

/// How a plan may end.
const RESULTS: [PlanResult; 4] = [
    PlanResult::Complete,
    PlanResult::Blocked,
    PlanResult::Livelock,
    PlanResult::Rejected,
];

impl Prediction {
    /// Reads a plan from its JSON form.
    ///
    /// # Errors
    /// When the value is not a plan of this version, or a plan of which nothing happens.
    pub fn from_json(plan: &Value) -> Result<Self, WrongPlan> {
        let root = Field::root(plan);
        check_kind(&root)?;
        let metadata = root.get("metadata")?;
        let set = root.get("set")?;
        let outcome = root.get("outcome")?;
        let result = one_of(&outcome.get("result")?, RESULTS, PlanResult::name)?;
        let (namespace, name) = (metadata.text("namespace")?, metadata.text("name")?);
        if result == PlanResult::Rejected {
            return Err(root.wrong(format!(
                "the plan of {namespace}/{name} is of a change that the API server refuses: nothing of it \
                 happens, so there is nothing to verify"
            )));
        }
        if root.value.get("read").is_none() {
            return Err(root.wrong(
                "the plan was written by an older version, which did not note the objects that it read: \
                 save it again"
                    .to_owned(),
            ));
        }
        let min_ready = set.integer("minReadySeconds")?;
        let claim_templates = set.list("claimTemplates")?;
        let fields = fields(&set)?;
        let behaviour = behaviour(&root)?;
        let pods = pods(&root, &set)?;
        let steps = steps(&root, &pods)?;
        let again = |step: &PredictedStep| {
            matches!(
                step.what,
                PredictedEvent::Object(_, ObjectEvent::SetCreated, _)
            )
        };
        if steps.iter().any(again) {
            return Err(root.wrong(format!(
                "the plan of {namespace}/{name} deletes the set and creates it again, which is two sets to \
                 verify: plan the deletion and the creation apart, and verify each"
            )));
        }
        let waits_for_each = fields
            .get(MANAGEMENT)
            .is_some_and(|policy| policy == "OrderedReady");
        Ok(Prediction {
            uid: stored_uid(metadata.optional_text("uid")?),
            resource_version: metadata.optional_text("resourceVersion")?,
            generation: metadata.optional_integer("generation")?.unwrap_or(0),
            begins: time(&root.get("now")?)?,
            min_ready_seconds: i32::try_from(min_ready).unwrap_or(i32::MAX),
            one_by_one: waits_for_each
                && (behaviour.max_unavailable.is_none() || !fields.contains_key(MAX_UNAVAILABLE)),
            behaviour,
            fields,
            claim_templates: claim_templates
                .iter()
                .map(|name| name.as_text().map(str::to_owned))
                .collect::<Result<_, _>>()?,
            update_revision: set.text("updateRevision")?.to_owned(),
            being_deleted: set.value.get("beingDeleted").is_some(),
            changed: root
                .list("change")?
                .iter()
                .map(|change| change.text("path").map(str::to_owned))
                .collect::<Result<_, _>>()?,
            read: read(&root)?,
            steps,
            pods,
            status: outcome.get("status")?.value.clone(),
            final_pods: outcome
                .list("pods")?
                .iter()
                .map(|pod| pod.text("name").map(Arc::from))
                .collect::<Result<_, _>>()?,
            summary: root.text("summary")?.to_owned(),
            command_line: command_line(plan),
            result,
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        })
    }
}

/// The uid, if a server gave it: a set that is planned before it is created has a stand-in.
fn stored_uid(uid: String) -> String {
    match uid.as_str() {
        PLANNED_UID => String::new(),
        _ => uid,
    }
}

/// The words that made a saved plan. It is only shown, so nothing about it is wrong.
fn command_line(plan: &Value) -> Vec<String> {
    let words = plan.pointer("/metadata/madeBy/commandLine");
    let words = words.and_then(Value::as_array).into_iter().flatten();
    words
        .filter_map(|word| Some(word.as_str()?.to_owned()))
        .collect()
}

fn check_kind(root: &Field<'_>) -> Result<(), WrongPlan> {
    let text = |name: &str| {
        root.value
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let (version, kind) = (text("apiVersion"), text("kind"));
    let make_one = "make one with --save PATH or -o json";
    if !version.starts_with("sts-plan/") {
        return Err(root.wrong(format!(
            "this is {kind} of {version}, and no plan: {make_one}"
        )));
    }
    if version != API_VERSION {
        return Err(root.get("apiVersion")?.wrong(format!(
            "the plan is of {version}, and this program reads {API_VERSION}: {make_one}"
        )));
    }
    if kind != "Plan" {
        return Err(root
            .get("kind")?
            .wrong(format!("this is a {kind}, and no plan: {make_one}")));
    }
    Ok(())
}

/// The controller that the plan is of.
fn behaviour(root: &Field<'_>) -> Result<Behaviour, WrongPlan> {
    let kubernetes = root.get("kubernetes")?;
    let field = kubernetes.get("version")?;
    let version: Version = field
        .as_text()?
        .parse()
        .map_err(|error| field.wrong(format!("{error}")))?;
    let known = version.or_newest();
    let mut overrides = BTreeMap::new();
    if let Some(Value::Object(set)) = kubernetes.value.get("featureGatesSet") {
        for (name, value) in set {
            let on = value.as_bool().ok_or_else(|| {
                kubernetes.wrong(format!("featureGatesSet.{name} is neither true nor false"))
            })?;
            overrides.insert(name.clone(), on);
        }
    }
    let gates =
        Gates::new(known, &overrides).map_err(|error| kubernetes.wrong(format!("{error}")))?;
    Ok(Behaviour::new(version, &gates))
}

fn fields(set: &Field<'_>) -> Result<BTreeMap<&'static str, String>, WrongPlan> {
    let templates = set.list("claimTemplates")?;
    let templates: Vec<&str> = templates
        .iter()
        .map(Field::as_text)
        .collect::<Result<_, _>>()?;
    let mut fields = BTreeMap::from([
        (REPLICAS, set.integer("replicas")?.to_string()),
        (MIN_READY, set.integer("minReadySeconds")?.to_string()),
        (MANAGEMENT, set.text("podManagementPolicy")?.to_owned()),
        (STRATEGY, set.text("updateStrategy")?.to_owned()),
        (CLAIM_TEMPLATES, templates.join(", ")),
    ]);
    for (path, member) in [(START, "startOrdinal"), (PARTITION, "partition")] {
        if let Some(number) = set.optional_integer(member)? {
            fields.insert(path, number.to_string());
        }
    }
    let bound = set.optional_text("maxUnavailable")?;
    if !bound.is_empty() {
        fields.insert(MAX_UNAVAILABLE, bound);
    }
    Ok(without_defaults(fields))
}

fn read(root: &Field<'_>) -> Result<BTreeMap<(Kind, Arc<str>), ReadObject>, WrongPlan> {
    let mut read = BTreeMap::new();
    for object in root.list("read")? {
        let kind = resource(&object)?;
        let kind = kind.ok_or_else(|| object.wrong("a status is not an object".to_owned()))?;
        let seen = ReadObject {
            uid: object.optional_text("uid")?,
            resource_version: object.optional_text("resourceVersion")?,
        };
        read.insert((kind, Arc::from(object.text("name")?)), seen);
    }
    Ok(read)
}

fn pods(root: &Field<'_>, set: &Field<'_>) -> Result<BTreeMap<Arc<str>, StartPod>, WrongPlan> {
    let mut uids = BTreeMap::new();
    for object in root.list("read")? {
        if resource(&object)? == Some(Kind::Pod) {
            uids.insert(object.text("name")?, object.optional_text("uid")?);
        }
    }
    let mut pods = BTreeMap::new();
    for pod in set.list("pods")? {
        let name = pod.text("name")?;
        let ended = matches!(pod.text("phase")?, "Failed" | "Succeeded");
        let stage = Stage::new(pod.boolean("terminating")?, ended, pod.boolean("ready")?);
        let waiting = pod.optional_text("waiting")?;
        let start = StartPod {
            uid: uids.remove(name).unwrap_or_default(),
            revision: pod.text("revision")?.to_owned(),
            stage,
            waiting: (!waiting.is_empty()).then_some(waiting),
        };
        pods.insert(Arc::from(name), start);
    }
    Ok(pods)
}

/// The kind that the member `resource` names; `None` for the set's status.
fn resource(object: &Field<'_>) -> Result<Option<Kind>, WrongPlan> {
    let field = object.get("resource")?;
    resource_named(&field).map(Kind::of)
}

fn resource_named(field: &Field<'_>) -> Result<Resource, WrongPlan> {
    let all = [
        Resource::Pods,
        Resource::Claims,
        Resource::Revisions,
        Resource::Status,
    ];
    one_of(field, all, Resource::name)
}

/// The value whose name the field holds.
fn one_of<T: Copy, const N: usize>(
    field: &Field<'_>,
    all: [T; N],
    name: fn(T) -> &'static str,
) -> Result<T, WrongPlan> {
    let text = field.as_text()?;
    let found = all.iter().find(|value| name(**value) == text);
    found.copied().ok_or_else(|| {
        field.wrong(format!(
            "{} is {text:?}, which this program does not know",
            field.path
        ))
    })
}

/// The steps, without what happens to orphans, which the world has and the plan is not about.
fn steps(
    root: &Field<'_>,
    pods: &BTreeMap<Arc<str>, StartPod>,
) -> Result<Vec<PredictedStep>, WrongPlan> {
    let mut steps: Vec<PredictedStep> = Vec::new();
    let mut made = BTreeSet::new();
    for step in root.list("steps")? {
        let what = if step.value.get("writes").is_some() {
            let writes = step.list("writes")?;
            let writes = writes.iter().map(write).collect::<Result<_, _>>()?;
            PredictedEvent::Sync(writes)
        } else {
            event(&step)?
        };
        let known = match &what {
            PredictedEvent::Pod(_, pod) => pods.contains_key(pod) || made.contains(pod),
            PredictedEvent::ClaimRemoved(_) | PredictedEvent::Object(..) => true,
            PredictedEvent::Sync(writes) => {
                let creates = writes.iter().filter(|write| write.verb == Verb::Create);
                made.extend(creates.map(|write| Arc::clone(&write.name)));
                true
            }
        };
        let at = step.integer("at")?;
        if known {
            steps.push(PredictedStep { at, what });
        }
    }
    Ok(steps)
}

/// What happens by another hand than the controller's.
fn event(step: &Field<'_>) -> Result<PredictedEvent, WrongPlan> {
    let event = step.get("event")?;
    let name: Arc<str> = Arc::from(step.text("name")?);
    let of_pods = [
        PodEvent::Removed,
        PodEvent::Ready,
        PodEvent::Failed,
        PodEvent::Available,
    ];
    let text = event.as_text()?;
    if text == "ClaimRemoved" {
        return Ok(PredictedEvent::ClaimRemoved(name));
    }
    if let Some(event) = of_pods.into_iter().find(|event| event.name() == text) {
        return Ok(PredictedEvent::Pod(event, name));
    }
    let of_objects = [
        ObjectEvent::SetDeleted,
        ObjectEvent::SetRemoved,
        ObjectEvent::SetCreated,
        ObjectEvent::PodDeleted,
        ObjectEvent::PodOrphaned,
        ObjectEvent::ClaimDeleted,
        ObjectEvent::ClaimOrphaned,
        ObjectEvent::RevisionRemoved,
        ObjectEvent::RevisionOrphaned,
    ];
    let event = one_of(&event, of_objects, ObjectEvent::name)?;
    let actors = [Actor::User, Actor::ApiServer, Actor::GarbageCollector];
    let actor = one_of(&step.get("actor")?, actors, Actor::name)?;
    Ok(PredictedEvent::Object(actor, event, name))
}

fn write(write: &Field<'_>) -> Result<PredictedWrite, WrongPlan> {
    let verbs = [Verb::Create, Verb::Update, Verb::Patch, Verb::Delete];
    let revision = write.optional_text("revision")?;
    Ok(PredictedWrite {
        verb: one_of(&write.get("verb")?, verbs, Verb::name)?,
        resource: resource_named(&write.get("resource")?)?,
        name: Arc::from(write.text("name")?),
        revision: (!revision.is_empty()).then(|| Arc::from(revision)),
        refused: write.value.get("error").is_some(),
    })
}

fn time(field: &Field<'_>) -> Result<Timestamp, WrongPlan> {
    let text = field.as_text()?;
    text.parse().map_err(|_| {
        field.wrong(format!(
            "{} is {text:?}, and no time of RFC 3339",
            field.path
        ))
    })
}
