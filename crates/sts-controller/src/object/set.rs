//! The StatefulSet: its spec as the algorithm reads it, and its stored status.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::field::{FieldError, Fields};
use super::labels::Labels;
use super::meta::{Meta, OwnerReference, finalizers, is_stored_version};
use super::packed::Packed;
use super::selector::Selector;

/// A StatefulSet.
#[derive(Debug, Clone)]
pub struct Set {
    /// Metadata.
    pub meta: Meta,
    /// `metadata.annotations` as written; a new revision gets a copy of them.
    pub annotations: Option<Arc<Value>>,
    /// `metadata.generation`.
    pub generation: i64,
    /// `spec.replicas`; 1 if absent.
    pub replicas: i32,
    /// `spec.selector`; an absent one matches nothing.
    pub selector: Option<Selector>,
    /// `spec.template`, raw.
    pub template: Arc<Value>,
    /// `spec.volumeClaimTemplates`.
    pub claim_templates: Arc<[ClaimTemplate]>,
    /// `spec.serviceName`.
    pub service_name: Arc<str>,
    /// `spec.podManagementPolicy`.
    pub pod_management: PodManagement,
    /// `spec.updateStrategy`.
    pub strategy: Strategy,
    /// `spec.revisionHistoryLimit`; 10 if absent.
    pub revision_history_limit: i32,
    /// `spec.minReadySeconds`; 0 if absent.
    pub min_ready_seconds: i32,
    /// `spec.persistentVolumeClaimRetentionPolicy`.
    pub retention: Option<RetentionPolicy>,
    /// `spec.ordinals.start`; 0 if absent. Private to the engine, since some versions ignore it.
    pub(crate) start_ordinal: i32,
    /// True if `metadata.finalizers` is not empty.
    has_finalizers: bool,
    /// The whole object as read, including its stored status.
    pub object: Packed,
}

/// `spec.podManagementPolicy`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumIter, strum::IntoStaticStr)]
pub enum PodManagement {
    /// One pod at a time, in order: every value except `Parallel`.
    OrderedReady,
    /// All pods at once.
    Parallel,
}

/// `spec.updateStrategy`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Strategy {
    /// `RollingUpdate`. An absent block affects the choice of the template.
    RollingUpdate(Option<RollingUpdate>),
    /// `OnDelete`. Validation refuses a block here, but the choice of the template would read it.
    OnDelete(Option<RollingUpdate>),
    /// `Recreate`, known from 1.37 on. Validation refuses a block here.
    Recreate(Option<RollingUpdate>),
    /// A type that the API does not know. It is rolled out like `RollingUpdate`.
    Unknown(String, Option<RollingUpdate>),
}

impl Strategy {
    /// Returns the `rollingUpdate` block, under any type.
    #[must_use]
    pub fn rolling_update(&self) -> Option<&RollingUpdate> {
        match self {
            Strategy::RollingUpdate(block)
            | Strategy::OnDelete(block)
            | Strategy::Recreate(block)
            | Strategy::Unknown(_, block) => block.as_ref(),
        }
    }

    /// Returns the partition of the `rollingUpdate` block; 0 without one.
    #[must_use]
    pub fn partition(&self) -> i32 {
        let block = self.rolling_update();
        block.and_then(|block| block.partition).unwrap_or(0)
    }

    /// Returns the type's name in the API.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Strategy::RollingUpdate(_) => "RollingUpdate",
            Strategy::OnDelete(_) => "OnDelete",
            Strategy::Recreate(_) => "Recreate",
            Strategy::Unknown(name, _) => name,
        }
    }
}

/// `spec.updateStrategy.rollingUpdate`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RollingUpdate {
    /// Slots below this index keep the current revision; 0 if absent.
    pub partition: Option<i32>,
    /// Maximum number or percentage of unavailable pods during an update.
    pub max_unavailable: Option<IntOrPercent>,
}

/// A number, or a string that should be a percentage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IntOrPercent {
    /// A plain number.
    Int(i64),
    /// Any string, such as `25%`.
    Text(String),
}

/// `spec.persistentVolumeClaimRetentionPolicy`; an unknown value counts as `Retain` for both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionPolicy {
    /// Retention of the claims when the set is deleted.
    pub when_deleted: Retention,
    /// Retention of a pod's claims when the pod is scaled down.
    pub when_scaled: Retention,
}

/// Retention of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retention {
    /// The claim is kept.
    Retain,
    /// The claim is deleted.
    Delete,
    /// A value that the API does not know.
    Unknown,
}

impl Retention {
    fn read(text: &str) -> Self {
        match text {
            "Retain" | "" => Retention::Retain,
            "Delete" => Retention::Delete,
            _ => Retention::Unknown,
        }
    }
}

