//! The choices where another manager owns a field that a server-side apply would change.

use std::fmt;
use std::str::FromStr;

use strum::IntoEnumIterator as _;
use sts_controller::apiserver::validation::FieldOwner;
use sts_controller::name::{UnknownName, value_named};

/// A way out of a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumIter)]
pub enum ConflictChoice {
    /// The manifest does not have the field.
    Omit,
    /// The manifest has the stored value.
    Share,
    /// The field is taken from its owner.
    Force,
}

impl ConflictChoice {
    /// The choice's name in machine output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ConflictChoice::Omit => "omit",
            ConflictChoice::Share => "share",
            ConflictChoice::Force => "force",
        }
    }

    /// The choice in words.
    #[must_use]
    pub fn sentence(self, owner: &FieldOwner) -> String {
        let manager = &owner.manager;
        match self {
            ConflictChoice::Omit => {
                format!("if {manager} is to keep the field: omit it from the manifest")
            }
            ConflictChoice::Share => {
                format!("if {manager} is to own it too: set it to the stored value")
            }
            ConflictChoice::Force => {
                format!("if {manager} is to give it up: add --force-conflicts")
            }
        }
    }

    /// All choices, the safest first.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::iter()
    }
}

impl fmt::Display for ConflictChoice {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl FromStr for ConflictChoice {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        value_named(name)
    }
}
