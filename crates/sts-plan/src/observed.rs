//! The two kinds of facts about a set. What was read is evidence ([`Observed`]); what the simulation makes of it is
//! foretold ([`Predicted`]). A reader of evidence takes the first type, so that nothing simulated can be handed to it.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use jiff::{SignedDuration, Timestamp};

use crate::members::{owns, pods_of};
use sts_controller::controller::list_revisions;
use sts_controller::object::{Phase, Pod, RelatedObjects, Revision, Snapshot};
use sts_controller::simulate::World;
use sts_controller::version::Behaviour;

/// Minimum number of restarts of a container that fails again and again, and the time within which it failed last.
const OFTEN: i64 = 3;
const LATELY: SignedDuration = SignedDuration::from_hours(1);

/// Objects as they were read, before any action or simulated step. Plans that go on from the end of another one keep
/// what that one has read.
#[derive(Debug, Clone)]
pub struct Observed {
    snapshot: Snapshot,
    at: Timestamp,
    newest: OnceLock<Vec<DatedClaim>>,
}

/// The newest claim of a pod.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DatedClaim {
    pub(crate) created: Timestamp,
    pub(crate) pod: Arc<str>,
    pub(crate) claim: Arc<str>,
}

impl Observed {
    pub(crate) fn new(snapshot: Snapshot, at: Timestamp) -> Self {
        Observed {
            snapshot,
            at,
            newest: OnceLock::new(),
        }
    }

    /// Returns the moment of the objects.
    #[must_use]
    pub fn at(&self) -> Timestamp {
        self.at
    }

    /// Returns the pod of this name, of any owner.
    #[must_use]
    pub fn pod(&self, name: &str) -> Option<&Arc<Pod>> {
        self.snapshot.pods.get(name)
    }

    /// Returns a pod as it was read; `None` if the simulation created it.
    #[must_use]
    pub fn same(&self, pod: &Pod) -> Option<&Arc<Pod>> {
        let read = self.pod(&pod.meta.name)?;
        (read.meta.uid == pod.meta.uid).then_some(read)
    }

    /// Returns the pods that the set owns.
    pub fn owned(&self) -> impl Iterator<Item = &Arc<Pod>> {
        pods_of(&self.snapshot).filter(|pod| owns(&self.snapshot, pod))
    }

    /// Returns the pods of the set that are running, ready and not terminating.
    pub fn ready(&self) -> impl Iterator<Item = &Arc<Pod>> {
        self.owned()
            .filter(|pod| pod.is_running_and_ready() && !pod.is_terminating())
    }

    /// Returns the ready pods on a revision.
    pub fn ready_on<'s>(&'s self, revision: &'s str) -> impl Iterator<Item = &'s Arc<Pod>> {
        self.ready().filter(move |pod| *pod.revision == *revision)
    }

    /// Reports whether another pod is ready on the revision of this one, so that the revision is not at fault.
    #[must_use]
    pub fn has_ready_sibling(&self, pod: &Pod) -> bool {
        self.ready_on(&pod.revision)
            .any(|other| other.meta.name != pod.meta.name)
    }

    /// Reports whether another pod is ready on the revision of this one and has not failed again and again of late, which
    /// shows that the revision works.
    #[must_use]
    pub fn has_steady_sibling(&self, pod: &Pod) -> bool {
        let now = self.at();
        let fails_again = |other: &Pod| {
            other.containers().iter().any(|it| {
                let ended = it.ended.as_ref().filter(|ended| ended.exit_code != 0);
                let at = ended.and_then(|ended| ended.at);
                it.restarts >= OFTEN && at.is_some_and(|at| now.duration_since(at) < LATELY)
            })
        };
        let mut siblings = self.ready_on(&pod.revision);
        siblings.any(|other| other.meta.name != pod.meta.name && !fails_again(other))
    }

    /// Returns the revision to roll back to, among those of a world: one with a ready pod, else the current one, else the
    /// newest.
    pub(crate) fn fallback<'w>(
        &self,
        world: &'w Snapshot,
        behaviour: &Behaviour,
    ) -> Option<&'w Arc<Revision>> {
        let listed = list_revisions(world, behaviour);
        // Commands use the revision number: 0 means another revision, and numbers may be duplicated.
        let namesakes = |number: i64| listed.iter().filter(|it| it.number == number).count();
        let others = || {
            listed.iter().copied().filter(|revision| {
                revision.meta.name != world.status.update_revision
                    && revision.template().is_some()
                    && revision.number > 0
                    && namesakes(revision.number) == 1
            })
        };
        let is_proven =
            |revision: &&Arc<Revision>| self.ready_on(&revision.meta.name).next().is_some();
        let is_current =
            |revision: &&Arc<Revision>| revision.meta.name == world.status.current_revision;
        others()
            .rfind(is_proven)
            .or_else(|| others().find(is_current))
            .or_else(|| others().next_back())
    }

    /// Returns the two pods of the set with the newest claims, the newest first.
    pub(crate) fn newest_claims(&self) -> &[DatedClaim] {
        self.newest.get_or_init(|| {
            let dated = self.owned().filter_map(|pod| {
                let claims = pod
                    .claims()
                    .filter_map(|name| self.snapshot.claims.get(name));
                let newest = claims.max_by_key(|claim| claim.meta.created)?;
                Some(DatedClaim {
                    created: newest.meta.created?,
                    pod: Arc::clone(&pod.meta.name),
                    claim: Arc::clone(&newest.meta.name),
                })
            });
            let mut all: Vec<DatedClaim> = dated.collect();
            all.sort_unstable_by(|a, b| b.cmp(a));
            all.truncate(2);
            all
        })
    }

    /// Returns another pod, of any owner, that uses a claim of this one.
    #[must_use]
    pub fn holder_of_claims(&self, pod: &Pod) -> Option<&Arc<Pod>> {
        let claims: Vec<&Arc<str>> = pod.claims().collect();
        let mut others = self.snapshot.pods.values();
        others.find(|other| {
            other.meta.uid != pod.meta.uid
                && !other.phase.has_ended()
                && other.claims().any(|claim| claims.contains(&claim))
        })
    }

    /// Returns all objects, for sentences about a single one of them.
    pub(crate) fn objects(&self) -> &Snapshot {
        &self.snapshot
    }
}

/// Objects at the end of a plan: foretold, and never evidence.
#[derive(Clone, Copy)]
pub struct Predicted<'p> {
    world: &'p World,
}

impl<'p> Predicted<'p> {
    pub(crate) fn new(world: &'p World) -> Self {
        Predicted { world }
    }

    /// Returns the objects.
    #[must_use]
    pub fn objects(self) -> &'p Snapshot {
        self.world.snapshot()
    }

    /// Returns the moment at which nothing is left to happen.
    #[must_use]
    pub fn at(self) -> Timestamp {
        self.world.now()
    }
}

/// Returns the pods that keep a claim in use: those on nodes that have not ended, of any owner.
pub(crate) fn claim_users(
    snapshot: &Snapshot,
    related: &RelatedObjects,
    claim: &str,
) -> Vec<Arc<str>> {
    // The kubelet does not see a pod before it is scheduled.
    let is_on_node = |pod: &Pod| pod.node().is_some() || pod.phase == Phase::Running;
    let others = related.pods(&snapshot.set.meta.namespace);
    let pods = snapshot.pods.values().chain(others).filter(|pod| {
        is_on_node(pod) && !pod.phase.has_ended() && pod.claims().any(|it| **it == *claim)
    });
    let names: BTreeSet<Arc<str>> = pods.map(|pod| Arc::clone(&pod.meta.name)).collect();
    names.into_iter().collect()
}
