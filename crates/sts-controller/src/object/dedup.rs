//! Removal of duplicates.

/// Removes all but the last of consecutive equal items.
pub(crate) fn keep_last<T>(items: &mut Vec<T>, same: impl Fn(&T, &T) -> bool) {
    items.dedup_by(|later, earlier| {
        let is_same = same(later, earlier);
        if is_same {
            std::mem::swap(later, earlier);
        }
        is_same
    });
}