/// One entry of `spec.volumeClaimTemplates`.
#[derive(Debug, Clone)]
pub struct ClaimTemplate {
    /// `metadata.name`: name of the volume, and prefix of the claim's name.
    pub name: Arc<str>,
    /// Labels of the created claims: the template's own, overridden by `matchLabels` of the set's selector. The
    /// selector's expressions contribute none (quirk Q27).
    pub labels: Arc<Labels>,
    /// `metadata.resourceVersion`, which should not be in a template.
    pub resource_version: Arc<str>,
    /// Owners of a newly created claim.
    pub owner_references: Arc<[OwnerReference]>,
    /// The whole template, raw.
    pub object: Arc<Value>,
}

impl ClaimTemplate {
    /// Reports whether the API server refuses every claim of this template: see [`Meta::has_stored_version`].
    #[must_use]
    pub fn has_stored_version(&self) -> bool {
        is_stored_version(&self.resource_version)
    }
}

/// The stored status of a set, as far as the algorithm reads it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Status {
    /// `observedGeneration`.
    pub observed_generation: i64,
    /// `replicas`.
    pub replicas: i64,
    /// `readyReplicas`.
    pub ready_replicas: i64,
    /// `currentReplicas`.
    pub current_replicas: i64,
    /// `updatedReplicas`.
    pub updated_replicas: i64,
    /// `availableReplicas`.
    pub available_replicas: i64,
    /// `currentRevision`: a revision's name.
    pub current_revision: Arc<str>,
    /// `updateRevision`: a revision's name.
    pub update_revision: Arc<str>,
    /// `collisionCount`.
    pub collision_count: Option<i64>,
    /// `conditions`, raw. Controllers until 1.36 drop them on their next write.
    pub conditions: Option<Arc<Value>>,
}

impl Set {
    /// Reports whether an owner is an earlier set of the same name.
    #[must_use]
    pub fn is_successor_of(&self, owner: &OwnerReference) -> bool {
        &*owner.kind == "StatefulSet"
            && owner.name == self.meta.name
            && !owner.uid.is_empty()
            && owner.uid != self.meta.uid
    }

    /// Reads a StatefulSet from its JSON form.
    ///
    /// # Errors
    /// When a field has a value of the wrong type.
    pub fn from_json(object: Value) -> Result<Self, FieldError> {
        Set::from_whole(&object, || Packed::of(&object))
    }

    /// Reads a StatefulSet from its JSON form. The whole object is kept in `whole`.
    ///
    /// # Errors
    /// As [`Set::from_json`].
    pub fn from_whole(object: &Value, whole: impl FnOnce() -> Packed) -> Result<Self, FieldError> {
        let fields = Fields::root(object)?;
        let meta = Meta::read(&fields)?;
        let metadata = fields.object("metadata")?;
        let spec = fields.object("spec")?;
        let selector = spec.object("selector")?;
        let selector = if selector.present() {
            Some(Selector::read(&selector)?)
        } else {
            None
        };
        let match_labels = selector.as_ref().map(|selector| &selector.match_labels);
        let template = spec.object("template")?;
        let claim_templates: Vec<ClaimTemplate> =
            spec.list("volumeClaimTemplates", |item, value| {
                let metadata = item.object("metadata")?;
                let mut labels = metadata.labels("labels")?;
                labels.extend(match_labels.cloned().unwrap_or_default());
                Ok(ClaimTemplate {
                    name: metadata.shared_text("name")?,
                    labels: Arc::new(labels),
                    resource_version: metadata.shared_text("resourceVersion")?,
                    owner_references: metadata
                        .list("ownerReferences", |owner, _| OwnerReference::read(owner))?
                        .into(),
                    object: Arc::new(value.clone()),
                })
            })?;
        Ok(Set {
            annotations: metadata
                .get("annotations")
                .map(|value| Arc::new(value.clone())),
            generation: metadata.integer("generation")?.unwrap_or(0),
            replicas: spec.small_integer("replicas")?.unwrap_or(1),
            selector,
            template: Arc::new(if template.present() {
                spec.get("template").cloned().unwrap_or_default()
            } else {
                Value::Object(Map::new())
            }),
            claim_templates: claim_templates.into(),
            service_name: spec.shared_text("serviceName")?,
            pod_management: match spec.text("podManagementPolicy")? {
                "Parallel" => PodManagement::Parallel,
                _ => PodManagement::OrderedReady,
            },
            strategy: read_strategy(&spec.object("updateStrategy")?)?,
            revision_history_limit: spec.small_integer("revisionHistoryLimit")?.unwrap_or(10),
            min_ready_seconds: spec.small_integer("minReadySeconds")?.unwrap_or(0),
            retention: read_retention(&spec.object("persistentVolumeClaimRetentionPolicy")?)?,
            start_ordinal: spec
                .object("ordinals")?
                .small_integer("start")?
                .unwrap_or(0),
            meta,
            has_finalizers: !finalizers(object).is_empty(),
            object: whole(),
        })
    }

