//! Members that are absent from a report.

/// Reports whether a member has its default value, which is omitted.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
