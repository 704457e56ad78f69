//! Context of one pass: the set, its two revisions, and the behavior of the version.

use std::cell::RefCell;
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::claim_cache::ClaimCache;
use super::error::SyncError;
use super::hold::Hold;
use super::identity::{LazyBuilder, PodTemplateBuilder, takes_current_revision};
use super::revision::Revisions;
use crate::apiserver::apply::template_with_revision;
use crate::apiserver::schema::{normalized, pod_template};
use crate::object::{Pod, Revision, Set, Snapshot};
use crate::version::{Behaviour, UpdateWaitsFor};

/// Data that stays fixed during a pass.
pub(super) struct SyncContext<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) set: &'a Set,
    pub(super) claims: ClaimCache<'a>,
    pub(super) behaviour: &'a Behaviour,
    pub(super) now: Timestamp,
    /// `minReadySeconds`: how long a pod has to be ready to count as available.
    pub(super) min_ready: i32,
    /// The ordinal of slot 0.
    pub(super) start: i64,
    /// Desired number of pods.
    pub(super) replicas: usize,
    pub(super) current: &'a Arc<Revision>,
    pub(super) update: &'a Arc<Revision>,
    current_builder: &'a LazyBuilder,
    update_builder: &'a LazyBuilder,
    /// Scratch buffer for names, so that looking at a pod allocates nothing.
    pub(super) buffer: RefCell<String>,
}

impl<'a> SyncContext<'a> {
    /// Prepares a pass, including `ApplyRevision` for both revisions.
    pub(super) fn new(
        snapshot: &'a Snapshot,
        revisions: &'a Revisions,
        behaviour: &'a Behaviour,
        now: Timestamp,
    ) -> Result<Self, SyncError> {
        let set = &*snapshot.set;
        for (revision, builder) in [
            (&revisions.current, &revisions.current_builder),
            (&revisions.update, &revisions.update_builder),
        ] {
            // Pods have already been built from it.
            if builder.get().is_none() {
                check_applicable(revision, set)?;
            }
        }
        let ordinals = behaviour.ordinals(set);
        Ok(SyncContext {
            snapshot,
            set,
            claims: ClaimCache::new(&snapshot.claims),
            behaviour,
            now,
            min_ready: behaviour.min_ready_seconds(set),
            start: ordinals.start,
            replicas: usize::try_from(ordinals.end - ordinals.start).unwrap_or(0),
            current: &revisions.current,
            update: &revisions.update,
            current_builder: &revisions.current_builder,
            update_builder: &revisions.update_builder,
            buffer: RefCell::new(String::new()),
        })
    }

    fn takes_current(&self, slot: usize) -> bool {
        let slot = i64::try_from(slot).unwrap_or(i64::MAX);
        takes_current_revision(self.set, self.snapshot.status.current_replicas, slot)
    }

    /// Returns the name of the revision that a new pod for this slot is built from.
    pub(super) fn revision_for(&self, slot: usize) -> &Arc<str> {
        let revision = if self.takes_current(slot) {
            self.current
        } else {
            self.update
        };
        &revision.meta.name
    }

    /// `newVersionedStatefulSetPod` for a slot.
    pub(super) fn new_pod(&self, slot: usize) -> Arc<Pod> {
        let (builder, revision) = if self.takes_current(slot) {
            (self.current_builder, self.current)
        } else {
            (self.update_builder, self.update)
        };
        let builder = builder.get_or_init(|| {
            let minor = self.behaviour.defaulting.minor;
            if revision.replaces_template()
                && let Some(template) = revision.decoded_template(|it| decoded(it, minor))
            {
                return PodTemplateBuilder::new(self.set, template, &revision.meta.name);
            }
            let template = template_with_revision(&self.set.template, revision);
            let template = template.unwrap_or_else(|_| Arc::clone(&self.set.template));
            PodTemplateBuilder::new(self.set, &decoded(&template, minor), &revision.meta.name)
        });
        let ordinal = self
            .start
            .saturating_add(i64::try_from(slot).unwrap_or(i64::MAX));
        Arc::new(builder.pod(self.set, ordinal, self.behaviour))
    }

