//! The prediction of a plan, as far as the world can be held against it.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::observe::Stage;
use crate::plan::PlanResult;
use sts_controller::controller::{Resource, Verb};
use sts_controller::object::{FieldError, Meta, Set, Snapshot};
use sts_controller::simulate::{Actor, ObjectEvent, PodEvent};
use sts_controller::version::Behaviour;

/// Time by which something may happen later or sooner than predicted before it is late or ahead, in addition to a
/// quarter of the time until it.
pub(super) const SLACK: SignedDuration = SignedDuration::from_secs(10);

/// Time within which the controller acts on what has happened.
pub(super) const CONTROLLER_ACTS: SignedDuration = SignedDuration::from_secs(15);

/// The prediction of a plan, read from its JSON form.
#[derive(Debug, Clone)]
pub struct Prediction {
    /// The set's namespace.
    pub namespace: String,
    /// The set's name.
    pub name: String,
    /// The set's uid; empty when it was never stored.
    pub uid: String,
    /// The set's resourceVersion; empty when it was never stored.
    pub resource_version: String,
    /// The generation of the specification that is planned; 0 when unknown.
    pub generation: i64,
    /// When the plan begins.
    pub begins: Timestamp,
    /// The controller that it is of.
    pub behaviour: Behaviour,
    /// The fields of the specification that matter, by their path, each as text; absent ones are left out.
    pub fields: BTreeMap<&'static str, String>,
    /// `spec.minReadySeconds`.
    pub min_ready_seconds: i32,
    /// True if pods are made and replaced one after the other.
    pub one_by_one: bool,
    /// The names of `spec.volumeClaimTemplates`.
    pub claim_templates: Vec<String>,
    /// The revision that the template asks for.
    pub update_revision: String,
    /// True if the set is being deleted as the plan begins.
    pub being_deleted: bool,
    /// The paths that the user changes.
    pub changed: Vec<String>,
    /// The set's pods as the plan begins, by name.
    pub pods: BTreeMap<Arc<str>, StartPod>,
    /// Every object that was read, by kind and name.
    pub read: BTreeMap<(Kind, Arc<str>), ReadObject>,
    /// The predicted steps, in order.
    pub steps: Vec<PredictedStep>,
    /// `complete`, `blocked` or `livelock`.
    pub result: PlanResult,
    /// The set's status at the end.
    pub status: Value,
    /// The names of the pods at the end.
    pub final_pods: Vec<Arc<str>>,
    /// The plan in one line.
    pub summary: String,
    /// The command line that made it; empty where that is not known.
    pub command_line: Vec<String>,
}

/// A kind of object whose coming and going a plan predicts. In the order in which one is the cause of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::EnumIter)]
pub enum Kind {
    /// The set itself, where the plan has it deleted.
    Set,
    /// A ControllerRevision.
    Revision,
    /// A pod.
    Pod,
    /// A claim.
    Claim,
}

impl Kind {
    /// Returns the kind of the object that a request is about; `None` if it is none of these.
    pub(crate) fn of(resource: Resource) -> Option<Self> {
        match resource {
            Resource::Pods => Some(Kind::Pod),
            Resource::Claims => Some(Kind::Claim),
            Resource::Revisions => Some(Kind::Revision),
            Resource::Status => None,
        }
    }

    /// The metadata of the object of this kind and name.
    pub(super) fn find<'s>(self, snapshot: &'s Snapshot, name: &str) -> Option<&'s Meta> {
        match self {
            Kind::Set => Some(&snapshot.set.meta),
            Kind::Pod => snapshot.pods.get(name).map(|pod| &pod.meta),
            Kind::Claim => snapshot.claims.get(name).map(|claim| &claim.meta),
            Kind::Revision => snapshot.revisions.get(name).map(|revision| &revision.meta),
        }
    }

    /// The name of the kind's resource in the API.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Set => "statefulsets",
            Kind::Pod => Resource::Pods.name(),
            Kind::Claim => Resource::Claims.name(),
            Kind::Revision => Resource::Revisions.name(),
        }
    }

    /// Returns the usual name of the kind.
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

/// An object that was read, as far as it takes to know it again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadObject {
    /// Its uid; empty when unknown.
    pub uid: String,
    /// Its resourceVersion; empty when unknown.
    pub resource_version: String,
}

/// A pod as the plan begins.
#[derive(Debug, Clone)]
pub struct StartPod {
    /// Its uid; empty when unknown.
    pub uid: String,
    /// Its revision; empty when it carries none.
    pub revision: String,
    /// Its stage.
    pub stage: Stage,
    /// The reason that it is not going to become ready by itself, where that is known.
    pub waiting: Option<String>,
}

/// One thing that happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PredictedStep {
    /// Whole seconds since the plan begins.
    pub at: i64,
    /// The event.
    pub what: PredictedEvent,
}

/// The event of a predicted step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PredictedEvent {
    /// A sync of the controller.
    Sync(Vec<PredictedWrite>),
    /// Something that happens to a pod by itself.
    Pod(PodEvent, Arc<str>),
    /// A claim goes with its last owner.
    ClaimRemoved(Arc<str>),
    /// An actor other than controller and kubelet does something to an object.
    Object(Actor, ObjectEvent, Arc<str>),
}

