//! Pods, with the controller's predicates on them.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};

use super::field::{FieldError, Fields};
use super::labels::labels_json;
use super::meta::{Meta, finalizers, set_owners};
use super::packed::Packed;
use super::phase::Phase;
use super::pool::Pool;
use super::trouble::Trouble;

/// Label with the name of the ControllerRevision that a pod was built from.
pub(crate) const REVISION_LABEL: &str = "controller-revision-hash";

/// A pod.
#[derive(Debug, Clone)]
pub struct Pod {
    /// Metadata.
    pub meta: Meta,
    /// The revision label's value; empty if the label is missing.
    pub revision: Arc<str>,
    /// `status.phase`.
    pub phase: Phase,
    /// The first condition of type `Ready`.
    pub ready: Option<Ready>,
    /// True if `spec.nodeName` is set.
    pub scheduled: bool,
    /// `spec.nodeName` of a pod from the input.
    pub node: Option<Arc<str>>,
    /// `spec.terminationGracePeriodSeconds`; 30 if absent.
    pub grace_seconds: i64,
    /// `spec.volumes`, as far as the storage check needs them.
    pub volumes: Arc<[Volume]>,
    /// The reason in its status that the pod will not become ready on its own.
    pub trouble: Option<Arc<Trouble>>,
    /// True if `metadata.finalizers` is not empty: a deleted pod stays until they are removed.
    pub has_finalizers: bool,
    /// Source of the rest of the object.
    body: Body,
}

/// A condition of type `Ready`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ready {
    /// True if its status is `True`.
    pub is_true: bool,
    /// `lastTransitionTime`.
    pub since: Option<Timestamp>,
}

/// A volume: its name, and its claim, if it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Volume {
    /// `name`.
    pub name: Arc<str>,
    /// `persistentVolumeClaim.claimName`.
    pub claim: Option<Arc<str>>,
}

/// Common parts of the pods that the controller builds from one revision. Their JSON is built on demand.
#[derive(Debug)]
pub struct PodBlueprint {
    template: Arc<Value>,
    generate_name: Arc<str>,
    subdomain: Arc<str>,
    grace_seconds: i64,
    has_finalizers: bool,
}

impl PodBlueprint {
    /// Returns the blueprint for a raw pod template, `metadata.generateName` and `spec.subdomain`.
    #[must_use]
    pub fn new(template: Arc<Value>, generate_name: Arc<str>, subdomain: Arc<str>) -> Self {
        let grace = &template["spec"]["terminationGracePeriodSeconds"];
        PodBlueprint {
            grace_seconds: grace.as_i64().unwrap_or(30),
            has_finalizers: !finalizers(&template).is_empty(),
            template,
            generate_name,
            subdomain,
        }
    }
}

#[derive(Debug, Clone)]
enum Body {
    /// Part of the input.
    Given(Packed),
    /// Built by the controller.
    Built(Arc<PodBlueprint>),
}

impl Pod {
    /// Reads a pod from its JSON form.
    ///
    /// # Errors
    /// When a field has a value of the wrong type.
    pub fn from_json(object: Value) -> Result<Self, FieldError> {
        Pod::from_part(&object, || Packed::of(&object))
    }

    /// Reads a pod from the members of its JSON form that [`Pod`] has fields for. Other members are read from `whole`
    /// on demand.
    ///
    /// # Errors
    /// As [`Pod::from_json`].
    pub fn from_part(object: &Value, whole: impl FnOnce() -> Packed) -> Result<Self, FieldError> {
        let fields = Fields::root(object)?;
        let meta = Meta::read(&fields)?;
        let spec = fields.object("spec")?;
        let status = fields.object("status")?;
        let conditions = status.list("conditions", |item, _| {
            Ok((
                item.text("type")? == "Ready",
                Ready {
                    is_true: item.text("status")? == "True",
                    since: item.time("lastTransitionTime")?,
                },
            ))
        })?;
        let volumes: Vec<Volume> = spec.list("volumes", |item, _| {
            let claim = item.object("persistentVolumeClaim")?;
            Ok(Volume {
                name: item.shared_text("name")?,
                claim: if claim.present() {
                    Some(claim.shared_text("claimName")?)
                } else {
                    None
                },
            })
        })?;
        Ok(Pod {
            revision: revision_label(&meta),
            phase: Phase::read(status.text("phase")?),
            ready: conditions
                .iter()
                .find(|(is_ready, _)| *is_ready)
                .map(|(_, ready)| *ready),
            scheduled: !spec.text("nodeName")?.is_empty(),
            node: spec.get("nodeName").and_then(Value::as_str).map(Arc::from),
            grace_seconds: spec.integer("terminationGracePeriodSeconds")?.unwrap_or(30),
            volumes: volumes.into(),
            trouble: Trouble::read(&status)?,
            has_finalizers: !finalizers(object).is_empty(),
            meta,
            body: Body::Given(whole()),
        })
    }

