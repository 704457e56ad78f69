//! Index of the pods of a pass: the pod in each slot, the condemned pods, and the pods that need work.
//!
//! Every step of the algorithm passes over a healthy, up-to-date pod without any effect. The index records the other
//! pods, so that a pass costs as much as the work to do and not as much as the set is large. One scan of the snapshot
//! builds it. A simulation keeps it between syncs and updates it only for pods that an event touched.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::ordinal_set::OrdinalSet;
use crate::controller::context::SyncContext;
use crate::controller::identity::{identity_matches, parent_and_ordinal, storage_matches};
use crate::controller::pvc;
use crate::object::{Phase, Pod, Set};

/// The five counters of the status: `count(pods)`, docs/semantics.md 3.8.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::controller) struct Counters {
    pub(in crate::controller) replicas: i64,
    pub(in crate::controller) ready: i64,
    pub(in crate::controller) available: i64,
    pub(in crate::controller) current: i64,
    pub(in crate::controller) updated: i64,
}

impl Counters {
    fn of(context: &SyncContext<'_>, pod: &Pod) -> Self {
        let one = i64::from;
        let ready = pod.is_running_and_ready();
        let live = pod.is_created() && !pod.is_terminating();
        Counters {
            replicas: one(pod.is_created()),
            ready: one(ready),
            available: one(ready && context.is_available(pod)),
            current: one(live && pod.revision == context.current.meta.name),
            updated: one(live && context.is_updated(pod)),
        }
    }

    fn add(&mut self, other: Counters, sign: i64) {
        self.replicas += sign * other.replicas;
        self.ready += sign * other.ready;
        self.available += sign * other.available;
        self.current += sign * other.current;
        self.updated += sign * other.updated;
    }

    /// Returns the counters with one pod subtracted.
    pub(in crate::controller) fn without(mut self, context: &SyncContext<'_>, pod: &Pod) -> Self {
        self.add(Counters::of(context, pod), -1);
        self
    }
}

/// The first unavailable pod, in the order of the algorithm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::controller) enum FirstUnavailable {
    /// Every pod is available.
    None,
    /// The pod in this slot, which may be empty.
    Slot(usize),
    /// A condemned pod.
    Condemned(Arc<str>),
}

/// Sort key of condemned pods: ordinal, then name.
type Condemned = (i64, Arc<str>);

/// The claimed pods of a set, by slot.
#[derive(Debug)]
pub(in crate::controller) struct PodIndex {
    key: Key,
    slots: Vec<Option<(Arc<Pod>, Counters)>>,
    condemned: BTreeMap<Condemned, (Arc<Pod>, Counters)>,
    /// Counts of pods in slots and condemned pods.
    counters: Counters,
    /// Counts of all other claimed pods: members without an ordinal, and members whose slot is occupied by another pod.
    unplaced: Counters,
    claimed: i64,
    /// Slots where the replica loop has work to do.
    unsettled: OrdinalSet,
    /// Slots that are empty or unavailable.
    unavailable: OrdinalSet,
    /// Slots where the update loop stops: outdated, empty or unavailable.
    update_stops: OrdinalSet,
    /// Slots that are empty, or whose pod is outdated and not terminating.
    outdated_or_empty: OrdinalSet,
    /// Condemned pods that are unavailable.
    unavailable_condemned: BTreeSet<Condemned>,
    /// Condemned pods whose claims have the wrong owners.
    unsettled_condemned: BTreeSet<Condemned>,
    /// Number of claimed pods by revision.
    revisions: BTreeMap<Arc<str>, usize>,
    /// True if every claimed pod has a unique canonical name, so that it can be looked up by name.
    regular: bool,
    /// True if every slot counts as unsettled, so that the replica loop visits all of them.
    skips_nothing: bool,
}

/// Inputs of the index other than the pods and claims.
#[derive(Debug, Clone)]
struct Key {
    set: Arc<Set>,
    current: Arc<str>,
    update: Arc<str>,
}

