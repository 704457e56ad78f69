//! Tables that the numbers in a state refer to.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::PackError;
use crate::object::{Claim, Pod, Revision, Status};
use crate::simulate::digest::Digest;
use crate::simulate::event_queue::PodEvent;

/// Placeholder for a place in an unknown state.
pub(super) const NO_LIFE: u8 = u8::MAX;

/// A state of a pod and its claims, with the pending event. Pods at several places may share it.
#[derive(Debug, Clone)]
pub(super) struct PodState {
    /// Digest of everything that affects its future.
    pub(super) key: u64,
    /// True if the pod exists.
    pub(super) is_there: bool,
    /// True if the pod has failed or succeeded.
    pub(super) is_finished: bool,
    pub(super) is_terminating: bool,
    pub(super) has_finalizers: bool,
    /// True if the pod is ready and not yet available.
    pub(super) ripens: bool,
    /// The pending event.
    pub(super) event: Option<PodEvent>,
    /// Fingerprint of its revision.
    pub(super) revision: u64,
    /// The place where it was first met.
    pub(super) met_at: usize,
    /// Digest of everything that the controller sees, without the pending event.
    pub(super) seen: u64,
    /// The first pod state that looks the same to the controller.
    pub(super) looks_like: u8,
}

/// The objects at a place in a pod state.
#[derive(Debug, Clone)]
pub(super) struct ObjectTable {
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
    pub(super) stands_for: u16,
}

/// A change to a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    Event(PodEvent),
    /// The pending event never happens.
    Stalls,
}

impl Change {
    const COUNT: usize = 5;

    fn number(self) -> usize {
        match self {
            Change::Event(event) => event as usize,
            Change::Stalls => Self::COUNT - 1,
        }
    }
}

/// Pod states and other objects by number, with known transitions.
#[derive(Debug, Clone)]
pub(super) struct Tables {
    pub(super) lives: Vec<PodState>,
    by_key: BTreeMap<u64, u8>,
    /// The pod state after each change, if known.
    after: Vec<[Option<u8>; Change::COUNT]>,
    /// The objects of each pod state at each place, if they were met or derived.
    things: Vec<Vec<Option<ObjectTable>>>,
    pub(super) rests: Vec<OtherObjects>,
    rests_by_key: BTreeMap<u64, u16>,
}

impl Tables {
    pub(super) fn new(places: usize) -> Self {
        Tables {
            lives: Vec::new(),
            by_key: BTreeMap::new(),
            after: Vec::new(),
            things: vec![Vec::new(); places],
            rests: Vec::new(),
            rests_by_key: BTreeMap::new(),
        }
    }

    pub(super) fn life(&self, state: &[u8], place: usize) -> &PodState {
        &self.lives[usize::from(state[place])]
    }

    pub(super) fn life_of(&self, key: u64) -> Option<u8> {
        self.by_key.get(&key).copied()
    }

    pub(super) fn add_life(&mut self, mut life: PodState) -> Result<u8, PackError> {
        let number = u8::try_from(self.lives.len()).unwrap_or(NO_LIFE);
        if number == NO_LIFE {
            return Err(PackError::Unpackable);
        }
        let same = self.lives.iter().find(|other| other.seen == life.seen);
        life.looks_like = same.map_or(number, |same| same.looks_like);
        self.by_key.insert(life.key, number);
        self.lives.push(life);
        self.after.push(Default::default());
        Ok(number)
    }

    pub(super) fn rest_of(&self, key: u64) -> Option<u16> {
        self.rests_by_key.get(&key).copied()
    }

    pub(super) fn add_rest(&mut self, mut rest: OtherObjects) -> Result<u16, PackError> {
        let number = u16::try_from(self.rests.len()).map_err(|_| PackError::Unpackable)?;
        let same = self.rests.iter().find(|other| other.read == rest.read);
        rest.stands_for = same.map_or(number, |same| same.stands_for);
        self.rests_by_key.insert(rest.key, number);
        self.rests.push(rest);
        Ok(number)
    }

    pub(super) fn things(&self, place: usize, life: u8) -> Option<&ObjectTable> {
        self.things[place].get(usize::from(life))?.as_ref()
    }

    pub(super) fn set_things(&mut self, place: usize, life: u8, things: ObjectTable) {
        let of_place = &mut self.things[place];
        let at = usize::from(life);
        if of_place.len() <= at {
            of_place.resize(at + 1, None);
        }
        of_place[at] = Some(things);
    }

    pub(super) fn after(&self, life: u8, change: Change) -> Option<u8> {
        self.after[usize::from(life)][change.number()]
    }

    pub(super) fn set_after(&mut self, life: u8, change: Change, after: u8) {
        self.after[usize::from(life)][change.number()] = Some(after);
    }

