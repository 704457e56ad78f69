//! Counts of a set's pods by state, updated step by step.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Quantity;
use crate::conditions::Conditions;
use crate::down_nodes::is_cut_off;
use crate::plan::{Plan, owns, pods_of};
use sts_controller::controller::{Resource, ordinal_of};
use sts_controller::object::Pod;
use sts_controller::simulate::{Step, StepAction, World};

/// The counted state of one pod.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PodStatus {
    ready: bool,
    available: bool,
    terminating: bool,
    revision: Arc<str>,
}

/// The counts of a set's pods by state.
#[derive(Debug, Default)]
pub struct PodCounts {
    pods: BTreeMap<Arc<str>, PodStatus>,
    ready: i64,
    available: i64,
    terminating: i64,
    revisions: BTreeMap<Arc<str>, i64>,
    added: AddedPods,
    /// Added pods that have been available.
    seen_available: BTreeSet<Arc<str>>,
    /// Uids of pods that do not serve, whatever their status says.
    cut_off: BTreeSet<Arc<str>>,
}

/// New pods of a set, which do not count as unavailable until they were available once.
#[derive(Debug, Clone, Default)]
pub struct AddedPods {
    /// Number of added pods.
    number: i64,
    /// Lowest ordinal of the added pods.
    from: i64,
    /// Pods that existed before.
    existing: BTreeSet<Arc<str>>,
    /// Members that vote before the plan.
    members: i64,
}

impl AddedPods {
    /// Returns the added pods of a plan: all pods of a new set, and those that a scale-up adds.
    #[must_use]
    pub fn of(plan: &Plan) -> Self {
        let snapshot = &plan.snapshot;
        let wanted = plan.conditions.behaviour.ordinals(&snapshot.set);
        let existing: BTreeSet<Arc<str>> = snapshot.pods.keys().map(Arc::clone).collect();
        let owned = pods_of(snapshot).filter(|pod| owns(snapshot, pod));
        let counted = i64::try_from(owned.count()).unwrap_or(i64::MAX);
        let had = match &plan.predecessor {
            Some((_, status)) => status.replicas,
            None => snapshot.status.replicas,
        };
        let size = wanted.end - wanted.start;
        let number = (size - counted.max(had)).max(0);
        // The missing pods with the highest ordinals.
        let mut from = wanted.end;
        let mut left = number;
        while left > 0 && from > wanted.start {
            let taken = (from - left).max(wanted.start);
            let found = existing.iter().map(|name| ordinal_of(name));
            let found = found.filter(|ordinal| (taken..from).contains(ordinal));
            left = i64::try_from(found.count()).unwrap_or(0);
            from = taken;
        }
        AddedPods {
            number,
            from,
            existing,
            members: members(plan),
        }
    }

    /// Returns no added pods, for questions in which missing pods are down.
    #[must_use]
    pub fn none(plan: &Plan) -> Self {
        AddedPods {
            members: members(plan),
            ..AddedPods::default()
        }
    }

    /// Reports whether some, but not all, of this number of pods are added.
    pub(crate) fn are_some_of(&self, replicas: i32) -> bool {
        (1..i64::from(replicas)).contains(&self.number)
    }

    fn has(&self, name: &str) -> bool {
        self.number > 0 && ordinal_of(name) >= self.from && !self.existing.contains(name)
    }
}

impl PodCounts {
    /// Counts a world's pods; added pods are not missing. Pods of lost and missing nodes are not ready, whatever their
    /// status says until the loss is noticed.
    #[must_use]
    pub fn under(world: &World, added: AddedPods, conditions: &Conditions) -> Self {
        let pods = world.snapshot().pods.values();
        let cut_off = pods.filter(|pod| is_cut_off(pod, conditions));
        let mut counts = PodCounts {
            added,
            cut_off: cut_off.map(|pod| Arc::clone(&pod.meta.uid)).collect(),
            ..PodCounts::default()
        };
        for name in world.snapshot().pods.keys() {
            counts.look_at(world, name);
        }
        counts
    }