/// A write of a sync.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PredictedWrite {
    /// The verb of the request.
    pub verb: Verb,
    /// To what kind of object.
    pub resource: Resource,
    /// To which one.
    pub name: Arc<str>,
    /// The revision of a pod that is created or deleted.
    pub revision: Option<Arc<str>>,
    /// True if the API server refuses it.
    pub refused: bool,
}

impl Prediction {
    /// Returns the time after the beginning of the plan from which a step that has not happened is late.
    #[must_use]
    pub fn late_after(&self, step: &PredictedStep) -> SignedDuration {
        let at = SignedDuration::from_secs(step.at);
        let is_first = self.steps.first() == Some(step);
        if is_first && matches!(step.what, PredictedEvent::Sync(_)) {
            // Nothing has to happen before it.
            return at.saturating_add(CONTROLLER_ACTS);
        }
        at.saturating_add(SLACK).saturating_add(at / 4)
    }

    /// Reports whether the plan predicts this event for the set.
    pub(crate) fn predicts(&self, event: ObjectEvent) -> bool {
        let is_it = |step: &PredictedStep| matches!(&step.what, PredictedEvent::Object(_, it, _) if *it == event);
        self.steps.iter().any(is_it)
    }

    /// A set that stands in for the planned one where that is gone, so that what is left of it can be found.
    ///
    /// # Errors
    /// None that a plan that was read could lead to.
    pub fn stand_in(&self) -> Result<Set, FieldError> {
        let templates: Vec<Value> = self
            .claim_templates
            .iter()
            .map(|name| json!({"metadata": {"name": name}}))
            .collect();
        Set::from_json(json!({
            "metadata": {"name": self.name, "namespace": self.namespace, "uid": self.uid},
            "spec": {"replicas": 0, "volumeClaimTemplates": templates},
        }))
    }

    /// Reports whether the planned template leads to this revision. After a collision of names it leads to several in
    /// turn.
    pub(super) fn leads_to(&self, revision: &str) -> bool {
        let at_end = self.status.get("updateRevision").and_then(Value::as_str);
        let makes = |step: &PredictedStep| match &step.what {
            PredictedEvent::Sync(writes) => writes.iter().any(|write| {
                write.verb == Verb::Create
                    && write.resource == Resource::Revisions
                    && *write.name == *revision
            }),
            _ => false,
        };
        self.update_revision == revision || at_end == Some(revision) || self.steps.iter().any(makes)
    }
}

impl PredictedStep {
    /// Reports whether it is a sync that writes nothing but the status.
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

    /// Describes the step in a few words: `create web-2, delete web-3`, or `web-2 becomes ready`.
    #[must_use]
    pub fn words(&self) -> String {
        match &self.what {
            PredictedEvent::Pod(event, pod) => match event {
                PodEvent::Removed => format!("{pod} is gone"),
                PodEvent::Ready => format!("{pod} becomes ready"),
                PodEvent::Failed => format!("{pod} fails"),
                PodEvent::Available => format!("{pod} becomes available"),
            },
            PredictedEvent::ClaimRemoved(claim) => format!("claim {claim} is removed"),
            PredictedEvent::Object(actor, event, name) => object_words(*actor, *event, name),
            PredictedEvent::Sync(writes) => {
                let mut words: Vec<String> = Vec::new();
                for write in writes.iter().filter(|write| !write.refused) {
                    let verb = write.verb.name();
                    words.push(match Kind::of(write.resource) {
                        Some(Kind::Pod) => format!("{verb} {}", write.name),
                        Some(kind) => format!("{verb} {} {}", kind.word(), write.name),
                        // Every sync that does anything has one.
                        None => continue,
                    });
                }
                match words.len() {
                    0 => "write the status".to_owned(),
                    1..=4 => words.join(", "),
                    more => format!("{}, and {} more", words[..3].join(", "), more - 3),
                }
            }
        }
    }
}

fn object_words(actor: Actor, event: ObjectEvent, name: &str) -> String {
    match event {
        ObjectEvent::SetDeleted => "you delete the StatefulSet".to_owned(),
        ObjectEvent::SetRemoved => "the StatefulSet is gone".to_owned(),
        ObjectEvent::SetCreated => "you recreate the StatefulSet".to_owned(),
        ObjectEvent::PodDeleted if actor == Actor::User => format!("you delete {name}"),
        ObjectEvent::PodDeleted if actor == Actor::Eviction => format!("{name} is evicted"),
        ObjectEvent::PodDeleted => format!("{name} is deleted"),
        ObjectEvent::PodNotReady => format!("the node of {name} does not answer"),
        ObjectEvent::PodOrphaned => format!("{name} loses its owner"),
        ObjectEvent::ClaimDeleted => format!("claim {name} is deleted"),
        ObjectEvent::ClaimResizing => format!("claim {name} asks for more storage"),
        ObjectEvent::ClaimResized => format!("claim {name} has the storage that it asks for"),
        ObjectEvent::ClaimOrphaned => format!("claim {name} loses its owner"),
        ObjectEvent::RevisionRemoved => format!("revision {name} is removed"),
        ObjectEvent::RevisionOrphaned => format!("revision {name} loses its owner"),
    }
}
