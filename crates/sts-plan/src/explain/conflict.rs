//! Choices in a server-side apply conflict.

use std::fmt;
use std::str::FromStr;

use strum::IntoEnumIterator as _;
use sts_controller::apiserver::validation::FieldOwner;
use sts_controller::name::{UnknownName, value_named};

/// A resolution of a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumIter)]
pub enum ConflictChoice {
    /// Omit the field from the manifest.
    Omit,
    /// Set the field to the stored value.
    Share,
    /// Take ownership of the field.
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

    /// Returns the choice with its condition in front.
    #[must_use]
    pub fn sentence(self, owner: &FieldOwner) -> String {
        let manager = &owner.manager;
        match self {
            ConflictChoice::Omit => {
                format!("if {manager} should keep the field: omit it from the manifest")
            }
            ConflictChoice::Share => {
                format!("if {manager} should share ownership: set it to the stored value")
            }
            ConflictChoice::Force => {
                format!("if {manager} should lose ownership: add --force-conflicts")
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