    /// Reports whether a pod has the update revision.
    pub(super) fn is_updated(&self, pod: &Pod) -> bool {
        pod.revision == self.update.meta.name
    }

    /// Reports whether a pod has been ready for `minReadySeconds`.
    pub(super) fn is_available(&self, pod: &Pod) -> bool {
        pod.is_available(self.min_ready, self.now)
    }

    /// Reports whether the update phase would wait for the pod, or count it against its budget.
    pub(super) fn is_unavailable(&self, pod: &Pod) -> bool {
        let well = match self.behaviour.update_waits_for {
            UpdateWaitsFor::Readiness => pod.is_running_and_ready(),
            UpdateWaitsFor::Availability => self.is_available(pod),
        };
        !well || pod.is_terminating()
    }

    /// Returns the first slot index that is updated.
    pub(super) fn partition(&self) -> usize {
        usize::try_from(self.set.strategy.partition()).unwrap_or(0)
    }

    /// Returns the hold of a monotonic pass at an existing pod that is not healthy yet, if there is one.
    pub(super) fn wait_for(&self, pod: &Arc<Pod>) -> Option<Hold> {
        let pod = || Arc::clone(pod);
        if pod().is_terminating() {
            Some(Hold::WaitingForPodTermination { pod: pod() })
        } else if !pod().is_running_and_ready() {
            Some(Hold::WaitingForPodReady { pod: pod() })
        } else if !self.is_available(&pod()) {
            let at = pod().available_at(self.min_ready);
            Some(Hold::WaitingForPodAvailable { pod: pod(), at })
        } else {
            None
        }
    }

    /// Fails in old versions that dereference the retention policy without a nil check.
    pub(super) fn check_retention(&self) -> Result<(), SyncError> {
        if self.behaviour.missing_retention_panics && self.set.retention.is_none() {
            return Err(SyncError::panic(
                "the set has no persistentVolumeClaimRetentionPolicy",
            ));
        }
        Ok(())
    }
}

/// Returns the pod of a set for an ordinal as the controller builds it from the template of a revision, not stored yet.
/// Of an unknown template, only the labels are known, which the selector of the set fixes.
#[must_use]
pub fn pod_of_revision(
    set: &Set,
    ordinal: i64,
    revision: &Arc<str>,
    template: Option<&Arc<Value>>,
    behaviour: &Behaviour,
) -> Pod {
    let unknown = || Arc::new(json!({"metadata": {"labels": set.template["metadata"]["labels"]}}));
    let template = template.map_or_else(unknown, Arc::clone);
    let template = decoded(&template, behaviour.defaulting.minor);
    PodTemplateBuilder::new(set, &template, revision).pod(set, ordinal, behaviour)
}

/// Returns a recorded template as the controller decodes it; pods are built from that form.
fn decoded(template: &Arc<Value>, minor: u32) -> Arc<Value> {
    match normalized(template, pod_template(), minor) {
        Ok(decoded) if decoded != **template => Arc::new(decoded),
        _ => Arc::clone(template),
    }
}

/// Checks that the revision can be applied to the set at all: it has data, its template is an object, and a patch is
/// valid.
fn check_applicable(revision: &Revision, set: &Set) -> Result<(), SyncError> {
    let name = &revision.meta.name;
    if revision.data().is_null() {
        return Err(SyncError::new(format!("revision {name} has no data")));
    }
    let template = revision
        .data()
        .get("spec")
        .and_then(|spec| spec.get("template"));
    if template.is_some_and(|template| !template.is_object()) {
        let shown: String = template
            .map(Value::to_string)
            .unwrap_or_default()
            .chars()
            .take(40)
            .collect();
        return Err(SyncError::new(format!(
            "revision {name} has {shown} instead of a pod template"
        )));
    }
    template_with_revision(&set.template, revision)
        .map_err(|error| SyncError::new(format!("revision {name} cannot be applied: {error}")))?;
    Ok(())
}
