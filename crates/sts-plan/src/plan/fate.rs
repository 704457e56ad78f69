//! The fate of each pod of the input over the whole plan, from what is written and from what holds it.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Plan, owns};
use sts_controller::controller::{Hold, Resource, Verb, hold_if_outdated, ordinal_of};
use sts_controller::object::Pod;

/// The fate of a pod over the whole plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, schemars(rename = "Fate"))]
pub enum PodFate {
    /// It stays, and is of the update revision.
    Kept,
    /// It is deleted and recreated.
    Replaced,
    /// It goes for good.
    Removed,
    /// It has no owner, and becomes the set's.
    Adopted,
    /// It is the set's, and loses its owner.
    Released,
    /// It stays outdated: the partition holds it.
    HeldByPartition,
    /// It stays outdated until the user deletes it.
    OnDelete,
    /// It should be replaced, but the plan never gets to it.
    Outdated,
    /// It should go for good, but the plan never gets to it.
    Surplus,
    /// It has a name that the set gives, but is not the set's.
    Foreign,
}

/// The fates of a plan's pods: the creations and deletions of each name are collected once.
pub struct PodFates<'p> {
    plan: &'p Plan,
    created: BTreeSet<&'p str>,
    deleted: BTreeSet<&'p str>,
    /// Pods that the last sync holds on purpose, by name.
    held: Vec<(&'p str, PodFate)>,
}

impl<'p> PodFates<'p> {
    /// The fates of this plan's pods.
    #[must_use]
    pub fn new(plan: &'p Plan) -> Self {
        let mut fates = PodFates {
            plan,
            created: BTreeSet::new(),
            deleted: plan.deleted_by_others().map(|name| &**name).collect(),
            held: Vec::new(),
        };
        for step in &plan.progression.steps {
            let taken = step.writes().iter().filter(|write| write.refused.is_none());
            let of_pods = taken.filter(|write| write.resource == Resource::Pods);
            // Pods that are not there yet have no fate.
            let pods = &plan.snapshot.pods;
            for write in of_pods.filter(|write| pods.contains_key(&write.name)) {
                match write.verb {
                    Verb::Create => fates.created.insert(&write.name),
                    Verb::Delete => fates.deleted.insert(&write.name),
                    Verb::Update | Verb::Patch => false,
                };
            }
        }
        let holds = plan.last.holds.iter();
        fates.held = holds
            .filter_map(|hold| Some((&*hold.pod()?.meta.name, fate_of(hold)?)))
            .collect();
        fates.held.sort_by_key(|(name, _)| *name);
        fates
    }

    /// Returns the fate of a pod of the input.
    #[must_use]
    pub fn of(&self, pod: &Arc<Pod>) -> PodFate {
        let plan = self.plan;
        let set = &plan.snapshot.set;
        let name = &*pod.meta.name;
        let end = plan.progression.world.snapshot().pods.get(name);
        if self.created.contains(name) {
            return PodFate::Replaced;
        }
        if self.deleted.contains(name) || end.is_none() {
            return PodFate::Removed;
        }
        let is_owned = owns(&plan.snapshot, pod);
        let owned_at_end = end.is_some_and(|pod| owns(&plan.snapshot, pod));
        match (is_owned, owned_at_end) {
            (true, false) => return PodFate::Released,
            (false, false) => return PodFate::Foreign,
            _ => {}
        }
        let behaviour = &plan.conditions.behaviour;
        if !behaviour.ordinals(set).contains(&ordinal_of(name)) {
            return PodFate::Surplus;
        }
        if pod.revision != plan.next.status.update_revision {
            // A sync that stops before the update phase says nothing of the pods that the partition keeps.
            let held = self.held.binary_search_by_key(&name, |(name, _)| name);
            return match held {
                Ok(at) => self.held[at].1,
                Err(_) => hold_if_outdated(set, behaviour, pod)
                    .and_then(|hold| fate_of(&hold))
                    .unwrap_or(PodFate::Outdated),
            };
        }
        if is_owned {
            PodFate::Kept
        } else {
            PodFate::Adopted
        }
    }
}

/// The fate that a hold on purpose means for its pod.
fn fate_of(hold: &Hold) -> Option<PodFate> {
    match hold {
        Hold::HeldByPartition { .. } => Some(PodFate::HeldByPartition),
        Hold::OnDelete { .. } => Some(PodFate::OnDelete),
        _ => None,
    }
}
