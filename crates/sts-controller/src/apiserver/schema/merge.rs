//! List merging in strategic merge patches.

/// Effect of a strategic merge patch on a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListMerge {
    /// The new list replaces the old one.
    Replaced,
    /// Values are added to and removed from the old list.
    AsSet,
    /// Elements with the same key are merged.
    ByKey {
        /// The key.
        key: &'static str,
        /// True if members missing from the new element are removed when anything else in it changes, so that a volume
        /// does not end up with two sources.
        retain_keys: bool,
    },
}
