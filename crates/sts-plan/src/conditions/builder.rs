//! Conditions made step by step, for those who use the crate: each function takes one and returns it changed.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::SignedDuration;

use sts_controller::object::RelatedObjects;
use sts_controller::simulate::Assumption;
use sts_controller::version::{Behaviour, Gates, VersionError};

use super::{Conditions, InputKind};

impl Conditions {
    /// Sets feature gates of the controller and the server; the others keep the defaults of the version.
    ///
    /// # Errors
    /// When the version does not know a gate, or it is locked.
    pub fn with_gates(self, gates: &BTreeMap<String, bool>) -> Result<Self, VersionError> {
        let version = self.behaviour.version;
        let gates = Gates::new(version.or_newest(), gates)?;
        Ok(Conditions {
            behaviour: Behaviour::new(version, &gates),
            gates,
            ..self
        })
    }

    /// Sets the time that a new pod takes to become ready.
    #[must_use]
    pub fn with_ready_after(self, time: SignedDuration) -> Self {
        Conditions {
            ready_after: Some(time),
            ..self
        }
    }

    /// Sets the time that a deleted pod takes to terminate.
    #[must_use]
    pub fn with_gone_after(self, time: SignedDuration) -> Self {
        Conditions {
            gone_after: Some(time),
            ..self
        }
    }

    /// Assumes something of the pods of a name.
    #[must_use]
    pub fn assuming(mut self, pod: &str, assumption: Assumption) -> Self {
        self.assumptions.insert(pod.to_owned(), assumption);
        self
    }

    /// Adds the objects around the set: budgets, nodes, quotas and the like, for evidence and findings.
    #[must_use]
    pub fn with_related(self, related: RelatedObjects) -> Self {
        Conditions {
            related: Arc::new(related),
            ..self
        }
    }

    /// Allows for objects that the input lacks, as files written by hand do.
    #[must_use]
    pub fn with_incomplete_input(self) -> Self {
        Conditions {
            input: InputKind::Files,
            ..self
        }
    }
}
