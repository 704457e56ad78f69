//! The set's pods at each stage of a sync.

use std::sync::Arc;

use super::PodIndex;
use crate::controller::adopt::{self, ClaimResult};
use crate::controller::context::SyncContext;
use crate::controller::error::SyncError;
use crate::controller::recorder::Recorder;
use crate::object::Pod;

/// The set's pods in this sync.
pub(in crate::controller) struct ClaimedPods {
    state: State,
    /// True if the sync adopted or released a pod: the stored owner references do not show it yet.
    moved: bool,
    /// True if every slot is visited.
    skips_nothing: bool,
}

enum State {
    /// From the previous sync, with the changes since.
    Cached(CachedIndex),
    /// Claimed in this sync.
    Claimed(Vec<Arc<Pod>>),
    /// Indexed by slot.
    Indexed(Box<PodIndex>),
}

/// The index of the previous sync and the pods to update in it. `None` stands for a pod that is gone.
#[derive(Debug)]
pub(super) struct CachedIndex {
    pub(super) index: Box<PodIndex>,
    pub(super) touched: Vec<(Arc<str>, Option<Arc<Pod>>)>,
}

impl ClaimedPods {
    pub(super) fn cached(cached: CachedIndex) -> Self {
        ClaimedPods {
            state: State::Cached(cached),
            moved: false,
            skips_nothing: false,
        }
    }

    pub(super) fn claimed(claimed: ClaimResult, skips_nothing: bool) -> Self {
        ClaimedPods {
            state: State::Claimed(claimed.pods),
            moved: claimed.changed,
            skips_nothing,
        }
    }

    /// Updates or builds the index.
    pub(in crate::controller) fn index(
        &mut self,
        context: &SyncContext<'_>,
        out: &mut Recorder<'_>,
    ) -> Result<&PodIndex, SyncError> {
        let state = std::mem::replace(&mut self.state, State::Claimed(Vec::new()));
        let index = match state {
            State::Indexed(index) => index,
            State::Claimed(pods) => Box::new(PodIndex::new(context, pods, self.skips_nothing)),
            State::Cached(cached) if !cached.index.is_for(context) => {
                // Nothing is adopted or released here: the cache is only used when there is nothing to adopt or
                // release.
                let claimed = adopt::claim_pods(context.snapshot, context.behaviour, out)?;
                Box::new(PodIndex::new(context, claimed.pods, self.skips_nothing))
            }
            State::Cached(CachedIndex { mut index, touched }) => {
                for (name, pod) in touched {
                    index.refresh(context, &name, pod);
                }
                index
            }
        };
        self.state = State::Indexed(index);
        match &self.state {
            State::Indexed(index) => Ok(index),
            State::Cached(_) | State::Claimed(_) => Err(SyncError::default()),
        }
    }

    /// Reports whether any of the pods has that revision.
    pub(in crate::controller) fn has_revision(&self, name: &Arc<str>) -> bool {
        match &self.state {
            State::Indexed(index) => index.has_revision(name),
            State::Claimed(pods) => pods.iter().any(|pod| pod.revision == *name),
            // The revisions could not be determined, so the changed pods were not looked at.
            State::Cached(cached) => {
                let touched = cached.touched.iter().flat_map(|(_, pod)| pod);
                cached.index.has_revision(name)
                    || touched.into_iter().any(|pod| pod.revision == *name)
            }
        }
    }

    /// Returns the index for the next sync.
    pub(super) fn into_index(self) -> Option<Box<PodIndex>> {
        match self.state {
            State::Indexed(index) if !self.moved => Some(index),
            _ => None,
        }
    }
}
