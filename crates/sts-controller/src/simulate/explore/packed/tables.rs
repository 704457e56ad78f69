//! The tables that the numbers of a state point into.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::PackError;
use crate::object::{Claim, Pod, Revision, Status};
use crate::simulate::digest::Digest;
use crate::simulate::event_queue::PodEvent;

/// A life that no place has: what a world is in that was left in the middle of something.
pub(super) const NO_LIFE: u8 = u8::MAX;

/// One way that the pod of a place and its claims can be, and what is to come of it. Pods of several places may live
/// alike.
#[derive(Debug, Clone)]
pub(super) struct PodState {
    /// All that decides what becomes of it.
    pub(super) key: u64,
    /// True if there is a pod at all.
    pub(super) is_there: bool,
    /// True if it has failed or succeeded.
    pub(super) is_finished: bool,
    pub(super) is_terminating: bool,
    pub(super) has_finalizers: bool,
    /// True if it is ready and becomes available with time.
    pub(super) ripens: bool,
    /// The next event of the pod.
    pub(super) event: Option<PodEvent>,
    /// Its revision, as a fingerprint.
    pub(super) revision: u64,
    /// The place where it was met first.
    pub(super) met_at: usize,
    /// All that the controller sees of it: what is to come is not in the objects.
    pub(super) seen: u64,
    /// The first life of which it sees the same.
    pub(super) looks_like: u8,
}

/// The objects of a place that lives in some way.
#[derive(Debug, Clone)]
pub(super) struct ObjectTable {
    pub(super) pod: Option<Arc<Pod>>,
    pub(super) claims: Vec<Option<Arc<Claim>>>,
}

/// The objects besides pods and their claims.
#[derive(Debug, Clone)]
pub(super) struct OtherObjects {
    pub(super) key: u64,
    pub(super) status: Arc<Status>,
    pub(super) revisions: Arc<BTreeMap<Arc<str>, Arc<Revision>>>,
    /// The update revision, as the fingerprint of its name.
    pub(super) update: u64,
    /// A fingerprint of everything in it that the controller's decisions depend on.
    pub(super) read: u64,
    /// The first rest with the same fingerprint.
    pub(super) stands_for: u16,
}

/// A change to a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    Event(PodEvent),
    /// The event that was to happen does not.
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

/// Lives and rests by number, and what is known of them.
#[derive(Debug, Clone)]
pub(super) struct Tables {
    pub(super) lives: Vec<PodState>,
    by_key: BTreeMap<u64, u8>,
    /// The life that each change makes of each life, where that is known.
    after: Vec<[Option<u8>; Change::COUNT]>,
    /// The objects of each life at each place, where they have been met or made.
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

    /// Returns the number of lives and the number of rests.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.lives.len(), self.rests.len())
    }

    /// Takes in what another table has met since it was a copy of this one, and says which numbers that has here.
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

/// The numbers that another table's lives and rests have.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    pub(super) lives: Vec<u8>,
    pub(super) rests: Vec<u16>,
}

impl Numbers {
    /// Reports whether every life and rest has the same number in both tables.
    pub(super) fn are_the_same(&self) -> bool {
        let lives = self.lives.iter().zip(0..);
        let rests = self.rests.iter().zip(0..);
        lives.into_iter().all(|(number, own)| *number == own)
            && rests.into_iter().all(|(number, own)| *number == own)
    }
}

/// A name as a number.
pub(super) fn fingerprint(name: &str) -> u64 {
    Digest::new().text(name).finish()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A life that looks like all of the same number.
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

    /// The rest of the objects, of which the controller reads what that number stands for.
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

    /// Lives and rests that another table has met in another order get the numbers that come next here.
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
