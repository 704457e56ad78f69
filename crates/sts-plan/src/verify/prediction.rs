//! Verifiable prediction of a plan.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::observe::Stage;
use crate::report::{ReadObject, ReportWrite, SavedPlan, StepEvent, writes_words};
use sts_controller::controller::{Resource, Verb};
use sts_controller::object::{FieldError, Meta, Set, Snapshot};
use sts_controller::simulate::{Actor, ObjectEvent, PodEvent};
use sts_controller::version::Behaviour;

/// Tolerance before an event counts as late or early, in addition to a quarter of the predicted time.
pub(super) const SLACK: SignedDuration = SignedDuration::from_secs(10);

/// Time allowed for the controller to react.
pub(super) const CONTROLLER_ACTS: SignedDuration = SignedDuration::from_secs(15);

/// A saved plan, and what it predicts.
#[derive(Debug, Clone)]
pub struct Prediction {
    /// The plan. Its UID is empty if the set was never stored. Its steps and objects are in `steps` and `read`.
    pub plan: SavedPlan,
    /// Start of the plan.
    pub begins: Timestamp,
    /// Behavior of the planned controller version.
    pub behaviour: Behaviour,
    /// Relevant fields of the specification as strings, by path, without unset ones.
    pub fields: BTreeMap<&'static str, String>,
    /// True if pods are created and replaced one after another.
    pub one_by_one: bool,
    /// Initial pods of the set, by name.
    pub pods: BTreeMap<Arc<str>, StartPod>,
    /// Objects read, by kind and name.
    pub read: BTreeMap<(Kind, Arc<str>), ReadObject>,
    /// Predicted steps, in order.
    pub steps: Vec<PredictedStep>,
}

/// Kind of object whose creation and deletion a plan predicts. A kind precedes those that it can affect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::EnumIter)]
pub enum Kind {
    /// StatefulSet, if the plan deletes it.
    Set,
    /// ControllerRevision.
    Revision,
    /// Pod.
    Pod,
    /// PersistentVolumeClaim.
    Claim,
}

serialized!(text_by_name: Kind);

impl Kind {
    /// Returns the kind of a request's object; `None` for other resources.
    pub(crate) fn of(resource: Resource) -> Option<Self> {
        match resource {
            Resource::Pods => Some(Kind::Pod),
            Resource::Claims => Some(Kind::Claim),
            Resource::Revisions => Some(Kind::Revision),
            Resource::Status => None,
        }
    }

    pub(super) fn find<'s>(self, snapshot: &'s Snapshot, name: &str) -> Option<&'s Meta> {
        match self {
            Kind::Set => Some(&snapshot.set.meta),
            Kind::Pod => snapshot.pods.get(name).map(|pod| &pod.meta),
            Kind::Claim => snapshot.claims.get(name).map(|claim| &claim.meta),
            Kind::Revision => snapshot.revisions.get(name).map(|revision| &revision.meta),
        }
    }

    /// Returns the name of the resource in the API.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Set => "statefulsets",
            Kind::Pod => Resource::Pods.name(),
            Kind::Claim => Resource::Claims.name(),
            Kind::Revision => Resource::Revisions.name(),
        }
    }

    /// Returns the common name of the kind.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Kind::Set => "StatefulSet",
            Kind::Pod => "pod",
            Kind::Claim => "claim",
            Kind::Revision => "revision",
        }
    }
}

/// Pod at the start of the plan.
#[derive(Debug, Clone)]
pub struct StartPod {
    /// UID; empty when unknown.
    pub uid: String,
    /// Revision label; empty without one.
    pub revision: String,
    /// Stage.
    pub stage: Stage,
    /// Reason why the pod will not become ready on its own, if known.
    pub waiting: Option<String>,
}

/// Predicted step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PredictedStep {
    /// Whole seconds since the start of the plan.
    pub at: i64,
    /// Event.
    pub what: PredictedEvent,
}

/// Event of a predicted step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PredictedEvent {
    /// Sync of the controller.
    Sync(Vec<ReportWrite>),
    /// Event on a pod without a request.
    Pod(PodEvent, Arc<str>),
    /// Removal of a claim with its last owner.
    ClaimRemoved(Arc<str>),
    /// Event on an object caused by an actor other than controller and kubelet.
    Object(Actor, ObjectEvent, Arc<str>),
}

