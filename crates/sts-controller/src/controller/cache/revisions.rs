//! Cached results about revisions. They depend only on the objects in their key.

use std::sync::Arc;

use crate::controller::revision::{self, Proposal, Revisions, equal_revision_semantically};
use crate::object::{Revision, Set, Snapshot, Status};
use crate::version::Behaviour;

/// The latest proposal, its comparison with the latest revision, and the revisions of the previous sync.
#[derive(Debug, Clone, Default)]
pub(in crate::controller) struct RevisionCache {
    is_off: bool,
    proposal: Option<Proposal>,
    /// The latest revision, and whether it equals the proposal once its defaults are filled in.
    compared: Option<(Arc<Revision>, bool)>,
    listed: Option<ListedRevisions>,
    determined: Option<DeterminedRevisions>,
}

/// Result of `ListRevisions` for a set with these stored revisions.
#[derive(Debug, Clone)]
struct ListedRevisions {
    set: Arc<Set>,
    stored: Vec<Arc<Revision>>,
    listed: Arc<[Arc<Revision>]>,
}

/// Revisions of a sync that wrote none, and the inputs they depend on.
#[derive(Debug, Clone)]
struct DeterminedRevisions {
    listed: Arc<[Arc<Revision>]>,
    current_revision: Arc<str>,
    collision_count: Option<i64>,
    revisions: Revisions,
}

impl RevisionCache {
    pub(super) fn off() -> Self {
        RevisionCache {
            is_off: true,
            ..RevisionCache::default()
        }
    }

    /// Returns the set's revisions, oldest first.
    pub(in crate::controller) fn list(
        &mut self,
        snapshot: &Snapshot,
        behaviour: &Behaviour,
    ) -> Arc<[Arc<Revision>]> {
        let stored = snapshot.revisions.values();
        if let Some(known) = &self.listed
            && Arc::ptr_eq(&known.set, &snapshot.set)
            && known.stored.len() == stored.len()
            && known
                .stored
                .iter()
                .zip(stored)
                .all(|(known, stored)| Arc::ptr_eq(known, stored))
        {
            return Arc::clone(&known.listed);
        }
        let listed = revision::list(snapshot, behaviour).into_iter();
        let listed: Arc<[Arc<Revision>]> = listed.map(Arc::clone).collect();
        if !self.is_off {
            self.listed = Some(ListedRevisions {
                set: Arc::clone(&snapshot.set),
                stored: snapshot.revisions.values().map(Arc::clone).collect(),
                listed: Arc::clone(&listed),
            });
        }
        listed
    }

    /// Returns the revisions of the previous sync, if this sync would find the same.
    pub(in crate::controller) fn determined(
        &self,
        status: &Status,
        listed: &Arc<[Arc<Revision>]>,
    ) -> Option<Revisions> {
        let known = self.determined.as_ref()?;
        let same = Arc::ptr_eq(&known.listed, listed)
            && known.collision_count == status.collision_count
            && known.current_revision == status.current_revision;
        same.then(|| known.revisions.clone())
    }

    /// Keeps revisions that were determined without a write.
    pub(in crate::controller) fn keep(
        &mut self,
        status: &Status,
        listed: &Arc<[Arc<Revision>]>,
        revisions: &Revisions,
    ) {
        if !self.is_off {
            self.determined = Some(DeterminedRevisions {
                listed: Arc::clone(listed),
                current_revision: Arc::clone(&status.current_revision),
                collision_count: status.collision_count,
                revisions: revisions.clone(),
            });
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
