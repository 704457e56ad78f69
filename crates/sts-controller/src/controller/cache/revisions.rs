//! What is kept of revisions: both answers depend on nothing but the objects that they name.

use std::sync::Arc;

use crate::controller::revision::{Proposal, equal_revision_semantically};
use crate::object::{Revision, Set};
use crate::version::Behaviour;

/// The latest proposal, and how it compares with the latest revision.
#[derive(Debug, Clone, Default)]
pub(in crate::controller) struct RevisionCache {
    is_off: bool,
    proposal: Option<Proposal>,
    /// Whether that revision, its defaults filled in, says what the proposal says.
    compared: Option<(Arc<Revision>, bool)>,
}

impl RevisionCache {
    pub(super) fn off() -> Self {
        RevisionCache {
            is_off: true,
            ..RevisionCache::default()
        }
    }

    pub(in crate::controller) fn proposal(&mut self, set: &Set, behaviour: &Behaviour) -> Proposal {
        let is_of = |known: &&Proposal| Arc::ptr_eq(&known.template, &set.template);
        if let Some(known) = self.proposal.as_ref().filter(is_of) {
            return known.clone();
        }
        let proposal = Proposal::new(set, behaviour);
        if !self.is_off {
            self.proposal = Some(proposal.clone());
            self.compared = None;
        }
        proposal
    }

    pub(in crate::controller) fn equal_semantically(
        &mut self,
        latest: &Arc<Revision>,
        proposal: &Proposal,
        set: &Set,
        behaviour: &Behaviour,
    ) -> bool {
        if let Some((known, equal)) = &self.compared
            && Arc::ptr_eq(known, latest)
        {
            return *equal;
        }
        let equal = equal_revision_semantically(latest, proposal, set, behaviour);
        if !self.is_off {
            self.compared = Some((Arc::clone(latest), equal));
        }
        equal
    }
}
