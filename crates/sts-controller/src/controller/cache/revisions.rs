//! What is kept of revisions: the answers depend on nothing but the objects that they name.

use std::sync::Arc;

use crate::controller::identity::LazyBuilder;
use crate::controller::revision::{Proposal, equal_revision_semantically};
use crate::object::{Revision, Set};
use crate::version::Behaviour;

/// The latest proposal, how it compares with the latest revision, and what makes the pods of the two revisions of a sync.
#[derive(Debug, Clone, Default)]
pub(in crate::controller) struct RevisionCache {
    is_off: bool,
    proposal: Option<Proposal>,
    /// Whether that revision, its defaults filled in, says what the proposal says.
    compared: Option<(Arc<Revision>, bool)>,
    builders: Vec<(Arc<Set>, Arc<Revision>, LazyBuilder)>,
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

    /// What makes the pods of a revision.
    pub(in crate::controller) fn builder(
        &mut self,
        set: &Arc<Set>,
        revision: &Arc<Revision>,
    ) -> LazyBuilder {
        let mut known = self.builders.iter();
        let known = known.find(|(of_set, of_revision, _)| {
            Arc::ptr_eq(of_set, set) && Arc::ptr_eq(of_revision, revision)
        });
        if let Some((.., builder)) = known {
            return Arc::clone(builder);
        }
        let builder = LazyBuilder::default();
        if !self.is_off {
            // A sync has two revisions.
            self.builders.truncate(1);
            let entry = (Arc::clone(set), Arc::clone(revision), Arc::clone(&builder));
            self.builders.insert(0, entry);
        }
        builder
    }
}
