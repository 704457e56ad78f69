//! Interchangeable pods. Under `Parallel` the controller treats all pods of a group the same, whatever their ordinals.
//! States that differ only by a permutation within a group are equivalent.
//!
//! The groups are the slots below the partition, the slots from the partition on that an update has passed, and the
//! condemned pods. An update walks from the top to the first outdated pod. The pods above it are updated or being
//! updated, and the update waits for any of them. The pods below it depend on their order and are not grouped.

use std::ops::Range;
use std::sync::Arc;

use super::State;
use super::places::Place;
use super::restored_world::RestoredWorld;
use crate::controller::pod_name;
use crate::object::{Claim, Retention, Strategy};
use crate::simulate::world::World;
use crate::version::Behaviour;

/// Groups of interchangeable pods, as ranges of places.
pub(super) struct PodGroups {
    below_first: Range<usize>,
    below_partition: Range<usize>,
    from_partition: Range<usize>,
    condemned: Range<usize>,
    /// True if an update walks the slots from the partition on.
    updates: bool,
}

impl PodGroups {
    /// Returns the groups of a settled world; `None` if order may matter beyond the update.
    pub(super) fn new(world: &World, behaviour: &Behaviour, places: &[Place]) -> Option<Self> {
        let snapshot = world.snapshot();
        let set = &snapshot.set;
        let kubelet = world.kubelet();
        let has_named_assumptions = !kubelet.assumptions.is_empty()
            || !kubelet.forbidden.is_empty()
            || !kubelet.foreseen.is_empty();
        // A failed request ends a batch. Only requests about claims can fail here, and pods that do not terminate when
        // they should.
        let claims_matter = behaviour.claim_owners.is_some()
            && set.retention.is_none_or(|policy| {
                policy.when_scaled != Retention::Retain || policy.when_deleted != Retention::Retain
            });
        let terminating = |claim: &Arc<Claim>| claim.meta.is_terminating();
        let order_matters = set.is_monotonic()
            || has_named_assumptions
            || (claims_matter && !set.claim_templates.is_empty())
            || snapshot.claims.values().any(terminating)
            || snapshot.pods.values().any(|pod| pod.has_finalizers);
        let updates = match &set.strategy {
            Strategy::RollingUpdate(Some(_)) => true,
            Strategy::OnDelete(_) => false,
            // A new pod's revision depends on a count, or is unknown.
            Strategy::RollingUpdate(None) | Strategy::Unknown(..) | Strategy::Recreate(_) => {
                return None;
            }
        };
        let ordinals = behaviour.ordinals(set);
        let named = |place: &Place| *place.pod == *pod_name(set, place.ordinal);
        if order_matters || !places.iter().all(named) {
            return None;
        }
        let from = |ordinal: i64| places.partition_point(|place| place.ordinal < ordinal);
        let partition = i64::from(set.strategy.partition().max(0));
        let first = from(ordinals.start);
        let end = from(ordinals.end);
        let partition = from(ordinals.start.saturating_add(partition)).clamp(first, end);
        Some(PodGroups {
            below_first: 0..first,
            below_partition: first..partition,
            from_partition: partition..end,
            condemned: end..places.len(),
            updates,
        })
    }

    /// Returns the groups in a state.
    pub(super) fn of_state(&self, state: &State, world: &RestoredWorld<'_>) -> [Range<usize>; 4] {
        let mut passed = self.from_partition.clone();
        if self.updates {
            let update = &world.others.get(state.others).status.update_revision;
            let next = passed.clone().rfind(|place| {
                let pod = world.pods.get(state.pods[*place]).pod.as_ref();
                pod.is_some_and(|pod| !pod.is_terminating() && pod.revision != *update)
            });
            passed.start = next.map_or(passed.start, |next| next + 1);
        }
        [
            self.below_first.clone(),
            self.below_partition.clone(),
            passed,
            self.condemned.clone(),
        ]
    }
}