    /// Returns the number of pod states and of other objects.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.lives.len(), self.rests.len())
    }

    /// Adds all entries of another table that was a copy of this one, and returns their numbers here.
    pub(super) fn absorb(&mut self, other: &Tables) -> Result<Numbers, PackError> {
        let mut numbers = Numbers::default();
        for life in &other.lives {
            numbers.lives.push(match self.life_of(life.key) {
                Some(known) => known,
                None => self.add_life(life.clone())?,
            });
        }
        for rest in &other.rests {
            numbers.rests.push(match self.rest_of(rest.key) {
                Some(known) => known,
                None => self.add_rest(rest.clone())?,
            });
        }
        for (place, of_place) in other.things.iter().enumerate() {
            for (things, life) in of_place.iter().zip(&numbers.lives) {
                if let Some(things) = things
                    && self.things(place, *life).is_none()
                {
                    self.set_things(place, *life, things.clone());
                }
            }
        }
        for (after, life) in other.after.iter().zip(&numbers.lives) {
            let mine = &mut self.after[usize::from(*life)];
            for (mine, theirs) in mine.iter_mut().zip(after) {
                *mine = mine.or(theirs.map(|theirs| numbers.lives[usize::from(theirs)]));
            }
        }
        Ok(numbers)
    }
}

/// The numbers of another table's entries in this one.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    pub(super) lives: Vec<u8>,
    pub(super) rests: Vec<u16>,
}

impl Numbers {
    /// Reports whether every entry has the same number in both tables.
    pub(super) fn are_the_same(&self) -> bool {
        let lives = self.lives.iter().zip(0..);
        let rests = self.rests.iter().zip(0..);
        lives.into_iter().all(|(number, own)| *number == own)
            && rests.into_iter().all(|(number, own)| *number == own)
    }
}

/// Returns a name as a number.
pub(super) fn fingerprint(name: &str) -> u64 {
    Digest::new().text(name).finish()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A pod state that looks like all others with the same `seen`.
    pub(in super::super) fn life(key: u64, seen: u64) -> PodState {
        PodState {
            key,
            is_there: true,
            is_finished: false,
            is_terminating: false,
            has_finalizers: false,
            ripens: false,
            event: None,
            revision: 0,
            met_at: 0,
            seen,
            looks_like: 0,
        }
    }

    /// Other objects with the given fingerprint of the parts that the controller reads.
    pub(in super::super) fn rest(key: u64, read: u64) -> OtherObjects {
        OtherObjects {
            key,
            status: Arc::default(),
            revisions: Arc::default(),
            update: 0,
            read,
            stands_for: 0,
        }
    }

    #[test]
    fn the_first_that_looks_the_same_stands_for_the_others() {
        let mut tables = Tables::new(1);
        for (key, read) in [(10, 1), (11, 2), (12, 1), (13, 2)] {
            assert!(tables.add_life(life(key, read)).is_ok());
            assert!(tables.add_rest(rest(key, read)).is_ok());
        }
        let lives = tables.lives.iter().map(|life| life.looks_like);
        assert_eq!(lives.collect::<Vec<u8>>(), [0, 1, 0, 1]);
        let rests = tables.rests.iter().map(|rest| rest.stands_for);
        assert_eq!(rests.collect::<Vec<u16>>(), [0, 1, 0, 1]);
    }

    /// Entries that another table has met in another order get the next numbers here.
    #[test]
    fn numbers_are_those_of_the_table_that_takes_in() {
        let table = |lives: &[u64], rests: &[u64]| {
            let mut tables = Tables::new(1);
            lives
                .iter()
                .for_each(|key| assert!(tables.add_life(life(*key, *key)).is_ok()));
            rests
                .iter()
                .for_each(|key| assert!(tables.add_rest(rest(*key, *key)).is_ok()));
            tables
        };
        for (lives, rests, expected) in [
            (vec![1, 2, 3], vec![1, 2, 3], (vec![0, 1, 2], vec![0, 1, 2])),
            (vec![1, 3], vec![1, 2], (vec![0, 2], vec![0, 1])),
            (vec![1, 2], vec![1, 3], (vec![0, 1], vec![0, 2])),
            (vec![1, 3], vec![1, 3], (vec![0, 2], vec![0, 2])),
        ] {
            let mut all = table(&[1, 2], &[1, 2]);
            let Ok(numbers) = all.absorb(&table(&lives, &rests)) else {
                panic!("{lives:?} and {rests:?} are not taken in");
            };
            let same = expected.0.is_sorted_by(|a, b| a + 1 == *b)
                && expected.1.is_sorted_by(|a, b| a + 1 == *b);
            assert_eq!(numbers.are_the_same(), same, "{expected:?}");
            assert_eq!((numbers.lives, numbers.rests), expected);
        }
    }
}
