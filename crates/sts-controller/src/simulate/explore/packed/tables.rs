//! Tables that the numbers in a state refer to.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::PackError;
use crate::object::{Claim, Pod, Revision, Status};
use crate::simulate::digest::Digest;
use crate::simulate::event_queue::PodEvent;

/// Placeholder for a place in an unknown state.
pub(super) const UNKNOWN: u8 = u8::MAX;

/// A state of a pod and its claims, with the pending event. Pods at several places may share it.
#[derive(Debug, Clone)]
pub(super) struct PodState {
    /// Digest of everything that affects its future.
    pub(super) key: u64,
    pub(super) exists: bool,
    /// True if the pod has failed or succeeded.
    pub(super) is_finished: bool,
    pub(super) is_terminating: bool,
    pub(super) has_finalizers: bool,
    /// True if the pod is ready and not yet available.
    pub(super) becomes_available: bool,
    pub(super) event: Option<PodEvent>,
    /// Fingerprint of its revision.
    pub(super) revision: u64,
    /// The place where it was first met.
    pub(super) first_place: usize,
    /// Digest of everything that the controller sees, without the pending event.
    pub(super) visible: u64,
    /// The first pod state that looks the same to the controller.
    pub(super) looks_like: u8,
}

/// The objects at a place in a pod state.
#[derive(Debug, Clone)]
pub(super) struct PlaceObjects {
    pub(super) pod: Option<Arc<Pod>>,
    pub(super) claims: Vec<Option<Arc<Claim>>>,
}

/// Objects other than pods and their claims.
#[derive(Debug, Clone)]
pub(super) struct OtherObjects {
    pub(super) key: u64,
    pub(super) status: Arc<Status>,
    pub(super) revisions: Arc<BTreeMap<Arc<str>, Arc<Revision>>>,
    /// Fingerprint of the update revision's name.
    pub(super) update: u64,
    /// Fingerprint of everything that affects the controller's decisions.
    pub(super) read: u64,
    /// The first entry with the same fingerprint.
    pub(super) representative: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    Event(PodEvent),
    /// The pending event never happens.
    Stall,
}

impl Change {
    const COUNT: usize = 5;

    fn number(self) -> usize {
        match self {
            Change::Event(event) => event as usize,
            Change::Stall => Self::COUNT - 1,
        }
    }
}

/// Pod states and other objects by number, with known transitions.
#[derive(Debug, Clone)]
pub(super) struct Tables {
    pub(super) pod_states: Vec<PodState>,
    by_key: BTreeMap<u64, u8>,
    /// The pod state after each change, if known.
    after: Vec<[Option<u8>; Change::COUNT]>,
    /// The objects of each pod state at each place, if they were met or derived.
    objects: Vec<Vec<Option<PlaceObjects>>>,
    pub(super) others: Vec<OtherObjects>,
    others_by_key: BTreeMap<u64, u16>,
}

impl Tables {
    pub(super) fn new(places: usize) -> Self {
        Tables {
            pod_states: Vec::new(),
            by_key: BTreeMap::new(),
            after: Vec::new(),
            objects: vec![Vec::new(); places],
            others: Vec::new(),
            others_by_key: BTreeMap::new(),
        }
    }

    pub(super) fn pod_state(&self, state: &[u8], place: usize) -> &PodState {
        &self.pod_states[usize::from(state[place])]
    }

    pub(super) fn pod_state_with_key(&self, key: u64) -> Option<u8> {
        self.by_key.get(&key).copied()
    }

    pub(super) fn add_pod_state(&mut self, mut pod_state: PodState) -> Result<u8, PackError> {
        let number = u8::try_from(self.pod_states.len()).unwrap_or(UNKNOWN);
        if number == UNKNOWN {
            return Err(PackError::Unpackable);
        }
        let same = self
            .pod_states
            .iter()
            .find(|other| other.visible == pod_state.visible);
        pod_state.looks_like = same.map_or(number, |same| same.looks_like);
        self.by_key.insert(pod_state.key, number);
        self.pod_states.push(pod_state);
        self.after.push(Default::default());
        Ok(number)
    }

    pub(super) fn others_with_key(&self, key: u64) -> Option<u16> {
        self.others_by_key.get(&key).copied()
    }

    pub(super) fn add_others(&mut self, mut others: OtherObjects) -> Result<u16, PackError> {
        let number = u16::try_from(self.others.len()).map_err(|_| PackError::Unpackable)?;
        let same = self.others.iter().find(|other| other.read == others.read);
        others.representative = same.map_or(number, |same| same.representative);
        self.others_by_key.insert(others.key, number);
        self.others.push(others);
        Ok(number)
    }

    pub(super) fn objects(&self, place: usize, pod_state: u8) -> Option<&PlaceObjects> {
        self.objects[place].get(usize::from(pod_state))?.as_ref()
    }

    pub(super) fn set_objects(&mut self, place: usize, pod_state: u8, objects: PlaceObjects) {
        let of_place = &mut self.objects[place];
        let at = usize::from(pod_state);
        if of_place.len() <= at {
            of_place.resize(at + 1, None);
        }
        of_place[at] = Some(objects);
    }

    pub(super) fn after(&self, pod_state: u8, change: Change) -> Option<u8> {
        self.after[usize::from(pod_state)][change.number()]
    }

