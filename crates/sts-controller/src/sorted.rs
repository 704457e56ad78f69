//! Sorting whose code is there once.
//!
//! `sort_by` and `collect` into a tree bring some six kilobytes of code for each type and each closure, which were a
//! twentieth of the program. Here the code for a type only compares two items and swaps them. Where a plan's time goes,
//! the standard library's is used.

use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Sorts items; those that compare as equal keep their order.
pub fn sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let order = places(items.len(), &|a, b| match (items.get(a), items.get(b)) {
        (Some(a), Some(b)) => compare(a, b),
        _ => Ordering::Equal,
    });
    arrange(items, order);
}

/// Sorts items by a key that is asked for once; those with equal keys keep their order.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    let keys: Vec<K> = items.iter().map(key).collect();
    let order = places(keys.len(), &|a, b| keys.get(a).cmp(&keys.get(b)));
    arrange(items, order);
}

/// The places of so many items, in the order of the items.
fn places(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    places.sort_by(|a, b| compare(*a, *b));
    places
}

/// Moves the item of each place to where that place stands.
fn arrange<T>(items: &mut [T], mut order: Vec<usize>) {
    for to in 0..order.len() {
        // What was swapped away stands where it was swapped to.
        let mut from = order[to];
        while from < to {
            from = order[from];
        }
        order[to] = from;
        items.swap(to, from);
    }
}

/// Of items in a row that are the same keeps the last.
pub(crate) fn keep_last<T>(items: &mut Vec<T>, same: impl Fn(&T, &T) -> bool) {
    items.dedup_by(|later, earlier| {
        let is_same = same(later, earlier);
        if is_same {
            std::mem::swap(later, earlier);
        }
        is_same
    });
}

/// Entries that become a tree.
pub trait IntoTree<K, V>: Iterator<Item = (K, V)> + Sized {
    /// A tree of them; of those with one key the last is taken.
    fn into_tree(self) -> BTreeMap<K, V>
    where
        K: Ord,
    {
        let mut tree = BTreeMap::new();
        for (key, value) in self {
            tree.insert(key, value);
        }
        tree
    }
}

impl<K, V, I: Iterator<Item = (K, V)>> IntoTree<K, V> for I {}

#[cfg(test)]
mod tests {
    use super::{IntoTree as _, sort_by, sort_by_key};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn items_are_sorted_as_the_standard_library_sorts_them(items: Vec<(u8, u8)>) {
            let mut expected = items.clone();
            expected.sort_by_key(|(key, _)| *key);
            let mut sorted = items.clone();
            sort_by_key(&mut sorted, |(key, _)| *key);
            prop_assert_eq!(&sorted, &expected);
            expected.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
            sort_by(&mut sorted, |a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
            prop_assert_eq!(&sorted, &expected);
            prop_assert_eq!(items.clone().into_iter().into_tree(), items.into_iter().collect());
        }
    }
}
