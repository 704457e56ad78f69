//! Interned objects: the numbers in a state refer to them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::object::{Claim, Pod, Revision, Status};
use crate::simulate::explore::moves::PodMoves;

/// Items by number. Clones share their items: an item that one of them adds has the same number in all.
#[derive(Debug, Clone)]
pub(super) struct Table<K, T> {
    shared: Arc<Mutex<Entries<K, T>>>,
    /// The items that this clone knows.
    items: Vec<Arc<T>>,
    numbers: BTreeMap<K, u32>,
}

/// All items in the order of their numbers, with their keys.
type Entries<K, T> = Vec<(K, Arc<T>)>;

impl<K: Copy + Ord, T> Table<K, T> {
    pub(super) fn new() -> Self {
        Table {
            shared: Arc::default(),
            items: Vec::new(),
            numbers: BTreeMap::new(),
        }
    }

    pub(super) fn get(&self, number: u32) -> &T {
        &self.items[number as usize]
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns the number of the item with that key, if this clone knows it.
    pub(super) fn find(&self, key: K) -> Option<u32> {
        self.numbers.get(&key).copied()
    }

    /// Returns the number of the item with that key, and adds the item if no clone has it.
    pub(super) fn intern(&mut self, key: K, item: impl FnOnce() -> T) -> u32 {
        if let Some(known) = self.find(key) {
            return known;
        }
        let shared = Arc::clone(&self.shared);
        let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
        self.read(&shared);
        if let Some(known) = self.find(key) {
            return known;
        }
        shared.push((key, Arc::new(item())));
        self.read(&shared);
        self.next_number() - 1
    }

    fn next_number(&self) -> u32 {
        u32::try_from(self.len()).unwrap_or(u32::MAX)
    }

    /// Learns the items that other clones have added.
    pub(super) fn refresh(&mut self) {
        let shared = Arc::clone(&self.shared);
        self.read(&shared.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn read(&mut self, shared: &[(K, Arc<T>)]) {
        let new = &shared[self.items.len()..];
        for ((key, item), number) in new.iter().zip(self.next_number()..) {
            self.numbers.insert(*key, number);
            self.items.push(Arc::clone(item));
        }
    }
}

/// A pod and its claims at a place, with the pending event. The place may be empty.
#[derive(Debug, Clone)]
pub(super) struct PodState {
    /// Digest of everything that affects its future, except its name.
    pub(super) digest: u64,
    /// Digest of the part that the controller sees: all but the pending event.
    pub(super) visible: u64,
    pub(super) moves: PodMoves,
    /// True if the pod is ready and not yet available.
    pub(super) becomes_available: bool,
    pub(super) pod: Option<Arc<Pod>>,
    pub(super) claims: Vec<Option<Arc<Claim>>>,
}

/// Objects other than pods and their claims.
#[derive(Debug, Clone)]
pub(super) struct OtherObjects {
    pub(super) digest: u64,
    /// Digest of the part that affects the controller's decisions.
    pub(super) visible: u64,
    pub(super) status: Arc<Status>,
    pub(super) revisions: Arc<BTreeMap<Arc<str>, Arc<Revision>>>,
}

#[cfg(test)]
mod tests {
    use super::Table;

    #[test]
    fn an_item_has_the_same_number_in_all_clones() {
        let mut first: Table<u64, &str> = Table::new();
        assert_eq!(first.intern(10, || "a"), 0);
        let mut second = first.clone();
        assert_eq!(first.intern(11, || "b"), 1);
        assert_eq!(second.find(11), None);
        assert_eq!(second.intern(12, || "c"), 2);
        assert_eq!(second.intern(11, || "never called"), 1);
        assert_eq!((second.len(), second.get(1)), (3, &"b"));
        assert_eq!(first.find(12), None);
        first.refresh();
        assert_eq!((first.find(12), first.get(2)), (Some(2), &"c"));
        assert_eq!(first.intern(10, || "never called"), 0);
    }
}