    /// Returns a pod as the controller builds it, not stored yet.
    #[must_use]
    pub fn built(meta: Meta, volumes: Arc<[Volume]>, blueprint: Arc<PodBlueprint>) -> Self {
        Pod {
            revision: revision_label(&meta),
            phase: Phase::Unset,
            ready: None,
            scheduled: false,
            node: None,
            grace_seconds: blueprint.grace_seconds,
            volumes,
            trouble: None,
            has_finalizers: blueprint.has_finalizers,
            meta,
            body: Body::Built(blueprint),
        }
    }

    /// Replaces values by shared copies from the pool.
    pub fn share(&mut self, pool: &mut Pool) {
        pool.share(&mut self.meta);
        pool.text(&mut self.revision);
        if let Body::Given(object) = &mut self.body {
            pool.pack(object);
        }
        if let Some(node) = &mut self.node {
            pool.text(node);
        }
        let mut volumes = self.volumes.to_vec();
        volumes
            .iter_mut()
            .for_each(|volume| pool.text(&mut volume.name));
        self.volumes = volumes.into();
    }

    /// Returns the pod template of a pod that the controller built; `None` for a pod from the input.
    pub(crate) fn template(&self) -> Option<&Value> {
        match &self.body {
            Body::Given(_) => None,
            Body::Built(blueprint) => Some(&blueprint.template),
        }
    }

    /// Returns the whole object as read, parsed again from its text; `None` for a planned pod.
    #[must_use]
    pub fn given(&self) -> Option<Arc<Value>> {
        match &self.body {
            Body::Given(object) => Some(object.open()),
            Body::Built(_) => None,
        }
    }

    /// `isCreated`: reports whether the pod has a phase.
    #[must_use]
    pub fn is_created(&self) -> bool {
        self.phase != Phase::Unset
    }

    /// `isTerminating`: reports whether the pod has a deletion timestamp.
    #[must_use]
    pub fn is_terminating(&self) -> bool {
        self.meta.is_terminating()
    }