    pub(super) fn set_after(&mut self, pod_state: u8, change: Change, after: u8) {
        self.after[usize::from(pod_state)][change.number()] = Some(after);
    }

    /// Returns the number of pod states and of other objects.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.pod_states.len(), self.others.len())
    }

    /// Adds all entries of another table that was a copy of this one, and returns their numbers here.
    pub(super) fn merge(&mut self, other: &Tables) -> Result<Renumbering, PackError> {
        let mut numbers = Renumbering::default();
        for pod_state in &other.pod_states {
            numbers
                .pod_states
                .push(match self.pod_state_with_key(pod_state.key) {
                    Some(known) => known,
                    None => self.add_pod_state(pod_state.clone())?,
                });
        }
        for others in &other.others {
            numbers.others.push(match self.others_with_key(others.key) {
                Some(known) => known,
                None => self.add_others(others.clone())?,
            });
        }
        for (place, of_place) in other.objects.iter().enumerate() {
            for (objects, pod_state) in of_place.iter().zip(&numbers.pod_states) {
                if let Some(objects) = objects
                    && self.objects(place, *pod_state).is_none()
                {
                    self.set_objects(place, *pod_state, objects.clone());
                }
            }
        }
        for (after, pod_state) in other.after.iter().zip(&numbers.pod_states) {
            let mine = &mut self.after[usize::from(*pod_state)];
            for (mine, theirs) in mine.iter_mut().zip(after) {
                *mine = mine.or(theirs.map(|theirs| numbers.pod_states[usize::from(theirs)]));
            }
        }
        Ok(numbers)
    }
}

/// The numbers of another table's entries in this one.
#[derive(Debug, Default)]
pub(super) struct Renumbering {
    pub(super) pod_states: Vec<u8>,
    pub(super) others: Vec<u16>,
}

impl Renumbering {
    /// Reports whether every entry has the same number in both tables.
    pub(super) fn is_identity(&self) -> bool {
        let pod_states = self.pod_states.iter().zip(0..);
        let others = self.others.iter().zip(0..);
        pod_states.into_iter().all(|(number, own)| *number == own)
            && others.into_iter().all(|(number, own)| *number == own)
    }
}

/// Returns a name as a number.
pub(super) fn fingerprint(name: &str) -> u64 {
    Digest::new().text(name).finish()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A pod state that looks like all others with the same `visible`.
    pub(in super::super) fn pod_state(key: u64, visible: u64) -> PodState {
        PodState {
            key,
            exists: true,
            is_finished: false,
            is_terminating: false,
            has_finalizers: false,
            becomes_available: false,
            event: None,
            revision: 0,
            first_place: 0,
            visible,
            looks_like: 0,
        }
    }

    /// Other objects with the given fingerprint of the parts that the controller reads.
    pub(in super::super) fn new_others(key: u64, read: u64) -> OtherObjects {
        OtherObjects {
            key,
            status: Arc::default(),
            revisions: Arc::default(),
            update: 0,
            read,
            representative: 0,
        }
    }

    #[test]
    fn the_first_similar_entry_represents_the_others() {
        let mut tables = Tables::new(1);
        for (key, read) in [(10, 1), (11, 2), (12, 1), (13, 2)] {
            assert!(tables.add_pod_state(pod_state(key, read)).is_ok());
            assert!(tables.add_others(new_others(key, read)).is_ok());
        }
        let pod_states = tables
            .pod_states
            .iter()
            .map(|pod_state| pod_state.looks_like);
        assert_eq!(pod_states.collect::<Vec<u8>>(), [0, 1, 0, 1]);
        let others = tables.others.iter().map(|others| others.representative);
        assert_eq!(others.collect::<Vec<u16>>(), [0, 1, 0, 1]);
    }

    /// Entries that another table has met in another order get the next numbers here.
    #[test]
    fn merged_tables_keep_the_numbers_of_the_receiver() {
        let table = |pod_states: &[u64], others: &[u64]| {
            let mut tables = Tables::new(1);
            pod_states
                .iter()
                .for_each(|key| assert!(tables.add_pod_state(pod_state(*key, *key)).is_ok()));
            others
                .iter()
                .for_each(|key| assert!(tables.add_others(new_others(*key, *key)).is_ok()));
            tables
        };
        for (pod_states, others, expected) in [
            (vec![1, 2, 3], vec![1, 2, 3], (vec![0, 1, 2], vec![0, 1, 2])),
            (vec![1, 3], vec![1, 2], (vec![0, 2], vec![0, 1])),
            (vec![1, 2], vec![1, 3], (vec![0, 1], vec![0, 2])),
            (vec![1, 3], vec![1, 3], (vec![0, 2], vec![0, 2])),
        ] {
            let mut all = table(&[1, 2], &[1, 2]);
            let Ok(numbers) = all.merge(&table(&pod_states, &others)) else {
                panic!("{pod_states:?} and {others:?} cannot be merged");
            };
            let same = expected.0.is_sorted_by(|a, b| a + 1 == *b)
                && expected.1.is_sorted_by(|a, b| a + 1 == *b);
            assert_eq!(numbers.is_identity(), same, "{expected:?}");
            assert_eq!((numbers.pod_states, numbers.others), expected);
        }
    }
}
