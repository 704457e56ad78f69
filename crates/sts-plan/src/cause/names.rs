//! Names of a case in the texts of the catalogue.

use super::{Cause, CauseKind};
use crate::catalogue::with_names;
use crate::command::named;
use crate::foresight::{ClaimTrouble, Foreseen};

impl Cause {
    /// Puts the names of the case into a text of the catalogue.
    #[must_use]
    pub(crate) fn named(&self, text: &str) -> String {
        let claim = || match &self.kind {
            CauseKind::Foreseen(Foreseen::Claim { claim, .. })
            | CauseKind::ClaimDeleted { claim, .. } => Some(claim),
            CauseKind::Unschedulable { claims, .. } => claims.first(),
            _ => None,
        };
        // They may stand in a command.
        let names = |key: &str| match key {
            "pod" => Some(named(&self.pod).to_owned()),
            "node" => self.node.as_ref().map(|node| named(node).to_owned()),
            "container" => self.kind.container().map(|it| named(it).to_owned()),
            "claim" => claim().map(|claim| named(claim).to_owned()),
            "name" => self.object(),
            _ => None,
        };
        with_names(text, &names)
    }

    /// Returns the name of the object at fault: that of the component's message, or else that of the case.
    #[must_use]
    pub(crate) fn object(&self) -> Option<String> {
        if let Some(name) = self.entry()?.name_in(self.message()) {
            return Some(name.to_owned());
        }
        match &self.kind {
            CauseKind::Unschedulable { zones, .. } if !zones.is_empty() => Some(zones.join(", ")),
            CauseKind::Foreseen(Foreseen::Claim {
                trouble: ClaimTrouble::ClassMissing { class },
                ..
            }) => Some(class.to_string()),
            _ => None,
        }
    }
}