impl PodIndex {
    /// Builds the index from the claimed pods.
    pub(in crate::controller) fn new(
        context: &SyncContext<'_>,
        claimed: Vec<Arc<Pod>>,
        skips_nothing: bool,
    ) -> Self {
        let mut index = PodIndex {
            key: Key {
                set: Arc::clone(&context.snapshot.set),
                current: Arc::clone(&context.current.meta.name),
                update: Arc::clone(&context.update.meta.name),
            },
            slots: vec![None; context.replicas],
            condemned: BTreeMap::new(),
            counters: Counters::default(),
            unplaced: Counters::default(),
            claimed: 0,
            unsettled: OrdinalSet::below(context.replicas),
            unavailable: OrdinalSet::below(context.replicas),
            update_stops: OrdinalSet::below(context.replicas),
            outdated_or_empty: OrdinalSet::below(context.replicas),
            unavailable_condemned: BTreeSet::new(),
            unsettled_condemned: BTreeSet::new(),
            revisions: BTreeMap::new(),
            regular: true,
            skips_nothing,
        };
        for pod in claimed {
            index.insert(context, pod);
        }
        for slot in 0..context.replicas {
            if index.slots[slot].is_none() {
                index.mark_slot(context, slot);
            }
        }
        index
    }

    /// Reports whether the index belongs to that set and may be kept.
    pub(in crate::controller) fn is_of(&self, set: &Arc<Set>) -> bool {
        self.regular && Arc::ptr_eq(&self.key.set, set)
    }

    /// Reports whether the index is still valid for this pass, pods and claims aside.
    pub(in crate::controller) fn is_for(&self, context: &SyncContext<'_>) -> bool {
        self.is_of(&context.snapshot.set)
            && self.key.current == context.current.meta.name
            && self.key.update == context.update.meta.name
    }

    /// Updates the entry of a pod that, or whose claims, may have been created, changed or deleted.
    pub(in crate::controller) fn refresh(
        &mut self,
        context: &SyncContext<'_>,
        name: &str,
        pod: Option<Arc<Pod>>,
    ) {
        let Some((_, ordinal)) = parent_and_ordinal(name) else {
            return;
        };
        match self.slot_of(context, ordinal) {
            Some(slot) => {
                // A pod of another set may have the same ordinal.
                let same = |(old, _): &mut (Arc<Pod>, Counters)| *old.meta.name == *name;
                if let Some((old, counters)) = self.slots[slot].take_if(same) {
                    self.forget(&old, counters);
                }
                if pod.is_none() {
                    self.mark_slot(context, slot);
                }
            }
            None => {
                let key = (ordinal, Arc::from(name));
                if let Some((old, counters)) = self.condemned.remove(&key) {
                    self.forget(&old, counters);
                    self.unavailable_condemned.remove(&key);
                    self.unsettled_condemned.remove(&key);
                }
            }
        }
        if let Some(pod) = pod {
            self.insert(context, pod);
        }
    }

    fn forget(&mut self, pod: &Pod, counters: Counters) {
        self.counters.add(counters, -1);
        self.claimed -= 1;
        if let Some(count) = self.revisions.get_mut(&pod.revision) {
            *count -= 1;
            if *count == 0 {
                self.revisions.remove(&pod.revision);
            }
        }
    }

    fn slot_of(&self, context: &SyncContext<'_>, ordinal: i64) -> Option<usize> {
        let slot = usize::try_from(ordinal.checked_sub(context.start)?).ok()?;
        (slot < self.slots.len()).then_some(slot)
    }

    fn insert(&mut self, context: &SyncContext<'_>, pod: Arc<Pod>) {
        let counters = Counters::of(context, &pod);
        self.claimed += 1;
        *self.revisions.entry(Arc::clone(&pod.revision)).or_default() += 1;
        let (digits, ordinal) = parent_and_ordinal(&pod.meta.name)
            .map_or(("", -1), |(parent, ordinal)| {
                (&pod.meta.name[parent.len() + 1..], ordinal)
            });
        if ordinal < 0 || (digits.len() > 1 && digits.starts_with('0')) {
            self.regular = false;
        }
        if let Some(slot) = self.slot_of(context, ordinal) {
            self.counters.add(counters, 1);
            if let Some((_, displaced)) = self.slots[slot].replace((pod, counters)) {
                self.counters.add(displaced, -1);
                self.unplaced.add(displaced, 1);
                self.regular = false;
            }
            self.mark_slot(context, slot);
        } else if ordinal >= 0 {
            self.counters.add(counters, 1);
            let key = (ordinal, Arc::clone(&pod.meta.name));
            if context.is_unavailable(&pod) {
                self.unavailable_condemned.insert(key.clone());
            }
            if !pvc::claims_match(context, &pod) {
                self.unsettled_condemned.insert(key.clone());
            }
            self.condemned.insert(key, (pod, counters));
        } else {
            self.unplaced.add(counters, 1);
        }
    }

