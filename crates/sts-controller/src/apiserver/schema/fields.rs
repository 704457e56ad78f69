//! Vocabulary of the types.

/// The type of one field.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// A string.
    Text,
    /// A boolean.
    Bool,
    /// A 32-bit integer.
    Int32,
    /// A 64-bit integer.
    Int64,
    /// A quantity such as `500m`, as a string or a number.
    Quantity,
    /// A 32-bit integer or a string.
    IntOrString,
    /// An RFC 3339 timestamp in whole seconds.
    Time,
    /// Any value, kept unchanged.
    Raw,
    /// A list of strings.
    Texts,
    /// A list of 32-bit numbers.
    Int32s,
    /// A list of 64-bit numbers.
    Int64s,
    /// A map from strings to strings.
    TextMap,
    /// A map from strings to quantities.
    QuantityMap,
    /// A nested object.
    Object(&'static Shape),
    /// A list of nested objects.
    Objects(&'static Shape),
}

/// Encoding of a field without a value, or with the zero value of its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zero {
    /// Zero, empty and absent are the same, and omitted: a Go value with `omitempty`.
    Dropped,
    /// Zero is a value and kept; absent is omitted: a Go pointer with `omitempty`.
    Kept,
    /// An absent value is written as zero: a Go value on which `omitempty` has no effect.
    Written,
    /// An absent value is written as `null`: a Go pointer without `omitempty`.
    Null,
}

/// Ownership of the elements of a list in server-side apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::apiserver) enum ListOwnership {
    /// The list is owned as a whole.
    Atomic,
    /// Each value is owned separately.
    Set,
    /// Each element is owned separately, identified by the values of these members.
    ByKeys(&'static [&'static str]),
}

/// One field of an object.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// Name in JSON.
    pub name: &'static str,
    /// Type.
    pub kind: Kind,
    /// Encoding of an absent or zero value.
    pub zero: Zero,
    /// The first minor with the field; 0 if all earlier minors with its type have it.
    pub since: u32,
    /// The last minor with the field; the largest number if all later minors with its type have it.
    pub until: u32,
    /// Ownership of its elements, if it is a list.
    pub(in crate::apiserver) ownership: ListOwnership,
    /// True if it is a map that server-side apply owns as a whole.
    pub(in crate::apiserver) is_atomic_map: bool,
}

/// A range of minors.
#[derive(Debug, Clone, Copy)]
pub(in crate::apiserver) struct Era {
    since: u32,
    until: u32,
}

impl Era {
    /// Returns the range from a minor on; 0 stands for all known minors.
    pub(in crate::apiserver) const fn since(minor: u32) -> Self {
        Self {
            since: minor,
            until: u32::MAX,
        }
    }

    /// Ends the range at a minor, inclusive.
    pub(in crate::apiserver) const fn until(mut self, minor: u32) -> Self {
        self.until = minor;
        self
    }

    pub(in crate::apiserver) const fn has(self, minor: u32) -> bool {
        self.since <= minor && minor <= self.until
    }
}

impl Field {
    /// Returns the value of the field as a key of a list, in JSON, if an element lacks it.
    pub(in crate::apiserver) fn key_default(&self) -> Option<&'static str> {
        match (self.name, self.kind) {
            ("protocol", Kind::Text) => Some("\"TCP\""),
            ("name", Kind::Text) => Some("\"\""),
            (_, Kind::Text) if self.zero == Zero::Written => Some("\"\""),
            (_, Kind::Int32 | Kind::Int64) if self.zero == Zero::Written => Some("0"),
            _ => None,
        }
    }

    /// Reports whether this minor has the field.
    #[must_use]
    pub const fn exists_in(&self, minor: u32) -> bool {
        let (since, until) = (self.since, self.until);
        Era { since, until }.has(minor)
    }
}

/// Fields of an object, by name. A field that changed has one line for each era.
#[derive(Debug)]
pub struct Shape {
    /// The fields.
    pub fields: &'static [Field],
    /// The minors in which server-side apply owns such an object as a whole, if any.
    pub(super) atomic: Option<Era>,
}

impl Shape {
    /// Reports whether server-side apply owns such an object as a whole in that minor.
    pub(in crate::apiserver) fn is_atomic(&self, minor: u32) -> bool {
        self.atomic.is_some_and(|era| era.has(minor))
    }

    /// Returns the field of that name in that minor.
    #[must_use]
    pub fn field(&self, name: &str, minor: u32) -> Option<&'static Field> {
        self.fields.get(self.position(name, minor)?)
    }

    /// Returns the index of the field of that name in that minor.
    pub(super) fn position(&self, name: &str, minor: u32) -> Option<usize> {
        self.fields
            .iter()
            .position(|field| field.name == name && field.exists_in(minor))
    }
}
