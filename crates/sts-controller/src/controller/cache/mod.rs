//! State that a simulated controller keeps between syncs. No other code skips work.
//!
//! The cache never changes a result. A sync with an empty cache has the same outcome, and so has one with the cache off
//! ([`Cache::off`]), which rebuilds the pod index and visits every slot in each sync. Tests compare all three.

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

/// State kept between the syncs of one set. Code that changes the set's objects must report the change: see
/// [`Cache::touch`].
#[derive(Debug, Default)]
pub struct Cache {
    is_off: bool,
    pub(super) revisions: RevisionCache,
    index: Option<Box<PodIndex>>,
    touched: Vec<Touched>,
}

/// A pod to look at again.
#[derive(Debug)]
enum Touched {
    /// The pod as now stored.
    Pod(Arc<Pod>),
    /// The name of a pod that may or may not exist.
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
    /// Returns a cache that keeps nothing, so that no sync skips work.
    #[must_use]
    pub fn off() -> Self {
        Cache {
            is_off: true,
            revisions: RevisionCache::off(),
            ..Cache::default()
        }
    }

    /// Returns an empty cache that is on or off like this one.
    #[must_use]
    pub fn emptied(&self) -> Self {
        if self.is_off {
            Cache::off()
        } else {
            Cache::default()
        }
    }

    /// Copies another cache's revisions of the same set.
    pub(crate) fn recall(&mut self, other: &Cache) {
        if !self.is_off {
            self.revisions = other.revisions.clone();
        }
    }

    /// Marks a pod as created, changed or deleted, or one of its claims.
    pub fn touch(&mut self, pod: &Arc<str>) {
        if !self.is_off {
            self.touched.push(Touched::Name(Arc::clone(pod)));
        }
    }

    /// Marks a pod as created or changed, and supplies its stored object, which saves a lookup by name.
    pub fn touch_pod(&mut self, pod: &Arc<Pod>) {
        if !self.is_off {
            self.touched.push(Touched::Pod(Arc::clone(pod)));
        }
    }

    /// Drops everything: any object may have changed.
    pub fn forget(&mut self) {
        *self = self.emptied();
    }

    /// Reports whether a sync of this very set got as far as its pods.
    pub(super) fn has_pods_of(&self, set: &Arc<Set>) -> bool {
        self.index.as_ref().is_some_and(|index| index.is_of(set))
    }

    /// `ClaimPods`: returns the pods of the previous sync if nothing has to be adopted or released.
    pub(super) fn claim_pods(
        &mut self,
        snapshot: &Snapshot,
        behaviour: &Behaviour,
        out: &mut Recorder<'_>,
    ) -> Result<ClaimedPods, SyncError> {
        match self.take_index(snapshot, behaviour) {
            Some(cached) => Ok(ClaimedPods::cached(cached)),
            None => {
                out.looked_at += u64::try_from(snapshot.pods.len()).unwrap_or(u64::MAX);
                let claimed = adopt::claim_pods(snapshot, behaviour, out)?;
                Ok(ClaimedPods::claimed(claimed, self.is_off))
            }
        }
    }

    /// Keeps the pods of a finished sync.
    pub(super) fn keep(&mut self, pods: ClaimedPods) {
        if !self.is_off {
            self.index = pods.into_index();
        }
    }

    /// Takes the index of the previous sync out of the cache, if it still shows which pods belong to the set. A sync
    /// that fails before it looks at the pods leaves no index behind.
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
                // An adoption or a release has to visit all pods.
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

    /// Tests that compare results with and without the cache rely on this.
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