    /// `isPodReady`: reports whether the condition `Ready` is true, whatever the phase.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.ready.is_some_and(|ready| ready.is_true)
    }

    /// Returns the names of the claims that its volumes use.
    pub fn claims(&self) -> impl Iterator<Item = &Arc<str>> {
        self.volumes
            .iter()
            .filter_map(|volume| volume.claim.as_ref())
    }

    /// `isRunningAndReady`: reports whether the phase is `Running` and the pod is ready.
    #[must_use]
    pub fn is_running_and_ready(&self) -> bool {
        self.phase == Phase::Running && self.is_ready()
    }

    /// `isPodAvailable`: reports whether the pod has been ready for at least `min_ready_seconds`.
    ///
    /// Controllers before 1.34 require strictly more. But they compare a clock of nanoseconds, which has moved on
    /// since, with timestamps of whole seconds. At that very instant both versions agree.
    #[must_use]
    pub fn is_available(&self, min_ready_seconds: i32, now: Timestamp) -> bool {
        self.is_ready()
            && (min_ready_seconds == 0
                || self
                    .available_at(min_ready_seconds)
                    .is_some_and(|at| at <= now))
    }

    /// Returns the time at which a ready pod is or becomes available; `None` if it is not ready or the time is unknown.
    #[must_use]
    pub fn available_at(&self, min_ready_seconds: i32) -> Option<Timestamp> {
        let since = self.ready.filter(|ready| ready.is_true)?.since?;
        since
            .checked_add(SignedDuration::from_secs(i64::from(min_ready_seconds)))
            .ok()
    }

    /// Returns the object as it would be sent.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match &self.body {
            Body::Given(object) => {
                let mut object = Arc::unwrap_or_clone(object.open());
                set_owners(&mut object, &self.meta.owner_references);
                self.write_identity(&mut object);
                object
            }
            Body::Built(blueprint) => self.build(blueprint),
        }
    }

    /// Writes the fields that a repair of identity or storage may have changed.
    fn write_identity(&self, object: &mut Value) {
        let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) else {
            return;
        };
        metadata.insert("name".into(), Value::from(&*self.meta.name));
        if !self.meta.labels.is_empty() {
            metadata.insert("labels".into(), labels_json(&self.meta.labels));
        }
    }

    fn build(&self, blueprint: &PodBlueprint) -> Value {
        let mut metadata = Map::new();
        let from_template = |name: &str| {
            blueprint
                .template
                .get("metadata")
                .and_then(|metadata| metadata.get(name))
                .cloned()
        };
        for name in ["annotations", "finalizers"] {
            if let Some(value) = from_template(name) {
                metadata.insert(name.into(), value);
            }
        }
        metadata.insert(
            "generateName".into(),
            Value::from(&*blueprint.generate_name),
        );
        metadata.insert("labels".into(), labels_json(&self.meta.labels));
        metadata.insert("name".into(), Value::from(&*self.meta.name));
        metadata.insert("namespace".into(), Value::from(&*self.meta.namespace));
        let owners = self
            .meta
            .owner_references
            .iter()
            .map(super::OwnerReference::to_json);
        metadata.insert("ownerReferences".into(), Value::Array(owners.collect()));

        let mut spec = match blueprint.template.get("spec") {
            Some(Value::Object(spec)) => spec.clone(),
            _ => Map::new(),
        };
        spec.insert("hostname".into(), Value::from(&*self.meta.name));
        if blueprint.subdomain.is_empty() {
            spec.remove("subdomain");
        } else {
            spec.insert("subdomain".into(), Value::from(&*blueprint.subdomain));
        }
        let volumes = claim_volumes_first(&self.volumes, spec.get("volumes"));
        if volumes.is_empty() {
            spec.remove("volumes");
        } else {
            spec.insert("volumes".into(), Value::Array(volumes));
        }
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": {}})
    }

    /// Returns the pod with its volumes rebuilt: `claims` first, then the other volumes of the object.
    #[must_use]
    pub fn with_claim_volumes(&self, claims: Arc<[Volume]>) -> Self {
        let mut pod = self.clone();
        if let Body::Given(object) = &self.body {
            let mut object = Arc::unwrap_or_clone(object.open());
            let volumes = claim_volumes_first(
                &claims,
                object.get("spec").and_then(|spec| spec.get("volumes")),
            );
            if let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut) {
                spec.insert("volumes".into(), Value::Array(volumes));
            }
            pod.body = Body::Given(Packed::of(&object));
        }
        let others = self
            .volumes
            .iter()
            .filter(|volume| !claims.iter().any(|claim| claim.name == volume.name));
        pod.volumes = claims.iter().chain(others).cloned().collect();
        pod
    }
}

fn revision_label(meta: &Meta) -> Arc<str> {
    meta.labels
        .get(REVISION_LABEL)
        .map_or_else(|| Arc::from(""), Arc::clone)
}

/// Returns the volumes of a pod with claims: one for each claim, then those of `others` under other names.
fn claim_volumes_first(claims: &[Volume], others: Option<&Value>) -> Vec<Value> {
    let mut volumes: Vec<Value> = claims
        .iter()
        .filter_map(|volume| {
            let claim = volume.claim.as_deref()?;
            Some(json!({"name": &*volume.name, "persistentVolumeClaim": {"claimName": claim}}))
        })
        .collect();
    let taken = |other: &Value| {
        let name = other
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or_default();
        claims
            .iter()
            .any(|claim| claim.claim.is_some() && &*claim.name == name)
    };
    volumes.extend(
        others
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter(|v| !taken(v))
            .cloned(),
    );
    volumes
}
