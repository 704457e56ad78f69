//! Fate of each existing pod, derived from writes and holds.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Plan, owns};
use sts_controller::controller::{Hold, Resource, Verb, hold_if_outdated, ordinal_of};
use sts_controller::object::Pod;

/// Fate of a pod over the whole plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, schemars(rename = "Fate"))]
pub enum PodFate {
    /// Kept, and on the update revision.
    Kept,
    /// Deleted and recreated.
    Replaced,
    /// Deleted permanently.
    Removed,
    /// Adopted by the set.
    Adopted,
    /// Released by the set.
    Released,
    /// Left outdated by the partition.
    HeldByPartition,
    /// Outdated until the user deletes it.
    OnDelete,
    /// Due for replacement, but the plan never gets there.
    Outdated,
    /// Due for deletion, but the plan never gets there.
    Surplus,
    /// Matches the set's naming pattern, but belongs to another owner.
    Foreign,
}

/// Fates of a plan's pods. The creations and deletions of each name are collected once.
pub struct PodFates<'p> {
    plan: &'p Plan,
    created: BTreeSet<&'p str>,
    deleted: BTreeSet<&'p str>,
    /// Pods with an intended hold in the last sync, by name.
    held: Vec<(&'p str, PodFate)>,
}

impl<'p> PodFates<'p> {
    /// Computes the fates of a plan's pods.
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
            // Only existing pods have a fate.
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

    /// Returns the fate of an existing pod.
    #[must_use]
    pub fn of(&self, pod: &Arc<Pod>) -> PodFate {
        let plan = self.plan;
        let set = &plan.snapshot.set;
        let name = &*pod.meta.name;
        let end = plan.predicted().objects().pods.get(name);
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
            // A sync that stops before the update phase does not report the pods held by the partition.
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

fn fate_of(hold: &Hold) -> Option<PodFate> {
    match hold {
        Hold::HeldByPartition { .. } => Some(PodFate::HeldByPartition),
        Hold::OnDelete { .. } => Some(PodFate::OnDelete),
        _ => None,
    }
}
