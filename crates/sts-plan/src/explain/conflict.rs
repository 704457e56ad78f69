//! Choices in a server-side apply conflict.

use strum::IntoEnumIterator as _;
use sts_controller::apiserver::validation::FieldOwner;

/// A resolution of a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumIter, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum ConflictChoice {
    /// Omit the field from the manifest.
    Omit,
    /// Set the field to the stored value.
    Share,
    /// Take ownership of the field.
    Force,
}

serialized!(by_name: ConflictChoice);

impl ConflictChoice {
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