    /// Returns `spec.ordinals.start` as stored, for display and comparison. The desired ordinals depend on the version:
    /// `Behaviour::ordinals`.
    #[must_use]
    pub fn stored_start_ordinal(&self) -> i32 {
        self.start_ordinal
    }

    /// Returns the finalizers that keep the set once it is deleted, including those of a foreground or orphan deletion.
    #[must_use]
    pub fn finalizers(&self) -> Vec<String> {
        match self.has_finalizers {
            true => finalizers(&self.object.open()),
            false => Vec::new(),
        }
    }

    /// Reports whether pods are created and replaced one at a time.
    #[must_use]
    pub fn is_monotonic(&self) -> bool {
        self.pod_management == PodManagement::OrderedReady
    }

    /// Reports whether the set is terminating.
    #[must_use]
    pub fn is_terminating(&self) -> bool {
        self.meta.is_terminating()
    }
}

/// Reads a number or a percentage, if present.
pub(super) fn read_bound(
    fields: &Fields<'_>,
    name: &str,
) -> Result<Option<IntOrPercent>, FieldError> {
    Ok(match fields.get(name) {
        None => None,
        Some(Value::String(text)) => Some(IntOrPercent::Text(text.clone())),
        Some(_) => fields.integer(name)?.map(IntOrPercent::Int),
    })
}

fn read_strategy(fields: &Fields<'_>) -> Result<Strategy, FieldError> {
    let rolling = fields.object("rollingUpdate")?;
    let block = if rolling.present() {
        Some(RollingUpdate {
            partition: rolling.small_integer("partition")?,
            max_unavailable: read_bound(&rolling, "maxUnavailable")?,
        })
    } else {
        None
    };
    Ok(match fields.text("type")? {
        "RollingUpdate" => Strategy::RollingUpdate(block),
        "OnDelete" => Strategy::OnDelete(block),
        "Recreate" => Strategy::Recreate(block),
        other => Strategy::Unknown(other.to_owned(), block),
    })
}

fn read_retention(fields: &Fields<'_>) -> Result<Option<RetentionPolicy>, FieldError> {
    if !fields.present() {
        return Ok(None);
    }
    Ok(Some(RetentionPolicy {
        when_deleted: Retention::read(fields.text("whenDeleted")?),
        when_scaled: Retention::read(fields.text("whenScaled")?),
    }))
}

impl Status {
    /// Reads the status from a StatefulSet's JSON form.
    ///
    /// # Errors
    /// When a field has a value of the wrong type.
    pub fn of_set(object: &Value) -> Result<Self, FieldError> {
        let root = Fields::root(object)?;
        let fields = root.object("status")?;
        let counter = |name| fields.integer(name).map(Option::unwrap_or_default);
        Ok(Status {
            observed_generation: counter("observedGeneration")?,
            replicas: counter("replicas")?,
            ready_replicas: counter("readyReplicas")?,
            current_replicas: counter("currentReplicas")?,
            updated_replicas: counter("updatedReplicas")?,
            available_replicas: counter("availableReplicas")?,
            current_revision: fields.shared_text("currentRevision")?,
            update_revision: fields.shared_text("updateRevision")?,
            collision_count: fields.integer("collisionCount")?,
            conditions: fields
                .get("conditions")
                .map(|value| Arc::new(value.clone())),
        })
    }

    /// Returns the status in its JSON form. `available` is true if this version has `availableReplicas`.
    #[must_use]
    pub fn to_json(&self, available: bool) -> Value {
        let mut out = Map::new();
        if available {
            out.insert("availableReplicas".into(), self.available_replicas.into());
        }
        if let Some(count) = self.collision_count {
            out.insert("collisionCount".into(), count.into());
        }
        if let Some(conditions) = &self.conditions {
            out.insert("conditions".into(), (**conditions).clone());
        }
        let mut optional = |name: &str, value: i64| {
            if value != 0 {
                out.insert(name.into(), value.into());
            }
        };
        optional("currentReplicas", self.current_replicas);
        optional("observedGeneration", self.observed_generation);
        optional("readyReplicas", self.ready_replicas);
        optional("updatedReplicas", self.updated_replicas);
        out.insert("replicas".into(), self.replicas.into());
        let mut named = |name: &str, value: &str| {
            if !value.is_empty() {
                out.insert(name.into(), value.into());
            }
        };
        named("currentRevision", &self.current_revision);
        named("updateRevision", &self.update_revision);
        Value::Object(out)
    }
}
