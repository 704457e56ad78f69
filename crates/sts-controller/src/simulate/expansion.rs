//! Volume expansion: the progress of a claim with a raised storage request.
//!
//! The storage expands the volume, then the kubelet of a pod that uses it expands its file system. The driver decides
//! whether either step waits for a restart of the pod. No API object shows that decision.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::action::Action;
use super::agenda::ScheduledAction;
use super::world::World;
use crate::apiserver::validation::claim_growth_refusal;
use crate::controller::Refusal;
use crate::object::Claim;

/// A storage system's method of volume expansion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::EnumIter)]
pub enum Expansion {
    /// While pods use them.
    Online,
    /// The volume at once; its file system when a pod mounts it.
    OnMount,
    /// The volume while no pod uses it; its file system when a pod mounts it.
    Offline,
}

/// A raised storage request of a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimGrowth {
    /// The claim.
    pub claim: Arc<str>,
    /// The new storage request.
    pub size: Arc<str>,
    /// The method of expansion.
    pub expansion: Expansion,
    /// Time that the storage takes to expand the volume.
    pub takes: SignedDuration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// The storage waits until no pod uses the volume.
    AwaitsRelease,
    /// The storage expands the volume.
    Expands,
    /// The file system waits until a pod mounts the volume.
    AwaitsMount,
}

/// Expansions in progress, by claim.
#[derive(Debug, Clone, Default)]
pub(super) struct Expansions(BTreeMap<Arc<str>, Growth>);

#[derive(Debug, Clone, Copy)]
struct Growth {
    progress: Progress,
    expansion: Expansion,
    takes: SignedDuration,
}

impl World {
    /// Raises a claim's storage request.
    pub(super) fn grow_claim(&mut self, growth: &ClaimGrowth) -> Result<(), Refusal> {
        let name = &growth.claim;
        let Some(claim) = self.snapshot().claims.get(name) else {
            return Err(Refusal::NotFound {
                resource: crate::controller::Resource::Claims.name(),
                name: Arc::clone(name),
            });
        };
        if let Some(refusal) = claim_growth_refusal(claim, &growth.size) {
            return Err(Refusal::Invalid(refusal));
        }
        let now = self.now();
        let grown = changed(claim, |object| {
            object["spec"]["resources"]["requests"]["storage"] = Value::from(&*growth.size);
            set_condition(object, "Resizing", now);
        });
        self.set_claim(name, Some(grown));
        let waits = growth.expansion == Expansion::Offline && self.is_used(name);
        self.expansions.0.insert(
            Arc::clone(name),
            Growth {
                progress: Progress::AwaitsRelease,
                expansion: growth.expansion,
                takes: growth.takes,
            },
        );
        if !waits {
            self.begin_expansion(name);
        }
        Ok(())
    }

    fn begin_expansion(&mut self, name: &Arc<str>) {
        let now = self.now();
        let Some(growing) = self.expansions.0.get_mut(name) else {
            return;
        };
        growing.progress = Progress::Expands;
        // A time beyond the end of the calendar never comes.
        if let Ok(at) = now.checked_add(growing.takes) {
            let place = self.agenda.partition_point(|other| other.at <= at);
            let action = Action::ExpandVolume(Arc::clone(name));
            self.agenda.insert(place, ScheduledAction { at, action });
        }
    }

    /// Finishes the expansion of a volume. Returns whether the claim has reached its requested size.
    pub(super) fn expand_volume(&mut self, name: &Arc<str>) -> bool {
        let Some(growing) = self.expansions.0.get(name).copied() else {
            return false;
        };
        if growing.expansion == Expansion::Online && self.is_used(name) {
            return self.finish_growth(name);
        }
        if let Some(growing) = self.expansions.0.get_mut(name) {
            growing.progress = Progress::AwaitsMount;
        }
        let now = self.now();
        if let Some(claim) = self.snapshot().claims.get(name) {
            let pending = changed(claim, |object| {
                set_condition(object, "FileSystemResizePending", now);
            });
            self.set_claim(name, Some(pending));
        }
        false
    }

    /// Sets a claim's capacity to its request.
    fn finish_growth(&mut self, name: &Arc<str>) -> bool {
        self.expansions.0.remove(name);
        let Some(claim) = self.snapshot().claims.get(name) else {
            return false;
        };
        let Some(size) = claim.storage.clone() else {
            return false;
        };
        let grown = changed(claim, |object| {
            let status = &mut object["status"];
            status["capacity"]["storage"] = Value::from(&*size);
            if let Some(status) = status.as_object_mut() {
                status.remove("allocatedResourceStatuses");
            }
            forget_conditions(object);
        });
        self.set_claim(name, Some(grown));
        true
    }

    /// Expands the file systems of a pod that has mounted its volumes. Returns their claims.
    pub(super) fn grow_file_systems(&mut self, pod: &Arc<str>) -> Vec<Arc<str>> {
        if self.expansions.0.is_empty() {
            return Vec::new();
        }
        let Some(pod) = self.snapshot().pods.get(pod) else {
            return Vec::new();
        };
        let used = pod.volumes.iter().filter_map(|volume| volume.claim.clone());
        let awaited = used.filter(|claim| {
            let growing = self.expansions.0.get(claim);
            growing.is_some_and(|it| it.progress == Progress::AwaitsMount)
        });
        let mut grown: Vec<Arc<str>> = awaited.collect();
        grown.retain(|claim| self.finish_growth(claim));
        grown
    }

    /// Starts the offline expansion of claims that no pod uses any more.
    pub(super) fn expand_released(&mut self, released: &[Arc<str>]) {
        if self.expansions.0.is_empty() {
            return;
        }
        for claim in released {
            let growing = self.expansions.0.get(claim);
            let waits = growing.is_some_and(|it| it.progress == Progress::AwaitsRelease);
            if waits && !self.is_used(claim) {
                self.begin_expansion(claim);
            }
        }
    }
}

fn changed(claim: &Claim, change: impl FnOnce(&mut Value)) -> Claim {
    let mut object = claim.to_json();
    if !object["status"].is_object() {
        object["status"] = json!({});
    }
    change(&mut object);
    claim.with_object(&object)
}

/// Sets the one condition that shows the progress of the expansion.
fn set_condition(object: &mut Value, kind: &str, now: Timestamp) {
    forget_conditions(object);
    let condition = json!({"type": kind, "status": "True", "lastTransitionTime": now.to_string()});
    match object["status"]["conditions"].as_array_mut() {
        Some(conditions) => conditions.push(condition),
        None => object["status"]["conditions"] = json!([condition]),
    }
}

fn forget_conditions(object: &mut Value) {
    let of_growth = [
        "Resizing",
        "FileSystemResizePending",
        "ControllerResizeError",
        "NodeResizeError",
    ];
    if let Some(conditions) = object["status"]["conditions"].as_array_mut() {
        conditions.retain(|it| {
            it["type"]
                .as_str()
                .is_none_or(|it| !of_growth.contains(&it))
        });
    }
}
