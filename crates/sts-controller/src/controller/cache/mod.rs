//! State that the controller of a simulation keeps from one sync to the next; the only place that skips work.
//!
//! It changes no result: a sync with an empty cache does and says the same, and so does one with the cache off
//! ([`Cache::off`]), where the pods are indexed anew in every sync and every slot is gone through. The tests hold all
//! three against each other.

mod ordinal_set;
mod pod_index;
mod pods;
mod revisions;

use std::sync::Arc;

pub(super) use pod_index::{Counters, FirstUnavailable, PodIndex};
pub(super) use pods::ClaimedPods;
pub(super) use revisions::RevisionCache;

use super::adopt::{self, ClaimDecision};
use super::error::SyncError;
use super::recorder::Recorder;
use crate::object::keep_last;
use crate::object::{Pod, Set, Snapshot};
use crate::version::Behaviour;
use pods::CachedIndex;

/// State kept between the syncs of one set. Code that changes its objects reports it: see [`Cache::touch`].
#[derive(Debug, Default)]
pub struct Cache {
    is_off: bool,
    pub(super) revisions: RevisionCache,
    index: Option<Box<PodIndex>>,
    touched: Vec<Touched>,
}

/// A pod that is to be looked at again.
#[derive(Debug)]
enum Touched {
    /// As it is stored from now on.
    Pod(Arc<Pod>),
    /// As it is stored under that name by then, if it is.
    Name(Arc<str>),
}

impl Touched {
    fn name(&self) -> &Arc<str> {
        match self {
            Touched::Pod(pod) => &pod.meta.name,
            Touched::Name(name) => name,
        }
    }
}

impl Cache {
    /// A cache that keeps nothing, and lets a sync skip nothing.
    #[must_use]
    pub fn off() -> Self {
        Cache {
            is_off: true,
            revisions: RevisionCache::off(),
            ..Cache::default()
        }
    }

    /// An empty cache that is on or off as this one is.
    #[must_use]
    pub fn emptied(&self) -> Self {
        if self.is_off {
            Cache::off()
        } else {
            Cache::default()
        }
    }

    /// Takes over what another cache knows of the revisions of the same set.
    pub(crate) fn recall(&mut self, other: &Cache) {
        if !self.is_off {
            self.revisions = other.revisions.clone();
        }
    }

    /// Says that the pod of that name, or a claim of its, came, changed or went.
    pub fn touch(&mut self, pod: &Arc<str>) {
        if !self.is_off {
            self.touched.push(Touched::Name(Arc::clone(pod)));
        }
    }

    /// Says that the pod came or changed, and is stored like that from now on. It saves finding it by its name.
    pub fn touch_pod(&mut self, pod: &Arc<Pod>) {
        if !self.is_off {
            self.touched.push(Touched::Pod(Arc::clone(pod)));
        }
    }

    /// Says that anything may have changed.
    pub fn forget(&mut self) {
        *self = self.emptied();
    }

    /// Reports whether a sync of this very set has come as far as its pods.
    pub(super) fn has_pods_of(&self, set: &Arc<Set>) -> bool {
        self.index.as_ref().is_some_and(|index| index.is_of(set))
    }

    /// `ClaimPods`, or what the sync before knew of the pods where nothing is to be adopted or released.
    pub(super) fn claim_pods(
        &mut self,
        snapshot: &Snapshot,
        behaviour: &Behaviour,
        out: &mut Recorder<'_>,
    ) -> Result<ClaimedPods, SyncError> {
        match self.take_index(snapshot, behaviour) {
            Some(cached) => Ok(ClaimedPods::cached(cached)),
            None => {
                let claimed = adopt::claim_pods(snapshot, behaviour, out)?;
                Ok(ClaimedPods::claimed(claimed, self.is_off))
            }
        }
    }

    /// Keeps what a sync knows of the pods at its end.
    pub(super) fn keep(&mut self, pods: ClaimedPods) {
        if !self.is_off {
            self.index = pods.into_index();
        }
    }

    /// The index of the sync before, if it still says which pods are the set's. It is out of the cache then: a sync
    /// that fails before it has looked at the pods leaves none.
    fn take_index(&mut self, snapshot: &Snapshot, behaviour: &Behaviour) -> Option<CachedIndex> {
        let mut touched = std::mem::take(&mut self.touched);
        keep_last(&mut touched, |pod, other| pod.name() == other.name());
        let index = self
            .index
            .take()
            .filter(|index| index.is_of(&snapshot.set))?;
        let mut looked_at = Vec::with_capacity(touched.len());
        for touched in touched {
            let name = Arc::clone(touched.name());
            let pod = match touched {
                Touched::Pod(pod) => Some(pod),
                Touched::Name(name) => snapshot.pods.get(&name).map(Arc::clone),
            };
            let decision = pod.as_ref().map_or(ClaimDecision::Ignore, |pod| {
                adopt::claim_decision(&snapshot.set, pod, behaviour)
            });
            match decision {
                ClaimDecision::Ours => looked_at.push((name, pod)),
                ClaimDecision::Ignore => looked_at.push((name, None)),
                // An adoption or a release begins with going through all pods.
                ClaimDecision::Adopt | ClaimDecision::Release => return None,
            }
        }
        Some(CachedIndex {
            index,
            touched: looked_at,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Cache;

    /// The tests that hold answers with the cache against those without it are worth something only if it is off.
    #[test]
    fn a_cache_that_is_off_stays_off() {
        let off = format!("{:?}", Cache::off());
        assert_eq!(off.matches("is_off: true").count(), 2, "{off}");
        assert_eq!(format!("{:?}", Cache::off().emptied()), off);
        let mut cache = Cache::off();
        cache.touch(&"web-0".into());
        cache.forget();
        assert_eq!(format!("{cache:?}"), off);
    }
}
