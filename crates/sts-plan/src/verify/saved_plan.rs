//! Prediction of a saved plan.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use super::specification::{
    CLAIM_TEMPLATES, MANAGEMENT, MAX_UNAVAILABLE, MIN_READY, PARTITION, REPLICAS, START, STRATEGY,
    without_defaults,
};
use super::{Kind, PredictedEvent, PredictedStep, Prediction, Stage, StartPod};
use crate::plan::PlanResult;
use crate::report::{
    Kubernetes, ReadObject, ReportSet, ReportStep, SavedPlan, SavedPlanError, StepEvent,
};
use sts_controller::apiserver::apply::PLANNED_UID;
use sts_controller::controller::Verb;
use sts_controller::object::PodManagement;
use sts_controller::simulate::ObjectEvent;
use sts_controller::version::{Behaviour, Gates, Version, VersionError};

impl Prediction {
    /// Reads a prediction from the JSON form of a plan.
    ///
    /// # Errors
    /// If the value is not a plan of this version, or is a plan that cannot be verified, such as one of a
    /// rejected change.
    pub fn from_json(plan: &Value) -> Result<Self, SavedPlanError> {
        SavedPlan::from_json(plan)?.try_into()
    }
}

impl TryFrom<SavedPlan> for Prediction {
    type Error = SavedPlanError;

    fn try_from(mut plan: SavedPlan) -> Result<Self, SavedPlanError> {
        let of = format!("{}/{}", plan.metadata.namespace, plan.metadata.name);
        let unusable = |problem: String| Err(SavedPlanError::new("", problem));
        if plan.outcome.result == PlanResult::Rejected {
            return unusable(format!(
                "the plan of {of} contains a change that the API server rejects, so there is nothing to verify"
            ));
        }
        let Some(read) = plan.read.take() else {
            return unusable(
                "the plan was written by an older version, which did not record the objects that it read: \
                 save it again"
                    .to_owned(),
            );
        };
        let read = objects(read)?;
        let pods = pods(&plan.set, &read);
        let steps = steps(&std::mem::take(&mut plan.steps), &pods)?;
        let recreates = |step: &PredictedStep| {
            matches!(
                step.what,
                PredictedEvent::Object(_, ObjectEvent::SetCreated, _)
            )
        };
        if steps.iter().any(recreates) {
            return unusable(format!(
                "the plan of {of} deletes and recreates the set, which makes two sets: plan and verify the deletion \
                 and the creation separately"
            ));
        }
        let behaviour = behaviour(&plan.kubernetes)?;
        let fields = fields(&plan.set);
        let begins = plan.now.parse().map_err(|_| {
            let problem = format!("invalid time {:?} in now: expected RFC 3339", plan.now);
            SavedPlanError::new("now", problem)
        })?;
        // A set that was planned before its creation has a placeholder.
        if plan.metadata.uid == PLANNED_UID {
            plan.metadata.uid.clear();
        }
        Ok(Prediction {
            begins,
            one_by_one: plan.set.pod_management_policy == PodManagement::OrderedReady
                && (behaviour.max_unavailable.is_none() || !fields.contains_key(MAX_UNAVAILABLE)),
            behaviour,
            fields,
            read,
            steps,
            pods,
            plan,
        })
    }
}

fn behaviour(kubernetes: &Kubernetes) -> Result<Behaviour, SavedPlanError> {
    let version: Version = kubernetes.version.parse().map_err(|error: VersionError| {
        SavedPlanError::new("kubernetes.version", error.to_string())
    })?;
    let overrides = kubernetes.feature_gates_set.iter();
    let overrides = overrides.map(|(gate, on)| (gate.to_string(), *on));
    let gates = Gates::new(version.or_newest(), &overrides.collect())
        .map_err(|error| SavedPlanError::new("kubernetes", error.to_string()))?;
    Ok(Behaviour::new(version, &gates))
}

