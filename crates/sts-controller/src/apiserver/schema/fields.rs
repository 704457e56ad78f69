//! The vocabulary that the tables are written in.

/// The type of one field.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// A string.
    Text,
    /// A boolean.
    Bool,
    /// A whole number of 32 bits.
    Int32,
    /// A whole number of 64 bits.
    Int64,
    /// An amount such as `500m`, as a string or a number.
    Quantity,
    /// A whole number of 32 bits or a string.
    IntOrString,
    /// A time of RFC 3339, in whole seconds.
    Time,
    /// Anything at all, kept as it is.
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

/// The encoding of a field that has no value, or the zero value of its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zero {
    /// Zero, empty and absent are one and the same, and not written: a Go value with `omitempty`.
    Dropped,
    /// Zero is a value and kept, absent is not written: a Go pointer with `omitempty`.
    Kept,
    /// The zero value is written even where nothing was given: a Go value that `omitempty` does nothing for.
    Written,
    /// `null` is written where nothing was given: a Go pointer without `omitempty`.
    Null,
}

/// One field of an object.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// Its name in JSON.
    pub name: &'static str,
    /// Its type.
    pub kind: Kind,
    /// The encoding of no value.
    pub zero: Zero,
    /// The first minor that has it; 0 where that was before 1.20.
    pub since: u32,
    /// The last minor that has it.
    pub until: u32,
}

/// A field that is dropped when empty, in every minor; the methods say otherwise.
pub(super) const fn field(name: &'static str, kind: Kind) -> Field {
    Field {
        name,
        kind,
        zero: Zero::Dropped,
        since: 0,
        until: u32::MAX,
    }
}

/// The minors in which something holds.
#[derive(Debug, Clone, Copy)]
pub(in crate::apiserver) struct Era {
    since: u32,
    until: u32,
}

impl Era {
    /// From a minor on; 0 for all that are known.
    pub(in crate::apiserver) const fn since(minor: u32) -> Self {
        Self {
            since: minor,
            until: u32::MAX,
        }
    }

    /// Up to a minor, and in it.
    pub(in crate::apiserver) const fn until(mut self, minor: u32) -> Self {
        self.until = minor;
        self
    }

    pub(in crate::apiserver) const fn has(self, minor: u32) -> bool {
        self.since <= minor && minor <= self.until
    }
}

impl Field {
    /// See [`Zero::Kept`].
    pub(super) const fn pointer(mut self) -> Self {
        self.zero = Zero::Kept;
        self
    }

    /// See [`Zero::Written`].
    pub(super) const fn always(mut self) -> Self {
        self.zero = Zero::Written;
        self
    }

    /// See [`Zero::Null`].
    pub(super) const fn nullable(mut self) -> Self {
        self.zero = Zero::Null;
        self
    }

    pub(super) const fn since(mut self, minor: u32) -> Self {
        self.since = minor;
        self
    }

    pub(super) const fn until(mut self, minor: u32) -> Self {
        self.until = minor;
        self
    }

    /// Reports whether this minor has the field.
    #[must_use]
    pub const fn exists_in(&self, minor: u32) -> bool {
        self.since <= minor && minor <= self.until
    }
}

/// The fields of an object, by name; a field that changed has a line for each of its eras.
#[derive(Debug)]
pub struct Shape {
    /// The fields.
    pub fields: &'static [Field],
}

impl Shape {
    /// The field of that name in that minor.
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