    fn mark_slot(&mut self, context: &SyncContext<'_>, slot: usize) {
        let pod = self.slots[slot].as_ref().map(|(pod, _)| pod);
        let settled = pod.is_some_and(|pod| is_settled(context, pod));
        let unavailable = pod.is_none_or(|pod| context.is_unavailable(pod));
        let outdated = pod.is_some_and(|pod| !context.is_updated(pod));
        let outdated_or_empty = pod.is_none_or(|pod| outdated && !pod.is_terminating());
        self.unsettled.set(slot, !settled || self.skips_nothing);
        self.unavailable.set(slot, unavailable);
        self.update_stops.set(slot, unavailable || outdated);
        self.outdated_or_empty.set(slot, outdated_or_empty);
    }

    pub(in crate::controller) fn pod(&self, slot: usize) -> Option<&Arc<Pod>> {
        self.slots.get(slot)?.as_ref().map(|(pod, _)| pod)
    }

    /// Returns the counters over all claimed pods.
    pub(in crate::controller) fn count_claimed(&self) -> Counters {
        let mut counters = self.counters;
        counters.add(self.unplaced, 1);
        counters
    }

    /// Returns the counters over pods in slots and condemned pods.
    pub(in crate::controller) fn recount(&self) -> Counters {
        self.counters
    }

    /// Returns the number of claimed pods, stored or not.
    pub(in crate::controller) fn claimed(&self) -> i64 {
        self.claimed
    }

    /// Returns the first slot at or above `slot` where the replica loop has work to do.
    pub(in crate::controller) fn next_unsettled(&self, slot: usize) -> Option<usize> {
        self.unsettled.next(slot)
    }

    /// Returns the last slot below `slot` where the update loop stops.
    pub(in crate::controller) fn previous_update_stop(&self, slot: usize) -> Option<usize> {
        self.update_stops.previous(slot)
    }

    /// Returns the last slot below `slot` that is empty, or whose pod is outdated and not terminating.
    pub(in crate::controller) fn previous_outdated_or_empty(&self, slot: usize) -> Option<usize> {
        self.outdated_or_empty.previous(slot)
    }

    /// Returns the number of slots that are empty or unavailable.
    pub(in crate::controller) fn unavailable_slots(&self) -> usize {
        self.unavailable.len()
    }

    /// Returns the first slot at or above `slot` that is empty or unavailable.
    pub(in crate::controller) fn next_unavailable(&self, slot: usize) -> Option<usize> {
        self.unavailable.next(slot)
    }

    /// Returns the condemned pods, highest ordinal first.
    pub(in crate::controller) fn condemned(&self) -> impl Iterator<Item = &Arc<Pod>> {
        self.condemned.values().rev().map(|(pod, _)| pod)
    }

    /// Returns the condemned pods whose claims have the wrong owners, lowest ordinal first.
    pub(in crate::controller) fn unsettled_condemned(
        &self,
    ) -> impl DoubleEndedIterator<Item = &Arc<Pod>> {
        self.unsettled_condemned
            .iter()
            .filter_map(|key| self.condemned.get(key))
            .map(|(pod, _)| pod)
    }

    /// Returns the first unavailable pod: slots in ascending order, then condemned pods in ascending order.
    pub(in crate::controller) fn first_unavailable(&self) -> FirstUnavailable {
        match (self.unavailable.next(0), self.unavailable_condemned.first()) {
            (Some(slot), _) => FirstUnavailable::Slot(slot),
            (None, Some((_, name))) => FirstUnavailable::Condemned(Arc::clone(name)),
            (None, None) => FirstUnavailable::None,
        }
    }

    /// Reports whether any claimed pod has that revision.
    pub(in crate::controller) fn has_revision(&self, name: &str) -> bool {
        self.revisions.contains_key(name)
    }
}

/// Reports whether the replica loop passes over the pod without a request, an event or a hold.
fn is_settled(context: &SyncContext<'_>, pod: &Pod) -> bool {
    let monotonic_wait = context.set.is_monotonic()
        && (pod.is_terminating() || !pod.is_running_and_ready() || !context.is_available(pod));
    let claims_are_right = || match pod.phase {
        Phase::Unset | Phase::Failed | Phase::Succeeded => false,
        Phase::Pending => pvc::claims_are_settled(context, pod),
        Phase::Running | Phase::Unknown => pvc::claims_match(context, pod),
    };
    !monotonic_wait
        && identity_matches(context.set, pod)
        && storage_matches(context.set, pod, &mut context.buffer.borrow_mut())
        && claims_are_right()
}