    /// Updates the counts after these steps.
    pub fn update(&mut self, world: &World, steps: &[Step]) {
        for step in steps {
            match &step.action {
                StepAction::Controller(writes) => {
                    let pods = writes
                        .iter()
                        .filter(|write| write.resource == Resource::Pods);
                    for write in pods {
                        self.look_at(world, &write.name);
                    }
                }
                StepAction::Pod(_, name) | StepAction::Object(.., name) => {
                    self.look_at(world, name)
                }
                StepAction::ClaimRemoved(_) => {}
            }
        }
    }

    /// Returns the number of members that vote: those before the plan, and the added ones that have been available.
    #[must_use]
    pub fn voters(&self) -> i64 {
        let joined = i64::try_from(self.seen_available.len()).unwrap_or(i64::MAX);
        self.added.members.saturating_add(joined)
    }

    /// Returns the value of a quantity.
    #[must_use]
    pub fn count(&self, quantity: Quantity, world: &World) -> i64 {
        let wanted = i64::from(world.snapshot().set.replicas);
        let many = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        match quantity {
            Quantity::Ready => self.ready,
            Quantity::Available => self.available,
            Quantity::Unavailable => {
                let to_come = self.added.number - many(self.seen_available.len());
                (wanted - self.available - to_come.max(0)).max(0)
            }
            Quantity::Terminating => self.terminating,
            Quantity::Replicas => many(self.pods.len()),
            Quantity::Updated => {
                let update = &world.snapshot().status.update_revision;
                self.revisions.get(update).copied().unwrap_or(0)
            }
            Quantity::RevisionMix => many(self.revisions.len()),
        }
    }

    fn look_at(&mut self, world: &World, name: &Arc<str>) {
        let snapshot = world.snapshot();
        let pod = snapshot.pods.get(name).filter(|pod| owns(snapshot, pod));
        let status = pod.map(|pod| self.status(pod, world));
        let is_available = status.as_ref().is_some_and(|status| status.available);
        if is_available && self.added.has(name) {
            self.seen_available.insert(Arc::clone(name));
        }
        let old = match &status {
            Some(status) => self.pods.insert(Arc::clone(name), status.clone()),
            None => self.pods.remove(name),
        };
        for (status, one) in [(old, -1), (status, 1)] {
            if let Some(status) = status {
                self.add(&status, one);
            }
        }
    }

    fn status(&self, pod: &Pod, world: &World) -> PodStatus {
        let is_cut_off = self.cut_off.contains(&pod.meta.uid);
        let serves = pod.is_running_and_ready() && !pod.is_terminating() && !is_cut_off;
        let min_ready = world.snapshot().set.min_ready_seconds;
        PodStatus {
            ready: serves,
            available: serves && pod.is_available(min_ready, world.now()),
            terminating: pod.is_terminating(),
            revision: Arc::clone(&pod.revision),
        }
    }

    fn add(&mut self, status: &PodStatus, one: i64) {
        self.ready += one * i64::from(status.ready);
        self.available += one * i64::from(status.available);
        self.terminating += one * i64::from(status.terminating);
        let revision = Arc::clone(&status.revision);
        let of_revision = self.revisions.entry(revision).or_default();
        *of_revision += one;
        if *of_revision == 0 {
            self.revisions.remove(&status.revision);
        }
    }
}

/// Returns the number of members that vote before a plan: the replicas of the stored set, and none for a set that has never
/// run. A scale-down by one is a change of membership: that member leaves first.
pub(crate) fn members(plan: &Plan) -> i64 {
    let wanted = i64::from(plan.snapshot.set.replicas);
    let status = &plan.snapshot.status;
    let owned = pods_of(&plan.snapshot).filter(|pod| owns(&plan.snapshot, pod));
    if plan.predecessor.is_none() && status.observed_generation == 0 && owned.count() == 0 {
        return 0;
    }
    let mut changes = plan.change.iter();
    let change = changes.find(|change| change.path == "spec.replicas");
    let stored = change.and_then(|change| change.old.as_ref()?.as_i64());
    match stored.unwrap_or(wanted) {
        stored if stored == wanted + 1 => wanted,
        stored => stored,
    }
}