impl Prediction {
    /// Returns the delay since the start of the plan from which a missing step is late.
    #[must_use]
    pub fn late_after(&self, step: &PredictedStep) -> SignedDuration {
        let at = SignedDuration::from_secs(step.at);
        let is_first = self.steps.first() == Some(step);
        if is_first && matches!(step.what, PredictedEvent::Sync(_)) {
            // Its preconditions are met from the start.
            return at.saturating_add(CONTROLLER_ACTS);
        }
        at.saturating_add(SLACK).saturating_add(at / 4)
    }

    /// Returns the command line of the plan; empty when unknown.
    pub(super) fn command_line(&self) -> &[String] {
        let made_by = self.plan.metadata.made_by.as_ref();
        made_by.map_or(&[], |made_by| &made_by.command_line)
    }

    /// Returns the names of the pods at the end.
    pub(super) fn final_pods(&self) -> impl Iterator<Item = &Arc<str>> {
        self.plan.outcome.pods.iter().map(|pod| &pod.name)
    }

    pub(crate) fn predicts(&self, event: ObjectEvent) -> bool {
        let is_it = |step: &PredictedStep| matches!(&step.what, PredictedEvent::Object(_, it, _) if *it == event);
        self.steps.iter().any(is_it)
    }

    /// Returns a substitute for a deleted set, with which its remaining objects can be found.
    ///
    /// # Errors
    /// None for a prediction that was read from a plan.
    pub fn stand_in(&self) -> Result<Set, FieldError> {
        let metadata = &self.plan.metadata;
        let templates: Vec<Value> = self
            .plan
            .set
            .claim_templates
            .iter()
            .map(|name| json!({"metadata": {"name": name}}))
            .collect();
        Set::from_json(json!({
            "metadata": {"name": metadata.name, "namespace": metadata.namespace, "uid": metadata.uid},
            "spec": {"replicas": 0, "volumeClaimTemplates": templates},
        }))
    }

    /// Reports whether the planned template can lead to this revision. After a hash collision it leads to
    /// several in turn.
    pub(super) fn leads_to(&self, revision: &str) -> bool {
        let at_end = self.plan.outcome.status.update_revision();
        let makes = |step: &PredictedStep| match &step.what {
            PredictedEvent::Sync(writes) => writes.iter().any(|write| {
                write.verb == Verb::Create
                    && write.resource == Resource::Revisions
                    && *write.name == *revision
            }),
            _ => false,
        };
        self.plan.set.update_revision == revision
            || at_end == revision
            || self.steps.iter().any(makes)
    }
}

impl PredictedStep {
    /// Reports whether the step is a sync that writes only the status.
    #[must_use]
    pub fn is_status_alone(&self) -> bool {
        match &self.what {
            PredictedEvent::Sync(writes) => writes
                .iter()
                .all(|write| Kind::of(write.resource).is_none()),
            PredictedEvent::Pod(..)
            | PredictedEvent::ClaimRemoved(_)
            | PredictedEvent::Object(..) => false,
        }
    }

    /// Describes the step in a few words: `create web-2, delete web-3`, or `web-2 becomes ready`. `set` is the name of the
    /// set.
    #[must_use]
    pub fn words(&self, set: &str) -> String {
        match &self.what {
            PredictedEvent::Pod(event, pod) => StepEvent::Pod(*event).sentence(Actor::Kubelet, pod),
            PredictedEvent::ClaimRemoved(claim) => {
                StepEvent::ClaimRemoved.sentence(Actor::GarbageCollector, claim)
            }
            PredictedEvent::Object(actor, event, name) => {
                StepEvent::Object(*event).sentence(*actor, name)
            }
            PredictedEvent::Sync(writes) => {
                let made = writes.iter().filter(|write| !write.is_refused());
                let told = made.clone().filter(|it| Kind::of(it.resource).is_some());
                match writes_words(told, set) {
                    // The status is worth a word only alone.
                    words if words.is_empty() => writes_words(made, set),
                    words => words,
                }
            }
        }
    }
}