fn fields(set: &ReportSet) -> BTreeMap<&'static str, String> {
    let mut fields = BTreeMap::from([
        (REPLICAS, set.replicas.to_string()),
        (START, set.start_ordinal.to_string()),
        (MIN_READY, set.min_ready_seconds.to_string()),
        (MANAGEMENT, set.pod_management_policy.to_string()),
        (STRATEGY, set.update_strategy.clone()),
        (CLAIM_TEMPLATES, set.claim_templates.join(", ")),
    ]);
    if let Some(partition) = set.partition {
        fields.insert(PARTITION, partition.to_string());
    }
    if let Some(bound) = &set.max_unavailable {
        fields.insert(MAX_UNAVAILABLE, bound.clone());
    }
    without_defaults(fields)
}

fn objects(
    read: Vec<ReadObject>,
) -> Result<BTreeMap<(Kind, Arc<str>), ReadObject>, SavedPlanError> {
    let object = |(index, object): (usize, ReadObject)| {
        let Some(kind) = Kind::of(object.resource) else {
            let path = format!("read[{index}].resource");
            return Err(SavedPlanError::new(
                &path,
                "statefulsets/status is not an object".to_owned(),
            ));
        };
        Ok(((kind, Arc::clone(&object.name)), object))
    };
    read.into_iter().enumerate().map(object).collect()
}

fn pods(
    set: &ReportSet,
    read: &BTreeMap<(Kind, Arc<str>), ReadObject>,
) -> BTreeMap<Arc<str>, StartPod> {
    let pods = set.pods.iter().map(|pod| {
        let ended = pod.phase.has_ended();
        let object = read.get(&(Kind::Pod, Arc::clone(&pod.name)));
        let start = StartPod {
            uid: object
                .map(|object| object.uid.to_string())
                .unwrap_or_default(),
            revision: pod.revision.to_string(),
            stage: Stage::new(pod.terminating, ended, pod.ready),
            waiting: pod.waiting.clone(),
        };
        (Arc::clone(&pod.name), start)
    });
    pods.collect()
}

/// Returns the steps without the events of orphans, which exist in the world but are not part of the plan.
fn steps(
    saved: &[ReportStep],
    pods: &BTreeMap<Arc<str>, StartPod>,
) -> Result<Vec<PredictedStep>, SavedPlanError> {
    let mut steps: Vec<PredictedStep> = Vec::new();
    let mut created = BTreeSet::new();
    for (index, step) in saved.iter().enumerate() {
        let what = match &step.writes {
            Some(writes) => PredictedEvent::Sync(writes.clone()),
            None => event(step, index)?,
        };
        let known = match &what {
            PredictedEvent::Pod(_, pod) => pods.contains_key(pod) || created.contains(pod),
            PredictedEvent::ClaimRemoved(_) | PredictedEvent::Object(..) => true,
            PredictedEvent::Sync(writes) => {
                let creates = writes.iter().filter(|write| write.verb == Verb::Create);
                created.extend(creates.map(|write| Arc::clone(&write.name)));
                true
            }
        };
        if known {
            steps.push(PredictedStep { at: step.at, what });
        }
    }
    Ok(steps)
}

fn event(step: &ReportStep, index: usize) -> Result<PredictedEvent, SavedPlanError> {
    let missing = |member: &str| {
        let problem = format!("invalid plan at steps[{index}]: neither writes nor {member}");
        SavedPlanError::new(&format!("steps[{index}]"), problem)
    };
    let event = step.event.ok_or_else(|| missing("an event"))?;
    let name = step.name.clone().ok_or_else(|| missing("a name"))?;
    Ok(match event {
        StepEvent::Pod(event) => PredictedEvent::Pod(event, name),
        StepEvent::ClaimRemoved => PredictedEvent::ClaimRemoved(name),
        StepEvent::Object(event) => PredictedEvent::Object(step.actor, event, name),
    })
}
